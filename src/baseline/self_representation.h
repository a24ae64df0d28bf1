/* Functions shared by hottopixx.c, fgnsr.c and smrs.c: all express the columns of X by one another,
 * X = X C, and process one panel of columns of C at a time. */
#pragma once

#include "base/arena.h"
#include <conehull/anchors.h>

/* Columns per product: the sizes that BLAS sees depend on the matrix alone, so the bits do not
 * depend on the threads. */
enum { CHI_PANEL = 64 };

typedef struct chi_selfrep {
    ch_context *context;
    int64_t n;          /* number of non-zero columns                         */
    int64_t *column;    /* n: indices of these columns in the caller's matrix */
    double largest_sum; /* largest sum of a column                            */
    int64_t panels;
    double *part;     /* panels x 2: partial sums, of two kinds    */
    double *row_part; /* panels x n: partial sums of rows          */
    double **scratch; /* threads: CHI_PANEL columns each           */
    chi_arena arena;  /* owns these arrays and those of the method */
    /* the progress callback asked to stop during a sweep. The results of this sweep are incomplete,
     * later sweeps do nothing, and the method must end */
    int cancelled;
} chi_selfrep;

/* Lists the non-zero columns of X. Refuses columns to keep, columns whose sum overflows, and a rank
 * that is not between least_rank and the number of non-zero columns. The caller frees all->arena
 * whatever the status. */
ch_status chi_selfrep_create(ch_context *context, chi_selfrep *all, const char *method,
                             const ch_matrix *X, const ch_anchors_settings *settings,
                             int64_t least_rank);
/* Reserves part, row_part and scratch (columns with `length` entries). Returns CH_ERR_UNSUPPORTED,
 * with advice, if the method, which holds `doubles` doubles in all, would need too much memory:
 * more than 20,000 columns, or more than 60 % of the machine's memory. */
ch_status chi_selfrep_reserve(chi_selfrep *all, const char *method, double doubles, int64_t length);

/* Returns the number of columns of a panel, which begins at column panel * CHI_PANEL. */
static inline int64_t chi_selfrep_width(const chi_selfrep *all, int64_t panel) {
    int64_t left = all->n - panel * CHI_PANEL;
    return left < CHI_PANEL ? left : CHI_PANEL;
}

/* Calls body(user, panel, thread) for every panel and returns the sum of the values that body
 * stored in part[2 * panel]. Calls the progress callback several times a second. */
double chi_selfrep_sweep(chi_selfrep *all, chi_body body, void *user);
/* Returns the sum of part[2 * panel + which], added in the order of the panels. */
double chi_selfrep_sum(const chi_selfrep *all, int which);

/* Computes the inverse (size x size, both triangles) of A + shift I, where A is symmetric and
 * positive semidefinite, both triangles stored, and not changed. work holds size x size numbers.
 * Uses Cholesky on the calling thread, O(size^3). Returns CH_ERR_INTERNAL if A + shift I is not
 * positive definite. If the progress callback asks to stop, sets all->cancelled and returns
 * CH_OK. */
ch_status chi_spd_invert(chi_selfrep *all, double *inverse, double *work, const double *A,
                         int64_t size, double shift);
/* Returns whether the progress callback asks to stop, and if so, sets all->cancelled. */
int chi_selfrep_pause(chi_selfrep *all);
