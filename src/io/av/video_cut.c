/* Copies pieces of a video file packet by packet.
 *
 * A first pass over the packets finds the key frame at or before the start of every piece. Seeking
 * would be faster, but many containers have no index, and some indices are wrong. A second pass
 * copies: a piece is open from its key frame until a packet is to be decoded after its end (dts >=
 * end; then all pictures shown before the end are complete, because dts <= pts). Pieces may overlap
 * if key frames are rare. A piece that finds OPEN_MOST others open waits for another pass.
 *
 * Leading pictures come after the key frame but are shown before it. They refer to pictures outside
 * the piece and are left out. */
#include "base/sized.h"
#include "io/av/video_av.h"
#include "io/clip/feed_state.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { OPEN_MOST = 24, TRACKS_MOST = 32, FIRST_PACKETS = 64 };

/* The file, and its video track. */
typedef struct source {
    ch_context *context;
    const char *path;
    chi_stream stream;
    AVFormatContext *format;
    AVPacket *packet;
    int track;     /* number of the video track  */
    int64_t first; /* stamp of the first picture */
} source;

typedef struct copy {
    ch_video_piece *piece;
    int64_t start, end; /* stamps, in the time base of the video track */
    /* The packet of pictures it begins with, and its stamp; key is -1 if none. */
    int64_t key, key_stamp;
    enum { WAITS, OPENS, ENDED } state; /* OPENS: being written */
    chi_muxer muxer;
    int to[TRACKS_MOST];          /* track of the piece for each track of the file, or -1 */
    int64_t last;                 /* end of the last picture                              */
    int64_t decoded[TRACKS_MOST]; /* dts of the previous packet; dts must increase        */
} copy;

/* ---- the file ---- */

static void close_source(source *from) {
    av_packet_free(&from->packet);
    avformat_close_input(&from->format);
    chi_stream_close(&from->stream);
}

static ch_status fail_once(ch_context *context, const char *path) {
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "%s: clips can be cut only from a video file, not from a pipe, a camera or a "
                    "network address",
                    path);
}

static ch_status open_source(ch_context *context, source *from, const char *path) {
    struct stat facts;
    *from = (source){.context = context, .path = path};
    if (strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: this is a folder of pictures; clips can be cut only from a video file",
                        path);
    if (chi_is_pattern(path) && stat(path, &facts) != 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: this is a series of pictures; clips can be cut only from a video file",
                        path);
    if (strcmp(path, "-") == 0 || chi_is_live(path)) return fail_once(context, path);
    TRY(chi_stream_open(context, &from->stream, path));
    if (!from->stream.seekable) return fail_once(context, path);
    TRY(chi_demuxer_open(context, &from->format, &from->stream, path));
    int error = avformat_find_stream_info(from->format, NULL);
    from->track =
        error < 0 ? error : av_find_best_stream(from->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    from->packet = av_packet_alloc();
    if (!from->packet) return chi_no_memory(context, "copying a video", 1, 1);
    if (from->track < 0)
        return chi_fail(context, CH_ERR_FORMAT, "%s: the file contains no video", path);
    if (from->format->streams[from->track]->codecpar->codec_id != AV_CODEC_ID_RAWVIDEO)
        return CH_OK;
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "%s: the video is uncompressed, but clips can be cut only from compressed "
                    "video; encode it first, for example with ffmpeg",
                    path);
}

/* Reads the next packet. Returns 0 at the end. */
static int next_packet(source *from) {
    av_packet_unref(from->packet);
    return av_read_frame(from->format, from->packet) >= 0;
}

static int is_picture(const source *from) {
    return from->packet->stream_index == from->track;
}

static int64_t stamp_of(const AVPacket *packet) {
    return packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
}

static AVRational unit_of(const source *from) {
    return from->format->streams[from->track]->time_base;
}

/* ---- the first pass: key frames ---- */

typedef struct key_frame {
    int64_t number, stamp;
} key_frame;

typedef struct key_list {
    key_frame *list;
    int64_t count, room;
} key_list;

