/* The residual against rank, for the page: a run of the selection by itself on evenly spaced
 * pixels, a few anchors past the rank that was used. */
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "video/video_command.h"
#include <conehull/anchors.h>
#include <stdlib.h>

enum { SAMPLE = 8192, PAST = 4, LEAST = 8 };

/* Every few pixels, of those that are watched. */
static int64_t sample_pixels(int64_t *list, const video_clip *video) {
    int64_t count = 0, seen = 0, wanted = video->watched_count;
    int64_t every = (wanted + SAMPLE - 1) / SAMPLE;
    for (int64_t j = 0; j < video->pixels; j++) {
        if (video->watched && !video->watched[j]) continue;
        if (seen++ % every == 0) list[count++] = j;
    }
    return count;
}

static ch_status select_anchors(const cli_session *session, ch_anchors_result *found,
                                const video_clip *video, const video_result *result,
                                const int64_t *list, int64_t count) {
    ch_anchors_settings set;
    ch_matrix X;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.loss = result->method == CH_SEPARATE_XRAY_L2 ? CH_LOSS_L2 : CH_LOSS_L1;
    set.rank = result->parts[0].rank + PAST;
    if (set.rank < LEAST) set.rank = LEAST;
    set.rank++; /* the residual of the last one is not measured */
    set.select_only = 1;
    if (set.rank > count) set.rank = count;
    ch_status status = ch_matrix_copy(session->context, &X, &video->clip.luma, list, count);
    if (status < 0) return status;
    status = ch_anchors(session->context, found, &X, &set);
    ch_matrix_free(session->context, &X);
    return status;
}

int video_find_path(const cli_session *session, video_result *result, const video_clip *video) {
    double start = cli_seconds();
    if (!result->parts[0].anchors) return EXIT_DONE;
    int64_t *list = malloc((size_t)SAMPLE * sizeof *list);
    if (!list) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    ch_anchors_result found;
    result->sample = sample_pixels(list, video);
    ch_status status = select_anchors(session, &found, video, result, list, result->sample);
    free(list);
    if (status == CH_ERR_SETTING)
        return EXIT_DONE; /* fewer different courses than that: no curve */
    if (status < 0) return cli_fail(session, status, NULL);
    result->path = malloc((size_t)(found.rank + 1) * sizeof *result->path);
    result->path_count = result->path && found.rank > 1 ? found.rank - 1 : 0;
    for (int64_t k = 0; k < result->path_count; k++) result->path[k] = found.max_residual[k];
    ch_anchors_result_free(session->context, &found);
    result->report += cli_seconds() - start;
    return status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_DONE;
}
