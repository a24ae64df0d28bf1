/* Chooses an array of a file: the requested one, or the only possible one. */
#include "io/file/format.h"
#include <stdio.h>
#include <string.h>

enum { MATRIX, VECTOR, NUMBER };

void chi_pick_name(chi_pick *pick, const char *name) {
    if (pick->var && !strcmp(pick->var, name)) pick->found = 1;
}

void chi_pick_offer(chi_pick *pick, const char *name, int64_t rows, int64_t cols) {
    int kind = rows == 1 && cols == 1 ? NUMBER : rows == 1 || cols == 1 ? VECTOR : MATRIX;
    char *list = pick->list[kind];
    size_t length = strlen(list), room = sizeof pick->list[kind] - length;
    chi_pick_name(pick, name);
    if (pick->count[kind]++ == 0)
        snprintf(pick->chosen[kind], sizeof pick->chosen[kind], "%s", name);
    int written = snprintf(list + length, room, "%s%s (%lld x %lld)", length ? ", " : "", name,
                           (long long)rows, (long long)cols);
    if ((size_t)written >= room) { /* truncated at the last whole entry, once */
        list[length] = '\0';
        if (room > 5 && (length < 3 || strcmp(list + length - 3, "...")))
            strcpy(list + length, ", ...");
    }
}

ch_status chi_pick_decide(ch_context *context, const chi_pick *pick, const char **chosen,
                          const char *path) {
    int kind = MATRIX;
    while (kind < NUMBER && pick->count[kind] == 0) kind++;
    if (pick->var && pick->found) {
        *chosen = pick->var;
        return CH_OK;
    }
    if (pick->count[kind] == 0 && !pick->var)
        return chi_fail(context, CH_ERR_FORMAT, "%s: the file contains no matrix of real numbers",
                        path);
    if (pick->var)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: the file contains no matrix named \"%s\"; its matrices are: %s", path,
                        pick->var, pick->count[kind] ? pick->list[kind] : "none");
    if (pick->count[kind] > 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: the file contains %lld matrices; select one with --var NAME, where "
                        "NAME is one of: %s",
                        path, (long long)pick->count[kind], pick->list[kind]);
    *chosen = pick->chosen[kind];
    return CH_OK;
}
