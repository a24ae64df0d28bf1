/* Matrix Market and CSV: what is read, what is refused and how it is said, what is written. */
#include "support_files.h"
#include <conehull/io.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads text under a name and compares with rows x cols numbers, row by row. */
static void check_read(const char *name, const char *text, int64_t rows, int64_t cols,
                       const double *numbers) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X, expected = {.rows = rows,
                             .cols = cols,
                             .layout = CH_ROW_MAJOR,
                             .type = CH_F64,
                             .values = numbers,
                             .stride = cols};
    const char *path = support_path("%s", name);
    support_file_write(path, text, strlen(text));
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == CH_OK, "%s\n%s", ch_context_message(context), text);
    support_same_matrix(&X, &expected);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
    remove(path);
}

static void check_refused(const char *name, const char *text, ch_status expected,
                          const char *words) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = {.rows = -7};
    const char *path = support_path("%s", name);
    support_file_write(path, text, strlen(text));
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == expected, "status %d (%s) for\n%s", status, ch_context_message(context),
                  text);
    support_message(context, path);
    support_message(context, words);
    assert_null(strstr(ch_context_message(context), "\"\"")); /* nothing is quoted as "" */
    assert_int_equal(X.rows, -7);                             /* outputs untouched */
    support_finish(context, &memory);
    remove(path);
}

/* What a file holds, and words of the message that refuses it. */
typedef struct refusal {
    const char *text, *words;
} refusal;

static void check_refusals(const char *name, ch_status expected, const refusal *rows,
                           size_t count) {
    for (const refusal *it = rows; it < rows + count; it++)
        check_refused(name, it->text, expected, it->words);
}

#define NUMBERS(...)   \
    (const double[]) { \
        __VA_ARGS__    \
    }
#define BANNER "%%MatrixMarket matrix "

static void test_mtx(void **state) {
    (void)state;
    check_read("a.mtx",
               BANNER "coordinate real general\n% note\n\n2 3 3\n1 1 1.5\n2 3 2e2\n2 1 0.25\n", 2,
               3, NUMBERS(1.5, 0, 0, 0.25, 0, 200));
    check_read("a.mtx",
               BANNER "coordinate integer general\r\n2 2 4\r\n2 2 3\r\n1 1 1\r\n2 2 4\r\n1 1 1\r\n",
               2, 2, NUMBERS(2, 0, 0, 7)); /* duplicates add */
    check_read("a.mtx", "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3", 3, 3,
               NUMBERS(0, 1, 0, 1, 0, 0, 0, 0, 1));
    check_read("a.mtx", BANNER "coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2,
               NUMBERS(0, -3, 3, 0));
    check_read("a.mtx", BANNER "array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3,
               NUMBERS(1, 3, 5, 2, 4, 6));
    check_read("a.mtx", BANNER "array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3,
               NUMBERS(1, 2, 3, 2, 4, 5, 3, 5, 6));
    check_read("a.mtx", BANNER "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
               NUMBERS(0, -1, -2, 1, 0, -3, 2, 3, 0));
    check_read("a.mtx", BANNER "coordinate real general\n2 2 0\n", 2, 2, NUMBERS(0, 0, 0, 0));
    check_read("noname", BANNER "coordinate real general\n1 1 1\n1 1 5\n", 1, 1, NUMBERS(5));
}

static void test_mtx_types(void **state) {
    static const struct {
        const char *field, *values[2];
        ch_value_type type;
    } rows[] = {{"integer", {"1", "255"}, CH_U8},
                {"integer", {"1", "256"}, CH_U16},
                {"integer", {"1", "65536"}, CH_F64},
                {"integer", {"-1", "2"}, CH_F64},
                {"real", {"1", "2"}, CH_F64}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ch_context *context = support_context(NULL, 1);
        char text[200];
        ch_matrix X;
        snprintf(text, sizeof text,
                 "%%%%MatrixMarket matrix coordinate %s general\n2 2 2\n1 1 %s\n2 2 %s\n",
                 rows[r].field, rows[r].values[0], rows[r].values[1]);
        const char *path = support_path("t.mtx");
        support_file_write(path, text, strlen(text));
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
        assert_int_equal(X.layout, CH_CSC);
        assert_int_equal(X.type, rows[r].type);
        support_close(ch_matrix_at(&X, 1, 1), atof(rows[r].values[1]), 0);
        remove(path);
        ch_matrix_free(context, &X);
        ch_context_destroy(context);
    }
}

