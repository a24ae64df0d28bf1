/* The settings of clips as tables. */
#include "base/settings_rows.h"
#include "io/clip/frames.h"
#include <stdio.h>

#define AT(field) offsetof(ch_clip_settings, field)

static const ch_setting clip_rows[] = {
    {"from", CH_SETTING_INT, AT(from), 0, 0, 1e12, NULL, "F", "first frame to use, counted from 0"},
    {"frames", CH_SETTING_INT, AT(frames), 0, 0, 1e12, NULL, "N",
     "length of the part to use, in frames of the input (counted before --step); 0: up to the end"},
    {"step", CH_SETTING_INT, AT(step), 1, 1, 1e9, NULL, "N", "use only every N-th frame"},
    {"width", CH_SETTING_INT, AT(width), 0, 0, 65536, NULL, "W",
     "reduce pictures to a width of W pixels, with the height in proportion, by averaging areas. "
     "Narrower pictures are not enlarged. 0: keep their size"},
    {"gray", CH_SETTING_FLAG, AT(gray), 0, 0, 1, NULL, NULL,
     "use only the brightness of a colour clip, which reduces the memory to a quarter"},
    {"memory", CH_SETTING_INT, AT(memory), 0, 0, 0x1p62, NULL, "BYTES",
     "end with an error if the clip needs more than this many bytes of memory; 0: more than the "
     "machine has"},
    {"partial", CH_SETTING_FLAG, AT(partial), 0, 0, 1, NULL, NULL,
     "if the file is truncated, use the frames that it has instead of ending with an error"},
};

CHI_SETTINGS_TABLE(ch_clip_table, "clip", clip_rows, ch_clip_settings)

static const char *const codecs[] = {"ffv1", "mjpeg", "h264", "play", "flat", NULL};

static const ch_setting writer_rows[] = {
    {"codec", CH_SETTING_CHOICE, offsetof(ch_video_writer_settings, codec), CH_CODEC_FFV1, 0, 4,
     codecs, "C",
     "how the video is encoded. ffv1: lossless. mjpeg, h264: smaller files for any player. play: "
     "encoded fast, for browsers and phones. flat: lossless, for masks"},
    {"quality", CH_SETTING_INT, offsetof(ch_video_writer_settings, quality), 85, 1, 100, NULL, "Q",
     "mjpeg, h264, play: quality from 1 (smallest file) to 100 (best picture)"},
};

CHI_SETTINGS_TABLE(ch_video_writer_table, "video_writer", writer_rows, ch_video_writer_settings)

ch_status chi_part_parse(ch_context *context, int64_t *x, int64_t *y, int64_t *width,
                         int64_t *height, const char *text) {
    long long left, top, w, h;
    int end = 0;
    if (sscanf(text, "%lld,%lld,%lld,%lld%n", &left, &top, &w, &h, &end) != 4 || text[end] ||
        left < 0 || top < 0 || w < 1 || h < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "roi must be X,Y,W,H: left, top, width and height in pixels of the input; "
                        "got '%s'",
                        text);
    *x = left;
    *y = top;
    *width = w;
    *height = h;
    return CH_OK;
}

ch_status ch_clip_set_roi(ch_context *context, ch_clip_settings *settings, const char *text) {
    if (!context || !settings || !text) return CH_ERR_ARGUMENT;
    return chi_part_parse(context, &settings->roi_x, &settings->roi_y, &settings->roi_width,
                          &settings->roi_height, text);
}
