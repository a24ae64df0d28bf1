/* Merges proportional columns, which are one ray: the column with the lowest index represents them,
 * and the others can never be anchors. (216 of the 2225 documents of BBC are copies of another one
 * up to scale.)
 *
 * A random g > 0 gives every column the key g'x / 1'x. Proportional columns have the same key up to
 * rounding; other columns share it with probability about 1e-11. Columns that share a key get two
 * more keys of the same kind, and only columns that share all three are compared entry by entry.
 *
 * Columns that are nearly proportional, such as multiples of one column in single precision, share
 * keys in long chains although none is a copy of another. So each column considers only the LOOKS
 * columns with the nearest keys and stops after FAILURES of them differ. No copy is missed, because
 * the keys of copies agree to the last digits. The cost is the pass that computes g'X, two more if
 * keys are shared, a sort, and O(rows) for every column that shares a key, however close the
 * columns are to each other.
 *
 * With several processes, each broadcasts its keys once (8 bytes per column), and every process
 * marks which of its columns share a key with any other column. These few are listed on all
 * processes, so that all see the same groups. A column is broadcast when a column of another
 * process may be its copy. */
#include "xray/distances.h"

#include <math.h>
#include <string.h>

enum { BINS = 4096 }; /* of the sort */
enum {
    LOOKS = 64,   /* neighbours in key order that a column considers, not counting copies */
    BATCH = 32,   /* largest number of them compared at a time                            */
    FAILURES = 4, /* number that may differ before the column gives up                    */
    OTHERS = 2    /* additional keys for columns that share the first                     */
};
/* The keys of proportional columns differ by less than this: by the rounding of two sums over the
 * rows. */
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

/* Heap sort: it works in place, and sorted lists are not slower. */
static void sort_few(keyed *list, int64_t count) {
    for (int64_t at = count / 2 - 1; at >= 0; at--) sift(list, at, count);
    for (int64_t last = count - 1; last > 0; last--) {
        keyed largest = list[0];
        list[0] = list[last];
        list[last] = largest;
        sift(list, 0, last);
    }
}

/* Returns the bin of a key. It does not decrease with the key, so bins are in order. */
static int64_t bin_of(double key, double least, double scale) {
    return (int64_t)((key - least) * scale);
}

