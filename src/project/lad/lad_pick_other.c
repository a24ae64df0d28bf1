/* Which solver a processor without special code gets. */
#include "project/lad/lad.h"

chi_lad_solver chi_lad_pick(int level) {
    (void)level;
    return chi_lad_solve_portable;
}
