/* Copies structs that begin with their own size from and to callers. */
#include "base/sized.h"
#include <stdio.h>
#include <string.h>

/* No struct of any version is larger than this, so a larger size was never set. */
enum { LARGEST = 1 << 16 };

static size_t size_of(const void *given) {
    return *(const size_t *)given;
}

ch_status chi_sized_check(ch_context *context, const void *given, const char *name) {
    if (!given) return chi_fail(context, CH_ERR_ARGUMENT, "%s must not be NULL", name);
    if (size_of(given) >= sizeof(size_t) && size_of(given) <= LARGEST) return CH_OK;
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "the field size of %s is not set; begin with the function that sets its "
                    "defaults, or with {.size = sizeof(%s)}",
                    name, name);
}

ch_status chi_sized_take(ch_context *context, void *own, size_t size, const void *given,
                         const char *name) {
    TRY(chi_sized_check(context, given, name));
    size_t theirs = size_of(given), both = theirs < size ? theirs : size;
    for (size_t i = size; i < theirs; i++)
        if (((const unsigned char *)given)[i])
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s has a field at byte %zu that this version of the library does not "
                            "know; the program was built for a later version",
                            name, i);
    memcpy(own, given, both);
    memcpy(own, &size, sizeof size);
    return CH_OK;
}

ch_status chi_settings_take(ch_context *context, void *own, const ch_settings_table *table,
                            const void *given) {
    char name[64];
    snprintf(name, sizeof name, "ch_%s_settings", table->name);
    ch_settings_defaults(table, own, table->size);
    if (!given) return CH_OK;
    TRY(chi_sized_take(context, own, table->size, given, name));
    return ch_settings_check(context, table, own);
}

void chi_result_give(void *result, const void *own, size_t size) {
    size_t theirs = size_of(result), both = theirs < size ? theirs : size;
    memcpy((char *)result + sizeof theirs, (const char *)own + sizeof theirs, both - sizeof theirs);
    memset((char *)result + both, 0, theirs - both);
}

void chi_result_clear(void *result) {
    size_t size = size_of(result);
    if (size > sizeof size) memset((char *)result + sizeof size, 0, size - sizeof size);
}
