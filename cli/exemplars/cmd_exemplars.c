/* conehull exemplars: selects a few columns (documents, frames) that represent all. */
#include "exemplars/exemplars_command.h"

/* Rows that fewer than TELLING columns have are typos and names, however large their idf: they are
 * listed last. */
static ch_status leave_out_rare(ch_context *context, ch_matrix *weighted, const ch_matrix *X) {
    enum { TELLING = 3 }; /* min_df of topics */
    ch_matrix by_row;
    if (weighted->layout != CH_CSC || X->layout != CH_CSC || X->cols <= TELLING) return CH_OK;
    ch_status status = ch_matrix_transpose(context, &by_row, X);
    if (status < 0) return status;
    double *values = (double *)(uintptr_t)weighted->values; /* ours: made by ch_weighting_apply() */
    for (int64_t k = 0; k < weighted->column_start[weighted->cols]; k++) {
        int64_t row = weighted->row_index[k];
        if (by_row.column_start[row + 1] - by_row.column_start[row] < TELLING) values[k] *= 1e-9;
    }
    ch_matrix_free(context, &by_row);
    return CH_OK;
}

/* Per exemplar the terms of largest tf-idf; rare ones come last. */
static ch_status find_terms(ch_context *context, exemplars_result *result, const ch_matrix *X) {
    const ch_weighting tfidf = {CH_VALUE_TFIDF, CH_COLUMN_AS_IS};
    const ch_exemplars *found = &result->found;
    ch_matrix chosen = {0}, weighted = {0};
    result->terms = malloc((size_t)found->rank * EXEMPLARS_TERMS * sizeof *result->terms + 1);
    if (!result->terms) return CH_ERR_MEMORY;
    ch_status status = ch_matrix_copy(context, &chosen, X, found->columns, found->rank);
    if (status >= 0) status = ch_weighting_apply(context, &weighted, &chosen, X, &tfidf);
    if (status >= 0) status = leave_out_rare(context, &weighted, X);
    if (status >= 0)
        status = ch_matrix_top_rows(context, result->terms, EXEMPLARS_TERMS, &weighted);
    ch_matrix_free(context, &weighted);
    ch_matrix_free(context, &chosen);
    return status;
}

static int measure(exemplars_run *run, exemplars_result *result, int method) {
    const cli_session *session = run->session;
    const exemplars_arguments *given = run->given;
    const exemplars_data *data = &run->data;
    const char *file = session->options.operands[0];
    ch_exemplars_settings set = given->settings;
    int64_t largest = given->ranks[given->rank_count - 1];
    result->method = set.method = method;
    TRY(cli_check_file(session,
                       ch_exemplars_find(session->context, &result->found, &data->X, largest, &set),
                       file));
    if (data->terms.count)
        TRY(cli_check_file(session, find_terms(session->context, result, &data->X), file));
    TRY(exemplars_members_measure(run, result));
    if (!data->classes) return EXIT_DONE;
    return cli_check_file(session,
                          ch_exemplars_accuracy(session->context, &result->accuracy,
                                                &(ch_exemplars_data){&data->X, data->classes},
                                                given->ranks, given->rank_count, &set),
                          file);
}

static int measure_all(exemplars_run *run) {
    const cli_session *session = run->session;
    const exemplars_data *data = &run->data;
    if (data->classes)
        TRY(cli_check_file(session,
                           ch_exemplars_accuracy(session->context, &run->full,
                                                 &(ch_exemplars_data){&data->X, data->classes},
                                                 NULL, 0, &run->given->settings),
                           session->options.operands[0]));
    for (int i = 0; i < run->given->method_count; i++) {
        int code = measure(run, &run->results[i], run->given->methods[i]);
        if (code == EXIT_INTERRUPTED && i > 0) { /* keeps finished methods */
            run->given->method_count = i;
            run->interrupted = 1;
            cli_complain("the run was interrupted; %d of the methods had finished, and their "
                         "results are reported",
                         i);
            break;
        }
        TRY(code);
    }
    return EXIT_DONE;
}

