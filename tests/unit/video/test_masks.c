/* Pieces of masks against plain references: connected parts by flooding, holes, hysteresis, votes,
 * polygons, outlines, objects, runs. */
#include "support.h"
#include "video/mask/mask_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 40 * 30 };

typedef struct picture {
    chi_size size;
    uint8_t mask[LARGEST];
} picture;

/* Sizes of all kinds, masks from nearly empty to nearly full. */
static void draw(picture *p, ch_random *random) {
    p->size.width = 1 + ch_random_below(random, 40);
    p->size.height = 1 + ch_random_below(random, 30);
    double share = ch_random_uniform(random);
    for (int64_t i = 0; i < chi_pixels(p->size); i++)
        p->mask[i] =
            ch_random_uniform(random) < share ? (uint8_t)(1 + ch_random_below(random, 255)) : 0;
}

static int inside(chi_size size, int64_t x, int64_t y) {
    return x >= 0 && y >= 0 && x < size.width && y < size.height;
}

/* Labels by flooding from each pixel that has none yet. */
static int flood(int32_t *labels, const uint8_t *mask, chi_size size, int foreground, int corners) {
    static int64_t stack[LARGEST];
    int count = 0;
    memset(labels, 0, (size_t)chi_pixels(size) * sizeof *labels);
    for (int64_t start = 0; start < chi_pixels(size); start++) {
        if ((mask[start] != 0) != foreground || labels[start]) continue;
        int64_t top = 0;
        labels[start] = ++count;
        stack[top++] = start;
        while (top) {
            int64_t at = stack[--top], x = at % size.width, y = at / size.width;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    if ((!corners && dx && dy) || !inside(size, x + dx, y + dy)) continue;
                    int64_t next = (y + dy) * size.width + x + dx;
                    if ((mask[next] != 0) != foreground || labels[next]) continue;
                    labels[next] = count;
                    stack[top++] = next;
                }
        }
    }
    return count;
}

static int64_t area_of(const int32_t *labels, chi_size size, int32_t label) {
    int64_t area = 0;
    for (int64_t i = 0; i < chi_pixels(size); i++) area += labels[i] == label;
    return area;
}

static int32_t labels[LARGEST], expected[LARGEST];
static int32_t starts[LARGEST], ends[LARGEST], numbers[LARGEST], areas[LARGEST + 1];
static chi_parts parts = {.start = starts, .end = ends, .part = numbers, .area = areas};

static void parts_are_those_of_flooding(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "mask parts", 1);
    for (int trial = 0; trial < 400; trial++) {
        picture p;
        draw(&p, &random);
        int foreground = trial % 2, corners = trial / 2 % 2;
        chi_parts_find(&parts, p.mask, p.size, foreground, corners ? CHI_CORNERS : CHI_SIDES);
        int count = flood(expected, p.mask, p.size, foreground, corners);
        support_check(parts.count == count, "trial %d: %d parts, not %d", trial, (int)parts.count,
                      count);
        chi_parts_label(&parts, labels, p.size);
        assert_memory_equal(labels, expected, (size_t)chi_pixels(p.size) * sizeof *labels);
        assert_true(parts.runs <= chi_parts_most_runs(p.size));
        for (int32_t l = 1; l <= count; l++)
            assert_int_equal(areas[l], area_of(expected, p.size, l));
    }
}

static void small_parts_go_and_holes_are_filled(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "mask clean-up", 2);
    for (int trial = 0; trial < 300; trial++) {
        picture p;
        draw(&p, &random);
        uint8_t dropped[LARGEST], filled[LARGEST];
        int64_t limit = ch_random_below(&random, 12), pixels = chi_pixels(p.size);
        memcpy(dropped, p.mask, (size_t)pixels);
        memcpy(filled, p.mask, (size_t)pixels);
        chi_mask_drop_small(dropped, &parts, p.size, limit);
        chi_mask_fill_holes(filled, &parts, p.size, limit);
        flood(expected, p.mask, p.size, 1, 1);
        for (int64_t i = 0; i < pixels; i++) {
            int keep = p.mask[i] && area_of(expected, p.size, expected[i]) >= limit;
            support_check((dropped[i] != 0) == keep, "trial %d: pixel %d", trial, (int)i);
        }
        int count = flood(expected, p.mask, p.size, 0, 0);
        uint8_t *border = calloc((size_t)count + 1, 1);
        for (int64_t i = 0; i < pixels; i++) {
            int64_t x = i % p.size.width, y = i / p.size.width;
            if (x == 0 || y == 0 || x == p.size.width - 1 || y == p.size.height - 1)
                border[expected[i]] = 1;
        }
        for (int64_t i = 0; i < pixels; i++) {
            int hole = !p.mask[i] && !border[expected[i]] &&
                       area_of(expected, p.size, expected[i]) <= limit;
            support_check((filled[i] != 0) == (p.mask[i] || hole), "trial %d: pixel %d", trial,
                          (int)i);
        }
        free(border);
    }
}

