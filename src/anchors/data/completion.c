/* Unknown entries of X, from a model of low rank that is fitted to the known ones:
 *
 *     min  sum over known entries of  w_ij l(x_ij, u_i'v_j),      u_i, v_j of `rank` numbers
 *
 * by alternating weighted least squares, in which weights are made anew from the residuals (l1 and
 * quantile: 1 / |r|) or from the model (divergences: y^(beta - 2), the curvature of the loss), so
 * that what an outlier is to the loss is one here too. An unknown entry becomes u_i'v_j, and where
 * weights differ
 *
 *     x^_ij = o x_ij + (1 - o) u_i'v_j,     o = w_ij / max w
 *
 * is what the selection sees: the data that the next step of expectation-maximisation for the
 * weighted model would use (Srebro and Jaakkola, Weighted low-rank approximations, ICML 2003).
 *
 * A completed entry lies between 0 and twice the largest known one of its row: where few entries
 * are known, the model may not make up a column that is far from all that were measured. U is
 * fitted to a sample of the columns; all columns then get their v_j. Loops have a fixed order
 * (kernels/low_rank_loops.c): a recheck must find the same numbers.
 *
 * Cost: O(rows rank^2) for every column of the sample and of X that is not complete. */
#include "anchors/data/completion.h"
#include "base/arena.h"
#include "kernels/kernels.h"
#include <conehull/anchors.h>
#include <conehull/random.h>

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 32, /* columns for every number of v_j: enough that U does not follow their noise */
    LEAST = 256, /* ... but at least so many                                                   */
    ROUNDS = 60,
    PASSES = 2 /* weights made anew for a column whose U is fixed */
};
static const double MOST = 2; /* an anchor may be the largest of its row, and not known there   */
static const double RIDGE = 1e-7; /* of the mean of the diagonal: vectors that nothing determines */
static const double NEAR = 1e-2; /* of the mean: residuals and models below it weigh alike        */
static const double ENOUGH =
    1e-3; /* a round that gains less, relative to the squares, is the last */
static const double EXACT = 1e-20; /* squares, relative to the data: nothing is left to gain */

/* One side: vectors of a matrix that is looked at along columns, or along rows. */
typedef struct side {
    int64_t count;  /* vectors                            */
    double *vector; /* width numbers each                 */
} side;

typedef struct work {
    ch_context *context;
    const chi_incomplete *given;
    chi_arena arena;
    const chi_model_loops *loops;
    int64_t rank, width; /* width: of a vector in memory, zero beyond the rank */
    int64_t *sample;     /* columns */
    side U, V;           /* of the rows; of the columns of the sample */
    double *top;         /* per row: the largest known entry          */
    double *squares;     /* per column of the sample                  */
    double scale;        /* mean of the known entries                 */
    int plain;           /* the first rounds: least squares           */
    int even;            /* ... which is all that the loss asks for   */
    struct space {
        double *x, *weight, *y, *model, *G, *g;
        int64_t *at;
    } * space; /* one a thread */
} work;

/* ---- one vector ---------------------------------------------------------------------------- */

/* What the entry weighs in the least squares of this pass. */
static double pass_weight(const work *w, double weight, double x, double y) {
    const chi_incomplete *given = w->given;
    double near = NEAR * w->scale;
    if (w->plain) return weight;
    if (given->loss == CH_LOSS_L1 || given->loss == CH_LOSS_QUANTILE)
        return weight * near / fmax(fabs(x - y), near);
    double beta = given->loss == CH_LOSS_KL ? 1 : given->loss == CH_LOSS_IS ? 0 : given->beta;
    if (given->loss != CH_LOSS_KL && given->loss != CH_LOSS_IS && given->loss != CH_LOSS_BETA)
        return weight;
    return weight * pow(fmax(y, near) / w->scale, beta - 2);
}

/* G (lower half, rows of `width`) becomes its Cholesky factor and g the solution; the ridge makes
 * it regular. */
static void solve(double *G, double *g, int64_t rank, int64_t width) {
    double trace = 0;
    for (int64_t s = 0; s < rank; s++) trace += G[s * width + s];
    double ridge = RIDGE * trace / (double)rank;
    if (!(ridge > 0)) {
        memset(g, 0, (size_t)rank * sizeof *g);
        return;
    }
    for (int64_t s = 0; s < rank; s++) {
        for (int64_t t = 0; t <= s; t++) {
            double sum = G[s * width + t] + (s == t ? ridge : 0);
            for (int64_t e = 0; e < t; e++) sum -= G[s * width + e] * G[t * width + e];
            G[s * width + t] = s == t ? sqrt(fmax(sum, ridge)) : sum / G[t * width + t];
        }
    }
    for (int64_t s = 0; s < rank; s++) {
        for (int64_t e = 0; e < s; e++) g[s] -= G[s * width + e] * g[e];
        g[s] /= G[s * width + s];
    }
    for (int64_t s = rank - 1; s >= 0; s--) {
        for (int64_t e = s + 1; e < rank; e++) g[s] -= G[e * width + s] * g[e];
        g[s] /= G[s * width + s];
    }
}

