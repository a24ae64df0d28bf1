/* Declarations shared by the files of ch_verify() (verify*.c). */
#pragma once

#include "anchors/anchors_internal.h"
#include "base/arena.h"
#include "kernels/kernels.h"
#include "loss/divergence.h"

/* Relative rounding error that a correct result may have: sums of some thousand terms in double. */
#define CHI_ROUNDING 1e-12

/* Sets v->ok to 0 and writes the reason to v->why, unless an earlier check has failed already. */
void chi_refuse(ch_verification *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The cone of W and the loss against which columns are checked (verify_column.c). */
typedef struct chi_check {
    const ch_matrix *X;
    const double *W; /* rows x rank */
    int64_t rank;
    double *sums;     /* W'1: the sum of each anchor */
    double *gram;     /* l2: W'W; other losses: NULL */
    double *row_sums; /* divergences: W 1, the sum of each row of W; other losses: NULL */
    /* Divergences: weights of the rows, without the lifted row; NULL: equal weights. */
    const double *row_weight;
    int loss;    /* a ch_loss; beta 2 is replaced by l2 */
    double skew; /* quantile: 1 - 2 q (the loss is checked as l1 with this skew); else 0 */
    double tol;
    chi_loss divergence;
    const chi_kernels *kernels;
    const ch_anchors_result *duals; /* l1: the result with the duals of the columns; or NULL */
    /* For a column that does not have all rows: indices of the rows that it has; else NULL. */
    const int32_t *own_row;
    /* 1: X and W are lifted, so the last row is the same number everywhere and weights sum to 1. */
    int hull;
} chi_check;

/* Workspace of one thread. */
typedef struct chi_check_space {
    int32_t *index;
    double *value, *y, *d, *v; /* rows entries each */
    double *u, *inside, *b;    /* rank entries each */
    struct chi_check_own *own; /* for columns with missing entries; else NULL */
} chi_check_space;

/* The outcome of the check of one column. `error` is its gap or, for a loss without a gap, its
 * projected gradient; infinite if that is not a number. */
typedef struct chi_column_report {
    double objective, error, infeasibility, stationarity;
    double size; /* |x|_1; |x|_2^2 for l2 */
} chi_column_report;

/* Prepares *c for the loss of resolved settings. The caller then sets W, rank and duals. The arena
 * owns the arrays of *c, which have space for `most` anchors. */
ch_status chi_check_create(ch_context *context, chi_check *c, chi_arena *arena, const ch_matrix *X,
                           const ch_anchors_settings *resolved, int64_t most);
void chi_check_space_create(chi_check_space *s, chi_arena *arena, int64_t rows, int64_t rank);
/* Updates the sums and products in *c after the caller has changed W and rank. Those of the first
 * `known` anchors are valid already. */
void chi_check_update(chi_check *c, int64_t known);
/* Returns whether the loss is l1 or quantile, whose duals follow from the signs of the
 * residuals. */
int chi_check_by_signs(const chi_check *c);
/* Returns whether the loss has a gap. If it is not convex, it has none, and the projected gradient
 * is checked instead. */
int chi_check_has_gap(const chi_check *c);
chi_column_report chi_check_column(const chi_check *c, const chi_check_space *s, const double *b,
                                   int64_t j);
/* Like chi_check_column(), for columns with missing entries or weighted entries: W is restricted to
 * the rows that the column has (verify_own_rows.c). chi_check_own_create() makes s->own, for up to
 * c->rank anchors. */
void chi_check_own_create(chi_check_space *s, chi_arena *arena, const chi_check *c);
chi_column_report chi_check_own_column(const chi_check *c, const chi_check_space *s,
                                       const chi_trust *trust, const double *b, int64_t j);

/* The outcome of the check of all columns of H, against which the figures of a result are
 * compared. */
typedef struct chi_columns_verdict {
    double largest;   /* largest objective of a column */
    double scale;     /* sum of the sizes of the columns */
    int64_t doubtful; /* number of columns with an error above half the tolerance */
    int has_gap;      /* whether the loss has a gap (chi_check_has_gap()) */
    /* Arrays of the caller with one entry per column, or NULL: objective and error. */
    double *losses, *errors;
} chi_columns_verdict;

/* Checks that H >= 0 and that every column of H is optimal to the tolerance (verify_columns.c).
 * Fills *v and *verdict; the caller sets the members losses and errors of *verdict. */
ch_status chi_verify_columns(ch_context *context, ch_verification *v, chi_columns_verdict *verdict,
                             const chi_usable *usable, const ch_anchors_result *result,
                             const ch_anchors_settings *resolved);
/* Returns whether a bound that the run reported agrees with the bound that the check found
 * (verify_columns.c). Both bound the same quantity by different formulas; because of rounding they
 * may differ by a share near the tolerance. */
int chi_proofs_agree(double claimed, double found, double tol);
/* Checks the figures of the result that follow from H, such as its objective (verify_columns.c). */
void chi_verify_numbers(ch_verification *v, const chi_columns_verdict *verdict,
                        const ch_anchors_result *result, const ch_anchors_settings *resolved);

/* Checks that every step of xray is a valid choice (verify_steps.c). `bright` holds the column sums
 * that decide whether a column is faint; NULL: the column sums of X. */
ch_status chi_verify_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *resolved,
                           const double *bright);
/* Like chi_verify_steps(), for a hull: the steps chose among lifted columns (verify_hull.c). */
ch_status chi_verify_hull_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                                const ch_anchors_result *result,
                                const ch_anchors_settings *resolved, const double *bright);

/* Checks the refined factors of the result and their loss (verify_refined.c). */
ch_status chi_verify_refined(ch_context *context, ch_verification *v, const chi_usable *usable,
                             const ch_anchors_result *result, const ch_anchors_settings *resolved,
                             const chi_columns_verdict *verdict);
/* Checks that the refined factors of a repeated run, `found`, equal those of the result,
 * `claimed`. */
void chi_compare_refined(ch_verification *v, const ch_anchors_result *claimed,
                         const ch_anchors_result *found, double tol);

/* Repeats the selection with the same settings and checks that it gives the same result
 * (verify_repeat.c). */
ch_status chi_verify_repeat(ch_context *context, ch_verification *v, const ch_matrix *X,
                            const ch_anchors_result *result, const ch_anchors_settings *settings,
                            const chi_columns_verdict *verdict);
