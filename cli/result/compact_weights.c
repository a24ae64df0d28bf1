/* H as its weights that are not zero. */
#include "result/compact_weights.h"
#include "common/try.h"
#include "options/option_values.h"
#include <float.h>
#include <math.h>

#define AT(field) .at = offsetof(cli_weights, field)
const cli_option_row cli_weights_rows[] = {
    {"Options", "h-precision", 0, "double|single", AT(precision),
     "precision of the stored weights H. single: 4 bytes per weight instead of 8, which halves the "
     "memory for H; the result reports the rounding error (default double)"},
    {"Expert options", "h-format", 0, "dense|sparse|auto", AT(format),
     "format of the stored weights. dense: H.npy. sparse: H.npz instead, which "
     "scipy.sparse.load_npz reads (CSC). auto: sparse if more than half of the weights are zero "
     "(default dense)"},
    {0}};

/* The place of the word in list, NULL at its end; the first where none is given; -1: none. */
static int word_of(const char *given, const char *const *list) {
    if (!given) return 0;
    for (int k = 0; list[k]; k++)
        if (strcmp(given, list[k]) == 0) return k;
    return -1;
}

int cli_weights_used(const cli_weights *weights) {
    return weights->single || weights->sparse || weights->automatic;
}

int cli_weights_check(cli_weights *weights, const cli_session *session, const char *folder) {
    static const char *const precisions[] = {"double", "single", NULL};
    static const char *const formats[] = {"dense", "sparse", "auto", NULL};
    int precision = word_of(weights->precision, precisions);
    int format = word_of(weights->format, formats);
    if (precision < 0)
        return cli_refuse("anchors: --h-precision must be one of double, single; got '%s'",
                          weights->precision);
    if (format < 0)
        return cli_refuse("anchors: --h-format must be one of dense, sparse, auto; got '%s'",
                          weights->format);
    weights->single = precision == 1;
    weights->sparse = format == 1;
    weights->automatic = format == 2;
    if (!cli_weights_used(weights)) return EXIT_DONE;
    const char *option = weights->single ? "--h-precision" : "--h-format";
    if (!folder)
        return cli_wrong_use(
            session, "%s says how H is stored, so it needs a folder for the results; give -o DIR",
            option);
    if (ch_context_comm(session->context))
        return cli_refuse("anchors: %s does not support several processes; run it as one process",
                          option);
    return EXIT_DONE;
}

/* ---- taking ---- */

static int grow(cli_weights *w, int64_t entries, int64_t columns) {
    size_t size = w->single ? sizeof(float) : sizeof(double);
    if (w->count + entries > w->space) {
        int64_t space = w->count + entries + w->space / 2 + 1024;
        int32_t *row = realloc(w->row, (size_t)space * sizeof *row);
        if (row) w->row = row;
        void *value = realloc(w->value, (size_t)space * size);
        if (value) w->value = value;
        if (!row || !value) return 0;
        w->space = space;
    }
    if (w->cols + columns + 1 > w->column_space) {
        int64_t space = w->cols + columns + 1 + w->column_space / 2;
        int64_t *start = realloc(w->start, (size_t)space * sizeof *start);
        if (!start) return 0;
        w->start = start;
        w->column_space = space;
    }
    return 1;
}

/* Keeps weight h of anchor k, and returns by how much rounding has moved it. */
static double keep(cli_weights *w, int32_t k, double h) {
    double rounded = w->single ? (double)(float)h : h;
    if (rounded == 0) return h;
    w->row[w->count] = k;
    if (w->single)
        ((float *)w->value)[w->count++] = (float)h;
    else
        ((double *)w->value)[w->count++] = h;
    return fabs(h - rounded);
}

static void keep_column(cli_weights *w, const double *h) {
    double moved = 0, all = 0;
    for (int32_t k = 0; k < w->rank; k++) {
        if (h[k] == 0) continue;
        double length = w->length ? w->length[k] : 0;
        moved += length * keep(w, k, h[k]);
        all += length * h[k];
        if (w->single && h[k] > FLT_MAX) w->failed = EXIT_USAGE;
    }
    if (moved > 0) w->rounding = fmax(w->rounding, moved / all);
    w->start[++w->cols] = w->count;
}

static int take(void *user, const double *H, int64_t first, int64_t count) {
    cli_weights *w = user;
    if (first != w->cols || !grow(w, w->rank * count, count)) w->failed = EXIT_MEMORY;
    if (w->failed) return 1;
    w->start[0] = 0;
    for (int64_t j = 0; j < count && !w->failed; j++) keep_column(w, H + j * w->rank);
    return w->failed != 0;
}

void cli_weights_take(cli_weights *weights, ch_anchors_settings *settings) {
    if (!cli_weights_used(weights)) return;
    settings->take_weights = take;
    settings->take_weights_user = weights;
}

