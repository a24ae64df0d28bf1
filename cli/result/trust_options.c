/* Reading weights and masks: matrices of the shape of the input, and lists of numbers. */
#include "result/trust_options.h"
#include "common/try.h"
#include "result/feature_scale.h"

#define AT(field) .at = offsetof(cli_trust, field)
static const char group[] = "Trust";
static const char mask_help[] =
    "a matrix of the same shape as the input that is 0 where an entry was not measured (dropouts, "
    "clouds, bad pixels). If FILE is a sparse matrix, entries that it does not store count as 0";
static const char weights_help[] =
    "a matrix of the same shape as the input with the weight of every entry, for losses l1, "
    "quantile and l2; for l2 use 1 / variance. Entries of weight 0 are unknown";

const cli_option_row cli_trust_rows[] = {
    {group, "row-weights", 0, "FILE", AT(row_weights),
     "file with the weight of each feature (row; with --transpose, column): below 1 for a sensor "
     "that you trust less, 0 for a bad band. The file is a matrix of one row or one column"},
    {group, "column-weights", 0, "FILE", AT(column_weights),
     "file with the weight of each data point (column; with --transpose, row) in the objective "
     "and in the selection; a data point of weight 0 is never selected"},
    {group, "mask", 0, "FILE", AT(mask), mask_help},
    {group, "weights", 0, "FILE", AT(weights), weights_help},
    {0}};
const cli_option_row cli_trust_new_rows[] = {
    {group, "mask", 0, "FILE", AT(mask), mask_help, .cases = CLI_FROM_MATRIX},
    {group, "weights", 0, "FILE", AT(weights), weights_help, .cases = CLI_FROM_MATRIX},
    {0}};

int cli_vector_read(double **numbers, int64_t *count, const cli_session *session,
                    const char *file) {
    cli_input input = {0};
    int code = EXIT_DONE;
    *numbers = NULL;
    if (ch_context_comm(session->context)) /* each would read its own columns only */
        return cli_refuse("%s: weights do not support several processes; run conehull as one "
                          "process",
                          file);
    TRY(cli_input_read(&input, session, file));
    const ch_matrix *M = &input.X;
    int64_t length = M->rows * M->cols;
    if (M->rows != 1 && M->cols != 1)
        code = cli_refuse("%s: the file contains a matrix of %lld x %lld, but weights must be "
                          "numbers in one row or one column",
                          file, (long long)M->rows, (long long)M->cols);
    if (code == EXIT_DONE) {
        *numbers = malloc((size_t)(length + 1) * sizeof **numbers);
        if (!*numbers) code = cli_no_memory();
    }
    for (int64_t k = 0; code == EXIT_DONE && k < length; k++)
        (*numbers)[k] = M->cols == 1 ? ch_matrix_at(M, k, 0) : ch_matrix_at(M, 0, k);
    *count = length;
    cli_input_free(&input, session);
    return code;
}

/* A matrix that stands in its file as the input does. */
static int read_matrix(cli_input *to, const ch_matrix **setting, const char *file,
                       const cli_session *session, const cli_input *input) {
    if (!file) return EXIT_DONE;
    *to = (cli_input){.transpose = input->transpose, .companion = 1};
    TRY(cli_input_read(to, session, file));
    *setting = &to->X;
    const ch_matrix *M = &to->X, *X = &input->X;
    if (M->rows == X->rows && M->cols == X->cols) return EXIT_DONE;
    return cli_refuse(
        "%s: the matrix is %lld x %lld, but %s is %lld x %lld; both must have the same shape", file,
        (long long)M->rows, (long long)M->cols, input->file, (long long)X->rows,
        (long long)X->cols);
}

static int read_list(double **to, const double **setting, int64_t *count, const char *file,
                     const cli_session *session) {
    if (!file) return EXIT_DONE;
    TRY(cli_vector_read(to, count, session, file));
    *setting = *to;
    return EXIT_DONE;
}

static int check_length(const char *file, int64_t count, int64_t wanted, const char *what) {
    if (!file || count == wanted) return EXIT_DONE;
    return cli_refuse(
        "%s: the file has %lld numbers, but the input has %lld %s; give one number for each", file,
        (long long)count, (long long)wanted, what);
}

int cli_trust_read(cli_trust *trust, const cli_session *session, const cli_input *input,
                   ch_anchors_settings *set) {
    if (trust->mask && trust->weights)
        return cli_refuse("%s: --mask and --weights cannot be used together; use --weights alone, "
                          "with weight 0 for unknown entries",
                          session->options.command);
    TRY(read_matrix(&trust->mask_input, &set->observed, trust->mask, session, input));
    TRY(read_matrix(&trust->weights_input, &set->weights, trust->weights, session, input));
    TRY(read_list(&trust->rows, &set->row_weights, &set->row_weight_count, trust->row_weights,
                  session));
    TRY(read_list(&trust->columns, &set->column_weights, &set->column_weight_count,
                  trust->column_weights, session));
    TRY(check_length(trust->row_weights, set->row_weight_count, input->X.rows,
                     input->transpose ? "columns" : "rows"));
    TRY(check_length(trust->column_weights, set->column_weight_count, input->cols,
                     input->transpose ? "rows" : "columns"));
    return cli_scale_apply(trust, session, input, set);
}

void cli_trust_free(cli_trust *trust, const cli_session *session) {
    cli_input_free(&trust->mask_input, session);
    cli_input_free(&trust->weights_input, session);
    free(trust->rows);
    free(trust->columns);
}

json_t *cli_trust_json(const ch_anchors_settings *set) {
    const char *kinds[] = {set->row_weights ? "rows" : NULL, set->column_weights ? "columns" : NULL,
                           set->observed ? "mask" : NULL, set->weights ? "entries" : NULL};
    json_t *list = json_array();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k]) json_array_append_new(list, json_string(kinds[k]));
    if (json_array_size(list) > 0) return list;
    json_decref(list);
    return NULL;
}
