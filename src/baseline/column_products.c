/* Products X C and X'F with X as a list of its non-zero entries. The panel (C or F) is first copied
 * to row order, so that every entry of X is multiplied by w consecutive numbers. Cost: 2 nonzeros w
 * operations and two copies of the panel. */
#include "baseline/column_products.h"

#include <cblas.h>
#include <string.h>

/* X is listed if at most one entry in SPARSE is non-zero, because BLAS is that much faster per
 * entry. */
enum { SPARSE = 10 };

ch_status chi_dictionary_create(chi_arena *arena, chi_dictionary *dictionary, int64_t m,
                                int64_t n) {
    *dictionary = (chi_dictionary){.m = m, .n = n, .X = chi_arena_doubles(arena, m * n)};
    return chi_arena_status(arena, "a dense matrix");
}

ch_status chi_dictionary_list(chi_arena *arena, chi_dictionary *dictionary) {
    int64_t m = dictionary->m, n = dictionary->n, count = 0;
    for (int64_t i = 0; i < m * n; i++) count += dictionary->X[i] != 0;
    if (count > m * n / SPARSE) return CH_OK;
    dictionary->start = chi_arena_alloc(arena, n + 1, sizeof *dictionary->start);
    dictionary->row = chi_arena_alloc(arena, count, sizeof *dictionary->row);
    dictionary->value = chi_arena_doubles(arena, count);
    TRY(chi_arena_status(arena, "entries of a matrix"));
    count = 0;
    for (int64_t j = 0; j < n; j++) {
        const double *x = dictionary->X + j * m;
        dictionary->start[j] = count;
        for (int64_t i = 0; i < m; i++) {
            if (x[i] == 0) continue;
            dictionary->row[count] = (int32_t)i;
            dictionary->value[count++] = x[i];
        }
    }
    dictionary->start[n] = count;
    return CH_OK;
}

static void add_multiple(double *to, const double *from, double factor, int64_t count) {
#pragma omp simd
    for (int64_t c = 0; c < count; c++) to[c] += factor * from[c];
}

static void times_listed(const chi_dictionary *dictionary, double *out, const double *C,
                         int64_t stride, int64_t w, double *workspace) {
    int64_t m = dictionary->m;
    memset(workspace, 0, (size_t)(m * w) * sizeof *workspace);
    for (int64_t j = 0; j < dictionary->n; j++)
        for (int64_t e = dictionary->start[j]; e < dictionary->start[j + 1]; e++)
            add_multiple(workspace + dictionary->row[e] * w, C + j * stride, dictionary->value[e],
                         w);
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < w; c++) out[i + c * m] = workspace[i * w + c];
}

static void correlate_listed(const chi_dictionary *dictionary, double *C, int64_t stride,
                             const double *F, int64_t w, double scale, double *workspace) {
    int64_t m = dictionary->m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < w; c++) workspace[i * w + c] = F[i + c * m];
    for (int64_t j = 0; j < dictionary->n; j++) {
        double *row = C + j * stride;
        for (int64_t c = 0; c < w; c++) row[c] = scale == 0 ? 0 : scale * row[c];
        for (int64_t e = dictionary->start[j]; e < dictionary->start[j + 1]; e++)
            add_multiple(row, workspace + dictionary->row[e] * w, dictionary->value[e], w);
    }
}

void chi_dictionary_times(const chi_dictionary *dictionary, double *out, const double *C,
                          int64_t stride, int64_t w, double *workspace) {
    int m = (int)dictionary->m, n = (int)dictionary->n;
    if (dictionary->start)
        times_listed(dictionary, out, C, stride, w, workspace);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, (int)w, n, 1, dictionary->X, m, C,
                    (int)stride, 0, out, m);
}

void chi_dictionary_correlate(const chi_dictionary *dictionary, double *C, int64_t stride,
                              const double *F, int64_t w, double scale, double *workspace) {
    int m = (int)dictionary->m, n = (int)dictionary->n;
    if (dictionary->start)
        correlate_listed(dictionary, C, stride, F, w, scale, workspace);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)w, n, m, 1, F, m, dictionary->X,
                    m, scale, C, (int)stride);
}
