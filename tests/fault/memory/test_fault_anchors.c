/* Selection, projection and verification with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdlib.h>
#include <unistd.h>

/* ch_anchors with settings in words, "name=value name=value". */
typedef struct selection {
    const ch_matrix *X;
    const char *words;
} selection;

static ch_status run_anchors(ch_context *context, const void *with) {
    const selection *wanted = with;
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.keep_duals = 1;
    ch_anchors_result result;
    mark(&result);
    ch_status status = ch_settings_set_words(context, &ch_anchors_table, &set, wanted->words);
    if (status == CH_OK) status = ch_anchors(context, &result, wanted->X, &set);
    finish(context, status, &result, ch_anchors_result_free);
    return status;
}

/* Goes on from the first share of the file that a run in one piece has left. */
static ch_status run_resumed(ch_context *context, const void *with) {
    const double share = *(const double *)with;
    const char *path = support_path("checkpoint");
    ch_checkpoint_file *file;
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = 5;
    set.keep_duals = 1;
    ch_anchors_result result;
    assert_int_equal(ch_checkpoint_open(given.context, &file, path, 0), CH_OK);
    set.checkpoint = ch_checkpoint_table(file);
    assert_int_equal(ch_anchors(given.context, &result, &given.dense, &set), CH_OK);
    ch_anchors_result_free(given.context, &result);
    ch_checkpoint_close(file, 0);
    size_t count;
    unsigned char *bytes = support_file_read(path, &count);
    support_file_write(path, bytes, (size_t)(share * (double)count));
    free(bytes);
    mark(&result);
    ch_status status = ch_checkpoint_open(context, &file, path, 1);
    if (status == CH_OK) {
        set.checkpoint = ch_checkpoint_table(file);
        status = ch_anchors(context, &result, &given.dense, &set);
        ch_checkpoint_close(file, 1);
    }
    finish(context, status, &result, ch_anchors_result_free);
    unlink(path);
    return status;
}

static ch_status run_project(ch_context *context) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    double H[3 * COLS];
    ch_project_info info;
    mark(&H);
    mark(&info);
    ch_status status = ch_project(context, H, &info, &given.csc, given.dense.values, 3, &set);
    if (status < 0) untouched(&H);
    if (status < 0) untouched(&info);
    return status;
}

/* The result to be checked is made once, outside the counted memory. */
static ch_status run_verify(ch_context *context) {
    static ch_anchors_result result;
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = 4;
    set.keep_duals = 1;
    if (!result.anchors) assert_true(ch_anchors(given.context, &result, &given.csc, &set) >= 0);
    ch_verification verification;
    mark(&verification);
    ch_status status = ch_verify(context, &verification, &given.csc, &result, &set);
    if (status < 0) {
        untouched(&verification);
        return status;
    }
    support_check(verification.ok, "%s", verification.why);
    ch_anchors_result_free(given.context, &result);
    return status;
}

#define ANCHORS(name, matrix, words)                  \
    {                                                 \
        name, NULL, run_anchors, &(const selection) { \
            &given.matrix, words                      \
        }                                             \
    }
#define RESUMED(name, share)                       \
    {                                              \
        name, NULL, run_resumed, &(const double) { \
            share                                  \
        }                                          \
    }

static const support_fault faults[] = {
    ANCHORS("ch_anchors, spa on u8", bytes, "method=spa rank=5 loss=l2"),
    ANCHORS("ch_anchors, spa on CSC", csc, "method=spa rank=5 path=1"),
    ANCHORS("ch_anchors, hottopixx", dense, "method=hottopixx rank=3 loss=l2 gap=0.1"),
    ANCHORS("ch_anchors, smrs on CSC", csc, "method=smrs rank=3 path=1 gap=0.1"),
    ANCHORS("ch_anchors, l1", dense, "rank=5 loss=l1"),
    ANCHORS("ch_anchors, l1 on CSC", csc, "rank=5 loss=l1 path=1 dual=paper first=paper"),
    ANCHORS("ch_anchors, l1 by admm", rows, "rank=3 loss=l1 projection=admm tol=1e-2"),
    ANCHORS("ch_anchors, l1 to a rank of its own", dense, "rank=0 loss=l1"),
    ANCHORS("ch_anchors, l2", dense, "rank=5 loss=l2 exterior=rand eager=1"),
    ANCHORS("ch_anchors, l2 greedy", csc, "rank=4 loss=l2 exterior=greedy projection=cd tol=1e-2"),
    ANCHORS("ch_anchors, l2 dist", dense, "rank=4 loss=l2 exterior=dist"),
    RESUMED("ch_anchors, going on from its steps", 0.3),
    RESUMED("ch_anchors, going on from its blocks", 1),
    {"ch_project", run_project, NULL, NULL},
    {"ch_verify", run_verify, NULL, NULL},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
