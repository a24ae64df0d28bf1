/* Which Gram kernel an x86-64 processor gets. */
#include "project/bregman/gram.h"

chi_gram chi_gram_pick(int level) {
    return level >= 2 ? chi_gram_avx2 : chi_gram_portable;
}
