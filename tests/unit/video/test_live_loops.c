/* The loops of live backgrounds: against the formula written out, and every set of them the same
 * bits. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { RANK = 5, STRIDE = 1000, MOST = RANK * STRIDE };

typedef struct problem {
    float H[MOST], made[MOST], b[STRIDE], spare[STRIDE], w[RANK], along[RANK];
    uint8_t x[STRIDE], mask[STRIDE];
    chi_live_stretch part;
    chi_live_step step;
} problem;

/* Any rank and length; pixels of the background that a step would take below 0, too. */
static void draw(problem *p, ch_random *random) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < MOST; i++) p->H[i] = (float)(3 * ch_random_uniform(random));
    for (int k = 0; k < RANK; k++) {
        p->w[k] = (float)(60 * ch_random_uniform(random));
        p->along[k] = (float)ch_random_uniform(random);
    }
    for (int i = 0; i < STRIDE; i++) {
        p->x[i] = (uint8_t)ch_random_below(random, 256);
        p->mask[i] = ch_random_below(random, 3) ? 0 : 255;
    }
    p->part = (chi_live_stretch){p->H, STRIDE, 1 + ch_random_below(random, RANK),
                                 ch_random_below(random, STRIDE + 1), p->w};
    p->step = (chi_live_step){p->made, p->x, p->mask, p->along, 0.3f, 4, p->spare};
}

static const chi_live_loops *portable(void) {
    return chi_kernel_sets[chi_kernel_set_count - 1].live;
}

static void the_loops_are_the_formula(void **state) {
    (void)state;
    ch_random random;
    problem p;
    support_seed(&random, "loops of live backgrounds", 1);
    for (int trial = 0; trial < 50; trial++) {
        draw(&p, &random);
        portable()->follow(p.b, &p.part, &p.step);
        for (int64_t i = 0; i < p.part.count; i++) {
            double b = 0;
            for (int64_t k = 0; k < p.part.rank; k++) b += (double)p.w[k] * p.H[k * STRIDE + i];
            support_check(fabs(p.b[i] - b) <= 1e-6 * (1 + b), "trial %d: b %d", trial, (int)i);
            double r = fmin(fmax(p.x[i] - b, -4), 4) * 0.3;
            for (int64_t k = 0; k < p.part.rank; k++) {
                double h = p.H[k * STRIDE + i], next = fmax(0, h + p.along[k] * r);
                support_check(p.mask[i] ? p.made[k * STRIDE + i] == p.H[k * STRIDE + i]
                                        : fabs(p.made[k * STRIDE + i] - next) < 1e-4,
                              "trial %d: factor %d of %d", trial, (int)k, (int)i);
            }
        }
        for (int64_t i = p.part.count; i < STRIDE; i++) assert_true(p.b[i] == 0 && p.made[i] == 0);
    }
}

static void every_set_gives_the_same_bits(void **state) {
    (void)state;
    ch_random random, again;
    static problem one, other;
    for (int set = 0; set + 1 < chi_kernel_set_count; set++) {
        const chi_live_loops *loops = chi_kernel_sets[set].live;
        if (!ch_kernel_usable(set)) continue;
        support_seed(&random, "loops of live backgrounds", 2);
        support_seed(&again, "loops of live backgrounds", 2);
        for (int trial = 0; trial < 50; trial++) {
            draw(&one, &random);
            draw(&other, &again);
            portable()->follow(one.b, &one.part, &one.step);
            loops->follow(other.b, &other.part, &other.step);
            assert_memory_equal(one.made, other.made, sizeof one.made);
            assert_memory_equal(one.b, other.b, sizeof one.b);
            memset(other.b, 0, sizeof other.b);
            loops->render(other.b, &other.part);
            assert_memory_equal(one.b, other.b, sizeof one.b);
            other.step.made = other.H; /* in place */
            loops->follow(other.b, &other.part, &other.step);
            for (int64_t k = 0; k < other.part.rank; k++)
                assert_memory_equal(other.H + k * STRIDE, one.made + k * STRIDE,
                                    (size_t)other.part.count * sizeof(float));
        }
    }
}

/* ---- samples, and packed pixels ---- */

enum { ROWS = 3 * STRIDE };

typedef struct sampled {
    double A[RANK * ROWS], w[RANK];
    float b[ROWS], x[ROWS];
    uint8_t packed[ROWS], planes[3][STRIDE], again[ROWS];
    int64_t rows, columns, apart;
} sampled;

static void draw_sample(sampled *s, ch_random *random) {
    memset(s, 0, sizeof *s);
    s->rows = ch_random_below(random, ROWS + 1);
    s->columns = ch_random_below(random, RANK + 1);
    for (int i = 0; i < RANK * ROWS; i++) s->A[i] = 90 * ch_random_uniform(random);
    for (int k = 0; k < RANK; k++) s->w[k] = ch_random_uniform(random);
    for (int i = 0; i < ROWS; i++) {
        s->x[i] = (float)ch_random_below(random, 256);
        s->packed[i] = (uint8_t)ch_random_below(random, 256);
    }
}

static void run_sample(sampled *s, const chi_live_loops *loops) {
    uint8_t *const to[] = {s->planes[0], s->planes[1], s->planes[2]};
    const uint8_t *const from[] = {to[0], to[1], to[2]};
    loops->explain(s->b, s->A, s->w, s->rows, s->columns);
    s->apart = loops->apart(s->x, s->b, 1.4, s->rows / 3, 3);
    loops->split(to, s->packed, s->rows / 3);
    loops->join(s->again, from, s->rows / 3);
}

static int64_t count_apart(const sampled *s, double most) {
    int64_t apart = 0, count = s->rows / 3;
    for (int64_t i = 0; i < count; i++) {
        int far = 0;
        for (int64_t row = i; row < 3 * count; row += count) {
            double x = (double)s->x[row] + 10, b = (double)s->b[row] + 10;
            far |= x > most * b || b > most * x;
        }
        apart += far;
    }
    return apart;
}

static void samples_and_packed_pixels(void **state) {
    (void)state;
    ch_random random;
    static sampled one, other;
    support_seed(&random, "samples", 3);
    for (int trial = 0; trial < 30; trial++) {
        draw_sample(&one, &random);
        other = one;
        run_sample(&one, portable());
        for (int64_t i = 0; i < one.rows; i++) {
            double b = 0;
            for (int64_t k = 0; k < one.columns; k++) b += one.w[k] * one.A[k * one.rows + i];
            assert_true(one.b[i] == (float)b);
        }
        assert_int_equal(one.apart, count_apart(&one, 1.4));
        for (int64_t i = 0; i < one.rows / 3 * 3; i++)
            assert_true(one.planes[i % 3][i / 3] == one.packed[i] && one.again[i] == one.packed[i]);
        for (int set = 0; set + 1 < chi_kernel_set_count; set++) {
            if (!ch_kernel_usable(set)) continue;
            static sampled again;
            again = other;
            run_sample(&again, chi_kernel_sets[set].live);
            assert_memory_equal(&one, &again, sizeof one);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loops_are_the_formula),
        cmocka_unit_test(every_set_gives_the_same_bits),
        cmocka_unit_test(samples_and_packed_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
