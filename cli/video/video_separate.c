/* One method of conehull video: the background of every plane. */
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "video/video_command.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ended(const cli_session *session, ch_status status, const char *file) {
    if (status < 0) return cli_fail(session, status, file);
    return status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* W for the luma of these frames; a colour is the same W with the model's H of that colour. */
static int apply_model(const cli_session *session, video_result *result, const video_clip *video,
                       const video_arguments *given, const video_model *model) {
    ch_separation *luma = &result->parts[0];
    result->frozen = 1;
    ch_status status = ch_separate_apply(session->context, luma, &video->clip.luma, model->H[0],
                                         model->rank, &given->separate);
    for (int c = 1; status >= 0 && c < VIDEO_HS && video->clip.colour; c++) {
        result->parts[c] = *luma;
        result->parts[c].H = (double *)model->H[c]; /* only read */
    }
    return ended(session, status, NULL);
}

/* What --model will see when it is given this very clip: W fitted once more to the last H. */
static int fit_as_model(const cli_session *session, video_result *result, const video_clip *video,
                        const video_arguments *given) {
    ch_separation again, *luma = &result->parts[0];
    size_t bytes = (size_t)(luma->frames * luma->rank) * sizeof(double);
    ch_status status = ch_separate_apply(session->context, &again, &video->clip.luma, luma->H,
                                         luma->rank, &given->separate);
    if (status >= 0 && again.rank == luma->rank)
        for (int c = 0; c < (video->clip.colour ? VIDEO_HS : 1); c++)
            memcpy(result->parts[c].W, again.W, bytes);
    if (status >= 0) ch_separation_free(session->context, &again);
    return ended(session, status, NULL);
}

/* Its time counts as that of the masks, for whose sake it is done. */
static int remove_ghosts(const cli_session *session, video_result *result,
                         const video_clip *video) {
    ch_separation *parts[VIDEO_HS];
    const ch_matrix *planes[VIDEO_HS];
    int count = video->clip.colour ? VIDEO_HS : 1;
    double start = cli_seconds();
    for (int c = 0; c < count; c++) {
        parts[c] = &result->parts[c];
        planes[c] = c ? &video->clip.channel[c - 1] : &video->clip.luma;
    }
    ch_status status = ch_ghosts_remove(session->context, &result->ghosts, parts, planes, count,
                                        video->clip.width, video->clip.height);
    double seconds = cli_seconds() - start;
    result->score += seconds;
    result->separate -= seconds;
    return ended(session, status, NULL);
}

static int learn(const cli_session *session, video_result *result, const video_clip *video,
                 const video_arguments *given) {
    ch_separate_settings set = given->separate;
    set.method = result->method;
    ch_status status = ch_separate(session->context, &result->parts[0], &video->clip.luma, &set);
    for (int c = 0; c < VIDEO_PLANES_MAX && video->clip.colour; c++) {
        if (status < 0 || status == CH_STOP_CANCELLED) break;
        status = ch_separate_plane(session->context, &result->parts[c + 1], &video->clip.channel[c],
                                   &result->parts[0], &set);
    }
    int code = ended(session, status, NULL);
    if (code == EXIT_DONE && !given->keep_ghosts) code = remove_ghosts(session, result, video);
    return code == EXIT_DONE && given->save ? fit_as_model(session, result, video, given) : code;
}

/* A colour of a model is no fit of its own. */
static void gather(video_result *result) {
    for (int c = 0; c < (result->frozen ? 1 : VIDEO_HS); c++) {
        const ch_separation *parts = &result->parts[c];
        if (cli_exit_code(parts->status) > cli_exit_code(result->status))
            result->status = parts->status;
        result->gap = fmax(result->gap, parts->gap);
        result->unproven += parts->unproven;
    }
}

int video_separate(const cli_session *session, video_result *result, const video_clip *video,
                   const video_arguments *given, const video_model *model) {
    double start = cli_seconds();
    int code = model ? apply_model(session, result, video, given, model)
                     : learn(session, result, video, given);
    result->separate += cli_seconds() - start;
    gather(result);
    return code;
}

void video_result_free(const cli_session *session, video_result *result) {
    for (int c = 0; c < (result->frozen ? 1 : VIDEO_HS); c++)
        ch_separation_free(session->context, &result->parts[c]);
    ch_roc_free(session->context, &result->roc);
    free(result->noise);
    free(result->path);
    free(result->activity);
    free(result->runs);
}
