/* The BLAS of a build without an external one: plain loops of src/plain_blas, which need no
 * set-up. */
#include "linalg/linalg.h"

const char *ch_blas_name(void) {
    return "plain loops";
}

const char *ch_blas_core_wanted(void) {
    return NULL;
}

ch_status chi_blas_reserve(ch_context *context) {
    (void)context;
    return CH_OK;
}
