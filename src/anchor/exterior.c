/* Exterior columns (Algorithm 1, step 1): a column outside the current cone, by rule.
 *
 *     max     i = argmax_k |R_k|
 *     rand    the next exterior column of a sequence drawn once
 *     dist    i = argmax_k |(R_k'X)_+|_2          (l2; XRAY paper)
 *     greedy  no single column; j = argmax_j |(R'X_j)_+|^2 / |X_j|^2      (l2; XRAY paper)
 *
 * For max, residuals only fall as the cone grows, so the last known one is an upper bound. Columns
 * stand in a heap by bound; the topmost are tightened by a warm start, then projected canonically,
 * until no bound reaches the best canonical value. A canonical value may exceed the optimum by tol
 * times the column's size, and so may exceed a bound that another solve gave: bounds are that much
 * looser than what they were made from. Batches have a fixed size, so the columns looked at do not
 * depend on the threads.
 *
 * dist and greedy use all residuals and cost n columns projected and n / 4 passes over X a step. */
#include "anchor/anchor.h"

#include <math.h>
#include <string.h>

/* What may be done to a column whose bound reaches the best value, cheapest first, and how many
 * columns at a time: a solve made while another would have raised the best value is in vain. */
enum { LEAST_SQUARES, WARM, CANONICAL, STAGES };
static const int batch_size[STAGES] = {256, 4, 4};

enum {
    LARGEST_BATCH = 256,
    AHEAD = 4, /* rand: columns of the sequence projected at a time                         */
    BLOCK = 16 /* columns of an eager block                                                 */
};

/* ---- the heap ------------------------------------------------------------------------------ */

static int above(const chi_distances *far, int64_t a, int64_t b) {
    return far->bound[a] > far->bound[b] || (far->bound[a] == far->bound[b] && a < b);
}

