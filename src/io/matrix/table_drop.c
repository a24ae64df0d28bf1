/* Finds the columns that --drop names: by their names in the first line, or by numbers from 1. A
 * number in the list is the number of a column, also if a column has this name. */
#include "io/matrix/table_drop.h"
#include <stdlib.h>
#include <string.h>

/* Returns the number from 1 that an item of the list is, or 0. */
static int64_t number_of(const char *item, size_t length) {
    char *end;
    int64_t number = strtoll(item, &end, 10);
    return length > 0 && end == item + length && number > 0 ? number : 0;
}

/* Cuts the next item out of the list, without blanks around it. */
static const char *next_item(const char **at, size_t *length) {
    const char *item = *at + strspn(*at, " ");
    *length = strcspn(item, ",");
    *at = item[*length] ? item + *length + 1 : NULL;
    while (*length > 0 && item[*length - 1] == ' ') (*length)--;
    return item;
}

static void mark(chi_dropped *dropped, int64_t field) {
    dropped->count += !dropped->gone[field];
    dropped->gone[field] = 1;
}

/* Returns the number of columns of this name. */
static int mark_named(chi_dropped *dropped, char *const *names, int64_t fields, const char *item,
                      size_t length) {
    int found = 0;
    for (int64_t f = 0; f < fields; f++)
        if (strlen(names[f]) == length && memcmp(names[f], item, length) == 0) {
            mark(dropped, f);
            found++;
        }
    return found;
}

static ch_status mark_all(ch_context *context, chi_dropped *dropped, const char *path,
                          int64_t number, char *const *names, int64_t fields) {
    for (const char *at = dropped->list; at;) {
        size_t length;
        const char *item = next_item(&at, &length);
        int64_t given = number_of(item, length);
        int found;
        if (given > dropped->fields)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s: column %lld cannot be left out, because line %lld has only %lld "
                            "fields",
                            path, (long long)given, (long long)number, (long long)fields);
        if (given > 0)
            mark(dropped, given - 1);
        else if ((found = mark_named(dropped, names, fields, item, length)) == 1)
            dropped->named = 1;
        else if (found > 1)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s: %d columns are called \"%.*s\" in line %lld; give the numbers of "
                            "those to leave out, from 1",
                            path, found, (int)length, item, (long long)number);
        else
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s: no column is called \"%.*s\" in line %lld; give the name of a "
                            "column to leave out, or its number from 1",
                            path, (int)length, item, (long long)number);
    }
    return CH_OK;
}

ch_status chi_dropped_find(ch_context *context, chi_dropped *dropped, const char *path,
                           int64_t number, char *first, char separator) {
    if (!dropped->list) return CH_OK;
    int64_t fields = 1 + chi_marks_count(first, separator), count = 0;
    char **names = chi_take(context, path, "names of columns", fields, sizeof *names);
    /* rows may have one field more than a header that has no field for the names of the rows */
    dropped->gone = names ? chi_take(context, path, "columns", fields + 1, 1) : NULL;
    ch_status status = dropped->gone ? CH_OK : CH_ERR_MEMORY;
    if (status == CH_OK) {
        memset(dropped->gone, 0, (size_t)fields + 1);
        dropped->fields = fields + 1;
        for (char *at = first; at && count < fields; count++) {
            names[count] = chi_field_next(&at, separator);
            if (!names[count]) break; /* the reader reports it */
        }
        status = mark_all(context, dropped, path, number, names, count);
    }
    chi_free(context, names);
    return status;
}
