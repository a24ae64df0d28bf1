/* Which loop an x86-64 processor gets. */
#include "linalg/linalg.h"
#include "video/separate/residual_share.h"

chi_residual_share chi_residual_share_get(void) {
    return chi_processor_level() >= 2 ? chi_residual_share_avx2 : chi_residual_share_portable;
}
