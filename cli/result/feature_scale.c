/* Sums and maxima of features, row weights made from them, and a warning. */
#include "result/feature_scale.h"
#include "common/try.h"
#include <math.h>

static const double NEARLY_ALL = 0.9, LOST = 0.01, MOST = 0.75, APART = 10, HALF = 0.5;
/* Maximum number of entries that are examined for the warning, and of features that it names. */
enum { LOOKED_AT = 1 << 26, NAMED = 3, FEW = 20 };

const cli_option_row cli_scale_rows[] = {
    {"Options", "scale", 0, "none|max|mean", .at = offsetof(cli_input, scale),
     "for features in different units, such as calories and grams. max, mean: in the loss, each "
     "feature (row; with --transpose, column) is divided by its maximum or by its mean, so that "
     "all features count. W and all files stay in the units of INPUT. none (default): features "
     "with large values dominate the loss",
     .words = "none|max|mean"},
    {0}};

/* ---- features ---- */

/* Returns what a feature is in the file: "row" or "column". */
static const char *feature_word(const cli_input *input) {
    return input->transpose ? "column" : "row";
}

/* Statistics per row, over the known entries of the examined columns. */
typedef struct features {
    double *sum, *most;
    int64_t *unknown, *positive;
    int64_t columns;
} features;

static int reserve(features *of, int64_t rows) {
    of->sum = calloc((size_t)rows + 1, sizeof *of->sum);
    of->most = calloc((size_t)rows + 1, sizeof *of->most);
    of->unknown = calloc((size_t)rows + 1, sizeof *of->unknown);
    of->positive = calloc((size_t)rows + 1, sizeof *of->positive);
    return of->sum && of->most && of->unknown && of->positive;
}

static void release(features *of) {
    free(of->sum);
    free(of->most);
    free(of->unknown);
    free(of->positive);
}

int cli_is_unknown(const ch_anchors_settings *set, int64_t i, int64_t j, double value) {
    return isnan(value) || (set->observed && ch_matrix_at(set->observed, i, j) == 0) ||
           (set->weights && ch_matrix_at(set->weights, i, j) == 0);
}

static void add(features *of, const ch_anchors_settings *set, int64_t i, int64_t j, double value) {
    if (cli_is_unknown(set, i, j, value)) {
        of->unknown[i]++;
    } else if (value > 0) {
        of->positive[i]++;
        of->sum[i] += value;
        of->most[i] = fmax(of->most[i], value);
    }
}

/* Examines every step-th column, in the order in which the values are stored. */
static void look(features *of, const ch_matrix *X, const ch_anchors_settings *set, int64_t step) {
    of->columns = (X->cols + step - 1) / step;
    if (X->layout == CH_CSC && (set->observed || set->weights)) /* absent entries may be unknown */
        for (int64_t j = 0; j < X->cols; j += step)
            for (int64_t i = 0; i < X->rows; i++) add(of, set, i, j, ch_matrix_at(X, i, j));
    else if (X->layout == CH_CSC)
        for (int64_t j = 0; j < X->cols; j += step)
            for (int64_t e = X->column_start[j]; e < X->column_start[j + 1]; e++)
                add(of, set, X->row_index[e], j, cli_stored_value(X, e));
    else if (X->layout == CH_ROW_MAJOR)
        for (int64_t i = 0; i < X->rows; i++)
            for (int64_t j = 0; j < X->cols; j += step)
                add(of, set, i, j, cli_stored_value(X, i * X->stride + j));
    else
        for (int64_t j = 0; j < X->cols; j += step)
            for (int64_t i = 0; i < X->rows; i++)
                add(of, set, i, j, cli_stored_value(X, i + j * X->stride));
}

/* ---- weights ---- */

