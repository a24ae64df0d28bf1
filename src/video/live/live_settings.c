/* The settings of live separation as a table. */
#include "base/settings_rows.h"
#include <conehull/live.h>

#define AT(field) offsetof(ch_live_settings, field)
static const ch_setting rows[] = {
    {"warm_up", CH_SETTING_INT, AT(warm_up), 200, 20, 100000, NULL, "N",
     "number of frames from which the first background is learned"},
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, CH_LIVE_RANK_MAX, NULL, "N",
     "number of pictures from which the background is mixed (factors); 0: the number is chosen "
     "from the data, at most 4"},
    {"sample", CH_SETTING_INT, AT(sample), 4096, 64, 1000000, NULL, "N",
     "number of pixels, evenly spread over the picture, to which the weights of a frame are "
     "fitted"},
    {"every", CH_SETTING_INT, AT(every), 4, 1, 1000, NULL, "N",
     "update the background after every N frames"},
    {"follow", CH_SETTING_INT, AT(follow), 200, 1, 1000000, NULL, "N",
     "how fast the background follows a small, lasting change: after N frames it has adopted "
     "about two thirds of the change"},
    {"absorb", CH_SETTING_INT, AT(absorb), 1000, 0, 60000, NULL, "N",
     "number of frames after which an object that stands still becomes part of the background; 0: "
     "never"},
    {"adapt", CH_SETTING_INT, AT(adapt), 30, 0, 1000, NULL, "N",
     "when a light is switched on or off, learn the new background from this many frames; 0: do "
     "not detect such switches"},
    {"late", CH_SETTING_FLAG, AT(late), 0, 0, 1, NULL, NULL,
     "do not wait for the thread that learns new backgrounds. A new background takes effect when "
     "it is ready, so two runs may differ"},
    {"keep_ghosts", CH_SETTING_FLAG, AT(keep_ghosts), 0, 0, 1, NULL, NULL,
     "leave objects in the background if they stood still for most of the warm-up. By default "
     "such objects are removed from the background"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9007199254740991.0, NULL, "N",
     "seed of the random choice of pixels"},
};
CHI_SETTINGS_TABLE(ch_live_table, "live", rows, ch_live_settings)

const char *ch_live_state_name(ch_live_state state) {
    static const char *const names[] = {"warm-up", "steady", "adapting", "frozen"};
    return names[state];
}
