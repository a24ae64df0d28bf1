/* What the parts of `conehull reproduce` share.
 *
 * A figure of the paper is cut into units (one data set, one split, one parameter of one method). A
 * unit's outcome is a JSON value that depends on its key alone, timings aside; it is kept in the
 * folder as soon as it is there, so a run that was stopped goes on where it was. What the units
 * found becomes the figure's JSON, and table, picture, page and claims are made of that. */
#pragma once

#include "common/command.h"
#include <jansson.h>
#include <stdio.h>

typedef struct repro_run {
    cli_session *session;
    const char *folder;
    int quick;
    int64_t seed;
    int64_t runs;     /* data sets per level, splits; 0: the figure's own number           */
    int64_t slow;     /* how many of them slow methods are tried on; 0: quick one, full all  */
    const char *data; /* folder with the paper's documents and videos, or NULL               */
} repro_run;

typedef struct repro_figure repro_figure;
struct repro_figure {
    const char *name;       /* of its files: "video-lobby"                              */
    const char *experiment; /* the word of the command line: "video"                    */
    const char *title;
    const void *plan;         /* the kind's own                                            */
    const char *const *needs; /* files and folders in the data folder, NULL at the end; or NULL */
    const char *source;       /* where they come from, for people                          */
    /* How many units; the key of one, which names everything its outcome depends on. */
    int (*count)(const repro_figure *figure, const repro_run *run);
    void (*key)(char *key, size_t size, const repro_figure *figure, const repro_run *run, int unit);
    /* What units share, read once: NULL where there is nothing. close() takes NULL too. */
    int (*open)(void **state, const repro_figure *figure, const repro_run *run);
    void (*close)(void *state, const repro_run *run);
    /* Complains itself and returns the exit code. */
    int (*compute)(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                   int unit);
    /* {"settings": .., "results": ..} of the outcomes of all units. */
    json_t *(*settle)(const repro_figure *figure, const repro_run *run, json_t *const *values);
    /* From the figure's JSON alone. */
    void (*table)(FILE *to, const json_t *object);
    void (*picture)(FILE *to, const json_t *object);
    const char *caption;
    int beyond; /* the paper has no such figure: not part of `all` */
};

/* Ends with a row without name. */
extern const repro_figure repro_figures[];

/* Whether a slow method is left out of data set or split `number`, from 0. */
int repro_left_out(const repro_run *run, int64_t number);
/* Whether a word of the command line means this figure: an experiment, a figure's name, or all,
 * which is all of the paper. */
int repro_wanted(const repro_figure *figure, const char *word);
/* The first of the figure's needs that is not in the data folder, or NULL. */
const char *repro_missing(const repro_figure *figure, const repro_run *run);

/* ---- one kind of figure each: rows of repro_figures share these ---- */

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

/* ---- outcomes that are kept ---- */

typedef struct repro_store {
    json_t *units; /* key: outcome                                                        */
    int file;      /* units.jsonl, at its end                                             */
} repro_store;

/* Reads what earlier runs of the same build on the same processor left in the folder. Complains
 * itself. */
int repro_store_open(repro_store *store, const repro_run *run);
/* Keeps an outcome, in memory and on disk; a line that was cut short is dropped when it is read. */
int repro_store_add(repro_store *store, const char *key, json_t *value);
void repro_store_close(repro_store *store);

/* ---- running ---- */

/* Units that are not in the store, then the figure's JSON. */
int repro_figure_run(json_t **object, const repro_figure *figure, const repro_run *run,
                     repro_store *store);

/* ---- claims and page ---- */

/* What a run has to show: the JSON of the figures that there are, by their names, and the claims as
 * these judge them. */
typedef struct repro_answer {
    json_t *figures;
    struct repro_judgement *judgements;
    int count;
} repro_answer;

/* Figures, claims and page into the folder, all or nothing. Complains itself. */
int repro_write(const repro_run *run, const repro_answer *answer);
/* report.html of a repro_answer. */
void repro_page(FILE *to, const void *answer);

/* ---- reading JSON ---- */

double repro_real(const json_t *object, const char *name);
const char *repro_text(const json_t *object, const char *name);
/* values[0 .. count) of a list; what is no number becomes NaN. Returns how many there are, at most
 * room. */
int repro_list(double *values, int room, const json_t *list);
/* The row of the list object[list] whose "name" is that, or NULL. */
const json_t *repro_row(const json_t *object, const char *list, const char *name);
/* Mean over what is not NaN; sd: sample standard deviation, 0 for fewer than two. */
double repro_mean(const double *values, int count);
double repro_sd(const double *values, int count);
