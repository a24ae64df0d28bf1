/* The exterior rules max, i = argmax_k |R_k| (Algorithm 1, Eq. 3), share, i = argmax_k |R_k| /
 * |X_k|, and balanced (exterior.c), without projecting every column. The value that a rule compares
 * is called the key.
 *
 * Residuals only decrease as the cone grows, so the last known residual of a column is an upper
 * bound. A heap orders the columns by key. The columns at the top get tighter bounds, in the
 * cheapest way first, until no bound reaches the best canonical objective. The ways are:
 *
 *   - idle (l1, sparse): if no anchor helps, the distance of the column is its size
 *     (idle_columns.c). The column then leaves the heap and is tested again only when it may
 *     decide.
 *   - least squares: a few passes of coordinate descent on the Gram matrix (distance_bound.c).
 *     O(k^2), and O(m) for every anchor whose product with the column is not known yet.
 *   - residual (l1): the objective at the least squares solution. When every column is noise around
 *     the cone, as after all anchors are found, the least squares bound exceeds all distances by a
 *     quarter and cannot order them. O(m k), a tenth of a solve.
 *   - warm: the projection under the loss itself, started from the last feasible point.
 *   - canonical: the projection from a cold start. Only this value decides.
 *
 * A canonical objective may exceed the optimum, and so another solve's objective, by tol times the
 * size of the column; bounds are widened by that much. Batches and all choices depend on the data
 * alone, so the set of examined columns does not depend on the number of threads. */
#include "xray/distances.h"

#include <math.h>

/* Columns per batch, for each stage. Batches double from the first size to the last during a
 * search. The later stages have small batches, because one solve may raise the best value and make
 * the others of its batch unnecessary. A thread takes chunk_size columns of a batch at a time. */
static const int first_batch[CHI_STAGES] = {64, 8, 8, 2, 1};
static const int last_batch[CHI_STAGES] = {CHI_LARGEST_BATCH, CHI_LARGEST_BATCH, CHI_LARGEST_BATCH,
                                           8, 4};
static const int chunk_size[CHI_STAGES] = {32, 8, 8, 1, 1};
/* MANY: when more than 1 / MANY of the columns had to be tightened, all are. SLICE: columns between
 * two checks whether a pass over X is cheaper. SWEEP_CHUNK: columns of a slice that a thread takes
 * at a time. */
enum { MANY = 32, SLICE = 4096, SWEEP_CHUNK = 64 };

/* ---- tighter bounds ------------------------------------------------------------------------ */

static enum chi_stage next_stage(const chi_distances *far, int64_t j) {
    if (far->basis->projector.chain)
        return CHI_CANONICAL; /* a chain has no cheaper bound than its own steps */
    enum chi_stage next =
        far->tight[j] == far->basis->version ? (far->stage[j] & ~CHI_PASSED) + 1 : CHI_IDLE;
    if (next == CHI_IDLE && (!far->idle || far->idle[j] == CHI_NEVER_IDLE))
        next = CHI_LEAST_SQUARES;
    if (next == CHI_LEAST_SQUARES && !far->data->measure->from_l2) next = CHI_WARM;
    if (next == CHI_RESIDUAL && (far->data->measure->degree == 2 || !far->products.match))
        next = CHI_WARM;
    if (next == CHI_WARM && !far->point) next = CHI_CANONICAL; /* no point to start from */
    return next;
}

static void note_bound(chi_distances *far, int64_t j, double bound) {
    far->bound[j] = fmin(far->bound[j], bound + chi_slack(far, j));
}

/* Bounds by least squares, using only anchors whose products with the column are known. Returns
 * whether the column must be read because that bound does not exclude it. */
static int bound_unread(chi_distances *far, int64_t j, int thread) {
    const chi_basis *basis = far->basis;
    double *b = chi_point(far, j, thread), enough = chi_needed(far, j) - chi_slack(far, j),
           bound = INFINITY;
    if (!far->products.match) return 1;
    const double *c = far->products.match + j * basis->cone.capacity;
    int64_t have = chi_products_known(&far->products, j);
    if (have > 0)
        bound = chi_bound_column(&basis->projector, thread, b, c, have,
                                 far->data->survey->squares[j], enough);
    if (bound < enough || have == basis->cone.count) note_bound(far, j, bound);
    return bound >= enough && have < basis->cone.count;
}

