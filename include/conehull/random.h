/* Random numbers by the generator xoshiro256++, seeded by splitmix64. The same seed gives the same
 * bits, uniform numbers, integers and permutations on every machine. Numbers of the other
 * distributions may differ in the last digit between machines, because they use log() and exp() of
 * the C library. There is no global state. */
#ifndef CONEHULL_RANDOM_H
#define CONEHULL_RANDOM_H

#include <conehull/status.h>
#include <stdint.h>

CH_BEGIN_DECLS

/** A random number generator. ch_random_seed() must initialise it before any other call. Each
 *  thread needs its own generator. */
typedef struct ch_random {
    uint64_t state[4]; /**< state of xoshiro256++; internal */
} ch_random;

/** Initialises a generator from any seed, 0 included. */
CH_API void ch_random_seed(ch_random *random, uint64_t seed);
/** Returns a second generator, whose numbers are independent of those of `random` for all practical
 *  purposes. The call takes the next four outputs of `random` as the state of the new generator.
 *  Both generators can be split again. */
CH_API ch_random ch_random_split(ch_random *random);
/** Returns 64 random bits. */
CH_API uint64_t ch_random_bits(ch_random *random);
/** Returns a number that is uniformly distributed in [0, 1); it is a multiple of 2^-53. */
CH_API double ch_random_uniform(ch_random *random);
/** Returns an integer that is exactly uniform in [0, count), where count >= 1. */
CH_API int64_t ch_random_below(ch_random *random, int64_t count);
/** Returns a normally distributed number of mean 0 and variance 1. */
CH_API double ch_random_normal(ch_random *random);
/** Returns a Laplace distributed number of mean 0 and standard deviation sd; the scale parameter of
 *  the distribution is sd / sqrt(2). */
CH_API double ch_random_laplace(ch_random *random, double sd);
/** Returns an exponentially distributed number of the given mean. */
CH_API double ch_random_exponential(ch_random *random, double mean);
/** Returns a gamma distributed number of scale 1 and the given shape > 0. */
CH_API double ch_random_gamma(ch_random *random, double shape);
/** Fills sample[0 .. count) with a random vector of the Dirichlet distribution with parameters
 *  alpha[0 .. count), which must be positive. The entries of the sample sum to 1 up to rounding,
 *  however small the parameters are. */
CH_API void ch_random_dirichlet(ch_random *random, double *sample, const double *alpha,
                                int64_t count);
/** Returns a Poisson distributed number of the given mean, which must be between 0 and 1e15. */
CH_API int64_t ch_random_poisson(ch_random *random, double mean);
/** Fills list[0 .. count) with a random permutation of 0 .. count - 1. */
CH_API void ch_random_shuffle(ch_random *random, int64_t *list, int64_t count);

CH_END_DECLS
#endif
