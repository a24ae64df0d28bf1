/* Least absolute deviations with non-negative coefficients, by the alternating direction method of
 * multipliers (ADMM), as in the paper (Section 3.1):
 *
 *     min_{b >= 0, z} |z|_1   with   A b + z = x
 *
 * In scaled form (Boyd et al. 2011, section 3.1.1), where s = 1 / rho is the threshold:
 *
 *     b <- argmin_{b >= 0} |A b - (x - z - u)|_2^2      coordinate descent on the Gram matrix
 *     z <- shrink(x - A b - u, s)                       soft threshold
 *     u <- u + A b + z - x                              |u_i| <= s always
 *
 * Over-relaxation is used. s is balanced by the primal residual r = A b + z - x and the dual
 * residual rho (z - z_before) (ibid., 3.4.1), where A b is the variable.
 *
 * d = -u / s is the dual: |d| <= 1, and A'd <= 0 in the limit. It is made feasible by
 *
 *     t = max_j (A_j'd / A_j'1)_+,   d <- (d - t) / (1 + t)
 *
 * and then bounds the objective from below. The method stops when the resulting gap is small
 * enough.
 *
 * Departures from the paper:
 *
 *   - Only the rows where x is not zero are iterated. The others add the linear cost (A b)_i to the
 *     b-step, and their d is -1.
 *   - If a few sweeps of coordinate descent do not settle b, active sets complete the b-step. With
 *     two to five sweeps alone the gap stayed above 0.05 for 1500 iterations on planted columns
 *     (200 x 20), where an exact b-step closes it to 1e-9 in 200 to 400 iterations.
 *   - After every round the rows with z_i = 0 are assumed to be met exactly: b is computed from
 *     these rows alone, and d is corrected on them so that A'd = 0 over the anchors used. This
 *     usually closes the gap long before the iteration would.
 *
 * Cost of an iteration: O(nonzeros of x * k). */
#include "project/lad/nnlad_admm.h"
#include "project/nnls/nnls.h"

#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 20000,
    BALANCED_AFTER = 100, /* s is variable up to this iteration; a fixed s then converges */
    SWEEPS = 3,
    WIDTH = 32,
    WIDTH_LEAST = 4,
    /* Numbers in a panel, unless WIDTH_LEAST needs more: four panels fit the cache. */
    PANEL = 1 << 17
};
static const double RELAXATION = 1.8;  /* Boyd et al. 2011, section 3.4.3: 1.5 to 1.8    */
static const double FIRST_STEP = 0.25; /* times the mean of x; 1/16 to 1 were tried      */
static const double IMBALANCE = 10;    /* ibid., 3.4.1                                   */
static const double SETTLED = 1e-12;   /* largest move of a coefficient, relative to |x| */

/* Clips value to [-limit, limit]. Unlike fmin() and fmax(), this can be vectorised by the
 * compiler. */
static double clamp(double value, double limit) {
    double below = value < limit ? value : limit;
    return below > -limit ? below : -limit;
}

/* Computes v = x - z - u, the target of A b. */
void chi_admm_aim(chi_admm_slot *slot) {
    for (int64_t i = 0; i < slot->rows; i++) slot->v[i] = slot->x[i] - slot->z[i] - slot->u[i];
}

/* Makes the b-step; c holds A'v. */
void chi_admm_fit(chi_admm *w, chi_admm_slot *slot) {
    int64_t k = w->cone->count;
    chi_quadratic problem = {slot->gram, slot->c, w->cone->capacity, k, 0, 0};
    if (slot->linear)
        for (int64_t j = 0; j < k; j++) slot->c[j] -= slot->step * slot->linear[j];
    chi_nnls_gradient(w->cone->kernels, w->g, &problem, slot->b);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double move = chi_nnls_sweep(w->cone->kernels, slot->b, w->g, &problem);
        if (move <= SETTLED * slot->norm) return;
    }
    chi_active_set_solve(w->solver, slot->b, &problem, SETTLED * slot->norm, 1);
}

