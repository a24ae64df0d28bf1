/* Exterior columns (Algorithm 1, step 1): a column outside the current cone, by rule. max is in
 * farthest.c, dist and greedy are in all_pairs.c; here are rand, the eager ways and the choice.
 *
 * rand draws one sequence of all columns and goes round it: the next exterior column after the one
 * used last. Interior ones are skipped, so the columns used do not depend on what was projected. */
#include "linalg/prefetch.h"
#include "xray/distances.h"

#include <math.h>

enum {
    AHEAD = 4, /* rand: columns of the sequence projected at a time */
    BLOCK = 16 /* columns of an eager block                         */
};

void chi_refresh_column(chi_run *run, int64_t j, int thread) {
    chi_distances *far = &run->far;
    chi_fit fit;
    if (chi_try_idle(run, j, thread)) return;
    int64_t known = run->lean ? 0 : far->length[j];
    chi_project_further(&run->projector, thread, &fit, chi_point(run, j, thread), j, known);
    far->bound[j] = fit.objective;
    if (chi_may_be_idle(run)) far->bound[j] = fmin(fit.objective, run->size[j]); /* b = 0 */
    chi_set_stage(run, j, CHI_CANONICAL);
}

static void refresh_block(void *user, int64_t block, int thread) {
    chi_run *run = user;
    int64_t low = block * BLOCK, high = low + BLOCK < run->X->cols ? low + BLOCK : run->X->cols;
    chi_prefetch_block(run->context, run->X, BLOCK, block);
    for (int64_t j = low; j < high; j++)
        if (run->size[j] > 0) chi_refresh_column(run, j, thread);
}

ch_status chi_refresh_all(chi_run *run) {
    if (run->far.version == run->version) return CH_OK;
    chi_prefetch_pass(run->context, run->X, BLOCK, 0);
    TRY(chi_parallel_until(run->context, (run->X->cols + BLOCK - 1) / BLOCK, refresh_block, run));
    run->far.version = run->version;
    return CH_OK;
}

/* The lowest column of this rank that ties with the largest value. */
static void offer_first(void *user, chi_offer *offer, double most) {
    const chi_run *run = user;
    int64_t cols = run->X->cols, j = 0;
    while (j < cols && !(run->far.value[j] >= most * (1 - CHI_TIE) && chi_is_candidate(run, j)))
        j++;
    offer->count = j < cols;
    if (offer->count == 0) return;
    offer->index[0] = run->spread.first + j;
    offer->value = run->far.bound[j];
}

/* The largest value among candidates, the lowest column of those that tie with it. */
static ch_status take_largest(chi_run *run) {
    chi_offer offer = {.most = -1};
    for (int64_t j = 0; j < run->X->cols; j++)
        if (chi_is_candidate(run, j) && run->far.value[j] > offer.most)
            offer.most = run->far.value[j];
    TRY(chi_argmax(run->context, &offer, CHI_TIE, 0, offer_first, run));
    run->exterior = offer.count > 0 ? offer.index[0] : -1;
    run->distance = offer.count > 0 ? offer.value : 0;
    return CH_OK;
}

/* ---- rand ---------------------------------------------------------------------------------- */

static void refresh_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    chi_refresh_column(run, run->far.batch[at], thread);
}

/* The column at a place of the sequence, if it is of this rank; else -1. */
static int64_t own_at(const chi_run *run, int64_t place) {
    return chi_distribution_local(&run->spread, run->far.sequence[place % run->spread.cols]);
}

/* A stretch of the sequence, and the place of the first candidate of this rank in it. */
typedef struct stretch {
    chi_run *run;
    int64_t low, high, place; /* high: none */
} stretch;

/* Gives the columns of the stretch their canonical values. */
static void find_candidate(stretch *s) {
    chi_run *run = s->run;
    chi_distances *far = &run->far;
    int64_t count = 0;
    for (int64_t place = s->low; run->count > 0 && place < s->high; place++) {
        int64_t j = own_at(run, place);
        if (j >= 0 && !chi_is_fresh(run, j) && run->size[j] > 0) far->batch[count++] = j;
    }
    for (int64_t at = 0; at < count; at++)
        chi_prefetch_columns(run->context, run->X, far->batch[at], far->batch[at] + 1);
    chi_parallel(run->context, count, refresh_item, run);
    for (s->place = s->low; s->place < s->high; s->place++) {
        int64_t j = own_at(run, s->place);
        if (j >= 0 && chi_is_candidate(run, j)) break;
    }
}

static void offer_place(void *user, chi_offer *offer, double most) {
    const stretch *s = user;
    (void)most; /* a place has one owner: there are no ties */
    offer->count = s->place < s->high;
    if (offer->count == 0) return;
    offer->index[0] = s->place;
    offer->value = s->run->far.bound[own_at(s->run, s->place)];
}

/* Goes on until some rank has a candidate; the first of the sequence is taken. */
static ch_status next_in_sequence(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t end = far->next + run->spread.cols, ahead = AHEAD * chi_process_count(run->context);
    if (ahead > CHI_LARGEST_BATCH) ahead = CHI_LARGEST_BATCH;
    if (run->set->eager && run->count > 0) TRY(chi_refresh_all(run));
    run->exterior = -1;
    run->distance = 0;
    for (int64_t at = far->next; at < end && run->exterior < 0; at += ahead) {
        stretch s = {.run = run, .low = at, .high = at + ahead < end ? at + ahead : end};
        find_candidate(&s);
        chi_offer first = {.most = -(double)s.place};
        TRY(chi_argmax(run->context, &first, 0, 0, offer_place, &s));
        if (first.count == 0) continue;
        run->exterior = far->sequence[first.index[0] % run->spread.cols];
        run->distance = first.value;
        far->next = (first.index[0] + 1) % run->spread.cols;
    }
    return CH_OK;
}

