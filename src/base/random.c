/* Random numbers: xoshiro256++ (Blackman and Vigna 2021) seeded by splitmix64, and the
 * distributions that the generators of test data need. Bits, uniforms, integers and permutations
 * are exact, hence the same everywhere. The other distributions use libm and may differ in the last
 * place between systems. */
#include <conehull/random.h>
#include <math.h>

static uint64_t rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

/* The output function of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio, odd */

/* Fills the state with four successive outputs of splitmix64. They are different, because its
 * output function is a bijection, so they are never all zero, which is the one state to avoid. */
void ch_random_seed(ch_random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) random->state[i] = mix(seed + (uint64_t)(i + 1) * golden);
}

ch_random ch_random_split(ch_random *random) {
    ch_random second;
    for (int i = 0; i < 4; i++)
        second.state[i] = mix(ch_random_bits(random) + (uint64_t)(i + 1) * golden);
    second.state[0] |= 1; /* not all zero */
    return second;
}

uint64_t ch_random_bits(ch_random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double ch_random_uniform(ch_random *random) {
    return (double)(ch_random_bits(random) >> 11) * 0x1p-53;
}

/* Returns a uniform number in (0, 1], whose logarithm is finite. */
static double positive_uniform(ch_random *random) {
    return 1.0 - ch_random_uniform(random);
}

/* Lemire (2019): returns the high word of bits * count, and draws again if the low word is one of
 * the 2^64 mod count values that would favour some results. */
int64_t ch_random_below(ch_random *random, int64_t count) {
    uint64_t range = (uint64_t)count, surplus = -range % range;
    unsigned __int128 product;
    do product = (unsigned __int128)ch_random_bits(random) * range;
    while ((uint64_t)product < surplus);
    return (int64_t)(product >> 64);
}

/* Marsaglia's polar method. The second normal of the pair is discarded, so that the generator has
 * no hidden state. */
double ch_random_normal(ch_random *random) {
    double x, y, square;
    do {
        x = 2.0 * ch_random_uniform(random) - 1.0;
        y = 2.0 * ch_random_uniform(random) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    return x * sqrt(-2.0 * log(square) / square);
}

double ch_random_laplace(ch_random *random, double sd) {
    uint64_t bits = ch_random_bits(random); /* 53 bits for the size, another for the sign */
    double size = -log(1.0 - (double)(bits >> 11) * 0x1p-53) * sd * 0.70710678118654752440;
    return bits & 1 ? size : -size;
}

double ch_random_exponential(ch_random *random, double mean) {
    return -mean * log(positive_uniform(random));
}

/* Marsaglia and Tsang (2000), for shape >= 1: d v with d = shape - 1/3, v = (1 + c normal)^3. */
static double gamma_above_one(ch_random *random, double shape) {
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double normal = ch_random_normal(random), root = 1.0 + c * normal;
        if (root <= 0.0) continue;
        double v = root * root * root;
        if (log(positive_uniform(random)) < 0.5 * normal * normal + d * (1.0 - v + log(v)))
            return d * v;
    }
}

/* Returns the logarithm of a gamma variable. Below shape 1, gamma(shape) = gamma(shape + 1)
 * U^(1/shape), which may be too small for a double while its logarithm is not. */
static double log_gamma(ch_random *random, double shape) {
    if (shape >= 1.0) return log(gamma_above_one(random, shape));
    double larger = log(gamma_above_one(random, shape + 1.0));
    return larger + log(positive_uniform(random)) / shape;
}

double ch_random_gamma(ch_random *random, double shape) {
    return shape >= 1.0 ? gamma_above_one(random, shape) : exp(log_gamma(random, shape));
}

/* Computes with logarithms relative to the largest one, because for small alphas every gamma
 * variable may underflow although their ratios are well defined. */
void ch_random_dirichlet(ch_random *random, double *sample, const double *alpha, int64_t count) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sample[i] = log_gamma(random, fmax(alpha[i], 1e-300)); /* log U / 1e-300 is still finite */
        largest = fmax(largest, sample[i]);
    }
    for (int64_t i = 0; i < count; i++) sum += sample[i] = exp(sample[i] - largest);
    for (int64_t i = 0; i < count; i++) sample[i] /= sum;
}

/* Returns log (mean^k e^-mean / k!) by Stirling's series, written around k = mean so that nothing
 * cancels at large means. (lgamma() is not used, because it writes to a global variable.) */
static double log_poisson(double k, double mean) {
    double shift = 0.0;
    if (k < 8.0) { /* p(k) = p(8) (8! / k!) mean^(k - 8) */
        for (double j = k + 1.0; j <= 8.0; j++) shift += log(j / mean);
        k = 8.0;
    }
    double series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * k * k)) / (k * k)) / k;
    double away = mean - k;
    return shift + k * log1p(away / k) - away - 0.5 * log(6.28318530717958647693 * k) - series;
}

/* Inversion: finds the smallest k whose distribution function exceeds a uniform number. */
static int64_t poisson_small(ch_random *random, double mean) {
    double p = exp(-mean), left = ch_random_uniform(random);
    int64_t k = 0;
    while (left >= p && k < 200) { /* P(k >= 200) is negligible for means below 10 */
        left -= p;
        k++;
        p *= mean / (double)k;
    }
    return k;
}

/* Transformed rejection with squeeze, algorithm PTRS of Hoermann (1993), for mean >= 10, with the
 * constants of that paper. */
static int64_t poisson_large(ch_random *random, double mean) {
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double scale = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
        double u = ch_random_uniform(random) - 0.5, v = positive_uniform(random);
        double inside = 0.5 - fabs(u);
        double k = floor((2.0 * a / inside + b) * u + mean + 0.43);
        if (inside >= 0.07 && v <= quick) return (int64_t)k;
        if (k < 0.0 || (inside < 0.013 && v > inside)) continue;
        if (log(v * scale / (a / (inside * inside) + b)) <= log_poisson(k, mean)) return (int64_t)k;
    }
}

int64_t ch_random_poisson(ch_random *random, double mean) {
    if (!(mean > 0.0)) return 0;
    return mean < 10.0 ? poisson_small(random, mean) : poisson_large(random, mean);
}

/* Fills the list with a random permutation of 0..count-1 (Fisher and Yates, inside out). */
void ch_random_shuffle(ch_random *random, int64_t *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int64_t j = ch_random_below(random, i + 1);
        list[i] = list[j];
        list[j] = i;
    }
}