static ch_status add_key(ch_context *context, key_list *keys, int64_t number, int64_t stamp) {
    if (keys->count == keys->room) {
        int64_t room = keys->room ? 2 * keys->room : 256;
        TRY(chi_array_enlarge(context, &keys->list, keys->count, room, sizeof *keys->list,
                              "a video", "key frames"));
        keys->room = room;
    }
    keys->list[keys->count++] = (key_frame){number, stamp};
    return CH_OK;
}

static ch_status find_keys(source *from, key_list *keys) {
    int64_t number = 0;
    from->first = INT64_MAX;
    while (next_packet(from)) {
        if (!is_picture(from)) continue;
        if (chi_notify(from->context, "cut", number, 0, -1, 0)) return CH_STOP_CANCELLED;
        int64_t stamp = stamp_of(from->packet);
        int shown = !(from->packet->flags & AV_PKT_FLAG_DISCARD);
        if (shown && stamp != AV_NOPTS_VALUE && number < FIRST_PACKETS && stamp < from->first)
            from->first = stamp;
        if (from->packet->flags & AV_PKT_FLAG_KEY && stamp != AV_NOPTS_VALUE)
            TRY(add_key(from->context, keys, number, stamp));
        number++;
    }
    if (keys->count) return CH_OK;
    return chi_fail(from->context, CH_ERR_FORMAT,
                    "%s: no key frame of the video has a time stamp, so no clips can be cut from "
                    "it; encode it again, for example with ffmpeg",
                    from->path);
}

static void place_copy(copy *at, const source *from, const key_list *keys) {
    double unit = av_q2d(unit_of(from));
    at->start = from->first + llround(at->piece->start / unit);
    at->end = from->first + llround(at->piece->end / unit);
    const key_frame *best = &keys->list[0];
    for (int64_t k = 0; k < keys->count; k++)
        if (keys->list[k].stamp <= at->start && keys->list[k].stamp > best->stamp)
            best = &keys->list[k];
    at->key = best->number;
    at->key_stamp = at->last = best->stamp;
}

/* Plans the copies. *first is the stamp of the first picture. */
static ch_status plan_copies(ch_context *context, int64_t *first, copy *copies, int64_t count,
                             const char *path) {
    source from;
    key_list keys = {0};
    ch_status status = open_source(context, &from, path);
    if (status == CH_OK) status = find_keys(&from, &keys);
    for (int64_t i = 0; status == CH_OK && i < count; i++) place_copy(&copies[i], &from, &keys);
    *first = from.first;
    chi_free(context, keys.list);
    close_source(&from);
    return status;
}

/* ---- a piece ---- */

static int holds(const AVOutputFormat *container, const AVCodecParameters *facts) {
    int kind = facts->codec_type;
    if (kind != AVMEDIA_TYPE_VIDEO && kind != AVMEDIA_TYPE_AUDIO && kind != AVMEDIA_TYPE_SUBTITLE)
        return 0;
    return avformat_query_codec(container, facts->codec_id, FF_COMPLIANCE_NORMAL) == 1;
}

static int is_wanted(const source *from, unsigned track) {
    const AVStream *one = from->format->streams[track];
    int other = one->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && (int)track != from->track;
    return !other && !(one->disposition & AV_DISPOSITION_ATTACHED_PIC) && track < TRACKS_MOST;
}

static int add_track(chi_muxer *muxer, const AVStream *track) {
    AVStream *to = avformat_new_stream(muxer->format, NULL);
    if (!to) return AVERROR(ENOMEM);
    int error = avcodec_parameters_copy(to->codecpar, track->codecpar);
    if (error >= 0) error = chi_side_data_copy(to, track);
    if (error >= 0) error = av_dict_copy(&to->metadata, track->metadata, 0);
    to->codecpar->codec_tag = 0; /* the container chooses it */
    to->time_base = track->time_base;
    to->avg_frame_rate = track->avg_frame_rate;
    to->sample_aspect_ratio = track->sample_aspect_ratio;
    to->disposition = track->disposition;
    return error;
}

