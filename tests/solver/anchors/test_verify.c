/* ch_verify accepts what ch_anchors found and refuses every kind of tampering with it. */
#include <conehull/conehull.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    ch_context *context;
    ch_matrix X;
    ch_anchors_settings settings;
    ch_anchors_result result;
} fixture;

/* A noisy problem of the paper's kind, solved. */
static void solve_with(fixture *f, int loss, double beta, int reverse, int exterior) {
    ch_synthetic_settings data = {sizeof data, 60, 80, 8, CH_NOISE_SPARSE, 0.2, 1, CH_F64, 5};
    if (loss == CH_LOSS_LOGISTIC) data.noise = CH_NOISE_NONE; /* stays in [0, 1] */
    int64_t planted[8];
    assert_int_equal(ch_context_create(&f->context, NULL), CH_OK);
    assert_int_equal(ch_synthetic_make(f->context, &f->X, planted, &data), CH_OK);
    ch_anchors_defaults(&f->settings);
    f->settings.rank = 8;
    f->settings.loss = loss;
    f->settings.beta = beta;
    f->settings.reverse = reverse;
    f->settings.exterior = exterior;
    f->settings.keep_duals = 1;
    f->result.size = sizeof f->result;
    assert_int_equal(ch_anchors(f->context, &f->result, &f->X, &f->settings), CH_OK);
}

static void solve(fixture *f, int loss, int exterior) {
    solve_with(f, loss, 1, 0, exterior);
}

static void release(fixture *f) {
    ch_anchors_result_free(f->context, &f->result);
    ch_matrix_free(f->context, &f->X);
    ch_context_destroy(f->context);
}

static ch_verification verified(const fixture *f) {
    ch_verification v = {.size = sizeof v};
    assert_int_equal(ch_verify(f->context, &v, &f->X, &f->result, &f->settings), CH_OK);
    return v;
}

/* Of the losses here: Itakura-Saito and beta below 1 are not convex, unless the other way round. */
static int has_gap(const ch_anchors_settings *s) {
    int bent = s->loss == CH_LOSS_IS || (s->loss == CH_LOSS_BETA && s->beta < 1);
    return s->reverse || !bent;
}

static void expect_ok(const fixture *f) {
    ch_verification v = verified(f);
    if (!v.ok) print_error("refused: %s\n", v.why);
    assert_true(v.ok);
    double error = has_gap(&f->settings) ? v.gap : v.stationarity;
    assert_true(error <= f->settings.tol + 1e-12);
    assert_int_equal(isnan(v.gap), !has_gap(&f->settings));
    assert_int_equal(isnan(f->result.certificate.gap), !has_gap(&f->settings));
    assert_string_equal(v.why, "");
}

static void expect_refused(const fixture *f, const char *words) {
    ch_verification v = verified(f);
    assert_false(v.ok);
    if (!strstr(v.why, words)) print_error("expected \"%s\", got \"%s\"\n", words, v.why);
    assert_non_null(strstr(v.why, words));
}

static void honest_results_pass(void **state) {
    (void)state;
    static const struct {
        int loss, exterior;
    } cases[] = {{CH_LOSS_L1, CH_EXTERIOR_MAX},      {CH_LOSS_L1, CH_EXTERIOR_RAND},
                 {CH_LOSS_L2, CH_EXTERIOR_MAX},      {CH_LOSS_L2, CH_EXTERIOR_RAND},
                 {CH_LOSS_L2, CH_EXTERIOR_DIST},     {CH_LOSS_L2, CH_EXTERIOR_GREEDY},
                 {CH_LOSS_L1, CH_EXTERIOR_SHARE},    {CH_LOSS_KL, CH_EXTERIOR_SHARE},
                 {CH_LOSS_L1, CH_EXTERIOR_BALANCED}, {CH_LOSS_IS, CH_EXTERIOR_BALANCED}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fixture f;
        solve(&f, cases[c].loss, cases[c].exterior);
        expect_ok(&f);
        release(&f);
    }
}

