/* Waves of columns that are projected (project_all.c), and kept (column_wave_record.c). */
#pragma once

#include "base/arena.h"
#include "project/columns/project_all.h"

/* What a block of columns added up to. */
typedef struct chi_tally {
    double objective, largest, gap, infeasibility, stationarity;
    int64_t pivots, unproven;
} chi_tally;

/* Columns of this process that an earlier run has projected. H and the tallies are in their places
 * already; the duals wait for those of the columns before them. */
typedef struct chi_kept_columns {
    int64_t low, high;
    chi_arena arena; /* of what follows                       */
    int64_t *used;   /* duals of each column; NULL: none are wanted */
    int32_t *row;
    double *value;
    double *H; /* where the weights are handed over in parts, else NULL */
} chi_kept_columns;

typedef struct chi_wave {
    ch_context *context;
    const chi_projector *projector;
    chi_arena arena;
    double *H;              /* of columns from H_from on, or NULL                                 */
    int64_t H_from;         /* 0: H is of all columns                                             */
    chi_weights_sink *sink; /* or NULL; else H is of a wave                                   */
    int64_t low, high;      /* its columns                                                        */
    int64_t block;          /* columns of a block                                                 */
    int64_t blocks;         /* of the next wave, from ...                                         */
    int64_t least;          /* ... so many, a block a thread, ...                                 */
    int64_t most;           /* ... to so many, for which there is memory                          */
    int begun;              /* a wave was made                                                    */
    double *points;         /* a block a thread, if H is NULL and columns are projected together  */
    chi_fit *fits;          /* one a column                                                       */
    chi_tally *tallies;     /* one a block                                                        */
    double *objective;      /* of every block of all waves                                        */
    int64_t slot;           /* entries of a column's slot; 0: no duals wanted                     */
    int32_t *row;
    double *value;
    int64_t *used;          /* entries in each slot                                           */
    int64_t capacity;       /* duals that the arrays of the result can hold                   */
    chi_kept_columns *kept; /* by rising columns                                              */
    int64_t kept_count, kept_capacity, kept_next;
} chi_wave;

static inline int64_t chi_wave_blocks(const chi_wave *w) {
    return (w->high - w->low + w->block - 1) / w->block;
}

static inline double *chi_wave_H(const chi_wave *w, int64_t j) {
    return w->H ? w->H + (j - w->H_from) * w->projector->cone->count : NULL;
}

/* Adds what a block of the wave came to. */
void chi_wave_add(chi_projected *all, const chi_wave *w, int64_t block, const chi_tally *tally);

/* Collective: the wave of every process goes to the checkpoint; low == high: this one has none. */
ch_status chi_wave_save(const chi_wave *w, const chi_projected *all,
                        const ch_checkpoint *checkpoint);
/* Collective: all waves of earlier runs, however many processes these had. */
ch_status chi_waves_load(chi_wave *w, chi_projected *all, const ch_checkpoint *checkpoint);
