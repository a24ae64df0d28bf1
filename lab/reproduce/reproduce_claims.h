/* Claims of the paper: rows of tables, each with the rule that judges it. */
#pragma once

#include <jansson.h>

typedef enum repro_verdict {
    REPRO_HOLDS = 0,
    REPRO_DIFFERS = 1,
    REPRO_FAILS = 2,
    REPRO_NOT_RUN = 3 /* the figures that the claim needs are not available */
} repro_verdict;

enum { REPRO_MEASURED = 800 }; /* size of the text that describes the measurement */

typedef struct repro_claim {
    const char *id, *claim;
    const char *figure; /* names of its figures, separated by ", " */
    const char *rule;   /* when the claim holds and when it differs; otherwise it fails */
    repro_verdict (*judge)(char *measured, const json_t *figures);
} repro_claim;

/* A claim and its verdict. */
typedef struct repro_judgement {
    const repro_claim *claim;
    repro_verdict verdict;
    char measured[REPRO_MEASURED]; /* "" if the verdict is REPRO_NOT_RUN */
} repro_judgement;

/* Judges every claim by the figures, an object with the JSON of the available figures by their
 * names. Returns *count judgements, which the caller frees, or NULL if memory is short. */
repro_judgement *repro_judge(const json_t *figures, int *count);
/* Returns "holds", "differs", "fails" or "not run". */
const char *repro_verdict_name(repro_verdict verdict);
/* Returns {"claims": [..]}, the object of claims.json. */
json_t *repro_claims_json(const repro_judgement *judgements, int count);

/* The claims; each list ends with a row without id. */
extern const repro_claim repro_recovery_claims[], repro_exemplars_claims[], repro_video_claims[];

/* Returns "results" of a figure, or NULL. */
const json_t *repro_results(const json_t *figures, const char *figure);
