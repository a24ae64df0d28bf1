/* Topics as a table for people, made of the JSON. */
#include "common/message.h"
#include "topics/topics_command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double real(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static const char *string(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Columns on a terminal: bytes that begin a character. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += (*text & 0xc0) != 0x80;
    return width;
}

static int widest_anchor(const json_t *topics) {
    int widest = 6;
    size_t z;
    json_t *topic;
    json_array_foreach((json_t *)topics, z, topic) {
        int width = width_of(cli_plain(string(topic, "anchor")));
        if (width > widest) widest = width;
    }
    return widest;
}

static void print_words(const json_t *words, int at) {
    char *line = NULL;
    size_t length = 0, k;
    json_t *word;
    FILE *to = open_memstream(&line, &length);
    if (!to) return;
    json_array_foreach((json_t *)words, k, word)
        fprintf(to, "%s%s", k ? " " : "", cli_plain(string(word, "term")));
    if (fclose(to) == 0) cli_wrap(stdout, line, at, at);
    free(line);
}

static void print_topics(const json_t *topics, const char *measure) {
    int widest = widest_anchor(topics);
    size_t z;
    json_t *topic;
    printf("%5s %7s %7s  %-*s  top words\n", "topic", "share", measure, widest, "anchor");
    json_array_foreach((json_t *)topics, z, topic) {
        const char *anchor = cli_plain(string(topic, "anchor"));
        printf("%5zu %5.1f %% %7.3f  %s%*s  ", z + 1, 100 * real(topic, "share"),
               real(json_object_get(topic, "coherence"), measure), anchor,
               widest - width_of(anchor), "");
        print_words(json_object_get(topic, "words"), 25 + widest);
    }
}

void topics_print(const json_t *json) {
    const json_t *shape = json_object_get(json, "shape");
    const json_t *topics = json_object_get(json, "topics");
    const json_t *coherence = json_object_get(json, "coherence");
    const json_t *settings = json_object_get(json, "settings");
    const char *key;
    json_t *value;
    printf("%s: %.0f terms x %.0f documents; %.0f words took part, %.0f of them could be anchors\n",
           cli_plain(string(json, "file")), json_number_value(json_array_get(shape, 0)),
           json_number_value(json_array_get(shape, 1)), real(json, "words"),
           real(json, "candidates"));
    printf("%.0f topics by anchor words (%s, loss %s), %.0f rounds of refits\n\n",
           real(json, "rank"), string(settings, "method"), string(settings, "loss"),
           real(json, "refits"));
    print_topics(topics, string(coherence, "measure"));
    printf("\nmean coherence of the top %.0f words: npmi %.4f, umass %.4f\n", real(settings, "top"),
           real(coherence, "npmi"), real(coherence, "umass"));
    printf("seconds:");
    json_object_foreach((json_t *)json_object_get(json, "seconds"), key, value)
        printf(" %s %.3f", key, json_number_value(value));
    putchar('\n');
    if (strcmp(string(json, "status"), "done") != 0) printf("status: %s\n", string(json, "status"));
}
