/* Frames of a source in order, as planes: decoded by libav, cropped and scaled. */
#include "io/clip/feed_state.h"
#include <string.h>

static const char *const schemes[] = {"rtsp://",  "rtsps://", "rtmp://", "rtmps://", "http://",
                                      "https://", "srt://",   "udp://",  "rtp://",   "tcp://"};

/* Cameras and other devices: the prefix of their names, whether it is part of the device's name,
 * and the format that reads them. */
static const struct {
    const char *begin, *format;
    int whole; /* whether the prefix is part of the name */
} cameras[] = {
    {"/dev/video", "video4linux2", 1},
    {"v4l2:", "video4linux2", 0},
    {"x11grab:", "x11grab", 0},
    {"lavfi:", "lavfi", 0}, /* only if settings.graphs permits it */
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

int chi_is_live(const char *path) {
    const char *device;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0) return 1;
    return chi_camera_parts(path, &device) != NULL;
}

/* Refuses filter graphs unless permitted, because filters can write files and open others. */
static ch_status check_graph(const chi_feed_source *source) {
    const char *device, *format = chi_camera_parts(source->path, &device);
    if (source->set.graphs || !format || strcmp(format, "lavfi") != 0) return CH_OK;
    return chi_fail(source->context, CH_ERR_SETTING,
                    "%s: filter graphs are disabled, because their filters may write files and "
                    "open network addresses; --graphs (the setting 'graphs') permits them",
                    source->path);
}

int64_t chi_feed_slot_bytes(const ch_feed_info *info) {
    int64_t pixels = info->width * info->height;
    return chi_feed_plane_at(info, info->planes) + (info->yuv ? pixels / 2 * 3 : 0);
}

/* Describes the decoder's planes, if pictures are neither cropped nor scaled. */
static void describe_yuv(chi_feed_source *source) {
    ch_feed_info *info = &source->info;
    chi_yuv yuv = chi_frame_yuv(&source->first);
    chi_frame_aspect(info->aspect, &source->first);
    info->yuv = source->set.yuv && yuv.present && info->width == info->source_width &&
                info->height == info->source_height;
    info->halves = info->yuv && source->set.halves && info->planes == 3 &&
                   info->width * info->height >= source->set.halves;
    info->full_range = yuv.full_range;
    info->matrix = yuv.matrix;
}

/* Returns how many of the promised frames the feed will return, without those of the keep list. */
static int64_t frames_by_step(const chi_feed_source *source) {
    const ch_feed_settings *set = &source->set;
    int64_t frames = chi_input_promised(source->input) - set->from;
    if (set->frames > 0 && frames > set->frames) frames = set->frames;
    return frames > 0 ? (frames + set->step - 1) / set->step : 0;
}

static void describe(chi_feed_source *source) {
    ch_feed_info *info = &source->info;
    const chi_cut *cut = &source->cut;
    ch_clip clip = {.size = sizeof clip};
    chi_input_describe(source->input, &clip);
    info->source_width = cut->source_width;
    info->source_height = cut->source_height;
    info->roi_x = cut->part.x;
    info->roi_y = cut->part.y;
    info->roi_width = cut->part.width;
    info->roi_height = cut->part.height;
    info->width = cut->width;
    info->height = cut->height;
    info->planes = cut->colour ? 3 : 1;
    info->rate = clip.rate;
    info->rotation = clip.rotation;
    info->frames = frames_by_step(source);
    memcpy(info->container, clip.container, sizeof info->container);
    memcpy(info->codec, clip.codec, sizeof info->codec);
    describe_yuv(source);
}

static ch_status first_frame(chi_feed_source *source) {
    const ch_feed_settings *set = &source->set;
    source->next = set->from;
    TRY_OK(chi_input_seek(source->input, &source->first, set->from, 0));
    if (!source->first.native)
        return chi_fail(source->context, CH_ERR_FORMAT,
                        set->from ? "%s: frame %lld was requested, but the input ends before it"
                                  : "%s: no picture of the video could be decoded",
                        source->path, (long long)set->from);
    chi_rectangle wanted = {set->roi_x, set->roi_y, set->roi_width, set->roi_height};
    TRY(chi_cut_plan(source->context, &source->cut, source->path, &source->first, &wanted,
                     set->width, set->gray));
    describe(source);
    return chi_cut_reserve(&source->cut);
}

