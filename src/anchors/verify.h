/* What the files of the recheck share (verify*.c). */
#pragma once

#include "anchors/anchors_internal.h"
#include "base/arena.h"
#include "kernels/kernels.h"
#include "loss/divergence.h"

/* Rounding that an honest result may show: sums of some thousands of terms in double. */
#define CHI_ROUNDING 1e-12

/* Not ok, and why; the first reason stays. */
void chi_refuse(ch_verification *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the columns are checked against: the cone of W under a loss (verify_column.c). */
typedef struct chi_check {
    const ch_matrix *X;
    const double *W; /* rows x rank                                                  */
    int64_t rank;
    double *sums;             /* W'1                                                           */
    double *gram;             /* W'W, for l2; else NULL                                          */
    double *row_sums;         /* W 1, for divergences; else NULL                             */
    const double *row_weight; /* divergences: weights of the rows, the lift excluded; NULL: 1 */
    int loss;                 /* ch_loss, beta 2 being l2                                      */
    double skew;              /* 1 - 2 q of the quantile loss, which is checked as l1; else 0  */
    double tol;
    chi_loss divergence;
    const chi_kernels *kernels;
    const ch_anchors_result *duals; /* holds stored duals of the columns, l1; or NULL */
    const int32_t *own_row; /* of a column that does not have all rows: which it has; or NULL */
    int hull; /* X and W are lifted: their last row is the same number everywhere, and b sums to 1
               */
} chi_check;

/* Of one thread. */
typedef struct chi_check_space {
    int32_t *index;
    double *value, *y, *d, *v; /* rows entries each     */
    double *u, *inside, *b;    /* rank entries each     */
    struct chi_check_own *own; /* or NULL               */
} chi_check_space;

/* What a column showed. error: its gap, or the projected gradient of a loss without one; infinite
 * where that is not a number. */
typedef struct chi_column_report {
    double objective, error, infeasibility, stationarity;
    double size; /* |x|_1; |x|_2^2 for l2 */
} chi_column_report;

/* The loss of resolved settings; W, rank and duals are the caller's. The arena owns the arrays,
 * which hold up to `most` anchors. */
ch_status chi_check_create(ch_context *context, chi_check *c, chi_arena *arena, const ch_matrix *X,
                           const ch_anchors_settings *resolved, int64_t most);
void chi_check_space_create(chi_check_space *s, chi_arena *arena, int64_t rows, int64_t rank);
/* W and its rank have changed: sums and products follow, those of the first `known` anchors being
 * there. */
void chi_check_update(chi_check *c, int64_t known);
/* Are residuals weighed by their signs: l1 and quantile? */
int chi_check_by_signs(const chi_check *c);
/* Does the loss have a gap? Where it is not convex, the projected gradient counts. */
int chi_check_has_gap(const chi_check *c);
chi_column_report chi_check_column(const chi_check *c, const chi_check_space *s, const double *b,
                                   int64_t j);
/* The same where columns do not have all rows, or their entries do not count alike: with W on the
 * rows that the column has (verify_own_rows.c). s->own is made by the other call, for up to c->rank
 * anchors. */
void chi_check_own_create(chi_check_space *s, chi_arena *arena, const chi_check *c);
chi_column_report chi_check_own_column(const chi_check *c, const chi_check_space *s,
                                       const chi_trust *trust, const double *b, int64_t j);

/* What the columns of H showed, for the numbers of a result that follow from it. */
typedef struct chi_columns_verdict {
    double largest;   /* objective of a column                                         */
    double scale;     /* sum of the columns' sizes                                     */
    int64_t doubtful; /* columns with an error above half the tolerance                */
    int has_gap;
    double *losses, *errors; /* the caller's, per column: objective and error; or NULL */
} chi_columns_verdict;

/* H >= 0 and every column optimal to tol; fills v and *verdict, whose two arrays the caller has
 * set (verify_columns.c). */
ch_status chi_verify_columns(ch_context *context, ch_verification *v, chi_columns_verdict *verdict,
                             const chi_usable *usable, const ch_anchors_result *result,
                             const ch_anchors_settings *resolved);
/* A proof that the run reports, and ours: bounds of the same quantity by two formulas. Both are
 * rounded, and near the tolerance they differ by a share (verify_columns.c). */
int chi_proofs_agree(double claimed, double found, double tol);
/* The numbers of the result that follow from H (verify_columns.c). */
void chi_verify_numbers(ch_verification *v, const chi_columns_verdict *verdict,
                        const ch_anchors_result *result, const ch_anchors_settings *resolved);

/* Every step of xray is a legal choice (verify_steps.c). bright: sums of the columns by which they
 * are faint; NULL: those of X. */
ch_status chi_verify_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *resolved,
                           const double *bright);
/* The same on a hull: of lifted columns (verify_hull.c). */
ch_status chi_verify_hull_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                                const ch_anchors_result *result,
                                const ch_anchors_settings *resolved, const double *bright);

/* The stored free factors and their loss (verify_refined.c). */
ch_status chi_verify_refined(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const ch_anchors_result *result, const ch_anchors_settings *resolved,
                             const chi_columns_verdict *verdict);
/* The rounds of the refinement, repeated, are those that are stored. */
void chi_compare_refined(ch_verification *v, const ch_anchors_result *claimed,
                         const ch_anchors_result *found, double tol);

/* The selection by the settings, repeated, gives this result (verify_repeat.c). */
ch_status chi_verify_repeat(ch_context *context, ch_verification *v, const ch_matrix *X,
                            const ch_anchors_result *result, const ch_anchors_settings *settings,
                            const chi_columns_verdict *verdict);
