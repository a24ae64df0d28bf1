/* The chart of the automatic rank: rank_chart.c, or rank_chart_none.c in programs without the
 * report library. */
#pragma once

#include "common/output_folder.h"
#include <conehull/anchors.h>

/* Writes rank.svg. The result must have at least one anchor and max_residual. Returns the exit
 * code. */
int cli_rank_chart(cli_folder *folder, const ch_anchors_result *result);
