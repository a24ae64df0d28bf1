/* The rank of the model that estimates missing entries (completion.c), from the data:
 *
 *     min over k   sum over hidden entries of  l(x_ij, y_ij),
 *
 * where y is a model of rank k of data in which a twentieth of the known entries is hidden. A rank
 * that is too small or too large estimates them badly (Owen and Perry, Bi-cross-validation of the
 * SVD and the nonnegative matrix factorization, 2009). The number of anchors is not used: the same
 * data must have the same estimates whatever number is requested, or a run that chooses the number
 * and a run with that number would select from different data.
 *
 * l is |x - y| for l1 and quantile, else (x - y)^2 max(x, y)^(beta - 2), the loss near y. With y
 * alone a few models near zero would decide.
 *
 * The model grows from rank to rank (low_rank_model.h), so that a few rounds are enough for each:
 * until the loss of hidden entries falls by less than GAIN (*settles*), or is lower by CLEAR than
 * that of the best rank and falls by less than SLOW. Ranks grow by an eighth, at least by one,
 * until PATIENCE in a row are no better than the best; then the gaps around the best are halved. A
 * larger rank is better if it lowers the loss by GAIN; smaller differences are noise of the hidden
 * entries. A best rank that has not settled does so before it is compared with a rank that is not
 * clearly better, since a larger rank might gain by its rounds alone.
 *
 * The columns used are evenly spaced: as many as ENTRIES entries need, of which a twentieth is
 * hidden, but at least LEAST, or all if there are fewer. If there are more columns than
 * FEW_ENTRIES entries need, and more than FEW, a first pass uses only so many, and tries ranks up
 * to a PER_RANKth of their number. If PATIENCE ranks in a row are no better than its best, that
 * rank is the answer; else the second pass, on all columns used, begins with it.
 *
 * Cost: two or three rounds of fits for each rank tried. */
#include "anchors/data/completion.h"
#include "anchors/data/low_rank_model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENTRIES = 40000, LEAST = 256, FEW_ENTRIES = 20000, FEW = 128, PER_RANK = 12 };
enum { HIDDEN = 20, PATIENCE = 2, ROUNDS = 30, STEP = 8 };
static const double GAIN = 0.01, CLEAR = 0.1, SLOW = 0.1;

/* A fitted model: a copy. */
typedef struct fitted {
    int64_t rank;
    double loss; /* of the hidden entries   */
    int settled; /* more rounds would not lower the loss */
    double *U, *V;
} fitted;

typedef struct hidden {
    chi_incomplete part; /* the columns; hidden entries are not marked   */
    double *X;           /* values of the columns, hidden entries are 0  */
    double *top;         /* per row: the largest entry that is not hidden */
    int64_t *begin;      /* per column: the first of its hidden entries  */
    int64_t *row;        /* of the hidden entries: their rows, ...       */
    double *value;       /* ... values ...                               */
    double *weight;      /* ... and weights; NULL: all are 1             */
    double *estimate;    /* of the hidden entries of a column            */
    chi_model model;
    int fresh, settled;       /* V is not fitted yet; more rounds would not lower the loss     */
    fitted best, below, last; /* the best rank; the one tried before it; the one tried last    */
    int64_t above;            /* the lowest rank above the best that was no better             */
    int worse;                /* number of larger ranks in a row that were no better           */
} hidden;

