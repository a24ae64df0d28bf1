/* Several ranks find what one process finds, to the bit: for every loss, rule, layout and method
 * that runs on them, with parts that are empty, copies and ties across parts; and after a stop, on
 * whatever number of ranks there were before. Threads stand in for ranks; tests/e2e/mpi tries the
 * same with MPI. And what goes between them is what docs/scaling.md says. */
#include "base/base.h"
#include "support_anchors.h"
#include "support_ranks.h"
#include "support_records.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLS = 330, RANK = 6 };
static const int rank_counts[] = {2, 3, 4, 7};

/* ---- the parts ---- */

/* Columns [first, first + count) of a matrix, as a rank would hold them. */
static ch_matrix part_of(ch_context *context, const ch_matrix *X) {
    int64_t first, count;
    ch_matrix part;
    ch_comm_part(context, &first, &count, X->cols);
    if (X->layout == CH_CSC) {
        int64_t *list = malloc((size_t)(count + 1) * sizeof *list);
        for (int64_t k = 0; k < count; k++) list[k] = first + k;
        support_check(ch_matrix_copy(context, &part, X, list, count) == CH_OK, "%s",
                      ch_context_message(context));
        free(list);
    } else {
        int64_t at = X->layout == CH_COLUMN_MAJOR ? first * X->stride : first;
        part = *X;
        part.values = (const char *)X->values + at * (int64_t)ch_value_type_size(X->type);
        part.cols = count;
        part.owner = NULL;
        part.release = NULL;
    }
    part.first = first;
    return part;
}

/* Mixtures with noise, whole numbers up to 255 so that all types hold them; a zero column, copies
 * of a column in other parts, and two columns that tie. */
static void fill(double *X, int whole) {
    ch_random random;
    double W[ROWS * RANK];
    support_seed(&random, "ranks", 11);
    for (int i = 0; i < ROWS * RANK; i++) W[i] = ch_random_uniform(&random);
    for (int64_t j = 0; j < COLS; j++) {
        double h[RANK], sum = 0;
        for (int k = 0; k < RANK; k++) sum += h[k] = -log(1e-9 + ch_random_uniform(&random));
        for (int k = 0; k < RANK; k++) h[k] = j % 50 == k ? 1 : j % 50 < RANK ? 0 : h[k] / sum;
        for (int i = 0; i < ROWS; i++) {
            double x = 0;
            for (int k = 0; k < RANK; k++) x += W[i + k * ROWS] * h[k];
            if (ch_random_uniform(&random) < 0.2) x += 0.3 * ch_random_uniform(&random);
            X[i + j * ROWS] = whole ? floor(90 * x) : x;
        }
    }
    for (int i = 0; i < ROWS; i++) {
        X[i + 70 * ROWS] = 0;
        X[i + 200 * ROWS] = 2 * X[i + 10 * ROWS];
        X[i + 320 * ROWS] = X[i + 10 * ROWS];
    }
}

/* ---- one case ---- */

typedef struct example {
    const ch_matrix *X;
    const ch_anchors_settings *set;
    const ch_anchors_result *alone;
    const char *name;
    int ranks;
    support_records *records; /* of a checkpoint, or NULL                                */
    const char *stop;         /* the phase in which the last rank wants to stop, or NULL */
    double seconds;           /* of a wave; 0: as usual                                  */
} example;

/* After two anchors, or a wave of H. */
static int say_stop(const ch_progress_event *event, void *user) {
    const example *c = user;
    return !strcmp(event->phase, c->stop) && event->done >= 2;
}

static void find_part(void *user, ch_context *context, int rank) {
    example *c = user;
    ch_anchors_result result = {.size = sizeof result};
    ch_matrix part = part_of(context, c->X);
    ch_anchors_settings set = *c->set;
    ch_checkpoint elsewhere = {
        .size = sizeof elsewhere, .name = "elsewhere", .seconds = c->seconds};
    if (c->records) set.checkpoint = rank == 0 ? &c->records->table : &elsewhere;
    if (c->stop && rank == c->ranks - 1) ch_context_set_progress(context, say_stop, c);
    ch_status status = ch_anchors(context, &result, &part, &set);
    support_check(status == (c->stop ? CH_STOP_CANCELLED : c->alone->status),
                  "%s on %d ranks: status %d: %s", c->name, c->ranks, status,
                  ch_context_message(context));
    if (c->stop) {
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &part);
        return;
    }
    support_check(ch_anchors_result_collect(context, &result) == CH_OK, "not collected");
    if (rank == 0) {
        char what[100];
        snprintf(what, sizeof what, "%s on %d ranks", c->name, c->ranks);
        support_same_result(c->alone, &result, what);
    }
    support_check(result.rank == c->alone->rank, "rank %d has %d anchors", rank, (int)result.rank);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &part);
}

