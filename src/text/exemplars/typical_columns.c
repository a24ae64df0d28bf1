/* The column nearest to the mean of a broad group may lie between two groups and then represents
 * the wrong one. A typical column is near to the mean, and the columns most similar to it belong to
 * its group:
 *
 *     max_j  near_j (|{i in N_j: i of the group of j}| / |N_j|)^(1/2)
 *
 * over the columns j of the group that are nearest to the mean. N_j are the columns most similar to
 * j, up to half the size of the group, including j and all ties. With many groups the groups are
 * narrow, so each gets fewer candidates and the cost is always that of ROWS rows of
 * similarities. */
#include "text/exemplars/typical_columns.h"
#include "base/base.h"
#include "linalg/linalg.h"
#include <math.h>

/* Chosen on the collections of docs/exemplars.md, NEIGHBOURS and MOST from two values each, the
 * root from three powers (0, 1/2, 1). */
enum { ROWS = 200, MOST = 20, NEIGHBOURS = 30 };

typedef struct choosing {
    const chi_groups *groups;
    const chi_similarity *alike;
    int64_t each;       /* candidates of a group                       */
    int64_t *candidate; /* each x rank, the nearest first; -1: no more */
    double *score;      /* each x rank                                 */
    int64_t *size;      /* rank                                        */
    float **row;        /* per thread: cols                            */
    double **sorted;    /* per thread: cols                            */
    chi_similarity_room *room;
} choosing;

/* Inserts j into the sorted list of its group; columns come in increasing order. */
static void enter(choosing *c, int64_t j) {
    const double *near = c->groups->near;
    int64_t *list = c->candidate + c->groups->group[j] * c->each, at = c->each;
    while (at > 0 && (list[at - 1] < 0 || near[j] > near[list[at - 1]])) at--;
    if (at == c->each) return;
    for (int64_t k = c->each - 1; k > at; k--) list[k] = list[k - 1];
    list[at] = j;
}

static void list_candidates(choosing *c) {
    for (int64_t k = 0; k < c->each * c->groups->rank; k++) c->candidate[k] = -1;
    for (int64_t j = 0; j < c->alike->X->cols; j++) {
        if (c->groups->group[j] < 0) continue;
        c->size[c->groups->group[j]]++;
        if (!c->groups->may_be || c->groups->may_be[j]) enter(c, j);
    }
}

static void score_candidate(void *user, int64_t place, int thread) {
    choosing *c = user;
    int64_t j = c->candidate[place], cols = c->alike->X->cols, own = 0, all = 0;
    if (j < 0) return;
    int64_t wanted = c->size[place / c->each] / 2;
    if (wanted > NEIGHBOURS) wanted = NEIGHBOURS;
    float *s = c->row[thread];
    double *sorted = c->sorted[thread];
    chi_similarity_row(c->alike, &c->room[thread], s, j);
    for (int64_t i = 0; i < cols; i++) sorted[i] = (double)s[i];
    double least = chi_select_value(sorted, cols, cols - 1 - wanted);
    for (int64_t i = 0; i < cols; i++) {
        if ((double)s[i] < least || c->groups->group[i] < 0) continue;
        all++;
        own += c->groups->group[i] == c->groups->group[j];
    }
    c->score[place] = c->groups->near[j] * sqrt((double)own / (double)all);
}

static ch_status reserve(choosing *c, chi_arena *arena, int threads) {
    int64_t rank = c->groups->rank, cols = c->alike->X->cols;
    c->each = ROWS / rank < 1 ? 1 : ROWS / rank > MOST ? MOST : ROWS / rank;
    c->candidate = chi_arena_alloc(arena, c->each * rank, sizeof *c->candidate);
    c->score = chi_arena_doubles(arena, c->each * rank);
    c->size = chi_arena_alloc_zero(arena, rank, sizeof *c->size);
    c->row = chi_arena_alloc(arena, threads, sizeof *c->row);
    c->sorted = chi_arena_alloc(arena, threads, sizeof *c->sorted);
    c->room = chi_arena_alloc(arena, threads, sizeof *c->room);
    TRY(chi_arena_status(arena, "typical columns"));
    for (int t = 0; t < threads; t++) {
        c->row[t] = chi_arena_alloc(arena, cols, sizeof **c->row);
        c->sorted[t] = chi_arena_doubles(arena, cols);
        chi_similarity_reserve(arena, &c->room[t], c->alike->X);
    }
    return chi_arena_status(arena, "typical columns");
}

ch_status chi_typical_columns(ch_context *context, int64_t *columns, const chi_groups *groups,
                              const chi_similarity *alike) {
    choosing c = {.groups = groups, .alike = alike};
    chi_arena arena = {.context = context};
    ch_status status = reserve(&c, &arena, ch_context_threads(context));
    if (status == CH_OK) {
        list_candidates(&c);
        if (c.each > 1)
            status = chi_parallel_until(context, c.each * groups->rank, score_candidate, &c);
    }
    if (status == CH_OK) {
        for (int64_t k = 0; k < groups->rank; k++) {
            int64_t best = k * c.each;
            for (int64_t e = best + 1; e < (k + 1) * c.each && c.candidate[e] >= 0; e++)
                if (c.score[e] > c.score[best]) best = e;
            columns[k] = c.candidate[best];
        }
    }
    chi_arena_free(&arena);
    return status;
}