static int64_t most_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Returns a number that has no pattern along rows or columns (the finaliser of SplitMix64). */
static uint64_t scramble(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Returns the place of used column k in the matrix. */
static int64_t column_of(const hidden *h, const chi_incomplete *given, int64_t k) {
    return k * given->cols / h->part.cols;
}

/* Copies evenly spaced columns, hides entries in them, and counts these. */
static void hide(hidden *h, const chi_incomplete *given) {
    int64_t rows = given->rows, count = 0;
    unsigned char *mark = (unsigned char *)(uintptr_t)h->part.mark;
    double *weight = (double *)(uintptr_t)h->part.weight;
    for (int64_t k = 0; k < h->part.cols; k++) {
        int64_t from = column_of(h, given, k) * rows, to = k * rows;
        h->begin[k] = count;
        for (int64_t i = 0; i < rows; i++) {
            int known = given->mark[from + i];
            int shown = known && scramble(given->seed ^ scramble((uint64_t)(to + i))) % HIDDEN != 0;
            double x = given->X[from + i];
            mark[to + i] = (unsigned char)shown;
            h->X[to + i] = shown ? x : 0;
            if (weight) weight[to + i] = given->weight[from + i];
            h->part.known += shown;
            if (shown && x > h->top[i]) h->top[i] = x;
            count += known && !shown;
        }
    }
    h->begin[h->part.cols] = count;
}

/* Lists the hidden entries. */
static void list_hidden(const hidden *h, const chi_incomplete *given) {
    int64_t rows = given->rows, count = 0;
    for (int64_t k = 0; k < h->part.cols; k++) {
        int64_t from = column_of(h, given, k) * rows;
        for (int64_t i = 0; i < rows; i++) {
            if (!given->mark[from + i] || h->part.mark[k * rows + i]) continue;
            double w = given->weight ? given->weight[from + i] : 1;
            h->row[count] = i;
            h->value[count] = given->X[from + i];
            if (h->weight) h->weight[count] = given->row_weight ? w * given->row_weight[i] : w;
            count++;
        }
    }
}

static double misfit(const hidden *h, double x, double y) {
    double scale = h->model.scale, near = CHI_MODEL_NEAR * scale;
    double exponent = chi_model_exponent(&h->part) - 2, size = fmax(fmax(x, y), near) / scale;
    if (chi_model_has_corners(&h->part)) return fabs(x - y);
    return (x - y) * (x - y) * (exponent == 0 ? 1 : pow(size, exponent));
}

/* Returns the loss of the hidden entries. */
static double loss_of(const hidden *h) {
    const chi_model *m = &h->model;
    double loss = 0;
    for (int64_t k = 0; k < h->part.cols; k++) {
        chi_model_entries entries = {.vector = m->U.vector,
                                     .width = m->width,
                                     .at = h->row + h->begin[k],
                                     .count = h->begin[k + 1] - h->begin[k]};
        m->loops->evaluate(h->estimate, &entries, m->V.vector + k * m->width);
        for (int64_t e = 0; e < entries.count; e++) {
            int64_t at = h->begin[k] + e;
            double y = chi_model_estimate(&h->part, h->estimate[e], h->top[h->row[at]]);
            double weight = h->weight ? h->weight[at] : 1;
            if (weight > 0) loss += weight * misfit(h, h->value[at], y);
        }
    }
    return loss;
}

/* Fits the model until the loss of the hidden entries, *loss, settles, or is clearly below `best`
 * and no longer falls fast. Least squares with fixed weights also end if it is clearly above `best`
 * after the first round; with other weights it may still fall far. NAN: only lets it settle. */
static ch_status fit(hidden *h, double *loss, double best) {
    chi_model *m = &h->model;
    double before;
    h->settled = 0;
    for (int round = 0; round < ROUNDS && !h->settled; round++) {
        m->plain = m->even || (h->fresh && round < 2);
        if (round > 0) TRY(chi_model_fit_rows(m));
        TRY(chi_model_fit_columns(m, NULL));
        before = *loss;
        *loss = loss_of(h);
        if (round == 0 && m->even && *loss > (1 + CLEAR) * best) break;
        if (round > 0 && *loss < (1 - CLEAR) * best && *loss >= (1 - SLOW) * before) break;
        h->settled = round > 0 && *loss >= (1 - GAIN) * before;
    }
    h->fresh = 0;
    return CH_OK;
}

/* Raises the rank of the model and fits it. Sets *loss to the loss of the hidden entries. */
static ch_status try_rank(hidden *h, double *loss, int64_t rank) {
    TRY(chi_model_grow(&h->model, rank));
    return fit(h, loss, h->best.rank > 0 ? h->best.loss : INFINITY);
}

static void store(const hidden *h, fitted *to, double loss) {
    const chi_model *m = &h->model;
    to->rank = m->rank;
    to->loss = loss;
    to->settled = h->settled;
    memcpy(to->U, m->U.vector, (size_t)(m->U.count * m->width) * sizeof(double));
    memcpy(to->V, m->V.vector, (size_t)(m->V.count * m->width) * sizeof(double));
}

/* Sets the model to a copy. A fit restores its residuals, unless chi_model_grow() computes them. */
static ch_status restore(hidden *h, const fitted *from) {
    chi_model *m = &h->model;
    chi_model_start(m, NULL, from->rank);
    memcpy(m->U.vector, from->U, (size_t)(m->U.count * m->width) * sizeof(double));
    memcpy(m->V.vector, from->V, (size_t)(m->V.count * m->width) * sizeof(double));
    return m->even ? CH_OK : chi_model_fit_columns(m, NULL);
}

/* Returns whether a rank is better than the best. */
static int is_better(const hidden *h, int64_t rank, double loss) {
    return rank > h->best.rank ? loss < (1 - GAIN) * h->best.loss
                               : (1 - GAIN) * loss <= h->best.loss;
}

static void exchange(fitted *a, fitted *b) {
    fitted c = *a;
    *a = *b;
    *b = c;
}

/* Tries a rank between the best and its neighbours. */
static ch_status narrow(hidden *h, int64_t rank) {
    double loss;
    TRY(restore(h, rank > h->best.rank ? &h->best : &h->below));
    TRY(try_rank(h, &loss, rank));
    if (is_better(h, rank, loss)) {
        if (rank < h->best.rank)
            h->above = h->best.rank;
        else
            exchange(&h->below, &h->best);
        store(h, &h->best, loss);
    } else if (rank < h->best.rank) {
        store(h, &h->below, loss);
    } else {
        h->above = rank;
    }
    return CH_OK;
}

/* If a larger rank is better, but not clearly, than a best rank that has not settled, lets that one
 * settle and tries the larger rank again. */
static ch_status try_larger(hidden *h, double *loss, int64_t rank) {
    TRY(try_rank(h, loss, rank));
    if (h->best.rank == 0 || h->best.settled || !is_better(h, rank, *loss)) return CH_OK;
    if (*loss < (1 - CLEAR) * h->best.loss) return CH_OK;
    TRY(restore(h, &h->best));
    TRY(fit(h, loss, NAN));
    store(h, &h->best, *loss);
    return try_rank(h, loss, rank);
}

/* Tries growing ranks, from `rank` on. */
static ch_status climb(hidden *h, int64_t rank, int64_t limit) {
    for (h->worse = 0; rank <= limit && h->worse < PATIENCE;
         rank += rank < STEP ? 1 : rank / STEP) {
        double loss;
        TRY(try_larger(h, &loss, rank));
        if (h->best.rank == 0 || is_better(h, rank, loss)) {
            exchange(&h->below, &h->last);
            store(h, &h->best, loss);
            h->above = limit + 1;
            h->worse = 0;
        } else if (h->worse++ == 0) {
            h->above = rank;
        }
        store(h, &h->last, loss);
    }
    return CH_OK;
}

/* Halves the gaps around the best rank. */
static ch_status close_gaps(hidden *h) {
    while (h->above - h->below.rank > 2) {
        int64_t low = h->below.rank, best = h->best.rank;
        TRY(narrow(h, h->above - best >= best - low ? (best + h->above) / 2 : (low + best) / 2));
    }
    return CH_OK;
}

/* Begins with a model that was found for fewer columns. */
static ch_status resume(hidden *h, const chi_incomplete *given, int64_t limit) {
    double loss;
    assert(given->rank <= limit);
    chi_model_start(&h->model, given->start, given->rank);
    TRY(fit(h, &loss, NAN));
    store(h, &h->best, loss);
    store(h, &h->last, loss);
    h->below.rank = given->rank - 1;
    h->above = limit + 1;
    return CH_OK;
}

static ch_status reserve(hidden *h, chi_arena *arena) {
    int64_t rows = h->part.rows, cols = h->part.cols, count = rows * cols;
    h->X = h->part.X = chi_arena_doubles(arena, count);
    h->part.mark = chi_arena_alloc(arena, count, 1);
    if (h->part.weight) h->part.weight = chi_arena_doubles(arena, count);
    h->top = chi_arena_alloc_zero(arena, rows, sizeof *h->top);
    h->begin = chi_arena_alloc(arena, cols + 1, sizeof *h->begin);
    h->estimate = chi_arena_doubles(arena, rows);
    return chi_arena_status(arena, "the rank of the completion");
}

static ch_status reserve_hidden(hidden *h, chi_arena *arena) {
    int64_t count = h->begin[h->part.cols];
    h->row = chi_arena_alloc(arena, count, sizeof *h->row);
    h->value = chi_arena_doubles(arena, count);
    if (h->part.weight || h->part.row_weight) h->weight = chi_arena_doubles(arena, count);
    return chi_arena_status(arena, "the rank of the completion");
}

static void reserve_copy(const hidden *h, chi_arena *arena, fitted *copy, int64_t limit) {
    int64_t width = limit + CHI_MODEL_PAD;
    *copy = (fitted){.U = chi_arena_doubles(arena, h->part.rows * width),
                     .V = chi_arena_doubles(arena, h->part.cols * width)};
}

/* Copies the vectors of the rows of the best model to given->start. */
static ch_status take_best(const hidden *h, chi_arena *arena, chi_incomplete *given) {
    int64_t rank = h->best.rank, width = chi_model_width(rank);
    double *start = chi_arena_doubles(arena, given->rows * rank);
    TRY(chi_arena_status(arena, "the rank of the completion"));
    for (int64_t i = 0; i < given->rows; i++)
        memcpy(start + i * rank, h->best.U + i * width, (size_t)rank * sizeof *start);
    given->rank = rank;
    given->start = start;
    return CH_OK;
}

/* Finds the best rank up to `limit`, from given->rank on. */
static ch_status search(ch_context *context, hidden *h, chi_arena *arena, chi_incomplete *given,
                        int64_t limit) {
    double sum = 0;
    TRY(reserve(h, arena));
    reserve_copy(h, arena, &h->best, limit);
    reserve_copy(h, arena, &h->below, limit);
    reserve_copy(h, arena, &h->last, limit);
    TRY(chi_arena_status(arena, "the rank of the completion"));
    hide(h, given);
    TRY(reserve_hidden(h, arena));
    list_hidden(h, given);
    for (int64_t e = 0; e < h->part.rows * h->part.cols; e++) sum += h->X[e];
    if (sum == 0) return CH_OK;
    TRY(chi_model_create(context, &h->model, &h->part, limit, h->part.cols,
                         sum / (double)h->part.known, 1));
    if (given->start) TRY(resume(h, given, limit));
    return climb(h, h->best.rank + 1, limit);
}

ch_status chi_model_rank(ch_context *context, chi_arena *arena, chi_incomplete *given) {
    ch_status status = CH_OK;
    given->start = NULL;
    for (int few = 1, done = 0; status == CH_OK && !done; few = 0) {
        int64_t cols = most_of((few ? FEW_ENTRIES : ENTRIES) / given->rows, few ? FEW : LEAST);
        hidden h = {.part = *given, .fresh = 1};
        chi_arena own = {.context = context};
        few = few && given->cols > cols;
        if (h.part.cols > cols) h.part.cols = cols;
        h.part.shrunk = NULL;
        h.part.known = 0;
        int64_t limit = chi_model_rank_limit(&h.part);
        if (few && limit > h.part.cols / PER_RANK) limit = h.part.cols / PER_RANK;
        status = search(context, &h, &own, given, limit);
        done = !few || h.worse == PATIENCE;
        if (status == CH_OK && done) status = close_gaps(&h);
        if (status == CH_OK && h.best.rank > 0) status = take_best(&h, arena, given);
        chi_model_free(&h.model);
        chi_arena_free(&own);
    }
    if (status != CH_OK || given->start) return status;
    given->rank = 1; /* nothing is known in these columns */
    given->start = chi_arena_alloc_zero(arena, given->rows, sizeof *given->start);
    return chi_arena_status(arena, "the rank of the completion");
}
