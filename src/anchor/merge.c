/* Proportional columns are one ray: the lowest index stands for them, the others can never be
 * anchors. (216 of the 2225 documents of BBC are copies of another one up to scale.)
 *
 * A random g > 0 gives every column the key g'x / 1'x, which proportional columns share up to
 * rounding and others share with probability about 1e-11. Only columns with equal keys are
 * compared entry by entry, so the cost is the pass that makes g'X and a sort. */
#include "anchor/anchor.h"

#include <math.h>

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

/* Heap sort: in place, and no worse on sorted lists. */
static void sort(keyed *list, int64_t count) {
    for (int64_t at = count / 2 - 1; at >= 0; at--) sift(list, at, count);
    for (int64_t last = count - 1; last > 0; last--) {
        keyed largest = list[0];
        list[0] = list[last];
        list[last] = largest;
        sift(list, 0, last);
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

/* Two column buffers. */
typedef struct pair {
    int32_t *index[2];
    double *value[2];
    chi_column x[2];
} pair;

/* Columns of a group come by rising index; each free one takes its copies. */
static void merge_group(unsigned char *role, pair *two, const ch_matrix *X, const keyed *group,
                        int64_t count) {
    for (int64_t a = 0; a < count; a++) {
        if (role[group[a].column] != CHI_FREE) continue;
        chi_column_load(&two->x[0], two->index[0], two->value[0], X, group[a].column);
        for (int64_t b = a + 1; b < count; b++) {
            if (role[group[b].column] != CHI_FREE) continue;
            chi_column_load(&two->x[1], two->index[1], two->value[1], X, group[b].column);
            if (proportional(&two->x[0], &two->x[1])) role[group[b].column] = CHI_COPY;
        }
    }
}

static void merge_sorted(unsigned char *role, pair *two, const ch_matrix *X, keyed *list,
                         int64_t count) {
    for (int64_t low = 0, high; low < count; low = high) {
        high = low + 1;
        while (high < count && list[high].key - list[high - 1].key <= KEY_WIDTH) high++;
        if (high - low < 2) continue;
        for (int64_t i = low; i < high; i++) list[i].key = 0; /* now by index alone */
        sort(list + low, high - low);
        merge_group(role, two, X, list + low, high - low);
    }
}

ch_status chi_merge_columns(ch_context *context, unsigned char *role, const ch_matrix *X,
                            const double *g_scores, const double *sums) {
    int64_t rows = X->rows, count = 0;
    pair two;
    keyed *list = chi_alloc(context, X->cols, sizeof *list);
    int32_t *index = chi_alloc(context, 2 * rows, sizeof *index);
    double *value = chi_alloc(context, 2 * rows, sizeof *value);
    ch_status status = CH_OK;
    if (!list || !index || !value) {
        status = chi_no_memory(context, "comparing columns", X->cols, sizeof *list);
        goto end;
    }
    for (int k = 0; k < 2; k++) {
        two.index[k] = index + k * rows;
        two.value[k] = value + k * rows;
    }
    for (int64_t j = 0; j < X->cols; j++)
        if (role[j] == CHI_FREE) list[count++] = (keyed){g_scores[j] / sums[j], j};
    sort(list, count);
    merge_sorted(role, &two, X, list, count);
end:
    chi_free(context, value);
    chi_free(context, index);
    chi_free(context, list);
    return status;
}
