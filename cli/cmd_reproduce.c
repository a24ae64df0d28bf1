/* conehull reproduce: the experiments of the paper, and what of its claims holds. */
#include "command_line.h"
#include "exit_codes.h"
#include "folder.h"
#include "interrupt.h"
#include "reproduce.h"
#include "talk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct reproduce_arguments {
    int64_t seed, runs;
    int quick;
    const char *folder;
} reproduce_arguments;

static const ch_setting rows[] = {
    {"seed", CH_SETTING_INT, offsetof(reproduce_arguments, seed), 0, 0, 1e9, NULL, "N",
     "seed of data, splits and methods"},
    {"runs", CH_SETTING_INT, offsetof(reproduce_arguments, runs), 0, 0, 1000, NULL, "N",
     "data sets per noise level; 0: 10 as in the paper, fewer with --quick"},
    {"quick", CH_SETTING_FLAG, offsetof(reproduce_arguments, quick), 0, 0, 1, NULL, NULL,
     "coarse grids: minutes instead of hours"},
};
static const ch_settings_table table = {"reproduce", rows, 3, sizeof(reproduce_arguments)};

static void describe_reproduce(cli_options *options, void *arguments) {
    reproduce_arguments *set = arguments;
    ch_settings_defaults(&table, set);
    options->operand_names[0] = "EXPERIMENT";
    cli_options_add_text(options, "Options", "output", 'o', "DIR",
                         "folder for the files, made if missing; needed", &set->folder);
    cli_options_add_setting(options, "Options", "quick", &table, set);
    cli_options_add_setting(options, "Options", "runs", &table, set);
    cli_options_add_setting(options, "Options", "seed", &table, set);
}

static int wanted(const repro_figure *figure, const char *word) {
    return strcmp(word, "all") == 0 || strcmp(word, figure->experiment) == 0 ||
           strcmp(word, figure->name) == 0;
}

/* Parts of the paper that have claims but no figure here yet. */
static int is_to_come(const char *word) {
    return strcmp(word, "exemplars") == 0 || strcmp(word, "video") == 0;
}

static int check_word(const char *word) {
    for (const repro_figure *figure = repro_figures; figure->name; figure++)
        if (wanted(figure, word)) return EXIT_DONE;
    if (is_to_come(word))
        cli_complain("reproduce: %s is not in this version yet; 'conehull %s' measures one data "
                     "set at a time",
                     word, word);
    else
        cli_complain("reproduce: EXPERIMENT must be all, recovery-l1, recovery-is or recovery-kl; "
                     "got '%s'",
                     word);
    return EXIT_USAGE;
}

/* Figures of this run, in figures under their names. */
static int run_figures(const repro_run *run, json_t *figures, const char *word) {
    repro_store store;
    char *command = cli_command_line(run->session);
    int code = repro_store_open(&store, run);
    for (const repro_figure *figure = repro_figures; figure->name && code == EXIT_DONE; figure++) {
        json_t *object = NULL;
        if (!wanted(figure, word)) continue;
        code = repro_figure_run(&object, figure, run, &store);
        if (code != EXIT_DONE) continue;
        json_object_set_new(object, "command", json_string(command ? command : ""));
        json_object_set_new(figures, figure->name, object);
    }
    repro_store_close(&store);
    free(command);
    return code;
}

/* What earlier runs left: the page and the claims are of all figures in the folder. */
static void add_earlier(const repro_run *run, json_t *figures) {
    for (const repro_figure *figure = repro_figures; figure->name; figure++) {
        char *path = NULL;
        if (json_object_get(figures, figure->name)) continue;
        if (asprintf(&path, "%s/%s.json", run->folder, figure->name) < 0) continue;
        json_t *object = json_load_file(path, 0, NULL);
        if (object) json_object_set_new(figures, figure->name, object);
        free(path);
    }
}

typedef void (*writer)(FILE *to, const json_t *object);

static int write_text(cli_folder *folder, const char *figure, const char *suffix, writer write,
                      const json_t *object) {
    char *text = NULL, *name = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to || asprintf(&name, "%s.%s", figure, suffix) < 0) {
        if (to) fclose(to);
        free(text);
        return EXIT_MEMORY;
    }
    write(to, object);
    int code = fclose(to) == 0 ? cli_folder_text(folder, name, text, length) : EXIT_MEMORY;
    free(text);
    free(name);
    return code;
}

static int write_figure(cli_folder *folder, const repro_figure *figure, const json_t *object) {
    char name[64];
    snprintf(name, sizeof name, "%s.json", figure->name);
    int code = cli_folder_json(folder, name, object);
    if (code == EXIT_DONE) code = write_text(folder, figure->name, "csv", figure->table, object);
    if (code == EXIT_DONE) code = write_text(folder, figure->name, "svg", figure->picture, object);
    return code;
}

static void write_page(FILE *to, const json_t *object) {
    repro_page(to, json_object_get(object, "figures"), object);
}

