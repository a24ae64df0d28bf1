/* Folders of masks in the layout of the CDnet benchmark (mask_benchmark.c). */
#pragma once

#include "io/clip/frames.h"

typedef struct chi_mask_layout {
    const char *masks, *around; /* the folder of the masks; the folder of the sequence   */
    int coded;                  /* whether masks have names and codes of the benchmark   */
    int64_t base;               /* number of the first frame                             */
    int64_t first, last;        /* numbers of the first and last frame that count        */
    ch_picture region;          /* the pixels that count; region.pixels NULL: all pixels */
} chi_mask_layout;

/* Finds the masks of a folder: in the folder itself or in its subfolder groundtruth/. */
ch_status chi_mask_layout_find(chi_arena *arena, chi_mask_layout *layout, const char *folder);
/* Reads the region and the numbers of coded masks, of which the first has number first_mask. The
 * caller frees the region by ch_picture_free(). */
ch_status chi_mask_layout_read(chi_arena *arena, chi_mask_layout *layout, int64_t first_mask);
/* Checks that the region has the size of the masks. */
ch_status chi_mask_layout_check(const chi_mask_layout *layout, ch_context *context,
                                const ch_masks *masks);
/* Decodes gray codes to foreground (0 and 1) and pixels that count. */
void chi_mask_layout_decode(const chi_mask_layout *layout, uint8_t *foreground, uint8_t *counted,
                            const ch_picture *mask);
