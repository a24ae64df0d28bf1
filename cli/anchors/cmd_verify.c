/* conehull verify: rechecks a folder of `conehull anchors -o` from the data and the settings. */
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "common/try.h"

static void describe(cli_options *options, void *input) {
    options->operand_names[0] = "INPUT";
    options->operand_names[1] = "DIR";
    cli_options_add(options, cli_input_rows, input);
    cli_options_add(options, cli_memory_rows, input);
}

/* What is known of the anchors, beside the fit; NULL: nothing. */
static const char *choice_of(const ch_verification *found, const ch_anchors_settings *set) {
    if (!found->ok) return NULL;
    int steps = set->method == CH_METHOD_XRAY && set->exterior != CH_EXTERIOR_GREEDY;
    return steps ? "steps proven, selection repeated" : "selection repeated";
}

static int print_verdict(const cli_session *session, const ch_verification *found,
                         const ch_anchors_settings *set) {
    if (session->common.json) {
        double error = cli_proof_error(found->gap, found->stationarity);
        TRY(cli_json_print(cli_json_pack(
            "ok:b gap:r proof:s why:s dual_infeasibility:r stationarity:r objective:r choice:s",
            found->ok, error, cli_proof_kind(found->gap, found->stationarity), found->why,
            found->dual_infeasibility, found->stationarity, found->objective,
            choice_of(found, set))));
    } else if (found->ok) {
        printf("ok: ");
        cli_proof_print(found->objective, found->gap, found->stationarity);
        printf("\nanchors: %s\n", choice_of(found, set));
    } else {
        printf("does not hold: %s\n", cli_plain(found->why));
    }
    return found->ok ? EXIT_DONE : EXIT_EARLY;
}

static int check(const cli_session *session, const cli_input *input, cli_stored *stored) {
    ch_verification found;
    TRY(cli_stored_verify(&found, stored, session, input));
    return print_verdict(session, &found, &stored->settings);
}

static int read_and_check(const cli_session *session, cli_input *input, cli_stored *stored) {
    const char *folder = session->options.operands[1];
    TRY(cli_stored_read(stored, session, folder, 0));
    if (stored->settings.select_only)
        return cli_refuse(
            "%s: was written with --select-only: without H there is nothing to verify", folder);
    TRY(cli_input_read(input, session, session->options.operands[0]));
    return check(session, input, stored);
}

static int run_verify(cli_session *session) {
    cli_input *input = session->arguments;
    cli_stored stored;
    int code = read_and_check(session, input, &stored);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted");
    ch_matrix_free(session->context, &input->X);
    cli_stored_free(&stored, session);
    return code;
}

const cli_command cli_cmd_verify = {
    .name = "verify",
    .summary = "recheck a folder that 'anchors -o' wrote",
    .synopsis = "INPUT DIR [--json]",
    .about =
        "Rechecks DIR against the matrix INPUT, believing nothing but INPUT and the settings:\n"
        "W holds the anchor columns, H >= 0, every column's loss is within tol of a lower\n"
        "bound (l1: computed from the stored duals), or is stationary to tol where the loss\n"
        "is not convex, every step of xray was a legal choice, the selection, repeated,\n"
        "gives the same anchors, and every number that follows from these is as stored. The\n"
        "fit and the steps are proven without the solvers. Takes about as long as the run.\n"
        "Give --transpose and --var as for 'anchors'. JSON: ok, gap, why, choice, ...\n",
    .examples = "  conehull anchors X.npy -r 20 -o out && conehull verify X.npy out\n"
                "  conehull verify X.npy out --json\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(cli_input),
    .describe = describe,
    .run = run_verify,
};
