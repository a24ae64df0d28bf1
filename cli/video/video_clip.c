/* The clip of conehull video, and what belongs to it: masks, regions, frames that are busy. */
#include "options/option_values.h"
#include "video/video_command.h"
#include <math.h>

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
    if (video->streams) /* frames are found as they come */
        return cli_check_file(session, ch_clip_fit_masks(session->context, truth, clip), folder);
    int64_t kept = 0, row = 0, first = truth->frame[0], last = truth->frame[truth->count - 1];
    video->truth_row = malloc((size_t)truth->count * sizeof *video->truth_row);
    if (!video->truth_row) return cli_no_memory();
    size_t size = (size_t)(truth->width * truth->height);
    for (int64_t i = 0; i < truth->count; i++) {
        while (row < clip->frames && clip->index[row] < truth->frame[i]) row++;
        if (row == clip->frames || clip->index[row] != truth->frame[i]) continue;
        memmove(truth->foreground + (size_t)kept * size, truth->foreground + (size_t)i * size,
                size);
        if (truth->counted)
            memmove(truth->counted + (size_t)kept * size, truth->counted + (size_t)i * size, size);
        truth->frame[kept] = truth->frame[i];
        video->truth_row[kept++] = row;
    }
    truth->count = kept;
    if (kept > 0)
        return cli_check_file(session, ch_clip_fit_masks(session->context, truth, clip), folder);
    return cli_refuse(
        "%s: none of the %lld masks in this folder (frames %lld to %lld) belongs to a frame that "
        "was read (%lld to %lld); change --from and --frames, or the names of the masks",
        folder, (long long)video->truth_found, (long long)first, (long long)last,
        (long long)clip->index[0], (long long)clip->index[clip->frames - 1]);
}

/* ---- a sample, or all of it ---- */

/* Clips that are small as a whole are not sampled. A sample takes up to 200 frames, and no more
 * pixels than this: 48 frames of 1080p, which take 150 MB with colour of 4:2:0. F from 100, 200,
 * 400 and all frames: Restaurant .790 .788 .789 .789, Airport Hall .787 .777 .775 .788, Lobby,
 * whose lamps are switched, .866 .859 .828 .860. */
static const double sample_pixels = 100e6, whole_bytes = 100e6;
enum { SAMPLE_MOST = 200, SAMPLE_LEAST = 24 };

static double frame_bytes(const ch_feed_info *info) {
    double values = info->halves ? 1.5 : info->planes == 3 ? 4 : 1;
    return (double)(info->width * info->height) * values;
}

/* Frames that are learned from; 0: all of them. */
static int64_t sample_size(const video_arguments *given, const ch_feed_info *info) {
    double most = sample_pixels / (double)(info->width * info->height);
    if (given->clip.memory) most = fmin(most, 0.3 * (double)given->clip.memory / frame_bytes(info));
    if (given->sample < 0) return 0;
    if (given->sample > 0) return given->sample;
    return 2 * (int64_t)fmin(fmax(most, SAMPLE_LEAST), SAMPLE_MOST) / 2;
}

/* Methods whose background is a few non-negative pictures, one at a time: the others know frames
 * only that they have seen. */
static int may_sample(const video_arguments *given) {
    int method = given->methods[0];
    if (given->sample < 0 || (!given->model && given->method_count > 1)) return 0;
    if (!given->model && method != CH_SEPARATE_ROBUST_XRAY && method != CH_SEPARATE_XRAY_L2)
        return 0;
    return given->separate.rank <= CH_LIVE_RANK_MAX && !given->busy;
}

/* A model that is kept has red, green and blue of every pixel. */
static int takes_halves(const video_arguments *given) {
    return given->save || given->model ? 0 : CLI_HALVES_PIXELS;
}

int video_feed_open(const cli_session *session, ch_feed **feed, const video_arguments *given) {
    const ch_clip_settings *clip = &given->clip;
    ch_feed_settings set;
    ch_feed_defaults(&set);
    set.from = clip->from;
    set.frames = clip->frames;
    set.step = clip->step;
    set.width = clip->width;
    set.gray = clip->gray;
    set.pace = CH_FEED_EVERY;
    set.whole = !clip->partial;
    set.roi_x = clip->roi_x;
    set.roi_y = clip->roi_y;
    set.roi_width = clip->roi_width;
    set.roi_height = clip->roi_height;
    set.keep = clip->keep;
    set.keep_count = clip->keep_count;
    set.yuv = 1;
    set.more = clip->more;
    set.more_count = clip->more_count;
    set.halves = takes_halves(given);
    TRY(video_spool_rewind(given));
    return cli_check(session,
                     ch_feed_open(session->context, feed, session->options.operands[0], &set));
}

