/* The inverse of A_BF while B and F change by one element: rank-one updates of an explicit inverse,
 * O(p^2) each, and the LU factorisation from which the answer is computed, O(p^3). p is at most the
 * number of anchors, so everything here is small and stays in cache. */
#ifndef CONEHULL_LAD_BASIS_H
#define CONEHULL_LAD_BASIS_H

#include "project/lad_kernels.h"

/* Column j of A over S, gathered when it is first asked for. */
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
}

/* [K a; u' .]^-1 from K^-1; w->delta = -K^-1 a, w->u = u'K^-1, pivot the Schur complement. */
static void grow(chi_lad *w, int64_t j, int64_t i, double pivot) {
    int64_t p = w->p;
    double *last = w->inverse + p * w->ld;
    for (int64_t c = 0; c < p; c++) {
        double *column = w->inverse + c * w->ld;
        add(column, -w->u[c] / pivot, w->delta, p);
        column[p] = -w->u[c] / pivot;
    }
    for (int64_t g = 0; g < p; g++) last[g] = w->delta[g] / pivot;
    last[p] = 1 / pivot;
    w->B[p] = (int32_t)i;
    set_free(w, p, j);
    w->p = p + 1;
}

/* Without F_f and B_l. */
static void shrink(chi_lad *w, int64_t f, int64_t l) {
    int64_t last = w->p - 1, ld = w->ld;
    double *out = w->inverse + l * ld, pivot = out[f];
    for (int64_t c = 0; c < w->p; c++) {
        double *column = w->inverse + c * ld;
        if (c != l) add(column, -column[f] / pivot, out, w->p);
    }
    if (l != last) memcpy(out, w->inverse + last * ld, (size_t)w->p * sizeof *out);
    for (int64_t c = 0; c < last; c++) w->inverse[f + c * ld] = w->inverse[last + c * ld];
    w->place[w->F[f]] = -1;
    w->B[l] = w->B[last];
    w->weight_B[l] = w->weight_B[last];
    if (f != last) {
        w->b[f] = w->b[last];
        set_free(w, f, w->F[last]);
    }
    w->p = last;
}

/* B_l becomes i; w->u = (row i of A_F) K^-1. */
static void swap_row(chi_lad *w, int64_t l, int64_t i) {
    double *in = w->inverse + l * w->ld, scale = 1 / w->u[l];
    for (int64_t g = 0; g < w->p; g++) in[g] *= scale;
    for (int64_t c = 0; c < w->p; c++)
        if (c != l) add(w->inverse + c * w->ld, -w->u[c], in, w->p);
    w->B[l] = (int32_t)i;
}

/* F_f becomes j; w->delta = -K^-1 a_j. */
static void swap_column(chi_lad *w, int64_t f, int64_t j) {
    double pivot = -w->delta[f];
    for (int64_t c = 0; c < w->p; c++) {
        double *column = w->inverse + c * w->ld, value = column[f] / pivot;
        add(column, value, w->delta, w->p);
        column[f] = value;
    }
    w->place[w->F[f]] = -1;
    set_free(w, f, j);
}

/* --- LU ----------------------------------------------------------------------------------------
 */

/* Rows whose largest entry falls below this times its old size depend on the rows before. */
static const double SINGULAR = 1e-13;

static void sort_small(int32_t *list, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        int32_t value = list[i];
        int64_t at = i;
        for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
        list[at] = value;
    }
}

