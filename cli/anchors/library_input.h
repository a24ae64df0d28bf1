/* --library: a matrix of known components in addition to the input, with names for its columns. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>
#include <conehull/corpus.h>

/* A library. file, var and names_file come from the command line. */
typedef struct cli_library {
    const char *file, *var, *names_file;
    ch_matrix L;
    ch_text_list names; /* names of the columns; count 0: there are none */
} cli_library;

/* Reads the library and its names, if they were given. The library is transposed if the input is.
 * Prints errors and returns the exit code. The caller must call cli_library_free(), whatever the
 * exit code. */
int cli_library_read(cli_library *library, const cli_session *session, const cli_input *input);
void cli_library_free(cli_library *library, const cli_session *session);

/* Returns the name of column k of the library, or NULL if it has no name. */
const char *cli_library_name(const cli_library *library, int64_t k);

/* Adds "library", the file of the library, and, if there are names, "component_names" to the JSON
 * of a result. */
void cli_library_add(json_t *json, const cli_library *library, const ch_anchors_result *result);