/* Makes the steps of z and u, given A b in v. Stores the norms of both residuals. */
void chi_admm_shrink(chi_admm_slot *slot) {
    double step = slot->step, primal = 0, dual = 0;
    for (int64_t i = 0; i < slot->rows; i++) {
        double before = slot->z[i];
        double target = slot->x[i] - slot->u[i] - RELAXATION * slot->v[i] -
                        (1 - RELAXATION) * (slot->x[i] - before);
        double kept = clamp(target, step), z = target - kept;
        double r = slot->v[i] + z - slot->x[i];
        slot->z[i] = z;
        slot->u[i] = -kept;
        primal += r * r;
        dual += (z - before) * (z - before);
    }
    slot->primal = sqrt(primal);
    slot->dual = sqrt(dual);
}

/* Returns d_i = -u_i / s, which is exactly +-1 if z_i is not zero. */
static double dual_at(const chi_admm_slot *slot, int64_t i) {
    if (slot->z[i] != 0) return slot->z[i] > 0 ? 1 : -1;
    return clamp(-slot->u[i] / slot->step, 1);
}

/* Evaluates b and d, given e = A'd over the rows in use and v = A b. Stores b if its objective is
 * the best so far, and d if its bound is the best so far. */
static void judge(chi_admm *w, chi_admm_slot *slot, const double *b, const double *v,
                  const double *d, const double *e) {
    int64_t k = w->cone->count;
    double objective = 0, xd = 0, shift = 0;
    for (int64_t i = 0; i < slot->rows; i++) {
        objective += fabs(slot->x[i] - v[i]);
        xd += slot->x[i] * d[i];
    }
    for (int64_t j = 0; j < k; j++) {
        double cost = slot->linear ? slot->linear[j] : 0;
        objective += cost * b[j];
        if (w->cone->sums[j] > 0) shift = fmax(shift, (e[j] - cost) / w->cone->sums[j]);
    }
    double bound = (xd - shift * slot->sum) / (1 + shift);
    if (objective < slot->objective) {
        slot->objective = objective;
        memcpy(slot->best, b, (size_t)k * sizeof *b);
    }
    if (bound > slot->bound) {
        slot->bound = bound;
        slot->shift = shift;
        memcpy(slot->d, d, (size_t)slot->rows * sizeof *d);
    }
}

static double gap(const chi_admm_slot *slot) {
    double gap = slot->sum > 0 ? (slot->objective - slot->bound) / slot->sum : 0;
    return gap > 0 ? gap : 0;
}

/* Returns row i of the rows in use, as k values. */
static const double *row(const chi_admm *w, const chi_admm_slot *slot, int64_t i) {
    return w->cone->At + (slot->index ? slot->index[i] : i) * w->cone->At_stride;
}

/* Adds a a' to the upper half of gram. */
static void add_outer(double *gram, int64_t stride, const double *a, int64_t k) {
    for (int64_t j = 0; j < k; j++) {
        double *column = gram + j * stride, factor = a[j];
        if (factor == 0) continue;
        for (int64_t i = 0; i <= j; i++) column[i] += factor * a[i];
    }
}

static void clear(double *gram, int64_t stride, int64_t k) {
    for (int64_t j = 0; j < k; j++) memset(gram + j * stride, 0, (size_t)k * sizeof *gram);
}

static void mirror(double *gram, int64_t stride, int64_t k) {
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < j; i++) gram[j + i * stride] = gram[i + j * stride];
}

/* e = A'd over the rows in use. */
static void correlate(const chi_admm *w, const chi_admm_slot *slot, double *e, const double *d) {
    chi_column x = {.rows = slot->rows, .count = slot->rows, .index = slot->index, .value = d};
    chi_nnls_correlate(e, w->cone, &x, 0);
}

