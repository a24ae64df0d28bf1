/* A column with very many non-zero rows is similar to all others by sheer size. If column j has all
 * n_i rows of column i, with weights of about the same size, their cosine is about
 *
 *     (n_i / n_j)^(1/2),
 *
 * whatever j is about: a manual of 2000 different words has the cosine 1/6 with every text of 50
 * words, where texts of different subjects have less. So facility location and the mean of a mixed
 * group take it as the exemplar of all columns that resemble no other. A column is no candidate if
 *
 *     n_j > times n_m,
 *
 * where n_m is the median of all columns that are not zero. With times = 8 the cosine with the
 * median column is at most about 1/3. If a class of the columns is long, more than a few exceed
 * this; so at most one column in TWENTY is left out. Columns of dense matrices are equally long.
 * O(columns). */
#include "text/exemplars/candidate_columns.h"
#include "linalg/linalg.h"
#include <math.h>
#include <string.h>

enum { TWENTY = 20 };

static double find_limit(double *length, int64_t used, double times) {
    double median = chi_select_value(length, used, used / 2);
    double high = chi_select_value(length, used, used - 1 - used / TWENTY);
    return fmax(times * median, high);
}

char *chi_candidate_columns(chi_arena *arena, const ch_matrix *X, double times, int64_t count,
                            int64_t seen) {
    char *may_be = chi_arena_alloc(arena, X->cols, 1);
    double *length = chi_arena_doubles(arena, X->cols);
    int64_t used = 0, left = 0;
    if (!may_be || !length) return NULL;
    memset(may_be, 1, (size_t)X->cols);
    if (X->layout != CH_CSC || times <= 0) return may_be;
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t entries = X->column_start[j + 1] - X->column_start[j];
        if (entries > 0) length[used++] = (double)entries;
    }
    if (used == 0) return may_be;
    double limit = find_limit(length, used, times);
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t entries = X->column_start[j + 1] - X->column_start[j];
        may_be[j] = (double)entries <= limit;
        left += j < seen && entries > 0 && may_be[j];
    }
    if (left < count) memset(may_be, 1, (size_t)X->cols);
    return may_be;
}
