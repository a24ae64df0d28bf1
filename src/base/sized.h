/* Public structs that begin with their own size (size_t size): settings, results and tables of
 * functions.
 *
 * A program and the library may come from different versions, and later versions may add fields at
 * the end of a struct. The size says which fields the caller's version has; the library never reads
 * or writes beyond it. Every public call works on a struct of the library's own size and uses these
 * functions to copy it from or to the caller's struct.
 *
 * New fields are added at the end. In a new field, zero must mean the behaviour of earlier
 * versions, unless the settings table has a default for it. An array that was added to a result
 * later is allocated only if the caller's size covers its field. */
#pragma once

#include "base/base.h"
#include <conehull/settings.h>

/* Copies the caller's struct to own (size bytes). Fields that the caller's version lacks keep their
 * values in own. Returns CH_ERR_ARGUMENT if given is NULL, if its size was not set, or if it is
 * larger than own and holds a non-zero field beyond it, which this library would ignore. name is
 * the type name for messages. */
CHI_SHARED ch_status chi_sized_take(ch_context *context, void *own, size_t size, const void *given,
                                    const char *name);

/* Like chi_sized_take(), for settings that a table describes. Fields that the caller's version
 * lacks get their defaults; if given is NULL, all fields get their defaults. The values of all
 * settings are checked. */
CHI_SHARED ch_status chi_settings_take(ch_context *context, void *own,
                                       const ch_settings_table *table, const void *given);

/* Returns CH_ERR_ARGUMENT if the struct is NULL or its size was not set. */
CHI_SHARED ch_status chi_sized_check(ch_context *context, const void *given, const char *name);
/* Copies own (size bytes) to result up to the caller's size. Fields that own lacks become zero. */
CHI_SHARED void chi_result_give(void *result, const void *own, size_t size);
/* Sets all members of a result except its size to zero. */
CHI_SHARED void chi_result_clear(void *result);
