/* The steps of Newton's method in a few variables, for projections under divergences, which repeat
 * them very often (chi_newton_loops). Rows of the Cholesky factor U are padded to whole vectors.
 * Values that an operation leaves below its diagonal are finite and never used. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

enum { AT_ONCE = 32, DEEP = 4 }; /* columns added together; vectors of rows per step */

typedef struct terms {
    const double *a[AT_ONCE];
    double b[AT_ONCE];
    int count;
} terms;

/* y[i..i + DEEP * LANES) += the terms there; with begin, the sum starts from low instead of y. */
INLINE void add_deep(double *y, const terms *t, int64_t i, int begin, double low) {
    vec sum[DEEP];
    for (int d = 0; d < DEEP; d++) sum[d] = begin ? vec_all(low) : vec_load(y + i + d * LANES);
    for (int q = 0; q < t->count; q++)
        for (int d = 0; d < DEEP; d++) sum[d] += t->b[q] * vec_load(t->a[q] + i + d * LANES);
    for (int d = 0; d < DEEP; d++) vec_store(y + i + d * LANES, sum[d]);
}

INLINE vec add_vector(vec sum, const terms *t, int64_t i) {
    for (int q = 0; q < t->count; q++) sum += t->b[q] * vec_load(t->a[q] + i);
    return sum;
}

/* y = low + the terms, or y += the terms. */
static void add_terms(double *y, const terms *t, int64_t rows, int begin, double low) {
    int64_t i = 0;
    for (; i + DEEP * LANES <= rows; i += DEEP * LANES) add_deep(y, t, i, begin, low);
    for (; i + LANES <= rows; i += LANES)
        vec_store(y + i, add_vector(begin ? vec_all(low) : vec_load(y + i), t, i));
    if (i == rows) return;
    vec sum = begin ? vec_all(low) : vec_load_part(y + i, rows - i, 0);
    for (int q = 0; q < t->count; q++) sum += t->b[q] * vec_load_part(t->a[q] + i, rows - i, 0);
    vec_store_part(y + i, sum, rows - i);
}

static void model(double *y, const double *A, const double *b, int64_t count, double low,
                  int64_t rows) {
    terms t = {.count = 0};
    int begin = 1;
    for (int64_t q = 0; q < count; q++) {
        if (b[q] > 0) {
            t.a[t.count] = A + q * rows;
            t.b[t.count++] = b[q];
        }
        if (t.count < AT_ONCE && q + 1 < count) continue;
        add_terms(y, &t, rows, begin, low);
        begin = t.count = 0;
    }
    if (begin) add_terms(y, &t, rows, begin, low); /* there are no columns: y = low */
}

/* Four columns at a time; missing ones repeat the last, and their sums are not used. */
static void products(double *sums, const double *d, const double *A, int64_t count, int64_t rows) {
    for (int64_t q = 0; q < count; q += 4) {
        const double *a[4];
        vec sum[4] = {0};
        double four[4];
        int64_t i = 0;
        for (int k = 0; k < 4; k++) a[k] = A + (q + k < count ? q + k : count - 1) * rows;
        for (; i + LANES <= rows; i += LANES) {
            vec factor = vec_load(d + i);
            for (int k = 0; k < 4; k++) sum[k] += factor * vec_load(a[k] + i);
        }
        if (i < rows) {
            vec factor = vec_load_part(d + i, rows - i, 0);
            for (int k = 0; k < 4; k++) sum[k] += factor * vec_load_part(a[k] + i, rows - i, 0);
        }
        four_sums(four, sum);
        for (int k = 0; k < 4 && q + k < count; k++) sums[q + k] += four[k];
    }
}

INLINE int64_t padded(int64_t count) {
    return (count + LANES - 1) / LANES * LANES;
}

/* Fills the upper triangle of U from the lower triangle of G. */
static void mirror(double *U, const double *G, int64_t count) {
    int64_t width = padded(count);
    for (int64_t t = 0; t < count; t++) {
        double *row = U + t * width;
        for (int64_t s = 0; s < t; s++) row[s] = 0;
        for (int64_t s = t; s < count; s++) row[s] = G[s * count + t];
        for (int64_t s = count; s < width; s++) row[s] = 0;
    }
}

/* Subtracts the multiples of row t from the rows after it (one step of the Cholesky
 * factorisation). */
INLINE void eliminate(double *U, int64_t t, int64_t count, int64_t width) {
    const double *row = U + t * width;
    for (int64_t s = t + 1; s < count; s++) {
        double *to = U + s * width, share = row[s];
        for (int64_t i = s / LANES * LANES; i < width; i += LANES)
            vec_store(to + i, vec_load(to + i) - share * vec_load(row + i));
    }
}

static int factorise(double *U, const double *G, const double *more, int64_t count, double least,
                     double dependent) {
    int64_t width = padded(count);
    mirror(U, G, count);
    for (int64_t t = 0; t < count; t++) {
        double *row = U + t * width, added = more ? more[t] : 0;
        double diagonal = G[t * count + t] + added, pivot = row[t] + added;
        if (!(diagonal > 0) || !(pivot >= least * diagonal)) return 0;
        double inverse = 1 / sqrt(pivot > dependent * diagonal ? pivot : diagonal);
        for (int64_t i = t / LANES * LANES; i < width; i += LANES)
            vec_store(row + i, inverse * vec_load(row + i));
        row[t] = inverse;
        eliminate(U, t, count, width);
    }
    return 1;
}

/* Solves U'z = r forwards, then U v = z backwards. */
static void solve(double *v, double *r, const double *U, int64_t count) {
    int64_t width = padded(count);
    for (int64_t i = count; i < width; i++) r[i] = 0;
    for (int64_t t = 0; t < count; t++) {
        const double *row = U + t * width;
        v[t] = r[t] * row[t];
        for (int64_t i = (t + 1) / LANES * LANES; i < width; i += LANES)
            vec_store(r + i, vec_load(r + i) - v[t] * vec_load(row + i));
    }
    memcpy(r, v, (size_t)count * sizeof *r);
    memset(v, 0, (size_t)width * sizeof *v);
    for (int64_t s = count - 1; s >= 0; s--) { /* v[0..s] is still zero */
        const double *row = U + s * width;
        vec sum = {0};
        for (int64_t i = s / LANES * LANES; i < width; i += LANES)
            sum += vec_load(row + i) * vec_load(v + i);
        v[s] = (r[s] - vec_fold(sum)) * row[s];
    }
}

extern const chi_newton_loops IN_SET(chi_newton_loops);
const chi_newton_loops IN_SET(chi_newton_loops) = {model, products, factorise, solve};
