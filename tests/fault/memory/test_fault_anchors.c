/* Selection, projection and verification with their k-th allocation failing, for every k: by every
 * method, and each loss on dense and on sparse numbers. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RELEASE(ch_anchors_result)

enum { M = 6, N = 11, FEW = 3 };

/* Shares, in the domain of every loss; zeros are among them. */
static ch_matrix shares, sparse_shares;
/* Of their shape, with a 0 in every anchor; and how much rows and columns count. */
static ch_matrix entry_weights;
static double row_weights[M], column_weights[N];

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

/* Data, and settings in words, "name=value name=value". */
typedef struct job {
    const ch_matrix *X;
    const char *words;
} job;

/* Data with a library have columns of their own kind as one: the first of `shares`. */
static ch_matrix known;

static ch_status settings_of(ch_context *context, ch_anchors_settings *set, const job *it) {
    ch_anchors_defaults(set);
    if (strstr(it->words, "library-only")) {
        known = shares;
        known.cols = FEW;
        set->library = &known;
    }
    set->custom = (ch_bregman){phi, slope, curvature, NULL, 0};
    set->rank = FEW;
    set->keep_duals = 1;
    if (strstr(it->words, "missing=nan")) { /* words for all of it */
        set->weights = &entry_weights;
        set->row_weights = row_weights;
        set->row_weight_count = M;
        set->column_weights = column_weights;
        set->column_weight_count = N;
    }
    return ch_settings_set_words(context, ch_anchors_table(), set, it->words);
}

static ch_status call_anchors(ch_context *context, void *output, const void *with) {
    const job *it = with;
    ch_anchors_settings set;
    ch_status status = settings_of(context, &set, it);
    return status < 0 ? status : ch_anchors(context, output, it->X, &set);
}

/* H, with room for the widest matrix, and what is said about it. */
typedef struct projection {
    ch_project_info info;
    double H[FEW * COLS];
} projection;

static ch_status call_project(ch_context *context, void *output, const void *with) {
    const job *it = with;
    const ch_matrix *W = it->X->rows == M ? &shares : &given.dense;
    projection *to = output;
    ch_anchors_settings set;
    assert_int_equal(settings_of(given.context, &set, it), CH_OK);
    return ch_project(context, to->H, &to->info, it->X, W->values, FEW, &set);
}

/* The result that is checked, made outside the counted memory, once for all calls of a job. */
static struct {
    ch_context *context;
    const job *of;
    ch_anchors_result result;
} checked;

static void forget_checked(void) {
    if (checked.of) ch_anchors_result_free(checked.context, &checked.result);
    checked.of = NULL;
}

static const ch_anchors_result *result_of(const job *it, const ch_anchors_settings *set) {
    if (checked.of == it) return &checked.result;
    forget_checked();
    checked.result = (ch_anchors_result){.size = sizeof checked.result};
    assert_int_equal(ch_anchors(checked.context, &checked.result, it->X, set), CH_OK);
    checked.of = it;
    return &checked.result;
}

static ch_status call_verify(ch_context *context, void *output, const void *with) {
    const job *it = with;
    ch_verification *verification = output;
    ch_anchors_settings set;
    assert_int_equal(settings_of(given.context, &set, it), CH_OK);
    ch_status status = ch_verify(context, verification, it->X, result_of(it, &set), &set);
    if (status >= 0) support_check(verification->ok, "%s: %s", it->words, verification->why);
    return status;
}

static ch_status call_proofs(ch_context *context, void *output, const void *with) {
    const job *it = with;
    ch_anchors_settings set;
    (void)output; /* values are written column by column */
    double losses[COLS], gaps[COLS];
    assert_int_equal(settings_of(given.context, &set, it), CH_OK);
    return ch_column_proofs(context, losses, gaps, it->X, result_of(it, &set), &set);
}

static ch_status call_advice(ch_context *context, void *output, const void *with) {
    const job *it = with;
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    assert_int_equal(settings_of(given.context, &set, it), CH_OK);
    assert_int_equal(ch_anchors(given.context, &result, it->X, &set), CH_OK);
    ch_status status = ch_advise_loss(context, output, it->X, &result);
    ch_anchors_result_free(given.context, &result);
    return status;
}

/* Goes on from the first share of the file that a run in one piece has left. */
static ch_status call_resumed(ch_context *context, void *output, const void *with) {
    const double share = *(const double *)with;
    const char *path = support_path("checkpoint");
    ch_checkpoint_file *file;
    ch_anchors_settings set;
    ch_anchors_result whole = {.size = sizeof whole};
    assert_int_equal(settings_of(given.context, &set, &(job){&given.dense, "rank=5"}), CH_OK);
    assert_int_equal(ch_checkpoint_file_open(given.context, &file, path, 0), CH_OK);
    set.checkpoint = ch_checkpoint_file_interface(file);
    assert_int_equal(ch_anchors(given.context, &whole, &given.dense, &set), CH_OK);
    ch_anchors_result_free(given.context, &whole);
    ch_checkpoint_file_close(file, 0);
    size_t count;
    unsigned char *bytes = support_file_read(path, &count);
    support_file_write(path, bytes, (size_t)(share * (double)count));
    free(bytes);
    ch_status status = ch_checkpoint_file_open(context, &file, path, 1);
    if (status == CH_OK) {
        set.checkpoint = ch_checkpoint_file_interface(file);
        status = ch_anchors(context, output, &given.dense, &set);
        ch_checkpoint_file_close(file, 1);
    }
    unlink(path);
    return status;
}

#define JOB(matrix, words) \
    &(const job) {         \
        &matrix, words     \
    }
