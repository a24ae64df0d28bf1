/* Refinement: from anchors to free factors (the paper's refitting, Section 5.3, for any matrix).
 *
 *     W <- argmin_{W >= 0} loss(X, W H),   H <- argmin_{H >= 0} loss(X, W H),   in turn,
 *
 * Each half is an exact projection with its own certificate: of the columns of X onto W, or of the
 * rows of X (the columns of X') onto H'. Each half starts from its last solution, which is near.
 *
 * Plain alternation converges slowly along valleys. So each half first moves the factor that it
 * keeps fixed. Under l2 and KL, a round begins with sweeps of coordinate descent over both factors
 * (refine_sweeps.c), which give a new fixed factor F^. Under other losses, and if entries differ in
 * weight or are unknown, the fixed factor is extrapolated in the direction in which its last two
 * solutions moved (as Ang and Gillis 2019 do for inexact halves):
 *
 *     F^ = max(0, F + b (F - F_before)).
 *
 * If the half-step from F^ does not lower the loss, it is repeated from F itself, which cannot
 * raise the loss; b grows with success and shrinks with failure. So the loss never rises from half
 * to half. If it would rise nevertheless, because the loss is not convex, the refinement ends.
 *
 * A round that lowers the loss by less than 1e-5 of it is the last one. In the end components are
 * scaled to the sums of their anchors and H is projected again, so that it is optimal for the
 * returned W. A component that no column uses is reset to its anchor, which does not change the
 * loss. Rows of X in which nothing counts say nothing about W: there W keeps the values of the
 * anchors.
 *
 * Cost of a round: one projection of every column on r vectors and one of every row. */
#include "anchors/refine/refine.h"
#include "anchors/refine/refine_sides.h"
#include "anchors/refine/refine_sweeps.h"
#include "base/processes.h"
#include "linalg/linalg.h"
#include "project/columns/projector.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_PER_BLOCK = 32 };
/* Most sweeps before each round; a sweep under KL makes two passes over every column, with
 * divisions. */
enum { SWEEPS_L2 = 40, SWEEPS_KL = 12 };

static const double enough = 1e-5; /* a round that gains less, relative to the loss, is the last */
static const double rise =
    1e-9; /* allowed rise of the loss: more than rounding and the gaps of projections */
static const double first_carry = 1, most_carry = 4, more = 1.3, less = 0.5;

/* One of the two factors: a vector of `rank` numbers for each row (W) or column (H) of X. */
typedef struct factor {
    int64_t count;  /* vectors                                  */
    double *value;  /* rank x count: the current pair           */
    double *solved; /* the last solution, and the one before it */
    double *before;
    double *trial;
    double *start; /* start of a half-step         */
    double *fixed; /* count x rank: F^, as a basis */
} factor;

typedef struct refinement {
    ch_context *context;
    const ch_anchors_settings *settings;
    chi_sides sides;
    int64_t rank;
    factor W, H; /* with weighted rows and columns */
    int sweeps;  /* whether refine_sweeps.c can help */
    double carry, loss;
    chi_arena arena;
} refinement;

/* ---- one half ------------------------------------------------------------------------------ */

/* A projection of all columns of one side onto the other factor, by blocks. */
typedef struct half {
    const chi_projector *projector;
    const double *weight; /* of the objectives in their sum; NULL: 1 */
    double *b;            /* rank x columns: the start, then the solution */
    int64_t rank, columns;
    chi_fit *worst; /* per block: sum of objectives, largest of the others; pivots: unproven
                       columns */
} half;

static void project_block(void *user, int64_t block, int thread) {
    half *h = user;
    chi_fit *worst = &h->worst[block], fit;
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    *worst = (chi_fit){0};
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < end && j < h->columns; j++) {
        chi_project_warm(h->projector, thread, &fit, h->b + j * h->rank, j);
        worst->objective += h->weight ? h->weight[j] * fit.objective : fit.objective;
        worst->gap = fmax(worst->gap, fit.gap);
        worst->infeasibility = fmax(worst->infeasibility, fit.infeasibility);
        worst->stationarity = fmax(worst->stationarity, fit.stationarity);
        worst->pivots += !fit.proven;
    }
}