static void hint_stop_words(const exemplars_run *run) {
    const exemplars_result *result = &run->results[0];
    cli_stop_count count = {0};
    for (int64_t k = 0; result->terms && k < result->found.rank * EXEMPLARS_TERMS; k++)
        if (result->terms[k] >= 0)
            cli_stop_count_add(&count, run->data.terms.text[result->terms[k]]);
    cli_text_hint_stop_words(run->session, &run->given->text, &count);
}

static int report(const exemplars_run *run) {
    const exemplars_arguments *given = run->given;
    json_t *json = exemplars_json(run);
    int code = json ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE && given->folder) code = exemplars_write(run, json);
    if (code == EXIT_DONE && run->session->common.json) {
        code = cli_json_print(json_incref(json));
    } else if (code == EXIT_DONE) {
        exemplars_print(run);
        if (given->folder) cli_say_written(given->folder, "report.html");
    }
    json_decref(json);
    for (int i = 0; i < given->method_count && code <= EXIT_EARLY; i++) {
        int own = cli_exit_code(exemplars_status(&run->results[i]));
        if (own > code) code = own;
    }
    return run->interrupted && code <= EXIT_EARLY ? EXIT_INTERRUPTED : code;
}

static int find_exemplars(exemplars_run *run) {
    TRY(exemplars_options_take(run->session, run->given));
    TRY(exemplars_data_read(run->session, &run->data, run->given));
    TRY(measure_all(run));
    hint_stop_words(run);
    cli_text_warn_folder(run->session, run->given->folder);
    return report(run);
}

static int run_exemplars(cli_session *session) {
    exemplars_run run = {.session = session, .given = session->arguments};
    run.data.clip.size = sizeof run.data.clip;
    run.full.size = sizeof run.full;
    for (int i = 0; i < EXEMPLARS_METHODS; i++) {
        run.results[i].found.size = sizeof run.results[i].found;
        run.results[i].accuracy.size = sizeof run.results[i].accuracy;
    }
    int code = find_exemplars(&run);
    if (code == EXIT_INTERRUPTED && !run.interrupted)
        cli_complain("the run was interrupted; nothing was written");
    for (int i = 0; i < EXEMPLARS_METHODS; i++) {
        ch_exemplars_free(session->context, &run.results[i].found);
        ch_exemplars_scores_free(session->context, &run.results[i].accuracy);
        free(run.results[i].terms);
        free(run.results[i].similarity);
        free(run.results[i].mean);
    }
    ch_exemplars_scores_free(session->context, &run.full);
    exemplars_data_free(session, &run.data);
    free(run.given->ranks);
    return code;
}

static const char *const writes[] = {"exemplars.txt", "exemplars-*.txt", "members.csv",
                                     "members-*.csv", "result.json",     "accuracy.csv",
                                     "accuracy.svg",  "report.html",     NULL};

/* Rows of --help. */
static const cli_basic basics[] = {
    {"rank", "number of exemplars, or several, such as 10,20"},
    {"output", "folder for the results; report.html shows them"},
    {"names", "file with a name for each data point, one per line"},
    {"terms", "file with a name for each row, one per line"},
    {"labels", "class of each data point, to measure how well exemplars train a classifier"},
    {"method", "method, or several with commas to compare them"},
    {"weight", "how values are weighted before the choice"},
    {"transpose", "rows are the data points, not columns"},
    {"text-column", "for a table: the column that holds the texts"},
    {"stop-words", "common words to leave out, for example english"},
    {"stem", "reduce words to their stems, for example english"},
    {"min-df", "leave out words that occur in fewer than N documents"},
    {"step", "for a video: use only every N-th frame"},
    {0}};

