/* Extreme rays from one direction d (paper, Eq. 4 and Remark 2):
 *
 *     j* = argmax_j  <d, X_j> / <p, X_j>
 *
 * A unique maximiser is an anchor. Two that tie are both anchors. More than two lie on a face of
 * the cone of the data whose anchors are found by Algorithm 1 on that subset alone: from an empty
 * cone, project the subset, take the farthest column, select; here always with the rule max, all
 * of the subset being projected at each step. Where the subset ties as a whole once more, a
 * random direction decides, whose maximiser is an extreme ray like any other.
 *
 * Cost: at most one pass over X (rivals.c), and for a face of q columns with a anchors O(a q)
 * projections. */
#include "xray/xray.h"

#include <math.h>
#include <string.h>

double chi_largest_entry(const double *d, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fabs(d[i]) > most ? fabs(d[i]) : most;
    return most;
}

/* <d, X_j> by the column alone; for subsets, where a pass over X would be waste. */
static double product(chi_worker *worker, const ch_matrix *X, const double *d, int64_t j) {
    chi_column_load(&worker->x, worker->index, worker->value, X, j);
    return chi_column_dot(&worker->x, d);
}

/* Keeps of list[0..count), whose scores stand beside it, those that tie with the largest, which
 * must be positive. The score being at most max |d_i|, that is the scale its rounding goes by. */
static int64_t keep_maximisers(int64_t *list, int64_t count, const double *score, double scale) {
    double most = 0;
    int64_t kept = 0;
    for (int64_t at = 0; at < count; at++) most = fmax(most, score[at]);
    if (!(most > 0)) return 0;
    for (int64_t at = 0; at < count; at++)
        if (score[at] >= most - CHI_TIE * scale && score[at] > 0) list[kept++] = list[at];
    return kept;
}

/* ---- a face: Algorithm 1 on a subset of columns -------------------------------------------- */

/* A subset of columns, known to all ranks, and the cone of those of its anchors that are found.
 * Each rank projects and scores its own columns of the subset. */
typedef struct face {
    chi_run *run;
    chi_cone cone;
    chi_projector projector;
    const int64_t *list; /* the columns, by index, as columns of the whole                   */
    int64_t count;
    int64_t *ranks;       /* how many of them each rank holds                                */
    int64_t low, high;    /* those of this rank                                              */
    double *value;        /* what is compared: objectives or scores                          */
    unsigned char *taken; /* chosen already                                                  */
    int64_t *left;        /* columns not chosen, and the maximisers among them               */
    double *d, *b;
} face;

static void destroy_face(face *f) {
    ch_context *context = f->run->context;
    chi_projector_destroy(context, &f->projector);
    chi_cone_destroy(context, &f->cone);
    chi_free(context, f->b);
    chi_free(context, f->d);
    chi_free(context, f->left);
    chi_free(context, f->taken);
    chi_free(context, f->value);
    chi_free(context, f->ranks);
}

/* Columns rise with the ranks, so those of a rank stand together. */
static void find_own(face *f) {
    const chi_distribution *spread = &f->run->spread;
    for (int64_t at = 0; at < f->count; at++) {
        f->ranks[chi_distribution_owner(spread, f->list[at])]++;
        f->low += f->list[at] < spread->first;
        f->high += f->list[at] < spread->first + spread->X->cols;
    }
}

static ch_status create_face(face *f, chi_run *run, const int64_t *list, int64_t count,
                             int64_t room) {
    ch_context *context = run->context;
    *f = (face){.run = run, .list = list, .count = count};
    TRY(chi_cone_create(context, &f->cone, run->X->rows, room));
    f->ranks = chi_alloc_zero(context, chi_process_count(context), sizeof *f->ranks);
    f->value = chi_alloc(context, count, sizeof *f->value);
    f->taken = chi_alloc_zero(context, count, sizeof *f->taken);
    f->left = chi_alloc(context, count, sizeof *f->left);
    f->d = chi_alloc(context, run->X->rows, sizeof *f->d);
    f->b = chi_alloc(context, room, sizeof *f->b);
    if (!f->ranks || !f->value || !f->taken || !f->left || !f->d || !f->b)
        return chi_no_memory(context, "a face", 2 * count + run->X->rows, sizeof *f->d);
    find_own(f);
    return chi_projector_create(context, &f->projector, &f->cone, run->X, run->set);
}

