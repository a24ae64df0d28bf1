/* conehull anchors: finds the anchor columns, prints them, writes the folder. */
#include "anchors/library_input.h"
#include "anchors/loss_advice.h"
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "anchors/trust_options.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "options/checkpoint_option.h"
#include "options/option_values.h"
#include <math.h>

typedef struct arguments {
    cli_input input;
    cli_library library;
    ch_anchors_settings settings;
    const char *rank, *keep, *folder;
    int64_t *keep_list;
    cli_checkpoint checkpoint;
    cli_trust trust;
    int advise;
    cli_advice advice;
} arguments;

/* ---- options ---- */

/* The cases in which an option means something: bits by method, then by loss. */
enum { LOSSES = 16 };
enum {
    XRAY = 1 << CH_METHOD_XRAY,
    SPA = 1 << CH_METHOD_SPA,
    SMRS = 1 << CH_METHOD_SMRS,
    SMOOTHED = 1 << CH_METHOD_SMOOTHED_SPA,
    RANDOM = 1 << CH_METHOD_RANDOM_SPA,
    SPA_LIKE = SPA | 1 << CH_METHOD_SNPA | 1 << CH_METHOD_PSPA | SMOOTHED | RANDOM,
    PROGRAM = 1 << CH_METHOD_HOTTOPIXX | SMRS,
    ANY_METHOD = (1 << LOSSES) - 1,
    BETA = 1 << (LOSSES + CH_LOSS_BETA),
    QUANTILE = 1 << (LOSSES + CH_LOSS_QUANTILE),
    DIVERGENCE =
        0x7fff << LOSSES & ~(1 << (LOSSES + CH_LOSS_L1) | 1 << (LOSSES + CH_LOSS_L2) | QUANTILE),
    ANY_LOSS = 0x7fff << LOSSES
};
#define AT(field) .at = offsetof(arguments, field)
#define SETTINGS AT(settings), .table = ch_anchors_table
static const char what[] = "Options", how[] = "Expert options";
static const cli_option_row rows[] = {
    {what, "rank", 'r', "N|auto", AT(rank)}, /* help is the table's */
    {what, "method", SETTINGS},
    {what, "loss", SETTINGS, .hidden = "custom", .why = "is for the C library only"},
    {what, "select-only path refine", SETTINGS},
    {what, "faint", SETTINGS, .cases = XRAY},
    {what, "hull", SETTINGS, .cases = XRAY | SPA},
    {what, "negative", SETTINGS},
    {what, "missing max-missing", SETTINGS, .cases = XRAY},
    {how, "stop", SETTINGS, .cases = XRAY | SPA_LIKE},
    {how, "tol", SETTINGS},
    {how, "beta", SETTINGS, .cases = BETA},
    {how, "quantile", SETTINGS, .cases = QUANTILE},
    {how, "reverse floor", SETTINGS, .cases = DIVERGENCE},
    {how, "projection", SETTINGS},
    {how, "exterior first dual eager", SETTINGS, .cases = XRAY},
    {how, "plain", SETTINGS, .cases = SPA_LIKE},
    {how, "neighbours", SETTINGS, .cases = SMOOTHED},
    {how, "tries", SETTINGS, .cases = RANDOM},
    {how, "gap", SETTINGS, .cases = PROGRAM},
    {how, "p largest tau", SETTINGS, .cases = 1 << CH_METHOD_HOTTOPIXX},
    {how, "alpha linear", SETTINGS, .cases = SMRS},
    {how, "seed", SETTINGS},
    {what, "keep", 0, "I,J,..", AT(keep),
     "columns that are anchors in any case, in this order; the rest is found"},
    {what, "library", 0, "FILE", AT(library.file),
     "known components: a matrix of the same rows, whose columns need not be in INPUT; they are "
     "the "
     "first anchors, and the rest is chosen from INPUT",
     .cases = XRAY},
    {what, "library-only", SETTINGS, .cases = XRAY,
     .help = "with --library: the N anchors are the best of its columns, none is one of INPUT; "
             "ends early when no other would lower any residual"},
    {what, "library-names", 0, "FILE", AT(library.names_file),
     "names of its columns, one a line, for the answer", .cases = XRAY},
    {how, "library-var", 0, "NAME", AT(library.var),
     "which matrix of a .mat, .npz or .h5 file of --library", .cases = XRAY},
    {what, "advise", 0, NULL, AT(advise),
     "says which loss and rule the residuals of this run speak for, and why; decides nothing"},
    {how, "+", SETTINGS},
    {what, "output", 'o', "DIR", AT(folder),
     "folder for anchors.txt, W.npy (rows x rank), H.npy (rank x columns), result.json and "
     "certificate.npz; it is created when missing, files of these names in it are replaced"},
    {0}};

