/* Facility location: r columns S such that every column i is similar to one of them,
 *
 *     max_{|S| = r}  f(S) = sum_i max_{j in S} s_ij,       0 <= s_ij <= 1,
 *
 * by the greedy rule, which takes the column of the largest gain f(S + j) - f(S) and reaches 1 -
 * 1/e of the optimum (G. Nemhauser, L. Wolsey, M. Fisher, Mathematical Programming 14, 1978). Gains
 * never grow, so an earlier gain is an upper bound: the gain of a column is recomputed only when
 * its bound is the largest (M. Minoux 1978). This holds in floating point, too: every term (s_ij -
 * c_i)+ falls when c_i = max_{j in S} s_ij grows, they are always added in the same order, and
 * rounding keeps order; the choice is that of the plain rule to the bit, ties to the lower column.
 *
 * The same bounds give a certificate (Nemhauser and others, eq. 2.2): for every S on the way,
 *
 *     optimum  <=  f(S) + the sum of the r largest gains (or their bounds),
 *
 * also if S has more than r columns.
 *
 * Memory: the inverted index and a few numbers per column. A gain costs the entries of the rows of
 * its column, so all gains cost the square of the number of columns. If there are very many
 * columns, which come in a random order, the first ones are used as a sample. Gains are computed in
 * batches of a fixed size, so that the certificate and the number of gains do not depend on the
 * number of threads. */
#include "text/exemplars/facility.h"
#include "linalg/linalg.h"
#include "text/exemplars/similarity.h"
#include <math.h>
#include <string.h>

enum { BATCH = 8 }; /* gains computed together: a step wastes at most seven */

/* A bound by another formula may be smaller than the gain by rounding: sums of up to 2^31 terms of
 * size up to 1. */
static const double rounding = 1e-6;

typedef struct entry {
    int32_t column;
    float s;
} entry;

typedef struct kept_list {
    int64_t start, count; /* in the pool; count -1: there is none */
} kept_list;

typedef struct facility {
    ch_context *context;
    chi_arena arena;
    chi_similarity alike;
    int64_t cols;
    float *cover;   /* cols: c_i                                                */
    double *bound;  /* cols: upper bound of its gain; 0 once chosen             */
    int32_t *step;  /* cols: step of the bound, which is exact in that step     */
    int64_t *heap;  /* columns, the largest bound first, then the lower column  */
    int64_t held;   /* number of columns in the heap                            */
    int64_t *batch; /* BATCH columns                                            */
    float *rows;    /* BATCH x cols: their similarities                         */
    entry *pool;    /* pool_size: lists of the columns that matter for a column */
    int64_t pool_size, pool_used, list_most;
    int64_t pool_live; /* entries of lists; the rest of pool_used is free after tidying */
    kept_list *lists;  /* cols */
    int64_t *listed;   /* columns that have one, in the order of their lists */
    int64_t list_count;
    const char *may_be;        /* cols: 0: it is never chosen; NULL: all may be     */
    double *sorted;            /* cols, for the certificate                         */
    double *row_sum;           /* 4 x rows, for bounds                              */
    double *slopes;            /* cols: a(c_i), for bounds; -1: c_i is next to zero */
    chi_similarity_room *room; /* per thread                                        */
} facility;

/* ---- a heap of columns ---- */

static int before(const facility *f, int64_t a, int64_t b) {
    return f->bound[a] > f->bound[b] || (f->bound[a] == f->bound[b] && a < b);
}

static void sift_down(facility *f, int64_t at) {
    int64_t *heap = f->heap, column = heap[at];
    for (int64_t child; (child = 2 * at + 1) < f->held; at = child) {
        if (child + 1 < f->held && before(f, heap[child + 1], heap[child])) child++;
        if (!before(f, heap[child], column)) break;
        heap[at] = heap[child];
    }
    heap[at] = column;
}

static int64_t pop(facility *f) {
    int64_t first = f->heap[0];
    f->heap[0] = f->heap[--f->held];
    if (f->held) sift_down(f, 0);
    return first;
}

