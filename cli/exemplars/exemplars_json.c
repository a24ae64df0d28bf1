/* The result of conehull exemplars as JSON (docs/exemplars.md has the fields). */
#include "common/command_line.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "exemplars/exemplars_command.h"
#include <conehull/version.h>
#include <stdlib.h>

enum { TERMS = 8 }; /* that tell most about an exemplar */

static json_t *texts_of(const ch_text_list *lines, const ch_exemplars *found) {
    json_t *list = json_array();
    for (int64_t k = 0; k < found->rank; k++)
        json_array_append_new(list, json_string(lines->text[found->columns[k]]));
    return list;
}

static json_t *words_of(const int64_t *rows, const ch_text_list *terms) {
    json_t *list = json_array();
    for (int k = 0; k < TERMS; k++)
        if (rows[k] >= 0) json_array_append_new(list, json_string(terms->text[rows[k]]));
    return list;
}

/* Per exemplar the terms of largest tf-idf. NULL without memory. */
static json_t *terms_json(ch_context *context, const ch_text_list *terms, const ch_matrix *X,
                          const ch_exemplars *found) {
    const ch_weighting tfidf = {CH_VALUE_TFIDF, CH_COLUMN_AS_IS};
    ch_matrix chosen, weighted;
    json_t *list = NULL;
    int64_t *rows = malloc((size_t)found->rank * TERMS * sizeof *rows + 1);
    if (!rows || ch_matrix_copy(context, &chosen, X, found->columns, found->rank) < 0) {
        free(rows);
        return NULL;
    }
    if (ch_weighting_apply(context, &weighted, &chosen, X, &tfidf) >= 0) {
        if (ch_matrix_top_rows(context, rows, TERMS, &weighted) >= 0) list = json_array();
        ch_matrix_free(context, &weighted);
    }
    for (int64_t k = 0; list && k < found->rank; k++)
        json_array_append_new(list, words_of(rows + k * TERMS, terms));
    ch_matrix_free(context, &chosen);
    free(rows);
    return list;
}

static json_t *figure(const ch_exemplars_scores *accuracy, int k) {
    json_t *each = json_array();
    for (int64_t s = 0; s < accuracy->splits; s++)
        json_array_append_new(each, cli_json_real(accuracy->each[s * accuracy->count + k]));
    return json_pack("{so so so}", "mean", cli_json_real(accuracy->mean[k]), "sd",
                     cli_json_real(accuracy->sd[k]), "each", each);
}

static json_t *accuracy_json(const exemplars_arguments *given,
                             const ch_exemplars_scores *accuracy) {
    json_t *object = json_object();
    for (int k = 0; k < accuracy->count; k++) {
        char rank[24];
        snprintf(rank, sizeof rank, "%lld", (long long)given->ranks[k]);
        json_object_set_new(object, rank, figure(accuracy, k));
    }
    return object;
}

static json_t *frames_json(const exemplars_data *data, const ch_exemplars *found) {
    json_t *list = json_array();
    for (int64_t k = 0; k < found->rank; k++)
        json_array_append_new(list, json_integer(data->clip.index[found->columns[k]]));
    return list;
}

static json_t *times_json(const exemplars_data *data, const ch_exemplars *found) {
    json_t *list = json_array();
    for (int64_t k = 0; k < found->rank; k++)
        json_array_append_new(list, cli_json_real(data->clip.time[found->columns[k]]));
    return list;
}

ch_status exemplars_status(const exemplars_result *result) {
    int well = cli_exit_code(result->found.status) == EXIT_DONE;
    return well && result->accuracy.status ? result->accuracy.status : result->found.status;
}

