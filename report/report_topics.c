/* The page of topics: sizes and coherence of all topics, then each topic with its words and typical
 * documents. */
#include "report_chart.h"
#include "report_pages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MAX = 20 };

/* Returns a coherence, or NaN for null: the coherence of a topic of one word is not known. */
static double known(const json_t *object, const char *key) {
    double value = report_real(object, key);
    return isnan(value) ? 0 : value;
}

static void write_numbers(FILE *to, const json_t *result) {
    const json_t *coherence = json_object_get(result, "coherence");
    const json_t *spent = json_object_get(result, "seconds");
    report_numbers_begin(to);
    report_number(to, "topics", "%.0f", report_real(result, "rank"));
    report_number(to, "documents", "%.0f", report_real_at(result, "shape", 1));
    report_number(to, "words used", "%.0f", report_real(result, "words"));
    report_number(to, "mean NPMI coherence", "%.3f", known(coherence, "npmi"));
    report_number(to, "mean UMass coherence", "%.3f", known(coherence, "umass"));
    report_number(to, "to find them", "%.2f s",
                  report_real(spent, "anchors") + report_real(spent, "fit"));
    report_numbers_end(to);
}

/* Returns the number and name of a topic, such as "1 match", or NULL if memory is short. */
static char *label_of(const json_t *topic, size_t z, const char *before, const char *between) {
    char *label = NULL;
    int length =
        asprintf(&label, "%s%zu%s%s", before, z + 1, between, report_string(topic, "name"));
    return length < 0 ? NULL : label;
}

static void write_sizes(FILE *to, const json_t *topics) {
    size_t count = json_array_size(topics), named = 0;
    char **names = calloc(count + 1, sizeof *names);
    double *shares = calloc(count + 1, sizeof *shares);
    for (size_t z = 0; names && shares && z < count; z++) {
        const json_t *topic = json_array_get(topics, z);
        names[z] = label_of(topic, z, "", " ");
        named += names[z] != NULL;
        shares[z] = 100 * report_real(topic, "share");
    }
    if (count && named == count)
        report_figure_bars(to,
                           &(report_bars){.title = "Sizes of the topics",
                                          .subtitle = "percent of all documents' weight, by name",
                                          .names = (const char *const *)names,
                                          .values = shares,
                                          .count = (int)count,
                                          .decimals = 1,
                                          .width = 480});
    for (size_t z = 0; names && z < count; z++) free(names[z]);
    free(names);
    free(shares);
}

/* Writes the coherence of each number of topics, if several were tried. */
static void write_sweep(FILE *to, const json_t *result) {
    size_t count = report_length(result, "sweep");
    const char *measure = report_string(json_object_get(result, "coherence"), "measure");
    const char *shown = strcmp(measure, "umass") == 0 ? "UMass" : "NPMI";
    report_arrays arrays = {.count = 0};
    double *x = report_arrays_make(&arrays, (int)count),
           *y = report_arrays_make(&arrays, (int)count);
    for (size_t k = 0; x && y && k < count; k++) {
        const json_t *one = report_item(result, "sweep", k);
        x[k] = report_real(one, "rank");
        y[k] = report_real(one, measure);
    }
    if (x && y && count > 1) {
        report_chart chart = {.title = "Coherence against the number of topics",
                              .subtitle = "mean over the topics; the largest is selected",
                              .count = 1,
                              .height = 300,
                              .lines = {{.name = shown, .x = x, .y = y, .count = (int)count}}};
        report_chart_fit(&chart);
        chart.x.label = "topics";
        chart.y.label = shown;
        report_figure_chart(to, &chart);
    }
    report_arrays_free(&arrays);
}

static void write_table(FILE *to, const json_t *topics) {
    report_table table = report_table_begin(to, "All topics, largest first",
                                            "#topic|name|#share|#NPMI|#UMass|top words");
    for (size_t z = 0; z < json_array_size(topics); z++) {
        const json_t *topic = json_array_get(topics, z);
        const json_t *coherence = json_object_get(topic, "coherence");
        char *words = report_join(json_object_get(topic, "words"), "term");
        report_cell(&table, "%zu", z + 1);
        report_cell(&table, "%s", report_string(topic, "name"));
        report_cell(&table, "%.1f %%", 100 * report_real(topic, "share"));
        report_cell(&table, "%.3f", known(coherence, "npmi"));
        report_cell(&table, "%.2f", known(coherence, "umass"));
        report_cell(&table, "%s", words ? words : "");
        free(words);
    }
    report_table_end(&table);
}

