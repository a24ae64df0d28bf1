/* Rechecks a folder: result.json must be what a run of its settings that found these files would
 * write, and the files must pass ch_verify(). */
#include "common/try.h"
#include "result/column_residuals.h"
#include "result/compact_weights.h"
#include "result/feature_scale.h"
#include "result/result_json.h"
#include "result/same_features.h"
#include "result/stored_result.h"
#include <math.h>

/* Keys whose values belong to one run or one file, and follow from nothing that is stored. */
static int is_of_the_run(const char *key) {
    static const char *const keys[] = {
        "projections", "pivots", "passes", "seconds", "file", "note", "var", "transpose", "type",
        "version", "threads", "kernel", "ranks", "library", "component_names", "names",
        "names_from", "index", "drop", "decimal", "barred", "residuals", "unit_warning",
        /* compared by themselves: compare_names(), compare_compact(), compare_residuals() */
        "anchor_names", "largest_rows", "largest_row_names", "h"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) return 1;
    return 0;
}

/* Settings that are not there are at their defaults: an earlier version may not have had them. */
static const char *different_setting(json_t *claimed, json_t *expected) {
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value) {
        const json_t *other = json_object_get(claimed, key);
        if (other && !json_equal(other, value)) return key;
    }
    json_object_foreach(claimed, key, value) if (!json_object_get(expected, key)) return key;
    return NULL;
}

/* What can be known of the names of a side, "columns" or "rows", with the names that the recheck
 * was given. */
static cli_names_check names_known(const cli_stored *stored, const cli_names *names,
                                   const char *side) {
    int rows = strcmp(side, "rows") == 0;
    const json_t *from = json_object_get(stored->json, "names_from");
    const char *source = json_string_value(json_object_get(from, side));
    const char *given = rows ? names->rows_file : names->file;
    if (source && strcmp(source, "input") != 0 && !given) return CLI_NAMES_NOT_GIVEN;
    int64_t count = rows ? names->of.rows.count : names->of.columns.count;
    return count > 0 ? CLI_NAMES_CHECKED : CLI_NAMES_MISSING;
}

/* Names are not part of the numbers: without names to compare with they are left unchecked, and the
 * verdict says so. Names that differ from those of the input are a contradiction. A folder of an
 * earlier version has none. */
static void compare_names(cli_stored *stored, const cli_input *input, json_t *expected) {
    static const struct {
        const char *key, *side;
    } keys[] = {{"anchor_names", "columns"}, {"largest_row_names", "rows"}};
    const json_t *claimed = stored->json, *rows = json_object_get(claimed, "largest_rows");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *said = json_object_get(claimed, keys[k].key);
        if (!said) continue;
        cli_names_check known = names_known(stored, &input->names, keys[k].side);
        if (known > stored->names) stored->names = known;
        if (known == CLI_NAMES_CHECKED && !json_equal(said, json_object_get(expected, keys[k].key)))
            cli_contradict(stored, "result.json: the names in \"%s\" are not those of the input",
                           keys[k].key);
    }
    json_t *largest =
        rows ? cli_largest_rows_json(&stored->result, cli_scaled(input, &stored->settings)) : NULL;
    if (rows && !json_equal(rows, largest))
        cli_contradict(stored,
                       "result.json: the rows in \"largest_rows\" are not the largest rows of W");
    json_decref(largest);
}

/* Other names of features, or in another order, explain everything that differs after them. */
static void compare_side(cli_stored *stored, const cli_session *session, const cli_input *input,
                         const char *side) {
    if (stored->why[0] || names_known(stored, &input->names, side) != CLI_NAMES_CHECKED) return;
    const char *folder = session->options.operands[1];
    char *changed = strcmp(side, "rows") == 0 ? cli_features_changed(session, input, stored, folder)
                                              : cli_points_changed(session, input, stored, folder);
    if (changed) cli_contradict(stored, "%s", changed);
    stored->explained = changed != NULL;
    free(changed);
}

static int says_columns(const json_t *warnings, const ch_anchors_result *result) {
    json_t *expected = cli_warnings_json(result, 0);
    int same = warnings && json_equal(warnings, expected);
    json_decref(expected);
    return same;
}

/* result.json must be what a run of the stored settings that found the stored result would write,
 * apart from the keys of that one run. */