static ch_status open_copy(copy *at, const source *from) {
    TRY(chi_muxer_open(from->context, &at->muxer, at->piece->path));
    at->state = OPENS;
    for (unsigned t = 0; t < from->format->nb_streams; t++) {
        const AVStream *track = from->format->streams[t];
        if (t < TRACKS_MOST) at->to[t] = -1;
        if (!is_wanted(from, t)) continue;
        if (!holds(at->muxer.format->oformat, track->codecpar)) {
            at->piece->lost++;
            continue;
        }
        at->to[t] = at->piece->tracks++;
        at->decoded[t] = INT64_MIN;
        int error = add_track(&at->muxer, track);
        if (error < 0) return chi_muxer_fail(&at->muxer, "cannot begin to write the video", error);
    }
    if (at->to[from->track] < 0)
        return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                        "%s: a file of this type cannot contain video in the format %s; choose "
                        "another file type, such as .mkv",
                        at->piece->path,
                        avcodec_get_name(from->format->streams[from->track]->codecpar->codec_id));
    return chi_muxer_start(&at->muxer);
}

/* Copies a packet, with times relative to the key frame. */
static ch_status copy_packet(copy *at, const source *from) {
    const AVStream *track = from->format->streams[from->packet->stream_index];
    int to = at->to[from->packet->stream_index];
    int64_t begin = av_rescale_q(at->key_stamp, unit_of(from), track->time_base);
    AVPacket *packet = av_packet_clone(from->packet);
    if (!packet) return chi_no_memory(from->context, "copying a video", 1, 1);
    if (packet->pts != AV_NOPTS_VALUE) packet->pts -= begin;
    if (packet->dts != AV_NOPTS_VALUE) packet->dts -= begin;
    av_packet_rescale_ts(packet, track->time_base, at->muxer.format->streams[to]->time_base);
    packet->stream_index = to;
    packet->pos = -1;
    ch_status status = chi_muxer_write(&at->muxer, packet);
    av_packet_free(&packet);
    return status;
}

static void end_copy(copy *at, const source *from) {
    double unit = av_q2d(unit_of(from));
    at->piece->cut_start = (double)(at->key_stamp - from->first) * unit;
    at->piece->cut_end = (double)(at->last - from->first) * unit;
    at->state = ENDED;
}

/* Copies the current packet to an open piece if it belongs there. */
static ch_status offer(copy *at, const source *from) {
    const AVPacket *packet = from->packet;
    int t = packet->stream_index;
    int64_t stamp = stamp_of(packet), decoded = packet->dts;
    if (t >= TRACKS_MOST || at->to[t] < 0 || stamp == AV_NOPTS_VALUE) return CH_OK;
    AVRational unit = from->format->streams[t]->time_base;
    if (av_compare_ts(stamp, unit, at->key_stamp, unit_of(from)) < 0) return CH_OK;
    if (decoded != AV_NOPTS_VALUE && decoded <= at->decoded[t]) return CH_OK;
    if (decoded != AV_NOPTS_VALUE) at->decoded[t] = decoded;
    if (!is_picture(from))
        return av_compare_ts(stamp, unit, at->end, unit_of(from)) < 0 ? copy_packet(at, from)
                                                                      : CH_OK;
    if ((decoded != AV_NOPTS_VALUE ? decoded : stamp) >= at->end) {
        end_copy(at, from);
        return CH_OK;
    }
    if (stamp + packet->duration > at->last) at->last = stamp + packet->duration;
    at->piece->pictures++;
    return copy_packet(at, from);
}

/* ---- the second pass ---- */

static int64_t count_state(const copy *copies, int64_t count, int state) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) found += (int)copies[i].state == state;
    return found;
}

/* Copies the current packet to all pieces it belongs to. */
static ch_status spread_packet(source *from, copy *copies, int64_t count, int64_t number) {
    int64_t open = count_state(copies, count, OPENS);
    for (copy *at = copies; at < copies + count; at++) {
        if (at->state == WAITS && is_picture(from) && number == at->key && open++ < OPEN_MOST)
            TRY(open_copy(at, from));
        if (at->state != OPENS) continue;
        TRY(offer(at, from));
        if (at->state == ENDED) TRY(chi_muxer_commit(&at->muxer, CH_OK));
    }
    return CH_OK;
}

