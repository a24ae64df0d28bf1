/* From X and settings to a result: the method's selection, then H for its anchors, the same for
 * every method. A result is put together aside and handed over when it is complete. */
#include "anchors/anchors_record.h"
#include "baseline/baseline.h"
#include "linalg/distribution.h"
#include "linalg/prefetch.h"
#include "project/columns/project_all.h"
#include "xray/xray.h"

#include <math.h>
#include <string.h>

/* ---- methods ------------------------------------------------------------------------------- */

typedef ch_status (*selector)(ch_context *context, chi_selection *found, const ch_matrix *X,
                              const ch_anchors_settings *settings);

/* At most this many anchors: all columns where the method chooses the number. */
static int64_t most_anchors(const ch_matrix *X, const ch_anchors_settings *settings) {
    return settings->rank ? settings->rank : X->cols;
}

static ch_status select_baseline(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                                 const ch_anchors_settings *settings, selector run, int weighted) {
    int64_t most = most_anchors(X, settings);
    result->anchors = chi_alloc(context, most, sizeof *result->anchors);
    result->max_residual = chi_alloc(context, most, sizeof *result->max_residual);
    if (weighted) result->weights = chi_alloc(context, most, sizeof *result->weights);
    ch_status status = CH_OK;
    if (!result->anchors || !result->max_residual || (weighted && !result->weights))
        status = chi_no_memory(context, "anchors", most, sizeof *result->anchors);
    TRY(ch_comm_agree(context, status));
    for (int64_t k = 0; k < most; k++) result->max_residual[k] = NAN;
    chi_selection found = {.anchors = result->anchors,
                           .max_residual = result->max_residual,
                           .weights = result->weights,
                           .objective = NAN,
                           .gap = NAN};
    status = run(context, &found, X, settings);
    result->rank = found.rank;
    result->select_objective = found.objective;
    result->select_gap = found.gap;
    result->iterations = found.iterations;
    return status;
}

static ch_status select_spa(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const ch_anchors_settings *settings) {
    return select_baseline(context, result, X, settings, chi_spa, 0);
}

static ch_status select_hottopixx(ch_context *context, ch_anchors_result *result,
                                  const ch_matrix *X, const ch_anchors_settings *settings) {
    return select_baseline(context, result, X, settings, chi_hottopixx, 1);
}

static ch_status select_smrs(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                             const ch_anchors_settings *settings) {
    return select_baseline(context, result, X, settings, chi_smrs, 1);
}

/* Methods that keep columns x columns numbers have them in one place. */
static ch_status refuse_ranks(ch_context *context, const char *method) {
    if (chi_process_count(context) == 1) return CH_OK;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "method %s runs in one process; over several ranks use xray or spa", method);
}

static ch_status xray_applies(ch_context *context, const ch_anchors_settings *set) {
    const chi_measure *measure = chi_measure_find(set->loss);
    if (set->exterior >= CH_EXTERIOR_DIST && !measure->all_pairs)
        return chi_fail(context, CH_ERR_SETTING, "exterior: dist and greedy are for loss l2 only");
    if (set->dual == CH_DUAL_PAPER && set->loss != CH_LOSS_L1)
        return chi_fail(context, CH_ERR_SETTING, "dual: paper is for loss l1 only");
    return CH_OK;
}

static ch_status spa_applies(ch_context *context, const ch_anchors_settings *set) {
    if (set->rank == 0)
        return chi_fail(
            context, CH_ERR_SETTING,
            "method spa cannot choose the rank (xray and smrs can): give one, 1 or more");
    return CH_OK;
}

static ch_status smrs_applies(ch_context *context, const ch_anchors_settings *set) {
    (void)set;
    return refuse_ranks(context, "smrs");
}

static ch_status hottopixx_applies(ch_context *context, const ch_anchors_settings *set) {
    TRY(refuse_ranks(context, "hottopixx"));
    if (set->rank == 0)
        return chi_fail(
            context, CH_ERR_SETTING,
            "method hottopixx cannot choose the rank (xray and smrs can): give one, 1 or more");
    return CH_OK;
}

