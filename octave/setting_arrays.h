/* Settings of ch_anchors() that are arrays and so have no row in ch_anchors_table(): which entries
 * are trusted, and which components are known in advance. The bindings for Octave and R take their
 * lists, arguments and manual pages from this table. */
#pragma once

#include <conehull/anchors.h>
#include <string.h>

typedef struct setting_array {
    const char *name;
    int is_matrix;     /* a ch_matrix; else a vector of doubles and its length        */
    int of_columns;    /* it belongs to the columns of one X: other columns lack it    */
    size_t at, length; /* offsets in the settings: of the pointer, and of the length  */
    const char *help;
} setting_array;

#define SETTING_VECTOR(name, of_columns, length, help)             \
    {                                                              \
#name, 0, of_columns, offsetof(ch_anchors_settings, name), \
            offsetof(ch_anchors_settings, length), help            \
    }
#define SETTING_MATRIX(name, help) \
    { #name, 1, 1, offsetof(ch_anchors_settings, name), 0, help }

static const setting_array setting_arrays[] = {
    SETTING_VECTOR(row_weights, 0, row_weight_count, "a weight >= 0 for each row of X"),
    SETTING_VECTOR(column_weights, 1, column_weight_count,
                   "a weight >= 0 for each column of X; a column of weight 0 is never an anchor"),
    SETTING_MATRIX(weights,
                   "a full or sparse matrix of the shape of X with the weight of each entry"),
    SETTING_MATRIX(observed, "a full or sparse matrix of the shape of X that is not 0 where the "
                             "entry of X is known"),
    SETTING_MATRIX(library, "a matrix of known components, which become the first anchors; their "
                            "numbers follow those of the columns of X"),
};
enum { SETTING_ARRAYS = sizeof setting_arrays / sizeof *setting_arrays };

/* The array setting of that name, or -1. */
static inline int setting_array_find(const char *name) {
    for (int k = 0; k < SETTING_ARRAYS; k++)
        if (strcmp(name, setting_arrays[k].name) == 0) return k;
    return -1;
}

static inline void setting_array_vector(ch_anchors_settings *set, const setting_array *array,
                                        const double *values, int64_t length) {
    *(const double **)((char *)set + array->at) = values;
    *(int64_t *)((char *)set + array->length) = length;
}

static inline void setting_array_matrix(ch_anchors_settings *set, const setting_array *array,
                                        const ch_matrix *matrix) {
    *(const ch_matrix **)((char *)set + array->at) = matrix;
}
