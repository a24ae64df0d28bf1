/* Preconditioned successive projection, Gillis and Vavasis (2015), for r = rank:
 *
 *     Y = U_r'X D        (U_r: leading left singular vectors of X D; r x columns)
 *     E = {y : y'Q y <= 1}   the ellipsoid of least volume, centred at 0, that holds all of Y
 *     anchors = SPA(Q^(1/2) Y)
 *
 * The transformation makes the anchors nearly orthogonal. So successive projection tolerates noise
 * of the order of the smallest singular value of W, instead of its square divided by the largest.
 *
 * U_r comes from the Gram matrix of the shorter side, in O(short^2 long + short^3); that side may
 * have at most 5,000 rows or columns. Singular values below 1e-7 of the first are lost in rounding
 * there; a matrix with fewer than r others has fewer anchors. Plain successive projection gives the
 * start for the ellipsoid. Any square root of Q can be used, because rotations do not change norms:
 * here it is L^-1 with Q^-1 = L L'. */
#include "baseline/variants/least_ellipsoid.h"
#include "baseline/variants/scaled_columns.h"
#include "baseline/variants/spa_small.h"
#include "linalg/linalg.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

extern void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);

enum { SHORT_SIDE = 5000, PANEL = 64 };

static const double rounding = 1e-14; /* eigenvalues below this share of the first are noise */
static const double accuracy = 1e-6;  /* accuracy of the ellipsoid */

typedef struct pspa {
    ch_context *context;
    chi_scaled_columns columns;
    int64_t rows, cols;
    int64_t rank;   /* rows of Y: at most the rank of the settings */
    double *gram;   /* short x short                               */
    double *panel;  /* rows x PANEL                                */
    double *values; /* short                                       */
    double *vectors;
    double *Y, *Z, *norm, *M;
    chi_arena arena;
} pspa;

static int by_rows(const pspa *run) {
    return run->rows <= run->cols;
}

/* Copies columns [lo, hi), scaled, to the panel. */
static void load_panel(pspa *run, double *panel, int64_t lo, int64_t hi) {
    for (int64_t j = lo; j < hi; j++)
        chi_scaled_column(&run->columns, panel + (j - lo) * run->rows, j);
}

/* Computes the upper triangle of gram = X D D X' (rows) or D X'X D (columns). */
static ch_status make_gram(pspa *run) {
    int m = (int)run->rows, n = (int)run->cols;
    if (!by_rows(run)) {
        load_panel(run, run->panel, 0, run->cols);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, n, m, 1, run->panel, m, 0, run->gram, n);
        return CH_OK;
    }
    memset(run->gram, 0, (size_t)(run->rows * run->rows) * sizeof(double));
    for (int64_t lo = 0; lo < run->cols; lo += PANEL) {
        int64_t hi = lo + PANEL < run->cols ? lo + PANEL : run->cols;
        TRY(chi_pause(run->context));
        load_panel(run, run->panel, lo, hi);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, m, (int)(hi - lo), 1, run->panel, m, 1,
                    run->gram, m);
    }
    return CH_OK;
}

/* Computes Y = U'X D. From D X'X D = V S^2 V' it is S V'. */
static ch_status reduce(pspa *run) {
    int r = (int)run->rank, m = (int)run->rows;
    if (!by_rows(run)) {
        for (int64_t j = 0; j < run->cols; j++)
            for (int64_t a = 0; a < run->rank; a++)
                run->Y[a + j * run->rank] = sqrt(run->values[a]) * run->vectors[j + a * run->cols];
        return CH_OK;
    }
    for (int64_t lo = 0; lo < run->cols; lo += PANEL) {
        int64_t hi = lo + PANEL < run->cols ? lo + PANEL : run->cols;
        TRY(chi_pause(run->context));
        load_panel(run, run->panel, lo, hi);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, (int)(hi - lo), m, 1, run->vectors,
                    m, run->panel, m, 0, run->Y + lo * run->rank, r);
    }
    return CH_OK;
}

