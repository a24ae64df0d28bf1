/* Options of conehull exemplars: where they stand in the help, and with which methods they mean
 * something. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "exemplars/exemplars_command.h"
#include "options/method_list.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "Options", worth[] = "With --labels", text[] = "Raw text",
                  frames[] = "Frames", matrix[] = "Input", how[] = "Expert options";

enum { XRAY = 0x0f, L1 = 0x01, SPA = 0x10, SMRS = 0x20, PROGRAM = 0x60, DIVERGENCE = 0x0c };

/* Rows of ch_anchors_table, and the methods (bits by row of ch_exemplars_methods) they are for. */
static const struct {
    const char *name;
    int methods;
} select_rows[] = {{"exterior", XRAY}, {"first", XRAY},       {"dual", L1},   {"projection", XRAY},
                   {"tol", XRAY},      {"floor", DIVERGENCE}, {"plain", SPA}, {"alpha", SMRS},
                   {"linear", SMRS},   {"gap", PROGRAM}};
enum { SELECT_ROWS = sizeof select_rows / sizeof *select_rows };

static const char *const worth_rows[] = {"splits", "cost", "svm"};
static const char *const clip_rows[] = {"from", "frames", "step", "width", "partial"};
enum { WORTH_ROWS = 3, CLIP_ROWS = 4 };

static void describe_columns(cli_options *options, exemplars_arguments *given) {
    cli_options_add_text(options, what, "rank", 'r', "N,N,..",
                         "how many exemplars: a number, several with commas between them, or "
                         "FROM:TO:STEP; without --labels the largest alone counts",
                         &given->ranks_text);
    cli_options_add_text(options, what, "method", 0, "A,B,..",
                         "one or several of robust-xray (default), xray-l2, xray-kl, xray-is, spa, "
                         "smrs, hottopixx, random; several are compared",
                         &given->method_text);
    cli_options_add_text(options, what, "weight", 0, "W",
                         "of the columns to choose from: auto (default), raw, log, tfidf, l1, l2, "
                         "or two as in tfidf+l2",
                         &given->weight_text);
    cli_options_add_setting(options, what, "seed", &ch_exemplars_table, &given->settings);
    cli_options_add_text(options, what, "names", 0, "FILE", "a name for each column, one per line",
                         &given->names_file);
    cli_options_add_text(options, what, "terms", 0, "FILE",
                         "a name for each row, one per line: the most telling ones of each "
                         "exemplar are shown",
                         &given->terms_file);
    cli_options_add_text(options, what, "output", 'o', "DIR",
                         "folder for the files, made if missing", &given->folder);
    cli_options_add_text(options, worth, "labels", 0, "FILE",
                         "the class of each column, one per line", &given->labels_file);
    for (int i = 0; i < WORTH_ROWS; i++)
        cli_options_add_setting(options, worth, worth_rows[i], &ch_exemplars_table,
                                &given->settings);
    cli_options_add_text(options, worth, "features", 0, "W",
                         "weighting of what the SVM sees, as --weight (default: l2)",
                         &given->features_text);
}

void exemplars_options_describe(cli_options *options, void *arguments) {
    exemplars_arguments *given = arguments;
    ch_exemplars_defaults(&given->settings);
    ch_settings_defaults(&ch_clip_table, &given->clip);
    options->operand_names[0] = "INPUT";
    options->last_group = how;
    describe_columns(options, given);
    for (int i = 0; i < SELECT_ROWS; i++)
        cli_options_add_setting(options, how, select_rows[i].name, &ch_anchors_table,
                                &given->settings.select);
    cli_input_options(options, &given->text.matrix);
    cli_text_options(options, &given->text, 0);
    for (int i = 0; i < CLIP_ROWS; i++)
        cli_options_add_setting(options, frames, clip_rows[i], &ch_clip_table, &given->clip);
}

/* ---- taking them ---- */

static int wrong_use(const char *mistake) {
    cli_complain("exemplars: %s; see 'conehull exemplars --help'", mistake);
    return EXIT_USAGE;
}

static int refuse_ranks(const char *given) {
    cli_complain("exemplars: -r must be whole numbers from 1 on with commas between them, as in "
                 "10,20,50, or FROM:TO:STEP, as in 10:150:10; got '%s'",
                 given);
    return EXIT_USAGE;
}

