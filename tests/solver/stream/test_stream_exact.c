/* What a stream promises against the batch answer (docs/streaming.md), whatever the order of the
 * columns and the chunks:
 *
 *  1. a column farther than the tolerance from the cone of all others is kept;
 *  2. every column is as near the cone of the anchors as the bound says;
 *  3. on exactly separable data the anchors are those of ch_anchors(), as a set.
 *
 * 1 and 2 on any data, 2 with a store that is much too small as well. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 160, ROWS = 30, RANKS = 9 };

typedef struct instance {
    int64_t rows, cols, rank;
    double values[ROWS * MOST];
} instance;

static ch_matrix view_of(const instance *a) {
    return (ch_matrix){.rows = a->rows,
                       .cols = a->cols,
                       .layout = CH_COLUMN_MAJOR,
                       .type = CH_F64,
                       .values = a->values,
                       .stride = a->rows};
}

/* ---- data ---------------------------------------------------------------------------------- */

static void draw_rays(double *W, int64_t rows, int64_t rank, int flat, ch_random *random) {
    int sparse = ch_random_below(random, 2) == 0;
    for (int64_t k = 0; flat && k < rank; k++) { /* a cone over a polygon: as many as one likes */
        double angle =
            6.283185307179586 * ((double)k + 0.4 * ch_random_uniform(random)) / (double)rank;
        W[3 * k] = 1;
        W[3 * k + 1] = 1 + 0.9 * cos(angle);
        W[3 * k + 2] = 1 + 0.9 * sin(angle);
    }
    for (int64_t i = 0; !flat && i < rows * rank; i++)
        W[i] = sparse && ch_random_uniform(random) < 0.4 ? 0 : ch_random_uniform(random);
    for (int64_t k = 0; !flat && k < rank; k++) W[k * rows + k] += 1; /* independent */
}

/* Rays with copies up to scale, points inside, zeros; in random order, or the rays last. */
static void draw_exact(instance *a, ch_random *random) {
    double W[ROWS * RANKS], columns[ROWS * MOST];
    int64_t order[MOST], cols = 0;
    int flat = ch_random_below(random, 4) == 0, last = ch_random_below(random, 4) == 0;
    a->rank = 3 + ch_random_below(random, RANKS - 3);
    a->rows = flat ? 3 : a->rank + ch_random_below(random, ROWS - a->rank);
    draw_rays(W, a->rows, a->rank, flat, random);
    for (int64_t inside = 20 + ch_random_below(random, 100); inside > 0; inside--, cols++) {
        double *x = columns + cols * a->rows;
        int zero = ch_random_below(random, 15) == 0;
        memset(x, 0, (size_t)a->rows * sizeof *x);
        for (int64_t k = 0; !zero && k < a->rank; k++) {
            double h = ch_random_below(random, 3) ? 0.1 + ch_random_uniform(random) : 0;
            if (k < 2) h += 0.2; /* never a ray itself */
            for (int64_t i = 0; i < a->rows; i++) x[i] += h * W[k * a->rows + i];
        }
    }
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t copies = 1 + ch_random_below(random, 3); copies > 0; copies--, cols++) {
            double scale = ldexp(1, (int)ch_random_below(random, 9) - 4);
            for (int64_t i = 0; i < a->rows; i++)
                columns[cols * a->rows + i] = scale * W[k * a->rows + i];
        }
    a->cols = cols;
    ch_random_shuffle(random, order, cols);
    for (int64_t j = 0; last && j < cols; j++) order[j] = j;
    for (int64_t j = 0; j < cols; j++)
        memcpy(a->values + j * a->rows, columns + order[j] * a->rows,
               (size_t)a->rows * sizeof(double));
}

/* Combinations of rays and noise of the given size; some columns far from all others. */
static void draw_noisy(instance *a, double noise, ch_random *random) {
    double W[ROWS * RANKS];
    a->rank = 4;
    a->rows = 12;
    a->cols = 90;
    draw_rays(W, a->rows, a->rank, 0, random);
    for (int64_t j = 0; j < a->cols; j++) {
        double *x = a->values + j * a->rows;
        for (int64_t i = 0; i < a->rows; i++) x[i] = noise * ch_random_uniform(random);
        for (int64_t k = 0; k < a->rank; k++) {
            double h = ch_random_uniform(random);
            for (int64_t i = 0; i < a->rows; i++) x[i] += h * h * W[k * a->rows + i];
        }
        if (ch_random_below(random, 12) == 0) x[ch_random_below(random, a->rows)] += 3;
    }
}

