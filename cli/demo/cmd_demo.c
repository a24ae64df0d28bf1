/* conehull demo: finds planted anchors in generated data, and draws a chart of the recovery. */
#include "common/progress.h"
#include "demo/demo_command.h"

typedef struct demo_arguments {
    size_t size; /* must be the first member, as in all settings */
    int64_t runs, seed, frames;
    const char *folder;
} demo_arguments;

static const ch_setting rows[] = {
    {"runs", CH_SETTING_INT, offsetof(demo_arguments, runs), 5, 1, 1000, NULL, "N",
     "number of data sets for each noise level"},
    {"seed", CH_SETTING_INT, offsetof(demo_arguments, seed), 0, 0, 1e9, NULL, "N",
     "seed of the generated data; the same seed gives the same files"},
    {"frames", CH_SETTING_INT, offsetof(demo_arguments, frames), 200, 40, 10000, NULL, "N",
     "number of frames of the film"},
};
static const ch_settings_table *table(void) {
    static const ch_settings_table described = {"demo", rows, 3, sizeof(demo_arguments)};
    return &described;
}

static const struct demo_file {
    const char *name, *what;
    cli_writer write;
} files[] = {
    {"recovery.csv", "the numbers", demo_csv},
    {"recovery.svg", "the picture", demo_picture},
    {"report.html", "both on a page, and how to run this again", demo_page},
    {"planted.txt", "the anchors planted in X.npy, the first data set of delta 0.5", demo_planted},
};
static const char data_file[] = "X.npy";
enum { FILES = sizeof files / sizeof *files };

static const cli_option_row options_list[] = {
    {"Options", "runs seed frames", .table = table},
    {"Options", "output", 'o', "DIR", .at = offsetof(demo_arguments, folder),
     "folder for the files, which is created if it does not exist (default: demo)"},
    {0}};

/* Runs RobustXray, with its proof, on one data set of noise level 0.5, at which the methods
 * differ. */
static int look_closer(demo_run *demo) {
    const cli_session *session = demo->session;
    ch_context *context = session->context;
    int64_t rank = demo->experiment.data.rank;
    ch_anchors_settings set;
    demo->close_level = 5;
    demo->planted = calloc((size_t)rank, sizeof *demo->planted);
    if (!demo->planted) return cli_no_memory();
    TRY(cli_check(session, cli_recovery_data(context, &demo->X, demo->planted, &demo->experiment,
                                             demo->close_level, 0)));
    ch_anchors_defaults(&set);
    set.rank = rank;
    TRY(cli_check(session, ch_anchors(context, &demo->close, &demo->X, &set)));
    demo->found = cli_recovery_count(demo->planted, rank, demo->close.anchors, demo->close.rank);
    return EXIT_DONE;
}

static int write_all(cli_folder *folder, const demo_run *demo) {
    for (int i = 0; i < FILES; i++)
        TRY(cli_folder_write(folder, files[i].name, files[i].write, demo));
    TRY(cli_folder_matrix(folder, data_file, demo->X.values, demo->X.rows, demo->X.cols));
    TRY(demo_spectra_write(folder, demo->seed));
    return demo->has_video ? demo_clip_write(folder, &demo->scene) : EXIT_DONE;
}

static int write_files(const demo_run *demo) {
    cli_folder folder;
    TRY(cli_folder_open(&folder, demo->session, demo->folder));
    return cli_folder_close(&folder, write_all(&folder, demo), NULL);
}

/* Writes the page with links to the others. It is written last, so its presence shows that the demo
 * is complete. */
static int write_index(const demo_run *demo) {
    cli_folder folder;
    TRY(cli_folder_open(&folder, demo->session, demo->folder));
    return cli_folder_close(&folder, cli_folder_write(&folder, "index.html", demo_index, demo),
                            NULL);
}

/* ---- the answer ---- */

static int print_json(const demo_run *demo) {
    const cli_recovery *experiment = &demo->experiment;
    json_t *methods = json_object();
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++)
        json_object_set_new(methods, cli_recovery_methods[k].name,
                            cli_json_pack("mean:R sd:R", experiment->mean[k],
                                          (int64_t)experiment->levels, experiment->sd[k],
                                          (int64_t)experiment->levels));
    return cli_json_print(cli_json_pack(
        "levels:R runs:d recovery:o anchors:I found:i gap:r folder:s video:o", experiment->level,
        (int64_t)experiment->levels, experiment->runs, methods, demo->close.anchors,
        demo->close.rank, demo->found, demo->close.certificate.gap, demo->folder,
        video_json_short(demo->video.scores)));
}

