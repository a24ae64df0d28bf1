/* Tests whether a proposed vertex is optimal. One pass over the rows computes the residual, its
 * signs, A's and the objective. Where a residual is zero or nearly zero, its sign is taken from the
 * target, which is x with its ties broken; these rows are treated one by one. */
#pragma once

#include "project/lad/lad_basis.h"

/* A residual below this share of x is a tie. The limit is well above the noise that breaks ties. */
static const double TIED = 0x1p-28;
/* A vertex is accepted as optimal if its relative gap is below this, which is the level of rounding
 * errors. */
static const double CLOSED = 1e-13;

typedef struct row_sums {
    double norm, bound, *q; /* |r|_1, x's, A's                      */
    int64_t tied;           /* number of tied rows, listed in flips */
} row_sums;

INLINE void sum_rows_of(chi_lad *w, row_sums *sums, const double *b, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    const double *x = w->x.value, *column[K];
    const vec one = vec_all(1), two = vec_all(2), tie = vec_all(TIED);
    vec norm = {0}, bound = {0}, q[K], factor[K];
    int64_t m = w->m, i = 0, tied = 0;
    for (int j = 0; j < k; j++) {
        column[j] = column_of(w, j);
        factor[j] = vec_all(b[j]);
        q[j] = (vec){0};
    }
    for (; i + LANES <= m; i += LANES) {
        vec xi = vec_load(x + i), a[K], r = xi;
        for (int j = 0; j < k; j++) {
            a[j] = vec_load(column[j] + i);
            r -= factor[j] * a[j];
        }
        vec_i64 minus = r < 0;
        vec size = (vec)(((vec_i64)-r & minus) | ((vec_i64)r & ~minus));
        vec sign = one - (vec)((vec_i64)two & minus);
        norm += size;
        bound += sign * xi;
        for (int j = 0; j < k; j++) q[j] += sign * a[j];
        vec_store(w->residual + i, r);
        vec_store(w->dual + i, sign);
        unsigned bits = vec_bits(size <= tie * xi);
        for (; bits; bits &= bits - 1) w->flips[tied++] = (int32_t)(i + __builtin_ctz(bits));
    }
    sums->norm = vec_total(norm);
    sums->bound = vec_total(bound);
    for (int j = 0; j < k; j++) sums->q[j] = vec_total(q[j]);
    for (; i < m; i++) {
        double r = x[i], sign;
        for (int j = 0; j < k; j++) r -= b[j] * column[j][i];
        w->residual[i] = r;
        w->dual[i] = sign = r < 0 ? -1 : 1;
        sums->norm += fabs(r);
        sums->bound += sign * x[i];
        for (int j = 0; j < k; j++) sums->q[j] += sign * column[j][i];
        if (fabs(r) <= TIED * x[i]) w->flips[tied++] = (int32_t)i;
    }
    sums->tied = tied;
}

/* Adds the contributions of rows i .. m - 1 to the sums, one row at a time, for any number of
 * anchors. b holds the free variables, in the order of F. */
static void sum_last_rows(chi_lad *w, row_sums *sums, const double *b, int64_t i) {
    const double *x = w->x.value;
    for (; i < w->m; i++) {
        double r = x[i], sign;
        for (int64_t f = 0; f < w->p; f++) r -= b[f] * w->F_column[f][i];
        w->residual[i] = r;
        w->dual[i] = sign = r < 0 ? -1 : 1;
        sums->norm += fabs(r);
        sums->bound += sign * x[i];
        add(sums->q, sign, row_of(w, i), w->k_pad);
        if (fabs(r) <= TIED * x[i]) w->flips[sums->tied++] = (int32_t)i;
    }
}

/* Loads LANES values of anchor j from row i on: from the copy in single precision, with its own
 * units (cone.h), if `exact`, else in double precision. Single precision takes half the memory
 * traffic. */
INLINE vec rows_of_column(const chi_lad *w, int64_t j, int64_t i, const int exact) {
    return exact ? load_f32(w->cone->narrow + j * w->cone->narrow_stride + i)
                 : vec_load(w->cone->A + j * w->cone->rows + i);
}

/* Fetches `count` rows from row i on of the memory that rows_of_column() reads. */
INLINE void fetch_column(const chi_lad *w, int64_t j, int64_t i, const int count, const int exact) {
    if (exact)
        fetch_ahead(w->cone->narrow + j * w->cone->narrow_stride + i, count * (int)sizeof(float));
    else
        fetch_ahead(w->cone->A + j * w->cone->rows + i, count * (int)sizeof(double));
}

