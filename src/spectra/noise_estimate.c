/* Noise by band regression, and the dimension of the signal (HySime: J. Bioucas-Dias and J.
 * Nascimento, "Hyperspectral subspace identification", IEEE TGRS 46(8), 2008).
 *
 * Each band is predicted by other bands; the part that they do not predict is noise. HySime
 * regresses a band on all others, which is right if the noise of a band is independent of that of
 * its neighbours. In resampled, smoothed or destriped data, neighbours share noise, which then
 * counts as signal (three materials of 150 bands became 143). So for the rank, a band is regressed
 * on the bands outside its window S_i of `reach` neighbours on either side. With G = Y Y' and P =
 * G^-1,
 *
 *     E = B Y,   row i of B:  Q_i P_S,   Q_i: row i of the inverse of P_SS,   S = S_i
 *
 * and B G has the entries of Q_i in S_i and is 0 elsewhere. So everything follows from G alone, in
 * one pass over Y. reach = 0 is HySime. The covariance of the noise is E E' within the reach and 0
 * beyond it. The signal is Y - E with correlation R_x = (I - B) G (I - B)' / n. Including an
 * eigenvector e of R_x in the subspace gains the power of the signal and adds the power of the
 * noise: HySime includes the directions with
 *
 *     2 e' R_n e < e' R_y e,       R_y = G / n.
 *
 * As in the authors' program, 1e-5 of the mean power of a band of the signal is added to the
 * diagonal of R_n, so directions 50 dB below it never count as signal. Departures besides `reach`:
 * bands are scaled to the same power before the inverse is computed, with a ridge of 1e-12; and
 * variances are divided by the degrees of freedom instead of n, which matters if pixels are few.
 *
 * The reported deviations are those of HySime, by regression on all other bands. A window also
 * hides what narrow features have in common; the rank tolerates this, a deviation does not.
 *
 * reach = 2 was chosen on generated scenes of 8 to 150 bands: it costs nothing if noise is white
 * (from 24 bands on), and larger values lose weak materials. */
#include "base/sized.h"
#include "linalg/linalg.h"
#include "spectra/noise.h"
#include <math.h>
#include <string.h>

extern void dsyrk_(const char *half, const char *trans, const int *n, const int *k,
                   const double *alpha, const double *A, const int *lda, const double *beta,
                   double *C, const int *ldc, size_t, size_t);
extern void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);
extern void dpotri_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);

/* Sums are made in PARTS parts, each in the order of its columns: the same bits for any thread
 * count. */
enum { PARTS = 8, BLOCK = 256, BLOCKS_AT_ONCE = 4 };
enum { REACH = 2, BANDS_PER_NEIGHBOUR = 12 };
static const double RIDGE = 1e-12, FLOOR = 1e-5;

typedef struct estimate {
    ch_context *context;
    const ch_matrix *X;
    int bands;
    int64_t reach;     /* neighbours of a band, on either side, that do not predict it */
    int64_t from;      /* first column of the step                                     */
    double *part;      /* PARTS x bands x bands, upper halves                          */
    double *block;     /* PARTS x bands x BLOCK                                        */
    int64_t pixels;    /* number of columns that count                                 */
    int complete_only; /* whether columns with NaN are left out                        */
    int64_t skipped[PARTS];
    int64_t bad[PARTS]; /* a column with a value that is not finite, or -1                       */
    double *G;          /* bands x bands, both halves                                            */
    double *P;          /* inverse of the scaled G                                               */
    double *Q;          /* bands x (2 reach + 1): entry k of row i belongs to band i - reach + k */
    double *B;          /* bands x bands, transposed: column i is the residual of band i         */
    double *N;          /* covariance of the noise, in columns of 2 reach + 1                    */
    double *R;          /* correlation of the signal, trace 1                                    */
    double *vectors, *values, *scale;
    chi_arena arena;
} estimate;

/* ---- G ------------------------------------------------------------------------------------- */

/* Sets columns with NaN to 0, which adds nothing to G. Returns their number. */
static int64_t clear_incomplete(const estimate *e, double *block, int width) {
    int64_t cleared = 0, by_rows = e->X->layout == CH_ROW_MAJOR;
    int64_t step = by_rows ? width : 1, next = by_rows ? 1 : e->bands;
    for (int64_t j = 0; j < width; j++) {
        double *x = block + j * next;
        int unknown = 0;
        for (int64_t i = 0; i < e->bands; i++) unknown |= isnan(x[i * step]);
        for (int64_t i = 0; unknown && i < e->bands; i++) x[i * step] = 0;
        cleared += unknown;
    }
    return cleared;
}