/* v = A b over the rows in use. */
static void combine(const chi_admm *w, const chi_admm_slot *slot, double *v, const double *b) {
    int64_t k = w->cone->count;
    if (slot->index) {
        for (int64_t i = 0; i < slot->rows; i++)
            v[i] = chi_dot(w->cone->kernels, row(w, slot, i), b, k);
        return;
    }
    memset(v, 0, (size_t)slot->rows * sizeof *v);
    for (int64_t j = 0; j < k; j++)
        if (b[j] > 0) chi_axpy(w->cone->kernels, v, b[j], w->cone->A + j * slot->rows, slot->rows);
}

/* Computes G and c over the rows with z_i = 0 and the anchors in use; c is in w->g. Returns the
 * number of these rows. */
static int64_t gather_tight(chi_admm *w, const chi_admm_slot *slot, int64_t used) {
    int64_t stride = w->cone->capacity, tight = 0;
    double *a = w->b;
    clear(w->gram, stride, used);
    memset(w->g, 0, (size_t)used * sizeof *w->g);
    for (int64_t i = 0; i < slot->rows; i++) {
        if (slot->z[i] != 0) continue;
        const double *all = row(w, slot, i);
        tight++;
        for (int64_t q = 0; q < used; q++) a[q] = all[w->used[q]];
        for (int64_t q = 0; q < used; q++) w->g[q] += slot->x[i] * a[q];
        add_outer(w->gram, stride, a, used);
    }
    mirror(w->gram, stride, used);
    return tight;
}

/* Copies list (used entries) to its places among all anchors, with zeros elsewhere. */
static void spread(const chi_admm *w, double *all, const double *list, int64_t used) {
    memset(all, 0, (size_t)w->cone->count * sizeof *all);
    for (int64_t q = 0; q < used; q++) all[w->used[q]] = list[q];
}

/* Evaluates the vertex given by the rows with z_i = 0 and the anchors with b_j > 0: b by least
 * squares on these rows, and d changed as little as possible so that A_j'd = 0 where b_j > 0. */
static void polish(chi_admm *w, chi_admm_slot *slot) {
    int64_t k = w->cone->count, used = 0;
    double *b = w->b, *e = w->e;
    for (int64_t j = 0; j < k; j++)
        if (slot->b[j] > 0) w->used[used++] = j;
    if (!used || !gather_tight(w, slot, used)) return;
    for (int64_t q = 0; q < used; q++) b[q] = slot->b[w->used[q]];
    chi_quadratic problem = {w->gram, w->g, w->cone->capacity, used, 0, 0};
    chi_active_set_solve(w->solver, b, &problem, SETTLED * slot->norm, 1);

    for (int pass = 0; pass < 2; pass++) { /* the second pass removes the rounding of the first */
        correlate(w, slot, e, w->d);
        for (int64_t q = 0; q < used; q++) {
            int64_t j = w->used[q];
            w->g[q] = e[j] - (slot->linear ? slot->linear[j] : 0);
        }
        chi_active_set_correct(w->solver, w->g);
        spread(w, e, w->g, used);
        for (int64_t i = 0; i < slot->rows; i++)
            if (slot->z[i] == 0)
                w->d[i] = clamp(w->d[i] - chi_dot(w->cone->kernels, row(w, slot, i), e, k), 1);
    }
    correlate(w, slot, e, w->d);
    spread(w, w->g, b, used);
    combine(w, slot, w->v, w->g);
    judge(w, slot, w->g, w->v, w->d, e);
}

