/* Every public call with its k-th allocation failing, for every k: the status is CH_ERR_MEMORY with
 * a message, outputs are untouched, nothing leaks, and the same context works afterwards. */
#include "support_files.h"
#include <conehull/conehull.h>
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the calls work on: made once, outside the counted memory. */
typedef struct inputs {
    ch_context *context;
    ch_matrix dense, rows, csc, bytes;
} inputs;

static inputs given;
enum { ROWS = 15, COLS = 30 };

/* Fills an output with a pattern, and looks for it after a call that failed. */
enum { PATTERN = 0x5A };
#define mark(output) memset((output), PATTERN, sizeof *(output))
#define untouched(output) untouched_bytes((output), sizeof *(output))

static void untouched_bytes(const void *output, size_t size) {
    for (size_t i = 0; i < size; i++)
        support_check(((const unsigned char *)output)[i] == PATTERN,
                      "byte %zu of an output was written by a call that failed", i);
}

static ch_status finish_matrix(ch_context *context, ch_status status, ch_matrix *X) {
    if (status < 0)
        untouched(X);
    else
        ch_matrix_free(context, X);
    return status;
}

static ch_status run_synthetic(ch_context *context) {
    ch_synthetic_settings set = {.rows = 20,
                                 .cols = 50,
                                 .rank = 4,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.1,
                                 .shuffle = 1,
                                 .type = CH_F32};
    ch_matrix X;
    int64_t anchors[4];
    mark(&X);
    mark(&anchors);
    ch_status status = ch_synthetic(context, &X, anchors, &set);
    if (status < 0) untouched(&anchors);
    return finish_matrix(context, status, &X);
}

static ch_status run_copy(ch_context *context, const ch_matrix *from) {
    ch_matrix X;
    int64_t list[] = {3, 1, 7};
    mark(&X);
    return finish_matrix(context, ch_matrix_copy(context, &X, from, list, 3), &X);
}

static ch_status run_copy_dense(ch_context *context) {
    return run_copy(context, &given.rows);
}

static ch_status run_copy_csc(ch_context *context) {
    return run_copy(context, &given.csc);
}

static ch_status run_transpose(ch_context *context) {
    ch_matrix X;
    mark(&X);
    return finish_matrix(context, ch_matrix_transpose(context, &X, &given.csc), &X);
}

static ch_status run_check(ch_context *context) {
    ch_status status = ch_matrix_check(context, &given.dense);
    return status < 0 ? status : ch_matrix_check(context, &given.csc);
}

/* ch_anchors with settings in words, "name=value name=value". */
static ch_status run_anchors(ch_context *context, const ch_matrix *X, const char *words) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.keep_duals = 1;
    char text[200], *rest = text;
    snprintf(text, sizeof text, "%s", words);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        support_check(ch_settings_set(context, &ch_anchors_table, &set, word, value) == CH_OK, "%s",
                      ch_context_message(context));
    }
    ch_result result;
    mark(&result);
    ch_status status = ch_anchors(context, &result, X, &set);
    if (status < 0)
        untouched(&result);
    else
        ch_result_free(context, &result);
    return status;
}

static ch_status run_spa_dense(ch_context *context) {
    return run_anchors(context, &given.bytes, "method=spa rank=5 loss=l2");
}

static ch_status run_spa_csc(ch_context *context) {
    return run_anchors(context, &given.csc, "method=spa rank=5 path=1");
}

static ch_status run_hottopixx(ch_context *context) {
    return run_anchors(context, &given.dense, "method=hottopixx rank=3 loss=l2 gap=0.1");
}

static ch_status run_smrs(ch_context *context) {
    return run_anchors(context, &given.csc, "method=smrs rank=3 path=1 gap=0.1");
}

static ch_status run_l1(ch_context *context) {
    return run_anchors(context, &given.dense, "rank=5 loss=l1");
}

static ch_status run_l1_csc(ch_context *context) {
    return run_anchors(context, &given.csc, "rank=5 loss=l1 path=1 dual=paper first=paper");
}

static ch_status run_l1_admm(ch_context *context) {
    return run_anchors(context, &given.rows, "rank=3 loss=l1 projection=admm tol=1e-2");
}

