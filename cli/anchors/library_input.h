/* --library: a matrix of known components beside the input, with names for its columns. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>
#include <conehull/corpus.h>

/* file, var and names_file come from the command line. */
typedef struct cli_library {
    const char *file, *var, *names_file;
    ch_matrix L;
    ch_text_list names; /* count 0: none */
} cli_library;

/* Reads what was given, if anything was, turned as the input is. Complains itself and returns the
 * exit code. cli_library_free() whatever that is. */
int cli_library_read(cli_library *library, const cli_session *session, const cli_input *input);
void cli_library_free(cli_library *library, const cli_session *session);

/* Column k of the library by its name, or NULL. */
const char *cli_library_name(const cli_library *library, int64_t k);

/* "library" and, with names, "component_names" of a result: where it is from, which follows from
 * nothing that is stored. */
void cli_library_add(json_t *json, const cli_library *library, const ch_anchors_result *result);