ch_status chi_feed_source_open(ch_context *context, chi_feed_source *source, const char *path,
                               const ch_feed_settings *settings) {
    *source = (chi_feed_source){.context = context, .path = path, .set = *settings};
    TRY(check_graph(source));
    TRY(chi_files_list(context, &source->files, path, settings->more, settings->more_count));
    for (int64_t k = 0; k < source->files.count && source->files.count > 1; k++)
        if (chi_is_live(source->files.path[k]))
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s: a network address or a camera must be the only input; it cannot "
                            "be one of several files",
                            source->files.path[k]);
    ch_status status = chi_input_open(context, &source->input, &source->files,
                                      chi_is_live(path) ? settings->silence : 0, !settings->whole);
    return status == CH_OK ? first_frame(source) : status;
}

void chi_feed_source_close(chi_feed_source *source) {
    if (source->input && !source->set.whole)
        chi_input_report(source->input, 1); /* a stream may break off */
    chi_input_close(source->input);
    chi_cut_free(&source->cut);
    chi_free(source->context, (void *)source->files.path);
}

/* Returns the next position: the next frame by step, or an earlier one that is in the keep list. */
static int64_t position_after(chi_feed_source *source, int64_t position) {
    const ch_feed_settings *set = &source->set;
    int64_t next = position + set->step - (position - set->from) % set->step;
    while (source->keep_at < set->keep_count && set->keep[source->keep_at] <= position)
        source->keep_at++;
    if (source->keep_at < set->keep_count && set->keep[source->keep_at] < next)
        next = set->keep[source->keep_at];
    return next;
}

int64_t chi_feed_plane_at(const ch_feed_info *info, int plane) {
    int64_t pixels = info->width * info->height;
    return info->halves && plane > 0 ? pixels + (plane - 1) * (pixels / 4) : plane * pixels;
}

/* Gets the pixels of a frame. A later frame of another size or format than the first has no half
 * planes. */
static ch_status take_pixels(chi_feed_source *source, uint8_t *const plane[3],
                             const chi_frame *frame) {
    int colour = source->cut.colour;
    if (!source->info.halves)
        return chi_cut_pixels(&source->cut, colour ? NULL : plane[0], colour ? plane : NULL,
                              source->input, frame, source->next);
    TRY(chi_cut_check(&source->cut, source->input, frame, source->next));
    if (!chi_frame_yuv(frame).present)
        return chi_fail(
            source->context, CH_ERR_FORMAT,
            "%s: the pixel format of frame %lld differs from that of the frames before it",
            source->path, (long long)source->next);
    chi_frame_halves(plane[0], plane[1], plane[2], frame);
    return CH_OK;
}

ch_status chi_feed_source_next(chi_feed_source *source, chi_feed_slot *slot) {
    chi_frame frame = source->first;
    slot->filled = 0;
    if (source->set.frames > 0 && source->next >= source->set.from + source->set.frames)
        return CH_OK;
    if (source->handed++ > 0) {
        ch_status status = chi_input_seek(source->input, &frame, source->next, 0);
        if (status != CH_OK) return status;
        if (!frame.native) return source->set.whole ? chi_input_report(source->input, 0) : CH_OK;
    }
    uint8_t *plane[3] = {NULL};
    const ch_feed_info *info = &source->info;
    for (int p = 0; p < info->planes; p++) plane[p] = slot->pixels + chi_feed_plane_at(info, p);
    TRY(take_pixels(source, plane, &frame));
    if (info->yuv) chi_frame_copy_yuv(slot->pixels + chi_feed_plane_at(info, info->planes), &frame);
    slot->index = source->next;
    source->next = position_after(source, source->next);
    slot->time = frame.time;
    slot->damaged = frame.damaged;
    slot->file = frame.file;
    slot->starts = frame.starts;
    slot->decoded = chi_seconds();
    slot->filled = 1;
    return CH_OK;
}
