/* Limits of the methods that keep a square of the columns, and the inverse of a shifted Gram matrix
 * by Cholesky, blocked so that nearly all of it runs in BLAS. */
#include "baseline/gram_inverse.h"
#include <cblas.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 20000, STEP = 48 };
static const double share = 0.6; /* of the machine's memory */

ch_status chi_refuse_large(ch_context *context, const char *method, int64_t columns,
                           double doubles) {
    static const char advice[] = "choose columns first (a sample, or --method spa with a larger "
                                 "rank), or use xray or spa";
    if (columns > MOST_COLUMNS)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s keeps columns x columns numbers and takes up to %d columns, got %lld: "
                        "%s",
                        method, MOST_COLUMNS, (long long)columns, advice);
    double bytes = doubles * sizeof(double);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > share * memory)
        return chi_fail(context, CH_ERR_MEMORY,
                        "%s needs %.1f GB of memory for %lld columns, more than 60 %% of this "
                        "machine's %.1f GB: %s",
                        method, bytes / 1e9, (long long)columns, memory / 1e9, advice);
    return CH_OK;
}

ch_status chi_check_selector(ch_context *context, const char *method, int64_t rank, int may_choose,
                             int64_t usable, int64_t keep_count) {
    if (rank < 1 && !may_choose)
        return chi_fail(context, CH_ERR_SETTING, "rank must be at least 1 for %s, got %lld", method,
                        (long long)rank);
    if (keep_count > 0)
        return chi_fail(context, CH_ERR_SETTING, "keep is for xray and spa, not for %s", method);
    if (usable == 0)
        return chi_fail(context, CH_ERR_DATA, "all columns are zero: there is no anchor");
    if (rank > usable)
        return chi_fail(context, CH_ERR_SETTING,
                        "rank %lld is larger than the number of columns that are not zero, %lld",
                        (long long)rank, (long long)usable);
    return CH_OK;
}

/* Lower Cholesky factor of one diagonal block, in place. */
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

static int factor(double *L, int64_t size) {
    for (int64_t j = 0; j < size; j += STEP) {
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

int chi_spd_invert(double *inverse, double *work, const double *A, int64_t size, double shift) {
    memcpy(work, A, (size_t)(size * size) * sizeof(double));
    for (int64_t i = 0; i < size; i++) work[i + i * size] += shift;
    if (!factor(work, size)) return 0;
    memset(inverse, 0, (size_t)(size * size) * sizeof(double));
    for (int64_t i = 0; i < size; i++) inverse[i + i * size] = 1;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)size,
                (int)size, 1, work, (int)size, inverse, (int)size);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)size,
                (int)size, 1, work, (int)size, inverse, (int)size);
    return 1;
}
