/* Algorithm 1 of the paper (Section 3): anchors one at a time, each by an exterior column, its D*
 * and the extreme ray that D* points at.
 *
 *     while fewer than r anchors:
 *         i   exterior to the cone of the anchors (exterior.c)
 *         D*  the dual of its projection: D*'X_A <= 0, D*'X_i > 0 (Lemmas 3.1, 3.2)
 *         j   = argmax_j D*'X_j / p'X_j (extreme_ray.c), p = 1 + U(0, 1e-5)
 *
 * It starts with R = D* = X. That first choice is often no anchor under noise, so by default
 * (first = reselect) it is dropped when all r are there, and chosen once more by the same rule.
 *
 * Over several ranks each scores and projects its own columns; per anchor two vectors of all rows
 * go round, D* and the new anchor, and a handful of numbers (docs/scaling.md).
 *
 * Cost: at most one pass over X per anchor, with the rule max for few of them (rivals.c), three
 * more to begin with, and the projections. */
#include "xray/xray.h"

#include <math.h>
#include <string.h>

/* |sin| of the angle between D* and p below which p tells the columns apart no longer. */
static const double COLLINEAR = 1e-3;
/* Half of what the recheck allows scores of anchors; the least score of l2, over the size of D*, of
 * which rounding leaves nine digits, as many as it asks for. */
static const double DUAL_SLACK = 5e-10, SCORE_LEAST = 1e-7;

/* ---- set-up -------------------------------------------------------------------------------- */

static void draw_p(chi_run *run) {
    ch_random random;
    ch_random_seed(&run->random, (uint64_t)run->set->seed);
    run->p_seed = ch_random_bits(&run->random);
    ch_random_seed(&random, run->p_seed);
    for (int64_t i = 0; i < run->X->rows; i++) run->p[i] = 1 + 1e-5 * ch_random_uniform(&random);
}

/* Sizes, p'X, and which columns can be anchors: not the empty ones or nearly so, of proportional
 * ones the first. One pass over X. */
static ch_status look_at_columns(chi_run *run, double *vectors, double *sums) {
    int64_t rows = run->X->rows, cols = run->X->cols;
    memcpy(vectors, run->p, (size_t)rows * sizeof *vectors);
    for (int64_t i = 0; i < rows; i++) vectors[rows + i] = 0.5 + ch_random_uniform(&run->random);
    TRY(chi_score_with_norms(run->context, sums, run->square, run->weight, run->X, vectors, 2));
    TRY(chi_check_sizes(run->context, sums, cols));
    if (run->norm != run->size) memcpy(run->norm, run->size, (size_t)cols * sizeof *run->norm);
    for (int64_t j = 0; j < cols; j++)
        run->role[j] =
            run->size[j] > 0 && run->weight[j] >= CHI_ANCHOR_LEAST ? CHI_FREE : CHI_EMPTY;
    return chi_merge_columns(run->context, run->role, &run->spread, run->score, sums);
}

static ch_status look_at_data(chi_run *run) {
    ch_context *context = run->context;
    int sums_are_sizes = run->measure->degree == 1;
    double *vectors = chi_alloc(context, 2 * run->X->rows, sizeof *vectors);
    double *sums = chi_alloc(context, sums_are_sizes ? 0 : run->X->cols, sizeof *sums);
    ch_status status = CH_OK;
    if (!vectors || !sums)
        status = chi_no_memory(context, "sums", 2 * run->X->rows + run->X->cols, sizeof *sums);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = look_at_columns(run, vectors, sums_are_sizes ? run->size : sums);
    chi_free(context, sums);
    chi_free(context, vectors);
    return status;
}

