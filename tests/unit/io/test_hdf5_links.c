/* An HDF5 file, or a MATLAB file of version 7.3, that names another file: what is in that other
 * file is never read. Every way there is one function here that is given a place where a data set
 * belongs; the same place with a plain data set, and links that stay inside, are read. */
#include "support_clip.h"
#include "support_ranks.h"
#include <conehull/io.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { ROWS = 3, COLS = 2, USER_DEFINED = 200 };

static const char elsewhere[] = "in another file";

static void call_at(long long result, const char *text, int line) {
    support_check(result >= 0, "line %d: %s failed", line, text);
}
#define CALL(call) call_at((long long)(call), #call, __LINE__)

/* What a place holds when all is well. */
typedef struct content {
    const char *name;
    hid_t type;
    int dims;
    hsize_t sizes[2];
    const double *values;
} content;

static const double numbers[ROWS * COLS] = {1, 2, 3, 4, 5, 6};

typedef void way(hid_t place, const content *c);

static hid_t add_set(hid_t place, const content *c, hid_t settings) {
    hid_t space = H5Screate_simple(c->dims, c->sizes, NULL);
    hid_t set = H5Dcreate2(place, c->name, c->type, space, H5P_DEFAULT, settings, H5P_DEFAULT);
    CALL(space);
    CALL(set);
    H5Sclose(space);
    return set;
}

static void plain(hid_t place, const content *c) {
    hid_t set = add_set(place, c, H5P_DEFAULT);
    CALL(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->values));
    H5Dclose(set);
}

