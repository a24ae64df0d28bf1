/* Known components from a file. */
#include "anchors/library_input.h"
#include "common/json.h"
#include "common/try.h"
#include <conehull/io.h>

static int read_names(cli_library *library, const cli_session *session) {
    char what[64];
    if (!library->names_file) return EXIT_DONE;
    ch_text_list_free(session->context, &library->names);
    snprintf(what, sizeof what, "columns of the library");
    return cli_check(session, ch_text_list_read(session->context, &library->names,
                                                library->names_file, library->L.cols, what));
}

int cli_library_read(cli_library *library, const cli_session *session, const cli_input *input) {
    cli_input read = {.var = library->var, .transpose = input->transpose, .companion = 1};
    if (!library->file && (library->names_file || library->var))
        return cli_wrong_use(session, "--library-%s cannot be used without --library",
                             library->var ? "var" : "names");
    if (!library->file) return EXIT_DONE;
    if (ch_context_comm(session->context))
        return cli_refuse("%s: --library does not support several processes; run it as one process",
                          session->options.command);
    TRY(cli_input_read(&read, session, library->file));
    library->L = read.X;
    library->names = read.names.of.columns; /* of a text table, its header */
    ch_text_list_free(session->context, &read.names.of.rows);
    if (read.X.rows != input->X.rows)
        return cli_refuse("%s: the library has %lld rows, but %s has %lld; a library must have the "
                          "same rows as the data",
                          library->file, (long long)read.X.rows, input->file,
                          (long long)input->X.rows);
    return read_names(library, session);
}

void cli_library_free(cli_library *library, const cli_session *session) {
    ch_matrix_free(session->context, &library->L);
    ch_text_list_free(session->context, &library->names);
}

const char *cli_library_name(const cli_library *library, int64_t k) {
    return k >= 0 && k < library->names.count ? library->names.text[k] : NULL;
}

void cli_library_add(json_t *json, const cli_library *library, const ch_anchors_result *result) {
    if (!library->file) return;
    json_object_set_new(
        json, "library",
        cli_json_pack("file:s var:s columns:i", library->file, library->var, library->L.cols));
    if (!library->names.count) return;
    json_t *names = json_array();
    for (int64_t k = 0; k < result->rank; k++) {
        const char *name = cli_library_name(library, result->anchors[k] - result->cols);
        json_array_append_new(names, name ? json_string(name) : json_null());
    }
    json_object_set_new(json, "component_names", names);
}