/* The entries at hand by the vectors of the other side. */
static chi_model_entries entries_of(const work *w, const struct space *s, const side *other,
                                    int64_t count) {
    return (chi_model_entries){.vector = other->vector,
                               .width = w->width,
                               .at = s->at,
                               .weight = s->y,
                               .x = s->x,
                               .count = count};
}

/* v: the vector that explains count known entries by the vectors of the other side, from v. */
static void fit(const work *w, struct space *s, double *v, const side *other, int64_t count) {
    chi_model_entries entries = entries_of(w, s, other, count);
    if (w->plain) {
        entries.weight = s->weight;
    } else {
        w->loops->evaluate(s->y, &entries, v);
        for (int64_t e = 0; e < count; e++)
            s->y[e] = pass_weight(w, s->weight[e], s->x[e], s->y[e]);
    }
    w->loops->products(s->G, s->g, &entries);
    solve(s->G, s->g, w->rank, w->width);
    memcpy(v, s->g, (size_t)w->width * sizeof *v);
}

/* The weighted squares that v leaves, with the weights of its last fit. */
static double squares_left(const work *w, struct space *s, const double *v, const side *other,
                           int64_t count) {
    double squares = 0;
    chi_model_entries entries = entries_of(w, s, other, count);
    w->loops->evaluate(s->model, &entries, v);
    for (int64_t e = 0; e < count; e++) {
        double r = s->x[e] - s->model[e];
        squares += (w->plain ? s->weight[e] : s->y[e]) * r * r;
    }
    return squares;
}

/* The known entries of column j. */
static int64_t load_column(const work *w, struct space *s, int64_t j) {
    const chi_incomplete *given = w->given;
    int64_t count = 0;
    for (int64_t i = 0; i < given->rows; i++) {
        double weight = given->weight[i + j * given->rows];
        if (given->row_weight) weight *= given->row_weight[i];
        if (!(weight > 0)) continue;
        s->at[count] = i;
        s->weight[count] = weight;
        s->x[count++] = given->X[i + j * given->rows];
    }
    return count;
}

/* The known entries of row i in the sample. */
static int64_t load_row(const work *w, struct space *s, int64_t i) {
    const chi_incomplete *given = w->given;
    int64_t count = 0;
    for (int64_t k = 0; k < w->V.count; k++) {
        int64_t at = i + w->sample[k] * given->rows;
        if (!(given->weight[at] > 0)) continue;
        s->at[count] = k;
        s->weight[count] = given->weight[at];
        s->x[count++] = given->X[at];
    }
    return count;
}

static void fit_row(void *user, int64_t i, int thread) {
    const work *w = user;
    struct space *s = &w->space[thread];
    fit(w, s, w->U.vector + i * w->width, &w->V, load_row(w, s, i));
}

static void fit_column(void *user, int64_t k, int thread) {
    const work *w = user;
    struct space *s = &w->space[thread];
    int64_t count = load_column(w, s, w->sample[k]);
    double *v = w->V.vector + k * w->width;
    fit(w, s, v, &w->U, count);
    w->squares[k] = squares_left(w, s, v, &w->U, count);
}

/* ---- U ------------------------------------------------------------------------------------- */

/* Components of length 1, so that the ridge treats them alike. */
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

/* U: what the rows are on average, times random numbers. */
static void begin(work *w) {
    ch_random random;
    ch_random_seed(&random, w->given->seed);
    for (int64_t i = 0; i < w->U.count; i++) {
        int64_t count = load_row(w, &w->space[0], i);
        double mean = 0;
        for (int64_t e = 0; e < count; e++) mean += w->space[0].x[e] / (double)count;
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
        TRY(chi_parallel_until(w->context, w->V.count, fit_column, w));
        for (int64_t k = 0; k < w->V.count; k++) squares += w->squares[k];
        if (round == 0) data = squares;
        if (round >= 2 && (squares <= EXACT * data || squares >= (1 - ENOUGH) * last)) break;
        if (round >= 2) last = squares;
        TRY(chi_parallel_until(w->context, w->U.count, fit_row, w));
        scale_components(w);
    }
    return CH_OK;
}

