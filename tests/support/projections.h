/* Problems for the projections: a cone of anchors and data columns of many kinds. */
#pragma once

#include "project/cone.h"
#include "support.h"

/* How anchors and columns are drawn. */
typedef enum problem_kind {
    PROBLEM_UNIFORM,  /* dense, x unrelated to A                                     */
    PROBLEM_PLANTED,  /* x = A b + sparse noise, b sparse                            */
    PROBLEM_INSIDE,   /* x = A b                                                     */
    PROBLEM_INTEGER,  /* values 0..3: ties everywhere                                */
    PROBLEM_BINARY,   /* values 0 and 1, one half each                               */
    PROBLEM_SPARSE,   /* nine of ten values are zero                                 */
    PROBLEM_REPEATED, /* anchors repeated up to scale, zero anchors, x an anchor     */
    PROBLEM_NEAR,     /* anchors that differ by 1e-4 of their size                   */
    PROBLEM_CONSTANT, /* x and some anchors constant                                 */
    PROBLEM_SCALES,   /* anchors of sizes between 2^-20 and 2^20                     */
    PROBLEM_KINDS
} problem_kind;

typedef struct problem {
    ch_context *context;
    chi_cone cone;
    double *x; /* rows, dense */
    int32_t *index;
    double *value;
    chi_column column; /* x as the projections see it */
} problem;

const char *problem_name(problem_kind kind);

/* Room for k anchors of m rows. */
void problem_create(problem *p, ch_context *context, int64_t m, int64_t k);
/* The same with as many anchors, and a column, drawn. */
void problem_make(problem *p, ch_context *context, ch_random *random, problem_kind kind, int64_t m,
                  int64_t k);
/* Takes every anchor out. */
void problem_empty_cone(problem *p);
/* New anchors, as many as there is room for. */
void problem_draw_cone(problem *p, ch_random *random, problem_kind kind);
/* A new column. */
void problem_draw_column(problem *p, ch_random *random, problem_kind kind);
/* Multiplies the anchors and the column. */
void problem_scale(problem *p, double anchors, double column);
/* Sets the column from dense values. */
void problem_set_column(problem *p, const double *x);
void problem_destroy(problem *p);

/* r = x - A b, summed plainly. */
void problem_residual(const problem *p, double *r, const double *b);

/* Calls check on `draws` problems of m x k, kind after kind but for those that `without` (or NULL)
 * names; the test is called `name`. */
void problem_each(const char *name, uint64_t seed, int draws, int64_t m, int64_t k,
                  int (*without)(problem_kind kind),
                  void (*check)(problem *p, ch_random *random, const char *kind));

/* A workspace of the solver for this cone, which lasts as long as the cone. */
void *problem_start(const chi_projection *solver, problem *p, double tol);
/* One answer from a cold start, in a workspace of its own. d: the dual, or NULL. */
chi_fit problem_solve(const chi_projection *solver, problem *p, double tol, double *b, double *d);

/* Creates a solver with its k-th allocation failing, for every k: nothing is made, nothing held. It
 * makes more than `least`. */
void problem_fail_allocations(const chi_projection *solver, double tol, int64_t least);
