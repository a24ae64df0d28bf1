/* The paper's synthetic data (Section 5.1):
 *
 *     X = W H + N   or   X_ij ~ P(mean level * (W H)_ij),     H = [I H']
 *
 * W uniform in (0, 1); the columns of H' Dirichlet, all with the same parameters, which are uniform
 * in (0, 1). Every column has its own random stream, made from the seed and the column number, so
 * the data do not depend on threads; W H and H' do not depend on the noise. O(rows cols rank). */
#include "base/arena.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include <conehull/random.h>
#include <conehull/synthetic.h>
#include <math.h>
#include <string.h>

/* Each kind of draw has its own key, so that no two share a stream. */
typedef struct keys {
    uint64_t W, alpha, column, order;
} keys;

typedef struct maker {
    const ch_synthetic_settings *set;
    keys key;
    double *W;      /* rows x rank                                 */
    double *alpha;  /* rank                                        */
    int64_t *place; /* cols: column of X for column l of [I H']    */
    double *work;   /* per thread: rank for h, rows for the column */
    void *values;   /* X                                           */
    chi_arena arena;
} maker;

enum { COLUMNS_PER_BLOCK = 16 };

static ch_random stream(uint64_t key, int64_t number) {
    ch_random random;
    ch_random_seed(&random, key + (uint64_t)number);
    return random;
}

static keys make_keys(int64_t seed) {
    ch_random random;
    ch_random_seed(&random, (uint64_t)seed);
    keys key;
    key.W = ch_random_bits(&random);
    key.alpha = ch_random_bits(&random);
    key.column = ch_random_bits(&random);
    key.order = ch_random_bits(&random);
    return key;
}

static double noisy(ch_random *random, double mean, int noise, double level) {
    switch (noise) {
    case CH_NOISE_SPARSE:
        return mean + fmax(ch_random_laplace(random, level), 0.0);
    case CH_NOISE_EXPONENTIAL:
        return ch_random_exponential(random, level * mean);
    case CH_NOISE_POISSON:
        return (double)ch_random_poisson(random, level * mean);
    case CH_NOISE_TWO_SIDED:
        return ch_random_uniform(random) < 0.5 ? mean
                                               : fmax(mean + ch_random_laplace(random, level), 0);
    case CH_NOISE_OUTLIERS:
        return ch_random_uniform(random) < level ? 10 * ch_random_uniform(random) : mean;
    case CH_NOISE_GAUSSIAN:
        return fmax(mean + level * ch_random_normal(random), 0);
    default:
        return mean;
    }
}

/* x = W h + noise, h = column l of [I H']. This does not use the kernels of linalg, whose rounding
 * depends on the processor: a seed gives the same data everywhere. */
static void draw_column(const maker *make, double *h, double *x, int64_t l) {
    const ch_synthetic_settings *set = make->set;
    ch_random random = stream(make->key.column, l);
    if (l < set->rank) {
        memcpy(x, make->W + l * set->rows, (size_t)set->rows * sizeof *x);
    } else {
        ch_random_dirichlet(&random, h, make->alpha, set->rank);
        memset(x, 0, (size_t)set->rows * sizeof *x);
        for (int64_t k = 0; k < set->rank; k++) {
            const double *w = make->W + k * set->rows;
            for (int64_t i = 0; i < set->rows; i++) x[i] += h[k] * w[i];
        }
    }
    if (set->noise == CH_NOISE_NONE) return;
    for (int64_t i = 0; i < set->rows; i++) x[i] = noisy(&random, x[i], set->noise, set->level);
}

static void draw_block(void *user, int64_t block, int thread) {
    const maker *make = user;
    int64_t rows = make->set->rows, rank = make->set->rank, first = block * COLUMNS_PER_BLOCK;
    int64_t end = first + COLUMNS_PER_BLOCK;
    if (end > make->set->cols) end = make->set->cols;
    double *h = make->work + thread * (rows + rank), *x = h + rank;
    for (int64_t l = first; l < end; l++) {
        int64_t start = make->place[l] * rows;
        if (make->set->type == CH_F64) {
            draw_column(make, h, (double *)make->values + start, l);
        } else {
            draw_column(make, h, x, l);
            for (int64_t i = 0; i < rows; i++) ((float *)make->values)[start + i] = (float)x[i];
        }
    }
}

