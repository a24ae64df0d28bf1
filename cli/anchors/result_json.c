/* Results as JSON. */
#include "anchors/result_json.h"
#include "options/option_values.h"
#include <conehull/version.h>
#include <math.h>
#include <stdio.h>

double cli_proof_error(double gap, double stationarity) {
    return isnan(gap) ? stationarity : gap;
}

const char *cli_proof_kind(double gap, double stationarity) {
    return !isnan(gap) ? "gap" : !isnan(stationarity) ? "stationarity" : NULL;
}

json_t *cli_certificate_json(const ch_certificate *certificate) {
    ch_certificate none = {NAN, NAN, NAN}, c = certificate ? *certificate : none;
    const char *proof = cli_proof_kind(c.gap, c.stationarity);
    return json_pack("{so so so ss?}", "gap", cli_json_real(cli_proof_error(c.gap, c.stationarity)),
                     "dual_infeasibility", cli_json_real(c.dual_infeasibility), "stationarity",
                     cli_json_real(c.stationarity), "proof", proof);
}

void cli_proof_print(double objective, double gap, double stationarity) {
    printf("objective %.10g, %s of %.2g", objective,
           isnan(gap) ? "stationary to a projected gradient" : "proven to a relative gap",
           cli_proof_error(gap, stationarity));
}

void cli_certificate_print(double objective, const ch_certificate *certificate, int64_t unproven) {
    cli_proof_print(objective, certificate->gap, certificate->stationarity);
    printf("; %lld column%s unproven\n", (long long)unproven, unproven == 1 ? "" : "s");
}

const char *cli_loss_name(char name[CLI_LOSS_NAME], const ch_anchors_settings *settings) {
    if (settings->loss != CH_LOSS_BETA)
        return cli_choice_name(ch_anchors_table(), "loss", settings->loss);
    snprintf(name, CLI_LOSS_NAME, "beta:%.15g", settings->beta);
    return name;
}

/* Over the data of this process; columns read by themselves count as their share. */
static double passes(const cli_session *session, const ch_matrix *X) {
    size_t entry = ch_value_type_size(X->type) + (X->layout == CH_CSC ? sizeof *X->row_index : 0);
    double bytes = (double)ch_matrix_stored(X) * (double)entry;
    return bytes > 0 ? ch_context_data_read(session->context) / bytes : 0;
}

/* How the run went and what it may be compared by; beside the keys of the contract. */
static json_t *circumstances(const cli_session *session, const cli_input *input,
                             const ch_anchors_settings *settings, const ch_anchors_result *result) {
    return json_pack(
        "{ss so? ss? sb ss so sI sI so so sI ss si ss so}", "file", input->file, "note",
        session->note[0] ? json_string(session->note) : NULL, "var", input->var, "transpose",
        input->transpose, "type", ch_value_type_name(input->X.type), "requested",
        settings->rank ? json_integer(settings->rank) : json_string("auto"), "pivots",
        (json_int_t)result->pivots, "steps", (json_int_t)result->steps, "passes",
        cli_json_real(passes(session, &input->X)), "keep",
        cli_json_integers(settings->keep, settings->keep_count), "seed", (json_int_t)settings->seed,
        "version", ch_version(), "threads", ch_context_threads(session->context), "kernel",
        ch_context_kernel(session->context), "settings",
        cli_settings_json(ch_anchors_table(), settings));
}

/* What some runs have and others have not. */
static json_t *extras(const ch_anchors_settings *settings, const ch_anchors_result *result) {
    json_t *object = json_object();
    if (result->objective_path)
        json_object_set_new(object, "objective_path",
                            cli_json_reals(result->objective_path, result->rank));
    if (result->weights) /* of methods that choose all anchors at once, by a program */
        json_object_set_new(object, "selection",
                            json_pack("{so so sI so}", "objective",
                                      cli_json_real(result->select_objective), "gap",
                                      cli_json_real(result->select_gap), "iterations",
                                      (json_int_t)result->iterations, "weights",
                                      cli_json_reals(result->weights, result->rank)));
    if (settings->dual == CH_DUAL_PAPER)
        json_object_set_new(object, "dual_paper",
                            json_pack("{sI sI}", "checked", (json_int_t)result->duals_checked,
                                      "valid", (json_int_t)result->duals_valid));
    return object;
}

json_t *cli_result_json(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *settings, const ch_anchors_result *result) {
    char loss[CLI_LOSS_NAME];
    json_t *object = json_pack(
        "{ss ss sI s[II] sI so so so sI sI so so s{so so so} ss}", "method",
        cli_choice_name(ch_anchors_table(), "method", settings->method), "loss",
        cli_loss_name(loss, settings), "rank", (json_int_t)result->rank, "shape",
        (json_int_t)input->X.rows, (json_int_t)input->cols, "nnz", (json_int_t)result->nonzeros,
        "anchors", cli_json_integers(result->anchors, result->rank), "max_residual",
        cli_json_reals(result->max_residual, result->rank), "objective",
        cli_json_real(result->objective), "projections", (json_int_t)result->projections,
        "unproven", (json_int_t)result->unproven, "floor", cli_json_real(result->floor),
        "certificate", cli_certificate_json(result->H ? &result->certificate : NULL), "seconds",
        "read", cli_json_real(input->seconds), "select", cli_json_real(result->seconds_select),
        "project", cli_json_real(result->seconds_project), "status",
        cli_status_name(result->status));
    object = cli_json_merge(object, circumstances(session, input, settings, result));
    return cli_json_merge(object, extras(settings, result));
}

void cli_result_add_ranks(json_t *json, const cli_session *session, const ch_anchors_result *result,
                          const ch_comm_cost *cost) {
    const ch_comm *comm = ch_context_comm(session->context);
    if (!comm) return;
    double others = cost->seconds - result->exchange_select - result->exchange_project;
    json_object_set_new(json_object_get(json, "seconds"), "communication",
                        json_pack("{so so so}", "select", cli_json_real(result->exchange_select),
                                  "project", cli_json_real(result->exchange_project), "other",
                                  cli_json_real(others)));
    cli_json_set_seconds(json, "waiting", cost->waiting);
    json_object_set_new(json, "ranks",
                        json_pack("{si sI sI}", "count", comm->processes, "exchanges",
                                  (json_int_t)cost->calls, "bytes", (json_int_t)cost->bytes));
}
