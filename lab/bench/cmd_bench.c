/* conehull bench: ratios against baselines and against what memory allows, in one run. */
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/output_folder.h"
#include "common/progress.h"
#include "reproduce/reproduce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_arguments {
    int64_t turns;
    int quick;
    const char *data, *folder;
} bench_arguments;

static const ch_setting rows[] = {
    {"turns", CH_SETTING_INT, offsetof(bench_arguments, turns), RATIO_TURNS_LEAST,
     RATIO_TURNS_LEAST, RATIO_TURNS_MOST, NULL, "N", "how often the two sides of a ratio run"},
    {"quick", CH_SETTING_FLAG, offsetof(bench_arguments, quick), 0, 0, 1, NULL, NULL,
     "smaller data: about a minute instead of a quarter of an hour"},
};
static const ch_settings_table table = {"bench", rows, 2, sizeof(bench_arguments)};

const ratio_row ratio_rows[] = {
    {"rpca_over_robust_xray", "robust PCA over RobustXray, 200 frames of a film", ratio_rpca},
    {"rpca_over_robust_xray_full", "the same on a whole sequence", ratio_rpca_full},
    {"smrs_over_robust_xray", "SMRS over RobustXray, choosing exemplars", ratio_smrs},
    {"admm_over_exact", "projections by alternating directions over exact ones", ratio_admm},
    {"admm_loose_over_exact", "the same, alternating directions to gap 1e-3 only",
     ratio_admm_loose},
    {"select_over_read", "selection of r anchors over r plain reads of the data", ratio_select},
    {"sklearn_over_conehull", "scikit-learn's NMF over anchors and weights, KL, rank 20",
     ratio_sklearn},
    {"sklearn_weights_over_conehull", "the same with the anchors given: weights alone",
     ratio_sklearn_weights},
    {"two_threads", "one thread over two, RobustXray on 200 frames of a film", ratio_two_threads},
    {.name = NULL},
};

static void describe_bench(cli_options *options, void *arguments) {
    bench_arguments *set = arguments;
    ch_settings_defaults(&table, set);
    options->operand_names[0] = "NAME";
    options->optional = 1;
    cli_options_add_setting(options, "Options", "quick", &table, set);
    cli_options_add_setting(options, "Options", "turns", &table, set);
    cli_options_add_text(
        options, "Options", "data", 0, "DIR",
        "folder with video/lobby, text/bbc and text/reuters10; without it data are made",
        &set->data);
    cli_options_add_text(options, "Options", "output", 'o', "DIR",
                         "folder for bench.json and bench.csv, made if missing", &set->folder);
}

static int check_name(const char *name) {
    for (const ratio_row *row = ratio_rows; row->name; row++)
        if (!name || strcmp(name, row->name) == 0) return EXIT_DONE;
    cli_complain("bench: there is no ratio '%s'; 'conehull bench --help' lists them", name);
    return EXIT_USAGE;
}

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

/* Works draw nothing: the bar counts turns. */
static int hear_only_signals(const ch_progress_event *event, void *user) {
    (void)event, (void)user;
    return cli_interrupted();
}

/* ---- words ---- */

static void print_seconds(const json_t *work) {
    printf("%s %.4g s (median %.4g)", repro_text(work, "what"), repro_real(work, "min"),
           repro_real(work, "median"));
}

static void print_row(const char *name, const json_t *row) {
    const json_t *noise = json_object_get(row, "noise");
    if (json_is_null(json_object_get(row, "ratio"))) {
        printf("%-30s %s: %s\n", name, repro_text(row, "status"), repro_text(row, "why"));
        return;
    }
    printf("%-30s %8.3g   median %.3g, %.3g to %.3g in %d turns\n    ", name,
           repro_real(row, "ratio"), repro_real(noise, "median"), repro_real(noise, "min"),
           repro_real(noise, "max"), (int)repro_real(row, "turns"));
    print_seconds(json_object_get(row, "above"));
    printf(" over ");
    if (repro_real(row, "units") != 1) printf("%g x ", repro_real(row, "units"));
    print_seconds(json_object_get(row, "below"));
    printf("\n    %s\n", repro_text(row, "data"));
}

static void print_machine(const json_t *machine) {
    printf("%s, %d cores, %d threads; kernels %s; %s; version %s, commit %s\n",
           repro_text(machine, "processor"), (int)repro_real(machine, "cores"),
           (int)repro_real(machine, "threads"), repro_text(machine, "kernel"),
           repro_text(machine, "blas"), repro_text(machine, "version"),
           repro_text(machine, "commit"));
}

/* ---- files ---- */

static void write_csv(FILE *to, const json_t *object) {
    fputs("name,ratio,noise_min,noise_median,noise_max,turns,threads,above,above_min,above_median,"
          "below,below_min,below_median,data\n",
          to);
    for (const ratio_row *row = ratio_rows; row->name; row++) {
        const json_t *own = json_object_get(object, row->name);
        const json_t *noise = json_object_get(own, "noise");
        const json_t *above = json_object_get(own, "above"), *below = json_object_get(own, "below");
        if (!noise) continue;
        fprintf(to, "%s,%.6g,%.6g,%.6g,%.6g,%d,%d,\"%s\",%.6g,%.6g,\"%s\",%.6g,%.6g,\"%s\"\n",
                row->name, repro_real(own, "ratio"), repro_real(noise, "min"),
                repro_real(noise, "median"), repro_real(noise, "max"),
                (int)repro_real(own, "turns"), (int)repro_real(own, "threads"),
                repro_text(above, "what"), repro_real(above, "min"), repro_real(above, "median"),
                repro_text(below, "what"), repro_real(below, "min"), repro_real(below, "median"),
                repro_text(own, "data"));
    }
}