static void honest_divergences_pass(void **state) {
    (void)state;
    static const struct {
        int loss;
        double beta;
    } cases[] = {{CH_LOSS_KL, 1},     {CH_LOSS_IS, 1},   {CH_LOSS_BETA, 0.5},
                 {CH_LOSS_BETA, 1.5}, {CH_LOSS_BETA, 2}, {CH_LOSS_LOGISTIC, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int reverse = 0; reverse < 2; reverse++) {
            fixture f;
            solve_with(&f, cases[c].loss, cases[c].beta, reverse, CH_EXTERIOR_MAX);
            expect_ok(&f);
            for (int64_t k = 0; k < f.result.rank; k++) f.result.H[5 * f.result.rank + k] *= 1.01;
            expect_refused(&f, has_gap(&f.settings) ? "column 5 have a gap"
                                                    : "column 5 have a projected gradient");
            release(&f);
        }
}

static void changed_h_is_refused(void **state) {
    (void)state;
    for (int loss = CH_LOSS_L1; loss <= CH_LOSS_L2; loss++) {
        fixture f;
        solve(&f, loss, CH_EXTERIOR_MAX);
        double *h = &f.result.H[37 * f.result.rank + 2], before = *h;
        *h = before + 0.01;
        expect_refused(&f, "the weights of column 37 have a gap");
        *h = -0.01;
        expect_refused(&f, "row 2, column 37");
        *h = before / 0.0;
        expect_refused(&f, "row 2, column 37");
        release(&f);
    }
}

/* Itakura-Saito is not convex; zeros of x, which stand at the floor, hide no gradient. */
static void changed_h_beside_zeros_is_refused(void **state) {
    (void)state;
    static const double values[] = {900, 1, 0, 1, 700, 2, 500, 0, 3, 1000, 5, 0};
    fixture f;
    f.result.size = sizeof f.result;
    assert_int_equal(ch_context_create(&f.context, NULL), CH_OK);
    assert_int_equal(
        ch_matrix_borrow(f.context, &f.X, &(ch_matrix){.rows = 3, .cols = 4, .values = values}),
        CH_OK);
    ch_anchors_defaults(&f.settings);
    f.settings.rank = 2;
    f.settings.loss = CH_LOSS_IS;
    f.settings.floor = 1e-10;
    f.settings.keep_duals = 1;
    assert_int_equal(ch_anchors(f.context, &f.result, &f.X, &f.settings), CH_OK);
    expect_ok(&f);
    for (int64_t i = 0; i < 2 * 4; i++) {
        double before = f.result.H[i];
        if (before < 1e-6) continue; /* nothing that one could see */
        f.result.H[i] *= 1.1;
        expect_refused(&f, "projected gradient");
        f.result.H[i] = before;
    }
    expect_ok(&f);
    release(&f);
}

static void changed_anchors_are_refused(void **state) {
    (void)state;
    fixture f;
    solve(&f, CH_LOSS_L1, CH_EXTERIOR_MAX);
    int64_t before = f.result.anchors[3];
    f.result.anchors[3] = f.result.anchors[2];
    expect_refused(&f, "listed twice");
    f.result.anchors[3] = f.X.cols;
    expect_refused(&f, "is not a column of X");
    f.result.anchors[3] = before;
    f.result.W[5 + 3 * f.result.rows] *= 1 + 1e-15;
    f.result.W[5 + 3 * f.result.rows] += 1e-15;
    expect_refused(&f, "column 3 of W");
    release(&f);
}

static void changed_objective_is_refused(void **state) {
    (void)state;
    fixture f;
    solve(&f, CH_LOSS_L1, CH_EXTERIOR_MAX);
    f.result.objective *= 1 + 1e-6;
    expect_refused(&f, "objective");
    release(&f);
}

static void illegal_steps_are_refused(void **state) {
    (void)state;
    fixture f;
    solve(&f, CH_LOSS_L1, CH_EXTERIOR_MAX);
    int64_t rows = f.result.rows, step = 4;
    double *D = f.result.step_dual + step * rows;
    double before = D[0];
    D[0] = 1.5;
    expect_refused(&f, "has entries outside [-1, 1]");
    D[0] = before;
    for (int64_t i = 0; i < rows; i++) D[i] = -D[i];
    expect_refused(&f, "Lemma 3.");
    for (int64_t i = 0; i < rows; i++) D[i] = -D[i];
    expect_ok(&f);

    int64_t exterior = f.result.step_exterior[step];
    f.result.step_exterior[step] = -1;
    expect_refused(&f, "no exterior column");
    f.result.step_exterior[step] = exterior;
    f.result.max_residual[f.result.rank - 1] *= 1.001;
    expect_refused(&f, "largest residual");
    f.result.max_residual[f.result.rank - 1] /= 1.001;
    int64_t steps = f.result.steps;
    f.result.steps = 0;
    expect_refused(&f, "does not contain the steps of the selection");
    f.result.steps = steps;
    expect_ok(&f);

    int64_t taken = f.result.step_anchor[step];
    int64_t other = 0; /* a column that is no anchor at all cannot have been the best choice */
    for (int64_t k = 0; k < f.result.rank;)
        if (f.result.anchors[k] == other)
            other++, k = 0;
        else
            k++;
    f.result.step_anchor[step] = other;
    ch_verification v = verified(&f);
    assert_false(v.ok);
    f.result.step_anchor[step] = taken;
    expect_ok(&f);
    release(&f);
}

/* ---- ties ---- */

enum { TALL = 5, FEW = 4 };

/* Column 3 becomes (column 1 + v) / 2 with D'v = p'v = 0, D being the dual of the second step,
 * which took column 1: their scores are equal. Shorter by half, it is not exterior itself. Returns
 * v_2. */
static double add_rival(double values[TALL * FEW], const ch_anchors_result *result) {
    const double *D = result->step_dual + TALL;
    double p[TALL], v[TALL] = {0};
    ch_random random;
    ch_random_seed(&random, result->p_seed);
    for (int i = 0; i < TALL; i++) p[i] = 1 + 1e-5 * ch_random_uniform(&random);
    for (int i = 2; i < 5; i++) { /* the cross product of rows 2, 3 and 4 */
        int j = i == 4 ? 2 : i + 1, k = j == 4 ? 2 : j + 1;
        v[i] = 0.5 * (D[j] * p[k] - D[k] * p[j]);
    }
    for (int i = 0; i < TALL; i++) values[i + 3 * TALL] = 0.5 * (values[i + TALL] + v[i]);
    return v[2];
}

static void solve_small(fixture *f, const double *values, int64_t cols) {
    f->result = (ch_anchors_result){.size = sizeof f->result};
    assert_int_equal(ch_matrix_borrow(f->context, &f->X,
                                      &(ch_matrix){.rows = TALL, .cols = cols, .values = values}),
                     CH_OK);
    assert_int_equal(ch_anchors(f->context, &f->result, &f->X, &f->settings), CH_OK);
    assert_int_equal(f->result.step_anchor[0], 0);
    assert_int_equal(f->result.step_exterior[1], 1);
    assert_int_equal(f->result.step_anchor[1], 1);
}

/* The largest score counts up to a tie, whose width follows the size of D, and no farther: a dual
 * that prefers the rival by less than that is accepted, by more it is refused, long before it would
 * count as another dual. */
static void scores_count_up_to_a_tie(void **state) {
    (void)state;
    double values[TALL * FEW] = {9, 1, 1, 1, 1, 1, 1, 2, 3, 5, 1, 1, 1, 1, 1};
    fixture f;
    assert_int_equal(ch_context_create(&f.context, NULL), CH_OK);
    ch_anchors_defaults(&f.settings);
    f.settings.rank = 2;
    f.settings.loss = CH_LOSS_L2;
    f.settings.first = CH_FIRST_PAPER;
    f.settings.keep_duals = 1;
    solve_small(&f, values, 3);
    double along = add_rival(values, &f.result);
    ch_anchors_result_free(f.context, &f.result);
    solve_small(&f, values, 4);
    expect_ok(&f);
    double *D = f.result.step_dual + TALL, honest = D[2], size = 0, sum = 0;
    for (int i = 0; i < TALL; i++) size = fmax(size, fabs(D[i]));
    for (int i = 0; i < TALL; i++) sum += values[i + TALL];
    double unit = size * sum / along; /* of D_2: the rival's score grows by max |D| more */
    D[2] = honest + 1e-12 * unit;
    expect_ok(&f);
    D[2] = honest + 1e-11 * unit;
    assert_true(fabs(D[2] - honest) < 1e-9 * size);
    expect_refused(&f, "larger score");
    D[2] = honest - 1e-11 * unit; /* the other way, it is the anchor that gains */
    expect_ok(&f);
    release(&f);
}

static void wrong_matrix_is_refused(void **state) {
    (void)state;
    fixture f;
    solve(&f, CH_LOSS_L1, CH_EXTERIOR_MAX);
    f.result.cols--;
    expect_refused(&f, "belongs to a matrix with another number of rows or columns");
    f.result.cols++;
    release(&f);
}

static void select_only_cannot_be_verified(void **state) {
    (void)state;
    fixture f;
    solve(&f, CH_LOSS_L1, CH_EXTERIOR_MAX);
    double *H = f.result.H;
    ch_verification v = {.size = sizeof v};
    f.result.H = NULL;
    assert_int_equal(ch_verify(f.context, &v, &f.X, &f.result, &f.settings), CH_ERR_ARGUMENT);
    f.result.H = H;
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_results_pass),
        cmocka_unit_test(honest_divergences_pass),
        cmocka_unit_test(changed_h_is_refused),
        cmocka_unit_test(changed_h_beside_zeros_is_refused),
        cmocka_unit_test(changed_anchors_are_refused),
        cmocka_unit_test(changed_objective_is_refused),
        cmocka_unit_test(illegal_steps_are_refused),
        cmocka_unit_test(scores_count_up_to_a_tie),
        cmocka_unit_test(wrong_matrix_is_refused),
        cmocka_unit_test(select_only_cannot_be_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
