/* How alike columns are, all at once, without a matrix of columns x columns. */
#pragma once

#include "base/arena.h"
#include <conehull/exemplars.h>

/* The columns of X, scaled, stored row after row. 8 bytes per value that is not zero. */
typedef struct chi_similarity {
    const ch_matrix *X;
    ch_similarity kind;
    double *scale;   /* cols: 1 / the norm of a column, 0 for a column of zeros      */
    int64_t *start;  /* rows + 1: where the entries of a row begin                   */
    int32_t *column; /* of the entries: columns of a row, rising                     */
    float *value;    /* and their values, scaled                                     */
} chi_similarity;

/* Everything is in the arena, also where it fails. X, without negative values, is not copied and
 * must outlive it. */
ch_status chi_similarity_create(chi_arena *arena, chi_similarity *alike, const ch_matrix *X,
                                ch_similarity kind);

/* What one thread needs for chi_similarity_row(). */
typedef struct chi_similarity_room {
    int32_t *index; /* rows */
    double *value;  /* rows */
    double *sum;    /* cols */
} chi_similarity_room;
void chi_similarity_reserve(chi_arena *arena, chi_similarity_room *room, const ch_matrix *X);

/* The entries of column j, scaled, into room; returns how many they are. */
int64_t chi_similarity_column(const chi_similarity *alike, chi_similarity_room *room, int64_t j);

/* s[0 .. cols): how like column j each column is, from 0 to 1. O(cols + entries of the rows of
 * column j). Sums are double; s, which a
 * lot of is compared, is rounded. Several threads may call it, each with its own room. */
void chi_similarity_row(const chi_similarity *alike, chi_similarity_room *room, float *s,
                        int64_t j);
