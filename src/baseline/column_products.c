/* Products X C and X'F with X listed: the panel is held by rows meanwhile, so that every entry of X
 * meets w numbers side by side. 2 nonzeros w operations and two copies of the panel. */
#include "baseline/column_products.h"

#include <cblas.h>
#include <string.h>

/* Listed when at most one entry of so many is not zero: BLAS makes an operation that much faster.
 */
enum { SPARSE = 10 };

ch_status chi_dictionary_create(ch_context *context, chi_dictionary *dictionary, int64_t m,
                                int64_t n) {
    *dictionary = (chi_dictionary){.m = m, .n = n};
    dictionary->X = chi_alloc(context, m * n, sizeof *dictionary->X);
    if (dictionary->X) return CH_OK;
    return chi_no_memory(context, "a dense matrix", m * n, sizeof *dictionary->X);
}

void chi_dictionary_destroy(ch_context *context, chi_dictionary *dictionary) {
    chi_free(context, dictionary->X);
    chi_free(context, dictionary->start);
    chi_free(context, dictionary->row);
    chi_free(context, dictionary->value);
    *dictionary = (chi_dictionary){0};
}

ch_status chi_dictionary_list(ch_context *context, chi_dictionary *dictionary) {
    int64_t m = dictionary->m, n = dictionary->n, count = 0;
    for (int64_t i = 0; i < m * n; i++) count += dictionary->X[i] != 0;
    if (count > m * n / SPARSE) return CH_OK;
    dictionary->start = chi_alloc(context, n + 1, sizeof *dictionary->start);
    dictionary->row = chi_alloc(context, count, sizeof *dictionary->row);
    dictionary->value = chi_alloc(context, count, sizeof *dictionary->value);
    if (!dictionary->start || !dictionary->row || !dictionary->value)
        return chi_no_memory(context, "entries of a matrix", count, sizeof *dictionary->value);
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
                         int64_t stride, int64_t w, double *room) {
    int64_t m = dictionary->m;
    memset(room, 0, (size_t)(m * w) * sizeof *room);
    for (int64_t j = 0; j < dictionary->n; j++)
        for (int64_t e = dictionary->start[j]; e < dictionary->start[j + 1]; e++)
            add_multiple(room + dictionary->row[e] * w, C + j * stride, dictionary->value[e], w);
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < w; c++) out[i + c * m] = room[i * w + c];
}

static void correlate_listed(const chi_dictionary *dictionary, double *C, int64_t stride,
                             const double *F, int64_t w, double scale, double *room) {
    int64_t m = dictionary->m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < w; c++) room[i * w + c] = F[i + c * m];
    for (int64_t j = 0; j < dictionary->n; j++) {
        double *row = C + j * stride;
        for (int64_t c = 0; c < w; c++) row[c] = scale == 0 ? 0 : scale * row[c];
        for (int64_t e = dictionary->start[j]; e < dictionary->start[j + 1]; e++)
            add_multiple(row, room + dictionary->row[e] * w, dictionary->value[e], w);
    }
}

void chi_dictionary_times(const chi_dictionary *dictionary, double *out, const double *C,
                          int64_t stride, int64_t w, double *room) {
    int m = (int)dictionary->m, n = (int)dictionary->n;
    if (dictionary->start)
        times_listed(dictionary, out, C, stride, w, room);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, (int)w, n, 1, dictionary->X, m, C,
                    (int)stride, 0, out, m);
}

void chi_dictionary_correlate(const chi_dictionary *dictionary, double *C, int64_t stride,
                              const double *F, int64_t w, double scale, double *room) {
    int m = (int)dictionary->m, n = (int)dictionary->n;
    if (dictionary->start)
        correlate_listed(dictionary, C, stride, F, w, scale, room);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)w, n, m, 1, F, m, dictionary->X,
                    m, scale, C, (int)stride);
}