static void describe(cli_options *options, void *user) {
    arguments *given = user;
    options->last_group = how;
    cli_options_find(options, "rank")->row.help =
        ch_settings_find(ch_anchors_table(), "rank")->help;
    cli_options_add(options, cli_input_rows, &given->input);
    cli_options_add(options, cli_trust_rows, &given->trust);
    cli_options_add(options, cli_memory_rows, &given->input);
    cli_options_add(options, cli_checkpoint_rows, &given->checkpoint);
}

static const char *choice(const char *name, int value) {
    return cli_choice_name(ch_anchors_table(), name, value);
}

static int take_rank(const cli_session *session, arguments *given) {
    int method = given->settings.method;
    if (!given->rank)
        return cli_wrong_use(session, "-r is missing: say how many anchors, or -r auto");
    if (strcmp(given->rank, "auto") == 0 && !((XRAY | SMRS) >> method & 1))
        return cli_refuse("anchors: -r auto works with --method xray and smrs; with %s give -r N",
                          choice("method", method));
    return cli_rank_take(session, ch_anchors_table(), &given->settings, given->rank, 1);
}

static int take_keep(arguments *given) {
    if (!given->keep) return EXIT_DONE;
    int64_t count = 1;
    for (const char *c = given->keep; *c; c++) count += *c == ',';
    given->keep_list = malloc((size_t)count * sizeof(int64_t));
    if (!given->keep_list) return cli_no_memory();
    const char *text = given->keep;
    for (int64_t i = 0; i < count; i++, text++) {
        given->keep_list[i] = cli_number_take(&text);
        if (given->keep_list[i] < 0 || *text != (i + 1 < count ? ',' : 0))
            return cli_refuse("anchors: --keep must be column numbers with commas between them, as "
                              "in 3,17,40; got '%s'",
                              given->keep);
    }
    given->settings.keep = given->keep_list;
    given->settings.keep_count = count;
    return EXIT_DONE;
}

static int take_arguments(const cli_session *session, arguments *given) {
    const cli_options *options = &session->options;
    ch_anchors_settings *set = &given->settings;
    TRY(take_rank(session, given));
    TRY(take_keep(given));
    TRY(cli_options_refuse_idle(options, ANY_METHOD, 1 << set->method, "with --method %s",
                                choice("method", set->method)));
    TRY(cli_options_refuse_idle(options, ANY_LOSS, 1 << (LOSSES + set->loss), "with --loss %s",
                                choice("loss", set->loss)));
    if (set->library_only && !given->library.file)
        return cli_wrong_use(session, "--library-only means nothing without --library");
    if (set->refine && set->select_only)
        return cli_wrong_use(session, "--refine means nothing with --select-only");
    if (given->advise && set->select_only)
        return cli_wrong_use(session, "--advise looks at residuals: leave out --select-only");
    if (given->advise && ch_context_comm(session->context))
        return cli_refuse("anchors: --advise runs in one process");
    if (set->path && set->select_only)
        return cli_wrong_use(session, "--path means nothing with --select-only");
    TRY(cli_folder_check(given->folder));
    set->keep_duals = given->folder != NULL;
    return cli_checkpoint_open(session, &given->checkpoint);
}

/* ---- the answer for people ---- */

/* A column of the data by its number, one of the library as "library 3". */
static void print_column(const ch_anchors_result *result, int64_t j) {
    char text[40];
    if (j < result->cols || !result->library)
        snprintf(text, sizeof text, "%lld", (long long)j);
    else
        snprintf(text, sizeof text, "library %lld", (long long)(j - result->cols));
    printf("%*s ", result->library ? 14 : 10, text);
}

