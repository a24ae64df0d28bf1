/* Text that is parsed on all threads, and unpacked by another: the same numbers, bit for bit, and
 * the same messages with the same line, for any number of threads. The numbers are known: those of
 * the text by the C library. Files have some megabytes, so that all of them take several
 * buffers. */
#include "support_files.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COLS = 37, ROWS = 9000, NO_LINE = -1 };

typedef struct text {
    char *bytes;
    size_t length;
    double *numbers; /* ROWS x COLS, or the entries of the sparse matrix */
} text;

/* The line with this number (from 1) is replaced by another; NO_LINE: none is. */
static void put_line(text *t, const char *line, int64_t number, int64_t odd, const char *other) {
    t->length += (size_t)sprintf(t->bytes + t->length, "%s", number == odd ? other : line);
}

static text new_text(void) {
    text t = {.bytes = malloc(16 << 20), .numbers = calloc(ROWS * COLS, sizeof(double))};
    assert_true(t.bytes && t.numbers);
    return t;
}

static void free_text(text *t) {
    free(t->bytes);
    free(t->numbers);
}

/* Numbers of all lengths: some need the slow way of parsing. */
static int print_number(char *to, double *value, ch_random *random) {
    static const char *const forms[] = {"%.3f", "%.17g", "%.0f", "%g", "%.6e"};
    int length = sprintf(to, forms[ch_random_below(random, 5)], 1e4 * ch_random_uniform(random));
    *value = strtod(to, NULL);
    return length;
}

static text make_table(int64_t odd, const char *other, const char *line_end) {
    text t = new_text();
    ch_random random;
    char line[COLS * 32];
    support_seed(&random, "table", 28);
    for (int64_t i = 0; i < ROWS; i++) {
        int length = 0;
        for (int64_t j = 0; j < COLS; j++) {
            length += print_number(line + length, &t.numbers[i * COLS + j], &random);
            length += sprintf(line + length, "%s", j + 1 < COLS ? i % 2 ? "," : ", " : line_end);
        }
        put_line(&t, line, i + 1, odd, other);
    }
    return t;
}

/* Column by column; entry k of the text has numbers[k]. */
static text make_sparse(int64_t odd, const char *other) {
    text t = new_text();
    ch_random random;
    char line[80];
    support_seed(&random, "sparse", 29);
    t.length = (size_t)sprintf(t.bytes,
                               "%%%%MatrixMarket matrix coordinate real general\n"
                               "%d %d %d\n",
                               ROWS, COLS, ROWS * COLS);
    for (int64_t k = 0; k < ROWS * COLS; k++) {
        int length = sprintf(line, "%d %d ", (int)(k % ROWS) + 1, (int)(k / ROWS) + 1);
        length += print_number(line + length, &t.numbers[k], &random);
        sprintf(line + length, "\n");
        put_line(&t, line, k + 3, odd, other);
    }
    return t;
}

static const char *write_text(const text *t, const char *name) {
    const char *path = support_path("%s", name);
    if (strcmp(name + strlen(name) - 3, ".gz") != 0) {
        support_file_write(path, t->bytes, t->length);
        return path;
    }
    gzFile file = gzopen(path, "wb1");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, t->bytes, (unsigned)t->length), (int)t->length);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static void check_numbers(const char *name, const text *t, int sparse) {
    const char *path = write_text(t, name);
    for (int threads = 1; threads <= 4; threads++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        ch_matrix X;
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        support_check(status == CH_OK, "%s, %d threads: %s", name, threads,
                      ch_context_message(context));
        assert_int_equal(X.rows, ROWS);
        assert_int_equal(X.cols, COLS);
        if (sparse) assert_int_equal(ch_matrix_stored(&X), ROWS * COLS);
        support_check(memcmp(X.values, t->numbers, ROWS * COLS * sizeof *t->numbers) == 0,
                      "%s, %d threads: other numbers", name, threads);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
    remove(path);
}

static void check_message(const char *name, const text *t, const char *words) {
    const char *path = write_text(t, name);
    for (int threads = 1; threads <= 4; threads++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        ch_matrix X = {0};
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_ERR_FORMAT);
        support_message(context, words);
        support_finish(context, &memory);
    }
    remove(path);
}

