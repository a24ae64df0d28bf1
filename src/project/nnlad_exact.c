/* Exact l1 projection on a cone, with its proof:
 *
 *     min_{b >= 0} |x - A b|_1,      dual:  max x'd,  A'd <= 0,  -1 <= d <= 1
 *
 * Where x_i = 0 the loss is linear, (A b)_i, and d_i = -1; so with S the support of x and
 * c = A'1 over the other rows the problem is  min_{b>=0} sum_S |x_i - (A b)_i| + c'b.
 *
 * A vertex method after Barrodale and Roberts (SIAM J. Numer. Anal. 10, 1973): p variables are
 * free, p rows have zero residual. An edge leaves the vertex by releasing a row (|d_i| > 1) or a
 * bound ((A'd - c)_j > 0); the step along it ends at the weighted median of the breakpoints, or at
 * a bound, which is the next vertex. Edges are chosen by slope over estimated length (devex:
 * Forrest and Goldfarb, Math. Program. 57, 1992). A pivot costs O(|S| p + p k).
 *
 * Ties, which integer data are full of, are broken by pivoting on x_i (1 + noise_i 2^-36) with
 * noise a fixed function of the row; b, the objective and d are then computed from x itself and the
 * final (F, B), and the gap is checked. Tolerances are relative to the data throughout. */
#include "project/lad.h"

#include <math.h>
#include <string.h>

/* Slopes this close to optimal, relative to A'1 (bounds) or 1 (rows), are left alone. */
static const double PRICE = 1e-11;
/* Two computations of a pivot that differ by more than this call for a new inverse. */
static const double DRIFT = 1e-7;
enum { REFRESH = 50 }; /* pivots after which the inverse is computed anew */

/* --- the problem -------------------------------------------------------------------------------
 */

static void load(chi_lad *w, const chi_column *x) {
    const chi_cone *cone = w->cone;
    w->x = *x;
    w->m = x->count;
    w->k = cone->count;
    w->k_pad = (w->k + 7) / 8 * 8;
    w->gathered_count = 0;
    w->pivots = 0;
    for (int64_t j = 0; j < w->k; j++) w->column[j] = NULL;
    if (!x->index) {
        for (int64_t j = 0; j < w->k; j++) {
            w->c[j] = 0;
            w->scale[j] = cone->gram[j + j * cone->capacity];
        }
    } else {
        for (int64_t i = 0; i < w->m; i++) w->s[i] = 1;
        chi_lad_product(w, w->c, w->s);
        for (int64_t j = 0; j < w->k; j++) {
            w->c[j] = fmax(cone->sums[j] - w->c[j], 0);
            w->scale[j] = cone->gram[j + j * cone->capacity];
        }
    }
    for (int64_t j = 0; j < w->k; j++) w->unit[j] = w->scale[j] > 0 ? 1 / sqrt(w->scale[j]) : 0;
}

static void break_ties(chi_lad *w, double size) {
    const double *value = w->x.value;
    const int32_t *index = w->x.index;
    for (int64_t i = 0; i < w->m; i++)
        w->target[i] = value[i] * (1 + size * w->noise[index ? index[i] : i]);
}

/* --- pivots ------------------------------------------------------------------------------------
 */

/* An edge: release row B_at (sign: where its residual goes) or bound at. */
typedef struct edge_choice {
    int is_row;
    int64_t at;
    double slope, sign;
} edge_choice;

/* d_B from A_F'd = c_F, z = A'd - c, and the edge with the largest slope^2 / length^2. */
static int choose_edge(chi_lad *w, edge_choice *edge) {
    int64_t p = w->p;
    double *free_q = w->u, best = 0;
    for (int64_t f = 0; f < p; f++) free_q[f] = w->q[w->F[f]];
    memcpy(w->z, w->q, (size_t)w->k_pad * sizeof *w->z);
    for (int64_t l = 0; l < p; l++) {
        const double *column = w->inverse + l * w->ld, *row = chi_lad_row(w, w->B[l]);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t f = 0; f < p; f++) sum -= column[f] * free_q[f];
        w->d[l] = sum;
#pragma omp simd
        for (int64_t j = 0; j < w->k_pad; j++) w->z[j] += sum * row[j];
        double slope = fabs(sum) - 1;
        if (slope > PRICE && slope * slope > best * w->weight_B[l]) {
            best = slope * slope / w->weight_B[l];
            *edge = (edge_choice){1, l, slope, sum < 0 ? -1 : 1};
        }
    }
    for (int64_t j = 0; j < w->k; j++) {
        double slope = w->z[j];
        if (w->place[j] < 0 && slope > PRICE * w->cone->sums[j] &&
            slope * slope > best * w->weight_j[j]) {
            best = slope * slope / w->weight_j[j];
            *edge = (edge_choice){0, j, slope, 1};
        }
    }
    return best > 0;
}

