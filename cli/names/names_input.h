/* What the rows and columns of the matrix of a command are called. */
#pragma once

#include "common/command.h"
#include <conehull/io.h>

/* The files come from the command line (--names, --row-names); the rest is filled by
 * cli_input_read(): what the files say, else what the matrix itself says. */
typedef struct cli_names {
    const char *file, *rows_file;
    ch_matrix_names of;
} cli_names;

extern const cli_option_row cli_names_rows[]; /* of a cli_names */

/* One line each for the `count` things, "rows" say, of INPUT: names, terms, labels; other: what
 * would be counted if the input were turned. Complains itself and returns the exit code. */
int cli_read_list(const cli_session *session, ch_text_list *lines, const char *file, int64_t count,
                  int64_t other, const char *what);
/* The files of names, of a matrix of rows x cols; names that the matrix has for another number of
 * rows or columns are dropped. turned: the file has a row for each column of the matrix. Complains itself and returns the exit code. */
int cli_names_read(cli_names *names, const cli_session *session, int64_t rows, int64_t cols,
                   int turned);
void cli_names_free(cli_names *names, const cli_session *session);

/* Whether rows or columns have names. */
int cli_names_any(const cli_names *names);
/* NULL: there is none, or it is empty. */
const char *cli_column_name(const cli_names *names, int64_t column);
const char *cli_row_name(const cli_names *names, int64_t row);

/* The names of columns[0..count), or rows[0..count), as a list, null where there is none. */
json_t *cli_names_json(const cli_names *names, const int64_t *columns, int64_t count);
json_t *cli_row_names_json(const cli_names *names, const int64_t *rows, int64_t count);
/* {"columns", "rows"}: the file of names, "input", or null. */
json_t *cli_names_from_json(const cli_names *names);

/* A message in which "row 3" and "column 17" of the matrix are followed by their names, where they
 * have some; to be freed. turned: the matrix is the transposed one of the file, and the message gets
 * the rows and columns of the file. NULL: out of memory. */
char *cli_names_explain(const cli_names *names, const char *message, int turned);

/* The places of the `most` largest values, largest first, the first of equal ones first; values
 * that are not above 0 are left out. Returns how many. */
int cli_largest_rows(int64_t *rows, int most, const double *values, int64_t count);

/* A field of CSV: in quotes, and quotes doubled. */
void cli_put_field(FILE *to, const char *text);
/* A cli_writer: the lines of a ch_text_list. */
void cli_write_lines(FILE *to, const void *lines);
