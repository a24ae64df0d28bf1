/* The ellipsoid of least volume, by its dual, the D-optimal design:
 *
 *     max_u log det M(u),   M(u) = sum_j u_j y_j y_j',   u >= 0, sum u = 1.
 *
 * The method is Frank-Wolfe with away steps (Wolfe 1970, Atwood 1973; Todd and Yildirim 2007). With
 * r = rows and k_j = y_j'M^-1 y_j, u is optimal if k_j <= r for all j, with equality where u_j > 0.
 * A step moves u towards the column with the largest k, or away from the column with the smallest k
 * that has weight, whichever is farther from r. The best step length is known in closed form, and
 * M^-1 and all k are updated by a product with one vector, in O(r cols).
 *
 * Columns that can no longer carry weight are dropped (Harman and Pronzato 2007): with
 * e = max k / r - 1, those with k_j < r (1 + e / 2 - sqrt(e (4 + e - 4 / r)) / 2). */
#include "baseline/variants/least_ellipsoid.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

extern void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);
extern void dpotri_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);

enum { MOST_STEPS = 100000, STEPS_PER_REFRESH = 200 };

typedef struct ellipsoid {
    ch_context *context;
    const double *Y;
    int64_t rows, cols;
    int64_t *column; /* the remaining columns: their numbers in Y */
    int64_t left;
    double *weight; /* u of each remaining column */
    double *k;      /* k of each remaining column */
    double *M, *inverse;
    double *v; /* rows: M^-1 y */
} ellipsoid;

static const double *point(const ellipsoid *e, int64_t i) {
    return e->Y + e->column[i] * e->rows;
}

/* Recomputes M, its inverse and every k, so that rounding errors do not accumulate. Returns 0 if M
 * is singular. */
static int refresh(ellipsoid *e) {
    int n = (int)e->rows, info;
    size_t bytes = (size_t)(e->rows * e->rows) * sizeof(double);
    memset(e->M, 0, bytes);
    for (int64_t i = 0; i < e->left; i++)
        if (e->weight[i] > 0)
            cblas_dsyr(CblasColMajor, CblasLower, n, e->weight[i], point(e, i), 1, e->M, n);
    memcpy(e->inverse, e->M, bytes);
    dpotrf_("L", &n, e->inverse, &n, &info, 1);
    if (info == 0) dpotri_("L", &n, e->inverse, &n, &info, 1);
    if (info != 0) return 0;
    for (int64_t i = 0; i < e->left; i++) {
        cblas_dsymv(CblasColMajor, CblasLower, n, 1, e->inverse, n, point(e, i), 1, 0, e->v, 1);
        e->k[i] = cblas_ddot(n, e->v, 1, point(e, i), 1);
    }
    return 1;
}

/* Finds the column with the largest k, and the one with the smallest k among those with weight. */
static void extremes(const ellipsoid *e, int64_t *far, int64_t *close) {
    *far = 0;
    *close = -1;
    for (int64_t i = 0; i < e->left; i++) {
        if (e->k[i] > e->k[*far]) *far = i;
        if (e->weight[i] > 0 && (*close < 0 || e->k[i] < e->k[*close])) *close = i;
    }
}

static void drop(ellipsoid *e, double excess) {
    double r = (double)e->rows, kept = 0;
    double least =
        r * (1 + excess / 2 - sqrt(fmax(excess * (4 + excess - 4 / r), 0)) / 2) * (1 - 1e-9);
    int64_t left = 0;
    for (int64_t i = 0; i < e->left; i++) {
        if (e->k[i] < least && e->weight[i] == 0) continue;
        e->column[left] = e->column[i];
        e->weight[left] = e->weight[i];
        e->k[left] = e->k[i];
        kept += e->weight[left++];
    }
    for (int64_t i = 0; i < left; i++) e->weight[i] /= kept; /* their sum is 1 up to rounding */
    e->left = left;
}

/* u <- (1 - t) u + t e_i, where t < 0 moves away from i. Updates M^-1 and k (Sherman and
 * Morrison). */
static void step(ellipsoid *e, int64_t i, double t) {
    int n = (int)e->rows;
    double k = e->k[i], factor = t / (1 - t + t * k);
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, e->inverse, n, point(e, i), 1, 0, e->v, 1);
    for (int64_t c = 0; c < e->left; c++) {
        double along = cblas_ddot(n, e->v, 1, point(e, c), 1);
        e->k[c] = (e->k[c] - factor * along * along) / (1 - t);
        e->weight[c] *= 1 - t;
    }
    e->weight[i] = fmax(e->weight[i] + t, 0);
    cblas_dsyr(CblasColMajor, CblasLower, n, -factor, e->v, 1, e->inverse, n);
    cblas_dscal(n * n, 1 / (1 - t), e->inverse, 1);
}

/* Makes one step. Returns 1 if u is optimal to the accuracy. */
static int improve(ellipsoid *e, double accuracy) {
    double r = (double)e->rows;
    int64_t far, close;
    extremes(e, &far, &close);
    double above = e->k[far] / r - 1, below = 1 - e->k[close] / r;
    if (above <= accuracy && below <= accuracy) return 1;
    int64_t i = above >= below ? far : close;
    double k = e->k[i], t = (k - r) / (r * (k - 1)), all = -e->weight[i] / (1 - e->weight[i]);
    if (i == close && above < below && (k <= 1 || t < all)) { /* all of its weight is removed */
        step(e, i, all);
        e->weight[i] = 0;
    } else {
        step(e, i, t);
    }
    return 0;
}

static ch_status solve(ellipsoid *e, double accuracy) {
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (steps % STEPS_PER_REFRESH == 0) {
            int64_t far, close;
            TRY(chi_pause(e->context));
            if (!refresh(e))
                return chi_fail(e->context, CH_ERR_DATA,
                                "the method pspa failed, because the columns are linearly "
                                "dependent; ask for fewer anchors");
            extremes(e, &far, &close);
            drop(e, fmax(e->k[far] / (double)e->rows - 1, 0));
        }
        if (improve(e, accuracy)) return CH_OK;
    }
    return CH_STOP_ITER;
}

/* Computes M from the final weights, both triangles. */
static void finish(ellipsoid *e) {
    int64_t n = e->rows;
    memset(e->M, 0, (size_t)(n * n) * sizeof(double));
    for (int64_t i = 0; i < e->left; i++)
        cblas_dsyr(CblasColMajor, CblasLower, (int)n, e->weight[i], point(e, i), 1, e->M, (int)n);
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < c; i++) e->M[i + c * n] = e->M[c + i * n];
}

ch_status chi_least_ellipsoid(chi_arena *arena, double *M, const double *Y, int64_t rows,
                              int64_t cols, const int64_t *start, double accuracy) {
    ellipsoid e = {.context = arena->context,
                   .Y = Y,
                   .rows = rows,
                   .cols = cols,
                   .left = cols,
                   .M = M,
                   .column = chi_arena_alloc(arena, cols, sizeof(int64_t)),
                   .weight = chi_arena_alloc_zero(arena, cols, sizeof(double)),
                   .k = chi_arena_doubles(arena, cols),
                   .inverse = chi_arena_doubles(arena, rows * rows),
                   .v = chi_arena_doubles(arena, rows)};
    TRY(chi_arena_status(arena, "ellipsoid"));
    for (int64_t j = 0; j < cols; j++) e.column[j] = j;
    for (int64_t i = 0; i < rows; i++) e.weight[start[i]] = 1 / (double)rows;
    ch_status status = solve(&e, accuracy);
    if (status >= 0) finish(&e);
    return status;
}
