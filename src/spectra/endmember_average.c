/* Endmembers as averages of the columns nearest to a chosen one:
 *
 *     K = the P columns j of largest <a, x_j> / |x_j|,
 *     e_i = median or mean over K of  x_ij |a| / |x_j|
 *
 * so that noise and single bad entries of one pixel do not decide (N. Nadisic, N. Gillis and
 * C. Kervazo, "Smoothed separable nonnegative matrix factorization", 2021, who average the columns
 * that are largest along a direction; here they are those at the smallest angles, since the choice
 * of the column itself was robust already). */
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>
#include <string.h>

typedef struct smoothing {
    ch_context *context;
    const ch_matrix *X;
    int64_t neighbours;
    ch_spectra_average average;
    chi_arena arena;
    double *length;  /* per column: |x_j|_2                              */
    double *score;   /* CHI_SCORE_MAX x columns: <a, x_j>, then cosines  */
    double *sorted;  /* columns, or neighbours                           */
    double *members; /* bands x neighbours, scaled                       */
    int64_t *list;   /* neighbours                                       */
} smoothing;

static double length_of(const double *a, int64_t bands) {
    double sum = 0;
    for (int64_t i = 0; i < bands; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* The columns of the largest cosines; ties at the end go to the lowest. */
static void find_members(smoothing *run, double *cosine) {
    int64_t cols = run->X->cols, p = run->neighbours, above = 0, found = 0;
    for (int64_t j = 0; j < cols; j++)
        cosine[j] = run->length[j] > 0 ? cosine[j] / run->length[j] : -INFINITY;
    memcpy(run->sorted, cosine, (size_t)cols * sizeof(double));
    double least = chi_select_value(run->sorted, cols, cols - p);
    for (int64_t j = 0; j < cols; j++) above += cosine[j] > least;
    for (int64_t j = 0, ties = p - above; j < cols; j++)
        if (cosine[j] > least || (cosine[j] == least && ties-- > 0)) run->list[found++] = j;
}

static void average_members(smoothing *run, double *endmember, double length) {
    int64_t bands = run->X->rows, p = run->neighbours;
    for (int64_t a = 0; a < p; a++) {
        double *member = run->members + a * bands, own = run->length[run->list[a]];
        chi_column_gather(member, run->X, run->list[a]);
        for (int64_t i = 0; own > 0 && i < bands; i++) member[i] *= length / own;
    }
    for (int64_t i = 0; i < bands; i++) {
        double sum = 0;
        for (int64_t a = 0; a < p; a++) sum += run->sorted[a] = run->members[i + a * bands];
        if (run->average == CH_AVERAGE_MEDIAN) {
            double upper = chi_select_value(run->sorted, p, p / 2);
            double lower = p % 2 ? upper : chi_select_value(run->sorted, p, p / 2 - 1);
            endmember[i] = fmax(0, (lower + upper) / 2);
        } else {
            endmember[i] = fmax(0, sum / (double)p);
        }
    }
}

static ch_status reserve(smoothing *run) {
    chi_arena *arena = &run->arena;
    int64_t cols = run->X->cols;
    run->length = chi_arena_doubles(arena, cols);
    run->score = chi_arena_alloc(arena, cols, CHI_SCORE_MAX * sizeof(double));
    run->sorted = chi_arena_doubles(arena, cols);
    run->members = chi_arena_alloc(arena, run->X->rows, (size_t)run->neighbours * sizeof(double));
    run->list = chi_arena_alloc(arena, run->neighbours, sizeof(int64_t));
    TRY(chi_arena_status(arena, "averages of endmembers"));
    TRY(chi_column_norms(run->context, NULL, run->length, run->X));
    for (int64_t j = 0; j < cols; j++) run->length[j] = sqrt(run->length[j]);
    return CH_OK;
}

static ch_status smooth(smoothing *run, double *endmembers, int64_t *members, const double *spectra,
                        int64_t count) {
    int64_t bands = run->X->rows, p = run->neighbours;
    TRY(reserve(run));
    for (int64_t k = 0; k < count; k++) {
        int64_t at = k % CHI_SCORE_MAX, left = count - k;
        if (at == 0)
            TRY(chi_score(run->context, run->score, run->X, spectra + k * bands,
                          left < CHI_SCORE_MAX ? (int)left : CHI_SCORE_MAX));
        find_members(run, run->score + at * run->X->cols);
        average_members(run, endmembers + k * bands, length_of(spectra + k * bands, bands));
        if (members) memcpy(members + k * p, run->list, (size_t)p * sizeof *members);
    }
    return CH_OK;
}

ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                            const ch_matrix *X, const double *spectra, int64_t count,
                            const ch_spectra_smoothing *how) {
    if (!context || !endmembers || !X || !spectra || !how) return CH_ERR_ARGUMENT;
    TRY(chi_check_view(context, X));
    if (count < 1) return chi_fail(context, CH_ERR_ARGUMENT, "no spectra to average around");
    if (how->neighbours < 1 || how->neighbours > X->cols)
        return chi_fail(context, CH_ERR_SETTING,
                        "an average of %lld pixels is not possible: there are %lld",
                        (long long)how->neighbours, (long long)X->cols);
    smoothing run = {.context = context,
                     .X = X,
                     .neighbours = how->neighbours,
                     .average = how->average,
                     .arena.context = context};
    double *made = chi_alloc(context, X->rows, (size_t)count * sizeof(double));
    ch_status status = made ? smooth(&run, made, members, spectra, count)
                            : chi_no_memory(context, "averages of endmembers", count, 8);
    if (status == CH_OK) memcpy(endmembers, made, (size_t)(X->rows * count) * sizeof(double));
    chi_free(context, made);
    chi_arena_free(&run.arena);
    return chi_outside_status(status);
}