/* Two thresholds: flooding from the high ones through the low ones. And: a higher threshold takes
 * in no pixel that a lower one left out. */
static void hysteresis_floods_from_the_high_threshold(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "mask thresholds", 3);
    for (int trial = 0; trial < 200; trial++) {
        picture p;
        draw(&p, &random);
        float score[LARGEST];
        uint8_t got[LARGEST], higher[LARGEST], plain[LARGEST];
        int64_t pixels = chi_pixels(p.size);
        for (int64_t i = 0; i < pixels; i++) score[i] = (float)ch_random_below(&random, 10);
        double high = 1 + (double)ch_random_below(&random, 9), low = trial % 4 ? high - 1 : high;
        chi_mask_threshold(got, &parts, score, p.size, low, high);
        for (int64_t i = 0; i < pixels; i++) plain[i] = score[i] >= low ? 255 : 0;
        int count = flood(expected, plain, p.size, 1, 1);
        uint8_t *strong = calloc((size_t)count + 1, 1);
        for (int64_t i = 0; i < pixels; i++)
            if (score[i] >= high) strong[expected[i]] = 1;
        for (int64_t i = 0; i < pixels; i++)
            support_check(got[i] == (plain[i] && strong[expected[i]] ? 255 : 0),
                          "trial %d: pixel %d", trial, (int)i);
        chi_mask_threshold(higher, &parts, score, p.size, low + 1, high + 1);
        for (int64_t i = 0; i < pixels; i++) assert_true(!higher[i] || got[i]);
        free(strong);
    }
}

static void votes_are_counted(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "mask votes", 4);
    for (int trial = 0; trial < 300; trial++) {
        picture p;
        draw(&p, &random);
        uint8_t got[LARGEST];
        int32_t counts[64];
        int64_t radius = ch_random_below(&random, trial % 10 ? 4 : 60);
        chi_vote vote = (chi_vote)(trial % 3);
        chi_mask_vote(got, p.mask, counts, p.size, radius, vote);
        for (int64_t y = 0; y < p.size.height; y++)
            for (int64_t x = 0; x < p.size.width; x++) {
                int64_t all = 0, on = 0;
                for (int64_t v = y - radius; v <= y + radius; v++)
                    for (int64_t u = x - radius; u <= x + radius; u++)
                        if (inside(p.size, u, v)) {
                            all++;
                            on += p.mask[v * p.size.width + u] != 0;
                        }
                int wanted = vote == CHI_VOTE_ANY    ? on > 0
                             : vote == CHI_VOTE_MOST ? 2 * on > all
                                                     : on == all;
                support_check(got[y * p.size.width + x] == (wanted ? 255 : 0),
                              "trial %d: (%d, %d), radius %d", trial, (int)x, (int)y, (int)radius);
            }
    }
}

/* Crossings of a ray from the point to the right. */
static int in_polygon(double x, double y, const ch_polygon_corner *c, int count) {
    int in = 0;
    for (int i = 0, j = count - 1; i < count; j = i++)
        if ((c[i].y > y) != (c[j].y > y) &&
            x < (c[j].x - c[i].x) * (y - c[i].y) / (c[j].y - c[i].y) + c[i].x)
            in = !in;
    return in;
}

/* Strips of any height give what two votes give; many masks have empty strips. */
static void closing_by_parts_is_two_votes(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "closing by parts", 9);
    for (int trial = 0; trial < 300; trial++) {
        picture p;
        draw(&p, &random);
        uint8_t got[LARGEST], wide[LARGEST], between[LARGEST], wanted[LARGEST];
        int32_t counts[64];
        int64_t radius = 1 + ch_random_below(&random, 4), height = p.size.height;
        int64_t step = 1 + ch_random_below(&random, height), band = ch_random_below(&random, 30);
        int64_t width = p.size.width, wide_step = 1 + ch_random_below(&random, width);
        if (band < height) memset(p.mask, 0, (size_t)(band * p.size.width));
        for (int64_t low = 0; low < height; low += step)
            for (int64_t left = 0; left < width; left += wide_step) {
                int64_t high = low + step < height ? low + step : height;
                int64_t right = left + wide_step < width ? left + wide_step : width;
                chi_mask_close_part(got, p.mask, wide, counts, p.size, radius,
                                    (chi_rows){low, high}, (chi_rows){left, right});
            }
        chi_mask_vote(between, p.mask, counts, p.size, radius, CHI_VOTE_ANY);
        chi_mask_vote(wanted, between, counts, p.size, radius, CHI_VOTE_ALL);
        for (int64_t i = 0; i < chi_pixels(p.size); i++)
            support_check(got[i] == wanted[i],
                          "trial %d: pixel %d, radius %d, %d rows and %d columns at a time", trial,
                          (int)i, (int)radius, (int)step, (int)wide_step);
    }
}