/* Distributes the list into bins by key, in place, then sorts each bin, which is short. */
static void sort(keyed *list, int64_t count) {
    int64_t next[BINS] = {0}, end[BINS], before = 0;
    double least = INFINITY, most = -INFINITY;
    for (int64_t at = 0; at < count; at++) {
        least = list[at].key < least ? list[at].key : least;
        most = list[at].key > most ? list[at].key : most;
    }
    double scale = (BINS - 0.5) / (most - least);
    if (count < BINS || !(scale < 1 / KEY_WIDTH)) { /* few, or nearly all the same */
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

/* Returns whether x / 1'x = y / 1'y up to CHI_TIE, with the same zeros. */
static int proportional(const chi_column *x, const chi_column *y) {
    if (x->count != y->count) return 0;
    double x_scale = 1 / x->sum, y_scale = 1 / y->sum, apart = 0;
    for (int64_t i = 0; i < x->count; i++) {
        double a = x->value[i] * x_scale, b = y->value[i] * y_scale;
        apart += fabs(a - b);
        if ((a > 0) != (b > 0) || (x->index && x->index[i] != y->index[i])) return 0;
    }
    return apart <= 2 * CHI_TIE; /* relative to their sums, 1 + 1 */
}

/* ---- which columns share a key ------------------------------------------------------------- */

/* Marks the keys of the sorted list that are near a key of `others`, which is also sorted. */
static void mark_near(unsigned char *near, const keyed *list, int64_t count, const double *others,
                      int64_t other_count) {
    int64_t low = 0;
    for (int64_t k = 0; k < count; k++) {
        while (low < other_count && others[low] < list[k].key - KEY_WIDTH) low++;
        near[k] |= low < other_count && others[low] - list[k].key <= KEY_WIDTH;
    }
}

/* For a single process: keeps the keys of the sorted list that are near another key of it. */
static int64_t keep_near(keyed *list, int64_t count) {
    int64_t kept = 0;
    double last = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        int near = list[k].key - last <= KEY_WIDTH ||
                   (k + 1 < count && list[k + 1].key - list[k].key <= KEY_WIDTH);
        last = list[k].key;
        if (near) list[kept++] = list[k];
    }
    return kept;
}

/* For several processes: broadcasts the keys of each and drops those that are near no other. */
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

/* Fills counts with `own` of each process. Returns the largest, or -1 if the exchange failed. */
static int64_t share_counts(ch_context *context, int64_t *counts, int64_t own) {
    const int64_t *all = chi_share(context, &own, sizeof own);
    int64_t most = all ? 0 : -1;
    for (int r = 0; all && r < chi_process_count(context); r++) {
        counts[r] = all[r];
        if (all[r] > most) most = all[r];
    }
    return most;
}

/* Removes from list[0..*count) of this process the keys that are near no key of any process. counts
 * becomes the number left on each process. */
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

/* Replaces *list of this process by the list of all processes, without keys that are near no
 * other. */
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

enum { NONE = -1, GONE = -2 };

/* Columns that share a key with another column, sorted by key: list[0..count). A doubly linked list
 * in this order holds the columns of a group that are still to be compared. */
typedef struct suspects {
    const chi_distribution *spread;
    unsigned char *role;
    keyed *list;
    int64_t count;
    double *other[OTHERS];   /* the additional keys                                              */
    int64_t *before, *after; /* places in the list, or NONE; before is GONE once unlinked        */
    keyed *order;            /* a group sorted by column: key is the column, column is the place */
    int32_t *index[2];       /* rows and values of two columns, ...                              */
    double *value[2];
    double *dense; /* ... and one received from another process */
    chi_column x[2];
} suspects;

static void unlink_place(suspects *s, int64_t at) {
    if (s->before[at] >= 0) s->after[s->before[at]] = s->after[at];
    if (s->after[at] >= 0) s->before[s->after[at]] = s->before[at];
    s->before[at] = GONE;
}

/* Progress of the comparison for the column at `at`. */
typedef struct scan {
    int64_t at, left, right, looks, failures, copies;
    int loaded; /* its values are in x[0] */
} scan;

static double key_distance(const suspects *s, int64_t a, int64_t b) {
    return b < 0 ? INFINITY : fabs(s->list[b].key - s->list[a].key);
}

static int shares_others(const suspects *s, int64_t a, int64_t b) {
    for (int k = 0; k < OTHERS; k++)
        if (!(fabs(s->other[k][a] - s->other[k][b]) <= KEY_WIDTH)) return 0;
    return 1;
}

/* Fills found with the places of the next columns, nearest key first, that share all keys with the
 * column at now->at. Returns their number, or 0 if there are no more. It returns no more than could
 * fail before the scan gives up; every copy found raises that number. */
static int next_candidates(const suspects *s, scan *now, int64_t *found) {
    int64_t count = 0, most = FAILURES - now->failures + now->copies;
    while (count < most && count < BATCH && now->looks < LOOKS) {
        double left = key_distance(s, now->at, now->left);
        double right = key_distance(s, now->at, now->right);
        int64_t next = left <= right ? now->left : now->right;
        if (!((left <= right ? left : right) <= KEY_WIDTH)) break;
        if (left <= right)
            now->left = s->before[next];
        else
            now->right = s->after[next];
        now->looks++;
        if (shares_others(s, now->at, next)) found[count++] = next;
    }
    return (int)count;
}

static void load(suspects *s, int which, const ch_matrix *X, int64_t column) {
    chi_column_load(chi_kernels_of(s->spread->context), &s->x[which], s->index[which],
                    s->value[which], X, column);
}

/* Loads column j of the whole matrix into x[0]: on the process that holds it, or on all. */
static ch_status load_first(suspects *s, int64_t j, int all) {
    const chi_distribution *spread = s->spread;
    int64_t own = chi_distribution_local(spread, j);
    if (own >= 0) load(s, 0, spread->X, own);
    if (!all) return CH_OK;
    TRY(chi_distribution_column(spread, s->dense, j));
    if (own >= 0) return CH_OK;
    ch_matrix view = {
        .rows = spread->X->rows, .cols = 1, .values = s->dense, .stride = spread->X->rows};
    load(s, 0, &view, 0);
    return CH_OK;
}

/* same[n] = 1 if found[n] is a copy of x[0]. Each process compares its own columns. */
static ch_status compare(suspects *s, double *same, const int64_t *found, int count, int all) {
    const chi_distribution *spread = s->spread;
    for (int n = 0; n < count; n++) {
        int64_t own = chi_distribution_local(spread, s->list[found[n]].column);
        same[n] = 0;
        if (own < 0) continue;
        load(s, 1, spread->X, own);
        same[n] = proportional(&s->x[0], &s->x[1]);
        if (same[n] > 0) s->role[own] = CHI_COPY;
    }
    return all ? chi_largest(spread->context, same, count) : CH_OK;
}

/* Marks the copies of the column at this place. */
static ch_status take_copies(suspects *s, int64_t at, int all) {
    scan now = {.at = at, .left = s->before[at], .right = s->after[at]};
    int64_t found[BATCH];
    double same[BATCH];
    for (int count; now.failures < FAILURES && (count = next_candidates(s, &now, found)) > 0;) {
        if (!now.loaded) TRY(load_first(s, s->list[at].column, all));
        now.loaded = 1;
        TRY(compare(s, same, found, count, all));
        for (int n = 0; n < count; n++) {
            if (same[n] > 0) {
                unlink_place(s, found[n]);
                now.looks--;
                now.copies++;
            } else {
                now.failures++;
            }
        }
    }
    unlink_place(s, at);
    return CH_OK;
}

/* Processes the columns of a group, places [low, high), by increasing index. A group within one
 * process is processed by that process alone. */
static ch_status merge_group(suspects *s, int64_t low, int64_t high) {
    const chi_distribution *spread = s->spread;
    for (int64_t at = low; at < high; at++) {
        s->before[at] = at > low ? at - 1 : NONE;
        s->after[at] = at + 1 < high ? at + 1 : NONE;
        s->order[at] = (keyed){(double)s->list[at].column, at};
    }
    sort_few(s->order + low, high - low);
    int64_t first = s->list[s->order[low].column].column;
    int64_t last = s->list[s->order[high - 1].column].column;
    int all = chi_distribution_owner(spread, first) != chi_distribution_owner(spread, last);
    if (!all && chi_distribution_local(spread, first) < 0) return CH_OK;
    for (int64_t k = low; k < high; k++) {
        int64_t at = s->order[k].column;
        TRY(chi_pause(spread->context));
        if (s->before[at] != GONE) TRY(take_copies(s, at, all));
    }
    return CH_OK;
}

static ch_status merge_groups(suspects *s) {
    for (int64_t low = 0, high; low < s->count; low = high) {
        high = low + 1;
        while (high < s->count && s->list[high].key - s->list[high - 1].key <= KEY_WIDTH) high++;
        if (high - low > 1) TRY(merge_group(s, low, high));
    }
    return CH_OK;
}

/* Shares the keys among all processes. Keys are positive, and 0 on processes that do not hold the
 * column, so the largest is the key. */
static ch_status share_keys(ch_context *context, double *keys, int64_t count) {
    enum { RECORD = CHI_RECORD_MAX / sizeof *keys };
    for (int64_t low = 0; low < count && chi_process_count(context) > 1; low += RECORD)
        TRY(chi_largest(context, keys + low, (int)(count - low < RECORD ? count - low : RECORD)));
    return CH_OK;
}

/* Computes s->other = g'x / 1'x for the listed columns and each additional g. A score is the same
 * to the last bit whether it comes from single columns or from a pass over X. */
static ch_status find_other_keys(suspects *s, const chi_merge_keys *keys) {
    const chi_distribution *spread = s->spread;
    const ch_matrix *X = spread->X;
    int64_t own = 0, *columns = s->before; /* before[] is not in use yet */
    for (int64_t at = 0; at < s->count; at++) {
        int64_t j = chi_distribution_local(spread, s->list[at].column);
        if (j >= 0) columns[own++] = j;
    }
    for (int k = 0; k < OTHERS; k++) {
        const double *g = keys->others + k * X->rows;
        if (own < X->cols / chi_advantage_of_pass(X))
            chi_score_columns(spread->context, keys->scores, X, g, columns, own);
        else
            TRY(chi_score(spread->context, keys->scores, X, g, 1));
        for (int64_t at = 0; at < s->count; at++) {
            int64_t j = chi_distribution_local(spread, s->list[at].column);
            s->other[k][at] = j >= 0 ? keys->scores[j] / keys->sums[j] : 0;
        }
        TRY(share_keys(spread->context, s->other[k], s->count));
    }
    return CH_OK;
}

static ch_status merge_listed(chi_arena *arena, suspects *s, const chi_merge_keys *keys) {
    int64_t rows = s->spread->X->rows;
    if (s->count == 0) return CH_OK;
    for (int k = 0; k < 2; k++) {
        s->index[k] = chi_arena_alloc(arena, rows, sizeof *s->index[k]);
        s->value[k] = chi_arena_doubles(arena, rows);
    }
    s->dense = chi_arena_doubles(arena, rows);
    for (int k = 0; k < OTHERS; k++) s->other[k] = chi_arena_doubles(arena, s->count);
    s->before = chi_arena_alloc(arena, s->count, sizeof *s->before);
    s->after = chi_arena_alloc(arena, s->count, sizeof *s->after);
    s->order = chi_arena_alloc(arena, s->count, sizeof *s->order);
    TRY(ch_comm_agree(s->spread->context, chi_arena_status(arena, "comparing columns")));
    TRY(find_other_keys(s, keys));
    return merge_groups(s);
}

ch_status chi_merge_columns(ch_context *context, unsigned char *role,
                            const chi_distribution *spread, const chi_merge_keys *keys) {
    chi_arena arena = {.context = context};
    int64_t cols = spread->X->cols;
    suspects s = {.spread = spread, .role = role};
    s.list = chi_arena_alloc(&arena, cols, sizeof *s.list);
    ch_status status = ch_comm_agree(context, chi_arena_status(&arena, "comparing columns"));
    if (status == CH_OK) {
        for (int64_t j = 0; j < cols; j++)
            if (role[j] == CHI_FREE)
                s.list[s.count++] = (keyed){keys->scores[j] / keys->sums[j], spread->first + j};
        sort(s.list, s.count);
    }
    if (status == CH_OK && chi_process_count(context) == 1) {
        s.count = keep_near(s.list, s.count);
    } else if (status == CH_OK) {
        status = gather_suspects(context, &arena, &s.list, &s.count);
        if (status == CH_OK) sort(s.list, s.count);
    }
    if (status == CH_OK) status = merge_listed(&arena, &s, keys);
    chi_arena_free(&arena);
    return status;
}
