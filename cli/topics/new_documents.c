/* conehull project with a folder of topics: the topics of new documents. */
#include "common/output_folder.h"
#include "common/try.h"
#include "topics/documents_table.h"
#include "topics/topics_folder.h"
#include <sys/stat.h>

/* The documents and their topics. */
typedef struct projected {
    const topics_stored *stored;
    const cli_text *text;
    topics_documents table; /* of the arrays below                          */
    double *document_topic; /* documents x rank, column-major               */
    const char **names;     /* rank                                         */
    int64_t *count;         /* rank: documents in which it is the strongest */
    int64_t *known, *unknown;
    char *few; /* documents: 1: less than 1 / PART of its words are known */
    int64_t few_count;
    int64_t known_words, unknown_words, without_topic;
    double seconds;
} projected;

static void count_documents(projected *found) {
    for (int64_t d = 0; d < found->table.documents; d++) {
        int64_t z = topics_strongest(&found->table, d);
        if (z < 0)
            found->without_topic++;
        else
            found->count[z]++;
    }
}

/* Counts the words of raw text that the topics know; a matrix has no others. */
static void count_known(projected *found) {
    enum { PART = 3 };
    const ch_corpus *corpus = &found->text->corpus;
    const ch_matrix *X = &corpus->X;
    for (int64_t d = 0; d < X->cols; d++) {
        for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++)
            found->known[d] += (int64_t)ch_matrix_at(X, X->row_index[k], d);
        found->unknown[d] = corpus->lengths[d] - found->known[d];
        found->known_words += found->known[d];
        found->unknown_words += found->unknown[d];
        found->few[d] = PART * found->known[d] < corpus->lengths[d];
        found->few_count += found->few[d];
    }
    found->table.few = found->few;
    found->table.known = found->known;
    found->table.unknown = found->unknown;
}

/* The topics of a text in another language, or on another subject, mean little. */
static void warn_of_unknown(const cli_session *session, const projected *found) {
    enum { NAMED = 3 };
    const ch_text_list *names = &found->text->corpus.names;
    char list[300] = "";
    int64_t named = 0;
    if (found->few_count == 0 || session->common.quiet) return;
    for (int64_t d = 0; d < names->count && named < NAMED; d++) {
        size_t used = strlen(list);
        if (!found->few[d]) continue;
        snprintf(list + used, sizeof list - used, "%s%.60s (%lld of %lld)", named ? ", " : "",
                 names->text[d], (long long)found->known[d],
                 (long long)(found->known[d] + found->unknown[d]));
        named++;
    }
    cli_complain("warning: less than a third of the words of %lld of %lld document%s are terms of "
                 "these topics: %s%s; their topics mean little (few_known in documents.csv)",
                 (long long)found->few_count, (long long)found->table.documents,
                 found->table.documents == 1 ? "" : "s", list,
                 found->few_count > named ? ", ..." : "");
}

static json_t *describe(const projected *found) {
    const topics_stored *stored = found->stored;
    const ch_corpus *corpus = &found->text->corpus;
    json_t *topics = json_array();
    for (int64_t z = 0; z < stored->topics.rank; z++)
        topics = cli_json_append(
            topics, cli_json_pack("name:s documents:i", found->names[z], found->count[z]));
    json_t *json =
        cli_json_pack("file:s rank:i shape:[ii] nnz:i unknown_words:i without_topic:i topics:o "
                      "seconds:{read:r project:r} status:s",
                      found->text->matrix.file, stored->topics.rank, stored->topics.terms,
                      corpus->X.cols, found->text->nonzeros, corpus->dropped, found->without_topic,
                      topics, found->text->seconds, found->seconds, cli_status_name(CH_OK));
    if (!found->table.known) return json;
    return cli_json_merge(json,
                          cli_json_pack("words:{known:i unknown:i} few_known:i", found->known_words,
                                        found->unknown_words, found->few_count));
}

static int write_folder(const cli_session *session, const projected *found, const char *path,
                        json_t *json) {
    cli_folder folder;
    int code = cli_folder_open(&folder, session, path);
    if (code == EXIT_DONE)
        code = cli_folder_matrix(&folder, "document_topic.npy", found->document_topic,
                                 found->table.documents, found->table.rank);
    if (code == EXIT_DONE) code = topics_write_tables(&folder, &found->table);
    cli_json_set_seconds(json, "write", cli_seconds() - folder.opened);
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "result.json", json);
    static const char *const stale[] = {"document_topics.csv", NULL};
    return cli_folder_close(&folder, code, stale);
}

static void print_people(const projected *found, const char *output) {
    long long documents = found->table.documents, unknown = found->unknown_words;
    printf("%lld document%s, by their strongest topic:\n", documents, documents == 1 ? "" : "s");
    printf("%5s %9s  name\n", "topic", "documents");
    for (int64_t z = 0; z < found->table.rank; z++)
        if (found->count[z])
            printf("%5lld %9lld  %s\n", (long long)z + 1, (long long)found->count[z],
                   cli_plain(found->names[z]));
    if (found->without_topic)
        printf("%5s %9lld  (no known word)\n", "", (long long)found->without_topic);
    if (found->table.known)
        printf("%lld of %lld words %s not among the terms of these topics\n", unknown,
               unknown + (long long)found->known_words, unknown == 1 ? "is" : "are");
    cli_say_written(output, NULL);
}