static void polygons_hold_the_centres_inside(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "polygons", 5);
    ch_context *context = support_context(NULL, 1);
    for (int trial = 0; trial < 300; trial++) {
        chi_size size = {1 + ch_random_below(&random, 40), 1 + ch_random_below(&random, 30)};
        ch_polygon_corner corners[9];
        int count = 3 + (int)ch_random_below(&random, 7);
        for (int k = 0; k < count;
             k++) { /* beyond the frame too; irregular, so no centre is on an edge */
            corners[k].x = ch_random_uniform(&random) * 60 - 10;
            corners[k].y = ch_random_uniform(&random) * 50 - 10;
        }
        uint8_t region[LARGEST] = {0};
        assert_int_equal(ch_region_add_polygon(context, region,
                                               &(ch_frame_shape){size.width, size.height, 1},
                                               corners, count),
                         CH_OK);
        for (int64_t y = 0; y < size.height; y++)
            for (int64_t x = 0; x < size.width; x++)
                support_check((region[y * size.width + x] != 0) ==
                                  in_polygon((double)x + 0.5, (double)y + 0.5, corners, count),
                              "trial %d: (%d, %d)", trial, (int)x, (int)y);
    }
    /* Whole pixels: a box covers what its corners say, and boxes side by side share none. */
    ch_polygon_corner box[] = {{2, 1}, {5, 1}, {5, 4}, {2, 4}};
    uint8_t region[10 * 6] = {0};
    assert_int_equal(ch_region_add_polygon(context, region, &(ch_frame_shape){10, 6, 1}, box, 4),
                     CH_OK);
    for (int i = 0; i < 60; i++)
        assert_int_equal(region[i],
                         i % 10 >= 2 && i % 10 < 5 && i / 10 >= 1 && i / 10 < 4 ? 255 : 0);
    assert_int_equal(ch_region_add_polygon(context, region, &(ch_frame_shape){10, 6, 1}, box, 2),
                     CH_ERR_ARGUMENT);
    support_message(context, "at least 3 corners");
    box[1].y = NAN;
    assert_int_equal(ch_region_add_polygon(context, region, &(ch_frame_shape){10, 6, 1}, box, 4),
                     CH_ERR_ARGUMENT);
    support_message(context, "corner 1");
    ch_context_destroy(context);
}

#define COLOUR \
    { 255, 16, 1 }

static void outlines_lie_around_the_mask(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "outlines", 6);
    ch_context *context = support_context(NULL, 1);
    static const uint8_t colour[3] = COLOUR;
    for (int trial = 0; trial < 100; trial++) {
        picture p;
        draw(&p, &random);
        int64_t pixels = chi_pixels(p.size), thickness = ch_random_below(&random, 4);
        uint8_t planes[3][LARGEST], rgb[3 * LARGEST];
        const uint8_t *given[3] = {planes[0], planes[1], planes[2]};
        for (int64_t i = 0; i < 3 * pixels; i++)
            planes[i / pixels][i % pixels] = (uint8_t)ch_random_below(&random, 200);
        int count = trial % 2 ? 3 : 1;
        assert_int_equal(ch_mask_overlay(context, rgb, given, p.mask,
                                         &(ch_frame_shape){p.size.width, p.size.height, count},
                                         &(ch_mask_outline){thickness, COLOUR}),
                         CH_OK);
        for (int64_t i = 0; i < pixels; i++) {
            int near = 0;
            for (int64_t j = 0; j < pixels; j++)
                if (p.mask[j] && llabs(i % p.size.width - j % p.size.width) <= thickness &&
                    llabs(i / p.size.width - j / p.size.width) <= thickness)
                    near = 1;
            for (int c = 0; c < 3; c++)
                assert_int_equal(rgb[3 * i + c],
                                 near && !p.mask[i] ? colour[c] : planes[count == 3 ? c : 0][i]);
        }
    }
    uint8_t one[4] = {0};
    const uint8_t *planes[] = {one, one};
    assert_int_equal(ch_mask_overlay(context, one, planes, one, &(ch_frame_shape){1, 1, 2},
                                     &(ch_mask_outline){1, COLOUR}),
                     CH_ERR_ARGUMENT);
    assert_int_equal(ch_mask_overlay(context, one, planes, one, &(ch_frame_shape){1, 1, 1},
                                     &(ch_mask_outline){-1, COLOUR}),
                     CH_ERR_ARGUMENT);
    ch_context_destroy(context);
}