static void add_part(void *user, int64_t part, int thread) {
    estimate *e = user;
    (void)thread;
    int64_t area = (int64_t)e->bands * e->bands;
    double *block = e->block + part * e->bands * BLOCK, one = 1;
    for (int64_t k = 0; k < BLOCKS_AT_ONCE; k++) {
        int64_t low = e->from + (part * BLOCKS_AT_ONCE + k) * BLOCK;
        int64_t high = low + BLOCK < e->X->cols ? low + BLOCK : e->X->cols;
        if (low >= high) return;
        int width = (int)(high - low), by_rows = e->X->layout == CH_ROW_MAJOR;
        chi_block_gather(block, e->X, low, high);
        if (e->complete_only) e->skipped[part] += clear_incomplete(e, block, width);
        for (int64_t i = 0; i < (int64_t)e->bands * width; i++)
            if (!isfinite(block[i]) && e->bad[part] < 0)
                e->bad[part] = low + (by_rows ? i % width : i / e->bands);
        dsyrk_("U", by_rows ? "T" : "N", &e->bands, &width, &one, block,
               by_rows ? &width : &e->bands, &one, e->part + part * area, &e->bands, 1, 1);
    }
}

static ch_status sum_products(estimate *e) {
    int64_t area = (int64_t)e->bands * e->bands, step = PARTS * BLOCKS_AT_ONCE * BLOCK;
    chi_begin_phase(e->context, "noise", (e->X->cols + step - 1) / step);
    for (int part = 0; part < PARTS; part++) e->bad[part] = -1;
    for (e->from = 0; e->from < e->X->cols; e->from += step) {
        if (chi_notify(e->context, "noise", e->from / step, (e->X->cols + step - 1) / step, -1, 0))
            return CH_STOP_CANCELLED;
        chi_parallel(e->context, PARTS, add_part, e);
        for (int part = 0; part < PARTS; part++)
            if (e->bad[part] >= 0)
                return chi_fail(e->context, CH_ERR_DATA,
                                "pixel %lld contains a value that is not a finite number",
                                (long long)e->bad[part]);
    }
    chi_count_read(e->context,
                   (double)ch_matrix_stored(e->X) * (double)ch_value_type_size(e->X->type));
    e->pixels = e->X->cols;
    for (int part = 0; part < PARTS; part++) e->pixels -= e->skipped[part];
    for (int64_t j = 0; j < e->bands; j++)
        for (int64_t i = 0; i <= j; i++) {
            double sum = 0;
            for (int part = 0; part < PARTS; part++) sum += e->part[part * area + i + j * e->bands];
            e->G[i + j * e->bands] = e->G[j + i * e->bands] = sum;
        }
    return CH_OK;
}

/* ---- results from G ------------------------------------------------------------------------- */

/* P = (S^-1 G S^-1 + ridge)^-1, both triangles, S = diag(scale). A zero band has no correlation
 * with others. */
static ch_status invert(estimate *e) {
    int64_t n = e->bands;
    int info = 0;
    for (int64_t i = 0; i < n; i++) e->scale[i] = sqrt(e->G[i + i * n]);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double unit = e->scale[i] * e->scale[j];
            e->P[i + j * n] = (unit > 0 ? e->G[i + j * n] / unit : i == j) + (i == j) * RIDGE;
        }
    dpotrf_("U", &e->bands, e->P, &e->bands, &info, 1);
    if (info == 0) dpotri_("U", &e->bands, e->P, &e->bands, &info, 1);
    if (info != 0)
        return chi_fail(e->context, CH_ERR_DATA,
                        "the noise cannot be estimated, because band %d is an almost exact "
                        "combination of the other bands",
                        info > 0 ? info - 1 : 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) e->P[j + i * n] = e->P[i + j * n];
    return CH_OK;
}

/* Computes the window of band i: [*low, *high). */
static void window_of(const estimate *e, int64_t i, int64_t *low, int64_t *high) {
    *low = i > e->reach ? i - e->reach : 0;
    *high = i + e->reach + 1 < e->bands ? i + e->reach + 1 : e->bands;
}