static ch_status run_l2(ch_context *context) {
    return run_anchors(context, &given.dense, "rank=5 loss=l2 exterior=rand eager=1");
}

static ch_status run_l2_greedy(ch_context *context) {
    return run_anchors(context, &given.csc,
                       "rank=4 loss=l2 exterior=greedy projection=cd tol=1e-2");
}

static ch_status run_l2_dist(ch_context *context) {
    return run_anchors(context, &given.dense, "rank=4 loss=l2 exterior=dist");
}

static ch_status run_auto(ch_context *context) {
    return run_anchors(context, &given.dense, "rank=0 loss=l1");
}

/* Goes on from the first share of the file that a run in one piece has left. */
static ch_status run_resumed(ch_context *context, double share) {
    const char *path = support_path("checkpoint");
    ch_checkpoint_file *file;
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = 5;
    set.keep_duals = 1;
    ch_result result;
    assert_int_equal(ch_checkpoint_open(given.context, &file, path, 0), CH_OK);
    set.checkpoint = ch_checkpoint_table(file);
    assert_int_equal(ch_anchors(given.context, &result, &given.dense, &set), CH_OK);
    ch_result_free(given.context, &result);
    ch_checkpoint_close(file, 0);
    size_t count;
    unsigned char *bytes = support_file_read(path, &count);
    support_file_write(path, bytes, (size_t)(share * (double)count));
    free(bytes);
    mark(&result);
    ch_status status = ch_checkpoint_open(context, &file, path, 1);
    if (status == CH_OK) {
        set.checkpoint = ch_checkpoint_table(file);
        status = ch_anchors(context, &result, &given.dense, &set);
        ch_checkpoint_close(file, 1);
    }
    if (status < 0)
        untouched(&result);
    else
        ch_result_free(context, &result);
    unlink(path);
    return status;
}

static ch_status run_resumed_steps(ch_context *context) {
    return run_resumed(context, 0.3);
}

static ch_status run_resumed_blocks(ch_context *context) {
    return run_resumed(context, 1);
}

static ch_status run_project(ch_context *context) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    double H[3 * COLS];
    ch_project_info info;
    mark(&H);
    mark(&info);
    ch_status status = ch_project(context, H, &info, &given.csc, given.dense.values, 3, &set);
    if (status < 0) untouched(&H);
    if (status < 0) untouched(&info);
    return status;
}

/* The result to be checked is made once, outside the counted memory. */
static ch_status run_verify(ch_context *context) {
    static ch_result result;
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = 4;
    set.keep_duals = 1;
    if (!result.anchors) assert_true(ch_anchors(given.context, &result, &given.csc, &set) >= 0);
    ch_verification verification;
    mark(&verification);
    ch_status status = ch_verify(context, &verification, &given.csc, &result, &set);
    if (status < 0) {
        untouched(&verification);
        return status;
    }
    support_check(verification.ok, "%s", verification.why);
    ch_result_free(given.context, &result);
    return status;
}

static ch_status finish_parts(ch_context *context, ch_status status, ch_decomposition *parts) {
    if (status < 0)
        untouched(parts);
    else
        ch_decomposition_free(context, parts);
    return status;
}

static ch_status run_rpca(ch_context *context) {
    ch_rpca_settings set;
    ch_settings_defaults(&ch_rpca_table, &set);
    set.keep_sparse = 1;
    ch_decomposition parts;
    mark(&parts);
    return finish_parts(context, ch_robust_pca(context, &parts, &given.dense, &set), &parts);
}

/* More rows than columns: a transposed copy, and factors that change places. */
static ch_status run_rpca_tall(ch_context *context) {
    ch_rpca_settings set;
    ch_settings_defaults(&ch_rpca_table, &set);
    ch_matrix tall;
    mark(&tall);
    ch_status status = ch_matrix_transpose(context, &tall, &given.csc);
    if (status < 0) return status;
    ch_decomposition parts;
    mark(&parts);
    status = finish_parts(context, ch_robust_pca(context, &parts, &tall, &set), &parts);
    ch_matrix_free(context, &tall);
    return status;
}

