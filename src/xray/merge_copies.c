/* Proportional columns are one ray: the lowest index stands for them, the others can never be
 * anchors. (216 of the 2225 documents of BBC are copies of another one up to scale.)
 *
 * A random g > 0 gives every column the key g'x / 1'x, which proportional columns share up to
 * rounding and others share with probability about 1e-11. Only columns with equal keys are
 * compared entry by entry, so the cost is the pass that makes g'X and a sort.
 *
 * Over several processes the keys of each are broadcast once (8 bytes a column), and every process
 * notes which of its columns share a key with any other: few. Those are listed on all processes, so
 * that all see the same groups; a column of a group is broadcast when a later one of another
 * process may be its copy. */
#include "xray/select.h"

#include <math.h>
#include <string.h>

enum { BINS = 4096 };    /* of a sort */
enum { ANNOUNCED = 64 }; /* columns of a group asked for at once, in bounded memory */
/* Keys of proportional columns agree to the rounding of two sums of `rows` terms. */
static const double KEY_WIDTH = 1e-11;

typedef struct keyed {
    double key;
    int64_t column;
} keyed;

static int before(const keyed *a, const keyed *b) {
    return a->key < b->key || (a->key == b->key && a->column < b->column);
}

static void sift(keyed *list, int64_t at, int64_t count) {
    keyed moving = list[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&list[child], &list[child + 1])) child++;
        if (!before(&moving, &list[child])) break;
        list[at] = list[child];
    }
    list[at] = moving;
}

/* In place, and no worse on sorted lists: a heap sort. */
static void sort_few(keyed *list, int64_t count) {
    for (int64_t at = count / 2 - 1; at >= 0; at--) sift(list, at, count);
    for (int64_t last = count - 1; last > 0; last--) {
        keyed largest = list[0];
        list[0] = list[last];
        list[last] = largest;
        sift(list, 0, last);
    }
}

/* The bin of a key, rising with it. */
static int64_t bin_of(double key, double least, double scale) {
    return (int64_t)((key - least) * scale);
}

/* Into bins by key first, in place: what is left to sort in each is short. */
static void sort(keyed *list, int64_t count) {
    int64_t next[BINS] = {0}, end[BINS], before = 0;
    double least = INFINITY, most = -INFINITY;
    for (int64_t at = 0; at < count; at++) {
        least = list[at].key < least ? list[at].key : least;
        most = list[at].key > most ? list[at].key : most;
    }
    double scale = (BINS - 0.5) / (most - least);
    if (count < BINS || !(scale < 1 / KEY_WIDTH)) { /* few, or all nearly the same */
        sort_few(list, count);
        return;
    }
    for (int64_t at = 0; at < count; at++) next[bin_of(list[at].key, least, scale)]++;
    for (int bin = 0; bin < BINS; bin++) {
        before += next[bin];
        end[bin] = before;
        next[bin] = before - next[bin];
    }
    for (int bin = 0; bin < BINS; bin++)
        while (next[bin] < end[bin]) {
            keyed moving = list[next[bin]];
            int64_t home = bin_of(moving.key, least, scale);
            list[next[bin]] = list[next[home]];
            list[next[home]++] = moving;
        }
    for (int bin = 0; bin < BINS; bin++) {
        int64_t start = bin ? end[bin - 1] : 0;
        sort_few(list + start, end[bin] - start);
    }
}

/* x / 1'x = y / 1'y, with the same zeros and a distance that no direction tells from a tie. */
static int proportional(const chi_column *x, const chi_column *y) {
    if (x->count != y->count) return 0;
    double x_scale = 1 / x->sum, y_scale = 1 / y->sum, apart = 0;
    for (int64_t i = 0; i < x->count; i++) {
        double a = x->value[i] * x_scale, b = y->value[i] * y_scale;
        apart += fabs(a - b);
        if ((a > 0) != (b > 0) || (x->index && x->index[i] != y->index[i])) return 0;
    }
    return apart <= 2 * CHI_TIE; /* of their sums, 1 + 1 */
}

/* ---- which columns share a key ------------------------------------------------------------- */

