/* A wave is a range of columns that are projected between two reports of progress (project_all.c).
 * Waves can be saved to and loaded from a checkpoint (column_wave_record.c). */
#pragma once

#include "base/arena.h"
#include "project/columns/project_all.h"

/* Sums and maxima over a block of columns. */
typedef struct chi_tally {
    double objective, largest, gap, infeasibility, stationarity;
    int64_t pivots, unproven;
} chi_tally;

/* Columns of this process that an earlier run projected. Their H and tallies are already stored in
 * the result. Their duals are appended later, after the duals of the columns before them. */
typedef struct chi_kept_columns {
    int64_t low, high;
    chi_arena arena; /* owns the arrays below */
    int64_t *used;   /* number of duals of each column; NULL if no duals are requested */
    int32_t *row;
    double *value;
    double *H; /* weights of these columns if a sink receives H, else NULL */
} chi_kept_columns;

typedef struct chi_wave {
    ch_context *context;
    const chi_projector *projector;
    chi_arena arena;
    double *H;              /* weights of the columns from H_from on, or NULL */
    int64_t H_from;         /* 0 if H holds all columns */
    chi_weights_sink *sink; /* receives H in parts; then H holds only one wave. NULL: no sink */
    int64_t low, high;      /* columns [low, high) of the current wave */
    int64_t block;          /* number of columns per block */
    int64_t blocks;         /* number of blocks of the next wave, from `least` to `most` */
    int64_t least;          /* minimum of `blocks`: one block per thread, if `most` allows it */
    int64_t most;           /* maximum of `blocks`, limited by the memory for slots */
    int begun;              /* 1: the first wave has been made */
    /* One block per thread, if H is NULL and blocks are projected together. */
    double *points;
    chi_fit *fits;      /* one per column */
    chi_tally *tallies; /* one per block */
    double *objective;  /* objective of every block of all waves */
    int64_t slot; /* number of entries of the slot of each column; 0 if no duals are requested */
    int32_t *row;
    double *value;
    int64_t *used;          /* number of entries used in each slot */
    int64_t capacity;       /* number of duals that fit in the arrays of the result */
    chi_kept_columns *kept; /* sorted by increasing columns */
    int64_t kept_count, kept_capacity, kept_next;
} chi_wave;

static inline int64_t chi_wave_blocks(const chi_wave *w) {
    return (w->high - w->low + w->block - 1) / w->block;
}

static inline double *chi_wave_H(const chi_wave *w, int64_t j) {
    return w->H ? w->H + (j - w->H_from) * w->projector->cone->count : NULL;
}

/* Adds the tally of a block of the wave to the totals. */
void chi_wave_add(chi_projected *all, const chi_wave *w, int64_t block, const chi_tally *tally);

/* Collective: saves the current waves of all processes to the checkpoint. w->low == w->high means
 * that this process has no wave. */
ch_status chi_wave_save(const chi_wave *w, const chi_projected *all,
                        const ch_checkpoint *checkpoint);
/* Collective: loads the waves that earlier runs saved; these runs may have used another number of
 * processes. */
ch_status chi_waves_load(chi_wave *w, chi_projected *all, const ch_checkpoint *checkpoint);