static void print_video(const demo_run *demo) {
    printf("\nA film of %lld frames: people walk through a hall, a lamp is switched off and on.\n"
           "Masks compared with the known truth: area under the ROC curve, 1 is perfect.\n\n",
           (long long)demo->scene.frames);
    for (int i = 0; i < demo->video.count; i++) {
        const video_result *result = &demo->video.results[i];
        printf("  %-12s %.4f   background of rank %lld, %.2f s\n",
               video_method_name(result->method), result->auc, (long long)result->rank,
               result->separate);
    }
    const char *folder = cli_plain(demo->folder), *clip = demo->has_video ? "clip.mkv" : "clip";
    printf("\n%s/index.html    open this in a browser: it leads to the rest\n"
           "%s/video/report.html  the film, its background and its masks in a player\n"
           "%s/%-12s  the film; try 'conehull video %s/%s --truth %s/truth %s-o out'\n"
           "%s/scene.hdr     spectra of five materials in every pixel; try\n"
           "  'conehull unmix %s/scene.hdr -r 5 --truth %s/scene_truth.npz -o unmixed'\n",
           folder, folder, folder, clip, folder, clip, folder,
           demo->has_video ? "" : "--write none ", folder, folder, folder);
}

static int print_words(const demo_run *demo) {
    const cli_recovery *experiment = &demo->experiment;
    int rank = (int)experiment->data.rank;
    printf("%d anchor columns planted among %d and hidden by sparse noise of level delta;\n"
           "share of them found, mean of %d data set%s:\n\n  delta",
           rank, (int)experiment->data.cols, experiment->runs, experiment->runs == 1 ? "" : "s");
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++) printf("  %15s", cli_recovery_methods[k].name);
    for (int i = 0; i < experiment->levels; i++) {
        printf("\n  %5.1f", experiment->level[i]);
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++) printf("  %15.3f", experiment->mean[k][i]);
    }
    printf("\n\nFirst data set of delta %.1f: RobustXray found %d of %d anchors, columns\n ",
           experiment->level[demo->close_level], (int)demo->found, rank);
    for (int64_t i = 0; i < demo->close.rank; i++)
        printf(" %lld", (long long)demo->close.anchors[i]);
    printf("\nsum of absolute residuals %.6g; no column's fit can be improved by more than %.1e\n"
           "of its size: every column has a dual that proves it\n\n",
           demo->close.objective, demo->close.certificate.gap);
    const char *folder = cli_plain(demo->folder);
    for (int i = 0; i < FILES; i++) printf("%s/%-13s %s\n", folder, files[i].name, files[i].what);
    printf("%s/%-13s that data set; try 'conehull anchors %s/%s -r %d'\n", folder, data_file,
           folder, data_file, rank);
    print_video(demo);
    return EXIT_DONE;
}

static int run_all(demo_run *demo) {
    const cli_session *session = demo->session;
    ch_context *context = session->context;
    /* The progress bar counts data sets; single runs are too short for a bar. */
    ch_context_set_progress(context, NULL, NULL);
    TRY(cli_check(session, cli_recovery_run(context, &demo->experiment, cli_progress_event, NULL)));
    TRY(look_closer(demo));
    cli_progress_clear();
    TRY(write_files(demo));
    TRY(demo_clip_run(demo));
    TRY(write_index(demo));
    if (!demo->has_video && !session->common.quiet) cli_complain("demo: %s", demo_left_out);
    return session->common.json ? print_json(demo) : print_words(demo);
}

static int run_demo(cli_session *session) {
    const demo_arguments *set = session->arguments;
    const char *folder = set->folder ? set->folder : "demo";
    demo_run demo = {.session = session,
                     .folder = folder,
                     .seed = set->seed,
                     .has_video = ch_video_library() != NULL,
                     .close.size = sizeof demo.close};
    TRY(cli_folder_check(folder));
    cli_recovery_paper(&demo.experiment, (int)set->runs, set->seed);
    ch_scene_defaults(&demo.scene);
    demo.scene.frames = set->frames;
    demo.scene.seed = set->seed;
    int code = run_all(&demo);
    if (demo.video.session) video_run_free(&demo.video);
    free(demo.clip);
    free(demo.truth);
    free(demo.output);
    ch_anchors_result_free(session->context, &demo.close);
    ch_matrix_free(session->context, &demo.X);
    free(demo.planted);
    return code;
}

const cli_command cli_cmd_demo = {
    .name = "demo",
    .summary = "show first results with pictures on generated data",
    .synopsis = "[--runs N] [--seed N] [--frames N] [-o DIR]",
    .about = "Repeats an experiment of the paper with sparse noise: 200 x 210 matrices with 20\n"
             "planted anchor columns, to be found by RobustXray, SPA and XRAY in l2. Then\n"
             "makes a film of people in a hall in which a lamp is switched off and on, and\n"
             "separates the people from the background by RobustXray and by the median.\n",
    .details = "Files in DIR:\n"
               "  index.html     start page, with links to the two reports; pages need no\n"
               "                 network\n"
               "  report.html    report on the matrices\n"
               "  recovery.csv   share of the anchors that were found; recovery.svg is its chart\n"
               "  X.npy          one of the data sets (delta 0.5)\n"
               "  planted.txt    the anchors of X.npy\n"
               "  clip.mkv       the film; a build without video writes pictures in clip/\n"
               "  truth/         known masks of every tenth frame\n"
               "  video/         files of 'conehull video', with its report, report.html\n",
    .examples = "  conehull demo\n"
                "  conehull demo --runs 10 --seed 3 -o /tmp/demo\n",
    .common = CLI_THREADS | CLI_QUIET | CLI_JSON,
    .arguments_size = sizeof(demo_arguments),
    .rows = options_list,
    .run = run_demo,
};
