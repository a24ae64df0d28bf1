/* conehull project: new columns on the anchors of an earlier run, projected as they were there; new
 * documents on its topics. */
#include "common/output_folder.h"
#include "common/try.h"
#include "result/column_residuals.h"
#include "result/named_files.h"
#include "result/result_json.h"
#include "result/same_features.h"
#include "result/stored_result.h"
#include "result/trust_options.h"
#include "topics/topics_folder.h"
#include <unistd.h>

typedef struct arguments {
    cli_text text; /* its matrix: the new columns, on anchors; all of it: documents, on topics */
    cli_trust trust;
    const char *folder, *encoding;
} arguments;

static void describe(cli_options *options, void *user) {
    static const cli_option_row rows[] = {
        {"Output", "output", 'o', "OUT", .at = offsetof(arguments, folder),
         "folder for the results (required). It must not be DIR; it is created if it does not "
         "exist. It receives H.npy (anchors x columns of NEW), result.json, residuals.csv (the "
         "relative residual of each column) and, if columns have names, weights.csv and "
         "column_names.txt. For topics it receives document_topic.npy (documents x topics), "
         "documents.csv, document_topics.csv and result.json"},
        {"Documents", "text-column", 0, "NAME",
         .at = offsetof(arguments, text.settings.text_column),
         "if 'conehull topics' wrote DIR and NEW is a .csv, .tsv or .jsonl file: the column that "
         "holds the texts, by name or by number from 1",
         .cases = CLI_FROM_TEXT},
        {"Documents", "name-column", 0, "NAME",
         .at = offsetof(arguments, text.settings.name_column),
         "for a .csv, .tsv or .jsonl file: the column that holds the names of the documents",
         .cases = CLI_FROM_TEXT},
        {"Documents", "encoding", 0, "utf8|latin1|auto", .at = offsetof(arguments, encoding),
         "encoding of NEW if NEW is raw text, with the same values as for 'conehull topics' "
         "(default: the encoding of the documents from which the topics were found)",
         .cases = CLI_FROM_TEXT, .words = "utf8|latin1|auto"},
        {0}};
    arguments *given = user;
    given->text.corpus.size = sizeof given->text.corpus;
    ch_corpus_defaults(&given->text.settings);
    options->operand_names[0] = "NEW";
    options->operand_names[1] = "DIR";
    cli_options_add(options, cli_stored_input_rows, &given->text.matrix);
    cli_options_add(options, cli_names_rows, &given->text.matrix.names);
    cli_options_add(options, cli_trust_new_rows, &given->trust);
    cli_options_add(options, rows, given);
    cli_options_add(options, cli_memory_rows, &given->text.matrix);
}

/* What was found: H of `cols` columns, and how the projection went. */
typedef struct projection {
    double *H;
    ch_project_info info;
    ch_status status;
    cli_residuals residuals;
} projection;

static json_t *describe_result(const arguments *given, const cli_stored *stored,
                               const projection *found) {
    const ch_project_info *info = &found->info;
    json_t *json = cli_json_pack(
        "file:s loss:o rank:i shape:[ii] nnz:i objective:r pivots:i unproven:i certificate:o "
        "seconds:{read:r project:r} status:s settings:o",
        given->text.matrix.file, json_incref(json_object_get(stored->json, "loss")),
        stored->result.rank, given->text.matrix.X.rows, given->text.matrix.cols, info->nonzeros,
        info->objective, info->pivots, info->unproven, cli_certificate_json(&info->certificate),
        given->text.matrix.seconds, info->seconds, cli_status_name(found->status),
        json_incref(json_object_get(stored->json, "settings")));
    if (stored->settings.negative == CH_NEGATIVE_CLIP)
        json = cli_json_merge(
            json, cli_json_pack("clipped:{count:i mass:r}", info->clipped, info->clipped_mass));
    if (stored->settings.missing == CH_MISSING_NAN || stored->settings.observed ||
        stored->settings.weights)
        json = cli_json_merge(json, cli_json_pack("missing:{entries:i}", info->unknown));
    json_t *weights = cli_trust_json(&stored->settings);
    if (weights) json = cli_json_merge(json, cli_json_pack("weights:o", weights));
    if (cli_names_any(&given->text.matrix.names))
        json = cli_json_merge(
            json, cli_json_pack("names_from:o", cli_names_from_json(&given->text.matrix.names)));
    json_t *warnings = json_array();
    if (found->residuals.sentence)
        json_array_append_new(warnings, json_string(cli_plain(found->residuals.sentence)));
    json =
        cli_json_merge(json, cli_json_pack("badly:i warnings:o", found->residuals.badly, warnings));
    json_t *anchors = cli_anchor_names(stored->json);
    if (anchors) json = cli_json_merge(json, cli_json_pack("anchor_names:o", anchors));
    return json;
}

