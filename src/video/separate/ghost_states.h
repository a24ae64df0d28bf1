/* Removal of ghosts in two steps: the states of the clip over time (ghost_remove.c), then the
 * places where states differ, and the state in which each place is empty (ghost_places.c). */
#pragma once

#include "base/base.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/separate/separation.h"

enum { CHI_GHOST_STATES = 16 };
enum { CHI_GHOST_PLACES = 1000 }; /* a place is at least 1 / CHI_GHOST_PLACES of the frame */

/* The states of a clip over time. Ratios are of values + 1, so that they hardly depend on the light
 * and never divide by 0. Comparisons of visible differences use values + CHI_DARK, as the scores of
 * masks do. */
typedef struct chi_ghost_states {
    chi_size size;
    const ch_separation *parts; /* the current plane                                 */
    int64_t count;              /* number of states, which are equal periods of time */
    float *ratio;  /* count x pixels: median over the period of log((x + 1) / (b + 1)) */
    float *ground; /* pixels: mean of log(b + 1) over some of the frames used          */
    double noise;  /* standard deviation of log(x + CHI_DARK)                          */
    double light[CHI_GHOST_STATES]; /* mean of chi_ghost_light() over the frame */
} chi_ghost_states;

typedef struct chi_ghost_box {
    int64_t left, top, right, bottom;
} chi_ghost_box;

/* The places that were found, and for each the states whose values replace it, if any. */
typedef struct chi_ghost_places {
    chi_parts parts;   /* the places as connected parts                                  */
    int32_t *labels;   /* per pixel: the part, or 0                                      */
    uint32_t *support; /* per part, from 1: the states that show it empty; 0 to leave it */
    chi_ghost_box box[CHI_GHOST_PLACES]; /* the boxes of the parts that are examined */
    uint32_t *changes; /* per pixel: the states in which it differs from the background */
    uint8_t *mask, *spare;
    int32_t *counts;
    double *values; /* pixels: values of a part, for medians */
    int64_t looked_at;
} chi_ghost_places;

/* Fills parts and support. Returns CH_STOP_CANCELLED if the caller asks to stop. */
ch_status chi_ghost_find(ch_context *context, chi_ghost_places *places,
                         const chi_ghost_states *states);

/* Returns the light on pixel i in state s according to the background: the mean of log(b +
 * CHI_DARK) over some of the frames used. */
double chi_ghost_light(const chi_ghost_states *states, int64_t s, int64_t i);

/* Returns the median log ratio of pixel i over the states of a set. */
float chi_ghost_value(const chi_ghost_states *states, uint32_t set, int64_t i);
