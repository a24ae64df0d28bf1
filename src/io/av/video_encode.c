/* Encodes pictures into packets. One row of a table per codec defines its input and its options. */
#include "io/av/video_av.h"
#include <errno.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <string.h>

typedef struct codec_row {
    const char *name;  /* libav's name                                     */
    const char *other; /* the codec used if libav lacks the first, or NULL */
    int lossless;      /* pictures are passed unchanged                    */
    int full_range;
    int pads; /* odd sizes get one more column or row, as 4:2:0 requires */
    void (*tune)(AVCodecContext *codec, AVDictionary **options, int64_t quality);
} codec_row;

struct chi_encoder {
    ch_context *context;
    AVCodecContext *codec;
    AVFrame *frame; /* a picture in the format of the codec */
    /* Whether the pixels of `frame` are the caller's; the codec has copied them when a call
     * returns. */
    int borrows;
    AVFrame *source;           /* a picture as given, input of the scaler; NULL if none is needed */
    struct SwsContext *scaler; /* NULL if none is needed                                          */
    ch_pixel_format pixels;
    int width, height; /* size of the given pictures */
};

/* FFV1 version 3, with four slices and checksums, and a key frame every second or two for seeking.
 * Pictures too thin for slices get version 1: libav's version 3, at least up to 5.1, refuses some
 * of them and loses the pixels of others (one pixel wide or high). */
static void tune_ffv1(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    int thin = codec->width < 4 || codec->height < 4;
    (void)quality;
    codec->gop_size = 12;
    codec->level = thin ? 1 : 3;
    if (thin) return;
    codec->thread_type = FF_THREAD_SLICE;
    codec->slices = 4;
    av_dict_set(options, "slicecrc", "1", 0);
}

/* The quantiser ranges from 2 (best) to 31. */
static void tune_mjpeg(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    int scale = 2 + (int)((100 - quality) * 29 / 99);
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = scale * FF_QP2LAMBDA;
    codec->thread_count = 1; /* threads would delay frames */
    codec->qmin = codec->qmax = scale;
    av_dict_set(options, "huffman", "optimal", 0);
}

/* A fixed number of threads: the output of x264 depends on it, and files must not depend on
 * --threads. */
enum { X264_THREADS = 2 };

/* rate is the option that the quality sets, "crf" or "qp". */
static void tune_x264(AVCodecContext *codec, AVDictionary **options, int64_t quality,
                      const char *preset, const char *rate) {
    char value[16];
    snprintf(value, sizeof value, "%d", 10 + (int)((100 - quality) / 2));
    codec->gop_size = 50;
    codec->thread_count = X264_THREADS;
    av_dict_set(options, "preset", preset, 0);
    av_dict_set(options, rate, value, 0);
}

static void tune_h264(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    tune_x264(codec, options, quality, "veryfast", "crf");
}

/* For files that are viewed once or twice. For 1080p with sensor noise the preset ultrafast took 10
 * ms of processor time per picture and veryfast 43 ms; ultrafast files were 1.7 times as large, but
 * smaller than the camera's own. A constant quantiser needs no lookahead at half the size, unlike a
 * constant rate factor. Processor time, bytes and PSNR per picture, over 300 such pictures:
 *
 *     crf 26 12 ms, 27 kB, 45.3 dB;  crf 28 8.3 ms, 14 kB, 44.3 dB
 *     qp 26 6.6 ms, 19 kB, 44.5 dB;  qp 28 4.8 ms, 9 kB, 43.6 dB;  qp 30 3.7 ms, 5 kB, 42.9 dB
 *
 * The quantiser of MPEG-4 ranges from 2 (best) to 31. */
static void tune_play(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    if (codec->codec_id == AV_CODEC_ID_H264) {
        tune_x264(codec, options, quality, "ultrafast", "qp");
        return;
    }
    codec->gop_size = 50;
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = (2 + (int)((100 - quality) / 8)) * FF_QP2LAMBDA;
    codec->thread_count = 1;
}

/* Lossless masks with one bit per pixel. Processor time and bytes per picture, over 300 masks of
 * 1920 x 1080:
 *
 *     FFV1 12 ms, 1.7 kB;  H.264 lossless, ultrafast 4 ms, 13 kB, with CABAC 5 ms, 3.5 kB;
 *     PNG of 8 bits 3 ms, 17 kB;  QuickTime RLE 1.5 ms, 21 kB;
 *     PNG of one bit, zlib's level 6 2 ms, 2.7 kB; level 1 1.2 ms, 4.5 kB
 *
 * Every picture of one-bit PNG is a key frame. */