static void sift_down(chi_distances *far, int64_t at) {
    int64_t *heap = far->heap, moving = heap[at];
    for (int64_t child; (child = 2 * at + 1) < far->heap_count; at = child) {
        if (child + 1 < far->heap_count && above(far, heap[child + 1], heap[child])) child++;
        if (!above(far, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void push(chi_distances *far, int64_t column) {
    int64_t *heap = far->heap, at = far->heap_count++;
    for (; at > 0 && above(far, column, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = column;
}

static int64_t pop(chi_distances *far) {
    int64_t top = far->heap[0];
    far->heap[0] = far->heap[--far->heap_count];
    if (far->heap_count > 0) sift_down(far, 0);
    return top;
}

static void heapify(chi_distances *far) {
    for (int64_t at = far->heap_count / 2 - 1; at >= 0; at--) sift_down(far, at);
}

/* ---- what is known of a column ------------------------------------------------------------- */

/* By how much a canonical objective may exceed another feasible one. */
static double slack(const chi_run *run, int64_t j) {
    return (run->set->tol + CHI_TIE) * run->size[j];
}

/* Is the column, with its canonical objective known, outside the cone? */
static int is_exterior(const chi_run *run, int64_t j) {
    return run->count == 0 ? run->size[j] > 0 : run->far.bound[j] > run->inside * run->size[j];
}

static int is_candidate(const chi_run *run, int64_t j) {
    return run->far.passed[j] != run->version && is_exterior(run, j);
}

static void project_exactly(chi_run *run, int64_t j, int thread) {
    chi_distances *far = &run->far;
    chi_fit fit;
    chi_project_further(&run->projector, thread, &fit, far->guess + j * run->capacity, j,
                        far->length[j]);
    far->length[j] = (int32_t)run->count;
    far->bound[j] = fit.objective;
    far->fresh[j] = run->version;
}

static int next_stage(const chi_run *run, int64_t j) {
    const chi_distances *far = &run->far;
    if (run->projector.chain) return CANONICAL; /* only the chain itself bounds the chain */
    if (far->tight[j] == run->version) return far->stage[j] + 1;
    return run->measure->spread ? LEAST_SQUARES : WARM;
}

/* A smaller bound from the last feasible point, which becomes a better one. */
static void tighten(chi_run *run, int64_t j, int thread, int stage) {
    chi_distances *far = &run->far;
    double *b = far->guess + j * run->capacity, bound;
    for (int64_t k = far->length[j]; k < run->count; k++) b[k] = 0;
    far->length[j] = (int32_t)run->count;
    if (stage == LEAST_SQUARES) {
        bound = chi_bound_column(&run->projector, thread, b, j, far->need - slack(run, j));
    } else {
        chi_fit fit;
        chi_project_warm(&run->projector, thread, &fit, b, j);
        bound = fit.objective;
    }
    far->bound[j] = fmin(far->bound[j], bound + slack(run, j));
    far->tight[j] = run->version;
    far->stage[j] = stage;
}

/* ---- all columns, or a batch of them, on the threads --------------------------------------- */

static void project_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    project_exactly(run, run->far.batch[at], thread);
}

static void least_squares_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    tighten(run, run->far.batch[at], thread, LEAST_SQUARES);
}

static void warm_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    tighten(run, run->far.batch[at], thread, WARM);
}

static const chi_body stage_item[STAGES] = {least_squares_item, warm_item, project_item};

static void project_block(void *user, int64_t block, int thread) {
    chi_run *run = user;
    int64_t low = block * BLOCK, high = low + BLOCK < run->X->cols ? low + BLOCK : run->X->cols;
    for (int64_t j = low; j < high; j++)
        if (run->size[j] > 0) project_exactly(run, j, thread);
}

static void project_every_column(chi_run *run) {
    if (run->far.version == run->version) return;
    run->far.version = run->version;
    chi_parallel(run->context, (run->X->cols + BLOCK - 1) / BLOCK, project_block, run);
}

/* ---- max ----------------------------------------------------------------------------------- */

/* The largest value among candidates of the list (NULL: all columns), the lowest index of those
 * that tie with it; -1: none. */
static int64_t largest(const chi_run *run, const int64_t *list, int64_t count) {
    double most = -1;
    int64_t found = -1;
    for (int64_t at = 0; at < count; at++) {
        int64_t j = list ? list[at] : at;
        if (is_candidate(run, j)) most = fmax(most, run->far.value[j]);
    }
    for (int64_t at = 0; at < count; at++) {
        int64_t j = list ? list[at] : at;
        int ties = run->far.value[j] >= most * (1 - CHI_TIE) && is_candidate(run, j);
        if (ties && (found < 0 || j < found)) found = j;
    }
    return found;
}

/* An upper bound for any cone. */
static double safe_bound(const chi_run *run, int64_t j) {
    return run->measure->divergence ? INFINITY : run->size[j] + slack(run, j);
}

/* A new cone: fresh columns of the last one go back among the others, as bounds. */
static void reopen(chi_run *run) {
    chi_distances *far = &run->far;
    if (far->version == run->version) return;
    int first = far->version == 0;
    far->version = run->version;
    for (int64_t at = 0; first && at < far->heap_count; at++)
        far->bound[far->heap[at]] = safe_bound(run, far->heap[at]);
    if (first) heapify(far);
    for (int64_t at = 0; at < far->aside_count; at++) {
        int64_t j = far->aside[at];
        far->bound[j] += slack(run, j);
        push(far, j);
    }
    far->aside_count = 0;
}

/* Takes the topmost columns that may still decide and are at the same stage. */
static int64_t take_batch(chi_run *run, int *stage) {
    chi_distances *far = &run->far;
    int64_t count = 0, limit = 1;
    while (count < limit && far->heap_count > 0) {
        int64_t top = far->heap[0];
        int next = next_stage(run, top);
        if (far->bound[top] < far->need || (count > 0 && next != *stage)) break;
        *stage = next;
        limit = batch_size[next];
        far->batch[count++] = pop(far);
    }
    return count;
}

static int64_t farthest_lazily(chi_run *run) {
    chi_distances *far = &run->far;
    int stage = 0;
    reopen(run);
    int64_t found = largest(run, far->aside, far->aside_count);
    double best = found < 0 ? 0 : far->bound[found];
    far->need = best * (1 - CHI_TIE);
    for (int64_t count; (count = take_batch(run, &stage)) > 0;) {
        chi_parallel(run->context, count, stage_item[stage], run);
        for (int64_t at = 0; at < count; at++) {
            int64_t j = far->batch[at];
            if (stage != CANONICAL) {
                push(far, j);
                continue;
            }
            far->aside[far->aside_count++] = j;
            if (is_candidate(run, j)) best = fmax(best, far->bound[j]);
        }
        far->need = best * (1 - CHI_TIE);
    }
    return largest(run, far->aside, far->aside_count);
}

static int64_t farthest(chi_run *run) {
    if (run->count > 0 && !run->set->eager) return farthest_lazily(run);
    if (run->count > 0) project_every_column(run); /* else the sizes are the distances */
    return largest(run, NULL, run->X->cols);
}

/* ---- rand ---------------------------------------------------------------------------------- */

/* Canonical values for the next columns of the sequence that have none, from place `at` on. */
static void project_ahead(chi_run *run, int64_t at) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols, count = 0;
    for (int64_t ahead = 0; ahead < AHEAD && ahead < cols; ahead++) {
        int64_t j = far->sequence[(at + ahead) % cols];
        if (far->fresh[j] != run->version && run->size[j] > 0) far->batch[count++] = j;
    }
    chi_parallel(run->context, count, project_item, run);
}

static int64_t next_in_sequence(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    if (run->set->eager && run->count > 0) project_every_column(run);
    for (int64_t step = 0; step < cols; step++) {
        int64_t at = (far->next + step) % cols, j = far->sequence[at];
        if (run->count > 0 && far->fresh[j] != run->version && run->size[j] > 0)
            project_ahead(run, at);
        if (!is_candidate(run, j)) continue;
        far->next = (at + 1) % cols;
        return j;
    }
    return -1;
}

/* ---- dist and greedy ----------------------------------------------------------------------- */

static void residual_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    chi_fit fit;
    int64_t j = run->far.batch[at];
    chi_project_column(&run->projector, thread, &fit, run->far.guess + j * run->capacity,
                       run->far.residuals + at * run->X->rows, j);
    run->far.bound[j] = fit.objective;
    run->far.fresh[j] = run->version;
}

/* For count exterior columns: value_k = |(R_k'X)_+|^2, and pull_j += sum_k (R_k'X_j)_+^2. */
static ch_status add_products(chi_run *run, const int64_t *list, int count, double *pull) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    TRY(chi_score(run->context, far->products, run->X, far->residuals, count));
    for (int k = 0; k < count; k++) {
        double sum = 0;
        if (!is_exterior(run, list[k])) continue;
        for (int64_t j = 0; j < cols; j++) {
            double product = fmax(0, far->products[k * cols + j]);
            sum += product * product;
            pull[j] += product * product;
        }
        far->value[list[k]] = sum;
    }
    return CH_OK;
}