/* factor (row-major, p x p): P A_BF = L U by partial pivoting, columns scaled by their largest. */
static int decompose(chi_lad *w) {
    int64_t p = w->p, ld = w->ld;
    for (int64_t l = 0; l < p; l++) {
        const double *row = row_of(w, w->B[l]);
        for (int64_t f = 0; f < p; f++) w->factor[l * ld + f] = row[w->F[f]];
        w->order[l] = (int32_t)l;
    }
    for (int64_t f = 0; f < p; f++) {
        double size = 0, largest = 0;
        for (int64_t l = 0; l < p; l++) size = larger(size, row_of(w, w->B[l])[w->F[f]]);
        int64_t at = f;
        for (int64_t l = f; l < p; l++)
            if (fabs(w->factor[w->order[l] * ld + f]) > largest)
                largest = fabs(w->factor[w->order[at = l] * ld + f]);
        if (!(largest > SINGULAR * size)) return 0;
        int32_t chosen = w->order[at];
        w->order[at] = w->order[f];
        w->order[f] = chosen;
        const double *top = w->factor + chosen * ld;
        double scale = 1 / top[f];
        for (int64_t l = f + 1; l < p; l++) {
            double *row = w->factor + w->order[l] * ld;
            row[f] *= scale;
            add(row + f + 1, -row[f], top + f + 1, p - f - 1);
        }
    }
    return 1;
}

static void substitute(const chi_lad *w, double *y, const double *rhs) {
    int64_t p = w->p;
    for (int64_t f = 0; f < p; f++) {
        const double *row = w->factor + w->order[f] * w->ld;
        double sum = rhs[w->order[f]];
        for (int64_t g = 0; g < f; g++) sum -= row[g] * y[g];
        y[f] = sum;
    }
    for (int64_t f = p - 1; f >= 0; f--) {
        const double *row = w->factor + w->order[f] * w->ld;
        double sum = y[f];
        for (int64_t g = f + 1; g < p; g++) sum -= row[g] * y[g];
        y[f] = sum / row[f];
    }
}

/* work (p) is overwritten. */
static void substitute_transposed(const chi_lad *w, double *y, double *work) {
    int64_t p = w->p;
    for (int64_t f = 0; f < p; f++) {
        const double *row = w->factor + w->order[f] * w->ld;
        work[f] /= row[f];
        for (int64_t g = f + 1; g < p; g++) work[g] -= row[g] * work[f];
    }
    for (int64_t f = p - 1; f >= 0; f--) {
        const double *row = w->factor + w->order[f] * w->ld;
        for (int64_t g = 0; g < f; g++) work[g] -= row[g] * work[f];
    }
    for (int64_t f = 0; f < p; f++) y[w->order[f]] = work[f];
}

/* LU of A_BF with F and B sorted, so that the answer depends on the sets alone. */
static int factorise(chi_lad *w) {
    sort_small(w->F, w->p);
    sort_small(w->B, w->p);
    for (int64_t f = 0; f < w->p; f++) set_free(w, f, w->F[f]);
    return decompose(w);
}

/* A_BF y = rhs or A_BF' y = rhs, refined once. */
static void solve_basis(chi_lad *w, double *y, const double *rhs, int transposed) {
    int64_t p = w->p;
    double *rest = w->solution, *step = w->solution + w->ld;
    if (transposed) {
        memcpy(rest, rhs, (size_t)p * sizeof *rest);
        substitute_transposed(w, y, rest);
        memcpy(rest, rhs, (size_t)p * sizeof *rest);
        for (int64_t l = 0; l < p; l++) {
            const double *row = row_of(w, w->B[l]);
            for (int64_t f = 0; f < p; f++) rest[f] -= row[w->F[f]] * y[l];
        }
        substitute_transposed(w, step, rest);
    } else {
        substitute(w, y, rhs);
        for (int64_t l = 0; l < p; l++) {
            const double *row = row_of(w, w->B[l]);
            double sum = rhs[l];
            for (int64_t f = 0; f < p; f++) sum -= row[w->F[f]] * y[f];
            rest[l] = sum;
        }
        substitute(w, step, rest);
    }
    for (int64_t f = 0; f < p; f++) y[f] += step[f];
}

/* The inverse anew from A. 0 when A_BF is singular to working precision. */
static int refactor(chi_lad *w) {
    if (!decompose(w)) return 0;
    for (int64_t l = 0; l < w->p; l++) {
        memset(w->rhs, 0, (size_t)w->p * sizeof *w->rhs);
        w->rhs[l] = 1;
        substitute(w, w->inverse + l * w->ld, w->rhs);
    }
    return 1;
}

#endif
