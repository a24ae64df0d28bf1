/* Converts labels of columns to numbers of classes. */
#pragma once

#include <conehull/corpus.h>

/* Sets names[0 .. *count) to the distinct labels, sorted, and classes[j] to the index of label j
 * among them. names has space for labels->count pointers, which point to the labels. Refuses empty
 * labels and fewer than two classes, with a message that names the file. Prints errors and returns
 * the exit code. */
int cli_number_classes(int32_t *classes, const char **names, int64_t *count,
                       const ch_text_list *labels, const char *file);