/* The farthest column of the subset from the face's cone, its dual in f->d; -1: all are inside. */
static ch_status farthest_of_face(face *f, int64_t *found) {
    chi_run *run = f->run;
    double most = 0;
    chi_fit fit;
    *found = -1;
    for (int64_t at = f->low; at < f->high; at++) {
        int64_t j = chi_distribution_local(&run->spread, f->list[at]);
        chi_project_column(&f->projector, 0, &fit, f->b, NULL, j);
        f->value[at] = fit.objective <= chi_enough(run, j) ? 0 : fit.objective;
    }
    TRY(chi_share_lists(run->context, f->value, f->ranks, sizeof *f->value));
    for (int64_t at = 0; at < f->count; at++) {
        if (f->value[at] <= most * (1 + CHI_TIE)) continue;
        most = f->value[at];
        *found = f->list[at];
    }
    if (*found < 0) return CH_OK;
    int64_t own = chi_distribution_local(&run->spread, *found);
    if (own >= 0) {
        chi_project_column(&f->projector, 0, &fit, f->b, f->d, own);
        run->unproven += !fit.proven;
    }
    return chi_broadcast(run->context, f->d, run->X->rows, sizeof *f->d,
                         chi_distribution_owner(&run->spread, *found));
}

static ch_status score_face(face *f, int64_t *ties) {
    chi_run *run = f->run;
    int64_t left = 0;
    for (int64_t at = f->low; at < f->high; at++) {
        int64_t j = chi_distribution_local(&run->spread, f->list[at]);
        f->value[at] = product(run->projector.worker, run->X, f->d, j) / run->weight[j];
    }
    TRY(chi_share_lists(run->context, f->value, f->ranks, sizeof *f->value));
    for (int64_t at = 0; at < f->count; at++) {
        if (f->taken[at]) continue;
        f->left[left] = f->list[at];
        f->value[left++] = f->value[at];
    }
    *ties = keep_maximisers(f->left, left, f->value, chi_largest_entry(f->d, run->X->rows));
    return CH_OK;
}

static void random_direction(chi_run *run, double *d) {
    for (int64_t i = 0; i < run->X->rows; i++) d[i] = 1 + ch_random_uniform(&run->random);
}

static ch_status anchors_of_face(chi_run *run, int64_t *found, int64_t *found_count,
                                 const int64_t *list, int64_t count, int64_t room);

/* The column of the list becomes an anchor of the face. */
static ch_status take_anchor(face *f, int64_t column) {
    for (int64_t at = 0; at < f->count; at++) f->taken[at] |= f->list[at] == column;
    TRY(chi_distribution_column(&f->run->spread, f->d, column));
    chi_cone_append(&f->cone, f->d);
    return CH_OK;
}

/* Adds to the face's cone what the direction f->d selects. */
static ch_status grow_face(face *f, int64_t *found, int64_t *found_count, int64_t room) {
    chi_run *run = f->run;
    int64_t ties, added = 0;
    TRY(score_face(f, &ties));
    if (ties == f->count && ties > 2) {
        random_direction(run, f->d);
        TRY(score_face(f, &ties));
        ties = ties > 0; /* the first of them */
    }
    if (ties > room - *found_count && ties <= 2) ties = room - *found_count;
    if (ties > 2)
        TRY(anchors_of_face(run, found + *found_count, &added, f->left, ties, room - *found_count));
    else
        for (; added < ties; added++) found[*found_count + added] = f->left[added];
    for (int64_t at = *found_count; at < *found_count + added; at++) TRY(take_anchor(f, found[at]));
    *found_count += added;
    return added > 0 ? CH_OK : CH_STOP_COMPLETE;
}

