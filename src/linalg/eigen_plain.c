/* Eigenvalues above a bound, and their vectors, of a dense symmetric matrix, without LAPACK. The
 * method is cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, section 8.5), each of
 * which makes one off-diagonal entry zero:
 *
 *     G <- J' G J,   Q <- Q J      until  sum_{i != j} G_ij^2 <= (eps |G|_F)^2
 *
 * It takes six to ten sweeps of O(6 n^3) each, and is meant for matrices of some hundreds of
 * rows. */
#include "base/arena.h"
#include "linalg/linalg.h"
#include <float.h>
#include <math.h>
#include <string.h>

struct chi_eigen {
    double *Q, *values;
    int64_t *order;
    ch_context *context;
};

enum { SWEEPS = 60 };

ch_status chi_eigen_create(chi_arena *arena, chi_eigen **solver, int64_t capacity) {
    int64_t n = capacity > 0 ? capacity : 1;
    chi_eigen *made = *solver = chi_arena_alloc(arena, 1, sizeof *made);
    if (made)
        *made = (chi_eigen){.context = arena->context,
                            .Q = chi_arena_doubles(arena, n * n),
                            .values = chi_arena_doubles(arena, n),
                            .order = chi_arena_alloc(arena, n, sizeof(int64_t))};
    return chi_arena_status(arena, "eigenvalues");
}

/* Copies the upper triangle, which callers fill, to the lower one. Returns |G|_F^2. */
static double complete(double *G, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (i > j) G[i + j * n] = G[j + i * n];
            sum += G[i + j * n] * G[i + j * n];
        }
    return sum;
}

static double beside_diagonal(const double *G, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) sum += 2 * G[i + j * n] * G[i + j * n];
    return sum;
}

/* Replaces columns p and q of M by c p - s q and s p + c q. */
static void rotate_columns(double *M, int64_t n, int64_t p, int64_t q, double c, double s) {
    for (int64_t i = 0; i < n; i++) {
        double a = M[i + p * n], b = M[i + q * n];
        M[i + p * n] = c * a - s * b;
        M[i + q * n] = s * a + c * b;
    }
}

static void rotate_rows(double *M, int64_t n, int64_t p, int64_t q, double c, double s) {
    for (int64_t j = 0; j < n; j++) {
        double a = M[p + j * n], b = M[q + j * n];
        M[p + j * n] = c * a - s * b;
        M[q + j * n] = s * a + c * b;
    }
}

/* Makes G_pq zero, by the smaller of the two possible angles. */
static void annihilate(double *G, double *Q, int64_t n, int64_t p, int64_t q) {
    double off = G[p + q * n];
    if (off == 0) return;
    double tau = (G[q + q * n] - G[p + p * n]) / (2 * off);
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau));
    double c = 1 / hypot(1, t), s = t * c;
    rotate_columns(G, n, p, q, c, s);
    rotate_rows(G, n, p, q, c, s);
    G[p + q * n] = G[q + p * n] = 0;
    rotate_columns(Q, n, p, q, c, s);
}

static int diagonalise(double *G, double *Q, int64_t n) {
    double limit = complete(G, n) * DBL_EPSILON * DBL_EPSILON;
    memset(Q, 0, (size_t)(n * n) * sizeof *Q);
    for (int64_t i = 0; i < n; i++) Q[i + i * n] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (beside_diagonal(G, n) <= limit) return 1;
        for (int64_t p = 0; p < n - 1; p++)
            for (int64_t q = p + 1; q < n; q++) annihilate(G, Q, n, p, q);
    }
    return beside_diagonal(G, n) <= limit;
}

/* Lists the eigenvalues above the bound in order, largest first. Returns their number. */
static int64_t choose(const double *values, int64_t *order, int64_t n, double bound) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = found;
        if (!(values[i] > bound)) continue;
        for (; at > 0 && values[order[at - 1]] < values[i]; at--) order[at] = order[at - 1];
        order[at] = i;
        found++;
    }
    return found;
}

ch_status chi_eigen_above(chi_eigen *solver, int64_t *count, double *values, double *vectors,
                          double *G, int64_t size, double bound) {
    if (!diagonalise(G, solver->Q, size))
        return chi_fail(
            solver->context, CH_ERR_INTERNAL,
            "the eigenvalues of a matrix of order %lld could not be computed within %d sweeps",
            (long long)size, SWEEPS);
    for (int64_t i = 0; i < size; i++) solver->values[i] = G[i + i * size];
    *count = choose(solver->values, solver->order, size, bound);
    for (int64_t k = 0; k < *count; k++) {
        values[k] = solver->values[solver->order[k]];
        memcpy(vectors + k * size, solver->Q + solver->order[k] * size,
               (size_t)size * sizeof *vectors);
    }
    return CH_OK;
}