static void compare_json(cli_stored *stored, const cli_session *session, const cli_input *input) {
    const char *key;
    json_t *value, *claimed = stored->json;
    json_t *expected = cli_result_json(session, input, &stored->settings, &stored->result);
    compare_names(stored, input, expected);
    json_object_foreach(expected, key, value) {
        json_t *other = json_object_get(claimed, key);
        if (strcmp(key, "settings") == 0) {
            const char *setting = different_setting(other, value);
            if (setting)
                cli_contradict(stored,
                               "result.json: the setting \"%s\" is missing or has an invalid value",
                               setting);
        } else if (!other && strcmp(key, "faint") == 0 && stored->result.faint == 0) {
            continue; /* of a version that had no faint columns */
        } else if (!other && strcmp(key, "rank_clear") == 0) {
            continue; /* of a version that did not judge */
        } else if (strcmp(key, "warnings") == 0 && says_columns(other, &stored->result)) {
            continue; /* of a version that called data points columns also with --transpose */
        } else if (!is_of_the_run(key) && (!other || !json_equal(other, value))) {
            cli_contradict(
                stored,
                "result.json: the value of \"%s\" is missing, or it contradicts the other values",
                key);
        }
    }
    json_object_foreach(claimed, key,
                        value) if (!json_object_get(expected, key) && !is_of_the_run(key))
        cli_contradict(
            stored, "result.json: the key \"%s\" cannot occur in a run with these settings", key);
    json_decref(expected);
}

/* The weight of a feature is not that of the run. With --scale it follows from the input. */
static void contradict_weight(cli_stored *stored, const cli_session *session,
                              const cli_input *input, int64_t i) {
    const cli_option *weights = cli_options_find(&session->options, "row-weights");
    const char *what = input->transpose ? "column" : "row", *name = NULL;
    if (input->names.of.rows.count > i) name = input->names.of.rows.text[i];
    int scaled = cli_scaled(input, &stored->settings) != NULL;
    if (stored->why[0]) return;
    stored->explained = 1;
    if (scaled && !(weights && weights->given))
        cli_contradict(stored,
                       "--scale %s gives %s %lld%s%s%s the weight %.9g, but it was %.9g in the "
                       "run: the values of this %s, or --scale, are not those of the run",
                       input->scale, what, (long long)i, name ? " (" : "", name ? name : "",
                       name ? ")" : "", stored->settings.row_weights[i], stored->row_weights[i],
                       what);
    else
        cli_contradict(stored, "row_weights.npy has other numbers than --row-weights%s give%s",
                       scaled ? " and --scale" : "", scaled ? "" : "s");
}

/* Weights are given to the recheck as the data are; a folder can only say that there were some. */
static void compare_weights(cli_stored *stored, const cli_session *session,
                            const cli_input *input) {
    static const struct {
        const char *kind, *option;
    } kinds[] = {{"rows", "--row-weights or --scale"},
                 {"columns", "--column-weights"},
                 {"mask", "--mask"},
                 {"entries", "--weights"}};
    const ch_anchors_settings *set = &stored->settings;
    const int given[] = {set->row_weights != NULL, set->column_weights != NULL,
                         set->observed != NULL, set->weights != NULL};
    for (int k = 0; k < 4; k++)
        if (given[k] != cli_stored_has_weights(stored, kinds[k].kind))
            cli_contradict(stored,
                           given[k] ? "the stored run did not use %s, so leave it out"
                                    : "the stored run used %s, so give it here too",
                           kinds[k].option);
    for (int64_t i = 0; set->row_weights && stored->row_weights && i < stored->result.rows; i++)
        if (set->row_weights[i] != stored->row_weights[i])
            contradict_weight(stored, session, input, i);
}

/* Another kernel set rounds in another way, by which a tie could be decided: that of the run is
 * used, where this machine has it and no other was asked for. */
static void use_kernel_of_run(const cli_session *session, const cli_stored *stored) {
    const char *kernel = json_string_value(json_object_get(stored->json, "kernel"));
    if (kernel && !session->common.kernel) ch_context_set_kernel(session->context, kernel);
}

/* Both null, or both numbers that differ by rounding alone: the projection of another kernel set
 * may differ in its last bits. */
