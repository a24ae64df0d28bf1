/* Noise by band regression, and the dimension of the signal (HySime: J. Bioucas-Dias and
 * J. Nascimento, "Hyperspectral subspace identification", IEEE TGRS 46(8), 2008).
 *
 * Neighbouring bands tell the same story, so what a band does not share with all others is noise.
 * With G = Y Y' and P = G^-1, the residuals of the regressions of every band on the others are
 *
 *     E = D^-1 P Y,   D = diag(P),      sum of squares of band i:  1 / P_ii
 *
 * so everything follows from G alone, in one pass over Y. The signal is Y - E with correlation
 * R_x = M G M' / n, M = I - D^-1 P. Along an eigenvector e of R_x a subspace gains the signal's
 * power and pays for the noise's: HySime takes the directions with
 *
 *     2 e' R_n e < e' R_y e,       R_y = G / n,  R_n = diag(noise variances).
 *
 * Departures: bands are scaled to the same power before the inverse is taken, which has a ridge of
 * 1e-12, and variances are divided by the degrees of freedom n - bands + 1 instead of n, which
 * matters when pixels are few. */
#include "base/sized.h"
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>
#include <string.h>

extern void dsyrk_(const char *half, const char *trans, const int *n, const int *k,
                   const double *alpha, const double *A, const int *lda, const double *beta,
                   double *C, const int *ldc, size_t, size_t);
extern void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);
extern void dpotri_(const char *half, const int *n, double *A, const int *lda, int *info, size_t);

/* Sums of PARTS parts, each in the order of its columns: the same bits for any thread count. */
enum { PARTS = 8, BLOCK = 256, BLOCKS_AT_ONCE = 4 };
static const double RIDGE = 1e-12;

typedef struct estimate {
    ch_context *context;
    const ch_matrix *X;
    int bands;
    int64_t from;       /* first column of the step                                   */
    double *part;       /* PARTS x bands x bands, upper halves                        */
    double *block;      /* PARTS x bands x BLOCK                                      */
    int64_t bad[PARTS]; /* a column with a value that is not finite, or -1        */
    double *G;          /* bands x bands, all of it                                   */
    double *P;          /* inverse of the scaled G                                    */
    double *R;          /* correlation of the signal, trace 1                         */
    double *vectors, *values, *scale;
    chi_arena arena;
} estimate;

/* ---- G ------------------------------------------------------------------------------------- */

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
                                "pixel %lld holds a value that is not a finite number",
                                (long long)e->bad[part]);
    }
    chi_count_read(e->context,
                   (double)ch_matrix_stored(e->X) * (double)ch_value_type_size(e->X->type));
    memset(e->G, 0, (size_t)area * sizeof(double));
    for (int64_t j = 0; j < e->bands; j++)
        for (int64_t i = 0; i <= j; i++) {
            double sum = 0;
            for (int part = 0; part < PARTS; part++) sum += e->part[part * area + i + j * e->bands];
            e->G[i + j * e->bands] = e->G[j + i * e->bands] = sum;
        }
    return CH_OK;
}

/* ---- what follows from it ------------------------------------------------------------------ */

/* P = (S^-1 G S^-1 + ridge)^-1, all of it, S = diag(scale); a band of zeros is alone. */
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
                        "the bands are so strongly correlated that noise and signal cannot be "
                        "separated (band %d)",
                        info > 0 ? info - 1 : 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) e->P[j + i * n] = e->P[i + j * n];
    return CH_OK;
}

/* R = M C M', C the scaled G, then unscaled: with P C = I - ridge P,
 *     M C M' = C - 2 D^-1 ... = C - D^-1 - D^-1 + D^-1 P D^-1      up to the ridge. */
static double make_signal(estimate *e) {
    int64_t n = e->bands;
    double trace = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double di = 1 / e->P[i + i * n], dj = 1 / e->P[j + j * n];
            double own = di * e->P[i + j * n] * dj - (i == j ? 2 * di : 0);
            e->R[i + j * n] = e->G[i + j * n] + own * e->scale[i] * e->scale[j];
            if (i == j) trace += e->R[i + j * n];
        }
    for (int64_t i = 0; trace > 0 && i < n * n; i++) e->R[i] /= trace;
    return trace;
}

/* Directions in which the signal outweighs the noise. */
static int64_t count_directions(const estimate *e, const double *deviation, int64_t found) {
    int64_t n = e->bands, rank = 0;
    for (int64_t c = 0; c < found; c++) {
        const double *v = e->vectors + c * n;
        double power = 0, noise = 0;
        for (int64_t j = 0; j < n; j++) {
            double row = 0;
            for (int64_t i = 0; i < n; i++) row += e->G[i + j * n] * v[i];
            power += row * v[j];
            noise += deviation[j] * deviation[j] * v[j] * v[j];
        }
        rank += 2 * noise < power / (double)e->X->cols;
    }
    return rank;
}

static ch_status conclude(estimate *e, ch_spectra_noise *noise) {
    int64_t n = e->bands, found = 0;
    double power = 0, noisy = 0, pixels = (double)e->X->cols;
    chi_eigen *solver;
    TRY(invert(e));
    for (int64_t i = 0; i < n; i++) {
        double squares = e->scale[i] * e->scale[i] / e->P[i + i * n];
        noise->deviation[i] = sqrt(squares / (pixels - (double)n + 1));
        noisy += noise->deviation[i] * noise->deviation[i];
        power += e->G[i + i * n] / pixels;
    }
    double trace = make_signal(e);
    TRY(chi_eigen_create(&e->arena, &solver, n));
    if (trace > 0) TRY(chi_eigen_above(solver, &found, e->values, e->vectors, e->R, n, -1));
    noise->bands = n;
    noise->rank = count_directions(e, noise->deviation, found);
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
    e->R = chi_arena_doubles(arena, area);
    e->vectors = chi_arena_doubles(arena, area);
    e->values = chi_arena_doubles(arena, n);
    e->scale = chi_arena_doubles(arena, n);
    TRY(chi_arena_status(arena, "an estimate of the noise"));
    return chi_blas_reserve(e->context);
}

ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                    const ch_matrix *X) {
    if (!context || !noise || !X) return CH_ERR_ARGUMENT;
    ch_spectra_noise made = {.size = sizeof made};
    TRY(chi_sized_check(context, noise, "ch_spectra_noise"));
    TRY(chi_check_view(context, X));
    if (X->rows > 10000)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "noise of %lld bands: more than 10000 are not supported",
                        (long long)X->rows);
    if (X->rows < 2 || X->cols <= X->rows)
        return chi_fail(context, CH_ERR_DATA,
                        "noise cannot be estimated from %lld pixels of %lld bands: it takes two "
                        "bands, and more pixels than bands",
                        (long long)X->cols, (long long)X->rows);
    estimate e = {.context = context, .X = X, .bands = (int)X->rows, .arena.context = context};
    ch_status status = reserve(&e);
    made.deviation = chi_alloc(context, X->rows, sizeof(double));
    if (status == CH_OK && !made.deviation)
        status = chi_no_memory(context, "an estimate of the noise", X->rows, sizeof(double));
    if (status == CH_OK) status = sum_products(&e);
    if (status == CH_OK) status = conclude(&e, &made);
    chi_arena_free(&e.arena);
    if (status == CH_OK)
        chi_result_give(noise, &made, sizeof made);
    else
        ch_spectra_noise_free(context, &made);
    return status;
}

void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise) {
    if (!context || !noise) return;
    chi_free(context, noise->deviation);
    noise->deviation = NULL;
}