static void test_tables(void **state) {
    (void)state;
    static const char *const names[] = {"a.csv", "a.csv.gz"};
    for (int packed = 0; packed < 2; packed++) {
        text plain = make_table(NO_LINE, "", "\n");
        check_numbers(names[packed], &plain, 0);
        free_text(&plain);
        text returns = make_table(NO_LINE, "", "\r\n");
        check_numbers(names[packed], &returns, 0);
        free_text(&returns);
    }
}

static void test_sparse(void **state) {
    (void)state;
    text t = make_sparse(NO_LINE, "");
    check_numbers("a.mtx", &t, 1);
    check_numbers("a.mtx.gz", &t, 1);
    free_text(&t);
}

/* A line of another kind, far behind the first buffers, is read as ever, and so is all behind
 * it. */
static void test_other_lines(void **state) {
    (void)state;
    text t = make_table(NO_LINE, "", "\n"), with = new_text();
    const char *middle = strchr(t.bytes + t.length / 2, '\n') + 1;
    size_t before = (size_t)(middle - t.bytes);
    with.length =
        (size_t)sprintf(with.bytes, "%.*s\n# a remark\n  \n%s", (int)before, t.bytes, middle);
    memcpy(with.numbers, t.numbers, ROWS * COLS * sizeof *t.numbers);
    check_numbers("a.csv", &with, 0);
    free_text(&with);
    free_text(&t);
}

static void test_messages(void **state) {
    (void)state;
    static const char *const tables[] = {"a.csv", "a.csv.gz"}, *const matrices[] = {"a.mtx",
                                                                                    "a.mtx.gz"};
    for (int packed = 0; packed < 2; packed++) {
        text short_row = make_table(7001, "1,2,3\n", "\n");
        check_message(tables[packed], &short_row,
                      "line 7001: this row has only 3 numbers, but the rows before it have 37");
        free_text(&short_row);
        text word = make_table(8123, "1,two,3\n", "\n");
        check_message(tables[packed], &word, "line 8123: field 2 is not a number: \"two\"");
        free_text(&word);
        text outside = make_sparse(300007, "9001 1 1\n");
        check_message(matrices[packed], &outside,
                      "line 300007: entry (9001, 1) is outside the 9000 x 37 matrix");
        free_text(&outside);
        text more = make_sparse(ROWS * COLS + 2, "1 1 1\n1 1 1\n");
        check_message(matrices[packed], &more,
                      "the file has more values than its line of sizes states");
        free_text(&more);
        text fewer = make_sparse(5, "");
        check_message(matrices[packed], &fewer,
                      "the file is truncated: its line of sizes states 333000 values");
        free_text(&fewer);
    }
}

/* What is cut off inside the compressed bytes is reported behind the last line that came. */
static void test_cut_off(void **state) {
    (void)state;
    text t = make_sparse(NO_LINE, "");
    const char *path = write_text(&t, "a.mtx.gz");
    char message[2][400];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(16 << 20);
    assert_non_null(bytes);
    size_t length = fread(bytes, 1, 16 << 20, file);
    fclose(file);
    support_file_write(path, bytes, length * 3 / 4);
    for (int threads = 1; threads <= 2; threads++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        ch_matrix X = {0};
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_ERR_FORMAT);
        support_message(context, "compressed data are truncated or damaged");
        snprintf(message[threads - 1], sizeof message[0], "%s", ch_context_message(context));
        support_finish(context, &memory);
    }
    assert_string_equal(message[0], message[1]);
    remove(path);
    free(bytes);
    free_text(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_other_lines), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
