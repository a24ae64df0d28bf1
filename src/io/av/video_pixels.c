/* Converts decoded frames to luma and RGB bytes.
 *
 * Luma is a plane of the decoder, if there is one: copied unchanged (gray, or YUV of full range),
 * or through a table that expands limited range, (y - 16) 255/219, and rounds more than 8 bits to
 * 8. RGB is made by libswscale with the colour matrix of the stream; luma of RGB sources is
 * computed from that RGB. */
#include "io/av/video_av.h"
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <string.h>

void chi_converter_free(chi_converter *converter) {
    sws_freeContext(converter->scaler);
    av_frame_free(&converter->rgb);
    chi_free(converter->context, converter->table);
}

int chi_format_is_gray(int format) {
    const AVPixFmtDescriptor *facts = av_pix_fmt_desc_get(format);
    return facts && facts->nb_components <= 2 && !(facts->flags & AV_PIX_FMT_FLAG_PAL);
}

/* Returns whether the first component is luma, in whole bytes at regular steps. */
static int has_luma(const AVPixFmtDescriptor *facts) {
    uint64_t other = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                     AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    return !(facts->flags & other) && facts->comp[0].depth >= 8 && facts->comp[0].depth <= 16;
}

/* Returns whether values have full range. If the range is not stated, gray is full and YUV
 * limited. */
static int is_full_range(const AVFrame *frame, const AVPixFmtDescriptor *facts) {
    static const int full[] = {AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P,
                               AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ444P};
    if (facts->nb_components <= 2) return 1;
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        if (frame->format == full[i]) return 1;
    return frame->color_range == AVCOL_RANGE_JPEG;
}

static void fill_table(uint8_t *table, int depth, int full) {
    int64_t count = (int64_t)1 << depth, unit = (int64_t)1 << (depth - 8);
    int64_t low = full ? 0 : 16 * unit, span = full ? count - 1 : 219 * unit;
    for (int64_t v = 0; v < count; v++) {
        int64_t value = v > low ? (2 * 255 * (v - low) + span) / (2 * span) : 0;
        table[v] = (uint8_t)(value < 255 ? value : 255);
    }
}

static ch_status prepare_table(chi_converter *converter, const AVFrame *frame,
                               const AVPixFmtDescriptor *facts) {
    int full = is_full_range(frame, facts);
    if (converter->format == frame->format && converter->range == full) return CH_OK;
    if (!converter->table) converter->table = chi_alloc(converter->context, 1 << 16, 1);
    if (!converter->table) return chi_no_memory(converter->context, "reading pixels", 1 << 16, 1);
    fill_table(converter->table, facts->comp[0].depth, full);
    converter->format = frame->format;
    converter->range = full;
    return CH_OK;
}

static void look_up_wide(uint8_t *to, const uint8_t *from, int64_t count, int step, int big,
                         int shift, unsigned mask, const uint8_t *table) {
    for (int64_t x = 0; x < count; x++) {
        const uint8_t *two = from + x * step;
        unsigned value = big ? (unsigned)two[0] << 8 | two[1] : (unsigned)two[1] << 8 | two[0];
        to[x] = table[value >> shift & mask];
    }
}

static ch_status take_luma(chi_converter *converter, uint8_t *luma, const AVFrame *frame,
                           const AVPixFmtDescriptor *facts, const chi_rectangle *part) {
    const AVComponentDescriptor *first = &facts->comp[0];
    int plain = first->depth == 8 && first->step == 1 && is_full_range(frame, facts);
    if (!plain) TRY(prepare_table(converter, frame, facts));
    for (int64_t y = 0; y < part->height; y++) {
        const uint8_t *row = frame->data[first->plane] +
                             (part->y + y) * frame->linesize[first->plane] + first->offset +
                             part->x * first->step;
        uint8_t *to = luma + y * part->width;
        if (plain)
            memcpy(to, row, (size_t)part->width);
        else if (first->depth == 8 && first->shift == 0)
            for (int64_t x = 0; x < part->width; x++)
                to[x] = converter->table[row[x * first->step]];
        else
            look_up_wide(to, row, part->width, first->step,
                         (facts->flags & AV_PIX_FMT_FLAG_BE) != 0, first->shift,
                         (1u << first->depth) - 1, converter->table);
    }
    return CH_OK;
}