static int write_folder(const cli_session *session, const arguments *given, const projection *found,
                        int64_t rank, json_t *json) {
    const double *H = found->H;
    cli_folder folder;
    int code = cli_folder_open(&folder, session, given->folder);
    if (code == EXIT_DONE)
        code = cli_folder_matrix(&folder, "H.npy", H, rank, given->text.matrix.cols);
    if (code == EXIT_DONE)
        code = cli_named_weights(&folder, H, rank, &given->text.matrix,
                                 json_object_get(json, "anchor_names"));
    if (code == EXIT_DONE)
        code = cli_residuals_write(&folder, &found->residuals, &given->text.matrix);
    cli_json_set_seconds(json, "write", cli_seconds() - folder.opened);
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "result.json", json);
    static const char *const stale[] = {"weights.csv", "column_names.txt", "residuals.csv", NULL};
    return cli_folder_close(&folder, code, stale);
}

static void print_anchor_names(const json_t *names) {
    if (!names) return;
    printf("anchors: ");
    for (size_t k = 0; k < json_array_size(names); k++) {
        const char *name = json_string_value(json_array_get(names, k));
        printf("%s%s", k ? ", " : "", name ? cli_plain(name) : "-");
    }
    putchar('\n');
}

static int report(const cli_session *session, const arguments *given, const cli_stored *stored,
                  const projection *found) {
    long long cols = given->text.matrix.cols, rank = stored->result.rank;
    json_t *json = describe_result(given, stored, found);
    int code = write_folder(session, given, found, rank, json);
    if (code == EXIT_DONE && session->common.json) {
        code = cli_json_print(json_incref(json));
    } else if (code == EXIT_DONE) {
        printf("%lld %s%s on %lld anchor%s\n", cols, cli_input_point(&given->text.matrix),
               cols == 1 ? "" : "s", rank, rank == 1 ? "" : "s");
        print_anchor_names(json_object_get(json, "anchor_names"));
        cli_certificate_print(found->info.objective, &found->info.certificate, found->info.unproven,
                              cli_input_point(&given->text.matrix));
        cli_say_written(given->folder, NULL);
    }
    if (code == EXIT_DONE && found->residuals.sentence && !session->common.quiet)
        cli_complain("warning: %s: %s (residuals.csv)", given->text.matrix.file,
                     cli_plain(found->residuals.sentence));
    json_decref(json);
    return code == EXIT_DONE ? cli_exit_code(found->status) : code;
}

/* Memory for H of cols columns, where this process wants it. Collective: what fails in one process
 * fails in all. */
static int reserve(const cli_session *session, double **H, int wanted, int64_t rank, int64_t cols) {
    size_t bytes;
    *H = NULL;
    if (wanted && !__builtin_mul_overflow((size_t)rank * sizeof(double), (size_t)cols, &bytes))
        *H = malloc(bytes + 1);
    int64_t failed = wanted && !*H;
    if (failed)
        cli_complain("not enough memory for H, which has %lld x %lld numbers", (long long)rank,
                     (long long)cols);
    TRY(cli_check(session, ch_comm_count(session->context, &failed)));
    return failed ? EXIT_MEMORY : EXIT_DONE;
}

/* Of several processes the first one gets it all, and writes it. */
static int report_once(const cli_session *session, const arguments *given, const cli_stored *stored,
                       const projection *found) {
    projection all = *found;
    int64_t rank = stored->result.rank;
    if (!ch_context_comm(session->context)) return report(session, given, stored, found);
    int code = reserve(session, &all.H, cli_is_first(session), rank, given->text.matrix.cols);
    if (code == EXIT_DONE)
        code = cli_check(session, ch_project_collect(session->context, all.H, found->H, rank,
                                                     given->text.matrix.X.cols));
    if (code == EXIT_DONE && cli_is_first(session)) code = report(session, given, stored, &all);
    free(all.H);
    return code;
}

