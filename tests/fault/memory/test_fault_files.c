/* Arrays and matrices read and written with their k-th allocation failing, for every k: samples of
 * every format, read in every way; what exists survives a write that fails, and no half file is
 * left. */
#include "support_faults.h"
#include "support_samples.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdlib.h>

RELEASE(ch_matrix)
RELEASE(ch_text_list)

/* ---- reading ---- */

/* One rank of two, to which the other seems to say what it says. */
static int share_alike(void *user, void *all, const void *own, int64_t count) {
    (void)user;
    memcpy(all, own, (size_t)count);
    memcpy((char *)all + count, own, (size_t)count);
    return 0;
}

static int hear_oneself(void *user, void *bytes, int64_t count, int from) {
    (void)user, (void)bytes, (void)count, (void)from;
    return 0;
}

/* A file, and how it is read. */
typedef struct reading {
    const char *name;
    int transpose;
    int distributed; /* over two ranks */
    int limited;     /* so that dense data sets go through a file, which has no name */
} reading;

static int is_there(const void *with) {
    return support_sample_exists(((const reading *)with)->name);
}

static ch_status call_read(ch_context *context, void *output, const void *with) {
    static const ch_comm table = {
        .size = sizeof table, .processes = 2, .share = share_alike, .broadcast = hear_oneself};
    const reading *it = with;
    ch_matrix_names names = {.size = sizeof names};
    const ch_matrix_read_settings set = {.size = sizeof set,
                                         .transpose = it->transpose,
                                         .distributed = it->distributed,
                                         .scratch = it->limited ? support_path(".") : NULL,
                                         .names = &names};
    if (it->distributed && ch_context_set_comm(context, &table) < 0) return CH_ERR_MEMORY;
    if (it->limited) ch_context_set_memory_limit(context, 4 * SUPPORT_LARGE - 4);
    ch_status status = ch_matrix_read(context, output, support_path("%s", it->name), &set);
    ch_context_set_memory_limit(context, 0);
    ch_context_set_comm(context, NULL);
    ch_matrix_names_free(context, &names);
    return status;
}

typedef struct arrays {
    ch_npz_array *list;
    int count;
} arrays;

static ch_status call_read_npz(ch_context *context, void *output, const void *with) {
    arrays *to = output;
    return ch_npz_read(context, &to->list, &to->count, support_path("%s", (const char *)with));
}

static void release_arrays(ch_context *context, void *output) {
    arrays *of = output;
    assert_int_equal(of->count, 2);
    ch_npz_free(context, of->list, of->count);
}

/* ---- writing ---- */

static ch_status call_write_npz(ch_context *context, void *output, const void *with) {
    double numbers[6] = {1, 2, 3, 4, 5, 6};
    int64_t whole[2] = {7, 8};
    const ch_npz_array list[] = {{"numbers", 'f', 2, {2, 3}, numbers},
                                 {"whole", 'i', 1, {2, 0}, whole}};
    (void)output;
    return ch_npz_write(context, support_path("%s", (const char *)with), list, 2);
}

typedef struct writing {
    const char *name;
    const ch_matrix *X;
} writing;

static ch_status call_write(ch_context *context, void *output, const void *with) {
    const writing *it = with;
    (void)output;
    return ch_matrix_write(context, support_path("%s", it->name), it->X);
}

/* What exists must survive a write that fails. */
static ch_status call_write_over(ch_context *context, void *output, const void *with) {
    const writing *it = with;
    const char *path = support_path("%s", it->name);
    static const char old[] = "was here before";
    support_file_write(path, old, sizeof old);
    int files = support_folder_count();
    ch_status status = call_write(context, output, with);
    assert_int_equal(support_folder_count(), files);
    size_t count;
    unsigned char *now = support_file_read(path, &count);
    int same = count == sizeof old && memcmp(now, old, sizeof old) == 0;
    assert_int_equal(same, status < 0);
    free(now);
    return status;
}

/* ---- AnnData files ---- */

static int has_cells(const void *with) {
    return support_sample_exists(with);
}

