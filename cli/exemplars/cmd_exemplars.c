/* conehull exemplars: a few columns (documents, frames) that stand for all. */
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/message.h"
#include "exemplars/exemplars_command.h"
#include <stdlib.h>
#include <string.h>

static int failed(const cli_session *session, ch_status status) {
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return cli_fail(session, status, session->options.operands[0]);
}

static int measure(const cli_session *session, const exemplars_arguments *given,
                   const exemplars_data *data, exemplars_result *result) {
    ch_exemplars_settings set = given->settings;
    int64_t largest = given->ranks[given->rank_count - 1];
    set.method = result->method;
    ch_status status = ch_exemplars_find(session->context, &result->found, &data->X, largest, &set);
    if (status < 0 || status == CH_STOP_CANCELLED) return failed(session, status);
    if (!data->classes) return EXIT_DONE;
    status = ch_exemplars_accuracy(session->context, &result->accuracy, &data->X, data->classes,
                                   given->ranks, given->rank_count, &set);
    return status < 0 || status == CH_STOP_CANCELLED ? failed(session, status) : EXIT_DONE;
}

static int measure_full(const cli_session *session, const exemplars_arguments *given,
                        const exemplars_data *data, ch_exemplars_scores *full) {
    if (!data->classes) return EXIT_DONE;
    ch_status status = ch_exemplars_accuracy(session->context, full, &data->X, data->classes, NULL,
                                             0, &given->settings);
    return status < 0 || status == CH_STOP_CANCELLED ? failed(session, status) : EXIT_DONE;
}

static int report(const cli_session *session, const exemplars_arguments *given,
                  const exemplars_data *data, const exemplars_result *results,
                  const ch_exemplars_scores *full) {
    json_t *result = exemplars_json(session, given, data, results, full);
    int code = EXIT_DONE, status = EXIT_DONE;
    if (result && given->folder) code = exemplars_write(session, given, data, result);
    for (int i = 0; i < given->method_count; i++) {
        int own = cli_exit_code(exemplars_status(&results[i]));
        if (own > status) status = own;
    }
    if (code != EXIT_DONE || !result) {
        json_decref(result);
        return code != EXIT_DONE ? code : EXIT_MEMORY;
    }
    if (session->common.json) {
        code = cli_json_print(result);
    } else {
        exemplars_print(result);
        if (given->folder) cli_say_written(given->folder, "report.html");
        json_decref(result);
    }
    return code == EXIT_DONE ? status : code;
}

static int run_exemplars(cli_session *session) {
    exemplars_arguments *given = session->arguments;
    exemplars_data data;
    exemplars_result results[EXEMPLARS_METHODS];
    ch_exemplars_scores full;
    memset(&data, 0, sizeof data);
    memset(results, 0, sizeof results);
    memset(&full, 0, sizeof full);
    int code = exemplars_options_take(session, given);
    if (code == EXIT_DONE && given->folder) code = cli_folder_check(given->folder);
    if (code == EXIT_DONE) code = exemplars_data_read(session, &data, given);
    if (code == EXIT_DONE) code = measure_full(session, given, &data, &full);
    for (int i = 0; i < given->method_count && code == EXIT_DONE; i++) {
        results[i].method = given->methods[i];
        code = measure(session, given, &data, &results[i]);
    }
    if (code == EXIT_DONE) code = report(session, given, &data, results, &full);
    if (code == EXIT_INTERRUPTED) cli_complain("interrupted; nothing was written");
    for (int i = 0; i < given->method_count; i++) {
        ch_exemplars_free(session->context, &results[i].found);
        ch_exemplars_scores_free(session->context, &results[i].accuracy);
    }
    ch_exemplars_scores_free(session->context, &full);
    exemplars_data_free(session, &data);
    free(given->ranks);
    return code;
}

const cli_command cli_cmd_exemplars = {
    .name = "exemplars",
    .summary = "a few documents, frames or columns that stand for all",
    .synopsis = "INPUT -r N,N,.. [--labels F] [--method A,B,..] [options]",
    .about = "Chooses columns whose combinations explain the others, and says whom each stands\n"
             "for. INPUT is a matrix (a column is a data point), raw text (a folder of .txt\n"
             "files or one .txt with a document per line), a video or a folder of pictures (a\n"
             "column is then a frame). With --labels it also measures what the exemplars are\n"
             "worth: chosen from a random half, they train a linear SVM, which is tried on the\n"
             "other half.\n",
    .details = "Weighting (--weight, --features):\n"
               "  raw; log: log(1 + x); tfidf: x (log((1 + n)/(1 + df)) + 1); l1, l2: columns\n"
               "  scaled to sum or length 1; one of each kind with a plus, as tfidf+l2. auto is\n"
               "  l1 for sparse data and text, raw for other data: long documents would be taken\n"
               "  first otherwise. Document frequencies come from the training half alone.\n"
               "\n"
               "Ties:\n"
               "  Columns come to the method in an order drawn from --seed, so that of columns\n"
               "  equally far away a random one is taken, whatever the order of the file.\n"
               "\n"
               "Files in DIR (all appear at the end, or none):\n"
               "  exemplars.txt   column, name, label, how many it stands for, terms; tabs\n"
               "                  between\n"
               "  accuracy.csv    with --labels: method, r, mean, sd, then one figure per split\n"
               "  accuracy.svg    the same as a chart\n"
               "  result.json     everything\n"
               "  report.html     everything to look at; one file that needs no network\n",
    .examples = "  conehull exemplars counts.mtx.gz -r 20 --terms terms.txt --names titles.txt\n"
                "  conehull exemplars counts.mtx.gz -r 10:150:10 --labels classes.txt -o out \\\n"
                "      --method robust-xray,xray-l2,spa,random\n"
                "  conehull exemplars letters/ -r 12 --stop-words english -o out\n"
                "  conehull exemplars clip.mp4 -r 8 --step 5 --width 160 -o out\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(exemplars_arguments),
    .describe = exemplars_options_describe,
    .run = run_exemplars,
};
