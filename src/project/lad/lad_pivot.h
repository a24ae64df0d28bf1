/* One pivot: chooses the edge along which to leave the vertex, finds how far to go, and moves to
 * the vertex where the edge ends. */
#pragma once

#include "project/lad/lad_search.h"
#include "project/lad/lad_start.h"

/* Slopes this close to optimal, relative to A'1 (bounds) or 1 (rows), are not followed. */
static const double PRICE = 1e-11;
/* A pivot is computed in two ways. A relative difference above DRIFT requires a new inverse. With a
 * new inverse, the edge is refused only if the difference exceeds DRIFT_FRESH. */
static const double DRIFT = 1e-7, DRIFT_FRESH = 1e-3;
/* An anchor this close to the span of F, relative to its length, is not admitted. It could reduce
 * the objective by at most about this share of |x|_1 and would spoil the inverse. */
static const double PARALLEL = 1e-9;
/* Squared lengths from the Gram matrix below this share of their terms are rounding errors. */
static const double CANCELLED = 1e-10;
/* Squared lengths of edges are kept above this share of the anchor's squared length. */
static const double SHORTEST = 1e-6;
enum { REFRESH = 100 }; /* pivots after which the inverse is recomputed */

/* An edge releases row B_at (sign: the sign of its residual along the edge) or the bound of
 * variable at. */
typedef struct edge_choice {
    int is_row;
    int64_t at;
    double slope, sign;
} edge_choice;

/* Computes d_B from A_F'd = c_F, and z = A'd - c. */
static void price(chi_lad *w) {
    eliminate(w, w->d, w->z, w->q);
    for (int64_t l = 0; l < w->p; l++) w->d[l] = -w->d[l];
}

/* Which of the anchors from j on, LANES of them, are at zero and have a slope above tol. */
INLINE unsigned rising(const chi_lad *w, int64_t j, double tol) {
    half_i32 place;
    memcpy(&place, w->place + j, sizeof place);
    vec_i64 bound = from_i32(place) < 0;
    return vec_bits(bound & (vec_load(w->z + j) > vec_all(tol) * vec_load(w->cone->sums + j)));
}

/* Chooses the edge with the largest slope^2 / length^2. Returns 0 if there is none: the vertex is
 * optimal. The padding of d and z is zero. */
static int choose_edge(const chi_lad *w, edge_choice *edge, double tol) {
    double best = 0;
    for (int64_t from = 0; from < w->p; from += LANES) {
        unsigned bits = vec_bits(vec_size(vec_load(w->d + from)) - 1 > vec_all(tol));
        for (; bits; bits &= bits - 1) {
            int64_t l = from + __builtin_ctz(bits);
            double slope = fabs(w->d[l]) - 1;
            if (!(slope * slope > best * w->weight_B[l])) continue;
            best = slope * slope / w->weight_B[l];
            *edge = (edge_choice){1, l, slope, w->d[l] < 0 ? -1 : 1};
        }
    }
    for (int64_t from = 0; from < w->k; from += LANES)
        for (unsigned bits = rising(w, from, tol); bits; bits &= bits - 1) {
            int64_t j = from + __builtin_ctz(bits);
            double slope = w->z[j];
            if (!(slope * slope > best * w->weight_j[j])) continue;
            best = slope * slope / w->weight_j[j];
            *edge = (edge_choice){0, j, slope, 1};
        }
    return best > 0;
}

/* bound_limit() for the free variables, without branches: about half of delta is negative. */
static double vertex_limit(const chi_lad *w, int64_t *which) {
    const vec never = vec_all(INFINITY), zero = {0};
    double step[CHI_PAD], least = INFINITY;
    *which = -1;
    for (int64_t f = 0; f < w->p; f += LANES) {
        vec b = vec_load(w->b + f), delta = vec_load(w->delta + f);
        b = (vec)((vec_i64)b & (b > 0));
        vec_i64 falls = delta < zero;
        vec_store(step, (vec)(((vec_i64)(b / -delta) & falls) | ((vec_i64)never & ~falls)));
        for (int l = 0; l < LANES && f + l < w->p; l++) {
            if (step[l] < least) *which = f + l;
            least = smaller(step[l], least);
        }
    }
    return least;
}

/* t must be zero over B, except for a released row. Corrects delta by any remainder. Returns
 * whether it was corrected. */
static int correct_delta(chi_lad *w, const edge_choice *edge) {
    int64_t p = w->p, length = padded(p);
    double *rest = w->rhs, left = 0, size = edge->is_row;
    for (int64_t l = 0; l < p; l++) {
        rest[l] = w->t[w->B[l]];
        if (edge->is_row)
            rest[l] += l == edge->at ? edge->sign : 0;
        else
            size = larger(size, w->B_row[l][edge->at]);
        left = larger(left, fabs(rest[l]));
    }
    if (!(left > ROUNDING * size)) return 0;
    for (int64_t l = p; l < length; l++) rest[l] = 0;
    for (int64_t f = 0; f < p; f++) w->delta[f] -= dot(w->inverse_row[f], rest, length);
    return 1;
}

/* Computes delta over F, followed by the released variable. Returns the number of entries. */
static int64_t edge_delta(chi_lad *w, const edge_choice *edge) {
    int64_t p = w->p;
    if (edge->is_row) {
        for (int64_t f = 0; f < p; f++) w->delta[f] = -edge->sign * w->inverse_row[f][edge->at];
        return p;
    }
    edge_of_bound(w, edge->at);
    w->F[p] = (int32_t)edge->at;
    w->F_column[p] = column_of(w, edge->at);
    w->F_gram[p] = w->cone->gram + edge->at * w->cone->capacity;
    w->delta[p] = 1;
    return p + 1;
}

