/* Classes of rows that are equal in all anchors. y is the same in the rows of a class, whatever b,
 * and for every Bregman divergence
 *
 *     sum_i D(x_i, y) = n D(mean x, y) + sum_i D(x_i, mean x)
 *
 * over its n rows. So a class counts as one row of weight n, and the second sum is constant. In
 * text, most words occur in only one anchor, once or twice, so many rows form few classes.
 *
 * Classes are refined by one anchor after another and numbered as they are created. So the classes
 * of the first k anchors have the lowest numbers and do not depend on later anchors. Class 0 holds
 * the rows where all anchors are zero. */
#pragma once

#include "project/cone.h"

typedef struct chi_row_classes chi_row_classes;

/* Creates classes for a cone with up to this many rows and anchors. Returns NULL if memory is
 * short. */
chi_row_classes *chi_row_classes_create(chi_arena *arena, int64_t rows, int64_t capacity);

/* Updates the classes after the cone changed: O(nonzeros log nonzeros) for each added anchor. */
void chi_row_classes_follow(chi_row_classes *c, const chi_cone *cone);

/* Both return a number for the first k anchors: _count the number of classes including class 0,
 * _used the number of rows outside class 0. */
int64_t chi_row_classes_count(const chi_row_classes *c, int64_t k);
int64_t chi_row_classes_used(const chi_row_classes *c, int64_t k);

/* size[n] = number of rows in class n for the first k anchors, for all n. */
void chi_row_classes_sizes(const chi_row_classes *c, double *size, int64_t k);

/* Returns the class of row i for the first k anchors. */
int64_t chi_row_classes_of(const chi_row_classes *c, int64_t i, int64_t k);

/* Returns the values of anchor j in every class. */
const double *chi_row_classes_column(const chi_row_classes *c, int64_t j);
