/* Selection, projection and verification under divergences, with their k-th allocation failing, for
 * every k: each loss on dense and on sparse numbers. */
#include "support_faults.h"
#include <conehull/conehull.h>

enum { M = 6, N = 11, RANK = 3 };

/* Shares, in the domain of every loss; zeros are among them. Made once, by main(). */
static ch_matrix dense, sparse;

static double phi(double x, void *user) {
    (void)user;
    return x * x + x * x * x;
}

static double slope(double x, void *user) {
    (void)user;
    return 2 * x + 3 * x * x;
}

static double curvature(double x, void *user) {
    (void)user;
    return 2 + 6 * x;
}

/* Settings in words, "name=value name=value"; they look at the loss alone. */
typedef struct trial {
    const ch_matrix *X;
    const char *words;
} trial;

static ch_anchors_settings settings(const trial *it) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    assert_int_equal(ch_settings_set_words(given.context, &ch_anchors_table, &set, it->words),
                     CH_OK);
    set.custom = (ch_bregman){phi, slope, curvature, NULL, 0};
    set.rank = RANK;
    set.keep_duals = 1;
    return set;
}

static ch_status run_anchors(ch_context *context, const void *with) {
    const trial *it = with;
    ch_anchors_settings set = settings(it);
    ch_anchors_result result;
    mark(&result);
    ch_status status = ch_anchors(context, &result, it->X, &set);
    finish(context, status, &result, ch_anchors_result_free);
    return status;
}

static ch_status run_project(ch_context *context, const void *with) {
    const trial *it = with;
    ch_anchors_settings set = settings(it);
    double H[RANK * N];
    ch_project_info info;
    mark(&H);
    mark(&info);
    ch_status status = ch_project(context, H, &info, it->X, dense.values, RANK, &set);
    if (status < 0) untouched(&H);
    if (status < 0) untouched(&info);
    return status;
}

/* The result to be checked is made outside the counted memory. */
static ch_status run_verify(ch_context *context, const void *with) {
    const trial *it = with;
    ch_anchors_settings set = settings(it);
    ch_anchors_result result;
    ch_verification verification;
    assert_int_equal(ch_anchors(given.context, &result, it->X, &set), CH_OK);
    mark(&verification);
    ch_status status = ch_verify(context, &verification, it->X, &result, &set);
    if (status < 0)
        untouched(&verification);
    else
        support_check(verification.ok, "%s: %s", it->words, verification.why);
    ch_anchors_result_free(given.context, &result);
    return status;
}

#define ONE(call, name, matrix, words)                                   \
    {                                                                    \
#call ", " name ", " #matrix, NULL, run_##call, &(const trial) { \
            &matrix, words                                               \
        }                                                                \
    }
#define EACH(name, words)                                                    \
    ONE(anchors, name, dense, words), ONE(anchors, name, sparse, words),     \
        ONE(project, name, dense, words), ONE(project, name, sparse, words), \
        ONE(verify, name, dense, words), ONE(verify, name, sparse, words)

static const support_fault faults[] = {
    EACH("kl", "loss=kl"),
    EACH("kl to the data", "loss=kl reverse=1"),
    EACH("is", "loss=is floor=0.01"),
    EACH("beta 1.5, convex", "loss=beta beta=1.5"),
    EACH("beta 0.5, not convex", "loss=beta beta=0.5 floor=0.01"),
    EACH("beta 3, not convex", "loss=beta beta=3"),
    EACH("logistic", "loss=logistic"),
    EACH("custom", "loss=custom"),
    ONE(anchors, "kl with its path", sparse, "loss=kl path=1 first=paper"),
    ONE(anchors, "kl eagerly, at random", dense, "loss=kl eager=1 exterior=rand"),
};

/* The first columns are anchors, the others mixtures of them. */
static void make_matrices(ch_context *context) {
    static double values[M * N];
    ch_random random;
    ch_random_seed(&random, 11);
    for (int i = 0; i < M; i++) values[i + i % RANK * M] = 0.2 + 0.6 * ch_random_uniform(&random);
    for (int j = RANK; j < N; j++)
        for (int i = 0; i < M; i++)
            values[i + j * M] =
                0.1 * (j % 4) * values[i] + 0.1 * (j % 3) * values[i + M] + 0.3 * values[i + 2 * M];
    assert_int_equal(
        ch_matrix_borrow_dense(context, &dense, values, M, N, M, CH_COLUMN_MAJOR, CH_F64), CH_OK);
    sparse = support_reshape(context, &dense, CH_CSC, CH_F64);
}

int main(void) {
    ch_context *context = support_context(NULL, 1);
    make_matrices(context);
    int failed = support_faults_run(faults, sizeof faults / sizeof *faults);
    ch_matrix_free(context, &sparse);
    ch_context_destroy(context);
    return failed;
}
