/* Exchanges with allocations that fail. The tables of one rank are set with the k-th allocation
 * failing, for every k; then two ranks work together while the k-th allocation of one of them
 * fails, for every k: both end with CH_ERR_MEMORY and its words, neither waits for the other,
 * outputs are as they were, and nothing leaks. */
#include "support_faults.h"
#include "support_ranks.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- one rank ---- */

static ch_status call_set_comm(ch_context *context, void *output, const void *with) {
    (void)output, (void)with;
    const ch_comm table = {.size = sizeof table, .process = 1, .processes = 2};
    const ch_comm alone = {.size = sizeof alone, .processes = 1};
    assert_int_equal(ch_context_set_comm(context, &alone), CH_OK);
    ch_status status = ch_context_set_comm(context, &table);
    const ch_comm *in_use = ch_context_comm(context);
    assert_true(status == CH_OK ? in_use && in_use->process == 1 : !in_use);
    if (status == CH_OK) assert_int_equal(ch_context_set_comm(context, NULL), CH_OK);
    return status;
}

/* The matrix of a file is still whole when its limit was refused. */
static ch_status call_limit(ch_context *context, void *output, const void *with) {
    (void)output, (void)with;
    const char *path = support_path("limit.npy");
    ch_matrix X;
    assert_int_equal(ch_matrix_write(given.context, path, &given.dense), CH_OK);
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    if (status == CH_OK) {
        status = ch_matrix_limit(context, &X, 1 << 20);
        assert_true(ch_matrix_at(&X, 1, 2) == ch_matrix_at(&given.dense, 1, 2));
        ch_matrix_free(context, &X);
    }
    unlink(path);
    return status;
}

/* Alone there is nobody to exchange with. */
static ch_status call_alone(ch_context *context, void *output, const void *with) {
    (void)output, (void)with;
    ch_anchors_result result = {.size = sizeof result};
    int64_t count = 7;
    double H[] = {1, 2, 3, 4}, all[4] = {0};
    assert_int_equal(ch_comm_agree(context, CH_STOP_ITER), CH_STOP_ITER);
    assert_int_equal(ch_comm_count(context, &count), CH_OK);
    assert_int_equal(count, 7);
    assert_int_equal(ch_anchors_result_collect(context, &result), CH_OK);
    ch_status status = ch_project_collect(context, all, H, 2, 2);
    for (int i = 0; i < 4; i++) assert_true(all[i] == (status == CH_OK ? H[i] : 0));
    return status;
}

static const support_fault faults[] = {
    {.name = "ch_context_set_comm", .call = call_set_comm},
    {.name = "ch_matrix_limit", .call = call_limit},
    {.name = "ch_project_collect, alone", .call = call_alone},
};

/* ---- two ranks ---- */

enum { RANKS = 2, MANY = 100, RANK = 3 }; /* columns: a whole block, and a part of one */

static ch_matrix whole;        /* ROWS x MANY, made once */
static char counts_path[1024]; /* of a matrix of the same size, made once */

/* What a rank holds before its call, and how that went. Checks are made when both have ended. */
typedef struct turn {
    ch_matrix part;
    ch_anchors_result found; /* of ch_anchors over both ranks                                    */
    double all[RANK * MANY];
    ch_status made, status, again;
    int64_t leaked;
    char message[200];
} turn;

typedef struct rank_fault {
    const char *name;
    ch_status (*run)(ch_context *context, turn *own, int rank);
} rank_fault;

typedef struct attempt {
    const rank_fault *fault;
    int failing; /* rank */
    int64_t k;   /* allocation */
    support_memory memory[RANKS];
    turn turns[RANKS];
} attempt;

static ch_anchors_settings settings(void) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.keep_duals = 1;
    return set;
}

static ch_status run_agree(ch_context *context, turn *own, int rank) {
    (void)own;
    ch_status status = ch_comm_agree(context, rank == 1 ? CH_STOP_TIME : CH_OK);
    return status == CH_STOP_TIME || status < 0 ? status : CH_ERR_INTERNAL;
}

static ch_status run_count(ch_context *context, turn *own, int rank) {
    int64_t count = 5 + rank;
    (void)own;
    ch_status status = ch_comm_count(context, &count);
    return status < 0 || count == 11 ? status : CH_ERR_INTERNAL;
}

static ch_status run_collect_H(ch_context *context, turn *own, int rank) {
    const ch_anchors_result *found = &own->found;
    memset(own->all, 0, sizeof own->all);
    ch_status status = ch_project_collect(context, own->all, found->H, RANK, found->cols);
    double sum = 0;
    for (int i = 0; i < RANK * MANY; i++) sum += own->all[i];
    return (sum > 0) == (status >= 0 && rank == 0) ? status : CH_ERR_INTERNAL;
}

/* On a result of its own: rank 0 holds more afterwards. */
static ch_status run_collect_result(ch_context *context, turn *own, int rank) {
    ch_anchors_settings set = settings();
    ch_anchors_result result = {.size = sizeof result};
    ch_status status = ch_anchors(context, &result, &own->part, &set);
    if (status < 0) return status;
    status = ch_anchors_result_collect(context, &result);
    int64_t cols = status >= 0 && rank == 0 ? MANY : own->part.cols;
    if (result.cols != cols) status = CH_ERR_INTERNAL;
    ch_anchors_result_free(context, &result);
    return status;
}

