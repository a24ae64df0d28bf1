/* The folder of conehull topics. */
#include "report_pages.h"
#include "topics/documents_table.h"
#include "topics/topics_command.h"

typedef struct contents {
    const ch_topics *topics;
    const ch_text_list *terms, *names;
    json_t *json;
} contents;

/* One line per topic: its name, a tab, the top words. */
static void write_topics(FILE *to, const void *user) {
    const contents *of = user;
    const ch_topics *topics = of->topics;
    for (int64_t z = 0; z < topics->rank; z++) {
        fprintf(to, "%s\t", of->terms->text[topics->name[z]]);
        int64_t listed = ch_topics_listed(topics, z);
        for (int64_t k = 0; k < listed; k++)
            fprintf(to, "%s%s", k ? " " : "",
                    of->terms->text[topics->top_word[k + z * topics->top]]);
        fputc('\n', to);
    }
}

static void write_page(FILE *to, const void *user) {
    report_topics(to, user);
}

static int write_documents(cli_folder *folder, const contents *of) {
    const ch_topics *topics = of->topics;
    const char **names = calloc((size_t)topics->rank + 1, sizeof *names);
    if (!names) return cli_no_memory();
    for (int64_t z = 0; z < topics->rank; z++) names[z] = of->terms->text[topics->name[z]];
    const topics_documents table = {.documents = topics->documents,
                                    .rank = topics->rank,
                                    .document_topic = topics->document_topic,
                                    .names = of->names,
                                    .topic_names = names};
    int code = topics_write_tables(folder, &table);
    free(names);
    return code;
}

static int write_files(cli_folder *folder, const contents *of, double *seconds) {
    const ch_topics *topics = of->topics;
    TRY(cli_folder_matrix(folder, "topic_word.npy", topics->topic_word, topics->rank,
                          topics->terms));
    TRY(cli_folder_matrix(folder, "document_topic.npy", topics->document_topic, topics->documents,
                          topics->rank));
    TRY(cli_folder_matrix(folder, "idf.npy", topics->idf, topics->terms, 1));
    TRY(cli_folder_write(folder, "topics.txt", write_topics, of));
    TRY(cli_folder_write(folder, "terms.txt", cli_write_lines, of->terms));
    TRY(write_documents(folder, of));
    *seconds = cli_seconds() - folder->opened;
    cli_json_set_seconds(of->json, "write", *seconds);
    TRY(cli_folder_write(folder, "report.html", write_page, of->json));
    return cli_folder_json(folder, "topics.json", of->json);
}

int topics_write(const cli_session *session, const topics_arguments *given, const ch_topics *topics,
                 json_t *json, double *seconds) {
    const contents of = {topics, &given->text.corpus.terms, &given->text.corpus.names, json};
    cli_folder folder;
    int code = cli_folder_open(&folder, session, given->folder);
    if (code == EXIT_DONE) code = write_files(&folder, &of, seconds);
    static const char *const stale[] = {"document_topics.csv", NULL};
    return cli_folder_close(&folder, code, stale);
}