static void print_anchors(const ch_anchors_result *result, const cli_library *library,
                          int transposed) {
    const double *values = result->weights ? result->weights : result->max_residual;
    printf("%6s %*s %14s%s\n", "anchor", result->library ? 14 : 10, transposed ? "row" : "column",
           result->weights ? "weight" : "max residual",
           result->objective_path ? "      objective" : "");
    for (int64_t k = 0; k < result->rank; k++) {
        printf("%6lld ", (long long)k + 1);
        print_column(result, result->anchors[k]);
        if (isnan(values[k]))
            printf("%14s", "-"); /* not measured */
        else
            printf("%14.6g", values[k]);
        if (result->objective_path) printf(" %14.6g", result->objective_path[k]);
        const char *name = cli_library_name(library, result->anchors[k] - result->cols);
        if (name) printf("  %s", cli_plain(name));
        putchar('\n');
    }
}

/* What spa and its relatives measure distances from. */
static const char *hull_name(int method) {
    switch (method) {
    case CH_METHOD_SNPA:
        return "hull of the anchors and 0";
    case CH_METHOD_PSPA:
        return "span, preconditioned";
    case CH_METHOD_SMOOTHED_SPA:
        return "span of the medians";
    default:
        return "span";
    }
}

/* What the third column of the table is. */
static void print_legend(const ch_anchors_settings *settings) {
    int divergence = DIVERGENCE >> (LOSSES + settings->loss) & 1;
    if (SPA_LIKE >> settings->method & 1)
        printf("max residual: l2 distance of the worst column%s from the %s\n",
               settings->plain ? "" : " (scaled to sum 1)", hull_name(settings->method));
    else if (settings->method == CH_METHOD_HOTTOPIXX)
        puts("weight: how much of itself a column needs; 1: nothing else explains it");
    else if (settings->method == CH_METHOD_SMRS)
        puts("weight: how much a column is used to represent the others (norm of its row of C)");
    else
        printf("max residual: %s of %s column, with the anchors so far\n",
               divergence                           ? "divergence"
               : settings->loss == CH_LOSS_L1       ? "|x - W h|_1"
               : settings->loss == CH_LOSS_QUANTILE ? "loss"
                                                    : "|x - W h|_2",
               settings->exterior == CH_EXTERIOR_RAND    ? "the drawn"
               : settings->exterior == CH_EXTERIOR_SHARE ? "the relatively worst"
                                                         : "the worst");
}

static void print_head(const arguments *given, const ch_anchors_result *result) {
    const cli_input *input = &given->input;
    char buffer[CLI_LOSS_NAME];
    const char *loss = cli_loss_name(buffer, &given->settings);
    printf("%s%s: %lld x %lld, %s, %lld non-zeros\n", cli_plain(input->file),
           cli_input_turned(input), (long long)input->X.rows, (long long)input->cols,
           ch_value_type_name(input->X.type), (long long)result->nonzeros);
    printf("%lld anchor%s%s by %s", (long long)result->rank, result->rank == 1 ? "" : "s",
           !input->transpose   ? ""
           : result->rank == 1 ? " (a row of the file)"
                               : " (rows of the file)",
           choice("method", given->settings.method));
    if (given->settings.method == CH_METHOD_XRAY)
        printf(", loss %s", loss);
    else if (result->H) /* the method has no loss of its own to choose */
        printf(", loss of H: %s", loss);
    printf("\n\n");
}

static void print_refined(const ch_anchors_result *result) {
    double largest = 0, sum = 0;
    if (!result->refined_W) return;
    for (int64_t k = 0; k < result->rank; k++) {
        largest = fmax(largest, result->refined_angle[k]);
        sum += result->refined_angle[k];
    }
    printf("refined in %lld round%s: ", (long long)result->refined_rounds,
           result->refined_rounds == 1 ? "" : "s");
    cli_certificate_print(result->refined_objective, &result->refined_certificate,
                          result->refined_unproven);
    printf("components stand at %.1f degrees to their anchors, %.1f at most\n",
           sum / (double)result->rank, largest);
}

