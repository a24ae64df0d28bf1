/* Which loop an x86-64 processor gets. */
#include "baseline/median/median.h"
#include "linalg/linalg.h"

chi_count_below chi_count_below_get(void) {
    return chi_processor_level() >= 2 ? chi_count_below_avx2 : chi_count_below_portable;
}