static ch_status check(ch_context *context, const ch_synthetic_settings *set) {
    int64_t count;
    if (set->rows < 1 || set->cols < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "rows and cols must be at least 1, got %lld x %lld", (long long)set->rows,
                        (long long)set->cols);
    if (set->rank < 1 || set->rank > set->cols)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'rank' must be between 1 and the number of columns, %lld, got %lld",
            (long long)set->cols, (long long)set->rank);
    if (set->noise < CH_NOISE_NONE || set->noise > CH_NOISE_GAUSSIAN)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'noise' must be a value of ch_synthetic_noise, from 0 to 6, got %d",
            set->noise);
    if (set->noise != CH_NOISE_NONE && !(set->level >= 0.0 && set->level <= 1e12))
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'level' must be between 0 and 1e12, got %.15g",
                        isnan(set->level) ? NAN : set->level);
    if (set->type != CH_F64 && set->type != CH_F32)
        return chi_fail(context, CH_ERR_SETTING,
                        "the type of synthetic data must be f64 or f32, because other types would "
                        "round W H too much");
    if (__builtin_mul_overflow(set->rows, set->cols, &count) ||
        __builtin_mul_overflow(set->rows, set->rank, &count))
        return chi_fail(context, CH_ERR_SETTING,
                        "synthetic data of %lld rows x %lld columns are too large to be stored",
                        (long long)set->rows, (long long)set->cols);
    return CH_OK;
}

static ch_status allocate(maker *make) {
    const ch_synthetic_settings *set = make->set;
    ch_context *context = make->arena.context;
    size_t size = set->type == CH_F64 ? sizeof(double) : sizeof(float);
    size_t work = (size_t)(set->rows + set->rank) * sizeof(double);
    make->W = chi_arena_doubles(&make->arena, set->rows * set->rank);
    make->alpha = chi_arena_doubles(&make->arena, set->rank);
    make->place = chi_arena_alloc(&make->arena, set->cols, sizeof(int64_t));
    make->work = chi_arena_alloc(&make->arena, ch_context_threads(context), work);
    TRY(chi_arena_status(&make->arena, "synthetic data"));
    make->values = chi_alloc(context, set->rows * set->cols, size);
    return make->values ? CH_OK
                        : chi_no_memory(context, "synthetic data", set->rows * set->cols, size);
}

static void draw_model(maker *make) {
    const ch_synthetic_settings *set = make->set;
    for (int64_t k = 0; k < set->rank; k++) {
        ch_random random = stream(make->key.W, k);
        for (int64_t i = 0; i < set->rows; i++)
            make->W[i + k * set->rows] = ch_random_uniform(&random);
    }
    ch_random random = stream(make->key.alpha, 0);
    for (int64_t k = 0; k < set->rank; k++) make->alpha[k] = 1.0 - ch_random_uniform(&random);
    random = stream(make->key.order, 0);
    if (set->shuffle)
        ch_random_shuffle(&random, make->place, set->cols);
    else
        for (int64_t l = 0; l < set->cols; l++) make->place[l] = l;
}

ch_status ch_synthetic_make(ch_context *context, ch_matrix *X, int64_t *anchors,
                            const ch_synthetic_settings *given) {
    ch_synthetic_settings own = {.size = sizeof own}, *settings = &own;
    TRY(chi_sized_take(context, &own, sizeof own, given, "ch_synthetic_settings"));
    maker make = {.set = settings, .arena.context = context};
    TRY(check(context, settings));
    ch_status status = allocate(&make);
    if (status == CH_OK) {
        make.key = make_keys(settings->seed);
        draw_model(&make);
        int64_t blocks = (settings->cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
        chi_parallel(context, blocks, draw_block, &make);
        if (anchors) memcpy(anchors, make.place, (size_t)settings->rank * sizeof *anchors);
        *X = chi_matrix_owned(make.values, settings->rows, settings->cols, CH_COLUMN_MAJOR,
                              settings->type);
    }
    chi_arena_free(&make.arena);
    return status;
}
