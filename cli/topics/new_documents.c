/* conehull project with a folder of topics: the topics of new documents. */
#include "common/output_folder.h"
#include "common/try.h"
#include "topics/topics_folder.h"

/* The documents, p(z | d) of each, and the largest of them. */
typedef struct projected {
    const topics_stored *stored;
    const cli_text *text;
    int64_t documents;
    double *document_topic; /* documents x rank, column-major        */
    int64_t *strongest;     /* documents: a topic, -1: no word known */
    int64_t *count;         /* rank: documents with this strongest   */
    double seconds;
} projected;

static void find_strongest(projected *found) {
    int64_t documents = found->documents, rank = found->stored->topics.rank;
    for (int64_t d = 0; d < documents; d++) {
        double most = 0;
        found->strongest[d] = -1;
        for (int64_t z = 0; z < rank; z++) {
            double share = found->document_topic[d + z * documents];
            if (share <= most) continue;
            most = share;
            found->strongest[d] = z;
        }
        if (found->strongest[d] >= 0) found->count[found->strongest[d]]++;
    }
}

/* A field of CSV: in quotes, and quotes doubled. */
static void put_field(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void write_table(FILE *to, const void *user) {
    const projected *found = user;
    const ch_text_list *names = &found->text->corpus.names;
    fputs("document,topic,topic_name,share\n", to);
    for (int64_t d = 0; d < found->documents; d++) {
        int64_t z = found->strongest[d];
        if (names->count)
            put_field(to, names->text[d]);
        else
            fprintf(to, "%lld", (long long)d);
        if (z < 0) {
            fputs(",,,\n", to);
            continue;
        }
        fprintf(to, ",%lld,", (long long)z);
        put_field(to, topics_name(found->stored, z));
        fprintf(to, ",%.6g\n", found->document_topic[d + z * found->documents]);
    }
}

static json_t *describe(const projected *found) {
    const topics_stored *stored = found->stored;
    const ch_corpus *corpus = &found->text->corpus;
    json_t *topics = json_array();
    for (int64_t z = 0; z < stored->topics.rank; z++)
        topics = cli_json_append(
            topics, cli_json_pack("name:s documents:i", topics_name(stored, z), found->count[z]));
    int64_t unknown = 0;
    for (int64_t d = 0; d < found->documents; d++) unknown += found->strongest[d] < 0;
    return cli_json_pack("file:s rank:i shape:[ii] nnz:i unknown_words:i without_topic:i topics:o "
                         "seconds:{read:r project:r} status:s",
                         found->text->matrix.file, stored->topics.rank, stored->topics.terms,
                         found->documents, found->text->nonzeros, corpus->dropped, unknown, topics,
                         found->text->seconds, found->seconds, cli_status_name(CH_OK));
}

static int write_folder(const cli_session *session, const projected *found, const char *path,
                        json_t *json) {
    cli_folder folder;
    int code = cli_folder_open(&folder, session, path);
    if (code == EXIT_DONE)
        code = cli_folder_matrix(&folder, "document_topic.npy", found->document_topic,
                                 found->documents, found->stored->topics.rank);
    if (code == EXIT_DONE) code = cli_folder_write(&folder, "documents.csv", write_table, found);
    cli_json_set_seconds(json, "write", cli_seconds() - folder.opened);
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "result.json", json);
    return cli_folder_close(&folder, code, NULL);
}

static void print_people(const projected *found, const char *output) {
    const topics_stored *stored = found->stored;
    printf("%lld document%s, by their strongest topic:\n", (long long)found->documents,
           found->documents == 1 ? "" : "s");
    for (int64_t z = 0; z < stored->topics.rank; z++)
        if (found->count[z])
            printf("%8lld  %s\n", (long long)found->count[z], cli_plain(topics_name(stored, z)));
    cli_say_written(output, NULL);
}

static int report(const cli_session *session, projected *found, const char *output) {
    find_strongest(found);
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
    size_t documents = (size_t)found->documents, rank = (size_t)topics->rank;
    double start = cli_seconds();
    found->document_topic = calloc(documents * rank + 1, sizeof(double));
    found->strongest = calloc(documents + 1, sizeof(int64_t));
    found->count = calloc(rank + 1, sizeof(int64_t));
    if (!found->document_topic || !found->strongest || !found->count) return cli_no_memory();
    TRY(cli_input_check(
        session,
        ch_topics_project(session->context, found->document_topic, &found->text->corpus.X, topics),
        &found->text->matrix));
    found->seconds = cli_seconds() - start;
    return report(session, found, output);
}

/* Raw text is counted as that of the topics was, in their terms; a matrix has their rows. */
static int read_documents(const cli_session *session, cli_text *text, const topics_stored *stored) {
    const char *path = session->options.operands[0], *folder = session->options.operands[1];
    if (text->settings.text_column || ch_corpus_is_text(path)) {
        TRY(topics_text_settings(&text->settings, stored, session, folder));
        TRY(cli_text_read_raw(text, session, path));
        cli_text_warn_empty(session, text->corpus.empty, text->corpus.X.cols);
        return EXIT_DONE;
    }
    TRY(cli_input_read(&text->matrix, session, path));
    text->corpus.X = text->matrix.X;
    text->nonzeros = ch_matrix_nonzeros(session->context, &text->corpus.X);
    text->seconds = text->matrix.seconds;
    if (text->matrix.X.rows == stored->topics.terms) return EXIT_DONE;
    return cli_refuse("%s: has %lld rows, the topics of %s are of %lld terms; is --transpose "
                      "missing, or too much?",
                      path, (long long)text->matrix.X.rows, folder,
                      (long long)stored->topics.terms);
}

int topics_project(const cli_session *session, cli_text *text, const char *output) {
    topics_stored stored;
    projected found = {.stored = &stored, .text = text};
    if (ch_context_comm(session->context))
        return cli_refuse("project: topics of documents run as one process");
    int code = topics_read(&stored, session, session->options.operands[1]);
    if (code == EXIT_DONE) code = read_documents(session, text, &stored);
    found.documents = text->corpus.X.cols;
    if (code == EXIT_DONE) code = project(session, &found, output);
    free(found.document_topic);
    free(found.strongest);
    free(found.count);
    topics_stored_free(&stored, session);
    return code;
}
