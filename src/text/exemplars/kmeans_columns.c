/* Groups of columns, and of each group the column nearest to its mean.
 *
 *     max over groups  sum_j <y_j, m_k(j)>,     m_k = sum of the y_j of group k, to length 1
 *
 * by rounds of spherical k-means (I. Dhillon and D. Modha, Machine Learning 42, 2001).
 *
 * chi_kmeans_columns() is the usual baseline: y_j = z_j, the column at length 1, from a start by
 * k-means++ (D. Arthur and S. Vassilvitskii 2007: the next mean is a column drawn with a chance
 * that grows with 1 - s to the nearest one so far).
 *
 * chi_central_columns() starts at given columns and groups by rarer rows: y_tj = z_tj idf_t^(1/2),
 * at length 1, idf_t = log((1 + columns) / (1 + columns with row t)) + 1. Without this, rows that
 * most columns have, such as stop words, pull short columns of all kinds into one group. The
 * selected column is near to the mean of the z_j themselves, and typical (typical_columns.c). Dense
 * data have idf 1. More groups may be formed than exemplars are wanted (choose_groups.c).
 *
 * A round compares a column with all means only if its group may have changed: a mean that moves by
 * d changes no product by more than d (G. Hamerly 2010). The groups are the same as without this.
 * O(entries x rank) in the first rounds, and 16 x rows x rank bytes. */
#include "text/exemplars/kmeans_columns.h"
#include "text/exemplars/choose_groups.h"
#include "text/exemplars/typical_columns.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 50, BLOCK = 256 };

/* Rounding error of products of two vectors of length 1, in float, per entry of one of them. */
static const double rounding = 2e-7;

typedef struct clustering {
    ch_context *context;
    chi_arena arena;
    chi_similarity alike;
    int64_t rank;
    int64_t cols;              /* the round uses columns [0, cols)                       */
    double *factor;            /* rows: y = z times this, at length 1; NULL: y = z       */
    double *sum;               /* rank x rows, column-major: a row's values lie together */
    float *mean;               /* rank x rows: sum at length 1                           */
    float *old_mean;           /* rank x rows: of the round before                       */
    double *size;              /* rank                                                   */
    double *moved;             /* rank: how far the mean moved in the last round         */
    double most_moved;         /* the largest of them                                    */
    double *nearest;           /* cols: similarity with the mean of its cluster or, at first, with
                                  the nearest column drawn */
    double *other;             /* cols: upper bound of the similarity with any other mean */
    float *row;                /* cols                                                    */
    int32_t *cluster;          /* cols; -1: a column of zeros                             */
    int64_t *changed;          /* blocks: columns that changed their cluster              */
    float *products;           /* rank per thread                                         */
    chi_similarity_room *room; /* per thread                                              */
} clustering;

static int64_t block_count(const clustering *c) {
    return (c->cols + BLOCK - 1) / BLOCK;
}

static ch_status reserve(clustering *c, const ch_matrix *X) {
    chi_arena *arena = &c->arena;
    int threads = ch_context_threads(c->context);
    c->cols = X->cols;
    c->sum = chi_arena_doubles(arena, c->rank * X->rows);
    c->mean = chi_arena_alloc_zero(arena, c->rank * X->rows, sizeof *c->mean);
    c->old_mean = chi_arena_alloc(arena, c->rank * X->rows, sizeof *c->old_mean);
    c->size = chi_arena_doubles(arena, c->rank);
    c->moved = chi_arena_doubles(arena, c->rank);
    c->other = chi_arena_doubles(arena, X->cols);
    c->nearest = chi_arena_alloc_zero(arena, X->cols, sizeof *c->nearest);
    c->row = chi_arena_alloc(arena, X->cols, sizeof *c->row);
    c->cluster = chi_arena_alloc(arena, X->cols, sizeof *c->cluster);
    c->changed = chi_arena_alloc(arena, block_count(c), sizeof *c->changed);
    c->products = chi_arena_alloc(arena, threads * c->rank, sizeof *c->products);
    c->room = chi_arena_alloc(arena, threads, sizeof *c->room);
    TRY(chi_arena_status(arena, "k-means"));
    for (int64_t j = 0; j < X->cols; j++) c->cluster[j] = -1;
    for (int t = 0; t < threads; t++) chi_similarity_reserve(arena, &c->room[t], X);
    return chi_arena_status(arena, "k-means");
}

