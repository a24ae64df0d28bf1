/* The inverse of A_BF while B and F change by one element at a time. Rank-one updates of the
 * explicit inverse cost O(p^2) each; the LU factorisation, from which the answer is computed, costs
 * O(p^3). p is at most the number of anchors, so all of this is small and stays in the cache. */
#pragma once

#include "project/lad/lad_kernels.h"

/* Returns column j of A over S; gathers it at the first call. */
static const double *column_of(chi_lad *w, int64_t j) {
    if (!w->x.index) return w->cone->A + j * w->cone->rows;
    if (!w->column[j]) {
        const double *a = w->cone->A + j * w->cone->rows;
        double *copy = w->gathered + w->gathered_count++ * w->m;
        for (int64_t i = 0; i < w->m; i++) copy[i] = a[w->x.index[i]];
        w->column[j] = copy;
    }
    return w->column[j];
}

static void set_free(chi_lad *w, int64_t f, int64_t j) {
    w->F[f] = (int32_t)j;
    w->place[j] = (int32_t)f;
    w->F_column[f] = column_of(w, j);
    w->F_gram[f] = w->cone->gram + j * w->cone->capacity;
}

static void set_row(chi_lad *w, int64_t l, int64_t i) {
    w->B[l] = (int32_t)i;
    w->B_row[l] = row_of(w, i);
}

/* y = x'(A_BF)^-1, where x is over F and y over B. */
static void times_inverse(const chi_lad *w, double *y, const double *x) {
    combine_short(y, padded(w->p), (const double *const *)w->inverse_row, x, w->p);
}

/* delta = -(A_BF)^-1 a_Bj. */
static void edge_of_bound(chi_lad *w, int64_t j) {
    int64_t p = w->p, length = padded(p);
    double *entries = w->rhs;
    for (int64_t l = 0; l < p; l++) entries[l] = -w->B_row[l][j];
    for (int64_t l = p; l < length; l++) entries[l] = 0;
    for (int64_t f = 0; f < p; f++) w->delta[f] = dot(w->inverse_row[f], entries, length);
}

/* Products with an explicit inverse have errors of rounding times the norm of the inverse, which is
 * large for nearly equal anchors. Remainders above this share, where the exact value is zero, show
 * such an error; one correction step then removes it. */
static const double ROUNDING = 1e-13;

/* y = a_F'(A_BF)^-1 and rest = a - y'A_B, which is zero over F; a is over the anchors. */
static void eliminate(chi_lad *w, double *y, double *rest, const double *a) {
    int64_t p = w->p, length = padded(p);
    double *entries = w->rhs, size = 0, left = 0;
    for (int64_t f = 0; f < p; f++) {
        entries[f] = a[w->F[f]];
        size = larger(size, fabs(entries[f]));
    }
    times_inverse(w, y, entries);
    combine_short(rest, w->k_pad, w->B_row, y, p);
    for (int64_t j = 0; j < w->k_pad; j++) rest[j] = a[j] - rest[j];
    for (int64_t f = 0; f < p; f++) left = larger(left, fabs(rest[w->F[f]]));
    if (!(left > ROUNDING * size)) return;
    double *more = w->solution;
    for (int64_t f = 0; f < p; f++) entries[f] = rest[w->F[f]];
    times_inverse(w, more, entries);
    add(y, 1, more, length);
    for (int64_t l = 0; l < p; l++) add(rest, -more[l], w->B_row[l], w->k_pad);
}

/* Computes w->u and w->edge: the change of a'b along every edge, where a is a row of A. */
static void edges_at_row(chi_lad *w, const double *a) {
    eliminate(w, w->u, w->edge, a);
}

/* Computes w->u and w->edge: the change of the free variable F_f along every edge. */
static void edges_at_bound(chi_lad *w, int64_t f) {
    memcpy(w->u, w->inverse_row[f], (size_t)padded(w->p) * sizeof *w->u);
    combine_short(w->edge, w->k_pad, w->B_row, w->u, w->p);
    for (int64_t j = 0; j < w->k_pad; j++) w->edge[j] = -w->edge[j];
}

/* Adds j to F and i to B: computes [K a; c' .]^-1 from K^-1, given delta = -K^-1 a, u = c'K^-1 and
 * the pivot, which is the Schur complement. */
static void grow(chi_lad *w, int64_t j, int64_t i, double pivot) {
    int64_t p = w->p, length = padded(p + 1);
    for (int64_t l = p; l < length; l++) w->u[l] = 0;
    w->u[p] = -1;
    w->delta[p] = 1;
    memset(w->inverse_row[p], 0, (size_t)length * sizeof *w->u);
    for (int64_t f = 0; f <= p; f++) {
        if (length > padded(p)) memset(w->inverse_row[f] + p, 0, CHI_PAD * sizeof *w->u);
        add(w->inverse_row[f], -w->delta[f] / pivot, w->u, length);
    }
    set_row(w, p, i);
    set_free(w, p, j);
    w->p = p + 1;
}

