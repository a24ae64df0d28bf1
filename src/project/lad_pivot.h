/* One pivot: the edge to leave the vertex by, how far to go, and the vertex where it ends. */
#ifndef CONEHULL_LAD_PIVOT_H
#define CONEHULL_LAD_PIVOT_H

#include "project/lad_search.h"
#include "project/lad_start.h"

/* Slopes this close to optimal, relative to A'1 (bounds) or 1 (rows), are left alone. */
static const double PRICE = 1e-11;
/* Two computations of a pivot that differ by more than this call for a new inverse. */
static const double DRIFT = 1e-7;
enum { REFRESH = 50 }; /* pivots after which the inverse is computed anew */

/* An edge: release row B_at (sign: where its residual goes) or bound at. */
typedef struct edge_choice {
    int is_row;
    int64_t at;
    double slope, sign;
} edge_choice;

/* d_B from A_F'd = c_F, z = A'd - c, and the edge with the largest slope^2 / length^2. */
static int choose_edge(chi_lad *w, edge_choice *edge) {
    int64_t p = w->p;
    double *free_q = w->u, best = 0;
    for (int64_t f = 0; f < p; f++) free_q[f] = w->q[w->F[f]];
    memcpy(w->z, w->q, (size_t)w->k_pad * sizeof *w->z);
    for (int64_t l = 0; l < p; l++) {
        const double *column = w->inverse + l * w->ld, *row = row_of(w, w->B[l]);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t f = 0; f < p; f++) sum -= column[f] * free_q[f];
        w->d[l] = sum;
#pragma omp simd
        for (int64_t j = 0; j < w->k_pad; j++) w->z[j] += sum * row[j];
        double slope = fabs(sum) - 1;
        if (slope > PRICE && slope * slope > best * w->weight_B[l]) {
            best = slope * slope / w->weight_B[l];
            *edge = (edge_choice){1, l, slope, sum < 0 ? -1 : 1};
        }
    }
    for (int64_t j = 0; j < w->k; j++) {
        double slope = w->z[j];
        if (w->place[j] < 0 && slope > PRICE * w->cone->sums[j] &&
            slope * slope > best * w->weight_j[j]) {
            best = slope * slope / w->weight_j[j];
            *edge = (edge_choice){0, j, slope, 1};
        }
    }
    return best > 0;
}

/* delta_F and t = A delta. */
static void walk_edge(chi_lad *w, const edge_choice *edge) {
    int64_t p = w->p, count = p;
    if (edge->is_row) {
        const double *column = w->inverse + edge->at * w->ld;
        for (int64_t f = 0; f < p; f++) w->delta[f] = -edge->sign * column[f];
    } else {
        memset(w->delta, 0, (size_t)p * sizeof *w->delta);
        for (int64_t l = 0; l < p; l++) {
            const double *column = w->inverse + l * w->ld;
            double entry = row_of(w, w->B[l])[edge->at];
            if (entry == 0) continue;
#pragma omp simd
            for (int64_t f = 0; f < p; f++) w->delta[f] -= entry * column[f];
        }
        w->F_column[p] = column_of(w, edge->at);
        w->delta[p] = 1;
        count++;
    }
    combine(w->t, w->m, w->F_column, w->delta, count);
    for (int64_t l = 0; l < p; l++) w->t[w->B[l]] = 0;
    if (edge->is_row) w->t[w->B[edge->at]] = -edge->sign;
}

/* How far until a free variable reaches zero, and which. */
static double bound_limit(const chi_lad *w, int64_t *which) {
    double limit = INFINITY;
    for (int64_t f = 0; f < w->p; f++)
        if (w->delta[f] < 0 && larger(w->b[f], 0) < -w->delta[f] * limit)
            limit = larger(w->b[ *which = f], 0) / -w->delta[f];
    return limit;
}

static void add_row(chi_lad *w, double factor, int64_t i) {
    const double *row = row_of(w, i);
#pragma omp simd
    for (int64_t j = 0; j < w->k_pad; j++) w->q[j] += factor * row[j];
}

/* u and edge: what the other edges do to the row or bound that stops this one. */
static void pivot_row(chi_lad *w, int64_t row, int64_t bound) {
    int64_t p = w->p;
    if (row >= 0) {
        const double *a = row_of(w, row);
        double *entries = w->rhs;
        for (int64_t f = 0; f < p; f++) entries[f] = a[w->F[f]];
        memcpy(w->edge, a, (size_t)w->k_pad * sizeof *a);
        for (int64_t l = 0; l < p; l++) {
            const double *column = w->inverse + l * w->ld;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t f = 0; f < p; f++) sum += column[f] * entries[f];
            w->u[l] = sum;
        }
    } else {
        memset(w->edge, 0, (size_t)w->k_pad * sizeof *w->edge);
        for (int64_t l = 0; l < p; l++) w->u[l] = w->inverse[bound + l * w->ld];
    }
    for (int64_t l = 0; l < p; l++) {
        const double *other = row_of(w, w->B[l]);
        double factor = w->u[l];
#pragma omp simd
        for (int64_t j = 0; j < w->k_pad; j++) w->edge[j] -= factor * other[j];
    }
}

