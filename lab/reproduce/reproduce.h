/* Declarations shared by the files of `conehull reproduce`.
 *
 * A figure of the paper is divided into units (one data set, one split, one parameter of one
 * method). The result of a unit is a JSON value that depends, except for times, on its key alone.
 * It is stored in the folder as soon as it is known, so a run that was stopped can be resumed. The
 * results of all units give the JSON of the figure, from which table, picture, page and claims are
 * made. */
#pragma once

#include "common/command.h"
#include <jansson.h>
#include <stdio.h>

typedef struct repro_run {
    cli_session *session;
    const char *folder;
    int quick;
    int64_t seed;
    /* number of data sets per level, or of splits; 0: the default of the figure */
    int64_t runs;
    /* number of data sets or splits for slow methods; 0: one if quick, else all */
    int64_t slow;
    const char *data; /* folder with the paper's documents and videos, or NULL */
} repro_run;

typedef struct repro_figure repro_figure;
struct repro_figure {
    const char *name;       /* name of its files: "video-lobby"      */
    const char *experiment; /* the word of the command line: "video" */
    const char *title;
    const void *plan; /* plan, whose type depends on the kind of figure */
    /* required files and folders in the data folder, ended by NULL; or NULL */
    const char *const *needs;
    const char *source; /* where they come from, as text */
    /* count() returns the number of units. key() writes the key of a unit, which names everything
     * that its result depends on. */
    int (*count)(const repro_figure *figure, const repro_run *run);
    void (*key)(char *key, size_t size, const repro_figure *figure, const repro_run *run, int unit);
    /* open() reads the data that units share; *state is NULL if there are none. close() frees them
     * and accepts NULL. */
    int (*open)(void **state, const repro_figure *figure, const repro_run *run);
    void (*close)(void *state, const repro_run *run);
    /* Computes the result of a unit. Prints errors and returns the exit code. */
    int (*compute)(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                   int unit);
    /* Returns {"settings": .., "results": ..} from the results of all units. */
    json_t *(*settle)(const repro_figure *figure, const repro_run *run, json_t *const *values);
    /* Write the table and the picture from the JSON of the figure alone. */
    void (*table)(FILE *to, const json_t *object);
    void (*picture)(FILE *to, const json_t *object);
    const char *caption;
    int beyond; /* 1: the paper has no such figure; not part of `all` */
};

/* All figures; the list ends with a row without name. */
extern const repro_figure repro_figures[];

/* Returns whether a slow method is left out of data set or split `number`, from 0. */
int repro_left_out(const repro_run *run, int64_t number);
/* Returns whether a word of the command line selects this figure: the name of its experiment, its
 * own name, or "all", which selects all figures of the paper. */
int repro_wanted(const repro_figure *figure, const char *word);
/* Returns the first of figure->needs that is not in the data folder, or NULL. */
const char *repro_missing(const repro_figure *figure, const repro_run *run);

/* ---- kinds of figures: functions for the rows of repro_figures ---- */

int recovery_count(const repro_figure *figure, const repro_run *run);
void recovery_key(char *key, size_t size, const repro_figure *figure, const repro_run *run,
                  int unit);
int recovery_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                     int unit);
json_t *recovery_settle(const repro_figure *figure, const repro_run *run, json_t *const *values);
void recovery_table(FILE *to, const json_t *object);
void recovery_picture(FILE *to, const json_t *object);
extern const struct recovery_plan recovery_l1, recovery_is, recovery_kl;
extern const struct recovery_plan selectors_sparse, selectors_two_sided, selectors_outliers;
extern const struct recovery_plan selectors_exponential, selectors_poisson, selectors_gaussian;

int exemplars_count(const repro_figure *figure, const repro_run *run);
void exemplars_key(char *key, size_t size, const repro_figure *figure, const repro_run *run,
                   int unit);
int exemplars_open(void **state, const repro_figure *figure, const repro_run *run);
void exemplars_close(void *state, const repro_run *run);
int exemplars_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                      int unit);
json_t *exemplars_settle(const repro_figure *figure, const repro_run *run, json_t *const *values);
void exemplars_table(FILE *to, const json_t *object);
void exemplars_picture(FILE *to, const json_t *object);
extern const struct exemplars_plan exemplars_reuters, exemplars_bbc;

int video_count(const repro_figure *figure, const repro_run *run);
void video_key(char *key, size_t size, const repro_figure *figure, const repro_run *run, int unit);
int video_open(void **state, const repro_figure *figure, const repro_run *run);
void video_close(void *state, const repro_run *run);
int video_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                  int unit);
json_t *video_settle(const repro_figure *figure, const repro_run *run, json_t *const *values);
void video_table(FILE *to, const json_t *object);
void video_picture(FILE *to, const json_t *object);
extern const struct video_plan video_restaurant, video_hall, video_lobby;

/* ---- stored results ---- */

typedef struct repro_store {
    json_t *units; /* results by their keys */
    int file;      /* descriptor of units.jsonl, positioned at its end */
} repro_store;

/* Reads the results that earlier runs of the same build on the same processor stored in the folder.
 * Prints errors and returns the exit code. */
int repro_store_open(repro_store *store, const repro_run *run);
/* Stores a result in memory and on disk. An incomplete last line is ignored when the file is
 * read. */
int repro_store_add(repro_store *store, const char *key, json_t *value);
void repro_store_close(repro_store *store);

/* ---- running ---- */

/* Computes the units that are not in the store, then sets *object to the JSON of the figure.
 * Returns the exit code. */
int repro_figure_run(json_t **object, const repro_figure *figure, const repro_run *run,
                     repro_store *store);

/* ---- claims and page ---- */

/* The results of a run: the JSON of the available figures, by their names, and the claims as judged
 * by them. */
typedef struct repro_answer {
    json_t *figures;
    struct repro_judgement *judgements;
    int count;
} repro_answer;

/* Writes figures, claims and page to the folder, all or nothing. Prints errors and returns the exit
 * code. */
int repro_write(const repro_run *run, const repro_answer *answer);
/* Writes report.html; `answer` is a repro_answer. */
void repro_page(FILE *to, const void *answer);

/* ---- reading JSON ---- */

double repro_real(const json_t *object, const char *name);
const char *repro_text(const json_t *object, const char *name);
/* Copies the numbers of a list to values, which has space for `room`; entries that are not numbers
 * become NaN. Returns the number of values, at most room. */
int repro_list(double *values, int room, const json_t *list);
/* Returns the row of the list object[list] whose "name" is `name`, or NULL. */
const json_t *repro_row(const json_t *object, const char *list, const char *name);
/* repro_mean() returns the mean of the values that are not NaN, repro_sd() their sample standard
 * deviation, 0 for fewer than two. */
double repro_mean(const double *values, int count);
double repro_sd(const double *values, int count);
