/* Features in different units. The loss is a sum over features, so one that is stored in a small
 * unit (calories next to grams) decides the fit. --scale divides each feature by its maximum or
 * mean. That is the same as row weights, with which W and the output stay in the user's units. */
#pragma once

#include "result/trust_options.h"

/* The option --scale; the arguments are a cli_input. */
extern const cli_option_row cli_scale_rows[];

/* Multiplies the row weights by those of input->scale, unless it is NULL or "none". They go to
 * trust->rows, which the settings borrow. Prints errors and returns the exit code. */
int cli_scale_apply(cli_trust *trust, const cli_session *session, const cli_input *input,
                    ch_anchors_settings *settings);

/* Returns the settings if features are scaled, else NULL. */
const ch_anchors_settings *cli_scaled(const cli_input *input, const ch_anchors_settings *settings);
/* Returns the factor by which row i is multiplied in the loss: 1 without row weights. */
double cli_row_factor(const ch_anchors_settings *settings, int64_t i);

/* Returns whether the entry is missing: NaN, masked or of weight 0. */
int cli_is_unknown(const ch_anchors_settings *settings, int64_t i, int64_t j, double value);

/* Returns a warning, which the caller frees, if the fit hardly depends on some features. Let n be a
 * tenth of the features that are not zero, but at least 1. The fit hardly depends on some features
 * if the n largest features hold 90 % of the sum of all values, so that under l1 a fit that ignores
 * all others misses at most a tenth of the data; or if at least n features are not zero in half of
 * the data points, but each holds less than 1 % of an equal share of the sum; or if there are fewer
 * than 20 features, and up to half of them hold 75 % of the sum and are each at least 10 times the
 * median of the others. Returns NULL
 * otherwise, and if there are fewer than three features, the settings have row weights, or the data
 * are integers or sparse, which have one unit. */
char *cli_scale_warning(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *settings);