static int report(const cli_session *session, projected *found, const char *output) {
    json_t *json = describe(found);
    int code = json ? write_folder(session, found, output, json) : cli_no_memory();
    if (code == EXIT_DONE && session->common.json)
        code = cli_json_print(json_incref(json));
    else if (code == EXIT_DONE)
        print_people(found, output);
    json_decref(json);
    return code;
}

static int project(const cli_session *session, projected *found, const char *output) {
    const ch_topics *topics = &found->stored->topics;
    const ch_corpus *corpus = &found->text->corpus;
    size_t documents = (size_t)corpus->X.cols, rank = (size_t)topics->rank;
    double start = cli_seconds();
    found->document_topic = calloc(documents * rank + 1, sizeof(double));
    found->names = calloc(rank + 1, sizeof *found->names);
    found->count = calloc(rank + 1, sizeof(int64_t));
    found->known = calloc(documents + 1, sizeof(int64_t));
    found->unknown = calloc(documents + 1, sizeof(int64_t));
    found->few = calloc(documents + 1, 1);
    if (!found->document_topic || !found->names || !found->count || !found->known ||
        !found->unknown || !found->few)
        return cli_no_memory();
    for (size_t z = 0; z < rank; z++) found->names[z] = topics_name(found->stored, (int64_t)z);
    found->table = (topics_documents){.documents = corpus->X.cols,
                                      .rank = topics->rank,
                                      .document_topic = found->document_topic,
                                      .names = &corpus->names,
                                      .topic_names = found->names};
    TRY(cli_input_check(
        session, ch_topics_project(session->context, found->document_topic, &corpus->X, topics),
        &found->text->matrix));
    found->seconds = cli_seconds() - start;
    count_documents(found);
    if (found->text->raw) count_known(found);
    warn_of_unknown(session, found);
    return report(session, found, output);
}

/* A file with a document per line may have been meant as one document, like the files of a
 * folder. */
static void warn_of_lines(const cli_session *session, const cli_text *text,
                          const topics_stored *stored) {
    const char *path = session->options.operands[0];
    int lines = text->corpus.X.cols > 1 && text->corpus.names.count > 0 &&
                strcmp(text->corpus.names.text[0], "line 1") == 0;
    struct stat seen;
    if (!lines || session->common.quiet || !json_object_get(stored->json, "folder") ||
        stat(path, &seen) != 0 || S_ISDIR(seen.st_mode))
        return;
    cli_complain("warning: %s is read as %lld documents, one per line, but the topics are of a "
                 "folder with a document per file; to read it as one document, put it into a "
                 "folder and give that",
                 path, (long long)text->corpus.X.cols);
}

/* Raw text is counted like that of the topics, with their terms; a matrix has their rows. */
static int read_documents(const cli_session *session, cli_text *text, const topics_stored *stored,
                          const char *encoding) {
    const char *path = session->options.operands[0], *folder = session->options.operands[1];
    if (text->settings.text_column || ch_corpus_is_text(path)) {
        TRY(topics_text_settings(&text->settings, stored, session, folder));
        if (encoding)
            TRY(cli_check(session, ch_settings_set(session->context, ch_corpus_table(),
                                                   &text->settings, "encoding", encoding)));
        TRY(cli_text_read_raw(text, session, path));
        warn_of_lines(session, text, stored);
        cli_text_warn_empty(session, &text->corpus, text->corpus.empty);
        return EXIT_DONE;
    }
    struct stat seen;
    if (stat(path, &seen) == 0 && S_ISDIR(seen.st_mode))
        return cli_error(EXIT_FILES,
                         "%s: the folder contains no text files; these are files named .txt or "
                         ".txt.gz, or without a suffix",
                         path);
    TRY(cli_text_refuse_table(session, path));
    TRY(cli_input_read(&text->matrix, session, path));
    text->corpus.X = text->matrix.X;
    text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = text->matrix.seconds;
    if (text->matrix.X.rows == stored->topics.terms) return EXIT_DONE;
    return cli_refuse("%s: the file has %lld rows, but the topics of %s have %lld terms; is "
                      "--transpose missing, or given by mistake?",
                      path, (long long)text->matrix.X.rows, folder,
                      (long long)stored->topics.terms);
}

int topics_project(const cli_session *session, cli_text *text, const char *output,
                   const char *encoding) {
    topics_stored stored;
    projected found = {.stored = &stored, .text = text};
    if (ch_context_comm(session->context))
        return cli_refuse(
            "project: the topics of documents can be computed in one process only, not in several");
    int code = topics_read(&stored, session, session->options.operands[1]);
    if (code == EXIT_DONE) code = read_documents(session, text, &stored, encoding);
    if (code == EXIT_DONE) code = project(session, &found, output);
    free(found.document_topic);
    free(found.names);
    free(found.count);
    free(found.known);
    free(found.unknown);
    free(found.few);
    topics_stored_free(&stored, session);
    return code;
}
