/* Set-up of a selection: draws p, measures the columns, decides which can be anchors, and allocates
 * all memory of the run. It takes one pass over X, for divergences two. */
#include "xray/select.h"
#include "xray/xray.h"

#include <math.h>
#include <string.h>

/* On a hull p is 1 in the lifted row and 0 elsewhere, so that points are compared, not
 * directions. */
static void draw_p(chi_run *run) {
    int64_t rows = run->data.spread.X->rows;
    ch_random random;
    ch_random_seed(&run->random, (uint64_t)run->set->seed);
    run->result->p_seed = ch_random_bits(&run->random);
    ch_random_seed(&random, run->result->p_seed);
    for (int64_t i = 0; i < rows; i++)
        run->data.p[i] = run->set->hull ? i == rows - 1 : 1 + 1e-5 * ch_random_uniform(&random);
}

/* Returns whether the run stores less per column. Feasible points and products take 16 bytes per
 * column and anchor, and other arrays 100 bytes per column. For short columns this is more than a
 * quarter of the data, which a run may use besides the data and H. A lean run does not store points
 * and products and reads columns again, which costs little in column-major order. Its bounds are
 * looser, but the decisions are the same. Small matrices need not be lean. */
int chi_is_lean(const ch_context *context, const ch_matrix *X, const ch_anchors_settings *set) {
    enum { LARGE = 1 << 28, OTHERS = 400, POINTS = 32 };
    int64_t anchors = set->rank > 0 ? set->rank : chi_auto_limit(X, set, X->cols);
    int64_t bytes = X->rows * (int64_t)ch_value_type_size(X->type);
    int scarce = bytes * X->cols >= LARGE || chi_memory_limit(context) > 0;
    return scarce && chi_measure_find(set->loss)->from_l2 && X->layout == CH_COLUMN_MAJOR &&
           bytes < OTHERS + POINTS * anchors;
}

/* Under l2 the squares are the sizes of columns. Under l1 least squares bounds need them, unless
 * the run is lean. */
int chi_select_wants(const ch_context *context, const ch_matrix *X,
                     const ch_anchors_settings *settings) {
    const chi_measure *measure = chi_measure_find(settings->loss);
    int squares = measure->degree == 2 || (measure->from_l2 && !chi_is_lean(context, X, settings));
    return CHI_SURVEY_SUMS | (squares ? CHI_SURVEY_SQUARES : 0);
}

/* ---- the columns --------------------------------------------------------------------------- */

/* Returns the number of data columns of this process. After them come a library, which only runs
 * with one process have, and the origin of a hull, the last column of all. */
static int64_t count_points(const chi_run *run) {
    const chi_distribution *spread = &run->data.spread;
    int origin =
        run->set->hull == CH_HULL_CONVEX0 && chi_distribution_local(spread, spread->cols - 1) >= 0;
    return spread->X->cols - origin - chi_library_cols(run->set);
}

static ch_status allocate_data(chi_run *run) {
    chi_arena *arena = &run->arena;
    chi_data *data = &run->data;
    int64_t rows = data->spread.X->rows, cols = data->spread.X->cols;
    data->p = chi_arena_doubles(arena, rows);
    data->weight = chi_arena_doubles(arena, cols);
    data->size = data->measure->degree == 2 ? data->survey->squares : data->survey->sums;
    if (data->measure->divergence) {
        data->own_size = chi_arena_doubles(arena, cols);
        data->least = chi_arena_doubles(arena, cols);
    }
    data->role = chi_arena_alloc(arena, cols, 1);
    run->basis.column = chi_arena_doubles(arena, rows);
    return chi_arena_status(arena, "the selection of anchors");
}

/* Uses a separate generator, so that the run's later draws do not depend on these. */
static void draw_other_keys(const chi_run *run, double *g) {
    ch_random random;
    ch_random_seed(&random, run->result->p_seed + 1);
    for (int64_t i = 0; i < 2 * run->data.spread.X->rows; i++)
        g[i] = 0.5 + ch_random_uniform(&random);
}

