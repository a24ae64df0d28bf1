/* Unknown entries of X, from a model of low rank that is fitted to the known ones:
 *
 *     min  sum over known entries of  w_ij l(x_ij, u_i'v_j),      u_i, v_j of `rank` numbers
 *
 * (model_rank.c chooses the rank) by alternating weighted least squares. The weights are recomputed from the residuals (l1 and
 * quantile: 1 / |r|) or from the model (divergences: y^(beta - 2), the curvature of the loss), so
 * that the fit treats outliers as the loss does. An unknown entry becomes u_i'v_j, and where
 * weights differ
 *
 *     x^_ij = o x_ij + (1 - o) u_i'v_j,     o = w_ij / max w
 *
 * is what the selection sees: the data that the next step of expectation-maximisation for the
 * weighted model would use (Srebro and Jaakkola, Weighted low-rank approximations, ICML 2003).
 *
 * A completed entry lies between 0 and twice the largest known one of its row, so that with few
 * known entries the model cannot invent a column far from all measured ones. U is fitted to a
 * sample of the columns; all columns then get their v_j. Loops have a fixed order
 * (kernels/low_rank_loops.c), because a verification must find the same numbers.
 *
 * If all known entries have the same weight, the products over the known entries of a vector are
 * those over all entries, which a round computes once, minus those over the unknown ones, if these
 * are fewer.
 *
 * Cost: O(rows rank^2) for every column of the sample and of X that is not complete, times the
 * share of known or of unknown entries, whichever is smaller. */
#include "anchors/data/completion.h"
#include "base/arena.h"
#include "kernels/kernels.h"
#include <conehull/anchors.h>
#include <conehull/random.h>

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 32, /* columns per number of v_j: enough that U does not follow their noise */
    LEAST = 128, /* ... but at least this many                                           */
    ROUNDS = 60,
    PASSES = 2 /* weight updates for a column whose U is fixed */
};
static const double MOST = 2; /* an anchor may be the largest of its row, and unknown there     */
static const double RIDGE = 1e-7; /* relative to the mean of the diagonal: makes every system
                                     regular */
static const double ENOUGH =
    3e-3; /* a round that gains less, relative to the squares, is the last */
static const double EXACT = 1e-20; /* squares, relative to the data: nothing left to gain */

/* One side of the model: the vectors of the columns, or of the rows. */
typedef struct side {
    int64_t count;  /* vectors            */
    double *vector; /* width numbers each */
} side;

typedef struct work {
    ch_context *context;
    const chi_incomplete *given;
    chi_arena arena;
    const chi_model_loops *loops;
    int64_t rank, width; /* width: allocated length of a vector, zero beyond the rank */
    int64_t *sample;     /* columns, ...                                              */
    int64_t *offset;     /* ... and where they begin                                  */
    side U, V;           /* for the rows; for the columns of the sample               */
    double *top;         /* per row: the largest known entry                          */
    double *squares;     /* per column of the sample                                  */
    double *all;         /* products of the other side over all entries               */
    double scale;        /* mean of the known entries                                 */
    int plain;           /* the first rounds: least squares                           */
    int even;            /* ... which is all that the loss needs                      */
    int alike;           /* all known entries have the same weight                    */
    struct space {
        double *x, *weight, *y, *model, *G, *g;
        int64_t *at, *gone; /* known entries, unknown ones           */
        int64_t count, missing;
        const double
            *dense; /* all entries, 0 where unknown, if x does not hold the known ones; else
                                NULL */
    } * space;      /* one per thread */
} work;

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

/* From model values in s->y, computes the weights of entries in the least squares of this pass.
 * pow() takes a tenth of a run, so kl and is do without it. */