static ch_status leading_vectors(pspa *run, int64_t wanted) {
    chi_eigen *solver;
    int64_t side = by_rows(run) ? run->rows : run->cols, found;
    double trace = 0;
    TRY(chi_eigen_create(&run->arena, &solver, side));
    TRY(make_gram(run));
    for (int64_t i = 0; i < side; i++) trace += run->gram[i * side + i];
    TRY(chi_eigen_above(solver, &found, run->values, run->vectors, run->gram, side,
                        rounding * trace));
    run->rank = found < wanted ? found : wanted;
    return CH_OK;
}

/* Computes Z = L^-1 Y with M = L L'. */
static ch_status precondition(pspa *run) {
    int r = (int)run->rank, info;
    dpotrf_("L", &r, run->M, &r, &info, 1);
    if (info != 0)
        return chi_fail(run->context, CH_ERR_DATA,
                        "the method pspa failed, because the columns are linearly dependent; ask "
                        "for fewer anchors");
    memcpy(run->Z, run->Y, (size_t)(run->rank * run->cols) * sizeof(double));
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, r, (int)run->cols,
                1, run->M, r, run->Z, r);
    return CH_OK;
}

/* Runs all steps of the file head. found->anchors first holds the start for the ellipsoid. */
static ch_status select_anchors(pspa *run, chi_selection *found, const ch_anchors_settings *set) {
    size_t bytes = (size_t)(run->cols * sizeof(double));
    double settled = fmax(set->stop, 1e-12);
    chi_begin_phase(run->context, "select", set->rank);
    TRY(leading_vectors(run, set->rank));
    TRY(reduce(run));
    memcpy(run->Z, run->Y, bytes * (size_t)run->rank);
    chi_spa_small(found, run->Z, run->norm, run->rank, run->cols, run->rank, settled);
    run->rank = found->rank == run->rank ? run->rank : 0;
    found->rank = 0;
    if (run->rank == 0)
        return chi_fail(run->context, CH_ERR_DATA,
                        "the method pspa failed, because the columns are nearly linearly "
                        "dependent; ask for fewer anchors");
    TRY(chi_least_ellipsoid(&run->arena, run->M, run->Y, run->rank, run->cols, found->anchors,
                            accuracy));
    TRY(precondition(run));
    chi_spa_small(found, run->Z, run->norm, run->rank, run->cols, run->rank, settled);
    chi_notify(run->context, "select", found->rank, set->rank, -1, 0);
    return found->rank < set->rank ? CH_STOP_COMPLETE : CH_OK;
}

static ch_status reserve(pspa *run, int64_t rank) {
    chi_arena *arena = &run->arena;
    int64_t side = by_rows(run) ? run->rows : run->cols;
    if (side > SHORT_SIDE)
        return chi_fail(
            run->context, CH_ERR_UNSUPPORTED,
            "the method pspa needs a matrix whose shorter side is at most %d, got %lld x "
            "%lld; use spa or snpa",
            SHORT_SIDE, (long long)run->rows, (long long)run->cols);
    TRY(chi_blas_reserve(run->context));
    run->gram = chi_arena_doubles(arena, side * side);
    run->panel = chi_arena_doubles(arena, run->rows * (by_rows(run) ? PANEL : run->cols));
    run->values = chi_arena_doubles(arena, side);
    run->vectors = chi_arena_doubles(arena, side * side);
    run->Y = chi_arena_doubles(arena, rank * run->cols);
    run->Z = chi_arena_doubles(arena, rank * run->cols);
    run->norm = chi_arena_doubles(arena, run->cols);
    run->M = chi_arena_doubles(arena, rank * rank);
    return chi_arena_status(arena, "preconditioned successive projection");
}

ch_status chi_preconditioned_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                                 const ch_anchors_settings *settings) {
    pspa run = {.context = context, .arena.context = context, .rows = X->rows, .cols = X->cols};
    found->rank = 0;
    ch_status status = chi_scaled_create(&run.arena, &run.columns, "pspa", X, settings);
    if (status == CH_OK) status = reserve(&run, settings->rank);
    if (status == CH_OK) status = select_anchors(&run, found, settings);
    chi_arena_free(&run.arena);
    return status;
}
