/* X divided into panels of columns that stay in the cache while a whole iteration processes them,
 * with the products that decompositions need. The division depends on the shape alone: panels are
 * assigned to groups in order, one thread processes a group from its first panel to its last, and
 * sums of groups are added in their order. So any number of threads gives the same bits.
 *
 * If X has more rows than columns, its transpose is used instead. A panel of a row-major matrix is
 * stored by rows too, so data read from memory are never rearranged. */
#pragma once

#include "linalg/linalg.h"

enum { CHI_PANEL_GROUPS = 16 };

typedef struct chi_panels {
    ch_matrix X; /* X or its transpose: rows <= cols */
    int transposed;
    int by_rows;
    int64_t width, count, groups;
    double unit; /* power of two by which values are multiplied: 1 unless squares would overflow */
} chi_panels;

ch_status chi_panels_create(ch_context *context, chi_panels *panels, const ch_matrix *X);
void chi_panels_destroy(ch_context *context, chi_panels *panels);

static inline int64_t chi_panel_start(const chi_panels *p, int64_t panel) {
    return panel * p->width;
}

static inline int64_t chi_panel_width(const chi_panels *p, int64_t panel) {
    int64_t left = p->X.cols - panel * p->width;
    return left < p->width ? left : p->width;
}

/* Returns the first panel of a group; the group ends before the first panel of the next group. */
static inline int64_t chi_group_start(const chi_panels *p, int64_t group) {
    return p->count * group / p->groups;
}

/* x = the values of the panel times p->unit, in the storage order of p->X. */
void chi_panel_load(const chi_panels *p, double *x, int64_t panel);

/* For an array of the size of X, stored like X: chi_panel_line() returns line n of the panel's part
 * of the array, chi_panel_length() the length of a line. The lines of a panel, one after the other,
 * have the order of chi_panel_load(). */
static inline double *chi_panel_line(const chi_panels *p, double *array, int64_t panel, int64_t n) {
    int64_t lo = chi_panel_start(p, panel);
    return p->by_rows ? array + lo + n * p->X.cols : array + lo * p->X.rows;
}
static inline int64_t chi_panel_lines(const chi_panels *p) {
    return p->by_rows ? p->X.rows : 1;
}
static inline int64_t chi_panel_length(const chi_panels *p, int64_t panel) {
    return p->by_rows ? chi_panel_width(p, panel) : p->X.rows * chi_panel_width(p, panel);
}

/* With M a panel (rows x width), A rows x k and V k x width, both column-major: */
void chi_panel_inner(const chi_panels *p, double *V, const double *A, const double *M, int64_t k,
                     int64_t width); /* V = A'M */
void chi_panel_outer(const chi_panels *p, double *M, const double *A, const double *V, int64_t k,
                     int64_t width); /* M = A V */
void chi_panel_gather(const chi_panels *p, double *P, const double *M, const double *V, int64_t k,
                      int64_t width); /* P += M V', rows x k */
void chi_panel_gram(const chi_panels *p, double *G, const double *M,
                    int64_t width); /* G += M M', upper half */
void chi_panel_apply(const chi_panels *p, double *L, const double *P, const double *M,
                     int64_t width); /* L = P M, P symmetric */

/* total[0..count) = the sum of `groups` arrays of count numbers each, stored one after the other in
 * parts. */
void chi_add_groups(double *total, const double *parts, int64_t groups, int64_t count);

/* Turns the factors W (rows x k) and H (k x cols) of p->X into those of the caller's matrix: if
 * p->X is its transpose, both are transposed into new arrays and swapped, otherwise nothing is
 * done. */
ch_status chi_panels_turn(ch_context *context, const chi_panels *p, double **W, double **H,
                          int64_t k);
