/* Counts of words per document, gathered while the text goes by: per word one counter for the
 * document at hand, per document the words it holds. Memory: vocabulary and entries. */
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
    chi_free(context, counts->documents);
    chi_free(context, counts->here);
    chi_free(context, counts->seen);
    chi_compressed_free(context, &counts->entries);
    chi_vocabulary_free(&counts->words);
    *counts = (chi_counts){0};
}

static ch_status grow_words(chi_counts *counts, int64_t used) {
    ch_context *context = counts->words.context;
    const char *path = counts->words.path, *what = "counts of terms";
    int64_t capacity = counts->word_capacity;
    TRY(chi_array_double(context, &counts->documents, &capacity, used, sizeof *counts->documents,
                         path, what));
    capacity = counts->word_capacity;
    TRY(chi_array_double(context, &counts->here, &capacity, used, sizeof *counts->here, path,
                         what));
    capacity = counts->word_capacity;
    TRY(chi_array_double(context, &counts->seen, &capacity, counts->seen_count,
                         sizeof *counts->seen, path, what));
    counts->word_capacity = capacity;
    return CH_OK;
}

ch_status chi_counts_word(chi_counts *counts, const char *word, int length) {
    int64_t known = counts->words.count;
    int32_t number;
    TRY(chi_vocabulary_add(&counts->words, &number, word, length));
    if (number == known) {
        if (known == counts->word_capacity) TRY(grow_words(counts, known));
        counts->documents[number] = counts->here[number] = 0;
    }
    if (counts->here[number]++ == 0) counts->seen[counts->seen_count++] = number;
    counts->total++;
    return CH_OK;
}

static ch_status make_room(chi_counts *counts) {
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
    TRY(make_room(counts));
    for (int64_t k = 0; k < counts->seen_count; k++) {
        int32_t word = counts->seen[k];
        int64_t to = counts->entries.count++;
        counts->entries.index[to] = word;
        counts->entries.value[to] = (double)counts->here[word];
        counts->documents[word]++;
        counts->here[word] = 0;
    }
    counts->seen_count = 0;
    counts->entries.start[++counts->cols] = counts->entries.count;
    return CH_OK;
}