static ch_status run_robust_nmf(ch_context *context) {
    ch_factor_settings set;
    ch_settings_defaults(&ch_factor_table, &set);
    set.rank = 2;
    set.iterations = 20;
    ch_decomposition parts;
    mark(&parts);
    return finish_parts(context, ch_robust_nmf(context, &parts, &given.rows, &set), &parts);
}

static ch_status run_robust_lowrank(ch_context *context) {
    ch_factor_settings set;
    ch_settings_defaults(&ch_factor_table, &set);
    set.rank = 2;
    set.iterations = 20;
    ch_decomposition parts;
    ch_matrix tall;
    mark(&parts);
    ch_status status = ch_matrix_transpose(context, &tall, &given.dense);
    if (status < 0) return status;
    return finish_parts(context, ch_robust_lowrank(context, &parts, &tall, &set), &parts);
}

/* Noise, threshold, masks, scores, regions, outlines and objects of a small clip. */
static ch_status run_masks(ch_context *context) {
    enum { SIDE = 6, AREA = SIDE * SIDE };
    uint8_t frame[AREA] = {0}, mask[AREA], rgb[3 * AREA];
    const uint8_t *planes[] = {frame}, colour[3] = {255, 0, 0};
    float background[AREA] = {0};
    ch_point corners[] = {{0, 0}, {6, 0}, {6, 6}};
    ch_mask_plane plane = {frame, AREA, background};
    ch_mask_settings set;
    ch_settings_defaults(&ch_mask_table, &set);
    ch_masker *masker;
    ch_activity activity;
    frame[8] = frame[9] = frame[14] = 200;
    ch_status status = ch_masker_create(context, &masker, SIDE, SIDE, 1, &set);
    if (status < 0) return status;
    status = ch_masker_set_region(masker, frame);
    if (status == CH_OK) status = ch_masker_learn(masker, &plane, 1);
    if (status == CH_OK) status = ch_masker_settle(masker, NULL);
    if (status == CH_OK) status = ch_masker_apply(masker, mask, NULL, &plane, 1);
    ch_masker_destroy(masker);
    if (status == CH_OK) status = ch_region_polygon(context, mask, SIDE, SIDE, corners, 3);
    if (status == CH_OK)
        status = ch_mask_overlay(context, rgb, planes, 1, mask, SIDE, SIDE, 1, colour);
    if (status < 0) return status;
    mark(&activity);
    status = ch_mask_activity(context, &activity, NULL, 0, mask, NULL, SIDE, SIDE);
    if (status < 0) untouched(&activity);
    return status;
}

static ch_status run_scores(ch_context *context, int reals) {
    uint8_t bytes[] = {3, 1, 2, 2}, truth[] = {1, 0, 1, 0};
    float numbers[] = {3, 1, 2, 2};
    ch_scorer *scorer;
    ch_roc roc;
    mark(&roc);
    ch_status status = ch_scorer_create(context, &scorer);
    if (status < 0) return status;
    status = reals ? ch_scorer_add_f32(scorer, numbers, truth, NULL, 4)
                   : ch_scorer_add_u8(scorer, bytes, truth, NULL, 4);
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    ch_scorer_destroy(scorer);
    if (status < 0)
        untouched(&roc);
    else
        ch_roc_free(context, &roc);
    return status;
}

static ch_status run_scores_counted(ch_context *context) {
    return run_scores(context, 0);
}

static ch_status run_scores_sorted(ch_context *context) {
    return run_scores(context, 1);
}

static ch_status finish_separation(ch_context *context, ch_status status, ch_separation *parts) {
    if (status < 0)
        untouched(parts);
    else
        ch_separation_free(context, parts);
    return status;
}

static ch_separate_settings separate_settings(void) {
    ch_separate_settings set;
    ch_settings_defaults(&ch_separate_table, &set);
    set.rank = 1;
    set.refit = 0;
    return set;
}

