/* Labels of columns as numbers. */
#pragma once

#include <conehull/corpus.h>

/* classes[j]: the number of label j in names[0 .. *count), which is sorted; names has room for
 * labels->count texts, which stay the labels'. Empty labels and fewer than two classes are refused,
 * in words that name the file. Complains itself and returns the exit code. */
int cli_number_classes(int32_t *classes, const char **names, int64_t *count,
                       const ch_text_list *labels, const char *file);