static void test_mtx_refused(void **state) {
    static const refusal rows[] = {
        {"", "%%MatrixMarket"},
        {"hello\n", "%%MatrixMarket"},
        {BANNER "cordinate real general\n", "cordinate"},
        {BANNER "array pattern general\n2 2\n", "pattern"},
        {"%%MatrixMarket vector array real general\n",
         "line 1: the second word of a Matrix Market file must be 'matrix': \"vector\""},
        {BANNER "array quaternion general\n",
         "the number type (fourth word) must be real, integer or pattern: \"quaternion\""},
        {BANNER "array real sideways\n",
         "the symmetry (fifth word) must be general, symmetric or skew-symmetric: \"sideways\""},
        {BANNER "coordinate real general\n",
         "the line with the numbers of rows and columns is missing"},
        {BANNER "coordinate real general\n2 2\n", "three whole numbers: rows, columns and entries"},
        {BANNER "coordinate real symmetric\n2 3 1\n", "square"},
        {BANNER "coordinate real general\n2 2 2\n1 1 1\n", "ends after 1"},
        {BANNER "coordinate real general\n2 2 1\n1 1 1\n2 2 2\n", "more values"},
        {BANNER "coordinate real general\n2 2 1\n3 1 1\n", "line 3: entry (3, 1)"},
        {BANNER "coordinate real general\n2 2 1\n0 1 1\n", "entry (0, 1)"},
        {BANNER "coordinate real general\n2 2 1\n1 1 x\n",
         "line 3: this line must have three numbers: row, column and value: \"1 1 x\""},
        {BANNER "coordinate real general\n2 2 1\n1 1 1 1\n", "line 3"},
        {BANNER "coordinate real general\n2 2 1\n1 1\n", "line 3"},
        {BANNER "coordinate real general\n2 2 99999999999\n", "bytes can contain"},
        {BANNER "coordinate real general\n2 9999999999999999999 1\n",
         "three whole numbers: rows, columns and entries"},
        {BANNER "array real general\n99999999999 99999999999\n", "columns is too large"},
        {BANNER "array real general\n9999999 9999999\n1\n", "bytes can contain"},
        {BANNER "array real general\n2 2\n1\n2\n3\n", "ends after 3"},
        {BANNER "array real general\n1 2\n1\n2\n3\n", "more values"},
        {BANNER "array real general\n1 2\n1\n2 3\n", "line 4: the file has more values"},
        {BANNER "array real general\n1 2\n1\n2x\n", "line 4: the value is not a number: \"2x\""},
    };
    static const refusal unsupported[] = {
        {BANNER "coordinate complex general\n", "complex"},
        {BANNER "coordinate real hermitian\n", "hermitian"},
        {BANNER "coordinate real general\n99999999999 2 1\n", "too large"},
        {BANNER "coordinate real general\n2 999999999999999999 1\n", "too large"},
        {BANNER "coordinate real general\n2 1000000000000 1\n1 1 1\n",
         "1000000000000 columns, which is implausible for a file of"},
    };
    (void)state;
    check_refusals("a.mtx", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
    check_refusals("a.mtx", CH_ERR_UNSUPPORTED, unsupported,
                   sizeof unsupported / sizeof *unsupported);
}

static void test_csv(void **state) {
    (void)state;
    const double two[] = {1, 2, 3, 4};
    check_read("a.csv", "1,2\n3,4\n", 2, 2, two);
    check_read("a.csv", "1,2\n3,4", 2, 2, two);
    check_read("a.csv",
               "\xef\xbb\xbf"
               "1,2\r\n\r\n3,4\r\n",
               2, 2, two);
    check_read("a.csv", "x,y\n1,2\n3,4\n", 2, 2, two);
    check_read("a.csv", "\"x, the first\",\"say \"\"y\"\"\"\n\"1\", 2 \n 3 ,\"4\"\n", 2, 2, two);
    check_read("a.csv", "name,x,y\nfirst,1,2\nsecond,3,4\n", 2, 2, two);
    check_read("a.csv", "x,y\nfirst,1,2\nsecond,3,4\n", 2, 2, two); /* R: no field above names */
    check_read("a.csv", ",0,1\n0,1,2\n1,3,4\n", 2, 2, two);         /* pandas: numbered names */
    check_read("a.csv", "first,1,2\nsecond,3,4\n", 2, 2, two);
    check_read("a.csv", "# made by hand\n1;2\n3;4\n", 2, 2, two);
    check_read("a.csv", "1\t2\n3\t4\n", 2, 2, two);
    check_read("a.tsv", "x y\tz\n1\t2\n3\t4\n", 2, 2, two);
    check_read("a.tsv", "1\t2\n\n3\t4\n", 2, 2, two);
    check_read("A.CSV", "1,2\n3,4\n", 2, 2, two);
    check_read("a.csv", "head\n1\n2\n", 2, 1, two);
    check_read("a.csv", "1e3\n", 1, 1, NUMBERS(1000));
}

static void hear(ch_log_level level, const char *message, void *user) {
    char *heard = user;
    assert_int_equal(level, CH_LOG_INFO);
    assert_int_equal(heard[0], 0); /* once */
    snprintf(heard, 100, "%s", strrchr(message, '/') + 1);
}

/* What is not data is skipped and said to be: 2 x 2 numbers 1 2 3 4 in every file. */
static void test_csv_skips(void **state) {
    static const char none[] = "", header[] = "header line skipped", names[] = "row names skipped",
                      both[] = "header line and row names skipped";
    static const struct {
        const char *file, *text, *skipped;
    } rows[] = {
        {"a.csv", "1,2\n3,4\n", none},
        {"a.csv", "x,y\n1,2\n3,4\n", header},
        {"a.csv", "x,\n1,2\n3,4\n", header},
        {"a.csv", "first,1,2\nsecond,3,4\n", names},
        {"a.csv", "name,x,y\nfirst,1,2\n,3,4\n", both},
        /* pandas: to_csv with its own index, a chosen one, numbered columns, without header */
        {"a.csv", ",x,y\n0,1,2\n1,3,4\n", both},
        {"a.csv", ",x,y\n17,1,2\n5,3,4\n", both},
        {"a.csv", ",x,y\nfirst,1,2\nsecond,3,4\n", both},
        {"a.csv", ",0,1\n0,1,2\n1,3,4\n", both},
        {"a.csv", ",400.5,401\nfirst,1,2\nsecond,3,4\n", both},
        {"a.csv", "first,1,2\nsecond,3,4\n", names},
        /* R: write.csv; write.table with separators of one's choice, with and without quotes */
        {"a.csv", "\"\",\"V1\",\"V2\"\n\"1\",1,2\n\"2\",3,4\n", both},
        {"a.csv", "\"\",\"x\",\"y\"\n\"first\",1,2\n\"second\",3,4\n", both},
        {"a.csv", "\"\",\"1\",\"2\"\n\"1\",1,2\n\"2\",3,4\n", both},
        {"a.csv", "\"V1\" \"V2\"\n\"1\" 1 2\n\"2\" 3 4\n", both},
        {"a.csv", "\"x\",\"y\"\n\"17\",1,2\n\"5\",3,4\n", both},
        {"a.csv", "x,y\n1,1,2\n2,3,4\n", both},
        {"a.tsv", "x\ty\nfirst\t1\t2\nsecond\t3\t4\n", both},
        {"a.csv", "\"x\";\"y\"\n1;2\n3;4\n", header},
        /* white space: numpy.savetxt, and columns in line */
        {"a.csv", "1.000000000000000000e+00 2.0\n3.0 4.0\n", none},
        {"a.csv", "# x y\n  1   2\n 3 4  \n", none},
        {"a.csv", "x y\n1 2\n3 4\n", header},
        {"a.tsv", "1 2\n3 4\n", none},
        {"a.csv", "first 1 2\nsecond 3 4\n", names},
        /* a title above the table shows neither separator nor number of columns */
        {"a.csv", "Counts of 2 days\n1,2\n3,4\n", header},
        {"a.csv", "Counts\n1;2\n3;4\n", header},
        {"a.csv", "Counts\n1 2\n3 4\n", header},
        {"a.csv", "Counts\nfirst,1,2\nsecond,3,4\n", both},
    };
    ch_matrix expected = {
        .rows = 2, .cols = 2, .layout = CH_ROW_MAJOR, .values = NUMBERS(1, 2, 3, 4), .stride = 2};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char heard[100] = "", wanted[100] = "";
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix X;
        const char *path = support_path("%s", rows[r].file);
        ch_context_set_log(context, hear, heard);
        support_file_write(path, rows[r].text, strlen(rows[r].text));
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        support_check(status == CH_OK, "%s\n%s", ch_context_message(context), rows[r].text);
        support_same_matrix(&X, &expected);
        if (rows[r].skipped[0])
            snprintf(wanted, sizeof wanted, "%s: %s", rows[r].file, rows[r].skipped);
        support_check(!strcmp(heard, wanted), "\"%s\" was heard for\n%s", heard, rows[r].text);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
        remove(path);
    }
}