static void try_ranks(const ch_matrix *X, const ch_anchors_settings *set, const char *name) {
    ch_context *context = support_context(NULL, 1);
    ch_anchors_result alone = {.size = sizeof alone};
    support_check(ch_anchors(context, &alone, X, set) >= 0, "%s: %s", name,
                  ch_context_message(context));
    for (size_t i = 0; i < sizeof rank_counts / sizeof *rank_counts; i++) {
        example c = {X, set, &alone, name, rank_counts[i], NULL, NULL, 0};
        support_run_ranks(rank_counts[i], NULL, NULL, find_part, &c);
    }
    ch_anchors_result_free(context, &alone);
    support_finish(context, NULL);
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    int whole;
    ch_matrix_layout layout;
    ch_value_type type;
    int method, loss, exterior;
    int64_t rank;
    int first, reverse, eager, path;
    ch_hull hull;
} cases[] = {
    {"l1, bytes", 1, CH_COLUMN_MAJOR, CH_U8, CH_METHOD_XRAY, CH_LOSS_L1, 0, 8, 0, 0, 0, 1, 0},
    {"l1, rows", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L1, 0, 8, 0, 0, 0, 0, 0},
    {"l1, sparse", 1, CH_CSC, CH_U16, CH_METHOD_XRAY, CH_LOSS_L1, 0, 8, 0, 0, 0, 0, 0},
    {"l1, automatic", 0, CH_COLUMN_MAJOR, CH_F32, CH_METHOD_XRAY, CH_LOSS_L1, 0, 0, 0, 0, 0, 0, 0},
    {"l1, random", 1, CH_CSC, CH_F64, CH_METHOD_XRAY, CH_LOSS_L1, CH_EXTERIOR_RAND, 7, 1, 0, 0, 0,
     0},
    {"l1, eager", 1, CH_ROW_MAJOR, CH_U8, CH_METHOD_XRAY, CH_LOSS_L1, 0, 5, 0, 0, 1, 0, 0},
    {"l1, share", 1, CH_CSC, CH_U8, CH_METHOD_XRAY, CH_LOSS_L1, CH_EXTERIOR_SHARE, 8, 0, 0, 0, 1,
     0},
    {"l2, share", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L2, CH_EXTERIOR_SHARE, 6, 0, 0,
     0, 0, CH_HULL_CONVEX},
    {"l1, balanced", 1, CH_CSC, CH_U8, CH_METHOD_XRAY, CH_LOSS_L1, CH_EXTERIOR_BALANCED, 8, 0, 0, 0,
     1, 0},
    {"kl, balanced", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_KL, CH_EXTERIOR_BALANCED, 5,
     0, 0, 0, 0, 0},
    {"l1, balanced, convex0", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L1,
     CH_EXTERIOR_BALANCED, 6, 0, 0, 0, 0, CH_HULL_CONVEX0},
    {"quantile, sparse", 1, CH_CSC, CH_U16, CH_METHOD_XRAY, CH_LOSS_QUANTILE, 0, 7, 0, 0, 0, 1, 0},
    {"quantile, convex0", 0, CH_ROW_MAJOR, CH_F32, CH_METHOD_XRAY, CH_LOSS_QUANTILE,
     CH_EXTERIOR_SHARE, 6, 0, 0, 0, 0, CH_HULL_CONVEX0},
    {"kl, share", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_KL, CH_EXTERIOR_SHARE, 5, 0,
     0, 0, 0, 0},
    {"l2", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L2, 0, 8, 0, 0, 0, 0, 0},
    {"l2, dist", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L2, CH_EXTERIOR_DIST, 4, 0, 0,
     0, 0, 0},
    {"l2, greedy", 1, CH_CSC, CH_F64, CH_METHOD_XRAY, CH_LOSS_L2, CH_EXTERIOR_GREEDY, 4, 0, 0, 0, 0,
     0},
    {"kl", 1, CH_CSC, CH_U8, CH_METHOD_XRAY, CH_LOSS_KL, 0, 5, 0, 0, 0, 0, 0},
    {"kl, reverse", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_KL, 0, 4, 0, 1, 0, 0, 0},
    {"is", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_IS, 0, 4, 0, 0, 0, 0, 0},
    {"beta", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_BETA, 0, 4, 1, 0, 0, 0, 0},
    {"spa", 1, CH_CSC, CH_U8, CH_METHOD_SPA, CH_LOSS_L1, 0, 7, 0, 0, 0, 0, 0},
    {"spa, rows", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_SPA, CH_LOSS_L2, 0, 7, 0, 0, 0, 0, 0},
    {"l1, convex", 1, CH_COLUMN_MAJOR, CH_U8, CH_METHOD_XRAY, CH_LOSS_L1, 0, 7, 0, 0, 0, 1,
     CH_HULL_CONVEX},
    {"l1, convex0", 1, CH_CSC, CH_U16, CH_METHOD_XRAY, CH_LOSS_L1, 0, 7, 0, 0, 0, 0,
     CH_HULL_CONVEX0},
    {"l2, convex0", 0, CH_ROW_MAJOR, CH_F64, CH_METHOD_XRAY, CH_LOSS_L2, 0, 6, 0, 0, 0, 0,
     CH_HULL_CONVEX0},
    {"kl, convex", 0, CH_COLUMN_MAJOR, CH_F32, CH_METHOD_XRAY, CH_LOSS_KL, 0, 5, 0, 0, 0, 0,
     CH_HULL_CONVEX},
    {"spa, convex", 0, CH_COLUMN_MAJOR, CH_F64, CH_METHOD_SPA, CH_LOSS_L2, 0, 6, 0, 0, 0, 0,
     CH_HULL_CONVEX},
};

