/* The settings of masks, as a table. */
#include "base/settings_rows.h"
#include <conehull/mask.h>

static const char *const scores[] = {"residual", "decision", NULL};

#define AT(field) offsetof(ch_mask_settings, field)
static const ch_setting rows[] = {
    {"threshold", CH_SETTING_REAL, AT(threshold), 0, 0, 1e6, NULL, "T",
     "score from which a pixel is foreground: its distance from the background in gray levels on "
     "mid gray; 0: chosen from the noise"},
    {"noises", CH_SETTING_REAL, AT(noises), 6, 0.1, 1000, NULL, "N",
     "automatic threshold in units of the noise"},
    {"smooth", CH_SETTING_INT, AT(smooth), 1, 0, 100, NULL, "N",
     "radius of the averaging before the threshold in pixels; 0: none"},
    {"shadow", CH_SETTING_REAL, AT(shadow), 0.1, 0, 1, NULL, "S",
     "factor of the score of pixels that look like a shadow; 1: shadows are foreground"},
    {"low", CH_SETTING_REAL, AT(low), 1, 0, 1, NULL, "S",
     "share of the threshold that is enough next to foreground; 1: no second threshold"},
    {"median", CH_SETTING_INT, AT(median), 0, 0, 100, NULL, "N",
     "radius of the median filter of the mask in pixels; 0: none"},
    {"close", CH_SETTING_INT, AT(close), 1, 0, 100, NULL, "N",
     "close gaps of up to twice this many pixels; 0: none"},
    {"least", CH_SETTING_REAL, AT(least), 1, 0, 1000, NULL, "S",
     "drop objects smaller than this, in 1/1000 of the frame"},
    {"holes", CH_SETTING_REAL, AT(holes), 5, 0, 1000, NULL, "S",
     "fill holes up to this size, in 1/1000 of the frame"},
    {"score", CH_SETTING_CHOICE, AT(score), CH_MASK_SCORE_RESIDUAL, 0, 1, scores, NULL,
     "score that is written and evaluated: residual: |pixel - background|; decision: the "
     "quantity compared with the threshold"},
};
CHI_SETTINGS_TABLE(ch_mask_table, "mask", rows, ch_mask_settings)
