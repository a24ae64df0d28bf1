/* In place of picture_jpeg.c in builds without TurboJPEG. */
#include "io/clip/frames.h"

ch_status chi_jpeg_read(ch_picture *picture, const chi_picture_bytes *from, int luma) {
    (void)picture, (void)luma;
    return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                    "%s: this build of conehull cannot read JPEG files; build it with TurboJPEG "
                    "(Debian: libturbojpeg0-dev)",
                    from->path);
}