static ch_status run_separate(ch_context *context) {
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    unsigned char ignore[COLS] = {1, 0, 1};
    int64_t busy[] = {2, 5};
    set.ignore = ignore;
    set.busy = busy;
    set.busy_count = 2;
    mark(&parts);
    return finish_separation(context, ch_separate(context, &parts, &given.bytes, &set), &parts);
}

static ch_status run_separate_farthest(ch_context *context) {
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    set.choose = CH_CHOOSE_FARTHEST;
    mark(&parts);
    return finish_separation(context, ch_separate(context, &parts, &given.rows, &set), &parts);
}

static ch_status run_separate_median(ch_context *context) {
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    set.method = CH_SEPARATE_MEDIAN;
    set.radius = 2;
    mark(&parts);
    return finish_separation(context, ch_separate(context, &parts, &given.bytes, &set), &parts);
}

static ch_status run_separate_again(ch_context *context) {
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    double W[ROWS], H[COLS];
    for (int i = 0; i < ROWS; i++) W[i] = 1;
    for (int j = 0; j < COLS; j++) H[j] = 1 + j;
    ch_separation luma = {.frames = ROWS, .pixels = COLS, .rank = 1, .W = W, .H = H};
    mark(&parts);
    ch_status status = ch_separate_plane(context, &parts, &given.bytes, &luma, &set);
    status = finish_separation(context, status, &parts);
    if (status < 0) return status;
    mark(&parts);
    status = ch_separate_apply(context, &parts, &given.bytes, H, 1, &set);
    return finish_separation(context, status, &parts);
}

static ch_status run_ghosts(ch_context *context) {
    enum { CLIP_FRAMES = 20, AREA = 4 };
    uint8_t pixels[CLIP_FRAMES * AREA];
    double W[CLIP_FRAMES], H[AREA] = {9, 9, 9, 9};
    memset(pixels, 9, sizeof pixels);
    for (int i = 0; i < CLIP_FRAMES; i++) W[i] = 1;
    ch_matrix X = {.rows = CLIP_FRAMES,
                   .cols = AREA,
                   .type = CH_U8,
                   .layout = CH_ROW_MAJOR,
                   .values = pixels,
                   .stride = AREA};
    ch_separation parts = {.frames = CLIP_FRAMES, .pixels = AREA, .rank = 1, .W = W, .H = H};
    ch_separation *planes[] = {&parts};
    const ch_matrix *clips[] = {&X};
    ch_ghosts ghosts;
    mark(&ghosts);
    ch_status status = ch_ghosts_remove(context, &ghosts, planes, clips, 1, 2, 2);
    if (status < 0) untouched(&ghosts);
    return status;
}

static ch_status run_median(ch_context *context, const ch_matrix *X, int64_t radius) {
    ch_median_settings set = {radius};
    ch_matrix Y;
    mark(&Y);
    return finish_matrix(context, ch_median_filter(context, &Y, X, &set), &Y);
}

static ch_status run_median_bytes(ch_context *context) {
    return run_median(context, &given.bytes, 0);
}

static ch_status run_median_window(ch_context *context) {
    return run_median(context, &given.rows, 3);
}

static ch_status run_topics(ch_context *context) {
    ch_topics_settings set;
    ch_topics topics;
    ch_settings_defaults(&ch_topics_table, &set);
    set.rank = 3;
    set.max_df = 1;
    set.refit = 1;
    set.top = 4;
    mark(&topics);
    ch_status status = ch_topics_find(context, &topics, &given.csc, &set);
    if (status < 0)
        untouched(&topics);
    else
        ch_topics_free(context, &topics);
    return status;
}

static ch_status run_read_corpus(ch_context *context) {
    ch_corpus_settings set;
    ch_corpus corpus;
    const char *path = support_path("corpus.txt");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 3000; i++) fprintf(file, "w%d w%d the%s", i, i / 2, i % 7 ? " " : "\n");
    fclose(file);
    ch_settings_defaults(&ch_corpus_table, &set);
    set.stop_words = "english";
    mark(&corpus);
    ch_status status = ch_read_corpus(context, &corpus, path, &set);
    if (status < 0)
        untouched(&corpus);
    else
        ch_corpus_free(context, &corpus);
    return status;
}

