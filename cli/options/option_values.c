/* Values that several commands accept. */
#include "options/option_values.h"
#include "options/options.h"
#include <errno.h>

int64_t cli_number_take(const char **text) {
    char *end;
    if (**text < '0' || **text > '9') return -1;
    errno = 0;
    int64_t number = strtoll(*text, &end, 10);
    *text = end;
    return errno ? -1 : number;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t cli_sort_unique(int64_t *list, int64_t count) {
    int64_t kept = 0;
    qsort(list, (size_t)count, sizeof *list, by_value);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
    return kept;
}

int64_t cli_bytes_take(const char *text) {
    static const char units[] = "KMGT";
    if (*text < '0' || *text > '9') return 0;
    char *end;
    double value = strtod(text, &end);
    if (!(value > 0)) return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (int k = 0; unit && k <= unit - units; k++) value *= 1024;
    if (*end && (!unit || end[1])) return 0;
    return value < 0x1p62 ? (int64_t)value : 0;
}

double cli_time_take(const char *text) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
    char *end;
    if ((*text < '0' || *text > '9') && *text != '.') return -1;
    double value = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && strcmp(end, units[i].name) == 0) return value * units[i].seconds;
    return -1;
}

/* Settings use 0 for auto; on the command line it is refused. */
int cli_rank_take(const cli_session *session, const ch_settings_table *table, void *settings,
                  const char *text, int or_auto) {
    const ch_setting *row = ch_settings_find(table, "rank");
    int64_t rank = 0;
    if (!text || (or_auto && strcmp(text, "auto") == 0)) return EXIT_DONE;
    if (ch_settings_set(session->context, table, settings, row->name, text) >= 0)
        memcpy(&rank, (const char *)settings + row->offset, sizeof rank);
    if (rank > 0) return EXIT_DONE;
    return cli_refuse("%s: -r must be a whole number from 1 to %.0f%s; got '%s'",
                      session->options.command, row->high, or_auto ? ", or auto" : "", text);
}

static int refuse_method(const cli_session *session, const char *name, const char *const *choices) {
    char known[512] = "";
    int count = 0;
    for (size_t used = 0; choices[count]; used = strlen(known), count++)
        snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", choices[count]);
    const char *guess = cli_closest(name, choices, count);
    return cli_refuse(
        "%s: --method must be one or several of %s, with commas between them; got '%s'%s%s%s",
        session->options.command, known, name, guess ? "; did you mean " : "", guess ? guess : "",
        guess ? "?" : "");
}

int cli_methods_take(const cli_session *session, int *methods, int *count, const char *text,
                     const ch_settings_table *table) {
    const ch_setting *row = ch_settings_find(table, "method");
    *count = 0;
    for (const char *at = text ? text : row->choices[(int)row->initial];; at++) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int method = 0;
        while (row->choices[method] && strcmp(row->choices[method], name) != 0) method++;
        if (!row->choices[method]) return refuse_method(session, name, row->choices);
        if (cli_methods_bits(methods, *count) >> method & 1)
            return cli_refuse("%s: --method lists %s twice; leave one of them out",
                              session->options.command, name);
        methods[(*count)++] = method;
        at += length;
        if (!*at) return EXIT_DONE;
    }
}

int64_t cli_methods_bits(const int *methods, int count) {
    int64_t bits = 0;
    for (int i = 0; i < count; i++) bits |= (int64_t)1 << methods[i];
    return bits;
}

const char *cli_choice_name(const ch_settings_table *table, const char *setting, int choice) {
    return ch_settings_find(table, setting)->choices[choice];
}