/* Marks the keys, sorted, that another key of the list, or of the others (sorted too), is near. */
static void mark_near(unsigned char *near, const keyed *list, int64_t count, const double *others,
                      int64_t other_count) {
    int64_t low = 0;
    for (int64_t k = 0; k < count; k++) {
        while (low < other_count && others[low] < list[k].key - KEY_WIDTH) low++;
        near[k] |= low < other_count && others[low] - list[k].key <= KEY_WIDTH;
    }
}

/* The keys of each process are broadcast; what is near none is dropped. */
static ch_status drop_single(ch_context *context, keyed *list, int64_t *count, double *keys,
                             unsigned char *near, const int64_t *counts) {
    int64_t kept = 0;
    for (int64_t k = 0; k < *count; k++) {
        near[k] = (k > 0 && list[k].key - list[k - 1].key <= KEY_WIDTH) ||
                  (k + 1 < *count && list[k + 1].key - list[k].key <= KEY_WIDTH);
    }
    for (int r = 0; r < chi_process_count(context); r++) {
        int own = r == chi_process_index(context);
        for (int64_t k = 0; own && k < *count; k++) keys[k] = list[k].key;
        TRY(chi_broadcast(context, keys, counts[r], sizeof *keys, r));
        if (!own) mark_near(near, list, *count, keys, counts[r]);
    }
    for (int64_t k = 0; k < *count; k++)
        if (near[k]) list[kept++] = list[k];
    *count = kept;
    return CH_OK;
}

/* counts: how many each process has; returns the largest, or -1 if the exchange failed. */
static int64_t share_counts(ch_context *context, int64_t *counts, int64_t own) {
    const int64_t *all = chi_share(context, &own, sizeof own);
    int64_t most = all ? 0 : -1;
    for (int r = 0; all && r < chi_process_count(context); r++) {
        counts[r] = all[r];
        if (all[r] > most) most = all[r];
    }
    return most;
}

/* list[0..*count) of this process without the keys that occur once anywhere; counts: how many are
 * left to each process. */
static ch_status list_suspects(ch_context *context, int64_t *counts, keyed *list, int64_t *count) {
    chi_arena arena = {.context = context};
    int64_t most = share_counts(context, counts, *count);
    if (most < 0) return CH_ERR_IO;
    double *keys = chi_arena_doubles(&arena, most);
    unsigned char *near = chi_arena_alloc(&arena, *count, sizeof *near);
    ch_status status = ch_comm_agree(context, chi_arena_status(&arena, "keys of columns"));
    if (status == CH_OK) status = drop_single(context, list, count, keys, near, counts);
    chi_arena_free(&arena);
    if (status == CH_OK && share_counts(context, counts, *count) < 0) status = CH_ERR_IO;
    return status;
}

/* *list, of this process, becomes that of all, without the keys that occur once. */
static ch_status gather_suspects(ch_context *context, chi_arena *arena, keyed **list,
                                 int64_t *count) {
    int processes = chi_process_count(context);
    int64_t all = 0, before = 0;
    int64_t *counts = chi_arena_alloc(arena, processes, sizeof *counts);
    TRY(ch_comm_agree(context, chi_arena_status(arena, "processes")));
    TRY(list_suspects(context, counts, *list, count));
    for (int r = 0; r < processes; r++) {
        if (r == chi_process_index(context)) before = all;
        all += counts[r];
    }
    keyed *whole = chi_arena_alloc(arena, all, sizeof *whole);
    TRY(ch_comm_agree(context, chi_arena_status(arena, "keys of columns")));
    memcpy(whole + before, *list, (size_t)*count * sizeof **list);
    TRY(chi_share_lists(context, whole, counts, sizeof *whole));
    *list = whole;
    *count = all;
    return CH_OK;
}

/* ---- which of those are copies ------------------------------------------------------------- */

/* Two columns, and memory for one that comes from another process. */
typedef struct pair {
    const chi_distribution *spread;
    unsigned char *role;
    int32_t *index[2];
    double *value[2];
    double *dense;
    chi_column x[2];
} pair;

/* Column j of the whole, if it is free, into two->x[0] of this process, or of all when the columns
 * that it is compared with are elsewhere too. */