static ch_status run_read_lines(ch_context *context) {
    ch_lines lines;
    const char *path = support_path("lines.txt");
    support_file_write(path, "one\ntwo\n", 8);
    mark(&lines);
    ch_status status = ch_read_lines(context, &lines, path, 2, "lines");
    if (status < 0)
        untouched(&lines);
    else
        ch_lines_free(context, &lines);
    return status;
}

static ch_status run_write_npz(ch_context *context) {
    double numbers[6] = {1, 2, 3, 4, 5, 6};
    int64_t whole[2] = {7, 8};
    ch_array arrays[] = {{"numbers", 'f', 2, {2, 3}, numbers}, {"whole", 'i', 1, {2, 0}, whole}};
    int files = support_folder_count(), there = access(support_path("x.npz"), R_OK) == 0;
    ch_status status = ch_write_npz(context, support_path("x.npz"), arrays, 2);
    assert_int_equal(support_folder_count(), files + (status >= 0 && !there));
    return status;
}

static ch_status run_read_npz(ch_context *context) {
    ch_array *arrays;
    int count;
    mark(&arrays);
    mark(&count);
    ch_status status = ch_read_npz(context, &arrays, &count, support_path("x.npz"));
    if (status < 0) untouched(&arrays);
    if (status < 0) untouched(&count);
    if (status >= 0) {
        assert_int_equal(count, 2);
        ch_arrays_free(context, arrays, count);
    }
    return status;
}

static ch_status run_weigh(ch_context *context) {
    ch_weighting weighting = {CH_VALUE_TFIDF, CH_COLUMN_L2};
    ch_matrix X;
    mark(&X);
    return finish_matrix(context, ch_weigh(context, &X, &given.csc, NULL, &weighting), &X);
}

static ch_status run_exemplars(ch_context *context) {
    ch_exemplars_settings set;
    ch_exemplars found;
    ch_exemplars_defaults(&set);
    mark(&found);
    ch_status status = ch_exemplars_find(context, &found, &given.csc, 4, &set);
    if (status < 0)
        untouched(&found);
    else
        ch_exemplars_free(context, &found);
    return status;
}

static ch_status run_accuracy(ch_context *context) {
    ch_exemplars_settings set;
    ch_accuracy accuracy;
    int32_t labels[COLS];
    const int64_t ranks[] = {3, 5};
    for (int j = 0; j < COLS; j++) labels[j] = j % 2;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("random");
    set.splits = 1;
    if (!ch_classifier_name()) return run_weigh(context);
    mark(&accuracy);
    ch_status status =
        ch_exemplars_accuracy(context, &accuracy, &given.csc, labels, ranks, 2, &set);
    if (status < 0)
        untouched(&accuracy);
    else
        ch_accuracy_free(context, &accuracy);
    return status;
}

static ch_status run_trial(ch_context *context) {
    ch_exemplars_settings set;
    ch_trial trial;
    int32_t labels[COLS];
    int64_t columns[5];
    const int64_t ranks[] = {3, 5};
    double accuracy[2];
    for (int j = 0; j < COLS; j++) labels[j] = j % 2;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find("random");
    if (!ch_classifier_name()) return run_weigh(context);
    ch_status status = ch_exemplars_try_split(context, &trial, accuracy, columns, &given.csc,
                                              labels, 1, ranks, 2, &set);
    return status < 0 ? status
                      : ch_exemplars_try_columns(context, accuracy, &given.csc, labels, 1, columns,
                                                 trial.found, &set);
}

/* A file of this kind, written once, read with every allocation failing. */
static ch_status run_read(ch_context *context, const char *name, const ch_matrix *from) {
    const char *path = support_path("%s", name);
    ch_matrix X;
    if (access(path, R_OK) != 0)
        support_check(ch_write_matrix(given.context, path, from) == CH_OK, "%s",
                      ch_context_message(given.context));
    mark(&X);
    return finish_matrix(context, ch_read_matrix(context, &X, path, NULL), &X);
}

static ch_status run_read_npy(ch_context *context) {
    return run_read(context, "x.npy", &given.dense);
}

static ch_status run_read_mtx(ch_context *context) {
    return run_read(context, "x.mtx.gz", &given.csc);
}