static ch_status project_all(refinement *run, half *h, chi_fit *sums) {
    int64_t blocks = (h->columns + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    h->worst = chi_alloc(run->context, blocks, sizeof *h->worst);
    if (!h->worst) return chi_no_memory(run->context, "refinement", blocks, sizeof *h->worst);
    ch_status status = chi_parallel_until(run->context, blocks, project_block, h);
    *sums = (chi_fit){0};
    for (int64_t block = 0; block < blocks && status == CH_OK; block++) {
        sums->objective += h->worst[block].objective;
        sums->gap = fmax(sums->gap, h->worst[block].gap);
        sums->infeasibility = fmax(sums->infeasibility, h->worst[block].infeasibility);
        sums->stationarity = fmax(sums->stationarity, h->worst[block].stationarity);
        sums->pivots += h->worst[block].pivots;
    }
    chi_free(run->context, h->worst);
    return status;
}

/* free->trial = projection of the columns of the side onto basis (rows x rank), starting from
 * free->start. */
static ch_status solve(refinement *run, const factor *free, const double *basis,
                       const chi_side *side, chi_fit *sums) {
    chi_cone cone;
    chi_projector projector = {0};
    const ch_matrix *X = side->X;
    half h = {.projector = &projector,
              .weight = side->weight,
              .b = free->trial,
              .rank = run->rank,
              .columns = X->cols};
    memcpy(free->trial, free->start, (size_t)(run->rank * free->count) * sizeof(double));
    ch_status status = chi_cone_create(run->context, &cone, X->rows, run->rank);
    if (status == CH_OK) chi_cone_fill(run->context, &cone, basis, run->rank);
    if (status == CH_OK)
        status = chi_projector_create_trusting(run->context, &projector, &cone, X, side->trust,
                                               side->settings);
    if (status == CH_OK) status = project_all(run, &h, sums);
    chi_projector_destroy(&projector);
    chi_cone_destroy(&cone);
    return status;
}

/* fixed = max(0, solved + carry (solved - before)), transposed. */
static void carry_on(const refinement *run, factor *f, double carry) {
    for (int64_t j = 0; j < f->count; j++)
        for (int64_t k = 0; k < run->rank; k++) {
            double now = f->solved[k + j * run->rank], was = f->before[k + j * run->rank];
            f->fixed[j + k * f->count] = fmax(now + carry * (now - was), 0);
        }
}

static void take_fixed(const refinement *run, factor *f) {
    for (int64_t j = 0; j < f->count; j++)
        for (int64_t k = 0; k < run->rank; k++)
            f->value[k + j * run->rank] = f->fixed[j + k * f->count];
}

static void take_solution(const refinement *run, factor *f) {
    double *oldest = f->before;
    f->before = f->solved;
    f->solved = f->trial;
    f->trial = oldest;
    memcpy(f->value, f->solved, (size_t)(run->rank * f->count) * sizeof(double));
}

static void record(refinement *run, ch_anchors_result *result, const chi_fit *sums) {
    ch_certificate *worst = &result->refined_certificate;
    worst->gap = fmax(worst->gap, sums->gap);
    worst->dual_infeasibility = fmax(worst->dual_infeasibility, sums->infeasibility);
    worst->stationarity = fmax(worst->stationarity, sums->stationarity);
    result->refined_unproven += sums->pivots;
    run->loss = fmin(run->loss, sums->objective);
}

/* Under l2 and KL: fixed = the result of coordinate descent sweeps over both factors. */
static ch_status sweep_on(refinement *run, factor *free, factor *fixed) {
    factor *W = &run->W, *H = &run->H;
    size_t vector = (size_t)run->rank * sizeof(double);
    chi_sweeps pair = {.context = run->context,
                       .X = run->sides.columns.X,
                       .across = run->sides.rows.X,
                       .rank = run->rank,
                       .W = W->trial,
                       .H = H->trial,
                       .kl = run->settings->loss == CH_LOSS_KL,
                       .floor = run->settings->floor,
                       .loss = run->loss};
    memcpy(W->trial, W->value, vector * (size_t)W->count);
    memcpy(H->trial, H->value, vector * (size_t)H->count);
    TRY_OK(chi_refine_sweeps(&pair, pair.kl ? SWEEPS_KL : SWEEPS_L2));
    for (int64_t j = 0; j < fixed->count; j++)
        for (int64_t k = 0; k < run->rank; k++)
            fixed->fixed[j + k * fixed->count] = fixed->trial[k + j * run->rank];
    memcpy(free->start, free->trial, vector * (size_t)free->count);
    return CH_OK;
}

/* Solves for one factor given the other. *done = 0 means that the loss would rise; nothing is
 * changed. */
static ch_status half_step(refinement *run, ch_anchors_result *result, factor *free, factor *fixed,
                           const chi_side *side, int *done) {
    chi_fit sums;
    double most = run->loss + rise * fabs(run->loss);
    memcpy(free->start, free->value, (size_t)(run->rank * free->count) * sizeof(double));
    if (run->sweeps && free == &run->W)
        TRY_OK(sweep_on(run, free, fixed));
    else
        carry_on(run, fixed, run->sweeps ? 0 : run->carry);
    TRY_OK(solve(run, free, fixed->fixed, side, &sums));
    if (sums.objective <= run->loss) {
        run->carry = fmin(run->carry * more, most_carry);
    } else {
        run->carry *= less;
        carry_on(run, fixed, 0);
        memcpy(free->start, free->value, (size_t)(run->rank * free->count) * sizeof(double));
        TRY_OK(solve(run, free, fixed->fixed, side, &sums));
    }
    *done = sums.objective <= most;
    if (!*done) return CH_OK;
    take_fixed(run, fixed);
    take_solution(run, free);
    record(run, result, &sums);
    return CH_OK;
}

/* ---- rounds -------------------------------------------------------------------------------- */

static ch_status improve(refinement *run, ch_anchors_result *result) {
    int64_t rounds = run->settings->refine;
    double before = INFINITY;
    int going = 1;
    chi_begin_phase(run->context, "refine", rounds);
    for (int64_t k = 0; k < rounds && before - run->loss > enough * run->loss; k++) {
        before = run->loss;
        TRY_OK(half_step(run, result, &run->W, &run->H, &run->sides.rows, &going));
        if (!going) break;
        result->refined_path[2 * k] = run->loss;
        TRY_OK(half_step(run, result, &run->H, &run->W, &run->sides.columns, &going));
        result->refined_path[2 * k + 1] = run->loss;
        result->refined_rounds = k + 1;
        if (chi_notify(run->context, "refine", k + 1, rounds, -1, run->loss))
            return CH_STOP_CANCELLED;
        if (!going) break;
    }
    return CH_OK;
}

double chi_angle_between(const double *a, const double *b, int64_t count) {
    double product = 0, first = 0, second = 0;
    for (int64_t i = 0; i < count; i++) {
        product += a[i] * b[i];
        first += a[i] * a[i];
        second += b[i] * b[i];
    }
    return acos(fmin(product / sqrt(first * second), 1)) * 180 / 3.14159265358979323846;
}

/* refined_W = the components without row weights, each scaled to the sum of its anchor over the
 * rows that count; H is scaled to match. */
static void scale_components(const refinement *run, ch_anchors_result *result) {
    int64_t rows = run->W.count, rank = run->rank;
    const double *times = run->sides.row_factor;
    const unsigned char *counts = run->sides.counts;
    for (int64_t k = 0; k < rank; k++) {
        double *w = result->refined_W + k * rows, sum = 0, wanted = 0;
        const double *anchor = result->W + k * rows;
        for (int64_t i = 0; i < rows; i++) {
            if (counts && !counts[i]) continue;
            w[i] = run->W.value[k + i * rank];
            if (times) w[i] /= times[i];
            sum += w[i];
            wanted += anchor[i];
        }
        int used = sum >= CHI_ANCHOR_LEAST;
        double unit = wanted >= CHI_ANCHOR_LEAST ? wanted / sum : 1, back = 1;
        if (wanted >= CHI_ANCHOR_LEAST) back = sum / wanted;
        for (int64_t i = 0; i < rows; i++)
            w[i] = used && (!counts || counts[i]) ? w[i] * unit : anchor[i];
        for (int64_t j = 0; j < run->H.count; j++) run->H.value[k + j * rank] *= used ? back : 0;
        result->refined_angle[k] = chi_angle_between(w, anchor, rows);
    }
}

/* H.start = H without column weights. */
static void start_last(const refinement *run) {
    const double *times = run->sides.column_factor;
    for (int64_t e = 0; e < run->rank * run->H.count; e++) {
        double f = times ? times[e / run->rank] : 1;
        run->H.start[e] = f > 0 ? run->H.value[e] / f : 0;
    }
}

/* Makes the final result: H becomes optimal for refined_W, and refined_objective is their loss. */
static ch_status finish(refinement *run, ch_anchors_result *result, const chi_usable *usable) {
    chi_fit sums;
    double *weighted;
    scale_components(run, result);
    start_last(run);
    TRY(chi_weighted_anchors(run->context, &weighted, result->refined_W, usable, run->rank));
    ch_status status =
        solve(run, &run->H, weighted ? weighted : result->refined_W, &run->sides.last, &sums);
    chi_free(run->context, weighted);
    TRY_OK(status);
    memcpy(result->refined_H, run->H.trial, (size_t)(run->rank * run->H.count) * sizeof(double));
    record(run, result, &sums);
    result->refined_objective = sums.objective;
    return CH_OK;
}

/* ---- the call ------------------------------------------------------------------------------ */

static void reserve_factor(chi_arena *arena, factor *f, int64_t count, int64_t rank) {
    double **arrays[] = {&f->value, &f->solved, &f->before, &f->trial, &f->start, &f->fixed};
    f->count = count;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        *arrays[a] = chi_arena_alloc(arena, count, (size_t)rank * sizeof(double));
}

static ch_status reserve_result(ch_context *context, ch_anchors_result *result, int64_t rounds) {
    int64_t rows = result->rows, cols = result->cols, rank = result->rank;
    result->refined_W = chi_alloc(context, rows * rank, sizeof(double));
    result->refined_H = chi_alloc(context, rank * cols, sizeof(double));
    result->refined_path = chi_alloc(context, 2 * rounds, sizeof(double));
    result->refined_angle = chi_alloc(context, rank, sizeof(double));
    if (result->refined_W && result->refined_H && result->refined_path && result->refined_angle)
        return CH_OK;
    return chi_no_memory(context, "refined factors", rank * (rows + cols), sizeof(double));
}

/* Columns that were multiplied: H follows, and so does the loss, because the floor of a divergence
 * is the same for all columns. */
static ch_status start_weighted(refinement *run, ch_anchors_result *result) {
    chi_fit sums;
    if (!run->sides.column_factor) return CH_OK;
    carry_on(run, &run->W, 0);
    memcpy(run->H.start, run->H.value, (size_t)(run->rank * run->H.count) * sizeof(double));
    TRY_OK(solve(run, &run->H, run->W.fixed, &run->sides.columns, &sums));
    take_solution(run, &run->H);
    run->loss = INFINITY;
    record(run, result, &sums);
    return CH_OK;
}

/* Starts from the anchors and their H, with weighted rows and columns. */
static void start(refinement *run, const ch_anchors_result *result) {
    int64_t rank = run->rank, rows = run->W.count;
    size_t bytes = (size_t)(rank * run->H.count) * sizeof(double);
    const double *row = run->sides.row_factor, *column = run->sides.column_factor;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < rank; k++)
            run->W.value[k + i * rank] = run->W.solved[k + i * rank] = run->W.before[k + i * rank] =
                row ? row[i] * result->W[i + k * rows] : result->W[i + k * rows];
    for (int64_t e = 0; e < rank * run->H.count; e++)
        run->H.value[e] = column ? column[e / rank] * result->H[e] : result->H[e];
    memcpy(run->H.solved, run->H.value, bytes);
    memcpy(run->H.before, run->H.value, bytes);
    run->loss = result->objective;
}

