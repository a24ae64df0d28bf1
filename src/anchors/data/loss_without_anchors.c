/* The loss of a model without anchors (loss_without_anchors.h). For a divergence D(x, y) with y on
 * the right, the mean of x is the constant of least loss (Banerjee, Merugu, Dhillon and Ghosh,
 * Clustering with Bregman divergences, 2005, Proposition 1). One pass over X; a divergence is
 * evaluated once per non-zero value, or once per entry if rows have weights. */
#include "anchors/data/loss_without_anchors.h"
#include "base/processes.h"
#include "linalg/linalg.h"

#include <math.h>

enum { BLOCK = 16 }; /* columns that a thread takes at a time */

/* The workspace of one thread: a column. */
typedef struct buffer {
    int32_t *index;
    double *value;
} buffer;

typedef struct summing {
    const chi_usable *usable;
    const chi_kernels *kernels;
    chi_loss loss; /* for divergences */
    int divergence, degree;
    double slope; /* loss of a residual of 1 under quantile */
    buffer *of_thread;
    double *losses; /* per column                                       */
    double *sizes;  /* per column, for divergences: its size, times its weight */
    double *any;    /* per column: 1 if a known entry is above 0        */
} summing;

static double lift_of(const chi_loss *loss) {
    return loss->lifts_data ? loss->floor : 0;
}

/* The divergence of a whole column from its mean, and the size of the column. All zero rows have
 * the same loss. */
static double from_mean(const summing *s, double *size, const chi_column *x) {
    double value[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK], lift = lift_of(&s->loss);
    *size = 0;
    if (x->rows == 0) return 0; /* nothing is known */
    double mean = x->sum / (double)x->rows + s->loss.floor;
    double zeros = (double)(x->rows - x->count);
    double sum = zeros * chi_loss_value(&s->loss, &lift, &mean, 1);
    *size = zeros * chi_loss_scale(&s->loss, &lift, 1);
    for (int k = 0; k < CHI_LOSS_BLOCK; k++) model[k] = mean;
    for (int64_t low = 0; low < x->count; low += CHI_LOSS_BLOCK) {
        int64_t some = x->count - low < CHI_LOSS_BLOCK ? x->count - low : CHI_LOSS_BLOCK;
        for (int64_t k = 0; k < some; k++) value[k] = x->value[low + k] + lift;
        sum += chi_loss_value(&s->loss, value, model, some);
        *size = chi_loss_add_scales(&s->loss, *size, value, some);
    }
    return sum;
}

/* Some entries of a column: values, means and weights. */
typedef struct entries {
    double value[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK], weight[CHI_LOSS_BLOCK];
    int64_t count;
} entries;

/* Adds the entries to *sum and *size, and empties the list. */
static void add_entries(const summing *s, double *sum, double *size, entries *e) {
    if (s->usable->row_weight) {
        *sum += chi_loss_weighted_value(&s->loss, e->weight, e->value, e->model, e->count);
        *size += chi_loss_weighted_scale(&s->loss, e->weight, e->value, e->count);
    } else {
        *sum += chi_loss_value(&s->loss, e->value, e->model, e->count);
        *size = chi_loss_add_scales(&s->loss, *size, e->value, e->count);
    }
    e->count = 0;
}

/* The same for a column with weights of rows; x has all rows. known: NULL if all entries are
 * known. */
static double weighted_from_mean(const summing *s, double *size, const double *x,
                                 const unsigned char *known) {
    const chi_usable *u = s->usable;
    int64_t rows = u->X->rows;
    double total = 0, count = 0, sum = 0, lift = lift_of(&s->loss);
    entries e = {.count = 0};
    for (int64_t i = 0; i < rows; i++) {
        double weight = u->row_weight ? u->row_weight[i] : 1;
        if (known && !known[i]) continue;
        total += weight * x[i];
        count += weight * (u->row_factor ? u->row_factor[i] : 1);
    }
    double mean = count > 0 ? total / count : 0;
    *size = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (known && !known[i]) continue;
        e.value[e.count] = x[i] + lift;
        e.model[e.count] = mean * (u->row_factor ? u->row_factor[i] : 1) + s->loss.floor;
        e.weight[e.count] = u->row_weight ? u->row_weight[i] : 1;
        if (++e.count == CHI_LOSS_BLOCK) add_entries(s, &sum, size, &e);
    }
    add_entries(s, &sum, size, &e);
    return sum;
}

/* Sets x to the known entries of a column, each times its factor (NULL: 1): a column of as many
 * rows. own->value holds the column and is overwritten. */
