/* How close the passes over X come to the speed of memory.
 *
 * Per storage type and layout: bytes per second of the scoring pass d'X (one vector and four), of
 * the column norms and of the check, against a plain read of the same bytes in the same run, each
 * the best of several turns taken in rotation. Share 1 means: as fast as reading.
 *
 *     bench_kernels [--json] [--mb SIZE] [--turns N] [--kernels NAME] */
#include "base/base.h"
#include "linalg/kernels.h"
#include "linalg/linalg.h"
#include <conehull/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, SPARSE_ROWS = 18000, SPARSE_COUNT = 60, READ_BLOCK = 1 << 20 };

typedef struct options {
    int json, turns;
    int64_t bytes;
    const char *kernels;
} options;

typedef struct subject {
    ch_context *context;
    ch_matrix X;
    int64_t bytes; /* of values and row numbers */
    double *D, *scores, *norms;
    uint64_t seen[4096]; /* per thread, a cache line apart: keeps the reads alive */
} subject;

static int64_t stored_bytes(const ch_matrix *X) {
    int64_t each = (int64_t)ch_type_size(X->type) + (X->layout == CH_CSC ? 4 : 0);
    return ch_matrix_stored(X) * each;
}

static uint64_t add_words(const uint64_t *word, int64_t count) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += word[i];
    return sum;
}

static void read_block(void *user, int64_t block, int thread) {
    subject *s = user;
    int64_t bytes = ch_matrix_stored(&s->X) * (int64_t)ch_type_size(s->X.type);
    int64_t from = block * READ_BLOCK,
            length = bytes - from < READ_BLOCK ? bytes - from : READ_BLOCK;
    if (length > 0)
        s->seen[thread * 8 % 4096] +=
            add_words((const void *)((const char *)s->X.values + from), length / 8);
}

static void plain_read(subject *s) {
    chi_parallel(s->context, (s->bytes + READ_BLOCK - 1) / READ_BLOCK, read_block, s);
}

static void score_one(subject *s) {
    chi_score(s->context, s->scores, &s->X, s->D, 1);
}

static void score_four(subject *s) {
    chi_score(s->context, s->scores, &s->X, s->D, CHI_SCORE_MAX);
}

static void norms(subject *s) {
    chi_column_norms(s->context, s->norms, s->norms + s->X.cols, &s->X);
}

static void check(subject *s) {
    ch_matrix_check(s->context, &s->X);
}

static const struct {
    const char *name;
    void (*pass)(subject *s);
} passes[] = {
    {"read", plain_read}, {"score", score_one}, {"score4", score_four},
    {"norms", norms},     {"check", check},
};
enum { PASSES = sizeof passes / sizeof *passes };

static void fill(void *values, ch_type type, int64_t count, ch_random *random) {
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

static void *need(size_t bytes) {
    void *block = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!block) exit(4);
    return block;
}

static void make_sparse(subject *s, ch_type type, int64_t bytes, ch_random *random) {
    int64_t cols = bytes / (SPARSE_COUNT * ((int64_t)ch_type_size(type) + 4));
    int64_t stored = cols * SPARSE_COUNT, *start = need((size_t)(cols + 1) * sizeof *start);
    int32_t *index = need((size_t)stored * sizeof *index);
    void *values = need((size_t)stored * ch_type_size(type));
    for (int64_t j = 0; j <= cols; j++) start[j] = j * SPARSE_COUNT;
    for (int64_t e = 0; e < stored; e++) {
        int32_t width = SPARSE_ROWS / SPARSE_COUNT;
        index[e] = (int32_t)(e % SPARSE_COUNT) * width + (int32_t)ch_random_below(random, width);
    }
    fill(values, type, stored, random);
    ch_matrix_borrow_csc(s->context, &s->X, values, start, index, SPARSE_ROWS, cols, type);
}

