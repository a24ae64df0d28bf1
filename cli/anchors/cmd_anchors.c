/* conehull anchors: finds the anchor columns, prints them, writes the folder. */
#include "anchors/anchors_command.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "options/option_values.h"
#include "result/column_residuals.h"
#include "result/feature_scale.h"
#include "result/named_files.h"
#include "result/result_json.h"

/* ---- options ---- */

#define AT(field) .at = offsetof(anchors_arguments, field)
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
    {what, "missing", SETTINGS, .cases = XRAY,
     .help = "how to treat missing values, which are NaN and, in a .csv or .tsv file, empty cells "
             "and cells that hold NA, N/A, #N/A, <NA>, null, none, -, ? or a dot. none: a missing "
             "value is an error. nan: a missing value was not measured (a dropout, a cloud), and "
             "each data point is fitted to the values that it has"},
    {what, "max-missing", SETTINGS, .cases = XRAY},
    {how, "stop", SETTINGS, .cases = XRAY | SPA_LIKE},
    {how, "tol", SETTINGS},
    {how, "beta", SETTINGS, .cases = BETA},
    {how, "quantile", SETTINGS, .cases = QUANTILE},
    {how, "reverse floor", SETTINGS, .cases = DIVERGENCE},
    {how, "projection", SETTINGS},
    {how, "exterior first dual eager", SETTINGS, .cases = XRAY},
    {how, "reselect", 0, "N", AT(reselect),
     "number of first anchors that are dropped at the end and selected again. 1 is the same as "
     "--first reselect, 0 the same as --first paper",
     .cases = XRAY},
    {how, "plain", SETTINGS, .cases = SPA_LIKE},
    {how, "neighbours", SETTINGS, .cases = SMOOTHED},
    {how, "tries", SETTINGS, .cases = RANDOM},
    {how, "gap", SETTINGS, .cases = PROGRAM},
    {how, "p", SETTINGS, .cases = BY_DIAGONAL},
    {how, "largest tau", SETTINGS, .cases = 1 << CH_METHOD_HOTTOPIXX},
    {how, "alpha linear", SETTINGS, .cases = SMRS},
    {how, "seed", SETTINGS},
    {what, "keep", 0, "I,J,..", AT(keep),
     "column numbers that become the first anchors, in this order, as in 3,17; the run selects "
     "the remaining anchors"},
    {what, "library", 0, "FILE", AT(library.file),
     "a matrix of known components with the same rows as INPUT. Its columns become the first "
     "anchors and need not occur in INPUT; the remaining anchors are selected from INPUT",
     .cases = XRAY},
    {what, "library-only", SETTINGS, .cases = XRAY,
     .help = "select all N anchors from the columns of --library and none from INPUT. The run ends "
             "early when no other column of the library would lower a residual"},
    {what, "library-names", 0, "FILE", AT(library.names_file),
     "file with the names of the columns of --library, one per line; they are shown in the result",
     .cases = XRAY},
    {how, "library-var", 0, "NAME", AT(library.var),
     "name of the matrix to read if the file of --library (.mat, .npz or .h5) holds several",
     .cases = XRAY},
    {what, "advise", 0, NULL, AT(advise),
     "after the run, recommend a loss and a selection rule that fit its residuals, with the "
     "reasons. The result of this run does not change"},
    {how, "+", SETTINGS},
    {what, "output", 'o', "DIR", AT(folder),
     "folder for the results: anchors.txt, W.npy (rows x anchors), H.npy (anchors x columns), "
     "result.json and certificate.npz; if there are names, also anchors.csv, weights.csv, "
     "column_names.txt and row_names.txt. The folder is created if it does not exist; existing "
     "files of these names are replaced"},
    {what, "page", 0, NULL, AT(page),
     "also write anchors.html to the folder of -o, a page for a browser that needs no network. It "
     "shows the residual after each anchor, the largest rows of each anchor, the weights as a "
     "picture and the columns that are explained worst"},
    {what, "write-h5ad", 0, "FILE", AT(h5ad),
     "if INPUT is an .h5ad file: write a copy of it to FILE, with the weights in obsm/X_conehull, "
     "the anchors' values in varm/conehull and all other results in uns/conehull. FILE may be "
     "INPUT itself"},
    {0}};

