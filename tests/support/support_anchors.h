/* Anchors for tests: runs that must succeed, and results that must be the same. */
#pragma once

#include "support.h"
#include <conehull/anchors.h>

/* phi(x) = x^2 as a divergence of the caller's: half of it is l2. */
extern const ch_bregman support_square;

/* ch_anchors(), which must not fail. */
ch_anchors_result support_find(ch_context *context, const ch_matrix *X,
                               const ch_anchors_settings *set, const char *what);

/* The same anchors, residuals before the last anchor, H and objective, to the bit. What a lazy run
 * and an eager one share. */
void support_same_answer(const ch_anchors_result *a, const ch_anchors_result *b, const char *what);

/* All that a result holds is the same, to the bit, but for the times and the counted work. */
void support_same_result(const ch_anchors_result *a, const ch_anchors_result *b, const char *what);
