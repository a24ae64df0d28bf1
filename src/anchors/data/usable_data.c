/* The copies of X that weights and unknown entries need. Nothing is copied without them. If all
 * entries turn out to be known with equal weights, the given matrix is used itself, so that the
 * result has the same bits as without the option. Each of the following costs one pass and the
 * memory of X in double precision: unknown entries or weights of entries (a byte more for every
 * entry, and as much as X again for weights), row weights, column weights. */
#include "anchors/data/usable_data.h"
#include "anchors/anchors_internal.h"
#include "anchors/data/completion.h"
#include "anchors/data/explained_columns.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is asked for --------------------------------------------------------------------- */

static int has_entries(const ch_anchors_settings *set) {
    return set->missing == CH_MISSING_NAN || set->observed || set->weights;
}

int chi_has_trust(const ch_anchors_settings *set) {
    return has_entries(set) || set->column_weights;
}

int chi_has_weights(const ch_anchors_settings *set) {
    return chi_has_trust(set) || set->row_weights;
}

/* Of the loss that the run uses; a beta divergence may be another loss under another name. */
static double degree_of(const ch_anchors_settings *set) {
    ch_anchors_settings used = {.loss = chi_loss_of(set), .beta = set->beta};
    return chi_degree_of(&used);
}

/* Returns c with c^q = weight. A row of weight 0 becomes zero in X and in W, which removes it from
 * every loss. Without q the other rows stay as they are, and the projections apply their weights
 * (chi_row_weights_of()). */
static double factor_of(double weight, double degree) {
    if (degree == 1 || weight == 0 || weight == 1) return weight;
    if (degree == 0) return 1;
    return degree == 2 ? sqrt(weight) : pow(weight, 1 / degree);
}

static ch_status check_list(ch_context *context, const char *name, const double *weights,
                            int64_t count, int64_t wanted, const char *what) {
    int any = 0;
    if (count != wanted)
        return chi_fail(
            context, CH_ERR_SETTING,
            "%s: the list has %lld numbers, but X has %lld %s; one number for each is needed", name,
            (long long)count, (long long)wanted, what);
    for (int64_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0 && weights[i] <= 0x1p500))
            return chi_fail(
                context, CH_ERR_SETTING,
                "%s: weight %lld (counted from 0) is %g, but weights must be from 0 to 2^500", name,
                (long long)i, weights[i]);
        any |= weights[i] > 0;
    }
    if (any || count == 0) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING, "%s: all weights are 0; at least one must be positive",
                    name);
}

static ch_status check_matrix(ch_context *context, const char *name, const ch_matrix *weights,
                              const ch_matrix *X) {
    char why[256];
    if (chi_check_view(context, weights) == CH_OK && weights->rows == X->rows &&
        weights->cols == X->cols && ch_matrix_check(context, weights) == CH_OK)
        return CH_OK;
    snprintf(why, sizeof why, "%s", ch_context_message(context));
    if (weights->rows != X->rows || weights->cols != X->cols)
        snprintf(why, sizeof why,
                 "the matrix is %lld x %lld, but X is %lld x %lld; both must have the same size",
                 (long long)weights->rows, (long long)weights->cols, (long long)X->rows,
                 (long long)X->cols);
    return chi_fail(context, CH_ERR_SETTING, "%s: %s", name, why);
}

/* Row weights under a loss without a degree: slopes and curvatures are multiplied by them and must
 * stay numbers, and no method but xray sees them. */
static ch_status check_without_degree(ch_context *context, const ch_anchors_settings *set) {
    if (!chi_row_weights_of(set)) return CH_OK;
    if (set->method != CH_METHOD_XRAY)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "row_weights: under the losses 'is', 'logistic' and 'custom', weights "
                        "other than 0 and 1 can be used with the method xray only");
    for (int64_t i = 0; i < set->row_weight_count; i++) {
        double weight = set->row_weights[i];
        if (weight != 0 && !(weight >= 0x1p-100 && weight <= 0x1p100))
            return chi_fail(
                context, CH_ERR_SETTING,
                "row_weights: weight %lld (counted from 0) is %g, but under the losses 'is', "
                "'logistic' and 'custom' a weight must be 0 or between 2^-100 and 2^100",
                (long long)i, weight);
    }
    return CH_OK;
}

