/* The settings of masks as a table. */
#include "base/settings_rows.h"
#include <conehull/mask.h>

static const char *const scores[] = {"residual", "decision", NULL};

#define AT(field) offsetof(ch_mask_settings, field)
static const ch_setting rows[] = {
    {"threshold", CH_SETTING_REAL, AT(threshold), 0, 0, 1e6, NULL, "T",
     "a pixel is foreground if its score is T or more. The score measures the distance from the "
     "background; 1 is one gray level on a mid-gray background. 0: T is --noises times the "
     "noise of the input"},
    {"noises", CH_SETTING_REAL, AT(noises), 6, 0.1, 1000, NULL, "N",
     "threshold as a multiple of the noise of the input, used if --threshold is 0; larger values "
     "mark fewer pixels"},
    {"smooth", CH_SETTING_INT, AT(smooth), 1, 0, 100, NULL, "N",
     "radius in pixels of the square over which scores are averaged before they are compared with "
     "the threshold; 0: no averaging"},
    {"shadow", CH_SETTING_REAL, AT(shadow), 0.1, 0, 1, NULL, "S",
     "factor from 0 to 1 by which the score of a pixel that looks like a shadow is multiplied; 1: "
     "shadows count as foreground"},
    {"low", CH_SETTING_REAL, AT(low), 1, 0, 1, NULL, "S",
     "second, lower threshold for pixels next to foreground, as a fraction (0 to 1) of the first "
     "threshold; 1: no second threshold"},
    {"median", CH_SETTING_INT, AT(median), 0, 0, 100, NULL, "N",
     "radius in pixels of a median filter that is applied to the mask; 0: no filter"},
    {"close", CH_SETTING_INT, AT(close), 1, 0, 100, NULL, "N",
     "close gaps in the mask that are up to twice this many pixels wide; 0: close none"},
    {"least", CH_SETTING_REAL, AT(least), 1, 0, 1000, NULL, "S",
     "remove objects from the mask that are smaller than this, in thousandths of the picture's "
     "area"},
    {"holes", CH_SETTING_REAL, AT(holes), 5, 0, 1000, NULL, "S",
     "fill holes in objects up to this size, in thousandths of the picture's area"},
    {"score", CH_SETTING_CHOICE, AT(score), CH_MASK_SCORE_RESIDUAL, 0, 1, scores, NULL,
     "which score is written to soft.mkv and compared with --truth. residual: |pixel - "
     "background|. decision: the score that is compared with the threshold"},
};
CHI_SETTINGS_TABLE(ch_mask_table, "mask", rows, ch_mask_settings)
