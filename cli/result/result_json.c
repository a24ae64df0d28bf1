/* Results as JSON. */
#include "result/result_json.h"
#include "options/option_values.h"
#include "result/feature_scale.h"
#include <conehull/version.h>
#include <math.h>

double cli_proof_error(double gap, double stationarity) {
    return isnan(gap) ? stationarity : gap;
}

const char *cli_proof_kind(double gap, double stationarity) {
    return !isnan(gap) ? "gap" : !isnan(stationarity) ? "stationarity" : NULL;
}

json_t *cli_certificate_json(const ch_certificate *certificate) {
    ch_certificate none = {NAN, NAN, NAN}, c = certificate ? *certificate : none;
    const char *proof = cli_proof_kind(c.gap, c.stationarity);
    return cli_json_pack("gap:r dual_infeasibility:r stationarity:r proof:s",
                         cli_proof_error(c.gap, c.stationarity), c.dual_infeasibility,
                         c.stationarity, proof);
}

void cli_proof_print(double objective, double gap, double stationarity) {
    printf("objective %.10g, %s of %.2g", objective,
           isnan(gap) ? "stationary to a projected gradient" : "proven to a relative gap",
           cli_proof_error(gap, stationarity));
}

void cli_certificate_print(double objective, const ch_certificate *certificate, int64_t unproven,
                           const char *point) {
    cli_proof_print(objective, certificate->gap, certificate->stationarity);
    printf("; %lld %s%s unproven\n", (long long)unproven, point, unproven == 1 ? "" : "s");
}

const char *cli_loss_name(char name[CLI_LOSS_NAME], const ch_anchors_settings *settings) {
    const char *choice = cli_choice_name(ch_anchors_table(), "loss", settings->loss);
    if (settings->loss != CH_LOSS_BETA && settings->loss != CH_LOSS_QUANTILE) return choice;
    double value = settings->loss == CH_LOSS_BETA ? settings->beta : settings->quantile;
    snprintf(name, CLI_LOSS_NAME, "%s:%.15g", choice, value);
    return name;
}

/* Returns the number of passes over the data of this process. Single columns that were read count
 * as their share of a pass. */
static double passes(const cli_session *session, const ch_matrix *X) {
    size_t entry = ch_value_type_size(X->type) + (X->layout == CH_CSC ? sizeof *X->row_index : 0);
    double bytes = (double)ch_matrix_stored(X) * (double)entry;
    return bytes > 0 ? ch_context_data_read(session->context) / bytes : 0;
}

/* Writes a warning about the result. The library calls data points columns; if `turned`, they are
 * called rows. Returns whether there is such a warning. */
static int write_warning(char to[CLI_WARNING], const ch_anchors_result *result, int bit,
                         int turned) {
    static const char word[] = "column";
    char given[CLI_WARNING];
    size_t used = 0;
    if (!ch_anchors_warning(given, sizeof given, result, bit)) return 0;
    for (const char *at = given; *at;) {
        int found = turned && strncmp(at, word, sizeof word - 1) == 0;
        used += (size_t)snprintf(to + used, CLI_WARNING - used, found ? "row" : "%c", *at);
        at += found ? sizeof word - 1 : 1;
    }
    return 1;
}

json_t *cli_warnings_json(const ch_anchors_result *result, int turned) {
    json_t *list = json_array();
    char text[CLI_WARNING];
    for (int bit = 1; list && bit <= CH_WARN_LONELY_ANCHORS; bit *= 2)
        if (write_warning(text, result, bit, turned))
            list = cli_json_append(list, json_string(text));
    return list;
}

void cli_warnings_print(const ch_anchors_result *result, int turned) {
    char text[CLI_WARNING];
    for (int bit = 1; bit <= CH_WARN_LONELY_ANCHORS; bit *= 2)
        if (write_warning(text, result, bit, turned)) printf("warning: %s\n", text);
}

int cli_result_has_fit(const ch_anchors_result *result) {
    return result->H || !isnan(result->objective);
}

int cli_result_shows_rank(const ch_anchors_result *result, const ch_anchors_settings *settings) {
    return settings->rank == 0 && settings->method == CH_METHOD_XRAY && cli_result_has_fit(result);
}

