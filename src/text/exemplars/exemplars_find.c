/* Exemplars of all columns, and which columns each of them represents. For methods whose exemplars
 * explain columns together, the weighted columns are fitted by non-negative least squares,
 *
 *     h_j = argmin_{h >= 0} |x_j - W h|_2,     W = X_A
 *
 * and a column is represented by the exemplar with the largest part |w_k| h_kj of that fit. All
 * methods use least squares, so that their figures can be compared, and because in l1 the best fit
 * of a sparse column is often zero, so that it would have no representative.
 *
 * Facility location, central columns and k-means choose columns that each represent a group alone.
 * There a column is represented by the most similar exemplar, and h_j is the multiple of this
 * exemplar that is nearest to the column. Cost: O(entries x rank). */
#include "base/arena.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include "text/exemplars/content_order.h"
#include "text/exemplars/exemplars_internal.h"
#include "text/exemplars/similarity.h"
#include <math.h>
#include <string.h>

/* Parts below this share of the norm of a column count as zero. */
static const double part_of_nothing = 1e-9;

typedef struct finding {
    ch_context *context;
    chi_arena arena;
    const ch_exemplars_settings *set;
    ch_exemplars *found; /* being filled                       */
    int64_t *order;      /* column k of `weighted` is order[k] */
    ch_matrix weighted;
    double *W, *H;               /* exemplars; the fit       */
    double *square;              /* per column of `weighted` */
    chi_exemplar_columns choice; /* columns of `weighted`    */
} finding;

/* Ties are broken by this order. The order of the file must not decide, so it is drawn from an
 * order by content. */
static ch_status order_columns(finding *f, const ch_matrix *X, ch_random *random) {
    chi_arena arena = {.context = f->context};
    int64_t *content = chi_arena_alloc(&arena, X->cols, sizeof *content);
    ch_status status = chi_content_order(&arena, content, X);
    if (status == CH_OK) {
        ch_random_shuffle(random, f->order, X->cols);
        for (int64_t k = 0; k < X->cols; k++) f->order[k] = content[f->order[k]];
    }
    chi_arena_free(&arena);
    return status;
}

static ch_status weigh_shuffled(finding *f, const ch_matrix *X, ch_random *random) {
    ch_matrix shuffled;
    TRY(order_columns(f, X, random));
    TRY(chi_pause(f->context));
    TRY(ch_matrix_copy(f->context, &shuffled, X, f->order, X->cols));
    ch_weighting weighting = ch_exemplars_weighting(f->set, X);
    ch_status status = chi_pause(f->context);
    if (status == CH_OK)
        status = ch_weighting_apply(f->context, &f->weighted, &shuffled, NULL, &weighting);
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

/* ---- exemplars that stand alone ---- */

enum { BLOCK = 64 }; /* columns that a thread compares at a time */

typedef struct comparing {
    finding *f;
    float *W; /* rank x rows: exemplars of length 1, the values of a row together */
    chi_similarity_room *room;
    double *products; /* rank per thread */
    double *left;     /* per block: unexplained squares */
} comparing;

static void add_row(double *restrict products, const float *restrict row, double x, int64_t rank) {
    for (int64_t k = 0; k < rank; k++) products[k] += x * (double)row[k];
}

static void compare_block(void *user, int64_t block, int thread) {
    comparing *c = user;
    finding *f = c->f;
    int64_t rank = f->choice.found, cols = f->weighted.cols;
    int64_t high = (block + 1) * BLOCK < cols ? (block + 1) * BLOCK : cols;
    double *products = c->products + thread * rank;
    chi_similarity_room *room = &c->room[thread];
    c->left[block] = 0;
    for (int64_t j = block * BLOCK; j < high; j++) {
        int64_t count = chi_column_support(room->index, room->value, &f->weighted, j), best = 0;
        memset(products, 0, (size_t)rank * sizeof *products);
        for (int64_t e = 0; e < count; e++)
            add_row(products, c->W + room->index[e] * rank, room->value[e], rank);
        for (int64_t k = 1; k < rank; k++)
            if (products[k] > products[best]) best = k;
        int like = products[best] > part_of_nothing * sqrt(f->square[j]);
        f->found->stand_in[f->order[j]] = like ? best : -1;
        c->left[block] += fmax(f->square[j] - products[best] * products[best], 0);
    }
}

static ch_status compare(finding *f, double *objective) {
    int threads = ch_context_threads(f->context);
    int64_t rows = f->weighted.rows, rank = f->choice.found;
    int64_t blocks = (f->weighted.cols + BLOCK - 1) / BLOCK;
    double start = chi_seconds();
    comparing c = {.f = f, .W = chi_arena_alloc_zero(&f->arena, rank * rows, sizeof *c.W)};
    c.room = chi_arena_alloc(&f->arena, threads, sizeof *c.room);
    c.products = chi_arena_doubles(&f->arena, threads * rank);
    c.left = chi_arena_doubles(&f->arena, blocks);
    TRY(chi_arena_status(&f->arena, "stand-ins"));
    for (int t = 0; t < threads; t++) chi_similarity_reserve(&f->arena, &c.room[t], &f->weighted);
    TRY(chi_arena_status(&f->arena, "stand-ins"));
    for (int64_t k = 0; k < rank; k++) {
        int64_t j = f->choice.columns[k];
        int64_t count = chi_column_support(c.room[0].index, c.room[0].value, &f->weighted, j);
        for (int64_t e = 0; e < count; e++)
            c.W[k + c.room[0].index[e] * rank] = (float)(c.room[0].value[e] / sqrt(f->square[j]));
    }
    TRY(chi_parallel_until(f->context, blocks, compare_block, &c));
    for (int64_t b = 0; b < blocks; b++) *objective += c.left[b];
    memset(f->found->stands_for, 0, (size_t)rank * sizeof(int64_t));
    for (int64_t j = 0; j < f->weighted.cols; j++)
        if (f->found->stand_in[j] >= 0) f->found->stands_for[f->found->stand_in[j]]++;
    f->found->seconds_project = chi_seconds() - start;
    return CH_OK;
}

/* ---- the call ---- */

static ch_status describe(finding *f) {
    double objective = 0, total = 0;
    int alone = ch_exemplars_stand_alone(f->set->method);
    TRY(chi_column_norms(f->context, NULL, f->square, &f->weighted));
    ch_status status = alone ? compare(f, &objective) : fit(f, &objective);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    for (int64_t j = 0; j < f->weighted.cols; j++) total += f->square[j];
    f->found->explained = 1 - objective / total;
    if (!alone) appoint(f);
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
    if (status == CH_OK) status = chi_outside_status(weigh_shuffled(&f, X, &random));
    if (status == CH_OK)
        status = chi_select_exemplars(context, &f.choice, &f.weighted, rank, &random, &set);
    if (status >= 0 && status != CH_STOP_CANCELLED) fitted = chi_outside_status(describe(&f));
    if (fitted < 0 || fitted == CH_STOP_CANCELLED || status == CH_OK) status = fitted;
    made.status = status;
    made.rank = f.choice.found;
    made.seconds_select = f.choice.seconds;
    made.value = f.choice.value;
    made.optimum = f.choice.optimum;
    made.gains = f.choice.gains;
    made.sample = f.choice.sample;
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
