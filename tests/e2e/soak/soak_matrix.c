/* Jobs on matrices: anchors under every kind of loss, files, a run that is stopped and resumed,
 * topics, streams, exemplars. */
#include "soak.h"
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ch_anchors_settings settings_of(const place *p, const char *method, const char *loss) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    check(p, ch_settings_set(p->context, ch_anchors_table(), &set, "method", method), method);
    check(p, ch_settings_set(p->context, ch_anchors_table(), &set, "loss", loss), loss);
    return set;
}

static bits add_result(const ch_anchors_result *result) {
    bits sum = add(BITS_NONE, result->anchors, (size_t)result->rank * sizeof(int64_t));
    if (result->H) sum = add_reals(sum, result->H, result->rank * result->cols);
    return add_reals(sum, &result->objective, 1);
}

static bits anchors(const place *p, const ch_matrix *X, const char *method, const char *loss) {
    ch_anchors_settings set = settings_of(p, method, loss);
    ch_anchors_result result = {.size = sizeof result};
    ch_verification found = {.size = sizeof found, .ok = 1};
    set.keep_duals = 1;
    check(p, ch_anchors(p->context, &result, X, &set), loss);
    check(p, ch_verify(p->context, &found, X, &result, &set), loss);
    require(found.ok, found.why);
    bits sum = add_result(&result);
    ch_anchors_result_free(p->context, &result);
    return sum;
}

static bits job_l1(const place *p) {
    return anchors(p, &p->X, "xray", "l1");
}
static bits job_l2_sparse(const place *p) {
    return anchors(p, &p->S, "xray", "l2");
}
static bits job_kl(const place *p) {
    return anchors(p, &p->S, "xray", "kl");
}
static bits job_is(const place *p) {
    return anchors(p, &p->X, "xray", "is");
}
static bits job_spa(const place *p) {
    return anchors(p, &p->X, "spa", "l1");
}

/* ---- files ---- */

static bits read_back(const place *p, const char *name) {
    ch_matrix back;
    bits sum = BITS_NONE;
    check(p, ch_matrix_read(p->context, &back, path_of(p, name), NULL), name);
    require(back.rows == ROWS && back.cols == COLS, name);
    for (int64_t j = 0; j < COLS; j += 7) {
        double value = ch_matrix_at(&back, j % ROWS, j);
        sum = add_reals(sum, &value, 1);
    }
    ch_matrix_free(p->context, &back);
    return sum;
}

/* Written and read back in every format that is written. */
static bits job_files(const place *p) {
    static const char *const names[] = {"x.npy", "x.mtx", "x.csv", "x.mtx.gz"};
    bits sum = BITS_NONE;
    for (int f = 0; f < 4; f++) {
        const char *path = path_of(p, names[f]);
        check(p, ch_matrix_write(p->context, path, f % 2 ? &p->S : &p->X), path);
        bits one = read_back(p, names[f]);
        sum = add(sum, &one, sizeof one);
        unlink(path_of(p, names[f]));
    }
    return sum;
}

/* The files of other libraries, which soak.c has written: each holds X. */
static bits job_foreign(const place *p) {
    bits sum = read_back(p, "x.mat");
    require(read_back(p, "x73.mat") == sum, "x73.mat");
    require(read_back(p, "x.h5") == sum, "x.h5");
    return sum;
}

static bits job_npz(const place *p) {
    int64_t numbers[] = {3, 1, 4};
    ch_npz_array arrays[] = {{"X", 'f', 2, {ROWS, COLS}, (void *)p->X.values},
                             {"numbers", 'i', 1, {3, 0}, numbers}};
    ch_npz_array *back;
    int count;
    const char *path = path_of(p, "x.npz");
    check(p, ch_npz_write(p->context, path, arrays, 1), path);
    bits sum = read_back(p, "x.npz");
    path = path_of(p, "x.npz");
    check(p, ch_npz_write(p->context, path, arrays, 2), path);
    check(p, ch_npz_read(p->context, &back, &count, path), path);
    require(count == 2, path);
    for (int a = 0; a < count; a++)
        sum = add(sum, back[a].data, a ? sizeof numbers : sizeof(double) * ROWS * COLS);
    ch_npz_free(p->context, back, count);
    unlink(path);
    return sum;
}

/* Refused, with a message, and nothing held. */
static bits job_refused(const place *p) {
    ch_matrix X;
    const char *path = path_of(p, "bad.csv");
    FILE *file = fopen(path, "w");
    require(file && fputs("1,2\n3,four\n", file) >= 0 && fclose(file) == 0, path);
    ch_status status = ch_matrix_read(p->context, &X, path, NULL);
    unlink(path);
    return add(BITS_NONE, ch_context_message(p->context), strlen(ch_context_message(p->context))) +
           status;
}

/* ---- stopped and resumed ---- */

static int stop_at_third(const ch_progress_event *event, void *user) {
    (void)user;
    return strcmp(event->phase, "select") == 0 && event->done >= 3;
}

