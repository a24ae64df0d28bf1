/* conehull anchors: finds the anchor columns, prints them, writes the folder. */
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "common/command.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "options/checkpoint_option.h"
#include "options/rank_option.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    cli_input input;
    ch_anchors_settings settings;
    const char *rank, *keep, *folder;
    int64_t *keep_list;
    cli_checkpoint checkpoint;
} arguments;

/* Where a setting stands in the help, and with which methods and losses it means something.
 * Settings that the library has and this list does not are offered too, under the last heading. */
enum {
    XRAY = 1 << CH_METHOD_XRAY,
    SPA = 1 << CH_METHOD_SPA,
    SMRS = 1 << CH_METHOD_SMRS,
    PROGRAM = 1 << CH_METHOD_HOTTOPIXX | SMRS,
    ANY = ~0
};
enum { BETA = 1 << CH_LOSS_BETA, DIVERGENCE = ~(1 << CH_LOSS_L1 | 1 << CH_LOSS_L2) };
static const char what[] = "Options", how[] = "Expert options";
static const struct {
    const char *name, *group;
    int methods, losses;
} places[] = {
    {"method", what, ANY, ANY},      {"loss", what, ANY, ANY},
    {"select-only", what, ANY, ANY}, {"path", what, ANY, ANY},
    {"stop", how, XRAY | SPA, ANY},  {"tol", how, ANY, ANY},
    {"beta", how, ANY, BETA},        {"reverse", how, ANY, DIVERGENCE},
    {"floor", how, ANY, DIVERGENCE}, {"projection", how, ANY, ANY},
    {"exterior", how, XRAY, ANY},    {"first", how, XRAY, ANY},
    {"dual", how, XRAY, ANY},        {"eager", how, XRAY, ANY},
    {"plain", how, SPA, ANY},        {"gap", how, PROGRAM, ANY},
    {"alpha", how, SMRS, ANY},       {"linear", how, SMRS, ANY},
    {"seed", how, ANY, ANY},
};
enum { PLACES = sizeof places / sizeof *places };

static int is_placed(const char *name) {
    for (int i = 0; i < PLACES; i++)
        if (strcmp(places[i].name, name) == 0) return 1;
    return 0;
}

static void describe(cli_options *options, void *words) {
    arguments *given = words;
    const ch_settings_table *table = &ch_anchors_table;
    ch_settings_defaults(table, &given->settings);
    options->operand_names[0] = "INPUT";
    options->last_group = how;
    cli_options_add_text(options, what, "rank", 'r', "N|auto",
                         ch_settings_find(table, "rank")->help, &given->rank);
    for (int i = 0; i < PLACES; i++)
        if (ch_settings_find(table, places[i].name))
            cli_options_add_setting(options, places[i].group, places[i].name, table,
                                    &given->settings);
    /* callbacks, which words cannot be */
    cli_options_hide_choices(options, "loss", "custom", "is for the C library only");
    cli_options_add_text(options, what, "keep", 0, "I,J,..",
                         "columns that are anchors in any case, in this order; the rest is found",
                         &given->keep);
    for (int i = 0; i < table->count; i++) {
        const char *name = table->rows[i].name;
        int own = strcmp(name, "rank") == 0 || strcmp(name, "keep_duals") == 0; /* -r and -o */
        if (!own && !is_placed(name))
            cli_options_add_setting(options, how, name, table, &given->settings);
    }
    cli_options_add_text(options, what, "output", 'o', "DIR",
                         "folder for anchors.txt, W.npy (rows x rank), H.npy (rank x columns), "
                         "result.json and certificate.npz; it is created when missing, files of "
                         "these names in it are replaced",
                         &given->folder);
    cli_input_options(options, &given->input);
    cli_input_memory(options, "Common options", &given->input);
    cli_checkpoint_options(options, "Common options", &given->checkpoint);
}

static int wrong_use(const char *mistake) {
    cli_complain("anchors: %s; see 'conehull anchors --help'", mistake);
    return EXIT_USAGE;
}

static const char *choice(const char *name, int value) {
    return ch_settings_find(&ch_anchors_table, name)->choices[value];
}

static int take_auto(const arguments *given) {
    int method = given->settings.method;
    if ((XRAY | SMRS) >> method & 1) return EXIT_DONE;
    cli_complain("anchors: -r auto works with --method xray and smrs; with %s give -r N",
                 choice("method", method));
    return EXIT_USAGE;
}