/* All residuals against all columns; run->score receives greedy's criterion. */
static ch_status compare_all_pairs(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    if (far->version == run->version) return CH_OK;
    far->version = run->version;
    run->distance = 0;
    memset(run->score, 0, (size_t)cols * sizeof *run->score);
    for (int64_t j = 0; j < cols;) {
        int count = 0;
        for (; j < cols && count < CHI_SCORE_MAX; j++)
            if (run->size[j] > 0) far->batch[count++] = j;
        if (count == 0) break;
        chi_parallel(run->context, count, residual_item, run);
        for (int k = 0; k < count; k++)
            run->distance = fmax(run->distance, far->bound[far->batch[k]]);
        TRY(add_products(run, far->batch, count, run->score));
    }
    for (int64_t j = 0; j < cols; j++)
        if (run->size[j] > 0) run->score[j] /= run->size[j];
    return CH_OK;
}

/* ---- the rule ------------------------------------------------------------------------------ */

ch_status chi_exterior_next(chi_run *run) {
    int64_t j = -1;
    switch (run->set->exterior) {
    case CH_EXTERIOR_MAX:
        j = farthest(run);
        break;
    case CH_EXTERIOR_RAND:
        j = next_in_sequence(run);
        break;
    default:
        TRY(compare_all_pairs(run));
        j = largest(run, NULL, run->X->cols);
        break;
    }
    run->exterior = j;
    if (run->set->exterior <= CH_EXTERIOR_RAND) run->distance = j < 0 ? 0 : run->far.bound[j];
    return CH_OK;
}

