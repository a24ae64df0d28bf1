/* Rotates pictures according to their file. Phones and some cameras store pictures as the sensor
 * delivers them, with a matrix for display: (x, y) goes to (a x + c y, b x + d y). Quarter turns
 * and mirrors are applied. Other angles are not, and are logged.
 *
 * Planes are rotated directly if chroma has the same resolution in both directions. Other pixel
 * formats are converted first: YUV to 4:4:4 with its own matrix and range, so that luma does not
 * change, and the rest to RGB. */
#include "io/av/video_av.h"
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the matrix of a track, or NULL. Its place differs between versions of libav. */
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
static const int32_t *display_matrix(const AVStream *track) {
    const AVCodecParameters *facts = track->codecpar;
    for (int i = 0; i < facts->nb_coded_side_data; i++)
        if (facts->coded_side_data[i].type == AV_PKT_DATA_DISPLAYMATRIX &&
            facts->coded_side_data[i].size >= 9 * sizeof(int32_t))
            return (const int32_t *)facts->coded_side_data[i].data;
    return NULL;
}

int chi_side_data_copy(AVStream *to, const AVStream *from) {
    (void)to, (void)from; /* part of the parameters, which were copied already */
    return 0;
}
#else
static const int32_t *display_matrix(const AVStream *track) {
    for (int i = 0; i < track->nb_side_data; i++)
        if (track->side_data[i].type == AV_PKT_DATA_DISPLAYMATRIX &&
            track->side_data[i].size >= 9 * sizeof(int32_t))
            return (const int32_t *)track->side_data[i].data;
    return NULL;
}

int chi_side_data_copy(AVStream *to, const AVStream *from) {
    for (int i = 0; i < from->nb_side_data; i++) {
        const AVPacketSideData *data = &from->side_data[i];
        uint8_t *bytes = av_stream_new_side_data(to, data->type, data->size);
        if (!bytes) return AVERROR(ENOMEM);
        memcpy(bytes, data->data, data->size);
    }
    return 0;
}
#endif

chi_turn chi_turn_read(ch_context *context, const AVStream *track, const char *path) {
    const int32_t *m = display_matrix(track);
    chi_turn turn = {0};
    if (!m) return turn;
    double a = fabs((double)m[0]), b = fabs((double)m[1]), c = fabs((double)m[3]),
           d = fabs((double)m[4]);
    double straight = fmin(a, d), crossed = fmin(b, c);
    if (fmax(straight, crossed) < 100 * fmax(fmin(a, b), fmin(c, d)) || straight == crossed) {
        chi_log(context, CH_LOG_WARNING,
                "%s: the video should be shown rotated by an angle that is not a multiple of 90 "
                "degrees; its pictures are used as stored, without rotation",
                path);
        return turn;
    }
    turn.swaps = crossed > straight;
    turn.flips_x = (turn.swaps ? m[3] : m[0]) < 0;
    turn.flips_y = (turn.swaps ? m[1] : m[4]) < 0;
    turn.any = turn.swaps || turn.flips_x || turn.flips_y;
    return turn;
}

int chi_turn_degrees(const chi_turn *turn) {
    if (turn->swaps) return turn->flips_y ? 270 : 90;
    return turn->flips_x && turn->flips_y ? 180 : 0;
}

void chi_turner_free(chi_turner *turner) {
    sws_freeContext(turner->scaler);
    av_frame_free(&turner->plain);
    av_frame_free(&turner->turned);
}

/* Returns whether every plane is a grid of whole bytes that can be rotated by itself. */
static int is_plain(const AVPixFmtDescriptor *facts, int swaps) {
    uint64_t other = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                     AV_PIX_FMT_FLAG_BAYER;
    if (facts->flags & other) return 0;
    for (int i = 0; i < facts->nb_components; i++) {
        int subsampled = i == 1 || i == 2 ? facts->log2_chroma_w | facts->log2_chroma_h : 0;
        if (subsampled && facts->comp[i].plane == facts->comp[0].plane) return 0; /* YUYV */
    }
    return !swaps || facts->log2_chroma_w == facts->log2_chroma_h;
}

