/* conehull reproduce: the experiments of the paper, and what of its claims holds. */
#include "common/json.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "lab.h"
#include "main/program.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reproduce_arguments {
    size_t size; /* first, as in all settings */
    int64_t seed, runs, slow;
    int quick;
    const char *folder, *data;
} reproduce_arguments;

static const ch_setting rows[] = {
    {"seed", CH_SETTING_INT, offsetof(reproduce_arguments, seed), 0, 0, 1e9, NULL, "N",
     "seed of data, splits and methods; the same seed gives the same results"},
    {"runs", CH_SETTING_INT, offsetof(reproduce_arguments, runs), 0, 0, 1000, NULL, "N",
     "number of data sets for each noise level, and of splits of the documents. 0: 10 data sets, "
     "as in the paper, and 5 splits; fewer with --quick"},
    {"slow", CH_SETTING_INT, offsetof(reproduce_arguments, slow), 0, 0, 1000, NULL, "N",
     "number of data sets and splits for the slow methods: Hottopixx, SMRS, and XRAY-KL on "
     "documents. 0: all, or one with --quick"},
    {"quick", CH_SETTING_FLAG, offsetof(reproduce_arguments, quick), 0, 0, 1, NULL, NULL,
     "use coarse grids, which takes minutes instead of hours"},
};
static const ch_settings_table *table(void) {
    static const ch_settings_table described = {"reproduce", rows, 4, sizeof(reproduce_arguments)};
    return &described;
}

static const cli_option_row options_list[] = {
    {"Options", "output", 'o', "DIR", .at = offsetof(reproduce_arguments, folder),
     "folder for the files (required); it is created if it does not exist"},
    {"Options", "data", 0, "DIR", .at = offsetof(reproduce_arguments, data),
     "folder with the paper's documents and videos; 'Data'"
     " below lists its files. Without it exemplars and video are left out"},
    {"Options", "quick runs slow seed", .table = table},
    {0}};

static void describe_reproduce(cli_options *options, void *arguments) {
    reproduce_arguments *set = arguments;
    ch_settings_defaults(table(), set, sizeof *set);
    options->operand_names[0] = "EXPERIMENT";
    cli_options_add(options, options_list, set);
}

static const char page_alone[] = "page"; /* no experiment: from what is in the folder */

static int check_word(const char *word) {
    if (strcmp(word, page_alone) == 0) return EXIT_DONE;
    for (const repro_figure *figure = repro_figures; figure->name; figure++)
        if (repro_wanted(figure, word)) return EXIT_DONE;
    return cli_error(EXIT_USAGE,
                     "reproduce: EXPERIMENT must be all, recovery-l1, recovery-is, recovery-kl, "
                     "exemplars, video, selectors or page; got '%s'",
                     word);
}

/* Asked for by name, a figure without its data stops the command; among all it is left out. */
static int check_data(const repro_run *run, const char *word) {
    int missing = 0;
    struct stat seen;
    if (run->data && stat(run->data, &seen) != 0)
        return cli_error(EXIT_FILES, "reproduce: --data %s: %s", run->data, strerror(errno));
    if (run->data && !S_ISDIR(seen.st_mode))
        return cli_error(EXIT_FILES, "reproduce: --data %s: this is not a folder", run->data);
    for (const repro_figure *figure = repro_figures; figure->name; figure++) {
        const char *file = repro_wanted(figure, word) ? repro_missing(figure, run) : NULL;
        if (!file) continue;
        missing++;
        if (run->data)
            cli_complain("%s cannot be run, because there is no %s/%s; %s", figure->name, run->data,
                         file, figure->source);
        else
            cli_complain("%s cannot be run, because it needs --data DIR with DIR/%s; %s",
                         figure->name, file, figure->source);
    }
    if (!missing || strcmp(word, "all") == 0) return EXIT_DONE;
    return run->data ? EXIT_FILES : EXIT_USAGE;
}

/* Figures of this run, in figures under their names. */
static int run_figures(const repro_run *run, json_t *figures, const char *word) {
    repro_store store;
    char *command = cli_command_line(run->session);
    int code = repro_store_open(&store, run);
    for (const repro_figure *figure = repro_figures; figure->name && code == EXIT_DONE; figure++) {
        json_t *object = NULL;
        if (!repro_wanted(figure, word) || repro_missing(figure, run)) continue;
        code = repro_figure_run(&object, figure, run, &store);
        if (code != EXIT_DONE) continue;
        json_object_set_new(object, "command", json_string(command ? command : ""));
        json_object_set_new(figures, figure->name, object);
    }
    repro_store_close(&store);
    free(command);
    return code;
}

