/* Exact l1 projection onto a cone, with a proof of optimality:
 *
 *     min_{b >= 0} |x - A b|_1,      dual:  max x'd,  A'd <= 0,  -1 <= d <= 1
 *
 * Where x_i = 0 the loss is linear, (A b)_i, and d_i = -1. With S the support of x and c = A'1 over
 * the other rows, the problem is  min_{b>=0} sum_S |x_i - (A b)_i| + c'b.
 *
 * The quantile loss weights residuals above zero by 2 q and those below by 2 (1 - q). With skew = 1
 * - 2 q it is |r|_1 - skew 1'r, and
 *
 *     min_{b >= 0} |x - A b|_1 + skew 1'A b - skew |x|_1,
 *     dual:  max x'd,  A'd <= 0,  -(1 + skew) <= d <= 1 - skew,      d = s - skew,  -1 <= s <= 1
 *
 * so c grows by skew A'1, and everything else is as for l1 (docs/explanation/quantile.md).
 *
 * This is a vertex method after Barrodale and Roberts (SIAM J. Numer. Anal. 10, 1973). At a vertex
 * p variables are free and p rows have zero residual. An edge leaves the vertex by releasing a row
 * (|d_i| > 1) or a bound ((A'd - c)_j > 0). The step along the edge ends at the weighted median of
 * the breakpoints, or at a bound; this is the next vertex. The edge with the largest slope / length
 * is chosen (steepest edge: Forrest and Goldfarb, Math. Program. 57, 1992); the lengths are updated
 * by means of the Gram matrix. A pivot costs O(|S| p + p k).
 *
 * Ties are frequent in integer data. They are broken by pivoting on x_i (1 + noise_i 2^-36), where
 * noise is a fixed function of the row. d is feasible whatever the noise; b is then computed from x
 * itself and the final (F, B), and the gap of the two is checked. In any case the vertex found for
 * the noisy x is optimal for x up to 2^-35 |x|_1. All tolerances are relative to the data.
 *
 * From b = 0 about 3 k pivots would be needed if |S| is a few hundred. A canonical solve starts
 * instead at a vertex near the solution of a smoothed problem (lad_reweight.h), which leaves about
 * k / 2 pivots. For a few anchors these use only the rows near that solution (lad_few.h). For more
 * anchors and many rows, a sample of the rows is reweighted, steps with all rows follow
 * (lad_sample.h, lad_band.h), and the pivots use only the rows whose sign is not certain
 * (lad_subset.h). All of
 * these only propose a vertex. Either it is proven optimal (lad_at_once.h), or the exact method
 * continues from it. For a single anchor the solution is a weighted median, found by counting and
 * proven like the others (lad_single.h).
 *
 * With up to four anchors, a block of 16 columns is solved at once, one column per lane of the
 * vectors (lad_lanes.c). This proposes vertices too, and only vertices that are the only optimum
 * are accepted; so every column gets the weights that it has alone. Objective and gap may be
 * rounded differently, and the number of pivots depends on the block.
 *
 * The steps are in lad_rows.h, lad_single.h, lad_reweight.h, lad_start.h, lad_pivot.h,
 * lad_few.h, lad_sample.h, lad_band.h, lad_subset.h, lad_at_once.h, lad_search.h, lad_basis.h,
 * lad_proof.h and lad_solve.c, which are compiled once per instruction set. This file has the work
 * area and the row of the table. */
#include "project/lad/lad_lanes.h"

#include <string.h>

static int64_t exceptions(const void *work, int32_t *row, double *value) {
    const chi_lad *w = work;
    return w->solver->exceptions(w, row, value);
}

/* Long vectors are not touched until they are used. Short vectors start as zeros, because they are
 * read up to their padding. */
