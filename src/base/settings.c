/* Reads and writes settings structs through the table that describes them. */
#include "base/base.h"
#include <conehull/settings.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a bound of the table as an integer; bounds beyond int64_t become its limits. */
static int64_t whole(double bound) {
    if (bound >= 0x1p63) return INT64_MAX;
    if (bound < -0x1p63) return INT64_MIN;
    return (int64_t)bound;
}

static void *field_of(const ch_setting *row, void *settings) {
    return (char *)settings + row->offset;
}

/* Returns whether a settings struct, whose first member is its size, includes the field. */
static int has_field(const ch_setting *row, const void *settings) {
    static const size_t bytes[] = {[CH_SETTING_INT] = sizeof(int64_t),
                                   [CH_SETTING_REAL] = sizeof(double),
                                   [CH_SETTING_FLAG] = sizeof(int),
                                   [CH_SETTING_CHOICE] = sizeof(int)};
    return row->offset + bytes[row->kind] <= *(const size_t *)settings;
}

void ch_settings_defaults(const ch_settings_table *table, void *settings, size_t size) {
    memset(settings, 0, size);
    *(size_t *)settings = size;
    for (const ch_setting *row = table->rows; row < table->rows + table->count; row++) {
        void *field = field_of(row, settings);
        if (!has_field(row, settings)) continue;
        if (row->kind == CH_SETTING_REAL)
            *(double *)field = row->initial;
        else if (row->kind == CH_SETTING_INT)
            *(int64_t *)field = whole(row->initial);
        else
            *(int *)field = (int)row->initial;
    }
}

const ch_setting *ch_settings_find(const ch_settings_table *table, const char *name) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0) return &table->rows[i];
    return NULL;
}

/* Writes the choices as "max, rand, dist, greedy". */
static void join_choices(char *text, size_t size, const ch_setting *row) {
    size_t used = 0;
    text[0] = '\0';
    for (const char *const *choice = row->choices; *choice && used < size; choice++) {
        int written = snprintf(text + used, size - used, "%s%s", used ? ", " : "", *choice);
        used += written > 0 ? (size_t)written : 0;
    }
}

static ch_status check_int(ch_context *context, const ch_setting *row, int64_t value) {
    if (value >= whole(row->low) && value <= whole(row->high)) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING,
                    "the setting '%s' must be between %lld and %lld, got %lld", row->name,
                    (long long)whole(row->low), (long long)whole(row->high), (long long)value);
}

static ch_status check_real(ch_context *context, const ch_setting *row, double value) {
    if (value >= row->low && value <= row->high) return CH_OK; /* false for NaN */
    if (isnan(value)) value = NAN;                             /* a sign would print as "-nan" */
    return chi_fail(context, CH_ERR_SETTING,
                    "the setting '%s' must be between %.15g and %.15g, got %.15g", row->name,
                    row->low, row->high, value);
}

static ch_status check_flag(ch_context *context, const ch_setting *row, int value) {
    if (value == 0 || value == 1) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING, "the setting '%s' must be 0 or 1, got %d", row->name,
                    value);
}

static ch_status check_choice(ch_context *context, const ch_setting *row, int value) {
    for (int i = 0; row->choices[i] && value >= 0; i++)
        if (i == value) return CH_OK;
    char choices[256];
    join_choices(choices, sizeof choices, row);
    return chi_fail(context, CH_ERR_SETTING,
                    "the setting '%s' must be one of %s; got the undefined value %d", row->name,
                    choices, value);
}

ch_status ch_settings_check(ch_context *context, const ch_settings_table *table,
                            const void *settings) {
    for (const ch_setting *row = table->rows; row < table->rows + table->count; row++) {
        const void *field = (const char *)settings + row->offset;
        if (!has_field(row, settings)) continue;
        switch (row->kind) {
        case CH_SETTING_INT:
            TRY(check_int(context, row, *(const int64_t *)field));
            break;
        case CH_SETTING_REAL:
            TRY(check_real(context, row, *(const double *)field));
            break;
        case CH_SETTING_FLAG:
            TRY(check_flag(context, row, *(const int *)field));
            break;
        case CH_SETTING_CHOICE:
            TRY(check_choice(context, row, *(const int *)field));
            break;
        }
    }
    return CH_OK;
}

/* Returns whether the text starts with a number. strtoll and strtod would skip leading white space,
 * which a setting must not have. */
static int starts_number(const char *text) {
    return *text && strchr("+-.0123456789niNI", *text) != NULL;
}

