/* The settings of clips, as tables. */
#include "io/frames.h"
#include <stddef.h>
#include <stdio.h>

#define AT(field) offsetof(ch_clip_settings, field)

static const ch_setting clip_rows[] = {
    {"from", CH_SETTING_INT, AT(from), 0, 0, 1e12, NULL, "F", "first frame, counted from 0"},
    {"frames", CH_SETTING_INT, AT(frames), 0, 0, 1e12, NULL, "N",
     "length of the stretch that is looked at, in frames of the input; 0: to the end"},
    {"step", CH_SETTING_INT, AT(step), 1, 1, 1e9, NULL, "N", "every N-th frame of the stretch"},
    {"width", CH_SETTING_INT, AT(width), 0, 0, 65536, NULL, "W",
     "reduces pictures to W columns, rows in proportion, by averaging areas; never enlarges; 0: as "
     "they are"},
    {"gray", CH_SETTING_FLAG, AT(gray), 0, 0, 1, NULL, NULL,
     "brightness alone, also of a colour clip: a quarter of the memory"},
    {"memory", CH_SETTING_INT, AT(memory), 0, 0, 0x1p62, NULL, "BYTES",
     "refuses a clip that takes more than this; 0: more than the machine has"},
    {"partial", CH_SETTING_FLAG, AT(partial), 0, 0, 1, NULL, NULL,
     "uses what is left of a file that was cut short, which is refused without this"},
};

const ch_settings_table ch_clip_table = {"clip", clip_rows, sizeof clip_rows / sizeof *clip_rows,
                                         sizeof(ch_clip_settings)};

static const char *const codecs[] = {"ffv1", "mjpeg", "h264", NULL};

static const ch_setting writer_rows[] = {
    {"codec", CH_SETTING_CHOICE, offsetof(ch_writer_settings, codec), CH_CODEC_FFV1, 0, 2, codecs,
     "C", "ffv1: without loss; mjpeg, h264: smaller, for any player"},
    {"quality", CH_SETTING_INT, offsetof(ch_writer_settings, quality), 85, 1, 100, NULL, "Q",
     "mjpeg, h264: from 1, small, to 100"},
};

const ch_settings_table ch_writer_table = {
    "writer", writer_rows, sizeof writer_rows / sizeof *writer_rows, sizeof(ch_writer_settings)};

ch_status ch_clip_set_roi(ch_context *context, ch_clip_settings *settings, const char *text) {
    long long x, y, width, height;
    int end = 0;
    if (!context || !settings || !text) return CH_ERR_ARGUMENT;
    if (sscanf(text, "%lld,%lld,%lld,%lld%n", &x, &y, &width, &height, &end) != 4 || text[end] ||
        x < 0 || y < 0 || width < 1 || height < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "roi must be X,Y,W,H: left, top, width and height in pixels of the input; "
                        "got '%s'",
                        text);
    settings->roi_x = x;
    settings->roi_y = y;
    settings->roi_width = width;
    settings->roi_height = height;
    return CH_OK;
}
