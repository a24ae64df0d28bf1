/* For any processor. */
#define NAME chi_mask_loops_portable
#include "video/mask/mask_score_text.h"
