/* libFuzzer target for raw text: whatever the bytes are, reading them as a corpus or as lines ends
 * with a status and a message, gives back all memory, and what it gives holds together. The first
 * two bytes of an input choose the settings. See fuzz_read.c for how to build and run it. */
#include <conehull/corpus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void *counted_alloc(size_t bytes, void *live) {
    ++*(int64_t *)live;
    return malloc(bytes);
}

static void counted_release(void *block, void *live) {
    --*(int64_t *)live;
    free(block);
}

static void write_input(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) abort();
}

static void check_corpus(ch_context *context, const ch_corpus *corpus) {
    if (ch_matrix_check(context, &corpus->X) != CH_OK) abort();
    if (corpus->terms.count != corpus->X.rows || corpus->names.count != corpus->X.cols) abort();
    for (int64_t i = 0; i < corpus->terms.count; i++) {
        if (!corpus->terms.text[i][0]) abort();
        if (i && strcmp(corpus->terms.text[i - 1], corpus->terms.text[i]) >= 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char path[64];
    int64_t live = 0;
    ch_memory memory = {counted_alloc, counted_release, &live};
    ch_context *context;
    ch_corpus_settings settings;
    ch_corpus corpus;
    ch_lines lines;
    if (count < 2) return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-corpus-%ld.txt", (long)getpid());
    write_input(path, bytes + 2, count - 2);
    if (ch_context_create(&context, &memory)) abort();
    ch_settings_defaults(&ch_corpus_table, &settings);
    settings.encoding = bytes[0] & 1;
    settings.keep_case = bytes[0] >> 1 & 1;
    settings.numbers = bytes[0] >> 2 & 1;
    settings.hyphens = bytes[0] >> 3 & 1;
    settings.min_length = 1 + (bytes[0] >> 4 & 3);
    settings.max_terms = bytes[1] & 7;
    settings.min_df = 1 + (bytes[1] >> 3 & 1);
    settings.stop_words = bytes[1] >> 4 & 1 ? "english" : bytes[1] >> 5 & 1 ? path : NULL;
    ch_status status = ch_read_corpus(context, &corpus, path, &settings);
    if (status > 0 || status == CH_ERR_INTERNAL) abort();
    if (status < 0 && !*ch_context_message(context)) abort();
    if (status == CH_OK) {
        check_corpus(context, &corpus);
        ch_corpus_free(context, &corpus);
    }
    if (ch_read_lines(context, &lines, path, -1, NULL) == CH_OK) ch_lines_free(context, &lines);
    ch_context_destroy(context);
    if (live) abort();
    unlink(path);
    return 0;
}
