/* Folders of masks in the layout of the CDnet benchmark (mask_benchmark.c). */
#pragma once

#include "io/clip/frames.h"

typedef struct chi_mask_layout {
    const char *masks, *around; /* the folder of the masks, and that of the sequence             */
    int coded;                  /* masks have names and codes of the benchmark                   */
    int64_t base;               /* number of the first frame                                     */
    int64_t first, last;        /* numbers of frames that count                                  */
    ch_picture region;          /* pixels NULL: all                                              */
} chi_mask_layout;

/* Where the masks of a folder are: in it, or in its groundtruth/. */
ch_status chi_mask_layout_find(chi_arena *arena, chi_mask_layout *layout, const char *folder);
/* What is known of coded masks, the first of which has that number. The region is for
 * ch_picture_free(). */
ch_status chi_mask_layout_read(chi_arena *arena, chi_mask_layout *layout, int64_t first_mask);
/* Whether the region has the size of the masks. */
ch_status chi_mask_layout_check(const chi_mask_layout *layout, ch_context *context,
                                const ch_masks *masks);
/* Gray codes as foreground (0 and 1) and pixels that count. */
void chi_mask_layout_decode(const chi_mask_layout *layout, uint8_t *foreground, uint8_t *counted,
                            const ch_picture *mask);
