/* What the parts of `conehull bench` share.
 *
 * A ratio compares two works on the same data in one run: they take turns, so that whatever else
 * the machine does hits both, and the ratio is that of their least times. How much it moves from
 * turn to turn is told beside it. */
#ifndef CONEHULL_RATIO_H
#define CONEHULL_RATIO_H

#include "common/command.h"
#include <conehull/matrix.h>
#include <jansson.h>

enum { RATIO_TURNS_LEAST = 5, RATIO_TURNS_MOST = 99 };

typedef struct ratio_run {
    cli_session *session;
    const char *data; /* folder with real data, or NULL: data are made         */
    int quick;
    int turns;
    int threads;
} ratio_run;

typedef struct ratio_row ratio_row;
struct ratio_row {
    const char *name;    /* its key: "rpca_over_robust_xray"                       */
    const char *meaning; /* a sentence                                             */
    /* {"ratio", ...} of ratio_take_turns(), or {"ratio": null, "status": "not present", "why"}.
     * Complains itself and returns the exit code. */
    int (*measure)(json_t **object, const ratio_row *row, const ratio_run *run);
};

/* Ends with a row without name. */
extern const ratio_row ratio_rows[];

int ratio_rpca(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_rpca_full(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_two_threads(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_smrs(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_admm(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_select(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_admm_loose(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_sklearn(json_t **object, const ratio_row *row, const ratio_run *run);
int ratio_sklearn_weights(json_t **object, const ratio_row *row, const ratio_run *run);

/* ---- turns ---- */

typedef struct ratio_time {
    double wall, processor; /* seconds */
} ratio_time;

typedef struct ratio_work {
    const char *what;
    /* Runs once and tells how long it took. Complains itself and returns the exit code. */
    int (*run)(void *user, ratio_time *time);
    void *user;
} ratio_work;

/* Both works in turn, run->turns times: {"ratio", "noise", "turns", "threads", "above", "below"}.
 * units: how often the work below counts. */
int ratio_take_turns(json_t **object, const ratio_row *row, const ratio_run *run,
                     const ratio_work *above, const ratio_work *below, double units);

/* Around a work: seconds of all of it, by the clock and of this program's processors. */
ratio_time ratio_start(void);
ratio_time ratio_stop(ratio_time start);

/* The exit code of a call of the library; complains. */
int ratio_code(const ratio_run *run, ch_status status);

/* {"ratio": null, "status": "not present", "why"}; NULL without memory. */
json_t *ratio_not_present(const char *why);

/* Puts "data" (in words) and "details" (taken over, or NULL) into the object. */
void ratio_describe(json_t *object, const char *data, json_t *details);

/* ---- documents ---- */

/* Counts, terms x documents, CSC. */
typedef struct ratio_documents {
    ch_matrix X;
    char data[120]; /* in words */
    double *values; /* of made ones */
    int32_t *row;
    int64_t *start;
} ratio_documents;

/* "bbc" or "reuters10" of the data, every fourth document with --quick; without data made ones.
 * Complains itself and returns the exit code; close in any case. */
int ratio_documents_open(ratio_documents *documents, const ratio_run *run, const char *name);
void ratio_documents_close(ratio_documents *documents, const ratio_run *run);

#endif
