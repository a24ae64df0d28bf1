/* The memory of a run of conehull video, estimated before it is used.
 *
 * m frames, n pixels, P planes (luma, and three colours where there are any), r factors. Besides
 * the clip (m n P bytes) and the program itself there are two phases, and the larger one counts:
 *
 *     separating   rpca, robust-nmf, robust-lowrank: 8 m n, one plane at a time. xray methods:
 *                  where W is learned from all pixels, a turned copy of a plane, and another
 *                  without the frames and pixels that are left out; a run that can be resumed has
 *                  a copy without the frames in any case
 *     masks        blocks of frames (video_mask.c), some hundred bytes per pixel: samples of noise
 *                  (masker), ghosts, encoders, pictures for the page; of each scored pixel what an
 *                  exact ROC takes
 *
 * and in both the background, 8 r (m + n) P, or of a sliding median m n P. r of rpca is not known
 * before; with noise it came to 0.58 m at lambda = 1. Fitted to the largest resident size of runs
 * of 14,400 to 230,400 pixels and 100 to 1,000 frames, all methods: never below, at most 25 %
 * above. */
#include "video/video_command.h"
#include <math.h>

enum { RANK_AUTO_MAX = 8, RANK_LIKELY = 4, RANK_SEARCH = 2, SAMPLED_PIXELS = 2 * 8192 };
static const double program_bytes = 50e6; /* libraries, BLAS, the decoder                       */
static const double page_bytes = 10e6;    /* pictures and text of report.html                   */
static const double pixel_bytes = 350;    /* per pixel, whatever the number of frames           */
static const double thread_bytes = 17;    /* per pixel and thread                               */
static const double score_bytes = 12;     /* per pixel of a known mask, without its ROC points  */
static const double rpca_rank = 0.6;      /* of the frames                                      */

typedef struct sizes {
    double frames, pixels, plane, clip; /* a plane and all planes, in bytes                     */
    double planes; /* luma and colours; those at half the resolution are a quarter each         */
} sizes;

static sizes measure(const video_clip *video) {
    sizes is = {.frames = (double)video->clip.frames,
                .pixels = (double)video->pixels,
                .planes = !video->clip.colour  ? 1
                          : video->clip.halves ? 1.5
                                               : 4};
    is.plane = is.frames * is.pixels;
    is.clip = is.plane * is.planes;
    return is;
}

static int is_dense(int method) {
    return method == CH_SEPARATE_RPCA || method == CH_SEPARATE_ROBUST_NMF ||
           method == CH_SEPARATE_ROBUST_LOWRANK;
}

static double background_bytes(const sizes *is, const ch_separate_settings *set, int method,
                               int64_t rank) {
    double r = rank ? (double)rank : (double)set->rank;
    if (method == CH_SEPARATE_MEDIAN && set->radius > 0) return is->clip;
    if (method == CH_SEPARATE_MEDIAN) r = 1;
    if (method == CH_SEPARATE_RPCA) r = fmin(rpca_rank * is->frames, is->pixels);
    if (r == 0) r = is_dense(method) ? RANK_SEARCH : RANK_AUTO_MAX;
    return 8 * r * (is->frames + is->pixels) * is->planes;
}

static double separate_bytes(const sizes *is, const ch_separate_settings *set, int method) {
    if (is_dense(method)) return 8 * is->plane + 64 * is->frames * is->frames;
    if (method == CH_SEPARATE_MEDIAN) return 0;
    int all = method == CH_SEPARATE_XRAY_L2 || set->choose == CH_CHOOSE_FARTHEST || !set->learn;
    int copied = set->busy_count > 0 && (all || set->checkpoint);
    return is->plane * (all + (copied || (all && set->ignore)));
}

/* An exact ROC curve sorts the scores of all pixels that count, and has a point for each distinct
 * score. Scores below 256 that come from pixels near 100 are multiples of 2^-17. */
static double scored_bytes(const sizes *is, const video_clip *video) {
    double scores = is->pixels * (double)video->truth.count;
    return score_bytes * scores + (double)sizeof(ch_roc_point) * fmin(scores, 1 << 25);
}