static ch_status run_read_csv(ch_context *context) {
    return run_read(context, "x.csv", &given.dense);
}

/* What exists must survive a write that fails, and no other file must appear. */
static ch_status run_write(ch_context *context, const char *name) {
    const char *path = support_path("%s", name);
    static const char old[] = "was here before";
    support_file_write(path, old, sizeof old);
    int files = support_folder_count();
    ch_status status = ch_write_matrix(context, path, &given.csc);
    assert_int_equal(support_folder_count(), files);
    if (status < 0) {
        size_t count;
        unsigned char *now = support_file_read(path, &count);
        assert_int_equal(count, sizeof old);
        assert_memory_equal(now, old, sizeof old);
        free(now);
    }
    return status;
}

static ch_status run_write_npy(ch_context *context) {
    return run_write(context, "written.npy");
}

static ch_status run_write_mtx(ch_context *context) {
    return run_write(context, "written.mtx.gz");
}

static ch_status run_write_csv(ch_context *context) {
    return run_write(context, "written.csv");
}

typedef struct fault {
    const char *name;
    ch_status (*run)(ch_context *context);
} fault;

static const fault faults[] = {
    {"ch_synthetic", run_synthetic},
    {"ch_matrix_copy, by rows", run_copy_dense},
    {"ch_matrix_copy, CSC", run_copy_csc},
    {"ch_matrix_transpose, CSC", run_transpose},
    {"ch_matrix_check", run_check},
    {"ch_anchors, spa on u8", run_spa_dense},
    {"ch_anchors, spa on CSC", run_spa_csc},
    {"ch_anchors, hottopixx", run_hottopixx},
    {"ch_anchors, smrs on CSC", run_smrs},
    {"ch_anchors, l1", run_l1},
    {"ch_anchors, l1 on CSC", run_l1_csc},
    {"ch_anchors, l1 by admm", run_l1_admm},
    {"ch_anchors, l1 to a rank of its own", run_auto},
    {"ch_anchors, l2", run_l2},
    {"ch_anchors, l2 greedy", run_l2_greedy},
    {"ch_anchors, l2 dist", run_l2_dist},
    {"ch_anchors, going on from its steps", run_resumed_steps},
    {"ch_anchors, going on from its blocks", run_resumed_blocks},
    {"ch_project", run_project},
    {"ch_verify", run_verify},
    {"ch_weigh", run_weigh},
    {"ch_exemplars_find", run_exemplars},
    {"ch_exemplars_accuracy", run_accuracy},
    {"ch_exemplars_try_split", run_trial},
    {"ch_robust_pca", run_rpca},
    {"ch_robust_pca, tall CSC", run_rpca_tall},
    {"ch_robust_nmf, by rows", run_robust_nmf},
    {"ch_robust_lowrank, tall", run_robust_lowrank},
    {"ch_median_filter, u8", run_median_bytes},
    {"ch_median_filter, windows", run_median_window},
    {"ch_separate, frames and pixels left out", run_separate},
    {"ch_separate, farthest", run_separate_farthest},
    {"ch_separate, median over a window", run_separate_median},
    {"ch_separate_plane, ch_separate_apply", run_separate_again},
    {"ch_masker, ch_mask_overlay and others", run_masks},
    {"ch_scorer, u8", run_scores_counted},
    {"ch_scorer, f32", run_scores_sorted},
    {"ch_ghosts_remove", run_ghosts},
    {"ch_topics_find", run_topics},
    {"ch_read_corpus", run_read_corpus},
    {"ch_read_lines", run_read_lines},
    {"ch_write_npz", run_write_npz},
    {"ch_read_npz", run_read_npz},
    {"ch_read_matrix, npy", run_read_npy},
    {"ch_read_matrix, mtx.gz", run_read_mtx},
    {"ch_read_matrix, csv", run_read_csv},
    {"ch_write_matrix, npy", run_write_npy},
    {"ch_write_matrix, mtx.gz", run_write_mtx},
    {"ch_write_matrix, csv", run_write_csv},
};

