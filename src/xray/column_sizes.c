/* What the objectives of the columns are measured against. */
#include "linalg/prefetch.h"
#include "xray/xray.h"

#include <math.h>

enum { BLOCK = 16 }; /* columns a thread takes at a time */
/* A residual up to this share of the column's norm is rounding: some hundred units of it. */
static const double ROUNDING = 1e-13;

/* Size of the column at hand and what its divergence is at y = x + floor: a column of the cone
 * comes at least as near as that, and where x is zero nothing comes nearer. */
static double measure_column(const chi_loss *loss, double *least, const chi_column *x) {
    double lift = loss->lifts_data ? loss->floor : 0, zeros = (double)(x->rows - x->count), size;
    size = zeros * chi_loss_scale(loss, &lift, 1);
    *least = zeros * chi_loss_value(loss, &lift, &loss->floor, 1);
    for (int64_t e = 0; e < x->count; e++) {
        double lifted = x->value[e] + lift, model = x->value[e] + loss->floor;
        size += chi_loss_scale(loss, &lifted, 1);
        if (lifted != model) *least += chi_loss_value(loss, &lifted, &model, 1);
    }
    return size;
}

static void measure_block(void *user, int64_t block, int thread) {
    chi_run *run = user;
    int64_t low = block * BLOCK, high = low + BLOCK < run->X->cols ? low + BLOCK : run->X->cols;
    chi_worker *worker = &run->projector.worker[thread];
    chi_prefetch_block(run->context, run->X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        run->least[j] = 0;
        if (!(run->norm[j] > 0)) continue;
        chi_column_load(&worker->x, worker->index, worker->value, run->X, j);
        run->size[j] = measure_column(&run->projector.loss, &run->least[j], &worker->x);
        if (run->measure->empty)
            run->norm[j] = chi_divergence_at_floor(&run->projector.loss, &worker->x);
    }
}

ch_status chi_measure_columns(chi_run *run) {
    run->share = pow(fmax(run->set->stop, ROUNDING), run->measure->degree);
    if (!run->measure->divergence) return CH_OK;
    chi_prefetch_pass(run->context, run->X, BLOCK, 0);
    return chi_parallel_until(run->context, (run->X->cols + BLOCK - 1) / BLOCK, measure_block, run);
}
