/* A heap of columns by decreasing key; equal keys are ordered by column index. */
#include "xray/distances.h"

static int above(const chi_distances *far, int64_t a, int64_t b) {
    double key_a = chi_key(far, a), key_b = chi_key(far, b);
    return key_a > key_b || (key_a == key_b && a < b);
}

static void sift_down(chi_distances *far, int64_t at) {
    const chi_heap *heap = &far->heap;
    int64_t *column = heap->column, moving = column[at];
    for (int64_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && above(far, column[child + 1], column[child])) child++;
        if (!above(far, column[child], moving)) break;
        column[at] = column[child];
    }
    column[at] = moving;
}

void chi_heap_push(chi_distances *far, int64_t column) {
    chi_heap *heap = &far->heap;
    int64_t at = heap->count++;
    for (; at > 0 && above(far, column, heap->column[(at - 1) / 2]); at = (at - 1) / 2)
        heap->column[at] = heap->column[(at - 1) / 2];
    heap->column[at] = column;
}

int64_t chi_heap_pop(chi_distances *far) {
    chi_heap *heap = &far->heap;
    int64_t top = heap->column[0];
    heap->column[0] = heap->column[--heap->count];
    if (heap->count > 0) sift_down(far, 0);
    return top;
}

void chi_heap_make(chi_distances *far) {
    for (int64_t at = far->heap.count / 2 - 1; at >= 0; at--) sift_down(far, at);
}

void chi_heap_order(chi_distances *far) {
    int64_t count = 0;
    for (int64_t at = 0; at < far->heap.count; at++) far->stage[far->heap.column[at]] |= CHI_MARKED;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++) {
        if (!(far->stage[j] & CHI_MARKED)) continue;
        far->stage[j] &= (unsigned char)~CHI_MARKED;
        far->heap.column[count++] = j;
    }
}