/* Computes turn = A't = G delta, without the rows. Returns |t|^2, or 0 if only rounding is left. */
static double edge_length(chi_lad *w, int64_t count) {
    double length = 0, size = 0;
    combine_short(w->turn, w->k_pad, w->F_gram, w->delta, count);
    for (int64_t f = 0; f < count; f++) {
        length += w->delta[f] * w->turn[w->F[f]];
        size += w->delta[f] * w->delta[f] * w->scale[w->F[f]];
    }
    return length > CANCELLED * size ? length : 0;
}

/* Computes delta, t = A delta and turn. Returns |t|^2. */
static double walk_edge(chi_lad *w, const edge_choice *edge) {
    int64_t p = w->p, count = edge_delta(w, edge);
    combine(w->t, w->m, w->F_column, w->delta, count);
    if (correct_delta(w, edge)) combine(w->t, w->m, w->F_column, w->delta, count);
    for (int64_t l = 0; l < p; l++) w->t[w->B[l]] = 0;
    if (edge->is_row) w->t[w->B[edge->at]] = -edge->sign;
    double length = edge_length(w, count);
    return length > 0 ? length : square(w->t, w->m);
}

/* Updates the squared lengths for the steepest-edge rule. The pivot changes edge t_l to t_l - ratio
 * t, whose squared length is |t_l|^2 - 2 ratio t_l't + ratio^2 |t|^2. Lengths are over all rows of
 * A. */
static void update_weights(chi_lad *w, double length, double pivot) {
    int64_t p = w->p;
    double *entries = w->rhs, *along = w->solution, scale = 1 / pivot;
    for (int64_t f = 0; f < p; f++) entries[f] = w->turn[w->F[f]];
    times_inverse(w, along, entries);
    combine_short(w->z, w->k_pad, w->B_row, along, p);
    for (int64_t l = 0; l < p; l++) {
        double ratio = w->u[l] * scale;
        w->weight_B[l] =
            larger(w->weight_B[l] + ratio * (ratio * length - 2 * along[l]), 1 + ratio * ratio);
    }
    for (int64_t j = 0; j < w->k; j++) {
        double ratio = w->edge[j] * scale, product = w->turn[j] - w->z[j];
        w->weight_j[j] =
            larger(w->weight_j[j] + ratio * (ratio * length - 2 * product), SHORTEST * w->scale[j]);
    }
}

static void exchange(chi_lad *w, const edge_choice *edge, int64_t row, int64_t bound, double step,
                     double length) {
    double pivot = row >= 0 ? w->t[row] : w->delta[bound], left = length / (pivot * pivot);
    update_weights(w, length, pivot);
    if (row >= 0) {
        if (edge->is_row) {
            swap_row(w, edge->at, row);
            w->weight_B[edge->at] = larger(left, 1);
        } else {
            w->b[w->p] = step;
            w->weight_B[w->p] = larger(left, 1);
            grow(w, edge->at, row, pivot);
        }
    } else {
        w->weight_j[w->F[bound]] = left;
        if (edge->is_row) {
            shrink(w, bound, edge->at);
        } else {
            swap_column(w, bound, edge->at);
            w->b[bound] = step;
        }
    }
}

/* Moves along one edge. Returns 0, with nothing changed, if the inverse is not accurate enough. */
static int take_edge(chi_lad *w, const edge_choice *edge, double drift) {
    int64_t bound = -1, p = w->p;
    double step, length = walk_edge(w, edge), limit = vertex_limit(w, &bound);
    int64_t row = search_edge(w, &step, edge->slope / 2, limit, length);
    if (row < 0 && bound < 0) return 0;
    if (!edge->is_row && !(length > PARALLEL * PARALLEL * w->scale[edge->at])) return 0;
    if (row >= 0)
        edges_at_row(w, row_of(w, row));
    else
        edges_at_bound(w, bound);
    double pivot = row >= 0 ? w->t[row] : w->delta[bound];
    double again = edge->is_row ? -edge->sign * w->u[edge->at] : w->edge[edge->at];
    if (!(fabs(pivot - again) <= drift * fabs(pivot))) return 0;

    if (edge->is_row) {
        w->s[w->B[edge->at]] = edge->sign;
        add(w->q, edge->sign, w->B_row[edge->at], w->k_pad);
    }
    for (int64_t f = 0; f < p; f++) w->b[f] = larger(w->b[f] + step * w->delta[f], 0);
    if (row >= 0) {
        add(w->q, -w->s[row], row_of(w, row), w->k_pad);
        w->s[row] = 0;
    }
    follow_flips(w, move_residual(w->r, w->s, w->flips, w->t, step, w->m));
    if (row >= 0) w->r[row] = 0;
    exchange(w, edge, row, bound, step, length);
    w->pivots++;
    return 1;
}

/* Pivots until the vertex is optimal for the target or the budget is used up. */
static void descend(chi_lad *w, int64_t budget) {
    edge_choice edge = {0};
    int64_t since = 0, refused = 0; /* pivots since the last new inverse; edges refused */
    while (w->pivots < budget && refused <= w->k && (price(w), choose_edge(w, &edge, PRICE))) {
        if (since < REFRESH && take_edge(w, &edge, since ? DRIFT : DRIFT_FRESH)) {
            since++;
        } else if (since > 0) {
            if (!refresh(w)) return;
            since = 0;
        } else {
            *(edge.is_row ? &w->weight_B[edge.at] : &w->weight_j[edge.at]) = INFINITY;
            refused++;
        }
    }
}
