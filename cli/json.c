/* JSON helpers. A NULL from any of them makes the enclosing json_pack("o") NULL too, so memory is
 * checked once, where the object is used. */
#include "json.h"
#include "exit_codes.h"
#include "talk.h"
#include <math.h>

json_t *cli_json_real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_reals(const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, cli_json_real(values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

json_t *cli_json_integers(const int64_t *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, json_integer(values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

int cli_json_print(json_t *object) {
    if (!object) {
        cli_complain("out of memory for the result");
        return EXIT_MEMORY;
    }
    json_dumpf(object, stdout, 0); /* a full disk is noticed when stdout is flushed at the end */
    putchar('\n');
    json_decref(object);
    return EXIT_DONE;
}
