/* Forgeries that ch_verify once accepted, for every loss: each is refused with the reason. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 20, COLS = 30, RANK = 4, EMPTY = 11 };

static const char *const losses[] = {"loss=l1",
                                     "loss=l2",
                                     "loss=kl",
                                     "loss=kl reverse=1",
                                     "loss=is",
                                     "loss=is reverse=1",
                                     "loss=beta beta=0.5",
                                     "loss=beta beta=0.5 reverse=1",
                                     "loss=beta beta=1.5",
                                     "loss=logistic",
                                     "loss=logistic reverse=1"};
enum { LOSSES = sizeof losses / sizeof *losses, FIRST_DIVERGENCE = 2 };

typedef struct example {
    ch_context *context;
    support_memory memory;
    double values[ROWS * COLS];
    ch_matrix X;
    ch_anchors_settings set;
    ch_anchors_result result;
} example;

/* Mixtures of a few columns with noise, in [0, 1]; one column is empty. */
static void fill(double *values, uint64_t seed) {
    ch_random random;
    double corner[RANK * ROWS];
    ch_random_seed(&random, seed);
    for (int i = 0; i < RANK * ROWS; i++) corner[i] = pow(ch_random_uniform(&random), 3) * 0.8;
    for (int j = 0; j < COLS; j++) {
        double mix[RANK], sum = 0;
        for (int k = 0; k < RANK; k++) sum += mix[k] = ch_random_uniform(&random);
        for (int i = 0; i < ROWS; i++) {
            double x = 0.05 * ch_random_uniform(&random);
            for (int k = 0; k < RANK; k++)
                x += j < RANK ? (k == j) * corner[i + k * ROWS]
                              : mix[k] / sum * corner[i + k * ROWS];
            values[i + j * ROWS] = j == EMPTY ? 0 : x;
        }
    }
}

static void begin(example *e, const char *words, const char *more) {
    memset(e, 0, sizeof *e);
    e->context = support_context(&e->memory, 1);
    fill(e->values, 3);
    e->X = support_dense(e->context, e->values, ROWS, COLS);
    ch_anchors_defaults(&e->set);
    e->set.rank = RANK;
    e->set.keep_duals = 1;
    e->result.size = sizeof e->result;
    assert_int_equal(ch_settings_set_words(e->context, ch_anchors_table(), &e->set, words), CH_OK);
    assert_int_equal(ch_settings_set_words(e->context, ch_anchors_table(), &e->set, more), CH_OK);
    ch_status status = ch_anchors(e->context, &e->result, &e->X, &e->set);
    support_check(status == CH_OK, "%s: %s", words, ch_status_name(status));
}

static void end(example *e) {
    ch_anchors_result_free(e->context, &e->result);
    ch_matrix_free(e->context, &e->X);
    support_finish(e->context, &e->memory);
}

static void expect_ok(const example *e, const char *words) {
    ch_verification v = {.size = sizeof v};
    assert_int_equal(ch_verify(e->context, &v, &e->X, &e->result, &e->set), CH_OK);
    support_check(v.ok, "%s: %s", words, v.why);
}

static void expect_refused(const example *e, const char *words, const char *why) {
    ch_verification v = {.size = sizeof v};
    assert_int_equal(ch_verify(e->context, &v, &e->X, &e->result, &e->set), CH_OK);
    support_check(!v.ok && strstr(v.why, why), "%s: expected \"%s\", got \"%s\"", words, why,
                  v.ok ? "ok" : v.why);
}

/* Mixtures as anchors, with the best H that they allow and all that follows from it. */
static void take_interior_anchors(example *e) {
    ch_anchors_result *r = &e->result;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_settings set = e->set;
    if (r->floor > 0) set.floor = r->floor;
    for (int64_t k = 0; k < r->rank; k++) {
        r->anchors[k] = COLS - 1 - k;
        memcpy(r->W + k * ROWS, e->values + r->anchors[k] * ROWS, ROWS * sizeof(double));
    }
    assert_int_equal(ch_project(e->context, r->H, &info, &e->X, r->W, r->rank, &set), CH_OK);
    r->objective = info.objective;
    r->certificate = info.certificate;
    r->unproven = info.unproven;
    if (r->dual_start) memset(r->dual_start, 0, (COLS + 1) * sizeof *r->dual_start);
    for (int64_t s = 0; s < r->steps; s++) r->step_anchor[s] = r->anchors[s < r->rank ? s : 0];
}