/* ---- the start ---- */

/* Draws a column with probability proportional to 1 - nearest; -1 if none is left. */
static int64_t draw(const clustering *c, ch_random *random) {
    const ch_matrix *X = c->alike.X;
    double total = 0, sum = 0;
    int64_t last = -1;
    for (int64_t j = 0; j < X->cols; j++)
        if (c->alike.scale[j] > 0) total += fmax(1 - c->nearest[j], 0);
    double at = ch_random_uniform(random) * total;
    for (int64_t j = 0; j < X->cols && total > 0; j++) {
        double chance = c->alike.scale[j] > 0 ? fmax(1 - c->nearest[j], 0) : 0;
        if (chance > 0) last = j;
        if ((sum += chance) > at && chance > 0) break;
    }
    return last;
}

/* Writes y_j to room; returns its number of entries. */
static int64_t column_to_group(const clustering *c, chi_similarity_room *room, int64_t j) {
    int64_t count = chi_similarity_column(&c->alike, room, j);
    double size = 0;
    if (!c->factor) return count;
    for (int64_t e = 0; e < count; e++) {
        room->value[e] *= c->factor[room->index[e]];
        size += room->value[e] * room->value[e];
    }
    for (int64_t e = 0; e < count && size > 0; e++) room->value[e] /= sqrt(size);
    return count;
}

static void start_mean(clustering *c, int64_t k, int64_t j) {
    int64_t count = column_to_group(c, &c->room[0], j);
    for (int64_t e = 0; e < count; e++)
        c->mean[k + c->room[0].index[e] * c->rank] = (float)c->room[0].value[e];
}

/* Fills mean. Returns CH_STOP_COMPLETE if all columns are zero. */
static ch_status start(clustering *c, ch_random *random) {
    const ch_matrix *X = c->alike.X;
    for (int64_t k = 0; k < c->rank; k++) {
        TRY(chi_pause(c->context));
        int64_t j = draw(c, random);
        if (j < 0) return k > 0 ? CH_OK : CH_STOP_COMPLETE;
        start_mean(c, k, j);
        chi_similarity_row(&c->alike, &c->room[0], c->row, j);
        for (int64_t i = 0; i < X->cols; i++)
            c->nearest[i] = fmax(c->nearest[i], (double)c->row[i]);
        c->nearest[j] = 1; /* exact, despite rounding */
    }
    return CH_OK;
}

/* ---- rounds ---- */

/* The products of the column in room with all means, four of its entries at a time. */
static void compare(const clustering *c, float *restrict products, const chi_similarity_room *room,
                    int64_t count) {
    int64_t rank = c->rank, e = 0;
    memset(products, 0, (size_t)rank * sizeof *products);
    for (; e + 4 <= count; e += 4) {
        const int32_t *t = room->index + e;
        const float *m0 = c->mean + t[0] * rank, *m1 = c->mean + t[1] * rank;
        const float *m2 = c->mean + t[2] * rank, *m3 = c->mean + t[3] * rank;
        float y0 = (float)room->value[e], y1 = (float)room->value[e + 1];
        float y2 = (float)room->value[e + 2], y3 = (float)room->value[e + 3];
        for (int64_t k = 0; k < rank; k++)
            products[k] += y0 * m0[k] + y1 * m1[k] + (y2 * m2[k] + y3 * m3[k]);
    }
    for (; e < count; e++) {
        const float *mean = c->mean + room->index[e] * rank;
        float y = (float)room->value[e];
        for (int64_t k = 0; k < rank; k++) products[k] += y * mean[k];
    }
}

