/* The activity in masks: objects with their bounding boxes, and frames with foreground. */
#include "video/mask/mask_parts.h"

/* Returns whether a comes before b: the larger first, then the upper, then the left. */
static int before(const ch_mask_object *a, const ch_mask_object *b) {
    if (a->area != b->area) return a->area > b->area;
    if (a->top != b->top) return a->top < b->top;
    return a->left < b->left;
}

/* Inserts next into the ordered list[0 .. count), which holds at most `most` objects; the last one
 * is dropped if the list is full. */
static void insert(ch_mask_object *list, int64_t *count, int64_t most, const ch_mask_object *next) {
    int64_t at = *count < most ? (*count)++ : most;
    for (; at > 0 && before(next, &list[at - 1]); at--)
        if (at < most) list[at] = list[at - 1];
    if (at < most) list[at] = *next;
}

static int64_t lower(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t higher(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Adds pixels [from, to) of row y to an object. x and y are sums until all pixels are added. */
static void include_run(ch_mask_object *object, int64_t from, int64_t to, int64_t y) {
    if (object->area == 0) *object = (ch_mask_object){.left = from, .top = y};
    object->left = lower(object->left, from);
    object->right = higher(object->right, to);
    object->bottom = y + 1; /* rows come in order */
    object->area += to - from;
    object->x += 0.5 * (double)(to - from) * (double)(from + to);
    object->y += (double)(to - from) * ((double)y + 0.5);
}

/* Computes the boxes of all parts, and of the whole mask. */
static void measure(ch_activity *found, ch_mask_object *boxes, const chi_parts *parts,
                    chi_size size) {
    for (int64_t r = 0; r < parts->runs; r++) {
        int64_t y = parts->start[r] / size.width, row = y * size.width;
        include_run(&boxes[parts->part[r]], parts->start[r] - row, parts->end[r] - row, y);
    }
    for (int64_t l = 1; l <= parts->count; l++) {
        ch_mask_object *box = &boxes[l];
        box->x /= (double)box->area;
        box->y /= (double)box->area;
        found->left = l == 1 ? box->left : lower(found->left, box->left);
        found->top = l == 1 ? box->top : lower(found->top, box->top);
        found->right = higher(found->right, box->right);
        found->bottom = higher(found->bottom, box->bottom);
        found->foreground += box->area;
    }
    found->objects = parts->count;
}

ch_status ch_mask_activity(ch_context *context, ch_activity *activity, ch_mask_object *objects,
                           int64_t most, const uint8_t *mask, const uint8_t *region,
                           const ch_frame_shape *shape) {
    chi_size size = {shape->width, shape->height};
    int64_t watched = 0, listed = 0;
    ch_activity found = {0};
    chi_arena arena = {.context = context};
    chi_parts parts = {0};
    ch_mask_object *boxes = NULL;
    chi_parts_reserve(&arena, &parts, size);
    if (!arena.failed) {
        chi_parts_find(&parts, mask, size, 1, CHI_CORNERS);
        boxes = chi_arena_alloc_zero(&arena, parts.count + 1, sizeof *boxes);
    }
    if (boxes) {
        if (!region) watched = chi_pixels(size);
        for (int64_t i = 0; region && i < chi_pixels(size); i++) watched += region[i] != 0;
        measure(&found, boxes, &parts, size);
        found.share = watched ? (double)found.foreground / (double)watched : 0;
        for (int64_t l = 1; l <= parts.count && most; l++)
            insert(objects, &listed, most, &boxes[l]);
        *activity = found;
    }
    ch_status status = chi_arena_status(&arena, "the objects of a mask");
    chi_arena_free(&arena);
    return status;
}

int64_t ch_activity_runs(ch_activity_run *runs, int64_t most, const ch_activity *frames,
                         int64_t count, double least, int64_t gap) {
    int64_t found = 0;
    ch_activity_run run = {.first = -1};
    for (int64_t i = 0; i < count; i++) {
        double share = frames[i].share;
        if (!(share > 0 && share >= least)) continue;
        if (run.first >= 0 && i - run.last - 1 > gap) {
            if (found < most) runs[found] = run;
            found++;
            run.first = -1;
        }
        if (run.first < 0) run = (ch_activity_run){.first = i, .peak = i, .share = share};
        if (share > run.share) {
            run.peak = i;
            run.share = share;
        }
        run.last = i;
    }
    if (run.first < 0) return found;
    if (found < most) runs[found] = run;
    return found + 1;
}
