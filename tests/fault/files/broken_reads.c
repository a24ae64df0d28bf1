/* Readers while the k-th read of their file, and those after it, fail with EIO, for every k: the
 * status is that of a failure whose message names the file, the output is untouched, and every
 * block and every descriptor comes back. */
#include "io_faults.h"
#include "support_files.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 70, COLS = 60 };

typedef struct sample {
    const char *name;
    int piped; /* a regular file is mapped: comes through a pipe instead                      */
} sample;

static const sample samples[] = {
    {"x.npy", 1}, {"x.csv", 0},    {"x.csv", 1}, {"x.csv.gz", 0}, {"x.mtx", 0}, {"x.mtx.gz", 1},
    {"x.npz", 0}, {"deep.npz", 0}, {"x.mat", 0}, {"73.mat", 0},   {"x.h5", 0},
};

static double numbers[ROWS * COLS];
static const ch_matrix given = {
    .rows = ROWS, .cols = COLS, .layout = CH_COLUMN_MAJOR, .values = numbers, .stride = ROWS};

static int make_samples(void **state) {
    static const char *const names[] = {"x.npy", "x.csv", "x.csv.gz", "x.mtx", "x.mtx.gz"};
    ch_npz_array array = {"X", 'f', 2, {ROWS, COLS}, numbers};
    ch_context *context;
    if (support_folder_make(state) || ch_context_create(&context, NULL)) return 1;
    for (int i = 0; i < ROWS * COLS; i++) numbers[i] = i * 37 % 101 / 7.0;
    int failed = ch_npz_write(context, support_path("x.npz"), &array, 1) != CH_OK;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        failed |= ch_matrix_write(context, support_path("%s", names[n]), &given) != CH_OK;
    ch_context_destroy(context);
    support_python(
        "numpy, scipy.io, h5py",
        "import numpy as np, scipy.io as sio, h5py\n"
        "x = np.load('x.npy'); np.savez_compressed('deep.npz', X=x)\n"
        "sio.savemat('x.mat', {'X': x}, do_compression=True)\n"
        "def put(f, x): f.create_dataset('X', data=x, chunks=(20, 30), compression='gzip')\n"
        "with h5py.File('x.h5', 'w') as f: put(f, x)\n"
        "with h5py.File('73.mat', 'w', userblock_size=512) as f: put(f, x.T)\n"
        "with open('73.mat', 'r+b') as f: f.seek(124); f.write(b'\\x00\\x02IM')\n");
    return failed;
}

static int open_files(void) {
    int count = 0;
    DIR *list = opendir("/proc/self/fd");
    assert_non_null(list);
    while (readdir(list)) count++;
    closedir(list);
    return count;
}

/* A process that writes the file into the pipe, and ends when nobody reads on. */
static pid_t feed(const char *path, const char *pipe) {
    size_t count;
    unsigned char *bytes = support_file_read(path, &count);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int fd = open(pipe, O_WRONLY);
        ssize_t put = 1;
        for (size_t at = 0; put > 0 && at < count; at += (size_t)put)
            put = write(fd, bytes + at, count - at);
        _exit(0);
    }
    free(bytes);
    return child;
}

/* Reads once; returns whether the fault was met. */
static int read_broken(const sample *from, const char *path, int k) {
    char fault[32];
    support_memory memory;
    ch_matrix X = {.rows = -7};
    int files = open_files();
    ch_context *context = support_context(&memory, 1);
    pid_t feeder = from->piped ? feed(support_path("%s", from->name), path) : 0;
    snprintf(fault, sizeof fault, "broken %d", k);
    io_faults_set(fault, path);
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    int met = io_faults_met() > 0;
    io_faults_set(NULL, path);
    if (feeder) waitpid(feeder, NULL, 0);
    int failed = status == CH_ERR_IO || status == CH_ERR_FORMAT;
    int right = met ? failed : status == CH_OK;
    support_check(right, "%s, read %d: %s (%s)", path, k, ch_status_name(status),
                  ch_context_message(context));
    if (failed) {
        assert_int_equal(X.rows, -7);
        support_message(context, path);
    } else {
        support_same_matrix(&X, &given);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
    assert_int_equal(open_files(), files);
    return met;
}

static void every_read_may_fail(void **state) {
    (void)state;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        const sample *it = &samples[s];
        char path[1024];
        int k = 0;
        snprintf(path, sizeof path, "%s", support_path(it->piped ? "pipe-%s" : "%s", it->name));
        if (access(support_path("%s", it->name), R_OK)) continue;
        if (it->piped) assert_int_equal(mkfifo(path, 0600), 0);
        while (read_broken(it, path, k) && k < 10000) k++;
        print_message("%s%s: %d reads\n", it->name, it->piped ? ", a pipe" : "", k);
        support_check(k > 0, "%s: nothing is read by calls", it->name);
    }
}

/* A run that goes on from its records, whose file must stay as it is. Returns whether a read
 * failed. */
static int resume_broken(const char *path, int k) {
    char fault[32];
    size_t before, after;
    support_memory memory;
    ch_checkpoint_file *file;
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    int files = open_files();
    unsigned char *was = support_file_read(path, &before);
    ch_context *context = support_context(&memory, 1);
    ch_anchors_defaults(&set);
    set.rank = 4;
    snprintf(fault, sizeof fault, "broken %d", k);
    io_faults_set(fault, path);
    ch_status status = ch_checkpoint_file_open(context, &file, path, 1);
    if (status == CH_OK) {
        set.checkpoint = ch_checkpoint_file_interface(file);
        status = ch_anchors(context, &result, &given, &set);
        if (status >= 0) ch_anchors_result_free(context, &result);
        ch_checkpoint_file_close(file, 0);
    }
    int met = io_faults_met() > 0;
    io_faults_set(NULL, path);
    support_check(met ? status == CH_ERR_IO : status >= 0, "read %d: %s (%s)", k,
                  ch_status_name(status), ch_context_message(context));
    if (met) support_message(context, path);
    support_finish(context, &memory);
    assert_int_equal(open_files(), files);
    unsigned char *is = support_file_read(path, &after);
    assert_int_equal(after, before);
    assert_memory_equal(is, was, before);
    free(is);
    free(was);
    return met;
}

static void a_checkpoint_that_breaks_off_is_kept(void **state) {
    const char *path = support_path("run.checkpoint");
    ch_context *context = support_context(NULL, 1);
    ch_checkpoint_file *file;
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    int k = 0;
    (void)state;
    ch_anchors_defaults(&set);
    set.rank = 4;
    assert_int_equal(ch_checkpoint_file_open(context, &file, path, 0), CH_OK);
    set.checkpoint = ch_checkpoint_file_interface(file);
    assert_true(ch_anchors(context, &result, &given, &set) >= 0);
    ch_anchors_result_free(context, &result);
    assert_true(ch_checkpoint_file_records(file) > 0);
    assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
    support_finish(context, NULL);
    while (resume_broken(path, k) && k < 10000) k++;
    print_message("checkpoint: %d reads\n", k);
    support_check(k > 0, "nothing is read by calls");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_read_may_fail),
        cmocka_unit_test(a_checkpoint_that_breaks_off_is_kept),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