static ch_status check_lists(ch_context *context, const ch_anchors_settings *set,
                             const ch_matrix *X) {
    if (set->row_weights) {
        TRY(check_list(context, "row_weights", set->row_weights, set->row_weight_count, X->rows,
                       "rows"));
        TRY(check_without_degree(context, set));
    }
    if (!set->column_weights) return CH_OK;
    if (degree_of(set) <= 0)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "column_weights can be used with the losses l1, quantile, l2, kl and beta above 0 "
            "only; with other losses, remove the columns that should not count");
    if (set->hull != CH_HULL_CONE)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "column_weights can be used with hull = cone only; with other hulls, "
                        "remove the columns that should not count");
    return check_list(context, "column_weights", set->column_weights, set->column_weight_count,
                      X->cols, "columns");
}

ch_status chi_weights_apply(ch_context *context, const ch_anchors_settings *set,
                            const ch_matrix *X) {
    int loss = chi_loss_of(set);
    if (!chi_has_weights(set)) return CH_OK;
    if (chi_process_count(context) > 1)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "weights and missing entries can be used in one process only, not in %d; "
                        "use threads instead",
                        chi_process_count(context));
    TRY(check_lists(context, set, X));
    if (set->observed && set->weights)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the settings 'observed' and 'weights' cannot be used together; give 'weights' "
            "only, with weight 0 for each unknown entry");
    if (set->observed) TRY(check_matrix(context, "observed", set->observed, X));
    if (!set->weights) return CH_OK;
    if (loss != CH_LOSS_L1 && loss != CH_LOSS_QUANTILE && loss != CH_LOSS_L2)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "weights of single entries can be used with the losses l1, quantile and l2 only; other "
            "losses accept observed (a mask of known entries) and row_weights");
    return check_matrix(context, "weights", set->weights, X);
}

/* ---- what is known ------------------------------------------------------------------------- */

typedef struct reading {
    const ch_anchors_settings *set;
    const ch_matrix *X;
    double *values, *weight; /* weight: NULL without weights of entries */
    double *mask;            /* a column for each thread, if there is a mask */
    unsigned char *mark;
    int64_t *unknown, *nonzeros; /* per column */
    unsigned char *even;         /* per column: all weights are 1 */
    double *most;                /* per column */
} reading;

/* Returns the number, or +0 if keep is 0; else keep has all bits set. */
static inline double masked(double number, uint64_t keep) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits &= keep;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

/* Weights of column j: 0 where unknown. */
static void read_weights(const reading *r, int64_t j) {
    int64_t rows = r->X->rows, uneven = 0;
    double *w = r->weight + j * rows, most = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (!r->mark[i + j * rows]) w[i] = 0;
        uneven += w[i] != 1;
        most = w[i] > most ? w[i] : most;
    }
    r->even[j] = uneven == 0;
    r->most[j] = most;
}

/* values: column j with 0 where unknown; mark: 0 there. The loop works on bits and has no branches,
 * which would be unpredictable. */
static void read_column(void *user, int64_t j, int thread) {
    const reading *r = user;
    int64_t rows = r->X->rows;
    double *x = r->values + j * rows, *given = NULL;
    unsigned char *mark = r->mark + j * rows;
    uint64_t any = r->set->missing == CH_MISSING_NAN ? 0 : UINT64_MAX, known = 0, nonzeros = 0;
    chi_column_gather(x, r->X, j);
    if (r->weight)
        chi_column_gather(given = r->weight + j * rows, r->set->weights, j);
    else if (r->mask)
        chi_column_gather(given = r->mask + thread * rows, r->set->observed, j);
    for (int64_t i = 0; i < rows; i++) mark[i] = !given || given[i] != 0;
    for (int64_t i = 0; i < rows; i++) {
        uint64_t keep = (any | -(uint64_t)(x[i] == x[i])) & -(uint64_t)mark[i];
        x[i] = masked(x[i], keep);
        mark[i] = (unsigned char)(keep & 1);
        known += keep & 1;
        nonzeros += (uint64_t)(x[i] != 0);
    }
    r->unknown[j] = rows - (int64_t)known;
    r->nonzeros[j] = (int64_t)nonzeros;
    r->even[j] = r->unknown[j] == 0;
    r->most[j] = 1;
    if (r->weight) read_weights(r, j);
}

void chi_usable_bar(chi_usable *u, int64_t j, double distance) {
    int64_t listed = u->incomplete < CH_BARRED_MAX ? u->incomplete : CH_BARRED_MAX, at = listed;
    u->barred[j] = 1;
    u->incomplete++;
    while (at > 0 && u->barred_distance[at - 1] < distance) at--;
    if (at == CH_BARRED_MAX) return;
    int64_t moved = (listed < CH_BARRED_MAX ? listed : CH_BARRED_MAX - 1) - at;
    memmove(u->barred_first + at + 1, u->barred_first + at, (size_t)moved * sizeof(int64_t));
    memmove(u->barred_distance + at + 1, u->barred_distance + at, (size_t)moved * sizeof(double));
    u->barred_first[at] = j;
    u->barred_distance[at] = distance;
}

