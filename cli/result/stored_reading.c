/* The options with which a run read its input, for commands that read the same or similar input. */
#include "result/stored_result.h"
#include <fnmatch.h>

/* Returns whether the format may hold several arrays. */
static int has_variables(const char *file) {
    static const char *const patterns[] = {"*.mat", "*.npz", "*.h5", "*.hdf5", "*.h5ad"};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
        if (fnmatch(patterns[k], file, FNM_CASEFOLD) == 0) return 1;
    return 0;
}

static int is_given(const cli_session *session, const char *option) {
    const cli_option *found = cli_options_find(&session->options, option);
    return found && found->given;
}

/* Takes an option of the run, if the command line does not give it. Returns whether it did. */
static int take(const char **to, const cli_stored *stored, const char *key, FILE *note) {
    const char *value = json_string_value(json_object_get(stored->json, key));
    if (*to || !value) return 0;
    *to = value;
    fprintf(note, " --%s %s", key, value);
    return 1;
}

/* Takes the options of text tables. */
static void take_table(const cli_stored *stored, cli_input *input, const char *folder, FILE *note) {
    if (take(&input->index, stored, "index", note)) input->index_from = folder;
    if (take(&input->drop, stored, "drop", note)) input->drop_from = folder;
    if (take(&input->decimal, stored, "decimal", note)) input->decimal_from = folder;
}

static void take_all(const cli_stored *stored, cli_input *input, const cli_session *session,
                     FILE *note) {
    const char *file = session->options.operands[0];
    const json_t *transpose = json_object_get(stored->json, "transpose");
    /* cli_input_read() transposes .h5ad files */
    int turned = json_is_true(transpose) != cli_is_h5ad(file);
    if (!is_given(session, "transpose") && !is_given(session, "no-transpose") && transpose) {
        input->transpose = turned;
        if (turned) fputs(" --transpose", note);
    }
    if (has_variables(file)) take(&input->var, stored, "var", note);
    if (cli_is_table(file)) take_table(stored, input, session->options.operands[1], note);
    if (cli_options_find(&session->options, "scale")) take(&input->scale, stored, "scale", note);
}

void cli_stored_take_reading(const cli_stored *stored, cli_input *input,
                             const cli_session *session) {
    char *text = NULL;
    size_t length = 0;
    FILE *note = open_memstream(&text, &length);
    if (!note) return;
    take_all(stored, input, session, note);
    if (fclose(note) == 0 && *text && !session->common.quiet && cli_is_first(session))
        cli_complain("%s: read with%s, as by the run that wrote %s", session->options.operands[0],
                     text, session->options.operands[1]);
    free(text);
}

#define AT(field) .at = offsetof(cli_input, field)
const cli_option_row cli_stored_input_rows[] = {
    {"Input", "transpose", 0, NULL, AT(transpose),
     "the data points are the rows of the file, not its columns; in an .h5ad file they are the "
     "genes, not the cells. Without this option, the file is read as by the run, if "
     "DIR/result.json states it",
     .cases = CLI_FROM_MATRIX},
    {"Input", "no-transpose", 0, NULL, AT(as_it_is),
     "read the file as it is, although the run that wrote DIR had --transpose",
     .cases = CLI_FROM_MATRIX},
    {"Input", "index", 0, "COLUMN", AT(index),
     "column of a .csv or .tsv file that holds the names of the rows: its name in the first "
     "line, or its number from 1. Without this option, the value in DIR/result.json is used, "
     "if there is one. With the value 'none', the first column holds the names if it contains "
     "words; if it "
     "contains numbers, it is data, and the rows have no names",
     .cases = CLI_FROM_MATRIX},
    {"Input", "drop", 0, "NAME[,NAME...]", AT(drop),
     "columns of a .csv or .tsv file to leave out: their names in the first line, or their "
     "numbers from 1. Without this option, the value in DIR/result.json is used, if there is one. "
     "The value "
     "'none' leaves out no column",
     .cases = CLI_FROM_MATRIX},
    {"Input", "decimal", 0, "point|comma", AT(decimal),
     "how numbers of a .csv or .tsv file are written. comma: 1139,66 or 1.139,66, with semicolons "
     "or tabs between the fields. Without this option, the value in DIR/result.json is used, if "
     "there "
     "is one",
     .cases = CLI_FROM_MATRIX},
    {"Input", "var", 0, "NAME", AT(var),
     "name of the matrix to read if a .mat, .npz or .h5 file holds several. Without this option, "
     "the value in DIR/result.json is used, if there is one",
     .cases = CLI_FROM_MATRIX},
    {0}};