/* Removes F_f from F and B_l from B. */
static void shrink(chi_lad *w, int64_t f, int64_t l) {
    int64_t p = w->p, last = p - 1, length = padded(p);
    const double *out = w->inverse_row[f];
    for (int64_t g = 0; g < p; g++)
        if (g != f) add(w->inverse_row[g], -w->inverse_row[g][l] / out[l], out, length);
    w->place[w->F[f]] = -1;
    set_row(w, l, w->B[last]);
    w->weight_B[l] = w->weight_B[last];
    if (f != last) {
        memcpy(w->inverse_row[f], w->inverse_row[last], (size_t)length * sizeof *out);
        w->b[f] = w->b[last];
        set_free(w, f, w->F[last]);
    }
    for (int64_t g = 0; g < last; g++) {
        w->inverse_row[g][l] = w->inverse_row[g][last];
        w->inverse_row[g][last] = 0;
    }
    w->p = last;
}

/* Replaces B_l by i, given u = (row i of A_F) K^-1. */
static void swap_row(chi_lad *w, int64_t l, int64_t i) {
    double scale = 1 / w->u[l];
    for (int64_t f = 0; f < w->p; f++) {
        double *row = w->inverse_row[f], value = row[l] * scale;
        add(row, -value, w->u, padded(w->p));
        row[l] = value;
    }
    set_row(w, l, i);
}

/* Replaces F_f by j, given delta = -K^-1 a_j. */
static void swap_column(chi_lad *w, int64_t f, int64_t j) {
    double *in = w->inverse_row[f], scale = -1 / w->delta[f];
    int64_t length = padded(w->p);
    for (int64_t l = 0; l < length; l++) in[l] *= scale;
    for (int64_t g = 0; g < w->p; g++)
        if (g != f) add(w->inverse_row[g], w->delta[g], in, length);
    w->place[w->F[f]] = -1;
    set_free(w, f, j);
}

/* --- LU factorisation ---------------------------------------------------------------------- */

/* A row depends on the rows before it if elimination reduces its largest entry below this share of
 * its original size. */
static const double SINGULAR = 1e-13;

/* Sorts distinct numbers: the place of each is the number of smaller ones. */
static void sort_small(int32_t *list, int64_t count, int32_t *copy) {
    memcpy(copy, list, (size_t)count * sizeof *list);
    for (int64_t i = 0; i < count; i++) {
        int32_t value = copy[i], place = 0;
        for (int64_t l = 0; l < count; l++) place += copy[l] < value;
        list[place] = value;
    }
}

/* Computes P A_BF = L U by partial pivoting into factor (row-major, p x p); the diagonal of U holds
 * reciprocals. Returns 0 if A_BF is singular. p is w->p; where it is a constant, the loops are
 * unrolled. */
INLINE int decompose_of(chi_lad *w, const int64_t p) {
    int64_t ld = w->ld;
    double *sizes = w->edge; /* the largest entry of each column over B */
    for (int64_t l = 0; l < p; l++) {
        const double *row = w->B_row[l];
        for (int64_t f = 0; f < p; f++) w->factor[l * ld + f] = row[w->F[f]];
        w->order[l] = (int32_t)l;
    }
    for (int64_t j = 0; j < w->k_pad; j += LANES) {
        vec size = {0};
        for (int64_t l = 0; l < p; l++) size = vec_smaller(size, -vec_load(w->B_row[l] + j));
        vec_store(sizes + j, -size);
    }
    for (int64_t f = 0; f < p; f++) {
        double size = sizes[w->F[f]], largest = 0;
        int64_t at = f;
        for (int64_t l = f; l < p; l++) {
            double entry = fabs(w->factor[w->order[l] * ld + f]);
            at = entry > largest ? l : at; /* without a branch */
            largest = larger(entry, largest);
        }
        if (!(largest > SINGULAR * size)) return 0;
        int32_t chosen = w->order[at];
        w->order[at] = w->order[f];
        w->order[f] = chosen;
        double *top = w->factor + chosen * ld, *rest = w->solution, scale = 1 / top[f];
        int64_t from = (f + 1) / CHI_PAD * CHI_PAD, length = padded(p) - from;
        for (int64_t g = from; g < from + length; g++) rest[g] = g > f && g < p ? top[g] : 0;
        for (int64_t l = f + 1; l < p; l++) {
            double *row = w->factor + w->order[l] * ld, factor = row[f] * scale;
            add(row + from, -factor, rest + from, length);
            row[f] = factor;
        }
        top[f] = scale;
    }
    return 1;
}

