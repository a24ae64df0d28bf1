/* For any processor. */
#define NAME chi_mask_loops_portable
#include "app/mask_score_text.h"