static void tune_flat(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    if (codec->codec_id != AV_CODEC_ID_PNG) {
        tune_ffv1(codec, options, quality);
        return;
    }
    codec->thread_count = 1; /* threads would delay frames */
    codec->compression_level = 1;
    av_dict_set(options, "pred", "none", 0);
}

static const codec_row codecs[] = {
    [CH_CODEC_FFV1] = {"ffv1", NULL, 1, 1, 0, tune_ffv1},
    [CH_CODEC_MJPEG] = {"mjpeg", NULL, 0, 1, 0, tune_mjpeg},
    [CH_CODEC_H264] = {"libx264", NULL, 0, 0, 0, tune_h264},
    [CH_CODEC_PLAY] = {"libx264", "mpeg4", 0, 0, 1, tune_play},
    [CH_CODEC_FLAT] = {"png", "ffv1", 1, 1, 0, tune_flat},
};

static const enum AVPixelFormat given[] = {[CH_PIXELS_GRAY8] = AV_PIX_FMT_GRAY8,
                                           [CH_PIXELS_RGB24] = AV_PIX_FMT_RGB24,
                                           [CH_PIXELS_GRAY16] = AV_PIX_FMT_GRAY16,
                                           [CH_PIXELS_YUV420] = AV_PIX_FMT_YUV420P};

/* Returns the pixel format of the codec: 4:2:0 for H.264, or for gray if the size allows it, where
 * it loses nothing visible. */
static enum AVPixelFormat encoded_format(const codec_row *row, const AVCodec *codec,
                                         const ch_video_format *format) {
    ch_pixel_format pixels = format->pixels;
    if (row->tune == tune_flat && codec->id == AV_CODEC_ID_PNG) return AV_PIX_FMT_MONOBLACK;
    int even = format->width % 2 == 0 && format->height % 2 == 0;
    if (row->lossless) return pixels == CH_PIXELS_RGB24 ? AV_PIX_FMT_0RGB32 : given[pixels];
    if (row->full_range)
        return pixels == CH_PIXELS_GRAY8 && even ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUVJ444P;
    return even || row->pads ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;
}

static ch_status check(ch_context *context, const ch_video_format *format, const codec_row *row) {
    int64_t width = format->width, height = format->height;
    ch_pixel_format pixels = format->pixels;
    if (pixels < CH_PIXELS_GRAY8 || pixels > CH_PIXELS_YUV420)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the pixel format of a video must be gray8, rgb24, gray16 or yuv420");
    if (pixels == CH_PIXELS_GRAY16 && !row->lossless)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "pictures of 16 bits per pixel can be written with the codec ffv1 only");
    if (pixels != CH_PIXELS_GRAY8 && row->tune == tune_flat)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the codec flat can write gray pictures of 8 bits per pixel (gray8) only");
    if (width < 1 || height < 1 || width > 32768 || height > 32768)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a video of %lld x %lld pixels cannot be written; width and height must be "
                        "from 1 to 32768",
                        (long long)width, (long long)height);
    if (pixels == CH_PIXELS_YUV420 && (width % 2 || height % 2 || row->full_range))
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "pictures in the format yuv420 need an even width and height, and the "
                        "codec h264 or play");
    return CH_OK;
}

/* Pictures in YUV keep the colour space that the caller states. Others use ITU-R BT.601, which the
 * file states, because players assume BT.709 for large pictures. */
static void set_colours(AVCodecContext *open, const codec_row *row, const ch_video_format *format) {
    int yuv = format->pixels == CH_PIXELS_YUV420;
    int full = yuv ? format->full_range : row->full_range;
    open->color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    if (yuv && format->matrix > 0) open->colorspace = (enum AVColorSpace)format->matrix;
    if (!yuv && row->pads) open->colorspace = AVCOL_SPC_SMPTE170M;
    if (format->aspect[0] > 0 && format->aspect[1] > 0)
        open->sample_aspect_ratio = (AVRational){(int)format->aspect[0], (int)format->aspect[1]};
}

