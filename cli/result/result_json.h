/* Results as JSON, and what they prove as a line of text. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

/* What is compared with --tol: the gap, or the stationarity of a loss that is not convex and has no
 * gap (NaN); and its name, NULL when there is neither. */
double cli_proof_error(double gap, double stationarity);
const char *cli_proof_kind(double gap, double stationarity);

/* For people: the objective and what proves it. */
void cli_proof_print(double objective, double gap, double stationarity);

/* The same and for how many data points that failed: a line. point: "column", or what they are in
 * the file. */
void cli_certificate_print(double objective, const ch_certificate *certificate, int64_t unproven,
                           const char *point);

/* {"gap", "dual_infeasibility", "stationarity", "proof"}; all null without one. "gap" is
 * cli_proof_error(), "proof" says what that is. */
json_t *cli_certificate_json(const ch_certificate *certificate);

/* As --loss takes it: "l1", "beta:0.5", "quantile:0.2". */
enum { CLI_LOSS_NAME = 48 };
const char *cli_loss_name(char name[CLI_LOSS_NAME], const ch_anchors_settings *settings);

/* The sentences of a result's warnings, as a list, and as lines. turned: data points are rows of
 * the file, and the lines say so. */
enum { CLI_WARNING = 500 };
json_t *cli_warnings_json(const ch_anchors_result *result);
void cli_warnings_print(const ch_anchors_result *result, int turned);

/* Whether columns were projected: H is in the result, or was handed over in parts. */
int cli_result_has_fit(const ch_anchors_result *result);

/* Whether the rank was chosen from a path of residuals that the result has. */
int cli_result_shows_rank(const ch_anchors_result *result, const ch_anchors_settings *settings);
/* The first anchor, from 1, with which the largest residual rises by more than 0.1 %; -1: none. */
int64_t cli_residual_rise(const ch_anchors_result *result);

/* The rows of the `most` largest values of anchor k, by which people recognise it, as
 * cli_largest_rows() finds them. scaled: settings of a run with --scale, whose factors apply; or
 * NULL. Returns how many. */
int cli_anchor_rows(int64_t *rows, int most, const ch_anchors_result *result,
                    const ch_anchors_settings *scaled, int64_t k);
/* Lists of CLI_LARGEST of them, one per anchor. */
enum { CLI_LARGEST = 5 };
json_t *cli_largest_rows_json(const ch_anchors_result *result, const ch_anchors_settings *scaled);

/* The result object of `conehull anchors`; seconds.write is added by whoever writes. */
json_t *cli_result_json(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *settings, const ch_anchors_result *result);

/* Of a run of several processes: how many, what went between them, and the seconds of that by
 * phase.
 */
void cli_result_add_ranks(json_t *json, const cli_session *session, const ch_anchors_result *result,
                          const ch_comm_cost *cost);
