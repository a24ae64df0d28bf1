/* How close the passes over X come to the speed of memory.
 *
 * Per storage type and layout, on one thread and on --threads: the scoring pass d'X with one vector
 * and with four, the column norms and the check of the values, each against a plain read of the
 * same bytes in the same run. Ratio 1 means: as fast as reading; below 1 is possible, since four
 * columns at a time keep more of memory busy than one stream does. */
#include "base/base.h"
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/plain_read.h"
#include "linalg/linalg.h"
#include <conehull/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, SPARSE_ROWS = 18000, SPARSE_COUNT = 60 };

typedef struct subject {
    ch_context *context;
    ch_matrix X;
    bench_block block;
    double *D, *scores, *norms;
} subject;

static int score_one(void *user, bench_time *time) {
    subject *s = user;
    (void)time;
    chi_score(s->context, s->scores, &s->X, s->D, 1);
    return EXIT_DONE;
}

static int score_four(void *user, bench_time *time) {
    subject *s = user;
    (void)time;
    chi_score(s->context, s->scores, &s->X, s->D, CHI_SCORE_MAX);
    return EXIT_DONE;
}

static int norms(void *user, bench_time *time) {
    subject *s = user;
    (void)time;
    chi_column_norms(s->context, s->norms, s->norms + s->X.cols, &s->X);
    return EXIT_DONE;
}

static int check(void *user, bench_time *time) {
    subject *s = user;
    (void)time;
    ch_matrix_check(s->context, &s->X);
    return EXIT_DONE;
}

enum { SCORE, SCORE_FOUR, NORMS, CHECK, PASSES };
static const struct {
    const char *name;
    int (*run)(void *user, bench_time *time);
    double at_most;
} passes[PASSES] = {[SCORE] = {"score", score_one, 1.1},
                    [SCORE_FOUR] = {"score x4", score_four, 0},
                    [NORMS] = {"norms", norms, 0},
                    [CHECK] = {"check", check, 0}};

static void *need(int64_t count, size_t size) {
    void *block = aligned_alloc(64, ((size_t)count * size + 127) / 64 * 64);
    if (!block) exit(EXIT_MEMORY);
    return block;
}

static void fill(void *values, ch_value_type type, int64_t count, ch_random *random) {
    for (int64_t e = 0; e < count; e++) {
        uint64_t bits = ch_random_bits(random);
        switch (type) {
        case CH_F64:
            ((double *)values)[e] = (double)(bits >> 40);
            break;
        case CH_F32:
            ((float *)values)[e] = (float)(bits >> 40);
            break;
        case CH_U8:
            ((uint8_t *)values)[e] = (uint8_t)bits;
            break;
        case CH_U16:
            ((uint16_t *)values)[e] = (uint16_t)bits;
            break;
        }
    }
}

static void make_sparse(subject *s, ch_value_type type, int64_t bytes, ch_random *random) {
    int64_t each = (int64_t)ch_value_type_size(type) + 4,
            cols = bytes / (SPARSE_COUNT * each) / 4 * 4;
    int64_t stored = cols * SPARSE_COUNT, *start = need(cols + 1, sizeof *start);
    void *values = need(stored, ch_value_type_size(type));
    int32_t *index = need(stored, sizeof *index);
    for (int64_t j = 0; j <= cols; j++) start[j] = j * SPARSE_COUNT;
    for (int64_t e = 0; e < stored; e++) {
        int32_t width = SPARSE_ROWS / SPARSE_COUNT;
        index[e] = (int32_t)(e % SPARSE_COUNT) * width + (int32_t)ch_random_below(random, width);
    }
    fill(values, type, stored, random);
    const ch_matrix of = {.rows = SPARSE_ROWS,
                          .cols = cols,
                          .layout = CH_CSC,
                          .type = type,
                          .values = values,
                          .column_start = start,
                          .row_index = index};
    ch_matrix_borrow(s->context, &s->X, &of);
}

