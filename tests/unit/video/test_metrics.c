/* ROC curves, AUC and F-measure against counting by hand, pixel by pixel and pair by pair. */
#include "support.h"
#include <conehull/metrics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 300 };

typedef struct problem {
    float scores[PIXELS];
    uint8_t truth[PIXELS], region[PIXELS];
} problem;

typedef enum kind { AS_U8, AS_U16, AS_F32, KINDS } kind;

/* levels: how many different scores; the few make ties. */
static void draw(problem *p, ch_random *random, int64_t levels, double share, int with_region) {
    for (int i = 0; i < PIXELS; i++) {
        p->truth[i] = ch_random_uniform(random) < share ? 255 : 0;
        p->region[i] = !with_region || ch_random_uniform(random) < 0.7;
        p->scores[i] = (float)(ch_random_below(random, levels) + (p->truth[i] ? levels / 4 : 0));
    }
}

static void add(ch_scorer *scorer, const problem *p, kind how, int64_t from, int64_t to) {
    uint8_t bytes[PIXELS];
    uint16_t words[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        bytes[i] = (uint8_t)p->scores[i];
        words[i] = (uint16_t)p->scores[i];
    }
    const uint8_t *truth = p->truth + from, *region = p->region + from;
    ch_status status =
        how == AS_U8    ? ch_scorer_add_u8(scorer, bytes + from, truth, region, to - from)
        : how == AS_U16 ? ch_scorer_add_u16(scorer, words + from, truth, region, to - from)
                        : ch_scorer_add_f32(scorer, p->scores + from, truth, region, to - from);
    assert_int_equal(status, CH_OK);
}

static ch_pixel_counts naive_at(const problem *p, double threshold) {
    ch_pixel_counts c = {0};
    for (int i = 0; i < PIXELS; i++) {
        if (!p->region[i]) continue;
        int called = p->scores[i] >= threshold, is = p->truth[i] != 0;
        c.true_positives += called && is;
        c.false_positives += called && !is;
        c.true_negatives += !called && !is;
        c.false_negatives += !called && is;
    }
    return c;
}

/* P(positive above negative) + P(equal) / 2 over all pairs. */
static double naive_auc(const problem *p) {
    int64_t pairs = 0, doubled = 0;
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < PIXELS; j++) {
            if (!p->region[i] || !p->region[j] || !p->truth[i] || p->truth[j]) continue;
            pairs++;
            doubled += p->scores[i] > p->scores[j] ? 2 : p->scores[i] == p->scores[j];
        }
    return (double)doubled / (2.0 * (double)pairs);
}

static void check_at(const problem *p, const ch_roc *roc, double threshold) {
    ch_pixel_counts got = ch_roc_at(roc, threshold), wanted = naive_at(p, threshold);
    support_check(memcmp(&got, &wanted, sizeof got) == 0, "threshold %g: %d %d instead of %d %d",
                  threshold, (int)got.true_positives, (int)got.false_positives,
                  (int)wanted.true_positives, (int)wanted.false_positives);
}

static void check_curve(const problem *p, const ch_roc *roc) {
    double best = -1, best_at = 0;
    for (int64_t k = 0; k < roc->count; k++) {
        const ch_roc_point *point = &roc->points[k];
        ch_pixel_counts wanted = naive_at(p, point->threshold);
        assert_int_equal(point->true_positives, wanted.true_positives);
        assert_int_equal(point->false_positives, wanted.false_positives);
        if (k) assert_true(point->threshold < point[-1].threshold);
        double f = ch_pixel_counts_f_measure(&wanted);
        if (f > best) {
            best = f;
            best_at = point->threshold;
        }
        check_at(p, roc, point->threshold);
        check_at(p, roc, point->threshold - 0.25);
        check_at(p, roc, point->threshold + 0.25);
    }
    assert_int_equal(roc->points[0].true_positives + roc->points[0].false_positives, 0);
    assert_int_equal(roc->points[roc->count - 1].true_positives, roc->positives);
    assert_int_equal(roc->points[roc->count - 1].false_positives, roc->negatives);
    support_close(roc->auc, naive_auc(p), 1e-15);
    assert_true(roc->best_f == best && roc->best_threshold == best_at);
    for (int i = 0; i < PIXELS; i++) check_at(p, roc, p->scores[i]); /* every score is a point */
}

static void counting_by_hand_agrees(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "metrics", 1);
    for (int trial = 0; trial < 60; trial++) {
        problem p;
        int64_t levels = (int64_t[]){1, 2, 5, 40, 200}[trial % 5];
        draw(&p, &random, levels, trial % 2 ? 0.1 : 0.5, trial % 3 == 0);
        for (int how = 0; how < KINDS; how++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1);
            ch_scorer *scorer;
            ch_roc roc = {.size = sizeof roc};
            assert_int_equal(ch_scorer_create(context, &scorer), CH_OK);
            add(scorer, &p, (kind)how, 0, 100);
            add(scorer, &p, (kind)how, 100, PIXELS);
            assert_int_equal(ch_scorer_finish(scorer, &roc), CH_OK);
            check_curve(&p, &roc);
            ch_roc_free(context, &roc);
            ch_scorer_destroy(scorer);
            support_finish(context, &memory);
        }
    }
}

