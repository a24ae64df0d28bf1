/* anchors.html: pictures and reduced data, so that the page has at most a few megabytes for data of
 * any size. If there are more than COLUMNS columns, every step-th is shown and measured. */
#include "anchors/anchors_command.h"
#include "common/try.h"
#include "report_pages.h"
#include "result/feature_scale.h"
#include "result/result_json.h"
#include <conehull/picture.h>
#include <math.h>

enum {
    COLUMNS = 20000,       /* maximum number of columns that are shown and measured */
    SHOWN_BYTES = 1 << 20, /* maximum size of the shares for the script */
    WIDE = 1200,           /* width of the picture in pixels */
    LINE = 14              /* height of an anchor in the picture, in pixels */
};

struct anchors_page {
    const cli_session *session;
    const json_t *json;
    char *command;
    report_weights view;
    double *h;              /* rank: weights of the current column   */
    double *column, *model; /* rows: x and W h of the current column */
    double *sums;           /* rank: |w_k|_1                         */
    double *factor;         /* rows: factor of each row in the loss  */
    double *residual;
    int64_t *largest;
    uint8_t *shares;
    uint8_t *picture;
};

/* ---- one column ---- */

static void take_weights(anchors_page *page, const anchors_arguments *given,
                         const ch_anchors_result *result, int64_t j) {
    if (result->H)
        memcpy(page->h, result->H + j * result->rank, (size_t)result->rank * sizeof *page->h);
    else
        cli_weights_column(&given->weights, page->h, j);
}

/* Loads column j as the run used it: clipped negative values are 0, and entries that do not count
 * (missing, masked or of weight 0) are NaN. */
static void take_column(anchors_page *page, const anchors_arguments *given, int64_t j) {
    const ch_matrix *X = &given->input.X;
    const ch_anchors_settings *set = &given->settings;
    double *x = page->column;
    int64_t rows = page->view.rows;
    memset(x, 0, (size_t)rows * sizeof *x);
    if (X->layout == CH_CSC)
        for (int64_t e = X->column_start[j]; e < X->column_start[j + 1]; e++)
            x[X->row_index[e]] = ch_matrix_at(X, X->row_index[e], j);
    else
        for (int64_t i = 0; i < rows; i++) x[i] = ch_matrix_at(X, i, j);
    for (int64_t i = 0; i < rows; i++) {
        if (x[i] < 0 && set->negative == CH_NEGATIVE_CLIP) x[i] = 0;
        if ((set->observed && ch_matrix_at(set->observed, i, j) == 0) ||
            (set->weights && ch_matrix_at(set->weights, i, j) == 0) ||
            (set->row_weights && set->row_weights[i] == 0))
            x[i] = NAN;
    }
}

/* Computes |x - W h|_1 and |x|_1 of column j over the entries that count, with the row factors of
 * the loss. The column is read again, because the loss of the run is a share of the column only
 * under l1. */
static void measure(anchors_page *page, const anchors_arguments *given, int64_t j, double *missed,
                    double *norm) {
    const report_weights *view = &page->view;
    const double *x = page->column;
    double *y = page->model;
    *missed = *norm = 0;
    take_column(page, given, j);
    memset(y, 0, (size_t)view->rows * sizeof *y);
    for (int64_t k = 0; k < view->rank; k++)
        for (int64_t i = 0; i < view->rows && page->h[k] != 0; i++)
            y[i] += page->h[k] * view->W[i + k * view->rows];
    for (int64_t i = 0; i < view->rows; i++) {
        if (isnan(x[i])) continue;
        *missed += page->factor[i] * fabs(x[i] - y[i]);
        *norm += page->factor[i] * fabs(x[i]);
    }
}

static void take_shares(anchors_page *page, uint8_t *shares) {
    double all = 0;
    for (int64_t k = 0; k < page->view.rank; k++) all += page->h[k] * page->sums[k];
    for (int64_t k = 0; k < page->view.rank; k++)
        shares[k] = all > 0 ? (uint8_t)lround(255 * page->h[k] * page->sums[k] / all) : 0;
}

/* ---- all columns ---- */

static int reserve(anchors_page *page) {
    const report_weights *view = &page->view;
    size_t rank = (size_t)view->rank, shown = (size_t)view->shown;
    page->h = calloc(rank + 1, sizeof *page->h);
    page->sums = calloc(rank + 1, sizeof *page->sums);
    page->column = calloc((size_t)view->rows + 1, sizeof *page->column);
    page->factor = calloc((size_t)view->rows + 1, sizeof *page->factor);
    page->model = calloc((size_t)view->rows + 1, sizeof *page->model);
    page->residual = calloc(shown + 1, sizeof *page->residual);
    page->shares = calloc(shown * rank + 1, 1);
    if (!page->h || !page->sums || !page->column || !page->factor || !page->model ||
        !page->residual || !page->shares)
        return cli_no_memory();
    return EXIT_DONE;
}

