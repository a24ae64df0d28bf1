/* Masks of conehull video, computed in two passes over the frames that were read. Frames are
 * processed in blocks, so that memory depends on the size of a frame and not on the length of the
 * clip. */
#include "common/mask_report.h"
#include "common/progress.h"
#include "video/video_command.h"
#include <math.h>

enum { BLOCK_FRAMES = 64 };
static const double block_bytes = 128e6; /* approximate size of the workspace */

typedef struct masking {
    video_run *run;
    video_result *result;
    ch_masker *masker;
    video_block block;
} masking;

static int check(const masking *work, ch_status status) {
    return cli_check(work->run->session, status);
}

/* ---- blocks ---- */

static double frame_bytes(const video_clip *video) {
    double planes = video->clip.halves ? 1.5 : video->planes;
    return (double)video->pixels * (5.0 * planes + 5.0);
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

/* Fills a block with the frames from `first` on and their background, and sets planes[] for the
 * masker. Detects Ctrl-C. */
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
        const ch_matrix *plane = video_plane(video, p);
        ch_status status =
            ch_clip_frames(context, block->pixels[p], plane, first, first + block->count);
        if (status == CH_OK)
            status = ch_separation_background(context, block->background[p],
                                              &work->result->parts[video_part_of_plane(video, p)],
                                              first, block->count);
        if (status != CH_OK) return status;
        planes[p] = (ch_mask_plane){block->pixels[p], plane->cols, block->background[p]};
    }
    return CH_OK;
}

/* ---- the two passes ---- */

/* Learns the noise. In a sample of pairs of frames, learning begins at frame 1, because frame 0 has
 * no previous frame that the masker counts. */
static ch_status learn_noise(masking *work) {
    const video_clip *video = &work->run->video;
    if (video->streams) ch_masker_learn_pairs(work->masker);
    for (int64_t first = video->streams; first < video->clip.frames;
         first += work->block.capacity) {
        ch_mask_plane planes[VIDEO_PLANES_MAX];
        ch_status status = block_fill(work, planes, "noise", first);
        if (status == CH_OK) status = ch_masker_learn(work->masker, planes, work->block.count);
        if (status != CH_OK) return status;
    }
    return ch_masker_settle(work->masker, &work->result->mask);
}

static ch_status mask_block(masking *work, int64_t first) {
    video_block *block = &work->block;
    ch_mask_plane planes[VIDEO_PLANES_MAX];
    double start = cli_seconds();
    ch_status status = block_fill(work, planes, "masks", first);
    if (status == CH_OK)
        status = ch_masker_apply(work->masker, block->masks, block->scores, planes, block->count);
    work->result->score += cli_seconds() - start;
    return status;
}

/* ---- set-up and results ---- */

static int create(masking *work) {
    const video_clip *video = &work->run->video;
    work->result->noise = malloc((size_t)video->pixels * sizeof *work->result->noise);
    if (!work->result->noise) return cli_no_memory();
    ch_mask_settings set = work->run->given->mask;
    set.halves = video->clip.halves;
    TRY(block_create(&work->block, video));
    ch_status status = ch_masker_create(
        work->run->session->context, &work->masker,
        &(ch_frame_shape){video->clip.width, video->clip.height, video->planes}, &set);
    if (status == CH_OK) status = ch_masker_set_region(work->masker, video->watched);
    return check(work, status);
}

/* Computes noise and threshold. The noise is stored for a model and for frames that are read one by
 * one. */
static int settle(masking *work) {
    const video_run *run = work->run;
    double start = cli_seconds();
    TRY(create(work));
    ch_status status = run->given->model ? ch_masker_settle_with(work->masker, &work->result->mask,
                                                                 run->model.noise)
                                         : learn_noise(work);
    work->result->score += cli_seconds() - start;
    TRY(check(work, status));
    cli_progress_clear();
    if (!run->session->common.quiet) cli_mask_warnings_print(work->result->mask.warnings);
    memcpy(work->result->noise, ch_masker_noise(work->masker),
           (size_t)run->video.pixels * sizeof *work->result->noise);
    return EXIT_DONE;
}

static void free_all(masking *work) {
    ch_masker_destroy(work->masker);
    free(work->block.masks);
    free(work->block.scores);
}

int video_mask_settle(video_run *run, video_result *result) {
    masking work = {.run = run, .result = result};
    int code = settle(&work);
    free_all(&work);
    return code;
}

static int make_masks(masking *work, video_taking *taking) {
    TRY(settle(work));
    for (int64_t first = 0; first < work->run->video.frames; first += work->block.capacity) {
        if (video_take_stops(work->run, first)) work->run->video.frames = first;
        if (work->run->partial) break;
        TRY(check(work, mask_block(work, first)));
        TRY(video_take(taking, &work->block));
    }
    return video_take_end(taking);
}

int video_mask(video_run *run, video_result *result, video_files *files) {
    masking work = {.run = run, .result = result};
    video_taking taking;
    int code = video_take_begin(&taking, run, result, files);
    if (code == EXIT_DONE) code = make_masks(&work, &taking);
    video_take_free(&taking);
    free_all(&work);
    return code;
}