/* Fractions, negative scores, infinities and zeros of both signs. */
static void real_scores(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "metrics, reals", 2);
    problem p;
    draw(&p, &random, 3, 0.3, 1);
    for (int i = 0; i < PIXELS; i++) p.scores[i] += (float)ch_random_normal(&random) - 2;
    for (int i = 0; i < 20; i++) p.scores[i] = i % 2 ? -0.0f : 0.0f;
    p.scores[20] = p.scores[21] = INFINITY;
    p.scores[22] = -INFINITY;
    ch_context *context = support_context(NULL, 1);
    ch_scorer *scorer;
    ch_roc roc = {.size = sizeof roc};
    assert_int_equal(ch_scorer_create(context, &scorer), CH_OK);
    add(scorer, &p, AS_F32, 0, PIXELS);
    assert_int_equal(ch_scorer_finish(scorer, &roc), CH_OK);
    support_close(roc.auc, naive_auc(&p), 1e-15);
    for (int i = 0; i < PIXELS; i++) check_at(&p, &roc, p.scores[i]);
    for (int64_t k = 2; k < roc.count; k++)
        assert_true(roc.points[k].threshold < roc.points[k - 1].threshold);
    ch_roc_free(context, &roc);
    p.scores[7] = NAN;
    p.region[7] = 1;
    assert_int_equal(ch_scorer_add_f32(scorer, p.scores, p.truth, p.region, PIXELS), CH_ERR_DATA);
    support_message(context, "pixel 7");
    uint8_t bytes[PIXELS] = {0};
    assert_int_equal(ch_scorer_add_u8(scorer, bytes, p.truth, NULL, PIXELS), CH_ERR_ARGUMENT);
    support_message(context, "scores of type u8 after scores of type f32");
    ch_scorer_destroy(scorer);
    ch_context_destroy(context);
}

static void classes_may_be_missing(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    uint8_t scores[4] = {1, 2, 3, 3}, none[4] = {0}, all[4] = {1, 1, 1, 1};
    for (int given = 0; given < 3; given++) { /* no pixels, no positives, no negatives */
        ch_scorer *scorer;
        ch_roc roc = {.size = sizeof roc};
        assert_int_equal(ch_scorer_create(context, &scorer), CH_OK);
        assert_int_equal(
            ch_scorer_add_u8(scorer, scores, given == 2 ? all : none, NULL, given ? 4 : 0), CH_OK);
        assert_int_equal(ch_scorer_finish(scorer, &roc), CH_OK);
        assert_int_equal(roc.positives, given == 2 ? 4 : 0);
        assert_int_equal(roc.negatives, given == 1 ? 4 : 0);
        assert_true(isnan(roc.auc));
        assert_true(given == 2 ? roc.best_f == 1 && roc.best_threshold == 1 : isnan(roc.best_f));
        ch_pixel_counts at = ch_roc_at(&roc, 3);
        assert_int_equal(at.true_positives, given == 2 ? 2 : 0);
        ch_roc_point points[5];
        assert_int_equal(ch_roc_thin(&roc, points, 5), given ? 4 : 1);
        ch_roc_free(context, &roc);
        ch_scorer_destroy(scorer);
    }
    ch_pixel_counts nothing = {0};
    assert_true(isnan(ch_pixel_counts_precision(&nothing)) &&
                isnan(ch_pixel_counts_recall(&nothing)) &&
                isnan(ch_pixel_counts_f_measure(&nothing)));
    ch_context_destroy(context);
}

static void masks_are_counted(void **state) {
    (void)state;
    uint8_t mask[] = {255, 255, 0, 0, 1, 0}, truth[] = {255, 0, 255, 0, 1, 1};
    uint8_t region[] = {1, 1, 1, 1, 1, 0};
    ch_pixel_counts c = {0};
    ch_pixel_counts_add(&c, mask, truth, region, 6);
    assert_int_equal(c.true_positives, 2);
    assert_int_equal(c.false_positives, 1);
    assert_int_equal(c.false_negatives, 1);
    assert_int_equal(c.true_negatives, 1);
    support_close(ch_pixel_counts_precision(&c), 2.0 / 3, 1e-15);
    support_close(ch_pixel_counts_recall(&c), 2.0 / 3, 1e-15);
    support_close(ch_pixel_counts_f_measure(&c), 2.0 / 3, 1e-15);
    ch_pixel_counts d = {
        .true_positives = 3, .false_positives = 1, .true_negatives = 5, .false_negatives = 2};
    support_close(ch_pixel_counts_specificity(&d), 5.0 / 6, 1e-15);
    support_close(ch_pixel_counts_pwc(&d), 300.0 / 11, 1e-12);
    ch_pixel_counts_add(&c, mask, truth, NULL, 6);
    assert_int_equal(c.false_negatives, 3);
}

/* Thinned: the ends stay, points stay in order, none strays from the curve. */
static void thinning_keeps_ends_and_order(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "metrics, thinning", 3);
    problem p;
    draw(&p, &random, 200, 0.3, 0);
    ch_context *context = support_context(NULL, 1);
    ch_scorer *scorer;
    ch_roc roc = {.size = sizeof roc};
    assert_int_equal(ch_scorer_create(context, &scorer), CH_OK);
    add(scorer, &p, AS_F32, 0, PIXELS);
    assert_int_equal(ch_scorer_finish(scorer, &roc), CH_OK);
    for (int64_t room = 2; room < 300; room += room < 10 ? 1 : 17) {
        ch_roc_point points[300];
        int64_t count = ch_roc_thin(&roc, points, room);
        assert_true(count >= 2 && count <= room);
        assert_memory_equal(&points[0], &roc.points[0], sizeof *points);
        assert_memory_equal(&points[count - 1], &roc.points[roc.count - 1], sizeof *points);
        for (int64_t k = 1; k < count; k++)
            assert_true(points[k].threshold < points[k - 1].threshold);
        if (room > roc.count * 2) assert_int_equal(count, roc.count);
    }
    ch_roc_free(context, &roc);
    ch_scorer_destroy(scorer);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_by_hand_agrees),       cmocka_unit_test(real_scores),
        cmocka_unit_test(classes_may_be_missing),        cmocka_unit_test(masks_are_counted),
        cmocka_unit_test(thinning_keeps_ends_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
