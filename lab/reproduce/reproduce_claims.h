/* Claims: rows of tables, each with the rule that judges it. */
#ifndef CONEHULL_REPRODUCE_CLAIMS_H
#define CONEHULL_REPRODUCE_CLAIMS_H

#include <jansson.h>

typedef enum repro_verdict {
    REPRO_HOLDS = 0,
    REPRO_DIFFERS = 1,
    REPRO_FAILS = 2,
    REPRO_NOT_RUN = 3 /* its figures are not there */
} repro_verdict;

enum { REPRO_MEASURED = 800 }; /* room for what was measured, in words */

typedef struct repro_claim {
    const char *id, *claim;
    const char *figure; /* several: with ", " between */
    const char *rule;   /* what makes it hold, what makes it differ; otherwise it fails */
    repro_verdict (*judge)(char *measured, const json_t *figures);
} repro_claim;

/* Each ends with a row without id. */
extern const repro_claim repro_recovery_claims[], repro_exemplars_claims[], repro_video_claims[];

/* "results" of a figure, or NULL. */
const json_t *repro_results(const json_t *figures, const char *figure);

#endif