static void print_status(const arguments *given, const ch_anchors_result *result) {
    long long rank = result->rank, wanted = given->settings.rank;
    const char *them = SPA_LIKE >> given->settings.method & 1 ? "span" : "explain";
    if (result->status == CH_OK) return;
    printf("status: %s: ", cli_status_name(result->status));
    if (result->status != CH_STOP_COMPLETE)
        printf("%s\n", ch_status_sentence(result->status));
    else if (given->settings.library_only)
        printf("no other column of the library would lower a residual\n");
    else if (wanted == 0)
        printf("%lld anchor%s %s%s every column\n", rank, rank == 1 ? "" : "s", them,
               rank == 1 ? "s" : "");
    else
        printf("%lld of the %lld anchors asked for %s enough: %s %s%s every column\n", rank, wanted,
               rank == 1 ? "is" : "are", rank == 1 ? "it" : "they", them, rank == 1 ? "s" : "");
}

static void print_missing(const ch_anchors_result *result) {
    if (result->unknown == 0) return;
    printf("%lld entries are missing (%.3g %%), %lld of them in the anchors, where they are "
           "completed (W_completed.npy)\n",
           (long long)result->unknown,
           100 * (double)result->unknown / ((double)result->rows * (double)result->cols),
           (long long)result->completed);
    if (result->incomplete > 0)
        printf("%lld columns lack too many entries to be candidates\n",
               (long long)result->incomplete);
}

/* What the path of the largest residual does not say by itself. */
static void print_path_notes(const arguments *given, const ch_anchors_result *result) {
    if (given->settings.method != CH_METHOD_XRAY) return;
    int64_t rise = cli_residual_rise(result);
    if (rise > 0)
        printf("the largest residual rises with anchor %lld: values on the way are of the first "
               "choice, which was made once more\n",
               (long long)rise);
    if (given->settings.rank == 0 && result->H && result->status == CH_OK &&
        !cli_rank_is_clear(result))
        printf("no clear rank: the largest residual falls without a bend; the table above is the "
               "path, -r N goes on (docs/howto/choose-rank.md)\n");
}

static void print_people(const cli_session *session, const arguments *given,
                         const ch_anchors_result *result, const ch_comm_cost *cost, double write) {
    print_head(given, result);
    print_anchors(result, &given->library, given->input.transpose);
    print_legend(&given->settings);
    if (result->weights)
        printf("\nchosen by an optimisation: objective %.10g, proven to %.2g, %lld iterations\n",
               result->select_objective, result->select_gap, (long long)result->iterations);
    printf("\n");
    if (result->clipped > 0)
        printf("%lld negative values count as 0; they sum to -%.6g\n", (long long)result->clipped,
               result->clipped_mass);
    print_missing(result);
    if (result->faint > 0)
        printf("%lld faint columns were not candidates\n", (long long)result->faint);
    if (result->H) cli_certificate_print(result->objective, &result->certificate, result->unproven);
    print_refined(result);
    if (given->settings.method == CH_METHOD_XRAY)
        printf("%lld projections while selecting\n", (long long)result->projections);
    printf("seconds: read %.3f select %.3f project %.3f", given->input.seconds,
           result->seconds_select, result->seconds_project);
    if (ch_context_comm(session->context))
        printf(" waiting %.3f write %.3f (communication %.3f)\n", cost->waiting, write,
               cost->seconds);
    else
        printf(" write %.3f\n", write);
    print_path_notes(given, result);
    cli_warnings_print(result);
    print_status(given, result);
    if (given->advise) cli_advice_print(&given->advice);
    if (given->folder) cli_say_written(given->folder, NULL);
}

/* ---- the run ---- */

static int report(const cli_session *session, const arguments *given,
                  const ch_anchors_result *result, const ch_comm_cost *cost) {
    double write;
    json_t *json = cli_result_json(session, &given->input, &given->settings, result);
    cli_result_add_ranks(json, session, result, cost);
    cli_library_add(json, &given->library, result);
    if (given->advise)
        json = cli_json_merge(json, cli_json_pack("advice:o", cli_advice_json(&given->advice)));
    int code = cli_result_write(session, given->folder, result, &given->settings, json, &write);
    if (code == EXIT_DONE && session->common.json)
        code = cli_json_print(json_incref(json));
    else if (code == EXIT_DONE)
        print_people(session, given, result, cost, write);
    json_decref(json);
    return code == EXIT_DONE ? cli_exit_code(result->status) : code;
}

