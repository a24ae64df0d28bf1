/* The anchors of a face (paper, Remark 2), that is, of columns that all maximise <d, X_j> /
 * <p, X_j>. Algorithm 1 runs on this subset alone, from an empty cone. It uses the rule max and
 * projects the whole subset at each step. If the whole subset ties again, a random direction
 * decides, whose maximiser is an extreme ray too.
 *
 * Cost: O(a q) projections for a face of q columns with a anchors. */
#include "xray/select.h"

/* A subset of columns, known to all processes, and the cone of its anchors found so far. Each
 * process projects and scores its own columns of the subset. */
typedef struct face {
    chi_run *run;
    chi_arena arena;
    chi_cone cone;
    chi_projector projector;
    const int64_t *list; /* the columns, sorted, numbered in the whole matrix */
    int64_t count;
    int64_t *held;        /* number of these columns that each process holds  */
    int64_t low, high;    /* list[low..high) are held by this process         */
    double *value;        /* objectives or scores to compare                  */
    unsigned char *taken; /* already an anchor of the face                    */
    int64_t *left;        /* columns not taken, and the maximisers among them */
    double *d, *b;
} face;

static void destroy_face(face *f) {
    chi_projector_destroy(&f->projector);
    chi_cone_destroy(&f->cone);
    chi_arena_free(&f->arena);
}

/* Processes hold consecutive ranges of columns, so in the sorted list the columns of a process are
 * consecutive too. */
static void find_own(face *f) {
    const chi_distribution *spread = &f->run->data.spread;
    for (int64_t at = 0; at < f->count; at++) {
        f->held[chi_distribution_owner(spread, f->list[at])]++;
        f->low += f->list[at] < spread->first;
        f->high += f->list[at] < spread->first + spread->X->cols;
    }
}

static ch_status create_face(face *f, chi_run *run, const int64_t *list, int64_t count,
                             int64_t most) {
    ch_context *context = run->context;
    const ch_matrix *X = run->data.spread.X;
    *f = (face){.run = run, .arena = {.context = context}, .list = list, .count = count};
    f->held = chi_arena_alloc_zero(&f->arena, chi_process_count(context), sizeof *f->held);
    f->value = chi_arena_doubles(&f->arena, count);
    f->taken = chi_arena_alloc_zero(&f->arena, count, sizeof *f->taken);
    f->left = chi_arena_alloc(&f->arena, count, sizeof *f->left);
    f->d = chi_arena_doubles(&f->arena, X->rows);
    f->b = chi_arena_doubles(&f->arena, most);
    TRY(chi_arena_status(&f->arena, "a face"));
    TRY(chi_cone_create(context, &f->cone, X->rows, most));
    find_own(f);
    return chi_projector_create(context, &f->projector, &f->cone, X, run->set);
}

/* Computes the dual of the column in f->d and sends it from the process that holds it to all. */
static ch_status find_dual(face *f, int64_t column) {
    const chi_distribution *spread = &f->run->data.spread;
    int64_t own = chi_distribution_local(spread, column);
    if (own >= 0) {
        chi_fit fit;
        chi_project_column(&f->projector, 0, &fit, f->b, f->d, own);
        f->run->basis.unproven += !fit.proven;
    }
    return chi_distribution_share(spread, f->d, f->cone.rows, sizeof *f->d, column);
}

/* Finds the column of the subset that is farthest from the face's cone, with its dual in f->d; -1
 * if all are inside. */
static ch_status farthest_of_face(face *f, int64_t *found) {
    const chi_data *data = &f->run->data;
    double most = 0;
    *found = -1;
    for (int64_t at = f->low; at < f->high; at++) {
        chi_fit fit;
        int64_t j = chi_distribution_local(&data->spread, f->list[at]);
        TRY(chi_pause(f->run->context));
        chi_project_column(&f->projector, 0, &fit, f->b, NULL, j);
        f->value[at] = fit.objective <= chi_enough(data, j) ? 0 : fit.objective;
    }
    TRY(chi_share_lists(f->run->context, f->value, f->held, sizeof *f->value));
    for (int64_t at = 0; at < f->count; at++) {
        if (f->value[at] <= most * (1 + CHI_TIE)) continue;
        most = f->value[at];
        *found = f->list[at];
    }
    return *found < 0 ? CH_OK : find_dual(f, *found);
}

/* Lists in f->left the columns that tie for the largest score. Reads columns one by one, because a
 * pass over X would cost more. */
static ch_status score_face(face *f, int64_t *ties) {
    const chi_data *data = &f->run->data;
    chi_worker *worker = f->projector.worker;
    int64_t left = 0;
    for (int64_t at = f->low; at < f->high; at++) {
        int64_t j = chi_distribution_local(&data->spread, f->list[at]);
        chi_column_load(f->projector.cone->kernels, &worker->x, worker->index, worker->value,
                        data->spread.X, j);
        f->value[at] = chi_column_dot(&worker->x, f->d) / data->weight[j];
    }
    TRY(chi_share_lists(f->run->context, f->value, f->held, sizeof *f->value));
    for (int64_t at = 0; at < f->count; at++) {
        if (f->taken[at]) continue;
        f->left[left] = f->list[at];
        f->value[left++] = f->value[at];
    }
    *ties = chi_keep_maximisers(f->left, left, f->value, chi_largest_entry(f->d, f->cone.rows));
    return CH_OK;
}

/* Makes the column, numbered in the whole matrix, an anchor of the face. */
static ch_status take_anchor(face *f, int64_t column) {
    for (int64_t at = 0; at < f->count; at++) f->taken[at] |= f->list[at] == column;
    TRY(chi_distribution_column(&f->run->data.spread, f->d, column));
    chi_cone_append(&f->cone, f->d);
    return CH_OK;
}

/* Adds the columns that the direction f->d selects to the face's cone. */
static ch_status grow_face(face *f, int64_t *found, int64_t *found_count, int64_t most) {
    int64_t ties, added = 0;
    TRY(score_face(f, &ties));
    if (ties == f->count && ties > 2) {
        for (int64_t i = 0; i < f->cone.rows; i++) f->d[i] = 1 + ch_random_uniform(&f->run->random);
        TRY(score_face(f, &ties));
        ties = ties > 0; /* take the first only */
    }
    if (ties > most - *found_count && ties <= 2) ties = most - *found_count;
    if (ties > 2)
        TRY(chi_face_anchors(f->run, found + *found_count, &added, f->left, ties,
                             most - *found_count));
    else
        for (; added < ties; added++) found[*found_count + added] = f->left[added];
    for (int64_t at = *found_count; at < *found_count + added; at++) TRY(take_anchor(f, found[at]));
    *found_count += added;
    return added > 0 ? CH_OK : CH_STOP_COMPLETE;
}

ch_status chi_face_anchors(chi_run *run, int64_t *found, int64_t *found_count, const int64_t *list,
                           int64_t count, int64_t most) {
    face f;
    int64_t farthest;
    *found_count = 0;
    ch_status status = ch_comm_agree(run->context, create_face(&f, run, list, count, most));
    while (status == CH_OK && *found_count < most) {
        status = farthest_of_face(&f, &farthest);
        if (status < 0 || farthest < 0) break;
        status = grow_face(&f, found, found_count, most);
    }
    destroy_face(&f);
    return status < 0 ? status : CH_OK;
}