/* Returns q such that loss(c x, c y) = c^q loss(x, y), or 0 if there is no such q. */
static double degree_of(const ch_anchors_settings *set) {
    switch (set->loss) {
    case CH_LOSS_L1:
    case CH_LOSS_QUANTILE:
    case CH_LOSS_KL:
        return 1;
    case CH_LOSS_L2:
        return 2;
    case CH_LOSS_BETA:
        return fmax(set->beta, 0);
    default:
        return 0;
    }
}

double cli_row_factor(const ch_anchors_settings *set, int64_t i) {
    double degree = degree_of(set);
    if (!set->row_weights) return 1;
    return degree > 0 ? pow(set->row_weights[i], 1 / degree) : set->row_weights[i];
}

/* Returns the weight of feature i; a feature that is zero everywhere gets 1, because its weight has
 * no effect. */
static double weight_of(const features *of, int64_t i, int by_mean, double degree) {
    int64_t known = of->columns - of->unknown[i];
    double unit = by_mean && known > 0 ? of->sum[i] / (double)known : of->most[i];
    double factor = unit > 0 ? 1 / unit : 1;
    return degree == 1 ? factor : degree == 2 ? factor * factor : pow(factor, degree);
}

const ch_anchors_settings *cli_scaled(const cli_input *input, const ch_anchors_settings *set) {
    return input->scale && strcmp(input->scale, "none") != 0 && set->row_weights ? set : NULL;
}

int cli_scale_apply(cli_trust *trust, const cli_session *session, const cli_input *input,
                    ch_anchors_settings *set) {
    const char *scale = input->scale;
    const ch_matrix *X = &input->X;
    double degree = degree_of(set);
    int by_mean = scale && strcmp(scale, "mean") == 0;
    features of = {0};
    if (!scale || strcmp(scale, "none") == 0) return EXIT_DONE;
    if (!by_mean && strcmp(scale, "max") != 0)
        return cli_wrong_use(session, "--scale must be none, max or mean; got '%s'", scale);
    if (degree == 0)
        return cli_wrong_use(session,
                             "--scale cannot be used with this loss, in which the units of "
                             "features do not matter or cannot be changed");
    if (input->cols != X->cols)
        return cli_wrong_use(session, "--scale does not support several processes");
    int given = trust->rows != NULL;
    if (!given) trust->rows = malloc(((size_t)X->rows + 1) * sizeof *trust->rows);
    int fine = trust->rows && reserve(&of, X->rows);
    if (fine) look(&of, X, set, 1);
    for (int64_t i = 0; fine && i < X->rows; i++)
        trust->rows[i] = (given ? trust->rows[i] : 1) * weight_of(&of, i, by_mean, degree);
    release(&of);
    if (!fine) return cli_no_memory();
    set->row_weights = trust->rows;
    set->row_weight_count = X->rows;
    return EXIT_DONE;
}

/* ---- warning ---- */

typedef struct feature {
    double sum;
    int64_t row;
    int common; /* 1: not zero in at least half of the data points */
} feature;