/* Allocates a frame of this shape unless there is one. Returns 0 or libav's error. */
static int reserve(AVFrame **frame, int format, int width, int height) {
    AVFrame *now = *frame;
    if (now && now->format == format && now->width == width && now->height == height)
        return av_frame_make_writable(now);
    av_frame_free(frame);
    *frame = now = av_frame_alloc();
    if (!now) return AVERROR(ENOMEM);
    now->format = format;
    now->width = width;
    now->height = height;
    return av_frame_get_buffer(now, 0);
}

static int convert(chi_turner *turner, const AVFrame *from, const AVPixFmtDescriptor *facts) {
    int rgb = facts->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
    int format = rgb ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUV444P;
    int error = reserve(&turner->plain, format, from->width, from->height);
    if (error < 0) return error;
    turner->scaler =
        sws_getCachedContext(turner->scaler, from->width, from->height, from->format, from->width,
                             from->height, format, SWS_BICUBIC, NULL, NULL, NULL);
    if (!turner->scaler) return AVERROR(ENOSYS);
    int full = from->color_range == AVCOL_RANGE_JPEG;
    const int *matrix = sws_getCoefficients(SWS_CS_DEFAULT);
    sws_setColorspaceDetails(turner->scaler, matrix, full, matrix, rgb || full, 0, 1 << 16,
                             1 << 16);
    sws_scale(turner->scaler, (const uint8_t *const *)from->data, from->linesize, 0, from->height,
              turner->plain->data, turner->plain->linesize);
    return av_frame_copy_props(turner->plain, from);
}

/* Rotates one plane of values of `size` bytes. width and height are those of the result. */
static void turn_plane(uint8_t *to, int to_line, const uint8_t *from, int from_line, int width,
                       int height, int size, const chi_turn *turn) {
    int64_t across = turn->swaps ? from_line : size, down = turn->swaps ? size : from_line;
    if (turn->flips_x) {
        from += across * (width - 1);
        across = -across;
    }
    if (turn->flips_y) {
        from += down * (height - 1);
        down = -down;
    }
    for (int y = 0; y < height; y++) {
        const uint8_t *at = from + y * down;
        uint8_t *row = to + (int64_t)y * to_line;
        if (size == 1)
            for (int x = 0; x < width; x++) row[x] = at[x * across];
        else
            for (int x = 0; x < width; x++) memcpy(row + x * size, at + x * across, (size_t)size);
    }
}

int chi_turn_frame(chi_turner *turner, const AVFrame *from, const chi_turn *turn) {
    const AVPixFmtDescriptor *facts = av_pix_fmt_desc_get(from->format);
    if (!facts) return AVERROR(ENOSYS);
    if (!is_plain(facts, turn->swaps)) {
        int error = convert(turner, from, facts);
        if (error < 0) return error;
        from = turner->plain;
        facts = av_pix_fmt_desc_get(from->format);
    }
    int width = turn->swaps ? from->height : from->width;
    int height = turn->swaps ? from->width : from->height;
    int error = reserve(&turner->turned, from->format, width, height);
    if (error >= 0) error = av_frame_copy_props(turner->turned, from);
    if (error < 0) return error;
    for (int i = 0, done = 0; i < facts->nb_components; i++) {
        const AVComponentDescriptor *one = &facts->comp[i];
        if (done >> one->plane & 1) continue;
        done |= 1 << one->plane;
        int chroma = i == 1 || i == 2;
        int w = chroma ? AV_CEIL_RSHIFT(width, facts->log2_chroma_w) : width;
        int h = chroma ? AV_CEIL_RSHIFT(height, facts->log2_chroma_h) : height;
        turn_plane(turner->turned->data[one->plane], turner->turned->linesize[one->plane],
                   from->data[one->plane], from->linesize[one->plane], w, h, one->step, turn);
    }
    AVRational aspect = from->sample_aspect_ratio;
    if (turn->swaps) turner->turned->sample_aspect_ratio = (AVRational){aspect.den, aspect.num};
    return 0;
}
