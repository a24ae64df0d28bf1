/* Which solver an x86-64 processor gets. */
#include "project/lad/lad.h"

chi_lad_solver chi_lad_pick(int level) {
    return level >= 2 ? chi_lad_solve_avx2 : chi_lad_solve_portable;
}
