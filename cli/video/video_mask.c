/* Masks of conehull video: two passes over the clip in blocks of frames, so that memory follows the
 * size of a frame and not the length of the clip. */
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/progress.h"
#include "video/video_command.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_FRAMES = 64 };
static const double block_bytes = 48e6; /* of work areas, about */

typedef struct masking {
    const cli_session *session;
    video_result *result;
    const video_clip *video;
    ch_masker *masker;
    ch_scorer *scorer; /* NULL: no truth            */
    int64_t next_truth;
    video_block block;
} masking;

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

static int fail(const masking *run, ch_status status) {
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return status < 0 ? cli_fail(run->session, status, NULL) : EXIT_DONE;
}

/* ---- blocks ---- */

static double frame_bytes(const video_clip *video) {
    return (double)video->pixels * (5.0 * video->planes + 5.0);
}

static int64_t frames_of_block(const video_clip *video) {
    int64_t room = (int64_t)fmin(fmax(block_bytes / frame_bytes(video), 1), BLOCK_FRAMES);
    return room < video->clip.frames ? room : video->clip.frames;
}

double video_block_bytes(const video_clip *video) {
    return (double)frames_of_block(video) * frame_bytes(video);
}

static int block_create(video_block *block, const video_clip *video) {
    size_t pixels = (size_t)video->pixels;
    block->room = frames_of_block(video);
    size_t count = (size_t)block->room * pixels;
    block->masks = malloc(count);
    block->scores = malloc(count * sizeof(float));
    int failed = !block->masks || !block->scores;
    for (int p = 0; p < video->planes; p++) {
        block->pixels[p] = malloc(count);
        block->background[p] = malloc(count * sizeof(float));
        failed = failed || !block->pixels[p] || !block->background[p];
    }
    return failed ? no_memory() : EXIT_DONE;
}

static void block_free(video_block *block) {
    for (int p = 0; p < VIDEO_PLANES_MAX; p++) {
        free(block->pixels[p]);
        free(block->background[p]);
    }
    free(block->masks);
    free(block->scores);
}

/* The frames and their background. */
static ch_status block_fill(masking *run, int64_t first) {
    const video_clip *video = run->video;
    video_block *block = &run->block;
    ch_context *context = run->session->context;
    block->first = first;
    block->count = video->clip.frames - first;
    if (block->count > block->room) block->count = block->room;
    for (int p = 0; p < video->planes; p++) {
        const ch_separation *parts = &run->result->parts[video->planes == 1 ? 0 : p + 1];
        ch_status status = ch_clip_frames(context, block->pixels[p], video_plane(video, p), first,
                                          first + block->count);
        if (status == CH_OK)
            status =
                ch_separation_background(context, block->background[p], parts, first, block->count);
        if (status != CH_OK) return status;
    }
    return CH_OK;
}

static void block_planes(ch_mask_plane *planes, const video_block *block, const video_clip *video) {
    for (int p = 0; p < video->planes; p++)
        planes[p] = (ch_mask_plane){block->pixels[p], video->pixels, block->background[p]};
}

static int told_to_stop(const char *phase, const masking *run, int64_t done) {
    ch_progress_event event = {phase, done, run->video->clip.frames, -1, 0};
    return cli_progress_event(&event, NULL);
}

/* ---- the two passes ---- */

static ch_status learn_noise(masking *run) {
    for (int64_t first = 0; first < run->video->clip.frames; first += run->block.room) {
        ch_mask_plane planes[VIDEO_PLANES_MAX];
        if (told_to_stop("noise", run, first)) return CH_STOP_CANCELLED;
        ch_status status = block_fill(run, first);
        block_planes(planes, &run->block, run->video);
        if (status == CH_OK) status = ch_masker_learn(run->masker, planes, run->block.count);
        if (status != CH_OK) return status;
    }
    return ch_masker_settle(run->masker, &run->result->mask);
}

/* Against the masks that are known, where there are any. */
static ch_status score_block(masking *run) {
    const video_clip *video = run->video;
    const video_block *block = &run->block;
    while (run->next_truth < video->truth.count) {
        int64_t row = video->truth_row[run->next_truth], pixels = video->pixels;
        if (row >= block->first + block->count) break;
        const uint8_t *truth = video->truth.foreground + run->next_truth * pixels;
        ch_pixel_counts_add(&run->result->counts, block->masks + (row - block->first) * pixels,
                            truth, video->watched, pixels);
        ch_status status =
            ch_scorer_add_f32(run->scorer, block->scores + (row - block->first) * pixels, truth,
                              video->watched, pixels);
        if (status != CH_OK) return status;
        run->next_truth++;
    }
    return CH_OK;
}

