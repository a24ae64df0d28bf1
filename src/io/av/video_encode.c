/* Pictures into packets: one row of a table per codec says what it takes and how it is set up. */
#include "io/av/video_av.h"
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <string.h>

typedef struct codec_row {
    const char *name; /* libav's                                                           */
    int lossless;     /* pictures go in as they are                                        */
    int full_range;
    void (*tune)(AVCodecContext *codec, AVDictionary **options, int64_t quality);
} codec_row;

struct chi_encoder {
    ch_context *context;
    AVCodecContext *codec;
    AVFrame *frame;            /* as the codec takes it                                       */
    AVFrame *source;           /* as it was given, what the scaler reads; NULL: lossless      */
    struct SwsContext *scaler; /* NULL: lossless                                              */
    ch_pixel_format pixels;
};

/* Version 3, four slices with checksums; a key frame a second or two, so that players can seek.
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

/* Quantisers run from 2, best, to 31. */
static void tune_mjpeg(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    int scale = 2 + (int)((100 - quality) * 29 / 99);
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = scale * FF_QP2LAMBDA;
    codec->thread_count = 1; /* threads would hold frames back */
    codec->qmin = codec->qmax = scale;
    av_dict_set(options, "huffman", "optimal", 0);
}

static void tune_h264(AVCodecContext *codec, AVDictionary **options, int64_t quality) {
    char rate[16];
    snprintf(rate, sizeof rate, "%d", 10 + (int)((100 - quality) / 2)); /* constant rate factor */
    codec->gop_size = 50;
    av_dict_set(options, "preset", "veryfast", 0);
    av_dict_set(options, "crf", rate, 0);
}

static const codec_row codecs[] = {
    [CH_CODEC_FFV1] = {"ffv1", 1, 1, tune_ffv1},
    [CH_CODEC_MJPEG] = {"mjpeg", 0, 1, tune_mjpeg},
    [CH_CODEC_H264] = {"libx264", 0, 0, tune_h264},
};

static const enum AVPixelFormat given[] = {[CH_PIXELS_GRAY8] = AV_PIX_FMT_GRAY8,
                                           [CH_PIXELS_RGB24] = AV_PIX_FMT_RGB24,
                                           [CH_PIXELS_GRAY16] = AV_PIX_FMT_GRAY16};

/* Colour of 4:2:0 where the size allows it and nobody would see it: gray, or H.264. */
static enum AVPixelFormat encoded_format(const codec_row *row, ch_pixel_format pixels,
                                         int64_t width, int64_t height) {
    if (row->lossless) return pixels == CH_PIXELS_RGB24 ? AV_PIX_FMT_0RGB32 : given[pixels];
    int even = width % 2 == 0 && height % 2 == 0;
    if (row->full_range)
        return pixels == CH_PIXELS_GRAY8 && even ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUVJ444P;
    return even ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;
}

static ch_status check(ch_context *context, int64_t width, int64_t height, ch_pixel_format pixels,
                       const codec_row *row) {
    if (pixels < CH_PIXELS_GRAY8 || pixels > CH_PIXELS_GRAY16)
        return chi_fail(context, CH_ERR_ARGUMENT, "pixels are gray8, rgb24 or gray16");
    if (pixels == CH_PIXELS_GRAY16 && !row->lossless)
        return chi_fail(context, CH_ERR_UNSUPPORTED, "16-bit pictures need the codec ffv1");
    if (width < 1 || height < 1 || width > 32768 || height > 32768)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a video of %lld x %lld; sides from 1 to 32768 are taken", (long long)width,
                        (long long)height);
    return CH_OK;
}

static ch_status open_codec(chi_encoder *encoder, int64_t width, int64_t height,
                            const codec_row *row, const ch_video_writer_settings *set,
                            AVRational time_base) {
    const AVCodec *codec = avcodec_find_encoder_by_name(row->name);
    if (!codec)
        return chi_fail(encoder->context, CH_ERR_UNSUPPORTED, "libav has no encoder %s here",
                        row->name);
    AVCodecContext *open = encoder->codec = avcodec_alloc_context3(codec);
    if (!open) return chi_no_memory(encoder->context, "an encoder", 1, 1);
    AVDictionary *options = NULL;
    open->width = (int)width;
    open->height = (int)height;
    open->pix_fmt = encoded_format(row, encoder->pixels, width, height);
    open->color_range = row->full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    open->time_base = time_base;
    open->thread_count = ch_context_threads(encoder->context);
    open->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    row->tune(open, &options, set->quality);
    int error = avcodec_open2(open, codec, &options);
    av_dict_free(&options);
    if (error >= 0) return CH_OK;
    return chi_fail(encoder->context, CH_ERR_UNSUPPORTED, "%s cannot encode %lld x %lld: %s",
                    row->name, (long long)width, (long long)height, chi_libav_error(error).text);
}

/* A picture of the codec's size. The room that libav leaves after rows is cleared: its loops over
 * vectors read it, and what a picture becomes must not depend on what lay there. */
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
    TRY(new_frame(encoder, &encoder->frame, codec->pix_fmt));
    if (row->lossless) return CH_OK;
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

ch_status chi_encoder_create(ch_context *context, chi_encoder **encoder, int64_t width,
                             int64_t height, ch_pixel_format pixels,
                             const ch_video_writer_settings *set, AVRational time_base) {
    const codec_row *row = &codecs[set->codec];
    TRY(check(context, width, height, pixels, row));
    chi_encoder *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "an encoder", 1, sizeof *made);
    *made = (chi_encoder){.context = context, .pixels = pixels};
    ch_status status = open_codec(made, width, height, row, set, time_base);
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

static void copy_rows(const AVFrame *frame, const uint8_t *pixels, size_t pitch) {
    for (int y = 0; y < frame->height; y++)
        memcpy(frame->data[0] + (int64_t)y * frame->linesize[0], pixels + (size_t)y * pitch, pitch);
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

/* Through a picture with room after its rows where there is a scaler: that reads whole vectors,
 * past the end of what the caller owns. */
static void fill_frame(chi_encoder *encoder, const uint8_t *pixels) {
    static const int bytes[] = {
        [CH_PIXELS_GRAY8] = 1, [CH_PIXELS_RGB24] = 3, [CH_PIXELS_GRAY16] = 2};
    AVFrame *frame = encoder->frame, *from = encoder->source;
    int pitch = frame->width * bytes[encoder->pixels];
    if (!from && encoder->pixels == CH_PIXELS_RGB24)
        pack_rgb(frame, pixels);
    else
        copy_rows(from ? from : frame, pixels, (size_t)pitch);
    if (from)
        sws_scale(encoder->scaler, (const uint8_t *const *)from->data, from->linesize, 0,
                  from->height, frame->data, frame->linesize);
}

int chi_encoder_send(chi_encoder *encoder, const void *pixels, int64_t stamp) {
    if (!pixels) return avcodec_send_frame(encoder->codec, NULL);
    int error =
        av_frame_make_writable(encoder->frame); /* the encoder may still hold the last one */
    if (error < 0) return error;
    fill_frame(encoder, pixels);
    encoder->frame->pts = stamp;
    encoder->frame->quality = encoder->codec->global_quality;
    return avcodec_send_frame(encoder->codec, encoder->frame);
}