/* The factors are complete only after the last step, so a run that stopped earlier returns none. */
static void drop_result(ch_context *context, ch_anchors_result *result) {
    double **arrays[] = {&result->refined_W, &result->refined_H, &result->refined_path,
                         &result->refined_angle};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        chi_free(context, *arrays[a]);
        *arrays[a] = NULL;
    }
    result->refined_rounds = result->refined_unproven = 0;
    result->refined_certificate = (ch_certificate){0};
}

static int has_sweeps(const ch_anchors_settings *settings) {
    if (settings->loss == CH_LOSS_L2) return 1;
    return settings->loss == CH_LOSS_KL && !settings->reverse;
}

ch_status chi_refine(ch_context *context, ch_anchors_result *result, const chi_usable *usable,
                     const ch_anchors_settings *settings) {
    refinement run = {.context = context,
                      .settings = settings,
                      .rank = result->rank,
                      .carry = first_carry,
                      .arena.context = context};
    ch_status status = reserve_result(context, result, settings->refine);
    reserve_factor(&run.arena, &run.W, usable->X->rows, result->rank);
    reserve_factor(&run.arena, &run.H, usable->X->cols, result->rank);
    if (status == CH_OK) status = chi_arena_status(&run.arena, "refinement");
    if (status == CH_OK) status = chi_sides_make(context, &run.sides, usable, settings);
    run.sweeps = has_sweeps(settings) && run.sides.plain;
    if (status == CH_OK) {
        start(&run, result);
        status = start_weighted(&run, result);
        if (status == CH_OK) status = improve(&run, result);
        if (status == CH_OK) status = finish(&run, result, usable);
    }
    if (status != CH_OK) drop_result(context, result);
    chi_sides_free(context, &run.sides);
    chi_arena_free(&run.arena);
    return status;
}
