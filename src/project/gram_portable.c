/* chi_gram for any processor. */
#define LANES 2
#define NAME chi_gram_portable
#include "project/gram_vector.h"