static int take_rank(const cli_session *session, arguments *given) {
    if (!given->rank) return wrong_use("-r is missing: say how many anchors, or -r auto");
    if (strcmp(given->rank, "auto") == 0) return take_auto(given);
    return cli_rank_take(session, &ch_anchors_table, &given->settings, given->rank, 1);
}

static int take_keep(arguments *given) {
    if (!given->keep) return EXIT_DONE;
    int64_t count = 1;
    for (const char *c = given->keep; *c; c++) count += *c == ',';
    given->keep_list = malloc((size_t)count * sizeof(int64_t));
    if (!given->keep_list) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    const char *text = given->keep;
    for (int64_t i = 0; i < count; i++) {
        char *end = NULL;
        errno = 0;
        given->keep_list[i] = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
        if (!end || errno || *end != (i + 1 < count ? ',' : 0)) {
            cli_complain("anchors: --keep must be column numbers with commas between them, as in "
                         "3,17,40; got '%s'",
                         given->keep);
            return EXIT_USAGE;
        }
        text = end + 1;
    }
    given->settings.keep = given->keep_list;
    given->settings.keep_count = count;
    return EXIT_DONE;
}

/* An option that would change nothing is a misunderstanding, not a detail. */
static int refuse_idle(const cli_options *options, const ch_anchors_settings *settings) {
    for (int i = 0; i < PLACES; i++) {
        const char *name = places[i].name;
        int method_fits = places[i].methods >> settings->method & 1;
        int loss_fits = places[i].losses >> settings->loss & 1;
        if (method_fits && loss_fits) continue;
        if (!cli_options_find(options, name)->given) continue;
        cli_complain(
            "anchors: --%s means nothing with --%s %s", name, method_fits ? "loss" : "method",
            method_fits ? choice("loss", settings->loss) : choice("method", settings->method));
        return EXIT_USAGE;
    }
    if (settings->path && settings->select_only)
        return wrong_use("--path means nothing with --select-only");
    return EXIT_DONE;
}

/* ---- the answer for people ---- */

static void print_anchors(const ch_anchors_result *result, int transposed) {
    const double *told = result->weights ? result->weights : result->max_residual;
    printf("%6s %10s %14s%s\n", "anchor", transposed ? "row" : "column",
           result->weights ? "weight" : "max residual",
           result->objective_path ? "      objective" : "");
    for (int64_t k = 0; k < result->rank; k++) {
        printf("%6lld %10lld ", (long long)k + 1, (long long)result->anchors[k]);
        if (isnan(told[k]))
            printf("%14s", "-"); /* not measured */
        else
            printf("%14.6g", told[k]);
        if (result->objective_path) printf(" %14.6g", result->objective_path[k]);
        putchar('\n');
    }
}

/* What the third column of the table is. */
static void print_legend(const ch_anchors_settings *settings) {
    int divergence = DIVERGENCE >> settings->loss & 1;
    if (settings->method == CH_METHOD_SPA)
        printf("max residual: l2 distance of the worst column%s from the span\n",
               settings->plain ? "" : " (scaled to sum 1)");
    else if (settings->method == CH_METHOD_HOTTOPIXX)
        puts("weight: how much of itself a column needs; 1: nothing else explains it");
    else if (settings->method == CH_METHOD_SMRS)
        puts("weight: how much a column is used to represent the others (norm of its row of C)");
    else
        printf("max residual: %s of %s column, with the anchors so far\n",
               divergence                     ? "divergence"
               : settings->loss == CH_LOSS_L1 ? "|x - W h|_1"
                                              : "|x - W h|_2",
               settings->exterior == CH_EXTERIOR_RAND ? "the drawn" : "the worst");
}

