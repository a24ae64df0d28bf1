/* Data points as lines of text on standard input, some at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cli_lines {
    int64_t rows;    /* numbers a line, known after the first                       */
    int64_t number;  /* of the last line, from 1                                    */
    double *values;  /* the points, one after the other                             */
    size_t capacity; /* in numbers                                                 */
    char *text;      /* what was read; not yet taken: from `start` to `filled`     */
    size_t text_capacity, start, filled;
    size_t looked; /* no line ends between `start` and here                       */
    int ended;
    int interrupted; /* a signal ended the input                                    */
} cli_lines;

/* Up to `most` further points into lines->values; *count of them, fewer at the end of the input. A
 * signal ends it too, also while nobody writes: lines that were read whole by then are still handed
 * out, and one that breaks off is not (the signal may have ended whoever was writing it).
 * Numbers stand between commas, semicolons, blanks or tabs; empty lines and lines that begin with #
 * are passed over. Complains itself and returns the exit code; the *count points before a bad line
 * are there all the same. */
int cli_lines_read(cli_lines *lines, int64_t *count, int64_t most);
void cli_lines_free(cli_lines *lines);
