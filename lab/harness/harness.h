/* How everything is measured here.
 *
 * Works take turns in one run, so that whatever else the machine does hits all of them. Two works
 * make a ratio: that of their least times, beside the least, median and largest ratio of a single
 * turn. A ratio is one record; it is printed as soon as it is there, and is a row of bench.csv and
 * an object of bench.json.
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
    const char *name;    /* NAME, and its key in the JSON                                   */
    const char *meaning; /* a sentence                                                      */
    /* Adds its records to the run. Complains itself and returns the exit code. */
    int (*measure)(bench_run *run);
    /* One ratio, whose record is the entry's JSON; `conehull bench` alone measures these. The
     * others have a list "records", and what they add by bench_set(). */
    int single;
} bench_entry;

struct bench_run {
    cli_session *session;
    const char *data;   /* folder with real data, or NULL: data are made          */
    const char *folder; /* folder for charts, or NULL: none are wanted            */
    int quick, turns, threads;
    int by_processor; /* times are of our processors, whatever runs beside, not of the clock */
    const bench_entry *entry; /* what is measured now                                   */
    json_t *object;           /* its JSON so far                                        */
    FILE *table;              /* bench.csv so far                                       */
    struct bench_file *files; /* that go beside it                                      */
    lab_machine machine;
    int printed;                   /* whether anything was                                */
    char printed_data[BENCH_TEXT]; /* of the last record                                */
};

/* ---- turns ---- */

typedef struct bench_time {
    double wall, processor; /* seconds */
} bench_time;

typedef struct bench_work {
    const char *what; /* in words */
    /* Runs once. *time is the time of the whole call unless the work sets it: to leave something
     * out, or to the times that another program reports. Complains itself, returns the exit code.
     */
    int (*run)(void *user, bench_time *time);
    void *user;
} bench_work;

typedef struct bench_series {
    char what[BENCH_TEXT];
    int turns;
    double wall[BENCH_TURNS_MOST], processor[BENCH_TURNS_MOST]; /* turn by turn */
} bench_series;

/* Every work once per turn, in rotation, run->turns times. */
int bench_take_turns(const bench_run *run, bench_series *series, const bench_work *works,
                     int count);

/* For works that leave something out: seconds since start, by the clock and of our processors. */
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
    double processor; /* the least */
} bench_side;

typedef struct bench_record {
    char name[BENCH_TEXT]; /* among those of the entry; "" for a single one                      */
    char data[BENCH_TEXT]; /* in words                                                         */
    double ratio, processor_ratio;
    bench_span noise; /* of the ratios of single turns                                         */
    int turns, threads;
    double units; /* how often the side below counts                                          */
    bench_side above, below;
    double bytes;             /* that both sides read once; 0: not of interest                 */
    double at_most, at_least; /* what the ratio is held to; 0: nothing                         */
    json_t *details;          /* taken over by bench_add(), or NULL                            */
    const char *absent;       /* why it could not be measured here; all else is empty then     */
} bench_record;

/* Of two series; units: how often the series below counts. */
bench_record bench_ratio(const bench_run *run, const bench_series *above, const bench_series *below,
                         double units);
/* Two works in turn, and their ratio; units as above. Returns the exit code. */
int bench_compare(const bench_run *run, bench_record *record, const bench_work *above,
                  const bench_work *below, double units);
bench_record bench_absent(const char *name, const char *why);

/* Prints the record, unless JSON is requested, and stores it. Returns the exit code. */
int bench_add(bench_run *run, bench_record *record);

/* A ratio of two of several series. */
typedef struct bench_pair {
    const char *name;
    int above, below;
    double at_most, at_least; /* as in the record                                              */
    double units;             /* 0: 1                                                          */
} bench_pair;

/* A record for each of pairs[0 .. count), all of the same data. */
int bench_add_pairs(bench_run *run, const bench_series *series, const bench_pair *pairs, int count,
                    const char *data);

/* Puts more into the JSON of an entry that is not single; value is taken over. */
int bench_set(bench_run *run, const char *key, json_t *value);

/* ---- files ---- */

/* One that an entry makes, such as a chart. */
typedef struct bench_file {
    struct bench_file *next;
    char name[BENCH_TEXT];
    char *text;
    size_t length;
} bench_file;

/* A stream that becomes the file `name` in the folder of the run when bench_file_close() returns
 * EXIT_DONE. NULL without memory. */
FILE *bench_file_open(bench_run *run, const char *name);
int bench_file_close(FILE *stream);
void bench_files_free(bench_file *files);

/* The first line of bench.csv. */
void bench_table_head(FILE *to);

/* ---- what entries share ---- */

/* Whether text for people goes to stdout: no --json. Before the first text it prints what machine
 * this is. */
int bench_prints(bench_run *run);

/* The exit code of a call of the library; complains. */
int bench_code(const bench_run *run, ch_status status);
