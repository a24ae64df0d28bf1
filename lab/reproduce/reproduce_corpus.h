/* Documents with classes, as `reproduce exemplars` reads them from the data folder. */
#pragma once

#include "common/command.h"
#include <conehull/matrix.h>

typedef struct repro_corpus {
    ch_matrix X;      /* counts: a column is a document                 */
    ch_matrix unit;   /* X with columns scaled to length 1, for cosines */
    int32_t *classes; /* per column, from 0                             */
} repro_corpus;

/* Reads folder/name.mtx.gz and folder/name.labels. Prints errors and returns the exit code. The
 * caller must call repro_corpus_free(), whatever the exit code. */
int repro_corpus_read(repro_corpus *corpus, const cli_session *session, const char *folder,
                      const char *name);
void repro_corpus_free(repro_corpus *corpus, const cli_session *session);

/* Sets kept[] to those of columns[0 .. count) whose cosine with every column kept before is at most
 * `most`. Returns their number. */
int64_t repro_corpus_clean(int64_t *kept, const repro_corpus *corpus, const int64_t *columns,
                           int64_t count, double most);
