/* XRAY-l2 against Algorithm 1 written down plainly: every column projected at every step, every
 * score computed, for the rules max, share, dist and greedy; first choice kept. For l2 the residual
 * is the D* of the step, so that every choice can be followed. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 30, COLS = 50, RANK = 7 };

typedef struct naive {
    double X[COLS][ROWS], R[COLS][ROWS], W[RANK][ROWS];
    double p[ROWS];
    int64_t anchors[RANK];
    int count;
} naive;

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++) sum += a[i] * b[i];
    return sum;
}

static void update_residuals(ch_context *context, naive *n, const ch_matrix *X,
                             const ch_anchors_settings *set) {
    double H[COLS * RANK];
    memcpy(n->R, n->X, sizeof n->R);
    if (n->count == 0) return;
    assert_int_equal(ch_project(context, H, NULL, X, n->W[0], n->count, set), CH_OK);
    for (int j = 0; j < COLS; j++)
        for (int k = 0; k < n->count; k++)
            for (int i = 0; i < ROWS; i++) n->R[j][i] -= H[j * n->count + k] * n->W[k][i];
}

static int chosen(const naive *n, int64_t j) {
    for (int k = 0; k < n->count; k++)
        if (n->anchors[k] == j) return 1;
    return 0;
}

static double positive_square(double v) {
    return v > 0 ? v * v : 0;
}

static int compare_sizes(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_size(const naive *n) {
    double size[COLS];
    for (int k = 0; k < COLS; k++) size[k] = dot(n->X[k], n->X[k]);
    qsort(size, COLS, sizeof *size, compare_sizes);
    return size[(COLS - 1) / 2];
}

/* What the rule looks at for column k (max, share, balanced, dist), or for anchor k (greedy). */
static double criterion(const naive *n, int exterior, int k) {
    double sum = 0;
    if (exterior == CH_EXTERIOR_MAX) return dot(n->R[k], n->R[k]);
    if (exterior == CH_EXTERIOR_SHARE) /* all are 1 before the first anchor */
        return n->count > 0 ? dot(n->R[k], n->R[k]) / dot(n->X[k], n->X[k]) : 1;
    if (exterior == CH_EXTERIOR_BALANCED)
        return dot(n->R[k], n->R[k]) / fmax(dot(n->X[k], n->X[k]), median_size(n));
    for (int j = 0; j < COLS; j++)
        sum += exterior == CH_EXTERIOR_DIST ? positive_square(dot(n->R[k], n->X[j]))
                                            : positive_square(dot(n->R[j], n->X[k]));
    return exterior == CH_EXTERIOR_DIST ? sum : sum / dot(n->X[k], n->X[k]);
}

static int64_t select_next(const naive *n, int exterior) {
    int64_t best = -1, next = -1;
    double most = -1, score = -INFINITY;
    for (int k = 0; k < COLS; k++) {
        double value = chosen(n, k) ? -1 : criterion(n, exterior, k);
        if (value > most) {
            most = value;
            best = k;
        }
    }
    if (exterior == CH_EXTERIOR_GREEDY) return best;
    for (int j = 0; j < COLS; j++) {
        double value = dot(n->R[best], n->X[j]) / dot(n->p, n->X[j]);
        if (value > score && !chosen(n, j)) {
            score = value;
            next = j;
        }
    }
    return next;
}

static void follows_the_paper(void **state) {
    (void)state;
    static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_DIST, CH_EXTERIOR_GREEDY,
                                CH_EXTERIOR_SHARE, CH_EXTERIOR_BALANCED};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int64_t seed = 1; seed <= 15; seed++) {
        ch_synthetic_settings make = {.size = sizeof make,
                                      .rows = ROWS,
                                      .cols = COLS,
                                      .rank = RANK,
                                      .noise = CH_NOISE_SPARSE,
                                      .level = 0.1 * (double)(seed % 9 + 1),
                                      .shuffle = 1,
                                      .seed = seed};
        static naive n;
        ch_anchors_settings set;
        ch_matrix X;
        ch_anchors_result result = {.size = sizeof result};
        ch_random random;
        int64_t planted[RANK];
        ch_anchors_defaults(&set);
        set.rank = RANK;
        set.loss = CH_LOSS_L2;
        set.exterior = rules[seed % 5];
        set.first = CH_FIRST_PAPER;
        assert_int_equal(ch_synthetic_make(context, &X, planted, &make), CH_OK);
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
        memcpy(n.X, X.values, sizeof n.X);
        ch_random_seed(&random, result.p_seed);
        for (int i = 0; i < ROWS; i++) n.p[i] = 1 + 1e-5 * ch_random_uniform(&random);
        for (n.count = 0; n.count < RANK; n.count++) {
            update_residuals(context, &n, &X, &set);
            int64_t j = select_next(&n, set.exterior);
            support_check(j == result.anchors[n.count], "seed %d, rule %d, step %d: %d and %d",
                          (int)seed, set.exterior, n.count, (int)j, (int)result.anchors[n.count]);
            n.anchors[n.count] = j;
            memcpy(n.W[n.count], n.X[j], sizeof n.W[0]);
        }
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_paper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
