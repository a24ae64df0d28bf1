/* For programs without the report library, as the demo page, which draws charts of its own. */
#include "anchors/anchors_command.h"

int anchors_page_make(anchors_page **page, const cli_session *session,
                      const anchors_arguments *given, const ch_anchors_result *result,
                      const json_t *json) {
    (void)page, (void)given, (void)result, (void)json;
    return cli_wrong_use(session, "--page is not available in this build of conehull");
}

void anchors_page_write(FILE *to, const void *page) {
    (void)to, (void)page;
}

void anchors_page_free(anchors_page *page) {
    (void)page;
}
