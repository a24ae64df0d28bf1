/* Internals of the separation of videos: the methods behind ch_separate(). */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/separate.h>

/* The indices 0 .. count - 1 in two parts: first those that are kept, then those that are left out,
 * each in increasing order. */
typedef struct chi_kept_indices {
    int64_t *list; /* NULL if all are kept, in order */
    int64_t kept, left;
} chi_kept_indices;

/* The data to learn from: X, or a copy without ignored pixels and busy frames. */
typedef struct chi_learning_sample {
    ch_matrix L;
    chi_kept_indices frames, pixels; /* indices of rows and columns of X */
    chi_arena arena;                 /* owns the lists and other data of the sample until destroy */
} chi_learning_sample;

ch_status chi_learning_sample_create(ch_context *context, chi_learning_sample *sample,
                                     const ch_matrix *X, const ch_separate_settings *settings);
void chi_learning_sample_destroy(chi_learning_sample *sample);
/* Lists the frames that are not busy, without a copy of the data. */
ch_status chi_learning_frames(chi_arena *arena, chi_kept_indices *frames, const ch_matrix *X,
                              const ch_separate_settings *settings);

/* chi_take_rows(): to[l] = from[list[l]] for the rows of a column-major matrix with `cols` columns.
 * chi_put_rows() is its inverse, and chi_take_columns() does the same for columns of length `rows`.
 * list NULL means all. */
void chi_take_rows(double *to, const double *from, int64_t rows, int64_t cols, const int64_t *list,
                   int64_t count);
void chi_put_rows(double *to, int64_t rows, int64_t cols, const double *from, const int64_t *list,
                  int64_t count);
void chi_take_columns(double *to, const double *from, int64_t rows, const int64_t *list,
                      int64_t count);

/* Allocates W and H for parts->rank factors. */
ch_status chi_separation_reserve(ch_context *context, ch_separation *parts);
/* Ends a separation with this status. Returns CH_STOP_INACCURATE if some fits are not proven. After
 * a cancelled run, *parts has no background and no anchors. */
ch_status chi_separation_end(ch_context *context, ch_separation *parts, ch_status status);

/* Returns the background of pixel j in frame i (separate_render.c). */
double chi_background_at(const ch_separation *parts, int64_t i, int64_t j);
static inline double chi_video_value(const ch_matrix *X, int64_t i, int64_t j) {
    int64_t at = X->layout == CH_COLUMN_MAJOR ? i + j * X->stride : i * X->stride + j;
    return X->type == CH_U8 ? ((const unsigned char *)X->values)[at] : ch_matrix_at(X, i, j);
}

/* Separates X by the method xray: selects anchors of the learning sample, fits H and refits, then
 * computes W and H for all frames and pixels of X. */
ch_status chi_separate_xray(ch_context *context, ch_separation *parts, const ch_matrix *X,
                            const ch_separate_settings *settings);

/* Selects anchors of L whose time series many pixels share (separate_broad.c). Sets rank, anchors,
 * max_residual and reason of parts; *W receives the weights of all frames. */
ch_status chi_broad_anchors(ch_context *context, ch_separation *parts, double **W,
                            const ch_matrix *L, const ch_separate_settings *settings);

/* Settings and state of fits. */
typedef struct chi_fitting {
    ch_context *context;
    ch_separation *parts; /* gap and unproven are updated */
    double tol;
    const ch_checkpoint *checkpoint;
    double objective; /* objective of the last fit */
} chi_fitting;
static inline chi_fitting chi_fitting_of(ch_context *context, ch_separation *parts,
                                         const ch_separate_settings *settings) {
    return (chi_fitting){context, parts, settings->tol, settings->checkpoint, 0};
}

/* H (rank x X->cols) = argmin_{H >= 0} |X - W H|_1, where W is X->rows x rank. (separate_fit.c) */
ch_status chi_fit_H(chi_fitting *how, double *H, const ch_matrix *X, const double *W, int64_t rank);
/* The same from the kept frames only, where W is frames->kept x rank. The listed rows of X are
 * copied and fitted in stripes of pixels, so no copy of X is made. */
ch_status chi_fit_H_of_frames(chi_fitting *how, double *H, const ch_matrix *X,
                              const chi_kept_indices *frames, const double *W, int64_t rank);
/* W (X->rows x rank) = argmin_{W >= 0} |X - W H|_1. */
ch_status chi_fit_W(chi_fitting *how, double *W, const ch_matrix *X, const double *H, int64_t rank);
/* *sum = |X - W H|_1, with the same bits for any number of threads. */
ch_status chi_l1_of_fit(ch_context *context, double *sum, const ch_matrix *X, const double *W,
                        const double *H, int64_t rank);
