/* The picture of the automatic rank: rank_chart.c, or rank_chart_none.c where no charts are linked.
 */
#pragma once

#include "common/output_folder.h"
#include <conehull/anchors.h>

/* rank.svg of a result with at least one anchor and its max_residual. Returns the exit code. */
int cli_rank_chart(cli_folder *folder, const ch_anchors_result *result);
