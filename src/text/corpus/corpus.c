/* From raw text to counts: reads the files in order, splits them into words, then makes the terms.
 * O(bytes), and a sort of the terms. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include "text/corpus/corpus_internal.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- settings ---- */

static const char *const encodings[] = {"utf8", "latin1", "auto", NULL};

#define AT(field) offsetof(ch_corpus_settings, field)
static const ch_setting rows[] = {
    {"encoding", CH_SETTING_CHOICE, AT(encoding), CH_ENCODING_UTF8, 0, 2, encodings, "E",
     "encoding of the text. utf8: UTF-8; any other byte is an error that names its position. "
     "latin1: ISO 8859-1 and Windows-1252. auto: UTF-8, but invalid bytes are read as "
     "Windows-1252"},
    {"keep_case", CH_SETTING_FLAG, AT(keep_case), 0, 0, 1, NULL, NULL,
     "do not convert words to lower case"},
    {"numbers", CH_SETTING_FLAG, AT(numbers), 0, 0, 1, NULL, NULL,
     "count numbers as words. Without this option a word must contain a letter"},
    {"hyphens", CH_SETTING_FLAG, AT(hyphens), 0, 0, 1, NULL, NULL,
     "a hyphen between letters is part of the word. Without this option it separates two words"},
    {"min_length", CH_SETTING_INT, AT(min_length), 2, 1, 255, NULL, "N",
     "leave out words of fewer than N letters"},
    {"min_df", CH_SETTING_INT, AT(min_df), 1, 1, 1e15, NULL, "N",
     "leave out terms (words or pairs) that occur in fewer than N documents"},
    {"max_df", CH_SETTING_REAL, AT(max_df), 1, 0, 1, NULL, "S",
     "leave out terms that occur in more than this share of the documents, from 0 to 1"},
    {"max_terms", CH_SETTING_INT, AT(max_terms), 0, 0, 2147483646, NULL, "N",
     "use at most this many terms, those that occur in the most documents; 0: use all terms"},
    {"bigrams", CH_SETTING_FLAG, AT(bigrams), 0, 0, 1, NULL, NULL,
     "also count pairs of successive words as terms, such as new_york"},
    {"mail", CH_SETTING_FLAG, AT(mail), 0, 0, 1, NULL, NULL,
     "skip headers, quoted lines and signatures of mails and news postings"},
    {"excerpts", CH_SETTING_INT, AT(excerpts), 0, 0, CHI_EXCERPT_MAX, NULL, "N",
     "number of letters of each document stored as an excerpt; 0: none"},
    {"skip_bad", CH_SETTING_FLAG, AT(skip_bad), 0, 0, 1, NULL, NULL,
     "leave out files of a folder that cannot be read or are not text, and list them. By default "
     "such a file is an error"},
};
CHI_SETTINGS_TABLE(ch_corpus_table, "corpus", rows, ch_corpus_settings)

/* ---- documents ---- */

/* Reads a file with a document per line, or a mailbox. */
static ch_status read_lines(chi_corpus_reader *read, ch_text_list *names, const char *path) {
    chi_vocabulary all;
    read->by_mail = chi_corpus_is_mailbox(path);
    read->by_line = !read->by_mail;
    const char *noun = read->by_mail ? "mail" : "line";
    ch_status status = chi_corpus_read_file(read, path);
    if (status != CH_OK) return status;
    TRY(chi_vocabulary_create(read->context, &all, path));
    for (int64_t j = 0; j < read->counts.cols && status == CH_OK; j++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%s %lld", noun, (long long)j + 1);
        status = chi_vocabulary_add(&all, NULL, name, length);
    }
    if (status == CH_OK) status = chi_lines_copy(read->context, names, &all, NULL, all.count);
    chi_vocabulary_free(&all);
    return status;
}

/* Labels each file by the first folder of its path; no labels if a file has no folder. */
static ch_status label_files(chi_corpus_reader *read, ch_text_list *labels,
                             const chi_vocabulary *files, const int32_t *order, int64_t count) {
    chi_list list = {.context = read->context, .path = files->path};
    ch_status status = CH_OK;
    for (int64_t i = 0; i < count && status == CH_OK; i++) {
        const char *path = chi_vocabulary_word(files, order[i]), *slash = strchr(path, '/');
        if (!slash) break;
        status = chi_list_add(&list, path, slash - path);
    }
    if (status == CH_OK && list.count == count) status = chi_list_give(labels, &list);
    chi_list_free(&list);
    return status;
}