const cli_command cli_cmd_exemplars = {
    .name = "exemplars",
    .summary = "choose documents, frames or columns that represent all",
    .synopsis = "INPUT -r N,N,.. [--labels F] [--method A,B,..] [options]",
    .about = "Chooses columns that represent all columns, the exemplars, and reports which\n"
             "columns each exemplar represents. With the methods central and facility, a\n"
             "column is represented by the exemplar most similar to it; with robust-xray and\n"
             "related methods, by a combination of the exemplars. INPUT is a matrix (a\n"
             "column is a data point), raw text (as for 'conehull text'), or a video or a\n"
             "folder of pictures (a column is then a frame). With --labels the exemplars are\n"
             "also tested: a linear SVM is trained on the exemplars of a random half of the\n"
             "data and tested on the other half.\n",
    .details = "Weighting (--weight, --features):\n"
               "  raw: values as they are. log: log(1 + x). tfidf: x idf, where\n"
               "  idf = log((1 + n)/(1 + df)) + 1 and df of n documents contain the word; for\n"
               "  accuracies, only the training half is counted. logtfidf: log(1 + x) idf.\n"
               "  logrootidf: log(1 + x) idf^(1/2). l1, l2: columns scaled to sum 1 or to "
               "length\n"
               "  1. A weight and a scale can be combined, as in tfidf+l2. auto is "
               "logrootidf+l2\n"
               "  for central, facility and kmeans; for other methods it is l1 for sparse data\n"
               "  and text, and raw for other data.\n"
               "\n"
               "Central columns (the default):\n"
               "  k-means, started from the choice of facility location, forms groups. If r is\n"
               "  below 30, more than r groups are formed, and only the groups that represent\n"
               "  the most columns are used. The exemplar of a group is a column near the mean\n"
               "  of the group whose most similar columns also belong to the group. Groups are\n"
               "  formed anew for every r. The result is the same for any order of the columns\n"
               "  and any number of threads.\n"
               "\n"
               "Facility location:\n"
               "  The value of a choice is the sum, over all columns, of the similarity between\n"
               "  the column and the exemplar most similar to it. Exemplars are chosen one "
               "after\n"
               "  the other; in each step the value grows as much as possible. The value of the\n"
               "  result is at least 1 - 1/e of the best possible value. The output gives the\n"
               "  share that is proven for these data, which is usually much larger. The result\n"
               "  is the same for any number of threads. If there are more than --sample\n"
               "  columns, exemplars are chosen from a random sample; the value and the share\n"
               "  are computed over all columns.\n"
               "\n"
               "Ties:\n"
               "  Columns are put in a random order, which depends on --seed, so that ties do\n"
               "  not favour the columns that come first in the file.\n"
               "\n"
               "Ctrl-C:\n"
               "  A run of several methods ends with the results of those that have finished\n"
               "  (exit code 130).\n"
               "\n"
               "Files in DIR (all are written at the end, or none):\n"
               "  exemplars.txt   a line for each exemplar, with fields separated by tabs:\n"
               "                  column, name, label, number of columns that it represents,\n"
               "                  most important words, mean similarity (cosine) to these\n"
               "                  columns\n"
               "  accuracy.csv    with --labels: method, r, mean, sd, then the accuracy of each\n"
               "                  split\n"
               "  accuracy.svg    with --labels: the accuracies as a chart\n"
               "  result.json     all results\n"
               "  report.html     a page with all results; one file that needs no network\n",
    .basics = basics,
    .examples = "  conehull exemplars counts.mtx.gz -r 20 --terms terms.txt --names titles.txt\n"
                "  conehull exemplars counts.mtx.gz -r 10:150:10 --labels classes.txt -o out \\\n"
                "      --method central,facility,robust-xray,kmeans,random\n"
                "  conehull exemplars reviews.csv --text-column review -r 12 -o out\n"
                "  conehull exemplars letters/ -r 12 --stop-words english -o out\n"
                "  conehull exemplars clip.mp4 -r 8 --step 5 --width 160 -o out\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(exemplars_arguments),
    .describe = exemplars_options_describe,
    .run = run_exemplars,
    .writes = writes,
};
