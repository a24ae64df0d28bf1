/* Classes of equal rows, refined by each anchor (row_classes.h).
 *
 * An anchor splits a class by its values in the rows of the class. The rows where the anchor is
 * zero keep the number of the class; if there are none, the rows with the smallest value keep it.
 * So a class that is not split keeps its number, and there are never more classes than rows, plus
 * class 0. The other rows form new classes. A new class stores its parent and the anchor that split
 * it, so that the class of a row for fewer anchors is found by following the parents. */
#include "project/bregman/row_classes.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    double value;
    int32_t class, row;
} entry;

struct chi_row_classes {
    int64_t rows, anchors, stride;
    int64_t shrunk;   /* the cone's `shrunk` when its anchors were added            */
    int32_t *of_row;  /* rows: class of each row                                    */
    int32_t *parent;  /* classes: the class it was split from                       */
    int32_t *since;   /* number of the anchor that split it, from 1; 0 for class 0  */
    int32_t *born;    /* rows in the class when it was created                      */
    int32_t *size;    /* rows in the class now                                      */
    int64_t *classes; /* 1 + capacity: number of classes for each number of anchors */
    double *A;        /* classes x capacity: values of the anchors in each class    */
    entry *entries;   /* rows                                                       */
};

chi_row_classes *chi_row_classes_create(chi_arena *arena, int64_t rows, int64_t capacity) {
    chi_row_classes *c = chi_arena_alloc_zero(arena, 1, sizeof *c);
    if (!c) return NULL;
    c->stride = rows + 1;
    c->of_row = chi_arena_alloc(arena, rows, sizeof *c->of_row);
    c->parent = chi_arena_alloc(arena, rows + 1, sizeof *c->parent);
    c->since = chi_arena_alloc(arena, rows + 1, sizeof *c->since);
    c->born = chi_arena_alloc(arena, rows + 1, sizeof *c->born);
    c->size = chi_arena_alloc(arena, rows + 1, sizeof *c->size);
    c->classes = chi_arena_alloc(arena, capacity + 1, sizeof *c->classes);
    c->A = chi_arena_doubles(arena, (rows + 1) * capacity);
    c->entries = chi_arena_alloc(arena, rows, sizeof *c->entries);
    c->shrunk = -1;
    return arena->failed ? NULL : c;
}

/* Puts all rows in class 0. */
static void begin(chi_row_classes *c, const chi_cone *cone) {
    c->rows = cone->rows - cone->hull; /* the lifted row is in no class */
    c->anchors = 0;
    c->shrunk = cone->shrunk;
    memset(c->of_row, 0, (size_t)c->rows * sizeof *c->of_row);
    c->parent[0] = c->since[0] = 0;
    c->born[0] = c->size[0] = (int32_t)c->rows;
    c->classes[0] = 1;
}

static int by_class(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->class != b->class) return a->class < b->class ? -1 : 1;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* Lists the non-zero entries of anchor a by class, then by increasing value. Returns their
 * number. */
static int64_t list_entries(chi_row_classes *c, const double *a) {
    int64_t count = 0;
    for (int64_t i = 0; i < c->rows; i++)
        if (a[i] != 0) c->entries[count++] = (entry){a[i], c->of_row[i], (int32_t)i};
    qsort(c->entries, (size_t)count, sizeof *c->entries, by_class);
    return count;
}

/* Makes these rows, of one class and with one value, a new class. */
static void split_off(chi_row_classes *c, const entry *entries, int64_t count, int64_t *classes) {
    int64_t fresh = (*classes)++, from = entries[0].class;
    c->parent[fresh] = (int32_t)from;
    c->since[fresh] = (int32_t)c->anchors + 1;
    c->born[fresh] = c->size[fresh] = (int32_t)count;
    c->size[from] -= (int32_t)count;
    for (int64_t j = 0; j < c->anchors; j++)
        c->A[fresh + j * c->stride] = c->A[from + j * c->stride];
    c->A[fresh + c->anchors * c->stride] = entries[0].value;
    for (int64_t e = 0; e < count; e++) c->of_row[entries[e].row] = (int32_t)fresh;
}

/* Splits the class whose non-zero entries are [low, high). */
static void split_class(chi_row_classes *c, int64_t low, int64_t high, int64_t *classes) {
    int64_t class = c->entries[low].class;
    int stay = class > 0 && c->size[class] == high - low; /* no row of the class is zero */
    for (int64_t end; low < high; low = end) {
        for (end = low; end < high && c->entries[end].value == c->entries[low].value;) end++;
        if (stay)
            c->A[class + c->anchors * c->stride] = c->entries[low].value;
        else
            split_off(c, c->entries + low, end - low, classes);
        stay = 0;
    }
}

static void refine(chi_row_classes *c, const double *a) {
    int64_t count = list_entries(c, a), classes = c->classes[c->anchors];
    double *column = c->A + c->anchors * c->stride;
    for (int64_t n = 0; n < classes; n++) column[n] = 0;
    for (int64_t low = 0, high; low < count; low = high) {
        for (high = low; high < count && c->entries[high].class == c->entries[low].class;) high++;
        split_class(c, low, high, &classes);
    }
    c->classes[++c->anchors] = classes;
}

void chi_row_classes_follow(chi_row_classes *c, const chi_cone *cone) {
    if (c->shrunk != cone->shrunk) begin(c, cone);
    while (c->anchors < cone->count) refine(c, cone->A + c->anchors * cone->rows);
}

int64_t chi_row_classes_count(const chi_row_classes *c, int64_t k) {
    return c->classes[k];
}

void chi_row_classes_sizes(const chi_row_classes *c, double *size, int64_t k) {
    int64_t classes = c->classes[k];
    size[0] = (double)c->born[0];
    for (int64_t n = 1; n < classes; n++) { /* parents come before their children */
        size[n] = (double)c->born[n];
        size[c->parent[n]] -= (double)c->born[n];
    }
}

int64_t chi_row_classes_used(const chi_row_classes *c, int64_t k) {
    int64_t used = 0;
    for (int64_t n = 1; n < c->classes[k]; n++)
        if (c->parent[n] == 0) used += c->born[n];
    return used;
}

int64_t chi_row_classes_of(const chi_row_classes *c, int64_t i, int64_t k) {
    int64_t n = c->of_row[i];
    while (c->since[n] > k) n = c->parent[n];
    return n;
}

const double *chi_row_classes_column(const chi_row_classes *c, int64_t j) {
    return c->A + j * c->stride;
}
