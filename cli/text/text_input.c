/* Reading counts of words. */
#include "text/text_input.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXCERPT = 240 }; /* letters of a document shown on pages */

#define AT(field) .at = offsetof(cli_text, field)
static const char group[] = "Raw text";
static const cli_option_row rules[] = {
    {group, "stop-words", 0, "none|english|FILE,..", AT(settings.stop_words),
     "words to leave out: none (default), english (a built-in list of common English words), a "
     "file with one word per line, or several such lists separated by commas, as in "
     "english,mine.txt",
     .cases = CLI_FROM_TEXT},
    {group, "stem", 0, "LANGUAGE", AT(settings.stem),
     "reduce words to their stems, so that forms of a word count as one: english, german, french "
     "or another language of the Snowball stemmers",
     .cases = CLI_FROM_TEXT},
    {group, "mail bigrams encoding skip_bad keep_case numbers hyphens min_length", AT(settings),
     .table = ch_corpus_table, .cases = CLI_FROM_TEXT},
    {group, "text-column", 0, "NAME", AT(settings.text_column),
     "for a .csv, .tsv or .jsonl file: the column that holds the texts, by name or by number from "
     "1"},
    {group, "name-column", 0, "NAME", AT(settings.name_column),
     "for a .csv, .tsv or .jsonl file: the column that holds the names of the documents",
     .cases = CLI_FROM_TEXT},
    {0}};
static const cli_option_row limits[] = {{group, "min_df max_df max_terms", AT(settings),
                                         .table = ch_corpus_table, .cases = CLI_FROM_TEXT},
                                        {0}};
static const cli_option_row matrix_rows[] = {
    {"Input", "terms", 0, "FILE", AT(terms_file),
     "file with the term of each row, one per line; not needed for raw text",
     .cases = CLI_FROM_MATRIX},
    {"Input", "names", 0, "FILE", AT(names_file),
     "file with the name of each document, one per line"},
    {0}};

void cli_text_options(cli_options *options, cli_text *text, int without_limits) {
    text->corpus.size = sizeof text->corpus;
    cli_options_add(options, rules, text);
    if (!without_limits) cli_options_add(options, limits, text);
}

void cli_text_matrix_options(cli_options *options, cli_text *text) {
    cli_options_add(options, matrix_rows, text);
    cli_options_add(options, cli_input_rows, &text->matrix);
    cli_options_find(options, "transpose")->row.help =
        "the rows of the matrix are documents and its columns are terms; by default the rows are "
        "terms and the columns are documents";
}

/* Returns the name of the first document without terms. */
static const char *first_empty(const ch_corpus *corpus) {
    const ch_matrix *X = &corpus->X;
    for (int64_t j = 0; j < corpus->names.count && X->layout == CH_CSC; j++)
        if (X->column_start[j] == X->column_start[j + 1]) return corpus->names.text[j];
    return NULL;
}

void cli_text_warn_empty(const cli_session *session, const ch_corpus *corpus, int64_t empty) {
    const char *first = first_empty(corpus);
    char *which = NULL;
    if (empty == 0 || session->common.quiet) return;
    if (first && asprintf(&which, " (%s%s)", empty == 1 ? "" : "the first is ", first) < 0)
        which = NULL;
    cli_complain("warning: %lld of %lld documents contain%s none of the words%s; %s kept, with "
                 "weights of zero",
                 (long long)empty, (long long)corpus->X.cols, empty == 1 ? "s" : "",
                 which ? which : "", empty == 1 ? "it is" : "they are");
    free(which);
}

int cli_text_refuse_table(const cli_session *session, const char *path) {
    ch_text_list columns;
    char list[300] = "";
    int code = EXIT_DONE;
    if (ch_corpus_columns(session->context, &columns, path) != CH_OK) return EXIT_DONE;
    for (int64_t k = 0; k < columns.count && strlen(list) < 200; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.80s", k ? ", " : "",
                 columns.text[k]);
    if (columns.count)
        code = cli_refuse("%s: %s is a table with texts; select the column that contains the texts "
                          "with --text-column. Columns with text are: %s",
                          session->options.command, path, list);
    ch_text_list_free(session->context, &columns);
    return code;
}

/* Function words of German, French, Spanish, Italian and Dutch. The words are only pointed out, so
 * a few that have another meaning in English do no harm. */
static const char foreign[] =
    " der die das und ist nicht ein eine einen einem einer den dem des sie ich mit sich auf im zu "
    "von es wird sind auch als wie oder aber bei nach zum zur hat dass le la les une est et dans "
    "qui que pas pour sur avec sont ce cette du des el los las una por con para como del se su al "
    "il lo gli di che non per della sono het een van niet dat voor zijn ";