static ch_status open_codec(chi_encoder *encoder, const ch_video_format *format,
                            const codec_row *row, const ch_video_writer_settings *set,
                            AVRational time_base) {
    const AVCodec *codec = avcodec_find_encoder_by_name(row->name);
    if (!codec && row->other) codec = avcodec_find_encoder_by_name(row->other);
    if (!codec)
        return chi_fail(encoder->context, CH_ERR_UNSUPPORTED,
                        "the libav of this machine has no encoder %s; choose another codec",
                        row->name);
    AVCodecContext *open = encoder->codec = avcodec_alloc_context3(codec);
    if (!open) return chi_no_memory(encoder->context, "an encoder", 1, 1);
    AVDictionary *options = NULL;
    open->width = (int)(format->width + (row->pads && format->width % 2));
    open->height = (int)(format->height + (row->pads && format->height % 2));
    open->pix_fmt = encoded_format(row, codec, format);
    set_colours(open, row, format);
    open->time_base = time_base;
    open->framerate = av_d2q(format->rate, 1 << 20);
    open->thread_count = ch_context_threads(encoder->context);
    open->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    row->tune(open, &options, set->quality);
    int error = avcodec_open2(open, codec, &options);
    av_dict_free(&options);
    if (error >= 0) return CH_OK;
    if (chi_libav_no_memory(error)) return chi_no_memory(encoder->context, "an encoder", 1, 1);
    return chi_fail(encoder->context, CH_ERR_UNSUPPORTED,
                    "the encoder %s cannot encode pictures of %lld x %lld pixels: %s", codec->name,
                    (long long)format->width, (long long)format->height,
                    chi_libav_error(error).text);
}

/* Allocates a picture of the codec's size. Clears the padding that libav adds after rows: its
 * vector loops read the padding, and the result must not depend on its content. */
static ch_status new_frame(const chi_encoder *encoder, AVFrame **made, enum AVPixelFormat format) {
    AVFrame *frame = *made = av_frame_alloc();
    const AVCodecContext *codec = encoder->codec;
    if (!frame) return chi_no_memory(encoder->context, "a picture", 1, 1);
    frame->width = codec->width;
    frame->height = codec->height;
    frame->format = format;
    frame->color_range = codec->color_range;
    if (av_frame_get_buffer(frame, 0) < 0)
        return chi_no_memory(encoder->context, "a picture", codec->width, (size_t)codec->height);
    for (int k = 0; k < AV_NUM_DATA_POINTERS && frame->buf[k]; k++)
        memset(frame->buf[k]->data, 0, frame->buf[k]->size);
    return CH_OK;
}

static ch_status open_frame(chi_encoder *encoder, const codec_row *row) {
    const AVCodecContext *codec = encoder->codec;
    encoder->borrows =
        encoder->pixels == CH_PIXELS_YUV420 && codec->codec_id == AV_CODEC_ID_H264; /* x264 */
    TRY(new_frame(encoder, &encoder->frame, codec->pix_fmt));
    if (row->lossless || encoder->pixels == CH_PIXELS_YUV420) return CH_OK;
    TRY(new_frame(encoder, &encoder->source, given[encoder->pixels]));
    encoder->scaler = sws_getContext(
        codec->width, codec->height, given[encoder->pixels], codec->width, codec->height,
        codec->pix_fmt, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, NULL, NULL, NULL);
    if (!encoder->scaler) return chi_no_memory(encoder->context, "converting pictures", 1, 1);
    const int *matrix = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(encoder->scaler, matrix, 1, matrix, row->full_range, 0, 1 << 16,
                             1 << 16);
    return CH_OK;
}

ch_status chi_encoder_create(ch_context *context, chi_encoder **encoder,
                             const ch_video_format *format, const ch_video_writer_settings *set,
                             AVRational time_base) {
    const codec_row *row = &codecs[set->codec];
    TRY(check(context, format, row));
    chi_encoder *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "an encoder", 1, sizeof *made);
    *made = (chi_encoder){.context = context,
                          .pixels = format->pixels,
                          .width = (int)format->width,
                          .height = (int)format->height};
    ch_status status = open_codec(made, format, row, set, time_base);
    if (status == CH_OK) status = open_frame(made, row);
    if (status == CH_OK)
        *encoder = made;
    else
        chi_encoder_free(made);
    return status;
}

void chi_encoder_free(chi_encoder *encoder) {
    if (!encoder) return;
    avcodec_free_context(&encoder->codec);
    av_frame_free(&encoder->frame);
    av_frame_free(&encoder->source);
    sws_freeContext(encoder->scaler);
    chi_free(encoder->context, encoder);
}

AVCodecContext *chi_encoder_codec(const chi_encoder *encoder) {
    return encoder->codec;
}

/* Copies rows of `count` pixels of `bytes` bytes each. A missing last column or row repeats the one
 * before it. */
static void copy_rows(const AVFrame *frame, const uint8_t *pixels, int count, int rows, int bytes) {
    size_t pitch = (size_t)count * (size_t)bytes;
    for (int y = 0; y < frame->height; y++) {
        uint8_t *row = frame->data[0] + (int64_t)y * frame->linesize[0];
        memcpy(row, pixels + (size_t)(y < rows ? y : rows - 1) * pitch, pitch);
        if (count < frame->width) memcpy(row + pitch, row + pitch - bytes, (size_t)bytes);
    }
}

