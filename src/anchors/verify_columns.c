/* Checks H column by column (verify_column.c), and the stored numbers that follow from H.
 *
 * Cost: O(nnz k) under l1, l2 and KL, O(m n k) under other losses. */
#include "anchors/hull_lift.h"
#include "anchors/verify.h"
#include "linalg/linalg.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* columns that a thread checks at a time */

/* Summary of a block of columns. */
typedef struct block_report {
    chi_column_report worst; /* the largest of each field; of objective and size the sum */
    double largest;          /* largest weighted objective of a column                   */
    int64_t column;          /* the column with the largest error                        */
    int64_t doubtful;
    int64_t bad_row, bad; /* row and column of the first unusable value of H; bad = -1: none */
} block_report;

typedef struct work {
    ch_context *context;
    const double *H;
    int64_t rank;   /* rows of H: anchors without the origin          */
    int64_t origin; /* 1 if the first column of check.W is the origin */
    chi_check check;
    const chi_trust *trust; /* NULL: all entries count alike */
    chi_check_space *space;
    block_report *reports;
    double *losses, *errors; /* per column; NULL: not wanted */
} work;

static int find_unusable(const work *w, int64_t j, block_report *report) {
    for (int64_t k = 0; k < w->rank; k++) {
        double h = w->H[j * w->rank + k];
        if (h >= 0 && h <= DBL_MAX) continue;
        report->bad = j;
        report->bad_row = k;
        return 1;
    }
    return 0;
}

/* Returns the weights of column j. The origin, if it is there, gets what the others lack to 1, or 0
 * if that is only rounding error. */
static const double *weights_of(const work *w, const chi_check_space *space, int64_t j) {
    const double *h = w->H + j * w->rank;
    if (!w->origin) return h;
    memcpy(space->b + 1, h, (size_t)w->rank * sizeof *h);
    space->b[0] = 1;
    for (int64_t k = 0; k < w->rank; k++) space->b[0] -= h[k];
    if (space->b[0] <= CHI_ROUNDING / 2) space->b[0] = 0;
    return space->b;
}

/* Adds a column to the summary. weight is its column weight. */
static void add_column(block_report *report, const chi_column_report *column, int64_t j, double tol,
                       double weight) {
    chi_column_report *worst = &report->worst;
    worst->objective += weight * column->objective;
    worst->size += weight * column->size;
    report->largest = fmax(report->largest, weight * column->objective);
    worst->infeasibility = fmax(worst->infeasibility, column->infeasibility);
    worst->stationarity = fmax(worst->stationarity, column->stationarity);
    report->doubtful += column->error > tol / 2;
    if (column->error > worst->error) {
        worst->error = column->error;
        report->column = j;
    }
}

static void check_block(void *user, int64_t block, int thread) {
    work *w = user;
    const ch_matrix *X = w->check.X;
    block_report *report = &w->reports[block];
    int64_t low = block * BLOCK, high = low + BLOCK < X->cols ? low + BLOCK : X->cols;
    *report = (block_report){.column = low, .bad = -1};
    chi_prefetch_block(w->context, X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        if (find_unusable(w, j, report)) return;
        const chi_check_space *space = &w->space[thread];
        const double *b = weights_of(w, space, j), *weights = NULL;
        if (w->trust) weights = w->trust->column_weight;
        chi_column_report column = w->trust && w->trust->known && !w->trust->whole[j]
                                       ? chi_check_own_column(&w->check, space, w->trust, b, j)
                                       : chi_check_column(&w->check, space, b, j);
        add_column(report, &column, j, w->check.tol, weights ? weights[j] : 1);
        if (w->losses) w->losses[j] = column.objective;
        if (w->errors) w->errors[j] = column.error;
    }
}

static void judge_columns(ch_verification *v, chi_columns_verdict *verdict, const work *w,
                          int64_t blocks) {
    const chi_check *c = &w->check;
    int64_t worst = -1;
    double error = 0;
    for (int64_t block = 0; block < blocks; block++) {
        const block_report *report = &w->reports[block];
        if (report->bad >= 0) {
            chi_refuse(v, "H has an entry that is negative or not finite at row %lld, column %lld",
                       (long long)report->bad_row, (long long)report->bad);
            return;
        }
        v->objective += report->worst.objective;
        verdict->scale += report->worst.size;
        verdict->largest = fmax(verdict->largest, report->largest);
        verdict->doubtful += report->doubtful;
        v->dual_infeasibility = fmax(v->dual_infeasibility, report->worst.infeasibility);
        v->stationarity = fmax(v->stationarity, report->worst.stationarity);
        if (report->worst.error > error) {
            error = report->worst.error;
            worst = report->column;
        }
    }
    verdict->has_gap = chi_check_has_gap(c);
    v->gap = verdict->has_gap ? error : NAN;
    if (!(error <= c->tol + CHI_ROUNDING))
        chi_refuse(
            v, "the weights of column %lld have a %s of %.3g, which is above the tolerance of %.3g",
            (long long)worst, verdict->has_gap ? "gap" : "projected gradient", error, c->tol);
}