static int decompose(chi_lad *w) {
    if (w->p == 1) return decompose_of(w, 1);
    if (w->p == 2) return decompose_of(w, 2);
    if (w->p == 3) return decompose_of(w, 3);
    return decompose_of(w, w->p);
}

/* Solves A_BF y = rhs, given the factors, by columns: no sum waits for its last addition. */
INLINE void substitute_of(const chi_lad *w, double *restrict y, const double *rhs,
                          const int64_t p) {
    const double *factor = w->factor;
    int64_t ld = w->ld;
    for (int64_t f = 0; f < p; f++) y[f] = rhs[w->order[f]];
    for (int64_t f = 0; f < p; f++) {
        double value = y[f];
        for (int64_t g = f + 1; g < p; g++) y[g] -= factor[w->order[g] * ld + f] * value;
    }
    for (int64_t f = p - 1; f >= 0; f--) {
        double value = y[f] *= factor[w->order[f] * ld + f];
        for (int64_t g = 0; g < f; g++) y[g] -= factor[w->order[g] * ld + f] * value;
    }
}

/* Solves A_BF' y = work, given the factors. work (p entries) is overwritten. */
INLINE void substitute_transposed(const chi_lad *w, double *y, double *work, const int64_t p) {
    for (int64_t f = 0; f < p; f++) {
        const double *row = w->factor + w->order[f] * w->ld;
        work[f] *= row[f];
        for (int64_t g = f + 1; g < p; g++) work[g] -= row[g] * work[f];
    }
    for (int64_t f = p - 1; f >= 0; f--) {
        const double *row = w->factor + w->order[f] * w->ld;
        for (int64_t g = 0; g < f; g++) work[g] -= row[g] * work[f];
    }
    for (int64_t f = 0; f < p; f++) y[w->order[f]] = work[f];
}

/* Factorises A_BF with F and B sorted, so that the answer depends on the sets alone. Returns 0 if
 * A_BF is singular. */
static int factorise(chi_lad *w) {
    sort_small(w->F, w->p, w->order);
    sort_small(w->B, w->p, w->order);
    for (int64_t f = 0; f < w->p; f++) {
        set_free(w, f, w->F[f]);
        set_row(w, f, w->B[f]);
    }
    return decompose(w);
}

/* Solves A_BF y = rhs or, if transposed, A_BF' y = rhs, with one step of refinement. */
INLINE void solve_basis_of(chi_lad *w, double *y, const double *rhs, int transposed,
                           const int64_t p) {
    double *rest = w->solution, *step = w->solution + w->ld;
    if (transposed) {
        memcpy(rest, rhs, (size_t)p * sizeof *rest);
        substitute_transposed(w, y, rest, p);
        memcpy(rest, rhs, (size_t)p * sizeof *rest);
        for (int64_t l = 0; l < p; l++) {
            const double *row = w->B_row[l];
            for (int64_t f = 0; f < p; f++) rest[f] -= row[w->F[f]] * y[l];
        }
        substitute_transposed(w, step, rest, p);
    } else {
        substitute_of(w, y, rhs, p);
        for (int64_t l = 0; l < p; l++) {
            const double *row = w->B_row[l];
            double sum = rhs[l];
            for (int64_t f = 0; f < p; f++) sum -= row[w->F[f]] * y[f];
            rest[l] = sum;
        }
        substitute_of(w, step, rest, p);
    }
    for (int64_t f = 0; f < p; f++) y[f] += step[f];
}

static void solve_basis(chi_lad *w, double *y, const double *rhs, int transposed) {
    if (w->p == 1)
        solve_basis_of(w, y, rhs, transposed, 1);
    else if (w->p == 2)
        solve_basis_of(w, y, rhs, transposed, 2);
    else if (w->p == 3)
        solve_basis_of(w, y, rhs, transposed, 3);
    else
        solve_basis_of(w, y, rhs, transposed, w->p);
}

/* Recomputes the inverse from A. Returns 0 if A_BF is singular to working precision. */
static int refactor(chi_lad *w) {
    int64_t p = w->p;
    if (!decompose(w)) return 0;
    for (int64_t f = 0; f < p; f++)
        memset(w->inverse_row[f], 0, (size_t)padded(p) * sizeof *w->rhs);
    for (int64_t l = 0; l < p; l++) {
        memset(w->rhs, 0, (size_t)p * sizeof *w->rhs);
        w->rhs[l] = 1;
        substitute_of(w, w->delta, w->rhs, p);
        for (int64_t f = 0; f < p; f++) w->inverse_row[f][l] = w->delta[f];
    }
    return 1;
}
