/* Was the light switched? The share of sampled pixels that are off the background is compared with
 * what is usual: a slow median, which moves by a fixed step towards every new value. People raise
 * the share too, but by less, or not for so long over so much of the picture. */
#include "video/live/live_state.h"

static const double STEP = 0.002; /* of the slow median, per frame                             */

int chi_live_unusual(const chi_live_change *change, double off) {
    return off > change->usual + CHI_LIVE_JUMP;
}

int chi_live_changed(chi_live_change *change, double off) {
    int unusual = chi_live_unusual(change, off);
    if (!unusual && change->high < CHI_LIVE_CONFIRM) change->implausible += change->high;
    change->high = unusual ? change->high + 1 : 0;
    if (!unusual) change->usual += off > change->usual ? STEP : -STEP;
    if (change->usual < 0) change->usual = 0;
    return change->high == CHI_LIVE_CONFIRM;
}
