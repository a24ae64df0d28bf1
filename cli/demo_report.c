/* The files of conehull demo: numbers, picture, page. */
#include "demo_report.h"
#include "chart.h"
#include <conehull/version.h>

void cli_demo_csv(FILE *to, const cli_demo *demo) {
    const cli_recovery *experiment = &demo->experiment;
    fputs("delta,method,mean,sd,runs\n", to);
    for (int i = 0; i < experiment->levels; i++)
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
            fprintf(to, "%.1f,%s,%.4f,%.4f,%d\n", experiment->level[i],
                    cli_recovery_methods[k].name, experiment->mean[k][i], experiment->sd[k][i],
                    experiment->runs);
}

void cli_demo_picture(FILE *to, const cli_demo *demo) {
    const cli_recovery *experiment = &demo->experiment;
    char subtitle[128];
    snprintf(subtitle, sizeof subtitle,
             "%d x %d matrix, %d anchors planted, sparse noise; mean of %d data sets per level",
             (int)experiment->data.rows, (int)experiment->data.cols, (int)experiment->data.rank,
             experiment->runs);
    cli_chart chart = {
        .title = "Planted anchors found, by noise level",
        .subtitle = subtitle,
        .x = {"noise level \xce\xb4 (standard deviation of the Laplace noise, cut at 0)", 0, 1.5,
              0.1, 1},
        .y = {"share of the anchors found", 0, 1, 0.2, 1},
        .x_values = experiment->level,
        .count = experiment->levels,
        .lines = CLI_RECOVERY_METHODS,
    };
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++) {
        chart.names[k] = cli_recovery_methods[k].name;
        chart.y_values[k] = experiment->mean[k];
    }
    cli_chart_write(to, &chart);
}

void cli_demo_planted(FILE *to, const cli_demo *demo) {
    for (int64_t k = 0; k < demo->experiment.data.rank; k++)
        fprintf(to, "%lld\n", (long long)demo->planted[k]);
}

static void write_columns(FILE *to, const int64_t *columns, int64_t count) {
    for (int64_t i = 0; i < count; i++) fprintf(to, "%s%lld", i ? " " : "", (long long)columns[i]);
}

static void write_table(FILE *to, const cli_recovery *experiment) {
    fputs("<table>\n<tr><th>noise level</th>", to);
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++) {
        fputs("<th>", to);
        cli_escape(to, cli_recovery_methods[k].name);
        fputs("</th>", to);
    }
    fputs("</tr>\n", to);
    for (int i = 0; i < experiment->levels; i++) {
        fprintf(to, "<tr><td>%.1f</td>", experiment->level[i]);
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
            fprintf(to, "<td>%.3f <small>\xc2\xb1 %.3f</small></td>", experiment->mean[k][i],
                    experiment->sd[k][i]);
        fputs("</tr>\n", to);
    }
    fputs("</table>\n", to);
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>conehull demo</title>\n<style>\n"
    "body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: #111; background: #fff;\n"
    "       max-width: 780px; margin: 2em auto; padding: 0 1em; }\n"
    "svg { max-width: 100%; height: auto; }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { text-align: right; padding: .15em 1.2em .15em 0; border-bottom: 1px solid #ddd; }\n"
    "small { color: #666; }\n"
    "code { background: #f3f3f3; padding: .1em .3em; overflow-wrap: anywhere; }\n"
    "</style>\n</head>\n<body>\n<h1>Finding planted anchors</h1>\n";

void cli_demo_page(FILE *to, const cli_demo *demo) {
    const cli_recovery *experiment = &demo->experiment;
    const ch_result *result = &demo->close;
    fputs(page_head, to);
    fprintf(to,
            "<p>Each data set hides %d <em>anchor</em> columns among %d: every other column is a "
            "non-negative mixture of them, then noise is added to some of the entries. A method "
            "is asked for %d columns; the picture shows what share of the planted ones it "
            "found.</p>\n",
            (int)experiment->data.rank, (int)experiment->data.cols, (int)experiment->data.rank);
    cli_demo_picture(to, demo);
    fprintf(to, "<h2>One data set, noise level %.1f</h2>\n<p>RobustXray chose columns <code>",
            experiment->level[demo->close_level]);
    write_columns(to, result->anchors, result->rank);
    fprintf(
        to,
        "</code>: %lld of the %d planted. The sum of absolute residuals is %.6g, and every "
        "column's fit is proven: no column can be improved by more than %.1e of its size.</p>\n",
        (long long)demo->found, (int)experiment->data.rank, result->objective,
        result->certificate.gap);
    fprintf(to,
            "<h2>The numbers</h2>\n<p>Mean \xc2\xb1 standard deviation over %d data sets.</p>\n",
            experiment->runs);
    write_table(to, experiment);
    fprintf(to, "<h2>Again</h2>\n<p><code>conehull demo --runs %d --seed %lld -o ",
            experiment->runs, (long long)experiment->seed);
    cli_escape(to, demo->folder);
    fprintf(to, "</code> (conehull %s)</p>\n</body>\n</html>\n", ch_version());
}
