/* Convex hulls (settings.hull): weights that sum to 1, or to at most 1. Recovery of planted points
 * among mixtures, shade and scaled copies; optimality of every column by a bound that is computed
 * here, on random, planted and degenerate data; ch_verify(), which refuses what is no hull; and the
 * same bits lazy and eager, in every layout, with any number of threads, and by ch_project(). */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loss_case {
    const char *words;
    int gap; /* convex: the bound below holds */
} loss_case;
static const loss_case losses[] = {
    {"loss=l1", 0}, /* by the linear program of test_hull_lp.c, and by ch_verify() */
    {"loss=l2", 1},
    {"loss=kl floor=1e-4", 1},
    {"loss=kl floor=1e-4 reverse=1", 1},
    {"loss=beta beta=1.5 floor=1e-4", 1},
    {"loss=is floor=1e-4", 0},
};
enum { LOSSES = sizeof losses / sizeof *losses };

/* ---- data ---- */

enum kind { RANDOM, PLANTED, NOISY, WHOLE, SPARSE, FLAT, KINDS };

static double exponential(ch_random *random) {
    return -log(1e-9 + ch_random_uniform(random));
}

/* RANDOM: no structure. PLANTED: the first `rank` columns and mixtures of them; every third one has
 * shade, with shade != 0. NOISY: the same and noise. WHOLE: small whole numbers, which tie. SPARSE:
 * mostly zeros, and columns of zeros. FLAT: mixtures of three columns, however many are asked for,
 * with copies and multiples of them. */
static double *make(enum kind kind, int64_t rows, int64_t cols, int64_t rank, int shade,
                    uint64_t seed) {
    ch_random random;
    double *X = malloc((size_t)(rows * cols) * sizeof *X), *h = malloc((size_t)rank * sizeof *h);
    support_seed(&random, "hull", seed);
    if (kind == FLAT) rank = 3;
    for (int64_t i = 0; i < rows * cols; i++) {
        double x = ch_random_uniform(&random);
        X[i] = kind == WHOLE ? floor(4 * x) : kind == SPARSE ? (x < 0.8 ? 0 : x) : x;
    }
    for (int64_t j = rank; kind != RANDOM && kind != WHOLE && kind != SPARSE && j < cols; j++) {
        double sum = 0, light = shade && j % 3 == 0 ? ch_random_uniform(&random) : 1;
        for (int64_t k = 0; k < rank; k++) sum += h[k] = exponential(&random);
        for (int64_t i = 0; i < rows; i++) {
            double x = 0;
            for (int64_t k = 0; k < rank; k++) x += X[i + k * rows] * h[k] / sum;
            X[i + j * rows] = light * x;
            if (kind == FLAT && j % 5 == 0) X[i + j * rows] = X[i + j % rank * rows];
            if (kind == FLAT && shade && j % 5 == 1) X[i + j * rows] = 0.5 * X[i];
            if (kind == NOISY) X[i + j * rows] += 0.05 * ch_random_uniform(&random);
        }
    }
    for (int64_t i = 0; kind == SPARSE && i < rows; i++) X[i + 7 * rows] = X[i + 11 * rows] = 0;
    free(h);
    return X;
}

static ch_anchors_settings settings_of(ch_context *context, const char *words, ch_hull hull,
                                       int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words), CH_OK);
    set.rank = rank;
    set.hull = hull;
    set.keep_duals = 1;
    return set;
}

/* ---- optimality ---- */

/* dl/dy and l of one entry, as docs/losses define them; y has the floor. */
static double slope(const ch_anchors_settings *set, double x, double y, double *value) {
    if (set->loss == CH_LOSS_L2) {
        *value = (x - y) * (x - y);
        return 2 * (y - x);
    }
    if (set->loss == CH_LOSS_KL && set->reverse) {
        x += set->floor;
        *value = y * log(y / x) - y + x;
        return log(y / x);
    }
    if (set->loss == CH_LOSS_KL) {
        *value = (x > 0 ? x * log(x / y) : 0) - x + y;
        return 1 - x / y;
    }
    double b = set->beta; /* beta */
    *value = (pow(x, b) + (b - 1) * pow(y, b) - b * x * pow(y, b - 1)) / (b * (b - 1));
    return pow(y, b - 1) - x * pow(y, b - 2);
}

