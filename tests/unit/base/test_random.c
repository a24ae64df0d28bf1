/* The generator against its published outputs; the distributions by their moments, within 6
 * standard errors of the exact values (seeds are fixed, so the outcome is too). */
#include "support.h"
#include <math.h>

enum { DRAWS = 200000 };

static void bits_are_those_of_xoshiro256pp(void **state) {
    (void)state;
    static const uint64_t expected[] = {UINT64_C(41943041),
                                        UINT64_C(58720359),
                                        UINT64_C(3588806011781223),
                                        UINT64_C(3591011842654386),
                                        UINT64_C(9228616714210784205),
                                        UINT64_C(9973669472204895162),
                                        UINT64_C(14011001112246962877),
                                        UINT64_C(12406186145184390807),
                                        UINT64_C(15849039046786891736),
                                        UINT64_C(10450023813501588000)};
    ch_random random = {{1, 2, 3, 4}};
    for (int i = 0; i < 10; i++) assert_true(ch_random_bits(&random) == expected[i]);
}

static void seeding_is_splitmix64(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 0);
    assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random.state[1] == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(random.state[2] == UINT64_C(0x06c45d188009454f));
    ch_random_seed(&random, 1234567);
    assert_true(random.state[0] == UINT64_C(6457827717110365317));
    assert_true(random.state[1] == UINT64_C(3203168211198807973));
    assert_true(random.state[2] == UINT64_C(9817491932198370423));
    assert_true(random.state[3] == UINT64_C(4593380528125082431));
}

static void split_streams_differ(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "split", 5);
    ch_random one = ch_random_split(&random), two = ch_random_split(&random);
    ch_random grandchild = ch_random_split(&one);
    double product = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        double a = ch_random_uniform(&one) - 0.5, b = ch_random_uniform(&two) - 0.5;
        double c = ch_random_uniform(&random) - 0.5, d = ch_random_uniform(&grandchild) - 0.5;
        product += a * b + b * c + a * c + c * d; /* each of sd 1/12 */
    }
    support_close(product / DRAWS, 0.0, 6.0 * 2.0 / 12.0 / sqrt(DRAWS));
}

/* Mean, variance and skewness (third central moment over sd^3) of what is drawn. */
typedef struct moments {
    double mean, variance, skewness;
} moments;

typedef struct law {
    const char *name;
    double (*draw)(ch_random *random, double parameter);
    double parameter;
    moments expected;
    double kurtosis; /* fourth central moment over variance^2, for the error of the variance */
} law;

static double draw_uniform(ch_random *random, double unused) {
    (void)unused;
    return ch_random_uniform(random);
}
static double draw_normal(ch_random *random, double unused) {
    (void)unused;
    return ch_random_normal(random);
}
static double draw_poisson(ch_random *random, double mean) {
    return (double)ch_random_poisson(random, mean);
}

