/* Lists of texts: names of rows and columns, terms, documents. */
#include "io/file/format.h"
#include <stdlib.h>
#include <string.h>

void ch_text_list_free(ch_context *context, ch_text_list *lines) {
    if (!lines) return;
    chi_free(context, lines->text);
    chi_free(context, lines->bytes);
    *lines = (ch_text_list){0};
}

void ch_matrix_names_free(ch_context *context, ch_matrix_names *names) {
    if (!names) return;
    ch_text_list_free(context, &names->rows);
    ch_text_list_free(context, &names->columns);
}

ch_status chi_text_list_create(ch_context *context, ch_text_list *lines, int64_t count,
                               int64_t bytes) {
    *lines = (ch_text_list){.count = count};
    lines->text = chi_alloc(context, count, sizeof *lines->text);
    lines->bytes = chi_alloc(context, bytes, 1);
    if (lines->text && lines->bytes) return CH_OK;
    ch_text_list_free(context, lines);
    return chi_no_memory(context, "a list of texts", count, sizeof *lines->text);
}

ch_status chi_list_add(chi_list *list, const char *text, int64_t length) {
    while (list->used + length + 1 > list->capacity)
        TRY(chi_array_double(list->context, &list->bytes, &list->capacity, list->used, 1,
                             list->path, "texts"));
    memcpy(list->bytes + list->used, text, (size_t)length);
    list->bytes[list->used + length] = '\0';
    list->used += length + 1;
    list->count++;
    return CH_OK;
}

ch_status chi_list_give(ch_text_list *lines, chi_list *list) {
    TRY(chi_text_list_create(list->context, lines, list->count, list->used));
    char *at = lines->bytes;
    if (list->used) memcpy(at, list->bytes, (size_t)list->used);
    for (int64_t k = 0; k < lines->count; k++) {
        lines->text[k] = at;
        char *next = at + strlen(at) + 1;
        ch_text_make_printable(at);
        at = next;
    }
    chi_list_free(list);
    return CH_OK;
}

ch_status ch_text_list_copy(ch_context *context, ch_text_list *lines, const char *const *texts,
                            int64_t count) {
    if (!context || !lines || count < 0 || (count > 0 && !texts)) return CH_ERR_ARGUMENT;
    chi_list list = {.context = context, .path = "a list of texts"};
    ch_text_list copy;
    ch_status status = CH_OK;
    for (int64_t k = 0; k < count && status == CH_OK; k++)
        status =
            texts[k] ? chi_list_add(&list, texts[k], (int64_t)strlen(texts[k])) : CH_ERR_ARGUMENT;
    if (status == CH_OK) status = chi_list_give(&copy, &list);
    if (status == CH_OK) *lines = copy; /* unchanged on failure */
    chi_list_free(&list);
    return status;
}

void chi_list_free(chi_list *list) {
    if (list->context) chi_free(list->context, list->bytes);
    list->bytes = NULL;
    list->used = list->capacity = list->count = 0;
}

static int only_counts(const chi_list *list) {
    const char *at = list->bytes;
    int64_t from = list->count > 0 && strcmp(at, "1") == 0;
    for (int64_t k = 0; k < list->count; k++, at += strlen(at) + 1) {
        char *end;
        if (strtoll(at, &end, 10) != k + from || end == at || *end) return 0;
    }
    return 1;
}

ch_status chi_list_give_names(ch_text_list *names, chi_list *list) {
    if (!only_counts(list)) return chi_list_give(names, list);
    chi_list_free(list);
    return CH_OK;
}
