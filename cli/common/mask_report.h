/* Masks in reports of commands: warnings, sequences in the layout of a benchmark, pixels that
 * count, figures. */
#pragma once

#include "common/command.h"
#include "common/json.h"
#include <conehull/metrics.h>
#include <conehull/picture.h>

/* If the operand is a folder with input/ and groundtruth/ (CDnet), replaces the operand by its
 * input/ and sets *truth, unless given, to the folder. *made must be freed after the run. */
int cli_sequence_take(cli_session *session, const char **truth, char **made);

/* Returns the pixels of mask k that count; NULL means all. `watched` (or NULL) is combined with the
 * region of the masks. */
const uint8_t *cli_masks_region(ch_masks *masks, int64_t k, const uint8_t *watched, int64_t pixels);

/* Returns the figures of the benchmark, each null if `counts` is NULL. */
json_t *cli_benchmark_json(const ch_pixel_counts *counts);

/* The warnings of a masker about its threshold (bits of ch_mask_info.warnings), as a list of
 * sentences, and printed to standard error. */
json_t *cli_mask_warnings_json(int warnings);
void cli_mask_warnings_print(int warnings);
