/* Claims: rows of tables, each with the rule that judges it. */
#pragma once

#include <jansson.h>

typedef enum repro_verdict {
    REPRO_HOLDS = 0,
    REPRO_DIFFERS = 1,
    REPRO_FAILS = 2,
    REPRO_NOT_RUN = 3 /* its figures are not there */
} repro_verdict;

enum { REPRO_MEASURED = 800 }; /* size of the text that says what was measured */

typedef struct repro_claim {
    const char *id, *claim;
    const char *figure; /* several: with ", " between */
    const char *rule;   /* what makes it hold, what makes it differ; otherwise it fails */
    repro_verdict (*judge)(char *measured, const json_t *figures);
} repro_claim;

/* A claim, and what the figures say about it. */
typedef struct repro_judgement {
    const repro_claim *claim;
    repro_verdict verdict;
    char measured[REPRO_MEASURED]; /* "" when it was not run */
} repro_judgement;

/* Every claim judged by figures, which has the JSON of those that there are by their names; *count
 * of them, to be freed. NULL without memory. */
repro_judgement *repro_judge(const json_t *figures, int *count);
/* "holds", "differs", "fails", "not run" */
const char *repro_verdict_name(repro_verdict verdict);
/* {"claims": [..]}, the object of claims.json. */
json_t *repro_claims_json(const repro_judgement *judgements, int count);

/* Each ends with a row without id. */
extern const repro_claim repro_recovery_claims[], repro_exemplars_claims[], repro_video_claims[];

/* "results" of a figure, or NULL. */
const json_t *repro_results(const json_t *figures, const char *figure);