/* Returns whether the mean of its cluster is still the nearest, by its product and the bound for
 * the others. */
static int stays(clustering *c, const chi_similarity_room *room, int64_t count, int64_t j) {
    const float *mean = c->mean + c->cluster[j];
    double product = 0;
    for (int64_t e = 0; e < count; e++)
        product += room->value[e] * (double)mean[room->index[e] * c->rank];
    c->other[j] += c->most_moved;
    c->nearest[j] = product;
    return product > c->other[j] + rounding * (double)count;
}

static void assign_block(void *user, int64_t block, int thread) {
    clustering *c = user;
    int64_t rank = c->rank;
    int64_t high = (block + 1) * BLOCK < c->cols ? (block + 1) * BLOCK : c->cols;
    float *products = c->products + thread * rank;
    c->changed[block] = 0;
    for (int64_t j = block * BLOCK; j < high; j++) {
        int64_t count = column_to_group(c, &c->room[thread], j);
        if (!count || (c->cluster[j] >= 0 && stays(c, &c->room[thread], count, j))) continue;
        compare(c, products, &c->room[thread], count);
        int32_t best = 0;
        for (int32_t k = 1; k < rank; k++)
            if (products[k] > products[best]) best = k;
        float other = 0;
        for (int32_t k = 0; k < rank; k++)
            if (k != best && products[k] > other) other = products[k];
        c->nearest[j] = (double)products[best];
        c->other[j] = (double)other;
        c->changed[block] += c->cluster[j] != best;
        c->cluster[j] = best;
    }
}

/* mean = mean of the columns of each cluster, at length 1. An empty cluster has none. */
static ch_status average(clustering *c) {
    const ch_matrix *X = c->alike.X;
    int64_t rank = c->rank;
    memset(c->sum, 0, (size_t)(rank * X->rows) * sizeof *c->sum);
    memset(c->size, 0, (size_t)rank * sizeof *c->size);
    for (int64_t j = 0; j < c->cols; j++) {
        if (j % BLOCK == 0) TRY(chi_pause(c->context));
        int64_t count = column_to_group(c, &c->room[0], j);
        for (int64_t e = 0; e < count; e++)
            c->sum[c->cluster[j] + c->room[0].index[e] * rank] += c->room[0].value[e];
    }
    for (int64_t t = 0; t < X->rows; t++)
        for (int64_t k = 0; k < rank; k++)
            c->size[k] += c->sum[k + t * rank] * c->sum[k + t * rank];
    for (int64_t k = 0; k < rank; k++) c->size[k] = c->size[k] > 0 ? 1 / sqrt(c->size[k]) : 0;
    for (int64_t t = 0; t < X->rows; t++)
        for (int64_t k = 0; k < rank; k++)
            c->mean[k + t * rank] = (float)(c->sum[k + t * rank] * c->size[k]);
    return CH_OK;
}

static ch_status move_means(clustering *c) {
    float *swap = c->old_mean;
    int64_t rank = c->rank;
    c->old_mean = c->mean;
    c->mean = swap;
    TRY(average(c));
    memset(c->moved, 0, (size_t)rank * sizeof *c->moved);
    for (int64_t t = 0; t < c->alike.X->rows; t++)
        for (int64_t k = 0; k < rank; k++) {
            double step = (double)c->mean[k + t * rank] - (double)c->old_mean[k + t * rank];
            c->moved[k] += step * step;
        }
    c->most_moved = 0;
    for (int64_t k = 0; k < rank; k++) c->most_moved = fmax(c->most_moved, sqrt(c->moved[k]));
    return CH_OK;
}

