/* Which loop an x86-64 processor gets. */
#include "app/residual_share.h"
#include "linalg/linalg.h"

chi_residual_share chi_residual_share_get(void) {
    return chi_processor_level() >= 2 ? chi_residual_share_avx2 : chi_residual_share_portable;
}
