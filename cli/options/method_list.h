/* Options that name several methods: --method robust-xray,rpca,median. */
#ifndef CONEHULL_METHOD_LIST_H
#define CONEHULL_METHOD_LIST_H

#include <conehull/settings.h>

/* methods[0..*count) = the places of the names in `text` among the choices of the table's row
 * "method", in their order; text NULL: its default alone. methods has room for every choice.
 * Complains, as `command`, itself and returns the exit code. */
int cli_method_list(int *methods, int *count, const char *text, const ch_settings_table *table,
                    const char *command);

#endif
