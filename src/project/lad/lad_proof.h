/* Computes the answer from the final vertex and the column itself, and the proof that it is
 * optimal. */
#pragma once

#include "project/lad/lad_basis.h"

/* Computes b from A_BF b = values_B, the residual and objective from x itself, d from the signs,
 * and the gap after d is made feasible. */
static void prove_with(chi_lad *w, chi_fit *fit, const double *values) {
    const chi_cone *cone = w->cone;
    const double *x = w->x.value;
    int64_t p = w->p, m = w->m;
    for (int64_t l = 0; l < p; l++) w->rhs[l] = values[w->B[l]];
    solve_basis(w, w->b, w->rhs, 0);
    double cost = 0, objective, bound;
    for (int64_t f = 0; f < p; f++) {
        w->b[f] = larger(w->b[f], 0);
        cost += w->c[w->F[f]] * w->b[f];
    }

    if (!w->settled) sum_signs(w);
    memcpy(w->z, w->q, (size_t)w->k * sizeof *w->z);
    for (int64_t f = 0; f < p; f++) w->rhs[f] = -w->z[w->F[f]];
    solve_basis(w, w->d, w->rhs, 1);
    memcpy(w->dual, w->s, (size_t)m * sizeof *w->s);
    for (int64_t l = 0; l < p; l++) {
        const double *row = w->B_row[l];
        w->d[l] = smaller(larger(w->d[l], -1), 1);
        w->dual[w->B[l]] = w->d[l];
        for (int64_t j = 0; j < w->k; j++) w->z[j] += w->d[l] * row[j];
    }
    double shift = 0;
    for (int64_t j = 0; j < w->k; j++)
        if (w->z[j] > shift * cone->sums[j]) shift = w->z[j] / cone->sums[j];
    combine(w->residual, m, w->F_column, w->b, p);
    sum_up(w->residual, x, w->dual, m, &objective, &bound);
    set_fit(w, fit, objective + cost, bound, shift);
}

/* Proves the vertex. Returns 0 if A_BF is singular. If A_BF is nearly singular, the vertex for x
 * may be far from feasible although the vertex for the target, which differs from x by the noise
 * only, is feasible; so both are tried. */
static int prove(chi_lad *w, chi_fit *fit) {
    chi_fit second;
    if (!factorise(w)) return 0;
    prove_with(w, fit, w->x.value);
    if (fit->proven) return 1;
    prove_with(w, &second, w->target);
    if (second.gap < fit->gap)
        *fit = second;
    else
        prove_with(w, fit, w->x.value);
    return 1;
}

/* Lists the rows whose dual is not implied by the sign of the residual (cone.h). */
static int64_t list_exceptions(const chi_lad *w, int32_t *row, double *value) {
    const vec one = vec_all(1), two = vec_all(2), share = vec_all(CHI_EXCEPTION);
    const vec_i64 minus = (vec_i64)(-vec_all(0.0));
    int64_t count = 0, i = 0;
    for (; i + LANES <= w->m; i += LANES) {
        vec r = vec_load(w->residual + i), x = vec_load(w->x.value + i);
        vec size = (vec)((vec_i64)r & ~minus), fitted = (vec)((vec_i64)(x - r) & ~minus);
        vec sign = one - (vec)((vec_i64)two & (r < 0));
        vec_i64 implied = (size > share * (x + fitted)) & (vec_load(w->dual + i) == sign);
        for (unsigned bits = vec_bits(~implied); bits; bits &= bits - 1)
            row[count++] = (int32_t)(i + __builtin_ctz(bits));
    }
    for (; i < w->m; i++) {
        double r = w->residual[i], x = w->x.value[i];
        if (!(fabs(r) > CHI_EXCEPTION * (x + fabs(x - r)) && w->dual[i] == (r < 0 ? -1 : 1)))
            row[count++] = (int32_t)i;
    }
    for (int64_t n = 0; n < count; n++) {
        value[n] = w->dual[row[n]];
        if (w->x.index) row[n] = w->x.index[row[n]];
    }
    return count;
}
