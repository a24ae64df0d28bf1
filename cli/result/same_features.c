/* Compares the features of new data with those of a run. */
#include "result/same_features.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <conehull/corpus.h>
#include <unistd.h>

enum { NAMED = 3 };

/* Returns what a feature is in the file: "row" or "column". */
static const char *word(const cli_input *input) {
    return input->transpose ? "column" : "row";
}

static int has(const ch_text_list *list, const char *name) {
    for (int64_t k = 0; k < list->count; k++)
        if (strcmp(list->text[k], name) == 0) return 1;
    return 0;
}

/* Writes the first names of `list` that are not in `other`, as "a, b, ..."; returns their number. */
static int64_t name_lost(FILE *to, const ch_text_list *list, const ch_text_list *other) {
    int64_t lost = 0;
    for (int64_t k = 0; k < list->count; k++) {
        if (has(other, list->text[k])) continue;
        if (lost < NAMED) fprintf(to, "%s%s", lost ? ", " : "", list->text[k]);
        lost++;
    }
    if (lost > NAMED) fputs(", ...", to);
    return lost;
}

/* Returns the names of `list` that are not in `other`, which the caller frees; NULL: there are
 * none. */
static char *lost_names(const ch_text_list *list, const ch_text_list *other, int64_t *lost) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    *lost = name_lost(to, list, other);
    if (fclose(to) == 0 && *lost > 0) return text;
    free(text);
    return NULL;
}

/* Names of the run are compared as sets: what is missing, and what is additional. */
static int refuse_names(const cli_input *input, const ch_text_list *known, const char *folder) {
    const ch_text_list *rows = &input->names.of.rows;
    int64_t less = 0, more = 0;
    char *missing = lost_names(known, rows, &less), *added = lost_names(rows, known, &more);
    int code = EXIT_DONE;
    if (missing)
        code = cli_refuse("%s: %s%s of the run in %s %s missing: %s%s%s", input->file, word(input),
                          less == 1 ? "" : "s", folder, less == 1 ? "is" : "are", missing,
                          added ? "; additional: " : "", added ? added : "");
    else if (added)
        code = cli_refuse(
            "%s: the run in %s did not have the %s%s %s%s", input->file, folder, word(input),
            more == 1 ? "" : "s", added,
            input->transpose && cli_is_table(input->file) ? "; --drop leaves out columns" : "");
    free(missing);
    free(added);
    return code;
}

static int refuse_count(const cli_input *input, int64_t wanted, const char *folder) {
    int turned = input->cols == wanted; /* the other dimension fits */
    return cli_refuse("%s: the file has %lld %ss, but the anchors in %s have %lld%s", input->file,
                      (long long)input->X.rows, word(input), folder, (long long)wanted,
                      !turned            ? ""
                      : input->transpose ? "; --no-transpose reads the file as it is"
                                         : "; is --transpose missing?");
}

static int compare_order(const cli_input *input, const ch_text_list *known, const char *folder,
                         const char *file) {
    const ch_text_list *rows = &input->names.of.rows;
    const char *what = word(input);
    for (int64_t i = 0; i < rows->count; i++)
        if (strcmp(rows->text[i], known->text[i]) != 0)
            return cli_refuse(
                "%s: the name of %s %lld is '%s', but in the run that wrote %s it was '%s'; put "
                "the %ss in the same order, or give --row-names %s if only the names differ",
                input->file, what, (long long)i, rows->text[i], folder, known->text[i], what, file);
    return EXIT_DONE;
}

int cli_features_check(const cli_session *session, const cli_input *input, const cli_stored *stored,
                       const char *folder) {
    int64_t wanted = stored->result.rows;
    char *file = cli_path_join(folder, "row_names.txt");
    ch_text_list known = {0};
    int code = EXIT_DONE;
    if (!file) return cli_no_memory();
    int named = input->names.of.rows.count && access(file, F_OK) == 0 &&
                ch_text_list_read(session->context, &known, file, wanted, "rows") == CH_OK;
    if (input->X.rows != wanted && named && input->cols != wanted)
        code = refuse_names(input, &known, folder);
    if (code == EXIT_DONE && input->X.rows != wanted) code = refuse_count(input, wanted, folder);
    if (code == EXIT_DONE && named) code = compare_order(input, &known, folder, file);
    ch_text_list_free(session->context, &known);
    free(file);
    return code;
}
