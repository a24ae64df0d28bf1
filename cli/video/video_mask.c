/* Masks of conehull video: two passes over the clip in blocks of frames, so that memory follows the
 * size of a frame and not the length of the clip. */
#include "common/mask_warnings.h"
#include "common/progress.h"
#include "video/video_command.h"
#include <math.h>

enum { BLOCK_FRAMES = 64 };
static const double block_bytes = 48e6; /* of work areas, about */

typedef struct masking {
    video_run *run;
    video_result *result;
    video_files *files;
    ch_masker *masker;
    ch_scorer *scorer; /* NULL: no truth            */
    int64_t next_truth;
    video_block block;
} masking;

static int check(const masking *work, ch_status status) {
    return cli_check(work->run->session, status);
}

/* ---- blocks ---- */

static double frame_bytes(const video_clip *video) {
    return (double)video->pixels * (5.0 * video->planes + 5.0);
}

static int64_t frames_of_block(const video_clip *video) {
    int64_t most = (int64_t)fmin(fmax(block_bytes / frame_bytes(video), 1), BLOCK_FRAMES);
    return most < video->clip.frames ? most : video->clip.frames;
}

double video_block_bytes(const video_clip *video) {
    return (double)frames_of_block(video) * frame_bytes(video);
}

static int block_create(video_block *block, const video_clip *video) {
    size_t planes = (size_t)video->planes;
    block->capacity = frames_of_block(video);
    size_t count = (size_t)(block->capacity * video->pixels);
    block->masks = malloc(count * (planes + 1));
    block->scores = malloc(count * (planes + 1) * sizeof(float));
    if (!block->masks || !block->scores) return cli_no_memory();
    for (size_t p = 0; p < planes; p++) {
        block->pixels[p] = block->masks + (p + 1) * count;
        block->background[p] = block->scores + (p + 1) * count;
    }
    return EXIT_DONE;
}

/* The frames from `first` on and their background; planes[] shows both to the masker. Notices
 * Ctrl-C. */
static ch_status block_fill(masking *work, ch_mask_plane *planes, const char *phase,
                            int64_t first) {
    const video_clip *video = &work->run->video;
    video_block *block = &work->block;
    ch_context *context = work->run->session->context;
    ch_progress_event event = {sizeof event, phase, first, video->clip.frames, -1, 0};
    if (cli_progress_event(&event, NULL)) return CH_STOP_CANCELLED;
    block->first = first;
    block->count = video->clip.frames - first;
    if (block->count > block->capacity) block->count = block->capacity;
    for (int p = 0; p < video->planes; p++) {
        int gray = video->planes == 1;
        const ch_matrix *plane = gray ? &video->clip.luma : &video->clip.channel[p];
        ch_status status =
            ch_clip_frames(context, block->pixels[p], plane, first, first + block->count);
        if (status == CH_OK)
            status = ch_separation_background(context, block->background[p],
                                              &work->result->parts[gray ? 0 : p + 1], first,
                                              block->count);
        if (status != CH_OK) return status;
        planes[p] = (ch_mask_plane){block->pixels[p], video->pixels, block->background[p]};
    }
    return CH_OK;
}

/* ---- the two passes ---- */

static ch_status learn_noise(masking *work) {
    int64_t frames = work->run->video.clip.frames;
    for (int64_t first = 0; first < frames; first += work->block.capacity) {
        ch_mask_plane planes[VIDEO_PLANES_MAX];
        ch_status status = block_fill(work, planes, "noise", first);
        if (status == CH_OK) status = ch_masker_learn(work->masker, planes, work->block.count);
        if (status != CH_OK) return status;
    }
    return ch_masker_settle(work->masker, &work->result->mask);
}

/* Against the masks that are known, where there are any. */
static ch_status score_block(masking *work) {
    const video_clip *video = &work->run->video;
    const video_block *block = &work->block;
    int64_t pixels = video->pixels;
    for (; work->next_truth < video->truth.count; work->next_truth++) {
        int64_t i = video->truth_row[work->next_truth] - block->first;
        if (i >= block->count) break;
        const uint8_t *truth = video->truth.foreground + work->next_truth * pixels;
        ch_pixel_counts_add(&work->result->counts, block->masks + i * pixels, truth, video->watched,
                            pixels);
        ch_status status = ch_scorer_add_f32(work->scorer, block->scores + i * pixels, truth,
                                             video->watched, pixels);
        if (status != CH_OK) return status;
    }
    return CH_OK;
}