static void describe(cli_options *options, void *user) {
    anchors_arguments *given = user;
    options->last_group = how;
    cli_options_find(options, "rank")->row.help =
        ch_settings_find(ch_anchors_table(), "rank")->help;
    cli_options_add(options, cli_scale_rows, &given->input);
    cli_options_add(options, cli_weights_rows, &given->weights);
    cli_options_add(options, cli_input_rows, &given->input);
    cli_options_add(options, cli_names_rows, &given->input.names);
    cli_options_add(options, cli_trust_rows, &given->trust);
    cli_options_add(options, cli_memory_rows, &given->input);
    cli_options_add(options, cli_checkpoint_rows, &given->checkpoint);
}

static const char *choice(const char *name, int value) {
    return cli_choice_name(ch_anchors_table(), name, value);
}

static int take_rank(const cli_session *session, anchors_arguments *given) {
    int method = given->settings.method;
    if (!given->rank)
        return cli_wrong_use(session, "-r is missing: give the number of anchors, or -r auto");
    if (strcmp(given->rank, "auto") == 0 && !((XRAY | SMRS) >> method & 1))
        return cli_refuse("anchors: -r auto works with --method xray and smrs; with %s give -r N",
                          choice("method", method));
    return cli_rank_take(session, ch_anchors_table(), &given->settings, given->rank, 1);
}

static int take_reselect(const cli_session *session, anchors_arguments *given) {
    const char *count = given->reselect;
    if (!count) return EXIT_DONE;
    if (strcmp(count, "0") != 0 && strcmp(count, "1") != 0)
        return cli_wrong_use(session,
                             "--reselect must be 0 or 1, because only the first anchor is selected "
                             "before residuals are known; got '%s'",
                             count);
    given->settings.first = *count == '1' ? CH_FIRST_RESELECT : CH_FIRST_PAPER;
    return EXIT_DONE;
}

