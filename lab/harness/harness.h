/* How conehull bench measures.
 *
 * Works take turns in one run, so that other programs on the machine disturb all of them equally.
 * Two works give a ratio, that of their smallest times; the smallest, median and largest ratio of
 * single turns are reported with it. A ratio is one record. It is printed as soon as it is known,
 * and becomes a row of bench.csv and an object of bench.json.
 *
 *     bench_work above = {"robust PCA", separate, &rpca}, below = {"RobustXray", separate, &xray};
 *     bench_record record;
 *     code = bench_compare(run, &record, &above, &below, 1);
 *     if (code == EXIT_DONE) {
 *         snprintf(record.data, sizeof record.data, "Lobby, 200 frames");
 *         code = bench_add(run, &record);
 *     } */
#pragma once

#include "common/command.h"
#include "lab.h"
#include <jansson.h>
#include <stdio.h>

enum { BENCH_TURNS_LEAST = 5, BENCH_TURNS_MOST = 99, BENCH_TEXT = 120 };

typedef struct bench_run bench_run;

/* A row of the table of `conehull bench NAME` (bench_table.c). */
typedef struct bench_entry {
    const char *name;    /* NAME, and the key of the entry in the JSON */
    const char *meaning; /* what is measured, as a sentence */
    /* Adds the records of the entry to the run. Prints errors and returns the exit code. */
    int (*measure)(bench_run *run);
    /* 1: the entry has one ratio, whose record is its JSON object; `conehull bench` without a NAME
     * measures these entries. The JSON object of other entries has a list "records" and the members
     * that they add by bench_set(). */
    int single;
} bench_entry;

struct bench_run {
    cli_session *session;
    const char *data;   /* folder with real data; NULL: data are generated */
    const char *folder; /* folder for charts; NULL: no charts */
    int quick, turns, threads;
    /* 1: ratios are of processor times, which other programs hardly affect; 0: of elapsed times */
    int by_processor;
    const bench_entry *entry; /* the current entry */
    json_t *object;           /* JSON of the current entry so far */
    FILE *table;              /* the stream of bench.csv */
    struct bench_file *files; /* further files for the folder */
    lab_machine machine;
    int printed;                   /* whether text was printed */
    char printed_data[BENCH_TEXT]; /* `data` of the last record that was printed */
};

/* ---- turns ---- */

typedef struct bench_time {
    double wall, processor; /* seconds */
} bench_time;

typedef struct bench_work {
    const char *what; /* description as text */
    /* Runs the work once. *time becomes the time of the whole call unless the function sets it, to
     * leave out a part or to report the times of another program. Prints errors and returns the
     * exit code. */
    int (*run)(void *user, bench_time *time);
    void *user;
} bench_work;

typedef struct bench_series {
    char what[BENCH_TEXT];
    int turns;
    double wall[BENCH_TURNS_MOST], processor[BENCH_TURNS_MOST]; /* per turn */
} bench_series;

/* Runs every work once per turn, in rotating order, for run->turns turns. Returns the exit code. */
int bench_take_turns(const bench_run *run, bench_series *series, const bench_work *works,
                     int count);

/* For works that leave out a part: bench_now() returns the current time, bench_since() the time
 * since `start`; both elapsed and processor time. */
bench_time bench_now(void);
bench_time bench_since(bench_time start);

typedef struct bench_span {
    double min, median, max;
} bench_span;

bench_span bench_span_of(const double *values, int count);

/* ---- records ---- */

typedef struct bench_side {
    char what[BENCH_TEXT];
    bench_span wall;
    double processor; /* smallest processor time of a turn */
} bench_side;

typedef struct bench_record {
    char name[BENCH_TEXT]; /* name of the record in its entry; "" if it is the only one */
    char data[BENCH_TEXT]; /* description of the data as text */
    double ratio, processor_ratio;
    bench_span noise; /* ratios of single turns */
    int turns, threads;
    double units; /* factor of the time of `below`: ratio = above / (units below) */
    bench_side above, below;
    double bytes;             /* number of bytes that both sides read once; 0: not reported */
    double at_most, at_least; /* required bounds of the ratio; 0: none */
    json_t *details;          /* bench_add() takes ownership; or NULL */
    /* reason why it could not be measured; then the other members are empty */
    const char *absent;
} bench_record;

/* Returns the record of two series; units is the factor of the times of `below`. */
bench_record bench_ratio(const bench_run *run, const bench_series *above, const bench_series *below,
                         double units);
/* Runs two works in turns and sets *record to their ratio; units is the factor of the time of
 * `below`. Returns the exit code. */
int bench_compare(const bench_run *run, bench_record *record, const bench_work *above,
                  const bench_work *below, double units);
bench_record bench_absent(const char *name, const char *why);

/* Prints the record, unless JSON is requested, and stores it. Returns the exit code. */
int bench_add(bench_run *run, bench_record *record);

/* A ratio of two of several series, which are given by their indices. */
typedef struct bench_pair {
    const char *name;
    int above, below;
    double at_most, at_least; /* required bounds of the ratio; 0: none */
    double units;             /* factor of the time of `below`; 0 means 1 */
} bench_pair;

/* Adds a record for each of pairs[0 .. count), all for the same data. Returns the exit code. */
int bench_add_pairs(bench_run *run, const bench_series *series, const bench_pair *pairs, int count,
                    const char *data);

/* Adds a member to the JSON of the current entry, which must not be single. Takes ownership of
 * value. Returns the exit code. */
int bench_set(bench_run *run, const char *key, json_t *value);

/* ---- files ---- */

/* A file that an entry writes, such as a chart. */
typedef struct bench_file {
    struct bench_file *next;
    char name[BENCH_TEXT];
    char *text;
    size_t length;
} bench_file;

/* Returns a stream that becomes the file `name` in the folder of the run when bench_file_close()
 * returns EXIT_DONE, or NULL if memory is short. */
FILE *bench_file_open(bench_run *run, const char *name);
int bench_file_close(FILE *stream);
void bench_files_free(bench_file *files);

/* Writes the first line of bench.csv. */
void bench_table_head(FILE *to);

/* ---- functions for entries ---- */

/* Returns whether results are printed as text, which is so without --json. At the first call,
 * prints the description of the machine. */
int bench_prints(bench_run *run);

/* Converts the status of a library call to an exit code. Prints an error if it is a failure. */
int bench_code(const bench_run *run, ch_status status);
