/* Functions by which pages read the JSON of a result. */
#pragma once

#include <jansson.h>

/* Return the member `key`; "" or NaN if there is none. */
const char *report_string(const json_t *object, const char *key);
double report_real(const json_t *object, const char *key);
/* Return entry i of the list `key`, as an object, a string or a number, or the length of the
 * list. */
const json_t *report_item(const json_t *object, const char *key, size_t i);
const char *report_string_at(const json_t *object, const char *key, size_t i);
double report_real_at(const json_t *object, const char *key, size_t i);
size_t report_length(const json_t *object, const char *key);

/* Returns entry i, less than report_result_count(), of the list "results", or the object itself if
 * it has no such list. */
const json_t *report_result(const json_t *object, size_t i);
size_t report_result_count(const json_t *object);

/* Returns the strings of a list, or the members `key` of its objects, separated by blanks. The
 * caller frees the text. */
char *report_join(const json_t *list, const char *key);

/* Returns the part of the path after its last '/', or the whole path if it has no '/' or ends with
 * one. */
const char *report_base_name(const char *path);

/* Arrays of numbers for charts, which are freed together. */
enum { REPORT_ARRAYS_MAX = 40 };
typedef struct report_arrays {
    double *list[REPORT_ARRAYS_MAX];
    int count;
} report_arrays;
/* Returns a new array, or NULL if memory is short or there are REPORT_ARRAYS_MAX arrays. */
double *report_arrays_make(report_arrays *arrays, int length);
/* Returns the numbers of a list, with NaN for null. Returns NULL and sets *length to 0 if there are
 * none. */
double *report_arrays_read(report_arrays *arrays, int *length, const json_t *list);
void report_arrays_free(report_arrays *arrays);