/* Decides which columns may be selected, and adds up the counts. */
static void judge_columns(chi_usable *u, const reading *r) {
    const ch_matrix *X = r->X;
    double most = r->set->max_missing < 0 ? CHI_MOST_MISSING : r->set->max_missing;
    u->nonzeros = 0;
    for (int64_t j = 0; j < X->cols; j++) {
        u->unknown += r->unknown[j];
        u->nonzeros += r->nonzeros[j];
        u->most = fmax(u->most, r->most[j]);
        u->barred[j] = 0;
        if ((double)r->unknown[j] > most * (double)X->rows) chi_usable_bar(u, j, 0);
    }
}

static ch_status allocate_entries(ch_context *context, chi_usable *u, reading *r) {
    int64_t rows = r->X->rows, cols = r->X->cols, count;
    if (__builtin_mul_overflow(rows, cols, &count))
        return chi_no_memory(context, "known entries", INT64_MAX, sizeof(double));
    r->values = chi_alloc(context, count, sizeof *r->values);
    if (!r->values) return chi_no_memory(context, "known entries", count, sizeof(double));
    u->known = chi_matrix_owned(r->values, rows, cols, CH_COLUMN_MAJOR, CH_F64);
    u->known.first = r->X->first;
    u->mark = r->mark = chi_arena_alloc(&u->arena, count, 1);
    if (r->set->weights) u->weight = r->weight = chi_arena_doubles(&u->arena, count);
    if (r->set->observed)
        r->mask = chi_arena_doubles(&u->arena, rows * ch_context_threads(context));
    u->barred = chi_arena_alloc(&u->arena, cols, 1);
    r->even = chi_arena_alloc(&u->arena, cols, 1);
    r->unknown = chi_arena_alloc_zero(&u->arena, cols, sizeof *r->unknown);
    r->nonzeros = chi_arena_alloc_zero(&u->arena, cols, sizeof *r->nonzeros);
    r->most = chi_arena_alloc_zero(&u->arena, cols, sizeof *r->most);
    return chi_arena_status(&u->arena, "known entries");
}

/* Returns whether all weights are 0 or 1. */
static int only_marks(const chi_usable *u) {
    int64_t count = u->known.rows * u->known.cols;
    for (int64_t e = 0; e < count; e++)
        if (u->weight[e] != 0 && u->weight[e] != 1) return 0;
    return 1;
}

/* Makes u->known, X with 0 where unknown, u->mark and u->weight. If all entries are known with
 * equal weights, nothing is made. */
static ch_status read_entries(ch_context *context, chi_usable *u, const ch_matrix *X,
                              const ch_anchors_settings *set) {
    reading r = {.set = set, .X = X};
    if (!has_entries(set)) return CH_OK;
    ch_matrix places = *X; /* values may be NaN, but row indices must be valid */
    places.type = CH_U8;   /* any byte is a valid value */
    if (X->layout == CH_CSC) TRY(chi_matrix_check_signed(context, &places));
    TRY(allocate_entries(context, u, &r));
    TRY(chi_parallel_until(context, X->cols, read_column, &r));
    judge_columns(u, &r);
    int even = 1;
    for (int64_t j = 0; j < X->cols; j++) even &= r.even[j];
    if (even) {
        ch_matrix_free(context, &u->known);
        chi_arena_free(&u->arena);
        *u = (chi_usable){.data = X, .nonzeros = -1, .arena = {.context = context}};
        return CH_OK;
    }
    if (u->unknown == ch_matrix_stored(&u->known))
        return chi_fail(
            context, CH_ERR_DATA,
            "no entry of the matrix is known; all of them are missing or have weight 0");
    u->own_trust.whole = r.even;
    u->lift = r.most;
    if (u->weight && only_marks(u)) u->weight = NULL; /* the same as a mask */
    u->data = &u->known;
    return CH_OK;
}

/* ---- copies -------------------------------------------------------------------------------- */

static ch_status scale(ch_context *context, ch_matrix *to, const ch_matrix *X, const double *rows,
                       const double *columns) {
    chi_larger how = {
        .type = CH_F64, .row_factor = rows, .column_factor = columns, .what = "weighted data"};
    return chi_copy_larger(context, to, X, &how);
}

static double *factors(chi_arena *arena, const double *weights, int64_t count, double degree) {
    double *factor = chi_arena_doubles(arena, count);
    for (int64_t i = 0; factor && i < count; i++) factor[i] = factor_of(weights[i], degree);
    return factor;
}

