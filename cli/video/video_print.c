/* What conehull video tells people: what was found, where it is, what to do next. */
#include "common/message.h"
#include "report_video.h"
#include "video/video_run.h"
#include <math.h>
#include <string.h>

static void print_input(const json_t *scores) {
    const json_t *input = json_object_get(scores, "input");
    printf("%s: %s, %s, %.0f x %.0f%s; frames %.0f to %.0f, %.0f of them\n",
           cli_plain(report_string(input, "file")), cli_plain(report_string(input, "container")),
           cli_plain(report_string(input, "codec")), report_real(input, "width"),
           report_real(input, "height"),
           json_is_true(json_object_get(input, "colour")) ? " in colour" : " gray",
           report_real(input, "first"), report_real(input, "last"), report_real(scores, "frames"));
}

static void print_activity(const json_t *scores, const json_t *result) {
    const json_t *runs = json_object_get(result, "runs");
    size_t count = json_array_size(runs), most = 0;
    double active = report_real(result, "active_frames");
    if (count == 0) {
        printf("  nothing moves\n");
        return;
    }
    for (size_t i = 1; i < count; i++)
        if (report_real(json_array_get(runs, i), "share") >
            report_real(json_array_get(runs, most), "share"))
            most = i;
    const json_t *run = json_array_get(runs, most);
    size_t peak = (size_t)report_real(run, "peak");
    printf("  something moves in %.0f of %.0f frames, in %zu stretch%s; most in frame %.0f (second "
           "%.2f): %.1f %% of the picture\n",
           active, report_real(scores, "frames"), count, count == 1 ? "" : "es",
           json_number_value(json_array_get(json_object_get(scores, "index"), peak)),
           json_number_value(json_array_get(json_object_get(scores, "time"), peak)),
           100 * report_real(run, "share"));
}

/* Files were written, and the exit code is 1. */
static void print_status(const json_t *result) {
    const char *status = report_string(result, "status");
    if (strcmp(status, "inaccurate") == 0)
        printf(
            "  inaccurate: %.0f fits of pixels and frames are not proven to --tol; the worst gap "
            "is %.1e\n",
            report_real(result, "unproven"), report_real(result, "gap"));
    if (strcmp(status, "iterations") == 0)
        printf("  stopped at its limit of rounds, before it had settled\n");
}

static void print_result(const json_t *scores, const json_t *result) {
    printf("\n%s: background of rank %.0f, %.2f s\n", report_string(result, "method"),
           report_real(result, "rank"),
           report_real(json_object_get(result, "seconds"), "separate"));
    printf("  ");
    cli_wrap(stdout, report_string(result, "rank_reason"), 2, 4);
    printf("  ");
    cli_wrap(stdout, report_string(result, "threshold_reason"), 2, 4);
    if (report_real(result, "ghosts") > 0) {
        printf("  ");
        cli_wrap(stdout, report_string(result, "ghosts_reason"), 2, 4);
    }
    print_status(result);
    print_activity(scores, result);
    if (isnan(report_real(result, "auc"))) return;
    printf("  against %.0f masks: AUC %.4f; F %.3f (precision %.3f, recall %.3f); a perfect "
           "threshold alone would give F %.3f\n",
           report_real(json_object_get(scores, "truth"), "used"), report_real(result, "auc"),
           report_real(result, "f_measure"), report_real(result, "precision"),
           report_real(result, "recall"), report_real(result, "best_f"));
}

void video_print(const json_t *scores, const video_arguments *given) {
    print_input(scores);
    for (size_t i = 0; i < report_video_count(scores); i++)
        print_result(scores, report_video_result(scores, i));
    const char *folder = cli_plain(given->folder);
    printf("\n%.2f s in all; open %s/report.html in a browser to look at it, or play\n"
           "  %s/overlay.mkv     moving objects outlined\n"
           "  %s/mask.mkv        white where something moves\n"
           "  %s/background.mkv  the clip without it; background.png is the middle frame\n"
           "  %s/scores.json, activity.csv  the numbers\n",
           report_real(json_object_get(scores, "seconds"), "total"), folder, folder, folder, folder,
           folder);
    if (given->soft) printf("  %s/soft.mkv        the score, in 1/256 of a gray level\n", folder);
    if (given->save)
        printf("%s holds the background; 'conehull video OTHER --model %s -o DIR' uses it\n",
               cli_plain(given->save), cli_plain(given->save));
}
