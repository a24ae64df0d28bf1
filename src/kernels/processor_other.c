/* A processor of which nothing is asked. */
#include "kernels/kernels.h"

int chi_processor_level(void) {
    return 1;
}
