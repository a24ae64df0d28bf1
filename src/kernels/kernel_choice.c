/* The choice of the kernel set of a context, and the list of all sets for users. */
#include "kernels/kernels.h"
#include <stdio.h>
#include <string.h>

static const chi_kernels *best_set(void) {
    int s = 0;
    while (!ch_kernel_usable(s)) s++; /* the last set is usable everywhere */
    return &chi_kernel_sets[s];
}

const chi_kernels *chi_kernels_of(const ch_context *context) {
    const chi_kernels *asked = chi_context_kernels(context);
    return asked ? asked : best_set();
}

/* Writes the names of all sets, or of the usable ones, as "avx2, portable". */
static void list_names(char *text, size_t size, int usable_only) {
    size_t used = 0;
    text[0] = 0;
    for (int s = 0; s < chi_kernel_set_count && used < size; s++)
        if (!usable_only || ch_kernel_usable(s))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     chi_kernel_sets[s].name);
}

ch_status ch_context_set_kernel(ch_context *context, const char *name) {
    char names[128];
    int s = 0;
    if (!name || !strcmp(name, "auto")) {
        chi_context_set_kernels(context, NULL);
        return CH_OK;
    }
    while (s < chi_kernel_set_count && strcmp(name, chi_kernel_sets[s].name)) s++;
    if (s == chi_kernel_set_count) {
        list_names(names, sizeof names, 0);
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "this build of conehull has no kernel set named \"%s\"; it has: %s", name,
                        names);
    }
    if (!ch_kernel_usable(s)) {
        list_names(names, sizeof names, 1);
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "this processor cannot run the kernel set \"%s\"; it can run: %s", name,
                        names);
    }
    chi_context_set_kernels(context, &chi_kernel_sets[s]);
    return CH_OK;
}

const char *ch_context_kernel(const ch_context *context) {
    return chi_kernels_of(context)->name;
}

const char *ch_kernel_name(int index) {
    return index >= 0 && index < chi_kernel_set_count ? chi_kernel_sets[index].name : NULL;
}

int ch_kernel_usable(int index) {
    return index >= 0 && index < chi_kernel_set_count &&
           chi_processor_level() >= chi_kernel_sets[index].level;
}
