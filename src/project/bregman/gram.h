/* G = A'diag(w) A for the Newton steps of projections under divergences. */
#ifndef CONEHULL_GRAM_H
#define CONEHULL_GRAM_H

#include <stdint.h>

/* G[s * count + t] = sum_i w_i a_s[i] a_t[i] for t <= s < count; a holds the columns of A. What
 * lies above the diagonal is not set. The order of adding depends on rows alone. */
typedef void (*chi_gram)(double *G, const double *const *a, int64_t count, const double *w,
                         int64_t rows);

void chi_gram_portable(double *G, const double *const *a, int64_t count, const double *w,
                       int64_t rows);
void chi_gram_avx2(double *G, const double *const *a, int64_t count, const double *w, int64_t rows);

/* The one for a processor of this level (chi_processor_level()). */
chi_gram chi_gram_pick(int level);

#endif
