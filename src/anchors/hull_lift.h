/* Convex hulls as cones of lifted columns (docs/explanation/hulls.md): x becomes (x, u) with the
 * same u in all columns, so that the weights of (x, u) on (a_k, u) sum to 1. For h >= 0 with 1'h <=
 * 1 the origin is one more column, the last of all, and an anchor given in advance. A dense X must
 * outlive the lift, which is a view of it. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_lift {
    ch_matrix X;       /* one more row, and the origin as last column, if held here */
    chi_survey survey; /* of X, derived from that of the data                       */
    double unit;       /* u                                                         */
    int origin;        /* 1'h <= 1: there is an origin, ...                         */
    int holds_origin;  /* ... in this process                                       */
    int64_t library;   /* library columns before the origin                         */
    int64_t first;     /* first column of X without the origin                      */
    int64_t *keep;     /* the origin and the anchors given in advance               */
} chi_lift;

/* Returns whether these settings need a lift. */
static inline int chi_lifts(const ch_anchors_settings *settings) {
    return settings->hull != CH_HULL_CONE;
}

/* Returns u for columns whose largest norm is this: l1, or l2 for loss l2. It is the next power of
 * two above it, so it does not affect rounding, and no multiplier reaches it. */
double chi_lift_unit(double largest);
/* u for the columns of W. */
double chi_lift_unit_of(const double *W, int64_t rows, int64_t rank,
                        const ch_anchors_settings *settings);
/* to (rows + 1 entries) = (a, u). */
void chi_lift_column(double *to, const double *a, int64_t rows, double unit);

/* The target of a projection: the columns of W, lifted on a hull. */
typedef struct chi_spanning {
    const ch_matrix *X; /* the columns to project      */
    const double *W;    /* X->rows x count             */
    double *lifted;     /* owned: W of a hull; or NULL */
    int64_t count;
    int64_t origin; /* 1: the first column is the origin, which is not an anchor          */
} chi_spanning;

/* Collective: lifts X and its survey for a selection and changes the settings accordingly. Call
 * chi_lift_destroy() whatever the status. */
ch_status chi_lift_create(ch_context *context, chi_lift *lift, ch_anchors_settings *settings,
                          const ch_matrix *X, const chi_survey *survey);
/* The same without survey and selection, for projections. */
ch_status chi_lift_columns(ch_context *context, chi_lift *lift, const ch_matrix *X, double unit,
                           const ch_anchors_settings *settings);
/* W has the rows of X without the lift; lift may be NULL. Free c->lifted with chi_free() whatever
 * the status. */
ch_status chi_spanning_make(ch_context *context, chi_spanning *c, const ch_matrix *X,
                            const double *W, int64_t rank, const chi_lift *lift);
/* Changes u and removes library and origin, which are not data. */
void chi_lift_set_unit(chi_lift *lift, double unit);
void chi_lift_destroy(ch_context *context, chi_lift *lift);

/* Turns the selection of lifted columns into one of the data: removes the origin. */
void chi_lift_strip(ch_anchors_result *result, const chi_lift *lift);
/* Removes the first row of H (rank + 1 rows), which belongs to the origin. */
void chi_lift_drop_origin(double *H, int64_t rank, int64_t cols);