static double mask_bytes(const sizes *is, const video_clip *video, int threads) {
    return video_block_bytes(video) + is->pixels * (pixel_bytes + thread_bytes * threads) +
           SAMPLED_PIXELS * is->frames + page_bytes + scored_bytes(is, video);
}

/* ---- frames that pass one by one (video_pass.c) ---- */

/* The noise is learned from the whole sample. Then the sample's colours are freed; the frame step
 * holds H of every plane in single precision, twice, and a masker; decoder, encoders and the frames
 * between them take some pictures more. The larger phase counts. Fitted to runs of 19,200 to
 * 2,073,600 pixels, gray and in colour, with 1 to 4 threads. */
static const double learning_bytes = 60; /* per pixel, without blocks and background             */
static const double passing_bytes = 130; /* per pixel, without the background                    */
static const double playable_bytes = 27; /* per pixel of a video in H.264 besides the overlay    */
static const double exact_bytes = 200;   /* per pixel of a video in FFV1                         */
static const double encoder_bytes = 5e6; /* encoders of any picture size                         */

/* The videos that --write and --lossless add. A picture of `side` is three times as wide. */
static double films_bytes(const sizes *is, const cli_film_choice *choice) {
    double sum = choice->views[CLI_VIEW_SOFT] * exact_bytes;
    double each = choice->lossless ? exact_bytes : playable_bytes;
    for (int view = 0; view < CLI_VIEWS; view++) {
        int added = choice->lossless || view == CLI_VIEW_BACKGROUND || view == CLI_VIEW_SIDE;
        if (!choice->views[view] || !added || view == CLI_VIEW_SOFT) continue;
        sum += each * (view == CLI_VIEW_SIDE ? 3 : 1);
    }
    return sum * is->pixels;
}

static double stream_bytes(const sizes *is, const video_run *run, int64_t rank) {
    const video_clip *video = &run->video;
    double threads = thread_bytes * ch_context_threads(run->session->context);
    double factors = 2 * 4 * fmin(is->planes, 3) * (double)rank;
    double learning = video_block_bytes(video) + is->pixels * (learning_bytes + threads);
    double passing = is->pixels * (passing_bytes + factors + threads) - (is->clip - is->plane) +
                     films_bytes(is, &run->given->choice) + scored_bytes(is, video);
    return fmax(learning, passing) + page_bytes + encoder_bytes;
}

/* MemAvailable, in bytes; 0 where the system does not say. */
static double available_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return 1024 * kilobytes;
}

static int refuse(int method, double total, double limit, int asked) {
    return cli_error(
        EXIT_MEMORY,
        "not enough memory: the method %s needs up to %.4g MB in total, but only %.4g MB are %s; "
        "%sfewer frames or pixels (--frames, --step, --width), or --gray, would need less",
        video_method_name(method), total / 1e6, limit / 1e6, asked ? "allowed by --memory" : "free",
        is_dense(method) ? "--method robust-xray, " : "");
}

int video_memory_check(const video_run *run, int method) {
    const cli_session *session = run->session;
    const video_clip *video = &run->video;
    const video_arguments *given = run->given;
    const ch_separate_settings *set = &given->separate;
    int64_t rank = run->model.rank; /* 0 without a model */
    sizes is = measure(video);
    double truth = (double)video->truth_found * (double)video->clip.source_width *
                   (double)video->clip.source_height * (video->truth.counted ? 2 : 1);
    double work = background_bytes(&is, set, method, rank) +
                  fmax(rank ? 0 : separate_bytes(&is, set, method),
                       mask_bytes(&is, video, ch_context_threads(session->context)));
    if (video->streams) {
        int64_t likely = rank ? rank : set->rank ? set->rank : RANK_LIKELY;
        work = background_bytes(&is, set, method, likely) + stream_bytes(&is, run, likely);
    }
    double held = program_bytes + is.clip + truth, total = held + work;
    double free_bytes = available_memory();
    if (given->clip.memory && total > (double)given->clip.memory)
        return refuse(method, total, (double)given->clip.memory, 1);
    if (!given->clip.memory && free_bytes > 0 && work > free_bytes)
        return refuse(method, total, held + free_bytes, 0);
    if (!session->common.quiet)
        cli_complain("the method %s needs up to %.4g MB of memory in total",
                     video_method_name(method), total / 1e6);
    return EXIT_DONE;
}