/* Computes row i of Q: solves P_SS q = e_i by elimination; P_SS is positive definite and small. */
static void solve_window(estimate *e, int64_t i) {
    enum { WIDE = 2 * REACH + 1 };
    double A[WIDE][WIDE + 1];
    int64_t low, high, n = e->bands;
    window_of(e, i, &low, &high);
    int64_t size = high - low;
    for (int64_t r = 0; r < size; r++) {
        for (int64_t c = 0; c < size; c++) A[r][c] = e->P[low + r + (low + c) * n];
        A[r][size] = low + r == i;
    }
    for (int64_t k = 0; k < size; k++)
        for (int64_t r = 0; r < size; r++) {
            double factor = r == k ? 0 : A[r][k] / A[k][k];
            for (int64_t c = k; factor != 0 && c <= size; c++) A[r][c] -= factor * A[k][c];
        }
    double *q = e->Q + i * (2 * e->reach + 1);
    for (int64_t k = 0; k <= 2 * e->reach; k++) q[k] = 0;
    for (int64_t r = 0; r < size; r++) q[low + r - i + e->reach] = A[r][size] / A[r][r];
}

/* Returns (B C B')_ij, where C is the scaled G: Q_i times row j of B. */
static double residual_product(const estimate *e, int64_t i, int64_t j) {
    int64_t low, high;
    double sum = 0;
    window_of(e, i, &low, &high);
    for (int64_t s = low; s < high; s++)
        sum += e->Q[i * (2 * e->reach + 1) + s - i + e->reach] * e->B[s + j * e->bands];
    return sum;
}

/* Computes Q and B, and the deviations of the noise by regression on all other bands. */
static void regress_bands(estimate *e, double *deviation) {
    int64_t n = e->bands, low, high;
    for (int64_t i = 0; i < n; i++) {
        solve_window(e, i);
        window_of(e, i, &low, &high);
        const double *q = e->Q + i * (2 * e->reach + 1);
        double *b = e->B + i * n;
        memset(b, 0, (size_t)n * sizeof *b);
        for (int64_t s = low; s < high; s++)
            for (int64_t t = 0; t < n; t++) b[t] += q[s - i + e->reach] * e->P[t + s * n];
        deviation[i] = e->scale[i] / sqrt(e->P[i + i * n] * (double)(e->pixels - n + 1));
    }
}

/* Computes R = C - B C - C B' + B C B', then unscales it; also N. Returns the trace of R before it
 * is scaled to 1. */
static double make_signal(estimate *e) {
    int64_t n = e->bands, wide = 2 * e->reach + 1;
    double trace = 0, freedom = (double)(e->pixels - n + wide);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            int near = i - j <= e->reach && j - i <= e->reach;
            double unit = e->scale[i] * e->scale[j];
            double both = 0.5 * (residual_product(e, i, j) + residual_product(e, j, i)), own = both;
            if (near) own -= e->Q[i * wide + j - i + e->reach] + e->Q[j * wide + i - j + e->reach];
            if (near) e->N[j * wide + i - j + e->reach] = both * unit / freedom;
            e->R[i + j * n] = e->G[i + j * n] + own * unit;
            if (i == j) trace += e->R[i + j * n];
        }
    for (int64_t i = 0; trace > 0 && i < n * n; i++) e->R[i] /= trace;
    return trace;
}

/* Returns e' R_n e, without the floor. */
static double noise_along(const estimate *e, const double *v) {
    double noise = 0;
    for (int64_t j = 0; j < e->bands; j++) {
        int64_t low, high;
        window_of(e, j, &low, &high);
        for (int64_t i = low; i < high; i++)
            noise += v[i] * e->N[j * (2 * e->reach + 1) + i - j + e->reach] * v[j];
    }
    return noise;
}

/* Returns the number of directions in which the signal outweighs the noise; floor is the minimum of
 * the noise. */
static int64_t count_directions(const estimate *e, int64_t found, double floor) {
    int64_t n = e->bands, rank = 0;
    for (int64_t c = 0; c < found; c++) {
        const double *v = e->vectors + c * n;
        double power = 0;
        for (int64_t j = 0; j < n; j++) {
            double row = 0;
            for (int64_t i = 0; i < n; i++) row += e->G[i + j * n] * v[i];
            power += row * v[j];
        }
        rank += 2 * (noise_along(e, v) + floor) < power / (double)e->pixels;
    }
    return rank;
}

