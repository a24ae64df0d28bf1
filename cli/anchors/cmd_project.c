/* conehull project: new columns on the anchors of an earlier run, projected as they were there. */
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "common/command.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/output_folder.h"
#include <conehull/comm.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct arguments {
    cli_input input;
    const char *folder;
} arguments;

static void describe(cli_options *options, void *words) {
    arguments *given = words;
    options->operand_names[0] = "NEW";
    options->operand_names[1] = "DIR";
    cli_input_options(options, &given->input);
    cli_options_add_text(options, "Output", "output", 'o', "OUT",
                         "folder for H.npy (rank x columns of NEW) and result.json; created when "
                         "missing; not DIR",
                         &given->folder);
    cli_input_memory(options, "Common options", &given->input);
}

static json_t *describe_result(const arguments *given, const cli_stored *stored,
                               const ch_project_info *info, ch_status status) {
    const json_t *settings = json_object_get(stored->json, "settings");
    const ch_matrix *X = &given->input.X;
    return json_pack("{ss sO sI s[II] sI so sI sI so s{so so} ss sO}", "file", given->input.file,
                     "loss", json_object_get(stored->json, "loss"), "rank",
                     (json_int_t)stored->result.rank, "shape", (json_int_t)X->rows,
                     (json_int_t)given->input.cols, "nnz", (json_int_t)given->input.nonzeros,
                     "objective", cli_json_real(info->objective), "pivots",
                     (json_int_t)info->pivots, "unproven", (json_int_t)info->unproven,
                     "certificate", cli_certificate_json(&info->certificate), "seconds", "read",
                     cli_json_real(given->input.seconds), "project", cli_json_real(info->seconds),
                     "status", cli_status_word(status), "settings", settings);
}

static int write_folder(const cli_session *session, const arguments *given, const double *H,
                        int64_t rank, json_t *json) {
    static const char *const no_stale[] = {NULL};
    cli_folder folder;
    double start = cli_seconds();
    int code = cli_folder_open(&folder, session, given->folder);
    if (code == EXIT_DONE) code = cli_folder_matrix(&folder, "H.npy", H, rank, given->input.cols);
    if (code == EXIT_DONE) {
        json_object_set_new(json_object_get(json, "seconds"), "write",
                            cli_json_real(cli_seconds() - start));
        code = cli_folder_json(&folder, "result.json", json);
    }
    return cli_folder_close(&folder, code, no_stale);
}

static int report(const cli_session *session, const arguments *given, const cli_stored *stored,
                  const double *H, const ch_project_info *info, ch_status status) {
    json_t *json = describe_result(given, stored, info, status);
    if (!json) return cli_json_print(NULL);
    int code = write_folder(session, given, H, stored->result.rank, json);
    if (code == EXIT_DONE && session->common.json) {
        code = cli_json_print(json);
    } else {
        if (code == EXIT_DONE) {
            long long cols = given->input.cols, rank = stored->result.rank;
            printf("%lld column%s on %lld anchor%s\n", cols, cols == 1 ? "" : "s", rank,
                   rank == 1 ? "" : "s");
            cli_certificate_print(info->objective, &info->certificate, info->unproven);
            cli_say_written(given->folder, NULL);
        }
        json_decref(json);
    }
    return code == EXIT_DONE ? cli_exit_code(status) : code;
}

static int check_rows(const cli_session *session, const arguments *given,
                      const cli_stored *stored) {
    int64_t rows = given->input.X.rows, wanted = stored->result.rows;
    if (rows == wanted) return EXIT_DONE;
    cli_complain("%s: has %lld rows, the anchors of %s have %lld; is --transpose missing, or too "
                 "much?",
                 given->input.file, (long long)rows, session->options.operands[1],
                 (long long)wanted);
    return EXIT_USAGE;
}

/* Room for H of cols columns; NULL: said. */
static double *reserve(int64_t rank, int64_t cols) {
    size_t bytes;
    double *H = NULL;
    if (!__builtin_mul_overflow((size_t)rank * sizeof(double), (size_t)cols, &bytes))
        H = malloc(bytes + 1);
    if (!H)
        cli_complain("out of memory: H needs %lld x %lld numbers", (long long)rank,
                     (long long)cols);
    return H;
}