static int is_file(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* What earlier runs left: the page and the claims are of all figures in the folder. */
static void add_earlier(const repro_run *run, json_t *figures) {
    for (const repro_figure *figure = repro_figures; figure->name; figure++) {
        char *path = NULL;
        if (json_object_get(figures, figure->name)) continue;
        if (asprintf(&path, "%s/%s.json", run->folder, figure->name) < 0) continue;
        json_t *object = is_file(path) ? json_load_file(path, 0, NULL) : NULL;
        if (object) json_object_set_new(figures, figure->name, object);
        free(path);
    }
}

static int print_claims(const repro_run *run, const repro_answer *answer) {
    if (run->session->common.json)
        return cli_json_print(repro_claims_json(answer->judgements, answer->count));
    for (const repro_judgement *j = answer->judgements; j < answer->judgements + answer->count;
         j++) {
        printf("%-8s %s\n", repro_verdict_name(j->verdict), j->claim->claim);
        if (!j->measured[0]) continue;
        fputs("         ", stdout);
        cli_wrap(stdout, j->measured, 9, 9);
    }
    printf("\n%s/report.html    figures and claims; open it in a browser\n",
           cli_plain(run->folder));
    return EXIT_DONE;
}

static int check_arguments(const repro_run *run, const char *word) {
    TRY(check_word(word));
    if (!run->folder)
        return cli_error(EXIT_USAGE, "reproduce: -o DIR is missing; give a folder for the results");
    TRY(cli_folder_check(run->folder));
    TRY(check_data(run, word));
    if (mkdir(run->folder, 0777) == 0 || errno == EEXIST) return EXIT_DONE;
    return cli_error(EXIT_FILES, "%s: %s", run->folder, strerror(errno));
}

static int run_and_write(const repro_run *run, repro_answer *answer, const char *word) {
    if (strcmp(word, page_alone) != 0) TRY(run_figures(run, answer->figures, word));
    add_earlier(run, answer->figures);
    if (json_object_size(answer->figures) == 0)
        return cli_error(EXIT_FILES,
                         "%s: there is nothing to show, because no figure was run and the folder "
                         "has none of an earlier run",
                         run->folder);
    answer->judgements = repro_judge(answer->figures, &answer->count);
    if (!answer->judgements) return cli_no_memory();
    TRY(repro_write(run, answer));
    return print_claims(run, answer);
}

static int run_reproduce(cli_session *session) {
    const reproduce_arguments *given = session->arguments;
    const char *word = session->options.operands[0];
    repro_run run = {.session = session,
                     .folder = given->folder,
                     .quick = given->quick,
                     .seed = given->seed,
                     .runs = given->runs,
                     .slow = given->slow,
                     .data = given->data};
    TRY(check_arguments(&run, word));
    ch_context_set_progress(session->context, lab_only_signals, NULL);
    repro_answer answer = {.figures = json_object()};
    int code = run_and_write(&run, &answer, word);
    if (code == EXIT_INTERRUPTED)
        cli_complain("the run was interrupted; finished parts are kept in %s, and the same command "
                     "continues from there",
                     given->folder);
    free(answer.judgements);
    json_decref(answer.figures);
    return code;
}

const cli_command lab_cmd_reproduce = {
    .name = "reproduce",
    .summary = CLI_REPRODUCE_SUMMARY,
    .synopsis = "EXPERIMENT -o DIR [--data DIR] [--quick] [--runs N] [--slow N] [--seed N]",
    .about = "EXPERIMENT is one of:\n"
             "  all, recovery-l1, recovery-is, recovery-kl, exemplars, video\n"
             "  the name of one figure\n"
             "  selectors   tries every method that selects columns under six kinds of noise;\n"
             "              not part of all\n"
             "  page        writes the pictures, the claims and the page again from the\n"
             "              figures that are in DIR\n"
             "Results are stored in DIR while the run continues. After Ctrl-C, the same\n"
             "command resumes where it stopped.\n",
    .details = "Data (--data DIR; without it exemplars and video are left out):\n"
               "  DIR/text/NAME/NAME.mtx.gz, NAME.labels   NAME: reuters10, bbc\n"
               "  DIR/video/NAME/frames.mkv, gt/N.png      NAME: restaurant, airport_hall,\n"
               "                                           lobby; frames.mkv may be a folder of\n"
               "                                           pictures\n"
               "\n"
               "Files in DIR of -o:\n"
               "  FIGURE.json   settings, seeds, commit, machine, results, seconds\n"
               "  FIGURE.csv    the numbers; FIGURE.svg the picture\n"
               "  claims.json   each claim: id, claim, measured, verdict, figure, rule; verdict\n"
               "                is holds, differs, fails or 'not run', computed from the numbers\n"
               "  report.html   all of it on a page that needs no network\n"
               "  units.jsonl   results of the parts of each figure; delete it to start again\n"
               "The page and the claims cover all figures in DIR, also those of earlier runs.\n",
    .examples = "  conehull reproduce recovery-l1 --quick -o out\n"
                "  conehull reproduce all --data DIR -o out\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(reproduce_arguments),
    .describe = describe_reproduce,
    .run = run_reproduce,
};
