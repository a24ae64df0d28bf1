/* Columns with missing entries that complete columns explain (explained_columns.c). */
#pragma once

#include "anchors/data/usable_data.h"

/* Largest share of missing entries of an anchor, if the settings give none: at least half of it was
 * measured. */
#define CHI_MOST_MISSING 0.5

/* Bars the columns that are extreme only by the estimates of their missing entries. usable->data,
 * mark and barred must be made, and the missing entries estimated. Returns CHI_CANCELLED if the
 * progress callback cancels. */
ch_status chi_bar_explained(ch_context *context, chi_usable *usable,
                            const ch_anchors_settings *settings);
