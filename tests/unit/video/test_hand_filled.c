/* Structs that callers fill by hand: a matrix with an unknown type or layout, negative sizes or
 * strides, missing arrays, and results with missing parts, are refused by every public call. */
#include "support_files.h"
#include <conehull/clip.h>
#include <conehull/conehull.h>
#include <conehull/decompose.h>
#include <conehull/exemplars.h>
#include <conehull/io.h>
#include <conehull/separate.h>
#include <conehull/stream.h>
#include <conehull/topics.h>
#include <math.h>
#include <stdlib.h>

enum { M = 6, N = 5 };
static double numbers[M * N];
static const int64_t starts[N + 1] = {0, 1, 2, 3, 4, 5};
static const int64_t falls[N + 1] = {0, 1, 2, 3, 4, -1};
static const int64_t late[N + 1] = {1, 1, 2, 3, 4, 5};
static const int32_t rows[N] = {0, 1, 2, 3, 4};

#define DENSE .rows = M, .cols = N, .values = numbers, .stride = M
#define SPARSE .rows = M, .cols = N, .layout = CH_CSC, .values = numbers

static const struct {
    const char *what;
    ch_matrix X;
} broken[] = {
    {"an unknown type", {DENSE, .type = (ch_value_type)7}},
    {"a negative type", {DENSE, .type = (ch_value_type)-1}},
    {"an unknown layout", {DENSE, .layout = (ch_matrix_layout)3}},
    {"a negative layout", {DENSE, .layout = (ch_matrix_layout)-1}},
    {"no values", {.rows = M, .cols = N, .stride = M}},
    {"negative rows", {.rows = -M, .cols = N, .values = numbers, .stride = M}},
    {"negative columns", {.rows = M, .cols = -N, .values = numbers, .stride = M}},
    {"a negative stride", {.rows = M, .cols = N, .values = numbers, .stride = -M}},
    {"a stride of 0", {.rows = M, .cols = N, .values = numbers}},
    {"a short stride of rows",
     {.rows = M, .cols = N, .layout = CH_ROW_MAJOR, .values = numbers, .stride = N - 1}},
    {"more than memory", {.rows = M, .cols = INT64_MAX / 2, .values = numbers, .stride = M}},
    {"sparse without starts", {SPARSE, .row_index = rows}},
    {"sparse without rows", {SPARSE, .column_start = starts}},
    {"sparse without values",
     {.rows = M, .cols = N, .layout = CH_CSC, .column_start = starts, .row_index = rows}},
    {"sparse that ends below 0", {SPARSE, .column_start = falls, .row_index = rows}},
    {"sparse that begins late", {SPARSE, .column_start = late, .row_index = rows}},
};

/* ---- the calls ---- */

static ch_status borrow(ch_context *context, const ch_matrix *X) {
    ch_matrix view;
    if (X->stride == 0 && X->values && X->layout != CH_CSC) return CH_ERR_ARGUMENT; /* no gaps */
    return ch_matrix_borrow(context, &view, X);
}

static ch_status copy(ch_context *context, const ch_matrix *X) {
    ch_matrix made;
    return ch_matrix_copy(context, &made, X, NULL, 0);
}

static ch_status transpose(ch_context *context, const ch_matrix *X) {
    ch_matrix made;
    return ch_matrix_transpose(context, &made, X);
}

static ch_status nonzeros(ch_context *context, const ch_matrix *X) {
    return ch_matrix_nonzeros(context, X) < 0 ? CH_ERR_ARGUMENT : CH_OK;
}

static ch_status write_file(ch_context *context, const ch_matrix *X) {
    return ch_matrix_write(context, support_path("X.npy"), X);
}

static ch_status find_anchors(ch_context *context, const ch_matrix *X) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = 2;
    return ch_anchors(context, &result, X, &set);
}

static ch_status project(ch_context *context, const ch_matrix *X) {
    double W[M] = {1, 1, 1, 1, 1, 1}, H[N];
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    return ch_project(context, H, NULL, X, W, 1, &set);
}

static ch_status push(ch_context *context, const ch_matrix *X) {
    ch_anchors_settings set;
    ch_stream_settings store;
    ch_stream *stream;
    ch_anchors_defaults(&set);
    ch_stream_defaults(&store);
    set.select_only = 1;
    set.rank = 2;
    assert_int_equal(ch_stream_create(context, &stream, M, &set, &store), CH_OK);
    ch_status status = ch_stream_push(stream, X);
    ch_stream_destroy(stream);
    return status;
}

#define DECOMPOSE(name, kind)                                        \
    static ch_status name(ch_context *context, const ch_matrix *X) { \
        ch_decomposition parts = {.size = sizeof parts};             \
        ch_##kind##_settings set;                                    \
        ch_##kind##_defaults(&set);                                  \
        return ch_robust_##name(context, &parts, X, &set);           \
    }
DECOMPOSE(pca, rpca)
DECOMPOSE(nmf, factor)
DECOMPOSE(lowrank, factor)

static ch_status median(ch_context *context, const ch_matrix *X) {
    ch_matrix Y;
    return ch_median_filter(context, &Y, X, NULL);
}

static ch_status frames(ch_context *context, const ch_matrix *X) {
    double pixels[M * N];
    return ch_clip_frames(context, pixels, X, 0, 1);
}

static ch_status separate(ch_context *context, const ch_matrix *X) {
    ch_separation parts = {.size = sizeof parts};
    ch_separate_settings set;
    ch_separate_defaults(&set);
    return ch_separate(context, &parts, X, &set);
}

static ch_status apply(ch_context *context, const ch_matrix *X) {
    ch_separation parts = {.size = sizeof parts};
    ch_separate_settings set;
    double H[N] = {1, 1, 1, 1, 1};
    ch_separate_defaults(&set);
    return ch_separate_apply(context, &parts, X, H, 1, &set);
}

