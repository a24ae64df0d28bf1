/* Common parts of the self-representation methods: panels of columns, memory limits, and the
 * inverse of a shifted Gram matrix by a blocked Cholesky factorisation, which spends nearly all of
 * its time in BLAS. */
#include "baseline/self_representation.h"
#include "linalg/linalg.h"
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 20000, STEP = 48 };
static const double share = 0.6; /* of the machine's memory that a method may use */

static ch_status check(const chi_selfrep *all, const char *method,
                       const ch_anchors_settings *settings, int64_t least_rank) {
    int64_t rank = settings->rank;
    if (rank < least_rank)
        return chi_fail(all->context, CH_ERR_SETTING,
                        "with the method %s the rank must be at least 1, got %lld", method,
                        (long long)rank);
    if (settings->keep_count > 0)
        return chi_fail(
            all->context, CH_ERR_SETTING,
            "the setting 'keep' can be used with the methods xray and spa only, not with %s",
            method);
    if (all->n == 0)
        return chi_fail(all->context, CH_ERR_DATA,
                        "all columns of the matrix are zero, so no column can be an anchor");
    if (rank > all->n)
        return chi_fail(all->context, CH_ERR_SETTING,
                        "the rank is %lld, but the matrix has only %lld columns that are not zero",
                        (long long)rank, (long long)all->n);
    return CH_OK;
}

ch_status chi_selfrep_create(ch_context *context, chi_selfrep *all, const char *method,
                             const ch_matrix *X, const ch_anchors_settings *settings,
                             int64_t least_rank) {
    *all = (chi_selfrep){.context = context, .arena.context = context};
    double *sums = chi_arena_doubles(&all->arena, X->cols);
    all->column = chi_arena_alloc(&all->arena, X->cols, sizeof *all->column);
    TRY(chi_arena_status(&all->arena, method));
    TRY(chi_column_norms(context, sums, NULL, X));
    for (int64_t j = 0; j < X->cols; j++) {
        all->largest_sum = fmax(all->largest_sum, sums[j]);
        if (sums[j] >= DBL_MIN) all->column[all->n++] = j; /* smaller sums cannot be divided by */
    }
    all->panels = (all->n + CHI_PANEL - 1) / CHI_PANEL;
    if (!(all->largest_sum < INFINITY))
        return chi_fail(context, CH_ERR_DATA,
                        "the sum of a column is too large for a floating-point number; multiply "
                        "the data by a small factor");
    return check(all, method, settings, least_rank);
}

static ch_status refuse_large(const chi_selfrep *all, const char *method, double doubles) {
    static const char advice[] = "reduce the number of columns first (by a sample, or by --method "
                                 "spa with a larger rank), or use the method xray or spa";
    long long columns = (long long)all->n;
    if (columns > MOST_COLUMNS)
        return chi_fail(all->context, CH_ERR_UNSUPPORTED,
                        "the method %s stores a matrix of columns x columns and supports at most "
                        "%d columns, got %lld; %s",
                        method, MOST_COLUMNS, columns, advice);
    double bytes = doubles * sizeof(double);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > share * memory)
        return chi_fail(all->context, CH_ERR_MEMORY,
                        "the method %s needs %.1f GB of memory for %lld columns, which is more "
                        "than 60 %% of the %.1f GB of this machine; %s",
                        method, bytes / 1e9, columns, memory / 1e9, advice);
    return CH_OK;
}

ch_status chi_selfrep_reserve(chi_selfrep *all, const char *method, double doubles,
                              int64_t length) {
    int threads = ch_context_threads(all->context);
    TRY(refuse_large(all, method, doubles));
    TRY(chi_blas_reserve(all->context));
    all->part = chi_arena_alloc_zero(&all->arena, 2 * all->panels, sizeof(double));
    all->row_part = chi_arena_doubles(&all->arena, all->panels * all->n);
    all->scratch = chi_arena_alloc(&all->arena, threads, sizeof *all->scratch);
    for (int t = 0; t < threads && all->scratch; t++)
        all->scratch[t] = chi_arena_doubles(&all->arena, length * CHI_PANEL);
    return chi_arena_status(&all->arena, method);
}

double chi_selfrep_sum(const chi_selfrep *all, int which) {
    double total = 0;
    for (int64_t panel = 0; panel < all->panels; panel++) total += all->part[2 * panel + which];
    return total;
}

double chi_selfrep_sweep(chi_selfrep *all, chi_body body, void *user) {
    if (!all->cancelled && chi_parallel_until(all->context, all->panels, body, user) < 0)
        all->cancelled = 1;
    return chi_selfrep_sum(all, 0);
}

int chi_selfrep_pause(chi_selfrep *all) {
    if (!all->cancelled && chi_pause(all->context) < 0) all->cancelled = 1;
    return all->cancelled;
}

/* Computes the lower Cholesky factor of one diagonal block, in place. Returns 0 if a pivot is not
 * positive. */
static int factor_block(double *L, int64_t count, int64_t size) {
    for (int64_t j = 0; j < count; j++) {
        double pivot = L[j + j * size];
        for (int64_t k = 0; k < j; k++) pivot -= L[j + k * size] * L[j + k * size];
        if (!(pivot > 0)) return 0;
        L[j + j * size] = pivot = sqrt(pivot);
        for (int64_t i = j + 1; i < count; i++) {
            double sum = L[i + j * size];
            for (int64_t k = 0; k < j; k++) sum -= L[i + k * size] * L[j + k * size];
            L[i + j * size] = sum / pivot;
        }
    }
    return 1;
}

static int factor(chi_selfrep *all, double *L, int64_t size) {
    for (int64_t j = 0; j < size && !chi_selfrep_pause(all); j += STEP) {
        int64_t width = size - j < STEP ? size - j : STEP, below = size - j - width;
        double *corner = L + j + j * size, *panel = corner + width;
        if (!factor_block(corner, width, size)) return 0;
        if (!below) break;
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)below,
                    (int)width, 1, corner, (int)size, panel, (int)size);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)below, (int)width, -1, panel,
                    (int)size, 1, panel + width * size, (int)size);
    }
    return 1;
}

ch_status chi_spd_invert(chi_selfrep *all, double *inverse, double *work, const double *A,
                         int64_t size, double shift) {
    enum { COLUMNS = 256 }; /* columns solved between checks for cancellation */
    memcpy(work, A, (size_t)(size * size) * sizeof(double));
    for (int64_t i = 0; i < size; i++) work[i + i * size] += shift;
    if (!factor(all, work, size))
        return chi_fail(all->context, CH_ERR_INTERNAL,
                        "the Gram matrix of the columns is numerically not positive semidefinite; "
                        "use another method");
    memset(inverse, 0, (size_t)(size * size) * sizeof(double));
    for (int64_t i = 0; i < size; i++) inverse[i + i * size] = 1;
    for (int64_t j = 0; j < size && !chi_selfrep_pause(all); j += COLUMNS) {
        int width = (int)(size - j < COLUMNS ? size - j : COLUMNS);
        double *columns = inverse + j * size;
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)size,
                    width, 1, work, (int)size, columns, (int)size);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)size,
                    width, 1, work, (int)size, columns, (int)size);
    }
    return CH_OK;
}