/* "a|b" */
static void join(char text[100], const ch_text_list *list) {
    size_t used = 0;
    text[0] = '\0';
    for (int64_t k = 0; k < list->count; k++)
        used += (size_t)snprintf(text + used, 100 - used, "%s%s", k ? "|" : "", list->text[k]);
}

/* What the header and the first field of rows say: 2 x 2 numbers in every file. */
static void test_csv_names(void **state) {
    static const struct {
        const char *file, *text, *rows, *columns;
    } cases[] = {
        {"a.csv", "1,2\n3,4\n", "", ""},
        {"a.csv", "x,y\n1,2\n3,4\n", "", "x|y"},
        {"a.csv", "first,1,2\nsecond,3,4\n", "first|second", ""},
        {"a.csv", "name,x,y\nfirst,1,2\n,3,4\n", "first|", "x|y"},
        {"a.csv", "x,y\nfirst,1,2\nsecond,3,4\n", "first|second", "x|y"},
        {"a.csv", ",400.5,401\nfirst,1,2\nsecond,3,4\n", "first|second", "400.5|401"},
        {"a.csv", "\"x, the first\",\"say \"\"y\"\"\"\n1,2\n3,4\n", "", "x, the first|say \"y\""},
        {"a.tsv", "x\ty\nfirst\t1\t2\nsecond\t3\t4\n", "first|second", "x|y"},
        {"a.csv", "x y\nfirst 1 2\nsecond 3 4\n", "first|second", "x|y"},
        /* numbers that only count, of pandas and of R, and a title, name nothing */
        {"a.csv", ",0,1\n0,1,2\n1,3,4\n", "", ""},
        {"a.csv", "\"\",\"1\",\"2\"\n\"1\",1,2\n\"2\",3,4\n", "", ""},
        {"a.csv", ",x,y\n17,1,2\n5,3,4\n", "17|5", "x|y"},
        {"a.csv", "Counts of 2 days\n1,2\n3,4\n", "", ""},
        {"a.csv", "Counts\nfirst,1,2\nsecond,3,4\n", "first|second", ""},
        {"a.csv", "a\xff,b\x1b[1m\n1,2\n3,4\n", "", "a?|b?[1m"}, /* for people, in UTF-8 */
        /* an empty last field of all lines is no column; one of the header alone is one without
         * name */
        {"a.csv", "x,y,\n1,2,\n3,4,\n", "", "x|y"},
        {"a.csv", "what;x;y;;\nfirst;1;2;;\nsecond;3;4; ;\n", "first|second", "x|y"},
        {"a.csv", "x,y,\nfirst,1,2,\nsecond,3,4,\n", "first|second", "x|y"},
        {"a.csv", "1,2,\n3,4,\n", "", ""},
        {"a.tsv", "x\ty\t\n1\t2\t\n3\t4\t\n", "", "x|y"},
        {"a.csv", "x,\n1,2\n3,4\n", "", "x|"},
        {"a.csv", ",x,\nfirst,1,2\nsecond,3,4\n", "first|second", "x|"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int turned = 0; turned < 2; turned++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1);
            ch_matrix X;
            ch_matrix_names names = {.size = sizeof names};
            ch_matrix_read_settings set = {
                .size = sizeof set, .transpose = turned, .names = &names};
            char rows[100], columns[100];
            const char *path = support_path("%s", cases[c].file);
            support_file_write(path, cases[c].text, strlen(cases[c].text));
            ch_status status = ch_matrix_read(context, &X, path, &set);
            support_check(status == CH_OK, "%s\n%s", ch_context_message(context), cases[c].text);
            join(rows, turned ? &names.columns : &names.rows);
            join(columns, turned ? &names.rows : &names.columns);
            support_check(!strcmp(rows, cases[c].rows) && !strcmp(columns, cases[c].columns),
                          "rows \"%s\", columns \"%s\" in\n%s", rows, columns, cases[c].text);
            ch_matrix_names_free(context, &names);
            ch_matrix_free(context, &X);
            support_finish(context, &memory);
            remove(path);
        }
}