static int by_sum(const void *left, const void *right) {
    const feature *a = left, *b = right;
    if (a->sum != b->sum) return a->sum < b->sum ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

/* A group of features in a list that is sorted by decreasing sums. */
typedef struct group {
    int64_t count;
    double sum;
    int64_t named[NAMED]; /* the first features */
} group;

static void join(group *of, const feature *one) {
    if (of->count < NAMED) of->named[of->count] = one->row;
    of->count++;
    of->sum += one->sum;
}

/* Writes " (area; perimeter; radius; ...)". */
static void name_features(FILE *to, const group *of, const cli_input *input) {
    for (int64_t k = 0; k < of->count && k < NAMED; k++) {
        const char *name = cli_row_name(&input->names, of->named[k]);
        fputs(k ? "; " : " (", to);
        if (name)
            fputs(name, to);
        else
            fprintf(to, "%lld", (long long)of->named[k]);
    }
    fputs(of->count > NAMED ? "; ...)" : ")", to);
}

/* Writes "3 of 30 columns (area; perimeter; radius) hold 91 % of the sum of all values, so the fit
 * hardly depends on". */
static void name_large(FILE *to, const group *of, const cli_input *input, int64_t used,
                       double all) {
    fprintf(to, "%lld of %lld %ss", (long long)of->count, (long long)used, feature_word(input));
    name_features(to, of, input);
    fprintf(to, " hold%s %.3g %% of the sum of all values, so the fit hardly depends on",
            of->count == 1 ? "s" : "", 100 * of->sum / all);
}

/* Returns the number of large features in a table of less than FEW features, if they are at most
 * half of them, hold MOST of the sum, and each is APART times the median of the others; else 0.
 * Then an error of 1 % of a large feature counts as much as 10 % of the typical other one. Tables
 * of more features, such as spectra and counts of words, often have such large features in one
 * unit. */
static int64_t count_apart(const feature *sorted, int64_t used, double all) {
    double sum = 0;
    for (int64_t k = 1; used < FEW && 2 * k <= used; k++) {
        sum += sorted[k - 1].sum;
        double median = sorted[k + (used - k) / 2].sum;
        if (sum >= MOST * all && sorted[k - 1].sum >= APART * median) return k;
    }
    return 0;
}

static char *sentence(const cli_input *input, const feature *sorted, int64_t used) {
    int64_t tenth = used / 10 > 1 ? used / 10 : 1;
    group large = {0}, lost = {0}, half = {0};
    double all = 0;
    char *text = NULL;
    size_t length = 0;
    for (int64_t k = 0; k < used; k++) all += sorted[k].sum;
    int64_t apart = count_apart(sorted, used, all), first = apart > tenth ? apart : tenth;
    for (int64_t k = 0; k < used; k++) {
        if (k < first) join(&large, &sorted[k]);
        if (half.sum < HALF * all) join(&half, &sorted[k]);
        if (sorted[k].common && sorted[k].sum * (double)used < LOST * all) join(&lost, &sorted[k]);
    }
    int few = apart > 0 || large.sum >= NEARLY_ALL * all, ignored = lost.count >= tenth;
    if (used < 3 || all > 0x1p500 /* the run refuses it */ || !(few || ignored)) return NULL;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    name_large(to, ignored ? &half : &large, input, used, all);
    if (ignored) {
        fprintf(to, " %lld other%s", (long long)lost.count, lost.count == 1 ? "" : "s");
        name_features(to, &lost, input);
        fprintf(to, ", which hold%s %.2g %%", lost.count == 1 ? "s" : "", 100 * lost.sum / all);
    } else {
        fputs(" the others", to);
    }
    fprintf(to, "; if %ss have different units, ", feature_word(input));
    fputs("--scale max or --scale mean makes all of them count", to);
    return fclose(to) == 0 ? text : NULL;
}

char *cli_scale_warning(const cli_session *session, const cli_input *input,
                        const ch_anchors_settings *set) {
    const ch_matrix *X = &input->X;
    int measured = X->type == CH_F64 || X->type == CH_F32;
    if (ch_context_comm(session->context) || set->row_weights || degree_of(set) == 0 || !measured ||
        X->layout == CH_CSC || X->rows == 0 || X->cols == 0)
        return NULL;
    features of = {0};
    int64_t most = LOOKED_AT / X->rows, used = 0;
    feature *sorted = malloc((size_t)X->rows * sizeof *sorted);
    char *text = NULL;
    if (sorted && reserve(&of, X->rows)) {
        look(&of, X, set, most < 1 ? X->cols : (X->cols + most - 1) / most);
        for (int64_t i = 0; i < X->rows; i++)
            if (of.sum[i] > 0)
                sorted[used++] = (feature){of.sum[i], i, 2 * of.positive[i] >= of.columns};
        qsort(sorted, (size_t)used, sizeof *sorted, by_sum);
        text = sentence(input, sorted, used);
    }
    release(&of);
    free(sorted);
    return text;
}
