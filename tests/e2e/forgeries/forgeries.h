/* Result folders of small problems, changed in every way that pays, and what `verify` says. */
#pragma once

#include "result/result_folder.h"
#include "result/stored_result.h"
#include <conehull/random.h>

enum { MOST_KEPT = 2 };

/* All that a folder holds, in memory. */
typedef struct folder {
    ch_anchors_result result; /* arrays are malloc's */
    ch_anchors_settings settings;
    int64_t keep[MOST_KEPT];
    json_t *json;
} folder;

typedef struct problem {
    const char *words; /* settings                                                      */
    int given;         /* anchors given in advance, and 10 for every column of a library  */
    const char *data;  /* 'n' noisy, 't' ties, 's' sparse with empty columns; then, of weights and
                          gaps, 'r' rows, 'c' columns, 'w' entries, 'm' a mask, 'n' NaN; 'f' H in
                          single  precision, 'z' sparse; 'b' rows and columns have names */
} problem;

static inline const char *trust_of(const problem *p) {
    return p->data + 1;
}

static inline int library_of(const problem *p) {
    return p->given / 10;
}

/* A problem, its honest answer, and where folders are written. */
typedef struct bench {
    const problem *of;
    ch_context *context;
    cli_session session;
    cli_input input;
    ch_matrix library;
    ch_matrix entries;   /* weights of entries, or a mask               */
    double *row_weights; /* of `rows` and of `columns`, or NULL         */
    double *column_weights;
    const char *path;
    ch_random random;
    folder honest;
    double scale; /* sum over the columns of what errors are relative to, at least            */
} bench;

int64_t below(bench *b, int64_t count);
/* Weights and masks of the bench into settings. */
void bench_trust(const bench *b, ch_anchors_settings *settings);
/* An honest folder of these settings; 0: there is no such run. */
int folder_find(folder *made, const bench *b, const ch_anchors_settings *settings);
folder folder_copy(const folder *from);
void folder_free(folder *f);
/* result.json as a run of the folder's settings that found its result writes it. */
void folder_restate(folder *f, const bench *b);
void folder_write(const folder *f, const bench *b);
/* The objective as H has it, which `verify` tells a forger whatever it thinks of the rest. */
void folder_take_objective(folder *f, const bench *b);
/* W of the anchors and the best H for them, with all numbers that follow from it. */
void folder_refit(folder *f, const bench *b);

/* Ways to forge; 0: not possible here. */
typedef struct forgery {
    const char *name;
    int (*apply)(bench *b, folder *f);
} forgery;
extern const forgery forgeries[];
extern const int forgery_count;
