/* For programs without the report library, as the demo page, which draws charts of its own. */
#include "common/exit_codes.h"
#include "result/rank_chart.h"

int cli_rank_chart(cli_folder *folder, const ch_anchors_result *result) {
    (void)folder;
    (void)result;
    return EXIT_DONE;
}
