/* Raw text: whatever the bytes are, reading them as a corpus or as lines ends with a status and a
 * message, gives back all memory, and what it gives holds together. The first two bytes of an input
 * choose the settings. */
#include "fuzz.h"
#include <conehull/corpus.h>
#include <string.h>
#include <unistd.h>

fuzz_target fuzz_corpus;

static void check_corpus(ch_context *context, const ch_corpus *corpus) {
    const ch_text_list *terms = &corpus->terms;
    fuzz_require(ch_matrix_check(context, &corpus->X) == CH_OK, "%s", ch_context_message(context));
    fuzz_require(terms->count == corpus->X.rows && corpus->names.count == corpus->X.cols,
                 "%lld terms", (long long)terms->count);
    for (int64_t i = 0; i < terms->count; i++) {
        fuzz_require(terms->text[i][0], "term %lld is empty", (long long)i);
        fuzz_require(i == 0 || strcmp(terms->text[i - 1], terms->text[i]) < 0, "%s after %s",
                     terms->text[i], terms->text[i - 1]);
    }
}

static ch_status read_corpus(ch_context *context, const char *path, unsigned first,
                             unsigned second) {
    ch_corpus_settings settings;
    ch_corpus corpus = {.size = sizeof corpus};
    ch_corpus_defaults(&settings);
    settings.encoding = first & 1;
    settings.keep_case = first >> 1 & 1;
    settings.numbers = first >> 2 & 1;
    settings.hyphens = first >> 3 & 1;
    settings.min_length = 1 + (first >> 4 & 3);
    settings.max_terms = second & 7;
    settings.min_df = 1 + (second >> 3 & 1);
    settings.stop_words = second >> 4 & 1 ? "english" : second >> 5 & 1 ? path : NULL;
    ch_status status = ch_corpus_read(context, &corpus, path, &settings);
    fuzz_require(status <= 0, "stopped although nobody asked it to");
    if (status == CH_OK) {
        check_corpus(context, &corpus);
        ch_corpus_free(context, &corpus);
    }
    return status;
}

int fuzz_corpus(const uint8_t *bytes, size_t count) {
    fuzz_run run;
    ch_text_list lines;
    if (count < 2) return 0;
    const char *path = fuzz_path(".txt");
    fuzz_write(path, bytes + 2, count - 2);
    fuzz_begin(&run, count);
    ch_status status = read_corpus(run.context, path, bytes[0], bytes[1]);
    if (ch_text_list_read(run.context, &lines, path, -1, NULL) == CH_OK)
        ch_text_list_free(run.context, &lines);
    fuzz_end(&run, status);
    unlink(path);
    return 0;
}
