/* The clip of conehull video, and what belongs to it: masks, regions, frames that are busy. */
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "options/region_option.h"
#include "video/video_command.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

const ch_matrix *video_plane(const video_clip *video, int plane) {
    return video->planes == 1 ? &video->clip.luma : &video->clip.channel[plane];
}

/* ---- masks ---- */

/* Frames that have masks are kept whatever --step says. */
static int read_truth(const cli_session *session, video_clip *video, video_arguments *given) {
    ch_status status = ch_masks_read(session->context, &video->truth, given->truth);
    if (status < 0) return cli_fail(session, status, NULL);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    video->truth_found = video->truth.count;
    given->clip.keep = video->truth.frame;
    given->clip.keep_count = video->truth.count;
    return EXIT_DONE;
}

static int64_t find_row(const ch_clip *clip, int64_t frame) {
    int64_t low = 0, high = clip->frames;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (clip->index[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clip->frames && clip->index[low] == frame ? low : -1;
}

/* Keeps the masks of frames that were read, moved together. */
static int match_truth(const cli_session *session, video_clip *video, const char *folder) {
    ch_masks *truth = &video->truth;
    const ch_clip *clip = &video->clip;
    int64_t kept = 0, first = truth->frame[0], last = truth->frame[truth->count - 1];
    video->truth_row = malloc((size_t)truth->count * sizeof *video->truth_row);
    if (!video->truth_row) return no_memory();
    size_t size = (size_t)(truth->width * truth->height);
    for (int64_t i = 0; i < truth->count; i++) {
        int64_t row = find_row(clip, truth->frame[i]);
        if (row < 0) continue;
        memmove(truth->foreground + (size_t)kept * size, truth->foreground + (size_t)i * size,
                size);
        truth->frame[kept] = truth->frame[i];
        video->truth_row[kept++] = row;
    }
    truth->count = kept;
    if (kept == 0) {
        cli_complain("%s: none of its %lld masks (frames %lld to %lld) belongs to a frame that was "
                     "read (%lld to %lld); change --from and --frames, or the names of the masks",
                     folder, (long long)video->truth_found, (long long)first, (long long)last,
                     (long long)clip->index[0], (long long)clip->index[clip->frames - 1]);
        return EXIT_USAGE;
    }
    ch_status status = ch_clip_fit_masks(session->context, truth, clip);
    return status < 0 ? cli_fail(session, status, folder) : EXIT_DONE;
}

/* ---- regions ---- */

static int take_region(const cli_session *session, video_clip *video,
                       const video_arguments *given) {
    const char *text = given->ignore ? given->ignore : given->watch;
    video->watched_count = video->pixels;
    if (!text) return EXIT_DONE;
    video->watched = malloc((size_t)video->pixels);
    video->ignored = malloc((size_t)video->pixels);
    if (!video->watched || !video->ignored) return no_memory();
    int code = cli_region_read(session, "video", video->watched, &video->watched_count,
                               &video->clip, text, given->ignore != NULL);
    for (int64_t j = 0; j < video->pixels && code == EXIT_DONE; j++)
        video->ignored[j] = !video->watched[j];
    return code;
}

/* ---- busy frames ---- */

static int busy_error(const char *text) {
    cli_complain(
        "video: --busy must be frames and stretches of the input, as in 10-40,80; got '%s'", text);
    return EXIT_USAGE;
}

static int64_t take_number(const char **text) {
    char *end = NULL;
    errno = 0;
    int64_t value = **text >= '0' && **text <= '9' ? strtoll(*text, &end, 10) : -1;
    if (errno || !end) return -1;
    *text = end;
    return value;
}

static int take_busy(video_clip *video, const char *text) {
    const ch_clip *clip = &video->clip;
    if (!text) return EXIT_DONE;
    uint8_t *marked = calloc((size_t)clip->frames, 1);
    video->busy = malloc((size_t)clip->frames * sizeof *video->busy);
    int code = marked && video->busy ? EXIT_DONE : no_memory();
    for (const char *at = text; code == EXIT_DONE;) {
        int64_t first = take_number(&at), last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = take_number(&at);
        }
        if (first < 0 || last < first || (*at && *at != ',')) code = busy_error(text);
        for (int64_t i = 0; code == EXIT_DONE && i < clip->frames; i++)
            if (clip->index[i] >= first && clip->index[i] <= last) marked[i] = 1;
        if (!*at) break;
        at++;
    }
    for (int64_t i = 0; code == EXIT_DONE && i < clip->frames; i++)
        if (marked[i]) video->busy[video->busy_count++] = i;
    free(marked);
    if (code == EXIT_DONE && video->busy_count == clip->frames) {
        cli_complain("video: --busy %s leaves no frame to learn from", text);
        code = EXIT_USAGE;
    }
    return code;
}

/* ---- all of it ---- */

int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given) {
    double start = cli_seconds();
    memset(video, 0, sizeof *video);
    int code = given->truth ? read_truth(session, video, given) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    ch_status status =
        ch_clip_read(session->context, &video->clip, session->options.operands[0], &given->clip);
    if (status < 0) return cli_fail(session, status, NULL);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    video->pixels = video->clip.width * video->clip.height;
    video->planes = video->clip.colour ? 3 : 1;
    if (given->truth) code = match_truth(session, video, given->truth);
    if (code == EXIT_DONE) code = take_region(session, video, given);
    if (code == EXIT_DONE) code = take_busy(video, given->busy);
    given->separate.ignore = video->ignored;
    given->separate.busy = video->busy;
    given->separate.busy_count = video->busy_count;
    video->seconds = cli_seconds() - start;
    return code;
}

void video_clip_free(const cli_session *session, video_clip *video) {
    ch_clip_free(session->context, &video->clip);
    ch_masks_free(session->context, &video->truth);
    free(video->truth_row);
    free(video->watched);
    free(video->ignored);
    free(video->busy);
}