static int take_keep(anchors_arguments *given) {
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

static int take_arguments(const cli_session *session, anchors_arguments *given) {
    const cli_options *options = &session->options;
    ch_anchors_settings *set = &given->settings;
    TRY(take_rank(session, given));
    TRY(take_keep(given));
    TRY(take_reselect(session, given));
    TRY(cli_options_refuse_idle(options, ANY_METHOD, 1 << set->method, "with --method %s",
                                choice("method", set->method)));
    TRY(cli_options_refuse_idle(options, ANY_LOSS, 1 << (LOSSES + set->loss), "with --loss %s",
                                choice("loss", set->loss)));
    if (set->library_only && !given->library.file)
        return cli_wrong_use(session, "--library-only cannot be used without --library");
    if (set->refine && set->select_only)
        return cli_wrong_use(session, "--refine cannot be used with --select-only");
    if (given->advise && set->select_only)
        return cli_wrong_use(session, "--advise needs residuals, which --select-only does not "
                                      "compute; leave out one of them");
    if (given->advise && ch_context_comm(session->context))
        return cli_refuse(
            "anchors: --advise does not support several processes; run it as one process");
    if (set->path && set->select_only)
        return cli_wrong_use(session, "--path cannot be used with --select-only");
    if (given->page && !given->folder)
        return cli_wrong_use(session, "--page needs a folder for the results; give -o DIR");
    if (given->page && ch_context_comm(session->context))
        return cli_refuse(
            "anchors: --page does not support several processes; run it as one process");
    TRY(cli_weights_check(&given->weights, session, given->folder));
    if (cli_weights_used(&given->weights) && (set->refine || set->select_only || given->advise))
        return cli_wrong_use(session, "--h-precision and --h-format cannot be used with %s",
                             set->select_only ? "--select-only"
                             : set->refine    ? "--refine"
                                              : "--advise");
    TRY(anchors_h5ad_check(session, given));
    TRY(cli_folder_check(given->folder));
    set->keep_duals = given->folder != NULL;
    TRY(cli_checkpoint_open(session, &given->checkpoint));
    given->checkpoint.keep = set->select_only && given->checkpoint.found > 0;
    return EXIT_DONE;
}

/* ---- the run ---- */

static int report(const cli_session *session, anchors_arguments *given,
                  const ch_anchors_result *result, const ch_comm_cost *cost) {
    double write;
    json_t *json = cli_result_json(session, &given->input, &given->settings, result);
    cli_result_add_ranks(json, session, result, cost);
    cli_library_add(json, &given->library, result);
    if (given->advise)
        json = cli_json_merge(json, cli_json_pack("advice:o", cli_advice_json(&given->advice)));
    if (given->unit_warning)
        json = cli_json_merge(json, cli_json_pack("unit_warning:s", given->unit_warning));
    if (given->residuals)
        json = cli_json_merge(json, cli_json_pack("residuals:o", json_incref(given->residuals)));
    json = cli_weights_add(json, &given->weights, result);
    anchors_page *page = NULL;
    int code = given->page ? anchors_page_make(&page, session, given, result, json) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = cli_result_write(session, given->folder,
                                &(cli_result_parts){.result = result,
                                                    .settings = &given->settings,
                                                    .json = json,
                                                    .weights = &given->weights,
                                                    .input = &given->input,
                                                    .page = given->page ? anchors_page_write : NULL,
                                                    .page_user = page},
                                &write);
    anchors_page_free(page);
    given->early.kept = code == EXIT_DONE;
    if (code == EXIT_DONE) code = anchors_h5ad_write(session, given, result);
    if (code == EXIT_DONE && session->common.json)
        code = cli_json_print(json_incref(json));
    else if (code == EXIT_DONE)
        anchors_print(session, given, result, cost, write);
    json_decref(json);
    return code == EXIT_DONE ? cli_exit_code(result->status) : code;
}

/* Of several processes the first one has it all, and writes it for the others. */
static int report_once(const cli_session *session, anchors_arguments *given,
                       ch_anchors_result *result) {
    TRY(cli_residuals_sample(&given->residuals, session, &given->input, &given->settings, result));
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

/* Interrupted while columns were projected: the anchors are there, as with --select-only. A run
 * that was interrupted in a refinement, with H, leaves nothing. */
static int keep_selection(const cli_session *session, anchors_arguments *given,
                          const ch_anchors_result *result) {
    if (ch_context_comm(session->context) || !given->early.found || result->H)
        return EXIT_INTERRUPTED;
    given->settings.select_only = 1;
    ch_comm_cost cost = {.size = sizeof cost};
    return report(session, given, result, &cost);
}

static void say_kept(const anchors_arguments *given) {
    if (given->folder)
        cli_complain(
            "the run was interrupted while it computed the weights; the folder %s has the "
            "anchors but no H (the status is \"cancelled\"), and 'conehull project %s %s -o OUT' "
            "computes H",
            given->folder, given->input.file, given->folder);
    else
        cli_complain("the run was interrupted while it computed the weights; the anchors are "
                     "complete, but H was not computed");
}

static void warn_of_units(const cli_session *session, anchors_arguments *given) {
    given->unit_warning = cli_scale_warning(session, &given->input, &given->settings);
    if (given->unit_warning && !session->common.quiet)
        cli_complain("warning: %s: %s", given->input.file, given->unit_warning);
}

/* Returns whether no entry of a row of X is known. */
static int is_all_unknown(const anchors_arguments *given, int64_t i) {
    const ch_matrix *X = &given->input.X;
    for (int64_t j = 0; j < X->cols; j++)
        if (!cli_is_unknown(&given->settings, i, j, ch_matrix_at(X, i, j))) return 0;
    return 1;
}

/* Refuses a feature of which nothing is known: its entries in W would be 0, which looks like a
 * measurement. */
static int check_features(const cli_session *session, const anchors_arguments *given) {
    const ch_anchors_settings *set = &given->settings;
    const cli_input *input = &given->input;
    const char *side = input->transpose ? "column" : "row";
    if ((set->missing != CH_MISSING_NAN && !set->observed && !set->weights) ||
        ch_context_comm(session->context) || input->X.cols == 0)
        return EXIT_DONE;
    for (int64_t i = 0; i < input->X.rows; i++) {
        if ((set->row_weights && set->row_weights[i] == 0) || !is_all_unknown(given, i)) continue;
        const char *name = cli_row_name(&input->names, i);
        return cli_refuse("%s: no value of %s %lld%s%s%s is known; leave it out%s, or give it "
                          "weight 0 with --row-weights",
                          input->file, side, (long long)i, name ? " (" : "", name ? name : "",
                          name ? ")" : "",
                          input->transpose && cli_is_table(input->file) ? " with --drop" : "");
    }
    return EXIT_DONE;
}

static int find_anchors(const cli_session *session, anchors_arguments *given) {
    ch_anchors_result result = {.size = sizeof result};
    given->input.cells = 1;
    int code = cli_input_read(&given->input, session, session->options.operands[0]);
    if (code == EXIT_DONE) cli_input_suggest_transpose(&given->input, session);
    if (code == EXIT_DONE) code = cli_library_read(&given->library, session, &given->input);
    if (given->library.file) given->settings.library = &given->library.L;
    if (code == EXIT_DONE)
        code = cli_trust_read(&given->trust, session, &given->input, &given->settings);
    if (code == EXIT_DONE) code = check_features(session, given);
    if (code == EXIT_DONE) warn_of_units(session, given);
    int has_read = code == EXIT_DONE, finished = 0;
    if (has_read) {
        given->settings.checkpoint = cli_checkpoint_table(&given->checkpoint);
        anchors_early_watch(given, session);
        cli_weights_take(&given->weights, &given->settings);
        ch_status status = ch_anchors(session->context, &result, &given->input.X, &given->settings);
        anchors_early_end(given);
        code = cli_weights_status(&given->weights);
        if (code == EXIT_DONE) code = cli_input_check(session, status, &given->input);
        if (code == EXIT_INTERRUPTED) code = keep_selection(session, given, &result);
        given->advice.size = sizeof given->advice;
        if (code == EXIT_DONE && given->advise && result.H)
            code = cli_check(session, ch_advise_loss(session->context, &given->advice,
                                                     &given->input.X, &result));
        if (code == EXIT_DONE) code = report_once(session, given, &result);
        finished = is_finished(session, status, code);
    }
    if (code == EXIT_INTERRUPTED && given->early.kept)
        say_kept(given);
    else if (code == EXIT_INTERRUPTED && has_read)
        cli_complain("the run was interrupted after %lld anchor%s; nothing was written",
                     (long long)result.rank, result.rank == 1 ? "" : "s");
    else if (code == EXIT_INTERRUPTED)
        cli_complain("the run was interrupted; nothing was written");
    cli_checkpoint_close(session, &given->checkpoint, finished, code);
    ch_anchors_result_free(session->context, &result);
    json_decref(given->residuals);
    cli_library_free(&given->library, session);
    cli_weights_free(&given->weights);
    cli_input_free(&given->input, session);
    cli_trust_free(&given->trust, session);
    return code;
}

static int run_anchors(cli_session *session) {
    anchors_arguments *given = session->arguments;
    int code = take_arguments(session, given);
    if (code == EXIT_DONE) code = find_anchors(session, given);
    free(given->keep_list);
    free(given->unit_warning);
    return code;
}

static const char *const writes[] = {
    CLI_NAMED_FILES, "anchors.html",    "anchors.txt",     "W.npy",
    "H.npy",         "H.npz",           "certificate.npz", "W_refined.npy",
    "H_refined.npy", "W_completed.npy", "row_weights.npy", "result.json",
    "unmix.json",    "pixels.txt",      "rank.svg",        NULL};

/* Of --help. */
static const cli_basic basics[] = {
    {"rank", "number of anchors; auto: as many as are useful"},
    {"transpose", "rows are the data points, not columns"},
    {"output", "folder for anchors, weights and their proof"},
    {"loss", "error to minimise; l1: robust against outliers, l2: for even noise, kl: for counts, "
             "is: for noise in proportion to the values"},
    {"method", "how anchors are selected; xray suits most data"},
    {"select-only", "find anchors without weights: much faster"},
    {"path", "also report the error for fewer anchors"},
    {"hull", "convex0: for spectra with dark pixels or shade"},
    {"faint", "never select dark pixels or nearly empty columns, as in 0.05"},
    {"negative", "clip: count values slightly below zero, as some detectors give, as 0"},
    {"missing", "nan: NaN, NA and empty cells are unknown (dropouts)"},
    {"scale", "max or mean: for features in different units"},
    {"row-weights", "weight of each feature, 0 for bad bands"},
    {"index", "column of a .csv file that names its rows"},
    {"drop", "columns of a .csv file to leave out, such as IDs"},
    {"names", "names of the columns, one per line, if INPUT has none"},
    {"page", "with -o: also write a page for a browser"},
    {"library", "known columns that become the first anchors"},
    {"keep", "columns that become the first anchors, as in 3,17"},
    {"advise", "recommend a loss for these data"},
    {"h-precision", "single: store weights in half the memory"},
    {"var", "matrix to read, if the file holds several"},
    {0}};

const cli_command cli_cmd_anchors = {
    .name = "anchors",
    .summary = "find the columns whose combinations explain the others",
    .synopsis = "INPUT -r N|auto [options]",
    .about = "Finds r columns of a non-negative matrix X, the anchors W, and weights H >= 0,\n"
             "so that W H is close to X. A column is a data point; columns are numbered from\n"
             "0. INPUT is .npy .npz .mtx .mtx.gz .mat .h5 .hdf5 .h5ad .csv .csv.gz .tsv\n"
             ".tsv.gz or an ENVI cube: .hdr .sli .bsq .bil .bip or any data file with a header\n"
             "next to it. In a cube every pixel is a column. If the first line of a text table\n"
             "has no numbers, it holds the names of the columns; if the first column has\n"
             "words, it holds the names of the rows. A message then says so, and the result\n"
             "shows the names. Results go to stdout, messages and progress to stderr.\n"
             "docs/output.md explains the files and the JSON.\n",
    .details = "When it stops:\n"
               "  A run ends with the status \"done\" when it has N anchors. It ends earlier, "
               "with\n"
               "  the status \"complete\", when every column is close enough to its model, as\n"
               "  --stop T defines it. For spa and its variants, this is so when the l2 distance\n"
               "  of every column from the span of the anchors (snpa: from the hull of the\n"
               "  anchors and 0) is at most T times the l2 norm of the column. The exit code is\n"
               "  0 in both cases. The weights of a column are computed until they are proven\n"
               "  as --tol defines it. If this fails for a column, the column is counted as\n"
               "  unproven, the status is \"inaccurate\" and the exit code is 1.\n"
               "\n"
               "Resuming:\n"
               "  A run with --resume must have the input and the options of the saved run,\n"
               "  except that --select-only may be added or left out.\n"
               "\n"
               "-r auto with xray:\n"
               "  The search adds anchors, and after each anchor checks two conditions:\n"
               "  (1) the anchor lowered the largest residual by at least 20 % (under l1\n"
               "      and l2 the first anchor: by at least 50 %). --exterior rand, share and\n"
               "      balanced do not use (1);\n"
               "  (2) the anchor lowered the objective of a sample of 256 columns by at least\n"
               "      the fraction 1.5 / m of its value, where m is the number of rows.\n"
               "  It stops when five anchors in a row meet neither condition, or at 200 anchors.\n"
               "  Then the last anchor that meets (1) and all anchors before it are used. If no\n"
               "  anchor meets (1), the last anchor that meets (2) takes its place.\n"
               "\n"
               "max residual, in the table and in the JSON:\n"
               "  xray: the largest residual of a column x with the anchors so far: |x - W h|_1\n"
               "  for l1, |x - W h|_2 for l2, the loss of the column otherwise. spa: the largest\n"
               "  l2 distance of a column, scaled to sum 1, from the span of the anchors.\n"
               "  hottopixx, fgnsr and smrs select all anchors at once, so there is "
               "one\n"
               "  value, for all anchors together.\n",
    .intro = "Finds a few columns of a table, the anchors, such that every other column is\n"
             "nearly a mixture of them, for example the pure spectra among mixed ones. Columns\n"
             "are the data points (with --transpose, rows), numbered from 0. INPUT is .csv,\n"
             ".tsv, .npy, .npz, .mtx, .mat, .h5, .h5ad, .csv.gz, .tsv.gz, .mtx.gz or ENVI.\n",
    .basics = basics,
    .examples = "  conehull anchors X.npy -r 20\n"
                "  conehull anchors foods.csv -r 5 --transpose --missing nan --scale max -o out\n"
                "  conehull anchors counts.mtx.gz -r 10 --method spa --json\n"
                "  conehull anchors data.mat --var X -r auto --loss l2 -o out\n"
                "  conehull anchors X.npy -r 20 --library known.npy\n",
    .files = ch_matrix_formats,
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(anchors_arguments),
    .operand = "INPUT",
    .rows = rows,
    .describe = describe,
    .run = run_anchors,
    .writes = writes,
};
