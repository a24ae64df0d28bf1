/* The usual baseline: k-means on columns of length 1, and of each cluster the column nearest to its
 * mean.
 *
 *     max over clusters  sum_j <z_j, m_k(j)>,     m_k = sum of the z_j of cluster k, to length 1
 *
 * (I. Dhillon and D. Modha, Machine Learning 42, 2001), from a start by k-means++ (D. Arthur and
 * S. Vassilvitskii 2007: the next mean is a column drawn with a chance that grows with 1 - s to the
 * nearest one so far). O(entries x rank) per round, and rows x rank numbers. */
#include "text/exemplars/kmeans_columns.h"
#include "text/exemplars/similarity.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 50, BLOCK = 256 };

typedef struct clustering {
    ch_context *context;
    chi_arena arena;
    chi_similarity alike;
    int64_t rank;
    double *mean;              /* rank x rows, column-major: a row's values lie together      */
    double *size;              /* rank                                                        */
    double *nearest;           /* cols: similarity with the mean of its cluster, or, at first,
                                  with the nearest column drawn                               */
    float *row;                /* cols                                                        */
    int32_t *cluster;          /* cols; -1: a column of zeros                                 */
    int32_t *old;              /* cols                                                        */
    double *products;          /* rank per thread                                             */
    chi_similarity_room *room; /* per thread */
} clustering;

static ch_status reserve(clustering *c, const ch_matrix *X) {
    chi_arena *arena = &c->arena;
    int threads = ch_context_threads(c->context);
    c->mean = chi_arena_doubles(arena, c->rank * X->rows);
    c->size = chi_arena_doubles(arena, c->rank);
    c->nearest = chi_arena_alloc_zero(arena, X->cols, sizeof *c->nearest);
    c->row = chi_arena_alloc(arena, X->cols, sizeof *c->row);
    c->cluster = chi_arena_alloc(arena, X->cols, sizeof *c->cluster);
    c->old = chi_arena_alloc_zero(arena, X->cols, sizeof *c->old);
    c->products = chi_arena_doubles(arena, threads * c->rank);
    c->room = chi_arena_alloc(arena, threads, sizeof *c->room);
    TRY(chi_arena_status(arena, "k-means"));
    for (int t = 0; t < threads; t++) chi_similarity_reserve(arena, &c->room[t], X);
    return chi_arena_status(arena, "k-means");
}

/* ---- the start ---- */

/* A column drawn with a chance of 1 - nearest; -1: none is left. */
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

/* Fills mean; returns how many columns were drawn. */
static int64_t start(clustering *c, ch_random *random) {
    const ch_matrix *X = c->alike.X;
    memset(c->mean, 0, (size_t)(c->rank * X->rows) * sizeof *c->mean);
    for (int64_t k = 0; k < c->rank; k++) {
        int64_t j = draw(c, random);
        if (j < 0) return k;
        int64_t count = chi_similarity_column(&c->alike, &c->room[0], j);
        for (int64_t e = 0; e < count; e++)
            c->mean[k + c->room[0].index[e] * c->rank] = c->room[0].value[e];
        chi_similarity_row(&c->alike, &c->room[0], c->row, j);
        for (int64_t i = 0; i < X->cols; i++)
            c->nearest[i] = fmax(c->nearest[i], (double)c->row[i]);
        c->nearest[j] = 1; /* whatever rounding says */
    }
    return c->rank;
}

/* ---- rounds ---- */

static void assign_block(void *user, int64_t block, int thread) {
    clustering *c = user;
    int64_t cols = c->alike.X->cols, rank = c->rank;
    int64_t high = (block + 1) * BLOCK < cols ? (block + 1) * BLOCK : cols;
    double *products = c->products + thread * rank;
    for (int64_t j = block * BLOCK; j < high; j++) {
        int64_t count = chi_similarity_column(&c->alike, &c->room[thread], j);
        memset(products, 0, (size_t)rank * sizeof *products);
        for (int64_t e = 0; e < count; e++) {
            const double *mean = c->mean + c->room[thread].index[e] * rank;
            double z = c->room[thread].value[e];
            for (int64_t k = 0; k < rank; k++) products[k] += z * mean[k];
        }
        int32_t best = 0;
        for (int32_t k = 1; k < rank; k++)
            if (products[k] > products[best]) best = k;
        c->cluster[j] = count ? best : -1;
        c->nearest[j] = products[best];
    }
}

/* A cluster that has become empty has no mean any more. */
static void average(clustering *c) {
    const ch_matrix *X = c->alike.X;
    int64_t rank = c->rank;
    memset(c->mean, 0, (size_t)(rank * X->rows) * sizeof *c->mean);
    memset(c->size, 0, (size_t)rank * sizeof *c->size);
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t count = chi_similarity_column(&c->alike, &c->room[0], j);
        for (int64_t e = 0; e < count; e++)
            c->mean[c->cluster[j] + c->room[0].index[e] * rank] += c->room[0].value[e];
    }
    for (int64_t e = 0; e < rank * X->rows; e++) c->size[e % rank] += c->mean[e] * c->mean[e];
    for (int64_t e = 0; e < rank * X->rows; e++)
        if (c->mean[e] > 0) c->mean[e] /= sqrt(c->size[e % rank]);
}

/* columns: of each cluster that has any the one nearest to its mean, ties to the lower. */
static int64_t take_nearest(const clustering *c, int64_t *columns) {
    int64_t found = 0;
    for (int64_t k = 0; k < c->rank; k++) {
        int64_t best = -1;
        for (int64_t j = 0; j < c->alike.X->cols; j++)
            if (c->cluster[j] == k && (best < 0 || c->nearest[j] > c->nearest[best])) best = j;
        if (best >= 0) columns[found++] = best;
    }
    return found;
}

static ch_status run(clustering *c, int64_t *columns, int64_t *found) {
    int64_t cols = c->alike.X->cols, blocks = (cols + BLOCK - 1) / BLOCK;
    for (int round = 0; round < ROUNDS; round++) {
        chi_parallel(c->context, blocks, assign_block, c);
        if (round > 0 && !memcmp(c->cluster, c->old, (size_t)cols * sizeof *c->old)) break;
        memcpy(c->old, c->cluster, (size_t)cols * sizeof *c->old);
        average(c);
        if (chi_notify(c->context, "k-means", round + 1, ROUNDS, -1, 0)) return CH_STOP_CANCELLED;
    }
    chi_parallel(c->context, blocks, assign_block, c);
    *found = take_nearest(c, columns);
    return CH_OK;
}

ch_status chi_kmeans_columns(ch_context *context, int64_t *columns, int64_t *found,
                             const ch_matrix *X, int64_t rank, ch_random *random) {
    clustering c = {.context = context, .arena = {.context = context}, .rank = rank};
    ch_status status = chi_similarity_create(&c.arena, &c.alike, X, CH_SIMILARITY_COSINE);
    if (status == CH_OK) status = reserve(&c, X);
    if (status == CH_OK) {
        int64_t drawn = start(&c, random);
        status = drawn > 0 ? run(&c, columns, found) : CH_STOP_COMPLETE;
        if (status == CH_OK && *found < rank) status = CH_STOP_COMPLETE;
    }
    chi_arena_free(&c.arena);
    return status;
}
