/* The clip of conehull video, and what belongs to it: masks, regions, frames that are busy. */
#include "options/option_values.h"
#include "video/video_command.h"

/* ---- masks ---- */

/* Frames that have masks are kept whatever --step says. */
static int read_truth(const cli_session *session, video_clip *video, video_arguments *given) {
    if (!given->truth) return EXIT_DONE;
    TRY(cli_check(session, ch_masks_read(session->context, &video->truth, given->truth)));
    video->truth_found = video->truth.count;
    given->clip.keep = video->truth.frame;
    given->clip.keep_count = video->truth.count;
    return EXIT_DONE;
}

/* Keeps the masks of frames that were read, moved together; both are in the order of frames. */
static int match_truth(const cli_session *session, video_clip *video, const char *folder) {
    ch_masks *truth = &video->truth;
    const ch_clip *clip = &video->clip;
    if (!folder) return EXIT_DONE;
    int64_t kept = 0, row = 0, first = truth->frame[0], last = truth->frame[truth->count - 1];
    video->truth_row = malloc((size_t)truth->count * sizeof *video->truth_row);
    if (!video->truth_row) return cli_no_memory();
    size_t size = (size_t)(truth->width * truth->height);
    for (int64_t i = 0; i < truth->count; i++) {
        while (row < clip->frames && clip->index[row] < truth->frame[i]) row++;
        if (row == clip->frames || clip->index[row] != truth->frame[i]) continue;
        memmove(truth->foreground + (size_t)kept * size, truth->foreground + (size_t)i * size,
                size);
        truth->frame[kept] = truth->frame[i];
        video->truth_row[kept++] = row;
    }
    truth->count = kept;
    if (kept > 0)
        return cli_check_file(session, ch_clip_fit_masks(session->context, truth, clip), folder);
    return cli_refuse(
        "%s: none of its %lld masks (frames %lld to %lld) belongs to a frame that was read (%lld "
        "to %lld); change --from and --frames, or the names of the masks",
        folder, (long long)video->truth_found, (long long)first, (long long)last,
        (long long)clip->index[0], (long long)clip->index[clip->frames - 1]);
}

/* ---- regions ---- */

static int take_region(const cli_session *session, video_clip *video, const cli_region *region) {
    TRY(cli_region_read(session, &video->watched, &video->watched_count, region, &video->clip));
    if (!video->watched) return EXIT_DONE;
    video->ignored = malloc((size_t)video->pixels);
    if (!video->ignored) return cli_no_memory();
    for (int64_t j = 0; j < video->pixels; j++) video->ignored[j] = !video->watched[j];
    return EXIT_DONE;
}

/* ---- busy frames ---- */

/* marked[i]: frame i of the clip lies in one of the stretches of `text`. */
static int mark_busy(uint8_t *marked, const ch_clip *clip, const char *text) {
    for (const char *at = text;; at++) {
        int64_t first = cli_number_take(&at), last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = cli_number_take(&at);
        }
        if (first < 0 || last < first || (*at && *at != ','))
            return cli_refuse(
                "video: --busy must be frames and stretches of the input, as in 10-40,80; got '%s'",
                text);
        for (int64_t i = 0; i < clip->frames; i++)
            if (clip->index[i] >= first && clip->index[i] <= last) marked[i] = 1;
        if (!*at) return EXIT_DONE;
    }
}

static int take_busy(video_clip *video, const char *text) {
    int64_t frames = video->clip.frames;
    if (!text) return EXIT_DONE;
    uint8_t *marked = calloc((size_t)frames, 1);
    video->busy = malloc((size_t)frames * sizeof *video->busy);
    int code = marked && video->busy ? mark_busy(marked, &video->clip, text) : cli_no_memory();
    for (int64_t i = 0; code == EXIT_DONE && i < frames; i++)
        if (marked[i]) video->busy[video->busy_count++] = i;
    free(marked);
    if (code == EXIT_DONE && video->busy_count == frames)
        return cli_refuse("video: --busy %s leaves no frame to learn from", text);
    return code;
}

/* ---- all of it ---- */

int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given) {
    double start = cli_seconds();
    TRY(read_truth(session, video, given));
    TRY(cli_check(session, ch_clip_read(session->context, &video->clip,
                                        session->options.operands[0], &given->clip)));
    video->pixels = video->clip.width * video->clip.height;
    video->planes = video->clip.colour ? 3 : 1;
    TRY(match_truth(session, video, given->truth));
    TRY(take_region(session, video, &given->region));
    TRY(take_busy(video, given->busy));
    given->separate.ignore = video->ignored;
    given->separate.busy = video->busy;
    given->separate.busy_count = video->busy_count;
    video->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

void video_clip_free(const cli_session *session, video_clip *video) {
    ch_clip_free(session->context, &video->clip);
    ch_masks_free(session->context, &video->truth);
    free(video->truth_row);
    free(video->watched);
    free(video->ignored);
    free(video->busy);
}
