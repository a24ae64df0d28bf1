/* Vertices for a block of columns at once, for a few anchors: one column per lane of the vectors
 * (lad_lanes.c). The result is only a proposal, which nnlad_exact.c proves column by column. */
#pragma once

#include "project/lad/lad.h"

enum {
    CHI_LANE_COLUMNS = 16, /* columns of a block                       */
    CHI_LANE_ANCHORS = 4,  /* maximum number of anchors                */
    CHI_LANE_LEAST = 32,   /* rows of a column at least                */
    CHI_NEAR_MOST = 192    /* rows of T of a column at most            */
};

/* A block of columns. All rows of a column are present, because it has no zero. */
typedef struct chi_lane_block {
    const chi_cone *cone;
    const double *noise;                   /* per row, as in chi_lad                          */
    double *values;                        /* memory for CHI_LANE_COLUMNS columns             */
    const double *value[CHI_LANE_COLUMNS]; /* the column, or NULL if this lane is not used    */
    double sum[CHI_LANE_COLUMNS];          /* |x|_1                                           */
    double scale[CHI_LANE_COLUMNS];        /* for single precision; 0: no proposal            */
    float *x;                              /* rows x CHI_LANE_COLUMNS, one row after another  */
    int32_t *marks;                        /* rows, in whole vectors                          */
    int32_t *list;                         /* CHI_LANE_COLUMNS lists of up to near_most rows  */
    double *near;                          /* workspace, (near_most + 2) x (k + 5) vectors    */
    int64_t near_most, list_stride;
    /* The result: whether there is a vertex, its rows, the variables at zero, and the pivots. */
    int found[CHI_LANE_COLUMNS];
    int pivots[CHI_LANE_COLUMNS];
    int32_t row[CHI_LANE_COLUMNS][CHI_NARROW_ANCHORS];   /* per constraint; -1: a bound */
    int32_t bound[CHI_LANE_COLUMNS][CHI_NARROW_ANCHORS]; /* its variable                */
} chi_lane_block;

struct chi_lane_solver {
    /* At least one lane must be used. Changes nothing but workspace and results. */
    void (*propose)(chi_lane_block *block);
    /* Maximum number of rows. A block reads all rows in every round, whereas a single column needs
     * samples of them, which counts for more the longer the columns and the shorter the vectors. */
    int64_t rows_most;
};
