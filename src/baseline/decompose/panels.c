/* Panels of columns, and products with panels by BLAS on the calling thread. */
#include "baseline/decompose/panels.h"
#include <cblas.h>
#include <limits.h>
#include <string.h>

enum {
    VALUES = 1 << 15, /* values of a panel: with its four companions, about an L2 cache  */
    NARROWEST = 64,   /* narrower panels make products slow                              */
    GROUP_SQUARES = 2 /* the sums of squares of all groups take at most X / this, or ... */
};

/* Returns the number of groups: sixteen, or fewer if their sums of squares would be larger than X /
 * GROUP_SQUARES, but at least four, for the threads. */
static int64_t count_groups(const chi_panels *p) {
    int64_t groups = p->X.cols / (GROUP_SQUARES * p->X.rows);
    if (groups < 4) groups = 4;
    if (groups > CHI_PANEL_GROUPS) groups = CHI_PANEL_GROUPS;
    return groups < p->count ? groups : p->count;
}

ch_status chi_panels_create(ch_context *context, chi_panels *p, const ch_matrix *X) {
    *p = (chi_panels){.unit = 1};
    p->transposed = X->rows > X->cols;
    if (p->transposed) {
        TRY(ch_matrix_transpose(context, &p->X, X));
    } else {
        p->X = *X;
        p->X.owner = NULL;
        p->X.release = NULL;
    }
    p->by_rows = p->X.layout == CH_ROW_MAJOR;
    p->width = VALUES / p->X.rows / 16 * 16;
    if (p->width < NARROWEST) p->width = NARROWEST;
    p->count = (p->X.cols + p->width - 1) / p->width;
    p->groups = count_groups(p);
    if (p->X.rows > INT_MAX / 2 || p->width > INT_MAX / 2) {
        chi_panels_destroy(context, p);
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a matrix of %lld rows and %lld columns is too large for this method",
                        (long long)X->rows, (long long)X->cols);
    }
    ch_status status = chi_blas_reserve(context);
    if (status < 0) chi_panels_destroy(context, p);
    return status;
}

void chi_panels_destroy(ch_context *context, chi_panels *p) {
    ch_matrix_free(context, &p->X);
}

void chi_panel_load(const chi_panels *p, double *x, int64_t panel) {
    int64_t lo = chi_panel_start(p, panel), width = chi_panel_width(p, panel);
    chi_block_gather(x, &p->X, lo, lo + width);
    if (p->unit != 1)
        for (int64_t i = 0; i < p->X.rows * width; i++) x[i] *= p->unit;
}

/* V = A'M for a panel M. To BLAS a panel stored by rows is its transpose with leading dimension
 * width. */
void chi_panel_inner(const chi_panels *p, double *V, const double *A, const double *M, int64_t k,
                     int64_t width) {
    int rows = (int)p->X.rows, w = (int)width, r = (int)k;
    if (r == 0) return;
    cblas_dgemm(CblasColMajor, CblasTrans, p->by_rows ? CblasTrans : CblasNoTrans, r, w, rows, 1, A,
                rows, M, p->by_rows ? w : rows, 0, V, r);
}

void chi_panel_outer(const chi_panels *p, double *M, const double *A, const double *V, int64_t k,
                     int64_t width) {
    int rows = (int)p->X.rows, w = (int)width, r = (int)k;
    if (r == 0)
        memset(M, 0, (size_t)(p->X.rows * width) * sizeof *M);
    else if (p->by_rows)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, w, rows, r, 1, V, r, A, rows, 0, M, w);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, w, r, 1, A, rows, V, r, 0, M,
                    rows);
}

void chi_panel_gather(const chi_panels *p, double *P, const double *M, const double *V, int64_t k,
                      int64_t width) {
    int rows = (int)p->X.rows, w = (int)width, r = (int)k;
    cblas_dgemm(CblasColMajor, p->by_rows ? CblasTrans : CblasNoTrans, CblasTrans, rows, r, w, 1, M,
                p->by_rows ? w : rows, V, r, 1, P, rows);
}

void chi_panel_gram(const chi_panels *p, double *G, const double *M, int64_t width) {
    int rows = (int)p->X.rows, w = (int)width;
    cblas_dsyrk(CblasColMajor, CblasUpper, p->by_rows ? CblasTrans : CblasNoTrans, rows, w, 1, M,
                p->by_rows ? w : rows, 1, G, rows);
}

void chi_panel_apply(const chi_panels *p, double *L, const double *P, const double *M,
                     int64_t width) {
    int rows = (int)p->X.rows, w = (int)width;
    if (p->by_rows)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, w, rows, rows, 1, M, w, P, rows, 0,
                    L, w);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, w, rows, 1, P, rows, M, rows,
                    0, L, rows);
}

void chi_add_groups(double *total, const double *parts, int64_t groups, int64_t count) {
    memcpy(total, parts, (size_t)count * sizeof *total);
    for (int64_t g = 1; g < groups; g++)
        for (int64_t i = 0; i < count; i++) total[i] += parts[g * count + i];
}

static double *turned(ch_context *context, const double *A, int64_t rows, int64_t cols) {
    double *made = chi_alloc(context, rows * cols, sizeof *made);
    for (int64_t j = 0; made && j < cols; j++)
        for (int64_t i = 0; i < rows; i++) made[j + i * cols] = A[i + j * rows];
    return made;
}

ch_status chi_panels_turn(ch_context *context, const chi_panels *p, double **W, double **H,
                          int64_t k) {
    if (!p->transposed) return CH_OK;
    double *first = turned(context, *H, k, p->X.cols), *second = turned(context, *W, p->X.rows, k);
    if (!first || !second) {
        chi_free(context, first);
        chi_free(context, second);
        return chi_no_memory(context, "the factors", k * (p->X.rows + p->X.cols), sizeof(double));
    }
    chi_free(context, *W);
    chi_free(context, *H);
    *W = first;
    *H = second;
    return CH_OK;
}