static void moments_are_right(void **state) {
    (void)state;
    static const law laws[] = {
        {"uniform", draw_uniform, 0, {0.5, 1.0 / 12, 0}, 1.8},
        {"normal", draw_normal, 0, {0, 1, 0}, 3},
        {"laplace", ch_random_laplace, 0.7, {0, 0.49, 0}, 6},
        {"exponential", ch_random_exponential, 2.5, {2.5, 6.25, 2}, 9},
        {"gamma 0.05", ch_random_gamma, 0.05, {0.05, 0.05, 8.94427}, 123},
        {"gamma 0.5", ch_random_gamma, 0.5, {0.5, 0.5, 2.82843}, 15},
        {"gamma 1", ch_random_gamma, 1, {1, 1, 2}, 9},
        {"gamma 7.5", ch_random_gamma, 7.5, {7.5, 7.5, 0.730297}, 3.8},
        {"poisson 0", draw_poisson, 0, {0, 0, 0}, 3},
        {"poisson 0.3", draw_poisson, 0.3, {0.3, 0.3, 1.825742}, 3 + 1 / 0.3},
        {"poisson 9.9", draw_poisson, 9.9, {9.9, 9.9, 0.317821}, 3.101},
        {"poisson 10", draw_poisson, 10, {10, 10, 0.316228}, 3.1},
        {"poisson 37.5", draw_poisson, 37.5, {37.5, 37.5, 0.163299}, 3.027},
        {"poisson 1e6", draw_poisson, 1e6, {1e6, 1e6, 0.001}, 3},
        {"poisson 1e14", draw_poisson, 1e14, {1e14, 1e14, 0}, 3},
    };
    static double sample[DRAWS];
    for (const law *it = laws; it < laws + sizeof laws / sizeof *laws; it++) {
        ch_random random;
        support_seed(&random, it->name, 11);
        double mean = 0.0, second = 0.0, third = 0.0, sd = sqrt(it->expected.variance);
        for (int i = 0; i < DRAWS; i++) sample[i] = it->draw(&random, it->parameter);
        for (int i = 0; i < DRAWS; i++) mean += (sample[i] - it->expected.mean) / DRAWS;
        for (int i = 0; i < DRAWS; i++) {
            double away = sample[i] - it->expected.mean - mean;
            second += away * away / DRAWS;
            third += away * away * away / DRAWS;
        }
        double error = 6.0 / sqrt(DRAWS);
        support_close(mean, 0.0, error * sd);
        support_close(second, it->expected.variance,
                      error * sqrt(it->kurtosis - 1) * it->expected.variance);
        if (sd > 0.0) /* its error needs the sixth moment; 6 K covers these laws */
            support_close(third / (sd * sd * sd), it->expected.skewness,
                          error * 6.0 * pow(it->kurtosis, 1.25));
    }
}

/* Pearson's statistic of counts against a probability, 6 sigma above its mean at most. */
static void poisson_frequencies_are_right(void **state) {
    (void)state;
    static const double means[] = {0.3, 4.0, 9.99, 10.0, 12.0, 30.0};
    for (int c = 0; c < 6; c++) {
        ch_random random;
        support_seed(&random, "poisson frequencies", 17);
        double count[128] = {0}, p = exp(-means[c]), statistic = 0.0, tail = DRAWS, seen = DRAWS;
        for (int i = 0; i < DRAWS; i++) {
            int64_t k = ch_random_poisson(&random, means[c]);
            assert_in_range(k, 0, 127);
            count[k]++;
        }
        int cells = 0;
        for (int k = 0; k < 128; k++, p *= means[c] / k) {
            double expected = p * DRAWS;
            if (expected < 20.0) continue;
            statistic += (count[k] - expected) * (count[k] - expected) / expected;
            tail -= expected;
            seen -= count[k];
            cells++;
        }
        statistic += (seen - tail) * (seen - tail) / fmax(tail, 1.0);
        support_check(statistic < cells + 6.0 * sqrt(2.0 * cells),
                      "mean %g: statistic %g, %d cells", means[c], statistic, cells);
    }
}

static void normal_tails_are_right(void **state) {
    (void)state;
    static const double limit[] = {-2, -1, 0, 0.5, 1.5, 3};
    ch_random random;
    support_seed(&random, "normal tails", 3);
    double below[6] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double x = ch_random_normal(&random);
        for (int c = 0; c < 6; c++) below[c] += x < limit[c];
    }
    for (int c = 0; c < 6; c++) {
        double p = 0.5 * erfc(-limit[c] / sqrt(2.0));
        support_close(below[c] / DRAWS, p, 6.0 * sqrt(p * (1 - p) / DRAWS));
    }
}