static bits job_resume(const place *p) {
    ch_anchors_settings set = settings_of(p, "xray", "l1");
    bits sum = BITS_NONE;
    for (int part = 0; part < 2; part++) {
        ch_checkpoint_file *file;
        ch_anchors_result result = {.size = sizeof result};
        check(p, ch_checkpoint_file_open(p->context, &file, path_of(p, "run.checkpoint"), part),
              "checkpoint");
        require(part == 0 || ch_checkpoint_file_records(file) > 1, "records to resume from");
        set.checkpoint = ch_checkpoint_file_interface(file);
        ch_context_set_progress(p->context, part ? NULL : stop_at_third, NULL);
        ch_status status = ch_anchors(p->context, &result, &p->X, &set);
        ch_context_set_progress(p->context, NULL, NULL);
        check(p, status, "resume");
        require((status == CH_STOP_CANCELLED) == (part == 0), "stopped, then not");
        if (part) sum = add_result(&result);
        ch_anchors_result_free(p->context, &result);
        check(p, ch_checkpoint_file_close(file, part), "checkpoint");
    }
    require(sum == job_l1(p), "a resumed run gives the bits of one that was not stopped");
    return sum;
}

/* Half of the columns, saved, restored, the other half. */
static bits job_stream(const place *p) {
    ch_anchors_settings set = settings_of(p, "xray", "l1");
    ch_stream_settings settings;
    ch_stream *stream;
    ch_checkpoint_file *file;
    ch_matrix half[2];
    ch_anchors_result result = {.size = sizeof result};
    double bound;
    const double *values = p->X.values;
    ch_stream_defaults(&settings);
    settings.store = 40;
    for (int h = 0; h < 2; h++)
        check(p,
              ch_matrix_borrow(p->context, &half[h],
                               &(ch_matrix){.rows = ROWS,
                                            .cols = COLS / 2,
                                            .values = values + h * ROWS * (COLS / 2)}),
              "half");
    check(p, ch_stream_create(p->context, &stream, ROWS, &set, &settings), "stream");
    check(p, ch_stream_push(stream, &half[0]), "stream");
    for (int part = 0; part < 2; part++) {
        check(p, ch_checkpoint_file_open(p->context, &file, path_of(p, "stream.checkpoint"), part),
              "stream");
        if (part == 0) {
            check(p, ch_stream_save(stream, ch_checkpoint_file_interface(file)), "save");
            ch_stream_destroy(stream);
        } else {
            check(p,
                  ch_stream_restore(p->context, &stream, &set, ch_checkpoint_file_interface(file)),
                  "restore");
        }
        check(p, ch_checkpoint_file_close(file, part), "stream");
    }
    check(p, ch_stream_push(stream, &half[1]), "stream");
    check(p, ch_stream_anchors(stream, &result, &bound), "stream");
    bits sum =
        add(add_reals(BITS_NONE, &bound, 1), result.anchors, (size_t)result.rank * sizeof(int64_t));
    ch_anchors_result_free(p->context, &result);
    ch_stream_destroy(stream);
    return sum;
}

/* ---- documents ---- */

static bits job_topics(const place *p) {
    ch_topics_settings set;
    ch_topics topics = {.size = sizeof topics};
    ch_topics_defaults(&set);
    set.rank = 3;
    check(p, ch_topics_find(p->context, &topics, &p->S, &set), "topics");
    bits sum = add(BITS_NONE, topics.anchors, (size_t)topics.rank * sizeof *topics.anchors);
    ch_topics_free(p->context, &topics);
    return sum;
}

static bits job_exemplars(const place *p) {
    static const int64_t ranks[] = {4, 8};
    ch_exemplars_settings set;
    ch_exemplars found = {.size = sizeof found};
    ch_exemplars_defaults(&set);
    check(p, ch_exemplars_find(p->context, &found, &p->S, RANK, &set), "exemplars");
    bits sum = add(BITS_NONE, found.columns, (size_t)found.rank * sizeof *found.columns);
    sum = add(sum, found.stand_in, COLS * sizeof *found.stand_in);
    ch_exemplars_free(p->context, &found);
    if (ch_classifier_name()) {
        int32_t labels[COLS];
        ch_exemplars_scores accuracy = {.size = sizeof accuracy};
        for (int32_t j = 0; j < COLS; j++) labels[j] = j % 3;
        set.splits = 2;
        check(p,
              ch_exemplars_accuracy(p->context, &accuracy, &(ch_exemplars_data){&p->S, labels},
                                    ranks, 2, &set),
              "accuracy");
        sum = add_reals(sum, accuracy.each, accuracy.splits * accuracy.count);
        ch_exemplars_scores_free(p->context, &accuracy);
    }
    return sum;
}

const job matrix_jobs[] = {{"l1", job_l1},
                           {"l2, sparse", job_l2_sparse},
                           {"kl", job_kl},
                           {"is", job_is},
                           {"spa", job_spa},
                           {"files", job_files},
                           {"files of others", job_foreign},
                           {"npz", job_npz},
                           {"refused", job_refused},
                           {"resume", job_resume},
                           {"stream", job_stream},
                           {"topics", job_topics},
                           {"exemplars", job_exemplars},
                           {NULL, NULL}};