/* Extreme rays of columns list[0..count), at most room, into found. */
static ch_status anchors_of_face(chi_run *run, int64_t *found, int64_t *found_count,
                                 const int64_t *list, int64_t count, int64_t room) {
    face f;
    int64_t farthest;
    *found_count = 0;
    ch_status status = ch_comm_agree(run->context, create_face(&f, run, list, count, room));
    while (status == CH_OK && *found_count < room) {
        status = farthest_of_face(&f, &farthest);
        if (status < 0 || farthest < 0) break;
        status = grow_face(&f, found, found_count, room);
    }
    destroy_face(&f);
    return status < 0 ? status : CH_OK;
}

/* ---- the selection ------------------------------------------------------------------------- */

/* run->score: d'X_j / p'X_j, unless the exterior rule has left its own criterion there. */
static ch_status score_columns(chi_run *run, double *scale) {
    if (run->set->exterior == CH_EXTERIOR_GREEDY) {
        *scale = chi_largest_entry(run->score, run->X->cols);
        return chi_largest(run->context, scale, 1);
    }
    TRY(chi_score_rivals(run));
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->role[j] == CHI_FREE) run->score[j] /= run->weight[j];
    *scale = chi_largest_entry(run->d, run->X->rows);
    return CH_OK;
}

typedef struct contest {
    chi_run *run;
    double scale;
} contest;

/* run->list: the columns of this rank whose score ties with most; none unless that is positive. */
static void offer_maximisers(void *user, chi_offer *offer, double most) {
    const contest *c = user;
    chi_run *run = c->run;
    offer->count = 0;
    for (int64_t j = 0; most > 0 && j < run->X->cols; j++) {
        if (run->role[j] != CHI_FREE || !(run->score[j] > 0)) continue;
        if (run->score[j] < most - CHI_TIE * c->scale) continue;
        if (offer->count < 2) offer->index[offer->count] = run->spread.first + j;
        run->list[offer->count++] = run->spread.first + j;
    }
}

/* The maximisers of all ranks, more than two: their face. */
static ch_status rays_of_face(chi_run *run, int64_t own, int64_t count, int64_t room) {
    ch_context *context = run->context;
    int ranks = chi_process_count(context);
    int64_t *list = chi_alloc(context, count, sizeof *list), before = 0;
    int64_t *counts = chi_alloc(context, ranks, sizeof *counts);
    ch_status status = CH_OK;
    if (!list || !counts) status = chi_no_memory(context, "a face", count + ranks, sizeof *list);
    status = ch_comm_agree(context, status);
    const int64_t *shared = status == CH_OK ? chi_share(context, &own, sizeof own) : NULL;
    if (shared) {
        memcpy(counts, shared, (size_t)ranks * sizeof *counts);
        for (int r = 0; r < chi_process_index(context); r++) before += counts[r];
        memcpy(list + before, run->list, (size_t)own * sizeof *list);
        status = chi_share_lists(context, list, counts, sizeof *list);
    } else if (status == CH_OK) {
        status = CH_ERR_IO;
    }
    if (status == CH_OK)
        status = anchors_of_face(run, run->rays, &run->ray_count, list, count, room);
    chi_free(context, counts);
    chi_free(context, list);
    return status;
}

ch_status chi_extreme_rays(chi_run *run, int64_t room) {
    contest c = {.run = run};
    chi_offer offer = {0};
    run->ray_count = run->rays_used = 0;
    TRY(score_columns(run, &c.scale));
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->role[j] == CHI_FREE && run->score[j] > offer.most) offer.most = run->score[j];
    TRY(chi_argmax(run->context, &offer, 0, CHI_TIE * c.scale, offer_maximisers, &c));
    if (offer.count > 2) {
        chi_offer own = {0};
        offer_maximisers(&c, &own, offer.most);
        return rays_of_face(run, own.count, offer.count, room);
    }
    for (; run->ray_count < offer.count && run->ray_count < room; run->ray_count++)
        run->rays[run->ray_count] = offer.index[run->ray_count];
    return CH_OK;
}
