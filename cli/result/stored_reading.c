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

const cli_option_row cli_no_transpose_rows[] = {
    {"Input", "no-transpose", 0, NULL, .at = offsetof(cli_input, as_it_is),
     "read the file as it is, although the run that wrote DIR had --transpose",
     .cases = CLI_FROM_MATRIX},
    {0}};
