/* conehull verify: rechecks a folder of `conehull anchors -o` from the data and the settings. */
#include "anchors/cube_part.h"
#include "anchors/library_input.h"
#include "common/try.h"
#include "result/feature_scale.h"
#include "result/result_json.h"
#include "result/stored_result.h"
#include "result/trust_options.h"

typedef struct arguments {
    cli_input input;
    cli_library library;
    cli_trust trust;
} arguments;

static const cli_option_row rows[] = {
    {"Input", "library", 0, "FILE", .at = offsetof(arguments, library.file),
     "the file that was given to the run with --library"},
    {"Input", "library-var", 0, "NAME", .at = offsetof(arguments, library.var),
     "name of the matrix to read if the file of --library (.mat, .npz or .h5) holds several"},
    {"Options", "scale", 0, "none|max|mean", .at = offsetof(arguments, input.scale),
     "how features in different units are scaled, as in 'conehull anchors'. Without this option, "
     "the value in DIR/result.json is used, if there is one. none: features are not scaled",
     .words = "none|max|mean"},
    {0}};

static void describe(cli_options *options, void *user) {
    arguments *given = user;
    options->operand_names[0] = "INPUT";
    options->operand_names[1] = "DIR";
    cli_options_add(options, cli_stored_input_rows, &given->input);
    cli_options_add(options, cli_names_rows, &given->input.names);
    cli_options_add(options, rows, given);
    cli_options_add(options, cli_trust_rows, &given->trust);
    cli_options_add(options, cli_memory_rows, &given->input);
}

/* What is known of the anchors, in addition to the fit; NULL: nothing. */
static const char *choice_of(const ch_verification *found, const ch_anchors_settings *set) {
    if (!found->ok) return NULL;
    int steps = set->method == CH_METHOD_XRAY && set->exterior != CH_EXTERIOR_GREEDY;
    return steps ? "steps proven, selection repeated" : "selection repeated";
}

/* What is known of the names in result.json; NULL: it has none. */
static const char *names_of(const cli_stored *stored) {
    static const char *const texts[] = {[CLI_NAMES_CHECKED] = "those of the input",
                                        [CLI_NAMES_MISSING] = "not checked: the input has none",
                                        [CLI_NAMES_NOT_GIVEN] =
                                            "not checked: give --names and --row-names of the run"};
    return json_object_get(stored->json, "names_from") ? texts[stored->names] : NULL;
}

static int print_verdict(const cli_session *session, const ch_verification *found,
                         const cli_stored *stored, const cli_input *input) {
    const ch_anchors_settings *set = &stored->settings;
    const char *names = names_of(stored);
    if (session->common.json) {
        double error = cli_proof_error(found->gap, found->stationarity);
        TRY(cli_json_print(cli_json_pack(
            "ok:b gap:r proof:s why:s dual_infeasibility:r stationarity:r objective:r choice:s "
            "names:s transpose:b",
            found->ok, error, cli_proof_kind(found->gap, found->stationarity), found->why,
            found->dual_infeasibility, found->stationarity, found->objective, choice_of(found, set),
            found->ok ? names : NULL, input->transpose)));
    } else if (found->ok) {
        printf("ok: ");
        cli_proof_print(found->objective, found->gap, found->stationarity);
        printf("\nanchors: %s\n", choice_of(found, set));
        if (names) printf("names: %s\n", names);
        if (input->transpose) printf("data points: the rows of the file (transposed)\n");
    } else {
        printf("does not hold: %s\n", cli_plain(found->why));
    }
    return found->ok ? EXIT_DONE : EXIT_EARLY;
}

static int check(const cli_session *session, arguments *given, cli_stored *stored) {
    ch_verification found;
    if (given->library.file) stored->settings.library = &given->library.L;
    TRY(cli_stored_verify(&found, stored, session, &given->input));
    char *why = stored->explained
                    ? NULL
                    : cli_names_explain(&given->input.names, found.why, given->input.transpose);
    if (why) snprintf(found.why, sizeof found.why, "%s", why);
    free(why);
    return print_verdict(session, &found, stored, &given->input);
}

static int read_and_check(const cli_session *session, arguments *given, cli_stored *stored) {
    const char *folder = session->options.operands[1];
    TRY(cli_stored_read(stored, session, folder, 0));
    if (stored->settings.select_only)
        return cli_refuse("%s: the folder was written with --select-only, so it contains no "
                          "weights to verify; run 'conehull anchors' without --select-only",
                          folder);
    if (stored->result.library > 0 && !given->library.file)
        return cli_refuse("%s: the run used a library of %lld columns; give the same library with "
                          "--library%s",
                          folder, (long long)stored->result.library,
                          cli_folder_is_of_cube(folder)
                              ? "; library.npy in this folder has it at the bands of the run"
                              : "");
    const char *file = session->options.operands[0];
    given->input.cells = 1;
    cli_stored_take_reading(stored, &given->input, session);
    TRY(cli_folder_is_of_cube(folder) && !given->input.transpose
            ? cli_cube_part_read(&given->input, session, file, folder)
            : cli_input_read(&given->input, session, file));
    TRY(cli_library_read(&given->library, session, &given->input));
    TRY(cli_trust_read(&given->trust, session, &given->input, &stored->settings));
    return check(session, given, stored);
}

static int run_verify(cli_session *session) {
    arguments *given = session->arguments;
    cli_stored stored;
    int code = read_and_check(session, given, &stored);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted");
    cli_library_free(&given->library, session);
    cli_input_free(&given->input, session);
    cli_trust_free(&given->trust, session);
    cli_stored_free(&stored, session);
    return code;
}

const cli_command cli_cmd_verify = {
    .name = "verify",
    .summary = "recheck a folder that 'anchors -o' or 'unmix -o' wrote",
    .synopsis = "INPUT DIR [--json]",
    .about = "Checks the results in DIR against the matrix INPUT. It trusts only INPUT and the\n"
             "settings of the run, and checks that\n"
             "- W holds the anchor columns of INPUT, and H >= 0;\n"
             "- the weights are optimal to the --tol of the run: the loss of every column is\n"
             "  within tol of a lower bound (computed from the stored duals under l1), or its\n"
             "  weights are stationary to tol if the loss is not convex;\n"
             "- every step of xray was a valid choice;\n"
             "- repeating the selection gives the same anchors;\n"
             "- all other stored results are those of such a run, except counts of work (such\n"
             "  as projections) and times.\n"
             "The weights and the steps are checked without the solvers that found them. The\n"
             "check takes about as long as the run. The values of --transpose, --var, --index,\n"
             "--drop, --decimal and --scale are those of the run unless you give other values;\n"
             "a message lists the options taken from the run. Give the same --library,\n"
             "--row-weights, --column-weights, --mask and --weights as for 'anchors'. If\n"
             "'unmix' wrote DIR, INPUT is the cube. The JSON has the keys ok, gap (the largest\n"
             "gap of a column) and why (the first error).\n",
    .intro = "Checks the results that 'conehull anchors -o DIR' or 'conehull unmix -o DIR'\n"
             "wrote, independently of that run: the weights must be optimal, and every anchor\n"
             "must have been selected by the rule of the run. It prints ok, or the first error\n"
             "(exit code 1).\n",
    .exit_one = "an error was found; the output shows the first one",
    .examples = "  conehull anchors X.npy -r 20 -o out && conehull verify X.npy out\n"
                "  conehull verify X.npy out --json\n",
    .files = ch_matrix_formats,
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(arguments),
    .describe = describe,
    .run = run_verify,
};
