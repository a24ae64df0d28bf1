/* One method of conehull video: computes the background of every plane. */
#include "video/video_command.h"
#include <math.h>

/* Fits W to the luma of these frames. A colour uses the same W, with the H of the model for that
 * colour. */
static int apply_model(const video_run *run, video_result *result) {
    const video_model *model = &run->model;
    const ch_clip *clip = &run->video.clip;
    ch_separation *luma = &result->parts[0];
    result->frozen = 1;
    TRY(cli_check(run->session,
                  ch_separate_apply(run->session->context, luma, &clip->luma, model->H[0],
                                    model->rank, &run->given->separate)));
    for (int c = 1; c < video_part_count(&run->video); c++) {
        result->parts[c] = *luma;
        result->parts[c].H = (double *)model->H[c]; /* only read */
    }
    return EXIT_DONE;
}

/* Fits W once more to the final H, so that the result is the same as that of --model with this
 * clip. */
static int fit_as_model(const video_run *run, video_result *result) {
    const ch_clip *clip = &run->video.clip;
    ch_separation again = {.size = sizeof again}, *luma = &result->parts[0];
    size_t bytes = (size_t)(luma->frames * luma->rank) * sizeof(double);
    ch_status status = ch_separate_apply(run->session->context, &again, &clip->luma, luma->H,
                                         luma->rank, &run->given->separate);
    if (status >= 0 && again.rank == luma->rank)
        for (int c = 0; c < video_part_count(&run->video); c++)
            memcpy(result->parts[c].W, again.W, bytes);
    ch_separation_free(run->session->context, &again);
    return cli_check(run->session, status);
}

/* Removes ghosts. The time counts as time for the masks, which need this step. */
static int remove_ghosts(const video_run *run, video_result *result) {
    const ch_clip *clip = &run->video.clip;
    ch_separation *parts[VIDEO_PARTS];
    const ch_matrix *planes[VIDEO_PARTS];
    int count = video_part_count(&run->video);
    double start = cli_seconds();
    for (int c = 0; c < count; c++) {
        parts[c] = &result->parts[c];
        planes[c] = c ? &clip->channel[c - 1] : &clip->luma;
    }
    ch_status status = ch_ghosts_remove(run->session->context, &result->ghosts, parts, planes,
                                        &(ch_frame_shape){clip->width, clip->height, count});
    double seconds = cli_seconds() - start;
    result->score += seconds;
    result->separate -= seconds;
    return cli_check(run->session, status);
}

static int learn(const video_run *run, video_result *result) {
    const cli_session *session = run->session;
    const ch_clip *clip = &run->video.clip;
    ch_separate_settings set = run->given->separate;
    set.method = result->method;
    TRY(cli_check(session, ch_separate(session->context, &result->parts[0], &clip->luma, &set)));
    for (int c = 1; c < video_part_count(&run->video); c++)
        TRY(cli_check(session, ch_separate_plane(session->context, &result->parts[c],
                                                 &clip->channel[c - 1], &result->parts[0], &set)));
    if (!run->given->keep_ghosts) TRY(remove_ghosts(run, result));
    return run->given->save ? fit_as_model(run, result) : EXIT_DONE;
}

/* Computes gap, unproven and status over all planes. The colours of a model are not fitted and do
 * not count. */
static void gather(video_result *result) {
    const ch_separation *luma = &result->parts[0];
    for (int c = 0; c < (result->frozen ? 1 : VIDEO_PARTS); c++) {
        const ch_separation *parts = &result->parts[c];
        if (cli_exit_code(parts->status) > cli_exit_code(result->status))
            result->status = parts->status;
        result->gap = fmax(result->gap, parts->gap);
        result->unproven += parts->unproven;
    }
    result->rank = luma->rank;
    memcpy(result->rank_reason, luma->reason, sizeof result->rank_reason);
}

int video_separate(const video_run *run, video_result *result) {
    double start = cli_seconds();
    int code = run->given->model ? apply_model(run, result) : learn(run, result);
    result->separate += cli_seconds() - start;
    gather(result);
    return code;
}

void video_result_shrink(const cli_session *session, video_result *result) {
    for (int c = 0; c < (result->frozen ? 1 : VIDEO_PARTS); c++)
        ch_separation_free(session->context, &result->parts[c]);
    ch_roc_free(session->context, &result->roc);
    free(result->noise);
    result->noise = NULL;
}

void video_result_free(const cli_session *session, video_result *result) {
    video_result_shrink(session, result);
    free(result->activity);
    free(result->runs);
    cli_events_free(&result->events);
}