static void make_dense(subject *s, ch_matrix_layout layout, ch_value_type type, int64_t bytes,
                       ch_random *random) {
    int64_t cols = bytes / (ROWS * (int64_t)ch_value_type_size(type));
    void *values = need(cols * ROWS, ch_value_type_size(type));
    fill(values, type, cols * ROWS, random);
    const ch_matrix of = {
        .rows = ROWS, .cols = cols, .layout = layout, .type = type, .values = values};
    ch_matrix_borrow(s->context, &s->X, &of);
}

static void make(subject *s, ch_matrix_layout layout, ch_value_type type, int64_t bytes) {
    ch_random random;
    ch_random_seed(&random, 1);
    if (layout == CH_CSC)
        make_sparse(s, type, bytes, &random);
    else
        make_dense(s, layout, type, bytes, &random);
    s->D = need(s->X.rows * CHI_SCORE_MAX, sizeof(double));
    s->scores = need(s->X.cols * CHI_SCORE_MAX, sizeof(double));
    s->norms = need(s->X.cols * 2, sizeof(double));
    for (int64_t i = 0; i < s->X.rows * CHI_SCORE_MAX; i++) s->D[i] = ch_random_normal(&random);
}

static void discard(subject *s) {
    free((void *)(uintptr_t)s->X.values);
    free((void *)(uintptr_t)s->X.column_start);
    free((void *)(uintptr_t)s->X.row_index);
    free(s->D);
    free(s->scores);
    free(s->norms);
}

/* Returns whether a pass is not measured: norms of sparse columns do not read row numbers, and
 * dense integers need no check. */
static int is_idle(const ch_matrix *X, int pass) {
    if (X->layout == CH_CSC) return pass == NORMS;
    return pass == CHECK && X->type >= CH_U8;
}

static int measure(bench_run *run, subject *s, const char *layout) {
    bench_work works[PASSES + 1] = {{"a plain read", bench_plain_read, &s->block}};
    bench_series series[PASSES + 1];
    const char *type = ch_value_type_name(s->X.type);
    for (int p = 0; p < PASSES; p++) works[p + 1] = (bench_work){passes[p].name, passes[p].run, s};
    int code = bench_code(run, ch_context_set_threads(s->context, run->threads));
    s->block = bench_block_of(&s->X, run->threads);
    if (code == EXIT_DONE) code = bench_take_turns(run, series, works, PASSES + 1);
    for (int p = 0; p < PASSES && code == EXIT_DONE; p++) {
        if (is_idle(&s->X, p)) continue;
        bench_record record = bench_ratio(run, &series[p + 1], &series[0], 1);
        snprintf(record.name, sizeof record.name, "%s %s, %d: %s", type, layout, run->threads,
                 passes[p].name);
        snprintf(record.data, sizeof record.data, "%lld x %lld, %s, %s", (long long)s->X.rows,
                 (long long)s->X.cols, type, layout);
        record.bytes = bench_block_bytes(&s->block);
        if (s->X.type <= CH_F32 && s->X.layout != CH_CSC) record.at_most = passes[p].at_most;
        code = bench_add(run, &record);
    }
    return code;
}

static int measure_threads(bench_run *run, subject *s, const char *layout) {
    int most = run->threads;
    run->threads = 1;
    int code = measure(run, s, layout);
    run->threads = most;
    return code == EXIT_DONE && most > 1 ? measure(run, s, layout) : code;
}

int bench_passes(bench_run *run) {
    static const struct {
        ch_matrix_layout layout;
        const char *name;
        int types; /* u16 is left out of CSC */
    } cases[] = {{CH_COLUMN_MAJOR, "columns", 4}, {CH_ROW_MAJOR, "rows", 4}, {CH_CSC, "csc", 3}};
    subject s = {.context = run->session->context};
    int code = EXIT_DONE;
    for (int k = 0; k < 3; k++)
        for (int type = 0; type < cases[k].types && code == EXIT_DONE; type++) {
            make(&s, cases[k].layout, type, run->quick ? 16000000 : 160000000);
            code = measure_threads(run, &s, cases[k].name);
            discard(&s);
        }
    return code;
}