static void copy_yuv(const AVFrame *frame, const uint8_t *pixels) {
    for (int p = 0; p < 3; p++) {
        int width = p ? frame->width / 2 : frame->width,
            rows = p ? frame->height / 2 : frame->height;
        for (int y = 0; y < rows; y++, pixels += width)
            memcpy(frame->data[p] + (int64_t)y * frame->linesize[p], pixels, (size_t)width);
    }
}

static void leave_alone(void *user, uint8_t *pixels) {
    (void)user;
    (void)pixels;
}

/* Makes a frame of the caller's planes without a copy. */
static int borrow_yuv(AVFrame *frame, const uint8_t *pixels) {
    int64_t count = (int64_t)frame->width * frame->height;
    uint8_t *first = (uint8_t *)pixels; /* only read, as the flag says */
    for (int k = 0; k < AV_NUM_DATA_POINTERS; k++) av_buffer_unref(&frame->buf[k]);
    frame->buf[0] = av_buffer_create(first, (size_t)(count / 2 * 3), leave_alone, NULL,
                                     AV_BUFFER_FLAG_READONLY);
    if (!frame->buf[0]) return AVERROR(ENOMEM);
    for (int p = 0; p < 3; p++) {
        frame->data[p] = first + (p ? count + (p - 1) * (count / 4) : 0);
        frame->linesize[p] = p ? frame->width / 2 : frame->width;
    }
    return 0;
}

static void pack_rgb(AVFrame *frame, const uint8_t *pixels) {
    for (int y = 0; y < frame->height; y++) {
        uint8_t *row = frame->data[0] + (int64_t)y * frame->linesize[0];
        for (int x = 0; x < frame->width; x++, pixels += 3) {
            uint32_t value = (uint32_t)pixels[0] << 16 | (uint32_t)pixels[1] << 8 | pixels[2];
            memcpy(row + 4 * (int64_t)x, &value, sizeof value);
        }
    }
}

/* Packs eight pixels into a byte, the first in its highest bit. Masks are mostly empty. */
static void pack_bits(AVFrame *frame, const uint8_t *pixels) {
    for (int y = 0; y < frame->height; y++, pixels += frame->width) {
        uint8_t *row = frame->data[0] + (int64_t)y * frame->linesize[0];
        for (int x = 0; x < frame->width; x += 8) {
            int count = frame->width - x < 8 ? frame->width - x : 8;
            uint64_t eight = 1;
            if (count == 8) memcpy(&eight, pixels + x, sizeof eight);
            uint8_t bits = 0;
            for (int k = 0; k < count && eight; k++)
                bits |= (uint8_t)((pixels[x + k] >> 7) << (7 - k));
            row[x / 8] = bits;
        }
    }
}

/* Fills the frame. Input of the scaler is copied to a picture with padding, because the scaler
 * reads whole vectors, past the end of the caller's data. */
static void fill_frame(chi_encoder *encoder, const uint8_t *pixels) {
    static const int bytes[] = {
        [CH_PIXELS_GRAY8] = 1, [CH_PIXELS_RGB24] = 3, [CH_PIXELS_GRAY16] = 2};
    AVFrame *frame = encoder->frame, *from = encoder->source;
    if (encoder->pixels == CH_PIXELS_YUV420)
        copy_yuv(frame, pixels);
    else if (frame->format == AV_PIX_FMT_MONOBLACK)
        pack_bits(frame, pixels);
    else if (!from && encoder->pixels == CH_PIXELS_RGB24)
        pack_rgb(frame, pixels);
    else
        copy_rows(from ? from : frame, pixels, encoder->width, encoder->height,
                  bytes[encoder->pixels]);
    if (from)
        sws_scale(encoder->scaler, (const uint8_t *const *)from->data, from->linesize, 0,
                  from->height, frame->data, frame->linesize);
}

int chi_encoder_send(chi_encoder *encoder, const void *pixels, int64_t stamp) {
    if (!pixels) return avcodec_send_frame(encoder->codec, NULL);
    int error = encoder->borrows ? borrow_yuv(encoder->frame, pixels)
                                 /* It may still hold the previous picture. */
                                 : av_frame_make_writable(encoder->frame);
    if (error < 0) return error;
    if (!encoder->borrows) fill_frame(encoder, pixels);
    encoder->frame->pts = stamp;
    encoder->frame->quality = encoder->codec->global_quality;
    return avcodec_send_frame(encoder->codec, encoder->frame);
}
