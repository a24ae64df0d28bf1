/* Adding and removing an anchor: updates the cone, the list of anchors in the result and the role
 * of the column, and records the step for the certificate. */
#include "xray/select.h"

#include <string.h>

static void set_role(chi_data *data, int64_t j, enum chi_role role) {
    int64_t own = chi_distribution_local(&data->spread, j);
    if (own >= 0) data->role[own] = (unsigned char)role;
}

ch_status chi_append_anchor(chi_run *run, int64_t j) {
    chi_basis *basis = &run->basis;
    TRY(chi_distribution_column(&run->data.spread, basis->column, j));
    run->result->anchors[basis->cone.count] = j;
    chi_cone_append(&basis->cone, basis->column);
    basis->version++;
    set_role(&run->data, j, CHI_CHOSEN);
    return CH_OK;
}

/* Without an exterior column the dual is stored as zeros. */
static void record_step(ch_anchors_result *result, const chi_rays *rays, int64_t rows, int64_t j) {
    double *dual = result->step_dual + result->steps * rows;
    result->step_exterior[result->steps] = rays->exterior;
    result->step_anchor[result->steps] = j;
    if (rays->exterior >= 0)
        memcpy(dual, rays->d, (size_t)rows * sizeof *dual);
    else
        memset(dual, 0, (size_t)rows * sizeof *dual);
    result->steps++;
}

ch_status chi_take_anchor(chi_run *run, int64_t j) {
    if (run->set->keep_duals) record_step(run->result, &run->rays, run->basis.cone.rows, j);
    return chi_append_anchor(run, j);
}

void chi_remove_anchor(chi_run *run, int64_t k) {
    chi_basis *basis = &run->basis;
    int64_t *anchors = run->result->anchors;
    chi_exterior_forget(&run->far, k);
    set_role(&run->data, anchors[k], CHI_FREE);
    chi_cone_remove(&basis->cone, k);
    memmove(anchors + k, anchors + k + 1, (size_t)(basis->cone.count - k) * sizeof *anchors);
    basis->version++;
    run->rays.count = run->rays.used = 0;
}
