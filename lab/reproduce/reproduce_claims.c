/* The claims of the paper, each with the rule that derives a verdict from the results of a run. No
 * verdict is stored in the program: a rule uses only the JSON of the figures. */
#include "reproduce/reproduce_claims.h"
#include <stdlib.h>

const json_t *repro_results(const json_t *figures, const char *figure) {
    return json_object_get(json_object_get(figures, figure), "results");
}

static const repro_claim *const tables[] = {repro_recovery_claims, repro_exemplars_claims,
                                            repro_video_claims, NULL};

repro_judgement *repro_judge(const json_t *figures, int *count) {
    int all = 0;
    for (const repro_claim *const *table = tables; *table; table++)
        for (const repro_claim *claim = *table; claim->id; claim++) all++;
    repro_judgement *list = calloc((size_t)all, sizeof *list), *to = list;
    if (!list) return NULL;
    for (const repro_claim *const *table = tables; *table; table++)
        for (const repro_claim *claim = *table; claim->id; claim++, to++) {
            to->claim = claim;
            to->verdict = claim->judge(to->measured, figures);
            if (to->verdict == REPRO_NOT_RUN) to->measured[0] = 0;
        }
    *count = all;
    return list;
}

const char *repro_verdict_name(repro_verdict verdict) {
    static const char *const names[] = {"holds", "differs", "fails", "not run"};
    return names[verdict];
}

json_t *repro_claims_json(const repro_judgement *judgements, int count) {
    json_t *list = json_array();
    for (const repro_judgement *j = judgements; j < judgements + count; j++)
        json_array_append_new(list, json_pack("{ss ss ss ss ss ss}", "id", j->claim->id, "claim",
                                              j->claim->claim, "measured", j->measured, "verdict",
                                              repro_verdict_name(j->verdict), "figure",
                                              j->claim->figure, "rule", j->claim->rule));
    return json_pack("{so}", "claims", list);
}
