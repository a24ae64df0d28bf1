/* conehull exemplars: the request, the input, the results. */
#pragma once

#include "common/output_folder.h"
#include "common/try.h"
#include "text/text_input.h"
#include <conehull/clip.h>
#include <conehull/exemplars.h>

enum { EXEMPLARS_METHODS = 10, EXEMPLARS_TERMS = 8 /* most characteristic terms of an exemplar */ };

typedef struct exemplars_arguments {
    cli_text text; /* a matrix, or raw text; the files of terms and names */
    ch_exemplars_settings settings;
    ch_anchors_settings select; /* settings of the selection */
    ch_clip_settings clip;
    const char *ranks_text, *method_text, *weight_text, *features_text;
    const char *labels_file, *folder;
    int64_t *ranks; /* increasing */
    int rank_count;
    int methods[EXEMPLARS_METHODS];
    int method_count;
} exemplars_arguments;

typedef enum exemplars_kind {
    EXEMPLARS_MATRIX = 0,
    EXEMPLARS_TEXT = 1,
    EXEMPLARS_FRAMES = 2
} exemplars_kind;

/* The columns, with their names and labels. */
typedef struct exemplars_data {
    exemplars_kind kind;
    int turned; /* 1: the columns are rows of the file */
    ch_matrix X;
    int64_t nonzeros;
    double seconds; /* reading time */
    ch_clip clip;
    ch_text_list labels, names, terms; /* of columns, columns, rows; count 0: none  */
    ch_text_list excerpts, own_labels; /* of the columns of raw text; count 0: none */
    int32_t *classes;                  /* per column, or NULL                       */
    const char **class_names;          /* sorted                                    */
    int64_t class_count;
} exemplars_data;

typedef struct exemplars_result {
    int method;
    ch_exemplars found;
    ch_exemplars_scores accuracy;
    int64_t *terms;     /* EXEMPLARS_TERMS rows of each exemplar, -1 after the last; or NULL */
    double *similarity; /* similarity of each column to its exemplar; NaN: it has none */
    double *mean; /* per exemplar: mean similarity of the other columns that it represents; NaN:
                           there are none */
} exemplars_result;

typedef struct exemplars_run {
    const cli_session *session;
    exemplars_arguments *given;
    exemplars_data data;
    exemplars_result results[EXEMPLARS_METHODS];
    /* scores of a classifier that is trained on the whole half; empty without labels */
    ch_exemplars_scores full;
    int interrupted; /* only the first methods finished; they are the result */
} exemplars_run;

/* exemplars_options.c */
void exemplars_options_describe(cli_options *options, void *arguments);
int exemplars_options_take(const cli_session *session, exemplars_arguments *given);
/* Refuses options that have no effect for this kind of input. */
int exemplars_options_fit(const cli_session *session, exemplars_kind kind);

/* exemplars_data.c: prints an error and returns the exit code; call the free function in any
 * case. */
int exemplars_data_read(const cli_session *session, exemplars_data *data,
                        exemplars_arguments *given);
void exemplars_data_free(const cli_session *session, exemplars_data *data);
/* Returns what a column is: "document", "frame", and "column" or "row" of the file of a matrix. */
const char *exemplars_noun(const exemplars_data *data);
/* Returns the number shown for an exemplar: of its column, or of its frame in the clip. */
int64_t exemplars_number(const exemplars_data *data, int64_t column);

/* exemplars_members.c: fills result->similarity, the cosine of the weighted columns, and its means.
 * Warns of exemplars that are far less similar to their columns than the others. Prints errors and
 * returns the exit code. */
int exemplars_members_measure(const exemplars_run *run, exemplars_result *result);
/* The data of members.csv, which exemplars_members_write() (a cli_writer) writes. */
typedef struct exemplars_members {
    const exemplars_data *data;
    const exemplars_result *result;
} exemplars_members;
void exemplars_members_write(FILE *to, const void *members);
/* Returns a list with the members of each exemplar, most similar first; NULL if there are many
 * columns. */
json_t *exemplars_members_json(const exemplars_data *data, const exemplars_result *result);

/* exemplars_json.c: the status of the selection on the whole data or, if that was CH_OK, in a
 * split. */
ch_status exemplars_status(const exemplars_result *result);
/* Writes the weighting used by the method to buffer (at least 16 bytes). */
const char *exemplars_weight(char *buffer, const exemplars_run *run, int method);
/* Returns the contents of result.json. */
json_t *exemplars_json(const exemplars_run *run);

/* exemplars_files.c: writes all files of the folder; adds seconds.write. */
int exemplars_write(const exemplars_run *run, json_t *json);

/* exemplars_print.c: prints the result. */
void exemplars_print(const exemplars_run *run);
