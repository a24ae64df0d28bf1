/* Columns of a text table that are left out. */
#pragma once

#include "io/matrix/table_fields.h"

typedef struct chi_dropped {
    const char *list;    /* ch_matrix_read_settings.drop; NULL: no column is left out */
    unsigned char *gone; /* per field of a row: 1 if it is left out                   */
    int64_t fields;      /* length of `gone`                                          */
    int64_t count;       /* number of fields that are left out                        */
    int named;           /* a column is given by its name, so the first line is a header */
} chi_dropped;

/* Finds the columns of dropped->list by the first line, which is changed. number: its line. Free
 * dropped->gone with chi_free(), whatever the status. */
ch_status chi_dropped_find(ch_context *context, chi_dropped *dropped, const char *path,
                           int64_t number, char *first, char separator);

static inline int chi_is_dropped(const chi_dropped *dropped, int64_t field) {
    return field < dropped->fields && dropped->gone[field];
}