static void weigh_entries(const work *w, struct space *s) {
    double near = CHI_MODEL_NEAR * w->scale, exponent = chi_model_exponent(w->given) - 2;
    if (chi_model_has_corners(w->given))
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * near / larger(fabs(s->x[e] - s->y[e]), near);
    else if (exponent == -1)
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * w->scale / larger(s->y[e], near);
    else if (exponent == -2)
        for (int64_t e = 0; e < s->count; e++) {
            double ratio = w->scale / larger(s->y[e], near);
            s->y[e] = s->weight[e] * ratio * ratio;
        }
    else
        for (int64_t e = 0; e < s->count; e++)
            s->y[e] = s->weight[e] * pow(larger(s->y[e], near) / w->scale, exponent);
}

/* The known entries, with the vectors of the other side. */
static chi_model_entries entries_of(const work *w, const struct space *s, const side *other) {
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
static void multiply(const work *w, struct space *s, const chi_model_entries *known) {
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

/* Fits v to the loaded entries, given the vectors of the other side, starting from v. */
static void fit(const work *w, struct space *s, double *v, const side *other) {
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

/* Returns the weighted squares left by v, with the weights of its last fit. */
static double squares_left(const work *w, struct space *s, const double *v, const side *other) {
    double squares = 0;
    chi_model_entries entries = entries_of(w, s, other);
    w->loops->evaluate(s->model, &entries, v);
    for (int64_t e = 0; e < s->count; e++) {
        double r = s->x[e] - s->model[e];
        squares += (entries.weight ? entries.weight[e] : 1) * r * r;
    }
    return squares;
}

/* Lists known and unknown entries from place `first` on: entry k is at first + offset[k] (NULL: at
 * first + k). It has no branches, because they would be unpredictable. */
static void list_entries(struct space *s, const chi_incomplete *given, int64_t first,
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

/* Loads column j where plain least squares with equal weights are enough. */
static void load_dense(const work *w, struct space *s, int64_t j) {
    int64_t rows = w->given->rows, missing = 0, count = 0;
    const unsigned char *known = w->given->mark + j * rows;
    s->dense = w->given->X + j * rows;
    for (int64_t i = 0; i < rows; i++) {
        s->gone[missing] = i;
        missing += !known[i];
    }
    for (int64_t i = 0; 2 * missing > rows && i < rows; i++) { /* then the others are needed */
        s->at[count] = i;
        count += known[i];
    }
    s->missing = missing;
    s->count = rows - missing;
}

static void load_column(const work *w, struct space *s, int64_t j) {
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

/* Loads row i of the sample. */
static void load_row(const work *w, struct space *s, int64_t i) {
    list_entries(s, w->given, i, w->offset, w->V.count);
}

/* Computes the products over all entries, for equal weights. */
static void multiply_all(const work *w, const side *other) {
    chi_model_entries all = {.vector = other->vector, .width = w->width, .count = other->count};
    if (w->alike && w->plain) w->loops->products(w->all, &all);
}

static void fit_row(void *user, int64_t i, int thread) {
    const work *w = user;
    struct space *s = &w->space[thread];
    load_row(w, s, i);
    fit(w, s, w->U.vector + i * w->width, &w->V);
}

static void fit_column(void *user, int64_t k, int thread) {
    const work *w = user;
    struct space *s = &w->space[thread];
    double *v = w->V.vector + k * w->width;
    load_column(w, s, w->sample[k]);
    fit(w, s, v, &w->U);
    w->squares[k] = squares_left(w, s, v, &w->U);
}

/* ---- U ------------------------------------------------------------------------------------- */

/* Scales components to length 1, so that the ridge treats them alike. */
static void scale_components(const work *w) {
    for (int64_t k = 0; k < w->rank; k++) {
        double square = 0;
        for (int64_t i = 0; i < w->U.count; i++)
            square += w->U.vector[i * w->width + k] * w->U.vector[i * w->width + k];
        double factor = square > 0 ? 1 / sqrt(square) : 1;
        for (int64_t i = 0; i < w->U.count; i++) w->U.vector[i * w->width + k] *= factor;
        for (int64_t j = 0; j < w->V.count; j++) w->V.vector[j * w->width + k] /= factor;
    }
}

/* Initialises U: the mean of each row times random numbers. */
static void begin(work *w) {
    ch_random random;
    ch_random_seed(&random, w->given->seed);
    for (int64_t i = 0; i < w->U.count; i++) {
        const struct space *s = &w->space[0];
        double mean = 0;
        load_row(w, &w->space[0], i);
        for (int64_t e = 0; e < s->count; e++) mean += s->x[e] / (double)s->count;
        for (int64_t k = 0; k < w->rank; k++)
            w->U.vector[i * w->width + k] = mean * (0.5 + ch_random_uniform(&random));
    }
    scale_components(w);
}

static ch_status find_components(work *w) {
    double data = 0, last = INFINITY;
    begin(w);
    for (int round = 0; round < ROUNDS; round++) {
        double squares = 0;
        w->plain = round < 2 || w->even;
        multiply_all(w, &w->U);
        TRY(chi_parallel_until(w->context, w->V.count, fit_column, w));
        for (int64_t k = 0; k < w->V.count; k++) squares += w->squares[k];
        if (round == 0) data = squares;
        if (round >= 2 && (squares <= EXACT * data || squares >= (1 - ENOUGH) * last)) break;
        if (round >= 2) last = squares;
        multiply_all(w, &w->V);
        TRY(chi_parallel_until(w->context, w->U.count, fit_row, w));
        scale_components(w);
    }
    return CH_OK;
}

/* ---- X ------------------------------------------------------------------------------------- */

/* The model value for an entry of row i, limited to the measured range and to that of the loss. */
static double completed(const work *w, double y, int64_t i) {
    double most = MOST * w->top[i];
    if (w->given->loss == CH_LOSS_LOGISTIC) most = fmin(most, 1);
    y = larger(y, 0);
    return y < most ? y : most;
}

/* Moves entries of lower weight towards the model. */
static void shrink_column(const work *w, struct space *s, const double *v, int64_t j) {
    const chi_incomplete *given = w->given;
    chi_model_entries all = {.vector = w->U.vector, .width = w->width, .count = given->rows};
    w->loops->evaluate(s->model, &all, v);
    for (int64_t i = 0; i < given->rows; i++) {
        int64_t at = i + j * given->rows;
        double share = given->weight[at] / given->most, y = completed(w, s->model[i], i);
        if (share < 1) given->shrunk[at] = share * given->X[at] + (1 - share) * y;
    }
}

static int is_complete(const work *w, const struct space *s, int64_t j) {
    int64_t rows = w->given->rows, less = s->missing;
    for (int64_t i = 0; w->given->shrunk && i < rows; i++)
        less += w->given->weight[i + j * rows] < w->given->most;
    return less == 0;
}

static void complete_column(void *user, int64_t j, int thread) {
    const work *w = user;
    const chi_incomplete *given = w->given;
    struct space *s = &w->space[thread];
    double *v = s->g, *x = given->X + j * given->rows;
    work pass = *w;
    if (w->even && w->alike)
        load_dense(w, s, j);
    else
        load_column(w, s, j);
    if (is_complete(w, s, j)) return;
    memset(v, 0, (size_t)w->width * sizeof *v);
    for (int k = 0; k < (w->even ? 1 : PASSES); k++) {
        pass.plain = k == 0;
        fit(&pass, s, v, &w->U);
    }
    chi_model_entries gone = {
        .vector = w->U.vector, .width = w->width, .at = s->gone, .count = s->missing};
    w->loops->evaluate(s->model, &gone, v);
    for (int64_t e = 0; e < s->missing; e++) x[s->gone[e]] = completed(w, s->model[e], s->gone[e]);
    if (given->shrunk) shrink_column(w, s, v, j);
}

/* Computes the mean of the known entries and the largest of each row; unknown entries are zero. */
static double look(work *w) {
    const chi_incomplete *given = w->given;
    double sum = 0;
    memset(w->top, 0, (size_t)given->rows * sizeof *w->top);
    for (int64_t j = 0; j < given->cols; j++) {
        const double *x = given->X + j * given->rows;
        double part[4] = {0}; /* a fixed order for every processor */
        int64_t i = 0;
        for (; i + 4 <= given->rows; i += 4)
            for (int k = 0; k < 4; k++) part[k] += x[i + k];
        for (; i < given->rows; i++) part[0] += x[i];
        sum += (part[0] + part[1]) + (part[2] + part[3]);
#pragma omp simd
        for (int64_t k = 0; k < given->rows; k++) w->top[k] = larger(w->top[k], x[k]);
    }
    return given->known > 0 ? sum / (double)given->known : 0;
}

/* Returns how many columns U is fitted to. */
static int64_t sample_size(const chi_incomplete *given) {
    int64_t wanted = SAMPLE * given->rank, count = wanted > LEAST ? wanted : LEAST;
    return count < given->cols ? count : given->cols;
}

/* At least three entries per number of u_i and of v_j. */
int64_t chi_model_rank_limit(const chi_incomplete *given) {
    int64_t fewer = given->rows < given->cols ? given->rows : given->cols;
    return (fewer + 2) / 3;
}

static ch_status create(work *w) {
    const chi_incomplete *given = w->given;
    chi_arena *arena = &w->arena;
    int threads = ch_context_threads(w->context);
    int64_t cols = given->cols, rows = given->rows, count = sample_size(given);
    int64_t limit = chi_model_rank_limit(given);
    w->rank = given->rank < limit ? given->rank : limit;
    w->width = (w->rank + CHI_MODEL_PAD - 1) / CHI_MODEL_PAD * CHI_MODEL_PAD;
    w->loops = chi_kernels_of(w->context)->model;
    w->even = !chi_model_has_corners(given) && chi_model_exponent(given) == 2;
    w->alike = !given->shrunk && !given->row_weight;
    w->U = (side){rows, chi_arena_alloc_zero(arena, rows * w->width, sizeof(double))};
    w->V = (side){count, chi_arena_alloc_zero(arena, count * w->width, sizeof(double))};
    w->sample = chi_arena_alloc(arena, count, sizeof *w->sample);
    w->offset = chi_arena_alloc(arena, count, sizeof *w->offset);
    w->all = chi_arena_doubles(arena, w->width * w->width);
    w->top = chi_arena_doubles(arena, rows);
    w->squares = chi_arena_doubles(arena, count);
    w->space = chi_arena_alloc(arena, threads, sizeof *w->space);
    TRY(chi_arena_status(arena, "the completion of missing entries"));
    for (int64_t k = 0; k < count; k++) {
        w->sample[k] = k * cols / count;
        w->offset[k] = w->sample[k] * rows;
    }
    int64_t most = (rows > count ? rows : count) + 1; /* the last listed entry may not count */
    for (int t = 0; t < threads; t++)
        w->space[t] = (struct space){.x = chi_arena_doubles(arena, most),
                                     .weight = chi_arena_doubles(arena, most),
                                     .y = chi_arena_doubles(arena, most),
                                     .model = chi_arena_doubles(arena, most),
                                     .G = chi_arena_doubles(arena, w->width * w->width),
                                     .g = chi_arena_doubles(arena, w->width),
                                     .at = chi_arena_alloc(arena, most, sizeof(int64_t)),
                                     .gone = chi_arena_alloc(arena, most, sizeof(int64_t))};
    return chi_arena_status(arena, "the completion of missing entries");
}

ch_status chi_complete(ch_context *context, const chi_incomplete *given) {
    work w = {.context = context, .given = given, .arena = {.context = context}};
    ch_status status = create(&w);
    if (status == CH_OK) w.scale = look(&w);
    if (status == CH_OK && w.scale > 0) status = find_components(&w);
    if (status == CH_OK && w.scale > 0) {
        w.plain = 1;
        multiply_all(&w, &w.U);
        status = chi_parallel_until(context, given->cols, complete_column, &w);
    }
    chi_arena_free(&w.arena);
    return status;
}
