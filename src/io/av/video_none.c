/* In place of the files that use libav, in builds without video: everything says so. */
#include "io/clip/frames.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static ch_status refuse(ch_context *context) {
    if (!context) return CH_ERR_ARGUMENT;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "this build has no video; build it with libav (Debian: libavformat-dev, "
                    "libswscale-dev) and CONEHULL_VIDEO=ON");
}

const char *ch_video_library(void) {
    return NULL;
}

ch_status chi_video_open(ch_context *context, chi_video **video, const char *path,
                         int64_t silence) {
    return refuse(context);
}

/* Without an open video these are never reached. */
void chi_video_close(chi_video *video) {
}

ch_status chi_video_count(chi_video *video, int64_t *count, int64_t enough) {
    return CH_ERR_UNSUPPORTED;
}

ch_status chi_video_near_key(chi_video *video, int64_t *near, int64_t number, int64_t farthest) {
    return CH_ERR_UNSUPPORTED;
}

ch_status chi_video_skip(chi_video *video, int64_t *passed, int64_t number) {
    return CH_ERR_UNSUPPORTED;
}

double chi_video_stamp(const chi_video *video, int last) {
    return 0;
}

ch_status chi_video_next(chi_video *video, chi_frame *frame) {
    return CH_ERR_UNSUPPORTED;
}

ch_status chi_video_pixels(chi_video *video, uint8_t *luma, uint8_t *rgb, const chi_frame *frame,
                           const chi_rectangle *part) {
    return CH_ERR_UNSUPPORTED;
}

chi_yuv chi_frame_yuv(const chi_frame *frame) {
    return (chi_yuv){0};
}

void chi_frame_halves(uint8_t *luma, uint8_t *red, uint8_t *blue, const chi_frame *frame) {
    (void)luma;
    (void)red;
    (void)blue;
    (void)frame;
}

void chi_frame_copy_yuv(uint8_t *to, const chi_frame *frame) {
}

void chi_frame_aspect(int64_t aspect[2], const chi_frame *frame) {
}

void chi_video_size(const chi_video *video, int64_t size[2]) {
}

int chi_video_seekable(const chi_video *video) {
    return 0;
}

void chi_video_describe(const chi_video *video, ch_clip *clip) {
}

ch_status chi_video_report(const chi_video *video, int64_t frames, int partial) {
    return CH_OK;
}

ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer, const char *path,
                               const ch_video_format *format,
                               const ch_video_writer_settings *settings) {
    return refuse(context);
}

ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels) {
    return CH_ERR_UNSUPPORTED;
}

ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time) {
    return CH_ERR_UNSUPPORTED;
}

ch_status ch_video_writer_commit(ch_video_writer *writer) {
    return CH_ERR_UNSUPPORTED;
}

void ch_video_writer_discard(ch_video_writer *writer) {
}

ch_status ch_video_cut(ch_context *context, ch_video_piece *pieces, int64_t count,
                       const char *input) {
    return refuse(context);
}

ch_status ch_video_cut_suffix(ch_context *context, const char **suffix, const char *input) {
    return refuse(context);
}

ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                 const ch_picture *picture, int quality) {
    return refuse(context);
}
