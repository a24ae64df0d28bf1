/* Which kernel table is in use. Choosing twice at the same time gives the same answer twice, so
 * one atomic pointer is all the state there is. */
#include "kernels/kernels.h"
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(const chi_kernels *) chosen;

static const chi_kernels *find(const char *name) {
    for (int t = 0; chi_kernel_tables[t]; t++) {
        const chi_kernels *table = chi_kernel_tables[t];
        if ((!name || !strcmp(name, table->name)) && table->usable()) return table;
    }
    return NULL;
}

const chi_kernels *chi_kernels_get(void) {
    const chi_kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table) return table;
    table = find(NULL);
    assert(table); /* the portable one, last of the list, is usable everywhere */
    atomic_store_explicit(&chosen, table, memory_order_release);
    return table;
}

int chi_kernels_use(const char *name) {
    const chi_kernels *table = find(name);
    if (!table) return 0;
    atomic_store_explicit(&chosen, table, memory_order_release);
    return 1;
}

const char *ch_kernel_name(void) {
    return chi_kernels_get()->name;
}

double chi_dot(const double *x, const double *y, int64_t count) {
    return chi_kernels_get()->dot(x, y, count);
}

double chi_sum_abs(const double *x, int64_t count) {
    return chi_kernels_get()->sum_abs(x, count);
}

void chi_axpy(double *y, double a, const double *x, int64_t count) {
    chi_kernels_get()->axpy(y, a, x, count);
}