/* Returns whether entries of lower weight are moved towards the model, in a copy from which `seen`
 * is made. */
static int has_shades(const chi_usable *u, const ch_anchors_settings *set) {
    int64_t count = u->weight && set->weights ? u->known.rows * u->known.cols : 0;
    for (int64_t e = 0; e < count; e++)
        if (u->mark[e] && u->weight[e] != u->most) return 1;
    return 0;
}

/* Fills the unknown entries of u->data and, unless it is NULL, of `shrunk`, a copy of it. */
static ch_status complete(ch_context *context, const chi_usable *u, ch_matrix *shrunk,
                          const ch_anchors_settings *set) {
    const ch_matrix *data = u->data; /* owned, since there are weights */
    chi_incomplete given = {.X = (double *)(uintptr_t)data->values,
                            .shrunk = shrunk ? (double *)(uintptr_t)shrunk->values : NULL,
                            .mark = u->mark,
                            .weight = u->weight,
                            .row_weight = set->row_weights,
                            .rows = data->rows,
                            .cols = data->cols,
                            .known = data->rows * data->cols - u->unknown,
                            .most = u->most,
                            .loss = chi_loss_of(set),
                            .beta = set->beta,
                            .seed = (uint64_t)set->seed};
    chi_arena arena = {.context = context};
    ch_status status = chi_model_rank(context, &arena, &given);
    if (status == CH_OK) status = chi_complete(context, &given);
    chi_arena_free(&arena);
    return status;
}

/* Returns the next power of two that is not below a weight, or 1 if the weight is 0. */
static double power_above(double weight) {
    int exponent;
    if (weight == 0) return 1;
    double fraction = frexp(weight, &exponent);
    return ldexp(1, exponent - (fraction == 0.5));
}

/* Computes the factors for the projections: weights of entries, or their roots. The lift of a hull
 * gets a power of two, which causes no rounding. */
static void make_trust(chi_usable *u, const ch_anchors_settings *set) {
    int64_t rows = u->known.rows, cols = u->weight ? u->known.cols : 0;
    int squares = degree_of(set) == 2;
    for (int64_t e = 0; squares && e < rows * cols; e++) u->weight[e] = sqrt(u->weight[e]);
    for (int64_t j = 0; j < cols; j++)
        u->lift[j] = power_above(squares ? sqrt(u->lift[j]) : u->lift[j]);
    u->own_trust.known = u->mark;
    u->own_trust.factor = u->weight;
    u->own_trust.lift = u->lift;
    u->own_trust.rows = u->data->rows;
    u->own_trust.column_weight = set->column_weights;
    if (u->mark || set->column_weights) u->trust = &u->own_trust;
}

/* Returns whether a row gets a factor other than 1. */
static int changes_rows(const ch_anchors_settings *set, double degree) {
    for (int64_t i = 0; i < set->row_weight_count; i++)
        if (factor_of(set->row_weights[i], degree) != 1) return 1;
    return degree != 0;
}

