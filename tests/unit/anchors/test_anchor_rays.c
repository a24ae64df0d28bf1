/* Remark (2) of the paper: what a direction selects when one, two or more columns tie. p being
 * random, data hardly ever tie; so the direction is made to: d = p on the rows of a face gives
 * every column of that face the score 1. */
#include "support.h"
#include "xray/select.h"
#include "xray/xray.h"
#include <string.h>

enum { ROWS = 6, COLS = 10 };

/* Columns 1, 4, 7 are the anchors of the face of rows 0..2; 0, 2, 5, 8 lie in it. */
static const double data[COLS][ROWS] = {
    {3, 3, 3, 0, 0, 0}, {4, 1, 0, 0, 0, 0}, {5, 2, 3, 0, 0, 0}, {0, 0, 0, 5, 1, 1},
    {0, 4, 1, 0, 0, 0}, {4, 5, 1, 0, 0, 0}, {1, 2, 1, 3, 1, 1}, {1, 0, 4, 0, 0, 0},
    {5, 5, 5, 0, 0, 0}, {0, 0, 0, 1, 1, 7},
};

/* A run that has chosen nothing, with the direction that ties the given rows. */
typedef struct begun {
    chi_run run;
    ch_anchors_result result;
    ch_anchors_settings set;
    ch_matrix X;
    chi_survey survey;
} begun;

static void begin(ch_context *context, begun *b, int face_rows) {
    *b = (begun){.result.size = sizeof b->result};
    ch_anchors_defaults(&b->set);
    b->set.rank = 5;
    b->X = support_dense(context, data[0], ROWS, COLS);
    assert_int_equal(
        chi_survey_make(context, &b->survey, &b->X, chi_select_wants(context, &b->X, &b->set)),
        CH_OK);
    assert_int_equal(chi_run_create(context, &b->run, &b->result, &b->X, &b->survey, &b->set),
                     CH_OK);
    for (int i = 0; i < ROWS; i++)
        b->run.rays.d[i] = i < face_rows ? b->run.data.p[i] : -b->run.data.p[i];
}

static void end(ch_context *context, begun *b) {
    chi_run_destroy(&b->run);
    chi_survey_free(&b->survey);
    ch_anchors_result_free(context, &b->result);
}

/* What is asked of one run after the other, and what it must find: `count` of the columns that may
 * be found, no two the same; with `ordered` the first of them, in this order. */
static const struct tie {
    const char *what;
    int face_rows;
    int64_t chosen[5], chosen_count;
    int64_t may[3];
    int ordered;
    struct {
        int64_t rank, count;
    } asked[2];
} ties[] = {
    {"more than two are searched, never more than are wanted",
     3,
     {0},
     0,
     {1, 4, 7},
     0,
     {{5, 3}, {2, 2}}},
    {"two are both taken, or the lower index", 3, {0, 2, 5, 7, 8}, 5, {1, 4}, 1, {{5, 2}, {1, 1}}},
    {"nothing scores above zero", 0, {0}, 0, {0}, 0, {{5, 0}, {1, 0}}},
};

static void ties_are_broken(void **state) {
    (void)state;
    for (const struct tie *it = ties; it < ties + sizeof ties / sizeof *ties; it++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        begun b;
        begin(context, &b, it->face_rows);
        for (int64_t k = 0; k < it->chosen_count; k++) b.run.data.role[it->chosen[k]] = CHI_CHOSEN;
        for (int a = 0; a < 2; a++) {
            const chi_rays *rays = &b.run.rays;
            b.run.rank = it->asked[a].rank;
            assert_int_equal(chi_extreme_rays(&b.run), CH_OK);
            support_check(rays->count == it->asked[a].count, "%s: %d found", it->what,
                          (int)rays->count);
            for (int64_t k = 0; k < rays->count; k++) {
                int64_t j = rays->found[k];
                int may = it->ordered ? j == it->may[k]
                                      : j == it->may[0] || j == it->may[1] || j == it->may[2];
                support_check(may, "%s: column %d", it->what, (int)j);
                for (int64_t l = 0; l < k; l++)
                    support_check(rays->found[l] != j, "%s: %d twice", it->what, (int)j);
            }
        }
        int64_t taken = 0;
        for (int64_t j = 0; j < COLS; j++) taken += b.run.data.role[j] == CHI_CHOSEN;
        assert_int_equal(taken, it->chosen_count); /* finding is not choosing */
        end(context, &b);
        support_finish(context, &memory);
    }
}

/* A face allocates while it is searched: every such allocation failing is said and leaks nothing.
 */
static void a_face_without_memory(void **state) {
    (void)state;
    for (int64_t k = 1; k < 200; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        begun b;
        begin(context, &b, 3);
        memory.fail_at = memory.requests + k;
        ch_status status = chi_extreme_rays(&b.run);
        memory.fail_at = 0;
        end(context, &b);
        support_finish(context, &memory);
        if (status == CH_OK) return;
        assert_int_equal(status, CH_ERR_MEMORY);
    }
    fail();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_are_broken),
        cmocka_unit_test(a_face_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