static ch_status set_int(ch_context *context, const ch_setting *row, int64_t *field,
                         const char *text) {
    char *end = NULL;
    errno = 0;
    long long value = starts_number(text) ? strtoll(text, &end, 10) : 0;
    if (!end || end == text || *end)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting '%s' must be a whole number, got '%s'", row->name, text);
    if (errno == ERANGE)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting '%s' must be between %lld and %lld, got %s", row->name,
                        (long long)whole(row->low), (long long)whole(row->high), text);
    TRY(check_int(context, row, value));
    *field = value;
    return CH_OK;
}

/* Parses a number with a point as decimal separator, whatever the locale. */
static double parse_real(const char *text, char **end) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return 0.0;
    double value = strtod_l(text, end, plain);
    freelocale(plain);
    return value;
}

static ch_status set_real(ch_context *context, const ch_setting *row, double *field,
                          const char *text) {
    char *end = NULL;
    double value = starts_number(text) ? parse_real(text, &end) : 0.0;
    if (!end || end == text || *end)
        return chi_fail(context, CH_ERR_SETTING, "the setting '%s' must be a number, got '%s'",
                        row->name, text);
    TRY(check_real(context, row, value));
    *field = value;
    return CH_OK;
}

static ch_status set_flag(ch_context *context, const ch_setting *row, int *field,
                          const char *text) {
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return chi_fail(context, CH_ERR_SETTING, "the setting '%s' must be 0 or 1, got '%s'",
                        row->name, text);
    *field = text[0] == '1';
    return CH_OK;
}

static ch_status set_choice(ch_context *context, const ch_setting *row, int *field,
                            const char *text) {
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) != 0) continue;
        *field = i;
        return CH_OK;
    }
    char choices[256];
    join_choices(choices, sizeof choices, row);
    return chi_fail(context, CH_ERR_SETTING, "the setting '%s' must be one of %s; got '%s'",
                    row->name, choices, text);
}

/* Sets a choice with a value: "beta:0.5" selects beta and sets the setting "beta" to 0.5. */
static ch_status set_choice_with_value(ch_context *context, const ch_settings_table *table,
                                       const ch_setting *row, void *settings, const char *text) {
    char choice[32] = "";
    const char *colon = strchr(text, ':');
    if (!colon) return set_choice(context, row, field_of(row, settings), text);
    if (colon - text < (ptrdiff_t)sizeof choice) memcpy(choice, text, (size_t)(colon - text));
    if (!ch_settings_find(table, choice))
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting '%s' is '%s', but this choice takes no value after ':'",
                        row->name, text);
    TRY(set_choice(context, row, field_of(row, settings), choice));
    ch_status status = ch_settings_set(context, table, settings, choice, colon + 1);
    return status < 0 ? chi_fail(context, status, "the setting '%s' is '%s', but %s", row->name,
                                 text, ch_context_message(context))
                      : status;
}

ch_status ch_settings_set(ch_context *context, const ch_settings_table *table, void *settings,
                          const char *name, const char *text) {
    const ch_setting *row = ch_settings_find(table, name);
    if (!row) return chi_fail(context, CH_ERR_SETTING, "%s has no setting '%s'", table->name, name);
    if (!text) return chi_fail(context, CH_ERR_SETTING, "the setting '%s' needs a value", name);
    if (!has_field(row, settings))
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting '%s' cannot be set, because the program was built for an "
                        "earlier version of the library",
                        name);
    void *field = field_of(row, settings);
    switch (row->kind) {
    case CH_SETTING_INT:
        return set_int(context, row, field, text);
    case CH_SETTING_REAL:
        return set_real(context, row, field, text);
    case CH_SETTING_FLAG:
        return set_flag(context, row, field, text);
    case CH_SETTING_CHOICE:
        return set_choice_with_value(context, table, row, settings, text);
    }
    return chi_fail(context, CH_ERR_INTERNAL, "setting '%s' is of an unknown kind", name);
}

/* Works on copies, so that the settings are unchanged after an error: the words, which are split
 * with zeros, are stored after the settings. */
ch_status ch_settings_set_words(ch_context *context, const ch_settings_table *table, void *settings,
                                const char *words) {
    size_t size = *(const size_t *)settings, length = strlen(words);
    int64_t bytes = (int64_t)(size + length + 1);
    char *trial = chi_alloc(context, bytes, 1);
    if (!trial) return chi_no_memory(context, "settings", bytes, 1);
    char *word = trial + size, *last = word + length;
    memcpy(trial, settings, size);
    memcpy(word, words, length + 1);
    ch_status status = CH_OK;
    while (status == CH_OK && *(word += strspn(word, " "))) {
        char *end = word + strcspn(word, " "), *value;
        *end = '\0';
        if ((value = strchr(word, '=')) != NULL) *value++ = '\0';
        status = ch_settings_set(context, table, trial, word, value);
        word = end < last ? end + 1 : last;
    }
    if (status == CH_OK) memcpy(settings, trial, size);
    chi_free(context, trial);
    return status;
}
