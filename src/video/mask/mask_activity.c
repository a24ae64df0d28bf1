/* What happens in masks: objects with their boxes, and runs of frames with something in them. */
#include "base/base.h"
#include "video/mask/mask_parts.h"
#include <string.h>

/* The larger; of equal ones the upper, then the left. */
static int before(const ch_mask_object *a, const ch_mask_object *b) {
    if (a->area != b->area) return a->area > b->area;
    if (a->top != b->top) return a->top < b->top;
    return a->left < b->left;
}

/* Keeps list[0 .. count) in order; what falls off its end is lost. */
static void insert(ch_mask_object *list, int64_t *count, int64_t room, const ch_mask_object *next) {
    int64_t at = *count < room ? (*count)++ : room;
    for (; at > 0 && before(next, &list[at - 1]); at--)
        if (at < room) list[at] = list[at - 1];
    if (at < room) list[at] = *next;
}

static void include_pixel(ch_mask_object *object, int64_t x, int64_t y) {
    if (object->area == 0) *object = (ch_mask_object){.left = x, .top = y};
    if (x < object->left) object->left = x;
    if (x + 1 > object->right) object->right = x + 1;
    if (y + 1 > object->bottom) object->bottom = y + 1; /* top: rows come in order */
    object->area++;
    object->x += (double)x + 0.5;
    object->y += (double)y + 0.5;
}

/* Boxes of all parts, and of the whole. */
static void measure(ch_activity *found, ch_mask_object *boxes, const chi_parts *parts,
                    chi_size size) {
    memset(boxes, 0, (size_t)(parts->count + 1) * sizeof *boxes);
    for (int64_t y = 0, i = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++, i++)
            if (parts->labels[i]) include_pixel(&boxes[parts->labels[i]], x, y);
    for (int64_t l = 1; l <= parts->count; l++) {
        ch_mask_object *box = &boxes[l];
        box->x /= (double)box->area;
        box->y /= (double)box->area;
        if (l == 1 || box->left < found->left) found->left = box->left;
        if (l == 1 || box->top < found->top) found->top = box->top;
        if (box->right > found->right) found->right = box->right;
        if (box->bottom > found->bottom) found->bottom = box->bottom;
        found->foreground += box->area;
    }
    found->objects = parts->count;
}

ch_status ch_mask_activity(ch_context *context, ch_activity *activity, ch_mask_object *objects,
                           int64_t room, const uint8_t *mask, const uint8_t *region, int64_t width,
                           int64_t height) {
    chi_size size = {width, height};
    int64_t pixels = chi_pixels(size), watched = 0, kept = 0;
    ch_activity found = {0};
    chi_parts parts = {.labels = chi_alloc(context, pixels + 1, sizeof(int32_t)),
                       .area = chi_alloc(context, pixels + 1, sizeof(int32_t))};
    ch_mask_object *boxes = NULL;
    if (parts.labels && parts.area) {
        chi_parts_find(&parts, mask, size, 1, CHI_CORNERS);
        boxes = chi_alloc(context, parts.count + 1, sizeof *boxes);
    }
    if (boxes) {
        for (int64_t i = 0; i < pixels; i++) watched += !region || region[i];
        measure(&found, boxes, &parts, size);
        found.share = watched ? (double)found.foreground / (double)watched : 0;
        for (int64_t l = 1; l <= parts.count && room; l++) insert(objects, &kept, room, &boxes[l]);
        *activity = found;
    }
    int got = boxes != NULL;
    chi_free(context, boxes);
    chi_free(context, parts.labels);
    chi_free(context, parts.area);
    return got ? CH_OK : chi_no_memory(context, "the objects of a mask", 2 * pixels, 4);
}

int64_t ch_activity_runs(ch_activity_run *runs, int64_t room, const ch_activity *frames,
                         int64_t count, double least, int64_t gap) {
    int64_t found = 0;
    ch_activity_run run = {.first = -1};
    for (int64_t i = 0; i < count; i++) {
        double share = frames[i].share;
        if (!(share > 0 && share >= least)) continue;
        if (run.first >= 0 && i - run.last - 1 > gap) {
            if (found < room) runs[found] = run;
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
    if (found < room) runs[found] = run;
    return found + 1;
}