int64_t cli_residual_rise(const ch_anchors_result *result) {
    for (int64_t k = 1; k < result->rank; k++)
        if (result->max_residual[k] > 1.001 * result->max_residual[k - 1]) return k + 1;
    return -1;
}

/* Returns the origin of every anchor, for a run with a library. */
static json_t *components_of(const ch_anchors_result *result) {
    json_t *list = json_array();
    for (int64_t k = 0; list && k < result->rank; k++) {
        int64_t j = result->anchors[k];
        int known = j >= result->cols;
        list = cli_json_append(list, cli_json_pack("source:s index:i", known ? "library" : "data",
                                                   known ? j - result->cols : j));
    }
    return list;
}

int cli_anchor_rows(int64_t *rows, int most, const ch_anchors_result *result,
                    const ch_anchors_settings *scaled, int64_t k) {
    const double *w = result->W + k * result->rows;
    double *values = scaled ? malloc((size_t)result->rows * sizeof *values) : NULL;
    for (int64_t i = 0; values && i < result->rows; i++)
        values[i] = w[i] * cli_row_factor(scaled, i);
    int count = cli_largest_rows(rows, most, values ? values : w, result->rows);
    free(values);
    return count;
}

/* Returns, for each anchor, a list of its largest rows: their names or, without names, their
 * numbers. */
static json_t *largest_rows(const ch_anchors_result *result, const ch_anchors_settings *scaled,
                            const cli_names *names) {
    int64_t rows[CLI_LARGEST];
    json_t *all = json_array();
    for (int64_t k = 0; all && k < result->rank; k++) {
        int count = cli_anchor_rows(rows, CLI_LARGEST, result, scaled, k);
        all = cli_json_append(all, names ? cli_row_names_json(names, rows, count)
                                         : cli_json_integers(rows, count));
    }
    return all;
}

json_t *cli_largest_rows_json(const ch_anchors_result *result, const ch_anchors_settings *scaled) {
    return largest_rows(result, scaled, NULL);
}

static json_t *add_names(json_t *object, const cli_names *names, const ch_anchors_result *result,
                         const ch_anchors_settings *scaled) {
    if (!cli_names_any(names)) return object;
    object = cli_json_merge(object, cli_json_pack("names_from:o", cli_names_from_json(names)));
    if (names->of.columns.count)
        object = cli_json_merge(
            object,
            cli_json_pack("anchor_names:o", cli_names_json(names, result->anchors, result->rank)));
    if (names->of.rows.count && result->W)
        object = cli_json_merge(object, cli_json_pack("largest_rows:o largest_row_names:o",
                                                      cli_largest_rows_json(result, scaled),
                                                      largest_rows(result, scaled, names)));
    return object;
}

/* Returns first the keys of the documented contract, then data about the course of the run and for
 * comparisons. */