/* Adds the residuals r of rows i .. i + LANES - 1 to norm and bound, stores them, and lists tied
 * rows. Returns the signs of r. */
INLINE vec sum_residuals(chi_lad *w, row_sums *sums, vec *norm, vec *bound, vec r, int64_t i) {
    const vec one = vec_all(1), two = vec_all(2), tie = vec_all(TIED);
    vec x = vec_load(w->x.value + i);
    vec_i64 minus = r < 0;
    vec size = (vec)(((vec_i64)-r & minus) | ((vec_i64)r & ~minus));
    vec sign = one - (vec)((vec_i64)two & minus);
    *norm += size;
    *bound += sign * x;
    vec_store(w->residual + i, r);
    vec_store(w->dual + i, sign);
    for (unsigned bits = vec_bits(size <= tie * x); bits; bits &= bits - 1)
        w->flips[sums->tied++] = (int32_t)(i + __builtin_ctz(bits));
    return sign;
}

/* Computes the sums over all rows if S is all rows, for any number of anchors. b holds the free
 * variables, in the order of F. A short stretch of rows is processed at a time, so that it is still
 * in the cache when its signs are known. */
INLINE void sum_rows_by(chi_lad *w, row_sums *sums, const double *b, const int exact) {
    enum { V = 8 };
    const double *unit = w->cone->narrow_unit;
    vec norm = {0}, bound = {0};
    int64_t i = 0;
    double *part = w->narrow_sums; /* one vector for each anchor */
    memset(part, 0, (size_t)(w->k * LANES) * sizeof *part);
    sums->tied = 0;
    for (; i + V * LANES <= w->m; i += V * LANES) {
        vec r[V], sign[V];
        for (int v = 0; v < V; v++) r[v] = vec_load(w->x.value + i + v * LANES);
        for (int64_t f = 0; f < w->p; f++) {
            vec factor = vec_all(exact ? b[f] / unit[w->F[f]] : b[f]);
            for (int v = 0; v < V; v++)
                r[v] -= factor * rows_of_column(w, w->F[f], i + v * LANES, exact);
        }
        for (int v = 0; v < V; v++)
            sign[v] = sum_residuals(w, sums, &norm, &bound, r[v], i + v * LANES);
        for (int64_t j = 0; j < w->k; j++) {
            vec even = vec_load(part + j * LANES), odd = {0};
            for (int v = 0; v < V; v += 2) {
                even += sign[v] * rows_of_column(w, j, i + v * LANES, exact);
                odd += sign[v + 1] * rows_of_column(w, j, i + v * LANES + LANES, exact);
            }
            vec_store(part + j * LANES, even + odd);
            fetch_column(w, j, i + V * LANES, V * LANES, exact);
        }
    }
    sums->norm = vec_total(norm);
    sums->bound = vec_total(bound);
    for (int64_t j = 0; j < w->k; j++)
        sums->q[j] = vec_total(vec_load(part + j * LANES)) / (exact ? unit[j] : 1);
    sum_last_rows(w, sums, b, i);
}

static void sum_rows_many(chi_lad *w, row_sums *sums, const double *b) {
    const int64_t *exact = w->cone->narrow_exact;
    int64_t rounded = !exact;
    for (int64_t j = 0; exact && j < w->k; j++) rounded += !exact[j];
    if (rounded)
        sum_rows_by(w, sums, b, 0);
    else
        sum_rows_by(w, sums, b, 1);
}

static void sum_rows_few(chi_lad *w, row_sums *sums, const double *b) {
    if (w->k == 2) sum_rows_of(w, sums, b, 2);
    if (w->k == 3) sum_rows_of(w, sums, b, 3);
    if (w->k == 4) sum_rows_of(w, sums, b, 4);
    if (w->k == 5) sum_rows_of(w, sums, b, 5);
    if (w->k == 6) sum_rows_of(w, sums, b, 6);
    if (w->k == 7) sum_rows_of(w, sums, b, 7);
    if (w->k == 8) sum_rows_of(w, sums, b, 8);
}

static void give_sign(chi_lad *w, row_sums *sums, int64_t i, double sign) {
    const double *a = row_of(w, i);
    double change = sign - w->dual[i];
    w->dual[i] = sign;
    sums->bound += change * w->x.value[i];
    for (int64_t j = 0; j < w->k; j++) sums->q[j] += change * a[j];
}

