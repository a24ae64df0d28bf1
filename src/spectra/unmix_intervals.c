/* Intervals of abundances: how far an abundance can move before the l1 loss of its pixel rises by a
 * given share.
 *
 *     f(t) = min_g |x - t w_k - W_-k g|_1   over g >= 0 (sum g <= 1 - t, or = 1 - t on hulls)
 *
 * is convex and minimal at h_k. The bounds are where f(t) = (1 + rise) f(h_k) on either side. Let y
 * = x - t w_k. Since W, g >= 0, |y_i - (W g)_i| = |y_i| + (W g)_i for y_i <= 0, so f(t) is the
 * projection of max(y, 0) plus the sum of -y_i over negative y_i. On a hull g = (1 - t) g' and y =
 * (1 - t) y' with g' in the same hull. So one step of the bisection, for all pixels at once, is one
 * ch_project() onto the other endmembers. */
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>
#include <string.h>

enum { STEPS = 14 }; /* halvings: to 1e-4 of the initial interval */

typedef struct search {
    ch_context *context;
    const ch_matrix *X;
    const ch_anchors_result *result;
    ch_anchors_settings settings;
    int64_t k; /* the endmember                       */
    double *W; /* rows x rank - 1: the others         */
    double *Y; /* rows x cols: the columns to project */
    double *G; /* rank - 1 x cols                     */
    /* Cols: current value; last value known to be allowed; not allowed. */
    double *t, *inside, *outside;
    double *extra;   /* cols: the sum of -y_i over negative y_i */
    double *allowed; /* cols: (1 + rise) times the loss         */
    double *x;       /* rows                                    */
} search;

/* Returns the scale of a column on a hull: 1 - t. */
static double scale_of(const search *s, int64_t j) {
    return s->settings.hull == CH_HULL_CONE ? 1 : fmax(1 - s->t[j], 1e-9);
}

/* Y_j = max(x_j - t_j w_k, 0) / scale. */
static void shift_columns(search *s) {
    int64_t rows = s->X->rows;
    const double *w = s->result->W + s->k * rows;
    for (int64_t j = 0; j < s->X->cols; j++) {
        double *y = s->Y + j * rows, scale = scale_of(s, j);
        chi_column_gather(s->x, s->X, j);
        s->extra[j] = 0;
        for (int64_t i = 0; i < rows; i++) {
            double value = fmax(s->x[i], 0) - s->t[j] * w[i];
            if (isnan(s->x[i])) { /* unknown values stay unknown */
                y[i] = NAN;
                continue;
            }
            if (value < 0) s->extra[j] -= value;
            y[i] = fmax(value, 0) / scale;
        }
    }
}

/* Returns f(t_j), given G. */
static double loss_of(const search *s, int64_t j) {
    int64_t rows = s->X->rows, others = s->result->rank - 1;
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        double left = s->Y[i + j * rows];
        if (isnan(left)) continue;
        for (int64_t e = 0; e < others; e++) left -= s->W[i + e * rows] * s->G[e + j * others];
        sum += fabs(left);
    }
    return sum * scale_of(s, j) + s->extra[j];
}

static ch_status project(search *s) {
    ch_matrix view;
    ch_project_info info = {.size = sizeof info};
    shift_columns(s);
    if (s->result->rank == 1) return CH_OK;
    TRY(ch_matrix_borrow(s->context, &view,
                         &(ch_matrix){.rows = s->X->rows, .cols = s->X->cols, .values = s->Y}));
    ch_status status =
        ch_project(s->context, s->G, &info, &view, s->W, s->result->rank - 1, &s->settings);
    return status == CH_STOP_CANCELLED || status < 0 ? status : CH_OK;
}

/* Bisects between `inside`, where the loss is allowed, and `outside`, where it may not be. */
static ch_status bisect(search *s) {
    int64_t cols = s->X->cols;
    memcpy(s->t, s->outside, (size_t)cols * sizeof *s->t); /* the end itself may be allowed */
    for (int step = 0; step <= STEPS; step++) {
        TRY_OK(project(s));
        for (int64_t j = 0; j < cols; j++) {
            *(loss_of(s, j) <= s->allowed[j] ? &s->inside[j] : &s->outside[j]) = s->t[j];
            s->t[j] = (s->inside[j] + s->outside[j]) / 2;
        }
    }
    return CH_OK;
}

