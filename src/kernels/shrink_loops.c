/* Element-wise steps of robust decompositions (chi_shrink_loops). */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

/* Clamps to [-limit, limit]. Unlike fmin() and fmax(), the compiler can vectorise this. */
static inline double clamp(double value, double limit) {
    double below = value < limit ? value : limit;
    return below > -limit ? below : -limit;
}

static void aim(double *m, const double *x, const double *t, double limit, double factor,
                int64_t count) {
#pragma omp simd
    for (int64_t i = 0; i < count; i++) m[i] = x[i] - t[i] + factor * clamp(t[i], limit);
}

static void step(double *m, double *t, chi_shrink_sums *sums, const double *x, const double *l,
                 double before, double keep, double limit, double factor, int64_t count) {
    double square = 0, abs = 0, move = 0;
#pragma omp simd reduction(+ : square, abs, move)
    for (int64_t i = 0; i < count; i++) {
        double old = clamp(t[i], before), r = x[i] - l[i];
        double next = r + keep * old, c = clamp(next, limit);
        double primal = c - keep * old, moved = (next - c) - (t[i] - old);
        t[i] = next;
        m[i] = x[i] - next + factor * c;
        square += primal * primal;
        abs += r < 0 ? -r : r;
        move += moved * moved;
    }
    sums->square += square;
    sums->abs += abs;
    sums->move += move;
}

extern const chi_shrink_loops IN_SET(chi_shrink_loops);
const chi_shrink_loops IN_SET(chi_shrink_loops) = {aim, step};
