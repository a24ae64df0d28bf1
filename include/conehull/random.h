/* Random numbers: xoshiro256++ seeded by splitmix64. The same seed gives the same bits on every
 * machine (and the same reals up to the last place of its libm's log and exp). No global state. */
#ifndef CONEHULL_RANDOM_H
#define CONEHULL_RANDOM_H

#include <conehull/status.h>
#include <stdint.h>

CH_BEGIN_DECLS

typedef struct ch_random {
    uint64_t state[4];
} ch_random;

CH_API void ch_random_seed(ch_random *random, uint64_t seed);
/** A second generator that is independent of this one for all practical purposes. Its state is made
 *  from the next four outputs of this one, so it can be split again. */
CH_API ch_random ch_random_split(ch_random *random);
CH_API uint64_t ch_random_bits(ch_random *random);
/** Uniform in [0, 1), 53 bits. */
CH_API double ch_random_uniform(ch_random *random);
/** Uniform integer in [0, count), without bias; count >= 1. */
CH_API int64_t ch_random_below(ch_random *random, int64_t count);
CH_API double ch_random_normal(ch_random *random);
/** Mean 0 and standard deviation sd (the paper's delta), i.e. scale sd / sqrt(2). */
CH_API double ch_random_laplace(ch_random *random, double sd);
CH_API double ch_random_exponential(ch_random *random, double mean);
/** Scale 1; shape > 0. */
CH_API double ch_random_gamma(ch_random *random, double shape);
/** sample[0..count) from Dirichlet(alpha), alpha > 0; sums to 1 however small the alphas are. */
CH_API void ch_random_dirichlet(ch_random *random, double *sample, const double *alpha,
                                int64_t count);
/** 0 <= mean <= 1e15. */
CH_API int64_t ch_random_poisson(ch_random *random, double mean);
/** A permutation of 0..count-1. */
CH_API void ch_random_shuffle(ch_random *random, int64_t *list, int64_t count);

CH_END_DECLS
#endif