static void print_head(const arguments *given, const ch_anchors_result *result,
                       const json_t *json) {
    const cli_input *input = &given->input;
    const char *loss = json_string_value(json_object_get(json, "loss"));
    printf("%s%s: %lld x %lld, %s, %lld non-zeros\n", cli_plain(input->file),
           cli_input_turned(input), (long long)input->X.rows, (long long)input->cols,
           ch_value_type_name(input->X.type), (long long)input->nonzeros);
    printf("%lld anchor%s%s by %s", (long long)result->rank, result->rank == 1 ? "" : "s",
           !input->transpose   ? ""
           : result->rank == 1 ? " (a row of the file)"
                               : " (rows of the file)",
           json_string_value(json_object_get(json, "method")));
    if (given->settings.method == CH_METHOD_XRAY)
        printf(", loss %s", loss);
    else if (result->H) /* the method has no loss of its own to choose */
        printf(", loss of H: %s", loss);
    printf("\n\n");
}

static void print_status(const arguments *given, const ch_anchors_result *result) {
    long long rank = result->rank, wanted = given->settings.rank;
    const char *them = given->settings.method == CH_METHOD_SPA ? "span" : "explain";
    if (result->status == CH_OK) return;
    printf("status: %s: ", cli_status_word(result->status));
    if (result->status != CH_STOP_COMPLETE)
        printf("%s\n", ch_status_sentence(result->status));
    else if (wanted == 0)
        printf("%lld anchor%s %s%s every column\n", rank, rank == 1 ? "" : "s", them,
               rank == 1 ? "s" : "");
    else
        printf("%lld of the %lld anchors asked for %s enough: %s %s%s every column\n", rank, wanted,
               rank == 1 ? "is" : "are", rank == 1 ? "it" : "they", them, rank == 1 ? "s" : "");
}

static void print_exchanges(const json_t *phases) {
    double sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)phases, key, value) sum += json_number_value(value);
    if (phases) printf(" (communication %.3f)", sum);
}

static void print_people(const arguments *given, const ch_anchors_result *result,
                         const json_t *json) {
    const json_t *seconds = json_object_get(json, "seconds");
    const char *key;
    json_t *value;
    print_head(given, result, json);
    print_anchors(result, given->input.transpose);
    print_legend(&given->settings);
    if (result->weights)
        printf("\nchosen by an optimisation: objective %.10g, proven to %.2g, %lld iterations\n",
               result->select_objective, result->select_gap, (long long)result->iterations);
    if (result->H) {
        printf("\n");
        cli_certificate_print(result->objective, &result->certificate, result->unproven);
    }
    if (!result->H) printf("\n");
    if (given->settings.method == CH_METHOD_XRAY)
        printf("%lld projections while selecting\n", (long long)result->projections);
    printf("seconds:");
    json_object_foreach((json_t *)seconds, key, value) if (json_is_number(value))
        printf(" %s %.3f", key, json_number_value(value));
    print_exchanges(json_object_get(seconds, "communication"));
    putchar('\n');
    print_status(given, result);
    if (given->folder) cli_say_written(given->folder, NULL);
}

/* ---- the run ---- */

static int report(const cli_session *session, const arguments *given,
                  const ch_anchors_result *result, const ch_comm_cost *cost) {
    int code = EXIT_DONE;
    json_t *json = cli_result_json(session, &given->input, &given->settings, result);
    if (json) cli_result_add_ranks(json, session, result, cost);
    if (json && given->folder) code = cli_result_write(session, given->folder, result, json);
    if (json && !given->folder)
        json_object_set_new(json_object_get(json, "seconds"), "write", json_real(0));
    if (code == EXIT_DONE && json && !session->common.json) {
        print_people(given, result, json);
        json_decref(json);
    } else if (code == EXIT_DONE) {
        code = cli_json_print(json);
    } else {
        json_decref(json);
    }
    return code == EXIT_DONE ? cli_exit_code(result->status) : code;
}

/* Over several ranks the first one has it all, and writes it for the others. */
static int report_once(const cli_session *session, const arguments *given,
                       ch_anchors_result *result) {
    const ch_comm *comm = ch_context_comm(session->context);
    ch_status status = ch_anchors_result_collect(session->context, result);
    ch_comm_cost cost = ch_context_comm_cost(session->context);
    if (status < 0) return cli_fail(session, status, NULL);
    return comm && comm->rank > 0 ? EXIT_DONE : report(session, given, result, &cost);
}

/* The results are where they should be: on the first rank, which speaks for all. */
static int is_finished(const cli_session *session, ch_status status, int code) {
    const ch_comm *comm = ch_context_comm(session->context);
    if (status < 0 || status == CH_STOP_CANCELLED) return 0;
    int64_t failed = (!comm || comm->rank == 0) && code != cli_exit_code(status);
    return ch_comm_count(session->context, &failed) == CH_OK && failed == 0;
}

