/* The result of conehull exemplars as JSON (docs/exemplars.md has the fields). */
#include "exemplars/exemplars_command.h"
#include "options/option_values.h"
#include <conehull/version.h>
#include <math.h>

static json_t *texts_of(const ch_text_list *lines, const ch_exemplars *found) {
    json_t *list = json_array();
    for (int64_t k = 0; k < found->rank; k++)
        list = cli_json_append(list, json_string(lines->text[found->columns[k]]));
    return list;
}

static json_t *terms_json(const ch_text_list *terms, const exemplars_result *result) {
    json_t *list = json_array();
    for (int64_t k = 0; k < result->found.rank; k++) {
        const int64_t *rows = result->terms + k * EXEMPLARS_TERMS;
        json_t *words = json_array();
        for (int t = 0; t < EXEMPLARS_TERMS && rows[t] >= 0; t++)
            words = cli_json_append(words, json_string(terms->text[rows[t]]));
        list = cli_json_append(list, words);
    }
    return list;
}

static json_t *figure(const ch_exemplars_scores *accuracy, int k) {
    json_t *each = json_array();
    for (int64_t s = 0; s < accuracy->splits; s++)
        each = cli_json_append(each, cli_json_real(accuracy->each[s * accuracy->count + k]));
    return cli_json_pack("mean:r sd:r each:o", accuracy->mean[k], accuracy->sd[k], each);
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

static void add_frames(json_t *object, const ch_clip *clip, const ch_exemplars *found) {
    json_t *frames = json_array(), *times = json_array();
    for (int64_t k = 0; k < found->rank; k++) {
        frames = cli_json_append(frames, json_integer(clip->index[found->columns[k]]));
        times = cli_json_append(times, cli_json_real(clip->time[found->columns[k]]));
    }
    json_object_set_new(object, "frames", frames);
    json_object_set_new(object, "times", times);
}

ch_status exemplars_status(const exemplars_result *result) {
    int well = cli_exit_code(result->found.status) == EXIT_DONE;
    return well && result->accuracy.status ? result->accuracy.status : result->found.status;
}

/* Adds how far facility location may be from the best possible choice. */
static void add_facility(json_t *object, const exemplars_run *run, const ch_exemplars *found) {
    if (isnan(found->value)) return;
    json_object_set_new(object, "facility",
                        cli_json_pack("similarity:s value:r optimum_at_most:r gains:i sample:i",
                                      cli_choice_name(ch_exemplars_table(), "similarity",
                                                      run->given->settings.similarity),
                                      found->value, found->optimum, found->gains, found->sample));
}

const char *exemplars_weight(char *buffer, const exemplars_run *run, int method) {
    ch_exemplars_settings set = run->given->settings;
    set.method = method;
    ch_weighting weight = ch_exemplars_weighting(&set, &run->data.X);
    return ch_weighting_name(buffer, &weight, &run->data.X);
}

static json_t *result_json(const exemplars_run *run, const exemplars_result *result) {
    char weight[16];
    const exemplars_data *data = &run->data;
    const ch_exemplars *found = &result->found;
    const ch_exemplars_scores *accuracy = &result->accuracy;
    const ch_text_list *names = &data->names;
    json_t *object = cli_json_pack(
        "method:s weight:s exemplars:I stands_for:I explained:r status:s seconds:{select:r "
        "project:r splits_select:r splits_train:r}",
        ch_exemplars_method_at(result->method)->name, exemplars_weight(weight, run, result->method),
        found->columns, found->rank, found->stands_for, found->rank, found->explained,
        cli_status_name(exemplars_status(result)), found->seconds_select, found->seconds_project,
        accuracy->seconds_select, accuracy->seconds_train);
    json_object_set_new(object, "mean_similarity", cli_json_reals(result->mean, found->rank));
    add_facility(object, run, found);
    if (names->count) json_object_set_new(object, "names", texts_of(names, found));
    if (data->excerpts.count)
        json_object_set_new(object, "excerpts", texts_of(&data->excerpts, found));
    if (data->labels.count) json_object_set_new(object, "labels", texts_of(&data->labels, found));
    if (data->kind == EXEMPLARS_FRAMES) add_frames(object, &data->clip, found);
    if (result->terms) json_object_set_new(object, "terms", terms_json(&data->terms, result));
    json_t *members = exemplars_members_json(data, result);
    if (members) json_object_set_new(object, "members", members);
    if (accuracy->count) {
        json_object_set_new(object, "accuracy", accuracy_json(run->given, accuracy));
        json_object_set_new(object, "fewest", json_integer(accuracy->found));
    }
    return object;
}

static json_t *classes_json(const exemplars_data *data) {
    json_t *list = json_array();
    for (int64_t c = 0; c < data->class_count; c++) {
        int64_t count = 0;
        for (int64_t j = 0; j < data->labels.count; j++) count += data->classes[j] == c;
        list = cli_json_append(list, cli_json_pack("name:s count:i", data->class_names[c], count));
    }
    return list;
}

/* The settings and input of the run. */
static json_t *circumstances(const exemplars_run *run) {
    const cli_session *session = run->session;
    const exemplars_arguments *given = run->given;
    const exemplars_data *data = &run->data;
    static const char *const kinds[] = {"matrix", "text", "frames"};
    char weight[16], features[16], *command = cli_command_line(session);
    json_t *object = cli_json_pack(
        "file:s kind:s shape:[ii] nnz:i ranks:I weight:s seed:i rank:i command:s version:s "
        "threads:d seconds:{read:r}",
        session->options.operands[0], kinds[data->kind], data->X.rows, data->X.cols, data->nonzeros,
        given->ranks, (int64_t)given->rank_count, exemplars_weight(weight, run, given->methods[0]),
        given->settings.seed, given->ranks[given->rank_count - 1], command ? command : "",
        ch_version(), ch_context_threads(session->context), data->seconds);
    free(command);
    if (object) cli_text_add_folder(object, &given->text);
    if (object && data->turned) json_object_set_new(object, "transpose", json_true());
    if (!data->labels.count) return object;
    return cli_json_merge(
        object, cli_json_pack("splits:i features:s cost:r svm:s classifier:s classes:o",
                              given->settings.splits,
                              ch_weighting_name(features, &given->settings.features, &data->X),
                              given->settings.cost,
                              cli_choice_name(ch_exemplars_table(), "svm", given->settings.svm),
                              ch_classifier_name(), classes_json(data)));
}

/* The keys of a single result are next to those of the run; several are in results[]. */
json_t *exemplars_json(const exemplars_run *run) {
    json_t *object = circumstances(run), *results = json_array();
    if (run->full.count) json_object_set_new(object, "full", figure(&run->full, 0));
    if (run->interrupted) json_object_set_new(object, "interrupted", json_true());
    if (run->given->method_count == 1) {
        json_t *only = result_json(run, &run->results[0]);
        json_object_update(json_object_get(only, "seconds"), json_object_get(object, "seconds"));
        json_decref(results);
        return cli_json_merge(object, only);
    }
    for (int i = 0; i < run->given->method_count; i++)
        results = cli_json_append(results, result_json(run, &run->results[i]));
    return cli_json_merge(object, cli_json_pack("results:o", results));
}
