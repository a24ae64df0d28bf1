/* Counts of words with their terms and names: from a matrix with lists of names, or from raw
 * text. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/corpus.h>

/* The arguments, then the results of cli_text_read(). */
typedef struct cli_text {
    cli_input matrix;
    const char *terms_file, *names_file;
    ch_corpus_settings settings;
    int raw;          /* read from raw text                       */
    ch_corpus corpus; /* X, terms, names; names.count 0: no names */
    int64_t nonzeros;
    double seconds;
} cli_text;

/* Adds the options for reading raw text; without_limits leaves out those that limit the terms, for
 * commands with limits of their own. */
void cli_text_options(cli_options *options, cli_text *text, int without_limits);
/* Adds --terms, --names, --transpose and --var. */
void cli_text_matrix_options(cli_options *options, cli_text *text);

/* Reads raw text, whatever its name: a folder, or a file with one document per line. Refuses if the
 * command's --output lies in that folder. */
int cli_text_read_raw(cli_text *text, const cli_session *session, const char *path);

/* Reads raw text or a matrix, by the name; refuses options without effect for that kind.
 * cli_text_read_raw() and cli_text_read() print errors and return the exit code. The caller must
 * call cli_text_free(), whatever the exit code. */
int cli_text_read(cli_text *text, const cli_session *session, const char *path);
void cli_text_free(cli_text *text, const cli_session *session);

/* Adds "folder", if the documents are files of one: its full path, for links. */
void cli_text_add_folder(json_t *object, const cli_text *text);

/* Warns of documents without any term; corpus: their names, where known. */
void cli_text_warn_empty(const cli_session *session, const ch_corpus *corpus, int64_t empty);

/* Refuses a table of texts that is about to be read as a matrix because --text-column is missing.
 * Returns EXIT_DONE for all other files. */
int cli_text_refuse_table(const cli_session *session, const char *path);

/* Counts function words, which a list of stop words would leave out; zero it before. */
typedef struct cli_stop_count {
    int64_t stop, all;
    char some[80];       /* some of these words, separated by commas */
    int64_t led, topics; /* topics that function words lead; all topics */
    char names[80];      /* some of these topics */
} cli_stop_count;
void cli_stop_count_add(cli_stop_count *count, const char *word);
/* Counts a topic: with a function word as its name or as two of its first three words. */
void cli_stop_count_topic(cli_stop_count *count, const char *name, const char *const *words,
                          int64_t listed);
/* Suggests --stop-words if more than a quarter of the words, or the leading words of a topic, are
 * function words. */
void cli_text_hint_stop_words(const cli_session *session, const cli_text *text,
                              const cli_stop_count *count);

/* Warns if the folder of results holds other texts. */
void cli_text_warn_folder(const cli_session *session, const char *folder);
/* Refuses a folder with the results of 'topics' or 'exemplars', unless they are those of this
 * command: mine is the file that only this command writes. NULL is allowed. */
int cli_text_own_folder(const char *folder, const char *mine);
