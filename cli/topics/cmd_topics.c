/* conehull topics: anchor words, the words of every topic, the topics of every document. */
#include "options/option_values.h"
#include "text/rank_list.h"
#include "topics/topics_command.h"
#include <math.h>

#define AT(field) .at = offsetof(topics_arguments, field)
#define SETTINGS AT(settings), .table = ch_topics_table
enum { WORDS = 1, ANY_START = 1 }; /* options that only have an effect with --start words */
static const char what[] = "Options", how[] = "Expert options";
static const cli_option_row rows[] = {
    {what, "rank", 'r', "N|LIST|auto", AT(rank),
     "number of topics. Several numbers, as in 10,20,40 or FROM:TO:STEP, are all tried and "
     "reported, and the number with the largest coherence is used. auto tries the numbers "
     "2,3,5,7,10,15,20,30,40,50 for which there are enough words"},
    {what, "top min_df max_df weight", SETTINGS},
    {what, "coherence", 0, "npmi|umass", AT(coherence),
     "coherence measure that the table shows and that decides between several -r (default: npmi); "
     "files contain both"},
    {what, "output", 'o', "DIR", AT(folder),
     "folder for the results: report.html, topics.json, topics.txt, topic_word.npy (topics x "
     "terms), document_topic.npy (documents x topics), documents.csv (the main topic of each "
     "document), document_topics.csv (the shares of all topics in each document), idf.npy and "
     "terms.txt. 'conehull project' can use the folder"},
    {how, "start objective refit settled relevance", SETTINGS},
    {how, "anchor_df candidates method loss profile seed", SETTINGS, .cases = WORDS},
    {0}};

static void describe(cli_options *options, void *user) {
    topics_arguments *given = user;
    given->coherence = "npmi";
    options->last_group = how;
    cli_text_matrix_options(options, &given->text);
    cli_text_options(options, &given->text, 1);
}

static int take_arguments(const cli_session *session, topics_arguments *given) {
    if (!given->rank)
        return cli_wrong_use(session, "-r is missing: give the number of topics, or -r auto");
    given->automatic = strcmp(given->rank, "auto") == 0;
    if (given->automatic) given->rank = "2,3,5,7,10,15,20,30,40,50";
    if (strpbrk(given->rank, ",:")) {
        TRY(cli_rank_list(session, &given->ranks, &given->rank_count, given->rank));
    } else {
        TRY(cli_rank_take(session, ch_topics_table(), &given->settings, given->rank, 0));
    }
    TRY(cli_options_refuse_idle(&session->options, ANY_START,
                                given->settings.start == CH_TOPICS_WORDS ? WORDS : 0,
                                "without --start words"));
    if (strcmp(given->coherence, "npmi") != 0 && strcmp(given->coherence, "umass") != 0)
        return cli_refuse("topics: --coherence must be npmi or umass; got '%s'", given->coherence);
    TRY(cli_folder_check(given->folder));
    return cli_text_own_folder(given->folder, "topics.json");
}

static int report(const cli_session *session, const topics_arguments *given,
                  const ch_topics *topics) {
    double seconds = 0;
    json_t *json = topics_json(session, given, topics);
    int code = json ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE && given->folder)
        code = topics_write(session, given, topics, json, &seconds);
    if (code == EXIT_DONE && session->common.json) {
        code = cli_json_print(json_incref(json));
    } else if (code == EXIT_DONE) {
        topics_print(given, topics, seconds);
        if (given->folder) cli_say_written(given->folder, "report.html");
    }
    json_decref(json);
    return code == EXIT_DONE ? cli_exit_code(topics->status) : code;
}

static int find_one(const cli_session *session, topics_arguments *given, ch_topics *topics) {
    return cli_input_check(
        session, ch_topics_find(session->context, topics, &given->text.corpus.X, &given->settings),
        &given->text.matrix);
}

/* Lists the smaller numbers of topics whose coherence is within a standard error of the largest, as
 * it varies from topic to topic. */
static void find_equals(topics_arguments *given, const double *coherence, int64_t rank,
                        double most) {
    double squares = 0, known = 0;
    size_t k;
    json_t *one;
    const char *measure = given->coherence;
    given->equals = json_array();
    for (int64_t z = 0; z < rank; z++) {
        if (isnan(coherence[z])) continue;
        squares += (coherence[z] - most) * (coherence[z] - most);
        known++;
    }
    given->error = known > 1 ? sqrt(squares / (known - 1) / known) : 0;
    json_array_foreach(given->sweep, k, one) {
        json_t *number = json_object_get(one, "rank");
        if (json_integer_value(number) < rank &&
            json_number_value(json_object_get(one, measure)) >= most - given->error)
            json_array_append(given->equals, number);
    }
}

