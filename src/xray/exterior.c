/* Exterior columns (Algorithm 1, step 1): finds a column outside the current cone by the rule of
 * the settings. The rules max, share and balanced are in farthest.c, dist and greedy in
 * all_pairs.c. This file has rand, the eager variants of the first three, and the dispatch.
 *
 * share takes argmax_k |R_k| / |X_k|. Any column outside the cone may be used, and with this rule
 * the result does not depend on the scaling of the columns. Before the first anchor this ratio is
 * the same for all columns, so the first is taken; on a hull, where scale matters, the largest is
 * taken, as by max.
 *
 * balanced takes argmax_k |R_k| / max(|X_k|, s), where s is the median of the sizes of the columns.
 * Noise that adds to a column raises its residual and its size, so under max a column may be taken
 * for its noise alone; under share a small column may be taken for the noise that is large relative
 * to it. Here columns above the median are compared as by share and the others as by max. The
 * median is the one size of the data that neither the dark half of the columns nor the bright half
 * determines alone, and it has the unit of the data, on which the choice then does not depend.
 * Before the first anchor the first column of at least this size is taken.
 *
 * rand draws one random order of all columns and cycles through it: it takes the next exterior
 * column after the last one used and skips interior ones. So the choice does not depend on which
 * columns happened to be projected before. */
#include "xray/distances.h"
#include "xray/xray.h"

#include <math.h>

enum {
    AHEAD = 4, /* rand: columns of the sequence projected at a time */
    BLOCK = 16 /* eager: columns that a thread takes at a time     */
};

void chi_refresh_column(chi_distances *far, int64_t j, int thread) {
    chi_fit fit;
    if (chi_try_idle(far, j, thread)) return;
    int64_t known = far->point ? far->length[j] : 0;
    chi_project_further(&far->basis->projector, thread, &fit, chi_point(far, j, thread), j, known);
    far->bound[j] = fit.objective;
    if (far->idle) far->bound[j] = fmin(fit.objective, chi_at_zero(far->data, j)); /* at b = 0 */
    chi_set_stage(far, j, CHI_CANONICAL);
}

static void refresh_block(void *user, int64_t block, int thread) {
    chi_distances *far = user;
    const ch_matrix *X = far->data->spread.X;
    int64_t low = block * BLOCK, high = low + BLOCK < X->cols ? low + BLOCK : X->cols;
    chi_prefetch_block(far->context, X, BLOCK, block);
    for (int64_t j = low; j < high; j++)
        if (far->data->size[j] > 0) chi_refresh_column(far, j, thread);
}

/* Computes the canonical objectives of all columns, unless they are known for this cone. */
static ch_status refresh_all(chi_distances *far) {
    const ch_matrix *X = far->data->spread.X;
    if (far->version == far->basis->version) return CH_OK;
    chi_prefetch_pass(far->context, X, BLOCK, 0);
    TRY(chi_parallel_until(far->context, (X->cols + BLOCK - 1) / BLOCK, refresh_block, far));
    far->version = far->basis->version;
    return CH_OK;
}

/* ---- the largest value --------------------------------------------------------------------- */

typedef struct contest {
    const chi_distances *far;
    const double *value; /* values to compare, per column; NULL: the keys */
} contest;

static double compared(const contest *c, int64_t j) {
    return c->value ? c->value[j] : chi_key(c->far, j);
}

/* Finds the lowest column of this process that ties with the largest value. */
static void offer_first(void *user, chi_offer *offer, double most) {
    const contest *c = user;
    const chi_distribution *spread = &c->far->data->spread;
    int64_t cols = spread->X->cols, j = 0;
    while (j < cols && !(compared(c, j) >= most * (1 - CHI_TIE) && chi_is_candidate(c->far, j)))
        j++;
    offer->count = j < cols;
    if (offer->count == 0) return;
    offer->index[0] = spread->first + j;
    offer->value = c->far->bound[j];
}