static const struct method {
    int method;
    ch_status (*applies)(ch_context *context, const ch_anchors_settings *settings);
    /* Fills rank, anchors, max_residual, counts and steps. */
    ch_status (*select)(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                        const ch_anchors_settings *settings);
    int last_residual; /* the last max_residual is that of H, in the loss that H minimises       */
    int no_residuals;  /* select() measures none: the others are those of the path, if there is  */
} methods[] = {
    {CH_METHOD_XRAY, xray_applies, chi_select, 1, 0},
    {CH_METHOD_SPA, spa_applies, select_spa, 0, 0},
    {CH_METHOD_HOTTOPIXX, hottopixx_applies, select_hottopixx, 1, 1},
    {CH_METHOD_SMRS, smrs_applies, select_smrs, 1, 1},
};

/* ---- H for the anchors --------------------------------------------------------------------- */

static ch_status gather_anchors(ch_context *context, ch_anchors_result *result,
                                const ch_matrix *X) {
    chi_distribution spread;
    ch_status status = chi_distribution_create(context, &spread, X);
    result->W = chi_alloc(context, X->rows * result->rank, sizeof *result->W);
    if (status == CH_OK && !result->W)
        status = chi_no_memory(context, "W", X->rows * result->rank, sizeof(double));
    status = ch_comm_agree(context, status);
    for (int64_t k = 0; status == CH_OK && k < result->rank; k++)
        status = chi_distribution_column(&spread, result->W + k * X->rows, result->anchors[k]);
    chi_distribution_destroy(&spread);
    return status;
}

static void take_sums(ch_anchors_result *result, const chi_projected *all) {
    result->objective = all->objective;
    result->certificate = all->certificate;
    result->unproven = all->unproven;
    result->pivots += all->pivots;
    result->dual_start = all->dual_start;
    result->dual_row = all->dual_row;
    result->dual_value = all->dual_value;
}

/* Anchors enter the cone in their order, so that the path's ranks are passed on the way. */
static ch_status project_ranks(ch_context *context, ch_anchors_result *result, double *H,
                               chi_cone *cone, const chi_projector *projector,
                               const ch_anchors_settings *settings) {
    const struct method *method = &methods[settings->method];
    chi_projected all = {0};
    int64_t first = settings->path || result->rank == 0 ? 0 : result->rank - 1;
    if (!settings->path) chi_cone_fill(context, cone, result->W, result->rank);
    for (int64_t k = first; k < result->rank; k++) {
        int last = k + 1 == result->rank;
        if (settings->path) chi_cone_append(cone, result->W + k * result->rows);
        ch_status status = chi_project_all(context, &all, last ? H : NULL, projector,
                                           last && settings->keep_duals, settings->checkpoint);
        if (status != CH_OK) return status;
        if (settings->path) result->objective_path[k] = all.objective;
        if (last ? method->last_residual : method->no_residuals)
            result->max_residual[k] = all.largest;
    }
    take_sums(result, &all);
    return CH_OK;
}

static ch_status project(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                         const ch_anchors_settings *settings) {
    chi_cone cone = {0};
    chi_projector projector = {0};
    double *H = chi_alloc(context, result->rank * X->cols, sizeof *H);
    ch_status status = H ? CH_OK : chi_no_memory(context, "H", result->rank * X->cols, sizeof *H);
    if (status == CH_OK && settings->path) {
        result->objective_path = chi_alloc(context, result->rank, sizeof(double));
        if (!result->objective_path)
            status = chi_no_memory(context, "path", result->rank, sizeof(double));
    }
    if (status == CH_OK) status = chi_cone_create(context, &cone, X->rows, result->rank);
    if (status == CH_OK) status = chi_projector_create(context, &projector, &cone, X, settings);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = project_ranks(context, result, H, &cone, &projector, settings);
    if (status == CH_OK) {
        result->H = H;
        H = NULL;
    } else {
        chi_free(context, result->objective_path);
        result->objective_path = NULL;
    }
    chi_projector_destroy(context, &projector);
    chi_cone_destroy(context, &cone);
    chi_free(context, H);
    return status;
}

