/* Canonical projections of a column onto the cone. They start cold, so that the answer depends only
 * on the column, the anchors in their order, and the settings. If the solver cannot prove its
 * answer, a second solver is tried, and the answer with the smaller gap is returned. */
#include "project/columns/projector.h"

#include <string.h>

static void create_solvers(chi_projector *projector, chi_solvers *solvers, const chi_cone *cone,
                           double tol) {
    solvers->cone = cone;
    solvers->work = projector->solver->create(&projector->arena, cone, tol);
    if (projector->second)
        solvers->second = projector->second->create(&projector->arena, cone, tol);
}

static void create_worker(chi_projector *projector, chi_worker *worker, double tol) {
    chi_arena *arena = &projector->arena;
    const chi_cone *cone = projector->cone;
    worker->index = chi_arena_alloc(arena, cone->rows, sizeof *worker->index);
    worker->value = chi_arena_doubles(arena, cone->rows);
    worker->b = chi_arena_doubles(arena, 5 * cone->capacity);
    if (projector->measure->from_l2 && (projector->measure->degree == 1 || cone->hull))
        worker->least_squares = chi_active_set_create(arena, cone->kernels, cone->capacity);
    create_solvers(projector, &worker->shared, cone, tol);
    if (!projector->trust || !projector->trust->known) return;
    chi_own_rows_create(projector, worker);
    create_solvers(projector, &worker->own, &worker->own_cone, tol);
}

ch_status chi_projector_create(ch_context *context, chi_projector *projector, chi_cone *cone,
                               const ch_matrix *X, const ch_anchors_settings *settings) {
    return chi_projector_create_trusting(context, projector, cone, X, NULL, settings);
}

ch_status chi_projector_create_trusting(ch_context *context, chi_projector *projector,
                                        chi_cone *cone, const ch_matrix *X, const chi_trust *trust,
                                        const ch_anchors_settings *settings) {
    *projector = (chi_projector){.arena = {.context = context},
                                 .cone = cone,
                                 .X = X,
                                 .trust = trust,
                                 .threads = ch_context_threads(context)};
    cone->hull = settings->hull != CH_HULL_CONE;
    cone->skew = chi_skew_of(settings);
    projector->measure = chi_measure_find(settings->loss);
    projector->solver = chi_projection_find(settings->loss, settings->projection);
    if (!projector->measure || !projector->solver)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'projection' does not fit the loss; use projection = auto");
    if (projector->measure->divergence) {
        chi_loss_settings loss = {settings->loss,  settings->beta,   settings->reverse,
                                  settings->floor, settings->custom, settings->custom_arrays};
        TRY(chi_loss_init(context, &projector->loss, &loss));
        projector->chain = !projector->loss.convex;
        cone->loss = &projector->loss;
        cone->row_weight = chi_row_weights_of(settings);
    }
    if (projector->solver->solve_block && !projector->solver->block_is_exact)
        TRY(chi_blas_reserve(context));
    /* l1 has a second solver for columns that the exact solver cannot prove: the paper's ADMM. It
     * is not used for a hull, because it meets the constraint of a hull only up to its
     * tolerance. */
    projector->second = chi_projection_find(settings->loss, CH_PROJECTION_ADMM);
    if (projector->second == projector->solver || cone->hull) projector->second = NULL;
    projector->worker =
        chi_arena_alloc_zero(&projector->arena, projector->threads, sizeof *projector->worker);
    for (int t = 0; projector->worker && t < projector->threads; t++)
        create_worker(projector, &projector->worker[t], settings->tol);
    ch_status status = chi_arena_status(&projector->arena, "work areas of threads");
    if (status < 0) chi_projector_destroy(projector);
    return status;
}

void chi_projector_destroy(chi_projector *projector) {
    chi_arena_free(&projector->arena);
    *projector = (chi_projector){0};
}

/* Sets b = 0, which is optimal if there is no anchor yet or x = 0. */
static void leave_alone(const chi_projector *projector, const chi_cone *cone, chi_fit *fit,
                        double *b, double *d, const chi_column *x) {
    *fit = (chi_fit){.proven = 1};
    fit->objective =
        projector->measure->degree == 2 ? x->square : x->sum - projector->cone->skew * x->sum;
    if (projector->measure->divergence && (projector->cone->count > 0 || projector->measure->empty))
        fit->objective = chi_divergence_at_floor(cone, x);
    memset(b, 0, (size_t)projector->cone->count * sizeof *b);
    if (d) chi_column_spread(d, x);
}

