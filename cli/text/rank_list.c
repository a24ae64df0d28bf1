#include "text/rank_list.h"
#include "options/option_values.h"
#include <stdlib.h>

enum { RANKS_MAX = 1000 };

/* Reads one number or one range; returns 0 if it is not understood. */
static int take_item(int64_t *ranks, int *count, const char **at) {
    int64_t from = cli_number_take(at), to = from, step = 1;
    if (**at == ':') {
        ++*at;
        to = cli_number_take(at);
        if (**at == ':') {
            ++*at;
            step = cli_number_take(at);
        }
    }
    if (from < 1 || to < from || step < 1) return 0;
    if ((to - from) / step >= RANKS_MAX - *count) return 0;
    for (int64_t r = from; r <= to; r += step) ranks[(*count)++] = r;
    return 1;
}

int cli_rank_list(const cli_session *session, int64_t **ranks, int *count, const char *text) {
    *count = 0;
    *ranks = malloc(RANKS_MAX * sizeof **ranks);
    if (!*ranks) return cli_no_memory();
    for (const char *at = text;; at++) {
        int good = take_item(*ranks, count, &at);
        if (good && !*at) break;
        if (!good || *at != ',')
            return cli_refuse("%s: -r must be whole numbers from 1 on with commas between "
                              "them, as in 10,20,50, or FROM:TO:STEP, as in 10:150:10; got '%s'",
                              session->options.command, text);
    }
    *count = (int)cli_sort_unique(*ranks, *count);
    return EXIT_DONE;
}
