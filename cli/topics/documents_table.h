/* documents.csv: the strongest topic of every document; document_topics.csv: all shares. */
#pragma once

#include "common/output_folder.h"
#include <conehull/corpus.h>

/* The data of the table. Topics are numbered from 1, as on the page. */
typedef struct topics_documents {
    int64_t documents, rank;
    const double *document_topic;   /* documents x rank, column-major                      */
    const ch_text_list *names;      /* of the documents; count 0: they are numbered from 0 */
    const char *const *topic_names; /* rank                                                */
    const int64_t *known, *unknown; /* number of words of each that are terms, and that are not;
                                       NULL: no such columns */
    const char *few; /* 1: less than a third of its words are terms; NULL with `known` */
} topics_documents;

/* Returns the topic with the largest share of a document, or -1. */
int64_t topics_strongest(const topics_documents *of, int64_t document);

/* A cli_writer, of a topics_documents: document, topic, topic_name, share, and with `known` also
 * known_words and unknown_words. */
void topics_write_documents(FILE *to, const void *documents);
/* A cli_writer, of a topics_documents: document, and the share of every topic. */
void topics_write_shares(FILE *to, const void *documents);
/* Writes both, as documents.csv and document_topics.csv; the latter up to 2,000,000 shares. */
int topics_write_tables(cli_folder *folder, const topics_documents *documents);
