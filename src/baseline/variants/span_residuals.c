/* A span, as orthonormal directions, and the squared distances of the columns from it. */
#include "baseline/variants/span_residuals.h"
#include "linalg/linalg.h"
#include <cblas.h>
#include <math.h>

static const double tie = 1e-12;  /* values within this share are equal: the lowest column wins */
static const double noise = 1e-7; /* distances up to this share of the norm are rounding errors */

ch_status chi_span_create(chi_arena *arena, chi_span *span, const chi_scaled_columns *columns,
                          int64_t capacity) {
    int64_t rows = columns->X->rows, cols = columns->X->cols;
    TRY(chi_blas_reserve(columns->context));
    *span = (chi_span){.columns = columns,
                       .U = chi_arena_alloc(arena, rows, (size_t)capacity * sizeof(double)),
                       .square = chi_arena_doubles(arena, cols),
                       .least = chi_arena_doubles(arena, cols),
                       .score = chi_arena_doubles(arena, cols)};
    return chi_arena_status(arena, "distances from a span");
}

ch_status chi_span_clear(chi_span *span) {
    const chi_scaled_columns *columns = span->columns;
    TRY(chi_column_norms(columns->context, NULL, span->square, columns->X));
    for (int64_t j = 0; j < columns->X->cols; j++) {
        span->square[j] *= columns->scale[j];
        span->square[j] *= columns->scale[j];
        span->least[j] = noise * noise * span->square[j];
    }
    span->count = 0;
    return CH_OK;
}

double chi_span_remove(const chi_span *span, double *v) {
    int rows = (int)span->columns->X->rows;
    /* Two passes are enough: Giraud, Langou and Rozloznik (2005). */
    for (int twice = 0; twice < 2; twice++)
        for (int64_t a = 0; a < span->count; a++) {
            const double *u = span->U + a * rows;
            cblas_daxpy(rows, -cblas_ddot(rows, u, 1, v, 1), u, 1, v, 1);
        }
    return cblas_dnrm2(rows, v, 1);
}

ch_status chi_span_append(chi_span *span, double *u, double norm) {
    const chi_scaled_columns *columns = span->columns;
    int rows = (int)columns->X->rows;
    cblas_dscal(rows, 1 / norm, u, 1);
    cblas_dcopy(rows, u, 1, span->U + span->count++ * rows, 1);
    TRY(chi_score(columns->context, span->score, columns->X, u, 1));
    for (int64_t j = 0; j < columns->X->cols; j++) {
        double along = span->score[j] * columns->scale[j];
        double left = span->square[j] - along * along;
        span->square[j] = left > span->least[j] ? left : 0;
    }
    return CH_OK;
}

int64_t chi_span_farthest(const chi_span *span, double *distance) {
    int64_t best = -1;
    double largest = 0;
    for (int64_t j = 0; j < span->columns->X->cols; j++)
        if (span->square[j] > largest * (1 + tie)) largest = span->square[best = j];
    *distance = sqrt(largest);
    return best;
}