static void push(facility *f, int64_t column) {
    int64_t at = f->held++, *heap = f->heap;
    for (; at > 0 && before(f, column, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = column;
}

/* ---- gains ----
 *
 * Columns that are covered so well that j adds nothing never matter for j again. Once they are most
 * of all, the others are kept as a list, and the next gain of j is a walk over that list: the
 * same sum without its zeros. */

/* 512 MB: 20,000 documents take two thirds of the time that they take with 256 MB. */
enum { POOL = 1 << 26, LIST_LEAST = 256, TIDY = 8 /* tidied if this part is freed */ };

/* Gains are sums of eight sums, of the columns i = 0, 1, ..., 7 mod 8, so that they are computed
 * together. A row and a list add the same terms in the same order. */
enum { LANES = 8 };

static double add_lanes(const double lane[LANES]) {
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static double gain_of_row(const facility *f, const float *s) {
    const float *restrict cover = f->cover;
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= f->cols; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double gain = (double)s[i + l] - (double)cover[i + l];
            lane[l] += gain > 0 ? gain : 0;
        }
    for (; i < f->cols; i++)
        if (s[i] > cover[i]) lane[i % LANES] += (double)s[i] - (double)cover[i];
    return add_lanes(lane);
}

/* Computes the gain from the list and removes columns covered since. */
static double gain_of_list(const facility *f, kept_list *list) {
    entry *at = f->pool + list->start;
    int64_t count = list->count;
    double lane[LANES] = {0};
    list->count = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!(at[k].s > f->cover[at[k].column])) continue;
        lane[(uint32_t)at[k].column % LANES] += (double)at[k].s - (double)f->cover[at[k].column];
        at[list->count++] = at[k];
    }
    return add_lanes(lane);
}

static void compute_gain(void *user, int64_t k, int thread) {
    facility *f = user;
    int64_t j = f->batch[k];
    kept_list *list = &f->lists[j];
    if (list->count >= 0) {
        f->bound[j] = gain_of_list(f, list);
        return;
    }
    chi_similarity_row(&f->alike, &f->room[thread], f->rows + k * f->cols, j);
    f->bound[j] = gain_of_row(f, f->rows + k * f->cols);
}

/* Compacts the lists. */
static void tidy_pool(facility *f) {
    int64_t to = 0;
    for (int64_t k = 0; k < f->list_count; k++) {
        int64_t j = f->listed[k];
        kept_list *list = &f->lists[j];
        memmove(f->pool + to, f->pool + list->start, (size_t)list->count * sizeof *f->pool);
        list->start = to;
        to += list->count;
    }
    f->pool_used = to;
}

static void keep_row(facility *f, int64_t j, const float *s) {
    int64_t count = 0;
    for (int64_t i = 0; i < f->cols; i++) count += s[i] > f->cover[i];
    if (count > f->list_most) return;
    if (f->pool_used + count > f->pool_size) {
        int64_t freed = f->pool_used - f->pool_live;
        if (freed < f->pool_size / TIDY || freed < count) return;
        tidy_pool(f);
    }
    kept_list *list = &f->lists[j];
    *list = (kept_list){f->pool_used, 0};
    for (int64_t i = 0; i < f->cols; i++)
        if (s[i] > f->cover[i]) f->pool[f->pool_used + list->count++] = (entry){(int32_t)i, s[i]};
    f->pool_used += list->count;
    f->pool_live += list->count;
    f->listed[f->list_count++] = j;
}

/* Returns the entries of the lists of the first `count` columns of the batch. */
static int64_t listed_entries(const facility *f, int64_t count) {
    int64_t entries = 0;
    for (int64_t k = 0; k < count; k++)
        if (f->lists[f->batch[k]].count > 0) entries += f->lists[f->batch[k]].count;
    return entries;
}

/* Recomputes gains of columns at the top of the heap that are not of this step. Returns how
 * many. */
static int64_t refresh(facility *f, int32_t step) {
    int64_t count = 0;
    while (count < BATCH && f->held && f->step[f->heap[0]] != step && f->bound[f->heap[0]] > 0)
        f->batch[count++] = pop(f);
    f->pool_live -= listed_entries(f, count);
    chi_parallel(f->context, count, compute_gain, f);
    f->pool_live += listed_entries(f, count);
    for (int64_t k = 0; k < count; k++) {
        int64_t j = f->batch[k];
        f->step[j] = step;
        push(f, j);
        if (f->lists[j].count < 0) keep_row(f, j, f->rows + k * f->cols);
    }
    return count;
}

/* ---- bounds of all gains in one pass over the entries ----
 *
 * (s - c)+ lies below a line through zero, a(c) s, for 0 <= s <= 1:
 *
 *     s = <z_i, z_j>        a = 1 - c                            since s - c <= s - s c
 *     s = <z_i, z_j>^(1/2)  a = 1 / (4 c), or 1 - c from c = 1/2 on, of <z_i, z_j>
 *
 * so gain_j <= <z_j, u>, u = sum_i a(c_i) z_i; for l1 <= sum_t min(u_t, z_tj A_t), where A_t is the
 * sum of a(c_i) over the columns that have row t. Columns with c_i next to zero, where 1 / (4 c) is
 * useless, are bounded apart by Cauchy and Schwarz: of at most n of them, with v = sum_i z_i, sum_i
 * <z_i, z_j>^(1/2) <= (n <z_j, v>)^(1/2). */

typedef struct row_sums {
    double *u, *weight; /* rows: u_t and A_t              */
    double *v, *bare;   /* rows: v_t, columns in that sum */
    double bare_cols;
} row_sums;

