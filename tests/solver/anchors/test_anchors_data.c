/* One answer on real documents: lazy = eager, any storage, any number of threads, r = 150, to the
 * bit; and the recheck accepts it. The data are beside the project (../shared/data or
 * $CONEHULL_DATA); without them the test says so and passes. */
#include "support_anchors.h"
#include "support_files.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ch_anchors_result find(ch_context *context, const ch_matrix *X,
                              const ch_anchors_settings *set) {
    ch_anchors_result result = {.size = sizeof result};
    ch_status status = ch_anchors(context, &result, X, set);
    support_check(status == CH_OK, "%s: %s", ch_status_name(status), ch_context_message(context));
    return result;
}

static void check(const char *name) {
    const char *path = support_data(name);
    if (!path) return;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_anchors_settings set;
    ch_matrix X;
    ch_verification v = {.size = sizeof v};
    ch_anchors_defaults(&set);
    set.rank = 150;
    set.keep_duals = 1;
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
    ch_anchors_result first = find(context, &X, &set);
    support_check(first.unproven == 0 && first.certificate.gap <= set.tol, "gap %g",
                  first.certificate.gap);
    assert_int_equal(ch_verify(context, &v, &X, &first, &set), CH_OK);
    support_check(v.ok, "%s: %s", name, v.why);
    print_message("%s: %d projections, gap %.1e\n", name, (int)first.projections,
                  first.certificate.gap);
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U16};
    for (int k = 0; k < 3; k++) {
        ch_matrix Y = support_reshape(context, &X, CH_CSC, types[k]);
        set.eager = k == 1;
        ch_context_set_threads(context, 1 << k);
        ch_anchors_result other = find(context, &Y, &set);
        support_same_answer(&first, &other, ch_value_type_name(types[k]));
        ch_anchors_result_free(context, &other);
        ch_matrix_free(context, &Y);
    }
    ch_anchors_result_free(context, &first);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void reuters(void **state) {
    (void)state;
    check("text/reuters10/reuters10.mtx.gz");
}

static void bbc(void **state) {
    (void)state;
    check("text/bbc/bbc.mtx.gz");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reuters), cmocka_unit_test(bbc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