/* Over several ranks the first one gets it all, and writes it. */
static int report_once(const cli_session *session, const arguments *given, const cli_stored *stored,
                       const double *H, const ch_project_info *info, ch_status status) {
    const ch_comm *comm = ch_context_comm(session->context);
    int64_t rank = stored->result.rank;
    if (!comm) return report(session, given, stored, H, info, status);
    double *all = comm->rank == 0 ? reserve(rank, given->input.cols) : NULL;
    int64_t failed = comm->rank == 0 && !all;
    ch_status moved = ch_comm_count(session->context, &failed);
    if (moved == CH_OK && failed) {
        free(all);
        return EXIT_MEMORY;
    }
    if (moved == CH_OK)
        moved = ch_project_collect(session->context, all, H, rank, given->input.X.cols);
    int code = moved < 0         ? cli_fail(session, moved, NULL)
               : comm->rank == 0 ? report(session, given, stored, all, info, status)
                                 : EXIT_DONE;
    free(all);
    return code;
}

static int project(const cli_session *session, const arguments *given, const cli_stored *stored) {
    const ch_matrix *X = &given->input.X;
    const ch_anchors_result *result = &stored->result;
    ch_project_info info;
    int code = check_rows(session, given, stored);
    double *H = code == EXIT_DONE ? reserve(result->rank, X->cols) : NULL;
    int64_t failed = code == EXIT_DONE && !H;
    if (code != EXIT_DONE) return code;
    if (ch_comm_count(session->context, &failed) < 0 || failed) {
        free(H);
        return EXIT_MEMORY;
    }
    ch_status status =
        ch_project(session->context, H, &info, X, result->W, result->rank, &stored->settings);
    code = status < 0                    ? cli_input_fail(session, status, &given->input)
           : status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED
                                         : report_once(session, given, stored, H, &info, status);
    free(H);
    return code;
}

/* The model's own folder: H and result.json of the anchors would be replaced. */
static int refuse_model(const char *output, const char *model) {
    struct stat a, b;
    if (stat(output, &a) != 0 || stat(model, &b) != 0) return EXIT_DONE;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return EXIT_DONE;
    cli_complain("project: -o is the folder of the anchors (%s); its H.npy and result.json would "
                 "be lost: name another folder",
                 model);
    return EXIT_USAGE;
}

static int run_project(cli_session *session) {
    arguments *given = session->arguments;
    const char *folder = session->options.operands[1];
    cli_stored stored;
    if (!given->folder) {
        cli_complain("project: -o is missing: say where H.npy should go");
        return EXIT_USAGE;
    }
    int code = cli_folder_check(given->folder);
    if (code == EXIT_DONE) code = refuse_model(given->folder, folder);
    if (code != EXIT_DONE) return code;
    code = cli_stored_read(&stored, session, folder, 1);
    if (code == EXIT_DONE && stored.why[0]) {
        cli_complain("%s: %s", folder, stored.why);
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE)
        code = cli_input_read(&given->input, session, session->options.operands[0]);
    if (code == EXIT_DONE) {
        code = project(session, given, &stored);
        ch_matrix_free(session->context, &given->input.X);
    }
    cli_stored_free(&stored, session);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted; nothing was written");
    return code;
}

const cli_command cli_cmd_project = {
    .name = "project",
    .summary = "explain new columns by the anchors of an earlier run",
    .synopsis = "NEW DIR -o OUT [options]",
    .about = "Computes H >= 0 so that the loss of NEW - W H is small; W, loss and accuracy are\n"
             "those that 'conehull anchors -o DIR' stored. A column that was in the training\n"
             "data gets the very weights it had there.\n",
    .details = "When it stops:\n"
               "  Each column is projected until it passes the test at --tol in the help of\n"
               "  'anchors'; columns that fail it are counted as unproven (code 1).\n",
    .examples = "  conehull anchors X.npy -r 20 -o model\n"
                "  conehull project new.npy model -o weights\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(arguments),
    .describe = describe,
    .run = run_project,
};