int chi_admm_look(chi_admm *w, chi_admm_slot *slot) {
    int64_t k = w->cone->count;
    slot->iterations += CHI_ADMM_ROUND;
    for (int64_t i = 0; i < slot->rows; i++) w->d[i] = dual_at(slot, i);
    for (int64_t j = 0; j < k; j++) w->e[j] = -slot->c[j] / slot->step;
    judge(w, slot, slot->b, slot->v, w->d, w->e);
    if (gap(slot) > w->tol) polish(w, slot);
    if (gap(slot) <= w->tol || slot->iterations >= ITERATIONS) return 1;
    if (slot->iterations > BALANCED_AFTER) return 0;
    double primal = slot->primal / slot->norm;
    double dual = slot->dual / (slot->step * sqrt((double)slot->rows));
    double factor = primal > IMBALANCE * dual ? 0.5 : dual > IMBALANCE * primal ? 2 : 1;
    slot->step *= factor; /* the dual u / s does not change */
    for (int64_t i = 0; i < slot->rows; i++) slot->u[i] *= factor;
    return 0;
}

/* Starts with z = x - A b and the dual of these signs. */
void chi_admm_start(chi_admm *w, chi_admm_slot *slot) {
    combine(w, slot, slot->v, slot->b);
    slot->step = slot->rows ? FIRST_STEP * slot->sum / (double)slot->rows : 1;
    for (int64_t i = 0; i < slot->rows; i++) {
        double z = slot->x[i] - slot->v[i];
        slot->z[i] = z;
        slot->u[i] = z > 0 ? -slot->step : z < 0 ? slot->step : 0;
    }
    slot->objective = INFINITY;
    slot->bound = -INFINITY;
    slot->iterations = 0;
}

void chi_admm_report(const chi_admm *w, chi_fit *fit, const chi_admm_slot *slot) {
    fit->objective = slot->objective;
    fit->gap = gap(slot);
    fit->infeasibility = slot->shift;
    fit->pivots = slot->iterations;
    fit->proven = fit->gap <= w->tol;
}

/* Restricts the problem to the support of x: the Gram matrix is over these rows, and the other rows
 * add a linear cost. */
static void restrict_to_support(chi_admm *w, chi_admm_slot *slot) {
    int64_t k = w->cone->count, stride = w->cone->capacity;
    clear(w->support_gram, stride, k);
    memset(w->support_linear, 0, (size_t)k * sizeof(double));
    for (int64_t i = 0; i < slot->rows; i++) {
        add_outer(w->support_gram, stride, row(w, slot, i), k);
        chi_axpy(w->cone->kernels, w->support_linear, 1, row(w, slot, i), k);
    }
    mirror(w->support_gram, stride, k);
    for (int64_t j = 0; j < k; j++)
        w->support_linear[j] = fmax(0, w->cone->sums[j] - w->support_linear[j]);
    slot->gram = w->support_gram;
    slot->linear = w->support_linear;
}

/* Writes d on all rows, made feasible; -1 where x is zero. */
static void write_dual(const chi_admm_slot *slot, double *d, int64_t rows) {
    if (slot->index)
        for (int64_t i = 0; i < rows; i++) d[i] = -1;
    for (int64_t i = 0; i < slot->rows; i++)
        d[slot->index ? slot->index[i] : i] = (slot->d[i] - slot->shift) / (1 + slot->shift);
}

void chi_admm_solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_admm *w = work;
    chi_admm_slot *slot = &w->last;
    int64_t k = w->cone->count;
    *slot = w->slots[0];
    slot->rows = x->count;
    slot->index = x->index;
    slot->gram = w->cone->gram;
    slot->linear = NULL;
    slot->sum = x->sum;
    slot->norm = sqrt(x->square);
    memcpy(slot->x, x->value, (size_t)x->count * sizeof *slot->x);
    if (x->index) {
        memmove(w->index, x->index, (size_t)x->count * sizeof *w->index);
        slot->index = w->index;
        restrict_to_support(w, slot);
    }
    if (warm)
        memcpy(slot->b, b, (size_t)k * sizeof *b);
    else
        memset(slot->b, 0, (size_t)k * sizeof *b);

    chi_admm_start(w, slot);
    do {
        for (int i = 0; i < CHI_ADMM_ROUND; i++) {
            chi_admm_aim(slot);
            correlate(w, slot, slot->c, slot->v);
            chi_admm_fit(w, slot);
            combine(w, slot, slot->v, slot->b);
            chi_admm_shrink(slot);
        }
        correlate(w, slot, slot->c, slot->u);
    } while (!chi_admm_look(w, slot));

    memcpy(b, slot->best, (size_t)k * sizeof *b);
    chi_admm_report(w, fit, slot);
    if (d) write_dual(slot, d, w->cone->rows);
}