/* Steepest edge: an edge that the pivot turns by ratio of the chosen one, t_l - ratio t, has the
 * length |t_l|^2 - 2 ratio t_l't + ratio^2 |t|^2, where A't = G delta needs no rows of A. */
static void update_weights(chi_lad *w, double length, double pivot) {
    int64_t p = w->p;
    double *free_part = w->rhs, scale = 1 / pivot;
    for (int64_t f = 0; f < p; f++) free_part[f] = w->turn[w->F[f]];
    for (int64_t l = 0; l < p; l++) {
        const double *column = w->inverse + l * w->ld, *row = row_of(w, w->B[l]);
        double product = 0, ratio = w->u[l] * scale;
#pragma omp simd reduction(+ : product)
        for (int64_t f = 0; f < p; f++) product += column[f] * free_part[f];
        w->weight_B[l] =
            larger(w->weight_B[l] + ratio * (ratio * length - 2 * product), 1 + ratio * ratio);
#pragma omp simd
        for (int64_t j = 0; j < w->k_pad; j++) w->turn[j] -= product * row[j];
    }
    for (int64_t j = 0; j < w->k; j++) {
        double ratio = w->edge[j] * scale;
        w->weight_j[j] =
            larger(w->weight_j[j] + ratio * (ratio * length - 2 * w->turn[j]), 1e-6 * w->scale[j]);
    }
}

/* turn = G delta, and delta'G delta: the squared length of the edge. */
static double edge_length(chi_lad *w, const edge_choice *edge) {
    const chi_cone *cone = w->cone;
    int64_t count = w->p + !edge->is_row;
    memset(w->turn, 0, (size_t)w->k_pad * sizeof *w->turn);
    for (int64_t f = 0; f < count; f++) {
        const double *gram = cone->gram + (f < w->p ? w->F[f] : edge->at) * cone->capacity;
        double factor = w->delta[f];
#pragma omp simd
        for (int64_t j = 0; j < w->k; j++) w->turn[j] += factor * gram[j];
    }
    double sum = 0;
    for (int64_t f = 0; f < count; f++) sum += w->delta[f] * w->turn[f < w->p ? w->F[f] : edge->at];
    return sum;
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

/* One edge; 0 when the inverse has lost its accuracy and nothing was changed. */
static int take_edge(chi_lad *w, const edge_choice *edge) {
    int64_t bound = -1, passed, p = w->p;
    walk_edge(w, edge);
    double step, length = edge_length(w, edge), limit = bound_limit(w, &bound);
    int64_t row = search_edge(w, &step, &passed, edge->slope / 2, limit, length);
    if (row < 0 && bound < 0) return 0;
    pivot_row(w, row, row < 0 ? bound : -1);
    double pivot = row >= 0 ? w->t[row] : w->delta[bound];
    double again = edge->is_row ? -edge->sign * w->u[edge->at] : w->edge[edge->at];
    if (!(fabs(pivot - again) <= DRIFT * fabs(pivot))) return 0;

    if (edge->is_row) {
        w->s[w->B[edge->at]] = edge->sign;
        add_row(w, edge->sign, w->B[edge->at]);
    }
    for (int64_t f = 0; f < p; f++) w->b[f] = larger(w->b[f] + step * w->delta[f], 0);
#pragma omp simd
    for (int64_t i = 0; i < w->m; i++) w->r[i] -= step * w->t[i];
    for (int64_t n = 0; n < passed; n++) {
        int64_t i = w->flips[n];
        w->s[i] = -w->s[i];
        add_row(w, 2 * w->s[i], i);
    }
    if (row >= 0) {
        add_row(w, -w->s[row], row);
        w->s[row] = w->r[row] = 0;
    }
    exchange(w, edge, row, bound, step, length);
    w->pivots++;
    return 1;
}

/* To the optimal vertex of the target, or until the budget is spent. */
static void descend(chi_lad *w, int64_t budget) {
    edge_choice edge = {0};
    int64_t since = 0;
    while (w->pivots < budget && choose_edge(w, &edge)) {
        if (since < REFRESH && take_edge(w, &edge)) {
            since++;
            continue;
        }
        if (since == 0 || !refresh(w)) return;
        since = 0;
    }
}

#endif