static int project(const cli_session *session, const arguments *given, const cli_stored *stored) {
    const ch_matrix *X = &given->text.matrix.X;
    const ch_anchors_result *result = &stored->result;
    projection found = {.info.size = sizeof found.info};
    TRY(cli_features_check(session, &given->text.matrix, stored, session->options.operands[1]));
    int code = reserve(session, &found.H, 1, result->rank, X->cols);
    if (code == EXIT_DONE) {
        found.status = ch_project(session->context, found.H, &found.info, X, result->W,
                                  result->rank, &stored->settings);
        code = cli_input_check(session, found.status, &given->text.matrix);
    }
    if (code == EXIT_DONE)
        code = cli_residuals_make(&found.residuals, session, &given->text.matrix, &stored->settings,
                                  result->W, found.H, result->rank, stored->json);
    if (code == EXIT_DONE) code = report_once(session, given, stored, &found);
    cli_residuals_free(&found.residuals);
    free(found.H);
    return code;
}

static int read_and_project(const cli_session *session, arguments *given, cli_stored *stored) {
    const char *folder = session->options.operands[1];
    TRY(cli_stored_read(stored, session, folder, 1));
    if (stored->why[0]) return cli_refuse("%s: %s", folder, stored->why);
    given->text.matrix.cells = 1;
    cli_stored_take_reading(stored, &given->text.matrix, session);
    TRY(cli_input_read(&given->text.matrix, session, session->options.operands[0]));
    TRY(cli_trust_read(&given->trust, session, &given->text.matrix, &stored->settings));
    cli_stored_use_row_weights(stored);
    return project(session, given, stored);
}

static int project_columns(const cli_session *session, arguments *given) {
    cli_stored stored;
    TRY(cli_options_refuse_idle(&session->options, CLI_FROM_ANY, CLI_FROM_MATRIX,
                                "with %s, which 'conehull topics' did not write",
                                session->options.operands[1]));
    int code = read_and_project(session, given, &stored);
    cli_trust_free(&given->trust, session);
    cli_stored_free(&stored, session);
    return code;
}

static int run_project(cli_session *session) {
    arguments *given = session->arguments;
    if (!given->folder) return cli_refuse("project: -o is missing: give a folder for the results");
    TRY(cli_folder_check(given->folder));
    int topics = topics_is_folder(session->options.operands[1]);
    TRY(cli_refuse_stdin(session->options.operands[1]));
    if (access(session->options.operands[1], F_OK) != 0)
        return cli_error(EXIT_FILES,
                         "%s: the folder does not exist; DIR must be a folder that 'conehull "
                         "anchors -o' or 'conehull topics -o' wrote",
                         session->options.operands[1]);
    int code = topics ? topics_project(session, &given->text, given->folder, given->encoding)
                      : project_columns(session, given);
    if (code == EXIT_INTERRUPTED) cli_complain("the run was interrupted; nothing was written");
    if (topics)
        cli_text_free(&given->text, session);
    else
        cli_input_free(&given->text.matrix, session);
    return code;
}

static const char *const writes[] = {"H.npy",
                                     "weights.csv",
                                     "column_names.txt",
                                     "document_topic.npy",
                                     "residuals.csv",
                                     "documents.csv",
                                     "document_topics.csv",
                                     "result.json",
                                     NULL};

const cli_command cli_cmd_project = {
    .name = "project",
    .summary = "explain new columns by the anchors or topics of a run",
    .synopsis = "NEW DIR -o OUT [options]",
    .about = "Computes weights H >= 0 so that W H is close to NEW. W, the loss and the\n"
             "accuracy are those of the run that wrote DIR ('conehull anchors -o DIR'). A\n"
             "column of the data of that run gets the same weights again.\n"
             "\n"
             "From that run, --row-weights and --scale are used for NEW too. Its --transpose,\n"
             "--var, --index, --drop and --decimal are also used, unless they are given; a\n"
             "message lists those that are used. Its --mask and --weights are not used: give\n"
             "those for NEW with --mask or --weights.\n"
             "\n"
             "DIR may also be a folder that 'conehull topics -o' wrote. NEW is then raw text,\n"
             "whose words are counted as in that run, or a matrix of counts with the terms of\n"
             "that run.\n",
    .details = "When it stops:\n"
               "  The weights of a column are computed until they are proven as defined at "
               "--tol\n"
               "  in 'conehull anchors --help-all'. If this fails for a column, the column is\n"
               "  counted as unproven, and the exit code is 1.\n",
    .examples = "  conehull anchors X.npy -r 20 -o model\n"
                "  conehull project new.npy model -o weights\n"
                "  conehull topics letters/ -r 10 -o subjects\n"
                "  conehull project letters/ subjects -o sorted\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(arguments),
    .describe = describe,
    .run = run_project,
    .writes = writes,
};