/* delta_F and t = A delta. */
static void walk_edge(chi_lad *w, const edge_choice *edge) {
    int64_t p = w->p, count = p;
    if (edge->is_row) {
        const double *column = w->inverse + edge->at * w->ld;
        for (int64_t f = 0; f < p; f++) w->delta[f] = -edge->sign * column[f];
    } else {
        memset(w->delta, 0, (size_t)p * sizeof *w->delta);
        for (int64_t l = 0; l < p; l++) {
            const double *column = w->inverse + l * w->ld;
            double entry = chi_lad_row(w, w->B[l])[edge->at];
            if (entry == 0) continue;
#pragma omp simd
            for (int64_t f = 0; f < p; f++) w->delta[f] -= entry * column[f];
        }
        w->F_column[p] = chi_lad_column(w, edge->at);
        w->delta[p] = 1;
        count++;
    }
    chi_lad_combine(w->t, w->m, w->F_column, w->delta, count);
    for (int64_t l = 0; l < p; l++) w->t[w->B[l]] = 0;
    if (edge->is_row) w->t[w->B[edge->at]] = -edge->sign;
}

/* How far until a free variable reaches zero, and which. */
static double bound_limit(const chi_lad *w, int64_t *which) {
    double limit = INFINITY;
    for (int64_t f = 0; f < w->p; f++)
        if (w->delta[f] < 0 && fmax(w->b[f], 0) < -w->delta[f] * limit)
            limit = fmax(w->b[ *which = f], 0) / -w->delta[f];
    return limit;
}

static void add_row(chi_lad *w, double factor, int64_t i) {
    const double *row = chi_lad_row(w, i);
#pragma omp simd
    for (int64_t j = 0; j < w->k_pad; j++) w->q[j] += factor * row[j];
}

/* u and edge: what the other edges do to the row or bound that stops this one. */
static void pivot_row(chi_lad *w, int64_t row, int64_t bound) {
    int64_t p = w->p;
    if (row >= 0) {
        const double *a = chi_lad_row(w, row);
        double *entries = w->rhs;
        for (int64_t f = 0; f < p; f++) entries[f] = a[w->F[f]];
        memcpy(w->edge, a, (size_t)w->k_pad * sizeof *a);
        for (int64_t l = 0; l < p; l++) {
            const double *column = w->inverse + l * w->ld;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t f = 0; f < p; f++) sum += column[f] * entries[f];
            w->u[l] = sum;
        }
    } else {
        memset(w->edge, 0, (size_t)w->k_pad * sizeof *w->edge);
        for (int64_t l = 0; l < p; l++) w->u[l] = w->inverse[bound + l * w->ld];
    }
    for (int64_t l = 0; l < p; l++) {
        const double *other = chi_lad_row(w, w->B[l]);
        double factor = w->u[l];
#pragma omp simd
        for (int64_t j = 0; j < w->k_pad; j++) w->edge[j] -= factor * other[j];
    }
}

/* Devex: an edge that the pivot turns by ratio of the chosen one is at least that long. */
static void update_weights(chi_lad *w, double length, double pivot) {
    double factor = length / (pivot * pivot);
#pragma omp simd
    for (int64_t l = 0; l < w->p; l++)
        w->weight_B[l] = fmax(w->weight_B[l], w->u[l] * w->u[l] * factor);
#pragma omp simd
    for (int64_t j = 0; j < w->k; j++)
        w->weight_j[j] = fmax(w->weight_j[j], w->edge[j] * w->edge[j] * factor);
}

static void exchange(chi_lad *w, const edge_choice *edge, int64_t row, int64_t bound, double step,
                     double length) {
    double pivot = row >= 0 ? w->t[row] : w->delta[bound], left = length / (pivot * pivot);
    update_weights(w, length, pivot);
    if (row >= 0) {
        if (edge->is_row) {
            chi_lad_swap_row(w, edge->at, row);
            w->weight_B[edge->at] = fmax(left, 1);
        } else {
            w->b[w->p] = step;
            w->weight_B[w->p] = fmax(left, 1);
            chi_lad_grow(w, edge->at, row, pivot);
        }
    } else {
        w->weight_j[w->F[bound]] = left;
        if (edge->is_row) {
            chi_lad_shrink(w, bound, edge->at);
        } else {
            chi_lad_swap_column(w, bound, edge->at);
            w->b[bound] = step;
        }
    }
}

