/* One column in single precision, which handles twice as many rows at a time. It is used only to
 * propose a start for the exact method. All values are scaled so that any unit of the data fits the
 * range of single precision:
 *
 *     x' = scale x,   a'_j = unit_j a_j,   b'_j = b_j scale / unit_j,   r' = x' - A'b' = scale r */
#pragma once

#include "project/lad/lad_basis.h"

/* The size of the noise that breaks ties in single precision. It must exceed the rounding of single
 * precision, but only slightly: the smaller the noise, the more often the vertex found is also
 * optimal for the exact problem. */
static const double NARROW_NOISE = 0x1p-20;

/* Arrays over the rows of S, padded with zeros to whole vectors. */
typedef struct narrow_rows {
    int64_t count, k;
    int64_t rows; /* count without the padding */
    const float *const *a;
    const double *unit;
    const double *cost; /* c'_j = c_j unit_j */
    float *x, *r, *b;
    float *weight, *step; /* workspace of the current operation */
    float *near;          /* workspace: entries of step and weight */
    double scale;
    double total; /* hull: the sum of b'; 0 for a cone                       */
    int64_t lift; /* hull: the lifted row if it is among these rows, else -1 */
} narrow_rows;

static inline vec_f32 narrow_size(vec_f32 v) {
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    return (vec_f32)((vec_i32)v & ~minus);
}

static inline vec_f32 narrow_choose(vec_i32 mask, vec_f32 yes, vec_f32 no) {
    return (vec_f32)(((vec_i32)yes & mask) | ((vec_i32)no & ~mask));
}

static inline int64_t whole_vectors(int64_t count) {
    return (count + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
}

/* Sets the pointers to the anchors over S: to the columns of the cone if S is all rows, else to
 * copies, gathered in the array `room`. */
static void narrow_anchors(chi_lad *w, float *room, int64_t count) {
    const chi_cone *cone = w->cone;
    for (int64_t j = 0; j < w->k; j++, room += count) {
        const float *a = w->narrow_column[j] = cone->narrow + j * cone->narrow_stride;
        if (!w->x.index) continue;
        for (int64_t i = 0; i < w->m; i++) room[i] = a[w->x.index[i]];
        for (int64_t i = w->m; i < count; i++) room[i] = 0;
        w->narrow_column[j] = room;
    }
}

static void narrow_load(narrow_rows *n, chi_lad *w) {
    int64_t m = w->m, count = whole_vectors(m);
    const double *value = w->x.value, *noise = w->noise;
    const int32_t *index = w->x.index;
    float *x = w->narrow;
    double scale = (double)m / w->x.sum, more = scale * NARROW_NOISE;
    *n = (narrow_rows){.count = count,
                       .k = w->k,
                       .rows = m,
                       .cost = w->narrow_cost,
                       .a = w->narrow_column,
                       .unit = w->cone->narrow_unit,
                       .x = x,
                       .r = x + count,
                       .b = w->narrow_b,
                       .weight = x + 2 * count,
                       .step = x + 3 * count,
                       .near = x + 4 * count,
                       .scale = scale,
                       .lift = -1};
    for (int64_t i = 0; i < m; i++)
        x[i] = (float)(value[i] * (scale + more * noise[index ? index[i] : i]));
    for (int64_t i = m; i < count; i++) x[i] = 0;
    for (int64_t j = 0; j < w->k; j++) w->narrow_cost[j] = w->c[j] * n->unit[j];
    narrow_anchors(w, x + 6 * count, count);
    if (!w->cone->hull) return;
    n->lift = m - 1; /* the last row of every column; all anchors have the same value there */
    n->total = (double)x[m - 1] / n->a[0][m - 1];
}
