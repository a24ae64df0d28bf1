/* conehull bench: measures, in one run, ratios of times to those of baselines and of plain reads of
 * memory. */
#include "bench/bench_table.h"
#include "common/json.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "lab.h"
#include "main/program.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_arguments {
    size_t size; /* must be the first member, as in all settings */
    int64_t turns;
    int quick;
    const char *data, *folder;
} bench_arguments;

static const ch_setting rows[] = {
    {"turns", CH_SETTING_INT, offsetof(bench_arguments, turns), BENCH_TURNS_LEAST,
     BENCH_TURNS_LEAST, BENCH_TURNS_MOST, NULL, "N",
     "number of times that each side of a ratio runs; more turns give less noise"},
    {"quick", CH_SETTING_FLAG, offsetof(bench_arguments, quick), 0, 0, 1, NULL, NULL,
     "use smaller data, which takes about a minute instead of a quarter of an hour"},
};
static const ch_settings_table *table(void) {
    static const ch_settings_table described = {"bench", rows, 2, sizeof(bench_arguments)};
    return &described;
}

static const cli_option_row options_list[] = {
    {"Options", "quick turns", .table = table},
    {"Options", "data", 0, "DIR", .at = offsetof(bench_arguments, data),
     "folder with video/lobby, text/bbc and text/reuters10. Without it generated data are used"},
    {"Options", "output", 'o', "DIR", .at = offsetof(bench_arguments, folder),
     "folder for bench.json, bench.csv and charts; it is created if it does not exist"},
    {0}};

static void describe_bench(cli_options *options, void *arguments) {
    bench_arguments *set = arguments;
    ch_settings_defaults(table(), set, sizeof *set);
    options->operand_names[0] = "NAME";
    options->optional = 1;
    cli_options_add(options, options_list, set);
}

/* Returns whether an entry is measured: without a name those with a single ratio, for "all" every
 * entry. */
static int is_wanted(const bench_entry *entry, const char *name) {
    if (!name) return entry->single;
    return strcmp(name, "all") == 0 || strcmp(name, entry->name) == 0;
}

static int check_name(const char *name) {
    for (const bench_entry *entry = bench_entries; entry->name; entry++)
        if (is_wanted(entry, name)) return EXIT_DONE;
    return cli_error(EXIT_USAGE,
                     "bench: there is no ratio '%s'; 'conehull bench --help' lists them", name);
}

static int write_files(const bench_run *run, const json_t *object) {
    cli_folder folder;
    TRY(cli_folder_open(&folder, run->session, run->folder));
    int code = cli_folder_json(&folder, "bench.json", object);
    for (const bench_file *file = run->files; file && code == EXIT_DONE; file = file->next)
        code = cli_folder_text(&folder, file->name, file->text, file->length);
    return cli_folder_close(&folder, code, NULL);
}

static int measure_all(bench_run *run, json_t *object, const char *name) {
    int code = EXIT_DONE;
    for (const bench_entry *entry = bench_entries; entry->name && code == EXIT_DONE; entry++) {
        if (!is_wanted(entry, name)) continue;
        run->entry = entry;
        run->object = json_object();
        code = run->object ? entry->measure(run) : cli_no_memory();
        ch_context_set_threads(run->session->context, run->threads);
        if (code == EXIT_DONE) code = bench_set(run, "meaning", json_string(entry->meaning));
        if (json_object_set_new(object, entry->name, run->object) != 0) code = cli_no_memory();
    }
    return code;
}

static json_t *begin_json(const bench_run *run) {
    double load = 0; /* load of the machine during the last minute, before the run */
    if (getloadavg(&load, 1) != 1) load = NAN;
    return json_pack("{so sb ss so}", "machine", lab_machine_json(&run->machine), "quick",
                     run->quick, "data", run->data ? run->data : "made", "load",
                     cli_json_real(load));
}

/* Runs the measurements. bench.csv is written during the run and complete when its stream is
 * closed. */