/* ---- the calls ----------------------------------------------------------------------------- */

static ch_status check_part(ch_context *context, const ch_matrix *X,
                            const ch_anchors_settings *settings) {
    TRY(ch_settings_check(context, &ch_anchors_table, settings));
    if (!chi_projection_find(settings->loss, settings->projection))
        return chi_fail(
            context, CH_ERR_SETTING,
            "projection: exact is for losses l1 and l2, admm for l1, cd for all but l1");
    chi_begin_phase(context, "check", 0);
    return chi_matrix_check_until(context, X);
}

static ch_status check_input(ch_context *context, const ch_matrix *X,
                             const ch_anchors_settings *settings) {
    int64_t cols = X->cols;
    TRY(chi_total(context, &cols, 1));
    if (X->rows < 1 || cols < 1)
        return chi_fail(context, CH_ERR_DATA, "the matrix is empty: %lld x %lld",
                        (long long)X->rows, (long long)cols);
    return ch_comm_agree(context, check_part(context, X, settings));
}

/* For what does not go through chi_select(), which looks itself. */
static ch_status check_sizes(ch_context *context, const ch_matrix *X) {
    double *sum = chi_alloc(context, X->cols, sizeof *sum);
    ch_status status = sum ? CH_OK : chi_no_memory(context, "column sums", X->cols, sizeof *sum);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = chi_column_norms(context, sum, NULL, X);
    if (status == CH_OK) status = chi_check_sizes(context, sum, X->cols);
    chi_free(context, sum);
    return status;
}

enum { BLOCK = 64 }; /* columns that a thread adds up at a time */

typedef struct sums {
    ch_context *context;
    const ch_matrix *X;
    int32_t *index; /* rows entries a thread */
    double *value;
    double *of_column;
} sums;

/* By the non-zeros in order, unlike chi_column_norms(): the same bits for every layout, as the
 * floor must be, for all of H hangs on it. */
static void add_columns(void *user, int64_t block, int thread) {
    const sums *s = user;
    int64_t low = block * BLOCK, high = low + BLOCK < s->X->cols ? low + BLOCK : s->X->cols;
    chi_prefetch_block(s->context, s->X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        chi_column x;
        chi_column_load(chi_kernels_of(s->context), &x, s->index + thread * s->X->rows,
                        s->value + thread * s->X->rows, s->X, j);
        s->of_column[j] = x.sum;
    }
}

/* The largest column sum of X, and CHI_FLOOR times its mean, or times 1 when X is zero. */
static ch_status add_up(ch_context *context, double *largest, double *floor, sums *s) {
    int64_t cols = s->X->cols;
    double total;
    chi_prefetch_pass(context, s->X, BLOCK, 0);
    TRY(chi_parallel_until(context, (cols + BLOCK - 1) / BLOCK, add_columns, s));
    for (int64_t j = 0; j < cols; j++) *largest = fmax(*largest, s->of_column[j]);
    TRY(chi_largest(context, largest, 1));
    TRY(chi_sum(context, &total, s->of_column, cols));
    TRY(chi_check_sizes(context, s->of_column, cols));
    TRY(chi_total(context, &cols, 1));
    *floor = CHI_FLOOR * (total > 0 ? total / ((double)s->X->rows * (double)cols) : 1);
    return CH_OK;
}

/* One pass. */
static ch_status look_at_sizes(ch_context *context, double *largest, double *floor,
                               const ch_matrix *X) {
    int64_t room = ch_context_threads(context) * X->rows;
    sums s = {.context = context, .X = X};
    ch_status status = CH_OK;
    s.index = chi_alloc(context, room, sizeof *s.index);
    s.value = chi_alloc(context, room, sizeof *s.value);
    s.of_column = chi_alloc(context, X->cols, sizeof *s.of_column);
    if (!s.index || !s.value || !s.of_column)
        status = chi_no_memory(context, "column sums", room + X->cols, sizeof *s.value);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = add_up(context, largest, floor, &s);
    chi_free(context, s.of_column);
    chi_free(context, s.value);
    chi_free(context, s.index);
    return status;
}

