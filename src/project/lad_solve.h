/* The whole solver as static functions: included once per kind of processor (lad_portable.c,
 * lad_avx2.c), so that the compiler sees all loops together and may use all instructions. */
#ifndef CONEHULL_LAD_SOLVE_H
#define CONEHULL_LAD_SOLVE_H

#include "project/lad_pivot.h"
#include "project/lad_proof.h"

static void load(chi_lad *w, const chi_column *x) {
    const chi_cone *cone = w->cone;
    w->x = *x;
    w->m = x->count;
    w->k = cone->count;
    w->k_pad = padded(w->k);
    w->gathered_count = 0;
    w->pivots = 0;
    for (int64_t j = 0; j < w->k; j++) w->column[j] = NULL;
    if (x->index) {
        for (int64_t i = 0; i < w->m; i++) w->s[i] = 1;
        product(w, w->sums, w->s);
    } else {
        memcpy(w->sums, cone->sums, (size_t)w->k * sizeof *w->sums);
    }
    for (int64_t j = 0; j < w->k; j++) {
        w->c[j] = x->index ? larger(cone->sums[j] - w->sums[j], 0) : 0;
        w->scale[j] = cone->gram[j + j * cone->capacity];
    }
    for (int64_t j = 0; j < w->k; j++) w->unit[j] = w->scale[j] > 0 ? 1 / sqrt(w->scale[j]) : 0;
}

static void break_ties(chi_lad *w, double size) {
    const double *value = w->x.value;
    const int32_t *index = w->x.index;
    for (int64_t i = 0; i < w->m; i++)
        w->target[i] = value[i] * (1 + size * w->noise[index ? index[i] : i]);
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

static void solve(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
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
        if (from_b)
            start_warm(w, b);
        else
            start_cold(w);
        descend(w, budget);
        if (!prove(w, fit)) continue;
        give_b(w, b);
        if (fit->proven) break;
    }
    if (d) give_d(w, d, fit->infeasibility);
}

#endif
