/* Masks, as commands report them: warnings; sequences in the layout of a benchmark, pixels that
 * count, figures. */
#pragma once

#include "common/command.h"
#include "common/json.h"
#include <conehull/metrics.h>
#include <conehull/picture.h>

/* A folder with input/ and groundtruth/ in it (CDnet) stands for both: the operand becomes its
 * input/, and *truth, unless it is given, the folder. *made is for free(), after the run. */
int cli_sequence_take(cli_session *session, const char **truth, char **made);

/* Where pixels of mask k count: NULL is everywhere. `watched` (or NULL) is joined to what the masks
 * say themselves. */
const uint8_t *cli_masks_region(ch_masks *masks, int64_t k, const uint8_t *watched, int64_t pixels);

/* The figures of the benchmark, or null for each where `counts` is NULL. */
json_t *cli_benchmark_json(const ch_pixel_counts *counts);

/* What a masker has to say about its threshold (bits of ch_mask_info.warnings): a list of
 * sentences, and each of them on standard error. */
json_t *cli_mask_warnings_json(int warnings);
void cli_mask_warnings_print(int warnings);