/* Computes p'X and decides which columns can be anchors: no (nearly) empty ones, and of
 * proportional ones only the first. vectors has space for 2 rows numbers, scores for 2 cols. */
static ch_status look_at_columns(chi_run *run, double *vectors, double *scores) {
    chi_data *data = &run->data;
    const double *sums = data->survey->sums;
    const double *bright = data->survey->bright ? data->survey->bright : sums;
    int64_t rows = data->spread.X->rows, cols = data->spread.X->cols;
    memcpy(vectors, data->p, (size_t)rows * sizeof *vectors);
    for (int64_t i = 0; i < rows; i++) vectors[rows + i] = 0.5 + ch_random_uniform(&run->random);
    TRY(chi_score(run->context, scores, data->spread.X, vectors, 2));
    TRY(chi_check_sizes(run->context, sums, cols));
    memcpy(data->weight, scores, (size_t)cols * sizeof *scores);
    for (int64_t j = 0; j < cols; j++)
        data->role[j] =
            data->size[j] > 0 && data->weight[j] >= CHI_ANCHOR_LEAST ? CHI_FREE : CHI_EMPTY;
    TRY(chi_mark_faint(run->context, data->role, &run->result->faint, bright, data->points,
                       run->set->faint));
    for (int64_t j = 0; run->set->library_only && j < data->points; j++)
        if (data->role[j] == CHI_FREE) data->role[j] = CHI_POINT;
    draw_other_keys(run, vectors);
    return chi_merge_columns(run->context, data->role, &data->spread,
                             &(chi_merge_keys){scores + cols, sums, vectors});
}

static ch_status look_at_data(chi_run *run) {
    chi_arena arena = {.context = run->context};
    const ch_matrix *X = run->data.spread.X;
    double *vectors = chi_arena_doubles(&arena, 2 * X->rows);
    double *scores = chi_arena_doubles(&arena, 2 * X->cols);
    ch_status status = ch_comm_agree(run->context, chi_arena_status(&arena, "sums"));
    if (status == CH_OK) status = look_at_columns(run, vectors, scores);
    chi_arena_free(&arena);
    return status;
}

/* ---- checks -------------------------------------------------------------------------------- */

/* Checks the given columns that this process holds. */
static ch_status check_given(const chi_run *run) {
    const ch_anchors_settings *set = run->set;
    const chi_distribution *spread = &run->data.spread;
    for (int64_t k = 0; k < set->keep_count; k++) {
        int64_t j = set->keep[k], own = chi_distribution_local(spread, j);
        if (j < 0 || j >= spread->cols)
            return chi_fail(run->context, CH_ERR_SETTING,
                            "keep: column %lld does not exist; columns are numbered from 0 to %lld",
                            (long long)j, (long long)spread->cols - 1);
        if (own >= 0 && run->data.role[own] == CHI_EMPTY)
            return chi_fail(run->context, CH_ERR_SETTING,
                            "keep: column %lld is zero and cannot be an anchor", (long long)j);
        for (int64_t other = 0; other < k; other++)
            if (set->keep[other] == j)
                return chi_fail(run->context, CH_ERR_SETTING, "keep: column %lld is listed twice",
                                (long long)j);
    }
    return CH_OK;
}