static int find_anchors(const cli_session *session, arguments *given) {
    ch_anchors_result result;
    memset(&result, 0, sizeof result);
    int code = cli_input_read(&given->input, session, session->options.operands[0]);
    if (code != EXIT_DONE) {
        if (code == EXIT_INTERRUPTED) cli_complain("interrupted; nothing was written");
        cli_checkpoint_close(session, &given->checkpoint, 0, code);
        return code;
    }
    given->settings.checkpoint = cli_checkpoint_table(&given->checkpoint);
    ch_status status = ch_anchors(session->context, &result, &given->input.X, &given->settings);
    if (status < 0)
        code = cli_input_fail(session, status, &given->input);
    else if (status == CH_STOP_CANCELLED)
        code = EXIT_INTERRUPTED;
    else
        code = report_once(session, given, &result);
    if (code == EXIT_INTERRUPTED)
        cli_complain("interrupted after %lld anchor%s; nothing was written", (long long)result.rank,
                     result.rank == 1 ? "" : "s");
    cli_checkpoint_close(session, &given->checkpoint, is_finished(session, status, code), code);
    if (status >= 0) ch_anchors_result_free(session->context, &result);
    ch_matrix_free(session->context, &given->input.X);
    return code;
}

static int run_anchors(cli_session *session) {
    arguments *given = session->arguments;
    int code = take_rank(session, given);
    if (code == EXIT_DONE) code = take_keep(given);
    if (code == EXIT_DONE) code = refuse_idle(&session->options, &given->settings);
    if (code == EXIT_DONE && given->folder) code = cli_folder_check(given->folder);
    given->settings.keep_duals = given->folder != NULL;
    if (code == EXIT_DONE) code = cli_checkpoint_open(session, &given->checkpoint);
    if (code == EXIT_DONE) code = find_anchors(session, given);
    free(given->keep_list);
    return code;
}

const cli_command cli_cmd_anchors = {
    .name = "anchors",
    .summary = "find the columns whose combinations explain the others",
    .synopsis = "INPUT -r N|auto [options]",
    .about = "Finds anchors A and weights H >= 0 with a small loss of X - W H, where W = X_A.\n"
             "INPUT is a matrix of non-negative numbers in .npy .npz .mtx .mtx.gz .mat .h5\n"
             ".hdf5 .h5ad .csv .csv.gz .tsv or .tsv.gz; a column is a data point, numbered\n"
             "from 0. Of a text table a first line without any number is skipped as header, a\n"
             "first column of words as row names; stderr says so. The answer goes to stdout,\n"
             "progress to stderr; docs/output.md explains files and JSON.\n",
    .details = "When it stops:\n"
               "  A run ends when it has N anchors (status done), or earlier when every column\n"
               "  is in the cone: residual <= stop * norm of the column (status complete, code\n"
               "  0). Norm and residual are |x|_1 for l1, |x|_2 for l2; spa takes |x|_2 of the\n"
               "  column scaled to sum 1 (as it is with --plain), and the span for the cone.\n"
               "  The projection of a column ends by the test at --tol. Columns that fail it are\n"
               "  counted as unproven (status inaccurate, code 1).\n"
               "\n"
               "-r auto with xray:\n"
               "  The anchors end with the last one by which the largest residual fell by 20 %;\n"
               "  if it never did, with the last one by which the objective of a sample of 256\n"
               "  columns fell by a share of 1.5 / rows. Five more anchors that do neither end\n"
               "  the search, 200 anchors at the latest.\n"
               "\n"
               "max residual, in the table and in the JSON:\n"
               "  xray: of the worst column with the anchors so far: |x - W h|_1 for l1,\n"
               "  |x - W h|_2 for l2, the divergence for others. spa: largest l2 distance of a\n"
               "  column, scaled to sum 1, from the span. hottopixx, smrs: of the last row.\n",
    .examples = "  conehull anchors X.npy -r 20\n"
                "  conehull anchors counts.mtx.gz -r 10 --method spa --json\n"
                "  conehull anchors data.mat --var X -r auto --loss l2 -o out\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(arguments),
    .describe = describe,
    .run = run_anchors,
};