/* Takes the candidate with the largest value; of those that tie, the lowest column. */
static ch_status take_largest(chi_distances *far, const double *value) {
    contest c = {far, value};
    chi_offer offer = {.most = -1};
    for (int64_t j = 0; j < far->data->spread.X->cols; j++)
        if (chi_is_candidate(far, j)) offer.most = fmax(offer.most, compared(&c, j));
    TRY(chi_argmax(far->context, &offer, CHI_TIE, 0, offer_first, &c));
    far->exterior = offer.count > 0 ? offer.index[0] : -1;
    far->distance = offer.count > 0 ? offer.value : 0;
    return CH_OK;
}

/* ---- rand ---------------------------------------------------------------------------------- */

static void refresh_item(void *user, int64_t at, int thread) {
    chi_distances *far = user;
    chi_refresh_column(far, far->batch[at], thread);
}

/* Returns the column at a place of the sequence if this process holds it, else -1. */
static int64_t own_at(const chi_distances *far, int64_t place) {
    const chi_distribution *spread = &far->data->spread;
    return chi_distribution_local(spread, far->sequence[place % spread->cols]);
}

/* A range of the sequence, and the place of this process's first candidate in it. */
typedef struct stretch {
    chi_distances *far;
    int64_t low, high, place; /* place = high: none */
} stretch;

/* Computes canonical objectives for the columns of the range and finds its first candidate. */
static void find_candidate(stretch *s) {
    chi_distances *far = s->far;
    int64_t count = 0;
    for (int64_t place = s->low; far->basis->cone.count > 0 && place < s->high; place++) {
        int64_t j = own_at(far, place);
        if (j >= 0 && !chi_is_fresh(far, j) && far->data->size[j] > 0) far->batch[count++] = j;
    }
    for (int64_t at = 0; at < count; at++)
        chi_prefetch_columns(far->context, far->data->spread.X, far->batch[at], far->batch[at] + 1);
    chi_parallel(far->context, count, refresh_item, far);
    for (s->place = s->low; s->place < s->high; s->place++) {
        int64_t j = own_at(far, s->place);
        if (j >= 0 && chi_is_candidate(far, j)) break;
    }
}

static void offer_place(void *user, chi_offer *offer, double most) {
    const stretch *s = user;
    (void)most; /* one process holds the column of a place: there are no ties */
    offer->count = s->place < s->high;
    if (offer->count == 0) return;
    offer->index[0] = s->place;
    offer->value = s->far->bound[own_at(s->far, s->place)];
}

/* Examines ranges of the sequence until some process has a candidate. Takes the first candidate in
 * the sequence. */
static ch_status next_in_sequence(chi_distances *far) {
    int64_t cols = far->data->spread.cols, end = far->next + cols;
    int64_t ahead = AHEAD * chi_process_count(far->context);
    if (ahead > CHI_LARGEST_BATCH) ahead = CHI_LARGEST_BATCH;
    if (far->set->eager && far->basis->cone.count > 0) TRY(refresh_all(far));
    far->exterior = -1;
    far->distance = 0;
    for (int64_t at = far->next; at < end && far->exterior < 0; at += ahead) {
        stretch s = {.far = far, .low = at, .high = at + ahead < end ? at + ahead : end};
        find_candidate(&s);
        chi_offer first = {.most = -(double)s.place};
        TRY(chi_argmax(far->context, &first, 0, 0, offer_place, &s));
        if (first.count == 0) continue;
        far->exterior = far->sequence[first.index[0] % cols];
        far->distance = first.value;
        far->next = (first.index[0] + 1) % cols;
    }
    return CH_OK;
}

/* ---- the rule ------------------------------------------------------------------------------ */

ch_status chi_exterior_next(chi_distances *far) {
    int rule = far->set->exterior, anchors = far->basis->cone.count > 0;
    if (rule == CH_EXTERIOR_RAND) return next_in_sequence(far);
    if (chi_by_distance(far->set)) {
        if (anchors && !far->set->eager) return chi_farthest(far);
        if (anchors) TRY(refresh_all(far)); /* without anchors, distances follow from sizes */
        return take_largest(far, anchors || !far->set->hull ? NULL : far->bound);
    }
    TRY(chi_compare_all_pairs(far));
    double distance = far->distance; /* report the largest objective, not that of i */
    TRY(take_largest(far, far->reach));
    far->distance = distance;
    return CH_OK;
}

void chi_exterior_pass(chi_distances *far) {
    int64_t own = chi_distribution_local(&far->data->spread, far->exterior);
    far->passed = far->basis->version;
    if (own >= 0) chi_pass_column(far, own);
}