static void try_second(const chi_projector *projector, chi_worker *worker, chi_fit *fit, double *b,
                       double *d) {
    chi_fit other = {0};
    double *other_b = worker->b + projector->cone->capacity;
    void *work = worker->used->second;
    projector->second->solve(work, &other, other_b, NULL, &worker->x, 0);
    if (!(other.proven || other.gap < fit->gap)) return;
    if (d) projector->second->solve(work, &other, other_b, d, &worker->x, 0);
    other.pivots += fit->pivots;
    *fit = other;
    memcpy(b, other_b, (size_t)projector->cone->count * sizeof *b);
    worker->last = projector->second;
}

/* Loads column j on the rows that it has, and chooses the solvers of these rows. */
static void load(const chi_projector *projector, chi_worker *worker, int64_t j) {
    worker->used = &worker->shared;
    if (chi_has_own_rows(projector, j)) {
        chi_own_rows_load(projector, worker, j);
        worker->used = &worker->own;
    } else {
        chi_column_load(projector->cone->kernels, &worker->x, worker->index, worker->value,
                        projector->X, j);
    }
}

static void project(const chi_projector *projector, int thread, chi_fit *fit, double *b, double *d,
                    int64_t j, int64_t known) {
    chi_worker *worker = &projector->worker[thread];
    load(projector, worker, j);
    worker->last = NULL;
    worker->solves++;
    if (projector->cone->count == 0 || worker->x.count == 0) {
        leave_alone(projector, worker->used->cone, fit, b, d, &worker->x);
        return;
    }
    *fit = (chi_fit){0}; /* solvers do not set fields that their loss lacks */
    projector->solver->solve(worker->used->work, fit, b, d, &worker->x, (int)known);
    worker->last = projector->solver;
    if (!fit->proven && projector->second) try_second(projector, worker, fit, b, d);
    worker->pivots += fit->pivots;
}

void chi_project_column(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                        double *d, int64_t j) {
    project(projector, thread, fit, b, d, j, 0);
}

int64_t chi_projects_together(const chi_projector *projector) {
    const chi_projection *solver = projector->solver;
    if (!solver->solve_block || projector->cone->count == 0) return 0;
    if (projector->trust && projector->trust->known) return 0;
    return solver->block_columns(projector->cone);
}

void chi_project_together(const chi_projector *projector, int thread,
                          const chi_column_block *block) {
    chi_worker *worker = &projector->worker[thread];
    int64_t count = block->hi - block->lo;
    worker->last = projector->solver;
    worker->used = &worker->shared;
    for (int64_t k = 0; k < count; k++) block->fits[k] = (chi_fit){0};
    projector->solver->solve_block(worker->shared.work, block);
    worker->solves += count;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = block->lo + k;
        if (!projector->solver->block_is_exact || block->fits[k].proven) {
            worker->pivots += block->fits[k].pivots;
            continue;
        }
        worker->solves--; /* project() counts it */
        project(projector, thread, &block->fits[k], block->H + k * projector->cone->count, NULL, j,
                0);
        if (block->done) block->done(block->user, j);
    }
}

void chi_project_further(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                         int64_t j, int64_t known) {
    project(projector, thread, fit, b, NULL, j, projector->chain ? known : 0);
}

void chi_project_warm(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                      int64_t j) {
    chi_worker *worker = &projector->worker[thread];
    load(projector, worker, j);
    worker->solves++;
    if (worker->used == &worker->own && worker->x.count == 0) { /* perhaps it has no rows at all */
        leave_alone(projector, worker->used->cone, fit, b, NULL, &worker->x);
        return;
    }
    *fit = (chi_fit){0};
    /* A chain that is known up to its only anchor has nothing left to solve. */
    int warm = !projector->chain || projector->cone->count > 1;
    projector->solver->solve(worker->used->work, fit, b, NULL, &worker->x, warm);
    worker->pivots += fit->pivots;
}

int64_t chi_project_exceptions(const chi_projector *projector, int thread, int32_t *row,
                               double *value) {
    const chi_worker *worker = &projector->worker[thread];
    if (!worker->last || !worker->last->exceptions) return 0;
    int first = worker->last == projector->solver;
    const chi_solvers *used = worker->used;
    int64_t count = worker->last->exceptions(first ? used->work : used->second, row, value);
    for (int64_t e = 0; used == &worker->own && e < count; e++) row[e] = worker->own_row[row[e]];
    return count;
}