void chi_exterior_pass(chi_run *run) {
    run->far.passed[run->exterior] = run->version;
}

/* The stored points lose entry k and stay feasible; the bounds that rested on it go. Of a chain
 * only what came before is left, and what it was there is not known any more. */
void chi_exterior_forget(chi_run *run, int64_t k) {
    chi_distances *far = &run->far;
    for (int64_t j = 0; j < run->X->cols; j++) {
        if (far->length[j] <= k) continue;
        double *b = far->guess + j * run->capacity;
        memmove(b + k, b + k + 1, (size_t)(far->length[j] - k - 1) * sizeof *b);
        far->length[j] = run->projector.chain ? 0 : far->length[j] - 1;
        far->bound[j] = safe_bound(run, j);
    }
    for (int64_t at = 0; at < far->aside_count; at++) far->heap[far->heap_count++] = far->aside[at];
    far->aside_count = 0;
    heapify(far);
}

ch_status chi_exterior_create(chi_run *run) {
    ch_context *context = run->context;
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols, rows = run->X->rows;
    int pairs = run->set->exterior >= CH_EXTERIOR_DIST;
    int sequence = run->set->exterior == CH_EXTERIOR_RAND;
    far->bound = chi_alloc(context, cols, sizeof *far->bound);
    far->value = pairs ? chi_alloc(context, cols, sizeof *far->value) : far->bound;
    far->fresh = chi_alloc_zero(context, 5 * cols, sizeof *far->fresh);
    far->guess = chi_alloc(context, run->capacity * cols, sizeof *far->guess);
    far->heap = chi_alloc(context, 2 * cols, sizeof *far->heap);
    far->sequence = chi_alloc(context, sequence ? cols : 0, sizeof *far->sequence);
    far->residuals = chi_alloc(context, pairs ? CHI_SCORE_MAX * rows : 0, sizeof(double));
    far->products = chi_alloc(context, pairs ? CHI_SCORE_MAX * cols : 0, sizeof(double));
    far->batch = chi_alloc(context, LARGEST_BATCH, sizeof *far->batch);
    if (!far->batch || !far->bound || !far->value || !far->fresh || !far->guess || !far->heap ||
        !far->sequence || !far->residuals || !far->products)
        return chi_no_memory(context, "distances of the columns", (run->capacity + 6) * cols,
                             sizeof(double));
    far->tight = far->fresh + cols;
    far->passed = far->tight + cols;
    far->length = far->passed + cols;
    far->stage = far->length + cols;
    far->aside = far->heap + cols;
    for (int64_t j = 0; j < cols; j++) {
        far->bound[j] = run->norm[j];
        far->value[j] = run->norm[j];
        if (run->size[j] > 0) far->heap[far->heap_count++] = j;
    }
    heapify(far);
    if (sequence) ch_random_shuffle(&run->random, far->sequence, cols);
    return CH_OK;
}

void chi_exterior_destroy(chi_run *run) {
    chi_distances *far = &run->far;
    chi_free(run->context, far->batch);
    chi_free(run->context, far->products);
    chi_free(run->context, far->residuals);
    chi_free(run->context, far->sequence);
    chi_free(run->context, far->heap);
    chi_free(run->context, far->guess);
    chi_free(run->context, far->fresh);
    if (far->value != far->bound) chi_free(run->context, far->value);
    chi_free(run->context, far->bound);
    *far = (chi_distances){0};
}
