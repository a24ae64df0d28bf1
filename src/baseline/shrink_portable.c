/* For any processor. */
#define TABLE chi_shrink_portable
#include "baseline/shrink_loops.h"
