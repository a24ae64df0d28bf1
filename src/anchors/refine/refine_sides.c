/* Weights and unknown entries in a refinement. The loss
 *
 *     sum over known entries of  r_i c_j w_ij l(x_ij, (W H)_ij)
 *
 * is to fall in both halves. Weights of rows and columns become factors of X, W and H, as in the
 * selection (data/usable_data.h), so that both halves see one matrix, by columns and by rows. An
 * unknown entry of a column is an unknown entry of its row, and the weight of an entry belongs to
 * both.
 *
 * Losses without a degree keep their row weights: the projections of columns apply them, and the
 * row weights are the weights of the objectives in the projections of rows. */
#include "anchors/refine/refine_sides.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"

/* Transposes the marks of the known entries and the weights of entries. */
static ch_status turn_trust(chi_sides *sides, const chi_trust *trust, int64_t cols) {
    int64_t rows = trust->rows;
    double *factor = trust->factor ? chi_arena_doubles(&sides->arena, rows * cols) : NULL;
    unsigned char *known = chi_arena_alloc(&sides->arena, rows * cols, 1);
    unsigned char *whole = chi_arena_alloc(&sides->arena, rows, 1);
    TRY(chi_arena_status(&sides->arena, "weights of a refinement"));
    for (int64_t i = 0; i < rows; i++) whole[i] = 1;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            int64_t from = i + j * rows, to = j + i * cols;
            known[to] = trust->known[from];
            if (factor) factor[to] = trust->factor[from];
            whole[i] &= factor ? factor[to] == 1 : known[to];
        }
    sides->trust_across =
        (chi_trust){.known = known, .factor = factor, .rows = cols, .whole = whole};
    return CH_OK;
}

static ch_status make(ch_context *context, chi_sides *sides, const chi_usable *usable) {
    const ch_matrix *X = usable->X;
    unsigned char *counts;
    TRY(chi_column_factors(&sides->arena, &sides->column_factor, &sides->by_rows));
    TRY(chi_rows_that_count(usable, &sides->arena, &counts));
    sides->counts = counts;
    if (sides->column_factor) {
        chi_larger how = {
            .type = CH_F64, .column_factor = sides->column_factor, .what = "weighted data"};
        TRY(chi_copy_larger(context, &sides->weighted, X, &how));
        sides->columns.X = &sides->weighted;
    }
    TRY(ch_matrix_transpose(context, &sides->across, sides->columns.X));
    sides->rows.X = &sides->across;
    if (sides->plain) return CH_OK;
    sides->trust = *usable->trust;
    sides->trust.column_weight = NULL;
    sides->columns.trust = &sides->trust;
    sides->rows.trust = &sides->trust_across;
    return turn_trust(sides, usable->trust, X->cols);
}

ch_status chi_sides_make(ch_context *context, chi_sides *sides, const chi_usable *usable,
                         const ch_anchors_settings *settings) {
    *sides = (chi_sides){.arena = {.context = context},
                         .row_factor = usable->row_factor,
                         .by_rows = *settings,
                         .plain = !usable->trust || !usable->trust->known};
    sides->columns = sides->last =
        (chi_side){.X = usable->X, .trust = usable->trust, .settings = settings};
    sides->rows = (chi_side){.weight = usable->row_weight, .settings = &sides->by_rows};
    if (usable->trust) sides->last.weight = usable->trust->column_weight;
    ch_status status = make(context, sides, usable);
    sides->by_rows.row_weights = NULL;
    sides->by_rows.row_weight_count = 0;
    return status;
}

void chi_sides_free(ch_context *context, chi_sides *sides) {
    ch_matrix_free(context, &sides->weighted);
    ch_matrix_free(context, &sides->across);
    chi_arena_free(&sides->arena);
    *sides = (chi_sides){0};
}