static ch_status weigh(ch_context *context, chi_usable *u, const ch_anchors_settings *set,
                       int completes) {
    double degree = degree_of(set);
    ch_matrix shrunk = {0};
    int shades = completes && has_shades(u, set);
    ch_status status = shades ? ch_matrix_copy(context, &shrunk, u->data, NULL, 0) : CH_OK;
    if (status == CH_OK && completes && u->mark)
        status = complete(context, u, shades ? &shrunk : NULL, set);
    if (status == CH_OK && completes && u->mark && !u->weight && set->max_missing < 0)
        status = chi_bar_explained(context, u, set);
    u->X = u->seen = u->data;
    u->row_weight = chi_row_weights_of(set);
    if (status == CH_OK && set->row_weights && changes_rows(set, degree)) {
        u->row_factor = factors(&u->arena, set->row_weights, u->data->rows, degree);
        status = chi_arena_status(&u->arena, "row weights");
        if (status == CH_OK) status = scale(context, &u->by_rows, u->data, u->row_factor, NULL);
        u->X = u->seen = &u->by_rows;
    }
    make_trust(u, set);
    if (status == CH_OK && shades) { /* replaces X in the selection */
        if (u->row_factor) chi_scale_in_place(&shrunk, u->row_factor, NULL);
        u->by_columns = shrunk;
        u->seen = &u->by_columns;
    } else {
        ch_matrix_free(context, &shrunk);
    }
    if (status < 0 || !set->column_weights || !completes) return status;
    double *columns;
    TRY(chi_column_factors(&u->arena, &columns, set));
    if (shades) {
        chi_scale_in_place(&u->by_columns, NULL, columns);
        return CH_OK;
    }
    TRY(scale(context, &u->by_columns, u->X, NULL, columns));
    u->seen = &u->by_columns;
    return CH_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

ch_status chi_usable_make(ch_context *context, chi_usable *u, const ch_matrix *X,
                          const ch_anchors_settings *set, int completes) {
    *u = (chi_usable){.data = X, .X = X, .seen = X, .nonzeros = -1, .arena = {.context = context}};
    u->clipped.X = X;
    TRY(read_entries(context, u, X, set));
    TRY(chi_clip(context, &u->clipped, u->data, set->negative,
                 u->mark ? (double *)(uintptr_t)u->known.values : NULL));
    u->data = u->X = u->seen = u->clipped.X;
    if (!chi_has_weights(set)) return CH_OK;
    ch_status status = ch_matrix_check(context, u->data); /* the original values, for the message */
    if (status == CH_ERR_DATA) return chi_advise_clipping(context, u->data, u->data->cols);
    TRY(status);
    return weigh(context, u, set, completes);
}

void chi_usable_free(ch_context *context, chi_usable *u) {
    chi_clipped_free(context, &u->clipped);
    ch_matrix_free(context, &u->known);
    ch_matrix_free(context, &u->by_rows);
    ch_matrix_free(context, &u->by_columns);
    chi_arena_free(&u->arena);
    *u = (chi_usable){0};
}

ch_status chi_usable_bright(const chi_usable *u, chi_arena *arena, double **bright,
                            const double *sums, int64_t cols) {
    *bright = NULL;
    if (u->seen == u->X && u->incomplete == 0) return CH_OK;
    *bright = chi_arena_alloc_zero(arena, cols, sizeof **bright);
    TRY(chi_arena_status(arena, "sums of columns"));
    for (int64_t j = 0; j < u->X->cols; j++)
        (*bright)[j] = u->barred && u->barred[j] ? -1 : sums[j];
    return CH_OK;
}

ch_status chi_column_factors(chi_arena *arena, double **factor, const ch_anchors_settings *set) {
    *factor = set->column_weights
                  ? factors(arena, set->column_weights, set->column_weight_count, degree_of(set))
                  : NULL;
    return chi_arena_status(arena, "column weights");
}

ch_status chi_rows_that_count(const chi_usable *u, chi_arena *arena, unsigned char **counts) {
    int64_t rows = u->data->rows;
    const double *columns = u->own_trust.column_weight;
    *counts = NULL;
    if (!u->row_factor && !u->mark) return CH_OK;
    *counts = chi_arena_alloc_zero(arena, rows, 1);
    TRY(chi_arena_status(arena, "rows that count"));
    for (int64_t j = 0; u->mark && j < u->data->cols; j++)
        for (int64_t i = 0; i < rows && !(columns && columns[j] == 0); i++)
            (*counts)[i] |= u->mark[i + j * rows];
    for (int64_t i = 0; i < rows; i++) {
        if (!u->mark) (*counts)[i] = 1;
        if (u->row_factor && u->row_factor[i] == 0) (*counts)[i] = 0;
    }
    return CH_OK;
}

ch_status chi_weighted_anchors(ch_context *context, double **weighted, const double *W,
                               const chi_usable *u, int64_t rank) {
    int64_t rows = u->data->rows;
    *weighted = NULL;
    if (!u->row_factor) return CH_OK;
    *weighted = chi_alloc(context, rows * rank, sizeof **weighted);
    if (!*weighted) return chi_no_memory(context, "weighted anchors", rows * rank, sizeof(double));
    for (int64_t e = 0; e < rows * rank; e++) (*weighted)[e] = u->row_factor[e % rows] * W[e];
    return CH_OK;
}

uint64_t chi_usable_hash(const chi_usable *u, uint64_t hash) {
    int64_t rows = u->data->rows, cols = u->data->cols;
    const double *columns = u->own_trust.column_weight;
    if (u->row_weight) hash = chi_hash(hash, u->row_weight, (size_t)rows * sizeof(double));
    if (u->row_factor) hash = chi_hash(hash, u->row_factor, (size_t)rows * sizeof(double));
    if (u->mark) hash = chi_hash(hash, u->mark, (size_t)(rows * cols));
    if (u->weight) hash = chi_hash(hash, u->weight, (size_t)(rows * cols) * sizeof(double));
    if (columns) hash = chi_hash(hash, columns, (size_t)cols * sizeof(double));
    return hash;
}
