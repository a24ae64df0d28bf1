/* The settings of live separation, as a table. */
#include "base/settings_rows.h"
#include <conehull/live.h>

#define AT(field) offsetof(ch_live_settings, field)
static const ch_setting rows[] = {
    {"warm_up", CH_SETTING_INT, AT(warm_up), 200, 20, 100000, NULL, "N",
     "frames that the first background is learned from"},
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, CH_LIVE_RANK_MAX, NULL, "N",
     "how many factors the background has; 0: chosen from the data, 4 at most"},
    {"sample", CH_SETTING_INT, AT(sample), 4096, 64, 1000000, NULL, "N",
     "pixels that the weights of a frame are fitted on, evenly spread"},
    {"every", CH_SETTING_INT, AT(every), 4, 1, 1000, NULL, "N",
     "the background learns from every so many frames"},
    {"follow", CH_SETTING_INT, AT(follow), 200, 1, 1000000, NULL, "N",
     "frames in which the background takes over two thirds of a small, lasting change"},
    {"absorb", CH_SETTING_INT, AT(absorb), 1000, 0, 60000, NULL, "N",
     "frames for which what stands still is foreground, before it becomes background; 0: for ever"},
    {"adapt", CH_SETTING_INT, AT(adapt), 30, 0, 1000, NULL, "N",
     "frames of a new light that a new background is learned from; 0: no switch is looked for"},
    {"late", CH_SETTING_FLAG, AT(late), 0, 0, 1, NULL, NULL,
     "never wait for the background thread; what it learns then takes effect when it is ready, and "
     "two runs may differ"},
    {"keep_ghosts", CH_SETTING_FLAG, AT(keep_ghosts), 0, 0, 1, NULL, NULL,
     "leave in the background what stood still for most of the warm-up"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9007199254740991.0, NULL, "N",
     "seed of the draws among pixels"},
};
CHI_SETTINGS_TABLE(ch_live_table, "live", rows, ch_live_settings)

const char *ch_live_state_name(ch_live_state state) {
    static const char *const names[] = {"warm-up", "steady", "adapting", "frozen"};
    return names[state];
}
