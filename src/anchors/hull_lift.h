/* Represents convex hulls as cones of lifted columns (docs/explanation/hulls.md): x becomes (x, u)
 * with the same number u in all columns, so that the weights of (x, u) on the lifted anchors (a_k,
 * u) sum to 1. For CH_HULL_CONVEX0, where the weights sum to at most 1, the origin is appended as
 * one more column, the last one, and is given as an anchor in advance. A dense X must outlive the
 * lift, which is a view of X. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_lift {
    /* The data with one more row, and the origin as last column if this process holds it. */
    ch_matrix X;
    chi_survey survey; /* survey of X, derived from the survey of the data */
    double unit;       /* the number u in the last row */
    int origin;        /* CH_HULL_CONVEX0: the origin is one of the columns */
    int holds_origin;  /* the origin is in this process */
    int64_t library;   /* number of library columns, which come before the origin */
    int64_t first; /* index of the first column of X in the whole matrix, not counting the origin */
    int64_t *keep; /* indices of the origin and of the anchors that are given in advance */
} chi_lift;

/* Returns whether these settings need a lift. */
static inline int chi_lifts(const ch_anchors_settings *settings) {
    return settings->hull != CH_HULL_CONE;
}

/* Returns u for columns whose largest norm is `largest` (the l2 norm for loss l2, else the l1
 * norm): the next power of two above it. A power of two does not affect rounding, and no multiplier
 * reaches it. */
double chi_lift_unit(double largest);
/* Returns u for the columns of W. */
double chi_lift_unit_of(const double *W, int64_t rows, int64_t rank,
                        const ch_anchors_settings *settings);
/* Sets `to`, which has rows + 1 entries, to the lifted column (a, u). */
void chi_lift_column(double *to, const double *a, int64_t rows, double unit);

/* The target of a projection: the columns of W, which are lifted if the target is a hull. */
typedef struct chi_spanning {
    const ch_matrix *X; /* the columns that are projected */
    const double *W;    /* X->rows x count */
    double *lifted;     /* the lifted W, owned by this struct; NULL if there is no hull */
    int64_t count;
    int64_t origin; /* 1: the first column of W is the origin, which is not an anchor */
} chi_spanning;

/* Collective: lifts X and its survey for a selection and changes the settings accordingly. Call
 * chi_lift_destroy() whatever the status. */
ch_status chi_lift_create(ch_context *context, chi_lift *lift, ch_anchors_settings *settings,
                          const ch_matrix *X, const chi_survey *survey);
/* Like chi_lift_create(), but for projections: without a survey, and without changing settings. */
ch_status chi_lift_columns(ch_context *context, chi_lift *lift, const ch_matrix *X, double unit,
                           const ch_anchors_settings *settings);
/* Makes the target *c of a projection of X from W, which has as many rows as X has without the
 * lift. lift may be NULL if there is no hull. Free c->lifted with chi_free() whatever the
 * status. */
ch_status chi_spanning_make(ch_context *context, chi_spanning *c, const ch_matrix *X,
                            const double *W, int64_t rank, const chi_lift *lift);
/* Changes u of a lift and removes the library and the origin from its columns, because they are not
 * data. */
void chi_lift_set_unit(chi_lift *lift, double unit);
void chi_lift_destroy(ch_context *context, chi_lift *lift);

/* Turns the selection of lifted columns into a selection of columns of the data: removes the origin
 * from the result. */
void chi_lift_strip(ch_anchors_result *result, const chi_lift *lift);
/* Removes the first row of H (rank + 1 rows), which belongs to the origin. */
void chi_lift_drop_origin(double *H, int64_t rank, int64_t cols);
