/* Lines of numbers from standard input. The program never sets a locale, so the point is a point.
 */
#include "stream/stream_lines.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "common/try.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, WAIT_MILLISECONDS = 200 };

static int grow(cli_lines *lines, size_t need) {
    if (need <= lines->capacity) return EXIT_DONE;
    size_t capacity = 2 * lines->capacity > need ? 2 * lines->capacity : need;
    double *larger = capacity < SIZE_MAX / sizeof *larger
                         ? realloc(lines->values, capacity * sizeof *larger)
                         : NULL;
    if (!larger)
        return cli_error(EXIT_MEMORY, "not enough memory: line %lld of the input is too long",
                         (long long)lines->number);
    lines->values = larger;
    lines->capacity = capacity;
    return EXIT_DONE;
}

static int refuse(const cli_lines *lines, const char *word) {
    int length = (int)strcspn(word, " ,;\t\r\n");
    return cli_refuse(
        "standard input: line %lld: '%.*s' is not a number; a line is a data point, with commas, "
        "blanks or tabs between its numbers",
        (long long)lines->number, length < 40 ? length : 40, word);
}

/* What ch_stream_push() would refuse together with the points before it. */
static int check_sum(const cli_lines *lines, const double *values) {
    double sum = 0;
    for (int64_t i = 0; i < lines->rows; i++) sum += values[i];
    if (sum == 0 || (sum >= 0x1p-500 && sum <= 0x1p500)) return EXIT_DONE;
    return cli_refuse(
        "standard input: line %lld: the sum of the line is %g, but it must be between 2^-500 and "
        "2^500; multiply the data by a power of two",
        (long long)lines->number, sum);
}

/* The numbers of a line at values[at...]; *found of them. */
static int parse(cli_lines *lines, const char *text, size_t at, int64_t *found) {
    *found = 0;
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text == 0) return EXIT_DONE;
        char *end;
        TRY(grow(lines, at + (size_t)*found + 1));
        double value = strtod(text, &end);
        if (end == text || !strchr(" ,;\t\r\n", *end)) return refuse(lines, text);
        if (value < 0 || !isfinite(value))
            return cli_refuse(
                "standard input: line %lld: the value %g is %s, but conehull needs finite values "
                ">= 0; clip or shift the data",
                (long long)lines->number, value, value < 0 ? "negative" : "not finite");
        lines->values[at + (size_t)*found] = value;
        ++*found;
        text = end + strspn(end, " \t\r\n");
        if (*text == ',' || *text == ';') text++;
    }
}

static int check_width(cli_lines *lines, int64_t found) {
    if (lines->rows == 0) lines->rows = found;
    if (found == lines->rows) return EXIT_DONE;
    return cli_refuse(
        "standard input: line %lld has %lld number%s, but the lines before it have %lld",
        (long long)lines->number, (long long)found, found == 1 ? "" : "s", (long long)lines->rows);
}

/* Space behind what is there, for a block and a final zero. */
static int reserve_block(cli_lines *lines) {
    if (lines->start > 0) {
        assert(lines->text); /* it held a line */
        memmove(lines->text, lines->text + lines->start, lines->filled - lines->start);
        lines->filled -= lines->start;
        lines->looked -= lines->start;
        lines->start = 0;
    }
    if (lines->text && lines->text_capacity - lines->filled > BLOCK) return EXIT_DONE;
    size_t capacity = 2 * lines->text_capacity + BLOCK + 1;
    char *larger = capacity > lines->text_capacity ? realloc(lines->text, capacity) : NULL;
    if (!larger)
        return cli_error(EXIT_MEMORY, "not enough memory: line %lld of the input is too long",
                         (long long)lines->number + 1);
    lines->text = larger;
    lines->text_capacity = capacity;
    return EXIT_DONE;
}

/* More text, or the end. Nothing else than poll() waits, so that signals are heard. */
static int read_block(cli_lines *lines) {
    TRY(reserve_block(lines));
    for (;;) {
        struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
        int found = poll(&ready, 1, WAIT_MILLISECONDS);
        if (cli_input_interrupted()) {
            lines->ended = lines->interrupted = 1;
            return EXIT_DONE;
        }
        if (found <= 0) continue;
        ssize_t got = read(STDIN_FILENO, lines->text + lines->filled, BLOCK);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return cli_error(EXIT_FILES, "standard input: %s", strerror(errno));
        lines->ended = got == 0;
        lines->filled += (size_t)got;
        return EXIT_DONE;
    }
}

/* *line: the next one, NULL at the end. */
static int next_line(cli_lines *lines, const char **line) {
    *line = NULL;
    for (;;) {
        size_t left = lines->filled - lines->looked;
        assert(lines->text || left == 0);
        char *end = left > 0 ? memchr(lines->text + lines->looked, '\n', left) : NULL;
        if (!end && lines->ended && (lines->interrupted || lines->start == lines->filled))
            return EXIT_DONE;
        if (!end && lines->ended) end = lines->text + lines->filled++; /* the last, without one */
        if (end) {
            *end = 0;
            *line = lines->text + lines->start;
            lines->start = lines->looked = (size_t)(end + 1 - lines->text);
            lines->number++;
            return EXIT_DONE;
        }
        lines->looked = lines->filled;
        TRY(read_block(lines));
    }
}

int cli_lines_read(cli_lines *lines, int64_t *count, int64_t most) {
    for (*count = 0; *count < most;) {
        int64_t found;
        const char *line;
        TRY(next_line(lines, &line));
        if (!line) return EXIT_DONE;
        if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#') continue;
        TRY(parse(lines, line, (size_t)(*count * lines->rows), &found));
        TRY(check_width(lines, found));
        TRY(check_sum(lines, lines->values + *count * lines->rows));
        ++*count;
    }
    return EXIT_DONE;
}

void cli_lines_free(cli_lines *lines) {
    free(lines->values);
    free(lines->text);
}
