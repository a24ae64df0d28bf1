/* The JSON of conehull topics. */
#include "topics/topics_command.h"
#include <conehull/version.h>
#include <stdlib.h>

enum { TYPICAL = 5 }; /* documents shown per topic */

/* The words of one list with their p(w | z). */
static json_t *words_json(const ch_topics *topics, const ch_text_list *terms, const int64_t *list,
                          int64_t topic) {
    json_t *words = json_array();
    for (int64_t k = 0; k < topics->top; k++) {
        double weight = topics->topic_word[topic + list[k] * topics->rank];
        if (!(weight > 0)) continue; /* fills the list of a topic of few words up */
        words =
            cli_json_append(words, json_pack("{ss sI so}", "term", terms->text[list[k]], "row",
                                             (json_int_t)list[k], "weight", cli_json_real(weight)));
    }
    return words;
}

static int compare_reals(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Short documents are easily of one topic alone: typical ones are at least as long as the median.
 * Fills long_enough[0..documents); 0 without memory. */
static int find_long(char *long_enough, const ch_matrix *X) {
    double *length = calloc(2 * (size_t)X->cols, sizeof *length);
    if (!length) return 0;
    double *sorted = length + X->cols;
    for (int64_t j = 0; j < X->cols; j++) {
        if (X->layout == CH_CSC) length[j] = (double)(X->column_start[j + 1] - X->column_start[j]);
        for (int64_t i = 0; i < X->rows && X->layout != CH_CSC; i++)
            length[j] += ch_matrix_at(X, i, j) > 0;
        sorted[j] = length[j];
    }
    qsort(sorted, (size_t)X->cols, sizeof *sorted, compare_reals);
    for (int64_t j = 0; j < X->cols; j++) long_enough[j] = length[j] >= sorted[X->cols / 2];
    free(length);
    return 1;
}

static json_t *document_json(const ch_topics *topics, const ch_text_list *names, int64_t document,
                             int64_t topic) {
    json_t *object =
        json_pack("{sI so}", "document", (json_int_t)document, "share",
                  cli_json_real(topics->document_topic[document + topic * topics->documents]));
    if (names->count) json_object_set_new(object, "name", json_string(names->text[document]));
    return object;
}

/* The documents with the largest p(z | d) among the long ones, ties by number. */
static json_t *documents_json(const ch_topics *topics, const ch_text_list *names,
                              const char *long_enough, int64_t topic) {
    const double *share = topics->document_topic + topic * topics->documents;
    int64_t best[TYPICAL] = {0}, count = 0;
    for (int64_t d = 0; d < topics->documents; d++) {
        if (!long_enough[d] || share[d] <= 0) continue;
        int64_t k = count < TYPICAL ? count++ : TYPICAL;
        if (k == TYPICAL && share[best[TYPICAL - 1]] >= share[d]) continue;
        if (k == TYPICAL) k = TYPICAL - 1;
        for (; k > 0 && share[best[k - 1]] < share[d]; k--) best[k] = best[k - 1];
        best[k] = d;
    }
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++)
        list = cli_json_append(list, document_json(topics, names, best[k], topic));
    return list;
}

static json_t *topic_json(const ch_topics *topics, const ch_corpus *corpus, const char *long_enough,
                          int64_t z) {
    return json_pack(
        "{ss sI so s{so so} so so so}", "anchor", corpus->terms.text[topics->anchors[z]],
        "anchor_row", (json_int_t)topics->anchors[z], "share", cli_json_real(topics->share[z]),
        "coherence", "npmi", cli_json_real(topics->npmi[z]), "umass",
        cli_json_real(topics->umass[z]), "words",
        words_json(topics, &corpus->terms, topics->top_word + z * topics->top, z), "relevant_words",
        words_json(topics, &corpus->terms, topics->relevant_word + z * topics->top, z), "documents",
        documents_json(topics, &corpus->names, long_enough, z));
}

static json_t *topics_list(const ch_topics *topics, const ch_corpus *corpus) {
    char *long_enough = calloc((size_t)topics->documents + 1, 1);
    json_t *list = long_enough && find_long(long_enough, &corpus->X) ? json_array() : NULL;
    for (int64_t z = 0; list && z < topics->rank; z++)
        list = cli_json_append(list, topic_json(topics, corpus, long_enough, z));
    free(long_enough);
    return list;
}

double topics_mean(const ch_topics *topics, const double *coherence) {
    double sum = 0;
    for (int64_t z = 0; z < topics->rank; z++) sum += coherence[z];
    return sum / (double)topics->rank;
}

static json_t *circumstances(const cli_session *session, const topics_arguments *given) {
    char *command = cli_command_line(session);
    json_t *object = json_pack(
        "{ss so? ss si ss so so}", "file", given->text.matrix.file, "command",
        command ? json_string(command) : NULL, "version", ch_version(), "threads",
        ch_context_threads(session->context), "kernel", ch_context_kernel(session->context),
        "settings", cli_settings_json(ch_topics_table(), &given->settings), "text",
        given->text.raw ? cli_settings_json(ch_corpus_table(), &given->text.settings)
                        : json_null());
    free(command);
    return object;
}

json_t *topics_json(const cli_session *session, const topics_arguments *given,
                    const ch_topics *topics) {
    const ch_corpus *corpus = &given->text.corpus;
    json_t *object = json_pack(
        "{sI s[II] sI sI sI sI sI so s{ss so so} so s{so so so} ss}", "rank",
        (json_int_t)topics->rank, "shape", (json_int_t)topics->terms, (json_int_t)topics->documents,
        "nnz", (json_int_t)given->text.nonzeros, "words", (json_int_t)topics->words, "candidates",
        (json_int_t)topics->candidates, "empty_documents", (json_int_t)topics->empty, "refits",
        (json_int_t)topics->refits, "divergence", cli_json_real(topics->divergence), "coherence",
        "measure", given->coherence, "npmi", cli_json_real(topics_mean(topics, topics->npmi)),
        "umass", cli_json_real(topics_mean(topics, topics->umass)), "topics",
        topics_list(topics, corpus), "seconds", "read", cli_json_real(given->text.seconds),
        "anchors", cli_json_real(topics->seconds_anchors), "fit",
        cli_json_real(topics->seconds_fit), "status", cli_status_name(topics->status));
    return cli_json_merge(object, circumstances(session, given));
}