static ch_status measure_block(masking *run) {
    const video_clip *video = run->video;
    const video_block *block = &run->block;
    for (int64_t i = 0; i < block->count; i++) {
        ch_status status =
            ch_mask_activity(run->session->context, &run->result->activity[block->first + i], NULL,
                             0, block->masks + i * video->pixels, video->watched, video->clip.width,
                             video->clip.height);
        if (status != CH_OK) return status;
    }
    return CH_OK;
}

static int make_masks(masking *run, const video_listener *listeners, int listener_count) {
    int code = EXIT_DONE;
    for (int64_t first = 0; code == EXIT_DONE && first < run->video->clip.frames;
         first += run->block.room) {
        ch_mask_plane planes[VIDEO_PLANES_MAX];
        if (told_to_stop("masks", run, first)) return EXIT_INTERRUPTED;
        double start = cli_seconds();
        ch_status status = block_fill(run, first);
        block_planes(planes, &run->block, run->video);
        if (status == CH_OK)
            status = ch_masker_apply(run->masker, run->block.masks, run->block.scores, planes,
                                     run->block.count);
        if (status == CH_OK) status = measure_block(run);
        if (status == CH_OK && run->scorer) status = score_block(run);
        run->result->score += cli_seconds() - start;
        code = fail(run, status);
        for (int i = 0; code == EXIT_DONE && i < listener_count; i++)
            code = listeners[i].hear(listeners[i].user, &run->block);
    }
    return code;
}

/* ---- around them ---- */

static int create(masking *run, const video_arguments *given) {
    const video_clip *video = run->video;
    run->result->activity = calloc((size_t)video->clip.frames, sizeof *run->result->activity);
    run->result->noise = malloc((size_t)video->pixels * sizeof *run->result->noise);
    if (!run->result->activity || !run->result->noise) return no_memory();
    int code = block_create(&run->block, video);
    if (code != EXIT_DONE) return code;
    ch_context *context = run->session->context;
    ch_status status = ch_masker_create(context, &run->masker, video->clip.width,
                                        video->clip.height, video->planes, &given->mask);
    if (status == CH_OK) status = ch_masker_set_region(run->masker, video->watched);
    if (status == CH_OK && video->truth.count > 0) status = ch_scorer_create(context, &run->scorer);
    return fail(run, status);
}

/* Stretches of frames in which something moves; a second of nothing ends one. */
static int find_runs(video_result *result, const video_clip *video) {
    int64_t gap = (int64_t)fmax(1, fmin(video->clip.rate, 1e6)), frames = video->clip.frames;
    int64_t count = ch_activity_runs(NULL, 0, result->activity, frames, 0, gap);
    result->runs = calloc((size_t)count + 1, sizeof *result->runs);
    if (!result->runs) return no_memory();
    result->run_count = ch_activity_runs(result->runs, count, result->activity, frames, 0, gap);
    for (int64_t i = 0; i < frames; i++) result->active += result->activity[i].foreground > 0;
    return EXIT_DONE;
}

static int finish(masking *run) {
    video_result *result = run->result;
    double start = cli_seconds();
    memcpy(result->noise, ch_masker_noise(run->masker),
           (size_t)run->video->pixels * sizeof *result->noise);
    int code = find_runs(result, run->video);
    if (code == EXIT_DONE && run->scorer)
        code = fail(run, ch_scorer_finish(run->scorer, &result->roc));
    result->score += cli_seconds() - start;
    return code;
}

int video_mask(const cli_session *session, video_result *result, const video_clip *video,
               const video_arguments *given, const video_model *model,
               const video_listener *listeners, int listener_count) {
    masking run = {.session = session, .result = result, .video = video};
    double start = cli_seconds();
    int code = create(&run, given);
    if (code == EXIT_DONE)
        code = fail(&run, model ? ch_masker_settle_with(run.masker, &result->mask, model->noise)
                                : learn_noise(&run));
    result->score += cli_seconds() - start;
    if (code == EXIT_DONE) code = make_masks(&run, listeners, listener_count);
    if (code == EXIT_DONE) code = finish(&run);
    ch_scorer_destroy(run.scorer);
    ch_masker_destroy(run.masker);
    block_free(&run.block);
    return code;
}

/* ---- pictures of frames ---- */

void video_interleave(uint8_t *to, const uint8_t *const *planes, int count, int64_t pixels) {
    if (count == 1) {
        memcpy(to, planes[0], (size_t)pixels);
        return;
    }
    for (int64_t j = 0; j < pixels; j++)
        for (int p = 0; p < count; p++) to[j * count + p] = planes[p][j];
}

void video_background_bytes(uint8_t *to, const float *from, int64_t pixels) {
    for (int64_t j = 0; j < pixels; j++) {
        float value = from[j] < 0 ? 0 : from[j] > 255 ? 255 : from[j];
        to[j] = (uint8_t)(value + 0.5f);
    }
}
