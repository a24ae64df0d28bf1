/* Relative residuals of columns (column_residuals.h). */
#include "result/column_residuals.h"
#include "common/try.h"
#include "result/feature_scale.h"
#include <math.h>

/* Products of a sample: about a tenth of a second. */
static const double WORK = 1 << 27;
enum { SAMPLE = 4096, NAMED = 10 };
/* A new column fits badly if its residual is FAR times the largest of the run, because the largest
 * of a sample is itself uncertain, and at least LEAST, because less is no concern to anybody. */
static const double FAR = 2, LEAST = 0.05;

typedef struct fit {
    const ch_matrix *X;
    const ch_anchors_settings *set;
    const double *W;
    int64_t rank;
    double *x, *y; /* a column and its fit */
} fit;

static void gather(const fit *of, int64_t j) {
    const ch_matrix *X = of->X;
    if (X->layout != CH_CSC) {
        for (int64_t i = 0; i < X->rows; i++) of->x[i] = ch_matrix_at(X, i, j);
        return;
    }
    memset(of->x, 0, (size_t)X->rows * sizeof *of->x);
    for (int64_t e = X->column_start[j]; e < X->column_start[j + 1]; e++)
        of->x[X->row_index[e]] = cli_stored_value(X, e);
}

static double residual(const fit *of, int64_t j, const double *h) {
    int64_t rows = of->X->rows;
    double left = 0, size = 0;
    gather(of, j);
    memset(of->y, 0, (size_t)rows * sizeof *of->y);
    for (int64_t k = 0; k < of->rank; k++)
        for (int64_t i = 0; i < rows && h[k] != 0; i++) of->y[i] += of->W[i + k * rows] * h[k];
    for (int64_t i = 0; i < rows; i++) {
        double w = cli_row_factor(of->set, i), x = of->x[i];
        if (cli_is_unknown(of->set, i, j, x)) continue;
        if (x < 0) x = 0; /* --negative clip */
        left += w * fabs(x - of->y[i]);
        size += w * x;
    }
    return size > 0 ? left / size : left > 0 ? INFINITY : 0;
}

static int begin(fit *of, const cli_input *input, const ch_anchors_settings *set, const double *W,
                 int64_t rank) {
    size_t bytes = ((size_t)input->X.rows + 1) * sizeof(double);
    *of = (fit){&input->X, set, W, rank, malloc(bytes), malloc(bytes)};
    return of->x && of->y;
}

