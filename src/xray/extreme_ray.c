/* Extreme rays from one direction d (paper, Eq. 4 and Remark 2):
 *
 *     j* = argmax_j  <d, X_j> / <p, X_j>
 *
 * A unique maximiser is an anchor. Two that tie are both anchors. More than two lie on a face of
 * the cone of the data, whose anchors are found by Algorithm 1 on that subset alone (face.c).
 *
 * Cost: at most one pass over X (rivals.c), and the face. */
#include "xray/select.h"

#include <math.h>
#include <string.h>

/* By rounding, a dual may be positive on anchors by up to this share of its largest entry. Without
 * a library the exterior column itself scores higher. With anchors from a library only it is no
 * candidate, and a library column that scores no more than this would lower no residual. */
static const double HELPS = 1e-9;

/* Fills rays->score with d'X_j / p'X_j, or with the criterion of the rule greedy. *scale becomes
 * the number to which rounding errors of scores are relative: max |d_i|, or the largest score. */
static ch_status score_columns(chi_run *run, double *scale) {
    const chi_data *data = &run->data;
    chi_rays *rays = &run->rays;
    int64_t cols = data->spread.X->cols;
    if (run->set->exterior == CH_EXTERIOR_GREEDY) {
        memcpy(rays->score, run->far.gain, (size_t)cols * sizeof *rays->score);
        *scale = chi_largest_entry(rays->score, cols);
        return chi_largest(run->context, scale, 1);
    }
    TRY(chi_score_rivals(rays, &run->far));
    for (int64_t j = 0; j < cols; j++)
        if (data->role[j] == CHI_FREE) rays->score[j] /= data->weight[j];
    *scale = chi_largest_entry(rays->d, data->spread.X->rows);
    return CH_OK;
}

int64_t chi_keep_maximisers(int64_t *list, int64_t count, const double *score, double scale) {
    double most = 0;
    int64_t kept = 0;
    for (int64_t at = 0; at < count; at++) most = fmax(most, score[at]);
    if (!(most > 0)) return 0;
    for (int64_t at = 0; at < count; at++)
        if (score[at] >= most - CHI_TIE * scale && score[at] > 0) list[kept++] = list[at];
    return kept;
}

typedef struct contest {
    chi_rays *rays;
    const chi_data *data;
    double scale;
} contest;

/* Lists in rays->list the columns of this process whose score ties with most; none if most is not
 * positive. */
static void offer_maximisers(void *user, chi_offer *offer, double most) {
    const contest *c = user;
    const chi_distribution *spread = &c->data->spread;
    const double *score = c->rays->score;
    offer->count = 0;
    for (int64_t j = 0; most > 0 && j < spread->X->cols; j++) {
        if (c->data->role[j] != CHI_FREE || !(score[j] > 0)) continue;
        if (score[j] < most - CHI_TIE * c->scale) continue;
        if (offer->count < 2) offer->index[offer->count] = spread->first + j;
        c->rays->list[offer->count++] = spread->first + j;
    }
}

/* list = the maximisers of all processes; this process has `own` of them, in rays->list. */
static ch_status gather_maximisers(chi_run *run, int64_t *list, int64_t *counts, int64_t own) {
    int processes = chi_process_count(run->context);
    int64_t before = 0;
    const int64_t *shared = chi_share(run->context, &own, sizeof own);
    if (!shared) return CH_ERR_IO;
    memcpy(counts, shared, (size_t)processes * sizeof *counts);
    for (int r = 0; r < chi_process_index(run->context); r++) before += counts[r];
    memcpy(list + before, run->rays.list, (size_t)own * sizeof *list);
    return chi_share_lists(run->context, list, counts, sizeof *list);
}

/* For more than two maximisers: finds the anchors of their face. */
static ch_status rays_of_face(chi_run *run, int64_t own, int64_t count, int64_t most) {
    chi_arena arena = {.context = run->context};
    int64_t *list = chi_arena_alloc(&arena, count, sizeof *list);
    int64_t *counts = chi_arena_alloc(&arena, chi_process_count(run->context), sizeof *counts);
    ch_status status = ch_comm_agree(run->context, chi_arena_status(&arena, "a face"));
    if (status == CH_OK) status = gather_maximisers(run, list, counts, own);
    if (status == CH_OK)
        status = chi_face_anchors(run, run->rays.found, &run->rays.count, list, count, most);
    chi_arena_free(&arena);
    return status;
}

ch_status chi_extreme_rays(chi_run *run) {
    chi_rays *rays = &run->rays;
    const chi_data *data = &run->data;
    contest c = {.rays = rays, .data = data};
    chi_offer offer = {0};
    int64_t most = run->rank - run->basis.cone.count;
    rays->count = rays->used = 0;
    TRY(score_columns(run, &c.scale));
    for (int64_t j = 0; j < data->spread.X->cols; j++)
        if (data->role[j] == CHI_FREE && rays->score[j] > offer.most) offer.most = rays->score[j];
    if (run->set->library_only && offer.most <= HELPS * c.scale)
        return CH_OK; /* only runs with one process have a library */
    TRY(chi_argmax(run->context, &offer, 0, CHI_TIE * c.scale, offer_maximisers, &c));
    if (offer.count > 2) {
        chi_offer own = {0};
        offer_maximisers(&c, &own, offer.most);
        return rays_of_face(run, own.count, offer.count, most);
    }
    for (; rays->count < offer.count && rays->count < most; rays->count++)
        rays->found[rays->count] = offer.index[rays->count];
    return CH_OK;
}
