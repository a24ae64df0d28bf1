/* The size of each column, to which its objective is compared: the sum of x_i^degree, or under a
 * divergence the scale of the loss, which takes one more pass over X. */
#include "xray/select.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16 }; /* columns a thread takes at a time */
/* A residual up to this share of the column's norm counts as rounding error (several hundred units
 * in the last place). Values in single precision are themselves rounded, by a relative 2^-24: if a
 * column was in the cone before, its residual is now at most 2^-24 (|x| + |A b|), about 2^-23
 * |x|. */
static const double ROUNDING = 1e-13, ROUNDING_F32 = 0x1p-23;

static double rounding_of(const ch_matrix *X) {
    return X->type == CH_F32 ? ROUNDING_F32 : ROUNDING;
}

/* Returns the size of the loaded column. *least becomes its divergence at y = x + floor. A column
 * inside the cone has an objective of at most that. */
static double measure_column(const chi_loss *loss, double *least, const chi_column *x) {
    double lift = loss->lifts_data ? loss->floor : 0, zeros = (double)(x->rows - x->count), size;
    size = zeros * chi_loss_scale(loss, &lift, 1);
    *least = zeros * chi_loss_value(loss, &lift, &loss->floor, 1);
    for (int64_t low = 0; low < x->count; low += CHI_LOSS_BLOCK) {
        double lifted[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK];
        int64_t some = x->count - low < CHI_LOSS_BLOCK ? x->count - low : CHI_LOSS_BLOCK, apart = 0;
        for (int64_t e = 0; e < some; e++) lifted[e] = x->value[low + e] + lift;
        size = chi_loss_add_scales(loss, size, lifted, some);
        for (int64_t e = 0; e < some; e++) { /* move values that differ to the front */
            model[apart] = x->value[low + e] + loss->floor;
            lifted[apart] = lifted[e];
            apart += lifted[apart] != model[apart];
        }
        *least = chi_loss_add_values(loss, *least, lifted, model, apart);
    }
    return size;
}

/* The same with weights of rows. The lift of a hull has the weight 1. */
static double measure_weighted(const chi_cone *cone, double *least, const chi_column *x) {
    const chi_loss *loss = cone->loss;
    double value[CHI_LOSS_BLOCK], weight[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK], size = 0;
    double lift = loss->lifts_data ? loss->floor : 0;
    *least = 0;
    for (int64_t low = 0, at = 0; low < x->rows; low += CHI_LOSS_BLOCK) {
        int64_t some = chi_column_rows(cone, x, low, &at, lift, value, weight);
        size += chi_loss_weighted_scale(loss, weight, value, some);
        int64_t apart = 0;
        for (int64_t k = 0; k < some; k++) { /* move values that differ to the front */
            model[apart] = value[k] - lift + loss->floor;
            value[apart] = value[k];
            weight[apart] = weight[k];
            apart += value[apart] != model[apart];
        }
        *least += chi_loss_weighted_value(loss, weight, value, model, apart);
    }
    return size;
}

typedef struct sizing {
    ch_context *context;
    const chi_projector *projector;
    chi_data *data;
    double *first;
} sizing;

static void measure_block(void *user, int64_t block, int thread) {
    const sizing *s = user;
    const ch_matrix *X = s->data->spread.X;
    const chi_cone *cone = s->projector->cone;
    chi_worker *worker = &s->projector->worker[thread];
    int64_t low = block * BLOCK, high = low + BLOCK < X->cols ? low + BLOCK : X->cols;
    chi_prefetch_block(s->context, X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        s->data->own_size[j] = s->first[j];
        s->data->least[j] = 0;
        if (!(s->first[j] > 0)) continue;
        chi_column_load(cone->kernels, &worker->x, worker->index, worker->value, X, j);
        s->data->own_size[j] = cone->row_weight
                                   ? measure_weighted(cone, &s->data->least[j], &worker->x)
                                   : measure_column(cone->loss, &s->data->least[j], &worker->x);
        if (s->data->measure->empty) s->first[j] = chi_divergence_at_floor(cone, &worker->x);
    }
}

ch_status chi_measure_columns(const chi_run *run, chi_data *data, double *first) {
    const ch_matrix *X = data->spread.X;
    sizing s = {run->context, &run->basis.projector, data, first};
    data->share = pow(fmax(run->set->stop, rounding_of(X)), data->measure->degree);
    data->at_zero = 1 - chi_skew_of(run->set);
    for (int64_t j = 0; j < X->cols; j++) first[j] = chi_at_zero(data, j);
    if (!data->measure->divergence) return CH_OK;
    data->size = data->own_size;
    chi_prefetch_pass(run->context, X, BLOCK, 0);
    return chi_parallel_until(run->context, (X->cols + BLOCK - 1) / BLOCK, measure_block, &s);
}

double chi_size_of_lift(const chi_run *run) {
    const chi_data *data = &run->data;
    const chi_loss *loss = &run->basis.projector.loss;
    if (run->set->hull == CH_HULL_CONE || data->spread.X->cols == 0) return 0;
    double lifted = data->weight[0], value = lifted + (loss->lifts_data ? loss->floor : 0);
    if (data->measure->divergence) return chi_loss_scale(loss, &value, 1);
    return data->measure->degree == 2 ? lifted * lifted : lifted;
}
