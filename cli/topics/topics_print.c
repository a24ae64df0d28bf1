/* Prints topics as a table. */
#include "options/option_values.h"
#include "topics/topics_command.h"
#include <math.h>

/* Width on a terminal: counts the bytes that begin a character. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += (*text & 0xc0) != 0x80;
    return width;
}

static void print_words(const ch_topics *topics, const ch_text_list *terms, int64_t z, int at) {
    char *line = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&line, &length);
    if (!to) return;
    for (int64_t k = 0; k < ch_topics_listed(topics, z); k++)
        fprintf(to, "%s%s", k ? " " : "",
                cli_plain(terms->text[topics->top_word[k + z * topics->top]]));
    if (fclose(to) == 0) cli_wrap(stdout, line, at, at);
    free(line);
}

/* Returns a coherence for printing: 0 if it is not known, as for a topic of one word. */
static double known(double coherence) {
    return isnan(coherence) ? 0 : coherence;
}

static void print_topics(const topics_arguments *given, const ch_topics *topics) {
    const ch_text_list *terms = &given->text.corpus.terms;
    const double *coherence = strcmp(given->coherence, "npmi") == 0 ? topics->npmi : topics->umass;
    int widest = 4;
    for (int64_t z = 0; z < topics->rank; z++) {
        int width = width_of(cli_plain(terms->text[topics->name[z]]));
        if (width > widest) widest = width;
    }
    printf("%5s %7s %7s  %-*s  top words\n", "topic", "share", given->coherence, widest, "name");
    for (int64_t z = 0; z < topics->rank; z++) {
        const char *name = cli_plain(terms->text[topics->name[z]]);
        printf("%5lld %5.1f %% %7.3f  %s%*s  ", (long long)z + 1, 100 * topics->share[z],
               known(coherence[z]), name, widest - width_of(name), "");
        print_words(topics, terms, z, 25 + widest);
    }
}

static void print_sweep(const topics_arguments *given) {
    size_t k;
    json_t *one;
    if (!given->sweep) return;
    printf("topics    npmi    umass\n");
    json_array_foreach(given->sweep, k, one)
        printf("%6lld  %6.4f  %7.4f\n", (long long)json_integer_value(json_object_get(one, "rank")),
               json_number_value(json_object_get(one, "npmi")),
               json_number_value(json_object_get(one, "umass")));
    if (json_array_size(given->equals)) {
        printf("not clearly less coherent than %lld topics (difference below the standard error "
               "%.4f):\n ",
               (long long)given->settings.rank, given->error);
        json_array_foreach(given->equals, k, one)
            printf(" %lld", (long long)json_integer_value(one));
        putchar('\n');
    }
    if (given->largest)
        printf("the largest number tried has the largest coherence; try more topics: -r "
               "FROM:TO:STEP\n");
    if (given->smallest && given->ranks[0] > 2)
        printf("the smallest number tried has the largest coherence; try fewer topics: -r "
               "FROM:TO:STEP\n");
    else if (given->smallest)
        printf("the smallest number tried has the largest coherence, so these texts suggest no "
               "larger number; look at the table, or choose a number yourself\n");
    putchar('\n');
}

void topics_print(const topics_arguments *given, const ch_topics *topics, double seconds) {
    const ch_topics_settings *set = &given->settings;
    long long left_out = topics->terms - topics->words;
    printf("%s: %lld terms x %lld documents; %lld words were used\n",
           cli_plain(given->text.matrix.file), (long long)topics->terms,
           (long long)topics->documents, (long long)topics->words);
    if (left_out > 0)
        printf("%lld word%s left out: in fewer than %lld documents (--min-df), or in more than "
               "%.4g %% of them (--max-df)\n",
               left_out, left_out == 1 ? " was" : "s were", (long long)set->min_df,
               100 * set->max_df);
    if (set->start == CH_TOPICS_WORDS)
        printf(
            "%lld topic%s from anchor words (%s, loss %s) among %lld", (long long)topics->rank,
            topics->rank == 1 ? "" : "s", cli_choice_name(ch_topics_table(), "method", set->method),
            cli_choice_name(ch_topics_table(), "loss", set->loss), (long long)topics->candidates);
    else
        printf("%lld topic%s from documents", (long long)topics->rank,
               topics->rank == 1 ? "" : "s");
    printf(", fitted by %s in %lld round%s\n\n",
           set->objective == CH_TOPICS_KL ? "KL" : "least squares", (long long)topics->refits,
           topics->refits == 1 ? "" : "s");
    print_sweep(given);
    print_topics(given, topics);
    printf("\nmean coherence of the top %lld words: npmi %.4f, umass %.4f\n", (long long)set->top,
           known(topics_mean(topics, topics->npmi)), known(topics_mean(topics, topics->umass)));
    printf("seconds: read %.3f %s %.3f fit %.3f", given->text.seconds,
           set->start == CH_TOPICS_WORDS ? "anchors" : "start", topics->seconds_anchors,
           topics->seconds_fit);
    if (given->folder) printf(" write %.3f", seconds);
    putchar('\n');
    if (topics->status != CH_OK) printf("status: %s\n", cli_status_name(topics->status));
}