static json_t *result_json(const cli_session *session, const exemplars_arguments *given,
                           const exemplars_data *data, const exemplars_result *result) {
    const ch_exemplars *found = &result->found;
    const ch_exemplars_scores *accuracy = &result->accuracy;
    const ch_text_list *names = exemplars_names(data), *terms = exemplars_terms(data);
    json_t *object = json_pack(
        "{ss so so so ss s{so so so so}}", "method", ch_exemplars_methods[result->method].name,
        "exemplars", cli_json_integers(found->columns, found->rank), "stands_for",
        cli_json_integers(found->stands_for, found->rank), "explained",
        cli_json_real(found->explained), "status", cli_status_word(exemplars_status(result)),
        "seconds", "select", cli_json_real(found->seconds_select), "project",
        cli_json_real(found->seconds_project), "splits_select",
        cli_json_real(accuracy->seconds_select), "splits_train",
        cli_json_real(accuracy->seconds_train));
    if (!object) return NULL;
    if (names->count) json_object_set_new(object, "names", texts_of(names, found));
    if (data->labels.count) json_object_set_new(object, "labels", texts_of(&data->labels, found));
    if (data->kind == EXEMPLARS_FRAMES) {
        json_object_set_new(object, "frames", frames_json(data, found));
        json_object_set_new(object, "times", times_json(data, found));
    }
    if (terms->count)
        json_object_set_new(object, "terms", terms_json(session->context, terms, &data->X, found));
    if (accuracy->count) {
        json_object_set_new(object, "accuracy", accuracy_json(given, accuracy));
        json_object_set_new(object, "fewest", json_integer(accuracy->found));
    }
    return object;
}

static json_t *classes_json(const exemplars_data *data) {
    json_t *list = json_array();
    for (int64_t c = 0; c < data->class_count; c++) {
        int64_t count = 0;
        for (int64_t j = 0; j < data->labels.count; j++) count += data->classes[j] == c;
        json_array_append_new(
            list, json_pack("{ss sI}", "name", data->class_names[c], "count", (json_int_t)count));
    }
    return list;
}

/* What the figures were made by. */
static json_t *circumstances(const cli_session *session, const exemplars_arguments *given,
                             const exemplars_data *data) {
    static const char *const kinds[] = {"matrix", "text", "frames"};
    char weight[16], features[16], *command = cli_command_line(session);
    json_t *object = json_pack(
        "{ss ss s[II] sI so ss sI sI so ss si s{so}}", "file", session->options.operands[0], "kind",
        kinds[data->kind], "shape", (json_int_t)data->X.rows, (json_int_t)data->X.cols, "nnz",
        (json_int_t)data->nonzeros, "ranks", cli_json_integers(given->ranks, given->rank_count),
        "weight", ch_weighting_name(weight, &given->settings.weight, &data->X), "seed",
        (json_int_t)given->settings.seed, "rank", (json_int_t)given->ranks[given->rank_count - 1],
        "command", json_string(command ? command : ""), "version", ch_version(), "threads",
        ch_context_threads(session->context), "seconds", "read", cli_json_real(data->seconds));
    free(command);
    if (object && data->labels.count)
        json_object_update_new(
            object,
            json_pack("{sI ss so ss so so}", "splits", (json_int_t)given->settings.splits,
                      "features", ch_weighting_name(features, &given->settings.features, &data->X),
                      "cost", cli_json_real(given->settings.cost), "svm",
                      ch_settings_find(&ch_exemplars_table, "svm")->choices[given->settings.svm],
                      "classifier", json_string(ch_classifier_name()), "classes",
                      classes_json(data)));
    return object;
}

json_t *exemplars_json(const cli_session *session, const exemplars_arguments *given,
                       const exemplars_data *data, const exemplars_result *results,
                       const ch_exemplars_scores *full) {
    json_t *object = circumstances(session, given, data), *list = json_array();
    for (int i = 0; i < given->method_count; i++)
        json_array_append_new(list, result_json(session, given, data, &results[i]));
    if (object && full->count) json_object_set_new(object, "full", figure(full, 0));
    if (object && json_array_size(list) == (size_t)given->method_count) {
        if (given->method_count > 1) {
            json_object_set(object, "results", list);
        } else {
            json_t *only = json_array_get(list, 0);
            json_object_update(json_object_get(only, "seconds"),
                               json_object_get(object, "seconds"));
            json_object_update(object, only);
        }
    } else {
        json_decref(object);
        object = NULL;
    }
    json_decref(list);
    return object;
}
