/* Weights, exemplars, topics and corpora with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <stdio.h>

static ch_status run_weigh(ch_context *context) {
    ch_weighting weighting = {CH_VALUE_TFIDF, CH_COLUMN_L2};
    ch_matrix X;
    mark(&X);
    return finish_matrix(context, ch_weighting_apply(context, &X, &given.csc, NULL, &weighting),
                         &X);
}

static ch_status run_exemplars(ch_context *context) {
    ch_exemplars_settings set;
    ch_exemplars found;
    ch_exemplars_defaults(&set);
    mark(&found);
    ch_status status = ch_exemplars_find(context, &found, &given.csc, 4, &set);
    finish(context, status, &found, ch_exemplars_free);
    return status;
}

static ch_status run_accuracy(ch_context *context) {
    ch_exemplars_settings set;
    ch_exemplars_scores accuracy;
    int32_t labels[COLS];
    const int64_t ranks[] = {3, 5};
    for (int j = 0; j < COLS; j++) labels[j] = j % 2;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("random");
    set.splits = 1;
    if (!ch_classifier_name()) return run_weigh(context);
    mark(&accuracy);
    ch_status status =
        ch_exemplars_accuracy(context, &accuracy, &given.csc, labels, ranks, 2, &set);
    finish(context, status, &accuracy, ch_exemplars_scores_free);
    return status;
}

static ch_status run_trial(ch_context *context) {
    ch_exemplars_settings set;
    ch_exemplars_trial trial;
    int32_t labels[COLS];
    int64_t columns[5];
    const int64_t ranks[] = {3, 5};
    double accuracy[2];
    for (int j = 0; j < COLS; j++) labels[j] = j % 2;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("random");
    if (!ch_classifier_name()) return run_weigh(context);
    ch_status status = ch_exemplars_try_split(context, &trial, accuracy, columns, &given.csc,
                                              labels, 1, ranks, 2, &set);
    return status < 0 ? status
                      : ch_exemplars_try_columns(context, accuracy, &given.csc, labels, 1, columns,
                                                 trial.found, &set);
}

static ch_status run_topics(ch_context *context) {
    ch_topics_settings set;
    ch_topics topics;
    ch_settings_defaults(&ch_topics_table, &set);
    set.rank = 3;
    set.max_df = 1;
    set.refit = 1;
    set.top = 4;
    mark(&topics);
    ch_status status = ch_topics_find(context, &topics, &given.csc, &set);
    finish(context, status, &topics, ch_topics_free);
    return status;
}

static ch_status run_read_corpus(ch_context *context) {
    ch_corpus_settings set;
    ch_corpus corpus;
    const char *path = support_path("corpus.txt");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 3000; i++) fprintf(file, "w%d w%d the%s", i, i / 2, i % 7 ? " " : "\n");
    fclose(file);
    ch_settings_defaults(&ch_corpus_table, &set);
    set.stop_words = "english";
    mark(&corpus);
    ch_status status = ch_corpus_read(context, &corpus, path, &set);
    finish(context, status, &corpus, ch_corpus_free);
    return status;
}

static ch_status run_read_lines(ch_context *context) {
    ch_text_list lines;
    const char *path = support_path("lines.txt");
    support_file_write(path, "one\ntwo\n", 8);
    mark(&lines);
    ch_status status = ch_text_list_read(context, &lines, path, 2, "lines");
    finish(context, status, &lines, ch_text_list_free);
    return status;
}

static const support_fault faults[] = {
    {"ch_weighting_apply", run_weigh, NULL, NULL},
    {"ch_exemplars_find", run_exemplars, NULL, NULL},
    {"ch_exemplars_accuracy", run_accuracy, NULL, NULL},
    {"ch_exemplars_try_split", run_trial, NULL, NULL},
    {"ch_topics_find", run_topics, NULL, NULL},
    {"ch_corpus_read", run_read_corpus, NULL, NULL},
    {"ch_text_list_read", run_read_lines, NULL, NULL},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
