/* Which exemplar represents a column, and how similar the two are: members.csv, and lists in the
 * JSON and on the page if there are few columns. */
#include "exemplars/exemplars_command.h"
#include <math.h>

enum { LISTED = 5000 }; /* columns whose members are in the JSON and on the page */

/* ---- similarities ---- */

/* <x_a, x_b>, by merging two sorted lists. */
static double sparse_product(const ch_matrix *X, int64_t a, int64_t b) {
    const int32_t *row = X->row_index;
    int64_t i = X->column_start[a], j = X->column_start[b];
    double sum = 0;
    while (i < X->column_start[a + 1] && j < X->column_start[b + 1]) {
        if (row[i] == row[j])
            sum += cli_stored_value(X, i++) * cli_stored_value(X, j++);
        else if (row[i] < row[j])
            i++;
        else
            j++;
    }
    return sum;
}

static double product(const ch_matrix *X, int64_t a, int64_t b) {
    int by_row = X->layout == CH_ROW_MAJOR;
    int64_t down = by_row ? X->stride : 1, across = by_row ? 1 : X->stride;
    double sum = 0;
    if (X->layout == CH_CSC) return sparse_product(X, a, b);
    for (int64_t i = 0; i < X->rows; i++)
        sum +=
            cli_stored_value(X, i * down + a * across) * cli_stored_value(X, i * down + b * across);
    return sum;
}

/* The cosine does not depend on the scale of columns. */
static void measure(exemplars_result *result, const ch_matrix *X) {
    const ch_exemplars *found = &result->found;
    for (int64_t k = 0; k < found->rank; k++) {
        int64_t own = found->columns[k], others = 0;
        double sum = 0, length = sqrt(product(X, own, own));
        for (int64_t j = 0; j < found->cols; j++) {
            if (found->stand_in[j] != k) continue;
            double other = sqrt(product(X, j, j));
            result->similarity[j] = j == own ? 1 : fmin(1, product(X, j, own) / (length * other));
            others += j != own;
            sum += j != own ? result->similarity[j] : 0;
        }
        result->mean[k] = others ? sum / (double)others : NAN;
    }
}