/* Lists the rows where d, before it was made feasible, is not the sign of the residual, or where
 * that sign is due to rounding. */
static int64_t exceptions(const void *work, int32_t *rows, double *value) {
    const chi_admm *w = work;
    const chi_admm_slot *slot = &w->last;
    int64_t count = 0;
    combine(w, slot, w->v, slot->best);
    for (int64_t i = 0; i < slot->rows; i++) {
        double r = slot->x[i] - w->v[i];
        if (fabs(r) > CHI_EXCEPTION * (slot->x[i] + w->v[i]) && slot->d[i] == (r > 0 ? 1 : -1))
            continue;
        /* In a block; here -1 is also valid, and it is the default. */
        if (slot->x[i] == 0) continue;
        rows[count] = slot->index ? slot->index[i] : (int32_t)i;
        value[count++] = slot->d[i];
    }
    return count;
}

/* Allocates the slots with their vectors side by side, so that the vectors of each kind form a
 * matrix. */
static chi_admm_slot *create_slots(chi_arena *arena, int64_t width, int64_t rows, int64_t k) {
    double *panels[5], *lists[3];
    for (int p = 0; p < 5; p++) panels[p] = chi_arena_doubles(arena, rows * width);
    for (int l = 0; l < 3; l++) lists[l] = chi_arena_doubles(arena, k * width);
    chi_admm_slot *slots = chi_arena_alloc(arena, width, sizeof *slots);
    for (int64_t s = 0; s < width && slots; s++)
        slots[s] = (chi_admm_slot){.x = panels[0] + s * rows,
                                   .z = panels[1] + s * rows,
                                   .u = panels[2] + s * rows,
                                   .v = panels[3] + s * rows,
                                   .d = panels[4] + s * rows,
                                   .b = lists[0] + s * k,
                                   .c = lists[1] + s * k,
                                   .best = lists[2] + s * k};
    return slots;
}

static void *create(chi_arena *arena, const chi_cone *cone, double tol) {
    int64_t rows = cone->rows, k = cone->capacity, width = WIDTH;
    chi_admm *w = chi_arena_alloc_zero(arena, 1, sizeof *w);
    if (!w) return NULL;
    while (width > WIDTH_LEAST && rows * width > PANEL) width /= 2;
    *w = (chi_admm){.cone = cone,
                    .tol = tol,
                    .width = width,
                    .slots = create_slots(arena, width, rows, k),
                    .solver = chi_active_set_create(arena, cone->kernels, k),
                    .support_gram = chi_arena_doubles(arena, k * k),
                    .support_linear = chi_arena_doubles(arena, k),
                    .gram = chi_arena_doubles(arena, k * k),
                    .b = chi_arena_doubles(arena, k),
                    .e = chi_arena_doubles(arena, k),
                    .g = chi_arena_doubles(arena, k),
                    .v = chi_arena_doubles(arena, rows),
                    .d = chi_arena_doubles(arena, rows),
                    .value = chi_arena_doubles(arena, rows),
                    .index = chi_arena_alloc(arena, rows, sizeof *w->index),
                    .used = chi_arena_alloc(arena, k, sizeof *w->used)};
    return arena->failed ? NULL : w;
}

static int64_t block_columns(const chi_cone *cone) {
    (void)cone;
    return CHI_MOST_TOGETHER;
}

const chi_projection chi_nnlad_admm = {.create = create,
                                       .solve = chi_admm_solve,
                                       .exceptions = exceptions,
                                       .solve_block = chi_admm_solve_block,
                                       .block_columns = block_columns};
