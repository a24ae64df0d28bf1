/* Frames of a source in order, as planes: what libav decodes, cut down to size. */
#include "io/clip/feed_state.h"
#include <string.h>

static const char *const schemes[] = {"rtsp://",  "rtsps://", "rtmp://", "rtmps://", "http://",
                                      "https://", "srt://",   "udp://",  "rtp://",   "tcp://"};

int chi_is_address(const char *path) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0) return 1;
    return 0;
}

/* Cameras and what else is read as one: how their names begin, how much of that is not theirs, and
 * the format that reads them. */
static const struct {
    const char *begin, *format;
    int whole; /* the beginning is part of the name */
} cameras[] = {
    {"/dev/video", "video4linux2", 1},
    {"v4l2:", "video4linux2", 0},
    {"x11grab:", "x11grab", 0},
    {"lavfi:", "lavfi", 0}, /* settings.graphs permitting */
};

const char *chi_camera_parts(const char *path, const char **device) {
    for (size_t i = 0; i < sizeof cameras / sizeof *cameras; i++) {
        size_t length = strlen(cameras[i].begin);
        if (strncmp(path, cameras[i].begin, length) != 0) continue;
        *device = cameras[i].whole ? path : path + length;
        return cameras[i].format;
    }
    return NULL;
}

int chi_is_camera(const char *path) {
    const char *device;
    return chi_camera_parts(path, &device) != NULL;
}

/* Filters can do what a name must not: write files, open others. */
static ch_status check_graph(const chi_feed_source *source) {
    const char *device, *format = chi_camera_parts(source->path, &device);
    if (source->set.graphs || !format || strcmp(format, "lavfi") != 0) return CH_OK;
    return chi_fail(source->context, CH_ERR_SETTING,
                    "%s: filters may write files and open addresses; --graphs (the setting graphs) "
                    "permits that",
                    source->path);
}

static ch_status open_input(chi_feed_source *source) {
    TRY(check_graph(source));
    if (chi_is_address(source->path) || chi_is_camera(source->path))
        return chi_input_open_address(source->context, &source->input, source->path,
                                      source->set.silence);
    return chi_input_open(source->context, &source->input, source->path);
}

static ch_status describe(chi_feed_source *source) {
    ch_feed_info *info = &source->info;
    const ch_feed_settings *set = &source->set;
    chi_rectangle wanted = {set->roi_x, set->roi_y, set->roi_width, set->roi_height};
    chi_rectangle *part = &source->part;
    TRY(chi_part_place(source->context, part, &source->first, &wanted, source->path));
    ch_clip clip = {.size = sizeof clip};
    chi_input_describe(source->input, &clip);
    info->source_width = source->first.width;
    info->source_height = source->first.height;
    info->planes = source->set.gray || source->first.gray ? 1 : 3;
    info->roi_x = part->x;
    info->roi_y = part->y;
    info->roi_width = part->width;
    info->roi_height = part->height;
    source->reduces = set->width > 0 && set->width < part->width;
    info->width = source->reduces ? set->width : part->width;
    info->height =
        source->reduces ? chi_area_height(part->width, part->height, info->width) : part->height;
    info->rate = clip.rate;
    memcpy(info->container, clip.container, sizeof info->container);
    memcpy(info->codec, clip.codec, sizeof info->codec);
    return CH_OK;
}

static ch_status reserve(chi_feed_source *source) {
    const ch_feed_info *info = &source->info;
    ch_context *context = source->context;
    int64_t pixels = info->roi_width * info->roi_height;
    int colour = info->planes == 3;
    source->luma = chi_alloc(context, pixels, 1);
    source->rgb = chi_alloc(context, colour ? pixels : 0, 3);
    source->small = chi_alloc(context, info->width * info->height, 3);
    if (!source->luma || !source->rgb || !source->small)
        return chi_no_memory(context, "a frame", pixels, 7);
    for (int k = 0; k < 1 + colour && source->reduces; k++)
        TRY(chi_area_create(context, &source->area[k], info->roi_width, info->roi_height,
                            info->width, info->height, 1 + 2 * k));
    return CH_OK;
}

static ch_status first_frame(chi_feed_source *source) {
    ch_status status = chi_input_seek(source->input, &source->first, 0, 0);
    if (status != CH_OK) return status;
    if (!source->first.native)
        return chi_fail(source->context, CH_ERR_FORMAT, "%s: no picture could be decoded",
                        source->path);
    TRY(describe(source));
    return reserve(source);
}

ch_status chi_feed_source_open(ch_context *context, chi_feed_source *source, const char *path,
                               const ch_feed_settings *settings) {
    *source = (chi_feed_source){.context = context, .path = path, .set = *settings};
    ch_status status = open_input(source);
    if (status == CH_OK) status = first_frame(source);
    return status;
}

void chi_feed_source_close(chi_feed_source *source) {
    if (source->input) chi_input_report(source->input, 1); /* a stream may break off */
    chi_input_close(source->input);
    for (int k = 0; k < 2; k++) chi_area_free(source->context, &source->area[k]);
    chi_free(source->context, source->luma);
    chi_free(source->context, source->rgb);
    chi_free(source->context, source->small);
}

static ch_status check_size(const chi_feed_source *source, const chi_frame *frame) {
    const ch_feed_info *info = &source->info;
    if (frame->width == info->source_width && frame->height == info->source_height) return CH_OK;
    return chi_fail(source->context, CH_ERR_FORMAT,
                    "%s: frame %lld is %lld x %lld, those before it are %lld x %lld",
                    chi_input_name(source->input), (long long)source->next, (long long)frame->width,
                    (long long)frame->height, (long long)info->source_width,
                    (long long)info->source_height);
}

static ch_status take_pixels(chi_feed_source *source, uint8_t *pixels, const chi_frame *frame) {
    const ch_feed_info *info = &source->info;
    int64_t count = info->width * info->height;
    int colour = info->planes == 3;
    uint8_t *luma = source->reduces || colour ? source->luma : pixels;
    TRY(chi_input_pixels(source->input, luma, colour ? source->rgb : NULL, frame, &source->part));
    if (!colour) {
        if (source->reduces) chi_area_reduce(&source->area[0], pixels, luma);
        return CH_OK;
    }
    if (source->reduces) chi_area_reduce(&source->area[1], source->small, source->rgb);
    chi_split_rgb(pixels, pixels + count, pixels + 2 * count,
                  source->reduces ? source->small : source->rgb, count);
    return CH_OK;
}

ch_status chi_feed_source_next(chi_feed_source *source, chi_feed_slot *slot) {
    chi_frame frame = source->first;
    slot->filled = 0;
    if (source->set.frames > 0 && source->next >= source->set.frames) return CH_OK;
    if (source->next > 0) {
        ch_status status = chi_input_seek(source->input, &frame, source->next, 0);
        if (status != CH_OK || !frame.native) return status;
    }
    TRY(check_size(source, &frame));
    TRY(take_pixels(source, slot->pixels, &frame));
    slot->index = source->next++;
    slot->time = frame.time;
    slot->damaged = frame.damaged;
    slot->decoded = chi_seconds();
    slot->filled = 1;
    return CH_OK;
}
