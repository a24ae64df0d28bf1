/* conehull verify: rechecks a folder of `conehull anchors -o` from the files alone. */
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "common/command.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
    cli_input input;
} arguments;

static void describe(cli_options *options, void *words) {
    arguments *given = words;
    options->operand_names[0] = "INPUT";
    options->operand_names[1] = "DIR";
    cli_input_options(options, &given->input);
    cli_input_memory(options, "Common options", &given->input);
}

static int print_verdict(const cli_session *session, const ch_verification *found) {
    int code = EXIT_DONE;
    if (session->common.json) {
        double error = cli_proof_error(found->gap, found->stationarity);
        code = cli_json_print(json_pack(
            "{sb so ss? ss so so so}", "ok", found->ok, "gap", cli_json_real(error), "proof",
            cli_proof_kind(found->gap, found->stationarity), "why", found->why,
            "dual_infeasibility", cli_json_real(found->dual_infeasibility), "stationarity",
            cli_json_real(found->stationarity), "objective", cli_json_real(found->objective)));
    } else if (found->ok) {
        printf("ok: ");
        cli_proof_print(found->objective, found->gap, found->stationarity);
        printf("\n");
    } else {
        printf("does not hold: %s\n", cli_plain(found->why));
    }
    return code != EXIT_DONE ? code : found->ok ? EXIT_DONE : EXIT_EARLY;
}

static int check(const cli_session *session, const cli_input *input, const cli_stored *stored) {
    const ch_anchors_result *result = &stored->result;
    ch_verification found;
    memset(&found, 0, sizeof found);
    found.gap = found.dual_infeasibility = found.stationarity = found.objective = NAN;
    if (stored->why[0]) {
        snprintf(found.why, sizeof found.why, "%s", stored->why);
        return print_verdict(session, &found);
    }
    if (input->X.rows != result->rows || input->X.cols != result->cols) {
        snprintf(found.why, sizeof found.why,
                 "the input is %lld x %lld, the result was found in a matrix of %lld x %lld%s",
                 (long long)input->X.rows, (long long)input->X.cols, (long long)result->rows,
                 (long long)result->cols,
                 input->X.rows == result->cols && input->X.cols == result->rows
                     ? " (is --transpose missing, or too much?)"
                     : "");
        return print_verdict(session, &found);
    }
    ch_status status = ch_verify(session->context, &found, &input->X, result, &stored->settings);
    if (status < 0) return cli_input_fail(session, status, input);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return print_verdict(session, &found);
}

static int run_verify(cli_session *session) {
    arguments *given = session->arguments;
    cli_stored stored;
    const char *folder = session->options.operands[1];
    int code = cli_stored_read(&stored, session, folder, 0);
    if (code == EXIT_DONE && stored.settings.select_only) {
        cli_complain("%s: was written with --select-only: without H there is nothing to verify",
                     folder);
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE)
        code = cli_input_read(&given->input, session, session->options.operands[0]);
    if (code == EXIT_DONE) {
        code = check(session, &given->input, &stored);
        ch_matrix_free(session->context, &given->input.X);
    }
    cli_stored_free(&stored, session);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted");
    return code;
}

const cli_command cli_cmd_verify = {
    .name = "verify",
    .summary = "recheck a folder that 'anchors -o' wrote",
    .synopsis = "INPUT DIR [--json]",
    .about = "Rechecks DIR against the matrix INPUT, from the files alone and without the\n"
             "solvers: W holds the anchor columns, H >= 0, every column's loss is within tol\n"
             "of a lower bound (l1: computed from the stored duals), or is stationary to tol\n"
             "where the loss is not convex, and every anchor was a legal choice. Give\n"
             "--transpose and --var as for 'anchors'. JSON: ok, gap, why, ...\n",
    .examples = "  conehull anchors X.npy -r 20 -o out && conehull verify X.npy out\n"
                "  conehull verify X.npy out --json\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(arguments),
    .describe = describe,
    .run = run_verify,
};