/* ---- runs ---------------------------------------------------------------------------------- */

typedef struct answer {
    ch_stream *stream;
    ch_stream_info info;
    ch_anchors_result result;
    double bound;
    ch_status status;
} answer;

static void run_stream(answer *out, ch_context *context, const instance *a,
                       const ch_anchors_settings *anchors, int64_t store, double tolerance,
                       ch_random *random) {
    ch_stream_settings settings = {sizeof settings, store, tolerance};
    ch_matrix X = view_of(a);
    out->info.size = sizeof out->info;
    out->result.size = sizeof out->result;
    ch_status status = ch_stream_create(context, &out->stream, a->rows, anchors, &settings);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    for (int64_t at = 0; at < a->cols;) {
        int64_t chunk = 1 + ch_random_below(random, 40);
        X.cols = chunk < a->cols - at ? chunk : a->cols - at;
        X.values = a->values + at * a->rows;
        assert_int_equal(ch_stream_push(out->stream, &X), CH_OK);
        at += X.cols;
    }
    out->status = ch_stream_anchors(out->stream, &out->result, &out->bound);
    support_check(out->status >= 0, "%s", ch_context_message(context));
    ch_stream_get_info(out->stream, &out->info);
}

static void finish_stream(ch_context *context, answer *out) {
    ch_anchors_result_free(context, &out->result);
    ch_stream_destroy(out->stream);
}

static void sort(int64_t *list, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        for (int64_t n = k; n > 0 && list[n] < list[n - 1]; n--) {
            int64_t other = list[n];
            list[n] = list[n - 1];
            list[n - 1] = other;
        }
}

/* |x_j - A h|_1 / |x_j|_1 for the best h >= 0, A being columns of the instance. */
static double distance(ch_context *context, const instance *a, int64_t j, const double *A,
                       int64_t count) {
    static double H[MOST];
    ch_anchors_settings set;
    ch_project_info info = {.size = sizeof info};
    ch_matrix X = view_of(a);
    double sum = 0;
    X.values = a->values + j * a->rows;
    X.cols = 1;
    for (int64_t i = 0; i < a->rows; i++) sum += a->values[j * a->rows + i];
    if (sum == 0) return 0;
    ch_anchors_defaults(&set);
    ch_status status = ch_project(context, H, &info, &X, A, count, &set);
    support_check(status >= 0, "%s", ch_context_message(context));
    return info.objective / sum;
}

/* ---- the promises -------------------------------------------------------------------------- */

static void expect_bound(ch_context *context, const instance *a, const answer *out) {
    for (int64_t j = 0; j < a->cols; j++) {
        double far = distance(context, a, j, out->result.W, out->result.rank);
        support_check(far <= out->bound + 1e-9, "column %d is at %g, the bound is %g", (int)j, far,
                      out->bound);
    }
}

static void exact_data_gives_the_batch_answer(void **state) {
    static const struct {
        int method, loss;
    } ways[] = {{CH_METHOD_XRAY, CH_LOSS_L1},
                {CH_METHOD_XRAY, CH_LOSS_L2},
                {CH_METHOD_XRAY, CH_LOSS_KL},
                {CH_METHOD_SPA, CH_LOSS_L1}};
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    static instance a;
    (void)state;
    support_seed(&random, "exact", 11);
    for (int n = 0; n < 120; n++) {
        ch_anchors_settings set;
        ch_anchors_result batch = {.size = sizeof batch};
        answer out;
        draw_exact(&a, &random);
        ch_anchors_defaults(&set);
        set.method = ways[n % 4].method;
        set.loss = ways[n % 4].loss;
        if (set.method == CH_METHOD_SPA && a.rows == 3) continue; /* more rays than dimensions */
        set.rank = a.rank;
        if (set.method == CH_METHOD_XRAY && n % 3 < 2)
            set.exterior = n % 3 == 0   ? CH_EXTERIOR_RAND
                           : n % 2 == 0 ? CH_EXTERIOR_BALANCED
                                        : CH_EXTERIOR_SHARE;
        set.seed = n;
        ch_matrix X = view_of(&a);
        ch_status status = ch_anchors(context, &batch, &X, &set);
        support_check(status >= 0, "%s", ch_context_message(context));
        if (n % 2) set.rank += 2; /* more than there are: the cone is complete before */
        run_stream(&out, context, &a, &set, MOST, 1e-9, &random);
        sort(batch.anchors, batch.rank);
        sort(out.result.anchors, out.result.rank);
        support_check(out.info.thinned == 0, "case %d: thinned", n);
        support_check(batch.rank == a.rank && out.result.rank == a.rank,
                      "case %d, way %d: %d anchors, batch %d, planted %d", n, n % 4,
                      (int)out.result.rank, (int)batch.rank, (int)a.rank);
        for (int64_t k = 0; k < batch.rank; k++)
            support_check(batch.anchors[k] == out.result.anchors[k],
                          "case %d, way %d: column %d, batch %d", n, n % 4,
                          (int)out.result.anchors[k], (int)batch.anchors[k]);
        support_check(out.bound <= 1e-8, "case %d: bound %g", n, out.bound);
        if (n % 10 == 0) expect_bound(context, &a, &out);
        finish_stream(context, &out);
        ch_anchors_result_free(context, &batch);
    }
    support_finish(context, NULL);
}

