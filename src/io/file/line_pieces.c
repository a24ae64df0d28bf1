/* Parses lines of a text on all threads. The buffered text is divided into pieces of whole lines,
 * and the lines of each piece are counted, which gives the number of every line; then each piece is
 * parsed. Pieces depend on the text alone, and results are stored by line number, so any number of
 * threads gives the same result. If a line does not have the plain form, valid or not, parsing by
 * pieces ends there; the caller continues line by line, which handles all forms and reports
 * errors. */
#include "io/file/format.h"
#include <string.h>

enum { PIECES = 16, LEAST_BYTES = 1 << 15 };

typedef struct pieces {
    const char *from[PIECES + 1]; /* starts of pieces, and the end               */
    int64_t first[PIECES + 1];    /* number of the first line of each, and total */
    int plain[PIECES];
    const chi_line_kind *kind;
    void *user;
} pieces;

/* Cuts into about equal parts, each ending after a line feed. */
static void cut(pieces *all, const char *from, const char *end) {
    all->from[0] = from;
    for (int k = 1; k <= PIECES; k++) {
        const char *at = from + (end - from) * k / PIECES;
        if (at < all->from[k - 1]) at = all->from[k - 1];
        const char *feed = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        all->from[k] = feed && k < PIECES ? feed + 1 : end;
    }
}

static void count_lines(void *user, int64_t k, int thread) {
    pieces *all = user;
    const char *at = all->from[k], *end = all->from[k + 1];
    int64_t count = 0;
    (void)thread;
    for (; at < end; count++) at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    all->first[k + 1] = count;
}

static void parse_lines(void *user, int64_t k, int thread) {
    pieces *all = user;
    const char *at = all->from[k];
    int64_t number = all->first[k];
    (void)thread;
    while (at && at < all->from[k + 1]) at = all->kind->parse(all->user, at, number++);
    all->plain[k] = at != NULL;
}

ch_status chi_text_parse(chi_text *text, int64_t *taken, const chi_line_kind *kind, void *user) {
    pieces all = {.kind = kind, .user = user};
    const char *from = text->buffer + text->begin;
    int64_t held = text->end - text->begin;
    int plain = 1;
    *taken = 0;
    while (held > 0 && from[held - 1] != '\n') held--;
    if (held < LEAST_BYTES) return CH_OK;
    cut(&all, from, from + held);
    chi_parallel(text->context, PIECES, count_lines, &all);
    for (int k = 0; k < PIECES; k++) all.first[k + 1] += all.first[k];
    int64_t lines = all.first[PIECES];
    TRY(kind->reserve(user, lines, &plain));
    if (plain) chi_parallel(text->context, PIECES, parse_lines, &all);
    for (int k = 0; k < PIECES; k++) plain &= all.plain[k];
    *taken = plain ? lines : -1;
    if (!plain) return CH_OK;
    text->begin += held;
    text->number += lines;
    return CH_OK;
}