/* Bounds by least squares with all anchors; reads the column for missing products. */
static void bound_read(chi_distances *far, int64_t j, int thread) {
    const chi_projector *projector = &far->basis->projector;
    const chi_cone *cone = projector->cone;
    const chi_worker *worker = &projector->worker[thread];
    int kept = far->products.match != NULL;
    double *b = chi_point(far, j, thread), enough = chi_needed(far, j) - chi_slack(far, j);
    double *c = kept ? far->products.match + j * cone->capacity : worker->b + 4 * cone->capacity;
    chi_match_column(projector, thread, c, j, kept ? chi_products_known(&far->products, j) : 0);
    if (kept) far->products.known[j] = (int32_t)cone->count;
    double square = kept ? far->data->survey->squares[j]
                         : chi_dot(cone->kernels, worker->value, worker->value, cone->rows);
    note_bound(far, j, chi_bound_column(projector, thread, b, c, cone->count, square, enough));
}

/* Bounds by the objective at the least squares solution. */
static void bound_solved(chi_distances *far, int64_t j, int thread) {
    const chi_projector *projector = &far->basis->projector;
    double *b = chi_point(far, j, thread);
    double *c = far->products.match + j * projector->cone->capacity;
    int64_t known = chi_products_known(&far->products, j);
    if (known < projector->cone->count) chi_match_column(projector, thread, c, j, known);
    far->products.known[j] = (int32_t)projector->cone->count;
    note_bound(far, j,
               chi_bound_residual(projector, thread, b, c, far->data->survey->squares[j], j));
}

/* Tightens the bound by the given stage, starting from the column's feasible point, which is
 * improved in place. Returns whether bound_read() is still needed. */
static int tighten(chi_distances *far, int64_t j, int thread, enum chi_stage stage) {
    chi_fit fit;
    chi_set_stage(far, j, stage);
    if (stage == CHI_LEAST_SQUARES) return bound_unread(far, j, thread);
    if (stage == CHI_RESIDUAL) {
        bound_solved(far, j, thread);
    } else if (stage == CHI_WARM) {
        chi_project_warm(&far->basis->projector, thread, &fit, chi_point(far, j, thread), j);
        note_bound(far, j, fit.objective);
    } else if (far->idle[j] < 0) {
        chi_bound_by_helper(far, j, thread);
    } else {
        chi_try_idle(far, j, thread);
    }
    return 0;
}

/* One batch of a search, all columns at the same stage. */
typedef struct search {
    chi_distances *far;
    enum chi_stage stage;
    const int64_t *list; /* columns */
    int64_t count, chunk;
    int64_t limit[CHI_STAGES]; /* size of the next batch                                */
    int64_t done[CHI_STAGES];  /* columns processed so far                              */
    double own;                /* largest canonical key of a candidate: of this process */
    double best;               /* ... and of all processes, as far as known             */
    int loose;                 /* many bounds are loose: tighten all at once            */
    int swept;                 /* all were tightened in this search                     */
    int64_t ahead;             /* columns that the sweep has not reached yet            */
    ch_status status;
} search;

static void note_value(search *s, int64_t j) {
    if (chi_is_candidate(s->far, j)) s->own = fmax(s->own, chi_key(s->far, j));
    s->best = fmax(s->best, s->own);
}

/* Returns whether the column still needs this stage. Always true in a heap batch; a sweep may also
 * hold settled columns. */
static int still_decides(const chi_distances *far, int64_t j, enum chi_stage stage) {
    return chi_key(far, j) >= far->need && far->data->role[j] != CHI_CHOSEN &&
           next_stage(far, j) == stage;
}