json_t *cli_result_json(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *settings, const ch_anchors_result *result) {
    char loss[CLI_LOSS_NAME];
    json_t *object = cli_json_pack(
        "method:s loss:s rank:i shape:[ii] nnz:i anchors:I max_residual:R objective:r "
        "projections:i unproven:i floor:r certificate:o seconds:{read:r select:r project:r} "
        "status:s file:s note:s var:s transpose:b type:s requested:o pivots:i steps:i passes:r "
        "faint:i keep:I seed:i version:s threads:d kernel:s settings:T",
        cli_choice_name(ch_anchors_table(), "method", settings->method),
        cli_loss_name(loss, settings), result->rank, input->X.rows, input->cols, result->nonzeros,
        result->anchors, result->rank, result->max_residual, result->rank, result->objective,
        result->projections, result->unproven, result->floor,
        cli_certificate_json(cli_result_has_fit(result) ? &result->certificate : NULL),
        input->seconds, result->seconds_select, result->seconds_project,
        cli_status_name(result->status), input->file,
        session->note && session->note[0] ? session->note : NULL, input->var, input->transpose,
        ch_value_type_name(input->X.type),
        settings->rank ? json_integer(settings->rank) : json_string("auto"), result->pivots,
        result->steps, passes(session, &input->X), result->faint, settings->keep,
        settings->keep_count, settings->seed, ch_version(), ch_context_threads(session->context),
        ch_context_kernel(session->context), ch_anchors_table(), settings);
    if (result->objective_path)
        object = cli_json_merge(
            object, cli_json_pack("objective_path:R", result->objective_path, result->rank));
    if (result->weights) /* only methods that choose all anchors at once have weights */
        object = cli_json_merge(
            object, cli_json_pack("selection:{objective:r gap:r iterations:i weights:R}",
                                  result->select_objective, result->select_gap, result->iterations,
                                  result->weights, result->rank));
    if (result->refined_W)
        object = cli_json_merge(
            object,
            cli_json_pack("refined:{rounds:i objective:r path:R angle:R unproven:i certificate:o}",
                          result->refined_rounds, result->refined_objective, result->refined_path,
                          2 * result->refined_rounds, result->refined_angle, result->rank,
                          result->refined_unproven,
                          cli_certificate_json(&result->refined_certificate)));
    if (result->measured)
        object = cli_json_merge(
            object,
            cli_json_pack(
                "warnings:o measured:{warnings:d zero_weights:i empty_anchors:i unexplained:r "
                "lonely_anchors:i lonely_column:i mean_shared:r}",
                cli_warnings_json(result, input->transpose), result->warnings, result->zero_weights,
                result->empty_anchors, result->unexplained, result->lonely_anchors,
                result->lonely_column, result->mean_shared));
    if (cli_result_shows_rank(result, settings))
        object =
            cli_json_merge(object, cli_json_pack("rank_clear:b", ch_anchors_rank_clear(result)));
    if (result->library > 0)
        object = cli_json_merge(object, cli_json_pack("components:o", components_of(result)));
    if (settings->negative == CH_NEGATIVE_CLIP)
        object = cli_json_merge(object, cli_json_pack("clipped:{count:i mass:r}", result->clipped,
                                                      result->clipped_mass));
    if (settings->missing == CH_MISSING_NAN || settings->observed || settings->weights)
        object = cli_json_merge(
            object, cli_json_pack("missing:{entries:i incomplete:i completed:i}", result->unknown,
                                  result->incomplete, result->completed));
    int64_t barred = result->incomplete < CH_BARRED_MAX ? result->incomplete : CH_BARRED_MAX;
    if (barred > 0)
        object = cli_json_merge(
            object, cli_json_pack("barred:{columns:I names:o}", result->barred, barred,
                                  cli_names_any(&input->names)
                                      ? cli_names_json(&input->names, result->barred, barred)
                                      : json_null()));
    json_t *weights = cli_trust_json(settings);
    if (weights) object = cli_json_merge(object, cli_json_pack("weights:o", weights));
    if (input->index) object = cli_json_merge(object, cli_json_pack("index:s", input->index));
    if (input->drop) object = cli_json_merge(object, cli_json_pack("drop:s", input->drop));
    if (input->decimal) object = cli_json_merge(object, cli_json_pack("decimal:s", input->decimal));
    if (input->scale) object = cli_json_merge(object, cli_json_pack("scale:s", input->scale));
    if (settings->dual == CH_DUAL_PAPER)
        object = cli_json_merge(object, cli_json_pack("dual_paper:{checked:i valid:i}",
                                                      result->duals_checked, result->duals_valid));
    return add_names(object, &input->names, result, cli_scaled(input, settings));
}

void cli_result_add_ranks(json_t *json, const cli_session *session, const ch_anchors_result *result,
                          const ch_comm_cost *cost) {
    const ch_comm *comm = ch_context_comm(session->context);
    if (!comm) return;
    double others = cost->seconds - result->exchange_select - result->exchange_project;
    json_object_set_new(json_object_get(json, "seconds"), "communication",
                        cli_json_pack("select:r project:r other:r", result->exchange_select,
                                      result->exchange_project, others));
    cli_json_set_seconds(json, "waiting", cost->waiting);
    json_object_set_new(json, "ranks",
                        cli_json_pack("count:d exchanges:i bytes:i", comm->processes, cost->calls,
                                      (int64_t)cost->bytes));
}