static int write_files(const cli_session *session, const char *path, const json_t *object) {
    static const char *const stale[] = {NULL};
    cli_folder folder;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return no_memory();
    write_csv(to, object);
    int code = fclose(to) == 0 ? cli_folder_open(&folder, session, path) : no_memory();
    if (code == EXIT_DONE) {
        code = cli_folder_json(&folder, "bench.json", object);
        if (code == EXIT_DONE) code = cli_folder_text(&folder, "bench.csv", text, length);
        code = cli_folder_close(&folder, code, stale);
    }
    free(text);
    return code;
}

/* ---- the run ---- */

/* In words each row is told as soon as it is there: whoever stops the run keeps those. */
static int measure_all(json_t *object, const ratio_run *run, const char *name) {
    int code = EXIT_DONE, words = !run->session->common.json, told = 0;
    for (const ratio_row *row = ratio_rows; row->name && code == EXIT_DONE; row++) {
        json_t *own = NULL;
        if (name && strcmp(name, row->name) != 0) continue;
        code = row->measure(&own, row, run);
        if (code != EXIT_DONE) continue;
        json_object_set_new(own, "meaning", json_string(row->meaning));
        if (words) {
            cli_progress_clear();
            if (told++ == 0) print_machine(json_object_get(object, "machine"));
            print_row(row->name, own);
            fflush(stdout);
        }
        if (json_object_set_new(object, row->name, own) != 0) code = no_memory();
    }
    return code;
}

static int run_bench(cli_session *session) {
    const bench_arguments *given = session->arguments;
    const char *name = session->options.operands[0];
    ratio_run run = {session, given->data, given->quick, (int)given->turns,
                     ch_context_threads(session->context)};
    int code = check_name(name);
    if (code == EXIT_DONE && given->folder) code = cli_folder_check(given->folder);
    if (code != EXIT_DONE) return code;
    ch_context_set_progress(session->context, hear_only_signals, NULL);
    double load = 0; /* of the last minute: what the machine did before us */
    if (getloadavg(&load, 1) != 1) load = NAN;
    json_t *object = json_pack(
        "{so sb ss so}", "machine", repro_machine(&(repro_run){.session = session}), "quick",
        given->quick, "data", given->data ? given->data : "made", "load", cli_json_real(load));
    code = object ? measure_all(object, &run, name) : no_memory();
    if (code == EXIT_DONE && given->folder) code = write_files(session, given->folder, object);
    if (code == EXIT_DONE && session->common.json) return cli_json_print(object);
    json_decref(object);
    return code;
}

const cli_command cli_cmd_bench = {
    .name = "bench",
    .summary = "how fast it is here: ratios to other methods and to the memory",
    .synopsis = "[NAME] [--quick] [--turns N] [--data DIR] [-o DIR]",
    .about = "Measures ratios, each in one run: the two sides take turns, the ratio is that of\n"
             "their least times, and the noise is the least, median and largest ratio of a\n"
             "turn. NAME chooses one:\n"
             "  rpca_over_robust_xray          robust PCA over RobustXray, 200 frames of a\n"
             "                                 film\n"
             "  rpca_over_robust_xray_full     the same on a whole sequence\n"
             "  smrs_over_robust_xray          SMRS over RobustXray, 50 exemplars of documents\n"
             "  admm_over_exact                projections in l1: alternating directions over\n"
             "                                 exact\n"
             "  admm_loose_over_exact          the same, alternating directions to gap 1e-3\n"
             "                                 only\n"
             "  select_over_read               selection of r anchors over r plain reads\n"
             "  sklearn_over_conehull          scikit-learn's NMF over anchors and weights, KL\n"
             "  sklearn_weights_over_conehull  the same with the anchors given: weights alone\n"
             "  two_threads                    one thread over two, RobustXray on 200 frames\n"
             "scikit-learn is looked for at run time (/usr/bin/python3, then python3).\n",
    .details = "JSON: machine{processor, cores, threads, kernel, blas, version, commit} quick\n"
               "data load (of the machine, just before) and a key per ratio: ratio\n"
               "noise{min, median, max} processor_ratio turns threads\n"
               "units above{what, min, median, max, processor} below{..} data details meaning.\n"
               "Seconds are by the clock; 'processor' is processor time, which other programs\n"
               "disturb less. What cannot be measured here has ratio null, status 'not present'\n"
               "and why.\n",
    .examples = "  conehull bench --quick\n"
                "  conehull bench admm_over_exact --turns 21\n"
                "  conehull bench --data ../shared/data --json -o out/bench\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(bench_arguments),
    .describe = describe_bench,
    .run = run_bench,
};