/* A file beside this one with that set in it. */
static void another_file(const content *c) {
    hid_t file = H5Fcreate(support_path("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CALL(file);
    plain(file, c);
    H5Fclose(file);
}

static void raw_storage(hid_t place, const content *c) {
    static const unsigned char bytes[ROWS * COLS * 8] = {7};
    hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    support_file_write(support_path("other.bin"), bytes, sizeof bytes);
    CALL(H5Pset_external(settings, support_path("other.bin"), 0, H5F_UNLIMITED));
    H5Dclose(add_set(place, c, settings));
    H5Pclose(settings);
}

static void external_link(hid_t place, const content *c) {
    another_file(c);
    CALL(H5Lcreate_external(support_path("other.h5"), c->name, place, c->name, H5P_DEFAULT,
                            H5P_DEFAULT));
}

/* The first link is soft; that on its path, called `second`, is left to the caller. */
static void soft_first(hid_t place, const content *c, char second[80]) {
    char path[80];
    snprintf(path, sizeof path, "zz_%s/%s", c->name, c->name);
    another_file(c);
    CALL(H5Lcreate_soft(path, place, c->name, H5P_DEFAULT, H5P_DEFAULT));
    snprintf(second, 80, "zz_%s", c->name);
}

static void soft_across(hid_t place, const content *c) {
    char second[80];
    soft_first(place, c, second);
    CALL(
        H5Lcreate_external(support_path("other.h5"), "/", place, second, H5P_DEFAULT, H5P_DEFAULT));
}

static void virtual_set(hid_t place, const content *c) {
    hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(c->dims, c->sizes, NULL);
    another_file(c);
    CALL(H5Pset_virtual(settings, space, support_path("other.h5"), c->name, space));
    H5Dclose(add_set(place, c, settings));
    H5Sclose(space);
    H5Pclose(settings);
}

/* A class of links that the program has registered and that leads to the other file. */
static hid_t follow(const char *name, hid_t group, const void *data, size_t size, hid_t access,
                    hid_t transfer) {
    (void)group, (void)data, (void)size, (void)access, (void)transfer;
    hid_t file = H5Fopen(support_path("other.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t object = H5Oopen(file, strncmp(name, "zz_", 3) ? name : "/", H5P_DEFAULT);
    H5Fclose(file);
    return object;
}

static void register_class(void) {
    static const H5L_class_t own = {.version = H5L_LINK_CLASS_T_VERS,
                                    .id = (H5L_type_t)USER_DEFINED,
                                    .comment = "test",
                                    .trav_func = follow};
    CALL(H5Lregister(&own));
}

static void user_defined(hid_t place, const content *c) {
    another_file(c);
    CALL(H5Lcreate_ud(place, c->name, (H5L_type_t)USER_DEFINED, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
}

static void soft_across_user_defined(hid_t place, const content *c) {
    char second[80];
    soft_first(place, c, second);
    CALL(H5Lcreate_ud(place, second, (H5L_type_t)USER_DEFINED, "x", 1, H5P_DEFAULT, H5P_DEFAULT));
}

static void soft_inside(hid_t place, const content *c) {
    content kept = *c;
    char name[80];
    snprintf(name, sizeof name, "zz_%s", c->name);
    kept.name = name;
    plain(place, &kept);
    CALL(H5Lcreate_soft(name, place, c->name, H5P_DEFAULT, H5P_DEFAULT));
}

static const struct {
    const char *name;
    way *make;
} ways[] = {
    {"plain", plain},
    {"soft link inside", soft_inside},
    {"external storage", raw_storage},
    {"external link", external_link},
    {"soft link across an external one", soft_across},
    {"virtual set", virtual_set},
    {"user-defined link", user_defined},
    {"soft link across a user-defined one", soft_across_user_defined},
};
enum { WAYS = sizeof ways / sizeof *ways, INSIDE = 2 };

static hid_t begin(const char *name) {
    hid_t settings = H5Pcreate(H5P_FILE_CREATE);
    if (strstr(name, ".mat")) H5Pset_userblock(settings, 512);
    hid_t file = H5Fcreate(support_path("%s", name), H5F_ACC_TRUNC, settings, H5P_DEFAULT);
    CALL(file);
    H5Pclose(settings);
    return file;
}

/* The words of MATLAB at the beginning. */
static void finish(hid_t file, const char *name) {
    char head[128];
    CALL(H5Fclose(file));
    if (!strstr(name, ".mat")) return;
    memset(head, ' ', sizeof head);
    memcpy(head, "MATLAB 7.3 MAT-file", 19);
    memset(head + 116, 0, 8);
    memcpy(head + 124, "\0\2IM", 4);
    FILE *stream = fopen(support_path("%s", name), "r+b");
    assert_non_null(stream);
    assert_int_equal(fwrite(head, 1, sizeof head, stream), sizeof head);
    fclose(stream);
}

/* Notices that one of the other files is opened. */
static int watch_others(void) {
    int watch = inotify_init1(IN_NONBLOCK);
    assert_true(watch >= 0);
    inotify_add_watch(watch, support_path("other.h5"), IN_OPEN);
    inotify_add_watch(watch, support_path("other.bin"), IN_OPEN);
    return watch;
}

static int was_opened(int watch) {
    char event[4096];
    ssize_t got = read(watch, event, sizeof event);
    close(watch);
    return got > 0;
}

/* rows 0: refused with these words. Else the sum of j + 1 times the values of column j. */
static void check(const char *name, const char *what, const char *var, int64_t rows, double sum,
                  const char *words) {
    ch_matrix X = {.rows = -7};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = var};
    int watch = watch_others();
    ch_status status = ch_matrix_read(context, &X, support_path("%s", name), &settings);
    support_check(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "%s, %s: left open", name, what);
    support_check(!was_opened(watch) || strstr(what, "across a user-defined"),
                  "%s, %s: the other file was opened", name, what);
    if (rows > 0) {
        double got = 0;
        support_check(status == CH_OK && X.rows == rows, "%s, %s: %s", name, what,
                      ch_context_message(context));
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t i = 0; i < X.rows; i++) got += (double)(j + 1) * ch_matrix_at(&X, i, j);
        support_close(got, sum, 0);
        ch_matrix_free(context, &X);
    } else {
        support_check(status < 0, "%s, %s: was read", name, what);
        support_message(context, words);
        support_message(context, name);
        assert_int_equal(X.rows, -7);
    }
    support_finish(context, &memory);
}

static void attribute_set(hid_t object, const char *name, const uint64_t *values, hsize_t count) {
    hid_t space = count > 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(object, name, H5T_NATIVE_UINT64, space, H5P_DEFAULT, H5P_DEFAULT);
    CALL(a);
    CALL(H5Awrite(a, H5T_NATIVE_UINT64, values));
    H5Aclose(a);
    H5Sclose(space);
}

static void class_set(hid_t file, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    CALL(H5Tset_size(type, strlen(text)));
    hid_t a = H5Acreate_by_name(file, name, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT,
                                H5P_DEFAULT);
    CALL(a);
    CALL(H5Awrite(a, type, text));
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static content matrix_called(const char *name) {
    return (content){name, H5T_NATIVE_DOUBLE, 2, {ROWS, COLS}, numbers};
}

static void test_matrices(void **state) {
    const content X = matrix_called("X"), own = matrix_called("own");
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (int matlab = 0; matlab < 2; matlab++) {
            const char *name = matlab ? "full.mat" : "dense.h5";
            int64_t rows = w >= INSIDE ? 0 : matlab ? COLS : ROWS;
            hid_t file = begin(name);
            ways[w].make(file, &X);
            finish(file, name);
            /* By column, 3 columns of 2; by row, 2 columns of 3. */
            double sum = matlab ? 3 + 2 * 7 + 3 * 11 : 9 + 2 * 12;
            check(name, ways[w].name, "X", rows, sum, elsewhere);
            if (w != INSIDE - 1) check(name, ways[w].name, NULL, rows, sum, elsewhere);
            file = begin(name); /* a file of one's own beside it */
            ways[w].make(file, &X);
            plain(file, &own);
            finish(file, name);
            check(name, ways[w].name, "own", matlab ? COLS : ROWS, sum, NULL);
            if (w >= INSIDE) check(name, ways[w].name, NULL, matlab ? COLS : ROWS, sum, NULL);
        }
}

static const double values[] = {1, 2, 4}, indices[] = {0, 2, 1}, offsets[] = {0, 1, 3};

/* A sparse matrix of 3 x 2, one of whose parts is not here. */
static void write_sparse(const char *name, size_t away, way *make, const uint64_t shape[2]) {
    int matlab = strstr(name, ".mat") != NULL;
    const content parts[] = {
        {"data", H5T_NATIVE_DOUBLE, 1, {3, 1}, values},
        {matlab ? "ir" : "indices", H5T_NATIVE_INT64, 1, {3, 1}, indices},
        {matlab ? "jc" : "indptr", H5T_NATIVE_INT64, 1, {3, 1}, offsets},
    };
    hid_t file = begin(name), group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CALL(group);
    for (size_t p = 0; p < 3; p++) (p == away ? make : plain)(group, parts + p);
    attribute_set(group, matlab ? "MATLAB_sparse" : "shape", shape, matlab ? 1 : 2);
    H5Gclose(group);
    finish(file, name);
}

static void test_sparse(void **state) {
    static const uint64_t shape[2] = {ROWS, COLS};
    (void)state;
    for (size_t w = 0; w < WAYS; w++)
        for (size_t part = 0; part < 3; part++)
            for (int matlab = 0; matlab < 2; matlab++) {
                const char *name = matlab ? "sparse.mat" : "sparse.h5";
                write_sparse(name, part, ways[w].make, shape);
                check(name, ways[w].name, NULL, w < INSIDE ? ROWS : 0, 1 + 2 * 6, elsewhere);
            }
}

/* The sizes, in a set of their own. */
static void test_shape(void **state) {
    static const double sizes[] = {ROWS, COLS};
    const content shape = {"shape", H5T_NATIVE_INT64, 1, {2, 1}, sizes};
    const content parts[] = {{"data", H5T_NATIVE_DOUBLE, 1, {3, 1}, values},
                             {"indices", H5T_NATIVE_INT64, 1, {3, 1}, indices},
                             {"indptr", H5T_NATIVE_INT64, 1, {3, 1}, offsets}};
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        hid_t file = begin("shape.h5");
        hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (size_t p = 0; p < 3; p++) plain(group, parts + p);
        ways[w].make(group, &shape);
        H5Gclose(group);
        finish(file, "shape.h5");
        check("shape.h5", ways[w].name, "X", w < INSIDE ? ROWS : 0, 1 + 2 * 6,
              "its attribute 'shape' is missing or invalid");
    }
}

/* What else is in a MATLAB file. */
static void test_mat_variables(void **state) {
    const content X = matrix_called("X"), text = matrix_called("text"),
                  date = matrix_called("date"), none = matrix_called("none");
    static const uint64_t one = 1, rows = ROWS;
    static const double zeros[] = {0, 0, 0};
    const content jc = {"jc", H5T_NATIVE_UINT64, 1, {3, 1}, zeros};
    (void)state;
    hid_t file = begin("variables.mat");
    plain(file, &X);
    plain(file, &text);
    plain(file, &date);
    plain(file, &none);
    class_set(file, "X", "double");
    class_set(file, "text", "char");
    class_set(file, "date", "datetime");
    class_set(file, "none", "double");
    hid_t set = H5Dopen2(file, "none", H5P_DEFAULT);
    attribute_set(set, "MATLAB_empty", &one, 1);
    H5Dclose(set);
    finish(file, "variables.mat");
    check("variables.mat", "the only matrix", NULL, COLS, 3 + 2 * 7 + 3 * 11, NULL);
    check("variables.mat", "text", "text", 0, 0, "not a matrix of real numbers");
    check("variables.mat", "an object", "date", 0, 0, "not a matrix of real numbers");
    check("variables.mat", "empty", "none", 0, 0, "is empty");
    check("variables.mat", "missing", "q", 0, 0, "no matrix named \"q\"");
    file = begin("zeros.mat"); /* no entries: MATLAB leaves ir and data out */
    hid_t group = H5Gcreate2(file, "S", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    plain(group, &jc);
    attribute_set(group, "MATLAB_sparse", &rows, 1);
    H5Gclose(group);
    finish(file, "zeros.mat");
    check("zeros.mat", "no entries", NULL, ROWS, 0, NULL);
}

static void test_long_names(void **state) {
    char name[600];
    const content X = matrix_called("X");
    support_log log = {""};
    ch_matrix M;
    (void)state;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const content far = matrix_called(name);
    for (int matlab = 0; matlab < 2; matlab++) {
        const char *path = matlab ? "long.mat" : "long.h5";
        hid_t file = begin(path);
        plain(file, &X);
        plain(file, &far);
        finish(file, path);
        ch_context *context = support_context(NULL, 1);
        log.text[0] = '\0';
        ch_context_set_log(context, support_log_keep, &log);
        support_check(ch_matrix_read(context, &M, support_path("%s", path), NULL) == CH_OK, "%s",
                      ch_context_message(context));
        support_check(strstr(log.text, " ignored, because ") != NULL, "%s: %s", path, log.text);
        ch_matrix_free(context, &M);
        ch_context_destroy(context);
    }
}

enum { WIDE = 130 };

static void refused_by_ranks(void *user, ch_context *context, int rank) {
    ch_matrix_read_settings settings = {.size = sizeof settings, .distributed = 1};
    ch_matrix X = {.rows = -7};
    ch_status status = ch_matrix_read(context, &X, user, &settings);
    support_check(status == CH_ERR_FORMAT && X.rows == -7, "rank %d: %d, %s", rank, status,
                  ch_context_message(context));
    if (rank == 1) support_message(context, "must start at 0 and never decrease, but its entry");
}

/* Offsets whose differences are not numbers: the second rank has to see that. */
static void test_offsets_of_ranks(void **state) {
    static const uint64_t shape[2] = {ROWS, WIDE};
    int64_t start[WIDE + 1] = {0};
    hsize_t count = WIDE + 1;
    bool safe = false;
    (void)state;
    H5is_library_threadsafe(&safe);
    if (!safe) skip();
    for (int j = 1; j <= WIDE; j++) start[j] = 3; /* all in the first column */
    start[WIDE - 1] = INT64_MIN;
    write_sparse("steep.h5", 3, plain, shape);
    hid_t file = H5Fopen(support_path("steep.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    CALL(H5Ldelete(file, "X/indptr", H5P_DEFAULT));
    hid_t set = H5Dcreate2(file, "X/indptr", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
    CALL(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, start));
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    char path[1024]; /* support_path() is for one thread */
    snprintf(path, sizeof path, "%s", support_path("steep.h5"));
    support_run_ranks(2, NULL, NULL, refused_by_ranks, path);
}

static int make_folder(void **state) {
    register_class();
    return support_folder_make(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),   cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_shape),      cmocka_unit_test(test_mat_variables),
        cmocka_unit_test(test_long_names), cmocka_unit_test(test_offsets_of_ranks),
    };
    return cmocka_run_group_tests(tests, make_folder, support_folder_remove);
}