static void end(fit *of) {
    free(of->x);
    free(of->y);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Every step-th column of all processes is measured, so that the sample has at most SAMPLE columns
 * and costs about WORK products. */
static int64_t sample_step(const cli_input *input, int64_t rank) {
    double each = (double)input->X.rows * (double)(rank + 1);
    int64_t most = each * SAMPLE > WORK ? (int64_t)(WORK / each) + 1 : SAMPLE;
    return (input->cols + most - 1) / most;
}

/* Moves the shares of the sample, which are not NaN, to the front and summarises them. */
static json_t *summarise(double *shares, int64_t cols) {
    int64_t count = 0;
    for (int64_t j = 0; j < cols; j++)
        if (!isnan(shares[j])) shares[count++] = shares[j];
    if (count == 0) return NULL;
    qsort(shares, (size_t)count, sizeof *shares, by_size);
    return cli_json_pack("columns:i median:r largest:r", count, shares[count / 2],
                         shares[count - 1]);
}

/* Replaces *shares, those of the columns of this process, by those of all columns in process 0.
 * Collective. */
static int collect(const cli_session *session, double **shares, const cli_input *input) {
    if (!ch_context_comm(session->context)) return EXIT_DONE;
    double *all = malloc(((size_t)input->cols + 1) * sizeof *all);
    int64_t failed = !all || !*shares;
    ch_status status = ch_comm_count(session->context, &failed);
    if (status == CH_OK && failed == 0)
        status = ch_project_collect(session->context, all, *shares, 1, input->X.cols);
    free(*shares);
    *shares = all;
    TRY(cli_check(session, status));
    return failed ? cli_no_memory() : EXIT_DONE;
}

int cli_residuals_sample(json_t **json, const cli_session *session, const cli_input *input,
                         const ch_anchors_settings *set, const ch_anchors_result *result) {
    const ch_matrix *X = &input->X;
    fit of = {0};
    *json = NULL;
    if (result->status < 0 || !result->H || !result->W || input->cols == 0) return EXIT_DONE;
    double *shares = malloc(((size_t)X->cols + 1) * sizeof *shares);
    int64_t step = sample_step(input, result->rank);
    int ready = begin(&of, input, set, result->W, result->rank) && shares;
    for (int64_t j = 0; ready && j < X->cols; j++)
        shares[j] =
            (X->first + j) % step == 0 ? residual(&of, j, result->H + j * result->rank) : NAN;
    end(&of);
    if (!ready) {
        free(shares);
        shares = NULL;
    }
    int code = collect(session, &shares, input);
    if (code == EXIT_DONE && !shares) code = cli_no_memory();
    if (code == EXIT_DONE && cli_is_first(session)) *json = summarise(shares, input->cols);
    free(shares);
    return code;
}

/* Writes "2 of 30 rows fit badly ...: name (0.4), ...". */
static char *describe(const cli_residuals *all, const cli_input *input, double largest) {
    char *text = NULL;
    size_t length = 0;
    int64_t worst[NAMED];
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    int shown = cli_largest_rows(worst, NAMED, all->share, all->count);
    fprintf(to,
            "%lld of %lld %ss %s badly: relative residual above %.2g (the limit is %g times the "
            "largest of the run that found the anchors, %.2g, but at least %g); %s: ",
            (long long)all->badly, (long long)all->count, cli_input_point(input),
            all->badly == 1 ? "fits" : "fit", all->limit, FAR, largest, LEAST,
            all->badly > NAMED ? "the worst"
            : all->badly == 1  ? "it is"
                               : "they are");
    for (int k = 0; k < shown && k < all->badly; k++) {
        const char *name = cli_column_name(&input->names, worst[k]);
        fprintf(to, "%s%s %lld%s%s%s (%.2g)", k ? ", " : "", cli_input_point(input),
                (long long)worst[k], name ? " \"" : "", name ? name : "", name ? "\"" : "",
                all->share[worst[k]]);
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

int cli_residuals_make(cli_residuals *all, const cli_session *session, const cli_input *input,
                       const ch_anchors_settings *set, const double *W, const double *H,
                       int64_t rank, const json_t *run) {
    const json_t *known = json_object_get(json_object_get(run, "residuals"), "largest");
    double largest = json_is_number(known) ? json_number_value(known) : NAN;
    fit of = {0};
    *all = (cli_residuals){.count = input->cols};
    all->share = malloc(((size_t)input->X.cols + 1) * sizeof *all->share);
    int ready = begin(&of, input, set, W, rank) && all->share;
    for (int64_t j = 0; ready && j < input->X.cols; j++)
        all->share[j] = residual(&of, j, H + j * rank);
    end(&of);
    if (!ready) {
        free(all->share);
        all->share = NULL;
    }
    int code = collect(session, &all->share, input);
    if (code != EXIT_DONE || !all->share) return code == EXIT_DONE ? cli_no_memory() : code;
    if (!cli_is_first(session)) return EXIT_DONE;
    if (isnan(largest)) return EXIT_DONE; /* a folder without weights, or of an earlier version */
    all->limit = fmax(FAR * largest, LEAST);
    for (int64_t j = 0; j < all->count; j++) all->badly += all->share[j] > all->limit;
    if (all->badly > 0) all->sentence = describe(all, input, largest);
    return EXIT_DONE;
}

typedef struct table {
    const cli_residuals *all;
    const cli_input *input;
} table;

static void write_table(FILE *to, const void *user) {
    const table *of = user;
    fprintf(to, "%s,name,relative_residual,badly\n", cli_input_point(of->input));
    for (int64_t j = 0; j < of->all->count; j++) {
        const char *name = cli_column_name(&of->input->names, j);
        fprintf(to, "%lld,", (long long)j);
        if (name) cli_put_field(to, name);
        fprintf(to, ",%.6g,", of->all->share[j]);
        fputs(of->all->limit > 0 ? of->all->share[j] > of->all->limit ? "1\n" : "0\n" : "\n", to);
    }
}

int cli_residuals_write(cli_folder *folder, const cli_residuals *all, const cli_input *input) {
    const table of = {all, input};
    return all->share ? cli_folder_write(folder, "residuals.csv", write_table, &of) : EXIT_DONE;
}

void cli_residuals_free(cli_residuals *all) {
    free(all->share);
    free(all->sentence);
}
