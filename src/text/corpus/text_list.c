/* Lists of texts: terms, names of documents, labels. */
#include "text/corpus/corpus_internal.h"
#include <assert.h>
#include <string.h>

ch_status chi_lines_copy(ch_context *context, ch_text_list *lines, const chi_vocabulary *words,
                         const int32_t *order, int64_t count) {
    int64_t bytes = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t *start = words->start + (order ? order[k] : k);
        bytes += start[1] - start[0];
    }
    TRY(chi_text_list_create(context, lines, count, bytes));
    char *to = lines->bytes;
    for (int64_t k = 0; k < count; k++) {
        const int64_t *start = words->start + (order ? order[k] : k);
        lines->text[k] = to;
        memcpy(to, words->bytes + start[0], (size_t)(start[1] - start[0]));
        to += start[1] - start[0];
    }
    return CH_OK;
}

static ch_status check_line(const chi_text *text, const char *line, const char *end) {
    int64_t bad = chi_utf8_check(line, end - line);
    if (bad < 0 && (int64_t)strlen(line) == end - line) return CH_OK;
    if (bad < 0)
        return chi_fail(text->context, CH_ERR_FORMAT,
                        "%s: line %lld: the line contains a zero byte, so this is not a text file",
                        text->path, (long long)text->number);
    return chi_fail(text->context, CH_ERR_FORMAT,
                    "%s: line %lld: byte %lld of the line, 0x%02x, is not valid UTF-8; convert the "
                    "file to UTF-8",
                    text->path, (long long)text->number, (long long)bad + 1, (uint8_t)line[bad]);
}

/* Joins lines, each terminated by a zero, into lines->bytes; *used = their size in bytes. */
static ch_status gather(ch_text_list *lines, int64_t *used, chi_text *text) {
    for (int64_t capacity = 0;;) {
        char *line, *end;
        ch_status status = chi_text_line(text, &line, &end);
        if (status != CH_OK || !line) return status;
        TRY(check_line(text, line, end));
        int64_t length = end - line + 1;
        while (*used + length > capacity)
            TRY(chi_array_double(text->context, &lines->bytes, &capacity, *used, 1, text->path,
                                 "lines"));
        assert(lines->bytes); /* length is at least 1 */
        memcpy(lines->bytes + *used, line, (size_t)length);
        *used += length;
        lines->count++;
    }
}

ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                            int64_t expected, const char *what) {
    chi_text text;
    if (!context || !lines) return CH_ERR_ARGUMENT;
    if (!path || !*path)
        return chi_fail(context, CH_ERR_ARGUMENT, "the name of a file is missing or empty");
    TRY(chi_text_open(context, &text, path));
    ch_text_list all = {0}, made;
    int64_t used = 0;
    ch_status status = gather(&all, &used, &text);
    if (status == CH_OK && expected >= 0 && all.count != expected)
        status = chi_fail(context, CH_ERR_DATA,
                          "%s: the file has %lld line%s, but there are %lld %s; it must have one "
                          "line for each of them",
                          path, (long long)all.count, all.count == 1 ? "" : "s",
                          (long long)expected, what ? what : "values");
    if (status == CH_OK) status = chi_text_list_create(context, &made, all.count, used);
    if (status == CH_OK) {
        if (used) memcpy(made.bytes, all.bytes, (size_t)used);
        const char *at = made.bytes;
        for (int64_t k = 0; k < made.count; k++, at += strlen(at) + 1) made.text[k] = at;
        *lines = made;
    }
    chi_text_close(&text);
    ch_text_list_free(context, &all);
    if (status == CH_STOP_CANCELLED) *lines = (ch_text_list){0};
    return status;
}