static ch_status check_rank(chi_run *run) {
    const ch_anchors_settings *set = run->set;
    int64_t usable = 0, origin = set->hull == CH_HULL_CONVEX0; /* not one of the caller's columns */
    for (int64_t j = 0; j < run->data.spread.X->cols; j++) usable += run->data.role[j] == CHI_FREE;
    TRY(chi_total(run->context, &usable, 1));
    if (usable == 0)
        return chi_fail(run->context, CH_ERR_DATA,
                        "all %lld columns of the matrix are zero, so no column can be an anchor",
                        (long long)run->data.spread.cols);
    if (set->rank > usable)
        return chi_fail(
            run->context, CH_ERR_SETTING,
            "the rank is %lld, but the matrix has only %lld column%s that can be an anchor; "
            "columns that are zero, faint or a multiple of another column cannot",
            (long long)(set->rank - origin), (long long)(usable - origin),
            usable - origin == 1 ? "" : "s");
    if (set->rank > 0 && set->keep_count > set->rank)
        return chi_fail(run->context, CH_ERR_SETTING,
                        "the setting 'keep' lists %lld columns, but the rank is %lld; shorten the "
                        "list or raise the rank",
                        (long long)(set->keep_count - origin), (long long)(set->rank - origin));
    run->rank = set->rank > 0 ? set->rank : chi_auto_limit(run->data.spread.X, set, usable);
    return CH_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Allocates the arrays that the caller keeps. There may be one step more than anchors: the
 * replacement of the first. */
static ch_status allocate_result(const chi_run *run) {
    ch_context *context = run->context;
    ch_anchors_result *result = run->result;
    int64_t rank = run->rank, steps = rank + 1, rows = run->data.spread.X->rows;
    result->anchors = chi_alloc(context, rank, sizeof *result->anchors);
    result->max_residual = chi_alloc(context, rank, sizeof *result->max_residual);
    int whole = result->anchors && result->max_residual;
    for (int64_t k = 0; whole && k < rank; k++) result->max_residual[k] = NAN;
    if (whole && run->set->keep_duals) {
        result->step_exterior = chi_alloc(context, steps, sizeof *result->step_exterior);
        result->step_anchor = chi_alloc(context, steps, sizeof *result->step_anchor);
        result->step_dual = chi_alloc(context, steps * rows, sizeof *result->step_dual);
        whole = result->step_exterior && result->step_anchor && result->step_dual;
    }
    return whole
               ? CH_OK
               : chi_no_memory(context, "the steps of the selection", steps * rows, sizeof(double));
}

static ch_status allocate_rest(chi_run *run) {
    chi_arena *arena = &run->arena;
    const ch_matrix *X = run->data.spread.X;
    chi_rays *rays = &run->rays;
    TRY(allocate_result(run));
    rays->exterior = -1;
    rays->d = chi_arena_doubles(arena, X->rows);
    rays->score = chi_arena_doubles(arena, X->cols);
    rays->list = chi_arena_alloc(arena, X->cols, sizeof *rays->list);
    rays->found = chi_arena_alloc(arena, run->rank, sizeof *rays->found);
    TRY(chi_arena_status(arena, "the selection of anchors"));
    TRY(chi_cone_create(run->context, &run->basis.cone, X->rows, run->rank));
    TRY(chi_projector_create(run->context, &run->basis.projector, &run->basis.cone, X, run->set));
    return chi_exterior_create(run);
}

ch_status chi_run_create(ch_context *context, chi_run *run, ch_anchors_result *result,
                         const ch_matrix *X, const chi_survey *survey,
                         const ch_anchors_settings *settings) {
    *run = (chi_run){.context = context, .set = settings, .result = result};
    run->arena.context = context;
    run->data.measure = chi_measure_find(settings->loss);
    run->data.survey = survey;
    run->basis.version = 1;
    TRY(chi_distribution_create(context, &run->data.spread, X));
    run->data.points = count_points(run);
    TRY(ch_comm_agree(context, allocate_data(run)));
    draw_p(run);
    TRY(look_at_data(run));
    TRY(ch_comm_agree(context, check_given(run)));
    TRY(check_rank(run));
    TRY(ch_comm_agree(context, allocate_rest(run)));
    return settings->rank == 0 ? chi_auto_create(run) : CH_OK;
}

void chi_run_destroy(chi_run *run) {
    chi_projector_destroy(&run->basis.projector);
    chi_cone_destroy(&run->basis.cone);
    chi_arena_free(&run->arena);
    chi_distribution_destroy(&run->data.spread);
}