/* The last residual, which a forger reads off: that of the worst column. */
static void take_last_residual(example *e) {
    ch_anchors_result *r = &e->result, other = {.size = sizeof other};
    ch_anchors_settings set = e->set;
    set.method = CH_METHOD_XRAY; /* whatever chose them */
    set.keep = r->anchors;
    set.keep_count = r->rank;
    set.rank = r->rank;
    ch_status status = ch_anchors(e->context, &other, &e->X, &set);
    assert_true(status >= 0);
    r->max_residual[r->rank - 1] = other.max_residual[other.rank - 1];
    ch_anchors_result swap = *r; /* l1: its duals too */
    r->dual_start = other.dual_start, other.dual_start = swap.dual_start;
    r->dual_row = other.dual_row, other.dual_row = swap.dual_row;
    r->dual_value = other.dual_value, other.dual_value = swap.dual_value;
    memcpy(r->H, other.H, (size_t)(r->rank * COLS) * sizeof *r->H);
    r->objective = other.objective;
    r->certificate = other.certificate;
    ch_anchors_result_free(e->context, &other);
}

/* D = p / max p makes the scores of all columns equal, so that every column maximises. */
static void duals_that_all_columns_maximise(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        example e;
        begin(&e, losses[l], "");
        expect_ok(&e, losses[l]);
        take_interior_anchors(&e);
        take_last_residual(&e);
        for (int64_t s = 0; s < e.result.steps; s++) {
            ch_random p;
            ch_random_seed(&p, e.result.p_seed);
            for (int i = 0; i < ROWS; i++)
                e.result.step_dual[s * ROWS + i] = (1 + 1e-5 * ch_random_uniform(&p)) / (1 + 1e-5);
            e.result.step_exterior[s] = 0;
        }
        expect_refused(&e, losses[l], "its dual differs from its exterior column");
        /* and for the steps after the first alone */
        memcpy(e.result.step_dual, e.values, ROWS * sizeof(double));
        expect_refused(&e, losses[l], "step 0");
        end(&e);
    }
}

/* One step with such a dual among honest ones: it does not belong to its exterior column. */
static void a_flat_dual_among_honest_ones(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        example e;
        begin(&e, losses[l], "first=paper");
        ch_random p;
        ch_random_seed(&p, e.result.p_seed);
        for (int i = 0; i < ROWS; i++)
            e.result.step_dual[2 * ROWS + i] = -1e-3 * (1 + 1e-5 * ch_random_uniform(&p));
        expect_refused(&e, losses[l], "step 2");
        end(&e);
    }
}

/* A dual of another column of the data, true for that one. */
static void duals_of_other_columns(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        example e;
        begin(&e, losses[l], "first=paper");
        int64_t other = e.result.step_exterior[1] == 20 ? 21 : 20;
        e.result.step_exterior[1] = other;
        expect_refused(&e, losses[l], "step 1");
        end(&e);
    }
}

static void weights_of_an_empty_column(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        example e;
        begin(&e, losses[l], "");
        double *h = e.result.H + EMPTY * e.result.rank;
        for (int64_t k = 0; k < e.result.rank; k++) assert_true(h[k] == 0);
        h[1] = 1e-3;
        expect_refused(&e, losses[l], "the weights of column 11 have a");
        end(&e);
    }
}

static void the_floor_follows_from_the_data(void **state) {
    (void)state;
    for (int l = FIRST_DIVERGENCE; l < LOSSES; l++) {
        example e;
        begin(&e, losses[l], "floor=0.01");
        expect_ok(&e, losses[l]);
        e.set.floor = -1;
        expect_refused(&e, losses[l], "the data and the settings give a floor of");
        end(&e);
    }
}

static void change(int number, ch_anchors_result *r) {
    switch (number) {
    case 0:
        r->certificate.gap = r->certificate.stationarity = 0.5;
        break;
    case 1:
        r->unproven = 1;
        break;
    case 2:
        r->status = CH_STOP_COMPLETE;
        break;
    case 3:
        r->nonzeros++;
        break;
    case 4:
        r->max_residual[1] /= 2;
        break;
    case 5:
        r->max_residual[RANK - 1] = NAN;
        break;
    case 6:
        r->p_seed++;
        break;
    case 7:
        r->objective *= 1 + 1e-6;
        break;
    case 8:
        r->duals_checked = 3;
        break;
    case 9:
        r->floor += 1e-3;
        break;
    case 10:
        r->max_residual[1] = NAN;
        break;
    case 11:
        r->steps--;
        break;
    default:
        fail();
    }
}

