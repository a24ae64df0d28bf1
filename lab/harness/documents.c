/* Documents as counts of words: real documents, or generated ones. */
#include "harness/documents.h"
#include "common/exit_codes.h"
#include "common/output_folder.h"
#include <conehull/io.h>
#include <conehull/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int keep_every_fourth(const bench_run *run, ch_matrix *X) {
    ch_matrix all = *X;
    int64_t count = (all.cols + 3) / 4, *list = malloc((size_t)count * sizeof *list);
    if (!list) return cli_no_memory();
    for (int64_t i = 0; i < count; i++) list[i] = 4 * i;
    int code = bench_code(run, ch_matrix_copy(run->session->context, X, &all, list, count));
    ch_matrix_free(run->session->context, &all);
    free(list);
    return code;
}

static int read_documents(const bench_run *run, ch_matrix *X, const char *name) {
    char *path = cli_path_join(run->data, name);
    if (!path) return cli_no_memory();
    int code = bench_code(run, ch_matrix_read(run->session->context, X, path, NULL));
    free(path);
    return code == EXIT_DONE && run->quick ? keep_every_fourth(run, X) : code;
}

/* ---- generated documents ---- */

enum { TERMS = 3000, TOPICS = 20, LEAST_WORDS = 40, MORE_WORDS = 160 };

/* Fills share[0 .. TERMS) with the cumulative distribution of the words of a topic: in a random
 * order, the probability of word i is proportional to 1 / (i + 3). */
static void make_topic(double *share, ch_random *random) {
    int64_t order[TERMS];
    double total = 0;
    for (int64_t i = 0; i < TERMS; i++) order[i] = i;
    ch_random_shuffle(random, order, TERMS);
    for (int64_t i = 0; i < TERMS; i++) share[order[i]] = 1 / ((double)i + 3);
    for (int64_t i = 0; i < TERMS; i++) share[i] = total += share[i];
    for (int64_t i = 0; i < TERMS; i++) share[i] /= total;
}

static int64_t draw(const double *share, int64_t count, ch_random *random) {
    double at = ch_random_uniform(random);
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (share[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Draws the counts of a document of a few topics; each of the first TOPICS documents has a single
 * topic. */
static void make_document(double *count, const double *topics, int64_t document,
                          ch_random *random) {
    double weight[TOPICS], alpha[TOPICS], sum = 0;
    for (int k = 0; k < TOPICS; k++) alpha[k] = 0.1;
    ch_random_dirichlet(random, weight, alpha, TOPICS);
    for (int k = 0; k < TOPICS; k++) weight[k] = sum += weight[k];
    int64_t words = LEAST_WORDS + ch_random_below(random, MORE_WORDS);
    memset(count, 0, TERMS * sizeof *count);
    while (words-- > 0) {
        int64_t topic = document < TOPICS ? document : draw(weight, TOPICS, random);
        count[draw(topics + topic * TERMS, TERMS, random)]++;
    }
}

static void fill(bench_documents *made, double *topics, double *count, int64_t documents) {
    ch_random random;
    int64_t used = 0;
    ch_random_seed(&random, 1);
    for (int k = 0; k < TOPICS; k++) make_topic(topics + k * TERMS, &random);
    made->start[0] = 0;
    for (int64_t j = 0; j < documents; j++) {
        make_document(count, topics, j, &random);
        for (int32_t i = 0; i < TERMS; i++) {
            if (count[i] == 0) continue;
            made->row[used] = i;
            made->values[used++] = count[i];
        }
        made->start[j + 1] = used;
    }
}

static int make_documents(const bench_run *run, bench_documents *made, int64_t documents) {
    size_t most = (size_t)(documents * (LEAST_WORDS + MORE_WORDS));
    double *topics = malloc((TOPICS + 1) * TERMS * sizeof *topics);
    made->values = malloc(most * sizeof *made->values);
    made->row = malloc(most * sizeof *made->row);
    made->start = malloc((size_t)(documents + 1) * sizeof *made->start);
    int code = topics && made->values && made->row && made->start ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE) {
        fill(made, topics, topics + TOPICS * TERMS, documents);
        code = bench_code(run, ch_matrix_borrow(run->session->context, &made->X,
                                                &(ch_matrix){.rows = TERMS,
                                                             .cols = documents,
                                                             .layout = CH_CSC,
                                                             .values = made->values,
                                                             .column_start = made->start,
                                                             .row_index = made->row}));
    }
    free(topics);
    return code;
}

int bench_documents_open(bench_documents *documents, const bench_run *run, const char *name) {
    memset(documents, 0, sizeof *documents);
    char path[100];
    snprintf(path, sizeof path, "text/%s/%s.mtx.gz", name, name);
    int code = run->data ? read_documents(run, &documents->X, path)
                         : make_documents(run, documents, run->quick ? 400 : 1500);
    if (code == EXIT_DONE)
        snprintf(documents->data, sizeof documents->data, "%s, %lld x %lld, %lld non-zeros",
                 run->data ? name : "generated documents", (long long)documents->X.rows,
                 (long long)documents->X.cols, (long long)ch_matrix_stored(&documents->X));
    return code;
}

void bench_documents_close(bench_documents *documents, const bench_run *run) {
    ch_matrix_free(run->session->context, &documents->X);
    free(documents->values);
    free(documents->row);
    free(documents->start);
}