static ch_status run_project_part(ch_context *context, turn *own, int rank) {
    ch_anchors_settings set = settings();
    ch_project_info info = {.size = sizeof info};
    (void)rank;
    return ch_project(context, own->all, &info, &own->part, own->found.W, RANK, &set);
}

/* Counts, so that parts are kept as bytes and widened where another rank has larger ones. */
static ch_status run_read_part(ch_context *context, turn *own, int rank) {
    const ch_matrix_read_settings set = {.size = sizeof set, .distributed = 1};
    ch_matrix X = {.rows = -7};
    (void)rank;
    ch_status status = ch_matrix_read(context, &X, counts_path, &set);
    if (status < 0) return X.rows == -7 ? status : CH_ERR_INTERNAL;
    int right = X.cols == own->part.cols && X.first == own->part.first && X.type == CH_U16;
    ch_matrix_free(context, &X);
    return right ? status : CH_ERR_INTERNAL;
}

static const rank_fault rank_faults[] = {
    {"ch_comm_agree", run_agree},
    {"ch_comm_count", run_count},
    {"ch_project_collect", run_collect_H},
    {"ch_anchors and ch_anchors_result_collect", run_collect_result},
    {"ch_project", run_project_part},
    {"ch_matrix_read, mtx", run_read_part},
};

static void take_part(ch_context *context, turn *own) {
    int64_t first, count;
    ch_comm_part(context, &first, &count, MANY);
    own->part = whole;
    own->part.values = (const double *)whole.values + first * whole.stride;
    own->part.cols = count;
    own->part.first = first;
    own->part.owner = NULL;
    own->part.release = NULL;
}

/* No assert here: it would leave the other rank waiting. */
static void work(void *user, ch_context *context, int rank) {
    attempt *a = user;
    turn *own = &a->turns[rank];
    support_memory *memory = &a->memory[rank];
    ch_anchors_settings set = settings();
    take_part(context, own);
    own->found.size = sizeof own->found;
    own->made = ch_anchors(context, &own->found, &own->part, &set);
    if (own->made < 0) return;
    int64_t held = memory->live;
    if (rank == a->failing) memory->fail_at = memory->requests + a->k;
    own->status = a->fault->run(context, own, rank);
    memory->fail_at = 0;
    own->leaked = memory->live - held;
    snprintf(own->message, sizeof own->message, "%s", ch_context_message(context));
    own->again = a->fault->run(context, own, rank);
    ch_anchors_result_free(context, &own->found);
}

/* Returns whether an allocation was refused. */
static int check_attempt(const attempt *a) {
    int refused = a->memory[a->failing].failed > 0;
    for (int r = 0; r < RANKS; r++) {
        const turn *own = &a->turns[r];
        const char *name = a->fault->name;
        support_check(own->made >= 0, "%s: no result to begin with", name);
        int right = refused ? own->status == CH_ERR_MEMORY : own->status >= CH_OK;
        support_check(right, "%s, allocation %lld of rank %d: rank %d ends with %s (%s)", name,
                      (long long)a->k, a->failing, r, ch_status_name(own->status), own->message);
        support_check(!refused || strstr(own->message, "memory"), "%s: rank %d says '%s'", name, r,
                      own->message);
        support_check(own->leaked == 0, "%s, allocation %lld of rank %d: rank %d leaked %lld", name,
                      (long long)a->k, a->failing, r, (long long)own->leaked);
        support_check(own->again >= CH_OK, "%s: rank %d is not usable after a failure", name, r);
    }
    return refused;
}

/* A byte in each column but the last, which takes two. */
static int make_counts(void **state) {
    if (support_folder_make(state)) return 1;
    snprintf(counts_path, sizeof counts_path, "%s", support_path("counts.mtx"));
    FILE *file = fopen(counts_path, "w");
    if (!file) return 1;
    fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n", ROWS, MANY,
            MANY);
    for (int j = 1; j <= MANY; j++)
        fprintf(file, "%d %d %d\n", 1 + j % ROWS, j, j < MANY ? j : 1000);
    return fclose(file);
}

static void no_rank_waits_for_one_without_memory(void **state) {
    (void)state;
    ch_synthetic_settings make = {sizeof make, ROWS, MANY,   RANK, CH_NOISE_SPARSE,
                                  0.3,         1,    CH_F64, 1};
    ch_context *context = support_context(NULL, 1);
    assert_int_equal(ch_synthetic_make(context, &whole, NULL, &make), CH_OK);
    attempt *a = malloc(sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < sizeof rank_faults / sizeof *rank_faults; i++)
        for (int failing = 0; failing < RANKS; failing++) {
            int64_t k = 0;
            do {
                memset(a, 0, sizeof *a);
                a->fault = &rank_faults[i];
                a->failing = failing;
                a->k = ++k;
                support_run_ranks(RANKS, NULL, a->memory, work, a);
            } while (check_attempt(a) && k < 10000);
            print_message("%s, rank %d: %lld allocations\n", a->fault->name, failing,
                          (long long)k - 1);
        }
    free(a);
    ch_matrix_free(context, &whole);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_rank_waits_for_one_without_memory)};
    alarm(600); /* whoever waits for ever is ended */
    return support_faults_run(faults, sizeof faults / sizeof *faults, NULL) +
           cmocka_run_group_tests(tests, make_counts, support_folder_remove);
}
