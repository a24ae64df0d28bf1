/* A rank from the command line. */
#include "options/rank_option.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <string.h>

/* 0 is how settings say auto, and not for people. */
int cli_rank_take(const cli_session *session, const ch_settings_table *table, void *settings,
                  const char *text, int or_auto) {
    const ch_setting *row = ch_settings_find(table, "rank");
    int64_t rank = 0;
    if (ch_settings_set(session->context, table, settings, row->name, text) >= 0)
        memcpy(&rank, (const char *)settings + row->offset, sizeof rank);
    if (rank > 0) return EXIT_DONE;
    cli_complain("%s: -r must be a whole number from 1 to %.0f%s; got '%s'",
                 session->options.command, row->high, or_auto ? ", or auto" : "", text);
    return EXIT_USAGE;
}
