/* Writes no chart, in programs without the report library, such as the demo page in the browser,
 * which draws its own charts. */
#include "common/exit_codes.h"
#include "result/rank_chart.h"

int cli_rank_chart(cli_folder *folder, const ch_anchors_result *result) {
    (void)folder;
    (void)result;
    return EXIT_DONE;
}
