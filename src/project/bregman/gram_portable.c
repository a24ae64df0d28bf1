/* chi_gram for any processor. */
#define LANES 2
#define NAME chi_gram_portable
#include "project/bregman/gram_vector.h"
