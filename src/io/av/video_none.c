/* Replaces the files that write videos, in builds without libav: every function fails with a
 * message. */
#include "io/clip/frames.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static ch_status refuse(ch_context *context) {
    if (!context) return CH_ERR_ARGUMENT;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "this build of conehull cannot read or write video; build it with libav "
                    "(Debian: libavformat-dev, libswscale-dev) and CONEHULL_VIDEO=ON");
}

const char *ch_video_library(void) {
    return NULL;
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
