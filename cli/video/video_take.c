/* Processes every mask, however it was computed: activity, scores against known masks, files,
 * page. */
#include "common/interrupt.h"
#include "common/mask_report.h"
#include "video/video_command.h"
#include <math.h>

int video_take_begin(video_taking *work, video_run *run, video_result *result, video_files *files) {
    ch_status status = CH_OK;
    *work = (video_taking){.run = run, .result = result, .files = files};
    TRY(cli_events_begin(&result->events, run->session, &run->given->event,
                         run->video.clip.rate / (double)run->given->clip.step));
    if (run->video.truth.count > 0) status = ch_scorer_create(run->session->context, &work->scorer);
    return cli_check(run->session, status);
}

int video_take_stops(video_run *run, int64_t frames) {
    if (!run->given->keep_partial || frames == 0) return 0;
    cli_interrupt_ends_input(); /* from the first frame on, there are results to keep */
    run->partial = cli_input_interrupted();
    return run->partial;
}

void video_take_free(video_taking *work) {
    ch_scorer_destroy(work->scorer);
}

int video_take_known(video_taking *work, int64_t index) {
    const ch_masks *truth = &work->run->video.truth;
    while (work->next_truth < truth->count && truth->frame[work->next_truth] < index)
        work->next_truth++;
    return work->next_truth < truth->count && truth->frame[work->next_truth] == index;
}

static int reserve(video_taking *work, int64_t rows) {
    if (rows <= work->room) return EXIT_DONE;
    int64_t room = work->room ? 2 * work->room : 1024;
    if (room < rows) room = rows;
    ch_activity *more = realloc(work->result->activity, (size_t)room * sizeof *more);
    if (!more) return cli_no_memory();
    work->result->activity = more;
    work->room = room;
    return EXIT_DONE;
}

static int measure(video_taking *work, const uint8_t *mask, int64_t row) {
    const video_run *run = work->run;
    const video_clip *video = &run->video;
    cli_boxes *boxes = &work->files->boxes;
    ch_activity *activity = &work->result->activity[row];
    TRY(cli_check(run->session,
                  ch_mask_activity(run->session->context, activity, boxes->list, boxes->most, mask,
                                   video->watched,
                                   &(ch_frame_shape){video->clip.width, video->clip.height, 1})));
    work->result->active += activity->foreground > 0;
    return cli_boxes_add(boxes, activity->objects, video->index[row], video->time[row]);
}

static int compare(video_taking *work, const cli_moment *now) {
    video_clip *video = &work->run->video;
    const uint8_t *region =
        cli_masks_region(&video->truth, work->next_truth, video->watched, video->pixels);
    const uint8_t *truth = video->truth.foreground + work->next_truth * video->pixels;
    ch_pixel_counts_add(&work->result->counts, now->mask, truth, region, video->pixels);
    work->result->compared++;
    return cli_check(work->run->session,
                     ch_scorer_add_f32(work->scorer, now->score, truth, region, video->pixels));
}

/* Adds a frame to the page. */
static int show(video_taking *work, int64_t row, int known, const cli_moment *now) {
    double start = cli_seconds();
    int code = cli_stills_add(&work->run->stills, work->result->number, row, known, now);
    work->result->report += cli_seconds() - start;
    return code;
}

int video_take(video_taking *work, const video_block *block) {
    TRY(reserve(work, block->first + block->count));
    for (int64_t i = 0; i < block->count; i++) {
        double start = cli_seconds();
        int64_t row = block->first + i;
        cli_moment now = video_moment(work->run, block, i);
        int known = video_take_known(work, now.index);
        TRY(measure(work, now.mask, row));
        TRY(cli_events_add(&work->result->events, &work->result->activity[row], now.index,
                           now.time));
        if (known) TRY(compare(work, &now));
        work->result->score += cli_seconds() - start;
        TRY(show(work, row, known, &now));
    }
    return video_files_add(work->files, block, work->result);
}

/* Finds the periods in which something moves. A second without movement ends a period. */
static int find_runs(video_result *result, const video_clip *video) {
    int64_t gap = (int64_t)fmax(1, fmin(video->clip.rate, 1e6)), frames = video->frames;
    int64_t count = ch_activity_runs(NULL, 0, result->activity, frames, 0, gap);
    result->runs = calloc((size_t)count + 1, sizeof *result->runs);
    if (!result->runs) return cli_no_memory();
    result->run_count = ch_activity_runs(result->runs, count, result->activity, frames, 0, gap);
    return EXIT_DONE;
}

/* Drops the known masks of frames that were not reached. */
static void drop_truth(video_clip *video) {
    ch_masks *truth = &video->truth;
    while (truth->count > 0 && truth->frame[truth->count - 1] > video->index[video->frames - 1])
        truth->count--;
}

int video_take_end(video_taking *work) {
    video_result *result = work->result;
    if (work->run->partial) drop_truth(&work->run->video);
    double start = cli_seconds();
    TRY(find_runs(result, &work->run->video));
    TRY(cli_events_end(&result->events));
    if (work->scorer && result->compared > 0)
        TRY(cli_check(work->run->session, ch_scorer_finish(work->scorer, &result->roc)));
    result->scored = result->roc.count > 0;
    result->auc = result->roc.auc;
    result->best_f = result->roc.best_f;
    result->score += cli_seconds() - start;
    return EXIT_DONE;
}
