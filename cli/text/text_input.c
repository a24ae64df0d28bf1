/* Reading counts of words. */
#include "text/text_input.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include "common/output_folder.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char group[] = "Raw text", matrix_group[] = "Input";
static const char *const rules[] = {"encoding", "keep_case", "numbers", "hyphens", "min_length"};
static const char *const limits[] = {"min_df", "max_df", "max_terms"};
static const char *const of_matrices[] = {"terms", "transpose", "var"};
enum { RULES = sizeof rules / sizeof *rules, LIMITS = sizeof limits / sizeof *limits };
enum { OF_MATRICES = sizeof of_matrices / sizeof *of_matrices };

void cli_text_options(cli_options *options, cli_text *text, int without_limits) {
    ch_settings_defaults(&ch_corpus_table, &text->settings);
    cli_options_add_text(options, group, "stop-words", 0, "none|english|FILE",
                         "words that are left out: none (default), a list of English ones, or a "
                         "file with one per line",
                         &text->settings.stop_words);
    for (int i = 0; i < RULES; i++)
        cli_options_add_setting(options, group, rules[i], &ch_corpus_table, &text->settings);
    for (int i = 0; i < LIMITS && !without_limits; i++)
        cli_options_add_setting(options, group, limits[i], &ch_corpus_table, &text->settings);
}

void cli_text_matrix_options(cli_options *options, cli_text *text) {
    cli_options_add_text(options, matrix_group, "terms", 0, "FILE",
                         "the term of each row, one per line; raw text brings its own",
                         &text->terms_file);
    cli_options_add_text(options, matrix_group, "names", 0, "FILE",
                         "the name of each document, one per line", &text->names_file);
    cli_input_options(options, &text->matrix);
    cli_options_explain(options, "transpose", "rows of the file are documents, columns terms");
}

static int refuse_idle(const cli_text *text, const cli_session *session) {
    const cli_options *options = &session->options;
    const char *idle = NULL;
    for (int i = 0; i < OF_MATRICES && text->raw; i++)
        if (cli_options_find(options, of_matrices[i])->given) idle = of_matrices[i];
    if (!text->raw && cli_options_find(options, "stop-words")->given) idle = "stop-words";
    for (int i = 0; i < RULES && !text->raw; i++)
        if (cli_options_find(options, rules[i])->given) idle = rules[i];
    if (!idle) return EXIT_DONE;
    char name[32] = "";
    for (size_t i = 0; idle[i]; i++) name[i] = idle[i] == '_' ? '-' : idle[i];
    cli_complain("%s: --%s means nothing with %s, which is %s", options->command, name,
                 options->operands[0], text->raw ? "raw text" : "not raw text");
    return EXIT_USAGE;
}

void cli_text_warn_empty(const cli_session *session, int64_t empty, int64_t documents) {
    if (empty == 0 || session->common.quiet) return;
    cli_complain("warning: %lld of %lld documents hold%s none of the words; %s kept, with weights "
                 "of zero",
                 (long long)empty, (long long)documents, empty == 1 ? "s" : "",
                 empty == 1 ? "it is" : "they are");
}

int cli_read_list(const cli_session *session, ch_text_list *lines, const char *file, int64_t count,
                  const char *what) {
    char *of = NULL;
    if (cli_refuse_stdin(file) != EXIT_DONE) return EXIT_USAGE;
    if (asprintf(&of, "%s of %s", what, session->options.operands[0]) < 0) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    ch_status status = ch_text_list_read(session->context, lines, file, count, of);
    free(of);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return status < 0 ? cli_fail(session, status, NULL) : EXIT_DONE;
}

static int is_folder(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

int cli_text_read_raw(cli_text *text, const cli_session *session, const char *path) {
    double start = cli_seconds();
    const char *output = *cli_options_find(&session->options, "output")->text;
    text->matrix.file = path;
    text->raw = 1;
    const char *stop_words = text->settings.stop_words;
    if (cli_refuse_stdin(path) != EXIT_DONE) return EXIT_USAGE;
    if (stop_words && cli_refuse_stdin(stop_words) != EXIT_DONE) return EXIT_USAGE;
    if (output && is_folder(path) && cli_folder_apart(output, path) != EXIT_DONE) return EXIT_USAGE;
    ch_status status = ch_corpus_read(session->context, &text->corpus, path, &text->settings);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    if (status < 0) return cli_fail(session, status, NULL);
    text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

static int read_matrix(cli_text *text, const cli_session *session, const char *path) {
    if (!text->terms_file && access(path, F_OK) == 0) {
        cli_complain(
            "%s: --terms is missing: a file with the term of each row; or give raw text, a "
            "folder of .txt files or one .txt file",
            session->options.command);
        return EXIT_USAGE;
    }
    int code = cli_input_read(&text->matrix, session, path);
    if (code != EXIT_DONE) return code;
    text->corpus.X = text->matrix.X;
    return cli_read_list(session, &text->corpus.terms, text->terms_file, text->corpus.X.rows,
                         "rows");
}

int cli_text_read(cli_text *text, const cli_session *session, const char *path) {
    double start = cli_seconds();
    text->matrix.file = path;
    text->raw = ch_corpus_is_text(path) || is_folder(path);
    int code = refuse_idle(text, session);
    if (code == EXIT_DONE)
        code =
            text->raw ? cli_text_read_raw(text, session, path) : read_matrix(text, session, path);
    if (code == EXIT_DONE && text->names_file) {
        ch_text_list_free(session->context, &text->corpus.names);
        code = cli_read_list(session, &text->corpus.names, text->names_file, text->corpus.X.cols,
                             "documents");
    }
    if (code == EXIT_DONE) text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = cli_seconds() - start;
    return code;
}

void cli_text_free(cli_text *text, const cli_session *session) {
    ch_corpus_free(session->context, &text->corpus);
}
