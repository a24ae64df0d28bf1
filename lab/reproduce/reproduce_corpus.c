/* The documents of the paper's Section 5.2, and how alike two of them are. */
#include "reproduce/reproduce_corpus.h"
#include "common/try.h"
#include "names/class_labels.h"
#include <conehull/exemplars.h>
#include <conehull/io.h>
#include <stdlib.h>

static int read_labels(repro_corpus *corpus, const cli_session *session, const char *path) {
    ch_text_list labels = {0};
    int64_t count = 0;
    size_t cols = (size_t)corpus->X.cols;
    const char **names = malloc(cols * sizeof *names);
    corpus->classes = malloc(cols * sizeof *corpus->classes);
    int code =
        names && corpus->classes
            ? cli_check(session, ch_text_list_read(session->context, &labels, path, corpus->X.cols,
                                                   "documents of the counts beside it"))
            : cli_no_memory();
    if (code == EXIT_DONE) code = cli_number_classes(corpus->classes, names, &count, &labels, path);
    ch_text_list_free(session->context, &labels);
    free(names);
    return code;
}

static int read_files(repro_corpus *corpus, const cli_session *session, const char *counts,
                      const char *labels) {
    static const ch_weighting unit = {CH_VALUE_RAW, CH_COLUMN_L2};
    ch_context *context = session->context;
    TRY(cli_check(session, ch_matrix_read(context, &corpus->X, counts, NULL)));
    if (corpus->X.layout != CH_CSC)
        return cli_error(
            EXIT_USAGE,
            "%s: the matrix is not sparse; give a Matrix Market file in the format coordinate",
            counts);
    TRY(read_labels(corpus, session, labels));
    return cli_check(session, ch_weighting_apply(context, &corpus->unit, &corpus->X, NULL, &unit));
}

int repro_corpus_read(repro_corpus *corpus, const cli_session *session, const char *folder,
                      const char *name) {
    char *counts = NULL, *labels = NULL;
    if (asprintf(&counts, "%s/%s.mtx.gz", folder, name) < 0) counts = NULL;
    if (asprintf(&labels, "%s/%s.labels", folder, name) < 0) labels = NULL;
    int code = counts && labels ? read_files(corpus, session, counts, labels) : cli_no_memory();
    free(counts);
    free(labels);
    return code;
}

void repro_corpus_free(repro_corpus *corpus, const cli_session *session) {
    ch_matrix_free(session->context, &corpus->X);
    ch_matrix_free(session->context, &corpus->unit);
    free(corpus->classes);
}

/* <x_a, x_b> of two sparse columns of length 1. */
static double cosine(const ch_matrix *X, int64_t a, int64_t b) {
    const double *values = X->values;
    int64_t i = X->column_start[a], j = X->column_start[b];
    double sum = 0;
    while (i < X->column_start[a + 1] && j < X->column_start[b + 1]) {
        if (X->row_index[i] == X->row_index[j])
            sum += values[i++] * values[j++];
        else if (X->row_index[i] < X->row_index[j])
            i++;
        else
            j++;
    }
    return sum;
}

int64_t repro_corpus_clean(int64_t *kept, const repro_corpus *corpus, const int64_t *columns,
                           int64_t count, double most) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = 0;
        while (i < found && cosine(&corpus->unit, kept[i], columns[k]) <= most) i++;
        if (i == found) kept[found++] = columns[k];
    }
    return found;
}