static ch_matrix make_view(ch_context *context, const double *values, ch_matrix_layout layout,
                           ch_value_type type) {
    ch_matrix dense;
    support_check(ch_matrix_borrow(context, &dense,
                                   &(ch_matrix){.rows = ROWS, .cols = COLS, .values = values}) ==
                      CH_OK,
                  "%s", ch_context_message(context));
    return support_reshape(context, &dense, layout, type);
}

static void ranks_find_what_one_finds(void **state) {
    (void)state;
    static double values[2][ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    for (int whole = 0; whole < 2; whole++) fill(values[whole], whole);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        set.rank = cases[i].rank;
        set.method = cases[i].method;
        set.loss = cases[i].loss;
        set.exterior = cases[i].exterior;
        set.first = cases[i].first;
        set.reverse = cases[i].reverse;
        set.eager = cases[i].eager;
        set.path = cases[i].path;
        set.hull = cases[i].hull;
        set.beta = 1.5;
        set.quantile = 0.3;
        set.keep_duals = 1;
        ch_matrix X = make_view(context, values[cases[i].whole], cases[i].layout, cases[i].type);
        try_ranks(&X, &set, cases[i].name);
        ch_matrix_free(context, &X);
    }
    support_finish(context, NULL);
}

/* Columns of a square, all corners and edges: faces with more than two maximisers, spread over the
 * ranks. */
static void faces_reach_over_ranks(void **state) {
    (void)state;
    enum { SIDE = 18, COUNT = SIDE * SIDE };
    static double values[3 * COUNT];
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    ch_matrix X;
    ch_anchors_defaults(&set);
    set.rank = 4;
    for (int j = 0; j < COUNT; j++) {
        double a = (double)(j % SIDE) / (SIDE - 1), b = (double)(j / SIDE) / (SIDE - 1);
        double x[3] = {a, b, 2 - a - b};
        memcpy(values + 3 * j, x, sizeof x);
    }
    for (int loss = CH_LOSS_L1; loss <= CH_LOSS_L2; loss++) {
        ch_anchors_result alone = {.size = sizeof alone};
        set.loss = loss;
        X = support_dense(context, values, 3, COUNT);
        assert_true(ch_anchors(context, &alone, &X, &set) >= 0);
        for (int ranks = 2; ranks <= 5; ranks++) {
            example c = {&X, &set, &alone, "a square", ranks, NULL, NULL, 0};
            support_run_ranks(ranks, NULL, NULL, find_part, &c);
        }
        ch_anchors_result_free(context, &alone);
    }
    support_finish(context, NULL);
}

/* ---- going on ---- */

