/* A folder of `conehull anchors -o` (result_folder.h) that is read back, to be rechecked or
 * projected on. */
#pragma once

#include "common/command.h"
#include "common/matrix_input.h"
#include <conehull/anchors.h>
#include <conehull/io.h>

typedef struct cli_stored_matrix {
    ch_matrix M;  /* as read, mapped if possible ...                */
    double *copy; /* ... or turned into doubles by column           */
} cli_stored_matrix;

/* What the recheck knows of the names in result.json. They stand beside numbers and prove nothing;
 * the numbers are checked without them. */
typedef enum cli_names_check {
    CLI_NAMES_CHECKED,  /* they are those of the input, or of --names and --row-names       */
    CLI_NAMES_MISSING,  /* some are not checked: the input has none                        */
    CLI_NAMES_NOT_GIVEN /* some are not checked: --names or --row-names of the run is missing */
} cli_names_check;

/* A folder read back. result owns anchors and the lists of result.json, and borrows the others from
 * the rest. */
typedef struct cli_stored {
    ch_anchors_result result;
    ch_anchors_settings settings;
    char why[256]; /* not empty: how the files contradict each other */
    json_t *json;
    int64_t *keep;
    cli_stored_matrix W, H, refined_W, refined_H, completed;
    unsigned char *completed_entries;
    double *row_weights;
    int64_t row_weight_count;
    int single, sparse;    /* H was rounded to single precision; is in H.npz        */
    cli_names_check names; /* of those in result.json, by cli_stored_verify()     */
    ch_npz_array *arrays;
    int array_count;
} cli_stored;

/* Reads what is there; only_cone leaves H and the certificate alone. Complains itself about files
 * that are missing or broken and returns the exit code; contradictions between files that are whole
 * go to stored->why. Free it in any case. */
int cli_stored_read(cli_stored *stored, const cli_session *session, const char *path,
                    int only_cone);
/* --no-transpose, of a cli_input. */
extern const cli_option_row cli_no_transpose_rows[];
/* Options with which the run read its input, and which the command line does not give, go into the
 * input: --transpose, --var, --index and, if the command has it, --scale. A note on stderr names
 * those that were taken. The texts belong to `stored`. */
void cli_stored_take_reading(const cli_stored *stored, cli_input *input,
                             const cli_session *session);
/* Row weights of the run go into the settings, for columns that are projected as those of the run
 * were. */
void cli_stored_use_row_weights(cli_stored *stored);
/* ch_verify(), after a comparison of result.json with the files and with what a run of its settings
 * writes. Complains itself if there is no verdict, and returns the exit code. */
int cli_stored_verify(ch_verification *found, cli_stored *stored, const cli_session *session,
                      const cli_input *input);
void cli_stored_free(cli_stored *stored, const cli_session *session);

/* Whether result.json says that the run had weights of this kind: "rows", "columns", "mask",
 * "entries". */
int cli_stored_has_weights(const cli_stored *stored, const char *kind);
/* Notes how the files contradict each other; the first contradiction is the one that is reported. */
void cli_contradict(cli_stored *stored, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