void cli_weights_measure(cli_weights *w, const ch_anchors_result *found,
                         const ch_anchors_settings *settings) {
    if (!cli_weights_used(w)) return;
    w->rank = found->rank;
    w->degree = settings->loss == CH_LOSS_L1 || settings->loss == CH_LOSS_QUANTILE ? 1
                : settings->loss == CH_LOSS_L2                                     ? 2
                                                                                   : 0;
    w->length = calloc((size_t)found->rank + 1, sizeof *w->length);
    if (!w->length) w->failed = EXIT_MEMORY;
    for (int64_t k = 0; w->length && k < found->rank; k++) {
        for (int64_t i = 0; i < found->rows; i++) {
            double x = found->W[i + k * found->rows];
            w->length[k] += w->degree == 2 ? x * x : x;
        }
        if (w->degree == 2) w->length[k] = sqrt(w->length[k]);
    }
}

/* ---- what became of it ---- */

static int is_sparse(const cli_weights *w) {
    return w->sparse ||
           (w->automatic && (double)w->count < 0.5 * (double)w->rank * (double)w->cols);
}

int cli_weights_are_whole(const cli_weights *w, const ch_anchors_result *result) {
    return result->cols > 0 && w->cols == result->cols;
}

void cli_weights_column(const cli_weights *w, double *h, int64_t j) {
    memset(h, 0, (size_t)w->rank * sizeof *h);
    for (int64_t e = w->start[j]; e < w->start[j + 1]; e++)
        h[w->row[e]] = w->single ? (double)((float *)w->value)[e] : ((double *)w->value)[e];
}

int cli_weights_status(const cli_weights *w) {
    if (w->failed == EXIT_MEMORY) return cli_no_memory();
    if (w->failed == 0) return EXIT_DONE;
    return cli_refuse(
        "anchors: --h-precision single cannot be used, because a weight is above 3.4e38, the "
        "largest number of single precision; scale the data, or use double");
}

int cli_weights_write(cli_folder *folder, const cli_weights *w) {
    ch_context *context = folder->session->context;
    ch_matrix H;
    char *path;
    TRY(cli_folder_begin(folder, &path, is_sparse(w) ? "H.npz" : "H.npy"));
    ch_status status = ch_matrix_borrow(context, &H,
                                        &(ch_matrix){.rows = w->rank,
                                                     .cols = w->cols,
                                                     .layout = CH_CSC,
                                                     .type = w->single ? CH_F32 : CH_F64,
                                                     .values = w->value,
                                                     .column_start = w->start,
                                                     .row_index = w->row});
    if (status >= 0) status = ch_matrix_write(context, path, &H);
    return cli_folder_end(folder, path, status);
}

/* The gap of the rounded H, relative to the norm of a column. l1: |W h|_1 <= |x|_1 + |x - W h|_1 <=
 * 2 |x|_1. l2: |W h|_2 <= |x|_2, and of anchors that are not negative sum_k h_k |w_k|_2 <=
 * sqrt(rank) |W h|_2; |r + e|^2 - |r|^2 <= (2 e + e^2) |x|^2 for |e|_2 <= e |x|_2. */
static double gap_of(const cli_weights *w, double gap) {
    double moved = w->rounding * (w->degree == 2 ? sqrt((double)w->rank) : 2);
    if (w->degree == 0) return w->rounding == 0 ? gap : NAN;
    return gap + (w->degree == 2 ? 2 * moved + moved * moved : moved);
}

json_t *cli_weights_add(json_t *json, const cli_weights *w, const ch_anchors_result *result) {
    if (!cli_weights_used(w) || !cli_weights_are_whole(w, result)) return json;
    return cli_json_merge(json,
                          cli_json_pack("h:{file:s type:s format:s nonzeros:i rounding:r gap:r}",
                                        is_sparse(w) ? "H.npz" : "H.npy", w->single ? "f32" : "f64",
                                        is_sparse(w) ? "csc" : "dense", w->count, w->rounding,
                                        gap_of(w, result->certificate.gap)));
}

int cli_weights_again(json_t **h, int single, int sparse, const ch_anchors_result *result,
                      const ch_anchors_settings *settings) {
    cli_weights w = {.single = single, .sparse = sparse, .automatic = !single && !sparse};
    json_t *json = NULL;
    cli_weights_measure(&w, result, settings);
    if (!w.failed) take(&w, result->H, 0, result->cols);
    int code = cli_weights_status(&w);
    if (code == EXIT_DONE) json = cli_weights_add(json_object(), &w, result);
    *h = json_incref(json_object_get(json, "h"));
    json_decref(json);
    cli_weights_free(&w);
    return code == EXIT_DONE && !*h ? cli_no_memory() : code;
}

void cli_weights_print(const cli_weights *w, const ch_anchors_result *result) {
    if (!cli_weights_used(w) || w->cols == 0 || !cli_weights_are_whole(w, result)) return;
    printf("H in %s precision, %.3g %% of it zero", w->single ? "single" : "double",
           100 - 100 * (double)w->count / ((double)w->rank * (double)w->cols));
    if (w->single) printf("; rounding changes W h by a share of at most %.2g", w->rounding);
    putchar('\n');
}

void cli_weights_free(cli_weights *w) {
    free(w->start);
    free(w->row);
    free(w->value);
    free(w->length);
}