static void numbers_that_nobody_compared(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++)
        for (int number = 0; number < 12; number++) {
            example e;
            begin(&e, losses[l], "");
            change(number, &e.result);
            expect_refused(&e, losses[l], "");
            if (number == 11) e.result.steps++;
            end(&e);
        }
}

/* A run by another rule, another seed or other settings is not that of these. */
static void other_runs_declared_as_this_one(void **state) {
    (void)state;
    static const char *const declared[][2] = {{"exterior=rand", "exterior=max"},
                                              {"first=paper", "first=reselect"},
                                              {"seed=5", "seed=0"},
                                              {"rank=3", "rank=4"}};
    for (int l = 0; l < LOSSES; l++)
        for (size_t d = 0; d < sizeof declared / sizeof *declared; d++) {
            example e;
            begin(&e, losses[l], declared[d][0]);
            expect_ok(&e, losses[l]);
            assert_int_equal(
                ch_settings_set_words(e.context, ch_anchors_table(), &e.set, declared[d][1]),
                CH_OK);
            expect_refused(&e, losses[l], "");
            end(&e);
        }
}

/* Methods without such steps are rechecked by choosing once more. */
static void anchors_that_the_method_does_not_choose(void **state) {
    (void)state;
    static const char *const methods[] = {"method=spa", "method=hottopixx", "method=smrs"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        example e;
        begin(&e, "loss=l2", methods[m]);
        expect_ok(&e, methods[m]);
        double before = e.result.max_residual[RANK - 1];
        take_interior_anchors(&e);
        take_last_residual(&e);
        if (m == 0) e.result.max_residual[RANK - 1] = before;
        expect_refused(&e, methods[m], "in a new run with the stored settings, but column");
        end(&e);
    }
}

/* verify takes no longer than the run on a matrix that is nearly empty: once it looked at every row
 * of every column under l2, and at the rows of empty columns. */
static void an_empty_giant_is_quick(void **state) {
    (void)state;
    enum { SIDE = 70000 };
    static const char *const sparse[] = {"loss=l1", "loss=l2", "loss=kl", "loss=is"};
    static int64_t start[SIDE + 1];
    static const int32_t rows[3] = {0, 499, SIDE - 1};
    static const double values[3] = {1, 2, 3};
    for (int64_t j = 0; j <= SIDE; j++) start[j] = (j > 0) + (j > 599) + (j == SIDE);
    for (size_t l = 0; l < sizeof sparse / sizeof *sparse; l++) {
        example e;
        memset(&e, 0, sizeof e);
        e.context = support_context(&e.memory, 1);
        ch_matrix X = {.rows = SIDE,
                       .cols = SIDE,
                       .layout = CH_CSC,
                       .values = values,
                       .row_index = rows,
                       .column_start = start};
        assert_int_equal(ch_matrix_borrow(e.context, &e.X, &X), CH_OK);
        ch_anchors_defaults(&e.set);
        e.set.rank = 3;
        e.set.keep_duals = 1;
        e.result.size = sizeof e.result;
        assert_int_equal(ch_settings_set_words(e.context, ch_anchors_table(), &e.set, sparse[l]),
                         CH_OK);
        clock_t begun = clock();
        assert_true(ch_anchors(e.context, &e.result, &e.X, &e.set) >= 0);
        clock_t ran = clock();
        expect_ok(&e, sparse[l]);
        double run = (double)(ran - begun), check = (double)(clock() - ran);
        support_check(check <= 1.5 * run + 0.5 * CLOCKS_PER_SEC, "%s: %g of the run", sparse[l],
                      check / run);
        end(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duals_that_all_columns_maximise),
        cmocka_unit_test(a_flat_dual_among_honest_ones),
        cmocka_unit_test(duals_of_other_columns),
        cmocka_unit_test(weights_of_an_empty_column),
        cmocka_unit_test(the_floor_follows_from_the_data),
        cmocka_unit_test(numbers_that_nobody_compared),
        cmocka_unit_test(other_runs_declared_as_this_one),
        cmocka_unit_test(anchors_that_the_method_does_not_choose),
        cmocka_unit_test(an_empty_giant_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