static void make(subject *s, ch_layout layout, ch_type type, int64_t bytes) {
    ch_random random;
    ch_random_seed(&random, 1);
    if (layout == CH_CSC) {
        make_sparse(s, type, bytes, &random);
    } else {
        int64_t cols = bytes / (ROWS * (int64_t)ch_type_size(type));
        void *values = need((size_t)(cols * ROWS) * ch_type_size(type));
        fill(values, type, cols * ROWS, &random);
        ch_matrix_borrow_dense(s->context, &s->X, values, ROWS, cols,
                               layout == CH_ROW_MAJOR ? cols : ROWS, layout, type);
    }
    s->bytes = stored_bytes(&s->X);
    s->D = need((size_t)(s->X.rows * CHI_SCORE_MAX) * sizeof(double));
    s->scores = need((size_t)(s->X.cols * CHI_SCORE_MAX) * sizeof(double));
    s->norms = need((size_t)(s->X.cols * 2) * sizeof(double));
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

static void measure(subject *s, double *best, int turns) {
    for (int p = 0; p < PASSES; p++) best[p] = 1e30;
    for (int turn = 0; turn < turns; turn++)
        for (int p = 0; p < PASSES; p++) {
            double start = chi_seconds();
            passes[p].pass(s);
            double seconds = chi_seconds() - start;
            if (seconds < best[p]) best[p] = seconds;
        }
}

/* A plain read of a CSC matrix reads its values; the row numbers are as many bytes again or more,
 * so speeds are compared, not times. */
static void say(const subject *s, const char *what, int threads, const double *best, int json,
                int first) {
    double read = (double)(ch_matrix_stored(&s->X) * (int64_t)ch_type_size(s->X.type)) / best[0];
    if (json)
        printf("%s\n  {\"type\": \"%s\", \"layout\": \"%s\", \"threads\": %d, \"read_gbs\": %.3f",
               first ? "" : ",", ch_type_name(s->X.type), what, threads, read / 1e9);
    else
        printf("%-4s %-7s %d  %6.2f", ch_type_name(s->X.type), what, threads, read / 1e9);
    for (int p = 1; p < PASSES; p++) {
        double speed = (double)s->bytes / best[p];
        int skipped = p == PASSES - 1 && s->X.layout != CH_CSC && s->X.type >= CH_U8;
        if (skipped && !json) printf("       -      ");
        if (skipped) continue;
        if (json)
            printf(", \"%s_gbs\": %.3f, \"%s_share\": %.3f", passes[p].name, speed / 1e9,
                   passes[p].name, speed / read);
        else
            printf("  %6.2f (%.2f)", speed / 1e9, speed / read);
    }
    printf(json ? "}" : "\n");
    fflush(stdout);
}

static options parse(int count, char **word) {
    options set = {0, 7, 160000000, NULL};
    for (int w = 1; w < count; w++) {
        int last = w + 1 == count;
        if (!strcmp(word[w], "--json"))
            set.json = 1;
        else if (!last && !strcmp(word[w], "--mb"))
            set.bytes = atoll(word[++w]) * 1000000;
        else if (!last && !strcmp(word[w], "--turns"))
            set.turns = atoi(word[++w]);
        else if (!last && !strcmp(word[w], "--kernels"))
            set.kernels = word[++w];
        else
            exit((fprintf(stderr, "unknown option %s\n", word[w]), 2));
    }
    if (set.bytes < 1000000) set.bytes = 1000000;
    if (set.turns < 1) set.turns = 1;
    return set;
}

int main(int count, char **word) {
    static const struct {
        ch_type type;
        ch_layout layout;
        const char *name;
    } cases[] = {
        {CH_F64, CH_COLUMN_MAJOR, "columns"},
        {CH_F32, CH_COLUMN_MAJOR, "columns"},
        {CH_U16, CH_COLUMN_MAJOR, "columns"},
        {CH_U8, CH_COLUMN_MAJOR, "columns"},
        {CH_F64, CH_ROW_MAJOR, "rows"},
        {CH_F32, CH_ROW_MAJOR, "rows"},
        {CH_U16, CH_ROW_MAJOR, "rows"},
        {CH_U8, CH_ROW_MAJOR, "rows"},
        {CH_F64, CH_CSC, "csc"},
        {CH_F32, CH_CSC, "csc"},
        {CH_U8, CH_CSC, "csc"},
    };
    static subject s;
    options set = parse(count, word);
    if (set.kernels && !chi_kernels_use(set.kernels)) {
        fprintf(stderr, "no kernels %s here\n", set.kernels);
        return 2;
    }
    if (ch_context_create(&s.context, NULL) < 0) return 4;
    if (set.json)
        printf("{\"kernels\": \"%s\", \"results\": [", ch_kernel_name());
    else
        printf("kernels %s; GB/s (share of a plain read)\n"
               "type layout  threads read  score          score4         norms          check\n",
               ch_kernel_name());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        make(&s, cases[k].layout, cases[k].type, set.bytes);
        for (int threads = 1; threads <= 2; threads++) {
            double best[PASSES];
            ch_context_set_threads(s.context, threads);
            measure(&s, best, set.turns);
            say(&s, cases[k].name, threads, best, set.json, k == 0 && threads == 1);
        }
        discard(&s);
    }
    if (set.json) printf("\n]}\n");
    ch_context_destroy(s.context);
    return 0;
}