void chi_exterior_forget(chi_distances *far, int64_t k) {
    if (far->idle) chi_idle_forget(far, k);
    if (chi_by_distance(far->set)) chi_farthest_forget(far, k);
    for (int64_t j = 0; far->set->exterior == CH_EXTERIOR_RAND && j < far->data->spread.X->cols;
         j++)
        if (chi_chain_ends(far, j, k)) far->length[j] = 0;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static ch_status allocate(chi_run *run) {
    chi_arena *arena = &run->arena;
    chi_distances *far = &run->far;
    const ch_matrix *X = run->data.spread.X;
    int64_t cols = X->cols, points = run->basis.cone.capacity * cols;
    int max = chi_by_distance(run->set), rand = run->set->exterior == CH_EXTERIOR_RAND;
    int lean = chi_is_lean(run->context, X, run->set);
    int matches = max && !run->set->eager && run->data.measure->from_l2 && !lean;
    far->bound = chi_arena_doubles(arena, cols);
    far->tight = chi_arena_alloc_zero(arena, cols, sizeof *far->tight);
    far->stage = chi_arena_alloc_zero(arena, cols, sizeof *far->stage);
    far->batch = chi_arena_alloc(arena, CHI_LARGEST_BATCH, sizeof *far->batch);
    if (chi_has_idle(far)) {
        far->idle = chi_arena_alloc_zero(arena, cols, sizeof *far->idle);
        far->resting = chi_arena_alloc_zero(arena, cols, sizeof *far->resting);
    }
    if ((max || rand) && !lean) {
        far->point = chi_arena_doubles(arena, points);
        far->length = chi_arena_alloc_zero(arena, cols, sizeof *far->length);
    }
    if (matches) {
        far->products.known = chi_arena_alloc_zero(arena, cols, sizeof *far->products.known);
        far->products.match = chi_arena_doubles(arena, points);
    }
    if (max) {
        far->heap.column = chi_arena_alloc(arena, cols, sizeof *far->heap.column);
        far->heap.aside = chi_arena_alloc(arena, cols, sizeof *far->heap.aside);
    }
    if (rand) far->sequence = chi_arena_alloc(arena, run->data.spread.cols, sizeof(int64_t));
    if (!rand && (!max || matches)) far->pass = chi_arena_doubles(arena, CHI_SCORE_MAX * cols);
    if (!rand && !max) {
        far->residuals = chi_arena_doubles(arena, CHI_SCORE_MAX * X->rows);
        far->reach = chi_arena_doubles(arena, cols);
        far->gain = chi_arena_doubles(arena, cols);
    }
    return chi_arena_status(arena, "distances of the columns");
}

/* Collective: sets far->least_size to the median of the own sizes of the data points. Columns that
 * are empty or faint do not count: they are never exterior columns. sizes is space for a number per
 * column. */
static ch_status find_least_size(chi_distances *far, double *sizes) {
    const chi_data *data = far->data;
    for (int64_t j = 0; j < data->points; j++) {
        int counts = data->role[j] != CHI_EMPTY && data->role[j] != CHI_FAINT;
        sizes[j] = counts ? chi_own_size(far, j) : 0;
    }
    return chi_sums_quantile(far->context, &far->least_size, sizes, data->points, 0.5);
}

ch_status chi_exterior_create(chi_run *run) {
    chi_distances *far = &run->far;
    far->context = run->context;
    far->set = run->set;
    far->data = &run->data;
    far->basis = &run->basis;
    TRY(allocate(run));
    TRY(chi_measure_columns(run, &run->data, far->bound));
    far->lift = chi_size_of_lift(run);
    if (run->set->exterior == CH_EXTERIOR_BALANCED) TRY(find_least_size(far, run->rays.score));
    if (far->idle) chi_idle_begin(far);
    if (far->reach)
        memcpy(far->reach, far->bound, (size_t)run->data.spread.X->cols * sizeof *far->reach);
    if (far->heap.column) chi_farthest_begin(far);
    if (far->sequence) ch_random_shuffle(&run->random, far->sequence, run->data.spread.cols);
    return CH_OK;
}