/* f(h) minus a bound of f from below on the simplex: g'h - min_k g_k, by convexity. */
static double gap_of(const ch_anchors_settings *set, const double *x, const double *W,
                     const double *h, int64_t rows, int64_t rank, double *objective) {
    double least = set->hull == CH_HULL_CONVEX0 ? 0 : INFINITY, along = 0, value;
    double *u = malloc((size_t)rows * sizeof *u);
    *objective = 0;
    for (int64_t i = 0; i < rows; i++) {
        double y = set->loss == CH_LOSS_L2 ? 0 : set->floor;
        for (int64_t k = 0; k < rank; k++) y += W[i + k * rows] * h[k];
        u[i] = slope(set, x[i], y, &value);
        *objective += value;
    }
    for (int64_t k = 0; k < rank; k++) {
        double g = 0;
        for (int64_t i = 0; i < rows; i++) g += W[i + k * rows] * u[i];
        least = fmin(least, g);
        along += g * h[k];
    }
    free(u);
    return along - least;
}

static int64_t proven; /* columns, of all tests */

static void check_columns(const ch_anchors_result *r, const ch_anchors_settings *set,
                          const double *X, const char *what, int gap) {
    double total = 0;
    for (int64_t j = 0; j < r->cols; j++) {
        const double *h = r->H + j * r->rank, *x = X + j * r->rows;
        double sum = 0, size = 0, objective;
        for (int64_t k = 0; k < r->rank; k++) {
            support_check(h[k] >= 0, "%s: column %d is negative", what, (int)j);
            sum += h[k];
        }
        for (int64_t i = 0; i < r->rows; i++) size += x[i];
        if (set->hull == CH_HULL_CONVEX)
            support_close(sum, 1, 1e-13);
        else
            support_check(sum <= 1 + 1e-13, "%s: column %d sums to %.17g", what, (int)j, sum);
        proven++;
        if (!gap) continue;
        double missing = gap_of(set, x, r->W, h, r->rows, r->rank, &objective);
        support_check(missing <= 1e-9 * (1 + size), "%s: column %d has a gap of %g", what, (int)j,
                      missing);
        total += objective;
    }
    if (gap) support_close(total / r->objective, 1, 1e-6);
}

/* Column by column: what the recheck says of all of them. */
static void check_proofs(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                         const ch_anchors_settings *set, const ch_verification *v) {
    double loss[300], gaps[300], total = 0, worst = 0;
    assert_int_equal(X->cols, 300);
    assert_int_equal(ch_column_proofs(context, loss, gaps, X, r, set), CH_OK);
    for (int j = 0; j < 300; j++) {
        total += loss[j];
        worst = fmax(worst, gaps[j]);
    }
    support_close(total, v->objective, 1e-12 * (1 + v->objective));
    assert_true(isnan(v->gap) || worst == v->gap);
}

static void every_column_is_optimal(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++)
            for (int l = 0; l < LOSSES; l++) {
                char what[100];
                ch_verification v = {.size = sizeof v};
                int64_t rows = 12 + 9 * (kind % 3), cols = 300, rank = 5 + kind % 2;
                double *values = make((enum kind)kind, rows, cols, rank, hull == CH_HULL_CONVEX0,
                                      (uint64_t)(100 * kind + l));
                ch_matrix X = support_dense(context, values, rows, cols);
                ch_anchors_settings set = settings_of(context, losses[l].words, hull, rank);
                snprintf(what, sizeof what, "data %d, hull %d, %s", kind, hull, losses[l].words);
                ch_anchors_result r = support_find(context, &X, &set, what);
                support_check(r.unproven == 0 && r.status != CH_STOP_INACCURATE, "%s: unproven",
                              what);
                support_check(!(r.certificate.gap > 1e-9), "%s: a gap of %g", what,
                              r.certificate.gap);
                check_columns(&r, &set, values, what, losses[l].gap && r.objective > 1e-3);
                assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
                support_check(v.ok, "%s: %s", what, v.why);
                check_proofs(context, &X, &r, &set, &v);
                ch_anchors_result_free(context, &r);
                ch_matrix_free(context, &X);
                free(values);
            }
    support_check(proven >= 20000, "only %d columns were looked at", (int)proven);
    support_finish(context, &memory);
}

/* ---- recovery ---- */

/* The planted points are the extreme points of the hull, and of the hull with the origin: scaled
 * copies and shade, which are rays of the same cone, are not. */
