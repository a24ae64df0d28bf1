/* Fits the model of low_rank_model.h. If all known entries have the same weight, the products over
 * the known entries of a vector are those over all entries, which a round computes once, minus
 * those over the unknown ones, if these are fewer.
 *
 * New components: with the weighted residuals E (0 where unknown), A := E E' A, begun from random
 * numbers and made orthonormal, POWER times.
 *
 * Cost: a fit of one side is O(rank^2) for each known or each unknown entry of the sample,
 * whichever are fewer; a new component is O(1) for each entry. */
#include "anchors/data/low_rank_model.h"
#include <conehull/anchors.h>
#include <conehull/random.h>

#include <math.h>
#include <string.h>

enum { POWER = 2 };
static const double FLOOR = 0.25; /* a model below a quarter of its entry counts as a quarter */
static const double MOST = 2; /* an anchor may be the largest of its row, and unknown there     */
static const double RIDGE = 1e-7; /* relative to the mean of the diagonal: makes every system
                                     regular */

/* ---- one vector ---------------------------------------------------------------------------- */

double chi_model_exponent(const chi_incomplete *given) {
    if (given->loss == CH_LOSS_KL) return 1;
    if (given->loss == CH_LOSS_IS) return 0;
    return given->loss == CH_LOSS_BETA ? given->beta : 2;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

int chi_model_has_corners(const chi_incomplete *given) {
    return given->loss == CH_LOSS_L1 || given->loss == CH_LOSS_QUANTILE;
}

double chi_model_estimate(const chi_incomplete *given, double y, double largest) {
    double most = MOST * largest;
    if (given->loss == CH_LOSS_LOGISTIC) most = fmin(most, 1);
    y = larger(y, 0);
    return y < most ? y : most;
}

/* Returns the size of an entry in the curvature of a divergence: the model, unless that is far too
 * small. A model near zero, or below, would give its entry so much weight that the fit of all other
 * entries would suffer. */
static double size_of(const chi_model_space *s, int64_t e, double near) {
    return larger(larger(s->y[e], near), FLOOR * s->x[e]);
}

/* From model values in s->y, computes the weights of entries in the least squares of this pass.
 * pow() takes a tenth of a run, so kl and is do without it. */
static void weigh_entries(const chi_model *w, chi_model_space *s) {
    double near = CHI_MODEL_NEAR * w->scale, exponent = chi_model_exponent(w->given) - 2;
    if (chi_model_has_corners(w->given))
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * near / larger(fabs(s->x[e] - s->y[e]), near);
    else if (exponent == -1)
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * w->scale / size_of(s, e, near);
    else if (exponent == -2)
        for (int64_t e = 0; e < s->count; e++) {
            double ratio = w->scale / size_of(s, e, near);
            s->y[e] = s->weight[e] * ratio * ratio;
        }
    else
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * pow(size_of(s, e, near) / w->scale, exponent);
}

/* The known entries, with the vectors of the other side. */
static chi_model_entries entries_of(const chi_model *w, const chi_model_space *s,
                                    const chi_model_side *other) {
    const double *weight = w->alike ? NULL : s->weight;
    if (s->dense)
        return (chi_model_entries){
            .vector = other->vector, .width = w->width, .x = s->dense, .count = other->count};
    return (chi_model_entries){.vector = other->vector,
                               .width = w->width,
                               .at = s->at,
                               .weight = w->plain ? weight : s->y,
                               .x = s->x,
                               .count = s->count};
}

/* Computes G over the known entries. */
static void multiply(const chi_model *w, chi_model_space *s, const chi_model_entries *known) {
    chi_model_entries listed = *known;
    if (known->weight || s->missing > s->count) {
        listed.at = s->at;
        listed.count = s->count;
        w->loops->products(s->G, &listed);
        return;
    }
    listed.at = s->gone;
    listed.count = s->missing;
    w->loops->products(s->G, &listed);
    for (int64_t k = 0; k < w->rank; k++)
        for (int64_t e = k * w->width + k; e < (k + 1) * w->width; e++)
            s->G[e] = w->all[e] - s->G[e];
}

void chi_model_fit_vector(const chi_model *w, chi_model_space *s, double *v,
                          const chi_model_side *other) {
    chi_model_entries entries = entries_of(w, s, other);
    double trace = 0;
    if (!w->plain) {
        w->loops->evaluate(s->y, &entries, v);
        weigh_entries(w, s);
    }
    multiply(w, s, &entries);
    for (int64_t k = 0; k < w->rank; k++) trace += s->G[k * w->width + k];
    double ridge = RIDGE * trace / (double)w->rank; /* regularises undetermined vectors */
    w->loops->multiples(v, &entries);
    if (ridge > 0)
        w->loops->solve(s->G, v, w->rank, w->width, ridge);
    else
        memset(v, 0, (size_t)w->width * sizeof *v);
}

/* Returns the weighted squares left by v, with the weights of its last fit. Stores the weighted
 * residuals, unless `left` is NULL. */
static double squares_left(const chi_model *w, chi_model_space *s, const double *v, double *left) {
    double squares = 0;
    chi_model_entries entries = entries_of(w, s, &w->U);
    w->loops->evaluate(s->model, &entries, v);
    for (int64_t e = 0; e < s->count; e++) {
        double r = s->x[e] - s->model[e], weighted = entries.weight ? entries.weight[e] * r : r;
        squares += weighted * r;
        if (left) left[s->at[e]] = weighted;
    }
    return squares;
}

/* ---- rows and columns ---------------------------------------------------------------------- */

/* Lists known and unknown entries from place `first` on: entry k is at first + offset[k] (NULL: at
 * first + k). It has no branches, because they would be unpredictable. */
static void list_entries(chi_model_space *s, const chi_incomplete *given, int64_t first,
                         const int64_t *offset, int64_t entries) {
    int64_t count = 0, missing = 0;
    for (int64_t k = 0; k < entries; k++) {
        int64_t at = first + (offset ? offset[k] : k);
        s->at[count] = s->gone[missing] = k;
        s->weight[count] = given->weight ? given->weight[at] : 1;
        s->x[count] = given->X[at];
        count += given->mark[at];
        missing += !given->mark[at];
    }
    s->count = count;
    s->missing = missing;
    s->dense = NULL;
}

void chi_model_load_column(const chi_model *w, chi_model_space *s, int64_t j) {
    const chi_incomplete *given = w->given;
    int64_t at = j * given->rows, count = 0;
    list_entries(s, given, at, NULL, given->rows);
    for (int64_t e = 0; given->row_weight && e < s->count; e++) { /* drop rows of weight 0 */
        s->at[count] = s->at[e];
        s->x[count] = s->x[e];
        s->weight[count] = s->weight[e] * given->row_weight[s->at[e]];
        count += s->weight[count] > 0;
    }
    if (given->row_weight) s->count = count;
}

/* Computes the products over all entries, for equal weights. */
void chi_model_prepare(const chi_model *w, const chi_model_side *other) {
    chi_model_entries all = {.vector = other->vector, .width = w->width, .count = other->count};
    if (w->alike && w->plain) w->loops->products(w->all, &all);
}

static void fit_row(void *user, int64_t i, int thread) {
    const chi_model *w = user;
    chi_model_space *s = &w->space[thread];
    list_entries(s, w->given, i, w->offset, w->V.count);
    chi_model_fit_vector(w, s, w->U.vector + i * w->width, &w->V);
}

static void fit_column(void *user, int64_t k, int thread) {
    const chi_model *w = user;
    chi_model_space *s = &w->space[thread];
    double *v = w->V.vector + k * w->width;
    chi_model_load_column(w, s, w->sample[k]);
    chi_model_fit_vector(w, s, v, &w->U);
    double *left = w->left && !w->even ? w->left + k * w->U.count : NULL;
    if (left || w->count_squares) w->squares[k] = squares_left(w, s, v, left);
}

ch_status chi_model_fit_columns(chi_model *w, double *squares) {
    w->count_squares = squares != NULL;
    chi_model_prepare(w, &w->U);
    TRY(chi_parallel_until(w->context, w->V.count, fit_column, w));
    if (!squares) return CH_OK;
    *squares = 0;
    for (int64_t k = 0; k < w->V.count; k++) *squares += w->squares[k];
    return CH_OK;
}

/* Scales components to length 1, so that the ridge treats them alike. */
static void scale_components(const chi_model *w) {
    for (int64_t k = 0; k < w->rank; k++) {
        double square = 0;
        for (int64_t i = 0; i < w->U.count; i++)
            square += w->U.vector[i * w->width + k] * w->U.vector[i * w->width + k];
        double factor = square > 0 ? 1 / sqrt(square) : 1;
        for (int64_t i = 0; i < w->U.count; i++) w->U.vector[i * w->width + k] *= factor;
        for (int64_t j = 0; j < w->V.count; j++) w->V.vector[j * w->width + k] /= factor;
    }
}

ch_status chi_model_fit_rows(chi_model *w) {
    chi_model_prepare(w, &w->V);
    TRY(chi_parallel_until(w->context, w->U.count, fit_row, w));
    scale_components(w);
    return CH_OK;
}

/* ---- new components ------------------------------------------------------------------------ */

/* Directions: `rows` for the rows, `columns` for the columns of the sample. */
typedef struct directions {
    const chi_model *model;
    chi_model_side rows, columns;
    int64_t count, width;
} directions;

/* Stores the residuals E of a column of the sample, for fixed weights: those of other fits depend
 * on the model before the fit, which stores them itself. Entries that are unknown stay 0. */
static void leave_column(void *user, int64_t k, int thread) {
    const chi_model *w = user;
    chi_model_space *s = &w->space[thread];
    chi_model_load_column(w, s, w->sample[k]);
    squares_left(w, s, w->V.vector + k * w->width, w->left + k * w->U.count);
}

/* columns := E' rows */
static void apply_to_column(void *user, int64_t k, int thread) {
    const directions *d = user;
    chi_model_entries entries = {.vector = d->rows.vector,
                                 .width = d->width,
                                 .x = d->model->left + k * d->rows.count,
                                 .count = d->rows.count};
    (void)thread;
    d->model->loops->multiples(d->columns.vector + k * d->width, &entries);
}

/* rows := E columns */
static void apply_to_row(void *user, int64_t i, int thread) {
    const directions *d = user;
    double *x = d->model->space[thread].x;
    for (int64_t k = 0; k < d->columns.count; k++) x[k] = d->model->left[i + k * d->rows.count];
    chi_model_entries entries = {
        .vector = d->columns.vector, .width = d->width, .x = x, .count = d->columns.count};
    d->model->loops->multiples(d->rows.vector + i * d->width, &entries);
}

/* Makes the directions of the rows orthonormal (Gram and Schmidt). */
static void separate(const directions *d) {
    double *a = d->rows.vector;
    int64_t rows = d->rows.count;
    for (int64_t k = 0; k < d->count; k++) {
        for (int64_t b = 0; b <= k; b++) {
            double product = 0;
            for (int64_t i = 0; i < rows; i++) product += a[i * d->width + b] * a[i * d->width + k];
            if (b == k) product = product > 0 ? 1 - 1 / sqrt(product) : 0;
            for (int64_t i = 0; i < rows; i++) a[i * d->width + k] -= product * a[i * d->width + b];
        }
    }
}

static ch_status find_directions(directions *d) {
    ch_context *context = d->model->context;
    ch_random random;
    void *model = (void *)(uintptr_t)d->model;
    if (d->model->even || d->model->rank == 0)
        TRY(chi_parallel_until(context, d->columns.count, leave_column, model));
    ch_random_seed(&random, d->model->given->seed + (uint64_t)d->model->rank);
    for (int64_t i = 0; i < d->rows.count; i++)
        for (int64_t k = 0; k < d->count; k++)
            d->rows.vector[i * d->width + k] = 0.5 + ch_random_uniform(&random);
    for (int turn = 0; turn < POWER; turn++) {
        TRY(chi_parallel_until(context, d->columns.count, apply_to_column, d));
        TRY(chi_parallel_until(context, d->rows.count, apply_to_row, d));
        separate(d);
    }
    return CH_OK;
}

/* Changes the allocated length of the vectors. */
static void set_width(const chi_model_side *side, int64_t before, int64_t width) {
    for (int64_t k = side->count - 1; k > 0 && width > before; k--)
        memmove(side->vector + k * width, side->vector + k * before,
                (size_t)before * sizeof(double));
    for (int64_t k = 0; k < side->count; k++)
        memset(side->vector + k * width + before, 0, (size_t)(width - before) * sizeof(double));
}

int64_t chi_model_width(int64_t rank) {
    return (rank + CHI_MODEL_PAD - 1) / CHI_MODEL_PAD * CHI_MODEL_PAD;
}

void chi_model_start(chi_model *w, const double *start, int64_t rank) {
    w->rank = rank;
    w->width = chi_model_width(rank);
    for (int64_t i = 0; start && i < w->U.count; i++)
        memcpy(w->U.vector + i * w->width, start + i * rank, (size_t)rank * sizeof *start);
}

ch_status chi_model_grow(chi_model *w, int64_t rank) {
    directions d = {.model = w, .count = rank - w->rank, .width = chi_model_width(rank - w->rank)};
    int64_t before = w->rank, width = w->width;
    chi_arena arena = {.context = w->context};
    d.rows = (chi_model_side){w->U.count,
                              chi_arena_alloc_zero(&arena, w->U.count * d.width, sizeof(double))};
    d.columns = (chi_model_side){w->V.count, chi_arena_doubles(&arena, w->V.count * d.width)};
    ch_status status = chi_arena_status(&arena, "the completion of missing entries");
    if (status == CH_OK) status = find_directions(&d);
    if (status == CH_OK) {
        chi_model_start(w, NULL, rank);
        if (w->width > width) set_width(&w->U, width, w->width);
        if (w->width > width) set_width(&w->V, width, w->width);
        for (int64_t i = 0; i < w->U.count; i++)
            for (int64_t k = 0; k < d.count; k++)
                w->U.vector[i * w->width + before + k] = d.rows.vector[i * d.width + k];
    }
    chi_arena_free(&arena);
    return status;
}

/* ---- the model ----------------------------------------------------------------------------- */

/* At least three entries per number of u_i and of v_j. */
int64_t chi_model_rank_limit(const chi_incomplete *given) {
    int64_t fewer = given->rows < given->cols ? given->rows : given->cols;
    return (fewer + 2) / 3;
}

ch_status chi_model_create(ch_context *context, chi_model *w, const chi_incomplete *given,
                           int64_t most, int64_t columns, double scale, int grows) {
    int threads = ch_context_threads(context);
    int64_t rows = given->rows, count = columns, width = chi_model_width(most);
    *w = (chi_model){
        .context = context, .given = given, .scale = scale, .arena = {.context = context}};
    chi_arena *arena = &w->arena;
    w->loops = chi_kernels_of(context)->model;
    w->even = !chi_model_has_corners(given) && chi_model_exponent(given) == 2;
    w->alike = !given->weight && !given->row_weight;
    w->plain = 1;
    w->U = (chi_model_side){rows, chi_arena_alloc_zero(arena, rows * width, sizeof(double))};
    w->V = (chi_model_side){count, chi_arena_alloc_zero(arena, count * width, sizeof(double))};
    w->sample = chi_arena_alloc(arena, count, sizeof *w->sample);
    w->offset = chi_arena_alloc(arena, count, sizeof *w->offset);
    w->all = chi_arena_doubles(arena, width * width);
    w->squares = chi_arena_doubles(arena, count);
    w->left = grows ? chi_arena_alloc_zero(arena, rows * count, sizeof(double)) : NULL;
    w->space = chi_arena_alloc(arena, threads, sizeof *w->space);
    TRY(chi_arena_status(arena, "the completion of missing entries"));
    for (int64_t k = 0; k < count; k++) {
        w->sample[k] = k * given->cols / count;
        w->offset[k] = w->sample[k] * rows;
    }
    int64_t entries = (rows > count ? rows : count) + 1; /* the last listed entry may not count */
    for (int t = 0; t < threads; t++)
        w->space[t] = (chi_model_space){.x = chi_arena_doubles(arena, entries),
                                        .weight = chi_arena_doubles(arena, entries),
                                        .y = chi_arena_doubles(arena, entries),
                                        .model = chi_arena_doubles(arena, entries),
                                        .G = chi_arena_doubles(arena, width * width),
                                        .v = chi_arena_doubles(arena, width),
                                        .at = chi_arena_alloc(arena, entries, sizeof(int64_t)),
                                        .gone = chi_arena_alloc(arena, entries, sizeof(int64_t))};
    TRY(chi_arena_status(arena, "the completion of missing entries"));
    return CH_OK;
}

void chi_model_free(chi_model *w) {
    chi_arena_free(&w->arena);
}
