/* Exemplars of all columns, and whom each of them stands for: the weighted columns are fitted by
 * non-negative least squares,
 *
 *     h_j = argmin_{h >= 0} |x_j - W h|_2,     W = X_A
 *
 * and a column's stand-in is the exemplar with the largest part |w_k| h_kj of that fit. Least
 * squares for every method, so that their figures can be compared, and because in l1 a sparse
 * column is often nearest to zero: nobody would stand for it. */
#include "base/arena.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include "text/exemplars/exemplars_internal.h"
#include <math.h>
#include <string.h>

/* Of the norm of a column: less than this is nothing. */
static const double part_of_nothing = 1e-9;

typedef struct finding {
    ch_context *context;
    chi_arena arena;
    const ch_exemplars_settings *set;
    ch_exemplars *found; /* being filled                        */
    int64_t *order;      /* column k of `weighted` is order[k]  */
    ch_matrix weighted;
    double *W, *H;               /* exemplars; the fit                  */
    double *square;              /* per column of `weighted`            */
    chi_exemplar_columns choice; /* columns of `weighted`               */
} finding;

/* Columns that tie are taken in this order, which the file's order must not decide. */
static ch_status weigh_shuffled(finding *f, const ch_matrix *X, ch_random *random) {
    ch_matrix shuffled;
    ch_random_shuffle(random, f->order, X->cols);
    TRY(ch_matrix_copy(f->context, &shuffled, X, f->order, X->cols));
    ch_status status =
        ch_weighting_apply(f->context, &f->weighted, &shuffled, NULL, &f->set->weight);
    ch_matrix_free(f->context, &shuffled);
    return status;
}

static ch_status fit(finding *f, double *objective) {
    ch_anchors_settings set;
    ch_project_info info = {.size = sizeof info};
    int64_t rows = f->weighted.rows, rank = f->choice.found;
    TRY(chi_settings_take(f->context, &set, ch_anchors_table(), f->set->select));
    set.method = CH_METHOD_XRAY;
    set.loss = CH_LOSS_L2;
    set.projection = CH_PROJECTION_AUTO;
    f->W = chi_arena_doubles(&f->arena, rows * rank);
    f->H = chi_arena_doubles(&f->arena, rank * f->weighted.cols);
    TRY(chi_arena_status(&f->arena, "the fit of all columns"));
    for (int64_t k = 0; k < rank; k++)
        chi_column_gather(f->W + k * rows, &f->weighted, f->choice.columns[k]);
    ch_status status = ch_project(f->context, f->H, &info, &f->weighted, f->W, rank, &set);
    if (status >= 0 && status != CH_STOP_CANCELLED) {
        *objective = info.objective;
        f->found->seconds_project = info.seconds;
    }
    return status;
}

static void appoint(finding *f) {
    int64_t rank = f->choice.found;
    memset(f->found->stands_for, 0, (size_t)rank * sizeof(int64_t));
    for (int64_t j = 0; j < f->weighted.cols; j++) {
        const double *h = f->H + j * rank;
        double most = part_of_nothing * sqrt(f->square[j]);
        int64_t best = -1;
        for (int64_t k = 0; k < rank; k++) {
            double part = h[k] * sqrt(f->square[f->choice.columns[k]]);
            if (part > most) {
                most = part;
                best = k;
            }
        }
        f->found->stand_in[f->order[j]] = best;
        if (best >= 0) f->found->stands_for[best]++;
    }
}

static ch_status describe(finding *f) {
    double objective = 0, total = 0;
    TRY(chi_column_norms(f->context, NULL, f->square, &f->weighted));
    ch_status status = fit(f, &objective);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    for (int64_t j = 0; j < f->weighted.cols; j++) total += f->square[j];
    f->found->explained = 1 - objective / total;
    appoint(f);
    for (int64_t k = 0; k < f->choice.found; k++)
        f->found->columns[k] = f->order[f->choice.columns[k]];
    return status;
}

static ch_status allocate(finding *f, int64_t rank, int64_t cols) {
    ch_exemplars *found = f->found;
    f->order = chi_arena_alloc(&f->arena, cols, sizeof *f->order);
    f->square = chi_arena_doubles(&f->arena, cols);
    f->choice.columns = chi_arena_alloc(&f->arena, rank, sizeof(int64_t));
    found->columns = chi_alloc(f->context, rank, sizeof(int64_t));
    found->stands_for = chi_alloc(f->context, rank, sizeof(int64_t));
    found->stand_in = chi_alloc(f->context, cols, sizeof(int64_t));
    if (found->columns && found->stands_for && found->stand_in)
        return chi_arena_status(&f->arena, "exemplars");
    return chi_no_memory(f->context, "exemplars", cols + rank, sizeof(int64_t));
}

ch_status ch_exemplars_find(ch_context *context, ch_exemplars *found, const ch_matrix *X,
                            int64_t rank, const ch_exemplars_settings *settings) {
    TRY(chi_check_view(context, X));
    ch_exemplars_settings set;
    TRY(chi_sized_check(context, found, "ch_exemplars"));
    TRY(chi_settings_take(context, &set, ch_exemplars_table(), settings));
    TRY(chi_check_exemplars(context, X, rank, X->cols, "the matrix"));
    ch_exemplars made = {.size = sizeof made, .cols = X->cols};
    finding f = {.context = context, .arena = {.context = context}, .set = &set, .found = &made};
    ch_random random = chi_numbered_random(set.seed, 0);
    ch_status status = allocate(&f, rank, X->cols), fitted = CH_OK;
    if (status == CH_OK) status = weigh_shuffled(&f, X, &random);
    if (status == CH_OK)
        status = chi_select_exemplars(context, &f.choice, &f.weighted, rank, &random, &set);
    if (status >= 0 && status != CH_STOP_CANCELLED) fitted = describe(&f);
    if (fitted < 0 || fitted == CH_STOP_CANCELLED || status == CH_OK) status = fitted;
    made.status = status;
    made.rank = f.choice.found;
    made.seconds_select = f.choice.seconds;
    ch_matrix_free(context, &f.weighted);
    chi_arena_free(&f.arena);
    if (status < 0 || status == CH_STOP_CANCELLED) ch_exemplars_free(context, &made);
    if (status >= 0) chi_result_give(found, &made, sizeof made);
    return status;
}

void ch_exemplars_free(ch_context *context, ch_exemplars *found) {
    chi_free(context, found->columns);
    chi_free(context, found->stand_in);
    chi_free(context, found->stands_for);
    chi_result_clear(found);
}
