/* For any processor. */
#define NAME chi_count_below_portable
#include "baseline/median/count_below_loops.h"