static int compare_reals(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Returns the median of the means that are known; NaN if there are fewer than three. */
static double median_of_means(const exemplars_result *result) {
    double *sorted = calloc((size_t)result->found.rank + 1, sizeof *sorted), median = NAN;
    int64_t known = 0;
    for (int64_t k = 0; sorted && k < result->found.rank; k++)
        if (!isnan(result->mean[k])) sorted[known++] = result->mean[k];
    if (sorted) qsort(sorted, (size_t)known, sizeof *sorted, compare_reals);
    if (sorted && known > 2) median = sorted[known / 2];
    free(sorted);
    return median;
}

/* Such an exemplar is odd: it represents columns that resemble none. Exemplars that explain columns
 * together need not be similar to them. */
static void warn_of_weak(const exemplars_run *run, const exemplars_result *result) {
    enum { NAMED = 3 };
    static const double PART = 0.6; /* of the median */
    char list[400] = "";
    long long weak = 0;
    double median = median_of_means(result);
    if (run->session->common.quiet || !ch_exemplars_stand_alone(result->method)) return;
    for (int64_t k = 0; k < result->found.rank; k++) {
        size_t used = strlen(list);
        if (!(result->mean[k] < PART * median)) continue;
        if (weak++ < NAMED)
            snprintf(list + used, sizeof list - used, "%s%lld (%.2f)", used ? ", " : "",
                     (long long)k + 1, result->mean[k]);
    }
    if (weak == 1)
        cli_complain("warning: %s: exemplar %s is much less similar to the %ss that it represents "
                     "than other exemplars are (mean cosine; the median of all exemplars is "
                     "%.2f); look whether this exemplar is typical",
                     ch_exemplars_method_at(result->method)->name, list, exemplars_noun(&run->data),
                     median);
    else if (weak > 1)
        cli_complain("warning: %s: exemplars %s%s are much less similar to the %ss that they "
                     "represent than other exemplars are (mean cosine; the median of all "
                     "exemplars is %.2f); look whether these exemplars are typical",
                     ch_exemplars_method_at(result->method)->name, list,
                     weak > NAMED ? ", ..." : "", exemplars_noun(&run->data), median);
}

int exemplars_members_measure(const exemplars_run *run, exemplars_result *result) {
    ch_exemplars_settings set = run->given->settings;
    ch_matrix weighted = {0};
    set.method = result->method;
    ch_weighting weight = ch_exemplars_weighting(&set, &run->data.X);
    weight.columns = CH_COLUMN_AS_IS;
    result->similarity = malloc(((size_t)result->found.cols + 1) * sizeof *result->similarity);
    result->mean = malloc(((size_t)result->found.rank + 1) * sizeof *result->mean);
    if (!result->similarity || !result->mean) return cli_no_memory();
    for (int64_t j = 0; j < result->found.cols; j++) result->similarity[j] = NAN;
    if (weight.values != CH_VALUE_RAW)
        TRY(cli_check(run->session, ch_weighting_apply(run->session->context, &weighted,
                                                       &run->data.X, NULL, &weight)));
    measure(result, weighted.values ? &weighted : &run->data.X);
    ch_matrix_free(run->session->context, &weighted);
    warn_of_weak(run, result);
    return EXIT_DONE;
}

/* ---- the table ---- */

static void put_column(FILE *to, const exemplars_data *data, int64_t column) {
    if (data->names.count && *data->names.text[column])
        cli_put_field(to, data->names.text[column]);
    else
        fprintf(to, "%lld", (long long)exemplars_number(data, column));
}

void exemplars_members_write(FILE *to, const void *user) {
    const exemplars_members *of = user;
    const ch_exemplars *found = &of->result->found;
    fprintf(to, "%s,exemplar,similarity\n", exemplars_noun(of->data));
    for (int64_t j = 0; j < found->cols; j++) {
        int64_t k = found->stand_in[j];
        put_column(to, of->data, j);
        fputc(',', to);
        if (k >= 0) put_column(to, of->data, found->columns[k]);
        fputc(',', to);
        if (k >= 0) fprintf(to, "%.4f", of->result->similarity[j]);
        fputc('\n', to);
    }
}

/* ---- JSON ---- */

typedef struct member {
    double similarity;
    int64_t column;
} member;

static int by_similarity(const void *left, const void *right) {
    const member *a = left, *b = right;
    if (a->similarity != b->similarity) return a->similarity < b->similarity ? 1 : -1;
    return (a->column > b->column) - (a->column < b->column);
}

static json_t *group_json(const exemplars_data *data, const member *list, int64_t count) {
    json_t *columns = json_array(), *names = json_array(), *similarity = json_array();
    for (int64_t m = 0; m < count; m++) {
        columns = cli_json_append(columns, json_integer(list[m].column));
        similarity = cli_json_append(similarity, cli_json_real(list[m].similarity));
        if (data->names.count)
            names =
                cli_json_append(names, json_string(cli_plain(data->names.text[list[m].column])));
    }
    json_t *group = cli_json_pack("columns:o similarity:o", columns, similarity);
    if (data->names.count) return cli_json_merge(group, cli_json_pack("names:o", names));
    json_decref(names);
    return group;
}

json_t *exemplars_members_json(const exemplars_data *data, const exemplars_result *result) {
    const ch_exemplars *found = &result->found;
    if (found->cols > LISTED || !result->similarity) return NULL;
    member *list = malloc(((size_t)found->cols + 1) * sizeof *list);
    json_t *all = list ? json_array() : NULL;
    for (int64_t k = 0; all && k < found->rank; k++) {
        int64_t count = 0;
        for (int64_t j = 0; j < found->cols; j++)
            if (found->stand_in[j] == k) list[count++] = (member){result->similarity[j], j};
        qsort(list, (size_t)count, sizeof *list, by_similarity);
        all = cli_json_append(all, group_json(data, list, count));
    }
    free(list);
    return all;
}
