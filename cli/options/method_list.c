/* Names of methods with commas between them, each once. */
#include "options/method_list.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include "options/suggest.h"
#include <stdio.h>
#include <string.h>

static int refuse(const char *name, const char *const *choices, const char *command) {
    char known[512] = "";
    int count = 0;
    for (size_t used = 0; choices[count]; used = strlen(known), count++)
        snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", choices[count]);
    const char *guess = cli_closest(name, choices, count);
    cli_complain("%s: --method must be one or several of %s, with commas between them; got "
                 "'%s'%s%s%s",
                 command, known, name, guess ? "; did you mean " : "", guess ? guess : "",
                 guess ? "?" : "");
    return EXIT_USAGE;
}

static int is_among(const int *methods, int count, int method) {
    for (int i = 0; i < count; i++)
        if (methods[i] == method) return 1;
    return 0;
}

int cli_method_list(int *methods, int *count, const char *text, const ch_settings_table *table,
                    const char *command) {
    const ch_setting *row = ch_settings_find(table, "method");
    *count = 0;
    for (const char *at = text ? text : row->choices[(int)row->initial];; at++) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int method = 0;
        while (row->choices[method] && strcmp(row->choices[method], name) != 0) method++;
        if (!row->choices[method]) return refuse(name, row->choices, command);
        if (is_among(methods, *count, method)) {
            cli_complain("%s: --method names %s twice", command, name);
            return EXIT_USAGE;
        }
        methods[(*count)++] = method;
        at += length;
        if (!*at) return EXIT_DONE;
    }
}