#define ANCHORS(name, matrix, words) \
    { "ch_anchors, " name, call_anchors, JOB(matrix, words), OUT_SIZED(ch_anchors_result) }
#define RESUMED(name, share) \
    { "ch_anchors, " name, call_resumed, &(const double){share}, OUT_SIZED(ch_anchors_result) }
#define PROJECT(name, matrix, words)                                                            \
    {                                                                                           \
        "ch_project, " name, call_project, JOB(matrix, words), .size = sizeof(projection),      \
                                                               .sized = sizeof(ch_project_info) \
    }
#define VERIFY(name, matrix, words)                                                           \
    {                                                                                         \
        "ch_verify, " name, call_verify, JOB(matrix, words), .size = sizeof(ch_verification), \
                                                             .sized = sizeof(ch_verification) \
    }
#define EACH(name, words)                                                            \
    ANCHORS(name, shares, words), ANCHORS(name " on CSC", sparse_shares, words),     \
        PROJECT(name, shares, words), PROJECT(name " on CSC", sparse_shares, words), \
        VERIFY(name, shares, words), VERIFY(name " on CSC", sparse_shares, words)

static const support_fault faults[] = {
    ANCHORS("spa on u8", given.bytes, "method=spa rank=5 loss=l2"),
    ANCHORS("spa on CSC", given.csc, "method=spa rank=5 path=1"),
    ANCHORS("fgnsr", given.dense, "method=fgnsr rank=3 loss=l2 gap=0.1"),
    ANCHORS("hottopixx", given.dense, "method=hottopixx rank=3 loss=l2 gap=0.1"),
    ANCHORS("smrs on CSC", given.csc, "method=smrs rank=3 path=1 gap=0.1"),
    ANCHORS("l1", given.dense, "rank=5 loss=l1"),
    ANCHORS("l1 on CSC", given.csc, "rank=5 loss=l1 path=1 dual=paper first=paper"),
    ANCHORS("l1 by admm", given.rows, "rank=3 loss=l1 projection=admm tol=1e-2"),
    ANCHORS("l1 to a rank of its own", given.dense, "rank=0 loss=l1"),
    ANCHORS("l2", given.dense, "rank=5 loss=l2 exterior=rand eager=1"),
    ANCHORS("l2 greedy", given.csc, "rank=4 loss=l2 exterior=greedy projection=cd tol=1e-2"),
    ANCHORS("l2 dist", given.dense, "rank=4 loss=l2 exterior=dist"),
    {"ch_column_proofs", call_proofs, JOB(given.dense, "rank=3 loss=l1 hull=convex0"), .size = 0},
    {"ch_advise_loss", call_advice, JOB(given.csc, "rank=3"), .size = sizeof(ch_loss_advice),
     .sized = sizeof(ch_loss_advice)},
    RESUMED("going on from its steps", 0.3),
    RESUMED("going on from its blocks", 1),
    PROJECT("l1", given.csc, ""),
    VERIFY("l1", given.csc, "rank=4"),
    EACH("l1, convex", "loss=l1 hull=convex negative=clip"),
    EACH("l2, convex0", "loss=l2 hull=convex0"),
    EACH("kl, convex0", "loss=kl hull=convex0"),
    EACH("l1, weighted, with gaps", "loss=l1 missing=nan"),
    EACH("kl", "loss=kl"),
    EACH("kl to the data", "loss=kl reverse=1"),
    EACH("is", "loss=is floor=0.01"),
    EACH("beta 1.5, convex", "loss=beta beta=1.5"),
    EACH("beta 0.5, not convex", "loss=beta beta=0.5 floor=0.01"),
    EACH("beta 3, not convex", "loss=beta beta=3"),
    EACH("logistic", "loss=logistic"),
    EACH("custom", "loss=custom"),
    ANCHORS("l1, library alone", shares, "loss=l1 library-only=1 rank=2"),
    ANCHORS("l2, library kept, on CSC", sparse_shares, "loss=l2 library-only=0 rank=3"),
    VERIFY("l2, library alone, on a hull", sparse_shares,
           "loss=l2 hull=convex0 library-only=1 rank=2"),
    ANCHORS("kl with its path", sparse_shares, "loss=kl path=1 first=paper"),
    ANCHORS("kl eagerly, at random", shares, "loss=kl eager=1 exterior=rand"),
};

/* The first columns are anchors, the others mixtures of them. */
static int make_shares(void) {
    static double values[M * N];
    ch_random random;
    ch_random_seed(&random, 11);
    for (int i = 0; i < M; i++) values[i + i % FEW * M] = 0.2 + 0.6 * ch_random_uniform(&random);
    for (int j = FEW; j < N; j++)
        for (int i = 0; i < M; i++)
            values[i + j * M] =
                0.1 * (j % 4) * values[i] + 0.1 * (j % 3) * values[i + M] + 0.3 * values[i + 2 * M];
    shares = (ch_matrix){.rows = M, .cols = N, .values = values, .stride = M};
    static double weights[M * N];
    for (int e = 0; e < M * N; e++) weights[e] = e % 5 == 1 ? 0 : 1 + 0.1 * (e % 3);
    for (int i = 0; i < M; i++) row_weights[i] = 1 + 0.2 * i;
    for (int j = 0; j < N; j++) column_weights[j] = 1 + 0.1 * (j % 4);
    entry_weights = (ch_matrix){.rows = M, .cols = N, .values = weights, .stride = M};
    sparse_shares = support_reshape(given.context, &shares, CH_CSC, CH_F64);
    return 0;
}

int main(void) {
    checked.context = support_context(NULL, 1);
    int failed = support_faults_run(faults, sizeof faults / sizeof *faults, make_shares);
    forget_checked();
    ch_context_destroy(checked.context);
    return failed;
}