/* A run on three ranks that is stopped, then gone on with on others. */
static void stop_and_go_on(const ch_matrix *X, const ch_anchors_settings *set,
                           const ch_anchors_result *alone, const char *stop, const char *name) {
    static const int later[] = {1, 2, 4};
    static support_records kept, records;
    support_records_begin(&kept);
    example c = {X, set, alone, name, 3, &kept, stop, 0};
    support_run_ranks(c.ranks, NULL, NULL, find_part, &c);
    /* What it is of, two anchors; or all, the first once more, the selection, a wave of each rank.
     */
    int want = !strcmp(stop, "select") ? 1 + 2 : 1 + (int)set->rank + 1 + 1 + 3;
    support_check(kept.count == want, "%s: %d records, not %d", name, kept.count, want);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        double seconds = i == 1 ? 1e-9 : 0; /* on two ranks, waves as small as can be */
        support_records_from(&records, &kept, kept.count);
        records.table.seconds = seconds;
        example again = {X, set, alone, name, later[i], &records, NULL, seconds};
        support_run_ranks(later[i], NULL, NULL, find_part, &again);
        support_check(records.count - records.added == kept.count, "%s: %d of %d records taken",
                      name, records.count - records.added, kept.count);
        support_records_cut(&records, 0);
    }
    support_records_cut(&kept, 0);
}

/* Some waves of H a rank, the last of them short. */
static void others_go_on(void **state) {
    (void)state;
    enum { TALL = 8, WIDE = 200 * CH_COMM_BLOCK };
    static const char *const names[] = {"by column", "by row", "sparse"};
    static double values[TALL * WIDE];
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    ch_matrix dense;
    ch_random random;
    ch_anchors_result alone = {.size = sizeof alone};
    support_seed(&random, "going on", 3);
    for (int i = 0; i < TALL * WIDE; i++) {
        double x = ch_random_uniform(&random);
        values[i] = x < 0.3 ? 0 : x;
    }
    ch_anchors_defaults(&set);
    set.rank = 4;
    set.keep_duals = 1;
    dense = support_dense(context, values, TALL, WIDE);
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++) {
        ch_matrix X = support_reshape(context, &dense, (ch_matrix_layout)layout, CH_F64);
        support_check(ch_anchors(context, &alone, &X, &set) >= 0, "%s",
                      ch_context_message(context));
        stop_and_go_on(&X, &set, &alone, "select", names[layout]);
        stop_and_go_on(&X, &set, &alone, "project", names[layout]);
        ch_anchors_result_free(context, &alone);
        ch_matrix_free(context, &X);
    }
    support_finish(context, NULL);
}

/* ---- what goes wrong ---- */

typedef struct trouble {
    const ch_matrix *X;
    const ch_anchors_settings *set;
    support_memory *memory; /* of the ranks, or NULL; ...                    */
    int64_t fail_at;        /* ... the request of rank 1 that fails, from 1  */
    ch_status status[7];
    char message[7][512];
} trouble;

static void find_trouble(void *user, ch_context *context, int rank) {
    trouble *t = user;
    ch_anchors_result result = {.size = sizeof result};
    ch_matrix part = part_of(context, t->X);
    if (t->memory && rank == 1) t->memory[1].fail_at = t->memory[1].requests + t->fail_at;
    t->status[rank] = ch_anchors(context, &result, &part, t->set);
    snprintf(t->message[rank], sizeof t->message[rank], "%s", ch_context_message(context));
    if (t->status[rank] >= 0) ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &part);
}

