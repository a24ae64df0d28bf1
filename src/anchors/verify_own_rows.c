/* Checks a column that lacks some rows, or whose entries have different weights. The check is that
 * of verify_column.c on a matrix that has only these rows, with each row of x and W multiplied by
 * the factor of its entry. */
#include "anchors/verify.h"

#include <string.h>

/* The current column and W on its rows, as a separate problem. */
typedef struct chi_check_own {
    chi_check check;
    ch_matrix column; /* the column x, whatever column number is requested */
    double *W, *x;
    double *row_weight; /* or NULL */
    int32_t *row;
} chi_check_own;

void chi_check_own_create(chi_check_space *s, chi_arena *arena, const chi_check *c) {
    int64_t rows = c->X->rows, rank = c->rank;
    chi_check_own *own = chi_arena_alloc_zero(arena, 1, sizeof *own);
    if (!own) return; /* the caller tests the arena's status */
    own->check = *c;
    own->W = chi_arena_doubles(arena, rows * rank);
    own->x = chi_arena_doubles(arena, rows);
    own->row = chi_arena_alloc(arena, rows, sizeof *own->row);
    own->check.sums = chi_arena_doubles(arena, rank);
    if (c->gram) own->check.gram = chi_arena_doubles(arena, rank * rank);
    if (c->row_sums) own->check.row_sums = chi_arena_doubles(arena, rows);
    if (c->row_weight) own->row_weight = chi_arena_doubles(arena, rows);
    own->check.row_weight = own->row_weight;
    own->check.W = own->W;
    own->check.own_row = own->row;
    own->check.X = &own->column;
    s->own = own;
}

chi_column_report chi_check_own_column(const chi_check *c, const chi_check_space *s,
                                       const chi_trust *trust, const double *b, int64_t j) {
    chi_check_own *own = s->own;
    const unsigned char *known = trust->known + j * trust->rows;
    const double *factor = trust->factor ? trust->factor + j * trust->rows : NULL;
    int64_t rows = c->X->rows, count = 0;
    chi_column_gather(s->value, c->X, j);
    for (int64_t i = 0; i < rows; i++)
        if (i >= trust->rows || known[i]) own->row[count++] = (int32_t)i;
    for (int64_t e = 0; e < count; e++) {
        int64_t i = own->row[e];
        double times = !factor ? 1 : i < trust->rows ? factor[i] : trust->lift[j];
        own->x[e] = times * s->value[i];
        if (c->row_weight) own->row_weight[e] = i < trust->rows ? c->row_weight[i] : 1;
        for (int64_t k = 0; k < c->rank; k++) own->W[e + k * count] = times * c->W[i + k * rows];
    }
    own->column = (ch_matrix){.rows = count, .cols = j + 1, .values = own->x};
    own->check.rank = c->rank;
    chi_check_update(&own->check, 0);
    return chi_check_column(&own->check, s, b, j);
}
