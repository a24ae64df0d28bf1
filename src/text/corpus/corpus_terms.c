/* Chooses which words become terms, sorts them, and makes the matrix with rows in that order. */
#include "base/arena.h"
#include "text/corpus/corpus_internal.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    const char *word;
    int64_t documents;
    int32_t number;
} candidate;

static int by_documents(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    if (a->documents != b->documents) return a->documents > b->documents ? -1 : 1;
    return strcmp(a->word, b->word);
}

static int by_bytes(const void *left, const void *right) {
    return strcmp(((const candidate *)left)->word, ((const candidate *)right)->word);
}

/* Lists the words within the limits, sorted; returns their number. */
static int64_t choose(candidate *list, const chi_counts *counts,
                      const ch_corpus_settings *settings) {
    double most = settings->max_df * (double)counts->cols;
    int64_t count = 0;
    for (int32_t i = 0; i < counts->words.count; i++) {
        int64_t documents = counts->of[i].documents;
        if (documents < settings->min_df || (double)documents > most) continue;
        list[count++] = (candidate){chi_vocabulary_word(&counts->words, i), documents, i};
    }
    if (settings->max_terms > 0 && count > settings->max_terms) {
        qsort(list, (size_t)count, sizeof *list, by_documents);
        count = settings->max_terms;
    }
    qsort(list, (size_t)count, sizeof *list, by_bytes);
    return count;
}

/* Keeps the entries of terms, in place, with the new numbers. */
static void renumber(chi_counts *counts, const int32_t *row) {
    chi_compressed *entries = &counts->entries;
    int64_t to = 0, from = 0;
    for (int64_t j = 0; j < counts->cols; j++) {
        for (; from < entries->start[j + 1]; from++) {
            int32_t number = row[entries->index[from]];
            if (number < 0) continue;
            entries->index[to] = number;
            entries->value[to++] = entries->value[from];
        }
        entries->start[j + 1] = to;
    }
    entries->count = to;
}

/* Measures each document over all of its words, before those that are not terms are removed. */
static ch_status measure_documents(ch_context *context, ch_corpus *corpus,
                                   const chi_counts *counts) {
    const chi_compressed *entries = &counts->entries;
    corpus->lengths = chi_alloc_zero(context, counts->cols, sizeof *corpus->lengths);
    if (!corpus->lengths)
        return chi_no_memory(context, "lengths of documents", counts->cols, sizeof(int64_t));
    for (int64_t j = 0; j < counts->cols; j++)
        for (int64_t k = entries->start[j]; k < entries->start[j + 1]; k++)
            corpus->lengths[j] += (int64_t)entries->value[k];
    return CH_OK;
}

/* Makes X and the related counts; row = number of each word among the terms, or -1. */
static ch_status build(ch_context *context, ch_corpus *corpus, chi_counts *counts,
                       const int32_t *row, int64_t terms) {
    int64_t dropped = 0; /* words of files that were left out are in no document */
    for (int64_t i = 0; i < counts->words.count; i++)
        dropped += row[i] < 0 && counts->of[i].documents > 0;
    TRY(measure_documents(context, corpus, counts));
    renumber(counts, row);
    TRY(chi_csc_from_compressed(context, &corpus->X, counts->words.path, &counts->entries, terms,
                                counts->cols, 0, CHI_TRY_UNSIGNED));
    corpus->words = counts->total;
    corpus->dropped = dropped;
    const int64_t *start = corpus->X.column_start;
    for (int64_t j = 0; j < counts->cols; j++) corpus->empty += start[j] == start[j + 1];
    return CH_OK;
}

/* Terms chosen from the documents themselves. */
static ch_status build_chosen(ch_context *context, ch_corpus *corpus, chi_counts *counts,
                              const candidate *list, int32_t *row, int64_t count) {
    int32_t *order = row + counts->words.count;
    for (int64_t k = 0; k < count; k++) {
        row[list[k].number] = (int32_t)k;
        order[k] = list[k].number;
    }
    TRY(chi_lines_copy(context, &corpus->terms, &counts->words, order, count));
    return build(context, corpus, counts, row, count);
}

static ch_status no_terms(ch_context *context, const chi_counts *counts,
                          const ch_corpus_settings *settings) {
    const char *column = settings->text_column;
    if (counts->cols == 0)
        return chi_fail(context, CH_ERR_DATA, "%s: the input contains no documents",
                        counts->words.path);
    if (counts->words.count == 0)
        return chi_fail(context, CH_ERR_DATA,
                        "%s: %s%s%s no words; a word must contain a letter, have at least %lld "
                        "characters and not be a stop word",
                        counts->words.path, column ? "the column '" : "",
                        column ? column : "the documents contain", column ? "' contains" : "",
                        (long long)settings->min_length);
    return chi_fail(context, CH_ERR_DATA,
                    "%s: no terms are left: the input has %lld document%s with %lld distinct "
                    "word%s, but none of them is within the limits min-df %lld and max-df %.15g",
                    counts->words.path, (long long)counts->cols, counts->cols == 1 ? "" : "s",
                    (long long)counts->words.count, counts->words.count == 1 ? "" : "s",
                    (long long)settings->min_df, settings->max_df);
}

/* Terms given by the caller; they are checked and copied as a separate vocabulary. */
static ch_status build_given(ch_context *context, ch_corpus *corpus, chi_counts *counts,
                             int32_t *row, const ch_text_list *given) {
    chi_vocabulary terms;
    TRY(chi_vocabulary_create(context, &terms, counts->words.path));
    ch_status status = CH_OK;
    for (int64_t k = 0; k < given->count && status == CH_OK; k++) {
        const char *term = given->text[k];
        int length = (int)strnlen(term, INT_MAX);
        int32_t number, word = chi_vocabulary_find(&counts->words, term, length);
        status = chi_vocabulary_add(&terms, &number, term, length);
        if (status == CH_OK && number != k)
            status = chi_fail(context, CH_ERR_DATA,
                              "the term \"%s\" occurs twice in the given list of terms", term);
        if (status == CH_OK && word >= 0) row[word] = number;
    }
    if (status == CH_OK)
        status = chi_lines_copy(context, &corpus->terms, &terms, NULL, terms.count);
    if (status == CH_OK) status = build(context, corpus, counts, row, terms.count);
    chi_vocabulary_free(&terms);
    return status;
}

ch_status chi_corpus_terms(ch_context *context, ch_corpus *corpus, chi_counts *counts,
                           const ch_corpus_settings *settings) {
    int64_t words = counts->words.count;
    chi_arena arena = {.context = context};
    candidate *list = chi_arena_alloc(&arena, words, sizeof *list);
    int32_t *row = chi_arena_alloc(&arena, 2 * words, sizeof *row);
    ch_status status = chi_arena_status(&arena, "a list of terms");
    for (int64_t i = 0; i < words && status == CH_OK; i++) row[i] = -1;
    if (status == CH_OK && settings->vocabulary) {
        status = build_given(context, corpus, counts, row, settings->vocabulary);
    } else if (status == CH_OK) {
        int64_t count = choose(list, counts, settings);
        status = count ? build_chosen(context, corpus, counts, list, row, count)
                       : no_terms(context, counts, settings);
    }
    chi_arena_free(&arena);
    return status;
}
