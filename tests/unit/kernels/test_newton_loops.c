/* The loops of Newton's steps against plain sums, for all small sizes around a register's. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { MOST = 37, ROWS = 41, WIDE = MOST + CHI_FACTOR_PAD };

typedef struct drawn {
    int64_t rows, count;
    double A[ROWS * MOST], b[MOST], d[ROWS];
} drawn;

static void draw(drawn *p, ch_random *random, int64_t rows, int64_t count) {
    p->rows = rows;
    p->count = count;
    for (int64_t i = 0; i < rows * count; i++) p->A[i] = ch_random_uniform(random);
    for (int64_t q = 0; q < count; q++)
        p->b[q] = ch_random_uniform(random) < 0.4 ? 0 : ch_random_uniform(random);
    for (int64_t i = 0; i < rows; i++) p->d[i] = ch_random_uniform(random) - 0.5;
}

static void check_products(const chi_newton_loops *loops, const drawn *p) {
    double y[ROWS], sums[MOST], near = 1e-14 * (double)(p->rows + p->count + 1);
    for (int64_t i = 0; i < p->rows; i++) y[i] = NAN; /* whatever was there */
    for (int64_t q = 0; q < p->count; q++) sums[q] = 2;
    loops->model(y, p->A, p->b, p->count, 0.25, p->rows);
    loops->products(sums, p->d, p->A, p->count, p->rows);
    for (int64_t i = 0; i < p->rows; i++) {
        double sum = 0.25;
        for (int64_t q = 0; q < p->count; q++) sum += p->A[i + q * p->rows] * p->b[q];
        support_close(y[i], sum, near);
    }
    for (int64_t q = 0; q < p->count; q++) {
        double sum = 2;
        for (int64_t i = 0; i < p->rows; i++) sum += p->A[i + q * p->rows] * p->d[i];
        support_close(sums[q], sum, near);
    }
}

/* G = A'A + ridge, of which the lower half is set. */
static void make_gram(double *G, const drawn *p, double ridge) {
    for (int64_t s = 0; s < p->count; s++)
        for (int64_t t = 0; t < p->count; t++) {
            double sum = s == t ? ridge : 0;
            for (int64_t i = 0; i < p->rows; i++)
                sum += p->A[i + s * p->rows] * p->A[i + t * p->rows];
            G[s * p->count + t] = t <= s ? sum : NAN;
        }
}

static void check_solve(const chi_newton_loops *loops, const drawn *p) {
    double G[MOST * MOST], U[MOST * WIDE], v[WIDE], r[WIDE], more[MOST];
    make_gram(G, p, 1);
    for (int64_t q = 0; q < p->count; q++) {
        more[q] = 0.5 * (double)(q % 3);
        r[q] = p->b[q] - 0.3;
    }
    assert_true(loops->factorise(U, G, more, p->count, 1e-8, 1e-12));
    loops->solve(v, r, U, p->count);
    for (int64_t s = 0; s < p->count; s++) {
        double sum = more[s] * v[s];
        for (int64_t t = 0; t < p->count; t++)
            sum += G[s > t ? s * p->count + t : t * p->count + s] * v[t];
        support_close(sum, p->b[s] - 0.3, 1e-11);
    }
}

enum { PADDED = (ROWS + CHI_SWEEP_PAD - 1) / CHI_SWEEP_PAD * CHI_SWEEP_PAD };

/* A column for check_kl_sweep(), whose model `plain` has no padding. */
typedef struct swept {
    double x[PADDED], A[PADDED * MOST], y[PADDED], plain[ROWS], b[MOST], expected[MOST];
    int64_t rows;
} swept;

/* The first `rows` rows of p. */
static chi_sweep_column make_swept(swept *s, const drawn *p, int64_t rows) {
    int64_t stride = (rows + CHI_SWEEP_PAD - 1) / CHI_SWEEP_PAD * CHI_SWEEP_PAD;
    memset(s, 0, sizeof *s);
    s->rows = rows;
    for (int64_t i = 0; i < stride; i++) s->y[i] = 0.25;
    for (int64_t q = 0; q < p->count; q++) s->b[q] = s->expected[q] = p->b[q];
    for (int64_t i = 0; i < rows; i++) {
        s->x[i] = 0.6 + p->d[i];
        for (int64_t q = 0; q < p->count; q++) {
            s->A[i + q * stride] = p->A[i + q * p->rows];
            s->y[i] += s->A[i + q * stride] * s->b[q];
        }
        s->plain[i] = s->y[i];
    }
    return (chi_sweep_column){.b = s->b, .y = s->y, .A = s->A, .x = s->x, .count = stride};
}

