/* Columns by falling bound, those with equal bounds by index: far->heap, heap_count of them. */
#include "xray/distances.h"

#include <string.h>

static int above(const chi_distances *far, int64_t a, int64_t b) {
    return far->bound[a] > far->bound[b] || (far->bound[a] == far->bound[b] && a < b);
}

static void sift_down(chi_distances *far, int64_t at) {
    int64_t *heap = far->heap, moving = heap[at];
    for (int64_t child; (child = 2 * at + 1) < far->heap_count; at = child) {
        if (child + 1 < far->heap_count && above(far, heap[child + 1], heap[child])) child++;
        if (!above(far, heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

void chi_heap_push(chi_distances *far, int64_t column) {
    int64_t *heap = far->heap, at = far->heap_count++;
    for (; at > 0 && above(far, column, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = column;
}

int64_t chi_heap_pop(chi_distances *far) {
    int64_t top = far->heap[0];
    far->heap[0] = far->heap[--far->heap_count];
    if (far->heap_count > 0) sift_down(far, 0);
    return top;
}

void chi_heap_make(chi_distances *far) {
    for (int64_t at = far->heap_count / 2 - 1; at >= 0; at--) sift_down(far, at);
}

void chi_heap_order(chi_run *run) {
    chi_distances *far = &run->far;
    unsigned char *inside = (unsigned char *)run->score; /* not in use now */
    int64_t count = 0;
    memset(inside, 0, (size_t)run->X->cols);
    for (int64_t at = 0; at < far->heap_count; at++) inside[far->heap[at]] = 1;
    for (int64_t j = 0; j < run->X->cols; j++)
        if (inside[j]) far->heap[count++] = j;
}