static void objects_have_boxes(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "objects", 7);
    ch_context *context = support_context(NULL, 1);
    for (int trial = 0; trial < 200; trial++) {
        picture p;
        draw(&p, &random);
        ch_activity activity;
        ch_mask_object objects[5];
        memset(objects, 0, sizeof objects);
        assert_int_equal(ch_mask_activity(context, &activity, objects, 5, p.mask, NULL,
                                          &(ch_frame_shape){p.size.width, p.size.height, 1}),
                         CH_OK);
        int count = flood(expected, p.mask, p.size, 1, 1);
        int64_t on = 0, all = chi_pixels(p.size);
        for (int64_t i = 0; i < all; i++) on += p.mask[i] != 0;
        assert_int_equal(activity.objects, count);
        assert_int_equal(activity.foreground, on);
        support_close(activity.share, (double)on / (double)all, 1e-15);
        for (int k = 0; k < 5 && k < count; k++) {
            const ch_mask_object *o = &objects[k];
            if (k) assert_true(o->area <= o[-1].area);
            /* it is the part that a pixel of its first row belongs to */
            int64_t at = -1;
            for (int64_t x = o->left; x < o->right && at < 0; x++) {
                int64_t i = o->top * p.size.width + x;
                if (p.mask[i] && area_of(expected, p.size, expected[i]) == o->area) at = i;
            }
            support_check(at >= 0, "trial %d: object %d is nowhere", trial, k);
            assert_true(o->x > (double)o->left && o->x < (double)o->right);
            assert_true(o->y > (double)o->top && o->y < (double)o->bottom);
            assert_true(activity.left <= o->left && activity.right >= o->right);
            assert_true(activity.top <= o->top && activity.bottom >= o->bottom);
        }
    }
    uint8_t mask[20] = {0, 0, 0, 0, 0, 0, 9, 9, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0}; /* 5 x 4 */
    uint8_t region[20];
    memset(region, 1, sizeof region);
    region[0] = region[1] = region[2] = region[3] = 0;
    ch_activity activity;
    ch_mask_object objects[2];
    assert_int_equal(
        ch_mask_activity(context, &activity, objects, 2, mask, region, &(ch_frame_shape){5, 4, 1}),
        CH_OK);
    assert_int_equal(activity.objects, 1); /* corners connect */
    support_close(activity.share, 4.0 / 16, 1e-15);
    assert_int_equal(objects[0].left, 1);
    assert_int_equal(objects[0].right, 5);
    assert_int_equal(objects[0].top, 1);
    assert_int_equal(objects[0].bottom, 3);
    support_close(objects[0].x, (1.5 + 2.5 + 4.5 + 3.5) / 4, 1e-15);
    memset(mask, 0, sizeof mask);
    assert_int_equal(
        ch_mask_activity(context, &activity, NULL, 0, mask, NULL, &(ch_frame_shape){5, 4, 1}),
        CH_OK);
    assert_true(activity.objects == 0 && activity.share == 0 && activity.right == 0);
    ch_context_destroy(context);
}

static void runs_close_short_gaps(void **state) {
    (void)state;
    static const double shares[] = {0, .1, .3, 0, 0, .3, 0, 0, 0, .05, 0, .2};
    ch_activity frames[12];
    memset(frames, 0, sizeof frames);
    for (int i = 0; i < 12; i++) frames[i].share = shares[i];
    ch_activity_run runs[4];
    assert_int_equal(ch_activity_runs(runs, 4, frames, 12, 0, 2), 2);
    assert_true(runs[0].first == 1 && runs[0].last == 5 && runs[0].peak == 2 &&
                runs[0].share == .3);
    assert_true(runs[1].first == 9 && runs[1].last == 11 && runs[1].peak == 11);
    assert_int_equal(ch_activity_runs(runs, 1, frames, 12, 0, 0), 4);
    assert_int_equal(ch_activity_runs(runs, 4, frames, 12, .15, 0), 3);
    assert_true(runs[0].first == 2 && runs[0].last == 2);
    assert_int_equal(ch_activity_runs(NULL, 0, frames, 0, 0, 0), 0);
    assert_int_equal(ch_activity_runs(NULL, 0, frames, 1, 0, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_flooding),
        cmocka_unit_test(small_parts_go_and_holes_are_filled),
        cmocka_unit_test(hysteresis_floods_from_the_high_threshold),
        cmocka_unit_test(votes_are_counted),
        cmocka_unit_test(closing_by_parts_is_two_votes),
        cmocka_unit_test(polygons_hold_the_centres_inside),
        cmocka_unit_test(outlines_lie_around_the_mask),
        cmocka_unit_test(objects_have_boxes),
        cmocka_unit_test(runs_close_short_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
