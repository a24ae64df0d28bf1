/* Converts labels, which are lines of a file, to numbers of classes. */
#include "names/class_labels.h"
#include "common/message.h"
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int cli_number_classes(int32_t *classes, const char **names, int64_t *count,
                       const ch_text_list *labels, const char *file) {
    int64_t lines = labels->count, kept = 0;
    for (int64_t j = 0; j < lines; j++) {
        if (!labels->text[j][0])
            return cli_refuse("%s: line %lld is empty; every column needs a label", file,
                              (long long)j + 1);
        names[j] = labels->text[j];
    }
    qsort(names, (size_t)lines, sizeof *names, by_text);
    for (int64_t j = 0; j < lines; j++)
        if (kept == 0 || strcmp(names[kept - 1], names[j]) != 0) names[kept++] = names[j];
    *count = kept;
    for (int64_t j = 0; j < lines; j++) {
        const char **place = bsearch(&labels->text[j], names, (size_t)kept, sizeof *names, by_text);
        classes[j] = (int32_t)(place - names);
    }
    if (kept > 1) return EXIT_DONE;
    return cli_refuse("%s: all %lld labels are '%s'; at least two classes are needed", file,
                      (long long)lines, names[0]);
}