/* ---- the rule ------------------------------------------------------------------------------ */

ch_status chi_exterior_next(chi_run *run) {
    int max = run->set->exterior == CH_EXTERIOR_MAX, rand = run->set->exterior == CH_EXTERIOR_RAND;
    if (max && run->count > 0 && !run->set->eager) return chi_farthest(run);
    if (rand) return next_in_sequence(run);
    if (max && run->count > 0) TRY(chi_refresh_all(run)); /* else the sizes are the distances */
    if (max) return take_largest(run);
    TRY(chi_compare_all_pairs(run));
    double distance = run->distance; /* the largest objective, whichever column the rule takes */
    TRY(take_largest(run));
    run->distance = distance;
    return CH_OK;
}

void chi_exterior_pass(chi_run *run) {
    run->passed = run->version;
    int64_t own = chi_distribution_local(&run->spread, run->exterior);
    if (own < 0) return;
    if (run->far.tight[own] != run->version) run->far.stage[own] = CHI_IDLE;
    run->far.tight[own] = run->version;
    run->far.stage[own] |= CHI_PASSED;
}

void chi_exterior_forget(chi_run *run, int64_t k) {
    chi_distances *far = &run->far;
    if (chi_may_be_idle(run)) chi_idle_forget(run, k);
    if (run->set->exterior == CH_EXTERIOR_MAX) {
        chi_farthest_forget(run, k);
        return;
    }
    for (int64_t j = 0; j < run->X->cols; j++)
        if (chi_chain_ends(run, j, k)) far->length[j] = 0;
}

ch_status chi_exterior_create(chi_run *run) {
    ch_context *context = run->context;
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols, rows = run->X->rows, points = run->capacity * cols;
    int max = run->set->exterior == CH_EXTERIOR_MAX, rand = run->set->exterior == CH_EXTERIOR_RAND;
    int pairs = !max && !rand;
    int matches = max && !run->set->eager && run->measure->spread && !run->lean;
    int idle = chi_may_be_idle(run), guesses = !pairs && !run->lean;
    far->matches = matches;
    far->bound = chi_alloc(context, cols, sizeof *far->bound);
    far->value = pairs ? chi_alloc(context, cols, sizeof *far->value) : far->bound;
    far->tight = chi_alloc_zero(context, cols, sizeof *far->tight);
    far->stage = chi_alloc_zero(context, cols, sizeof *far->stage);
    far->idle = chi_alloc_zero(context, idle ? cols : 0, sizeof *far->idle);
    far->resting = chi_alloc_zero(context, idle ? cols : 0, sizeof *far->resting);
    far->guess = chi_alloc(context, guesses ? points : 0, sizeof *far->guess);
    far->length = chi_alloc_zero(context, guesses ? cols : 0, sizeof *far->length);
    far->known = chi_alloc_zero(context, matches ? cols : 0, sizeof *far->known);
    far->match = chi_alloc(context, matches ? points : 0, sizeof *far->match);
    far->products = chi_alloc(context, pairs || matches ? CHI_SCORE_MAX * cols : 0, sizeof(double));
    far->residuals = chi_alloc(context, pairs ? CHI_SCORE_MAX * rows : 0, sizeof *far->residuals);
    far->heap = chi_alloc(context, max ? 2 * cols : 0, sizeof *far->heap);
    far->sequence = chi_alloc(context, rand ? run->spread.cols : 0, sizeof *far->sequence);
    far->batch = chi_alloc(context, CHI_LARGEST_BATCH, sizeof *far->batch);
    if (!far->bound || !far->value || !far->tight || !far->stage || !far->idle || !far->resting ||
        !far->guess || !far->length || !far->match || !far->known || !far->products ||
        !far->residuals || !far->heap || !far->sequence || !far->batch)
        return chi_no_memory(context, "distances of the columns",
                             (guesses + matches) * points + 10 * cols, sizeof(double));
    chi_idle_begin(run);
    far->aside = far->heap + cols;
    for (int64_t j = 0; j < cols; j++) far->bound[j] = far->value[j] = run->norm[j];
    if (max) chi_farthest_begin(run);
    if (rand) ch_random_shuffle(&run->random, far->sequence, run->spread.cols);
    return CH_OK;
}

void chi_exterior_destroy(chi_run *run) {
    chi_distances *far = &run->far;
    chi_free(run->context, far->batch);
    chi_free(run->context, far->sequence);
    chi_free(run->context, far->heap);
    chi_free(run->context, far->residuals);
    chi_free(run->context, far->products);
    chi_free(run->context, far->known);
    chi_free(run->context, far->match);
    chi_free(run->context, far->length);
    chi_free(run->context, far->guess);
    chi_free(run->context, far->resting);
    chi_free(run->context, far->idle);
    chi_free(run->context, far->stage);
    chi_free(run->context, far->tight);
    if (far->value != far->bound) chi_free(run->context, far->value);
    chi_free(run->context, far->bound);
    *far = (chi_distances){0};
}
