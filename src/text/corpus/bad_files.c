/* Files of a folder that cannot be read, or are not text. Unless they are left out, the first ten
 * are gathered, so that one message names them all. */
#include "text/corpus/corpus_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = 10 };

int chi_is_bad_file(ch_status status) {
    return status == CH_ERR_IO || status == CH_ERR_FORMAT || status == CH_ERR_UNSUPPORTED;
}

/* Returns the context's message without the path at its beginning. */
static const char *reason_of(const chi_bad_files *bad, const char *name) {
    const char *message = ch_context_message(bad->list.context), *at = strstr(message, name);
    size_t length = strlen(name);
    return at && !strncmp(at + length, ": ", 2) ? at + length + 2 : message;
}

ch_status chi_bad_files_add(chi_bad_files *bad, ch_status failure, const char *name) {
    char entry[800];
    size_t used = strlen(bad->names);
    int length = snprintf(entry, sizeof entry, "%.250s: %.500s", name, reason_of(bad, name));
    if (bad->list.count == 0) {
        bad->status = failure;
        snprintf(bad->reason, sizeof bad->reason, "%s", reason_of(bad, name));
        snprintf(bad->first, sizeof bad->first, "%s", ch_context_message(bad->list.context));
    }
    if (used + strlen(name) + 8 < sizeof bad->names)
        snprintf(bad->names + used, sizeof bad->names - used, "%s%s", used ? ", " : "", name);
    else if (used && bad->names[used - 1] != '.')
        snprintf(bad->names + used, sizeof bad->names - used, ", ...");
    TRY(chi_list_add(&bad->list, entry, length));
    if (bad->skip || bad->list.count < TEN) return CH_OK;
    return chi_bad_files_end(bad, NULL, bad->list.path);
}

void chi_bad_files_clear(chi_bad_files *bad) {
    chi_bad_files fresh = {.list = {.context = bad->list.context, .path = bad->list.path},
                           .skip = bad->skip};
    chi_list_free(&bad->list);
    *bad = fresh;
}

static int compare_names(const void *left, const void *right) {
    return chi_natural_order(*(const char *const *)left, *(const char *const *)right);
}

ch_status chi_bad_files_end(chi_bad_files *bad, ch_text_list *list, const char *folder) {
    ch_context *context = bad->list.context;
    if (bad->list.count == 0) return CH_OK;
    if (bad->skip) {
        TRY(chi_list_give(list, &bad->list));
        qsort(list->text, (size_t)list->count, sizeof *list->text, compare_names);
        return CH_OK;
    }
    if (bad->list.count == 1)
        return chi_fail(context, bad->status, "%s; --skip-bad leaves out such files", bad->first);
    ch_text_make_printable(bad->names);
    return chi_fail(context, bad->status,
                    "%.60s: %s%lld files cannot be read as text: %s; the first: %.140s; --skip-bad "
                    "leaves out such files",
                    folder, bad->list.count < TEN ? "" : "at least ", (long long)bad->list.count,
                    bad->names, bad->reason);
}
