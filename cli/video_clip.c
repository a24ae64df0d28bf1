/* The clip of conehull video, and what belongs to it: masks, regions, frames that are busy. */
#include "exit_codes.h"
#include "input.h"
#include "talk.h"
#include "video.h"
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
    ch_status status = ch_read_masks(session->context, &video->truth, given->truth);
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

static int region_error(const char *text) {
    cli_complain("video: a region is three or more corners 'X,Y X,Y X,Y' in pixels of the input, "
                 "or the name of a picture; got '%s'",
                 text);
    return EXIT_USAGE;
}

/* Corners up to ';' or the end; NULL when they are none. */
static const char *take_corners(const char *text, ch_point *corners, int64_t room, int64_t *count) {
    for (*count = 0;; ++*count) {
        char *end;
        text += strspn(text, " :");
        if (!*text || *text == ';') return text;
        if (*count == room) return NULL;
        corners[*count].x = strtod(text, &end);
        if (end == text || *end != ',') return NULL;
        text = end + 1;
        corners[*count].y = strtod(text, &end);
        if (end == text || (*end && !strchr(" :;", *end))) return NULL;
        text = end;
    }
}

static int draw_polygons(const cli_session *session, ch_picture *region, const char *text) {
    enum { CORNERS = 1000 };
    ch_point corners[CORNERS];
    for (const char *at = text;; at++) {
        int64_t count;
        at = take_corners(at, corners, CORNERS, &count);
        if (!at || count < 3) return region_error(text);
        ch_status status = ch_region_polygon(session->context, region->pixels, region->width,
                                             region->height, corners, count);
        if (status < 0) return cli_fail(session, status, text);
        if (!*at) return EXIT_DONE;
    }
}

/* A picture counts where it is light; of a colour picture the green, which is most of its luma. */
static int read_region(const cli_session *session, ch_picture *region, const char *file) {
    ch_status status = ch_picture_read(session->context, region, file);
    if (status < 0) return cli_fail(session, status, NULL);
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i * region->channels + region->channels / 2];
    return EXIT_DONE;
}

/* Whatever it was made of, a region is cut and reduced like a mask. */
static int fit_region(const cli_session *session, video_clip *video, const ch_picture *region,
                      const char *text) {
    const ch_clip *clip = &video->clip;
    int whole = region->width == clip->source_width && region->height == clip->source_height;
    if (!whole && (region->width != clip->width || region->height != clip->height)) {
        cli_complain("%s: is %lld x %lld, the input's pictures are %lld x %lld; a region must have "
                     "their size",
                     text, (long long)region->width, (long long)region->height,
                     (long long)clip->source_width, (long long)clip->source_height);
        return EXIT_USAGE;
    }
    int64_t frame = 0;
    ch_masks mask = {1, region->width, region->height, &frame, region->pixels};
    for (int64_t i = 0; i < region->width * region->height; i++)
        region->pixels[i] = region->pixels[i] >= 128;
    ch_status status = ch_clip_fit_masks(session->context, &mask, &video->clip);
    if (status < 0) return cli_fail(session, status, text);
    memcpy(video->watched, region->pixels, (size_t)video->pixels);
    return EXIT_DONE;
}

static int draw_region(const cli_session *session, video_clip *video, const char *text) {
    ch_picture region = {
        .width = video->clip.source_width, .height = video->clip.source_height, .channels = 1};
    int polygons = text[strspn(text, "-0123456789.,;: ")] == 0, code;
    if (!polygons) {
        code = read_region(session, &region, text);
        if (code == EXIT_DONE) code = fit_region(session, video, &region, text);
        ch_picture_free(session->context, &region);
        return code;
    }
    region.pixels = calloc((size_t)(region.width * region.height), 1);
    if (!region.pixels) return no_memory();
    code = draw_polygons(session, &region, text);
    if (code == EXIT_DONE) code = fit_region(session, video, &region, text);
    free(region.pixels);
    return code;
}

static int take_region(const cli_session *session, video_clip *video,
                       const video_arguments *given) {
    const char *text = given->ignore ? given->ignore : given->watch;
    video->watched_count = video->pixels;
    if (!text) return EXIT_DONE;
    video->watched = malloc((size_t)video->pixels);
    video->ignored = malloc((size_t)video->pixels);
    if (!video->watched || !video->ignored) return no_memory();
    int code = draw_region(session, video, text);
    if (code != EXIT_DONE) return code;
    video->watched_count = 0;
    for (int64_t j = 0; j < video->pixels; j++) {
        int watched = (video->watched[j] != 0) == (given->watch != NULL);
        video->watched[j] = watched ? 255 : 0;
        video->ignored[j] = !watched;
        video->watched_count += watched;
    }
    if (video->watched_count > 0) return EXIT_DONE;
    cli_complain("video: --%s '%s' leaves no pixel to watch", given->watch ? "watch" : "ignore",
                 text);
    return EXIT_USAGE;
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
