/* Results as JSON, and their certificates as a line of text. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

/* cli_proof_error() returns the number that is compared with --tol: the gap or, for a loss that is
 * not convex, whose gap is NaN, the stationarity. cli_proof_kind() returns the name of this number,
 * or NULL if there is neither. */
double cli_proof_error(double gap, double stationarity);
const char *cli_proof_kind(double gap, double stationarity);

/* Prints the objective and its proof as text. */
void cli_proof_print(double objective, double gap, double stationarity);

/* Prints a line with the objective, its proof and the number of unproven data points. point:
 * "column" or "row", the name of a data point in the file. */
void cli_certificate_print(double objective, const ch_certificate *certificate, int64_t unproven,
                           const char *point);

/* Returns {"gap", "dual_infeasibility", "stationarity", "proof"}, all null without a certificate.
 * "gap" is cli_proof_error(), and "proof" is its name. */
json_t *cli_certificate_json(const ch_certificate *certificate);

/* Writes the name of a loss as --loss accepts it: "l1", "beta:0.5", "quantile:0.2". */
enum { CLI_LOSS_NAME = 48 };
const char *cli_loss_name(char name[CLI_LOSS_NAME], const ch_anchors_settings *settings);

/* The warnings of a result as sentences, in a JSON list or printed as lines. turned: data points
 * are rows of the file, and the sentences call them rows. */
enum { CLI_WARNING = 500 };
json_t *cli_warnings_json(const ch_anchors_result *result, int turned);
void cli_warnings_print(const ch_anchors_result *result, int turned);

/* Returns whether columns were projected: H is in the result, or was passed on in parts. */
int cli_result_has_fit(const ch_anchors_result *result);

/* Returns whether the rank was chosen by residuals that the result contains. */
int cli_result_shows_rank(const ch_anchors_result *result, const ch_anchors_settings *settings);
/* Returns the first anchor, counted from 1, with which the largest residual rises by more than 0.1
 * %, or -1 if there is none. */
int64_t cli_residual_rise(const ch_anchors_result *result);

/* Sets rows to the rows with the `most` largest values of anchor k (cli_largest_rows()), which
 * describe it. scaled: the settings of a run with --scale, whose factors are applied; or NULL.
 * Returns the number of rows. */
int cli_anchor_rows(int64_t *rows, int most, const ch_anchors_result *result,
                    const ch_anchors_settings *scaled, int64_t k);
/* Returns a list with the CLI_LARGEST largest rows of each anchor. */
enum { CLI_LARGEST = 5 };
json_t *cli_largest_rows_json(const ch_anchors_result *result, const ch_anchors_settings *scaled);

/* Returns the result object of `conehull anchors`, without seconds.write, which is added when files
 * are written. */
json_t *cli_result_json(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *settings, const ch_anchors_result *result);

/* Adds, for a run of several processes, their number, the amount of communication and its seconds
 * by phase. */
void cli_result_add_ranks(json_t *json, const cli_session *session, const ch_anchors_result *result,
                          const ch_comm_cost *cost);
