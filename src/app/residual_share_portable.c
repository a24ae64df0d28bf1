/* For any processor. */
#define NAME chi_residual_share_portable
#include "app/residual_share_loops.h"
