/* What pages read out of the JSON of a result. */
#pragma once

#include <jansson.h>

/* "" and NaN when there is none. */
const char *report_string(const json_t *object, const char *key);
double report_real(const json_t *object, const char *key);
/* Entry i of the list under a key. */
const json_t *report_item(const json_t *object, const char *key, size_t i);
const char *report_string_at(const json_t *object, const char *key, size_t i);
double report_real_at(const json_t *object, const char *key, size_t i);
size_t report_length(const json_t *object, const char *key);

/* results[] of several methods, or the object itself; never NULL. */
const json_t *report_result(const json_t *object, size_t i);
size_t report_result_count(const json_t *object);

/* Texts of a list, or of `key` of its objects, with blanks between them; to be freed. */
char *report_join(const json_t *list, const char *key);

/* What stands behind the last '/', unless that is the end. */
const char *report_base_name(const char *path);

/* Numbers of charts, all freed at once. */
enum { REPORT_ARRAYS_MAX = 40 };
typedef struct report_arrays {
    double *list[REPORT_ARRAYS_MAX];
    int count;
} report_arrays;
/* NULL without memory. */
double *report_arrays_make(report_arrays *arrays, int length);
/* The numbers of a list (null: NaN); *length 0 and NULL when there are none. */
double *report_arrays_read(report_arrays *arrays, int *length, const json_t *list);
void report_arrays_free(report_arrays *arrays);