static void planted_points_are_found(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++)
        for (int l = 0; l < LOSSES; l++)
            for (uint64_t seed = 1; seed <= 5; seed++) {
                int64_t rows = 25, cols = 120, rank = 6;
                double *values = make(PLANTED, rows, cols, rank, hull == CH_HULL_CONVEX0, seed);
                for (int64_t i = 0; hull == CH_HULL_CONVEX0 && i < rows; i++)
                    for (int64_t k = 0; k < rank; k++) /* scaled copies */
                        values[i + (rank + k) * rows] =
                            0.1 * (double)(1 + k) * values[i + k * rows];
                ch_matrix X = support_dense(context, values, rows, cols);
                ch_anchors_settings set = settings_of(context, losses[l].words, hull, rank);
                ch_anchors_result r = support_find(context, &X, &set, losses[l].words);
                int64_t found = 0;
                for (int64_t k = 0; k < r.rank; k++) found += r.anchors[k] < rank;
                support_check(found == rank, "hull %d, %s, seed %d: %d of %d", hull,
                              losses[l].words, (int)seed, (int)found, (int)rank);
                ch_anchors_result_free(context, &r);
                ch_matrix_free(context, &X);
                free(values);
            }
    support_finish(context, &memory);
}

/* Moves a hundredth of the largest weight of a column to another anchor. It is the column of the
 * largest sum among those that are not anchors: in a small one the floor would hide the change. */
static void spoil_weights(ch_anchors_result *r, const double *values, int64_t rows, int64_t cols) {
    double most = 0;
    int64_t chosen = 0, k = 0;
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0;
        int anchor = 0;
        for (int64_t i = 0; i < rows; i++) sum += values[i + j * rows];
        for (int64_t a = 0; a < r->rank; a++) anchor |= r->anchors[a] == j;
        if (anchor || sum <= most) continue;
        most = sum;
        chosen = j;
    }
    double *h = r->H + chosen * r->rank;
    for (int64_t a = 1; a < r->rank; a++)
        if (h[a] > h[k]) k = a;
    double moved = 0.01 * h[k];
    h[k] -= moved;
    h[(k + 1) % r->rank] += moved;
}

/* Columns from 1e-5 to 1e5 under losses that are not convex: the gradient of a small column has
 * terms of the size of the large anchors. ch_verify() accepts the weights, and refuses weights that
 * sum to 1 but are not stationary. */
static void columns_of_many_sizes(void **state) {
    static const char *const words[] = {"loss=is", "loss=beta beta=0.5"};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t rows = 10, cols = 100, rank = 4;
    (void)state;
    for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++)
        for (int l = 0; l < 2; l++)
            for (uint64_t seed = 1; seed <= 8; seed++) {
                ch_random random;
                ch_verification v = {.size = sizeof v};
                double *values = make(RANDOM, rows, cols, rank, 0, seed);
                support_seed(&random, "sizes", seed);
                for (int64_t j = 0; j < cols; j++) {
                    double size = pow(10, 10 * ch_random_uniform(&random) - 5);
                    for (int64_t i = 0; i < rows; i++) values[i + j * rows] *= size;
                }
                ch_matrix X = support_dense(context, values, rows, cols);
                ch_anchors_settings set = settings_of(context, words[l], hull, rank);
                ch_anchors_result r = support_find(context, &X, &set, words[l]);
                assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
                support_check(v.ok && r.unproven == 0, "hull %d, %s, seed %d: %s, %d unproven",
                              hull, words[l], (int)seed, v.why, (int)r.unproven);
                spoil_weights(&r, values, rows, cols);
                assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
                support_check(!v.ok, "hull %d, %s, seed %d: weights that are not stationary", hull,
                              words[l], (int)seed);
                ch_anchors_result_free(context, &r);
                ch_matrix_free(context, &X);
                free(values);
            }
    support_finish(context, &memory);
}

/* ---- one answer ---- */