static ch_status prepare_rgb(chi_converter *converter, const AVFrame *frame) {
    AVFrame *rgb = converter->rgb;
    if (!rgb || rgb->width != frame->width || rgb->height != frame->height) {
        av_frame_free(&converter->rgb);
        converter->rgb = rgb = av_frame_alloc();
        if (!rgb) return chi_no_memory(converter->context, "a picture in colour", 1, 1);
        rgb->format = AV_PIX_FMT_RGB24;
        rgb->width = frame->width;
        rgb->height = frame->height;
        if (av_frame_get_buffer(rgb, 0) < 0)
            return chi_no_memory(converter->context, "a picture in colour",
                                 3 * (int64_t)frame->width, (size_t)frame->height);
    }
    converter->scaler = sws_getCachedContext(converter->scaler, frame->width, frame->height,
                                             frame->format, frame->width, frame->height,
                                             AV_PIX_FMT_RGB24, SWS_BICUBIC, NULL, NULL, NULL);
    if (!converter->scaler)
        return chi_fail(
            converter->context, CH_ERR_UNSUPPORTED,
            "%s: the pixel format %s of this video is not supported; convert the video with ffmpeg",
            converter->path, av_get_pix_fmt_name(frame->format));
    return CH_OK;
}

/* Converts the whole picture to RGB, with the colour matrix of the stream. */
static ch_status make_rgb(chi_converter *converter, const AVFrame *frame,
                          const AVPixFmtDescriptor *facts) {
    TRY(prepare_rgb(converter, frame));
    int space = frame->colorspace == AVCOL_SPC_UNSPECIFIED || frame->colorspace == AVCOL_SPC_RGB
                    ? SWS_CS_DEFAULT
                    : (int)frame->colorspace;
    const int *matrix = sws_getCoefficients(space);
    sws_setColorspaceDetails(converter->scaler, matrix, is_full_range(frame, facts), matrix, 1, 0,
                             1 << 16, 1 << 16);
    int rows = sws_scale(converter->scaler, (const uint8_t *const *)frame->data, frame->linesize, 0,
                         frame->height, converter->rgb->data, converter->rgb->linesize);
    if (rows == frame->height) return CH_OK;
    return chi_fail(converter->context, CH_ERR_FORMAT,
                    "%s: a picture of the video could not be converted to gray or RGB",
                    converter->path);
}

ch_status chi_converter_pixels(chi_converter *converter, uint8_t *luma, uint8_t *rgb,
                               const AVFrame *frame, const chi_rectangle *part) {
    const AVPixFmtDescriptor *facts = av_pix_fmt_desc_get(frame->format);
    if (!facts)
        return chi_fail(converter->context, CH_ERR_FORMAT,
                        "%s: the pixel format of this video is not known", converter->path);
    int direct = has_luma(facts);
    if (direct) TRY(take_luma(converter, luma, frame, facts, part));
    if (direct && !rgb) return CH_OK;
    TRY(make_rgb(converter, frame, facts));
    for (int64_t y = 0; y < part->height; y++) {
        const AVFrame *whole = converter->rgb;
        const uint8_t *row = whole->data[0] + (part->y + y) * whole->linesize[0] + 3 * part->x;
        if (rgb) memcpy(rgb + 3 * y * part->width, row, (size_t)(3 * part->width));
        for (int64_t x = 0; !direct && x < part->width; x++)
            luma[y * part->width + x] = chi_luma(row + 3 * x);
    }
    return CH_OK;
}

/* ---- the decoder's own planes ---- */

chi_yuv chi_frame_yuv(const chi_frame *frame) {
    const AVFrame *native = frame->native;
    int planar = native->format == AV_PIX_FMT_YUV420P || native->format == AV_PIX_FMT_YUVJ420P;
    if (!planar || native->width % 2 || native->height % 2) return (chi_yuv){0};
    int said = native->colorspace != AVCOL_SPC_UNSPECIFIED && native->colorspace != AVCOL_SPC_RGB;
    return (chi_yuv){.present = 1,
                     .full_range = is_full_range(native, av_pix_fmt_desc_get(native->format)),
                     .matrix = said ? (int)native->colorspace : 0};
}

/* Constants for full-range values in 16-bit integers, of which a vector holds many. y = Y - 16 plus
 * 169 / 1024 of it (an approximation of 255 / 219 that is never off by more than 1), or y = Y; red
 * = y + from_v (V - 128) / 64; blue = y + from_u (U - 128) / 64. The matrix is ITU-R BT.601, 709 or
 * 2020 as the stream states, else 601, like libswscale. */
