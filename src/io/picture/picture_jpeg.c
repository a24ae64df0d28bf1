/* JPEG through TurboJPEG. A damaged file is used as far as it decodes, with a warning in the log,
 * like a video. */
#include "io/clip/frames.h"
#include <turbojpeg.h>

/* A block of 64 values takes at least one bit, so a byte may encode 512 values of each of three
 * colours. */
enum { JPEG_PACKING = 3 * 512 };

static ch_status fail_jpeg(const chi_picture_bytes *from, tjhandle jpeg) {
    return chi_fail(from->context, CH_ERR_FORMAT, "%s: the JPEG file is damaged: %s", from->path,
                    tjGetErrorStr2(jpeg));
}

static ch_status decode(tjhandle jpeg, ch_picture *picture, const chi_picture_bytes *from,
                        int luma) {
    int width = 0, height = 0, sampling = 0, space = 0;
    if (tjDecompressHeader3(jpeg, from->bytes, (unsigned long)from->count, &width, &height,
                            &sampling, &space) < 0)
        return fail_jpeg(from, jpeg);
    if (width < 1 || height < 1) /* truncated in the tables: no error for TurboJPEG */
        return chi_fail(from->context, CH_ERR_FORMAT,
                        "%s: the JPEG file is damaged: it ends before the picture is complete",
                        from->path);
    if (space == TJCS_CMYK || space == TJCS_YCCK)
        return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                        "%s: the JPEG file contains CMYK colours for printing, which are not "
                        "supported; convert it to gray or RGB",
                        from->path);
    int channels = luma || space == TJCS_GRAY ? 1 : 3;
    TRY(chi_picture_check(from->context, from->path, width, height));
    TRY(chi_plausible(from->context, from->path, (int64_t)width * height, (size_t)channels,
                      from->count, JPEG_PACKING));
    TRY(chi_picture_create(from->context, picture, from->path, width, height, channels));
    if (tjDecompress2(jpeg, from->bytes, (unsigned long)from->count, picture->pixels, width, 0,
                      height, channels == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) == 0)
        return CH_OK;
    if (tjGetErrorCode(jpeg) != TJERR_WARNING) return fail_jpeg(from, jpeg);
    chi_log(from->context, CH_LOG_WARNING,
            "%s: the JPEG file is damaged (%s); everything that could be decoded is used",
            from->path, tjGetErrorStr2(jpeg));
    return CH_OK;
}

ch_status chi_jpeg_read(ch_picture *picture, const chi_picture_bytes *from, int luma) {
    tjhandle jpeg = tjInitDecompress();
    if (!jpeg) return chi_no_memory(from->context, "decoding a JPEG", 1, 1);
    ch_status status = decode(jpeg, picture, from, luma);
    tjDestroy(jpeg);
    return status;
}
