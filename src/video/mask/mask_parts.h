/* Operations on masks as pictures: connected parts, votes of surrounding pixels, thresholds. A mask
 * has width * height bytes, row by row; non-zero is foreground. Results are 0 and 255. Nothing here
 * allocates; the caller provides the workspace. */
#pragma once

#include "base/arena.h"
#include <conehull/mask.h>

typedef struct chi_size {
    int64_t width, height;
} chi_size;

static inline int64_t chi_pixels(chi_size size) {
    return size.width * size.height;
}

/* Returns CH_ERR_ARGUMENT unless pixels can be numbered in 32 bits. (masker.c) */
ch_status chi_size_check(ch_context *context, chi_size size);

/* Connected parts of a mask. They consist of runs, which are stretches of a row that are all
 * foreground (or all background), in the order of the rows. */
typedef struct chi_parts {
    int32_t *start, *end; /* per run: pixels [start, end) of the frame                            */
    int32_t *part;        /* per run: number of its part, 1 .. count in the order of first pixels */
    int32_t *area;        /* per part: number of pixels; area[0] is 0                             */
    int64_t runs, count;
} chi_parts;

/* Returns the length of start, end and part; area is longer by one. */
static inline int64_t chi_parts_most_runs(chi_size size) {
    return size.height * ((size.width + 1) / 2);
}
void chi_parts_reserve(chi_arena *arena, chi_parts *parts, chi_size size);

typedef enum chi_neighbours { CHI_SIDES = 0, CHI_CORNERS = 1 } chi_neighbours;

/* Finds the parts of the foreground, or of the background. With CHI_CORNERS pixels have 8
 * neighbours, else 4. */
void chi_parts_find(chi_parts *parts, const uint8_t *mask, chi_size size, int foreground,
                    chi_neighbours neighbours);
/* Sets labels[i] to the part of pixel i, or to 0. */
void chi_parts_label(const chi_parts *parts, int32_t *labels, chi_size size);
/* Drops parts with fewer than `least` pixels (corners are neighbours). */
void chi_mask_drop_small(uint8_t *mask, chi_parts *parts, chi_size size, int64_t least);
/* Fills holes of at most `most` pixels. Holes are parts of the background (corners are not
 * neighbours) that do not touch the border of the frame. */
void chi_mask_fill_holes(uint8_t *mask, chi_parts *parts, chi_size size, int64_t most);
/* Marks pixels with score >= high, and pixels with score >= low that are connected to them (corners
 * are neighbours). */
void chi_mask_threshold(uint8_t *mask, chi_parts *parts, const float *score, chi_size size,
                        double low, double high);

/* The number of foreground pixels, among the (2 radius + 1)^2 around that are in the frame, that
 * makes a pixel foreground. */
typedef enum chi_vote {
    CHI_VOTE_ANY = 0,  /* dilation                 */
    CHI_VOTE_MOST = 1, /* more than half: a median */
    CHI_VOTE_ALL = 2   /* erosion                  */
} chi_vote;

/* chi_mask_vote() applies a vote. counts is workspace with chi_mask_counts() entries for this
 * radius. out and mask must not overlap. */
int64_t chi_mask_counts(chi_size size, int64_t radius);
void chi_mask_vote(uint8_t *out, const uint8_t *mask, int32_t *counts, chi_size size,
                   int64_t radius, chi_vote vote);
/* Rows [low, high) of a frame. */
typedef struct chi_rows {
    int64_t low, high;
} chi_rows;

/* Returns the rows (or columns) within `radius` of the given ones that are in the frame, [0,
 * end). */
static inline chi_rows chi_rows_around(chi_rows rows, int64_t radius, int64_t end) {
    return (chi_rows){rows.low > radius ? rows.low - radius : 0,
                      rows.high + radius < end ? rows.high + radius : end};
}
static inline int64_t chi_count_around(int64_t row, int64_t radius, int64_t end) {
    chi_rows near = chi_rows_around((chi_rows){row, row + 1}, radius, end);
    return near.high - near.low;
}

/* Closes a part of a mask: CHI_VOTE_ANY, then CHI_VOTE_ALL. The result in these rows and columns is
 * the same as that of two votes over the whole frame. `wide` is workspace for these rows and 2
 * radius more, at most for the rows of the frame. */
void chi_mask_close_part(uint8_t *out, const uint8_t *mask, uint8_t *wide, int32_t *counts,
                         chi_size size, int64_t radius, chi_rows rows, chi_rows columns);