/* Cells without a number are NaN where that is asked for, and refused where it is not. */
static void test_csv_unknown(void **state) {
    static const char *const cells[] = {"",     " ",    "NA",     "n/a", "#N/A", "<NA>", "NULL",
                                        "None", "\"\"", "\"NA\"", "-",   "?",    ".",    "NaN"};
    static const char *const lines[] = {"%s,2\n3,4\n", "1,%s\n3,4\n", "x,y\n1,2\n%s,4\n",
                                        "what,x,y\nfirst,1,2\nsecond,3,%s\n"};
    static const int64_t place[] = {0, 1, 2, 3};
    (void)state;
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
            for (int asked = 0; asked < 2; asked++) {
                if (l == 0 && !cells[c][strspn(cells[c], " \"")]) continue; /* a header's corner */
                support_memory memory;
                ch_context *context = support_context(&memory, 1);
                ch_matrix_read_settings set = {.size = sizeof set, .unknown_as_nan = asked};
                ch_matrix X;
                char text[100];
                const char *path = support_path("a.csv");
                snprintf(text, sizeof text, lines[l], cells[c]);
                support_file_write(path, text, strlen(text));
                ch_status status = ch_matrix_read(context, &X, path, &set);
                int number = strcmp(cells[c], "NaN") == 0;
                support_check((status == CH_OK) == (asked || number), "%d for\n%s", status, text);
                for (int64_t k = 0; status == CH_OK && k < 4; k++) {
                    double value = ch_matrix_at(&X, k / 2, k % 2);
                    support_check(k == place[l] ? isnan(value) : value == (double)k + 1,
                                  "%g at %d in\n%s", value, (int)k, text);
                }
                if (status == CH_OK) ch_matrix_free(context, &X);
                support_finish(context, &memory);
                remove(path);
            }
}

