/* Which loops an x86-64 processor gets. */
#include "loss/loss_loops.h"

const chi_loss_loops *chi_loss_pick(int level) {
    return level >= 2 ? chi_loss_loops_avx2 : chi_loss_loops_portable;
}
