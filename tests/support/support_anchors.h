/* Anchors for tests: runs that must succeed, and results that must be the same. */
#pragma once

#include "support.h"
#include <conehull/anchors.h>

/* phi(x) = x^2 as a divergence of the caller's: half of it is l2. */
extern const ch_bregman support_square;

/* ch_anchors(), which must not fail. */
ch_anchors_result support_find(ch_context *context, const ch_matrix *X,
                               const ch_anchors_settings *set, const char *what);

/* The default settings with this rank, duals kept, and these words ("loss=l2 hull=convex"). */
ch_anchors_settings support_settings(ch_context *context, int64_t rank, const char *words);
void support_give_rows(ch_anchors_settings *set, const double *weights, int64_t count);
void support_give_columns(ch_anchors_settings *set, const double *weights, int64_t count);

/* ch_verify() must accept the result, or refuse it. */
void support_verifies(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                      const ch_anchors_settings *set, const char *what);
void support_refutes(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                     const ch_anchors_settings *set, const char *what);
/* ch_anchors() must refuse with this status and a message that holds the text. */
void support_refuses(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                     ch_status status, const char *text);
/* ch_project() of the data must give the H of the result, to the bit. */
void support_projects(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                      const ch_anchors_settings *set, const char *what);

/* h = column j of planted weights: random shares that sum to 1; the first `rank` columns are
 * pure. */
void support_shares(ch_random *random, double *h, int64_t rank, int64_t j);

/* The same anchors, residuals before the last anchor, H and objective, to the bit. What a lazy run
 * and an eager one share. */
void support_same_answer(const ch_anchors_result *a, const ch_anchors_result *b, const char *what);

/* All that a result holds is the same, to the bit, but for the times and the counted work. */
void support_same_result(const ch_anchors_result *a, const ch_anchors_result *b, const char *what);
