/* Data points as lines of text on standard input, some at a time. */
#ifndef CONEHULL_CLI_STREAM_LINES_H
#define CONEHULL_CLI_STREAM_LINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct cli_lines {
    int64_t rows;   /* numbers a line, known after the first                       */
    int64_t number; /* of the last line, from 1                                    */
    double *values; /* the points, one after the other                             */
    size_t room;    /* in numbers                                                  */
    char *line;
    size_t capacity;
} cli_lines;

/* Up to `most` further points into lines->values; *count of them, fewer at the end of the input.
 * Numbers stand between commas, semicolons, blanks or tabs; empty lines and lines that begin with #
 * are passed over. Complains itself and returns the exit code. */
int cli_lines_read(cli_lines *lines, int64_t *count, int64_t most);
void cli_lines_free(cli_lines *lines);

#endif
