/* Errors, notes and wrapped text. */
#include "common/message.h"
#include "common/progress.h"
#include <conehull/context.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80 };

static int muted;
static char last[512]; /* the last message, printed or muted */

void cli_messages_mute(void) {
    muted = 1;
}

void cli_messages_unmute(void) {
    muted = 0;
}

const char *cli_last_message(void) {
    return last;
}

int cli_error(int code, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) ch_text_make_printable(text);
    snprintf(last, sizeof last, "%s", length >= 0 ? text : "out of memory");
    if (muted) {
        if (length >= 0) free(text);
        return code;
    }
    cli_progress_clear();
    fprintf(stderr, "conehull: %s\n", length >= 0 ? text : "out of memory");
    if (length >= 0) free(text);
    return code;
}

const char *cli_plain(const char *text) {
    static char *kept[CLI_PLAIN_KEPT];
    static int next;
    char **place = &kept[next++ % CLI_PLAIN_KEPT];
    free(*place);
    *place = text ? strdup(text) : NULL;
    if (*place) ch_text_make_printable(*place);
    return *place ? *place : "?";
}

void cli_say_written(const char *folder, const char *page) {
    printf("written to %s", cli_plain(folder));
    if (page) printf("; open %s/%s in a browser", cli_plain(folder), page);
    putchar('\n');
}

void cli_wrap(FILE *to, const char *text, int at, int indent) {
    int first = 1; /* no word on this line yet */
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length > LINE) {
            fputc('\n', to);
            at = 0;
            first = 1;
        }
        int gap = !first ? 1 : at < indent ? indent - at : 0;
        fprintf(to, "%*s%.*s", gap, "", length, text);
        at += gap + length;
        first = 0;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

void cli_print_reason(FILE *to, const char *reason) {
    fputs("  ", to);
    cli_wrap(to, reason, 2, 4);
}
