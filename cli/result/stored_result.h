/* Reads a folder of `conehull anchors -o` (result_folder.h), for verification or for projecting new
 * columns onto its anchors. */
#pragma once

#include "common/command.h"
#include "common/matrix_input.h"
#include <conehull/anchors.h>
#include <conehull/io.h>

typedef struct cli_stored_matrix {
    ch_matrix M;  /* the matrix as read, mapped if possible */
    double *copy; /* a copy as doubles, column-major, if M has another form; or NULL */
} cli_stored_matrix;

/* The result of the check of the names in result.json. Names prove nothing; the numbers are checked
 * without them. */
typedef enum cli_names_check {
    CLI_NAMES_CHECKED,  /* they equal those of the input, or of --names and --row-names       */
    CLI_NAMES_MISSING,  /* some are not checked: the input has none                           */
    CLI_NAMES_NOT_GIVEN /* some are not checked: --names or --row-names of the run is missing */
} cli_names_check;

/* The contents of a folder. `result` owns its anchors and the lists of result.json; its other
 * arrays belong to other members. */
typedef struct cli_stored {
    ch_anchors_result result;
    ch_anchors_settings settings;
    char why[256]; /* the first contradiction between the files; "": none */
    int explained; /* `why` names places as the file has them             */
    json_t *json;
    int64_t *keep;
    cli_stored_matrix W, H, refined_W, refined_H, completed;
    unsigned char *completed_entries;
    double *row_weights;
    int64_t row_weight_count;
    int single, sparse;    /* single: H was rounded to single precision; sparse: H is in H.npz */
    cli_names_check names; /* check of the names in result.json, set by cli_stored_verify() */
    ch_npz_array *arrays;
    int array_count;
} cli_stored;

/* Reads the files of the folder; if only_cone, without H and the certificate. Prints errors about
 * missing or damaged files and returns the exit code. Contradictions between valid files are stored
 * in stored->why. The caller must call cli_stored_free(), whatever the exit code. */
int cli_stored_read(cli_stored *stored, const cli_session *session, const char *path,
                    int only_cone);
/* Options of the input whose default is the value of the run; the arguments are a cli_input:
 * --no-transpose and those of cli_input_rows. */
extern const cli_option_row cli_stored_input_rows[];
/* Options with which the run read its input, and which the command line does not give, go into the
 * input: --transpose, --var, --index, --drop, --decimal and, if the command has it, --scale. A note
 * on stderr names those that were taken. The texts belong to `stored`. */
void cli_stored_take_reading(const cli_stored *stored, cli_input *input,
                             const cli_session *session);
/* Puts the row weights of the run into the settings, so that new columns are projected in the same
 * way as those of the run. */
void cli_stored_use_row_weights(cli_stored *stored);
/* Compares result.json with the files and with the values that a run with its settings writes, then
 * calls ch_verify(). Prints an error if there is no verdict, and returns the exit code. */
int cli_stored_verify(ch_verification *found, cli_stored *stored, const cli_session *session,
                      const cli_input *input);
void cli_stored_free(cli_stored *stored, const cli_session *session);

/* Returns whether, according to result.json, the run had weights of this kind: "rows", "columns",
 * "mask" or "entries". */
int cli_stored_has_weights(const cli_stored *stored, const char *kind);
/* Stores a contradiction between the files; only the first one is reported. */
void cli_contradict(cli_stored *stored, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