static int is_function_word(const char *word) {
    size_t length = strlen(word);
    if (ch_corpus_is_stop_word(word)) return 1;
    for (const char *at = foreign; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ') return 1;
    return 0;
}

void cli_stop_count_add(cli_stop_count *count, const char *word) {
    size_t used = strlen(count->some);
    count->all++;
    if (!is_function_word(word)) return;
    if (count->stop++ < 3)
        snprintf(count->some + used, sizeof count->some - used, "%s%.20s", used ? ", " : "", word);
}

void cli_stop_count_topic(cli_stop_count *count, const char *name, const char *const *words,
                          int64_t listed) {
    enum { LEADING = 3 };
    int64_t found = 0;
    for (int64_t k = 0; k < listed && k < LEADING; k++) found += is_function_word(words[k]);
    count->topics++;
    if (!is_function_word(name) && found < 2) return;
    size_t used = strlen(count->names);
    if (count->led++ < 3)
        snprintf(count->names + used, sizeof count->names - used, "%s%.20s", used ? ", " : "",
                 is_function_word(name) ? name : words[0]);
}

void cli_text_hint_stop_words(const cli_session *session, const cli_text *text,
                              const cli_stop_count *count) {
    const char *given = text->settings.stop_words;
    const char *remedy = given && strcmp(given, "none") != 0
                             ? "add a file with such words, one per line: --stop-words"
                             : "leave such words out with --stop-words english or, for other "
                               "languages, --stop-words FILE (one word per line; several lists "
                               "with commas)";
    int more = given && strcmp(given, "none") != 0;
    if (!text->raw || session->common.quiet) return;
    if (4 * count->stop > count->all)
        cli_complain(
            "warning: %lld of the %lld words shown are function words, such as %s; %s%s%s%s",
            (long long)count->stop, (long long)count->all, count->some, remedy, more ? " " : "",
            more ? given : "", more ? ",FILE" : "");
    else if (count->led)
        cli_complain("warning: function words lead %lld of the %lld topics (%s); %s%s%s%s",
                     (long long)count->led, (long long)count->topics, count->names, remedy,
                     more ? " " : "", more ? given : "", more ? ",FILE" : "");
}

/* Returns whether `name` is a text that no conehull command writes. */
static int is_foreign_text(const char *name) {
    static const char *const ours[] = {"terms.txt",     "topics.txt",      "names.txt",
                                       "exemplars.txt", "exemplars-*.txt", "labels.txt",
                                       "anchors.txt",   "spectra.txt"};
    if (name[0] == '.' || !(fnmatch("*.txt", name, 0) == 0 || fnmatch("*.txt.gz", name, 0) == 0))
        return 0;
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        if (fnmatch(ours[k], name, 0) == 0) return 0;
    return 1;
}

void cli_text_warn_folder(const cli_session *session, const char *folder) {
    struct dirent **entries = NULL;
    int count = folder && !session->common.quiet ? scandir(folder, &entries, NULL, alphasort) : 0;
    char text[CLI_FOLDER_NAME] = "";
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (!text[0] && is_foreign_text(name)) snprintf(text, sizeof text, "%.60s", name);
        free(entries[i]);
    }
    free(entries);
    if (text[0])
        cli_complain("warning: the folder %s contains texts (%s); a run on that folder would read "
                     "the .txt files of these results as documents",
                     folder, text);
}

int cli_text_own_folder(const char *folder, const char *mine) {
    static const char *const marks[][2] = {{"topics.json", "topics"},
                                           {"exemplars.txt", "exemplars"}};
    char path[4096];
    if (!folder) return EXIT_DONE;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, marks[k][0]);
        if (strcmp(marks[k][0], mine) == 0 || access(path, F_OK) != 0) continue;
        return cli_refuse("%s: the folder has the results of 'conehull %s', which would be mixed "
                          "with those of this run; give another folder, or remove this one",
                          folder, marks[k][1]);
    }
    return EXIT_DONE;
}