typedef struct colours {
    int16_t full, from_u, from_v;
} colours;

static colours colours_of(const AVFrame *frame) {
    int full = is_full_range(frame, av_pix_fmt_desc_get(frame->format));
    int space = frame->colorspace;
    double red = space == AVCOL_SPC_BT709 ? 0.2126 : space == AVCOL_SPC_BT2020_NCL ? 0.2627 : 0.299;
    double blue = space == AVCOL_SPC_BT709        ? 0.0722
                  : space == AVCOL_SPC_BT2020_NCL ? 0.0593
                                                  : 0.114;
    double unit = 64 * (full ? 1 : 255.0 / 224);
    return (colours){.full = (int16_t)full,
                     .from_u = (int16_t)(unit * 2 * (1 - blue) + 0.5),
                     .from_v = (int16_t)(unit * 2 * (1 - red) + 0.5)};
}

/* Expands brightness from limited to full range. */
static inline int16_t lifted(int16_t value) {
    int16_t y = (int16_t)(value - 16);
    y = y > 0 ? y : 0;
    y = y < 219 ? y : 219;
    return (int16_t)(y + (int16_t)((uint16_t)((uint16_t)y * 169u + 428u) >> 10));
}

static inline uint8_t clamp_byte(int16_t value) {
    value = value > 0 ? value : 0;
    return (uint8_t)(value < 255 ? value : 255);
}

static void lift_row(uint8_t *restrict to, const uint8_t *restrict y, int64_t count) {
    for (int64_t x = 0; x < count; x++) to[x] = (uint8_t)lifted(y[x]);
}

/* Computes a row of squares: the mean of their brightness plus the contribution of U and V. */
static void colour_row(uint8_t *restrict red, uint8_t *restrict blue, const uint8_t *const from[4],
                       int64_t count, colours c) {
    const uint8_t *restrict upper = from[0], *restrict lower = from[1];
    const uint8_t *restrict u = from[2], *restrict v = from[3];
    for (int64_t x = 0; x < count; x++) {
        int16_t four = (int16_t)(upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
        int16_t mean = (int16_t)((four + 2) >> 2), y = c.full ? mean : lifted(mean);
        int16_t more_red = (int16_t)((int16_t)(c.from_v * (int16_t)(v[x] - 128) + 32) >> 6);
        int16_t more_blue = (int16_t)((int16_t)(c.from_u * (int16_t)(u[x] - 128) + 32) >> 6);
        red[x] = clamp_byte((int16_t)(y + more_red));
        blue[x] = clamp_byte((int16_t)(y + more_blue));
    }
}

void chi_frame_halves(uint8_t *luma, uint8_t *red, uint8_t *blue, const chi_frame *frame) {
    const AVFrame *native = frame->native;
    int64_t width = native->width, across = width / 2;
    colours c = colours_of(native);
    for (int64_t y = 0; y < native->height; y += 2) {
        const uint8_t *const from[] = {native->data[0] + y * native->linesize[0],
                                       native->data[0] + (y + 1) * native->linesize[0],
                                       native->data[1] + y / 2 * native->linesize[1],
                                       native->data[2] + y / 2 * native->linesize[2]};
        for (int64_t row = 0; row < 2; row++)
            if (c.full)
                memcpy(luma + (y + row) * width, from[row], (size_t)width);
            else
                lift_row(luma + (y + row) * width, from[row], width);
        colour_row(red + y / 2 * across, blue + y / 2 * across, from, across, c);
    }
}

void chi_frame_copy_yuv(uint8_t *to, const chi_frame *frame) {
    const AVFrame *native = frame->native;
    for (int p = 0; p < 3; p++) {
        int width = p ? native->width / 2 : native->width;
        int rows = p ? native->height / 2 : native->height;
        for (int y = 0; y < rows; y++, to += width)
            memcpy(to, native->data[p] + (int64_t)y * native->linesize[p], (size_t)width);
    }
}

void chi_frame_aspect(int64_t aspect[2], const chi_frame *frame) {
    AVRational of = ((const AVFrame *)frame->native)->sample_aspect_ratio;
    aspect[0] = of.num > 0 && of.den > 0 ? of.num : 0;
    aspect[1] = of.num > 0 && of.den > 0 ? of.den : 0;
}