ch_status chi_check_shares(ch_context *context, const ch_matrix *X) {
    double *x = chi_alloc(context, X->rows, sizeof *x);
    if (!x) return chi_no_memory(context, "a column", X->rows, sizeof *x);
    ch_status status = CH_OK;
    for (int64_t j = 0; status == CH_OK && j < X->cols; j++) {
        int64_t i = 0;
        if (j % BLOCK == 0) chi_prefetch_block(context, X, BLOCK, j / BLOCK);
        chi_column_gather(x, X, j);
        while (i < X->rows && x[i] <= 1) i++;
        if (i < X->rows)
            status = chi_fail(
                context, CH_ERR_DATA,
                "row %lld, column %lld (from 0): %g is above 1; loss logistic is for shares in "
                "[0, 1] (scale the data)",
                (long long)i, (long long)(X->first + j), x[i]);
    }
    chi_free(context, x);
    return status;
}

/* The floor, and whether the loss can be computed on data of this size. */
static ch_status settle_floor(ch_context *context, ch_anchors_settings *set, const ch_matrix *X) {
    double largest = 0, usual = 0;
    chi_loss loss;
    if (set->floor == 0)
        return chi_fail(context, CH_ERR_SETTING,
                        "floor must be above 0 (or negative: 1e-6 times the mean of X)");
    TRY(look_at_sizes(context, &largest, &usual, X));
    if (set->floor < 0) set->floor = usual;
    ch_loss_settings choice = {set->loss, set->beta, set->reverse, set->floor, set->custom};
    TRY(chi_loss_init(context, &loss, &choice));
    if (chi_loss_in_range(&loss, largest)) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING,
                    "loss %s on columns that sum to %g with floor %g leaves the range of numbers; "
                    "scale the data or set another floor%s",
                    loss.generator->name, largest, set->floor,
                    set->loss == CH_LOSS_CUSTOM ? " (or phi'' is not positive)" : "");
}

/* The settings with everything decided: beta 2 is l2, and the floor is a
 * number. */
static ch_status resolve(ch_context *context, ch_anchors_settings *resolved, const ch_matrix *X,
                         const ch_anchors_settings *settings) {
    *resolved = *settings;
    if (settings->loss == CH_LOSS_BETA && settings->beta == 2) resolved->loss = CH_LOSS_L2;
    if (!chi_measure_find(resolved->loss)->divergence) {
        resolved->floor = 0;
        return CH_OK;
    }
    TRY(settle_floor(context, resolved, X));
    if (settings->loss != CH_LOSS_LOGISTIC) return CH_OK;
    return ch_comm_agree(context, chi_check_shares(context, X));
}

/* The method's selection, or what an earlier run has made of it. */
static ch_status select_or_restore(ch_context *context, ch_anchors_result *result,
                                   ch_status *status, const ch_matrix *X,
                                   const ch_anchors_settings *settings) {
    int found;
    TRY(chi_restore_selection(context, result, status, &found, X, settings));
    if (found) return CH_OK;
    *status = chi_outside_status(methods[settings->method].select(context, result, X, settings));
    if (*status < 0 || *status == CH_STOP_CANCELLED) return *status;
    return chi_record_selection(context, result, *status, settings);
}

static ch_status find(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                      const ch_anchors_settings *settings) {
    const struct method *method = &methods[settings->method];
    TRY(method->applies(context, settings));
    double start = chi_seconds(), exchanged = ch_context_comm_cost(context).seconds;
    ch_status status = CH_OK;
    TRY(select_or_restore(context, result, &status, X, settings));
    if (result->rank == 0 && status != CH_STOP_CANCELLED)
        return chi_fail(context, CH_ERR_DATA, "no column of the data can be told to be an anchor");
    TRY(gather_anchors(context, result, X));
    double selected = chi_seconds();
    result->seconds_select = selected - start;
    result->exchange_select = ch_context_comm_cost(context).seconds - exchanged;
    if (!settings->select_only && status != CH_STOP_CANCELLED) {
        ch_status projected = project(context, result, X, settings);
        if (projected != CH_OK) status = projected;
        if (result->unproven > 0) status = CH_STOP_INACCURATE;
        result->seconds_project = chi_seconds() - selected;
        exchanged += result->exchange_select;
        result->exchange_project = ch_context_comm_cost(context).seconds - exchanged;
    }
    return status;
}

