/* The settings of masks, as a table. */
#include <conehull/mask.h>
#include <stddef.h>

static const char *const scores[] = {"residual", "decision", NULL};

#define AT(field) offsetof(ch_mask_settings, field)
static const ch_setting rows[] = {
    {"threshold", CH_SETTING_REAL, AT(threshold), 0, 0, 1e6, NULL, "T",
     "what a pixel must differ from the background by, in gray levels; 0: chosen from the noise"},
    {"noises", CH_SETTING_REAL, AT(noises), 5, 0.1, 1000, NULL, "N",
     "the automatic threshold, in units of the noise"},
    {"low", CH_SETTING_REAL, AT(low), 0.5, 0, 1, NULL, "S",
     "share of the threshold that suffices next to foreground; 1: no second threshold"},
    {"smooth", CH_SETTING_INT, AT(smooth), 1, 0, 100, NULL, "N",
     "radius of the averaging before the threshold, in pixels; 0: none"},
    {"median", CH_SETTING_INT, AT(median), 1, 0, 100, NULL, "N",
     "radius of the median filter of the mask, in pixels; 0: none"},
    {"least", CH_SETTING_REAL, AT(least), 1, 0, 1000, NULL, "S",
     "objects smaller than this are dropped, in 1/1000 of the frame"},
    {"holes", CH_SETTING_REAL, AT(holes), 5, 0, 1000, NULL, "S",
     "holes up to this size are filled, in 1/1000 of the frame"},
    {"score", CH_SETTING_CHOICE, AT(score), 0, 0, 1, scores, NULL,
     "what is written and scored: |pixel - background|, or what the threshold is applied to"},
};
#undef AT
const ch_settings_table ch_mask_table = {"mask", rows, sizeof rows / sizeof *rows,
                                         sizeof(ch_mask_settings)};
