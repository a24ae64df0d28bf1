/* The rank of the model that estimates missing entries (completion.c), from the data:
 *
 *     min over k   sum over hidden entries of  l(x_ij, y_ij),
 *
 * where y is the completion by a model of rank k of data in which a twentieth of the known entries
 * is hidden. A rank that is too small or too large estimates them badly (Owen and Perry, Bi-cross-
 * validation of the SVD and the nonnegative matrix factorization, 2009). The number of anchors is
 * not used: the same data must have the same estimates whatever number is requested, or a run that
 * chooses the number and a run with that number would select from different data.
 *
 * l is |x - y| for l1 and quantile, else (x - y)^2 y^(beta - 2), the loss near y. Ranks grow by
 * steps of a half until PATIENCE in a row are no better than the best; then the gaps around the best
 * are halved. A larger rank is better if it lowers the loss by GAIN; smaller differences are noise of
 * the hidden entries. The columns used are evenly spaced: as many as ENTRIES entries need, of which a
 * twentieth is hidden, but at least LEAST.
 *
 * Cost: that of about ten completions of these columns. */
#include "anchors/data/completion.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { ENTRIES = 40000, LEAST = 256, HIDDEN = 20, PATIENCE = 2 };
static const double GAIN = 0.01;

typedef struct hidden {
    ch_context *context;
    chi_incomplete part;     /* the columns, with hidden entries; its X is filled by each rank */
    double *X;               /* values of the columns                                          */
    unsigned char *mark;     /* ... and which are known                                        */
    double scale;            /* mean of the known entries                                      */
    int64_t best, low, high; /* the best rank; the nearest ranks that were worse           */
    double least;            /* loss of the best rank                                      */
} hidden;

/* Returns a number that has no pattern along rows or columns (the finaliser of SplitMix64). */
static uint64_t scramble(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Copies every step-th column and hides entries in it. */
static void hide(const hidden *h, const chi_incomplete *given) {
    int64_t rows = given->rows;
    for (int64_t k = 0; k < h->part.cols; k++) {
        int64_t from = k * given->cols / h->part.cols * rows, to = k * rows;
        memcpy(h->X + to, given->X + from, (size_t)rows * sizeof *h->X);
        memcpy(h->mark + to, given->mark + from, (size_t)rows);
        if (given->weight)
            memcpy((double *)(uintptr_t)h->part.weight + to, given->weight + from,
                   (size_t)rows * sizeof(double));
        unsigned char *shown = (unsigned char *)(uintptr_t)h->part.mark + to;
        for (int64_t i = 0; i < rows; i++)
            shown[i] = h->mark[to + i] &&
                       scramble(given->seed ^ scramble((uint64_t)(to + i))) % HIDDEN != 0;
    }
}

static double misfit(const hidden *h, double x, double y) {
    double exponent = chi_model_exponent(&h->part) - 2, near = CHI_MODEL_NEAR * h->scale;
    if (chi_model_has_corners(&h->part)) return fabs(x - y);
    return (x - y) * (x - y) * (exponent == 0 ? 1 : pow(fmax(y, near) / h->scale, exponent));
}

/* Sets *loss to the loss of the hidden entries for one rank, with the weights of the run. */
static ch_status try_rank(hidden *h, double *loss, int64_t rank) {
    int64_t rows = h->part.rows, count = rows * h->part.cols;
    const double *row_weight = h->part.row_weight;
    h->part.rank = rank;
    *loss = 0;
    for (int64_t e = 0; e < count; e++) h->part.X[e] = h->part.mark[e] ? h->X[e] : 0;
    TRY(chi_complete(h->context, &h->part));
    for (int64_t e = 0; e < count; e++) {
        if (!h->mark[e] || h->part.mark[e]) continue;
        double weight = h->part.weight ? h->part.weight[e] : 1;
        if (row_weight) weight *= row_weight[e % rows];
        if (weight > 0) *loss += weight * misfit(h, h->X[e], h->part.X[e]);
    }
    return CH_OK;
}

/* Returns whether a rank is better than the best. */
static int is_better(const hidden *h, int64_t rank, double loss) {
    return rank > h->best ? loss < (1 - GAIN) * h->least : (1 - GAIN) * loss <= h->least;
}

/* Tries a rank between h->low and h->high. */
static ch_status narrow(hidden *h, int64_t rank) {
    double loss;
    TRY(try_rank(h, &loss, rank));
    if (is_better(h, rank, loss)) {
        *(rank < h->best ? &h->high : &h->low) = h->best;
        h->best = rank;
        h->least = loss;
    } else {
        *(rank < h->best ? &h->low : &h->high) = rank;
    }
    return CH_OK;
}

static ch_status search(hidden *h, int64_t limit) {
    int64_t before = 0;
    int worse = 0;
    for (int64_t rank = 1; rank <= limit && worse < PATIENCE; rank += (rank + 1) / 2) {
        double loss;
        TRY(try_rank(h, &loss, rank));
        if (h->best == 0 || is_better(h, rank, loss)) {
            h->low = before;
            h->best = rank;
            h->high = limit + 1;
            h->least = loss;
            worse = 0;
        } else if (worse++ == 0) {
            h->high = rank;
        }
        before = rank;
    }
    while (h->high - h->low > 2) {
        int above = h->high - h->best >= h->best - h->low;
        TRY(narrow(h, above ? (h->best + h->high) / 2 : (h->low + h->best) / 2));
    }
    return CH_OK;
}

static ch_status reserve(hidden *h, chi_arena *arena) {
    int64_t count = h->part.rows * h->part.cols;
    h->X = chi_arena_doubles(arena, count);
    h->mark = chi_arena_alloc(arena, count, 1);
    h->part.X = chi_arena_doubles(arena, count);
    h->part.mark = chi_arena_alloc(arena, count, 1);
    if (h->part.weight) h->part.weight = chi_arena_doubles(arena, count);
    return chi_arena_status(arena, "the rank of the completion");
}

ch_status chi_model_rank(ch_context *context, int64_t *rank, const chi_incomplete *given) {
    hidden h = {.context = context, .part = *given};
    chi_arena arena = {.context = context};
    double sum = 0;
    h.part.shrunk = NULL;
    int64_t enough = ENTRIES / given->rows > LEAST ? ENTRIES / given->rows : LEAST;
    if (h.part.cols > enough) h.part.cols = enough;
    ch_status status = reserve(&h, &arena);
    if (status == CH_OK) {
        hide(&h, given);
        h.part.known = 0;
        for (int64_t e = 0; e < h.part.rows * h.part.cols; e++) {
            h.part.known += h.part.mark[e];
            if (h.part.mark[e]) sum += h.X[e];
        }
        h.scale = h.part.known > 0 ? sum / (double)h.part.known : 0;
        h.best = 0;
        status = h.scale > 0 ? search(&h, chi_model_rank_limit(&h.part)) : CH_OK;
    }
    *rank = h.best > 0 ? h.best : 1;
    chi_arena_free(&arena);
    return status;
}