static ch_status check_columns(work *w, chi_arena *arena, ch_verification *v,
                               chi_columns_verdict *verdict) {
    int threads = ch_context_threads(w->context);
    const ch_matrix *X = w->check.X;
    int64_t blocks = (X->cols + BLOCK - 1) / BLOCK;
    w->space = chi_arena_alloc(arena, threads, sizeof *w->space);
    w->reports = chi_arena_alloc(arena, blocks, sizeof *w->reports);
    for (int t = 0; t < threads && w->space; t++)
        chi_check_space_create(&w->space[t], arena, X->rows, w->check.rank);
    for (int t = 0; t < threads && w->space && w->trust && w->trust->known; t++)
        chi_check_own_create(&w->space[t], arena, &w->check);
    TRY(chi_arena_status(arena, "verification"));
    chi_check_update(&w->check, 0);
    chi_prefetch_pass(w->context, X, BLOCK, 0);
    TRY(chi_parallel_until(w->context, blocks, check_block, w));
    judge_columns(v, verdict, w, blocks);
    return CH_OK;
}

ch_status chi_verify_columns(ch_context *context, ch_verification *v, chi_columns_verdict *verdict,
                             const chi_usable *usable, const ch_anchors_result *result,
                             const ch_anchors_settings *resolved) {
    chi_arena arena = {.context = context};
    chi_lift lift = {0};
    const ch_matrix *X = usable->X;
    double *weighted;
    work w = {.context = context,
              .H = result->H,
              .rank = result->rank,
              .trust = usable->trust,
              .losses = verdict->losses,
              .errors = verdict->errors};
    *verdict = (chi_columns_verdict){.losses = w.losses, .errors = w.errors};
    TRY(chi_weighted_anchors(context, &weighted, result->W, usable, result->rank));
    const double *W = weighted ? weighted : result->W;
    chi_spanning on = {.X = X, .W = W, .count = result->rank};
    ch_status status = CH_OK;
    if (chi_lifts(resolved)) {
        double unit = chi_lift_unit_of(W, X->rows, result->rank, resolved);
        status = chi_lift_columns(context, &lift, X, unit, resolved);
        if (status == CH_OK)
            status = chi_spanning_make(context, &on, &lift.X, W, result->rank, &lift);
    }
    if (status == CH_OK)
        status = chi_check_create(context, &w.check, &arena, on.X, resolved, on.count);
    w.check.W = on.W;
    w.check.rank = on.count;
    w.check.duals = result->dual_start ? result : NULL;
    w.origin = on.origin;
    if (status == CH_OK) status = check_columns(&w, &arena, v, verdict);
    chi_arena_free(&arena);
    chi_free(context, on.lifted);
    chi_lift_destroy(context, &lift);
    chi_free(context, weighted);
    return status;
}

/* ---- numbers that follow from H ------------------------------------------------------------ */

int chi_proofs_agree(double claimed, double found, double tol) {
    if (isnan(claimed) || isnan(found)) return isnan(claimed) && isnan(found);
    return claimed >= -CHI_ROUNDING && fabs(claimed - found) <= fmax(tol, CHI_ROUNDING);
}

static const char *certificate_fault(const ch_verification *v, const ch_certificate *claimed,
                                     double tol) {
    if (!chi_proofs_agree(claimed->gap, v->gap, tol)) return "gap";
    if (!chi_proofs_agree(claimed->dual_infeasibility, v->dual_infeasibility, tol))
        return "dual_infeasibility";
    if (!chi_proofs_agree(claimed->stationarity, v->stationarity, tol)) return "stationarity";
    return NULL;
}

void chi_verify_numbers(ch_verification *v, const chi_columns_verdict *verdict,
                        const ch_anchors_result *result, const ch_anchors_settings *resolved) {
    double slack = CHI_ROUNDING * verdict->scale, largest = verdict->largest;
    double claimed = result->max_residual ? result->max_residual[result->rank - 1] : NAN;
    if (resolved->loss == CH_LOSS_L2)
        claimed *= fabs(claimed); /* under l2 residuals are square roots */
    const char *fault = certificate_fault(v, &result->certificate, resolved->tol);
    if (!(v->objective <= DBL_MAX))
        chi_refuse(v, "the objective computed from X, W and H is not finite");
    else if (!(fabs(v->objective - result->objective) <= slack + 1e-9 * v->objective))
        chi_refuse(
            v,
            "the objective computed from X, W and H is %.12g, but the stored result states %.12g",
            v->objective, result->objective);
    else if (chi_method_find(resolved->method)->last_residual &&
             !(fabs(claimed - largest) <= slack + 1e-9 * largest))
        chi_refuse(
            v,
            "the largest residual computed from X, W and H differs from the last stored residual");
    else if (result->unproven < 0 || result->unproven > verdict->doubtful)
        chi_refuse(v,
                   "the stored result states %lld unproven columns, but at most %lld columns can "
                   "be unproven",
                   (long long)result->unproven, (long long)verdict->doubtful);
    else if (fault)
        chi_refuse(v,
                   "the %s of the stored certificate differs from the one computed from X, W and H",
                   fault);
}