/* Plans the sample by the first picture, whose kind the overlay will have. */
static int plan_sample(const cli_session *session, video_clip *video, video_arguments *given) {
    ch_feed_info info = {.size = sizeof info};
    ch_feed *feed = NULL;
    int once = strcmp(session->options.operands[0], "-") == 0 && !given->spool.done;
    if (!may_sample(given) || once) return EXIT_DONE;
    TRY(video_feed_open(session, &feed, given));
    ch_feed_get_info(feed, &info);
    ch_feed_close(feed);
    given->clip.spread = sample_size(given, &info);
    given->clip.halves = takes_halves(given);
    if (given->sample == 0)
        given->clip.spread_above =
            (int64_t)(whole_bytes / frame_bytes(&info) *
                      (given->clip.memory ? fmin((double)given->clip.memory / 1e9, 1) : 1));
    video->shape = (cli_film_shape){.yuv = info.yuv,
                                    .full_range = info.full_range,
                                    .matrix = info.matrix,
                                    .aspect = {info.aspect[0], info.aspect[1]}};
    return EXIT_DONE;
}

const ch_matrix *video_plane(const video_clip *video, int p) {
    const ch_clip *clip = &video->clip;
    if (video->planes == 1 || (clip->halves && p == 0)) return &clip->luma;
    return &clip->channel[clip->halves ? p - 1 : p];
}

int video_part_of_plane(const video_clip *video, int p) {
    return video->planes == 1 || video->clip.halves ? p : p + 1;
}

int video_part_count(const video_clip *video) {
    return !video->clip.colour ? 1 : video->clip.halves ? 3 : VIDEO_PARTS;
}

static void take_frames(video_clip *video) {
    const ch_clip *clip = &video->clip;
    video->pixels = clip->width * clip->height;
    video->planes = clip->colour ? 3 : 1;
    video->streams = clip->spread_over > 0;
    video->shape.width = clip->width;
    video->shape.height = clip->height;
    video->shape.planes = video->planes;
    video->shape.halves = clip->halves;
    video->shape.rate = clip->rate;
    memcpy(video->shape.aspect, clip->aspect, sizeof video->shape.aspect);
    if (video->streams) return;
    video->shape.yuv = 0; /* its planes were not kept */
    video->frames = clip->frames;
    video->index = clip->index;
    video->time = clip->time;
}

int video_clip_count(video_clip *video, int64_t index, double time) {
    if (video->frames == video->room) {
        int64_t room = video->room ? 2 * video->room : 1024;
        int64_t *numbers = realloc(video->index, (size_t)room * sizeof *numbers);
        if (numbers) video->index = numbers;
        double *times = realloc(video->time, (size_t)room * sizeof *times);
        if (times) video->time = times;
        if (!numbers || !times) return cli_no_memory();
        video->room = room;
    }
    video->index[video->frames] = index;
    video->time[video->frames++] = time;
    return EXIT_DONE;
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
            return cli_refuse("video: --busy must be a list of frames and ranges of frames, as in "
                              "10-40,80; got '%s'",
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
    if (!marked || !video->busy) {
        free(marked);
        return cli_no_memory();
    }
    int code = mark_busy(marked, &video->clip, text);
    for (int64_t i = 0; code == EXIT_DONE && i < frames; i++)
        if (marked[i]) video->busy[video->busy_count++] = i;
    free(marked);
    if (code == EXIT_DONE && video->busy_count == frames)
        return cli_refuse("video: --busy %s leaves no frame to learn the background from", text);
    return code;
}

/* Of a pair of neighbours the second shows the noise; the background has little to learn from it
 * that the first does not show. */
static int leave_seconds(video_clip *video) {
    video->busy = malloc((size_t)video->clip.frames * sizeof *video->busy);
    if (!video->busy) return cli_no_memory();
    for (int64_t i = 1; i < video->clip.frames; i += 2) video->busy[video->busy_count++] = i;
    return EXIT_DONE;
}

/* ---- all of it ---- */

int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given) {
    double start = cli_seconds();
    given->clip.more = session->options.all + 1;
    given->clip.more_count = session->options.all_count - 1;
    TRY(read_truth(session, video, given));
    TRY(plan_sample(session, video, given));
    TRY(video_spool_rewind(given));
    TRY(cli_check(session, ch_clip_read(session->context, &video->clip,
                                        session->options.operands[0], &given->clip)));
    take_frames(video);
    TRY(match_truth(session, video, given->truth));
    TRY(take_region(session, video, &given->region));
    TRY(video->streams ? leave_seconds(video) : take_busy(video, given->busy));
    given->separate.ignore = video->ignored;
    given->separate.busy = video->busy;
    given->separate.busy_count = video->busy_count;
    video->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

void video_clip_free(const cli_session *session, video_clip *video) {
    if (video->streams) {
        free(video->index);
        free(video->time);
    }
    ch_clip_free(session->context, &video->clip);
    ch_masks_free(session->context, &video->truth);
    free(video->truth_row);
    free(video->watched);
    free(video->ignored);
    free(video->busy);
}