static void take_known(const summing *s, chi_column *x, const buffer *own,
                       const unsigned char *known, const double *factor) {
    int64_t rows = s->usable->X->rows, nonzeros = 0, count = 0;
    for (int64_t i = 0; i < rows; i++) { /* no branches: they would be unpredictable */
        double value = factor ? factor[i] * own->value[i] : own->value[i];
        own->value[nonzeros] = value;
        nonzeros += known[i] & (value != 0);
        count += known[i];
    }
    *x = (chi_column){.rows = count,
                      .count = nonzeros,
                      .value = own->value,
                      .sum = chi_sum_abs(s->kernels, own->value, nonzeros),
                      .square = chi_dot(s->kernels, own->value, own->value, nonzeros)};
}

static void add_column(const summing *s, const buffer *own, int64_t j) {
    const chi_usable *u = s->usable;
    const chi_trust *trust = u->trust;
    int64_t first = trust ? j * trust->rows : 0;
    const unsigned char *known = trust && trust->known ? trust->known + first : NULL;
    const double *factor = trust && trust->factor ? trust->factor + first : NULL;
    double weight = trust && trust->column_weight ? trust->column_weight[j] : 1;
    int by_rows = s->divergence && (u->row_weight || u->row_factor);
    chi_column x;
    if (known || by_rows) chi_column_gather(own->value, u->X, j);
    if (by_rows) s->losses[j] = weighted_from_mean(s, &s->sizes[j], own->value, known);
    if (known)
        take_known(s, &x, own, known, factor);
    else
        chi_column_load(s->kernels, &x, own->index, own->value, u->X, j);
    s->any[j] = x.sum > 0;
    if (!s->divergence) s->losses[j] = s->slope * (s->degree == 2 ? x.square : x.sum);
    if (s->divergence && !by_rows) s->losses[j] = from_mean(s, &s->sizes[j], &x);
    s->losses[j] *= weight;
    s->sizes[j] *= weight;
}

static void add_block(void *user, int64_t block, int thread) {
    const summing *s = user;
    int64_t low = block * BLOCK, cols = s->usable->X->cols;
    for (int64_t j = low; j < low + BLOCK && j < cols; j++) add_column(s, &s->of_thread[thread], j);
}

static ch_status create(ch_context *context, chi_arena *arena, summing *s,
                        const ch_anchors_settings *set) {
    int threads = ch_context_threads(context);
    int64_t rows = s->usable->X->rows, cols = s->usable->X->cols;
    s->of_thread = chi_arena_alloc(arena, threads, sizeof *s->of_thread);
    for (int t = 0; s->of_thread && t < threads; t++)
        s->of_thread[t] =
            (buffer){chi_arena_alloc(arena, rows, sizeof(int32_t)), chi_arena_doubles(arena, rows)};
    s->losses = chi_arena_doubles(arena, cols);
    s->sizes = chi_arena_alloc_zero(arena, cols, sizeof *s->sizes);
    s->any = chi_arena_doubles(arena, cols);
    TRY(chi_arena_status(arena, "the loss without anchors"));
    if (!s->divergence) return CH_OK;
    chi_loss_settings choice = {set->loss,  set->beta,   set->reverse,
                                set->floor, set->custom, set->custom_arrays};
    return chi_loss_init(context, &s->loss, &choice);
}

ch_status chi_loss_without_anchors(ch_context *context, double *loss, int64_t *columns,
                                   const chi_usable *usable, const ch_anchors_settings *resolved) {
    const chi_measure *measure = chi_measure_find(resolved->loss);
    chi_arena arena = {.context = context};
    summing s = {.usable = usable,
                 .kernels = chi_kernels_of(context),
                 .divergence = measure->divergence,
                 .degree = measure->degree,
                 .slope = 1 - chi_skew_of(resolved)};
    double count = 0, size = 0;
    *loss = 0;
    ch_status status = ch_comm_agree(context, create(context, &arena, &s, resolved));
    int64_t cols = usable->X->cols;
    if (status == CH_OK)
        status = ch_comm_agree(
            context, chi_parallel_apart(context, (cols + BLOCK - 1) / BLOCK, add_block, &s));
    if (status == CH_OK) status = chi_sum(context, loss, s.losses, cols);
    if (status == CH_OK) status = chi_sum(context, &size, s.sizes, cols);
    if (status == CH_OK) status = chi_sum(context, &count, s.any, cols);
    *loss = fmax(*loss, size);
    *columns = (int64_t)count;
    chi_arena_free(&arena);
    return status;
}