/* ---- X ------------------------------------------------------------------------------------- */

static void complete_column(void *user, int64_t j, int thread) {
    work *w = user;
    const chi_incomplete *given = w->given;
    struct space *s = &w->space[thread];
    const double *weight = given->weight + j * given->rows;
    int64_t width = w->width, rows = given->rows, less = 0;
    double *v = s->g + width;
    for (int64_t i = 0; i < rows; i++) less += weight[i] < given->most;
    if (less == 0) return;
    int64_t count = load_column(w, s, j);
    memset(v, 0, (size_t)width * sizeof *v);
    work pass = *w;
    for (int k = 0; k < (w->even ? 1 : PASSES); k++) {
        pass.plain = k == 0;
        fit(&pass, s, v, &w->U, count);
    }
    chi_model_entries all = {.vector = w->U.vector, .width = width, .count = rows};
    w->loops->evaluate(s->model, &all, v);
    for (int64_t i = 0; i < rows; i++) {
        double *x = given->X + i + j * rows, share = weight[i] / given->most;
        double y = fmin(fmax(s->model[i], 0), MOST * w->top[i]);
        if (weight[i] == 0) *x = y;
        if (given->shrunk && share < 1) given->shrunk[i + j * rows] = share * *x + (1 - share) * y;
    }
}

/* The mean of what is known, and the largest of each row. */
static double look(work *w) {
    const chi_incomplete *given = w->given;
    double sum = 0, count = 0;
    memset(w->top, 0, (size_t)given->rows * sizeof *w->top);
    for (int64_t j = 0; j < given->cols; j++) {
        for (int64_t i = 0; i < given->rows; i++) {
            if (!(given->weight[i + j * given->rows] > 0)) continue;
            double x = given->X[i + j * given->rows];
            w->top[i] = fmax(w->top[i], x);
            sum += x;
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

static ch_status create(work *w) {
    const chi_incomplete *given = w->given;
    chi_arena *arena = &w->arena;
    int threads = ch_context_threads(w->context);
    int64_t cols = given->cols, rows = given->rows, wanted = SAMPLE * given->rank;
    int64_t count = wanted > LEAST ? wanted : LEAST;
    if (count > cols) count = cols;
    w->rank = given->rank;
    if (w->rank > (rows + 2) / 3) w->rank = (rows + 2) / 3; /* three entries a number, at least */
    if (w->rank > (count + 2) / 3) w->rank = (count + 2) / 3;
    w->width = (w->rank + CHI_MODEL_PAD - 1) / CHI_MODEL_PAD * CHI_MODEL_PAD;
    w->loops = chi_kernels_of(w->context)->model;
    w->even = given->loss != CH_LOSS_L1 && given->loss != CH_LOSS_QUANTILE &&
              given->loss != CH_LOSS_KL && given->loss != CH_LOSS_IS && given->loss != CH_LOSS_BETA;
    w->U = (side){rows, chi_arena_alloc_zero(arena, rows * w->width, sizeof(double))};
    w->V = (side){count, chi_arena_alloc_zero(arena, count * w->width, sizeof(double))};
    w->sample = chi_arena_alloc(arena, count, sizeof *w->sample);
    w->top = chi_arena_doubles(arena, rows);
    w->squares = chi_arena_doubles(arena, count);
    w->space = chi_arena_alloc(arena, threads, sizeof *w->space);
    TRY(chi_arena_status(arena, "the completion"));
    for (int64_t k = 0; k < count; k++) w->sample[k] = k * cols / count;
    int64_t most = rows > count ? rows : count;
    for (int t = 0; t < threads; t++)
        w->space[t] = (struct space){.x = chi_arena_doubles(arena, most),
                                     .weight = chi_arena_doubles(arena, most),
                                     .y = chi_arena_doubles(arena, most),
                                     .model = chi_arena_doubles(arena, most),
                                     .G = chi_arena_doubles(arena, w->width * w->width),
                                     .g = chi_arena_doubles(arena, 2 * w->width),
                                     .at = chi_arena_alloc(arena, most, sizeof(int64_t))};
    return chi_arena_status(arena, "the completion");
}

ch_status chi_complete(ch_context *context, const chi_incomplete *given) {
    work w = {.context = context, .given = given, .arena = {.context = context}};
    ch_status status = create(&w);
    if (status == CH_OK) w.scale = look(&w);
    if (status == CH_OK && w.scale > 0) status = find_components(&w);
    if (status == CH_OK && w.scale > 0)
        status = chi_parallel_until(context, given->cols, complete_column, &w);
    chi_arena_free(&w.arena);
    return status;
}
