/* The topics of every document, as CSV. */
#include "topics/documents_table.h"
#include "common/try.h"
#include "names/names_input.h"

int64_t topics_strongest(const topics_documents *of, int64_t document) {
    int64_t strongest = -1;
    double most = 0;
    for (int64_t z = 0; z < of->rank; z++) {
        double share = of->document_topic[document + z * of->documents];
        if (share <= most) continue;
        most = share;
        strongest = z;
    }
    return strongest;
}

static void put_document(FILE *to, const topics_documents *of, int64_t d) {
    if (of->names->count)
        cli_put_field(to, of->names->text[d]);
    else
        fprintf(to, "%lld", (long long)d);
}

void topics_write_documents(FILE *to, const void *documents) {
    const topics_documents *of = documents;
    fprintf(to, "document,topic,topic_name,share%s\n",
            of->known ? ",known_words,unknown_words,few_known" : "");
    for (int64_t d = 0; d < of->documents; d++) {
        int64_t z = topics_strongest(of, d);
        put_document(to, of, d);
        if (z < 0) {
            fputs(",,,", to);
        } else {
            fprintf(to, ",%lld,", (long long)z + 1);
            cli_put_field(to, of->topic_names[z]);
            fprintf(to, ",%.6g", of->document_topic[d + z * of->documents]);
        }
        if (of->known)
            fprintf(to, ",%lld,%lld,%d", (long long)of->known[d], (long long)of->unknown[d],
                    of->few[d]);
        fputc('\n', to);
    }
}

/* Writes the table of all shares. Heads begin with the number of the topic, because two topics may
 * have the same name. */
void topics_write_shares(FILE *to, const void *documents) {
    const topics_documents *of = documents;
    fputs("document", to);
    for (int64_t z = 0; z < of->rank; z++) {
        char *head = NULL;
        if (asprintf(&head, "%lld %s", (long long)z + 1, of->topic_names[z]) < 0) head = NULL;
        fputc(',', to);
        cli_put_field(to, head ? head : "");
        free(head);
    }
    fputs(of->known ? ",few_known\n" : "\n", to);
    for (int64_t d = 0; d < of->documents; d++) {
        put_document(to, of, d);
        for (int64_t z = 0; z < of->rank; z++)
            fprintf(to, ",%.6g", of->document_topic[d + z * of->documents]);
        if (of->known) fprintf(to, ",%d", of->few[d]);
        fputc('\n', to);
    }
}

int topics_write_tables(cli_folder *folder, const topics_documents *of) {
    enum { MOST = 2000000 };
    TRY(cli_folder_write(folder, "documents.csv", topics_write_documents, of));
    if (of->documents > MOST / (of->rank > 0 ? of->rank : 1)) return EXIT_DONE;
    return cli_folder_write(folder, "document_topics.csv", topics_write_shares, of);
}