static ch_status copy_pass(source *from, copy *copies, int64_t count) {
    int64_t number = -1;
    while (next_packet(from)) {
        number += is_picture(from);
        if (chi_notify(from->context, "cut", number, 0, -1, 0)) return CH_STOP_CANCELLED;
        TRY(spread_packet(from, copies, count, number));
    }
    for (copy *at = copies; at < copies + count; at++) { /* these extend to the end of the file */
        if (at->state != OPENS) continue;
        end_copy(at, from);
        TRY(chi_muxer_commit(&at->muxer, CH_OK));
    }
    return CH_OK;
}

static ch_status copy_all(ch_context *context, copy *copies, int64_t count, const char *path) {
    int64_t first;
    TRY_OK(plan_copies(context, &first, copies, count, path));
    for (int64_t left = count; left;) {
        source from;
        ch_status status = open_source(context, &from, path);
        from.first = first;
        if (status == CH_OK) status = copy_pass(&from, copies, count);
        close_source(&from);
        TRY_OK(status);
        int64_t waiting = count_state(copies, count, WAITS);
        if (waiting == left)
            return chi_fail(context, CH_ERR_FORMAT,
                            "%s: the file changed while clips were cut from it", path);
        left = waiting;
    }
    return CH_OK;
}

/* ---- the calls ---- */

static ch_status check_pieces(ch_context *context, const ch_video_piece *pieces, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const ch_video_piece *piece = &pieces[i];
        if (piece->size != sizeof *piece)
            return chi_fail(
                context, CH_ERR_ARGUMENT,
                "ch_video_piece.size is not set; begin with {.size = sizeof(ch_video_piece)}");
        TRY(chi_check_name(context, piece->path, "a piece of a video"));
        if (!(piece->start >= 0 && piece->end > piece->start && piece->end < 1e12))
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s: the clip cannot reach from second %g to second %g; it must start "
                            "at 0 or later and end after its start",
                            piece->path, piece->start, piece->end);
    }
    return CH_OK;
}

ch_status ch_video_cut(ch_context *context, ch_video_piece *pieces, int64_t count,
                       const char *input) {
    if (!context || count < 0 || (count && !pieces)) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, input, "a video"));
    TRY(check_pieces(context, pieces, count));
    if (count == 0) return CH_OK;
    copy *copies = chi_alloc_zero(context, count, sizeof *copies);
    if (!copies) return chi_no_memory(context, "pieces of a video", count, sizeof *copies);
    for (int64_t i = 0; i < count; i++) {
        copies[i].piece = &pieces[i];
        pieces[i].pictures = pieces[i].tracks = pieces[i].lost = 0;
    }
    chi_libav_silence();
    ch_status status = copy_all(context, copies, count, input);
    for (int64_t i = 0; i < count; i++)
        if (copies[i].state == OPENS) chi_muxer_discard(&copies[i].muxer);
    chi_libav_unsilence();
    chi_free(context, copies);
    return status;
}

static int is_mp4_family(const source *from) {
    const AVOutputFormat *mp4 = av_guess_format("mp4", NULL, NULL);
    if (!mp4 || strncmp(from->format->iformat->name, "mov,", 4) != 0) return 0;
    for (unsigned t = 0; t < from->format->nb_streams; t++) {
        const AVCodecParameters *facts = from->format->streams[t]->codecpar;
        int counts =
            facts->codec_type == AVMEDIA_TYPE_VIDEO || facts->codec_type == AVMEDIA_TYPE_AUDIO;
        if (counts && is_wanted(from, t) && !holds(mp4, facts)) return 0;
    }
    return 1;
}

ch_status ch_video_cut_suffix(ch_context *context, const char **suffix, const char *input) {
    source from;
    if (!context || !suffix) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, input, "a video"));
    chi_libav_silence();
    ch_status status = open_source(context, &from, input);
    if (status == CH_OK) *suffix = is_mp4_family(&from) ? "mp4" : "mkv";
    close_source(&from);
    chi_libav_unsilence();
    return status;
}