static void below_is_unbiased_and_in_range(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "below", 23);
    int64_t count[7] = {0};
    for (int i = 0; i < DRAWS; i++) {
        int64_t k = ch_random_below(&random, 7);
        assert_in_range(k, 0, 6);
        count[k]++;
        assert_int_equal(ch_random_below(&random, 1), 0);
    }
    for (int k = 0; k < 7; k++)
        support_close((double)count[k] / DRAWS, 1.0 / 7, 6.0 * sqrt(6.0 / 49 / DRAWS));
    /* 3 * 2^61: plain multiplication without rejection would favour a third of the results. */
    int64_t large = INT64_C(3) << 61, low = 0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t k = ch_random_below(&random, large);
        assert_true(k >= 0 && k < large);
        low += k % 3 == 0;
    }
    support_close((double)low / DRAWS, 1.0 / 3, 6.0 * sqrt(2.0 / 9 / DRAWS));
}

static void dirichlet_has_its_moments(void **state) {
    (void)state;
    static const double alpha[] = {0.2, 1.0, 3.3, 0.5};
    const double total = 5.0;
    ch_random random;
    support_seed(&random, "dirichlet", 29);
    double mean[4] = {0}, square[4] = {0}, x[4];
    for (int i = 0; i < DRAWS; i++) {
        ch_random_dirichlet(&random, x, alpha, 4);
        support_close(x[0] + x[1] + x[2] + x[3], 1.0, 1e-15 * 4);
        for (int k = 0; k < 4; k++) mean[k] += x[k] / DRAWS, square[k] += x[k] * x[k] / DRAWS;
    }
    for (int k = 0; k < 4; k++) {
        double m = alpha[k] / total, variance = m * (1 - m) / (total + 1);
        support_close(mean[k], m, 6.0 * sqrt(variance / DRAWS));
        support_close(square[k] - mean[k] * mean[k], variance, 0.05 * variance);
    }
}

/* The limit of small alphas: a corner, the k-th one with probability alpha_k / sum. */
static void tiny_dirichlet_is_a_corner(void **state) {
    (void)state;
    static const double scales[] = {1e-5, 1e-200, 1e-308};
    for (int c = 0; c < 3; c++) {
        const double alpha[] = {1 * scales[c], 2 * scales[c], 1 * scales[c]};
        ch_random random;
        support_seed(&random, "tiny dirichlet", 31);
        double x[3], middle = 0.0, sum = 0.0;
        for (int i = 0; i < 20000; i++) {
            ch_random_dirichlet(&random, x, alpha, 3);
            sum = x[0] + x[1] + x[2];
            support_close(sum, 1.0, 1e-15 * 3);
            middle += x[1] / 20000;
        }
        if (c < 2) support_close(middle, 0.5, 6.0 * 0.5 / sqrt(20000));
    }
}

static void shuffles_are_permutations_and_fair(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "shuffle", 37);
    double first[5] = {0}, last[5] = {0};
    for (int i = 0; i < DRAWS / 5; i++) {
        int64_t list[5], seen = 0;
        ch_random_shuffle(&random, list, 5);
        for (int k = 0; k < 5; k++) seen |= (int64_t)1 << list[k];
        assert_int_equal(seen, 31);
        first[list[0]]++;
        last[list[4]]++;
    }
    for (int k = 0; k < 5; k++) {
        support_close(first[k] / (DRAWS / 5.0), 0.2, 6.0 * 0.4 / sqrt(DRAWS / 5.0));
        support_close(last[k] / (DRAWS / 5.0), 0.2, 6.0 * 0.4 / sqrt(DRAWS / 5.0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_xoshiro256pp),
        cmocka_unit_test(seeding_is_splitmix64),
        cmocka_unit_test(split_streams_differ),
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(poisson_frequencies_are_right),
        cmocka_unit_test(normal_tails_are_right),
        cmocka_unit_test(below_is_unbiased_and_in_range),
        cmocka_unit_test(dirichlet_has_its_moments),
        cmocka_unit_test(tiny_dirichlet_is_a_corner),
        cmocka_unit_test(shuffles_are_permutations_and_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
