/* What is known of the BLAS that the program runs with, and how to keep it to one thread.
 *
 * OpenBLAS 0.3.21 takes some recent processors for a Prescott and runs at a quarter of the speed;
 * the kernel it took can be asked for, and another one named in OPENBLAS_CORETYPE before the
 * program starts. The OpenBLAS calls are weak: with another BLAS they are simply absent. */
#include "linalg/linalg.h"
#include <stdio.h>
#include <string.h>

extern char *openblas_get_corename(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

static const struct {
    const char *core;
    int level; /* 1: SSE, 2: AVX2, 3: AVX-512; what is not listed counts as 1 */
} cores[] = {
    {"Haswell", 2},  {"Zen", 2},        {"Excavator", 2},
    {"SkylakeX", 3}, {"Cooperlake", 3}, {"SapphireRapids", 3},
};

static int level_of(const char *core) {
    for (size_t c = 0; c < sizeof cores / sizeof *cores; c++)
        if (!strcmp(core, cores[c].core)) return cores[c].level;
    return 1;
}

const char *ch_blas_name(void) {
    static _Thread_local char name[96];
    if (!openblas_get_config || !openblas_get_corename) return "BLAS of unknown make";
    /* The configuration reads "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...". */
    char product[32] = "OpenBLAS", version[32] = "";
    sscanf(openblas_get_config(), "%31s %31s", product, version);
    snprintf(name, sizeof name, "%s %s %s", product, version, openblas_get_corename());
    return name;
}

const char *ch_blas_core_wanted(void) {
    if (!openblas_get_corename) return NULL;
    int have = level_of(openblas_get_corename()), could = chi_processor_level();
    if (have >= could || could < 2) return NULL;
    return could == 3 ? "SkylakeX" : "Haswell";
}

void chi_blas_single_thread(void) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}
