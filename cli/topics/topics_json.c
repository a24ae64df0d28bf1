/* The JSON of conehull topics. */
#include "topics/topics_command.h"
#include <conehull/version.h>
#include <math.h>

enum { TYPICAL = 5 }; /* documents shown per topic */

/* The words of one list with their p(w | z). */
static json_t *words_json(const ch_topics *topics, const ch_text_list *terms, const int64_t *list,
                          int64_t topic) {
    json_t *words = json_array();
    for (int64_t k = 0; k < topics->top; k++) {
        double weight = topics->topic_word[topic + list[k] * topics->rank];
        if (!(weight > 0)) continue; /* such words only fill the list of a topic with few words */
        words = cli_json_append(
            words, cli_json_pack("term:s row:i weight:r", terms->text[list[k]], list[k], weight));
    }
    return words;
}

static int compare_reals(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Short documents often have a single topic, so typical ones must be at least as long as the
 * median. Fills long_enough[0..documents); returns 0 if memory is short. */
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

static json_t *document_json(const ch_topics *topics, const ch_corpus *corpus, int64_t document,
                             int64_t topic) {
    const ch_text_list *names = &corpus->names;
    json_t *object = cli_json_pack("document:i share:r", document,
                                   topics->document_topic[document + topic * topics->documents]);
    if (names->count) json_object_set_new(object, "name", json_string(names->text[document]));
    if (corpus->excerpts.count)
        json_object_set_new(object, "excerpt", json_string(corpus->excerpts.text[document]));
    return object;
}

/* Lists the documents with the largest p(z | d) among the long ones, ties by number. */
static json_t *documents_json(const ch_topics *topics, const ch_corpus *corpus,
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
        list = cli_json_append(list, document_json(topics, corpus, best[k], topic));
    return list;
}

static json_t *topic_json(const ch_topics *topics, const ch_corpus *corpus, const char *long_enough,
                          int64_t z) {
    return cli_json_pack(
        "name:s anchor:s anchor_row:i share:r coherence:{npmi:r umass:r} words:o relevant_words:o "
        "documents:o",
        corpus->terms.text[topics->name[z]], corpus->terms.text[topics->anchors[z]],
        topics->anchors[z], topics->share[z], topics->npmi[z], topics->umass[z],
        words_json(topics, &corpus->terms, topics->top_word + z * topics->top, z),
        words_json(topics, &corpus->terms, topics->relevant_word + z * topics->top, z),
        documents_json(topics, corpus, long_enough, z));
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
    int64_t known = 0;
    for (int64_t z = 0; z < topics->rank; z++) {
        if (isnan(coherence[z])) continue; /* a topic of one word */
        sum += coherence[z];
        known++;
    }
    return sum / (double)known;
}

/* How raw text was read, so that 'project' reads new documents in the same way. */
static json_t *text_json(const ch_corpus_settings *settings) {
    return cli_json_merge(
        cli_settings_json(ch_corpus_table(), settings),
        cli_json_pack("stop_words:s stem:s", settings->stop_words, settings->stem));
}

json_t *topics_json(const cli_session *session, const topics_arguments *given,
                    const ch_topics *topics) {
    const cli_text *text = &given->text;
    char *command = cli_command_line(session);
    json_t *object = cli_json_pack(
        "rank:i shape:[ii] nnz:i words:i candidates:i empty_documents:i refits:i divergence:r "
        "coherence:{measure:s npmi:r umass:r} topics:o seconds:{read:r anchors:r fit:r} status:s "
        "file:s command:s version:s threads:d kernel:s settings:T text:o",
        topics->rank, topics->terms, topics->documents, text->nonzeros, topics->words,
        topics->candidates, topics->empty, topics->refits, topics->divergence, given->coherence,
        topics_mean(topics, topics->npmi), topics_mean(topics, topics->umass),
        topics_list(topics, &text->corpus), text->seconds, topics->seconds_anchors,
        topics->seconds_fit, cli_status_name(topics->status), text->matrix.file, command,
        ch_version(), ch_context_threads(session->context), ch_context_kernel(session->context),
        ch_topics_table(), &given->settings, text->raw ? text_json(&text->settings) : json_null());
    free(command);
    if (object) cli_text_add_folder(object, text);
    if (object && (given->largest || given->smallest))
        json_object_set_new(object, "sweep_edge",
                            json_string(given->largest ? "largest" : "smallest"));
    if (object && given->sweep) json_object_set(object, "sweep", given->sweep);
    if (object && given->equals) json_object_set(object, "sweep_equals", given->equals);
    return object;
}