static void what_is_outside_is_kept(void **state) {
    static const double tolerances[] = {1e-9, 0.01, 0.1};
    static double others[ROWS * MOST];
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    static instance a;
    int outside = 0, let_go = 0;
    (void)state;
    support_seed(&random, "outside", 12);
    for (int n = 0; n < 6; n++) {
        double tolerance = tolerances[n % 3];
        ch_anchors_settings set;
        ch_matrix kept;
        const int64_t *numbers;
        answer out;
        draw_noisy(&a, 0.15, &random);
        ch_anchors_defaults(&set);
        set.rank = 5;
        run_stream(&out, context, &a, &set, 4 * MOST, tolerance, &random);
        assert_int_equal(out.info.thinned, 0);
        ch_stream_kept(out.stream, &kept, &numbers);
        let_go += (int)(a.cols - kept.cols);
        for (int64_t j = 0, k = 0; j < a.cols; j++) {
            while (k < kept.cols && numbers[k] < j) k++;
            memcpy(others, a.values, (size_t)(a.rows * j) * sizeof *others);
            memcpy(others + a.rows * j, a.values + a.rows * (j + 1),
                   (size_t)(a.rows * (a.cols - 1 - j)) * sizeof *others);
            double far = distance(context, &a, j, others, a.cols - 1);
            outside += far > tolerance;
            if (far > tolerance * 1.000001)
                support_check(k < kept.cols && numbers[k] == j,
                              "column %d, at %g from all others, was let go", (int)j, far);
        }
        expect_bound(context, &a, &out);
        finish_stream(context, &out);
    }
    support_check(outside > 20 && let_go > 20, "%d outside, %d let go", outside, let_go);
    support_finish(context, NULL);
}

static void a_store_too_small_says_so_and_the_bound_holds(void **state) {
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    static instance a;
    int thinned = 0, telling = 0;
    (void)state;
    support_seed(&random, "small", 13);
    for (int n = 0; n < 40; n++) {
        ch_anchors_settings set;
        answer out;
        if (n % 4 == 0)
            draw_noisy(&a, 0.1, &random);
        else
            draw_exact(&a, &random);
        ch_anchors_defaults(&set);
        set.rank = a.rank;
        int64_t store = 2 * a.rank + 2 * (n % 3);
        run_stream(&out, context, &a, &set, store, 1e-6, &random);
        assert_true(out.info.most <= store);
        if (out.info.thinned > 0) {
            assert_true(out.info.tolerance > 1e-6);
            assert_int_equal(out.status, CH_STOP_INACCURATE);
        }
        thinned += out.info.thinned > 0;
        telling += out.info.thinned > 0 && out.bound < 0.9;
        expect_bound(context, &a, &out);
        finish_stream(context, &out);
    }
    support_check(thinned > 20 && telling > 5, "thinned %d times, with a bound below 0.9 %d",
                  thinned, telling);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_data_gives_the_batch_answer),
        cmocka_unit_test(what_is_outside_is_kept),
        cmocka_unit_test(a_store_too_small_says_so_and_the_bound_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