static ch_status read_table(chi_corpus_reader *read, ch_corpus *corpus, const char *path) {
    chi_list names = {.context = read->context, .path = path}, labels = names;
    read->path = path;
    ch_status status = chi_corpus_read_table(read, &names, &labels, path);
    if (status == CH_OK) status = chi_list_give(&corpus->names, &names);
    if (status == CH_OK && labels.count) status = chi_list_give(&corpus->labels, &labels);
    chi_list_free(&names);
    chi_list_free(&labels);
    return status;
}

/* order[0 .. *count): numbers of the files that were read. */
static ch_status read_files(chi_corpus_reader *read, chi_bad_files *bad, int32_t *order,
                            int64_t *count, const chi_vocabulary *files, const char *folder) {
    char path[4096];
    size_t length = strlen(folder);
    for (int64_t i = 0; i < files->count; i++) {
        snprintf(path, sizeof path, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/",
                 chi_vocabulary_word(files, i));
        ch_status status = chi_corpus_read_file(read, path);
        if (chi_is_bad_file(status)) {
            chi_corpus_forget_document(read);
            TRY(chi_bad_files_add(bad, status, chi_vocabulary_word(files, i)));
        } else if (status != CH_OK) {
            return status;
        } else {
            order[(*count)++] = (int32_t)i;
        }
        if (chi_notify(read->context, "read", i + 1, files->count, -1, 0)) return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

static ch_status read_folder(chi_corpus_reader *read, ch_corpus *corpus, const char *folder) {
    ch_text_list *names = &corpus->names;
    ch_context *context = read->context;
    chi_bad_files bad = {.list = {.context = context, .path = folder}};
    chi_vocabulary files;
    int32_t *order = NULL;
    int64_t count = 0;
    bad.skip = read->settings->skip_bad;
    TRY(chi_vocabulary_create(context, &files, folder));
    ch_status status =
        chi_corpus_files(context, &files, &corpus->others, &corpus->skipped, &bad, folder);
    if (status == CH_OK) order = chi_alloc(context, files.count, sizeof *order);
    if (status == CH_OK && !order)
        status = chi_no_memory(context, "file names", files.count, sizeof *order);
    if (status == CH_OK) status = read_files(read, &bad, order, &count, &files, folder);
    if (status == CH_OK) status = chi_bad_files_end(&bad, &corpus->bad, folder);
    if (status == CH_OK) status = chi_lines_copy(context, names, &files, order, count);
    /* File names may hold any bytes; names of documents must be one line of UTF-8. */
    for (int64_t j = 0; j < names->count && status == CH_OK; j++)
        ch_text_make_printable(names->bytes + (names->text[j] - names->bytes));
    if (status == CH_OK) status = label_files(read, &corpus->labels, &files, order, count);
    chi_free(context, order);
    chi_list_free(&bad.list);
    chi_vocabulary_free(&files);
    return status;
}

void ch_corpus_free(ch_context *context, ch_corpus *corpus) {
    if (!corpus) return;
    ch_matrix_free(context, &corpus->X);
    ch_text_list_free(context, &corpus->terms);
    ch_text_list_free(context, &corpus->names);
    ch_text_list_free(context, &corpus->labels);
    ch_text_list_free(context, &corpus->excerpts);
    if (corpus->size > offsetof(ch_corpus, skipped)) /* not a program without this member */
        ch_text_list_free(context, &corpus->skipped);
    if (corpus->size > offsetof(ch_corpus, bad)) ch_text_list_free(context, &corpus->bad);
    chi_free(context, corpus->lengths);
    chi_result_clear(corpus);
}

/* Refuses settings that have no meaning for this kind of source. */
static ch_status check_source(ch_context *context, const char *path,
                              const ch_corpus_settings *set) {
    struct stat facts;
    int folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    int table = !folder && chi_corpus_is_table(path);
    if (set->text_column && !table && chi_has_suffix(path, ".json"))
        return chi_fail(context, CH_ERR_SETTING,
                        "%s: of JSON files only JSON lines (.jsonl) can be read, one object per "
                        "line; convert an array with: jq -c '.[]' FILE.json >FILE.jsonl",
                        path);
    if (set->text_column && !table)
        return chi_fail(
            context, CH_ERR_SETTING,
            "%s: the setting 'text-column' can be used with .csv, .tsv and .jsonl files only",
            path);
    if (table && !set->text_column)
        return chi_fail(context, CH_ERR_SETTING,
                        "%s: this is a table; give the name or the number of its column that "
                        "contains the texts (setting 'text-column')",
                        path);
    if ((set->name_column || set->label_column) && !table)
        return chi_fail(
            context, CH_ERR_SETTING,
            "%s: the settings 'name-column' and 'label-column' can be used with .csv, .tsv "
            "and .jsonl files only",
            path);
    if (set->mail && !folder && !table && !chi_corpus_is_mailbox(path))
        return chi_fail(
            context, CH_ERR_SETTING,
            "%s: the setting 'mail' cannot be used with a file that has one document per "
            "line; give a folder with a file for each mail, or a mailbox whose name ends in .mbox",
            path);
    return CH_OK;
}

/* Reads the documents of a path into read->counts, with their names and labels. */
static ch_status read_path(chi_corpus_reader *read, ch_corpus *corpus, const void *from) {
    const char *path = from;
    struct stat facts;
    int folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    TRY(check_source(read->context, path, read->settings));
    if (read->settings->text_column) return read_table(read, corpus, path);
    return folder ? read_folder(read, corpus, path) : read_lines(read, &corpus->names, path);
}

/* Reads texts in memory. */
static ch_status read_texts(chi_corpus_reader *read, ch_corpus *corpus, const void *from) {
    const ch_text_list *documents = from;
    (void)corpus;
    read->path = read->text_name;
    for (int64_t j = 0; j < documents->count; j++) {
        snprintf(read->text_name, sizeof read->text_name, "document %lld", (long long)j);
        TRY(chi_corpus_read_bytes(read, documents->text[j], (int64_t)strlen(documents->text[j]),
                                  1));
        if (chi_notify(read->context, "read", j + 1, documents->count, -1, 0))
            return CH_STOP_CANCELLED;
    }
    read->path = "the documents";
    return CH_OK;
}

/* ---- the calls ---- */

typedef ch_status (*source_fn)(chi_corpus_reader *, ch_corpus *, const void *);

static ch_status read_all(chi_corpus_reader *read, ch_corpus *corpus, source_fn source,
                          const void *from) {
    TRY(chi_corpus_stop_words(read->context, &read->stop, read->settings));
    TRY_OK(source(read, corpus, from));
    corpus->looks_utf8 = read->sequences > 0 && read->strays == 0;
    if (read->settings->excerpts > 0) TRY(chi_list_give(&corpus->excerpts, &read->excerpts));
    return chi_corpus_terms(read->context, corpus, &read->counts, read->settings);
}

/* Fills corpus from a source; `what` names it in messages. */
static ch_status run(ch_context *context, ch_corpus *corpus, const char *what, source_fn source,
                     const void *from, const ch_corpus_settings *settings) {
    ch_corpus_settings set;
    TRY(chi_sized_check(context, corpus, "ch_corpus"));
    TRY(chi_settings_take(context, &set, ch_corpus_table(), settings));
    chi_corpus_reader *read = chi_alloc_zero(context, 1, sizeof *read);
    if (!read) return chi_no_memory(context, "a reader of text", 1, sizeof *read);
    read->context = context;
    read->settings = &set;
    read->excerpts = (chi_list){.context = context, .path = what};
    chi_mail_start(&read->mail);
    chi_tokens_start(&read->tokens, &set, chi_corpus_take_word, read);
    ch_corpus made = {.size = sizeof made};
    ch_status status = chi_stem_open(context, &read->stemmer, set.stem);
    if (status == CH_OK) status = chi_counts_create(context, &read->counts, what);
    if (status == CH_OK) status = chi_vocabulary_create(context, &read->stop, what);
    if (status == CH_OK) status = read_all(read, &made, source, from);
    if (status == CH_OK && corpus->size <= offsetof(ch_corpus, skipped))
        ch_text_list_free(context, &made.skipped); /* a program without this member */
    if (status == CH_OK && corpus->size <= offsetof(ch_corpus, bad))
        ch_text_list_free(context, &made.bad);
    if (status == CH_OK)
        chi_result_give(corpus, &made, sizeof made);
    else
        ch_corpus_free(context, &made);
    if (status == CH_STOP_CANCELLED) chi_result_clear(corpus);
    chi_counts_free(&read->counts);
    chi_vocabulary_free(&read->stop);
    chi_list_free(&read->excerpts);
    chi_stem_close(read->stemmer);
    chi_free(context, read);
    return status;
}

ch_status ch_corpus_read(ch_context *context, ch_corpus *corpus, const char *path,
                         const ch_corpus_settings *settings) {
    if (!context || !corpus) return CH_ERR_ARGUMENT;
    if (!path || !*path)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the name of the file or folder of texts is missing or empty");
    return run(context, corpus, path, read_path, path, settings);
}

ch_status ch_corpus_count(ch_context *context, ch_corpus *corpus, const ch_text_list *documents,
                          const ch_corpus_settings *settings) {
    if (!context || !corpus) return CH_ERR_ARGUMENT;
    if (!documents || documents->count < 1 || !documents->text)
        return chi_fail(context, CH_ERR_ARGUMENT, "the list of documents is empty");
    return run(context, corpus, "the documents", read_texts, documents, settings);
}
