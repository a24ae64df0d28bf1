/* What the paper says, in our words, each with the rule that turns the run's numbers into a
 * verdict. No verdict is written down anywhere: a rule sees the figures' JSON and nothing else. */
#include "reproduce/reproduce_claims.h"
#include "reproduce/reproduce.h"

const json_t *repro_results(const json_t *figures, const char *figure) {
    return json_object_get(json_object_get(figures, figure), "results");
}

static const repro_claim *const tables[] = {repro_recovery_claims, repro_exemplars_claims,
                                            repro_video_claims, NULL};

json_t *repro_claims(const json_t *figures) {
    static const char *const verdicts[] = {"holds", "differs", "fails", "not run"};
    json_t *list = json_array();
    for (const repro_claim *const *table = tables; *table; table++)
        for (const repro_claim *claim = *table; claim->id; claim++) {
            char measured[REPRO_MEASURED] = "";
            repro_verdict verdict = claim->judge(measured, figures);
            json_array_append_new(
                list, json_pack("{ss ss ss ss ss ss}", "id", claim->id, "claim", claim->claim,
                                "measured", verdict == REPRO_NOT_RUN ? "" : measured, "verdict",
                                verdicts[verdict], "figure", claim->figure, "rule", claim->rule));
        }
    return json_pack("{so}", "claims", list);
}
