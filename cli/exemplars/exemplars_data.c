/* The columns of conehull exemplars, from a matrix, raw text or a clip, and their labels and names.
 */
#include "exemplars/exemplars_command.h"
#include "names/class_labels.h"
#include <sys/stat.h>
#include <unistd.h>

const char *exemplars_noun(const exemplars_data *data) {
    static const char *const nouns[] = {"column", "document", "frame"};
    return data->turned ? "row" : nouns[data->kind];
}

int64_t exemplars_number(const exemplars_data *data, int64_t column) {
    return data->kind == EXEMPLARS_FRAMES ? data->clip.index[column] : column;
}

/* Decides by the name: formats of ch_matrix_read() and names without suffix are matrices; folders,
 * patterns and other suffixes are clips. */
static exemplars_kind kind_of(const char *path, const ch_corpus_settings *settings) {
    struct stat seen;
    if (settings->text_column || ch_corpus_is_text(path)) return EXEMPLARS_TEXT;
    if (stat(path, &seen) == 0 && S_ISDIR(seen.st_mode)) return EXEMPLARS_FRAMES;
    if (cli_is_matrix_name(path)) return EXEMPLARS_MATRIX;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strchr(name, '.') || strchr(name, '%') ? EXEMPLARS_FRAMES : EXEMPLARS_MATRIX;
}

static const char from_column[] = "column:"; /* --labels column:NAME */

/* Takes the useful parts of the corpus, and frees the rest. */
static void take_corpus(const cli_session *session, exemplars_data *data, ch_corpus *corpus) {
    data->X = corpus->X;
    data->names = corpus->names;
    data->terms = corpus->terms;
    data->excerpts = corpus->excerpts;
    data->own_labels = corpus->labels;
    corpus->X = (ch_matrix){0};
    corpus->names = corpus->terms = corpus->excerpts = corpus->labels = (ch_text_list){0};
    ch_corpus_free(session->context, corpus);
}

/* Reports the status of reading a clip. A folder without pictures may have been meant as texts, so
 * the message is the one of topics and text, followed by the formats of pictures. */
static int check_clip(const cli_session *session, ch_status status, const char *path) {
    static const char none[] = "the folder contains no pictures";
    const char *why = status < 0 ? strstr(ch_context_message(session->context), none) : NULL;
    if (!why) return cli_check(session, status);
    return cli_error(cli_exit_code(status),
                     "%s: the folder contains no text files; these are files named .txt or "
                     ".txt.gz, or without a suffix; nor does it contain pictures%s",
                     path, why + sizeof none - 1);
}

