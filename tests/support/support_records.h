/* A checkpoint in memory (conehull/checkpoint.h). */
#pragma once

#include "support.h"
#include <conehull/checkpoint.h>

enum { SUPPORT_RECORDS = 1000 }; /* at most */

typedef struct support_records {
    ch_checkpoint table;
    struct {
        int kind;
        int64_t count;
        unsigned char *bytes;
    } record[SUPPORT_RECORDS];
    int count, taken, added;
} support_records;

void support_records_begin(support_records *m);
/* The first count records of another. */
void support_records_from(support_records *m, const support_records *other, int count);
/* Frees all but the first count. */
void support_records_cut(support_records *m, int count);
