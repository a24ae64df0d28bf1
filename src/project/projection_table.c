/* The projections, and the losses to which each applies. To add one: a file, a row here, a test
 * row, and a page of documentation. */
#include "project/cone.h"

#include <conehull/anchors.h>

/* Each row assigns a solver to a projection setting for the losses `from` to `to`. */
static const struct entry {
    int from, to, projection;
    const chi_projection *solver;
} table[] = {
    {CH_LOSS_L1, CH_LOSS_L1, CH_PROJECTION_AUTO, &chi_nnlad_exact},
    {CH_LOSS_L1, CH_LOSS_L1, CH_PROJECTION_EXACT, &chi_nnlad_exact},
    {CH_LOSS_L1, CH_LOSS_L1, CH_PROJECTION_ADMM, &chi_nnlad_admm},
    {CH_LOSS_QUANTILE, CH_LOSS_QUANTILE, CH_PROJECTION_AUTO, &chi_nnlad_exact},
    {CH_LOSS_QUANTILE, CH_LOSS_QUANTILE, CH_PROJECTION_EXACT, &chi_nnlad_exact},
    {CH_LOSS_L2, CH_LOSS_L2, CH_PROJECTION_AUTO, &chi_nnls_active},
    {CH_LOSS_L2, CH_LOSS_L2, CH_PROJECTION_EXACT, &chi_nnls_active},
    {CH_LOSS_L2, CH_LOSS_L2, CH_PROJECTION_CD, &chi_nnls_cd},
    {CH_LOSS_KL, CH_LOSS_CUSTOM, CH_PROJECTION_AUTO, &chi_bregman},
    {CH_LOSS_KL, CH_LOSS_CUSTOM, CH_PROJECTION_CD, &chi_bregman},
};

const chi_projection *chi_projection_find(int loss, int projection) {
    for (const struct entry *e = table; e < table + sizeof table / sizeof *table; e++)
        if (e->from <= loss && loss <= e->to && e->projection == projection) return e->solver;
    return NULL;
}