static int read_columns(const cli_session *session, exemplars_data *data,
                        exemplars_arguments *given) {
    const char *path = session->options.operands[0];
    double start = cli_seconds();
    const char *labels = given->labels_file;
    if (labels && strncmp(labels, from_column, strlen(from_column)) == 0 &&
        given->text.settings.text_column && !given->text.settings.label_column)
        given->text.settings.label_column = labels + strlen(from_column);
    data->kind = kind_of(path, &given->text.settings);
    const cli_input *matrix = &given->text.matrix; /* with these options it is a table of numbers */
    if (data->kind != EXEMPLARS_TEXT && !matrix->index && !matrix->drop)
        TRY(cli_text_refuse_table(session, path));
    given->text.matrix.file = path;
    TRY(exemplars_options_fit(session, data->kind));
    if (data->kind == EXEMPLARS_TEXT) {
        TRY(cli_text_read_raw(&given->text, session, path));
        take_corpus(session, data, &given->text.corpus);
    } else if (data->kind == EXEMPLARS_MATRIX) {
        TRY(cli_input_read(&given->text.matrix, session, path));
        data->turned = given->text.matrix.transpose;
        data->X = given->text.matrix.X;
        data->names = given->text.matrix.names.of.columns;
        data->terms = given->text.matrix.names.of.rows;
    } else {
        given->clip.gray = 1;
        TRY(check_clip(session, ch_clip_read(session->context, &data->clip, path, &given->clip),
                       path));
        TRY(cli_check(session, ch_matrix_transpose(session->context, &data->X, &data->clip.luma)));
    }
    data->nonzeros = ch_matrix_nonzeros(session->context, &data->X);
    data->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

/* ---- labels, names, terms ---- */

/* Replaces the list from raw text if a file is given: with a line per column, or per row. */
static int read_list(const cli_session *session, const exemplars_data *data, ch_text_list *lines,
                     const char *path, int of_rows) {
    static const char *const sides[] = {"columns", "rows"};
    int64_t rows = data->X.rows, cols = data->X.cols;
    if (!path) return EXIT_DONE;
    ch_text_list_free(session->context, lines);
    if (of_rows) return cli_read_list(session, lines, path, rows, cols, sides[!data->turned]);
    if (data->kind == EXEMPLARS_MATRIX)
        return cli_read_list(session, lines, path, cols, rows, sides[data->turned]);
    return cli_read_list(session, lines, path, cols, cols, /* nothing to transpose */
                         data->kind == EXEMPLARS_TEXT ? "documents" : "frames");
}

/* Explains --labels NAME where column:NAME is meant. */
static int refuse_column(const char *given, const exemplars_arguments *all) {
    if (!given || !all->text.settings.text_column || access(given, F_OK) == 0) return EXIT_DONE;
    return cli_refuse("exemplars: --labels %s: the file does not exist; for a column of the table, "
                      "give --labels column:%s",
                      given, given);
}

/* Reads the text's own labels, if it has them, or those of a file. */
static int read_labels(const cli_session *session, exemplars_data *data,
                       const exemplars_arguments *all) {
    const char *given = all->labels_file;
    int folders = given && strcmp(given, "folders") == 0;
    int column = given && strncmp(given, from_column, strlen(from_column)) == 0;
    if (!folders && !column) TRY(refuse_column(given, all));
    if (!folders && !column) return read_list(session, data, &data->labels, given, 0);
    if (column && !all->text.settings.text_column)
        return cli_refuse("exemplars: --labels %s%s can be used only with a table of texts "
                          "(--text-column), but %s is not one",
                          given, given[strlen(from_column)] ? "" : "NAME",
                          session->options.operands[0]);
    if (!data->own_labels.count)
        return cli_refuse(
            "exemplars: --labels folders cannot be used, because %s has documents that are not in "
            "a folder of their class; for a file named folders, give ./folders",
            session->options.operands[0]);
    data->labels = data->own_labels;
    data->own_labels = (ch_text_list){0};
    return EXIT_DONE;
}

static int number_classes(exemplars_data *data, const char *file) {
    int64_t count = data->labels.count;
    data->class_names = malloc((size_t)count * sizeof *data->class_names);
    data->classes = malloc((size_t)count * sizeof *data->classes);
    if (!data->class_names || !data->classes) return cli_no_memory();
    return cli_number_classes(data->classes, data->class_names, &data->class_count, &data->labels,
                              file);
}

/* A class of one member is never both in the training half and in the other half. */
static int check_classes(const cli_session *session, const exemplars_data *data, const char *file) {
    const char *noun = exemplars_noun(data);
    int64_t single = 0;
    int64_t *count = calloc((size_t)data->class_count + 1, sizeof *count);
    if (!count) return cli_no_memory();
    for (int64_t j = 0; j < data->labels.count; j++) count[data->classes[j]]++;
    for (int64_t c = 0; c < data->class_count; c++) single += count[c] == 1;
    free(count);
    if (single == data->class_count)
        return cli_refuse("%s: all %lld labels differ, so no %s of a class could be recognised by "
                          "another; labels must be classes with several %ss",
                          file, (long long)single, noun, noun);
    if (single && !session->common.quiet)
        cli_complain("warning: %s: %lld of the %lld classes %s only one %s; the accuracy is lower, "
                     "because such a class cannot be in both halves",
                     file, (long long)single, (long long)data->class_count,
                     single == 1 ? "has" : "have", noun);
    return EXIT_DONE;
}

static void warn_of_empty(const cli_session *session, const exemplars_data *data) {
    int64_t empty = 0, first = 0;
    if (session->common.quiet || data->X.layout != CH_CSC) return;
    for (int64_t j = data->X.cols - 1; j >= 0; j--)
        if (data->X.column_start[j] == data->X.column_start[j + 1]) {
            empty++;
            first = j;
        }
    const char *name = data->names.count ? data->names.text[first] : NULL;
    if (empty)
        cli_complain("warning: %lld of %lld %ss %s empty%s%s%s%s; %s", (long long)empty,
                     (long long)data->X.cols, exemplars_noun(data), empty == 1 ? "is" : "are",
                     name ? " (" : "", name && empty > 1 ? "the first is " : "", name ? name : "",
                     name ? ")" : "",
                     empty == 1 ? "it is never an exemplar" : "they are never exemplars");
}

static int check_ranks(const exemplars_arguments *given, const exemplars_data *data) {
    int64_t largest = given->ranks[given->rank_count - 1];
    int64_t most = data->classes ? data->X.cols / 2 : data->X.cols;
    if (largest <= most) return EXIT_DONE;
    return cli_refuse("exemplars: -r is %lld, which is more than the %lld %ss %s",
                      (long long)largest, (long long)most, exemplars_noun(data),
                      data->classes ? "of the training half" : "of the input");
}

int exemplars_data_read(const cli_session *session, exemplars_data *data,
                        exemplars_arguments *given) {
    const cli_text *text = &given->text;
    TRY(read_columns(session, data, given));
    TRY(read_labels(session, data, given));
    TRY(read_list(session, data, &data->names, text->names_file, 0));
    TRY(read_list(session, data, &data->terms, text->terms_file, 1));
    if (given->labels_file) TRY(number_classes(data, given->labels_file));
    TRY(check_ranks(given, data));
    if (given->labels_file) TRY(check_classes(session, data, given->labels_file));
    warn_of_empty(session, data);
    return EXIT_DONE;
}

void exemplars_data_free(const cli_session *session, exemplars_data *data) {
    ch_text_list_free(session->context, &data->labels);
    ch_text_list_free(session->context, &data->names);
    ch_text_list_free(session->context, &data->terms);
    ch_text_list_free(session->context, &data->excerpts);
    ch_text_list_free(session->context, &data->own_labels);
    free(data->classes);
    free(data->class_names);
    ch_matrix_free(session->context, &data->X);
    ch_clip_free(session->context, &data->clip);
}