static void reserve(chi_lad *w, chi_arena *arena) {
    int64_t rows = w->cone->rows, k = w->ld;
    double **of_rows[] = {&w->noise, &w->target,   &w->r,    &w->s,
                          &w->t,     &w->residual, &w->dual, &w->subset_value};
    double **of_anchors[] = {&w->sums,        &w->c,        &w->scale,        &w->unit,
                             &w->q,           &w->z,        &w->edge,         &w->turn,
                             &w->b,           &w->d,        &w->weight_B,     &w->weight_j,
                             &w->u,           &w->rhs,      &w->delta,        &w->subset_cost,
                             &w->narrow_cost, &w->few_cost, &w->few_products, &w->few_b};
    int32_t **places[] = {&w->F, &w->B, &w->place, &w->order};
    for (size_t n = 0; n < sizeof of_rows / sizeof *of_rows; n++)
        *of_rows[n] = chi_arena_doubles(arena, rows);
    w->gathered = chi_arena_doubles(arena, rows * w->cone->capacity);
    w->breaks = chi_arena_alloc(arena, rows, sizeof *w->breaks);
    w->spare = chi_arena_alloc(arena, rows, sizeof *w->spare);
    w->flips = chi_arena_alloc(arena, rows, sizeof *w->flips);
    w->narrow =
        chi_arena_alloc(arena, w->cone->narrow_stride * (w->cone->capacity + 6), sizeof *w->narrow);
    w->few_rows_most = chi_few_rows_most(w->cone->narrow_stride);
    w->few_rows =
        chi_arena_alloc(arena, w->few_rows_most * (w->cone->capacity + 6), sizeof *w->few_rows);
    int64_t few = w->cone->capacity < CHI_NARROW_ANCHORS ? w->cone->capacity : CHI_NARROW_ANCHORS;
    w->near = chi_arena_doubles(arena, (rows + CHI_NARROW_PAD) * (few + 4));
    w->narrow_sums = chi_arena_doubles(arena, k * CHI_NARROW_PAD / 2);
    w->curvature = chi_arena_alloc_zero(arena, k * k, sizeof(double));
    w->few_column = chi_arena_alloc_zero(arena, k, sizeof *w->few_column);
    w->subset = chi_arena_alloc(arena, w->cone->narrow_stride, sizeof *w->subset);
    w->subset_index = chi_arena_alloc(arena, rows, sizeof *w->subset_index);
    for (size_t n = 0; n < sizeof of_anchors / sizeof *of_anchors; n++)
        *of_anchors[n] = chi_arena_alloc_zero(arena, k, sizeof(double));
    for (size_t n = 0; n < sizeof places / sizeof *places; n++)
        *places[n] = chi_arena_alloc_zero(arena, k, sizeof(int32_t));
    w->solution = chi_arena_alloc_zero(arena, 2 * k, sizeof(double));
    w->inverse = chi_arena_alloc_zero(arena, k * k, sizeof(double));
    w->factor = chi_arena_alloc_zero(arena, k * k, sizeof(double));
    w->narrow_column = chi_arena_alloc_zero(arena, k, sizeof *w->narrow_column);
    w->narrow_b = chi_arena_alloc_zero(arena, k, sizeof *w->narrow_b);
    w->column = chi_arena_alloc_zero(arena, k, sizeof *w->column);
    w->F_column = chi_arena_alloc_zero(arena, k, sizeof *w->F_column);
    w->F_gram = chi_arena_alloc_zero(arena, k, sizeof *w->F_gram);
    w->B_row = chi_arena_alloc_zero(arena, k, sizeof *w->B_row);
    w->inverse_row = chi_arena_alloc_zero(arena, k, sizeof *w->inverse_row);
}

/* Returns noise in (-1, 1), a fixed function of the row: the finaliser of splitmix64. */
static double row_noise(int64_t i) {
    uint64_t h = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(int64_t)h * 0x1p-63;
}

