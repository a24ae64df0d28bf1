/* Topics as a page: sizes and coherence of all, then each with its words and typical documents. */
#include "report_topics.h"
#include "report_assets.h"
#include "report_chart.h"
#include "report_page.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 112, BARS_MAX = 20 };

static double real(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void write_numbers(FILE *to, const json_t *result) {
    const json_t *shape = json_object_get(result, "shape");
    const json_t *coherence = json_object_get(result, "coherence");
    char rank[24], documents[24], words[24], npmi[24], umass[24], seconds[24];
    snprintf(rank, sizeof rank, "%.0f", real(result, "rank"));
    snprintf(documents, sizeof documents, "%.0f", json_number_value(json_array_get(shape, 1)));
    snprintf(words, sizeof words, "%.0f", real(result, "words"));
    snprintf(npmi, sizeof npmi, "%.3f", real(coherence, "npmi"));
    snprintf(umass, sizeof umass, "%.3f", real(coherence, "umass"));
    const json_t *spent = json_object_get(result, "seconds");
    snprintf(seconds, sizeof seconds, "%.2f s", real(spent, "anchors") + real(spent, "fit"));
    const report_number numbers[] = {{rank, "topics"},
                                     {documents, "documents"},
                                     {words, "words that took part"},
                                     {npmi, "mean NPMI coherence"},
                                     {umass, "mean UMass coherence"},
                                     {seconds, "to find them"}};
    report_numbers(to, numbers, sizeof numbers / sizeof *numbers);
}

/* "1 match": number and anchor word, for charts of all topics. */
static void name_topic(char *name, const json_t *topic, size_t z) {
    snprintf(name, NAME_BYTES, "%zu %.80s", z + 1, string(topic, "anchor"));
}

static void write_sizes(FILE *to, const json_t *topics) {
    size_t count = json_array_size(topics), z;
    char(*names)[NAME_BYTES] = calloc(count + 1, sizeof *names);
    const char **shown = calloc(count + 1, sizeof *shown);
    double *shares = calloc(count + 1, sizeof *shares);
    json_t *topic;
    if (names && shown && shares) {
        json_array_foreach((json_t *)topics, z, topic) {
            name_topic(names[z], topic, z);
            shown[z] = names[z];
            shares[z] = 100 * real(topic, "share");
        }
        report_figure_begin(to, NULL);
        report_bars_write(to, &(report_bars){.title = "Sizes of the topics",
                                             .subtitle = "percent of all words in all documents, "
                                                         "by anchor word",
                                             .names = shown,
                                             .values = shares,
                                             .count = (int)count,
                                             .decimals = 1,
                                             .width = 480});
        report_figure_end(to);
    }
    free(names);
    free(shown);
    free(shares);
}

static void join_words(FILE *to, const json_t *words) {
    size_t k;
    json_t *word;
    json_array_foreach((json_t *)words, k, word)
        fprintf(to, "%s%s", k ? " " : "", string(word, "term"));
}

static void write_table(FILE *to, const json_t *topics) {
    static const char *const heads[] = {"#topic", "anchor", "#share",
                                        "#NPMI",  "#UMass", "top words"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    size_t z;
    json_t *topic;
    report_table_begin(to, "All topics, largest first", heads, COLUMNS);
    json_array_foreach((json_t *)topics, z, topic) {
        const json_t *coherence = json_object_get(topic, "coherence");
        char number[24], share[24], npmi[24], umass[24], *words = NULL;
        size_t length = 0;
        FILE *list = open_memstream(&words, &length);
        if (!list) return;
        join_words(list, json_object_get(topic, "words"));
        fclose(list);
        snprintf(number, sizeof number, "%zu", z + 1);
        snprintf(share, sizeof share, "%.1f %%", 100 * real(topic, "share"));
        snprintf(npmi, sizeof npmi, "%.3f", real(coherence, "npmi"));
        snprintf(umass, sizeof umass, "%.2f", real(coherence, "umass"));
        const char *cells[COLUMNS] = {number, string(topic, "anchor"), share, npmi,
                                      umass,  words ? words : ""};
        report_table_row(to, cells, heads, COLUMNS);
        free(words);
    }
    report_table_end(to);
}

static void write_bars(FILE *to, const json_t *topic, size_t z) {
    const char *names[BARS_MAX];
    double weights[BARS_MAX];
    char title[NAME_BYTES], subtitle[NAME_BYTES];
    int count = 0;
    size_t k;
    json_t *word;
    json_array_foreach(json_object_get(topic, "words"), k, word) {
        if (count == BARS_MAX) break;
        names[count] = string(word, "term");
        weights[count++] = 100 * real(word, "weight");
    }
    snprintf(title, sizeof title, "Topic %zu", z + 1);
    snprintf(subtitle, sizeof subtitle, "anchor word %.60s; percent of the topic's words",
             string(topic, "anchor"));
    report_figure_begin(to, NULL);
    report_bars_write(to, &(report_bars){.title = title,
                                         .subtitle = subtitle,
                                         .names = names,
                                         .values = weights,
                                         .count = count,
                                         .decimals = 2,
                                         .width = 400});
    report_figure_end(to);
}

static void write_documents(FILE *to, const json_t *documents) {
    static const char *const heads[] = {"typical documents", "#share"};
    size_t k;
    json_t *document;
    if (json_array_size(documents) == 0) return;
    report_table_begin(to, NULL, heads, 2);
    json_array_foreach((json_t *)documents, k, document) {
        char number[40], share[24];
        const char *name = string(document, "name");
        snprintf(number, sizeof number, "document %.0f", real(document, "document"));
        snprintf(share, sizeof share, "%.0f %%", 100 * real(document, "share"));
        report_table_row(to, (const char *[]){name[0] ? name : number, share}, heads, 2);
    }
    report_table_end(to);
}

static void write_topic(FILE *to, const json_t *topic, size_t z) {
    char *words = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&words, &length);
    if (!list) return;
    join_words(list, json_object_get(topic, "relevant_words"));
    fclose(list);
    fprintf(to, "<div class=\"topic\" id=\"topic-%zu\">\n", z + 1);
    write_bars(to, topic, z);
    report_text(to, "More here than elsewhere: %s.", words ? words : "");
    write_documents(to, json_object_get(topic, "documents"));
    fputs("</div>\n", to);
    free(words);
}

static void write_settings(FILE *to, const json_t *result) {
    static const char *const heads[] = {"setting", "value"};
    const char *key;
    json_t *value;
    report_table_begin(to, NULL, heads, 2);
    json_object_foreach(json_object_get(result, "settings"), key, value) {
        char text[64];
        if (json_is_string(value))
            snprintf(text, sizeof text, "%s", json_string_value(value));
        else if (json_is_boolean(value))
            snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
        else
            snprintf(text, sizeof text, "%.10g", json_number_value(value));
        report_table_row(to, (const char *[]){key, text}, heads, 2);
    }
    report_table_end(to);
}

void report_topics(FILE *to, const json_t *result) {
    const json_t *topics = json_object_get(result, "topics");
    size_t z;
    json_t *topic;
    report_page_begin(to, &(report_head){.title = "Topics",
                                         .lead = "Each topic has an anchor word: one that hardly "
                                                 "occurs in texts on anything else.",
                                         .style = report_topics_css});
    write_numbers(to, result);
    report_section_begin(to, "all", "All topics");
    write_sizes(to, topics);
    write_table(to, topics);
    report_text(to, "Coherence says whether the top words of a topic are found in the same "
                    "documents. NPMI: 1 always together, 0 as chance would have it, -1 never. "
                    "UMass: closer to 0 is better.");
    report_section_end(to);
    report_section_begin(to, "words", "Words and documents");
    report_text(to, "Bars: the words with the largest share of the topic. Typical documents have "
                    "the largest share of the topic among those of at least median length.");
    fputs("<div class=\"topics\">\n", to);
    json_array_foreach((json_t *)topics, z, topic) write_topic(to, topic, z);
    fputs("</div>\n", to);
    report_section_end(to);
    report_section_begin(to, "again", "Again");
    report_text(to, "Input: `%s`.", string(result, "file"));
    report_command(to, string(result, "command"));
    write_settings(to, result);
    report_section_end(to);
    report_page_end(to, NULL);
}
