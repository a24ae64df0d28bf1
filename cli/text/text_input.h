/* Counts of words with their terms and names: from a matrix and lists beside it, or raw text. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/corpus.h>

/* The command line's part, then what cli_text_read() found. */
typedef struct cli_text {
    cli_input matrix;
    const char *terms_file, *names_file;
    ch_corpus_settings settings;
    int raw;          /* read from raw text                               */
    ch_corpus corpus; /* X, terms, names; names.count 0: there are none   */
    int64_t nonzeros;
    double seconds;
} cli_text;

/* Adds the options that say how raw text is read; without_limits leaves out those that say which
 * terms stay, for commands with limits of their own. */
void cli_text_options(cli_options *options, cli_text *text, int without_limits);
/* Adds --terms, --names, --transpose and --var. */
void cli_text_matrix_options(cli_options *options, cli_text *text);

/* Raw text, whatever its name: a folder, or a file with one document per line. Refused when the
 * command's --output lies in that folder. */
int cli_text_read_raw(cli_text *text, const cli_session *session, const char *path);

/* Raw text or a matrix, by the name; options that mean nothing for what it is are refused. Both
 * complain themselves and return the exit code. Free in any case. */
int cli_text_read(cli_text *text, const cli_session *session, const char *path);
void cli_text_free(cli_text *text, const cli_session *session);

/* Adds "folder", where the documents are files of one: its full path, for links. */
void cli_text_add_folder(json_t *object, const cli_text *text);

/* Warns of documents without any term; corpus: their names, where known. */
void cli_text_warn_empty(const cli_session *session, const ch_corpus *corpus, int64_t empty);

/* Refuses a table that holds texts and is about to be read as a matrix: --text-column is missing.
 * Returns EXIT_DONE for all other files. */
int cli_text_refuse_table(const cli_session *session, const char *path);

/* Counts words that a list of stop words would leave out; zero it before. */
typedef struct cli_stop_count {
    int64_t stop, all;
    char some[64]; /* a few of them, with commas between */
} cli_stop_count;
void cli_stop_count_add(cli_stop_count *count, const char *word);
/* Where more than a quarter of the words are such, and none were left out: --stop-words. */
void cli_text_hint_stop_words(const cli_session *session, const cli_text *text,
                              const cli_stop_count *count);

/* Warns when the folder of results holds texts of others, or the page of another command; mine: a
 * file that only this command writes. */
void cli_text_warn_folder(const cli_session *session, const char *folder, const char *mine);