/* Several numbers of topics: uses the one with the largest mean coherence, the smaller of
 * equals. */
static int sweep(const cli_session *session, topics_arguments *given, ch_topics *best) {
    int npmi = strcmp(given->coherence, "npmi") == 0;
    int64_t chosen = given->ranks[0];
    double most = 0;
    given->sweep = json_array();
    for (int k = 0; k < given->rank_count; k++) {
        ch_topics topics = {.size = sizeof topics};
        given->settings.rank = given->ranks[k];
        ch_status status =
            ch_topics_find(session->context, &topics, &given->text.corpus.X, &given->settings);
        /* Too few words for so many topics: the earlier numbers are the result. */
        if (status == CH_ERR_DATA && k > 0 && given->automatic) break;
        TRY(cli_input_check(session, status, &given->text.matrix));
        int64_t asked = given->ranks[k], last = given->last;
        given->last = topics.rank;
        if (topics.rank < asked && topics.rank == last) { /* no more can be found */
            ch_topics_free(session->context, &topics);
            break;
        }
        double means[] = {topics_mean(&topics, topics.npmi), topics_mean(&topics, topics.umass)};
        given->sweep = cli_json_append(
            given->sweep, cli_json_pack("rank:i npmi:r umass:r seconds:r", topics.rank, means[0],
                                        means[1], topics.seconds_anchors + topics.seconds_fit));
        double mean = npmi ? means[0] : means[1];
        if (k == 0 || mean > most) {
            most = mean;
            chosen = given->ranks[k];
            ch_topics_free(session->context, best);
            *best = topics;
        } else {
            ch_topics_free(session->context, &topics);
        }
    }
    given->settings.rank = chosen;
    find_equals(given, npmi ? best->npmi : best->umass, best->rank, most);
    size_t tried = json_array_size(given->sweep);
    given->largest = tried > 1 && chosen == given->ranks[tried - 1];
    given->smallest = tried > 1 && chosen == given->ranks[0];
    return EXIT_DONE;
}

static void hint_stop_words(const cli_session *session, const topics_arguments *given,
                            const ch_topics *topics) {
    const ch_text_list *terms = &given->text.corpus.terms;
    cli_stop_count count = {0};
    const char **words = calloc((size_t)topics->top + 1, sizeof *words);
    for (int64_t z = 0; words && z < topics->rank; z++) {
        int64_t listed = ch_topics_listed(topics, z);
        for (int64_t k = 0; k < listed; k++) {
            words[k] = terms->text[topics->top_word[k + z * topics->top]];
            cli_stop_count_add(&count, words[k]);
        }
        cli_stop_count_topic(&count, terms->text[topics->name[z]], words, listed);
    }
    free(words);
    cli_text_hint_stop_words(session, &given->text, &count);
}

/* Topics start from different documents. */
static int check_ranks(const topics_arguments *given) {
    int64_t documents = given->text.corpus.X.cols;
    int64_t largest =
        given->rank_count ? given->ranks[given->rank_count - 1] : given->settings.rank;
    if (given->automatic || given->settings.start == CH_TOPICS_WORDS || largest <= documents)
        return EXIT_DONE;
    return cli_refuse("topics: -r is %lld, but topics start from documents, and there are only "
                      "%lld of them",
                      (long long)largest, (long long)documents);
}

static int find_topics(const cli_session *session, topics_arguments *given) {
    ch_topics topics = {.size = sizeof topics};
    TRY(take_arguments(session, given));
    TRY(cli_text_read(&given->text, session, session->options.operands[0]));
    TRY(check_ranks(given));
    int code =
        given->rank_count ? sweep(session, given, &topics) : find_one(session, given, &topics);
    if (code == EXIT_DONE) {
        cli_text_warn_empty(session, &given->text.corpus, topics.empty);
        if (topics.rank < given->settings.rank && !session->common.quiet)
            cli_complain(
                "warning: only %lld of the %lld requested topics were found, because topics "
                "start from different documents; ask for fewer topics",
                (long long)topics.rank, (long long)given->settings.rank);
        hint_stop_words(session, given, &topics);
        cli_text_warn_folder(session, given->folder);
        code = report(session, given, &topics);
    }
    ch_topics_free(session->context, &topics);
    return code;
}

