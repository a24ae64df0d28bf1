/* The files of conehull demo: numbers, picture, page. */
#include "demo/demo_command.h"
#include "report_chart.h"
#include "report_page.h"

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
                "non-negative mixture of them, then noise is added to some of the entries. A "
                "method is asked for %d columns; the picture shows what share of the planted ones "
                "it found.",
                rank, (int)experiment->data.cols, rank);
    report_figure_begin(to, NULL);
    demo_picture(to, demo);
    report_figure_end(to);
    write_close_look(to, demo);
    report_section_begin(to, "numbers", "The numbers");
    write_table(to, experiment);
    report_section_end(to);
    report_section_begin(to, "again", "Again");
    snprintf(command, sizeof command, "conehull demo --runs %d --seed %lld -o %s", experiment->runs,
             (long long)experiment->seed, demo->folder);
    report_command(to, command);
    report_section_end(to);
    report_page_end(to, NULL);
}

/* ---- pictures of the film ---- */

static ch_status encode_frame(ch_context *context, report_blob *blob, const ch_clip *clip) {
    enum { QUALITY = 90 };
    int64_t pixels = clip->width * clip->height;
    uint8_t *plane = malloc((size_t)(pixels ? pixels : 1));
    uint8_t *rgb = malloc((size_t)(3 * pixels + 1));
    ch_status status = plane && rgb ? CH_OK : CH_ERR_MEMORY;
    for (int c = 0; c < 3 && status == CH_OK; c++) {
        status =
            ch_clip_frames(context, plane, clip->colour ? &clip->channel[c] : &clip->luma, 0, 1);
        for (int64_t j = 0; j < pixels && status == CH_OK; j++) rgb[3 * j + c] = plane[j];
    }
    ch_picture picture = {clip->width, clip->height, 3, rgb};
    if (status == CH_OK)
        status = ch_picture_encode_jpeg(context, &blob->bytes, &blob->length, &picture, QUALITY);
    if (status == CH_OK) blob->type = "image/jpeg";
    free(plane);
    free(rgb);
    return status;
}

/* One frame of a video that the demo has written. The page does without one that fails. */
static void write_frame(FILE *to, ch_context *context, const char *path, int64_t frame,
                        const char *alt) {
    ch_clip_settings set;
    ch_clip clip = {.size = sizeof clip};
    report_blob blob = {0};
    ch_clip_defaults(&set);
    set.from = frame;
    set.frames = 1;
    if (path && ch_clip_read(context, &clip, path, &set) == CH_OK &&
        encode_frame(context, &blob, &clip) == CH_OK)
        report_picture(to, &blob, alt);
    ch_picture_bytes_free(context, blob.bytes);
    ch_clip_free(context, &clip);
}

static void write_frames(FILE *to, const demo_run *demo) {
    static const struct {
        const char *file, *alt;
    } views[] = {{"clip.mkv", "a frame of the film"},
                 {"video/background.mp4", "its background"},
                 {"video/overlay.mp4", "the frame with moving objects outlined"}};
    ch_context *context;
    if (ch_context_create(&context, NULL) < 0) return;
    const ch_activity_run *most = video_busiest_run(&demo->video.results[0]);
    int64_t frame = most ? most->peak : 0;
    char caption[128];
    snprintf(caption, sizeof caption,
             "Frame %lld, by robust-xray: original, background, moving objects outlined.",
             (long long)frame);
    report_figure_begin(to, caption);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char *path = cli_path_join(demo->folder, views[i].file);
        write_frame(to, context, path, frame, views[i].alt);
        free(path);
    }
    report_figure_end(to);
    ch_context_destroy(context);
}

/* ---- the page that leads to the others ---- */

void demo_index(FILE *to, const void *user) {
    const demo_run *demo = user;
    const cli_recovery *experiment = &demo->experiment;
    report_page_begin(to, &(report_head){.title = "conehull, a first look",
                                         .lead = "Two experiments on data with a known answer."});
    report_section_begin(to, "recovery", "Finding planted anchors");
    report_text(to,
                "%d columns of which all others are mixtures are planted in a matrix and hidden by "
                "sparse noise. At noise level %.1f this share of them is found:",
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
    report_section_begin(to, "video", "Background and moving objects apart");
    report_text(to,
                "A film of %lld frames: people walk through a hall and throw shadows, a lamp is "
                "switched off and on again, the camera is noisy. Area under the ROC, 1 being "
                "perfect:",
                (long long)demo->scene.frames);
    report_numbers_begin(to);
    for (int k = 0; k < demo->video.count; k++)
        report_number(to, video_method_name(demo->video.results[k].method), "%.4f",
                      demo->video.results[k].auc);
    report_numbers_end(to);
    write_frames(to, demo);
    fputs("<p><a href=\"video/report.html\">The film, its background and its masks</a></p>\n", to);
    report_section_end(to);
    report_page_end(to, NULL);
}