static ch_status load_first(pair *two, int *free_column, int64_t j, int all) {
    const chi_distribution *spread = two->spread;
    int64_t own = chi_distribution_local(spread, j);
    *free_column = own >= 0 && two->role[own] == CHI_FREE;
    if (*free_column)
        chi_column_load(chi_kernels_of(spread->context), &two->x[0], two->index[0], two->value[0],
                        spread->X, own);
    if (!all) return CH_OK;
    int owner = chi_distribution_owner(spread, j);
    TRY(chi_broadcast(spread->context, free_column, 1, sizeof *free_column, owner));
    if (!*free_column) return CH_OK;
    TRY(chi_distribution_column(spread, two->dense, j));
    if (own >= 0) return CH_OK;
    ch_matrix view = {
        .rows = spread->X->rows, .cols = 1, .values = two->dense, .stride = spread->X->rows};
    chi_column_load(chi_kernels_of(spread->context), &two->x[0], two->index[0], two->value[0],
                    &view, 0);
    return CH_OK;
}

/* Columns of a group come by rising index; each free one takes its copies. A group within one
 * process is left to that process. */
static ch_status merge_group(pair *two, const keyed *group, int64_t count) {
    const chi_distribution *spread = two->spread;
    int owner = chi_distribution_owner(spread, group[0].column);
    int all = owner != chi_distribution_owner(spread, group[count - 1].column);
    if (!all && chi_distribution_local(spread, group[0].column) < 0) return CH_OK;
    for (int64_t a = 0; a < count && a < ANNOUNCED; a++) {
        int64_t own = chi_distribution_local(spread, group[a].column);
        if (own >= 0) chi_prefetch_columns(spread->context, spread->X, own, own + 1);
    }
    for (int64_t a = 0; a + 1 < count; a++) {
        int free_column;
        chi_records_pace(spread->context);
        TRY(load_first(two, &free_column, group[a].column, all));
        if (!free_column) continue;
        for (int64_t b = a + 1; b < count; b++) {
            int64_t own = chi_distribution_local(spread, group[b].column);
            if (own < 0 || two->role[own] != CHI_FREE) continue;
            chi_records_pace(spread->context);
            chi_column_load(chi_kernels_of(spread->context), &two->x[1], two->index[1],
                            two->value[1], spread->X, own);
            if (proportional(&two->x[0], &two->x[1])) two->role[own] = CHI_COPY;
        }
    }
    return CH_OK;
}

static ch_status merge_sorted(pair *two, keyed *list, int64_t count) {
    for (int64_t low = 0, high; low < count; low = high) {
        high = low + 1;
        while (high < count && list[high].key - list[high - 1].key <= KEY_WIDTH) high++;
        if (high - low < 2) continue;
        for (int64_t i = low; i < high; i++) list[i].key = 0; /* now by index alone */
        sort_few(list + low, high - low);
        TRY(merge_group(two, list + low, high - low));
    }
    return CH_OK;
}

ch_status chi_merge_columns(ch_context *context, unsigned char *role,
                            const chi_distribution *spread, const double *keys,
                            const double *sums) {
    chi_arena arena = {.context = context};
    int64_t rows = spread->X->rows, cols = spread->X->cols, count = 0;
    pair two = {.spread = spread, .role = role};
    for (int k = 0; k < 2; k++) {
        two.index[k] = chi_arena_alloc(&arena, rows, sizeof *two.index[k]);
        two.value[k] = chi_arena_doubles(&arena, rows);
    }
    two.dense = chi_arena_doubles(&arena, rows);
    keyed *list = chi_arena_alloc(&arena, cols, sizeof *list);
    ch_status status = ch_comm_agree(context, chi_arena_status(&arena, "comparing columns"));
    if (status == CH_OK) {
        for (int64_t j = 0; j < cols; j++)
            if (role[j] == CHI_FREE) list[count++] = (keyed){keys[j] / sums[j], spread->first + j};
        sort(list, count);
    }
    if (status == CH_OK && chi_process_count(context) > 1) {
        status = gather_suspects(context, &arena, &list, &count);
        if (status == CH_OK) sort(list, count);
    }
    if (status == CH_OK) status = merge_sorted(&two, list, count);
    chi_arena_free(&arena);
    return status;
}
