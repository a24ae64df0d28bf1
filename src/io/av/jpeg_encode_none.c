/* Encoding of JPEG in builds with neither libav nor TurboJPEG: fails with a message. */
#include "io/clip/frames.h"

ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                 const ch_picture *picture, int quality) {
    (void)bytes, (void)count, (void)picture, (void)quality;
    if (!context) return CH_ERR_ARGUMENT;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "this build of conehull cannot write JPEG files; build it with libav or "
                    "TurboJPEG (Debian: libturbojpeg0-dev)");
}
