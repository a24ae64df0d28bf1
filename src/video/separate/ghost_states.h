/* Ghosts, in two steps: states of the clip over time (ghost_remove.c), places where they differ and
 * which of them is the empty one (ghost_places.c). */
#pragma once

#include "base/base.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/separate/separation.h"

enum { CHI_GHOST_STATES = 16 };
enum { CHI_GHOST_PLACES = 1000 }; /* smaller than one part in so many of the frame is no place */

/* Ratios are of values + 1, which light leaves as they are and which never divide by 0; what is
 * compared as it is seen has CHI_DARK added, as in the scores of masks. */
typedef struct chi_ghost_states {
    chi_size size;
    const ch_separation *parts; /* the plane at hand */
    int64_t count; /* states: equal stretches of time                                           */
    float *ratio;  /* count x pixels: log((x + 1) / (b + 1)), the median over the stretch        */
    float *ground; /* pixels: log(b + 1), the mean over some of the frames looked at             */
    double noise;  /* of log(x + CHI_DARK), one standard deviation  */
    double light[CHI_GHOST_STATES]; /* chi_ghost_light(), the mean over the frame                */
} chi_ghost_states;

typedef struct chi_ghost_box {
    int64_t left, top, right, bottom;
} chi_ghost_box;

/* Places that were found; of each label whether and by which states it is to be replaced. */
typedef struct chi_ghost_places {
    chi_parts parts;   /* where ...                                                              */
    int32_t *labels;   /* ... per pixel: the part, or 0                                          */
    uint32_t *support; /* per part, from 1: the states that show it empty; 0: leave it           */
    chi_ghost_box box[CHI_GHOST_PLACES]; /* around each of those that are looked at              */
    uint32_t *changes; /* per pixel: the states in which it differs from the background          */
    uint8_t *mask, *spare;
    int32_t *counts;
    double *values; /* pixels: values of a part, for medians                                     */
    int64_t looked_at;
} chi_ghost_places;

/* Fills parts and support; CH_STOP_CANCELLED when the caller wants no more. */
ch_status chi_ghost_find(ch_context *context, chi_ghost_places *places,
                         const chi_ghost_states *states);

/* The light on pixel i in state s, as the background has it: log(b + CHI_DARK), the mean over some
 * of the frames looked at. */
double chi_ghost_light(const chi_ghost_states *states, int64_t s, int64_t i);

/* The log ratio of pixel i with the states of a set: their median. */
float chi_ghost_value(const chi_ghost_states *states, uint32_t set, int64_t i);
