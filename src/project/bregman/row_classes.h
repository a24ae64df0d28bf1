/* Rows that are alike in all anchors. y is the same on them, whatever b, and for every Bregman
 * divergence
 *
 *     sum_i D(x_i, y) = n D(mean x, y) + sum_i D(x_i, mean x)
 *
 * over n such rows: they count as one row of weight n, and the second sum is constant. Of the words
 * that some anchor holds, most are in one anchor alone, once or twice: of documents, so many rows
 * become few.
 *
 * Classes are refined by one anchor after the other and numbered as they come, so those of the first
 * k anchors are the first so many, and do not depend on later anchors. Class 0 holds the rows where
 * all anchors are zero. */
#pragma once

#include "project/cone.h"

typedef struct chi_row_classes chi_row_classes;

/* For a cone of this many rows and this capacity, or fewer. NULL: no memory. */
chi_row_classes *chi_row_classes_create(chi_arena *arena, int64_t rows, int64_t capacity);

/* Follows what happened to the cone: O(nonzeros log nonzeros) for an anchor more. */
void chi_row_classes_follow(chi_row_classes *c, const chi_cone *cone);

/* Of the first k anchors: how many classes there are, class 0 included, and the rows in all but it.
 */
int64_t chi_row_classes_count(const chi_row_classes *c, int64_t k);
int64_t chi_row_classes_used(const chi_row_classes *c, int64_t k);

/* size[n] = rows in class n of the first k anchors, for all n. */
void chi_row_classes_sizes(const chi_row_classes *c, double *size, int64_t k);

/* The class of row i for the first k anchors. */
int64_t chi_row_classes_of(const chi_row_classes *c, int64_t i, int64_t k);

/* Entries of anchor j in the rows of every class. */
const double *chi_row_classes_column(const chi_row_classes *c, int64_t j);
