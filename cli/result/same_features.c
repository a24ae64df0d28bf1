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

/* Writes the first names of `list` that are not in `other`, as "a, b, ..."; returns their
 * number. */
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

/* Names of the run are compared as sets: what is missing, and what is additional. Returns a
 * sentence, which the caller frees; NULL: the sets are the same. */
static char *compare_sets(const cli_input *input, const ch_text_list *known, const char *folder) {
    const ch_text_list *rows = &input->names.of.rows;
    int64_t less = 0, more = 0;
    char *missing = lost_names(known, rows, &less), *added = lost_names(rows, known, &more);
    char *text = NULL;
    int length = 0;
    if (missing)
        length = asprintf(&text, "%s%s of the run in %s %s missing: %s%s%s", word(input),
                          less == 1 ? "" : "s", folder, less == 1 ? "is" : "are", missing,
                          added ? "; additional: " : "", added ? added : "");
    else if (added)
        length = asprintf(
            &text, "the run in %s did not have the %s%s %s%s", folder, word(input),
            more == 1 ? "" : "s", added,
            input->transpose && cli_is_table(input->file) ? "; --drop leaves out columns" : "");
    free(missing);
    free(added);
    return length < 0 ? NULL : text;
}

static int refuse_count(const cli_input *input, int64_t wanted, const char *folder) {
    int turned = input->cols == wanted; /* the other dimension fits */
    return cli_refuse("%s: the file has %lld %ss, but the anchors in %s have %lld%s", input->file,
                      (long long)input->X.rows, word(input), folder, (long long)wanted,
                      !turned            ? ""
                      : input->transpose ? "; --no-transpose reads the file as it is"
                                         : "; is --transpose missing?");
}

/* Returns a sentence about the first name that differs, which the caller frees; NULL: there is
 * none. what: "row" or "column". */
static char *compare_order(const ch_text_list *now, const ch_text_list *known, const char *what,
                           const char *folder, const char *option, const char *file) {
    char *text = NULL;
    for (int64_t i = 0; i < now->count && i < known->count; i++)
        if (strcmp(now->text[i], known->text[i]) != 0)
            return asprintf(&text,
                            "the name of %s %lld is '%.40s', but in the run that wrote %s it "
                            "was '%.40s'; put the %ss in the same order, or give %s %s if only the "
                            "names "
                            "differ",
                            what, (long long)i, now->text[i], folder, known->text[i], what, option,
                            file) < 0
                       ? NULL
                       : text;
    return NULL;
}

static char *compare_features(const cli_input *input, const ch_text_list *known, const char *folder,
                              const char *file) {
    return compare_order(&input->names.of.rows, known, word(input), folder, "--row-names", file);
}

/* Prints the sentence as an error, if there is one, and frees it. */
static int refuse(const cli_input *input, char *sentence) {
    int code = sentence ? cli_refuse("%s: %s", input->file, sentence) : EXIT_DONE;
    free(sentence);
    return code;
}

/* Reads the names of the run. Returns 0 if it or the input has none. */
static int read_known(const cli_session *session, const ch_text_list *now, const char *file,
                      int64_t wanted, ch_text_list *known) {
    return now->count && access(file, F_OK) == 0 &&
           ch_text_list_read(session->context, known, file, wanted, "names") == CH_OK;
}

int cli_features_check(const cli_session *session, const cli_input *input, const cli_stored *stored,
                       const char *folder) {
    int64_t wanted = stored->result.rows;
    char *file = cli_path_join(folder, "row_names.txt");
    ch_text_list known = {0};
    int code = EXIT_DONE;
    if (!file) return cli_no_memory();
    int named = read_known(session, &input->names.of.rows, file, wanted, &known);
    if (input->X.rows != wanted && named && input->cols != wanted)
        code = refuse(input, compare_sets(input, &known, folder));
    if (code == EXIT_DONE && input->X.rows != wanted) code = refuse_count(input, wanted, folder);
    if (code == EXIT_DONE && named)
        code = refuse(input, compare_features(input, &known, folder, file));
    ch_text_list_free(session->context, &known);
    free(file);
    return code;
}

char *cli_features_changed(const cli_session *session, const cli_input *input,
                           const cli_stored *stored, const char *folder) {
    int64_t wanted = stored->result.rows;
    char *file = cli_path_join(folder, "row_names.txt"), *text = NULL;
    ch_text_list known = {0};
    if (file && read_known(session, &input->names.of.rows, file, wanted, &known)) {
        if (input->X.rows == wanted)
            text = compare_features(input, &known, folder, file);
        else if (input->cols != wanted)
            text = compare_sets(input, &known, folder);
    }
    ch_text_list_free(session->context, &known);
    free(file);
    return text;
}

char *cli_points_changed(const cli_session *session, const cli_input *input,
                         const cli_stored *stored, const char *folder) {
    const ch_text_list *now = &input->names.of.columns;
    char *file = cli_path_join(folder, "column_names.txt"), *text = NULL;
    ch_text_list known = {0};
    if (file && read_known(session, now, file, stored->result.cols, &known))
        text = compare_order(now, &known, cli_input_point(input), folder, "--names", file);
    ch_text_list_free(session->context, &known);
    free(file);
    return text;
}