static int64_t take_number(const char **at) {
    char *end;
    errno = 0;
    if (**at < '0' || **at > '9') return -1;
    long long number = strtoll(*at, &end, 10);
    *at = end;
    return errno || number < 1 ? -1 : number;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum { RANKS_MAX = 1000 };

/* One number or one range. 0: not understood. */
static int take_item(exemplars_arguments *given, const char **at) {
    int64_t from = take_number(at), to = from, step = 1;
    if (**at == ':') {
        ++*at;
        to = take_number(at);
        if (**at == ':') {
            ++*at;
            step = take_number(at);
        }
    }
    if (from < 1 || to < from || step < 1) return 0;
    if ((to - from) / step >= RANKS_MAX - given->rank_count) return 0;
    for (int64_t r = from; r <= to; r += step) given->ranks[given->rank_count++] = r;
    return 1;
}

static int take_ranks(exemplars_arguments *given) {
    if (!given->ranks_text) return wrong_use("-r is missing: say how many exemplars");
    given->ranks = malloc(RANKS_MAX * sizeof *given->ranks);
    if (!given->ranks) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    for (const char *at = given->ranks_text;; at++) {
        if (!take_item(given, &at)) return refuse_ranks(given->ranks_text);
        if (!*at) break;
        if (*at != ',') return refuse_ranks(given->ranks_text);
    }
    qsort(given->ranks, (size_t)given->rank_count, sizeof *given->ranks, by_value);
    int kept = 1;
    for (int i = 1; i < given->rank_count; i++)
        if (given->ranks[i] != given->ranks[kept - 1]) given->ranks[kept++] = given->ranks[i];
    given->rank_count = kept;
    return EXIT_DONE;
}

static int take_weighting(const cli_session *session, ch_weighting *weighting, const char *option,
                          const char *words) {
    if (!words || ch_weighting_parse(session->context, weighting, words) >= 0) return EXIT_DONE;
    cli_complain("exemplars: --%s: %s", option, ch_context_message(session->context));
    return EXIT_USAGE;
}

/* An option that would change nothing is a misunderstanding, not a detail. */
static int refuse_idle(const cli_options *options, const exemplars_arguments *given) {
    int methods = 0;
    for (int i = 0; i < given->method_count; i++) methods |= 1 << given->methods[i];
    for (int i = 0; i < SELECT_ROWS; i++) {
        if (select_rows[i].methods & methods) continue;
        if (!cli_options_find(options, select_rows[i].name)->given) continue;
        cli_complain("exemplars: --%s means nothing with --method %s", select_rows[i].name,
                     given->method_text ? given->method_text : ch_exemplars_methods[0].name);
        return EXIT_USAGE;
    }
    for (int i = 0; i < WORTH_ROWS && !given->labels_file; i++)
        if (cli_options_find(options, worth_rows[i])->given) {
            cli_complain("exemplars: --%s means nothing without --labels", worth_rows[i]);
            return EXIT_USAGE;
        }
    if (given->features_text && !given->labels_file)
        return wrong_use("--features means nothing without --labels");
    return EXIT_DONE;
}

int exemplars_options_take(const cli_session *session, exemplars_arguments *given) {
    int code = take_ranks(given);
    if (code == EXIT_DONE)
        code = cli_method_list(given->methods, &given->method_count, given->method_text,
                               &ch_exemplars_table, "exemplars");
    if (code == EXIT_DONE)
        code = take_weighting(session, &given->settings.weight, "weight", given->weight_text);
    if (code == EXIT_DONE)
        code = take_weighting(session, &given->settings.features, "features", given->features_text);
    if (code == EXIT_DONE) code = refuse_idle(&session->options, given);
    return code;
}

int exemplars_options_fit(const cli_session *session, exemplars_kind kind) {
    static const struct {
        const char *group, *words;
    } kinds[] = {[EXEMPLARS_MATRIX] = {matrix, "a matrix"},
                 [EXEMPLARS_TEXT] = {text, "raw text"},
                 [EXEMPLARS_FRAMES] = {frames, "a clip"}};
    for (int i = 0; i < session->options.count; i++) {
        const cli_option *option = &session->options.rows[i];
        for (int k = 0; k < 3 && option->given; k++) {
            if (k == (int)kind || strcmp(option->group, kinds[k].group) != 0) continue;
            cli_complain("exemplars: --%s is for %s, and %s is read as %s", option->name,
                         kinds[k].words, session->options.operands[0], kinds[kind].words);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}
