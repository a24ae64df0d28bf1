/* Names of the rows and columns of the matrix of a command. */
#pragma once

#include "common/command.h"
#include <conehull/io.h>

/* The files come from the command line (--names, --row-names); cli_input_read() fills the rest:
 * with the names in these files, else with the names that the file of the matrix has. */
typedef struct cli_names {
    const char *file, *rows_file;
    ch_matrix_names of;
} cli_names;

extern const cli_option_row cli_names_rows[]; /* options; the arguments are a cli_names */

/* Reads a file with one line (a name, a term or a label) for each of the `count` items of the
 * input; `what` names the items, for example "rows". other: the number of items if the input were
 * transposed, for the message. Prints errors and returns the exit code. */
int cli_read_list(const cli_session *session, ch_text_list *lines, const char *file, int64_t count,
                  int64_t other, const char *what);
/* Reads the files of names for a rows x cols matrix. Names from the file of the matrix are dropped
 * if their number does not match. turned: columns of the matrix are rows of the file. Prints errors
 * and returns the exit code. */
int cli_names_read(cli_names *names, const cli_session *session, int64_t rows, int64_t cols,
                   int turned);
void cli_names_free(cli_names *names, const cli_session *session);

/* Returns whether rows or columns have names. */
int cli_names_any(const cli_names *names);
/* Return the name of a column or row; NULL if there is none or it is empty. */
const char *cli_column_name(const cli_names *names, int64_t column);
const char *cli_row_name(const cli_names *names, int64_t row);

/* Return the names of columns[0..count) or rows[0..count) as a list, with null if there is none. */
json_t *cli_names_json(const cli_names *names, const int64_t *columns, int64_t count);
json_t *cli_row_names_json(const cli_names *names, const int64_t *rows, int64_t count);
/* Returns {"columns", "rows"}, the source of the names: a file, "input", or null. */
json_t *cli_names_from_json(const cli_names *names);

/* Returns a copy of a message in which "row 3" and "column 17" of the matrix are followed by their
 * names, if they have names. turned: the matrix is the transpose of that in the file, and rows and
 * columns in the message become those of the file. The caller frees the text. Returns NULL if
 * memory is short. */
char *cli_names_explain(const cli_names *names, const char *message, int turned);

/* Sets rows to the indices of the `most` largest values, in decreasing order; ties go to the lowest
 * index. Values that are not positive are left out. Returns the number of indices. */
int cli_largest_rows(int64_t *rows, int most, const double *values, int64_t count);

/* Writes a field of CSV, in quotes, with quotes in the text doubled. */
void cli_put_field(FILE *to, const char *text);
/* Writes the lines of a ch_text_list (a cli_writer). */
void cli_write_lines(FILE *to, const void *lines);
