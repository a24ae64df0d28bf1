/* Starts of the vertex method: at b = 0, or at a vertex near a given feasible b. */
#pragma once

#include "project/lad/lad_rows.h"

/* A row joins B only if eliminating the rows of B leaves at least this share of its largest
 * entry. */
static const double INDEPENDENT = 1e-6;
enum { REFUSED = 100 };

static void break_ties(chi_lad *w, double size) {
    const double *value = w->x.value;
    const int32_t *index = w->x.index;
    for (int64_t i = 0; i < w->m; i++)
        w->target[i] = value[i] * (1 + size * w->noise[index ? index[i] : i]);
}

/* Computes r, s and q = A's - c from b and B. */
static void settle(chi_lad *w) {
    combine(w->t, w->m, w->F_column, w->b, w->p);
    subtract(w->r, w->s, w->target, w->t, w->m);
    for (int64_t l = 0; l < w->p; l++) w->r[w->B[l]] = w->s[w->B[l]] = 0;
    sum_signs(w);
}

/* b_F = (A_BF)^-1 target_B, refined once. */
static void values_of_vertex(chi_lad *w) {
    int64_t p = w->p, length = padded(p);
    for (int64_t l = 0; l < p; l++) w->rhs[l] = w->target[w->B[l]];
    for (int64_t l = p; l < length; l++) w->rhs[l] = 0;
    for (int64_t f = 0; f < p; f++) w->b[f] = dot(w->inverse_row[f], w->rhs, length);
    for (int64_t l = 0; l < p; l++)
        for (int64_t f = 0; f < p; f++) w->rhs[l] -= w->B_row[l][w->F[f]] * w->b[f];
    for (int64_t f = 0; f < p; f++) w->b[f] += dot(w->inverse_row[f], w->rhs, length);
}

/* Recomputes everything from B, F and the target. Returns 0 if A_BF is singular. */
static int refresh(chi_lad *w) {
    if (!refactor(w)) return 0;
    values_of_vertex(w);
    settle(w);
    return 1;
}

/* Starts at b = 0. */
static void start_cold(chi_lad *w) {
    w->p = 0;
    memcpy(w->r, w->target, (size_t)w->m * sizeof *w->r);
    for (int64_t i = 0; i < w->m; i++) w->s[i] = 1;
    for (int64_t j = 0; j < w->k; j++) {
        w->place[j] = -1;
        w->weight_j[j] = w->scale[j];
        w->q[j] = w->sums[j] - w->c[j];
    }
    w->settled = 0;
}

/* --- a vertex near b ------------------------------------------------------------------------- */

/* Returns the row with the smallest size, the first of equals, or -1 if all sizes are infinite. */
static int64_t nearest_row(const float *size, int64_t count) {
    vec_f32 least = f32_all(INFINITY);
    for (int64_t i = 0; i < count; i += F32_LANES) least = f32_smaller(least, f32_load(size + i));
    float smallest = f32_least(least);
    if (!(smallest < INFINITY)) return -1;
    least = f32_all(smallest);
    for (int64_t i = 0;; i += F32_LANES) {
        unsigned bits = f32_bits(f32_load(size + i) == least);
        if (bits) return i + __builtin_ctz(bits);
    }
}

/* Sizes of w->edge from anchor j on, in the given units; 0 for free variables. */
INLINE vec parts_from(const chi_lad *w, const double *unit, int64_t j) {
    half_i32 place;
    memcpy(&place, w->place + j, sizeof place);
    vec part = vec_size(vec_load(w->edge + j)) * vec_load(unit + j);
    return (vec)((vec_i64)part & (from_i32(place) < 0));
}

/* Returns the variable that joins F with row a of A, given w->edge, or -1 if the row depends on the
 * rows of B. unit is 0 for variables that stay at zero. */
static int64_t joining_variable(const chi_lad *w, const double *unit, const double *a) {
    vec before = {0}, after = {0}; /* with the sign turned */
    for (int64_t j = 0; j < w->k; j += LANES) {
        before = vec_smaller(before, -vec_load(a + j) * vec_load(unit + j));
        after = vec_smaller(after, -parts_from(w, unit, j));
    }
    double largest = -vec_least(after);
    if (!(largest > -INDEPENDENT * vec_least(before))) return -1;
    for (int64_t j = 0;; j += LANES) {
        unsigned bits = vec_bits(parts_from(w, unit, j) == vec_all(largest));
        if (bits) return j + __builtin_ctz(bits);
    }
}