static ch_status measure_block(masking *work) {
    const video_clip *video = &work->run->video;
    const video_block *block = &work->block;
    for (int64_t i = 0; i < block->count; i++) {
        ch_status status =
            ch_mask_activity(work->run->session->context, &work->result->activity[block->first + i],
                             NULL, 0, block->masks + i * video->pixels, video->watched,
                             &(ch_frame_shape){video->clip.width, video->clip.height, 1});
        if (status != CH_OK) return status;
    }
    return CH_OK;
}

static ch_status mask_block(masking *work, int64_t first) {
    video_block *block = &work->block;
    ch_mask_plane planes[VIDEO_PLANES_MAX];
    double start = cli_seconds();
    ch_status status = block_fill(work, planes, "masks", first);
    if (status == CH_OK)
        status = ch_masker_apply(work->masker, block->masks, block->scores, planes, block->count);
    if (status == CH_OK) status = measure_block(work);
    if (status == CH_OK && work->scorer) status = score_block(work);
    work->result->score += cli_seconds() - start;
    return status;
}

/* ---- around them ---- */

static int create(masking *work) {
    const video_clip *video = &work->run->video;
    ch_context *context = work->run->session->context;
    work->result->activity = calloc((size_t)video->clip.frames, sizeof *work->result->activity);
    work->result->noise = malloc((size_t)video->pixels * sizeof *work->result->noise);
    if (!work->result->activity || !work->result->noise) return cli_no_memory();
    TRY(block_create(&work->block, video));
    ch_status status =
        ch_masker_create(context, &work->masker,
                         &(ch_frame_shape){video->clip.width, video->clip.height, video->planes},
                         &work->run->given->mask);
    if (status == CH_OK) status = ch_masker_set_region(work->masker, video->watched);
    if (status == CH_OK && video->truth.count > 0)
        status = ch_scorer_create(context, &work->scorer);
    return check(work, status);
}

/* Stretches of frames in which something moves; a second of nothing ends one. */
static int find_runs(video_result *result, const ch_clip *clip) {
    int64_t gap = (int64_t)fmax(1, fmin(clip->rate, 1e6)), frames = clip->frames;
    int64_t count = ch_activity_runs(NULL, 0, result->activity, frames, 0, gap);
    result->runs = calloc((size_t)count + 1, sizeof *result->runs);
    if (!result->runs) return cli_no_memory();
    result->run_count = ch_activity_runs(result->runs, count, result->activity, frames, 0, gap);
    for (int64_t i = 0; i < frames; i++) result->active += result->activity[i].foreground > 0;
    return EXIT_DONE;
}

static int finish(masking *work) {
    video_result *result = work->result;
    double start = cli_seconds();
    memcpy(result->noise, ch_masker_noise(work->masker),
           (size_t)work->run->video.pixels * sizeof *result->noise);
    TRY(find_runs(result, &work->run->video.clip));
    if (work->scorer) TRY(check(work, ch_scorer_finish(work->scorer, &result->roc)));
    result->scored = result->roc.count > 0;
    result->auc = result->roc.auc;
    result->best_f = result->roc.best_f;
    result->score += cli_seconds() - start;
    return EXIT_DONE;
}

static int make_masks(masking *work) {
    const video_run *run = work->run;
    double start = cli_seconds();
    TRY(create(work));
    ch_status status = run->given->model ? ch_masker_settle_with(work->masker, &work->result->mask,
                                                                 run->model.noise)
                                         : learn_noise(work);
    work->result->score += cli_seconds() - start;
    TRY(check(work, status));
    cli_progress_clear();
    cli_mask_warnings_print(work->result->mask.warnings);
    for (int64_t first = 0; first < run->video.clip.frames; first += work->block.capacity) {
        TRY(check(work, mask_block(work, first)));
        TRY(video_files_add(work->files, &work->block, work->result));
        TRY(video_film_add(work->run, work->result, &work->block));
    }
    return finish(work);
}

int video_mask(video_run *run, video_result *result, video_files *files) {
    masking work = {.run = run, .result = result, .files = files};
    int code = make_masks(&work);
    ch_scorer_destroy(work.scorer);
    ch_masker_destroy(work.masker);
    free(work.block.masks);
    free(work.block.scores);
    return code;
}