static void same_by_every_path(void **state) {
    static const char *const more[] = {"",           " exterior=rand", " first=paper",   " path=1",
                                       " faint=0.2", " rank=0",        " exterior=share"};
    static const struct {
        ch_matrix_layout layout;
        ch_value_type type;
    } views[] = {
        {CH_COLUMN_MAJOR, CH_U8}, {CH_ROW_MAJOR, CH_F32}, {CH_CSC, CH_F64}, {CH_CSC, CH_U16}};
    support_memory memory;
    ch_context *context = support_context(&memory, 3);
    int64_t rows = 14, cols = 90, rank = 5;
    (void)state;
    for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++)
        for (int l = 0; l < LOSSES * 7; l++) {
            char words[100];
            snprintf(words, sizeof words, "%s%s", losses[l % LOSSES].words, more[l / LOSSES]);
            double *values = make(SPARSE, rows, cols, rank, 0, (uint64_t)l);
            for (int64_t i = 0; i < rows * cols; i++) values[i] = floor(200 * values[i]);
            ch_matrix X = support_dense(context, values, rows, cols);
            ch_anchors_settings set = settings_of(context, words, hull, rank);
            if (strstr(words, "rank=0")) set.rank = 0;
            ch_anchors_result first = support_find(context, &X, &set, words);
            for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
                ch_matrix view = support_reshape(context, &X, views[v].layout, views[v].type);
                ch_context_set_threads(context, 1 + (int)v);
                ch_anchors_result other = support_find(context, &view, &set, words);
                support_same_result(&first, &other, words);
                ch_anchors_result_free(context, &other);
                ch_matrix_free(context, &view);
            }
            set.eager = 1;
            ch_anchors_result eager = support_find(context, &X, &set, words);
            support_same_answer(&first, &eager, words);
            ch_anchors_result_free(context, &eager);
            double *H = malloc((size_t)(first.rank * cols) * sizeof *H);
            ch_project_info info = {.size = sizeof info};
            ch_status status = ch_project(context, H, &info, &X, first.W, first.rank, &set);
            support_check(status == CH_OK,
                          "%s, hull %d, rank %d: %d unproven, gap %g, stationarity %g", words, hull,
                          (int)first.rank, (int)info.unproven, info.certificate.gap,
                          info.certificate.stationarity);
            support_check(!memcmp(H, first.H, (size_t)(first.rank * cols) * sizeof *H),
                          "%s: project differs", words);
            free(H);
            ch_anchors_result_free(context, &first);
            ch_matrix_free(context, &X);
            free(values);
        }
    support_finish(context, &memory);
}

/* ---- what is refused ---- */

/* A result of another hull, weights that do not sum to 1, a step of the cone. */
static void verify_tells_hulls_apart(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_verification v = {.size = sizeof v};
    double *values = make(NOISY, 20, 80, 5, 1, 5);
    ch_matrix X = support_dense(context, values, 20, 80);
    (void)state;
    for (int l = 0; l < LOSSES; l++)
        for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++) {
            ch_anchors_settings set = settings_of(context, losses[l].words, hull, 5);
            ch_anchors_result r = support_find(context, &X, &set, losses[l].words);
            set.hull = CH_HULL_CONVEX + CH_HULL_CONVEX0 - hull;
            assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
            support_check(!v.ok, "%s: another hull is accepted", losses[l].words);
            set.hull = hull;
            double kept = r.H[3];
            r.H[3] += 1e-3;
            assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
            support_check(!v.ok, "%s: weights that are too large are accepted", losses[l].words);
            r.H[3] = kept;
            r.step_dual[r.dual_rows - 1] += 0.5;
            assert_int_equal(ch_verify(context, &v, &X, &r, &set), CH_OK);
            support_check(!v.ok, "%s: a changed multiplier is accepted", losses[l].words);
            ch_anchors_result_free(context, &r);
        }
    ch_matrix_free(context, &X);
    free(values);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    static const struct {
        const char *words, *message;
    } cases[] = {{"projection=admm", "projection"},
                 {"loss=l2 projection=cd", "projection"},
                 {"dual=paper", "dual"},
                 {"loss=l2 exterior=greedy", "exterior"},
                 {"method=hottopixx", "hull"},
                 {"method=snpa", "hull"},
                 {"rank=50", "only 30 columns that can be an anchor"}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double *values = make(RANDOM, 8, 30, 3, 0, 1);
    ch_matrix X = support_dense(context, values, 8, 30);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int hull = CH_HULL_CONVEX; hull <= CH_HULL_CONVEX0; hull++) {
            ch_anchors_settings set = settings_of(context, "rank=3", hull, 3);
            ch_anchors_result r = {.size = sizeof r};
            assert_int_equal(
                ch_settings_set_words(context, ch_anchors_table(), &set, cases[c].words), CH_OK);
            assert_int_equal(ch_anchors(context, &r, &X, &set), CH_ERR_SETTING);
            support_message(context, cases[c].message);
        }
    memset(values, 0, 240 * sizeof *values);
    ch_matrix zero = support_dense(context, values, 8, 30);
    ch_anchors_settings set = settings_of(context, "rank=3", CH_HULL_CONVEX, 3);
    ch_anchors_result r = {.size = sizeof r};
    assert_int_equal(ch_anchors(context, &r, &zero, &set), CH_ERR_DATA);
    support_message(context, "all columns of the matrix are zero");
    ch_matrix_free(context, &zero);
    ch_matrix_free(context, &X);
    free(values);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_optimal),  cmocka_unit_test(planted_points_are_found),
        cmocka_unit_test(columns_of_many_sizes),    cmocka_unit_test(same_by_every_path),
        cmocka_unit_test(verify_tells_hulls_apart), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
