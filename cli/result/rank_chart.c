/* rank.svg of `anchors -r auto`: the largest residual after each anchor, up to the rank that was
 * chosen, and the anchors that reduced it by 20 %, which is the criterion of
 * src/xray/auto_rank.c. */
#include "result/rank_chart.h"
#include "report_chart.h"
#include "result/result_json.h"
#include <math.h>
#include <stdlib.h>

static const double fall = 0.2; /* LARGEST_FALL of the criterion */

static void draw(FILE *to, const ch_anchors_result *result, double *x, double *fell) {
    int clear = ch_anchors_rank_clear(result);
    report_mark mark = {(double)result->rank, clear ? "chosen" : "chosen, not clear"};
    for (int64_t k = 0; k < result->rank; k++) {
        const double *left = result->max_residual;
        x[k] = (double)(k + 1);
        fell[k] = k > 0 && left[k] <= (1 - fall) * left[k - 1] ? left[k] : NAN;
    }
    report_chart chart = {
        .title = "Largest residual against the number of anchors",
        .subtitle = clear
                        ? "the rank is clear: the last anchor lowers the residual more than any "
                          "anchor before it"
                        : "no clear rank: the residual does not fall sharply with the last anchor",
        .count = 2,
        .lines = {{.name = "largest residual",
                   .x = x,
                   .y = result->max_residual,
                   .count = (int)result->rank,
                   .plain = 1},
                  {.name = "fell by 20 % or more",
                   .x = x,
                   .y = fell,
                   .count = (int)result->rank,
                   .points = 1}},
        .marks = &mark,
        .mark_count = 1};
    report_chart_fit(&chart);
    chart.x.label = "anchors";
    chart.y.label = "largest residual of a data point";
    report_chart_write(to, &chart);
}

static void write_chart(FILE *to, const void *user) {
    const ch_anchors_result *result = user;
    double *lists = calloc((size_t)(2 * result->rank), sizeof *lists);
    if (lists) draw(to, result, lists, lists + result->rank);
    free(lists);
}

int cli_rank_chart(cli_folder *folder, const ch_anchors_result *result) {
    return cli_folder_write(folder, "rank.svg", write_chart, result);
}