static ch_status run_rounds(clustering *c, int rounds) {
    int64_t blocks = block_count(c);
    for (int round = 0; round < rounds; round++) {
        int64_t changed = 0;
        TRY(chi_parallel_until(c->context, blocks, assign_block, c));
        for (int64_t b = 0; b < blocks; b++) changed += c->changed[b];
        if (!changed) break;
        TRY(move_means(c));
        if (chi_notify(c->context, "k-means", round + 1, rounds, -1, 0)) return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

/* ---- a column for each cluster ---- */

/* columns[k] = the column of cluster k with the largest `nearest`, ties to the lower; -1 if it is
 * empty. */
static void take_nearest(const clustering *c, int64_t *columns) {
    for (int64_t k = 0; k < c->rank; k++) columns[k] = -1;
    for (int64_t j = 0; j < c->alike.X->cols; j++) {
        int32_t k = c->cluster[j];
        if (k >= 0 && (columns[k] < 0 || c->nearest[j] > c->nearest[columns[k]])) columns[k] = j;
    }
}

/* nearest: the product of every column with the mean of its cluster. */
static void measure_block(void *user, int64_t block, int thread) {
    clustering *c = user;
    int64_t high = (block + 1) * BLOCK < c->cols ? (block + 1) * BLOCK : c->cols;
    chi_similarity_room *room = &c->room[thread];
    for (int64_t j = block * BLOCK; j < high; j++) {
        int64_t count = column_to_group(c, room, j);
        c->nearest[j] = 0;
        for (int64_t e = 0; e < count; e++)
            c->nearest[j] +=
                room->value[e] * (double)c->mean[c->cluster[j] + room->index[e] * c->rank];
    }
}

ch_status chi_kmeans_columns(ch_context *context, int64_t *columns, int64_t *found,
                             const ch_matrix *X, int64_t rank, ch_random *random) {
    clustering c = {.context = context, .arena = {.context = context}, .rank = rank};
    ch_status status = chi_similarity_create(&c.arena, &c.alike, X, CH_SIMILARITY_COSINE);
    if (status == CH_OK) status = reserve(&c, X);
    if (status == CH_OK) status = start(&c, random);
    if (status == CH_OK) status = run_rounds(&c, ROUNDS);
    if (status == CH_OK) status = chi_parallel_until(context, block_count(&c), assign_block, &c);
    if (status == CH_OK) status = chi_parallel_until(context, block_count(&c), measure_block, &c);
    if (status == CH_OK) {
        take_nearest(&c, columns);
        for (int64_t k = 0; k < rank; k++)
            if (columns[k] >= 0) columns[(*found)++] = columns[k];
        if (*found < rank) status = CH_STOP_COMPLETE;
    }
    chi_arena_free(&c.arena);
    return chi_outside_status(status);
}

/* ---- central columns ---- */

static ch_status weigh_rarer_rows(clustering *c) {
    const ch_matrix *X = c->alike.X;
    c->factor = chi_arena_doubles(&c->arena, X->rows);
    TRY(chi_arena_status(&c->arena, "k-means"));
    for (int64_t t = 0; t < X->rows; t++) {
        double holders = (double)(c->alike.start[t + 1] - c->alike.start[t]);
        c->factor[t] = sqrt(log((1 + (double)X->cols) / (1 + holders)) + 1);
    }
    return CH_OK;
}

/* A cluster without columns that may be exemplars keeps its start or, if that represents another
 * cluster, gets the column that is least similar to its mean. */
static void fill_empty(const clustering *c, int64_t *columns, const int64_t *start,
                       const int64_t *chosen, const char *may_be) {
    for (int64_t k = 0; k < c->rank; k++) {
        if (columns[k] >= 0) continue;
        int64_t least = -1;
        for (int64_t j = 0; j < c->alike.X->cols; j++) {
            int taken = c->cluster[j] < 0 || !may_be[j] || columns[c->cluster[j]] == j;
            for (int64_t i = 0; i < k; i++) taken |= columns[i] == j;
            if (taken) continue;
            if (j == start[chosen[k]]) {
                least = j;
                break;
            }
            if (least < 0 || c->nearest[j] < c->nearest[least]) least = j;
        }
        columns[k] = least;
    }
}

/* Many groups are small and converge in few rounds, so all ranks take about the same time. */
static int central_rounds(int64_t count) {
    enum { LEAST = 4, MOST = 20, COMPARED = 600 };
    return count > COMPARED / LEAST  ? LEAST
           : count < COMPARED / MOST ? MOST
                                     : (int)(COMPARED / count);
}

/* Goes on with `rank` of the groups; chosen: which. All columns are assigned anew. */
static ch_status keep_groups(clustering *c, int64_t *chosen, int64_t rank) {
    int64_t count = c->rank, rows = c->alike.X->rows;
    chi_group_means groups = {.mean = c->mean, .count = count, .rows = rows};
    int64_t *size = chi_arena_alloc_zero(&c->arena, count, sizeof *size);
    TRY(chi_arena_status(&c->arena, "groups of columns"));
    for (int64_t j = 0; j < c->cols; j++)
        if (c->cluster[j] >= 0) size[c->cluster[j]]++;
    groups.size = size;
    TRY(chi_choose_groups(c->context, chosen, rank, &groups));
    for (int64_t t = 0; t < rows; t++) /* old_mean is free until the next round */
        for (int64_t k = 0; k < rank; k++)
            c->old_mean[k + t * rank] = c->mean[chosen[k] + t * count];
    float *swap = c->mean;
    c->mean = c->old_mean;
    c->old_mean = swap;
    c->rank = rank;
    for (int64_t j = 0; j < c->cols; j++) c->cluster[j] = -1;
    return CH_OK;
}

/* The means of a sample, the first columns of a random order, are close to those of all columns, so
 * two rounds over all of them are enough. */
static ch_status settle(clustering *c, int64_t *chosen, int64_t rank) {
    enum { SAMPLE = 50000, KEPT = 3, LAST = 2 };
    int64_t all = c->alike.X->cols;
    c->cols = all < SAMPLE ? all : SAMPLE;
    TRY_OK(run_rounds(c, central_rounds(c->rank)));
    if (c->rank > rank) {
        TRY(keep_groups(c, chosen, rank));
        TRY_OK(run_rounds(c, KEPT));
    }
    if (c->cols == all) return CH_OK;
    c->cols = all;
    return run_rounds(c, LAST);
}

ch_status chi_central_columns(ch_context *context, int64_t *columns, int64_t rank,
                              const int64_t *start, int64_t count, const char *may_be,
                              const ch_matrix *X) {
    clustering c = {.context = context, .arena = {.context = context}, .rank = count};
    ch_status status = chi_similarity_create(&c.arena, &c.alike, X, CH_SIMILARITY_COSINE);
    if (status == CH_OK) status = reserve(&c, X);
    if (status == CH_OK) status = weigh_rarer_rows(&c);
    int64_t *chosen = chi_arena_alloc(&c.arena, count, sizeof *chosen);
    if (status == CH_OK) status = chi_arena_status(&c.arena, "groups of columns");
    if (status == CH_OK) {
        for (int64_t k = 0; k < count; k++) {
            start_mean(&c, k, start[k]);
            chosen[k] = k;
        }
        status = settle(&c, chosen, rank);
    }
    c.factor = NULL;
    if (status == CH_OK) status = average(&c);
    if (status == CH_OK) status = chi_parallel_until(context, block_count(&c), measure_block, &c);
    if (status == CH_OK) {
        chi_groups groups = {rank, c.cluster, c.nearest, may_be};
        status = chi_typical_columns(context, columns, &groups, &c.alike);
        if (status == CH_OK) fill_empty(&c, columns, start, chosen, may_be);
    }
    chi_arena_free(&c.arena);
    return chi_outside_status(status);
}
