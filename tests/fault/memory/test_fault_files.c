/* Arrays and matrices read and written with their k-th allocation failing, for every k: what exists
 * survives a write that fails. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdlib.h>
#include <unistd.h>

static ch_status run_write_npz(ch_context *context) {
    double numbers[6] = {1, 2, 3, 4, 5, 6};
    int64_t whole[2] = {7, 8};
    ch_npz_array arrays[] = {{"numbers", 'f', 2, {2, 3}, numbers},
                             {"whole", 'i', 1, {2, 0}, whole}};
    int files = support_folder_count(), there = access(support_path("x.npz"), R_OK) == 0;
    ch_status status = ch_npz_write(context, support_path("x.npz"), arrays, 2);
    assert_int_equal(support_folder_count(), files + (status >= 0 && !there));
    return status;
}

static ch_status run_read_npz(ch_context *context) {
    ch_npz_array *arrays;
    int count;
    mark(&arrays);
    mark(&count);
    ch_status status = ch_npz_read(context, &arrays, &count, support_path("x.npz"));
    if (status < 0) untouched(&arrays);
    if (status < 0) untouched(&count);
    if (status >= 0) {
        assert_int_equal(count, 2);
        ch_npz_free(context, arrays, count);
    }
    return status;
}

/* A file of this kind, written once, read with every allocation failing. */
typedef struct sample {
    const char *name;
    const ch_matrix *X;
} sample;

static ch_status run_read(ch_context *context, const void *with) {
    const sample *from = with;
    const char *path = support_path("%s", from->name);
    ch_matrix X;
    if (access(path, R_OK) != 0)
        support_check(ch_matrix_write(given.context, path, from->X) == CH_OK, "%s",
                      ch_context_message(given.context));
    mark(&X);
    return finish_matrix(context, ch_matrix_read(context, &X, path, NULL), &X);
}

/* What exists must survive a write that fails, and no other file must appear. */
static ch_status run_write(ch_context *context, const void *name) {
    const char *path = support_path("%s", (const char *)name);
    static const char old[] = "was here before";
    support_file_write(path, old, sizeof old);
    int files = support_folder_count();
    ch_status status = ch_matrix_write(context, path, &given.csc);
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

static const support_fault faults[] = {
    {"ch_npz_write", run_write_npz, NULL, NULL},
    {"ch_npz_read", run_read_npz, NULL, NULL},
    {"ch_matrix_read, npy", NULL, run_read, &(const sample){"x.npy", &given.dense}},
    {"ch_matrix_read, mtx.gz", NULL, run_read, &(const sample){"x.mtx.gz", &given.csc}},
    {"ch_matrix_read, csv", NULL, run_read, &(const sample){"x.csv", &given.dense}},
    {"ch_matrix_write, npy", NULL, run_write, "written.npy"},
    {"ch_matrix_write, mtx.gz", NULL, run_write, "written.mtx.gz"},
    {"ch_matrix_write, csv", NULL, run_write, "written.csv"},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
