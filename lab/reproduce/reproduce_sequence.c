/* The sequences of the paper's Section 5.3 and their ROC curves. */
#include "reproduce/reproduce_sequence.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <conehull/metrics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Keeps the masks of frames that were read, moved together. */
static int match_truth(repro_sequence *sequence, const char *folder) {
    ch_masks *truth = &sequence->truth;
    size_t size = (size_t)(truth->width * truth->height);
    int64_t kept = 0, row = 0;
    for (int64_t i = 0; i < truth->count && kept < SEQUENCE_TRUTH; i++) {
        while (row < sequence->clip.frames && sequence->clip.index[row] < truth->frame[i]) row++;
        if (row == sequence->clip.frames || sequence->clip.index[row] != truth->frame[i]) continue;
        memmove(truth->foreground + (size_t)kept * size, truth->foreground + (size_t)i * size,
                size);
        sequence->rows[kept++] = row;
    }
    truth->count = kept;
    if (kept > 1) return EXIT_DONE;
    return cli_error(EXIT_USAGE,
                     "%s: at least two masks must belong to frames that are used, but only %lld do",
                     folder, (long long)kept);
}

static int read_files(repro_sequence *sequence, const cli_session *session, const char *frames,
                      const char *masks, const repro_stretch *stretch) {
    ch_context *context = session->context;
    ch_clip_settings set;
    if (!frames || !masks) return cli_no_memory();
    sequence->clip.size = sizeof sequence->clip;
    sequence->truth.size = sizeof sequence->truth;
    ch_clip_defaults(&set);
    set.from = stretch->from;
    set.frames = stretch->frames;
    set.step = stretch->step;
    set.width = stretch->width;
    set.gray = 1;
    TRY(cli_check(session, ch_masks_read(context, &sequence->truth, masks)));
    set.keep = sequence->truth.frame;
    set.keep_count = sequence->truth.count;
    TRY(cli_check(session, ch_clip_read(context, &sequence->clip, frames, &set)));
    TRY(match_truth(sequence, masks));
    return cli_check(session, ch_clip_fit_masks(context, &sequence->truth, &sequence->clip));
}

int repro_sequence_read(repro_sequence *sequence, const cli_session *session, const char *folder,
                        const repro_stretch *stretch) {
    char *frames = cli_path_join(folder, "frames.mkv"), *masks = cli_path_join(folder, "gt");
    int code = read_files(sequence, session, frames, masks, stretch);
    free(frames);
    free(masks);
    return code;
}

void repro_sequence_free(repro_sequence *sequence, const cli_session *session) {
    ch_clip_free(session->context, &sequence->clip);
    ch_masks_free(session->context, &sequence->truth);
}

/* ---- scoring ---- */

double repro_roc_axis(int point) {
    double part = (double)point / (SEQUENCE_POINTS - 1);
    return 0.3 * part * part;
}

/* The curve at the points of the axis, straight between its own. */
static void read_curve(double *rate, const ch_roc *roc) {
    int64_t at = 0;
    for (int k = 0; k < SEQUENCE_POINTS; k++) {
        double alarms = repro_roc_axis(k) * (double)roc->negatives;
        while (at + 2 < roc->count && (double)roc->points[at + 1].false_positives < alarms) at++;
        const ch_roc_point *a = &roc->points[at], *b = &roc->points[at + 1];
        double width = (double)(b->false_positives - a->false_positives);
        double part = width > 0 ? (alarms - (double)a->false_positives) / width : 1;
        double found = (double)a->true_positives +
                       fmin(fmax(part, 0), 1) * (double)(b->true_positives - a->true_positives);
        rate[k] = found / (double)roc->positives;
    }
}

/* Areas with one frame left out: scores are counted in steps of 1/128 gray level, so a curve costs
 * no sorting. */
static ch_status leave_out(repro_roc *to, const repro_sequence *sequence, ch_context *context,
                           const uint16_t *scores, int64_t pixels) {
    ch_status status = CH_OK;
    for (int64_t out = 0; out < to->frames && status == CH_OK; out++) {
        ch_scorer *scorer = NULL;
        ch_roc roc = {.size = sizeof roc};
        status = ch_scorer_create(context, &scorer);
        for (int64_t i = 0; i < to->frames && status == CH_OK; i++)
            if (i != out)
                status = ch_scorer_add_u16(scorer, scores + i * pixels,
                                           sequence->truth.foreground + i * pixels, NULL, pixels);
        if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
        to->without[out] = roc.auc;
        ch_roc_free(context, &roc);
        ch_scorer_destroy(scorer);
    }
    return status;
}

/* |pixel - background| of a frame, as it is and counted. */
static ch_status score_frame(float *exact, uint16_t *counted, const repro_sequence *sequence,
                             ch_context *context, const ch_separation *parts, int64_t frame) {
    int64_t pixels = sequence->clip.luma.cols;
    ch_status status = ch_separation_residual(context, exact, parts, &sequence->clip.luma,
                                              sequence->rows[frame], 1);
    for (int64_t j = 0; j < pixels && status == CH_OK; j++) {
        exact[j] = fabsf(exact[j]);
        counted[j] = (uint16_t)fminf(roundf(128 * exact[j]), 65535);
    }
    return status;
}

ch_status repro_sequence_score(repro_roc *to, const repro_sequence *sequence, ch_context *context,
                               const ch_separation *parts) {
    int64_t pixels = sequence->clip.luma.cols;
    float *exact = malloc((size_t)pixels * sizeof *exact);
    uint16_t *counted = malloc((size_t)(pixels * sequence->truth.count) * sizeof *counted);
    ch_scorer *scorer = NULL;
    ch_roc roc = {.size = sizeof roc};
    memset(to, 0, sizeof *to);
    to->frames = sequence->truth.count;
    ch_status status = exact && counted ? ch_scorer_create(context, &scorer) : CH_ERR_MEMORY;
    for (int64_t i = 0; i < to->frames && status == CH_OK; i++) {
        status = score_frame(exact, counted + i * pixels, sequence, context, parts, i);
        if (status == CH_OK)
            status = ch_scorer_add_f32(scorer, exact, sequence->truth.foreground + i * pixels, NULL,
                                       pixels);
    }
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    if (status == CH_OK) {
        to->auc = roc.auc;
        to->best_f = roc.best_f;
        read_curve(to->rate, &roc);
        status = leave_out(to, sequence, context, counted, pixels);
    }
    ch_roc_free(context, &roc);
    ch_scorer_destroy(scorer);
    free(exact);
    free(counted);
    return status;
}
