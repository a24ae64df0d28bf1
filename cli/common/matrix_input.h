/* The matrix that a command works on, read with progress and with errors as messages. */
#pragma once

#include "common/command.h"
#include "names/names_input.h"
#include <conehull/cube.h>
#include <conehull/matrix.h>

/* file, var, memory, index, drop, decimal, scale and transpose come from the command line, cells
 * from the command; the rest is filled by cli_input_read(). */
typedef struct cli_input {
    const char *file, *var, *memory, *index, *drop, *decimal, *scale;
    /* folder of the run that these options come from; NULL: the user gave them, or nobody */
    const char *index_from, *drop_from, *decimal_from;
    int transpose, as_it_is; /* --transpose; --no-transpose, of commands that read a result */
    /* 1: the command supports missing values, so cells of a table without a number become NaN */
    int cells;
    cli_names names;
    /* 1: it belongs to another input and is oriented like that input (cli_input_read()) */
    int companion;
    ch_matrix X;
    int64_t cols; /* number of columns of all processes */
    double seconds;
} cli_input;

/* Options; the arguments are a cli_input. cli_input_rows: --transpose, --index, --drop,
 * --decimal and --var.
 * cli_memory_rows: --memory, for commands that store nothing else of the size of the matrix. */
extern const cli_option_row cli_input_rows[], cli_memory_rows[];

/* Prints an error for "-" where a file or folder is required; otherwise the message would be "no
 * such file". */
int cli_refuse_stdin(const char *path);

/* Reads the matrix. Prints errors and returns the exit code. The matrices of an .h5ad file have one
 * row per cell, and cells are the data points of such files. So `transpose` is inverted for them: a
 * row is a data point unless --transpose was given; a note on stderr says so. A companion keeps its
 * `transpose`, which is that of the other input after this call. Call cli_input_free() in any
 * case. */
int cli_input_read(cli_input *input, const cli_session *session, const char *file);
/* Prints a note on stderr if the input is a table with a header and more rows than columns: its
 * rows may be the data points. For commands that select columns. */
void cli_input_suggest_transpose(const cli_input *input, const cli_session *session);

void cli_input_free(cli_input *input, const cli_session *session);

/* ch_cube_open() with a check for HDF5: a child process reads the whole file first, so that damage
 * in the file cannot harm this process. memory is the limit of the context, or 0. Prints errors and
 * returns the exit code. */
int cli_cube_open(const cli_session *session, ch_cube *cube, const char *file,
                  const ch_cube_open_settings *settings, int64_t memory);
/* Returns the folder for scratch files. */
const char *cli_scratch_folder(void);

/* Returns what a data point is in the file: "row" or "column". */
const char *cli_input_point(const cli_input *input);
/* Returns the text after a file name if shapes and places refer to the matrix as used: ",
 * transposed", or "". */
const char *cli_input_turned(const cli_input *input);

/* cli_check() for a library call about X. Row and column numbers in the message are followed by
 * their names; the place of an entry is that in the file, also with --transpose. */
int cli_input_check(const cli_session *session, ch_status status, const cli_input *input);

/* Returns the k-th stored value of X, for loops that know its layout. */
double cli_stored_value(const ch_matrix *X, int64_t k);

/* Returns whether the name is that of an AnnData file. */
int cli_is_h5ad(const char *file);
/* Returns whether the name is that of a text table: .csv or .tsv, also .gz. */
int cli_is_table(const char *file);
/* Returns whether ch_matrix_read() knows the format, by the name. */
int cli_is_matrix_name(const char *path);
