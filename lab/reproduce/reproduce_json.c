/* Functions that read JSON, and means. */
#include "reproduce/reproduce.h"
#include <math.h>
#include <string.h>

double repro_real(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *repro_text(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

int repro_list(double *values, int room, const json_t *list) {
    int count = (int)json_array_size(list);
    if (count > room) count = room;
    for (int i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return count;
}

const json_t *repro_row(const json_t *object, const char *list, const char *name) {
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(object, list), i, row) {
        if (strcmp(repro_text(row, "name"), name) == 0) return row;
    }
    return NULL;
}

double repro_mean(const double *values, int count) {
    double sum = 0;
    int used = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            used++;
        }
    return used ? sum / used : NAN;
}

double repro_sd(const double *values, int count) {
    double mean = repro_mean(values, count), sum = 0;
    int used = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += (values[i] - mean) * (values[i] - mean);
            used++;
        }
    return used > 1 ? sqrt(sum / (used - 1)) : 0;
}
