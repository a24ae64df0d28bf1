/* Encodes one picture as a JPEG by TurboJPEG, in builds without libav. */
#include "io/clip/frames.h"
#include <string.h>
#include <turbojpeg.h>

static ch_status give_bytes(ch_context *context, uint8_t **bytes, size_t *count,
                            const uint8_t *made, unsigned long size) {
    uint8_t *copy = chi_alloc(context, (int64_t)size, 1);
    if (!copy) return chi_no_memory(context, "a JPEG", (int64_t)size, 1);
    memcpy(copy, made, size);
    *bytes = copy;
    *count = size;
    return CH_OK;
}

ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                 const ch_picture *picture, int quality) {
    ch_video_writer_settings set = {sizeof set, CH_CODEC_MJPEG, quality};
    if (!context || !bytes || !count) return CH_ERR_ARGUMENT;
    TRY(ch_settings_check(context, ch_video_writer_table(), &set));
    TRY(chi_picture_given(context, picture));
    int gray = picture->channels == 1;
    unsigned char *made = NULL;
    unsigned long size = 0;
    tjhandle jpeg = tjInitCompress();
    if (!jpeg) return chi_no_memory(context, "a JPEG", 1, 1);
    int failed = tjCompress2(jpeg, picture->pixels, (int)picture->width, 0, (int)picture->height,
                             gray ? TJPF_GRAY : TJPF_RGB, &made, &size,
                             gray ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
    ch_status status =
        failed ? chi_fail(context, CH_ERR_INTERNAL, "the picture could not be encoded as JPEG: %s",
                          tjGetErrorStr2(jpeg))
               : give_bytes(context, bytes, count, made, size);
    tjFree(made);
    tjDestroy(jpeg);
    return status;
}
