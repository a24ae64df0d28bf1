/* The folder of conehull topics. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "report_topics.h"
#include "topics/topics_command.h"
#include <stdio.h>
#include <stdlib.h>

static int end_text(cli_folder *folder, const char *name, FILE *to, char **text, size_t *length) {
    int failed = !to || fclose(to) != 0;
    if (failed) cli_complain("out of memory");
    int code = failed ? EXIT_MEMORY : cli_folder_text(folder, name, *text, *length);
    free(*text);
    return code;
}

/* One line per topic: the anchor word, a tab, the top words. */
static int write_topics(cli_folder *folder, const ch_topics *topics, const ch_text_list *terms) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    for (int64_t z = 0; to && z < topics->rank; z++) {
        fprintf(to, "%s\t", terms->text[topics->anchors[z]]);
        int64_t listed = ch_topics_listed(topics, z);
        for (int64_t k = 0; k < listed; k++)
            fprintf(to, "%s%s", k ? " " : "", terms->text[topics->top_word[k + z * topics->top]]);
        fputc('\n', to);
    }
    return end_text(folder, "topics.txt", to, &text, &length);
}

static int write_terms(cli_folder *folder, const ch_text_list *terms) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    for (int64_t i = 0; to && i < terms->count; i++) fprintf(to, "%s\n", terms->text[i]);
    return end_text(folder, "terms.txt", to, &text, &length);
}

static int write_page(cli_folder *folder, const json_t *json) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to) report_topics(to, json);
    return end_text(folder, "report.html", to, &text, &length);
}

int topics_write(const cli_session *session, const topics_arguments *given, const ch_topics *topics,
                 json_t *json) {
    static const char *const stale[] = {NULL};
    double start = cli_seconds();
    cli_folder folder;
    const ch_text_list *terms = &given->text.corpus.terms;
    int code = cli_folder_open(&folder, session, given->folder);
    if (code != EXIT_DONE) return code;
    code = cli_folder_matrix(&folder, "topic_word.npy", topics->topic_word, topics->rank,
                             topics->terms);
    if (code == EXIT_DONE)
        code = cli_folder_matrix(&folder, "document_topic.npy", topics->document_topic,
                                 topics->documents, topics->rank);
    if (code == EXIT_DONE) code = write_topics(&folder, topics, terms);
    if (code == EXIT_DONE) code = write_terms(&folder, terms);
    json_object_set_new(json_object_get(json, "seconds"), "write",
                        json_real(cli_seconds() - start));
    if (code == EXIT_DONE) code = write_page(&folder, json);
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "topics.json", json);
    return cli_folder_close(&folder, code, stale);
}