static double W[M], H[N];
static const ch_separation background = {
    .size = sizeof background, .frames = M, .pixels = N, .rank = 1, .W = W, .H = H};

static ch_status plane(ch_context *context, const ch_matrix *X) {
    ch_separation parts = {.size = sizeof parts};
    ch_separate_settings set;
    ch_separate_defaults(&set);
    return ch_separate_plane(context, &parts, X, &background, &set);
}

static ch_status residual(ch_context *context, const ch_matrix *X) {
    float out[M * N];
    return ch_separation_residual(context, out, &background, X, 0, 1);
}

static ch_status ghosts(ch_context *context, const ch_matrix *X) {
    ch_separation parts = background;
    ch_separation *const planes[] = {&parts};
    const ch_matrix *const clips[] = {X};
    return ch_ghosts_remove(context, NULL, planes, clips, &(ch_frame_shape){N, 1, 1});
}

static ch_status weigh(ch_context *context, const ch_matrix *X) {
    ch_matrix made;
    ch_weighting weighting;
    assert_int_equal(ch_weighting_parse(context, &weighting, "tfidf"), CH_OK);
    return ch_weighting_apply(context, &made, X, NULL, &weighting);
}

static ch_status top_rows(ch_context *context, const ch_matrix *X) {
    int64_t found[2 * N];
    return ch_matrix_top_rows(context, found, 2, X);
}

static ch_status exemplars(ch_context *context, const ch_matrix *X) {
    ch_exemplars found = {.size = sizeof found};
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    return ch_exemplars_find(context, &found, X, 2, &set);
}

static ch_status topics(ch_context *context, const ch_matrix *X) {
    ch_topics found = {.size = sizeof found};
    ch_topics_settings set;
    ch_topics_defaults(&set);
    set.rank = 2;
    return ch_topics_find(context, &found, X, &set);
}

static ch_status coherence(ch_context *context, const ch_matrix *X) {
    double umass, npmi;
    const int64_t words[2] = {0, 1};
    return ch_topics_coherence(context, &umass, &npmi, X, words, 2, 1);
}

static const struct {
    const char *name;
    ch_status (*call)(ch_context *context, const ch_matrix *X);
} calls[] = {
    {"ch_matrix_borrow", borrow},
    {"ch_matrix_copy", copy},
    {"ch_matrix_transpose", transpose},
    {"ch_matrix_check", ch_matrix_check},
    {"ch_matrix_nonzeros", nonzeros},
    {"ch_matrix_write", write_file},
    {"ch_anchors", find_anchors},
    {"ch_project", project},
    {"ch_stream_push", push},
    {"ch_robust_pca", pca},
    {"ch_robust_nmf", nmf},
    {"ch_robust_lowrank", lowrank},
    {"ch_median_filter", median},
    {"ch_clip_frames", frames},
    {"ch_separate", separate},
    {"ch_separate_plane", plane},
    {"ch_separate_apply", apply},
    {"ch_separation_residual", residual},
    {"ch_ghosts_remove", ghosts},
    {"ch_weighting_apply", weigh},
    {"ch_matrix_top_rows", top_rows},
    {"ch_exemplars_find", exemplars},
    {"ch_topics_find", topics},
    {"ch_topics_coherence", coherence},
};

static void matrices_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < M * N; i++) numbers[i] = (double)(1 + i * i % 7);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t b = 0; b < sizeof broken / sizeof *broken; b++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1);
            ch_matrix X = broken[b].X;
            ch_status status = calls[c].call(context, &X);
            support_check(status < 0, "%s of a matrix with %s: %d", calls[c].name, broken[b].what,
                          status);
            support_finish(context, &memory);
        }
}

static void looking_is_harmless(void **state) {
    (void)state;
    for (size_t b = 0; b < 8; b++) { /* those that need no array to be read */
        if (b == 4) continue;
        double value = ch_matrix_at(&broken[b].X, 1, 1);
        support_check(isnan(value) || broken[b].X.stride != M, "%s: %g", broken[b].what, value);
    }
    assert_true(isnan(ch_matrix_at(&broken[4].X, 0, 0)));
    assert_true(isnan(ch_matrix_at(&(ch_matrix){DENSE}, M, 0)));
    assert_int_equal(ch_matrix_stored(&broken[2].X), -1);
    assert_int_equal(ch_matrix_stored(&broken[11].X), -1);
}

/* Results whose arrays are missing. */
static void parts_are_needed(void **state) {
    support_memory memory;
    float out[M * N];
    (void)state;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = {DENSE};
    ch_separation empty = {.size = sizeof empty, .frames = M, .pixels = N, .rank = 1};
    assert_true(ch_separation_background(context, out, &empty, 0, 1) < 0);
    assert_true(ch_separation_residual(context, out, &empty, &X, 0, 1) < 0);
    ch_separation filtered = empty;
    filtered.filtered = (ch_matrix){DENSE, .type = (ch_value_type)9};
    assert_true(ch_separation_background(context, out, &filtered, 0, 1) < 0);
    ch_anchors_result result = {.size = sizeof result, .rows = M, .cols = N, .rank = 2};
    ch_verification verification = {.size = sizeof verification};
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    assert_true(ch_verify(context, &verification, &X, &result, &set) < 0);
    ch_separation *const none[] = {NULL};
    const ch_matrix *const clips[] = {&X};
    assert_true(ch_ghosts_remove(context, NULL, none, clips, &(ch_frame_shape){N, 1, 1}) < 0);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_refused),
        cmocka_unit_test(looking_is_harmless),
        cmocka_unit_test(parts_are_needed),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
