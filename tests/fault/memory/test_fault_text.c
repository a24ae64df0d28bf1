/* Weights, exemplars, topics and corpora with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <conehull/text.h>
#include <stdio.h>

RELEASE(ch_matrix)
RELEASE(ch_exemplars)
RELEASE(ch_exemplars_scores)
RELEASE(ch_topics)
RELEASE(ch_corpus)
RELEASE(ch_text_list)

static const int64_t ranks[] = {3, 5};
static int32_t labels[COLS];

static int has_classifier(const void *with) {
    (void)with;
    return ch_classifier_name() != NULL;
}

static ch_status call_weigh(ch_context *context, void *output, const void *with) {
    const ch_weighting weighting = {CH_VALUE_TFIDF, CH_COLUMN_L2};
    return ch_weighting_apply(context, output, with, NULL, &weighting);
}

static ch_status call_exemplars(ch_context *context, void *output, const void *with) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    return ch_exemplars_find(context, output, with, 4, &set);
}

static ch_status call_anchors(ch_context *context, void *output, const void *with) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("robust-xray");
    return ch_exemplars_find(context, output, with, 4, &set);
}

static ch_status call_kmeans(ch_context *context, void *output, const void *with) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("kmeans");
    return ch_exemplars_find(context, output, with, 4, &set);
}

static ch_exemplars_settings random_exemplars(void) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("random");
    set.splits = 1;
    return set;
}

static ch_status call_accuracy(ch_context *context, void *output, const void *with) {
    const ch_exemplars_settings set = random_exemplars();
    return ch_exemplars_accuracy(context, output, &(ch_exemplars_data){with, labels}, ranks, 2,
                                 &set);
}

static ch_status call_trial(ch_context *context, void *output, const void *with) {
    const ch_exemplars_settings set = random_exemplars();
    int64_t columns[5];
    double accuracy[2];
    const ch_exemplars_data data = {with, labels};
    ch_exemplars_trial trial = {.size = sizeof trial, .accuracy = accuracy, .columns = columns};
    (void)output;
    ch_status status = ch_exemplars_try_split(context, &trial, &data, 1, ranks, 2, &set);
    return status < 0
               ? status
               : ch_exemplars_try_columns(context, accuracy, &data, 1, columns, trial.found, &set);
}

static ch_status call_topics(ch_context *context, void *output, const void *with) {
    ch_topics_settings set;
    ch_topics_defaults(&set);
    set.rank = 3;
    set.max_df = 1;
    set.refit = 1;
    set.top = 4;
    return ch_topics_find(context, output, with, &set);
}

/* The documents once more, as if they were others. */
static ch_status call_topics_project(ch_context *context, void *output, const void *with) {
    ch_topics topics = {.size = sizeof topics};
    double shares[3 * COLS];
    (void)output;
    ch_status status = call_topics(context, &topics, with);
    if (status >= 0) status = ch_topics_project(context, shares, with, &topics);
    ch_topics_free(context, &topics);
    return status;
}

static ch_status call_read_corpus(ch_context *context, void *output, const void *with) {
    ch_corpus_settings set;
    ch_corpus_defaults(&set);
    set.stop_words = "english";
    return ch_corpus_read(context, output, support_path("%s", (const char *)with), &set);
}

static ch_status call_count_corpus(ch_context *context, void *output, const void *with) {
    const char *texts[] = {"red and green", "green and blue", "blue, red"}, *left_out[] = {"blue"};
    const ch_text_list documents = {.count = 3, .text = texts}, own = {.count = 1, left_out};
    ch_corpus_settings set;
    (void)with;
    ch_corpus_defaults(&set);
    set.stop_words = "english";
    set.stop_list = &own;
    set.excerpts = 10;
    return ch_corpus_count(context, output, &documents, &set);
}

static ch_status call_columns(ch_context *context, void *output, const void *with) {
    return ch_corpus_columns(context, output, support_path("%s", (const char *)with));
}

static ch_status call_read_lines(ch_context *context, void *output, const void *with) {
    return ch_text_list_read(context, output, support_path("%s", (const char *)with), 2, "lines");
}

static int make_files(void) {
    for (int j = 0; j < COLS; j++) labels[j] = j % 2;
    support_file_write(support_path("lines.txt"), "one\ntwo\n", 8);
    support_file_write(support_path("columns.csv"), "id,said\n1,hello\n", 16);
    FILE *file = fopen(support_path("corpus.txt"), "w");
    if (!file) return 1;
    for (int i = 0; i < 3000; i++) fprintf(file, "w%d w%d the%s", i, i / 2, i % 7 ? " " : "\n");
    return fclose(file);
}

static const support_fault faults[] = {
    {"ch_weighting_apply", call_weigh, &given.csc, OUT(ch_matrix)},
    {"ch_exemplars_find", call_exemplars, &given.csc, OUT_SIZED(ch_exemplars)},
    {"ch_exemplars_find, anchors", call_anchors, &given.csc, OUT_SIZED(ch_exemplars)},
    {"ch_exemplars_find, k-means", call_kmeans, &given.csc, OUT_SIZED(ch_exemplars)},
    {"ch_exemplars_accuracy", call_accuracy, &given.csc, OUT_SIZED(ch_exemplars_scores),
     .possible = has_classifier},
    {"ch_exemplars_try_split", call_trial, &given.csc, .possible = has_classifier},
    {"ch_topics_find", call_topics, &given.csc, OUT_SIZED(ch_topics)},
    {"ch_topics_project", call_topics_project, &given.csc, .size = 0},
    {"ch_corpus_read", call_read_corpus, "corpus.txt", OUT_SIZED(ch_corpus)},
    {"ch_corpus_count", call_count_corpus, NULL, OUT_SIZED(ch_corpus)},
    {"ch_corpus_columns", call_columns, "columns.csv", OUT(ch_text_list)},
    {"ch_text_list_read", call_read_lines, "lines.txt", OUT(ch_text_list)},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, make_files);
}
