/* Reads data points from standard input, one per line of text, some at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cli_lines {
    int64_t rows;    /* number of values per line, known after the first line */
    int64_t number;  /* number of the last line, from 1                       */
    double *values;  /* the points, one after the other                       */
    size_t capacity; /* size of values, in numbers                            */
    /* the text that was read; the part from `start` to `filled` is not parsed yet */
    char *text;
    size_t text_capacity, start, filled;
    size_t looked; /* no line ends between `start` and this position */
    int ended;
    int interrupted; /* a signal ended the input */
} cli_lines;

/* Reads up to `most` further points into lines->values and sets *count to their number, which is
 * smaller than `most` only at the end of the input. A signal also ends the input, even while no
 * data arrive: complete lines that were already read are still returned, but an incomplete last
 * line is not, because the signal may have ended the program that wrote it. Numbers are separated
 * by commas, semicolons, blanks or tabs. Empty lines and lines that begin with # are skipped.
 * Prints errors and returns the exit code; after an invalid line, the *count points before it are
 * valid. */
int cli_lines_read(cli_lines *lines, int64_t *count, int64_t most);
void cli_lines_free(cli_lines *lines);