/* figures and claims in one object, which the page is made of. */
static int write_files(const repro_run *run, json_t *figures, json_t *object) {
    static const char *const stale[] = {NULL};
    cli_folder folder;
    int code = cli_folder_open(&folder, run->session, run->folder);
    if (code != EXIT_DONE) return code;
    for (const repro_figure *figure = repro_figures; figure->name && code == EXIT_DONE; figure++) {
        const json_t *own = json_object_get(figures, figure->name);
        if (own) code = write_figure(&folder, figure, own);
    }
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "claims.json", object);
    json_object_set(object, "figures", figures);
    if (code == EXIT_DONE) code = write_text(&folder, "report", "html", write_page, object);
    json_object_del(object, "figures");
    return cli_folder_close(&folder, code, stale);
}

static int print_claims(const repro_run *run, const json_t *object) {
    size_t i;
    const json_t *claim;
    if (run->session->common.json) {
        char *text = json_dumps(object, 0);
        if (!text) return EXIT_MEMORY;
        puts(text);
        free(text);
        return EXIT_DONE;
    }
    json_array_foreach(json_object_get(object, "claims"), i, claim) {
        printf("%-8s %s\n", repro_text(claim, "verdict"), repro_text(claim, "claim"));
        if (repro_text(claim, "measured")[0]) {
            fputs("         ", stdout);
            cli_wrap(stdout, repro_text(claim, "measured"), 9, 9);
        }
    }
    printf("\n%s/report.html    figures and claims; open it in a browser\n", run->folder);
    return EXIT_DONE;
}

/* Units are short or draw nothing: the bar counts them. */
static int hear_only_signals(const ch_event *event, void *user) {
    (void)event, (void)user;
    return cli_interrupted();
}

static int run_reproduce(cli_session *session) {
    const reproduce_arguments *given = session->arguments;
    const char *word = session->options.operands[0];
    repro_run run = {session, given->folder, given->quick, given->seed, given->runs};
    int code = check_word(word);
    if (code == EXIT_DONE && !given->folder) {
        cli_complain("reproduce: -o DIR is needed");
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = cli_folder_check(given->folder);
    if (code != EXIT_DONE) return code;
    if (mkdir(given->folder, 0777) != 0 && errno != EEXIST) {
        cli_complain("%s: %s", given->folder, strerror(errno));
        return EXIT_FILES;
    }
    ch_context_set_progress(session->context, hear_only_signals, NULL);
    json_t *figures = json_object(), *claims = NULL;
    code = run_figures(&run, figures, word);
    if (code == EXIT_INTERRUPTED)
        cli_complain("interrupted; what is done is kept in %s, the same command goes on from there",
                     given->folder);
    if (code == EXIT_DONE) {
        add_earlier(&run, figures);
        claims = repro_claims(figures);
        code = claims ? write_files(&run, figures, claims) : EXIT_MEMORY;
    }
    if (code == EXIT_DONE) code = print_claims(&run, claims);
    json_decref(claims);
    json_decref(figures);
    return code;
}

#define RECOVERY                                                                                 \
    recovery_count, recovery_key, NULL, NULL, recovery_compute, recovery_settle, recovery_table, \
        recovery_picture
static const char recovery_caption[] = "Anchors are chosen from shuffled columns. Lines end at "
                                       "their names; the table has more methods.";

const repro_figure repro_figures[] = {
    {"recovery-l1", "recovery-l1", "Anchor recovery under sparse noise", &recovery_l1, RECOVERY,
     recovery_caption},
    {"recovery-is", "recovery-is", "Anchor recovery under exponential noise", &recovery_is,
     RECOVERY, recovery_caption},
    {"recovery-kl", "recovery-kl", "Anchor recovery under Poisson noise", &recovery_kl, RECOVERY,
     recovery_caption},
    {.name = NULL},
};

const cli_command cli_cmd_reproduce = {
    .name = "reproduce",
    .summary = "the experiments of the paper again, and which of its claims hold",
    .synopsis = "EXPERIMENT -o DIR [--quick] [--runs N] [--seed N]",
    .about = "EXPERIMENT is all, recovery-l1, recovery-is or recovery-kl. Each is\n"
             "cut into units whose outcomes are kept in DIR as they come: after Ctrl-C the same\n"
             "command goes on where it stopped. --quick takes a coarse part of the same grid.\n",
    .details =
        "Files in DIR:\n"
        "  FIGURE.json   settings, seeds, commit, machine, results, seconds\n"
        "  FIGURE.csv    the numbers; FIGURE.svg the picture\n"
        "  claims.json   each claim: id, claim, measured, verdict, figure, rule; verdict is\n"
        "                holds, differs, fails or 'not run', computed from the numbers\n"
        "  report.html   all of it on a page that needs no network\n"
        "  units.jsonl   outcomes of units; delete it to begin anew\n"
        "The page and the claims are of all figures in DIR, those of earlier runs too. The\n"
        "paper's experiments with documents and videos are not in this version yet: their\n"
        "claims say 'not run'.\n",
    .examples = "  conehull reproduce recovery-l1 --quick -o out\n"
                "  conehull reproduce all -o out\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(reproduce_arguments),
    .describe = describe_reproduce,
    .run = run_reproduce,
};
