/* How close the passes over X come to the speed of memory.
 *
 * Per storage type and layout, on one thread and on --threads: the scoring pass d'X with one vector
 * and with four, the column norms and the check of the values, each against a plain read of the
 * same bytes in the same run. Ratio 1 means: as fast as reading; below 1 is possible, since four
 * columns at a time keep more of memory busy than one stream does. Besides the shared options
 *
 *     --mb SIZE        megabytes of X (160); below the cache's size the arithmetic shows
 *     --kernels NAME   avx512, avx2 or portable instead of the best */
#include "base/base.h"
#include "harness/harness.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include <conehull/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, SPARSE_ROWS = 18000, SPARSE_COUNT = 60 };

typedef struct subject {
    ch_context *context;
    ch_matrix X;
    bench_block block; /* values and, for CSC, row numbers behind them */
    double *D, *scores, *norms;
} subject;

static void score_one(void *user) {
    subject *s = user;
    chi_score(s->context, s->scores, &s->X, s->D, 1);
}

static void score_four(void *user) {
    subject *s = user;
    chi_score(s->context, s->scores, &s->X, s->D, CHI_SCORE_MAX);
}

static void norms(void *user) {
    subject *s = user;
    chi_column_norms(s->context, s->norms, s->norms + s->X.cols, &s->X);
}

static void check(void *user) {
    subject *s = user;
    ch_matrix_check(s->context, &s->X);
}

static const struct {
    const char *name;
    void (*run)(void *user);
    double goal;
} passes[] = {
    {"score", score_one, 1.1},
    {"score x4", score_four, 0},
    {"norms", norms, 0},
    {"check", check, 0},
};
enum { PASSES = sizeof passes / sizeof *passes };

static void *need(int64_t count, size_t size) {
    void *block = aligned_alloc(64, ((size_t)count * size + 127) / 64 * 64);
    if (!block) exit(4);
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
    char *values = need(stored, (size_t)each);
    int32_t *index = (int32_t *)(void *)(values + stored * (int64_t)ch_value_type_size(type));
    for (int64_t j = 0; j <= cols; j++) start[j] = j * SPARSE_COUNT;
    for (int64_t e = 0; e < stored; e++) {
        int32_t width = SPARSE_ROWS / SPARSE_COUNT;
        index[e] = (int32_t)(e % SPARSE_COUNT) * width + (int32_t)ch_random_below(random, width);
    }
    fill(values, type, stored, random);
    ch_matrix_borrow_csc(s->context, &s->X, values, start, index, SPARSE_ROWS, cols, type);
    s->block.count = (size_t)(stored * each);
}

static void make_dense(subject *s, ch_matrix_layout layout, ch_value_type type, int64_t bytes,
                       ch_random *random) {
    int64_t cols = bytes / (ROWS * (int64_t)ch_value_type_size(type));
    void *values = need(cols * ROWS, ch_value_type_size(type));
    fill(values, type, cols * ROWS, random);
    ch_matrix_borrow_dense(s->context, &s->X, values, ROWS, cols,
                           layout == CH_ROW_MAJOR ? cols : ROWS, layout, type);
    s->block.count = (size_t)(cols * ROWS) * ch_value_type_size(type);
}

static void make(subject *s, ch_matrix_layout layout, ch_value_type type, int64_t bytes) {
    ch_random random;
    ch_random_seed(&random, 1);
    if (layout == CH_CSC)
        make_sparse(s, type, bytes, &random);
    else
        make_dense(s, layout, type, bytes, &random);
    s->block.bytes = s->X.values;
    s->D = need(s->X.rows * CHI_SCORE_MAX, sizeof(double));
    s->scores = need(s->X.cols * CHI_SCORE_MAX, sizeof(double));
    s->norms = need(s->X.cols * 2, sizeof(double));
    for (int64_t i = 0; i < s->X.rows * CHI_SCORE_MAX; i++) s->D[i] = ch_random_normal(&random);
}

static void discard(subject *s) {
    free((void *)(uintptr_t)s->X.values);
    free((void *)(uintptr_t)s->X.column_start);
    free(s->D);
    free(s->scores);
    free(s->norms);
}

static void measure(subject *s, const char *layout, const bench_options *options) {
    bench_work works[PASSES + 1] = {{bench_plain_read, &s->block}};
    bench_time times[PASSES + 1];
    int values_only = s->X.layout == CH_CSC ? 2 : -1; /* the norms do not look at row numbers */
    int nothing = s->X.layout != CH_CSC && s->X.type >= CH_U8 ? 3 : -1; /* integers need no check */
    for (int p = 0; p < PASSES; p++) works[p + 1] = (bench_work){passes[p].run, s};
    ch_context_set_threads(s->context, options->threads);
    s->block.threads = options->threads;
    bench_take_turns(times, works, PASSES + 1, options);
    for (int p = 0; p < PASSES; p++) {
        char name[64];
        if (p == values_only || p == nothing) continue;
        snprintf(name, sizeof name, "%s %s, %d: %s", ch_value_type_name(s->X.type), layout,
                 options->threads, passes[p].name);
        bench_report(options, name, &times[p + 1], 1, &times[0], (double)s->block.count,
                     s->X.type <= CH_F32 && s->X.layout != CH_CSC ? passes[p].goal : 0);
    }
    fflush(stdout);
}

/* Takes an option of our own, and its value, out of the words. */
static const char *take(int *count, char **words, const char *option) {
    for (int w = 1; w + 1 < *count; w++) {
        if (strcmp(words[w], option)) continue;
        const char *value = words[w + 1];
        memmove(words + w, words + w + 2, (size_t)(*count - w - 2) * sizeof *words);
        *count -= 2;
        return value;
    }
    return NULL;
}

int main(int count, char **words) {
    static const struct {
        ch_matrix_layout layout;
        const char *name;
        int types; /* u16 is left out of CSC */
    } cases[] = {{CH_COLUMN_MAJOR, "columns", 4}, {CH_ROW_MAJOR, "rows", 4}, {CH_CSC, "csc", 3}};
    subject s = {0};
    const char *mb = take(&count, words, "--mb"), *kernels = take(&count, words, "--kernels");
    int64_t bytes = mb && atoll(mb) > 0 ? atoll(mb) * 1000000 : 160000000;
    bench_options options = bench_start(count, words);
    int most = options.threads;
    if (kernels && !chi_kernels_use(kernels)) {
        fprintf(stderr, "no kernels \"%s\" on this processor\n", kernels);
        return 2;
    }
    if (ch_context_create(&s.context, NULL) < 0) return 4;
    fprintf(stderr, "kernels: %s\n", ch_kernel_name());
    for (int k = 0; k < 3; k++)
        for (int type = 0; type < cases[k].types; type++) {
            make(&s, cases[k].layout, type, bytes);
            for (options.threads = 1; options.threads <= most;
                 options.threads = options.threads < most ? most : most + 1)
                measure(&s, cases[k].name, &options);
            discard(&s);
        }
    ch_context_destroy(s.context);
    return 0;
}
