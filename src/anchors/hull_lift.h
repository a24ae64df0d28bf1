/* Convex hulls as cones of lifted columns (docs/explanation/hulls.md): x becomes (x, u) with the
 * same u in all columns, so that weights of (x, u) on (a_k, u) sum to 1. For h >= 0 with 1'h <= 1
 * the origin is one more column, the last of all, and an anchor given in advance. Dense X must
 * outlive the lift, which is a view of it. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_lift {
    ch_matrix X;       /* rows + 1, and the origin as last column, if it is here          */
    chi_survey survey; /* of X, from that of the data                                     */
    double unit;       /* u                                                               */
    int origin;        /* 1'h <= 1: there is an origin, ...                               */
    int holds_origin;  /* ... in this process                                             */
    int64_t library;   /* columns before the origin that are no data                      */
    int64_t first;     /* of X without the origin                                         */
    int64_t *keep;     /* the origin and the anchors given in advance                     */
} chi_lift;

/* Is there a lift for these settings? */
static inline int chi_lifts(const ch_anchors_settings *settings) {
    return settings->hull != CH_HULL_CONE;
}

/* u for columns of which the largest has this norm: l1, or l2 for loss l2. The power of two above
 * it: rounding does not depend on it, and no multiplier reaches it. */
double chi_lift_unit(double largest);
/* u for the columns of W. */
double chi_lift_unit_of(const double *W, int64_t rows, int64_t rank,
                        const ch_anchors_settings *settings);
/* to (rows + 1 entries) = (a, u). */
void chi_lift_column(double *to, const double *a, int64_t rows, double unit);

/* What a projection is on: the columns of W, or of a hull. */
typedef struct chi_spanning {
    const ch_matrix *X; /* what is projected                                              */
    const double *W;    /* X->rows x count                                                */
    double *lifted;     /* owned: W of a hull; or NULL                                    */
    int64_t count;
    int64_t origin; /* 1: the first of them is the origin, which is no anchor             */
} chi_spanning;

/* Collective: X and its survey, lifted, for a selection; the settings become those of it.
 * chi_lift_destroy() whatever the status. */
ch_status chi_lift_create(ch_context *context, chi_lift *lift, ch_anchors_settings *settings,
                          const ch_matrix *X, const chi_survey *survey);
/* The same without survey and selection, for projections by the settings. */
ch_status chi_lift_columns(ch_context *context, chi_lift *lift, const ch_matrix *X, double unit,
                           const ch_anchors_settings *settings);
/* W has the rows of X without the lift, if there is one (or NULL). chi_free() frees c->lifted
 * whatever the status. */
ch_status chi_spanning_make(ch_context *context, chi_spanning *c, const ch_matrix *X,
                            const double *W, int64_t rank, const chi_lift *lift);
/* Another u; library and origin, no data, go. */
void chi_lift_set_unit(chi_lift *lift, double unit);
void chi_lift_destroy(ch_context *context, chi_lift *lift);

/* The selection of lifted columns, as one of the data: the origin goes. */
void chi_lift_strip(ch_anchors_result *result, const chi_lift *lift);
/* H (rank + 1 rows) becomes that of the other anchors, the first row being the origin's. */
void chi_lift_drop_origin(double *H, int64_t rank, int64_t cols);