/* One edge; 0 when the inverse has lost its accuracy and nothing was changed. */
static int take_edge(chi_lad *w, const edge_choice *edge) {
    int64_t bound = -1, passed, p = w->p;
    walk_edge(w, edge);
    double step, length = chi_lad_square(w->t, w->m), limit = bound_limit(w, &bound);
    int64_t row = chi_lad_search(w, &step, &passed, edge->slope / 2, limit);
    if (row < 0 && bound < 0) return 0;
    pivot_row(w, row, row < 0 ? bound : -1);
    double pivot = row >= 0 ? w->t[row] : w->delta[bound];
    double again = edge->is_row ? -edge->sign * w->u[edge->at] : w->edge[edge->at];
    if (!(fabs(pivot - again) <= DRIFT * fabs(pivot))) return 0;

    if (edge->is_row) {
        w->s[w->B[edge->at]] = edge->sign;
        add_row(w, edge->sign, w->B[edge->at]);
    }
    for (int64_t f = 0; f < p; f++) w->b[f] = fmax(w->b[f] + step * w->delta[f], 0);
#pragma omp simd
    for (int64_t i = 0; i < w->m; i++) w->r[i] -= step * w->t[i];
    for (int64_t n = 0; n < passed; n++) {
        int64_t i = w->flips[n];
        w->s[i] = -w->s[i];
        add_row(w, 2 * w->s[i], i);
    }
    if (row >= 0) {
        add_row(w, -w->s[row], row);
        w->s[row] = w->r[row] = 0;
    }
    exchange(w, edge, row, bound, step, length);
    w->pivots++;
    return 1;
}

/* To the optimal vertex of the target, or until the budget is spent. */
static void descend(chi_lad *w, int64_t budget) {
    edge_choice edge = {0};
    int64_t since = 0;
    while (w->pivots < budget && choose_edge(w, &edge)) {
        if (since < REFRESH && take_edge(w, &edge)) {
            since++;
            continue;
        }
        if (since == 0 || !chi_lad_refresh(w)) return;
        since = 0;
    }
}

/* --- the proof ---------------------------------------------------------------------------------
 */

/* b, residual, objective from x itself; d from the signs; the gap with d made feasible. */
static int prove(chi_lad *w, chi_fit *fit) {
    const chi_cone *cone = w->cone;
    const double *x = w->x.value;
    int64_t p = w->p, m = w->m;
    if (!chi_lad_factor(w)) return 0;
    for (int64_t l = 0; l < p; l++) w->rhs[l] = x[w->B[l]];
    chi_lad_solve(w, w->b, w->rhs, 0);
    double objective = 0, bound = 0;
    for (int64_t f = 0; f < p; f++) {
        w->b[f] = fmax(w->b[f], 0);
        objective += w->c[w->F[f]] * w->b[f];
    }
    chi_lad_combine(w->residual, m, w->F_column, w->b, p);
    for (int64_t i = 0; i < m; i++) {
        w->residual[i] = x[i] - w->residual[i];
        objective += fabs(w->residual[i]);
    }

    chi_lad_product(w, w->z, w->s);
    for (int64_t j = 0; j < w->k; j++) w->z[j] -= w->c[j];
    for (int64_t f = 0; f < p; f++) w->rhs[f] = -w->z[w->F[f]];
    chi_lad_solve(w, w->d, w->rhs, 1);
    memcpy(w->dual, w->s, (size_t)m * sizeof *w->s);
    for (int64_t l = 0; l < p; l++) {
        const double *row = chi_lad_row(w, w->B[l]);
        w->d[l] = fmin(fmax(w->d[l], -1), 1);
        w->dual[w->B[l]] = w->d[l];
        for (int64_t j = 0; j < w->k; j++) w->z[j] += w->d[l] * row[j];
    }
    double shift = 0;
    for (int64_t j = 0; j < w->k; j++)
        if (w->z[j] > shift * cone->sums[j]) shift = w->z[j] / cone->sums[j];
    for (int64_t i = 0; i < m; i++) bound += x[i] * w->dual[i];
    bound = (bound - shift * w->x.sum) / (1 + shift);
    fit->objective = objective;
    fit->infeasibility = shift;
    fit->gap = fmax(objective - bound, 0) / w->x.sum;
    fit->pivots = w->pivots;
    fit->proven = fit->gap <= w->tol;
    return 1;
}

static void give_b(const chi_lad *w, double *b) {
    memset(b, 0, (size_t)w->k * sizeof *b);
    for (int64_t f = 0; f < w->p; f++) b[w->F[f]] = w->b[f];
}

