/* Skips pictures that are not needed, without decoding them.
 *
 * A pass over all packets gives the sorted list of their presentation stamps. The number of a
 * picture is the position of its stamp in the list, whatever was decoded before. This makes it
 * possible to skip
 *
 *     - pictures before the wanted one to which no other picture refers (disposable packets, all
 *       packets of a codec with key frames only),
 *     - all packets up to the last key frame at or before the wanted picture, if that key frame is
 *       still ahead, and pictures after the key frame that are shown before it.
 *
 * The decoded pictures are the same as without skipping, because nothing after a key frame refers
 * to anything before it. For H.264 only IDR pictures count as key frames, since a key frame of
 * libav may be the start of a gradual refresh. A file whose stamps are missing or not unique is
 * decoded in full. */
#include "io/av/video_av.h"
#include <stdlib.h>
#include <string.h>

static int is_idr(const AVPacket *packet, const AVCodecParameters *facts) {
    const uint8_t *at = packet->data, *end = at + packet->size;
    int sized = facts->extradata_size > 4 && facts->extradata[0] == 1;
    int bytes = sized ? (facts->extradata[4] & 3) + 1 : 0;
    if (sized) { /* units preceded by their sizes, as in MP4 and Matroska */
        while (end - at > bytes) {
            int64_t size = 0;
            for (int i = 0; i < bytes; i++) size = size << 8 | at[i];
            at += bytes;
            if ((at[0] & 31) == 5) return 1;
            if (size > end - at) return 0;
            at += size;
        }
        return 0;
    }
    for (; end - at > 3; at++) /* units after 0 0 1 */
        if (at[0] == 0 && at[1] == 0 && at[2] == 1 && (at[3] & 31) == 5) return 1;
    return 0;
}

static int is_key(const AVPacket *packet, const AVCodecParameters *facts) {
    if (!(packet->flags & AV_PKT_FLAG_KEY)) return 0;
    return facts->codec_id != AV_CODEC_ID_H264 || is_idr(packet, facts);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the position of a stamp in a sorted list, or of the last stamp before it; -1 if all are
 * after it. */
static int64_t place(const int64_t *list, int64_t count, int64_t stamp) {
    int64_t low = -1, high = count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (list[middle] <= stamp)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static ch_status append(ch_context *context, int64_t **list, int64_t *count, int64_t *room,
                        int64_t stamp) {
    if (*count == *room) {
        int64_t more = *room ? 2 * *room : 4096;
        TRY(chi_array_enlarge(context, list, *count, more, sizeof **list, "a video",
                              "time stamps"));
        *room = more;
    }
    (*list)[(*count)++] = stamp;
    return CH_OK;
}

static ch_status collect(ch_context *context, chi_index *index, AVFormatContext *format, int track,
                         AVPacket *packet) {
    int64_t room = 0, key_room = 0;
    const AVCodecParameters *facts = format->streams[track]->codecpar;
    ch_status status = CH_OK;
    while (status == CH_OK && av_read_frame(format, packet) >= 0) {
        if (packet->stream_index == track && !(packet->flags & AV_PKT_FLAG_DISCARD)) {
            if (packet->pts == AV_NOPTS_VALUE) index->usable = 0;
            status = append(context, &index->stamp, &index->count, &room, packet->pts);
            if (status == CH_OK && is_key(packet, facts))
                status = append(context, &index->key, &index->key_count, &key_room, packet->pts);
            if (status == CH_OK && chi_notify(context, "read", index->count, 0, -1, 0))
                status = CH_STOP_CANCELLED;
        }
        av_packet_unref(packet);
    }
    return status;
}

ch_status chi_index_build(ch_context *context, chi_index *index, AVFormatContext *format,
                          int track) {
    AVPacket *packet = av_packet_alloc();
    *index = (chi_index){.usable = 1};
    if (!packet) return chi_no_memory(context, "reading a video", 1, 1);
    const AVCodecDescriptor *kind =
        avcodec_descriptor_get(format->streams[track]->codecpar->codec_id);
    ch_status status = collect(context, index, format, track, packet);
    av_packet_free(&packet);
    if (status != CH_OK || !index->count) index->usable = 0;
    /* FFV1 has this property, but between key frames its coder keeps a state. */
    index->only_keys =
        kind && kind->props & AV_CODEC_PROP_INTRA_ONLY && index->key_count == index->count;
    if (!index->usable) return status;
    qsort(index->stamp, (size_t)index->count, sizeof *index->stamp, by_value);
    if (index->key_count) qsort(index->key, (size_t)index->key_count, sizeof *index->key, by_value);
    for (int64_t i = 1; i < index->count; i++)
        if (index->stamp[i] == index->stamp[i - 1]) index->usable = 0;
    return CH_OK;
}

void chi_index_free(ch_context *context, chi_index *index) {
    chi_free(context, index->stamp);
    chi_free(context, index->key);
    *index = (chi_index){0};
}

int64_t chi_index_number(const chi_index *index, int64_t stamp) {
    int64_t at = place(index->stamp, index->count, stamp);
    return at >= 0 && index->stamp[at] == stamp ? at : -1;
}

int64_t chi_index_key(const chi_index *index, int64_t number) {
    int64_t stamp = index->stamp[number < index->count ? number : index->count - 1];
    int64_t at = place(index->key, index->key_count, stamp);
    return at < 0 ? -1 : chi_index_number(index, index->key[at]);
}