/* Results of 4 cells and 3 genes; a call that fails leaves no file behind. */
static ch_status call_h5ad_write(ch_context *context, void *output, const void *with) {
    static const double weights[8] = {1, 0, 0, 1, .5, .5, .25, .75};
    static const double components[6] = {1, 2, 3, 4, 5, 6}, residual[2] = {1, .5};
    static const int64_t anchors[2] = {0, 1};
    const ch_h5ad_results results = {.size = sizeof results,
                                     .key = "found",
                                     .points = 4,
                                     .features = 3,
                                     .rank = 2,
                                     .weights = weights,
                                     .components = components,
                                     .anchors = anchors,
                                     .max_residual = residual,
                                     .loss = "l1",
                                     .method = "xray",
                                     .status = "done"};
    (void)output;
    return ch_h5ad_write(context, support_path("w.h5ad"), support_path("%s", (const char *)with),
                         &results);
}

static ch_status call_text_list_copy(ch_context *context, void *output, const void *with) {
    return ch_text_list_copy(context, output, with, 3);
}

/* Cells and genes by their names alone. */
static int make_cells(void) {
    support_python("h5py", "import h5py\n"
                           "with h5py.File('cells.h5ad', 'w') as f:\n"
                           "    for frame, count in (('obs', 4), ('var', 3)):\n"
                           "        f.create_group(frame)['_index'] = ['n%d' % k for k in "
                           "range(count)]\n");
    return 0;
}

/* ---- the table ---- */

#define READ_ONE(file, way, ...)                                                     \
    {                                                                                \
        "ch_matrix_read, " file way, call_read, &(const reading){file, __VA_ARGS__}, \
            OUT(ch_matrix), .possible = is_there                                     \
    }
#define READ(file)                                                        \
    READ_ONE(file, "", 0, 0, 0), READ_ONE(file, ", transposed", 1, 0, 0), \
        READ_ONE(file, ", over ranks", 0, 1, 0)
#define READ_LIMITED(file)                                                                  \
    READ_ONE(file, ", limited", 0, 0, 1), READ_ONE(file, ", transposed, limited", 1, 0, 1), \
        READ_ONE(file, ", over ranks, limited", 0, 1, 1)
#define WRITE_ONE(file, way, function, matrix)                 \
    "ch_matrix_write, " file way, function, &(const writing) { \
        file, &given.matrix                                    \
    }
#define WRITE(file)                                                        \
    {WRITE_ONE(file, "", call_write, dense), .makes = file},               \
        {WRITE_ONE(file, ", sparse", call_write, csc), .makes = file}, {   \
        WRITE_ONE(file, ", over another", call_write_over, csc), .size = 0 \
    }

static const support_fault faults[] = {
    READ("dense.npy"),
    READ("big.npy"),
    READ("dense.mtx"),
    READ("sparse.mtx"),
    READ("shuffled.mtx"),
    READ("sparse.mtx.gz"),
    READ("dense.csv"),
    READ("dense.csv.gz"),
    READ("arrays.npz"),
    READ("csr.npz"),
    READ("coo.npz"),
    READ("v5.mat"),
    READ("v7.mat"),
    READ("sparse5.mat"),
    READ("v4.mat"),
    READ("dense.h5"),
    READ("sparse.h5"),
    READ("packed.h5"),
    READ("full73.mat"),
    READ("sparse73.mat"),
    READ("tenx.h5"),
    READ("root.h5"),
    READ_LIMITED("chunks.h5"),
    READ_LIMITED("whole.h5"),
    {"ch_npz_read", call_read_npz, "two.npz", OUT(arrays)},
    WRITE("w.npy"),
    WRITE("w.mtx"),
    WRITE("w.mtx.gz"),
    WRITE("w.csv"),
    WRITE("w.tsv.gz"),
    {"ch_npz_write", call_write_npz, "w.npz", .makes = "w.npz"},
    {"ch_h5ad_write", call_h5ad_write, "cells.h5ad", .makes = "w.h5ad", .possible = has_cells},
    {"ch_text_list_copy", call_text_list_copy, (const char *const[]){"one", "", "three"},
     OUT(ch_text_list)},
};

/* A sample without a row would be read with all its memory only. */
static int make_files(void) {
    for (int s = 0; s < SUPPORT_SAMPLES; s++) {
        size_t row = 0, rows = sizeof faults / sizeof *faults;
        while (row < rows && !strstr(faults[row].name, support_samples[s].name)) row++;
        support_check(row < rows, "%s has no row", support_samples[s].name);
    }
    return support_samples_make() || make_cells() || call_write_npz(given.context, NULL, "two.npz");
}

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, make_files);
}
