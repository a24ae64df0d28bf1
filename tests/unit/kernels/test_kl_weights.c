/* The weights of a column under KL in every kernel set: what they report against plain sums, for
 * sizes around whole blocks, and for anchors that depend on each other. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { ROWS = 70, MOST = 88, ALL_ROWS = 90 };
static const double FLOOR = 1e-7, AIM = 1e-13;

typedef struct drawn {
    int64_t rows, count;
    double At[ALL_ROWS * MOST], x[ROWS + 8];
    int32_t row[ROWS];
} drawn;

typedef struct solved {
    double b[MOST], gradient[MOST], here[MOST], y[ROWS + 8], ratio[ROWS + 8], reached;
} solved;

/* Counts of a mixture of some anchors, of which every fifth repeats an earlier one. */
static void draw(drawn *p, ch_random *random, int64_t rows, int64_t count) {
    memset(p, 0, sizeof *p);
    p->rows = rows;
    p->count = count;
    for (int64_t i = 0; i < ALL_ROWS; i++)
        for (int64_t q = 0; q < count; q++)
            p->At[i * MOST + q] = q % 5 == 4                        ? p->At[i * MOST + q / 2]
                                  : ch_random_uniform(random) < 0.6 ? 0
                                                                    : 3 * ch_random_uniform(random);
    for (int64_t i = 0; i < rows; i++) {
        p->row[i] = (int32_t)(i + i / 4);
        p->x[i] = 1 + floor(3 * ch_random_uniform(random));
        for (int64_t q = 0; q < count; q += 3) p->x[i] += rint(p->At[p->row[i] * MOST + q]);
    }
}

static void run(solved *s, const chi_kernels *set, const drawn *p) {
    static double A[ROWS * MOST], free_rows[ROWS * CHI_KL_FREE], before[MOST], weight[ROWS + 8];
    double sums[MOST] = {0}, unit[MOST] = {0}, mass = 0;
    for (int64_t i = 0; i < ALL_ROWS; i++)
        for (int64_t q = 0; q < p->count; q++) sums[q] += p->At[i * MOST + q];
    for (int64_t q = 0; q < p->count; q++) unit[q] = sums[q] > 0 ? 1 / sums[q] : 0;
    for (int64_t i = 0; i < p->rows; i++) mass += p->x[i];
    int64_t blocks = (p->count + 7) / 8;
    memset(s, 0, sizeof *s);
    chi_kl_column c = {.At = p->At,
                       .At_stride = MOST,
                       .row = p->row,
                       .rows = p->rows,
                       .count = p->count,
                       .blocks = blocks,
                       .stride = 8 * blocks,
                       .x = p->x,
                       .sums = sums,
                       .unit = unit,
                       .floor = FLOOR,
                       .mass = mass,
                       .aim = AIM,
                       .enough = 100 * AIM,
                       .b = s->b,
                       .gradient = s->gradient,
                       .y = s->y,
                       .here = s->here,
                       .ratio = s->ratio,
                       .A = A,
                       .before = before,
                       .weight = weight,
                       .free = free_rows};
    s->reached = set->kl_weights(&c);
}

/* Recomputes y, the sums, the gradient and the stationarity. */
static void check(const solved *s, const drawn *p) {
    double worst = 0, y[ROWS];
    for (int64_t i = 0; i < p->rows; i++) {
        y[i] = FLOOR;
        for (int64_t q = 0; q < p->count; q++) y[i] += p->At[p->row[i] * MOST + q] * s->b[q];
        support_close(s->y[i], y[i], 1e-13 * y[i]);
        support_close(s->ratio[i], p->x[i] / y[i], 1e-12 * p->x[i] / y[i]);
    }
    for (int64_t q = 0; q < p->count; q++) {
        double all = 0, here = 0, pull = 0;
        for (int64_t i = 0; i < ALL_ROWS; i++) all += p->At[i * MOST + q];
        for (int64_t i = 0; i < p->rows; i++) {
            here += p->At[p->row[i] * MOST + q];
            pull += p->At[p->row[i] * MOST + q] * p->x[i] / y[i];
        }
        assert_true(s->b[q] >= 0);
        support_close(s->here[q], here, 1e-13 * here);
        support_close(s->gradient[q], all - pull, 1e-12 * (all + pull));
        double excess = s->b[q] > 0 ? fabs(all - pull) : pull - all;
        if (all > 0) worst = fmax(worst, excess / all);
    }
    support_close(s->reached, worst, 1e-12 * (1 + worst));
}

static void answers_are_stationary(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "kl weights", 5);
    int64_t reached[8] = {0}, columns = 0;
    for (int64_t rows = 1; rows <= ROWS; rows += rows < 20 ? 1 : 7)
        for (int64_t count = 1; count <= MOST; count += count < 18 ? 1 : 5, columns++) {
            static drawn p;
            draw(&p, &random, rows, count);
            for (int set = 0; set < chi_kernel_set_count; set++) {
                if (!ch_kernel_usable(set)) continue;
                solved s;
                run(&s, &chi_kernel_sets[set], &p);
                check(&s, &p);
                reached[set] += s.reached <= 100 * AIM;
            }
        }
    /* For the rest the caller goes on: nearly dependent anchors, and more free weights than fit. */
    for (int set = 0; set < chi_kernel_set_count; set++)
        if (ch_kernel_usable(set)) assert_true(10 * reached[set] >= 9 * columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_stationary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
