/* Which loop a processor without special code gets. */
#include "baseline/median/median.h"

chi_count_below chi_count_below_get(void) {
    return chi_count_below_portable;
}
