/* Where the vertex method starts: at b = 0, or at a vertex near a given feasible b. */
#ifndef CONEHULL_LAD_START_H
#define CONEHULL_LAD_START_H

#include "project/lad_basis.h"

/* A row is taken into B only if it keeps this share of itself after elimination. */
static const double INDEPENDENT = 1e-6;

/* q = A's - c, r and s from b and B. */
static void settle(chi_lad *w) {
    combine(w->t, w->m, w->F_column, w->b, w->p);
    for (int64_t i = 0; i < w->m; i++) {
        w->r[i] = w->target[i] - w->t[i];
        w->s[i] = w->r[i] < 0 ? -1 : 1;
    }
    for (int64_t l = 0; l < w->p; l++) w->r[w->B[l]] = w->s[w->B[l]] = 0;
    product(w, w->q, w->s);
    for (int64_t j = 0; j < w->k; j++) w->q[j] -= w->c[j];
}

/* Everything anew from B, F and the target. 0 when A_BF is singular. */
static int refresh(chi_lad *w) {
    if (!refactor(w)) return 0;
    memset(w->b, 0, (size_t)w->p * sizeof *w->b);
    for (int64_t l = 0; l < w->p; l++) {
        const double *column = w->inverse + l * w->ld;
        double value = w->target[w->B[l]];
        for (int64_t f = 0; f < w->p; f++) w->b[f] += value * column[f];
    }
    settle(w);
    return 1;
}

static void start_cold(chi_lad *w) {
    w->p = 0;
    for (int64_t j = 0; j < w->k; j++) w->place[j] = -1;
    memcpy(w->weight_j, w->scale, (size_t)w->k * sizeof *w->scale);
    settle(w);
}

/* --- a vertex near b ------------------------------------------------------------------------- */

static void sift_down(chi_break *heap, int64_t at, int64_t count) {
    chi_break moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].step < heap[child].step) child++;
        if (!(heap[child].step < moved.step)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* B: rows of small residual, each independent of those before; their number is returned. */
static int64_t choose_rows(chi_lad *w) {
    int64_t p = w->p, found = 0, count = w->m;
    for (int64_t i = 0; i < count; i++)
        w->breaks[i] = (chi_break){fabs(w->target[i] - w->t[i]), 0, (int32_t)i};
    for (int64_t i = count / 2 - 1; i >= 0; i--) sift_down(w->breaks, i, count);
    while (found < p && count > 0) {
        int32_t row = w->breaks[0].row;
        w->breaks[0] = w->breaks[--count];
        sift_down(w->breaks, 0, count);
        double *reduced = w->factor + found * w->ld, before = 0, after = 0;
        const double *a = row_of(w, row);
        for (int64_t f = 0; f < p; f++) {
            reduced[f] = a[w->F[f]] * w->unit[w->F[f]];
            before = larger(before, reduced[f]);
        }
        for (int64_t g = 0; g < found; g++) {
            const double *other = w->factor + g * w->ld;
            double factor = reduced[w->order[g]];
            for (int64_t f = 0; f < p; f++) reduced[f] -= factor * other[f];
            reduced[w->order[g]] = 0;
        }
        int64_t at = 0;
        for (int64_t f = 0; f < p; f++)
            if (fabs(reduced[f]) > after) after = fabs(reduced[at = f]);
        if (!(after > INDEPENDENT * before)) continue;
        double scale = 1 / reduced[at];
        for (int64_t f = 0; f < p; f++) reduced[f] *= scale;
        w->order[found] = (int32_t)at;
        w->B[found++] = row;
    }
    return found;
}

/* Takes negative variables out, each with the row that it depends on most. */
static int make_feasible(chi_lad *w) {
    for (;;) {
        memset(w->b, 0, (size_t)w->p * sizeof *w->b);
        for (int64_t l = 0; l < w->p; l++) {
            const double *column = w->inverse + l * w->ld;
            double value = w->target[w->B[l]];
            for (int64_t f = 0; f < w->p; f++) w->b[f] += value * column[f];
        }
        int64_t out = -1, row = 0;
        double worst = 0, largest = 0;
        for (int64_t f = 0; f < w->p; f++)
            if (w->b[f] / w->unit[w->F[f]] < worst) worst = w->b[out = f] / w->unit[w->F[f]];
        if (out < 0) return 1;
        for (int64_t l = 0; l < w->p; l++)
            if (fabs(w->inverse[out + l * w->ld]) > largest)
                largest = fabs(w->inverse[out + (row = l) * w->ld]);
        if (!(largest > 0)) return 0;
        shrink(w, out, row);
    }
}

/* From a feasible b; 0 when no vertex was found near it. */
static int start_warm(chi_lad *w, const double *b) {
    w->p = 0;
    for (int64_t j = 0; j < w->k; j++) {
        w->place[j] = -1;
        if (!(b[j] > 0)) continue;
        if (w->p == w->m) return 0;
        w->b[w->p] = b[j];
        w->F_column[w->p] = column_of(w, j);
        w->place[j] = (int32_t)w->p;
        w->F[w->p++] = (int32_t)j;
    }
    combine(w->t, w->m, w->F_column, w->b, w->p);
    if (choose_rows(w) < w->p || !refactor(w) || !make_feasible(w)) return 0;
    settle(w);
    memcpy(w->weight_j, w->scale, (size_t)w->k * sizeof *w->scale);
    for (int64_t l = 0; l < w->p; l++) w->weight_B[l] = 1;
    return 1;
}

#endif