static ch_status conclude(estimate *e, ch_spectra_noise *noise) {
    int64_t n = e->bands, found = 0;
    double power = 0, noisy = 0, pixels = (double)e->pixels;
    chi_eigen *solver;
    TRY(invert(e));
    regress_bands(e, noise->deviation);
    for (int64_t i = 0; i < n; i++) {
        noisy += noise->deviation[i] * noise->deviation[i];
        power += e->G[i + i * n] / pixels;
    }
    double trace = make_signal(e);
    TRY(chi_eigen_create(&e->arena, &solver, n));
    if (trace > 0) TRY(chi_eigen_above(solver, &found, e->values, e->vectors, e->R, n, -1));
    noise->bands = n;
    noise->rank = count_directions(e, found, FLOOR * trace / pixels / (double)n);
    noise->snr = noisy > 0 ? 10 * log10(fmax(0, power - noisy) / noisy) : INFINITY;
    return CH_OK;
}

static ch_status reserve(estimate *e) {
    chi_arena *arena = &e->arena;
    int64_t n = e->bands, area = n * n;
    e->part = chi_arena_alloc_zero(arena, PARTS * area, sizeof(double));
    e->block = chi_arena_doubles(arena, PARTS * n * BLOCK);
    e->G = chi_arena_doubles(arena, area);
    e->P = chi_arena_doubles(arena, area);
    e->Q = chi_arena_doubles(arena, n * (2 * e->reach + 1));
    e->N = chi_arena_alloc_zero(arena, n * (2 * e->reach + 1), sizeof(double));
    e->B = chi_arena_doubles(arena, area);
    e->R = chi_arena_doubles(arena, area);
    e->vectors = chi_arena_doubles(arena, area);
    e->values = chi_arena_doubles(arena, n);
    e->scale = chi_arena_doubles(arena, n);
    TRY(chi_arena_status(arena, "an estimate of the noise"));
    return chi_blas_reserve(e->context);
}

ch_status chi_spectra_noise(ch_context *context, ch_spectra_noise *noise, const ch_matrix *X,
                            int complete_only) {
    ch_spectra_noise made = {.size = sizeof made};
    if (X->rows > 10000)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the spectra have %lld bands, but noise can be estimated for at most 10000 bands",
            (long long)X->rows);
    noise->rank = -1;
    if (X->rows < 2 || X->cols <= X->rows) return CH_OK;
    int64_t reach = X->rows / BANDS_PER_NEIGHBOUR;
    estimate e = {.context = context,
                  .X = X,
                  .bands = (int)X->rows,
                  .reach = reach < REACH ? reach : REACH,
                  .complete_only = complete_only,
                  .arena.context = context};
    ch_status status = reserve(&e);
    made.deviation = chi_alloc(context, X->rows, sizeof(double));
    if (status == CH_OK && !made.deviation)
        status = chi_no_memory(context, "an estimate of the noise", X->rows, sizeof(double));
    if (status == CH_OK) status = sum_products(&e);
    int enough = e.pixels > e.bands;
    if (status == CH_OK && enough) status = conclude(&e, &made);
    chi_arena_free(&e.arena);
    if (status == CH_OK && enough)
        *noise = made;
    else
        ch_spectra_noise_free(context, &made);
    return status;
}

ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                    const ch_matrix *X) {
    if (!context || !noise || !X) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(context, noise, "ch_spectra_noise"));
    TRY(chi_check_view(context, X));
    ch_spectra_noise made = {.size = sizeof made};
    ch_status status = chi_spectra_noise(context, &made, X, 0);
    if (status == CH_OK && made.rank >= 0) chi_result_give(noise, &made, sizeof made);
    if (status != CH_OK || made.rank >= 0) return status;
    return chi_fail(context, CH_ERR_DATA,
                    "the noise cannot be estimated from %lld pixels with %lld bands; at least two "
                    "bands, and more pixels than bands, are needed",
                    (long long)X->cols, (long long)X->rows);
}

void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise) {
    if (!context || !noise) return;
    chi_free(context, noise->deviation);
    noise->deviation = NULL;
}