/* A first row without any number is data if its fields are marks of unknown values, not words. */
static void test_csv_unknown_first(void **state) {
    static const struct {
        const char *index, *text;
    } cases[] = {
        {NULL, "NA,NA\n3,4\n"}, {"1", "g1,NA,NA\ng2,3,4\n"}, {"1", "g,x,y\ng1,NA,NA\ng2,3,4\n"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix_read_settings set = {
            .size = sizeof set, .unknown_as_nan = 1, .index = cases[c].index};
        ch_matrix X;
        const char *path = support_path("a.csv");
        support_file_write(path, cases[c].text, strlen(cases[c].text));
        assert_int_equal(ch_matrix_read(context, &X, path, &set), CH_OK);
        support_check(X.rows == 2 && X.cols == 2 && isnan(ch_matrix_at(&X, 0, 0)) &&
                          ch_matrix_at(&X, 1, 1) == 4,
                      "%d x %d in\n%s", (int)X.rows, (int)X.cols, cases[c].text);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
        remove(path);
    }
}

/* A column of names by its name or number: 2 x 2 numbers in every file. */
static void test_csv_index(void **state) {
    static const struct {
        const char *index, *text, *rows, *columns; /* columns NULL: refused, rows is why */
    } cases[] = {
        {"id", "id,x,y\n1,1,2\n2,3,4\n", "1|2", "x|y"},
        {"1", "id,x,y\n1,1,2\n2,3,4\n", "1|2", "x|y"},
        {"2", "x,id,y\n1,17,2\n3,5,4\n", "17|5", "x|y"},
        {"y", "x,z,y\n1,2,first\n3,4,\n", "first|", "x|z"},
        {"1", "7,1,2\n8,3,4\n", "7|8", ""},
        {"land", "land,2019,2020\nDE,1,2\nFR,3,4\n", "DE|FR", "2019|2020"},
        {"1", "x,y\nfirst,1,2\nsecond,3,4\n", "first|second", "x|y"},
        {"2020", "2019,2020,2021\n1,7,2\n3,8,4\n", "7|8", "2019|2021"},
        {"name", "id,x,y\n1,1,2\n2,3,4\n", "no column is called \"name\"", NULL},
        {"-9223372036854775808", "id,x,y\n1,1,2\n", "no column is called \"-92233", NULL},
        {"id", "id,x,y\n1,17,1,2\n2,18,3,4\n", "one field more than the header", NULL},
        {"4", "id,x,y\n1,1,2\n2,3,4\n",
         "column 4 cannot contain the names, because line 2 has only 3 fields", NULL},
        {"0", "id,x,y\n1,1,2\n2,3,4\n", "no column is called \"0\"", NULL},
        {"2", "x,id,y\n1,17,2\n3,5\n", "line 3: this row has only 1 numbers", NULL},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix_names names = {.size = sizeof names};
        ch_matrix_read_settings set = {
            .size = sizeof set, .names = &names, .index = cases[c].index};
        ch_matrix X, wanted = {.rows = 2,
                               .cols = 2,
                               .layout = CH_ROW_MAJOR,
                               .values = NUMBERS(1, 2, 3, 4),
                               .stride = 2};
        char rows[100], columns[100];
        const char *path = support_path("a.csv");
        support_file_write(path, cases[c].text, strlen(cases[c].text));
        ch_status status = ch_matrix_read(context, &X, path, &set);
        const char *message = ch_context_message(context);
        support_check((status == CH_OK) == (cases[c].columns != NULL), "%s\n%s", message,
                      cases[c].text);
        if (status == CH_OK) {
            support_same_matrix(&X, &wanted);
            join(rows, &names.rows);
            join(columns, &names.columns);
            support_check(!strcmp(rows, cases[c].rows) && !strcmp(columns, cases[c].columns),
                          "rows \"%s\", columns \"%s\" in\n%s", rows, columns, cases[c].text);
            ch_matrix_names_free(context, &names);
            ch_matrix_free(context, &X);
        } else {
            support_check(strstr(message, cases[c].rows) != NULL, "%s", message);
        }
        support_finish(context, &memory);
        remove(path);
    }
}

/* What might be data is never taken for a header or a name. */
static void test_csv_no_guess(void **state) {
    static const refusal rows[] = {
        {"NA,2,3\n4,5,6\n7,8,1\n1,1,9\n",
         "line 1: field 1 is not a number (nor a row name: line 2 begins with a number): "
         "\"NA\""},
        {"<1,2,3\n4,5,6\n7,8,1\n",
         "line 1: field 1 is not a number (nor a row name: line 2 begins with a number): "
         "\"<1\""},
        {"$1.5,2\n2,1\n3,4\n", "): \"$1.5\""},
        {"x,y\nNA,1\nNA,2\n3,4\n",
         "line 2: field 1 is not a number (nor a row name: line 4 begins"},
        {"1,NA,3\n4,5,6\n7,8,1\n",
         "line 1: field 2 stands for a missing value, but a number is needed here: \"NA\""},
        {"x,2\n1,3\n", "line 1: field 1 is not a number"},
        {",2,3\n4,5,6\n7,8,1\n", "line 1: field 1 is empty, but this is not a header: line 2"},
        {",2,3\n0,5,6\n7,8,1\n", "line 3 does not begin"},
        {",2,3\nfirst,5,6\n1,8,1\n", "line 3 does not begin"},
        {",2,3\n0,5,6\nsecond,8,1\n", "line 3 does not begin"},
        {",NA,3\n4,5,6\n", "line 1: field 1 is empty"},
        {",\n3,4\n", "line 1: field 1 is empty"},
        {"Counts, 2 days\n5,6,7\n8,9,1\n",
         "line 1: this line has one field fewer than the rows, but the rows have no names: line 2"},
        {"1 2\n3,4\n", "line 1: field 1 is not a number: \"1 2\""},
        {"1 2\n3\n", "line 1: field 1 is not a number: \"1 2\""},
        {"1 NA\n3 4\n",
         "line 1: field 2 stands for a missing value, but a number is needed here: \"NA\""},
    };
    (void)state;
    check_refusals("a.csv", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
    check_refused("a.tsv", "1,2\n3,4\n", CH_ERR_FORMAT, "line 1: field 1 is not a number");
}

/* A header that fits neither the rows nor the rows less one does not name the columns: both lengths
 * are given. */
static void test_csv_header_length(void **state) {
    static const refusal rows[] = {
        {"food,a,b,c,\nx,1,2,3\ny,2,1,5\n",
         "line 1 has 5 fields, but line 2 has 4: the header ends"},
        {"food;a;b;c;\nx;1;2;3\ny;2;1;5\n",
         "line 1 has 5 fields, but line 2 has 4: the header ends"},
        {"food,a,b,c,d\nx,1,2,3\ny,2,1,5\n", "line 1 has 5 fields, but line 2 has 4: a header has"},
        {"a,b,c,d\n1,2,3\n2,1,5\n", "line 1 has 4 fields, but line 2 has 3"},
        {"a,b\n\n1,2,3,4,5\n",
         "line 1 has 2 fields, but line 3 has 5: if the numbers have decimal"},
        {"food,a,b\nx,1,5,2,5\ny,2,5,1\n", "line 1 has 3 fields, but line 2 has 5: if the numbers"},
        {"food,a,b,c\nx,1,2,3,\ny,2,1,5,\n", "but line 2 has 5: the rows end with a separator"},
        {"a,b,c\n1,1,2,\n2,2,1,\n", "line 1 has 3 fields, but line 2 has 4: the rows end with"},
        {",a,b\nx,1,2,3\ny,2,1,5\n", "line 1 has 3 fields, but line 2 has 4"},
        {"food,a,\nx,1,2\ny,2,1\n", "the last field of line 1 is empty, but that of line 2 is not"},
        {"a,b,\n1,2,\n3,4,5\n", "line 3: the last field is empty in the lines before"},
        {"1,2,\n3,4,\n5,6\n", "line 3: the last field is empty in the lines before"},
    };
    (void)state;
    check_refusals("a.csv", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
    check_refused("a.tsv", "food\ta\tb\tc\t\nx\t1\t2\t3\n", CH_ERR_FORMAT, "line 1 has 5 fields");
}

/* Words where numbers belong: the column is named, with what to do. */
static void test_csv_words(void **state) {
    static const refusal rows[] = {
        {"food,a,b\nx,1,2\ny,3,again\n",
         "line 3: field 3 (b) is not a number; correct it, or leave out the column with --drop: "
         "\"again\""},
        {"a,b\nx,1,2\ny,3,again\n", "line 3: field 3 (b) is not a number"},
        {"food,a,b\nx,1,first\n", "line 2: field 3 (b) is not a number; if the column holds words"},
        {"Counts\nx,1,2\ny,3,again\n", "line 3: field 3 is not a number; correct it"},
        {"Table of foods,,\nfood,a,b\nx,1,2\n", "line 2: this line below the header (line 1) has "
                                                "no numbers; if one of the two is a title"},
        {"food,a,b\n,kJ,g\nx,1,2\n", "line 2: this line below the header (line 1) has no numbers"},
        {"Foods\nfood,a,b\nx,1,2\n", "line 2: this line below the header (line 1) has no numbers"},
    };
    (void)state;
    check_refusals("a.csv", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
}

static void hear_warning(ch_log_level level, const char *message, void *user) {
    if (level == CH_LOG_WARNING) snprintf(user, 200, "%s", message);
}

/* Columns of the same name: a warning, and an option that means one of them is refused. */
static void test_csv_twins(void **state) {
    static const struct {
        const char *text, *index, *drop, *warned, *refused;
    } cases[] = {
        {"food,id,a,id\nx,1,2,3\ny,4,5,6\n", NULL, NULL,
         "2 columns are called \"id\" (fields 2 and 4)", NULL},
        {"a,b,a\n1,2,3\n4,5,6\n", NULL, NULL, "2 columns are called \"a\" (fields 1 and 3)", NULL},
        {"food,id,a,id\nx,1,2,3\ny,4,5,6\n", NULL, "4", "", NULL},
        {"z,id,a,id\n7,1,2,3\n8,4,5,6\n", "2", NULL, "", NULL},
        {"a,,b,\n1,2,3,7\n4,5,6,8\n", NULL, NULL, "", NULL},
        {"food,id,a,id\nx,1,2,3\ny,4,5,6\n", NULL, "id", "",
         "2 columns are called \"id\" in line 1"},
        {"food,id,a,id\nx,1,2,3\ny,4,5,6\n", "id", NULL, "",
         "2 columns are called \"id\" in line 1"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char heard[200] = "";
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix_names names = {.size = sizeof names};
        ch_matrix_read_settings set = {
            .size = sizeof set, .names = &names, .index = cases[c].index, .drop = cases[c].drop};
        ch_matrix X;
        const char *path = support_path("a.csv");
        ch_context_set_log(context, hear_warning, heard);
        support_file_write(path, cases[c].text, strlen(cases[c].text));
        ch_status status = ch_matrix_read(context, &X, path, &set);
        support_check(status == (cases[c].refused ? CH_ERR_ARGUMENT : CH_OK), "%s\n%s",
                      ch_context_message(context), cases[c].text);
        if (cases[c].refused) support_message(context, cases[c].refused);
        support_check(cases[c].warned[0] ? strstr(heard, cases[c].warned) != NULL : !heard[0],
                      "\"%s\" was heard for\n%s", heard, cases[c].text);
        if (status == CH_OK) {
            ch_matrix_names_free(context, &names);
            ch_matrix_free(context, &X);
        }
        support_finish(context, &memory);
        remove(path);
    }
}

static void test_csv_decimal_commas(void **state) {
    static const refusal rows[] = {
        {"1,5;2,5\n3,5;4\n",
         "line 1: field 1 is not a number; for decimal commas give --decimal comma (setting "
         "decimal_comma): \"1,5\""},
        {"1;2,5\n3;4,5\n", "line 1: field 2 is not a number; for decimal commas"},
        {"a;1,5\nb;2,5\n", "--decimal comma (setting decimal_comma)"},
        {"x;y\n1,5;2\n3;4\n", "line 2: field 1 (x) is not a number; for decimal commas"},
        {";x\nb;2,5\n", "line 2: field 2 (x) is not a number; for decimal commas"},
        {";2,5\nb;2,5\n", "--decimal comma (setting decimal_comma)"},
        {"x;y\n1.139,6600;2\n3;4\n", "line 2: field 1 (x) is not a number; for decimal commas"},
        {"1,\"2,5\"\n3,4\n", "--decimal comma (setting decimal_comma)"},
    };
    (void)state;
    check_refusals("a.csv", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
    check_refused("a.tsv", "1,5\t2\n3\t4\n", CH_ERR_FORMAT,
                  "--decimal comma (setting decimal_comma)");
    check_read("a.csv", "G;1,1,2\nH;2,3,4\n", 2, 2, NUMBERS(1, 2, 3, 4)); /* names with ; */
}

/* --decimal comma: 2 x 2 numbers 1.5 2 1139.66 -0.25 in every file that is read. */
static void test_csv_decimal_comma(void **state) {
    static const struct {
        const char *file, *text, *refused; /* refused NULL: it is read */
    } cases[] = {
        {"a.csv", "1,5;2\n1139,66;-0,25\n", NULL},
        {"a.csv", "x;y\n1,50;2,0\n1.139,66;-,25\n", NULL},
        {"a.csv", "\xef\xbb\xbfwhat;x;y\r\nfirst, raw;1,5;2\r\nsecond;1.139,66;-2,5e-1\r\n", NULL},
        {"a.tsv", "x\ty\n1,5\t+2\n1139,66\t-0,25\n", NULL},
        {"a.csv", "1,5 2\n1139,66 -0,25\n", NULL},
        {"a.csv", "x,y\n\"1,5\",2\n\"1.139,66\",\"-0,25\"\n", NULL},
        {"a.csv", "sep=;\nx;y\n1,5;2\n1139,66;-0,25\n", NULL},
        {"a.csv", "x;y;\n1,5;2;\n1139,66;-0,25;\n", NULL},
        {"a.csv", "1.5;2\n3;4\n", "line 1: field 1 has a decimal point, but --decimal comma"},
        {"a.csv", "1,5;2\n0.139;4\n", "line 2: field 1 has a decimal point"},
        {"a.csv", "1,5;2\n1.13,5;4\n", "line 2: field 1 is not a number"},
        {"a.csv", "1,5;2\n1,139,5;4\n", "line 2: field 1 is not a number"},
        {"a.csv", "1,5;2\n3;x\n", "line 2: field 2 is not a number: \"x\""},
        {"a.csv", "x,y\n1,5,2\n3,4\n", "the fields are separated by commas"},
        {"a.csv", "x,y\n1,2\n3,4\n", "the fields are separated by commas"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix_read_settings set = {.size = sizeof set, .decimal_comma = 1};
        ch_matrix X, wanted = {.rows = 2,
                               .cols = 2,
                               .layout = CH_ROW_MAJOR,
                               .values = NUMBERS(1.5, 2, 1139.66, -0.25),
                               .stride = 2};
        const char *path = support_path("%s", cases[c].file);
        support_file_write(path, cases[c].text, strlen(cases[c].text));
        ch_status status = ch_matrix_read(context, &X, path, &set);
        support_check(status == (cases[c].refused ? CH_ERR_FORMAT : CH_OK), "%s\n%s",
                      ch_context_message(context), cases[c].text);
        if (status == CH_OK) {
            support_same_matrix(&X, &wanted);
            ch_matrix_free(context, &X);
        } else {
            support_message(context, cases[c].refused);
        }
        support_finish(context, &memory);
        remove(path);
    }
}

/* Excel states the separator in a first line. */
static void test_csv_stated_separator(void **state) {
    static const char *const texts[] = {"sep=;\n1;2\n3;4\n", "SEP=,\r\nx,y\r\n1,2\r\n3,4\r\n",
                                        "\"sep=|\"\nwhat|x|y\na|1|2\nb|3|4\n",
                                        "sep=\t\nx\ty\n1\t2\n3\t4\n",
                                        "sep=;\nx, raw;y\n1;2\n3;4\n"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_read("a.csv", texts[k], 2, 2, NUMBERS(1, 2, 3, 4));
    check_refused("a.csv", "sep=;\n", CH_ERR_FORMAT, "no rows");
    check_refused("a.csv", "sep=;\n1;2\n3;x\n", CH_ERR_FORMAT, "line 3: field 2 is not a number");
}

/* Writes text, which is ASCII or U+20AC and U+1D11E, as UTF-16 with a byte order mark. */
static size_t encode(unsigned char *to, const char *text, int big) {
    size_t count = 0;
    for (size_t at = 0; at == 0 || text[at - 1]; at++) {
        unsigned units[2] = {at ? (unsigned char)text[at - 1] : 0xfeff, 0};
        if (units[0] == 'E') units[0] = 0x20ac;
        if (units[0] == 'G') {
            units[0] = 0xd834;
            units[1] = 0xdd1e;
        }
        for (int k = 0; k < 2 && (k == 0 || units[1]); k++, count += 2) {
            to[count + (size_t)!big] = (unsigned char)(units[k] >> 8);
            to[count + (size_t)big] = (unsigned char)(units[k] & 255);
        }
    }
    return count;
}

/* UTF-16 in both byte orders, plain and beyond one buffer; a damaged end is no number. */
static void test_csv_utf16(void **state) {
    enum { COUNT = 300000 };
    char *text = malloc(COUNT * 8 + 100);
    unsigned char *bytes = malloc(2 * (COUNT * 8 + 100));
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        int big = turn & 1, lines = turn & 2 ? COUNT : 2;
        size_t used = (size_t)sprintf(text, "what\tE\tG\r\n");
        for (int k = 0; k < lines; k++)
            used += (size_t)sprintf(text + used, "G\t%d\t2\r\n", k % 10);
        size_t count = encode(bytes, text, big);
        support_memory memory;
        ch_context *context = support_context(&memory, 1 + turn / 2);
        ch_matrix_names names = {.size = sizeof names};
        ch_matrix_read_settings set = {.size = sizeof set, .names = &names};
        ch_matrix X;
        const char *path = support_path("a.csv");
        support_file_write(path, (const char *)bytes, count);
        ch_status status = ch_matrix_read(context, &X, path, &set);
        support_check(status == CH_OK, "%s", ch_context_message(context));
        assert_true(X.rows == lines && X.cols == 2);
        for (int64_t k = 0; k < lines; k++) assert_true(ch_matrix_at(&X, k, 0) == (double)(k % 10));
        assert_string_equal(names.columns.text[0], "\xe2\x82\xac");
        assert_string_equal(names.columns.text[1], "\xf0\x9d\x84\x9e");
        assert_string_equal(names.rows.text[lines - 1], "\xf0\x9d\x84\x9e");
        ch_matrix_names_free(context, &names);
        ch_matrix_free(context, &X);
        support_file_write(path, (const char *)bytes, count - 5); /* half of "2" */
        status = ch_matrix_read(context, &X, path, NULL);
        assert_int_equal(status, CH_ERR_FORMAT);
        support_message(context, "is not a number");
        support_finish(context, &memory);
        remove(path);
    }
    check_refused("a.csv", "\xff\xfe", CH_ERR_FORMAT, "no rows");
    free(text);
    free(bytes);
}

static void test_csv_refused(void **state) {
    static const refusal rows[] = {
        {"", "no rows"},
        {"x,y\n", "no rows"},
        {"1,2\n3\n", "line 2: this row has only 1 numbers"},
        {"1,2\n3,4,5\n", "line 2: this row has more than 2 numbers"},
        {"1,2\n3,NA\n",
         "line 2: field 2 stands for a missing value, but a number is needed here: \"NA\""},
        {"1,2\n3,\n", "line 2: field 2 is empty; every row needs all its numbers"},
        {"1,2\n3,\"4\n", "line 2: the closing quote of a quoted field"},
        {"1,\n3,4\n", "line 1: field 2 is empty"},
        {"\"1,2\n", "quoted"},
    };
    (void)state;
    check_refusals("a.csv", CH_ERR_FORMAT, rows, sizeof rows / sizeof *rows);
    check_refused("a.tsv", "\ta\nx\ny\t2\n", CH_ERR_FORMAT,
                  "line 2: the line has a name, but no numbers");
}

static void test_long_lines(void **state) {
    enum { COUNT = 400000 };
    char *text = malloc(COUNT * 8 + 1), *at = text;
    double *numbers = malloc(COUNT * sizeof *numbers);
    (void)state;
    for (int j = 0; j < COUNT; j++) {
        numbers[j] = j % 1000 + 0.5;
        at += sprintf(at, "%s%.1f", j ? "," : "", numbers[j]);
    }
    assert_true(at - text > 2 << 20); /* longer than the first buffer */
    check_read("long.csv", text, 1, COUNT, numbers);
    free(text);
    free(numbers);
}

typedef struct feeder {
    const char *path, *bytes;
    size_t count;
} feeder;

static void *feed(void *user) {
    feeder *f = user;
    support_file_write(f->path, f->bytes, f->count);
    return NULL;
}

/* Named pipes, as shells make them for <(...): no length, no second look. */
static void test_pipes(void **state) {
    static const char npy[] = "\x93NUMPY\x01\x00\x3a\x00{'descr': '|u1', 'fortran_order': False, "
                              "'shape': (2, 2)}\n\x01\x02\x03\x04";
    static const struct {
        const char *name, *bytes;
        size_t count; /* 0: a string */
    } rows[] = {{"p.npy", npy, sizeof npy - 1},
                {"p.csv", "1,2\n3,4\n", 0},
                {"p.mtx", BANNER "array real general\n2 2\n1 3\n2 4\n", 0}};
    ch_matrix expected = {
        .rows = 2, .cols = 2, .layout = CH_ROW_MAJOR, .values = NUMBERS(1, 2, 3, 4), .stride = 2};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        support_memory memory;
        pthread_t thread;
        ch_matrix X;
        feeder f = {support_path("%s", rows[r].name), rows[r].bytes,
                    rows[r].count ? rows[r].count : strlen(rows[r].bytes)};
        assert_int_equal(mkfifo(f.path, 0600), 0);
        assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
        ch_context *context = support_context(&memory, 1);
        ch_status status = ch_matrix_read(context, &X, f.path, NULL);
        pthread_join(thread, NULL);
        support_check(status == CH_OK, "%s", ch_context_message(context));
        support_same_matrix(&X, &expected);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
        remove(f.path);
    }
}

/* Every format that is listed has a reader behind its suffix. */
static void test_list_of_formats(void **state) {
    int count = 0;
    (void)state;
    support_file_write(support_path("x.hdr"), "hello\n", 6); /* the header of ENVI's data */
    for (const char *const *name = ch_matrix_formats(); *name; name++, count++) {
        ch_matrix X;
        ch_context *context = support_context(NULL, 1);
        const char *path = support_path("x.%s", *name);
        support_file_write(path, "hello\n", 6);
        support_check(ch_matrix_read(context, &X, path, NULL) == CH_ERR_FORMAT, "%s: %s", *name,
                      ch_context_message(context));
        if (strcmp(*name, "hdr") != 0) remove(path);
        ch_context_destroy(context);
    }
    remove(support_path("x.hdr"));
    assert_int_equal(count, 17);
}

/* The message about a name without a known end lists the same, and says what to do with text. */
static void test_unknown_name(void **state) {
    char list[200] = "file types that can be read are:";
    (void)state;
    for (const char *const *name = ch_matrix_formats(); *name; name++)
        sprintf(list + strlen(list), " .%s", *name);
    strcat(list, " (rename it to .csv or .tsv if it is text)");
    check_refused("X.txt", "1,2\n", CH_ERR_UNSUPPORTED, list);
    check_refused("Xcsv", "1,2\n", CH_ERR_UNSUPPORTED, list);
}

static void test_round_trip(void **state) {
    static const char *const names[] = {"a.mtx", "a.mtx.gz", "a.csv", "a.csv.gz",
                                        "a.tsv", "a.tsv.gz", "a.npy"};
    static const ch_matrix_layout layouts[] = {CH_COLUMN_MAJOR, CH_ROW_MAJOR, CH_CSC};
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U8, CH_U16};
    enum { ROWS = 7, COLS = 5 };
    ch_random random;
    (void)state;
    support_seed(&random, "round_trip", 21);
    for (size_t t = 0; t < 4; t++) {
        double numbers[ROWS * COLS];
        for (int k = 0; k < ROWS * COLS; k++) {
            double value = ch_random_uniform(&random) * 300 - (t < 2 ? 20 : 0);
            if (ch_random_below(&random, 3) == 0 || value < 0) value = 0;
            numbers[k] = types[t] == CH_F64   ? value
                         : types[t] == CH_F32 ? (float)value
                                              : (uint8_t)(value / 2);
        }
        ch_matrix plain = {
            .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
        for (size_t l = 0; l < 3; l++)
            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                support_memory memory;
                ch_context *context = support_context(&memory, 1);
                const char *path = support_path("%s", names[n]);
                ch_matrix X = support_reshape(context, &plain, layouts[l], types[t]), back;
                ch_status status = ch_matrix_write(context, path, &X);
                support_check(status == CH_OK, "%s", ch_context_message(context));
                status = ch_matrix_read(context, &back, path, NULL);
                support_check(status == CH_OK, "%s", ch_context_message(context));
                support_same_matrix(&back, &plain);
                ch_matrix_free(context, &back);
                ch_matrix_read_settings turned = {.size = sizeof turned, .transpose = 1};
                assert_int_equal(ch_matrix_read(context, &back, path, &turned), CH_OK);
                assert_int_equal(back.rows, COLS);
                support_close(ch_matrix_at(&back, 4, 6), numbers[6 * COLS + 4], 0);
                ch_matrix_free(context, &back);
                ch_matrix_free(context, &X);
                support_finish(context, &memory);
                remove(path);
            }
    }
    assert_int_equal(support_folder_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mtx),
        cmocka_unit_test(test_mtx_types),
        cmocka_unit_test(test_mtx_refused),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_refused),
        cmocka_unit_test(test_csv_skips),
        cmocka_unit_test(test_csv_names),
        cmocka_unit_test(test_csv_unknown),
        cmocka_unit_test(test_csv_unknown_first),
        cmocka_unit_test(test_csv_index),
        cmocka_unit_test(test_csv_no_guess),
        cmocka_unit_test(test_csv_header_length),
        cmocka_unit_test(test_csv_words),
        cmocka_unit_test(test_csv_twins),
        cmocka_unit_test(test_csv_utf16),
        cmocka_unit_test(test_csv_decimal_comma),
        cmocka_unit_test(test_csv_stated_separator),
        cmocka_unit_test(test_csv_decimal_commas),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_list_of_formats),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