/* All that comes before the selection. */
static ch_status prepare(ch_context *context, ch_anchors_settings *resolved, const ch_matrix *X,
                         const ch_anchors_settings *settings) {
    TRY(check_input(context, X, settings));
    if (settings->method != CH_METHOD_XRAY) TRY(check_sizes(context, X));
    TRY(chi_record_identity(context, X, settings));
    return resolve(context, resolved, X, settings);
}

ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const ch_anchors_settings *settings) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!result || !X || !settings)
        return chi_fail(context, CH_ERR_ARGUMENT, "result, X and settings must not be NULL");
    ch_anchors_settings resolved = *settings;
    ch_status status = chi_outside_status(prepare(context, &resolved, X, settings));
    if (status < 0) return status;
    ch_anchors_result made = {.rows = X->rows,
                              .cols = X->cols,
                              .objective = NAN,
                              .select_objective = NAN,
                              .select_gap = NAN,
                              .floor = resolved.floor};
    if (status == CH_OK) status = find(context, &made, X, &resolved);
    made.status = status;
    if (status < 0)
        ch_anchors_result_free(context, &made);
    else
        *result = made;
    return status;
}

void ch_anchors_result_free(ch_context *context, ch_anchors_result *result) {
    if (!result) return;
    void *arrays[] = {result->anchors,
                      result->max_residual,
                      result->weights,
                      result->objective_path,
                      result->W,
                      result->H,
                      result->step_exterior,
                      result->step_anchor,
                      result->step_dual,
                      result->dual_start,
                      result->dual_row,
                      result->dual_value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) chi_free(context, arrays[i]);
    *result = (ch_anchors_result){0};
}

static ch_status check_basis(ch_context *context, const double *W, int64_t rows, int64_t rank) {
    ch_matrix view;
    TRY(ch_matrix_borrow_dense(context, &view, W, rows, rank, rows, CH_COLUMN_MAJOR, CH_F64));
    TRY(ch_matrix_check(context, &view));
    return check_sizes(context, &view);
}

ch_status ch_project(ch_context *context, double *H, ch_project_info *info, const ch_matrix *X,
                     const double *W, int64_t rank, const ch_anchors_settings *settings) {
    return chi_project_kept(context, H, info, X, W, rank, settings, NULL);
}

static ch_status prepare_projection(ch_context *context, ch_anchors_settings *resolved,
                                    const ch_matrix *X, const double *W, int64_t rank,
                                    const ch_anchors_settings *settings) {
    TRY(check_input(context, X, settings));
    TRY(check_sizes(context, X));
    TRY(resolve(context, resolved, X, settings));
    return check_basis(context, W, X->rows, rank);
}

ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                           const ch_matrix *X, const double *W, int64_t rank,
                           const ch_anchors_settings *settings, const ch_checkpoint *checkpoint) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!H || !X || !W || !settings || rank < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "H, X, W and settings must not be NULL, and rank "
                        "must be at least 1");
    ch_anchors_settings resolved;
    ch_status status =
        chi_outside_status(prepare_projection(context, &resolved, X, W, rank, settings));
    if (status != CH_OK) return status;
    double start = chi_seconds();
    chi_cone cone;
    chi_projector projector = {0};
    chi_projected all;
    status = chi_cone_create(context, &cone, X->rows, rank);
    if (status == CH_OK) chi_cone_fill(context, &cone, W, rank);
    if (status == CH_OK) status = chi_projector_create(context, &projector, &cone, X, &resolved);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = chi_project_all(context, &all, H, &projector, 0, checkpoint);
    if (status == CH_OK && info)
        *info = (ch_project_info){all.objective, all.pivots, all.unproven, all.certificate,
                                  chi_seconds() - start};
    if (status == CH_OK && all.unproven > 0) status = CH_STOP_INACCURATE;
    chi_projector_destroy(context, &projector);
    chi_cone_destroy(context, &cone);
    return status;
}