static int run_topics(cli_session *session) {
    topics_arguments *given = session->arguments;
    int code = find_topics(session, given);
    if (code == EXIT_INTERRUPTED) cli_complain("the run was interrupted; nothing was written");
    cli_text_free(&given->text, session);
    json_decref(given->sweep);
    json_decref(given->equals);
    free(given->ranks);
    return code;
}

static const char *const writes[] = {
    "topic_word.npy", "document_topic.npy", "documents.csv", "document_topics.csv", "idf.npy",
    "topics.txt",     "terms.txt",          "report.html",   "topics.json",         NULL};

/* Rows of --help. */
static const cli_basic basics[] = {
    {"rank", "number of topics; auto: tries several numbers"},
    {"output", "folder for the results; report.html shows them"},
    {"text-column", "for a table: the column that holds the texts"},
    {"stop-words", "common words to leave out, for example english"},
    {"stem", "reduce words to their stems, for example english"},
    {"min-df", "leave out words that occur in fewer than N documents"},
    {"max-df", "leave out words that occur in more than this share of the documents, from 0 to 1"},
    {"bigrams", "also count pairs of successive words"},
    {"mail", "skip headers, quotes and signatures of mails"},
    {"terms", "for a matrix: file with the word of each row"},
    {"names", "for a matrix: file with a name for each document"},
    {"transpose", "for a matrix: rows are documents, not columns"},
    {"top", "number of words shown for each topic"},
    {0}};

const cli_command cli_cmd_topics = {
    .name = "topics",
    .summary = "find topics of documents, with their words and names",
    .synopsis = "INPUT -r N [--terms FILE] [-o DIR] [options]",
    .about = "Finds the topics of a collection of documents: the words of every topic, a name\n"
             "for it, and the share of each topic in every document. INPUT is a matrix of\n"
             "counts, terms x documents, in any format of 'conehull anchors', with a file of\n"
             "its terms (--terms); or raw text, which is a folder of .txt files, one .txt file\n"
             "with one document per line, or a table (.csv, .tsv, .jsonl) with --text-column.\n",
    .details = "How it works:\n"
               "  Topics start from documents that represent the others ('conehull exemplars').\n"
               "  Non-negative least squares on log(1 + count) idf, with documents scaled to\n"
               "  length 1, then fits the words of all topics and the topics of all documents "
               "in\n"
               "  turn, for at most --refit rounds. With --start words, topics start from "
               "anchor\n"
               "  words. An anchor word occurs in at least --anchor-df of the documents, and "
               "its\n"
               "  co-occurrences are not a mixture of those of other words. --objective kl with\n"
               "  --weight raw fits the counts by maximum likelihood. There is no random start:\n"
               "  the topics are the same for any number of threads and any order of documents.\n"
               "\n"
               "Output:\n"
               "  share      share of the topic in all documents; the shares sum to 1\n"
               "  name       the most relevant of the ten top words (see --relevance)\n"
               "  top words  sorted by p(word | topic); report.html also sorts by relevance\n"
               "  npmi       mean of log(p(v,w) / (p(v) p(w))) / -log(p(v,w)) over all pairs v,\n"
               "             w of top words. p(v) is the share of the documents that contain v,\n"
               "             and p(v,w) the share that contain both words. 1: the words always\n"
               "             occur together, 0: as often as by chance, -1: never\n"
               "  umass      mean of log((D(v,w) + 1) / D(v)) over all pairs v, w of top words,\n"
               "             where v is higher in the list. D(v) is the number of documents that\n"
               "             contain v, and D(v,w) the number that contain both words. Values\n"
               "             nearer to 0 are better\n",
    .basics = basics,
    .examples = "  conehull topics counts.mtx --terms terms.txt -r 20\n"
                "  conehull topics letters/ -r 10 --stop-words english -o subjects\n"
                "  conehull topics reviews.csv --text-column review -r 8 -o subjects\n"
                "  conehull topics reviews.txt -r 8 --min-df 5 --json\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(topics_arguments),
    .operand = "INPUT",
    .rows = rows,
    .describe = describe,
    .run = run_topics,
    .writes = writes,
};