/* Of several processes the first one has it all, and writes it for the others. */
static int report_once(const cli_session *session, const arguments *given,
                       ch_anchors_result *result) {
    ch_status status = ch_anchors_result_collect(session->context, result);
    ch_comm_cost cost = {.size = sizeof cost};
    if (status >= 0) status = ch_context_comm_cost(session->context, &cost);
    TRY(cli_check(session, status));
    return cli_is_first(session) ? report(session, given, result, &cost) : EXIT_DONE;
}

/* The results are where they should be: with the first process, which writes for all. */
static int is_finished(const cli_session *session, ch_status status, int code) {
    if (status < 0 || status == CH_STOP_CANCELLED) return 0;
    int64_t failed = cli_is_first(session) && code != cli_exit_code(status);
    return ch_comm_count(session->context, &failed) == CH_OK && failed == 0;
}

static int find_anchors(const cli_session *session, arguments *given) {
    ch_anchors_result result = {.size = sizeof result};
    int code = cli_input_read(&given->input, session, session->options.operands[0]);
    if (code == EXIT_DONE) code = cli_library_read(&given->library, session, &given->input);
    if (given->library.file) given->settings.library = &given->library.L;
    if (code == EXIT_DONE)
        code = cli_trust_read(&given->trust, session, &given->input, &given->settings);
    int has_read = code == EXIT_DONE, finished = 0;
    if (has_read) {
        given->settings.checkpoint = cli_checkpoint_table(&given->checkpoint);
        ch_status status = ch_anchors(session->context, &result, &given->input.X, &given->settings);
        code = cli_input_check(session, status, &given->input);
        if (code == EXIT_DONE && given->advise && result.H &&
            !cli_advice_make(&given->advice, &given->input.X, &result))
            code = cli_no_memory();
        if (code == EXIT_DONE) code = report_once(session, given, &result);
        finished = is_finished(session, status, code);
    }
    if (code == EXIT_INTERRUPTED && has_read)
        cli_complain("interrupted after %lld anchor%s; nothing was written", (long long)result.rank,
                     result.rank == 1 ? "" : "s");
    else if (code == EXIT_INTERRUPTED)
        cli_complain("interrupted; nothing was written");
    cli_checkpoint_close(session, &given->checkpoint, finished, code);
    ch_anchors_result_free(session->context, &result);
    cli_library_free(&given->library, session);
    ch_matrix_free(session->context, &given->input.X);
    cli_trust_free(&given->trust, session);
    return code;
}

static int run_anchors(cli_session *session) {
    arguments *given = session->arguments;
    int code = take_arguments(session, given);
    if (code == EXIT_DONE) code = find_anchors(session, given);
    free(given->keep_list);
    return code;
}

static const char *const writes[] = {"anchors.txt",     "W.npy",           "H.npy",
                                     "certificate.npz", "W_refined.npy",   "H_refined.npy",
                                     "W_completed.npy", "row_weights.npy", "result.json",
                                     "unmix.json",      "pixels.txt",      NULL};

const cli_command cli_cmd_anchors = {
    .name = "anchors",
    .summary = "find the columns whose combinations explain the others",
    .synopsis = "INPUT -r N|auto [options]",
    .about = "Finds anchors A and weights H >= 0 with a small loss of X - W H, where W = X_A.\n"
             "INPUT is a matrix of non-negative numbers in .npy .npz .mtx .mtx.gz .mat .h5\n"
             ".hdf5 .h5ad .csv .csv.gz .tsv .tsv.gz, or an ENVI cube: .hdr .sli .bsq .bil .bip\n"
             "or any data file with a header beside it. A column is a data point, of a cube a\n"
             "pixel, numbered from 0. Of a text table a first line without any number is\n"
             "skipped as header, a first column of words as row names; stderr says so. The\n"
             "answer goes to stdout, progress to stderr;\n"
             "docs/output.md explains files and JSON.\n",
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
                "  conehull anchors data.mat --var X -r auto --loss l2 -o out\n"
                "  conehull anchors X.npy -r 20 --library known.npy\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(arguments),
    .operand = "INPUT",
    .rows = rows,
    .describe = describe,
    .run = run_anchors,
    .writes = writes,
};
