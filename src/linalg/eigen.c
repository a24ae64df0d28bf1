/* Eigenvalues above a bound, and their vectors, of a dense symmetric matrix:
 *
 *     G = Q T Q' (T tridiagonal),   T z = lambda z for lambda > bound,   vectors Q z
 *
 * by LAPACK's three steps (dsytrd, dstemr, dormtr). The steps are called one by one because the
 * driver dsyevr uses inverse iteration instead of the relatively robust representations of dstemr
 * unless all eigenvalues are requested. O(4/3 n^3 + 2 n^2 * found), on the calling thread. */
#include "base/arena.h"
#include "linalg/linalg.h"
#include <float.h>
#include <limits.h>

/* Fortran passes everything by address, and the lengths of strings at the end. */
extern void dsytrd_(const char *half, const int *n, double *A, const int *lda, double *d, double *e,
                    double *tau, double *work, const int *lwork, int *info, size_t);
extern void dstemr_(const char *job, const char *range, const int *n, double *d, double *e,
                    const double *low, const double *high, const int *first, const int *last,
                    int *found, double *values, double *Z, const int *ldz, const int *columns,
                    int *support, int *try_accurate, double *work, const int *lwork, int *iwork,
                    const int *liwork, int *info, size_t, size_t);
extern void dormtr_(const char *side, const char *half, const char *trans, const int *m,
                    const int *n, const double *A, const int *lda, const double *tau, double *C,
                    const int *ldc, double *work, const int *lwork, int *info, size_t, size_t,
                    size_t);

struct chi_eigen {
    double *d, *e, *tau, *work;
    int *support, *iwork;
    int lwork, liwork;
    ch_context *context;
};

enum { BLOCK = 64 }; /* maximum block size of LAPACK, in columns */

ch_status chi_eigen_create(chi_arena *arena, chi_eigen **solver, int64_t capacity) {
    if (capacity > INT_MAX / (BLOCK + 18))
        return chi_fail(arena->context, CH_ERR_UNSUPPORTED,
                        "the eigenvalues of a matrix of order %lld cannot be computed, because the "
                        "matrix is too large",
                        (long long)capacity);
    int64_t n = capacity > 0 ? capacity : 1, work = (BLOCK + 18) * n;
    chi_eigen *made = *solver = chi_arena_alloc(arena, 1, sizeof *made);
    if (made)
        *made = (chi_eigen){.context = arena->context,
                            .d = chi_arena_doubles(arena, n),
                            .e = chi_arena_doubles(arena, n),
                            .tau = chi_arena_doubles(arena, n),
                            .work = chi_arena_doubles(arena, work),
                            .support = chi_arena_alloc(arena, 2 * n, sizeof(int)),
                            .iwork = chi_arena_alloc(arena, 10 * n, sizeof(int)),
                            .lwork = (int)work,
                            .liwork = (int)(10 * n)};
    return chi_arena_status(arena, "eigenvalues");
}

static void swap(double *a, double *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

ch_status chi_eigen_above(chi_eigen *solver, int64_t *count, double *values, double *vectors,
                          double *G, int64_t size, double bound) {
    int n = (int)size, found = 0, info = 0, unused = 0, accurate = 0;
    double high = DBL_MAX;
    dsytrd_("U", &n, G, &n, solver->d, solver->e, solver->tau, solver->work, &solver->lwork, &info,
            1);
    if (info == 0)
        dstemr_("V", "V", &n, solver->d, solver->e, &bound, &high, &unused, &unused, &found, values,
                vectors, &n, &n, solver->support, &accurate, solver->work, &solver->lwork,
                solver->iwork, &solver->liwork, &info, 1, 1);
    if (info == 0 && found > 0)
        dormtr_("L", "U", "N", &n, &found, G, &n, solver->tau, vectors, &n, solver->work,
                &solver->lwork, &info, 1, 1, 1);
    if (info != 0)
        return chi_fail(
            solver->context, CH_ERR_INTERNAL,
            "LAPACK could not compute the eigenvalues of a matrix of order %d (error code %d)", n,
            info);
    for (int64_t a = 0, b = found - 1; a < b; a++, b--) {
        swap(values + a, values + b, 1);
        swap(vectors + a * size, vectors + b * size, size);
    }
    *count = found;
    return CH_OK;
}