/* What is known of the columns that this rank holds. */
static ch_status check_given(const chi_run *run) {
    const ch_anchors_settings *set = run->set;
    for (int64_t k = 0; k < set->keep_count; k++) {
        int64_t j = set->keep[k];
        if (j < 0 || j >= run->spread.cols)
            return chi_fail(run->context, CH_ERR_SETTING, "keep: column %lld is not in 0..%lld",
                            (long long)j, (long long)run->spread.cols - 1);
        int64_t own = chi_distribution_local(&run->spread, j);
        if (own >= 0 && run->role[own] == CHI_EMPTY)
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
    int64_t usable = 0;
    for (int64_t j = 0; j < run->X->cols; j++) usable += run->role[j] == CHI_FREE;
    TRY(chi_total(run->context, &usable, 1));
    if (usable == 0)
        return chi_fail(run->context, CH_ERR_DATA, "all %lld columns are zero: there is no anchor",
                        (long long)run->spread.cols);
    if (set->rank > usable)
        return chi_fail(run->context, CH_ERR_SETTING,
                        "rank is %lld, but the matrix has only %lld usable column%s (zero columns "
                        "and multiples of another do not count)",
                        (long long)set->rank, (long long)usable, usable == 1 ? "" : "s");
    if (set->rank > 0 && set->keep_count > set->rank)
        return chi_fail(run->context, CH_ERR_SETTING, "keep lists %lld columns, but rank is %lld",
                        (long long)set->keep_count, (long long)set->rank);
    run->rank = set->rank > 0 ? set->rank : chi_auto_limit(run, usable);
    run->capacity = run->rank;
    return CH_OK;
}

/* Are points and products kept? They take 16 bytes a column and anchor, and what else is known of a
 * column 100: for short columns that is more than the quarter of the data, and H, which a run may
 * take beside them. Those are read again instead, which costs little where columns lie one after
 * the other. Bounds are then looser; what decides is the same. Small matrices may take more. */
static int is_lean(const chi_run *run) {
    enum { LARGE = 1 << 28, OTHERS = 400, POINTS = 32 };
    const ch_matrix *X = run->X;
    int64_t anchors = run->set->rank > 0 ? run->set->rank : chi_auto_limit(run, X->cols);
    int64_t bytes = X->rows * (int64_t)ch_value_type_size(X->type);
    int scarce = bytes * X->cols >= LARGE || chi_memory_limit(run->context) > 0;
    return scarce && run->measure->spread && X->layout == CH_COLUMN_MAJOR &&
           bytes < OTHERS + POINTS * anchors;
}

static ch_status allocate_columns(chi_run *run) {
    ch_context *context = run->context;
    int64_t rows = run->X->rows, cols = run->X->cols;
    int divergence = run->measure->divergence, squares = run->measure->degree == 2;
    run->lean = is_lean(run);
    run->size = chi_alloc(context, cols, sizeof *run->size);
    run->least = divergence ? chi_alloc(context, cols, sizeof *run->least) : NULL;
    run->norm = divergence ? chi_alloc(context, cols, sizeof *run->norm) : run->size;
    run->square = squares ? run->size : NULL;
    if (!squares && run->measure->spread && !run->lean)
        run->square = chi_alloc(context, cols, sizeof *run->square);
    run->weight = chi_alloc(context, 2 * cols, sizeof *run->weight);
    run->score = run->weight ? run->weight + cols : NULL;
    run->role = chi_alloc(context, cols, sizeof *run->role);
    run->list = chi_alloc(context, cols, sizeof *run->list);
    run->p = chi_alloc(context, rows, sizeof *run->p);
    run->d = chi_alloc(context, rows, sizeof *run->d);
    run->spare = chi_alloc(context, rows, sizeof *run->spare);
    if (run->size && (run->least || !divergence) && run->norm &&
        (run->square || !run->measure->spread || run->lean) && run->weight && run->role &&
        run->list && run->p && run->d && run->spare)
        return CH_OK;
    return chi_no_memory(context, "the selection", 5 * cols + 3 * rows, sizeof(double));
}

static ch_status allocate_anchors(chi_run *run) {
    ch_context *context = run->context;
    int64_t rank = run->capacity, records = run->set->keep_duals ? rank + 1 : 0;
    run->anchors = chi_alloc(context, rank, sizeof *run->anchors);
    run->rays = chi_alloc(context, rank, sizeof *run->rays);
    run->residual = chi_alloc(context, rank, sizeof *run->residual);
    run->step_exterior = chi_alloc(context, records, sizeof *run->step_exterior);
    run->step_anchor = chi_alloc(context, records, sizeof *run->step_anchor);
    run->step_dual = chi_alloc(context, records * run->X->rows, sizeof *run->step_dual);
    if (!run->anchors || !run->rays || !run->residual || !run->step_exterior || !run->step_anchor ||
        !run->step_dual)
        return chi_no_memory(context, "the steps", records * run->X->rows, sizeof(double));
    for (int64_t k = 0; k < rank; k++) run->residual[k] = NAN;
    TRY(chi_cone_create(context, &run->cone, run->X->rows, rank));
    TRY(chi_projector_create(context, &run->projector, &run->cone, run->X, run->set));
    TRY(chi_measure_columns(run));
    return chi_exterior_create(run);
}

static ch_status begin(chi_run *run) {
    TRY(chi_distribution_create(run->context, &run->spread, run->X));
    TRY(ch_comm_agree(run->context, allocate_columns(run)));
    draw_p(run);
    TRY(look_at_data(run));
    TRY(ch_comm_agree(run->context, check_given(run)));
    TRY(check_rank(run));
    TRY(ch_comm_agree(run->context, allocate_anchors(run)));
    return run->set->rank == 0 ? chi_auto_create(run) : CH_OK;
}

/* ---- one step ------------------------------------------------------------------------------ */

/* exterior < 0: d has nothing to do with it. */
static void record_step(chi_run *run, int64_t exterior, int64_t j) {
    if (!run->set->keep_duals) return;
    double *dual = run->step_dual + run->steps * run->X->rows;
    run->step_exterior[run->steps] = exterior;
    run->step_anchor[run->steps] = j;
    if (exterior >= 0)
        memcpy(dual, run->d, (size_t)run->X->rows * sizeof *dual);
    else
        memset(dual, 0, (size_t)run->X->rows * sizeof *dual);
    run->steps++;
}

static void set_role(chi_run *run, int64_t j, enum chi_role role) {
    int64_t own = chi_distribution_local(&run->spread, j);
    if (own >= 0) run->role[own] = (unsigned char)role;
}

static ch_status append_anchor(chi_run *run, int64_t j) {
    TRY(chi_distribution_column(&run->spread, run->spare, j));
    chi_cone_append(&run->cone, run->spare);
    run->anchors[run->count++] = j;
    set_role(run, j, CHI_CHOSEN);
    run->version++;
    return CH_OK;
}

static int collinear(const double *d, const double *p, int64_t rows) {
    double dp = chi_dot(d, p, rows), dd = chi_dot(d, d, rows), pp = chi_dot(p, p, rows);
    return dp * dp >= (1 - COLLINEAR * COLLINEAR) * dd * pp;
}

/* D* <- (D* - t) / (1 + t / s), s = max_i |D*_i|, t = max_k (A_k'D* / A_k'1)_+, which is positive
 * on no anchor (Lemma 3.1) and no larger: projections are optimal up to a tolerance, and near the
 * cone the slopes of a divergence are small differences of large numbers. Done where t is not
 * small against D* and against what it scores on x. Non-zero: what is left on x (Lemma 3.2) may be
 * rounding, as where anchors of l2 are almost the same. */
static int make_feasible(chi_run *run, const chi_column *x) {
    const chi_cone *cone = &run->cone;
    double size = chi_largest_entry(run->d, cone->rows), t = 0;
    for (int64_t k = 0; k < cone->count; k++)
        if (cone->sums[k] > 0)
            t = fmax(t, chi_dot(cone->A + k * cone->rows, run->d, cone->rows) / cone->sums[k]);
    if (t > DUAL_SLACK * fmin(size, chi_column_dot(x, run->d) / x->sum))
        for (int64_t i = 0; i < cone->rows; i++) run->d[i] = (run->d[i] - t) / (1 + t / size);
    double least = run->measure->degree == 2 ? SCORE_LEAST * size * x->sum : 0;
    return !(chi_column_dot(x, run->d) > least);
}

/* D* of a column of this rank: the dual of its projection, or the paper's (Remark 1) where asked
 * for and valid. */
static void find_dual(chi_run *run, int64_t j) {
    chi_fit fit;
    chi_worker *worker = run->projector.worker;
    chi_project_column(&run->projector, 0, &fit, worker->b, run->d, j);
    int rounding = make_feasible(run, &worker->x);
    run->unproven += !fit.proven || rounding;
    if (run->set->dual != CH_DUAL_PAPER || run->count == 0) return;
    run->duals_checked++;
    if (chi_dual_paper(run->spare, &run->cone, &worker->x, worker->b, run->set->tol)) {
        run->duals_valid++;
        memcpy(run->d, run->spare, (size_t)run->X->rows * sizeof *run->d);
    }
}

/* D* of the exterior column, from its owner to all. */
static ch_status certify(chi_run *run) {
    int64_t own = chi_distribution_local(&run->spread, run->exterior);
    if (own >= 0) find_dual(run, own);
    return chi_broadcast(run->context, run->d, run->X->rows, sizeof *run->d,
                         chi_distribution_owner(&run->spread, run->exterior));
}

/* Rays for the next anchors. A D* too close to p, or with no positive score, is passed over for
 * the next exterior column; if all of them are, the first must do: p is perturbed, so its
 * maximiser is an extreme ray still. */
static ch_status find_rays(chi_run *run) {
    int64_t first = run->exterior;
    double distance = run->distance;
    while (run->exterior >= 0) {
        TRY(certify(run));
        if (!collinear(run->d, run->p, run->X->rows)) {
            TRY(chi_extreme_rays(run, run->rank - run->count));
            if (run->ray_count > 0) return CH_OK;
        }
        chi_exterior_pass(run);
        TRY(chi_exterior_next(run));
    }
    run->exterior = first;
    run->distance = distance;
    TRY(certify(run));
    return chi_extreme_rays(run, run->rank - run->count);
}

/* New rays, and the column whose D* gave them. */
static ch_status look_for_rays(chi_run *run) {
    int greedy = run->set->exterior == CH_EXTERIOR_GREEDY;
    TRY(greedy ? chi_extreme_rays(run, run->rank - run->count) : find_rays(run));
    run->ray_exterior = greedy ? -1 : run->exterior;
    return CH_OK;
}

/* Is the ray in the cone that those found with it have made? */
static ch_status look_whether_taken_in(chi_run *run, int *taken_in, int64_t j) {
    int64_t own = chi_distribution_local(&run->spread, j);
    if (own >= 0) {
        chi_fit fit;
        chi_project_column(&run->projector, 0, &fit, run->projector.worker->b, NULL, own);
        *taken_in = fit.objective <= chi_enough(run, own);
    }
    return chi_broadcast(run->context, taken_in, 1, sizeof *taken_in,
                         chi_distribution_owner(&run->spread, j));
}

/* The next of the rays that D* points at, -1: none left. Nearly equal columns tie, and the first of
 * them leaves nothing of the others. */
static ch_status next_ray(chi_run *run, int64_t *j) {
    int taken_in = 1;
    *j = -1;
    while (taken_in && run->rays_used < run->ray_count) {
        int64_t at = run->rays_used++;
        *j = run->rays[at];
        taken_in = 0;
        if (at > 0) TRY(look_whether_taken_in(run, &taken_in, *j));
    }
    if (taken_in) *j = -1;
    return CH_OK;
}

/* Keeps the step and tells the callback. What one rank says, all do: a failure, or a word to stop.
 */
static ch_status finish_step(chi_run *run, int64_t j) {
    double residual = chi_residual(run->measure, run->distance);
    ch_status status = chi_step_save(run);
    if (status == CH_OK &&
        chi_notify(run->context, "select", run->count, run->rank, j, residual) != 0)
        status = CH_STOP_CANCELLED;
    return ch_comm_agree(run->context, status);
}

/* CHI_CANCELLED in the middle of a step. */
static ch_status add_anchors(chi_run *run) {
    int automatic = run->set->rank == 0 && !run->reselecting;
    while (run->count < run->rank || automatic) { /* the last anchor is judged like the others */
        int64_t j;
        TRY(chi_step_restore(run, &j));
        if (j >= 0) {
            record_step(run, run->ray_exterior, j);
            TRY(append_anchor(run, j));
            continue;
        }
        TRY(chi_exterior_next(run));
        if (run->count > 0 && !run->reselecting)
            run->residual[run->count - 1] = chi_residual(run->measure, run->distance);
        if (run->exterior < 0) return CH_STOP_COMPLETE;
        int enough = 0;
        if (automatic) TRY(chi_auto_enough(run, &enough));
        if (automatic && (enough || run->count == run->rank)) return CH_OK;
        TRY(next_ray(run, &j));
        if (j < 0) {
            TRY(look_for_rays(run));
            TRY(next_ray(run, &j));
        }
        if (j < 0) return CH_STOP_COMPLETE;
        record_step(run, run->ray_exterior, j);
        TRY(append_anchor(run, j));
        ch_status status = finish_step(run, j);
        if (status != CH_OK) return status;
    }
    return CH_OK;
}

/* Anchors until there are run->rank. CH_STOP_COMPLETE: every column is in the cone. */
static ch_status grow(chi_run *run) {
    return chi_outside_status(add_anchors(run));
}

/* ---- taking anchors back ------------------------------------------------------------------- */

static void remove_anchor(chi_run *run, int64_t k) {
    chi_exterior_forget(run, k);
    chi_cone_remove(&run->cone, k);
    set_role(run, run->anchors[k], CHI_FREE);
    run->count--;
    memmove(run->anchors + k, run->anchors + k + 1,
            (size_t)(run->count - k) * sizeof *run->anchors);
    run->ray_count = run->rays_used = 0;
    run->version++;
}

/* The automatic rank looks some anchors ahead; those beyond it go. */
static void cut_back(chi_run *run, int64_t rank) {
    while (run->count > rank) remove_anchor(run, run->count - 1);
    if (run->steps > rank) run->steps = rank;
    run->rank = rank;
}

static void move_last_to(chi_run *run, int64_t k) {
    int64_t last = run->anchors[run->count - 1];
    memmove(run->anchors + k + 1, run->anchors + k,
            (size_t)(run->count - 1 - k) * sizeof *run->anchors);
    run->anchors[k] = last;
}

/* The automatic rank: is the first anchor missed, now that it is gone? */
static ch_status look_whether_missed(chi_run *run, int *missed) {
    TRY(chi_exterior_next(run));
    return chi_auto_missed(run, missed);
}

/* Drops the first anchor that was not given and chooses once more; the new one takes its place. */
static ch_status reselect(chi_run *run) {
    int64_t first = run->anchors[run->given], rank = run->count;
    int automatic = run->set->rank == 0, missed = 1;
    ch_status status = automatic ? chi_outside_status(chi_auto_watch(run)) : CH_OK;
    if (status != CH_OK) return status;
    remove_anchor(run, run->given);
    run->reselecting = 1;
    if (automatic) status = chi_outside_status(look_whether_missed(run, &missed));
    if (status == CH_OK && !missed) return CH_OK;
    if (status == CH_OK) status = grow(run);
    if (status < 0 || status == CH_STOP_COMPLETE) return status;
    if (run->count < rank) TRY(append_anchor(run, first));
    move_last_to(run, run->given);
    return status;
}

/* What the ranks have counted each for itself. */
static ch_status add_counts(chi_run *run) {
    int64_t counts[] = {run->unproven, run->duals_checked, run->duals_valid};
    TRY(chi_total(run->context, counts, 3));
    run->unproven = counts[0];
    run->duals_checked = counts[1];
    run->duals_valid = counts[2];
    return CH_OK;
}

ch_status chi_select(ch_context *context, chi_run *run, const ch_matrix *X,
                     const ch_anchors_settings *settings) {
    *run = (chi_run){.context = context, .X = X, .set = settings, .version = 1};
    run->measure = chi_measure_find(settings->loss);
    chi_begin_phase(context, "select", settings->rank);
    ch_status status = chi_outside_status(begin(run));
    if (status != CH_OK) return status;
    for (; run->given < settings->keep_count; run->given++) {
        record_step(run, -1, settings->keep[run->given]);
        TRY(append_anchor(run, settings->keep[run->given]));
    }
    status = grow(run);
    if (status == CH_OK && settings->rank == 0) cut_back(run, chi_auto_rank(run));
    int again = settings->first == CH_FIRST_RESELECT && run->count > run->given && run->count > 1;
    if (status == CH_OK && again) status = reselect(run);
    if (status >= 0) TRY(add_counts(run));
    if (run->unproven > 0 && (status == CH_OK || status == CH_STOP_COMPLETE)) {
        chi_log(context, CH_LOG_INFO, "%lld projections that decided on anchors are not proven",
                (long long)run->unproven);
        status = CH_STOP_INACCURATE;
    }
    return status;
}

void chi_run_destroy(chi_run *run) {
    ch_context *context = run->context;
    chi_auto_destroy(run);
    chi_exterior_destroy(run);
    chi_projector_destroy(context, &run->projector);
    chi_cone_destroy(context, &run->cone);
    chi_free(context, run->step_dual);
    chi_free(context, run->step_anchor);
    chi_free(context, run->step_exterior);
    chi_free(context, run->residual);
    chi_free(context, run->rays);
    chi_free(context, run->anchors);
    chi_free(context, run->spare);
    chi_free(context, run->d);
    chi_free(context, run->p);
    chi_free(context, run->list);
    chi_free(context, run->role);
    chi_free(context, run->weight);
    if (run->square != run->size) chi_free(context, run->square);
    if (run->norm != run->size) chi_free(context, run->norm);
    chi_free(context, run->least);
    chi_free(context, run->size);
    chi_distribution_destroy(&run->spread);
    *run = (chi_run){0};
}