static int measure_and_write(bench_run *run, json_t *object, const char *name) {
    run->table = bench_file_open(run, "bench.csv");
    if (!object || !run->table) return cli_no_memory();
    bench_table_head(run->table);
    int code = measure_all(run, object, name), closed = bench_file_close(run->table);
    TRY(code);
    TRY(closed);
    return run->folder ? write_files(run, object) : EXIT_DONE;
}

static int run_bench(cli_session *session) {
    const bench_arguments *given = session->arguments;
    const char *name = session->options.operands[0];
    bench_run run = {.session = session,
                     .data = given->data,
                     .folder = given->folder,
                     .quick = given->quick,
                     .turns = (int)given->turns,
                     .threads = ch_context_threads(session->context),
                     .machine = lab_find_machine(session->context)};
    TRY(check_name(name));
    TRY(cli_folder_check(given->folder));
    ch_context_set_progress(session->context, lab_only_signals, NULL);
    json_t *object = begin_json(&run);
    int code = measure_and_write(&run, object, name);
    if (code == EXIT_DONE && session->common.json) code = cli_json_print(json_incref(object));
    json_decref(object);
    bench_files_free(run.files);
    return code;
}

const cli_command lab_cmd_bench = {
    .name = "bench",
    .summary = CLI_BENCH_SUMMARY,
    .synopsis = "[NAME] [--quick] [--turns N] [--data DIR] [-o DIR]",
    .about = "Measures ratios of times: A_over_B is the time of A divided by the time of B. A\n"
             "and B run in turns. The ratio is that of their shortest times, and its noise is\n"
             "the smallest, median and largest ratio of a turn. A plain read reads every byte\n"
             "of the data once. NAME selects one ratio:\n"
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
             "scikit-learn is searched for at run time (/usr/bin/python3, then python3).\n"
             "\n"
             "Other names measure one subject in depth, with several ratios each; the name all\n"
             "measures everything:\n"
             "  kernels     instruction sets against each other, loop by loop\n"
             "  passes      each pass over a matrix, over a plain read of its bytes\n"
             "  spa         the time per anchor of SPA over a plain read\n"
             "  select      selection over SPA, plain reads and medians\n"
             "  nnlad       other solvers of one column in l1 over the exact one\n"
             "  divergence  scikit-learn and NumPy over conehull, KL and IS\n"
             "  decompose   robust PCA over that of NumPy; local search and medians over plain\n"
             "              reads\n"
             "  video       robust PCA over RobustXray, each at its best, and the median\n"
             "  live        OpenCV over conehull live, and the latency of live\n"
             "  exemplars   methods over SPA, 150 exemplars of documents\n"
             "  selectors   anchors that each method finds, and its time\n"
             "  scaling     how time and memory grow with n, m, nnz and r\n"
             "  cliffs      inputs whose time once grew with the square of their columns, over\n"
             "              similar inputs\n"
             "  threads     one thread over 2, 4, ...\n",
    .details = "JSON: machine{processor, cores, threads, kernel, blas, version, commit}, quick,\n"
               "data, load (of the machine, before the run) and an object per name. For a single\n"
               "ratio the object has ratio, noise{min, median, max}, processor_ratio, turns,\n"
               "threads, units, above{what, min, median, max, processor}, below (with the same\n"
               "keys), data, details and meaning; above and below are the two sides. min, median\n"
               "and max are elapsed seconds; processor is processor time, which other programs\n"
               "disturb less. If a ratio cannot be measured, it is null, status is 'not present'\n"
               "and why gives the reason. A name with several ratios has records[], an object\n"
               "per ratio with its name and, if a limit is set, at_most or at_least. In\n"
               "addition, selectors has recovery[], scaling has sweeps[], and live has live[].\n"
               "\n"
               "Files in DIR: bench.json, bench.csv (a row per ratio), and charts of scaling\n"
               "and threads.\n",
    .examples = "  conehull bench --quick\n"
                "  conehull bench admm_over_exact --turns 21\n"
                "  conehull bench kernels --turns 21\n"
                "  conehull bench --data ../shared/data --json -o out/bench\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(bench_arguments),
    .describe = describe_bench,
    .run = run_bench,
};
