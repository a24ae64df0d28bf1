/* G = A'diag(w) A for the Newton steps of projections under divergences (chi_weighted_gram). A SIDE
 * x ACROSS block of G stays in registers during one pass over the rows; SIDE more registers hold
 * the weighted rows. Each entry of G is summed separately, so its bits do not depend on the
 * block. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

enum { SIDE = CHI_REGISTERS < 32 ? 3 : 4, ACROSS = 4 };

/* Computes the weighted products of SIDE columns with ACROSS others. */
INLINE void multiply_block(double block[SIDE][ACROSS], const double *const *a,
                           const double *const *b, const double *w, int64_t rows) {
    vec sum[SIDE][ACROSS] = {0};
    int64_t i = 0;
    for (; i + LANES <= rows; i += LANES) {
        vec weight = vec_load(w + i), left[SIDE];
        for (int s = 0; s < SIDE; s++) left[s] = weight * vec_load(a[s] + i);
        for (int t = 0; t < ACROSS; t++) {
            vec right = vec_load(b[t] + i);
            for (int s = 0; s < SIDE; s++) sum[s][t] += left[s] * right;
        }
    }
    for (int s = 0; s < SIDE; s++) four_sums(block[s], sum[s]);
    if (i == rows) return;
    vec weight = vec_load_part(w + i, rows - i, 0);
    for (int s = 0; s < SIDE; s++)
        for (int t = 0; t < ACROSS; t++)
            block[s][t] += vec_sum(weight * vec_load_part(a[s] + i, rows - i, 0) *
                                   vec_load_part(b[t] + i, rows - i, 0));
}

/* Blocks beyond the last column repeat it, and those products are not stored. */
chi_weighted_gram IN_SET(chi_weighted_gram);
void IN_SET(chi_weighted_gram)(double *G, const double *const *a, int64_t count, const double *w,
                               int64_t rows) {
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
