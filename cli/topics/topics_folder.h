/* The folder of `conehull topics -o`, read back for new documents. */
#pragma once

#include "text/text_input.h"
#include <conehull/topics.h>

/* The data for ch_topics_project(), and names. `topics` borrows its arrays from the rest. */
typedef struct topics_stored {
    ch_topics topics;
    ch_text_list terms;
    json_t *json;
    ch_matrix topic_word, idf;
} topics_stored;

/* Returns whether path is such a folder. */
int topics_is_folder(const char *path);

/* Reads the folder. Prints errors and returns the exit code. The caller must call
 * topics_stored_free(), whatever the exit code. */
int topics_read(topics_stored *stored, const cli_session *session, const char *path);
void topics_stored_free(topics_stored *stored, const cli_session *session);

/* Returns the settings with which the documents of the topics were read. Prints an error and
 * returns EXIT_USAGE if they were not raw text. */
int topics_text_settings(ch_corpus_settings *settings, const topics_stored *stored,
                         const cli_session *session, const char *path);

/* Returns the name of topic z. */
const char *topics_name(const topics_stored *stored, int64_t z);

/* new_documents.c: computes the topics of the documents NEW, from the folder of `conehull topics`
 * that the second operand names, and writes them to the folder `output`. encoding: that of NEW;
 * NULL: that of the documents of the topics. Prints an error and returns the exit code. */
int topics_project(const cli_session *session, cli_text *text, const char *output,
                   const char *encoding);
