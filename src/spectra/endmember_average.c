/* Endmembers as averages of the columns nearest in l1 to the ray of a selected column a:
 *
 *     d_j = min_t |x_j - t a|_1 / |x_j|_1,   K = the P columns of least d_j,
 *     e_i = median or mean over K of  x_ij / t_j
 *
 * so that noise and single bad entries of one pixel do not decide (N. Nadisic, N. Gillis and C.
 * Kervazo, "Smoothed separable nonnegative matrix factorization", 2021, who average the columns
 * that are largest along a direction). With the angle instead of d_j, a spike in the selected pixel
 * would find neighbours that only share a spike in the same band: on Samson with spikes the
 * averages were then worse than the pixels. t_j is the median of the ratios x_ij / a_i, weighted by
 * a_i. O(bands log bands) per column and spectrum. */
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128 }; /* columns that a thread processes at a time */

typedef struct ratio {
    double value, weight;
} ratio;

typedef struct smoothing {
    ch_context *context;
    const ch_matrix *X;
    int64_t neighbours;
    ch_spectra_average average;
    chi_arena arena;
    const double *a; /* the spectrum                                  */
    double *far;     /* per column: d_j                               */
    double *along;   /* per column: t_j                               */
    double *x;       /* bands per thread                              */
    ratio *ratios;   /* bands per thread                              */
    double *sorted;  /* the larger of columns and neighbours          */
    double *members; /* bands x neighbours, scaled                    */
    int64_t *list;   /* neighbours                                    */
} smoothing;

static int by_value(const void *left, const void *right) {
    double a = ((const ratio *)left)->value, b = ((const ratio *)right)->value;
    return a < b ? -1 : a > b;
}

/* Returns the lower weighted median of x_i / a_i over a_i > 0 and known x_i. */
static double median_ratio(const smoothing *run, const double *x, ratio *ratios) {
    int64_t count = 0;
    double sum = 0, total = 0;
    for (int64_t i = 0; i < run->X->rows; i++)
        if (run->a[i] > 0 && !isnan(x[i])) {
            ratios[count++] = (ratio){x[i] / run->a[i], run->a[i]};
            total += run->a[i];
        }
    qsort(ratios, (size_t)count, sizeof *ratios, by_value);
    for (int64_t i = 0; i < count; i++) {
        sum += ratios[i].weight;
        if (2 * sum >= total) return ratios[i].value;
    }
    return 0;
}

static void measure_block(void *user, int64_t block, int thread) {
    smoothing *run = user;
    int64_t bands = run->X->rows, high = (block + 1) * BLOCK;
    double *x = run->x + thread * bands;
    if (high > run->X->cols) high = run->X->cols;
    chi_prefetch_block(run->context, run->X, BLOCK, block);
    for (int64_t j = block * BLOCK; j < high; j++) {
        double left = 0, size = 0;
        chi_column_gather(x, run->X, j);
        double t = median_ratio(run, x, run->ratios + thread * bands);
        for (int64_t i = 0; i < bands; i++) {
            if (isnan(x[i])) continue;
            left += fabs(x[i] - t * run->a[i]);
            size += fabs(x[i]);
        }
        run->along[j] = t;
        run->far[j] = t > 0 && size > 0 ? left / size : INFINITY;
    }
}

/* Finds the columns with the least distances; ties at the end go to the lowest column. */
static ch_status find_members(smoothing *run) {
    int64_t cols = run->X->cols, p = run->neighbours, below = 0, found = 0;
    TRY(chi_pass(run->context, run->X, BLOCK, 1, measure_block, run));
    memcpy(run->sorted, run->far, (size_t)cols * sizeof(double));
    double most = chi_select_value(run->sorted, cols, p - 1);
    if (!(most < INFINITY))
        return chi_fail(run->context, CH_ERR_DATA,
                        "an endmember cannot be averaged, because fewer than %lld pixels have a "
                        "similar direction; average fewer pixels",
                        (long long)p);
    for (int64_t j = 0; j < cols; j++) below += run->far[j] < most;
    for (int64_t j = 0, ties = p - below; j < cols; j++)
        if (run->far[j] < most || (run->far[j] == most && ties-- > 0)) run->list[found++] = j;
    return CH_OK;
}

static void average_members(smoothing *run, double *endmember) {
    int64_t bands = run->X->rows, p = run->neighbours;
    for (int64_t m = 0; m < p; m++) {
        double *member = run->members + m * bands;
        chi_column_gather(member, run->X, run->list[m]);
        for (int64_t i = 0; i < bands; i++) member[i] /= run->along[run->list[m]];
    }
    for (int64_t i = 0; i < bands; i++) {
        int64_t known = 0;
        double sum = 0;
        for (int64_t m = 0; m < p; m++) {
            double value = run->members[i + m * bands];
            if (isnan(value)) continue;
            sum += run->sorted[known++] = value;
        }
        if (known == 0) {
            endmember[i] = run->a[i]; /* from the selected pixel */
        } else if (run->average == CH_AVERAGE_MEDIAN) {
            double upper = chi_select_value(run->sorted, known, known / 2);
            double lower = known % 2 ? upper : chi_select_value(run->sorted, known, known / 2 - 1);
            endmember[i] = fmax(0, (lower + upper) / 2);
        } else {
            endmember[i] = fmax(0, sum / (double)known);
        }
    }
}

static ch_status reserve(smoothing *run) {
    chi_arena *arena = &run->arena;
    int64_t cols = run->X->cols, bands = run->X->rows;
    int threads = ch_context_threads(run->context);
    run->far = chi_arena_doubles(arena, cols);
    run->along = chi_arena_doubles(arena, cols);
    run->sorted = chi_arena_doubles(arena, cols);
    run->x = chi_arena_doubles(arena, bands * threads);
    run->ratios = chi_arena_alloc(arena, bands * threads, sizeof(ratio));
    run->members = chi_arena_alloc(arena, bands, (size_t)run->neighbours * sizeof(double));
    run->list = chi_arena_alloc(arena, run->neighbours, sizeof(int64_t));
    return chi_arena_status(arena, "averages of endmembers");
}

static ch_status smooth(smoothing *run, double *endmembers, int64_t *members, const double *spectra,
                        int64_t count) {
    int64_t bands = run->X->rows, p = run->neighbours;
    TRY(reserve(run));
    chi_begin_phase(run->context, "smooth", count);
    for (int64_t k = 0; k < count; k++) {
        run->a = spectra + k * bands;
        TRY(find_members(run));
        average_members(run, endmembers + k * bands);
        if (members) memcpy(members + k * p, run->list, (size_t)p * sizeof *members);
        if (chi_notify(run->context, "smooth", k + 1, count, -1, 0)) return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                            const ch_matrix *X, const double *spectra, int64_t count,
                            const ch_spectra_smoothing *how) {
    if (!context || !endmembers || !X || !spectra || !how) return CH_ERR_ARGUMENT;
    TRY(chi_check_view(context, X));
    if (count < 1)
        return chi_fail(context, CH_ERR_ARGUMENT, "the list of spectra to average is empty");
    if (how->neighbours < 1 || how->neighbours > X->cols)
        return chi_fail(context, CH_ERR_SETTING,
                        "the number of pixels to average is %lld, but it must be from 1 to %lld, "
                        "the number of all pixels",
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