/* Computes bound (count x pixels), upwards or downwards from H. */
static ch_status find_bounds(search *s, double *bound, int upwards, double most) {
    int64_t rank = s->result->rank;
    for (int64_t j = 0; j < s->X->cols; j++) {
        s->inside[j] = s->result->H[s->k + j * rank];
        s->outside[j] = upwards ? fmax(most, s->inside[j]) : 0;
    }
    TRY_OK(bisect(s));
    for (int64_t j = 0; j < s->X->cols; j++) bound[s->k + j * rank] = s->inside[j];
    return CH_OK;
}

static void take_others(search *s) {
    int64_t rows = s->X->rows;
    for (int64_t k = 0, e = 0; k < s->result->rank; k++)
        if (k != s->k)
            memcpy(s->W + rows * e++, s->result->W + rows * k, (size_t)rows * sizeof *s->W);
}

static ch_status search_all(search *s, double *low, double *high, double rise) {
    const ch_anchors_result *r = s->result;
    double most = 1;
    TRY_OK(ch_column_proofs(s->context, s->allowed, NULL, s->X, r, &s->settings));
    for (int64_t j = 0; j < r->cols; j++) s->allowed[j] *= 1 + rise;
    for (int64_t e = 0; e < r->rank * r->cols; e++) most = fmax(most, r->H[e]);
    if (s->settings.hull == CH_HULL_CONE) most *= 4; /* the end of the search    */
    s->settings.negative = CH_NEGATIVE_REFUSE;       /* Y has no negative values */
    s->settings.keep_duals = 0;
    s->settings.rank = r->rank > 1 ? r->rank - 1 : 1;
    for (s->k = 0; s->k < r->rank; s->k++) {
        take_others(s);
        TRY_OK(find_bounds(s, low, 0, 0));
        TRY_OK(find_bounds(s, high, 1, most));
        if (chi_notify(s->context, "intervals", s->k + 1, r->rank, -1, 0)) return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

static ch_status check(ch_context *context, const ch_matrix *X, const ch_anchors_result *result,
                       const ch_anchors_settings *settings, double rise) {
    TRY(chi_check_view(context, X));
    if (!result->W || !result->H || result->rank < 1 || result->rows != X->rows ||
        result->cols != X->cols)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "intervals of abundances cannot be computed, because the result has no W "
                        "and H of these pixels");
    if (settings->loss != CH_LOSS_L1)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "intervals of abundances can be computed for the loss l1 only");
    if (!(rise > 0 && rise <= 1))
        return chi_fail(context, CH_ERR_SETTING,
                        "the fraction by which the loss may rise must be from 0 to 1, got %g",
                        rise);
    return CH_OK;
}

ch_status ch_unmix_intervals(ch_context *context, double *low, double *high, const ch_matrix *X,
                             const ch_anchors_result *result, const ch_anchors_settings *settings,
                             double rise) {
    if (!context || !low || !high || !X || !result || !settings) return CH_ERR_ARGUMENT;
    TRY(check(context, X, result, settings, rise));
    chi_arena arena = {.context = context};
    int64_t rows = X->rows, cols = X->cols, rank = result->rank;
    search s = {.context = context, .X = X, .result = result, .settings = *settings};
    s.settings.checkpoint = NULL;
    s.W = chi_arena_doubles(&arena, rows * rank);
    s.Y = chi_arena_alloc(&arena, rows, (size_t)cols * sizeof(double));
    s.G = chi_arena_alloc(&arena, rank, (size_t)cols * sizeof(double));
    s.t = chi_arena_doubles(&arena, cols);
    s.inside = chi_arena_doubles(&arena, cols);
    s.outside = chi_arena_doubles(&arena, cols);
    s.extra = chi_arena_doubles(&arena, cols);
    s.allowed = chi_arena_doubles(&arena, cols);
    s.x = chi_arena_doubles(&arena, rows);
    ch_status status = chi_arena_status(&arena, "intervals");
    if (status == CH_OK) status = search_all(&s, low, high, rise);
    chi_arena_free(&arena);
    return status;
}
