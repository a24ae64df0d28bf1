/* Functions by which pages read the JSON of a result. */
#include "report_read.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *value) {
    const char *text = json_string_value(value);
    return text ? text : "";
}

static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *report_string(const json_t *object, const char *key) {
    return text_of(json_object_get(object, key));
}

double report_real(const json_t *object, const char *key) {
    return number_of(json_object_get(object, key));
}

const json_t *report_item(const json_t *object, const char *key, size_t i) {
    return json_array_get(json_object_get(object, key), i);
}

const char *report_string_at(const json_t *object, const char *key, size_t i) {
    return text_of(report_item(object, key, i));
}

double report_real_at(const json_t *object, const char *key, size_t i) {
    return number_of(report_item(object, key, i));
}

size_t report_length(const json_t *object, const char *key) {
    return json_array_size(json_object_get(object, key));
}

const json_t *report_result(const json_t *object, size_t i) {
    const json_t *results = json_object_get(object, "results");
    return results ? json_array_get(results, i) : object;
}

size_t report_result_count(const json_t *object) {
    const json_t *results = json_object_get(object, "results");
    return results ? json_array_size(results) : 1;
}

char *report_join(const json_t *list, const char *key) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        fprintf(to, "%s%s", i ? " " : "", key ? report_string(item, key) : text_of(item));
    }
    fclose(to);
    return text;
}

const char *report_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

double *report_arrays_make(report_arrays *arrays, int length) {
    if (arrays->count == REPORT_ARRAYS_MAX) return NULL;
    double *values = malloc(((size_t)length + 1) * sizeof *values);
    if (values) arrays->list[arrays->count++] = values;
    return values;
}

double *report_arrays_read(report_arrays *arrays, int *length, const json_t *list) {
    *length = (int)json_array_size(list);
    double *values = *length ? report_arrays_make(arrays, *length) : NULL;
    if (!values) *length = 0;
    for (int i = 0; i < *length; i++) values[i] = number_of(json_array_get(list, (size_t)i));
    return values;
}

void report_arrays_free(report_arrays *arrays) {
    for (int i = 0; i < arrays->count; i++) free(arrays->list[i]);
}