/* Fails the k-th allocation (with all: and those after it) for k = 1, 2, ... until none fails. */
static int64_t fail_each(const fault *it, int threads, int all) {
    for (int64_t k = 1;; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        /* Threads are made by the first call and kept; what happens without them is tested below.
         */
        if (threads > 1) assert_true(it->run(context) >= CH_OK);
        int64_t held = memory.live;
        memory.fail_at = memory.requests + k;
        memory.fail_on = all;
        ch_status status = it->run(context);
        support_check(memory.live == held, "%s, allocation %lld: %lld blocks leaked", it->name,
                      (long long)k, (long long)(memory.live - held));
        int right = memory.failed ? status == CH_ERR_MEMORY : status >= CH_OK;
        support_check(right, "%s, allocation %lld: %s (%s)", it->name, (long long)k,
                      ch_status_name(status), ch_context_message(context));
        int over = memory.failed == 0;
        if (!over) {
            support_message(context, "memory");
            memory.fail_at = 0;
            support_check(k % 8 != 1 || it->run(context) >= CH_OK,
                          "%s: the context is not usable after a failure", it->name);
        }
        support_finish(context, &memory);
        if (over) return k - 1;
        assert_true(k < 100000);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (const fault *it = faults; it < faults + sizeof faults / sizeof *faults; it++) {
        int64_t count = fail_each(it, 1, 0);
        assert_int_equal(fail_each(it, 1, 1), count);
        print_message("%s: %lld allocations\n", it->name, (long long)count);
    }
}

static void every_allocation_may_fail_on_two_threads(void **state) {
    (void)state;
    for (const fault *it = faults; it < faults + sizeof faults / sizeof *faults; it++)
        fail_each(it, 2, 0);
}

/* ch_synthetic allocates five times, then asks for threads. */
static void without_memory_for_threads_the_caller_works_alone(void **state) {
    (void)state;
    for (int k = 6; k <= 7; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        int64_t held = memory.live;
        memory.fail_at = memory.requests + k;
        assert_int_equal(run_synthetic(context), CH_OK);
        assert_int_equal(memory.failed, 1);
        assert_int_equal(memory.live, held);
        support_finish(context, &memory);
    }
}

static void *no_memory(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return NULL;
}

static void never_called(void *block, void *user) {
    (void)block;
    (void)user;
    fail();
}

static void creating_a_context_may_fail(void **state) {
    (void)state;
    ch_memory none = {no_memory, never_called, NULL};
    ch_context *context = (ch_context *)&none;
    assert_int_equal(ch_context_create(&context, &none), CH_ERR_MEMORY);
    assert_ptr_equal(context, &none);
}

static int make_inputs(void **state) {
    if (support_folder_make(state)) return 1;
    ch_synthetic_settings set = {.rows = ROWS,
                                 .cols = COLS,
                                 .rank = 6,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.3,
                                 .shuffle = 1};
    given.context = support_context(NULL, 1);
    if (ch_synthetic(given.context, &given.dense, NULL, &set) != CH_OK) return 1;
    double *values = (double *)given.dense.values;
    for (int64_t i = 0; i < set.rows * set.cols; i++)
        values[i] = i % 3 ? 0.0 : (double)(int64_t)(values[i] * 100.0) / 64.0;
    given.rows = support_reshape(given.context, &given.dense, CH_ROW_MAJOR, CH_F32);
    given.csc = support_reshape(given.context, &given.dense, CH_CSC, CH_F64);
    given.bytes = support_reshape(given.context, &given.dense, CH_COLUMN_MAJOR, CH_U8);
    return 0;
}

static int free_inputs(void **state) {
    ch_matrix_free(given.context, &given.dense);
    ch_matrix_free(given.context, &given.rows);
    ch_matrix_free(given.context, &given.csc);
    ch_matrix_free(given.context, &given.bytes);
    ch_context_destroy(given.context);
    return support_folder_remove(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_on_two_threads),
        cmocka_unit_test(without_memory_for_threads_the_caller_works_alone),
        cmocka_unit_test(creating_a_context_may_fail),
    };
    return cmocka_run_group_tests(tests, make_inputs, free_inputs);
}