static void give_d(const chi_lad *w, double *d, double shift) {
    for (int64_t i = 0; i < w->x.rows; i++) d[i] = -1;
    for (int64_t i = 0; i < w->m; i++)
        d[w->x.index ? w->x.index[i] : i] = (w->dual[i] - shift) / (1 + shift);
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_lad *w = work;
    load(w, x);
    *fit = (chi_fit){.proven = 1};
    if (w->m == 0) {
        memset(b, 0, (size_t)w->k * sizeof *b);
        if (d) give_d(w, d, 0);
        return;
    }
    static const double noise[] = {0x1p-36, 0x1p-44, 0x1p-30, 0x1p-44};
    int64_t budget = 0;
    for (int attempt = 0; attempt < 4; attempt++) {
        break_ties(w, noise[attempt]);
        budget += 50 * (w->k + 10);
        int from_b = attempt == 0 ? warm : attempt != 2;
        if (!from_b || !chi_lad_start_warm(w, b)) chi_lad_start_cold(w);
        descend(w, budget);
        if (!prove(w, fit)) continue;
        give_b(w, b);
        if (fit->proven) break;
    }
    if (d) give_d(w, d, fit->infeasibility);
}

/* --- table row ---------------------------------------------------------------------------------
 */

static int64_t exceptions(const void *work, int32_t *row, double *value) {
    const chi_lad *w = work;
    int64_t count = 0;
    for (int64_t i = 0; i < w->m; i++) {
        double r = w->residual[i], x = w->x.value[i];
        if (fabs(r) > CHI_EXCEPTION * (x + fabs(x - r)) && w->dual[i] == (r < 0 ? -1 : 1)) continue;
        row[count] = w->x.index ? w->x.index[i] : (int32_t)i;
        value[count++] = w->dual[i];
    }
    return count;
}

typedef struct part {
    void **at;
    int64_t count;
    size_t size;
} part;

enum { PARTS = 33 };

/* Every array of the work area with its size: one list for create and destroy. */
static int list_parts(chi_lad *w, part *list) {
    int64_t rows = w->cone->rows, k = w->ld;
    size_t real = sizeof(double), whole = sizeof(int32_t);
    const part all[] = {
        {(void **)&w->noise, rows, real},
        {(void **)&w->target, rows, real},
        {(void **)&w->r, rows, real},
        {(void **)&w->s, rows, real},
        {(void **)&w->t, rows, real},
        {(void **)&w->residual, rows, real},
        {(void **)&w->dual, rows, real},
        {(void **)&w->gathered, rows * w->cone->capacity, real},
        {(void **)&w->breaks, rows, sizeof(chi_break)},
        {(void **)&w->spare, rows, sizeof(chi_break)},
        {(void **)&w->flips, rows, whole},
        {(void **)&w->c, k, real},
        {(void **)&w->scale, k, real},
        {(void **)&w->unit, k, real},
        {(void **)&w->q, k, real},
        {(void **)&w->z, k, real},
        {(void **)&w->weight_j, k, real},
        {(void **)&w->edge, k, real},
        {(void **)&w->b, k, real},
        {(void **)&w->d, k, real},
        {(void **)&w->weight_B, k, real},
        {(void **)&w->delta, k, real},
        {(void **)&w->u, k, real},
        {(void **)&w->rhs, k, real},
        {(void **)&w->solution, 2 * k, real},
        {(void **)&w->inverse, k * k, real},
        {(void **)&w->factor, k * k, real},
        {(void **)&w->F, k, whole},
        {(void **)&w->B, k, whole},
        {(void **)&w->place, k, whole},
        {(void **)&w->order, k, whole},
        {(void **)&w->column, k, sizeof(double *)},
        {(void **)&w->F_column, k, sizeof(double *)},
    };
    _Static_assert(sizeof all == PARTS * sizeof *all, "PARTS counts the arrays");
    memcpy(list, all, sizeof all);
    return PARTS;
}

static void destroy(ch_context *context, void *work) {
    if (!work) return;
    part list[PARTS];
    int count = list_parts(work, list);
    for (int i = 0; i < count; i++) chi_free(context, *list[i].at);
    chi_free(context, work);
}

/* In (-1, 1), a fixed function of the row: splitmix64's finaliser. */
static double row_noise(int64_t i) {
    uint64_t h = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(int64_t)h * 0x1p-63;
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    chi_lad *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "a projection", 1, sizeof *w);
    w->cone = cone;
    w->tol = tol;
    w->ld = (cone->capacity + 8) / 8 * 8; /* one more than the anchors: the entering one */
    part list[PARTS];
    int count = list_parts(w, list);
    for (int i = 0; i < count; i++) {
        *list[i].at = chi_alloc_zero(context, list[i].count, list[i].size);
        if (*list[i].at) continue;
        destroy(context, w);
        return chi_no_memory(context, "a projection", list[i].count, list[i].size);
    }
    for (int64_t i = 0; i < cone->rows; i++) w->noise[i] = row_noise(i);
    *work = w;
    return CH_OK;
}

const chi_projection chi_nnlad_exact = {.name = "exact",
                                        .create = create,
                                        .destroy = destroy,
                                        .solve = solve,
                                        .exceptions = exceptions};