static int is_folder(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static void add_list(json_t *object, const char *key, const ch_text_list *texts) {
    json_t *list = json_array();
    for (int64_t k = 0; k < texts->count; k++)
        list = cli_json_append(list, json_string(texts->text[k]));
    if (list && texts->count) json_object_set(object, key, list);
    json_decref(list);
}

void cli_text_add_folder(json_t *object, const cli_text *text) {
    if (!text->raw || text->names_file || !is_folder(text->matrix.file)) return;
    char *path = realpath(text->matrix.file, NULL);
    if (path) json_object_set_new(object, "folder", json_string(path));
    free(path);
    add_list(object, "skipped_files", &text->corpus.skipped);
    add_list(object, "bad_files", &text->corpus.bad);
}

enum { SHOWN = 3, SHOWN_BAD = 10 }; /* names of files in a message */

/* Names the files that --skip-bad left out. */
static void warn_of_bad(const cli_session *session, const ch_corpus *corpus, const char *path) {
    const ch_text_list *bad = &corpus->bad;
    if (bad->count == 0 || session->common.quiet) return;
    cli_complain("warning: %lld file%s in %s %s left out (--skip-bad):", (long long)bad->count,
                 bad->count == 1 ? "" : "s", path, bad->count == 1 ? "was" : "were");
    for (int64_t k = 0; k < bad->count && k < SHOWN_BAD; k++)
        cli_complain("  %s", cli_plain(bad->text[k]));
    if (bad->count > SHOWN_BAD)
        cli_complain("  ... and %lld more", (long long)bad->count - SHOWN_BAD);
}

static void warn_of_others(const cli_session *session, const ch_corpus *corpus, const char *path) {
    char *some = NULL;
    size_t length = 0;
    if (corpus->others == 0 || session->common.quiet) return;
    FILE *to = open_memstream(&some, &length);
    for (int64_t k = 0; to && k < corpus->skipped.count && k < SHOWN; k++)
        fprintf(to, "%s%s", k ? ", " : "", corpus->skipped.text[k]);
    if (to && corpus->others > SHOWN) fputs(", ...", to);
    if (to) fclose(to);
    cli_complain(
        "warning: %lld other file%s in %s %s not read (%s); documents are its .txt and .txt.gz "
        "files or, where there are none, its files without suffix",
        (long long)corpus->others, corpus->others == 1 ? "" : "s", path,
        corpus->others == 1 ? "was" : "were", some ? some : "");
    free(some);
}

int cli_text_read_raw(cli_text *text, const cli_session *session, const char *path) {
    double start = cli_seconds();
    const char *output = *(const char **)cli_options_find(&session->options, "output")->place;
    text->matrix.file = path;
    text->raw = 1;
    text->settings.excerpts = EXCERPT;
    TRY(cli_refuse_stdin(path));
    if (text->settings.stop_words) TRY(cli_refuse_stdin(text->settings.stop_words));
    if (output && is_folder(path)) TRY(cli_folder_apart(output, path));
    TRY(cli_check(session, ch_corpus_read(session->context, &text->corpus, path, &text->settings)));
    text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = cli_seconds() - start;
    warn_of_others(session, &text->corpus, path);
    warn_of_bad(session, &text->corpus, path);
    if (text->corpus.looks_utf8 && !session->common.quiet)
        cli_complain("warning: %s seems to be UTF-8, but is read as Latin 1 (--encoding latin1)",
                     path);
    return EXIT_DONE;
}

/* Suggests the file where 'conehull text' has put the terms. */
static int refuse_without_terms(const cli_session *session, const char *path) {
    const char *slash = strrchr(path, '/');
    char *beside = NULL;
    if (asprintf(&beside, "%.*sterms.txt", slash ? (int)(slash - path) + 1 : 0, path) < 0)
        return cli_no_memory();
    int there = access(beside, F_OK) == 0;
    int code =
        there ? cli_refuse("%s: --terms FILE is missing, a file with the term of each row; give "
                           "--terms %s if these are the terms of %s",
                           session->options.command, beside, path)
              : cli_refuse(
                    "%s: --terms FILE is missing, a file with the term of each row; or give raw "
                    "text: a folder of .txt files, one .txt file, or a table with --text-column",
                    session->options.command);
    free(beside);
    return code;
}

/* Decides by the name whether the file can hold names of rows. */
static int may_have_names(const char *path) {
    static const char *const without[] = {"*.npy", "*.npz", "*.mtx", "*.mtx.gz", "*.mat"};
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
        if (fnmatch(without[k], path, FNM_CASEFOLD) == 0) return 0;
    return 1;
}

static int read_matrix(cli_text *text, const cli_session *session, const char *path) {
    if (!text->terms_file && !may_have_names(path) && access(path, F_OK) == 0)
        return refuse_without_terms(session, path);
    TRY(cli_input_read(&text->matrix, session, path));
    text->corpus.X = text->matrix.X;
    text->corpus.names = text->matrix.names.of.columns;
    text->corpus.terms = text->matrix.names.of.rows;
    if (!text->terms_file)
        return text->corpus.terms.count ? EXIT_DONE : refuse_without_terms(session, path);
    ch_text_list_free(session->context, &text->corpus.terms);
    return cli_read_list(session, &text->corpus.terms, text->terms_file, text->corpus.X.rows,
                         text->corpus.X.cols, "rows");
}

int cli_text_read(cli_text *text, const cli_session *session, const char *path) {
    double start = cli_seconds();
    text->matrix.file = path;
    text->raw = text->settings.text_column || ch_corpus_is_text(path) || is_folder(path);
    if (!text->raw && !text->terms_file) TRY(cli_text_refuse_table(session, path));
    TRY(cli_options_refuse_idle(&session->options, CLI_FROM_ANY,
                                text->raw ? CLI_FROM_TEXT : CLI_FROM_MATRIX, "with %s, which is %s",
                                path, text->raw ? "raw text" : "not raw text"));
    TRY(text->raw ? cli_text_read_raw(text, session, path) : read_matrix(text, session, path));
    if (text->names_file) {
        ch_text_list_free(session->context, &text->corpus.names);
        TRY(cli_read_list(session, &text->corpus.names, text->names_file, text->corpus.X.cols,
                          text->corpus.X.rows, "documents"));
    }
    text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

void cli_text_free(cli_text *text, const cli_session *session) {
    ch_corpus_free(session->context, &text->corpus);
}
