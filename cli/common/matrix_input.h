/* The matrix a command works on, read with progress and with errors as messages. */
#pragma once

#include "common/command.h"
#include "names/names_input.h"
#include <conehull/cube.h>
#include <conehull/matrix.h>

/* file, var, memory and transpose come from the command line; the rest is filled by
 * cli_input_read(). */
typedef struct cli_input {
    const char *file, *var, *memory;
    int transpose;
    cli_names names;
    int companion; /* of another input, and stands in its file as that one does: see below */
    ch_matrix X;
    int64_t cols; /* of all ranks */
    double seconds;
} cli_input;

/* Of a cli_input: --transpose and --var; --memory, for commands that hold nothing else of the size
 * of the matrix. */
extern const cli_option_row cli_input_rows[], cli_memory_rows[];

/* Complains of "-" where a file or folder must be named, before "no such file" would. */
int cli_refuse_stdin(const char *path);

/* Complains itself and returns the exit code. The matrices of an .h5ad file have a row per cell, and
 * cells are what such files are about: there `transpose` is turned over, so that a row is a data
 * point unless --transpose was given, and a note on stderr says so. A companion keeps what it is
 * given, which is the `transpose` of the other input after this call. Free it in any case. */
int cli_input_read(cli_input *input, const cli_session *session, const char *file);

void cli_input_free(cli_input *input, const cli_session *session);

/* ch_cube_open(), where HDF5 parses the file after a child has read all of it without harm. memory:
 * the limit of the context, 0 without one. Complains itself and returns the exit code. */
int cli_cube_open(const cli_session *session, ch_cube *cube, const char *file,
                  const ch_cube_open_settings *settings, int64_t memory);
/* Where scratch files go. */
const char *cli_scratch_folder(void);

/* What follows the name of the file where shapes and places are of the matrix as it is worked on:
 * ", transposed", or nothing. */
const char *cli_input_turned(const cli_input *input);

/* cli_check() for a call of the library about X. Rows and columns that the message numbers get their
 * names; the place of an entry is that in the file, also with --transpose. */
int cli_input_check(const cli_session *session, ch_status status, const cli_input *input);

/* By its name: an AnnData file? */
int cli_is_h5ad(const char *file);
/* By its name: does ch_matrix_read() know the format? */
int cli_is_matrix_name(const char *path);
