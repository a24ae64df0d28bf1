/* Counts of words per document, updated while the text is read. Each word has a counter for the
 * current document; each finished document has a list of its words and their counts. Memory: the
 * vocabulary and these lists. */
#include "text/corpus/corpus_internal.h"

ch_status chi_counts_create(ch_context *context, chi_counts *counts, const char *path) {
    *counts = (chi_counts){0};
    TRY(chi_vocabulary_create(context, &counts->words, path));
    ch_status status = chi_array_double(context, &counts->entries.start, &counts->start_capacity, 0,
                                        sizeof *counts->entries.start, path, "documents");
    if (status == CH_OK)
        counts->entries.start[0] = 0;
    else
        chi_counts_free(counts);
    return status;
}

void chi_counts_free(chi_counts *counts) {
    ch_context *context = counts->words.context;
    if (!context) return;
    chi_free(context, counts->of);
    chi_compressed_free(context, &counts->entries);
    chi_vocabulary_free(&counts->words);
    *counts = (chi_counts){0};
}

ch_status chi_counts_word(chi_counts *counts, const char *word, int length) {
    int64_t known = counts->words.count;
    int32_t number;
    TRY(chi_vocabulary_add(&counts->words, &number, word, length));
    if (number == known) {
        if (known == counts->word_capacity)
            TRY(chi_array_double(counts->words.context, &counts->of, &counts->word_capacity, known,
                                 sizeof *counts->of, counts->words.path, "counts of terms"));
        counts->of[number].documents = counts->of[number].here = 0;
    }
    if (counts->of[number].here++ == 0) counts->of[counts->seen_count++].seen = number;
    counts->total++;
    return CH_OK;
}

void chi_counts_forget_document(chi_counts *counts) {
    for (int64_t k = 0; k < counts->seen_count; k++) {
        chi_word_count *word = &counts->of[counts->of[k].seen];
        counts->total -= word->here;
        word->here = 0;
    }
    counts->seen_count = 0;
}

static ch_status reserve(chi_counts *counts) {
    ch_context *context = counts->words.context;
    const char *path = counts->words.path;
    if (counts->cols + 2 > counts->start_capacity)
        TRY(chi_array_double(context, &counts->entries.start, &counts->start_capacity,
                             counts->cols + 1, sizeof *counts->entries.start, path, "documents"));
    while (counts->entries.count + counts->seen_count > counts->entry_capacity) {
        int64_t capacity = counts->entry_capacity;
        TRY(chi_array_double(context, &counts->entries.index, &capacity, counts->entries.count,
                             sizeof *counts->entries.index, path, "counts"));
        capacity = counts->entry_capacity;
        TRY(chi_array_double(context, &counts->entries.value, &capacity, counts->entries.count,
                             sizeof *counts->entries.value, path, "counts"));
        counts->entry_capacity = capacity;
    }
    return CH_OK;
}

ch_status chi_counts_end_document(chi_counts *counts) {
    TRY(reserve(counts));
    for (int64_t k = 0; k < counts->seen_count; k++) {
        int64_t to = counts->entries.count++;
        chi_word_count *word = &counts->of[counts->of[k].seen];
        counts->entries.index[to] = counts->of[k].seen;
        counts->entries.value[to] = (double)word->here;
        word->documents++;
        word->here = 0;
    }
    counts->seen_count = 0;
    counts->entries.start[++counts->cols] = counts->entries.count;
    return CH_OK;
}