/* Reserves a block of columns, unless block_columns() is 0 for any number of anchors. */
static void reserve_lanes(chi_lad *w, chi_arena *arena) {
    int64_t rows = w->cone->rows, most = rows < CHI_NEAR_MOST ? rows : CHI_NEAR_MOST;
    if (rows > w->cone->kernels->lanes->rows_most || w->cone->capacity < 2 || w->cone->hull) return;
    chi_lane_block *block = w->lanes = chi_arena_alloc_zero(arena, 1, sizeof *block);
    double *values = chi_arena_doubles(arena, rows * CHI_LANE_COLUMNS);
    int64_t stride = most + CHI_LANE_COLUMNS;
    int32_t *lists = chi_arena_alloc(arena, stride * CHI_LANE_COLUMNS, sizeof *lists);
    int32_t *marks = chi_arena_alloc(arena, rows + CHI_LANE_COLUMNS, sizeof *marks);
    float *x = chi_arena_alloc(arena, rows * CHI_LANE_COLUMNS, sizeof *x);
    double *near =
        chi_arena_doubles(arena, (most + 2) * CHI_LANE_COLUMNS / 2 * (CHI_LANE_ANCHORS + 5));
    if (arena->failed) return;
    *block = (chi_lane_block){.cone = w->cone,
                              .noise = w->noise,
                              .values = values,
                              .x = x,
                              .marks = marks,
                              .list = lists,
                              .near = near,
                              .near_most = most,
                              .list_stride = stride};
}

static void *create(chi_arena *arena, const chi_cone *cone, double tol) {
    chi_lad *w = chi_arena_alloc_zero(arena, 1, sizeof *w);
    if (!w) return NULL;
    w->cone = cone;
    w->tol = tol;
    w->solver = cone->kernels->lad;
    w->ld = (cone->capacity + 9) / 8 * 8; /* two more than the anchors, for right-hand sides */
    reserve(w, arena);
    reserve_lanes(w, arena);
    if (arena->failed) return NULL;
    for (int64_t i = 0; i < cone->rows; i++) w->noise[i] = row_noise(i);
    for (int64_t f = 0; f < w->ld; f++) w->inverse_row[f] = w->inverse + f * w->ld;
    return w;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_lad *w = work;
    w->solver->solve(w, fit, b, d, x, warm);
}

/* ---- blocks of columns --------------------------------------------------------------------- */

static int64_t block_columns(const chi_cone *cone) {
    int few = 2 <= cone->count && cone->count <= CHI_LANE_ANCHORS && !cone->hull;
    int fits = CHI_LANE_LEAST <= cone->rows && cone->rows <= cone->kernels->lanes->rows_most;
    return few && fits ? CHI_LANE_COLUMNS : 0;
}

/* With fewer columns in a block, each is solved alone. */
enum { WORTH_LANES = 4 };

/* Leaves columns with zeros unproven, because they have fewer rows. */
static void solve_block(void *work, const chi_column_block *of) {
    chi_lad *w = work;
    const chi_cone *cone = w->cone;
    chi_lane_block *block = w->lanes;
    chi_column x[CHI_LANE_COLUMNS];
    int64_t count = of->hi - of->lo;
    int used = 0;
    for (int64_t l = 0; l < CHI_LANE_COLUMNS; l++) {
        double *value = block->values + l * cone->rows;
        block->value[l] = NULL;
        block->found[l] = 0;
        if (l >= count || !chi_column_load_full(cone->kernels, &x[l], value, of->X, of->lo + l))
            continue;
        block->value[l] = value;
        block->sum[l] = x[l].sum;
        used++;
    }
    if (used >= WORTH_LANES) cone->kernels->lanes->propose(block);
    for (int64_t l = 0; l < count; l++) {
        chi_fit *fit = &of->fits[l];
        *fit = (chi_fit){0};
        if (!block->found[l]) continue;
        w->pivots = block->pivots[l];
        if (w->solver->prove(w, fit, of->H + l * cone->count, &x[l], block->row[l],
                             block->bound[l])) {
            if (of->done) of->done(of->user, of->lo + l);
        } else {
            *fit = (chi_fit){0};
        }
    }
}

const chi_projection chi_nnlad_exact = {.create = create,
                                        .solve = solve,
                                        .exceptions = exceptions,
                                        .solve_block = solve_block,
                                        .block_columns = block_columns,
                                        .block_is_exact = 1};
