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
 * Cost: one pass over X, and for a face of q columns with a anchors O(a q) projections. */
#include "anchor/anchor.h"

#include <math.h>
#include <string.h>

static double largest_entry(const double *d, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fabs(d[i]) > most ? fabs(d[i]) : most;
    return most;
}

/* <d, X_j> by the column alone; for subsets, where a pass over X would be waste. */
static double product(chi_worker *worker, const ch_matrix *X, const double *d, int64_t j) {
    double sum = 0;
    chi_column_load(&worker->x, worker->index, worker->value, X, j);
    for (int64_t i = 0; i < worker->x.count; i++)
        sum += worker->x.value[i] * d[worker->x.index ? worker->x.index[i] : i];
    return sum;
}

/* Keeps of list[0..count) those whose score ties with the largest, which must be positive. The
 * score being at most max |d_i|, that is the scale its rounding goes by. */
static int64_t keep_maximisers(int64_t *list, int64_t count, const double *score, double scale) {
    double most = 0;
    int64_t kept = 0;
    for (int64_t at = 0; at < count; at++)
        if (score[list[at]] > most) most = score[list[at]];
    if (!(most > 0)) return 0;
    for (int64_t at = 0; at < count; at++)
        if (score[list[at]] >= most - CHI_TIE * scale && score[list[at]] > 0)
            list[kept++] = list[at];
    return kept;
}

/* ---- a face: Algorithm 1 on a subset of columns -------------------------------------------- */

/* A subset of columns and the cone of those of its anchors that are found. */
typedef struct face {
    chi_run *run;
    chi_cone cone;
    chi_projector projector;
    int64_t *list; /* the columns, by index                                                  */
    int64_t count;
    int64_t *left; /* columns not chosen, and the maximisers among them                      */
    double *d, *b;
} face;

static void destroy_face(face *f) {
    ch_context *context = f->run->context;
    chi_projector_destroy(context, &f->projector);
    chi_cone_destroy(context, &f->cone);
    chi_free(context, f->b);
    chi_free(context, f->d);
    chi_free(context, f->left);
}

static ch_status create_face(face *f, chi_run *run, int64_t *list, int64_t count, int64_t room) {
    ch_context *context = run->context;
    *f = (face){.run = run, .list = list, .count = count};
    TRY(chi_cone_create(context, &f->cone, run->X->rows, room));
    f->left = chi_alloc(context, count, sizeof *f->left);
    f->d = chi_alloc(context, run->X->rows, sizeof *f->d);
    f->b = chi_alloc(context, room, sizeof *f->b);
    if (!f->left || !f->d || !f->b)
        return chi_no_memory(context, "a face", count + run->X->rows, sizeof *f->d);
    return chi_projector_create(context, &f->projector, &f->cone, run->X, run->set);
}

/* The farthest column of the subset from the face's cone, its dual in f->d; -1: all are inside. */
static int64_t farthest_of_face(face *f) {
    double most = 0;
    int64_t found = -1;
    chi_fit fit;
    for (int64_t at = 0; at < f->count; at++) {
        int64_t j = f->list[at];
        chi_project_column(&f->projector, 0, &fit, f->b, NULL, j);
        if (fit.objective <= f->run->enough[j]) continue;
        if (fit.objective <= most * (1 + CHI_TIE)) continue;
        most = fit.objective;
        found = j;
    }
    if (found < 0) return found;
    chi_project_column(&f->projector, 0, &fit, f->b, f->d, found);
    f->run->unproven += !fit.proven;
    return found;
}

static int64_t score_face(face *f) {
    chi_run *run = f->run;
    int64_t left = 0;
    for (int64_t at = 0; at < f->count; at++) {
        int64_t j = f->list[at];
        if (run->role[j] != CHI_FREE) continue;
        f->left[left++] = j;
        run->score[j] = product(run->projector.worker, run->X, f->d, j) / run->weight[j];
    }
    return keep_maximisers(f->left, left, run->score, largest_entry(f->d, run->X->rows));
}

static void random_direction(chi_run *run, double *d) {
    for (int64_t i = 0; i < run->X->rows; i++) d[i] = 1 + ch_random_uniform(&run->random);
}

static ch_status anchors_of_face(chi_run *run, int64_t *found, int64_t *found_count, int64_t *list,
                                 int64_t count, int64_t room);

/* Adds to the face's cone what the direction f->d selects. */
static ch_status grow_face(face *f, int64_t *found, int64_t *found_count, int64_t room) {
    chi_run *run = f->run;
    int64_t ties = score_face(f), added = 0;
    if (ties == f->count && ties > 2) {
        random_direction(run, f->d);
        ties = score_face(f) > 0; /* the first of them */
    }
    if (ties > room - *found_count && ties <= 2) ties = room - *found_count;
    if (ties > 2)
        TRY(anchors_of_face(run, found + *found_count, &added, f->left, ties, room - *found_count));
    else
        for (; added < ties; added++) found[*found_count + added] = f->left[added];
    for (int64_t at = *found_count; at < *found_count + added; at++) {
        run->role[found[at]] = CHI_CHOSEN;
        chi_column_gather(f->d, run->X, found[at]);
        chi_cone_append(&f->cone, f->d);
    }
    *found_count += added;
    return added > 0 ? CH_OK : CH_STOP_COMPLETE;
}

/* Extreme rays of columns list[0..count), at most room, into found. */
static ch_status anchors_of_face(chi_run *run, int64_t *found, int64_t *found_count, int64_t *list,
                                 int64_t count, int64_t room) {
    face f;
    *found_count = 0;
    ch_status status = create_face(&f, run, list, count, room);
    while (status == CH_OK && *found_count < room && farthest_of_face(&f) >= 0)
        status = grow_face(&f, found, found_count, room);
    for (int64_t at = 0; at < *found_count; at++) run->role[found[at]] = CHI_FREE;
    destroy_face(&f);
    return status < 0 ? status : CH_OK;
}

/* ---- the selection ------------------------------------------------------------------------- */

/* run->score: d'X_j / p'X_j, unless the exterior rule has left its own criterion there. */
static ch_status score_columns(chi_run *run, double *scale) {
    if (run->set->exterior == CH_EXTERIOR_GREEDY) {
        *scale = largest_entry(run->score, run->X->cols);
        return CH_OK;
    }
    TRY(chi_score_rivals(run));
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->role[j] == CHI_FREE) run->score[j] /= run->weight[j];
    *scale = largest_entry(run->d, run->X->rows);
    return CH_OK;
}

ch_status chi_extreme_rays(chi_run *run, int64_t room) {
    double scale;
    int64_t count = 0;
    run->ray_count = run->rays_used = 0;
    TRY(score_columns(run, &scale));
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->role[j] == CHI_FREE) run->list[count++] = j;
    count = keep_maximisers(run->list, count, run->score, scale);
    if (count > 2) return anchors_of_face(run, run->rays, &run->ray_count, run->list, count, room);
    for (; run->ray_count < count && run->ray_count < room; run->ray_count++)
        run->rays[run->ray_count] = run->list[run->ray_count];
    return CH_OK;
}