/* Builds a vertex whose free variables are among the `count` variables in list. Rows are added by
 * increasing size of their residual (size is padded with infinity and overwritten) if they are
 * independent of the rows before. Stops after many refusals, because then the anchors are
 * dependent. */
static void choose_rows(chi_lad *w, float *size, const int32_t *list, int64_t count) {
    int64_t length = whole_vectors(w->m), refused = 0;
    double *unit = w->turn;
    memset(unit, 0, (size_t)w->k_pad * sizeof *unit);
    for (int64_t n = 0; n < count; n++) unit[list[n]] = w->unit[list[n]];
    while (w->p < count && refused <= REFUSED + w->k) {
        int64_t row = nearest_row(size, length);
        if (row < 0) return;
        size[row] = INFINITY;
        edges_at_row(w, row_of(w, row));
        int64_t j = joining_variable(w, unit, row_of(w, row));
        if (j < 0) {
            refused++;
            continue;
        }
        edge_of_bound(w, j);
        grow(w, j, row, w->edge[j]);
    }
}

/* Removes negative variables, each with the row on which it depends most. */
static void make_feasible(chi_lad *w) {
    for (;;) {
        values_of_vertex(w);
        int64_t out = -1, row = 0;
        double worst = 0;
        for (int64_t f = 0; f < w->p; f++)
            if (w->b[f] < worst * w->unit[w->F[f]]) worst = w->b[out = f] / w->unit[w->F[f]];
        if (out < 0) return;
        for (int64_t l = 1; l < w->p; l++)
            if (fabs(w->inverse_row[out][l]) > fabs(w->inverse_row[out][row])) row = l;
        shrink(w, out, row);
    }
}

/* Computes the squared lengths of the edges: exact lengths for edges that release a row, upper
 * limits for edges that release the bound of a variable. */
static void measure_edges(chi_lad *w) {
    int64_t p = w->p, length = padded(p);
    memcpy(w->weight_j, w->scale, (size_t)w->k * sizeof *w->scale);
    memset(w->weight_B, 0, (size_t)length * sizeof *w->weight_B);
    for (int64_t f = 0; f < p; f++) {
        for (int64_t g = 0; g < p; g++) w->rhs[g] = w->F_gram[f][w->F[g]];
        times_inverse(w, w->u, w->rhs);
        for (int64_t l = 0; l < length; l++) w->weight_B[l] += w->inverse_row[f][l] * w->u[l];
    }
    for (int64_t l = 0; l < p; l++) w->weight_B[l] = larger(w->weight_B[l], 1);
}

/* Starts at the vertex of the last attempt. If this vertex is not feasible for the new target,
 * starts at a feasible vertex near it. */
static void start_again(chi_lad *w) {
    if (!refactor(w)) {
        start_cold(w);
        return;
    }
    make_feasible(w);
    settle(w);
    measure_edges(w);
}

/* Empties the vertex and lists the variables with b > 0. Returns their number. */
static int64_t list_free(chi_lad *w, const double *b) {
    int64_t count = 0;
    w->p = 0;
    for (int64_t j = 0; j < w->k; j++) {
        w->place[j] = -1;
        if (b[j] > 0) w->order[count++] = (int32_t)j;
    }
    return count;
}

/* Starts at a vertex near a feasible b. */
static void start_warm(chi_lad *w, const double *b) {
    int64_t count = list_free(w, b);
    double scale = (double)w->m / w->x.sum;
    for (int64_t f = 0; f < count; f++) {
        w->b[f] = b[w->order[f]];
        w->F_column[f] = column_of(w, w->order[f]);
    }
    combine(w->t, w->m, w->F_column, w->b, count);
    for (int64_t i = 0; i < w->m; i++) w->narrow[i] = (float)(scale * fabs(w->target[i] - w->t[i]));
    for (int64_t i = w->m; i < whole_vectors(w->m); i++) w->narrow[i] = INFINITY;
    choose_rows(w, w->narrow, w->order, count);
    make_feasible(w);
    settle(w);
    measure_edges(w);
}