/* Bad data in one part is refused by all, in the words of one process alone. */
static void all_hear_of_bad_data(void **state) {
    (void)state;
    static double values[ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = 3;
    fill(values, 0);
    values[5 + 250 * ROWS] = -1;
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_DATA);
    trouble t = {.X = &X, .set = &set};
    support_run_ranks(3, NULL, NULL, find_trouble, &t);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(t.status[r], CH_ERR_DATA);
        assert_string_equal(t.message[r], ch_context_message(context));
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* Faint columns and clipped values are those of all ranks. */
static void imperfect_data_over_ranks(void **state) {
    (void)state;
    static double values[ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    fill(values, 0);
    for (int e = 3; e < ROWS * COLS; e += 97) values[e] = -0.01 * values[e];
    for (int64_t j = 5; j < COLS; j += 40)
        for (int64_t i = 0; i < ROWS; i++) values[i + j * ROWS] *= 1e-3;
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    set.rank = 5;
    set.negative = CH_NEGATIVE_CLIP;
    set.faint = 0.05;
    for (int hull = CH_HULL_CONE; hull <= CH_HULL_CONVEX0; hull++) {
        set.hull = hull;
        try_ranks(&X, &set, "faint columns, clipped values");
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* Weights, missing entries and a library need all columns at once: all ranks say so. */
static void some_are_for_one_process(void **state) {
    (void)state;
    static double values[ROWS * COLS], weights[ROWS];
    ch_context *context = support_context(NULL, 1);
    fill(values, 0);
    for (int i = 0; i < ROWS; i++) weights[i] = 1 + i % 2;
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    ch_matrix library = X;
    library.cols = 2;
    for (int way = 0; way < 3; way++) {
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        set.rank = 3;
        if (way == 0) set.missing = CH_MISSING_NAN;
        if (way == 1) set.row_weights = weights;
        if (way == 1) set.row_weight_count = ROWS;
        if (way == 2) set.library = &library;
        trouble t = {.X = &X, .set = &set};
        support_run_ranks(3, NULL, NULL, find_trouble, &t);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(t.status[r], CH_ERR_UNSUPPORTED);
            support_check(strstr(t.message[r], "in one process only") != NULL, "way %d: %s", way,
                          t.message[r]);
        }
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* ---- ranks that were called with different things ---- */

typedef struct quarrel {
    const ch_matrix *X;
    ch_anchors_settings set[3];
    const int64_t *keep; /* of rank 1                              */
    int project;         /* rank 1 calls ch_project(); 2: all do, rank 1 with another W */
    int missing;         /* rank 1 has no settings                 */
    int longer;          /* rank 1 has a row less                  */
    ch_status status[3];
    char message[3][512];
} quarrel;

static void join_quarrel(void *user, ch_context *context, int rank) {
    static const double W[2][ROWS] = {{1, 1}, {1, 2}};
    quarrel *q = user;
    ch_anchors_result result = {.size = sizeof result};
    ch_matrix part = part_of(context, q->X);
    if (rank == 1 && q->longer) part.rows--;
    double *H = calloc((size_t)part.cols + 1, sizeof *H);
    const ch_anchors_settings *set = rank == 1 && q->missing ? NULL : &q->set[rank];
    if (q->project == 2 || (q->project && rank == 1))
        q->status[rank] = ch_project(context, H, NULL, &part, W[rank == 1], 1, set);
    else
        q->status[rank] = ch_anchors(context, &result, &part, set);
    snprintf(q->message[rank], sizeof q->message[rank], "%s", ch_context_message(context));
    if (q->status[rank] >= 0) ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &part);
    free(H);
}

static void all_refuse(quarrel *q, ch_status wanted, const char *words) {
    support_run_ranks(3, NULL, NULL, join_quarrel, q);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(q->status[r], wanted);
        if (!strstr(q->message[r], words)) print_error("%s\n", q->message[r]);
        assert_non_null(strstr(q->message[r], words));
    }
}

static quarrel agreement(const ch_matrix *X) {
    quarrel q = {.X = X};
    for (int r = 0; r < 3; r++) {
        ch_anchors_defaults(&q.set[r]);
        q.set[r].rank = 3;
    }
    return q;
}

/* Settings, the call itself, the shape or W of one rank are not those of the others, or its
 * arguments are refused: all say which, and none is left waiting. */
static void all_hear_of_a_difference(void **state) {
    (void)state;
    static double values[ROWS * COLS];
    static const int64_t keep[] = {4};
    ch_context *context = support_context(NULL, 1);
    fill(values, 0);
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    quarrel q = agreement(&X);
    q.set[1].rank = 4;
    all_refuse(&q, CH_ERR_SETTING, "process 1 has the setting rank = 4, but process 0 has 3");
    q = agreement(&X);
    q.set[2].loss = CH_LOSS_L2;
    all_refuse(&q, CH_ERR_SETTING, "process 2 has the setting loss = l2, but process 0 has l1");
    q = agreement(&X);
    q.set[2].tol = 1e-8;
    all_refuse(&q, CH_ERR_SETTING, "process 2 has the setting tol = ");
    q = agreement(&X);
    q.set[1].keep = keep;
    q.set[1].keep_count = 1;
    all_refuse(&q, CH_ERR_SETTING, "process 1 has other values of keep");
    q = agreement(&X);
    q.longer = 1;
    all_refuse(&q, CH_ERR_ARGUMENT, "process 1 has ");
    q = agreement(&X);
    q.project = 1;
    all_refuse(&q, CH_ERR_ARGUMENT,
               "process 1 calls the function ch_project, but process 0 calls ch_anchors; all "
               "processes must call the same function");
    q.project = 2;
    all_refuse(&q, CH_ERR_ARGUMENT, "process 1 projects onto another W than process 0");
    q = agreement(&X);
    q.missing = 1;
    all_refuse(&q, CH_ERR_ARGUMENT, "must not be NULL");
    q = agreement(&X);
    q.set[1].tol = -1;
    all_refuse(&q, CH_ERR_SETTING, "tol");
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* The k-th allocation of one rank fails: all say so, none waits for ever, nothing is lost. */
static void all_hear_of_missing_memory(void **state) {
    (void)state;
    static double values[ROWS * COLS];
    static const int methods[] = {CH_METHOD_XRAY, CH_METHOD_SPA};
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.keep_duals = 1;
    fill(values, 1);
    ch_matrix X = make_view(context, values, CH_CSC, CH_U8);
    for (int m = 0; m < 2; m++) {
        int failed = 1;
        set.method = methods[m];
        set.rank = 3;
        for (int64_t k = 1; failed; k++) {
            support_memory memory[2] = {{0}, {0}};
            trouble t = {.X = &X, .set = &set, .memory = memory, .fail_at = k};
            support_run_ranks(2, NULL, memory, find_trouble, &t);
            failed = memory[1].failed > 0;
            support_check(t.status[0] == t.status[1], "allocation %d: status %d and %d", (int)k,
                          t.status[0], t.status[1]);
            if (t.status[0] < 0)
                support_check(t.status[0] == CH_ERR_MEMORY && strstr(t.message[0], "rank 1"),
                              "allocation %d: %s", (int)k, t.message[0]);
        }
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* A checkpoint on a disk with room for so many records. */
typedef struct full_disk {
    ch_checkpoint table;
    ch_context *context;
    int room, failed;
} full_disk;

static int has_none(void *user, int kind) {
    (void)user;
    (void)kind;
    return 0;
}

static ch_status add_while_room(void *user, const ch_record_piece *pieces, int count, int kind) {
    full_disk *disk = user;
    (void)pieces;
    (void)count;
    (void)kind;
    if (disk->failed) return chi_fail(disk->context, CH_ERR_IO, "an earlier write failed");
    if (disk->room-- > 0) return CH_OK;
    disk->failed = 1;
    return chi_fail(disk->context, CH_ERR_IO, "no space left");
}

typedef struct filling {
    trouble t;
    full_disk disk;
} filling;

static void fill_disk(void *user, ch_context *context, int rank) {
    filling *f = user;
    ch_checkpoint elsewhere = {
        .size = sizeof elsewhere, .name = "elsewhere", .seconds = f->disk.table.seconds};
    ch_anchors_settings set = *f->t.set;
    ch_anchors_result result = {.size = sizeof result};
    ch_matrix part = part_of(context, f->t.X);
    if (rank == 0) f->disk.context = context;
    set.checkpoint = rank == 0 ? &f->disk.table : &elsewhere;
    f->t.status[rank] = ch_anchors(context, &result, &part, &set);
    snprintf(f->t.message[rank], sizeof f->t.message[rank], "%s", ch_context_message(context));
    if (f->t.status[rank] >= 0) ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &part);
}

/* Whichever record does not fit any more, all say why. */
static void all_hear_of_a_full_disk(void **state) {
    (void)state;
    enum { RANKS = 3 };
    static double values[ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings set;
    int failed = 1, room = 0;
    ch_anchors_defaults(&set);
    set.rank = 3;
    fill(values, 0);
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    for (; failed; room++) {
        filling f = {.t = {.X = &X, .set = &set}, .disk = {.room = room}};
        f.disk.table = (ch_checkpoint){sizeof(ch_checkpoint), &f.disk, "disk", has_none, NULL,
                                       add_while_room,        1e9};
        support_run_ranks(RANKS, NULL, NULL, fill_disk, &f);
        failed = f.disk.failed;
        for (int r = 0; failed && r < RANKS; r++)
            support_check(f.t.status[r] == CH_ERR_IO && strstr(f.t.message[r], "no space left"),
                          "room for %d, rank %d: status %d, %s", room, r, f.t.status[r],
                          f.t.message[r]);
    }
    /* Run, anchors, the first again, selection, H in waves of 16 columns and the rest. */
    assert_int_equal(room - 1, 1 + 3 + 1 + 1 + 2 * RANKS);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* ---- what goes between them ---- */

typedef struct cost {
    const ch_matrix *X;
    ch_anchors_settings set;
    ch_comm_cost of[7];
    int64_t projections; /* of all ranks */
} cost;

static void find_cost(void *user, ch_context *context, int rank) {
    cost *c = user;
    ch_anchors_result result = {.size = sizeof result};
    ch_matrix part = part_of(context, c->X);
    support_check(ch_anchors(context, &result, &part, &c->set) >= 0, "%s",
                  ch_context_message(context));
    c->of[rank].size = sizeof *c->of;
    assert_int_equal(ch_context_comm_cost(context, &c->of[rank]), CH_OK);
    if (rank == 0) c->projections = result.projections;
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &part);
}

/* Per anchor two vectors of all rows, seven small exchanges and one for every round of the search
 * (docs/scaling.md); the rounds keep the ranks from projecting much more in all than one process
 * does; and time that a latency adds is that of the messages that follow one another. */
static void exchanges_are_few(void **state) {
    (void)state;
    enum { RANKS = 4, MORE = 3 };
    static double values[ROWS * COLS];
    ch_context *context = support_context(NULL, 1);
    fill(values, 0);
    ch_matrix X = make_view(context, values, CH_COLUMN_MAJOR, CH_F64);
    cost few = {.X = &X}, many, slow, alone;
    support_wire wires[3] = {{0, 0, 0}, {0, 0, 0}, {2e-3, 0, 0}};
    ch_anchors_defaults(&few.set);
    few.set.first = CH_FIRST_PAPER;
    few.set.select_only = 1;
    few.set.rank = 3;
    many = slow = alone = few;
    many.set.rank = slow.set.rank = alone.set.rank = 3 + MORE;
    support_run_ranks(RANKS, &wires[0], NULL, find_cost, &few);
    support_run_ranks(RANKS, &wires[1], NULL, find_cost, &many);
    support_run_ranks(RANKS, &wires[2], NULL, find_cost, &slow);
    find_cost(&alone, context, 0);
    double calls = (double)(many.of[0].calls - few.of[0].calls) / MORE;
    double bytes = (many.of[0].bytes - few.of[0].bytes) / MORE;
    double vectors = 2 * ROWS * sizeof(double), small = 56 * RANKS;
    support_check(calls <= 12, "%.1f exchanges an anchor", calls);
    /* Each rank projects its likeliest column at first, of which one process would do one. */
    int64_t work = alone.projections + alone.projections / 4 + RANKS * (3 + MORE);
    support_check(many.projections <= work, "%d projections, alone %d", (int)many.projections,
                  (int)alone.projections);
    support_check(bytes >= vectors && bytes <= vectors + ROWS * sizeof(double) + 8 * small,
                  "%.0f bytes an anchor, of which two vectors have %.0f", bytes, vectors);
    support_check(slow.of[0].calls == many.of[0].calls, "the latency changed what was exchanged");
    double paid = wires[2].latency * (double)wires[2].steps;
    support_check(slow.of[0].seconds >= 0.8 * paid, "%.3f s of exchanges, the latency takes %.3f",
                  slow.of[0].seconds, paid);
    print_message(
        "%d ranks: an anchor takes %.1f exchanges and %.0f bytes, of which two vectors of "
        "all rows have %.0f; %d messages one after the other\n",
        RANKS, calls, bytes, vectors, (int)((wires[1].steps - wires[0].steps) / MORE));
    print_message("projections: %d, alone %d\n", (int)many.projections, (int)alone.projections);
    print_message("with a latency of 2 ms: %.3f s in exchanges, %.3f by the model\n",
                  slow.of[0].seconds, paid);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_find_what_one_finds),  cmocka_unit_test(faces_reach_over_ranks),
        cmocka_unit_test(all_hear_of_bad_data),       cmocka_unit_test(all_hear_of_a_difference),
        cmocka_unit_test(imperfect_data_over_ranks),  cmocka_unit_test(some_are_for_one_process),
        cmocka_unit_test(all_hear_of_missing_memory), cmocka_unit_test(others_go_on),
        cmocka_unit_test(all_hear_of_a_full_disk),    cmocka_unit_test(exchanges_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
