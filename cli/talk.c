/* Errors, notes and wrapped text. */
#include "talk.h"
#include "progress.h"
#include <stdarg.h>
#include <string.h>

enum { LINE = 80 };

static int muted;

void cli_talk_mute(void) {
    muted = 1;
}

void cli_complain(const char *format, ...) {
    va_list arguments;
    if (muted) return;
    cli_progress_clear();
    fputs("conehull: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
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