static void write_bars(FILE *to, const json_t *topic, size_t z) {
    const char *names[BARS_MAX];
    double weights[BARS_MAX];
    char *title = label_of(topic, z, "Topic ", ": ");
    int count = 0;
    for (; count < BARS_MAX && count < (int)report_length(topic, "words"); count++) {
        const json_t *word = report_item(topic, "words", (size_t)count);
        names[count] = report_string(word, "term");
        weights[count] = 100 * report_real(word, "weight");
    }
    report_figure_bars(to, &(report_bars){.title = title ? title : "",
                                          .subtitle = "percent of the topic's words",
                                          .names = names,
                                          .values = weights,
                                          .count = count,
                                          .decimals = 2,
                                          .width = 400});
    free(title);
}

static void write_documents(FILE *to, const json_t *documents, const char *folder) {
    if (json_array_size(documents) == 0) return;
    report_table table = report_table_begin(to, NULL, "typical documents|#share");
    for (size_t k = 0; k < json_array_size(documents); k++) {
        const json_t *document = json_array_get(documents, k);
        const char *name = report_string(document, "name"),
                   *text = report_string(document, "excerpt");
        if (name[0])
            report_cell_file(&table, folder, name, text);
        else
            report_cell(&table, "document %.0f%s%s", report_real(document, "document"),
                        text[0] ? ": " : "", text);
        report_cell(&table, "%.0f %%", 100 * report_real(document, "share"));
    }
    report_table_end(&table);
}

static void write_topic(FILE *to, const json_t *topic, size_t z, const char *folder) {
    char *words = report_join(json_object_get(topic, "relevant_words"), "term");
    fprintf(to, "<div class=\"topic\" id=\"topic-%zu\">\n", z + 1);
    write_bars(to, topic, z);
    report_text(to, "Typical of this topic: %s.", words ? words : "");
    write_documents(to, json_object_get(topic, "documents"), folder);
    fputs("</div>\n", to);
    free(words);
}

/* Returns whether a setting had an effect: settings of anchor words have none if the topics start
 * from documents. */
static int was_used(const json_t *settings, const char *key) {
    static const char *const of_words[] = {"method",    "loss",       "profile",
                                           "anchor_df", "candidates", "seed"};
    if (strcmp(report_string(settings, "start"), "words") == 0) return 1;
    for (size_t k = 0; k < sizeof of_words / sizeof *of_words; k++)
        if (strcmp(key, of_words[k]) == 0) return 0;
    return 1;
}

static void write_settings(FILE *to, const json_t *result) {
    const char *key;
    json_t *value;
    report_table table = report_table_begin(to, NULL, "setting|value");
    json_object_foreach(json_object_get(result, "settings"), key, value) {
        if (!was_used(json_object_get(result, "settings"), key)) continue;
        report_cell(&table, "%s", key);
        if (json_is_string(value))
            report_cell(&table, "%s", json_string_value(value));
        else if (json_is_boolean(value))
            report_cell(&table, "%s", json_is_true(value) ? "yes" : "no");
        else
            report_cell(&table, "%.10g", json_number_value(value));
    }
    report_table_end(&table);
}

void report_topics(FILE *to, const json_t *result) {
    const json_t *topics = json_object_get(result, "topics");
    char title[300];
    snprintf(title, sizeof title, "Topics of %.280s",
             report_base_name(report_string(result, "file")));
    report_page_begin(to,
                      &(report_head){.title = title,
                                     .lead = "The subjects of a collection, each with its words, "
                                             "a name and typical documents.",
                                     .style = report_topics_css});
    write_numbers(to, result);
    report_section_begin(to, "all", "All topics");
    write_sweep(to, result);
    write_sizes(to, topics);
    write_table(to, topics);
    report_text(to, "Coherence measures how often the top words of a topic occur in the same "
                    "documents. NPMI: 1 always together, 0 as often as by chance, -1 never. "
                    "UMass: closer to 0 is better.");
    report_section_end(to);
    report_section_begin(to, "words", "Words and documents");
    report_text(to, "Bars: the words with the largest share of the topic. Typical documents have "
                    "the largest share of the topic among those of at least median length.");
    fputs("<div class=\"topics\">\n", to);
    for (size_t z = 0; z < json_array_size(topics); z++)
        write_topic(to, json_array_get(topics, z), z, report_string(result, "folder"));
    fputs("</div>\n", to);
    report_section_end(to);
    report_section_begin(to, "again", "Again");
    report_text(to, "Input: `%s`.", report_string(result, "file"));
    report_command(to, report_string(result, "command"));
    write_settings(to, result);
    report_section_end(to);
    report_page_end(to, NULL);
}