static double slope(const facility *f, double cover) {
    if (f->alike.kind == CH_SIMILARITY_ROOT && cover < 0.5) return cover < 0.05 ? -1 : 0.25 / cover;
    return fmax(1 - cover, 0); /* rounding may exceed 1 */
}

static row_sums sum_rows(const facility *f) {
    const chi_similarity *alike = &f->alike;
    int64_t rows = alike->X->rows;
    double *r = f->row_sum;
    row_sums to = {r, r + rows, r + 2 * rows, r + 3 * rows, 0};
    memset(r, 0, (size_t)(4 * rows) * sizeof *r);
    for (int64_t t = 0; t < rows; t++)
        for (int64_t k = alike->start[t]; k < alike->start[t + 1]; k++) {
            double a = f->slopes[alike->column[k]], z = alike->value[k];
            to.u[t] += a < 0 ? 0 : a * z;
            to.weight[t] += a < 0 ? 0 : a;
            to.v[t] += a < 0 ? z : 0;
            to.bare[t] += a < 0;
        }
    for (int64_t i = 0; i < f->cols; i++) to.bare_cols += f->slopes[i] < 0;
    return to;
}

static void lower_bounds(facility *f) {
    chi_similarity_room *room = &f->room[0];
    int l1 = f->alike.kind == CH_SIMILARITY_L1;
    for (int64_t i = 0; i < f->cols; i++) f->slopes[i] = slope(f, (double)f->cover[i]);
    row_sums sums = sum_rows(f);
    for (int64_t j = 0; j < f->cols; j++) {
        if (!(f->bound[j] > 0)) continue;
        int64_t count = chi_similarity_column(&f->alike, room, j);
        double sum = 0, rest = 0, holders = 0;
        for (int64_t k = 0; k < count; k++) {
            int64_t t = room->index[k];
            double z = room->value[k];
            sum += l1 ? fmin(sums.u[t], z * sums.weight[t]) : z * sums.u[t];
            rest += z * sums.v[t];
            holders += sums.bare[t];
        }
        sum += sqrt(fmin(holders, sums.bare_cols) * rest);
        sum += rounding * (sum + 1);
        if (sum < f->bound[j]) f->bound[j] = sum;
    }
    for (int64_t at = f->held / 2; at-- > 0;) sift_down(f, at);
}

/* ---- the steps ---- */

static double largest_sum(facility *f, int64_t rank) {
    double sum = 0;
    memcpy(f->sorted, f->bound, (size_t)f->cols * sizeof *f->sorted);
    if (rank < f->cols) chi_select_value(f->sorted, f->cols, f->cols - rank);
    for (int64_t k = f->cols - rank; k < f->cols; k++) sum += f->sorted[k];
    return sum;
}

static void choose(facility *f, int64_t j) {
    float *s = f->rows;
    chi_similarity_row(&f->alike, &f->room[0], s, j);
    for (int64_t i = 0; i < f->cols; i++)
        if (s[i] > f->cover[i]) f->cover[i] = s[i];
    f->bound[j] = 0;
}

/* Reserves the memory for bounds. */
static ch_status reserve_bounds(facility *f, const ch_matrix *X) {
    chi_arena *arena = &f->arena;
    int threads = ch_context_threads(f->context);
    f->cols = X->cols;
    f->cover = chi_arena_alloc_zero(arena, X->cols, sizeof *f->cover);
    f->bound = chi_arena_doubles(arena, X->cols);
    f->sorted = chi_arena_doubles(arena, X->cols);
    f->row_sum = chi_arena_doubles(arena, 4 * X->rows);
    f->slopes = chi_arena_doubles(arena, X->cols);
    f->room = chi_arena_alloc(arena, threads, sizeof *f->room);
    TRY(chi_arena_status(arena, "facility location"));
    for (int t = 0; t < threads; t++) chi_similarity_reserve(arena, &f->room[t], X);
    return chi_arena_status(arena, "facility location");
}

/* Reserves the other memory for the steps. */
static ch_status reserve_steps(facility *f, const ch_matrix *X) {
    chi_arena *arena = &f->arena;
    f->step = chi_arena_alloc(arena, X->cols, sizeof *f->step);
    f->heap = chi_arena_alloc(arena, X->cols, sizeof *f->heap);
    f->batch = chi_arena_alloc(arena, BATCH, sizeof *f->batch);
    f->rows = chi_arena_alloc(arena, BATCH * X->cols, sizeof *f->rows);
    f->pool_size = X->cols < POOL / X->cols ? X->cols * X->cols : POOL;
    f->list_most =
        LIST_LEAST > 4 * f->pool_size / X->cols ? LIST_LEAST : 4 * f->pool_size / X->cols;
    f->pool = chi_arena_alloc(arena, f->pool_size, sizeof *f->pool);
    f->lists = chi_arena_alloc(arena, X->cols, sizeof *f->lists);
    f->listed = chi_arena_alloc(arena, X->cols, sizeof *f->listed);
    return chi_arena_status(arena, "facility location");
}

