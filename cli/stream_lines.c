/* Lines of numbers from standard input. The program never sets a locale, so the point is a point.
 */
#include "stream_lines.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "talk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int grow(cli_lines *lines, size_t need) {
    if (need <= lines->room) return EXIT_DONE;
    size_t room = 2 * lines->room > need ? 2 * lines->room : need;
    double *larger =
        room < SIZE_MAX / sizeof *larger ? realloc(lines->values, room * sizeof *larger) : NULL;
    if (!larger) {
        cli_complain("out of memory: line %lld is too long", (long long)lines->number);
        return EXIT_MEMORY;
    }
    lines->values = larger;
    lines->room = room;
    return EXIT_DONE;
}

static int refuse(const cli_lines *lines, const char *word) {
    int length = (int)strcspn(word, " ,;\t\r\n");
    cli_complain("-: line %lld: '%.*s' is not a number; a line is a data point, its numbers stand "
                 "between commas, blanks or tabs",
                 (long long)lines->number, length < 40 ? length : 40, word);
    return EXIT_USAGE;
}

/* The numbers of the line at values[at...]; *found of them. */
static int parse(cli_lines *lines, size_t at, int64_t *found) {
    const char *text = lines->line;
    *found = 0;
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text == 0) return EXIT_DONE;
        char *end;
        int code = grow(lines, at + (size_t)*found + 1);
        if (code != EXIT_DONE) return code;
        lines->values[at + (size_t)*found] = strtod(text, &end);
        if (end == text || !strchr(" ,;\t\r\n", *end)) return refuse(lines, text);
        ++*found;
        text = end + strspn(end, " \t\r\n");
        if (*text == ',' || *text == ';') text++;
    }
}

static int check_width(cli_lines *lines, int64_t found) {
    if (lines->rows == 0) lines->rows = found;
    if (found == lines->rows) return EXIT_DONE;
    cli_complain("-: line %lld holds %lld number%s, those before it %lld", (long long)lines->number,
                 (long long)found, found == 1 ? "" : "s", (long long)lines->rows);
    return EXIT_USAGE;
}

static int at_end(void) {
    if (cli_interrupted()) return EXIT_INTERRUPTED;
    if (!ferror(stdin)) return EXIT_DONE;
    cli_complain("-: %s", strerror(errno));
    return EXIT_FILES;
}

int cli_lines_read(cli_lines *lines, int64_t *count, int64_t most) {
    *count = 0;
    while (*count < most) {
        int64_t found;
        if (getline(&lines->line, &lines->capacity, stdin) < 0) return at_end();
        lines->number++;
        if (lines->line[strspn(lines->line, " \t\r\n")] == 0 || lines->line[0] == '#') continue;
        int code = parse(lines, (size_t)(*count * lines->rows), &found);
        if (code == EXIT_DONE) code = check_width(lines, found);
        if (code != EXIT_DONE) return code;
        ++*count;
    }
    return cli_interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

void cli_lines_free(cli_lines *lines) {
    free(lines->values);
    free(lines->line);
}
