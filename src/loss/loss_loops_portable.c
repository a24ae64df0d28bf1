/* The loops for any processor. */
#define LANES 2
#define TABLE chi_loss_loops_portable
#include "loss/loss_vector.h"