static void do_chunk(void *user, int64_t chunk, int thread) {
    const search *s = user;
    int64_t low = chunk * s->chunk, high = low + s->chunk, unread[SWEEP_CHUNK], count = 0;
    for (int64_t at = low; at < high && at < s->count; at++) {
        int64_t j = s->list[at];
        if (s->stage == CHI_CANONICAL)
            chi_refresh_column(s->far, j, thread);
        else if (still_decides(s->far, j, s->stage) && tighten(s->far, j, thread, s->stage))
            unread[count++] = j;
    }
    for (int64_t k = 0; k < count; k++)
        chi_prefetch_columns(s->far->context, s->far->data->spread.X, unread[k], unread[k] + 1);
    for (int64_t k = 0; k < count; k++) bound_read(s->far, unread[k], thread);
}

/* ---- batches ------------------------------------------------------------------------------- */

/* Counts the columns of the batch whose products with some anchors are missing. */
static int64_t count_unmatched(const search *s) {
    int64_t count = 0;
    if (!s->far->products.match) return 0;
    for (int64_t at = 0; s->stage == CHI_LEAST_SQUARES && at < s->count; at++)
        count += chi_products_known(&s->far->products, s->list[at]) < s->far->basis->cone.count;
    return count;
}

static ch_status do_batch(search *s) {
    chi_distances *far = s->far;
    int64_t before = count_unmatched(s);
    s->chunk = s->count > CHI_LARGEST_BATCH ? SWEEP_CHUNK : chunk_size[s->stage];
    for (int64_t at = 0; s->stage >= CHI_RESIDUAL && at < s->count; at++)
        chi_prefetch_columns(far->context, far->data->spread.X, s->list[at], s->list[at] + 1);
    TRY(chi_parallel_until(far->context, (s->count + s->chunk - 1) / s->chunk, do_chunk, s));
    int64_t read = before - count_unmatched(s);
    far->products.read += read;
    s->done[s->stage] += s->count;
    return read > 0 ? chi_products_catch_up(far, s->ahead * read / s->count) : CH_OK;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Returns an upper bound that holds for any cone: the distance from the origin. If the origin is
 * itself an anchor, the lifted row, which they share, does not count. */
static double safe_bound(const chi_distances *far, int64_t j) {
    const chi_cone *cone = &far->basis->cone;
    double lift = 0;
    if (far->data->measure->divergence) return INFINITY;
    if (far->set->hull == CH_HULL_CONVEX0 && cone->count > 0) lift = cone->A[cone->rows - 1];
    if (far->data->measure->degree == 2) lift *= lift;
    return far->data->at_zero * (far->data->size[j] - lift) + chi_slack(far, j);
}

/* Prepares a search in a new cone: columns that had canonical objectives in the last cone return
 * to the heap, with these as upper bounds. */
static void reopen(chi_distances *far) {
    if (far->version == far->basis->version) return;
    int first = far->version == 0;
    far->version = far->basis->version;
    far->products.read = 0;
    for (int64_t at = 0; first && at < far->heap.count; at++)
        far->bound[far->heap.column[at]] = safe_bound(far, far->heap.column[at]);
    if (first) chi_heap_make(far);
    for (int64_t at = 0; at < far->heap.aside_count; at++) {
        int64_t j = far->heap.aside[at];
        far->bound[j] += chi_slack(far, j);
        chi_heap_push(far, j);
    }
    far->heap.aside_count = 0;
}

/* Removes anchors from the top of the heap; they are in the cone and need no solve. */
static void set_chosen_aside(chi_distances *far) {
    while (far->heap.count > 0 && far->data->role[far->heap.column[0]] == CHI_CHOSEN)
        far->heap.aside[far->heap.aside_count++] = chi_heap_pop(far);
}

/* Takes the top columns that may still decide and are at the same stage. While no canonical
 * objective is known, the topmost column gets one at once, because it is most likely the
 * farthest. */
static void take_batch(search *s) {
    chi_distances *far = s->far;
    int64_t limit = 1;
    far->need = s->best * (1 - CHI_TIE);
    s->list = far->batch;
    for (s->count = 0; s->count < limit; s->count++) {
        set_chosen_aside(s->far);
        if (far->heap.count == 0) return;
        int64_t top = far->heap.column[0];
        enum chi_stage next = next_stage(s->far, top);
        if (s->best == 0 && next > CHI_IDLE) next = CHI_CANONICAL;
        if (chi_key(far, top) < far->need || (s->count > 0 && next != s->stage)) return;
        s->stage = next;
        limit = s->limit[next];
        far->batch[s->count] = chi_heap_pop(far);
    }
    if (s->count == limit && 2 * limit <= last_batch[s->stage]) s->limit[s->stage] = 2 * limit;
}

/* Columns with canonical objectives leave the heap: idle ones rest, others are set aside. The rest
 * of the batch returns to the heap. */
static void sort_out(search *s) {
    chi_distances *far = s->far;
    for (int64_t at = 0; at < s->count; at++) {
        int64_t j = far->batch[at];
        if (!chi_is_fresh(s->far, j)) {
            chi_heap_push(far, j);
            continue;
        }
        int rests = s->far->idle && far->idle[j] == s->far->basis->cone.count;
        if (s->far->idle) far->resting[j] = (unsigned char)rests;
        if (!rests) far->heap.aside[far->heap.aside_count++] = j;
        note_value(s, j);
    }
}

/* Returns the lowest column that ties with the best, or -1 if there is none. *woken is set if a
 * resting column returned to the heap that may still be farther. */
static int64_t lowest_at_best(search *s, int *woken) {
    chi_distances *far = s->far;
    int64_t found = far->data->spread.X->cols;
    *woken = 0;
    for (int64_t at = 0; at < far->heap.aside_count; at++) {
        int64_t j = far->heap.aside[at];
        if (j < found && chi_key(far, j) >= far->need && chi_is_candidate(far, j)) found = j;
    }
    found = chi_rest_lowest(far, found, woken);
    return found < far->data->spread.X->cols ? found : -1;
}

/* ---- all columns at once ------------------------------------------------------------------- */

/* Used when many bounds are loose, as for the first anchor and after one was removed. All columns
 * that may still decide are tightened in parallel, and the heap is rebuilt, which costs less than
 * popping and pushing them one by one. */
static ch_status tighten_all(search *s) {
    chi_distances *far = s->far;
    s->swept = 1;
    s->loose = 0;
    far->need = s->best * (1 - CHI_TIE);
    if (far->heap.count == 0 || s->far->idle) return CH_OK;
    s->stage = CHI_LEAST_SQUARES;
    chi_heap_order(s->far);
    for (int64_t low = 0; low < far->heap.count; low += SLICE) {
        s->list = far->heap.column + low;
        s->count = far->heap.count - low < SLICE ? far->heap.count - low : SLICE;
        s->ahead = far->heap.count - low - s->count;
        TRY(do_batch(s));
    }
    s->ahead = 0;
    chi_heap_make(far);
    return CH_OK;
}

static ch_status next_batch(search *s) {
    take_batch(s);
    if (s->count == 0) return CH_OK;
    TRY(do_batch(s));
    sort_out(s);
    s->loose = !s->swept && s->done[CHI_LEAST_SQUARES] > s->far->heap.count / MANY;
    return CH_OK;
}

/* Runs batches until no bound reaches the best value. */
static ch_status empty_heap(search *s) {
    do {
        TRY(next_batch(s));
        if (s->loose) TRY(tighten_all(s));
    } while (s->count > 0);
    return CH_OK;
}

/* One round of this process. It ends when a batch contained solves, because values of other
 * processes may make further solves unnecessary, or when a sweep is needed. */
static ch_status do_round(search *s, int sweep) {
    if (sweep && !s->swept) TRY(tighten_all(s));
    do TRY(next_batch(s));
    while (s->count > 0 && s->stage < CHI_WARM && !s->loose);
    return CH_OK;
}

/* Collective: makes rounds until no process has a bound that reaches the best value of all. If one
 * process needs a sweep, all sweep: the others would wait meanwhile and most likely need one
 * later. */
static ch_status empty_heaps(search *s) {
    typedef struct report {
        double best;
        int32_t busy, loose;
        int64_t failed;
    } report;
    int failed = 0;
    if (chi_process_count(s->far->context) == 1) return empty_heap(s);
    for (int busy = 1, loose = 0; busy && !failed;) {
        s->status = do_round(s, loose);
        report own = {s->best, s->count > 0, s->loose != 0, s->status < 0};
        const report *all = chi_share(s->far->context, &own, sizeof own);
        if (!all) return CH_ERR_IO;
        busy = loose = 0;
        for (int r = 0; r < chi_process_count(s->far->context); r++) {
            s->best = fmax(s->best, all[r].best);
            busy |= all[r].busy;
            loose |= all[r].loose;
            failed |= all[r].failed;
        }
    }
    return failed ? ch_comm_agree(s->far->context, s->status) : CH_OK;
}

/* Offers the lowest column of this process that ties with `most`. */
static void offer_lowest(void *user, chi_offer *offer, double most) {
    search *s = user;
    int64_t found = -1;
    offer->count = 0;
    if (most < s->best * (1 - CHI_TIE)) return; /* another process has a farther column */
    s->best = fmax(s->best, most);
    for (int more = 1; more && s->status >= 0; found = lowest_at_best(s, &more))
        s->status = empty_heap(s);
    if (found < 0) return;
    offer->count = 1;
    offer->index[0] = s->far->data->spread.first + found;
    offer->value = s->far->bound[found];
}

/* With several processes, each searches its columns against the best value of all; then the
 * farthest columns of the processes are compared. */
ch_status chi_farthest(chi_distances *far) {
    search s = {.far = far, .best = far->least > 0 ? far->least * (1 - CHI_TIE) : 0};
    for (int stage = 0; stage < CHI_STAGES; stage++) s.limit[stage] = first_batch[stage];
    reopen(far);
    for (int64_t at = 0; at < far->heap.aside_count; at++) /* from an earlier search in this cone */
        note_value(&s, far->heap.aside[at]);
    int64_t resting = chi_rest_farthest(far);
    if (resting >= 0) note_value(&s, resting);
    TRY(empty_heaps(&s));
    chi_offer offer = {.most = s.own};
    TRY(chi_argmax(far->context, &offer, CHI_TIE, 0, offer_lowest, &s));
    far->exterior = offer.count > 0 ? offer.index[0] : -1;
    far->distance = offer.count > 0 ? offer.value : 0;
    far->key = offer.most;
    chi_log(far->context, CH_LOG_DEBUG,
            "statistics with %lld anchors: %lld columns were bounded by least squares (%lld were "
            "read), %lld by residuals, %lld were solved from a warm start, and %lld were projected",
            (long long)far->basis->cone.count, (long long)s.done[CHI_LEAST_SQUARES],
            (long long)far->products.read, (long long)s.done[CHI_RESIDUAL],
            (long long)s.done[CHI_WARM], (long long)s.done[CHI_CANONICAL]);
    return s.status;
}

void chi_farthest_begin(chi_distances *far) {
    for (int64_t j = 0; j < far->data->points; j++)
        if (far->data->size[j] > 0 && far->data->role[j] != CHI_FAINT)
            far->heap.column[far->heap.count++] = j;
    chi_heap_make(far);
}

/* Discards the bound if it depends on anchor k, and removes entry k from the point. If the column
 * has a chain that must restart, its bound is discarded too: without a length it is unknown which
 * anchors the bound depends on, and more anchors may be removed. */
static void forget_point(chi_distances *far, int64_t j, int64_t k) {
    int anew = chi_chain_ends(far, j, k);
    if (far->length[j] == 0 || (!anew && far->length[j] <= k)) return;
    far->bound[j] = safe_bound(far, j);
    if (!anew) /* the point is still feasible */
        chi_drop_entry(far->point + j * far->basis->cone.capacity, k, far->length[j]);
    far->length[j] = anew ? 0 : far->length[j] - 1;
}

void chi_farthest_forget(chi_distances *far, int64_t k) {
    if (far->products.match) chi_products_forget(far, k);
    for (int64_t j = 0; j < far->data->spread.X->cols; j++) {
        if (!far->point)
            far->bound[j] = safe_bound(far, j);
        else
            forget_point(far, j, k);
    }
    for (int64_t at = 0; at < far->heap.aside_count; at++)
        far->heap.column[far->heap.count++] = far->heap.aside[at];
    far->heap.aside_count = 0;
    chi_heap_make(far);
}
