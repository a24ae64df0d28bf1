/* For any processor. */
#define NAME chi_residual_share_portable
#include "video/separate/residual_share_loops.h"
