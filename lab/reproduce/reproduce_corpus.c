/* The documents of the paper's Section 5.2, and how alike two of them are. */
#include "reproduce/reproduce_corpus.h"
#include "common/class_labels.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <conehull/exemplars.h>
#include <conehull/io.h>
#include <stdlib.h>
#include <string.h>

static int failed(const cli_session *session, ch_status status) {
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return status < 0 ? cli_fail(session, status, NULL) : EXIT_DONE;
}

static int read_labels(repro_corpus *corpus, const cli_session *session, const char *path) {
    ch_text_list labels;
    int64_t count = 0;
    size_t cols = (size_t)corpus->X.cols;
    memset(&labels, 0, sizeof labels);
    const char **names = malloc(cols * sizeof *names);
    corpus->classes = malloc(cols * sizeof *corpus->classes);
    int code = names && corpus->classes ? EXIT_DONE : EXIT_MEMORY;
    if (code == EXIT_DONE)
        code = failed(session, ch_text_list_read(session->context, &labels, path, corpus->X.cols,
                                                 "documents of the counts beside it"));
    if (code == EXIT_DONE) code = cli_number_classes(corpus->classes, names, &count, &labels, path);
    ch_text_list_free(session->context, &labels);
    free(names);
    return code;
}

int repro_corpus_read(repro_corpus *corpus, const cli_session *session, const char *folder,
                      const char *name) {
    const ch_weighting unit = {CH_VALUE_RAW, CH_COLUMN_L2};
    char *counts = NULL, *labels = NULL;
    int code = EXIT_MEMORY;
    if (asprintf(&counts, "%s/%s.mtx.gz", folder, name) < 0) counts = NULL;
    if (asprintf(&labels, "%s/%s.labels", folder, name) < 0) labels = NULL;
    if (counts && labels)
        code = failed(session, ch_matrix_read(session->context, &corpus->X, counts, NULL));
    if (code == EXIT_DONE && corpus->X.layout != CH_CSC) {
        cli_complain("%s: is not sparse; a coordinate Matrix Market file is expected", counts);
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = read_labels(corpus, session, labels);
    if (code == EXIT_DONE)
        code = failed(session,
                      ch_weighting_apply(session->context, &corpus->unit, &corpus->X, NULL, &unit));
    free(counts);
    free(labels);
    if (code == EXIT_MEMORY) cli_complain("out of memory");
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
