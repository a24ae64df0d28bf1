/* conehull topics: anchor words, the words of every topic, the topics of every document. */
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "options/rank_option.h"
#include "topics/topics_command.h"
#include <string.h>

static const char what[] = "Options", how[] = "Expert options";
static const char *const plain[] = {"top", "min_df", "max_df", "weight"};
static const char *const expert[] = {"anchor_df", "candidates", "method",    "loss", "profile",
                                     "refit",     "settled",    "relevance", "seed"};
enum { PLAIN = sizeof plain / sizeof *plain, EXPERT = sizeof expert / sizeof *expert };

static void describe(cli_options *options, void *words) {
    topics_arguments *given = words;
    ch_settings_defaults(&ch_topics_table, &given->settings);
    given->coherence = "npmi";
    options->operand_names[0] = "INPUT";
    options->last_group = how;
    cli_options_add_text(options, what, "rank", 'r', "N", "topics wanted", &given->rank);
    for (int i = 0; i < PLAIN; i++)
        cli_options_add_setting(options, what, plain[i], &ch_topics_table, &given->settings);
    cli_options_add_text(options, what, "coherence", 0, "npmi|umass",
                         "the measure that the table shows (default: npmi); files hold both",
                         &given->coherence);
    cli_options_add_text(options, what, "output", 'o', "DIR",
                         "folder for topics.json, topics.txt, topic_word.npy (topics x terms), "
                         "document_topic.npy (documents x topics), terms.txt and report.html",
                         &given->folder);
    cli_text_matrix_options(options, &given->text);
    cli_text_options(options, &given->text, 1);
    for (int i = 0; i < EXPERT; i++)
        cli_options_add_setting(options, how, expert[i], &ch_topics_table, &given->settings);
}

static int take_words(const cli_session *session, topics_arguments *given) {
    if (!given->rank) {
        cli_complain("topics: -r is missing: say how many topics; see 'conehull topics --help'");
        return EXIT_USAGE;
    }
    if (cli_rank_take(session, &ch_topics_table, &given->settings, given->rank, 0) != EXIT_DONE)
        return EXIT_USAGE;
    if (strcmp(given->coherence, "npmi") != 0 && strcmp(given->coherence, "umass") != 0) {
        cli_complain("topics: --coherence must be npmi or umass; got '%s'", given->coherence);
        return EXIT_USAGE;
    }
    return given->folder ? cli_folder_check(given->folder) : EXIT_DONE;
}

static int report(const cli_session *session, const topics_arguments *given,
                  const ch_topics *topics) {
    int code = EXIT_DONE;
    json_t *json = topics_json(session, given, topics);
    if (json && given->folder) code = topics_write(session, given, topics, json);
    if (code == EXIT_DONE && session->common.json) return cli_json_print(json);
    if (code == EXIT_DONE && !json) {
        cli_complain("out of memory");
        code = EXIT_MEMORY;
    }
    if (code == EXIT_DONE) topics_print(json);
    if (code == EXIT_DONE && given->folder) cli_say_written(given->folder, "report.html");
    json_decref(json);
    return code;
}

static int find_topics(const cli_session *session, topics_arguments *given) {
    ch_topics topics;
    ch_status status =
        ch_topics_find(session->context, &topics, &given->text.corpus.X, &given->settings);
    if (status < 0) return cli_input_fail(session, status, &given->text.matrix);
    int code = EXIT_INTERRUPTED;
    if (status != CH_STOP_CANCELLED) {
        cli_text_warn_empty(session, topics.empty, topics.documents);
        code = report(session, given, &topics);
        if (code == EXIT_DONE) code = cli_exit_code(topics.status);
    }
    ch_topics_free(session->context, &topics);
    return code;
}

static int run_topics(cli_session *session) {
    topics_arguments *given = session->arguments;
    int code = take_words(session, given);
    if (code == EXIT_DONE)
        code = cli_text_read(&given->text, session, session->options.operands[0]);
    if (code == EXIT_DONE) code = find_topics(session, given);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted; nothing was written");
    cli_text_free(&given->text, session);
    return code;
}

const cli_command cli_cmd_topics = {
    .name = "topics",
    .summary = "topics of documents by their anchor words",
    .synopsis = "INPUT -r N [--terms FILE] [-o DIR] [options]",
    .about = "Finds words that stand for one topic alone (anchor words), the words of every\n"
             "topic and the topics of every document. INPUT is a matrix of counts, terms x\n"
             "documents, in any format of 'conehull anchors', with its terms in a file beside\n"
             "it; or raw text: a folder of .txt files, or one .txt file with one document per\n"
             "line.\n",
    .details = "How it works:\n"
               "  The profile of a word is how often other words share its documents. Anchor\n"
               "  words are the anchor columns of the profiles; only words in --anchor-df of the\n"
               "  documents can be one. Every word's profile is then a mixture of those of the\n"
               "  anchors, which gives p(word | topic). --refit rounds of exact KL fits of all\n"
               "  documents, then all words, end it. Same answer for any number of threads; no\n"
               "  random start.\n"
               "\n"
               "What is told:\n"
               "  share      of all words in all documents that are of this topic\n"
               "  top words  by p(word | topic); report.html also by relevance (--relevance)\n"
               "  npmi       mean over pairs of the top words of\n"
               "             log(p(v,w)/(p(v)p(w)))/-log p(v,w), p: share of documents;\n"
               "             1: always together, 0: as chance would, -1: never\n"
               "  umass      mean of log((D(v,w) + 1)/D(v)), D: documents, v the higher word\n",
    .examples = "  conehull topics counts.mtx --terms terms.txt -r 20\n"
                "  conehull topics letters/ -r 10 --stop-words english -o out\n"
                "  conehull topics reviews.txt -r 8 --min-df 5 --json\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(topics_arguments),
    .describe = describe,
    .run = run_topics,
};