static int is_candidate(const facility *f, int64_t j) {
    return f->alike.scale[j] > 0 && (!f->may_be || f->may_be[j]);
}

/* Returns the number of columns that are not zero. */
static int64_t count_used(const facility *f) {
    int64_t used = 0;
    for (int64_t j = 0; j < f->cols; j++) used += f->alike.scale[j] > 0;
    return used;
}

static void fill_heap(facility *f) {
    for (int64_t j = 0; j < f->cols; j++) {
        f->step[j] = -1;
        f->lists[j].count = -1;
        f->bound[j] = is_candidate(f, j) ? INFINITY : 0;
        if (f->bound[j] > 0) f->heap[f->held++] = j;
    }
    lower_bounds(f);
}

/* Bounds by lines become less useful, so a pass is made in steps 1, 2, 4, 8, ... */
static int is_power_of_two(int64_t step) {
    return (step & (step - 1)) == 0;
}

static ch_status run_steps(facility *f, chi_facility_result *to, int64_t rank) {
    int64_t bounded = to->bounded ? to->bounded : rank;
    double optimum = fmin((double)count_used(f), largest_sum(f, bounded)); /* similarities <= 1 */
    for (int32_t step = 0; step < rank; step++) {
        while (f->held && f->bound[f->heap[0]] > 0 && f->step[f->heap[0]] != step) {
            to->gains += refresh(f, step);
            if (chi_notify(f->context, "exemplars", step, rank, -1, to->value))
                return CH_STOP_CANCELLED;
        }
        if (!f->held || !(f->bound[f->heap[0]] > 0)) return CH_STOP_COMPLETE;
        to->value += f->bound[f->heap[0]];
        to->columns[to->found++] = f->heap[0];
        choose(f, pop(f));
        if (is_power_of_two(step + 1)) lower_bounds(f);
        optimum = fmin(optimum, to->value + largest_sum(f, bounded));
        to->optimum = optimum;
    }
    return CH_OK;
}

static ch_status locate(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                        int64_t rank, ch_similarity kind) {
    facility f = {.context = context, .arena = {.context = context}, .may_be = to->may_be};
    ch_status status = chi_similarity_create(&f.arena, &f.alike, X, kind);
    if (status == CH_OK) status = reserve_bounds(&f, X);
    if (status == CH_OK) status = reserve_steps(&f, X);
    if (status == CH_OK) {
        fill_heap(&f);
        status = run_steps(&f, to, rank);
    }
    chi_arena_free(&f.arena);
    return chi_outside_status(status);
}

/* ---- more columns than gains can be computed of ---- */

/* Sets cover, bound and optimum as after taking the columns of `to` one by one. A value is at most
 * the number of non-zero columns. */
static ch_status take_given(facility *f, chi_facility_result *to, int64_t rank) {
    double optimum = (double)count_used(f);
    for (int64_t j = 0; j < f->cols; j++) f->bound[j] = is_candidate(f, j) ? INFINITY : 0;
    lower_bounds(f);
    for (int64_t k = 0; k < to->found; k++) {
        choose(f, to->columns[k]);
        if (chi_notify(f->context, "exemplars", k + 1, to->found, -1, 0)) return CH_STOP_CANCELLED;
        if (!is_power_of_two(k + 1) && k + 1 < to->found) continue;
        double value = 0;
        for (int64_t i = 0; i < f->cols; i++) value += (double)f->cover[i];
        lower_bounds(f);
        optimum = fmin(optimum, value + largest_sum(f, rank < f->cols ? rank : f->cols));
        to->value = value;
    }
    to->optimum = optimum;
    return CH_OK;
}

ch_status chi_facility_rate(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                            int64_t rank, ch_similarity kind) {
    facility f = {.context = context, .arena = {.context = context}, .may_be = to->may_be};
    ch_status status = chi_similarity_create(&f.arena, &f.alike, X, kind);
    if (status == CH_OK) status = reserve_bounds(&f, X);
    f.rows = chi_arena_alloc(&f.arena, X->cols, sizeof *f.rows);
    if (status == CH_OK) status = chi_arena_status(&f.arena, "facility location");
    if (status == CH_OK) status = take_given(&f, to, rank);
    chi_arena_free(&f.arena);
    return chi_outside_status(status);
}

ch_status chi_facility(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                       int64_t rank, ch_similarity kind, int64_t sample) {
    ch_matrix part = *X;
    part.owner = NULL;
    if (sample < rank) sample = rank;
    to->sampled = X->cols > sample;
    if (to->sampled) part.cols = sample;
    to->sample = part.cols;
    return locate(context, to, &part, rank, kind);
}