static int are_near(const json_t *left, const json_t *right) {
    double a = json_number_value(left), b = json_number_value(right);
    if (!json_is_number(left) || !json_is_number(right)) return json_equal(left, right);
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

/* What result.json says of an H that was stored in parts: file, type, nonzeros, and what rounding
 * has moved and adds to the gap. H is that of the run, before it was rounded. */
static int compare_compact(cli_stored *stored) {
    const json_t *claimed = json_object_get(stored->json, "h");
    const char *key;
    json_t *h, *value;
    if (!claimed) return EXIT_DONE;
    TRY(cli_weights_again(&h, stored->single, stored->sparse, &stored->result, &stored->settings));
    if (json_object_size(claimed) != json_object_size(h))
        cli_contradict(
            stored, "result.json: the value of \"h\" is not what a run with these settings writes");
    json_object_foreach(h, key, value) if (!are_near(json_object_get(claimed, key), value))
        cli_contradict(
            stored, "result.json: the value of \"%s\" in \"h\" does not match the stored H", key);
    json_decref(h);
    return EXIT_DONE;
}

/* The residuals by which `project` judges new columns, unless the run did not write them. */
static int compare_residuals(cli_stored *stored, const cli_session *session,
                             const cli_input *input) {
    const json_t *claimed = json_object_get(stored->json, "residuals");
    const char *key;
    json_t *expected, *value;
    if (!claimed) return EXIT_DONE;
    TRY(cli_residuals_sample(&expected, session, input, &stored->settings, &stored->result));
    if (!expected || json_object_size(claimed) != json_object_size(expected))
        cli_contradict(stored, "result.json: a run with these settings does not write these "
                               "\"residuals\"");
    json_object_foreach(expected, key, value) if (!are_near(json_object_get(claimed, key), value))
        cli_contradict(stored,
                       "result.json: the value of \"%s\" in \"residuals\" does not match W and H",
                       key);
    json_decref(expected);
    return EXIT_DONE;
}

/* An H of single precision proves nothing as it is: it must be that of a new projection, rounded,
 * which is then proven in its place. */
static int restore_rounded(cli_stored *stored, const cli_session *session, const cli_input *input) {
    ch_anchors_result *result = &stored->result;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_settings set = stored->settings;
    int64_t count = result->rank * result->cols;
    double *H = malloc(((size_t)count + 1) * sizeof *H);
    if (!H) return cli_no_memory();
    if (result->floor > 0) set.floor = result->floor;
    ch_status status =
        ch_project(session->context, H, &info, &input->X, result->W, result->rank, &set);
    for (int64_t e = 0; status >= 0 && e < count; e++)
        if (!(fabs(H[e] - result->H[e]) <= 0x1p-23 * fabs(H[e]) + 0x1p-149))
            cli_contradict(stored,
                           "H at row %lld, column %lld differs from the weight of a new run, "
                           "rounded to the stored precision",
                           (long long)(e % result->rank), (long long)(e / result->rank));
    free(stored->H.copy);
    result->H = stored->H.copy = H;
    return cli_input_check(session, status, input);
}

int cli_stored_verify(ch_verification *found, cli_stored *stored, const cli_session *session,
                      const cli_input *input) {
    const ch_anchors_result *result = &stored->result;
    const ch_matrix *X = &input->X;
    *found = (ch_verification){.size = sizeof *found,
                               .gap = NAN,
                               .dual_infeasibility = NAN,
                               .stationarity = NAN,
                               .objective = NAN};
    compare_side(stored, session, input, "rows");
    if (X->rows != result->rows || X->cols != result->cols)
        cli_contradict(
            stored,
            "the input is %lld x %lld, but the stored result belongs to a matrix of %lld x %lld%s",
            (long long)X->rows, (long long)X->cols, (long long)result->rows,
            (long long)result->cols,
            X->rows != result->cols || X->cols != result->rows ? ""
            : input->transpose ? " (--no-transpose reads the file as it is)"
                               : " (is --transpose missing?)");
    compare_side(stored, session, input, "columns");
    if (!stored->why[0]) compare_weights(stored, session, input);
    if (!stored->why[0]) compare_json(stored, session, input);
    snprintf(found->why, sizeof found->why, "%s", stored->why);
    if (stored->why[0]) return EXIT_DONE;
    use_kernel_of_run(session, stored);
    if (stored->single) TRY(restore_rounded(stored, session, input));
    if (!stored->why[0]) TRY(compare_compact(stored));
    snprintf(found->why, sizeof found->why, "%s", stored->why);
    if (stored->why[0]) return EXIT_DONE;
    TRY(cli_input_check(session, ch_verify(session->context, found, X, result, &stored->settings),
                        input));
    if (!found->ok) return EXIT_DONE;
    TRY(compare_residuals(stored, session, input));
    snprintf(found->why, sizeof found->why, "%s", stored->why);
    found->ok = !stored->why[0];
    return EXIT_DONE;
}
