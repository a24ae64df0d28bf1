/* What moves in front of a camera: frames by libav, background and masks by conehull.
 *
 *   cc live_libav.c $(pkg-config --cflags --libs conehull-video libavformat libavcodec libswscale
 * libavutil)
 *   ./a.out clip.mp4 | ffplay -f image2pipe -c:v pgm -             or rtsp://..., a pipe, ...
 * Masks go to stdout as PGM pictures, 255 where something moves; the warm-up has none. */
#include <conehull/live.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <stdlib.h>
static void check(int ok, const char *what) {
    if (!ok) exit((fprintf(stderr, "%s\n", what), 1));
}

int main(int argc, char **argv) {
    AVFormatContext *input = NULL;
    const AVCodec *decoder;
    check(argc > 1, "usage: live_libav SOURCE [WARM-UP]");
    check(avformat_open_input(&input, argv[1], NULL, NULL) >= 0, "cannot open the source");
    avformat_find_stream_info(input, NULL);
    int stream = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    check(stream >= 0, "no video in it");
    AVCodecContext *codec = avcodec_alloc_context3(decoder);
    avcodec_parameters_to_context(codec, input->streams[stream]->codecpar);
    check(avcodec_open2(codec, decoder, NULL) >= 0, "no decoder for it");
    int width = codec->width, height = codec->height, more = 1;
    struct SwsContext *to_gray = sws_getContext(width, height, codec->pix_fmt, width, height,
                                                AV_PIX_FMT_GRAY8, SWS_POINT, NULL, NULL, NULL);
    uint8_t *gray = malloc((size_t)width * (size_t)height);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    ch_context *context;
    ch_live_settings settings;
    ch_live_result now = {.size = sizeof now};
    ch_live *live;
    check(ch_context_create(&context, NULL) == CH_OK, "no memory");
    ch_live_defaults(&settings);
    if (argc == 3) settings.warm_up = atoi(argv[2]);
    ch_status made = ch_live_create(context, &live, &(ch_frame_shape){width, height, 1}, &settings);
    check(made >= 0, ch_context_message(context));
    while (more) {
        more = av_read_frame(input, packet) >= 0; /* at the end, the frames still inside */
        int ours = !more || packet->stream_index == stream;
        if (ours) avcodec_send_packet(codec, more ? packet : NULL);
        av_packet_unref(packet);
        while (avcodec_receive_frame(codec, frame) >= 0) {
            check(frame->width == width && frame->height == height, "the size has changed");
            sws_scale(to_gray, (void *)frame->data, frame->linesize, 0, height, &gray, &width);
            ch_status status = ch_live_process(live, &now, (const uint8_t *[]){gray}, 0);
            check(status >= 0, ch_context_message(context));
            if (!now.mask) continue;
            printf("P5 %d %d 255\n", width, height);
            fwrite(now.mask, 1, (size_t)width * (size_t)height, stdout);
        }
    }
    ch_live_destroy(live); /* the end of the program frees the rest */
}
