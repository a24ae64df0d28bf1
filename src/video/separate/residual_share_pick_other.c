/* Other processors get the portable loop. */
#include "video/separate/residual_share.h"

chi_residual_share chi_residual_share_get(void) {
    return chi_residual_share_portable;
}
