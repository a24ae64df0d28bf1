/* Documents with classes, as `reproduce exemplars` reads them from the data folder. */
#pragma once

#include "common/command.h"
#include <conehull/matrix.h>

typedef struct repro_corpus {
    ch_matrix X;      /* counts: a column is a document                                       */
    ch_matrix unit;   /* the same with columns of length 1: for cosines                       */
    int32_t *classes; /* per column, from 0                                                   */
} repro_corpus;

/* folder/name.mtx.gz and folder/name.labels. Complains itself; free in any case. */
int repro_corpus_read(repro_corpus *corpus, const cli_session *session, const char *folder,
                      const char *name);
void repro_corpus_free(repro_corpus *corpus, const cli_session *session);

/* kept[]: those of columns[0 .. count) whose cosine with every one kept before is at most `most`.
 * Returns how many. */
int64_t repro_corpus_clean(int64_t *kept, const repro_corpus *corpus, const int64_t *columns,
                           int64_t count, double most);
