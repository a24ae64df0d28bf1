/* For any processor. */
#define TABLE chi_shrink_portable
#include "baseline/decompose/shrink_loops.h"
