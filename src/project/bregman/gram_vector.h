/* chi_gram in registers of LANES doubles: the whole of a file that defines LANES and NAME. A block
 * of the result, SIDE x ACROSS, stays in registers while the rows go by once. */
#include "project/bregman/gram.h"
#include <string.h>

enum { SIDE = 3, ACROSS = 4 };

typedef double vec __attribute__((vector_size(LANES * 8)));

static inline vec load(const double *x) {
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline vec load_part(const double *x, int64_t count) {
    double padded[LANES] = {0};
    memcpy(padded, x, (size_t)count * sizeof *x);
    return load(padded);
}

static inline double total(vec v) {
    double sum = v[0];
    for (int lane = 1; lane < LANES; lane++) sum += v[lane];
    return sum;
}

/* block = the products of SIDE columns with ACROSS others. */
static inline __attribute__((always_inline)) void multiply_block(double block[SIDE][ACROSS],
                                                                 const double *const *a,
                                                                 const double *const *b,
                                                                 const double *w, int64_t rows) {
    vec sum[SIDE][ACROSS] = {0};
    int64_t i = 0;
    for (; i + LANES <= rows; i += LANES) {
        vec weight = load(w + i), left[SIDE];
        for (int s = 0; s < SIDE; s++) left[s] = weight * load(a[s] + i);
        for (int t = 0; t < ACROSS; t++) {
            vec right = load(b[t] + i);
            for (int s = 0; s < SIDE; s++) sum[s][t] += left[s] * right;
        }
    }
    for (int s = 0; s < SIDE; s++)
        for (int t = 0; t < ACROSS; t++) block[s][t] = total(sum[s][t]);
    if (i == rows) return;
    vec weight = load_part(w + i, rows - i);
    for (int s = 0; s < SIDE; s++)
        for (int t = 0; t < ACROSS; t++)
            block[s][t] +=
                total(weight * load_part(a[s] + i, rows - i) * load_part(b[t] + i, rows - i));
}

/* Columns past the last are the last once more, and their products are left out. */
void NAME(double *G, const double *const *a, int64_t count, const double *w, int64_t rows) {
    for (int64_t s = 0; s < count; s += SIDE)
        for (int64_t t = 0; t < s + SIDE && t < count; t += ACROSS) {
            const double *left[SIDE], *right[ACROSS];
            double block[SIDE][ACROSS];
            for (int k = 0; k < SIDE; k++) left[k] = a[s + k < count ? s + k : count - 1];
            for (int k = 0; k < ACROSS; k++) right[k] = a[t + k < count ? t + k : count - 1];
            multiply_block(block, left, right, w, rows);
            for (int k = 0; k < SIDE && s + k < count; k++)
                for (int l = 0; l < ACROSS && t + l <= s + k; l++)
                    G[(s + k) * count + t + l] = block[k][l];
        }
}