static double broken_tie(const chi_lad *w, int64_t i, double noise) {
    return w->x.value[i] * (1 + noise * w->noise[w->x.index ? w->x.index[i] : i]);
}

/* Sets the signs of the rows of B to 0, and those of tied rows to the signs of the target's
 * residual. */
static void sign_ties(chi_lad *w, row_sums *sums, double noise) {
    int64_t p = w->p;
    double *b = w->delta;
    for (int64_t l = 0; l < p; l++) give_sign(w, sums, w->B[l], 0);
    if (sums->tied <= p) return;
    for (int64_t l = 0; l < p; l++) w->rhs[l] = broken_tie(w, w->B[l], noise);
    solve_basis(w, b, w->rhs, 0);
    for (int64_t n = 0; n < sums->tied; n++) {
        int64_t i = w->flips[n];
        if (w->dual[i] == 0) continue;
        const double *a = row_of(w, i);
        double r = broken_tie(w, i, noise);
        for (int64_t f = 0; f < p; f++) r -= b[f] * a[w->F[f]];
        give_sign(w, sums, i, r < 0 ? -1 : 1);
    }
}

/* Computes d over B from the signs, as prove_with() does, makes d feasible, and computes the
 * gap. */
static void close_gap(chi_lad *w, chi_fit *fit, row_sums *sums, double cost) {
    int64_t p = w->p;
    double shift = 0;
    for (int64_t j = 0; j < w->k; j++) w->z[j] = sums->q[j] - w->c[j];
    for (int64_t f = 0; f < p; f++) w->rhs[f] = -w->z[w->F[f]];
    solve_basis(w, w->d, w->rhs, 1);
    for (int64_t l = 0; l < p; l++) {
        const double *row = w->B_row[l];
        double d = w->d[l] = smaller(larger(w->d[l], -1), 1);
        w->dual[w->B[l]] = d;
        sums->bound += d * w->x.value[w->B[l]];
        for (int64_t j = 0; j < w->k; j++) w->z[j] += d * row[j];
    }
    for (int64_t j = 0; j < w->k; j++)
        if (w->z[j] > shift * w->cone->sums[j]) shift = w->z[j] / w->cone->sums[j];
    set_fit(w, fit, sums->norm + cost, sums->bound, shift);
    fit->proven = fit->gap <= smaller(w->tol, CLOSED);
}

/* Computes the sums over the rows of S if S is not all rows. */
static void sum_rows_gathered(chi_lad *w, row_sums *sums, const double *b) {
    const double *x = w->x.value;
    int64_t tied = 0;
    combine(w->t, w->m, w->F_column, b, w->p);
    subtract(w->residual, w->dual, x, w->t, w->m);
    product(w, sums->q, w->dual);
    sums->norm = sums->bound = 0;
    for (int64_t i = 0; i < w->m; i++) {
        sums->norm += fabs(w->residual[i]);
        sums->bound += w->dual[i] * x[i];
        if (fabs(w->residual[i]) <= TIED * x[i]) w->flips[tied++] = (int32_t)i;
    }
    sums->tied = tied;
}

/* Sets *fit and returns whether the vertex (F, B) is proven optimal. `noise` is the relative size
 * of the noise that broke the ties of the target. */
static int prove_at_once(chi_lad *w, chi_fit *fit, double noise) {
    row_sums sums = {.q = w->q};
    double b[CHI_NARROW_ANCHORS] = {0}, cost = 0;
    if (!factorise(w)) return 0;
    for (int64_t l = 0; l < w->p; l++) w->rhs[l] = w->x.value[w->B[l]];
    solve_basis(w, w->b, w->rhs, 0);
    for (int64_t f = 0; f < w->p; f++) {
        w->b[f] = larger(w->b[f], 0);
        if (w->k <= CHI_NARROW_ANCHORS) b[w->F[f]] = w->b[f];
        cost += w->c[w->F[f]] * w->b[f];
    }
    if (w->k <= CHI_NARROW_ANCHORS)
        sum_rows_few(w, &sums, b);
    else if (w->x.index)
        sum_rows_gathered(w, &sums, w->b);
    else
        sum_rows_many(w, &sums, w->b);
    sign_ties(w, &sums, noise);
    close_gap(w, fit, &sums, cost);
    return fit->proven;
}
