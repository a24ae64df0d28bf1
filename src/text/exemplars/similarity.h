/* Similarities of one column with all columns, without a matrix of columns x columns. */
#pragma once

#include "base/arena.h"
#include <conehull/exemplars.h>

/* The columns of X, scaled, stored row after row. 8 bytes per non-zero value. */
typedef struct chi_similarity {
    const ch_matrix *X;
    ch_similarity kind;
    double *scale;   /* cols: 1 / the norm of a column, 0 for a zero column */
    int64_t *start;  /* rows + 1: start of the entries of a row             */
    int32_t *column; /* columns of the entries of a row, increasing         */
    float *value;    /* their values, scaled                                */
    float *frequent; /* frequent rows with their zeros, cols values each    */
    int64_t *place;  /* rows: start of the row in `frequent`; -1: it is not */
} chi_similarity;

/* The arena owns everything, also when it fails. X, without negative values, is not copied and must
 * outlive it. */
ch_status chi_similarity_create(chi_arena *arena, chi_similarity *alike, const ch_matrix *X,
                                ch_similarity kind);

/* Workspace of one thread for chi_similarity_row(). */
typedef struct chi_similarity_room {
    int32_t *index; /* rows */
    double *value;  /* rows */
    double *sum;    /* cols */
} chi_similarity_room;
void chi_similarity_reserve(chi_arena *arena, chi_similarity_room *room, const ch_matrix *X);

/* Writes the entries of column j, scaled, to room; returns their number. */
int64_t chi_similarity_column(const chi_similarity *alike, chi_similarity_room *room, int64_t j);

/* s[0 .. cols) = similarity of each column with column j, from 0 to 1. O(cols + entries of the rows
 * of column j). Sums are in double; s is rounded to float, because many values are compared.
 * Several threads may call it, each with its own room. */
void chi_similarity_row(const chi_similarity *alike, chi_similarity_room *room, float *s,
                        int64_t j);