static void check_swept(swept *s, const drawn *p, const double *sums, int64_t stride) {
    for (int64_t q = 0; q < p->count; q++) {
        const double *a = p->A + q * p->rows;
        double slope = sums[q], bend = 0;
        for (int64_t i = 0; i < s->rows; i++) {
            slope -= a[i] * s->x[i] / s->plain[i];
            bend += a[i] * a[i] * s->x[i] / (s->plain[i] * s->plain[i]);
        }
        double next = bend > 0 ? fmax(s->expected[q] - slope / bend, 0) : s->expected[q];
        for (int64_t i = 0; i < s->rows; i++) s->plain[i] += (next - s->expected[q]) * a[i];
        s->expected[q] = next;
        support_close(s->b[q], next, 1e-9 * (1 + fabs(next)));
    }
    for (int64_t i = 0; i < s->rows; i++)
        support_close(s->y[i], s->plain[i], 1e-9 * (1 + s->plain[i]));
    for (int64_t i = s->rows; i < stride; i++) support_close(s->y[i], 0.25, 0);
}

/* One pass of Newton's steps under KL over columns of different lengths; the rows with x = 0 add
 * 0.5 to every sum of A. */
static void check_kl_sweep(const chi_loss_loops *loops, const drawn *p) {
    static swept own[CHI_SWEEP_TOGETHER];
    chi_sweep_column columns[CHI_SWEEP_TOGETHER];
    double sums[MOST];
    if (p->count == 0) return;
    for (int64_t q = 0; q < p->count; q++) {
        sums[q] = 0.5;
        for (int64_t i = 0; i < p->rows; i++) sums[q] += p->A[i + q * p->rows];
    }
    for (int together = 1; together <= CHI_SWEEP_TOGETHER; together++) {
        for (int c = 0; c < together; c++)
            columns[c] = make_swept(&own[c], p, p->rows * (c + 1) / together);
        loops->sweep(columns, together, sums, p->count);
        for (int c = 0; c < together; c++) check_swept(&own[c], p, sums, columns[c].count);
    }
}

static void loops_match_plain_sums(void **state) {
    (void)state;
    ch_random random;
    drawn p;
    support_seed(&random, "newton loops", 5);
    for (int64_t rows = 0; rows <= ROWS; rows++)
        for (int64_t count = 0; count <= MOST; count++) {
            draw(&p, &random, rows, count);
            for (int set = 0; set < chi_kernel_set_count; set++) {
                if (!ch_kernel_usable(set)) continue;
                check_products(chi_kernel_sets[set].newton, &p);
                check_solve(chi_kernel_sets[set].newton, &p);
                check_kl_sweep(chi_kernel_sets[set].kl, &p);
            }
        }
}

/* Two columns alike: no factor where a pivot must be safe, and a finite one otherwise. A negative
 * direction has none. */
static void dependent_columns_are_recognised(void **state) {
    (void)state;
    ch_random random;
    drawn p;
    support_seed(&random, "newton dependent", 6);
    for (int set = 0; set < chi_kernel_set_count; set++) {
        if (!ch_kernel_usable(set)) continue;
        const chi_newton_loops *loops = chi_kernel_sets[set].newton;
        double G[MOST * MOST], U[MOST * WIDE], v[WIDE], r[WIDE];
        draw(&p, &random, 20, 6);
        for (int64_t i = 0; i < p.rows; i++) p.A[i + 4 * p.rows] = p.A[i + p.rows];
        make_gram(G, &p, 0);
        assert_false(loops->factorise(U, G, NULL, p.count, 1e-8, 1e-12));
        assert_true(loops->factorise(U, G, NULL, p.count, -1e-12, 1e-12));
        for (int64_t q = 0; q < p.count; q++) r[q] = 1;
        loops->solve(v, r, U, p.count);
        for (int64_t q = 0; q < p.count; q++) assert_true(isfinite(v[q]));
        G[2 * p.count + 2] = -1;
        assert_false(loops->factorise(U, G, NULL, p.count, -1e-12, 1e-12));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_match_plain_sums),
                                       cmocka_unit_test(dependent_columns_are_recognised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
