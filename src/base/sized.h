/* Public structs that begin with their own size (size_t size): settings, results and tables of
 * functions.
 *
 * A program and the library may be of different versions in which such a struct has grown at its
 * end. The size says which fields the caller's version has: the library never reads or writes
 * beyond it. Every call of the interface works on a struct of the library's own size and copies it
 * from or to the caller's by these functions.
 *
 * A field that is added later stands at the end. Zero means "as before" unless the settings table
 * has a default for it. An array that a result gets later is allocated only when the caller's size
 * covers its field. */
#pragma once

#include "base/base.h"
#include <conehull/settings.h>

/* own (size bytes) = the caller's struct; fields that the caller does not have keep the values they
 * have in own. CH_ERR_ARGUMENT when given is NULL or its size was not set, or when it is larger
 * than own and holds something beyond it: a field of a later version that this library would
 * ignore. name: its type, for messages. */
CHI_SHARED ch_status chi_sized_take(ch_context *context, void *own, size_t size, const void *given,
                                    const char *name);

/* The same for settings that a table describes, and all of them checked. Fields that the caller
 * does not have get their defaults; given NULL: all do. */
CHI_SHARED ch_status chi_settings_take(ch_context *context, void *own,
                                       const ch_settings_table *table, const void *given);

/* Whether a struct can be used: CH_ERR_ARGUMENT when it is NULL or its size was not set. */
CHI_SHARED ch_status chi_sized_check(ch_context *context, const void *given, const char *name);
/* result = own (size bytes) as far as the caller's size goes; what own does not have becomes zero.
 */
CHI_SHARED void chi_result_give(void *result, const void *own, size_t size);
/* Everything but the size becomes zero. */
CHI_SHARED void chi_result_clear(void *result);
