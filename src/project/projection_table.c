/* The projections and when each applies. To add one: a file, a row here, a test row, a docs page.
 */
#include "project/cone.h"

#include <conehull/anchors.h>

/* One row per pair of settings that has a projection. */
static const struct entry {
    int loss, projection;
    const chi_projection *solver;
} table[] = {
    {CH_LOSS_L1, CH_PROJECTION_AUTO, &chi_nnlad_exact},
    {CH_LOSS_L1, CH_PROJECTION_EXACT, &chi_nnlad_exact},
    {CH_LOSS_L1, CH_PROJECTION_ADMM, &chi_nnlad_admm},
    {CH_LOSS_L2, CH_PROJECTION_AUTO, &chi_nnls_active},
    {CH_LOSS_L2, CH_PROJECTION_EXACT, &chi_nnls_active},
    {CH_LOSS_L2, CH_PROJECTION_CD, &chi_nnls_cd},
    {CH_LOSS_KL, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_KL, CH_PROJECTION_CD, &chi_bregman},
    {CH_LOSS_IS, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_IS, CH_PROJECTION_CD, &chi_bregman},
    {CH_LOSS_BETA, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_BETA, CH_PROJECTION_CD, &chi_bregman},
    {CH_LOSS_LOGISTIC, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_LOGISTIC, CH_PROJECTION_CD, &chi_bregman},
    {CH_LOSS_CUSTOM, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_CUSTOM, CH_PROJECTION_CD, &chi_bregman},
};

static int applicable(const struct entry *entry, int loss, int projection) {
    return entry->loss == loss && entry->projection == projection;
}

const chi_projection *chi_projection_find(int loss, int projection) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (applicable(&table[i], loss, projection)) return table[i].solver;
    return NULL;
}