static int measure_columns(anchors_page *page, const anchors_arguments *given,
                           const ch_anchors_result *result) {
    report_weights *view = &page->view;
    int64_t fit = SHOWN_BYTES / view->rank, most = fit < 1 ? 1 : fit < COLUMNS ? fit : COLUMNS;
    double missed = 0, all = 0;
    view->step = (result->cols + most - 1) / most;
    view->shown = (result->cols + view->step - 1) / view->step;
    TRY(reserve(page));
    for (int64_t i = 0; i < view->rows; i++) page->factor[i] = cli_row_factor(&given->settings, i);
    for (int64_t k = 0; k < view->rank; k++)
        for (int64_t i = 0; i < view->rows; i++)
            page->sums[k] += page->factor[i] * view->W[i + k * view->rows];
    for (int64_t s = 0; s < view->shown; s++) {
        double off, norm;
        take_weights(page, given, result, s * view->step);
        measure(page, given, s * view->step, &off, &norm);
        take_shares(page, page->shares + s * view->rank);
        page->residual[s] = norm > 0 ? off / norm : 0;
        if (given->settings.column_weights && given->settings.column_weights[s * view->step] == 0)
            continue; /* no entry of the column counts */
        missed += off;
        all += norm;
    }
    view->residual = page->residual;
    view->worst_count = cli_largest_rows(view->worst, REPORT_WORST, page->residual, view->shown);
    view->unexplained = all > 0 ? missed / all : 0;
    view->shares =
        (report_blob){"application/octet-stream", page->shares, (size_t)(view->shown * view->rank)};
    return EXIT_DONE;
}

/* Draws one line per anchor; a pixel is the mean over the columns that it represents. */
static int draw(anchors_page *page, const cli_session *session) {
    report_weights *view = &page->view;
    int64_t width = view->shown < WIDE ? view->shown : WIDE;
    page->picture = malloc((size_t)(3 * width * view->rank * LINE));
    if (!page->picture) return cli_no_memory();
    for (int64_t k = 0; k < view->rank; k++)
        for (int64_t x = 0; x < width; x++) {
            int64_t low = x * view->shown / width, high = (x + 1) * view->shown / width;
            double sum = 0;
            uint8_t rgb[3];
            for (int64_t s = low; s < high; s++) sum += page->shares[s * view->rank + k];
            report_heat_colour(rgb, sum / (255 * (double)(high - low)));
            for (int64_t y = k * LINE; y < (k + 1) * LINE; y++)
                memcpy(page->picture + 3 * (y * width + x), rgb, 3);
        }
    const ch_picture picture = {width, view->rank * LINE, 3, page->picture};
    view->picture.type = "image/png";
    return cli_check(session, ch_picture_encode_png(session->context, &view->picture.bytes,
                                                    &view->picture.length, &picture));
}

static int find_largest(anchors_page *page, const ch_anchors_result *result,
                        const ch_anchors_settings *scaled) {
    report_weights *view = &page->view;
    page->largest = malloc((size_t)(view->rank * REPORT_LARGEST + 1) * sizeof *page->largest);
    if (!page->largest) return cli_no_memory();
    for (int64_t k = 0; k < view->rank; k++) {
        int64_t *rows = page->largest + k * REPORT_LARGEST;
        int count = cli_anchor_rows(rows, REPORT_LARGEST, result, scaled, k);
        while (count < REPORT_LARGEST) rows[count++] = -1;
    }
    view->largest = page->largest;
    return EXIT_DONE;
}

int anchors_page_make(anchors_page **made, const cli_session *session,
                      const anchors_arguments *given, const ch_anchors_result *result,
                      const json_t *json) {
    anchors_page *page = *made = calloc(1, sizeof *page);
    const ch_matrix_names *names = &given->input.names.of;
    if (!page) return cli_no_memory();
    page->session = session;
    page->json = json;
    page->command = cli_command_line(session);
    if (!page->command) return cli_no_memory();
    page->view = (report_weights){.rank = result->rank,
                                  .rows = result->rows,
                                  .W = result->W,
                                  .row_names = names->rows.count ? names->rows.text : NULL,
                                  .names = names->columns.count ? names->columns.text : NULL,
                                  .transposed = given->input.transpose,
                                  .folder = given->folder,
                                  .asked_to_transpose =
                                      given->input.transpose != cli_is_h5ad(given->input.file)};
    TRY(find_largest(page, result, cli_scaled(&given->input, &given->settings)));
    int projected = result->H || cli_weights_are_whole(&given->weights, result);
    if (!projected || result->rank == 0) return EXIT_DONE;
    TRY(measure_columns(page, given, result));
    return draw(page, session);
}

void anchors_page_write(FILE *to, const void *user) {
    const anchors_page *page = user;
    report_anchors_write(to, page->json, &page->view, page->command);
}

void anchors_page_free(anchors_page *page) {
    if (!page) return;
    free(page->command);
    free(page->h);
    free(page->sums);
    free(page->factor);
    free(page->column);
    free(page->model);
    free(page->residual);
    free(page->largest);
    free(page->shares);
    free(page->picture);
    ch_picture_bytes_free(page->session->context, page->view.picture.bytes);
    free(page);
}
