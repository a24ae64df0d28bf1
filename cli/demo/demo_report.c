/* The files of conehull demo: numbers, picture, page. */
#include "demo/demo_command.h"
#include "report_chart.h"
#include "report_page.h"
#include "report_pages.h"

void demo_csv(FILE *to, const void *user) {
    const demo_run *demo = user;
    const cli_recovery *experiment = &demo->experiment;
    fputs("delta,method,mean,sd,runs\n", to);
    for (int i = 0; i < experiment->levels; i++)
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
            fprintf(to, "%.1f,%s,%.4f,%.4f,%d\n", experiment->level[i],
                    cli_recovery_methods[k].name, experiment->mean[k][i], experiment->sd[k][i],
                    experiment->runs);
}

void demo_picture(FILE *to, const void *user) {
    const demo_run *demo = user;
    const cli_recovery *experiment = &demo->experiment;
    char subtitle[128];
    snprintf(subtitle, sizeof subtitle,
             "%d x %d matrix, %d anchors planted, sparse noise; mean of %d data sets per level",
             (int)experiment->data.rows, (int)experiment->data.cols, (int)experiment->data.rank,
             experiment->runs);
    report_chart chart = {
        .title = "Planted anchors found, by noise level",
        .subtitle = subtitle,
        .x = {"noise level \xce\xb4 (standard deviation of the Laplace noise, cut at 0)", 0, 1.5,
              0.1, 1},
        .y = {"share of the anchors found", 0, 1, 0.2, 1},
        .count = CLI_RECOVERY_METHODS,
        .width = 780,
        .height = 440,
    };
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
        chart.lines[k] = (report_line){.name = cli_recovery_methods[k].name,
                                       .x = experiment->level,
                                       .y = experiment->mean[k],
                                       .count = experiment->levels};
    report_chart_write(to, &chart);
}

void demo_planted(FILE *to, const void *user) {
    const demo_run *demo = user;
    for (int64_t k = 0; k < demo->experiment.data.rank; k++)
        fprintf(to, "%lld\n", (long long)demo->planted[k]);
}

static void write_table(FILE *to, const cli_recovery *experiment) {
    char caption[64], heads[32 * (CLI_RECOVERY_METHODS + 1)] = "#noise level";
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++) {
        size_t used = strlen(heads);
        snprintf(heads + used, sizeof heads - used, "|#%s", cli_recovery_methods[k].name);
    }
    snprintf(caption, sizeof caption, "Mean \xc2\xb1 standard deviation over %d data set%s",
             experiment->runs, experiment->runs == 1 ? "" : "s");
    report_table table = report_table_begin(to, caption, heads);
    for (int i = 0; i < experiment->levels; i++) {
        report_cell(&table, "%.1f", experiment->level[i]);
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
            report_cell(&table, "%.3f \xc2\xb1 %.3f", experiment->mean[k][i], experiment->sd[k][i]);
    }
    report_table_end(&table);
}

static void write_close_look(FILE *to, const demo_run *demo) {
    const cli_recovery *experiment = &demo->experiment;
    const ch_anchors_result *result = &demo->close;
    char *columns = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&columns, &length);
    if (!list) return;
    for (int64_t k = 0; k < result->rank; k++)
        fprintf(list, "%s%lld", k ? " " : "", (long long)result->anchors[k]);
    fclose(list);
    char title[64];
    snprintf(title, sizeof title, "One data set, noise level %.1f",
             experiment->level[demo->close_level]);
    report_section_begin(to, "close", title);
    report_text(to,
                "RobustXray chose columns `%s`: %lld of the %d planted. The sum of absolute "
                "residuals is %.6g, and every column's fit is proven: no column can be improved "
                "by more than %.1e of its size.",
                columns ? columns : "", (long long)demo->found, (int)experiment->data.rank,
                result->objective, result->certificate.gap);
    report_section_end(to);
    free(columns);
}

void demo_page(FILE *to, const void *user) {
    const demo_run *demo = user;
    const cli_recovery *experiment = &demo->experiment;
    int rank = (int)experiment->data.rank;
    char command[512];
    report_page_begin(to, &(report_head){.title = "Finding planted anchors"});
    report_text(to,
                "Each data set hides %d anchor columns among %d: every other column is a "
                "non-negative mixture of them, then noise is added to some of the entries. Each "
                "method selects %d columns; the picture shows what share of the planted columns "
                "it found.",
                rank, (int)experiment->data.cols, rank);
    report_figure_begin(to, NULL);
    demo_picture(to, demo);
    report_figure_end(to);
    write_close_look(to, demo);
    report_section_begin(to, "numbers", "Numbers");
    write_table(to, experiment);
    report_section_end(to);
    report_section_begin(to, "again", "Repeat");
    snprintf(command, sizeof command, "conehull demo --runs %d --seed %lld -o %s", experiment->runs,
             (long long)experiment->seed, demo->folder);
    report_command(to, command);
    report_section_end(to);
    report_page_end(to, NULL);
}

/* ---- the page with links to the others ---- */

/* Writes the frame with the most movement, of those on the page of the film. */
static void write_frame(FILE *to, const report_film *film) {
    static const struct {
        int view;
        const char *alt;
    } shown[] = {{REPORT_ORIGINAL, "a frame of the film"},
                 {REPORT_BACKGROUND, "its background"},
                 {REPORT_OVERLAY, "the frame with moving objects outlined"}};
    char caption[128];
    snprintf(caption, sizeof caption,
             "Frame %lld, by robust-xray: original, background, moving objects outlined.",
             (long long)film->rows[film->start]);
    report_figure_begin(to, caption);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        report_picture(to, report_film_blob(film, film->start, 0, shown[i].view), shown[i].alt);
    report_figure_end(to);
}

void demo_index(FILE *to, const void *user) {
    const demo_run *demo = user;
    const cli_recovery *experiment = &demo->experiment;
    report_page_begin(to, &(report_head){.title = "conehull demo",
                                         .lead = "Two experiments on data with a known answer."});
    report_section_begin(to, "recovery", "Finding planted anchors");
    report_text(
        to,
        "A matrix has %d planted columns, all other columns are mixtures of these, and sparse "
        "noise hides them. Fraction of the planted columns that is found at noise level %.1f:",
        (int)experiment->data.rank, experiment->level[demo->close_level]);
    report_numbers_begin(to);
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
        report_number(to, cli_recovery_methods[k].name, "%.0f %%",
                      100 * experiment->mean[k][demo->close_level]);
    report_numbers_end(to);
    report_figure_begin(to, NULL);
    demo_picture(to, demo);
    report_figure_end(to);
    fputs("<p><a href=\"report.html\">The curves and the numbers</a></p>\n", to);
    report_section_end(to);
    report_section_begin(to, "video", "Separating the background from moving objects");
    report_text(to,
                "A film of %lld frames: people walk through a hall and throw shadows, a lamp is "
                "switched off and on again, the camera is noisy. Area under the ROC curve of the "
                "masks (1 is perfect):",
                (long long)demo->scene.frames);
    report_numbers_begin(to);
    for (int k = 0; k < demo->video.count; k++)
        report_number(to, video_method_name(demo->video.results[k].method), "%.4f",
                      demo->video.results[k].auc);
    report_numbers_end(to);
    write_frame(to, &demo->video.stills.film);
    if (!demo->has_video) report_text(to, "%s", demo_left_out);
    fputs("<p><a href=\"video/report.html\">The film, its background and its masks</a></p>\n", to);
    report_section_end(to);
    report_page_end(to, NULL);
}
