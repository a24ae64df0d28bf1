/* Prints the results of conehull video as text: what was found, where the files are, and the next
 * steps. */
#include "video/video_command.h"

static void print_input(const video_run *run) {
    const ch_clip *clip = &run->video.clip;
    printf("%s: %s, %s, %lld x %lld%s; frames %lld to %lld, %lld of them\n",
           cli_plain(run->session->options.operands[0]), cli_plain(clip->container),
           cli_plain(clip->codec), (long long)clip->width, (long long)clip->height,
           clip->colour ? " in colour" : " gray", (long long)run->video.index[0],
           (long long)run->video.index[run->video.frames - 1], (long long)run->video.frames);
    if (run->video.streams)
        printf("  the background was learned from %lld of them, in pairs spread over the clip\n",
               (long long)clip->frames);
}

const ch_activity_run *video_busiest_run(const video_result *result) {
    const ch_activity_run *most = result->run_count ? result->runs : NULL;
    for (int64_t i = 1; i < result->run_count; i++)
        if (result->runs[i].share > most->share) most = &result->runs[i];
    return most;
}

static void print_activity(const video_clip *clip, const video_result *result) {
    const ch_activity_run *most = video_busiest_run(result);
    long long count = result->run_count;
    if (!most) {
        printf("  nothing moves\n");
        return;
    }
    printf("  something moves in %lld of %lld frames, in %lld period%s; most in frame %lld (second "
           "%.2f): %.1f %% of the picture\n",
           (long long)result->active, (long long)clip->frames, count, count == 1 ? "" : "s",
           (long long)clip->index[most->peak], clip->time[most->peak], 100 * most->share);
}

/* Prints why a method stopped early. The files were written, and the exit code is 1. */
static void print_status(const video_result *result) {
    if (result->status == CH_STOP_INACCURATE)
        printf("  inaccurate: %lld fits of pixels and frames are not proven optimal to the "
               "accuracy --tol; the worst gap is %.1e\n",
               (long long)result->unproven, result->gap);
    if (result->status == CH_STOP_ITER)
        printf("  stopped at the limit of rounds before it converged\n");
}

static void print_result(const video_run *run, const video_result *result) {
    const ch_pixel_counts *counts = &result->counts;
    printf("\n%s: background of rank %lld, %.2f s\n", video_method_name(result->method),
           (long long)result->rank, result->separate);
    cli_print_reason(stdout, result->rank_reason);
    cli_print_reason(stdout, result->mask.reason);
    if (result->ghosts.removed > 0) cli_print_reason(stdout, result->ghosts.reason);
    print_status(result);
    print_activity(&run->video, result);
    cli_events_print(stdout, &result->events);
    if (!result->scored) return;
    printf("  compared with %lld known masks: AUC %.4f; F %.3f (precision %.3f, recall %.3f); the "
           "best threshold without other steps gives F %.3f\n",
           (long long)run->video.truth.count, result->auc, ch_pixel_counts_f_measure(counts),
           ch_pixel_counts_precision(counts), ch_pixel_counts_recall(counts), result->best_f);
    printf("  specificity %.4f, false positives %.4f, false negatives %.4f, wrong pixels %.3f %%\n",
           ch_pixel_counts_specificity(counts), 1 - ch_pixel_counts_specificity(counts),
           1 - ch_pixel_counts_recall(counts), ch_pixel_counts_pwc(counts));
}

void video_print(const video_run *run) {
    const video_arguments *given = run->given;
    print_input(run);
    for (int i = 0; i < run->count; i++) print_result(run, &run->results[i]);
    const char *folder = cli_plain(given->folder);
    printf("\n%.2f s in all; open %s/report.html in a browser to look at it\n", run->total, folder);
    static const char *const what[CLI_VIEWS] = {
        [CLI_VIEW_BACKGROUND] = "the clip without what moves",
        [CLI_VIEW_MASK] = "white where something moves",
        [CLI_VIEW_OVERLAY] = "moving objects outlined",
        [CLI_VIEW_SIDE] = "original, background and mask side by side",
        [CLI_VIEW_SOFT] = "the score, in 1/256 of a gray level"};
    for (int view = 0; view < CLI_VIEWS; view++)
        if (given->choice.views[view])
            printf("  %s/%-15s %s\n", folder, cli_film_name(&given->choice, view), what[view]);
    printf("  %s/background.png  the background in the middle of the clip\n"
           "  %s/scores.json, activity.csv%s%s%s  the numbers\n",
           folder, folder, given->choice.objects ? ", objects.csv" : "",
           given->choice.boxes ? ", boxes.csv" : "", given->event.wanted ? ", events.csv" : "");
    if (given->save)
        printf("%s holds the background; 'conehull video OTHER --model %s -o DIR' uses it\n",
               cli_plain(given->save), cli_plain(given->save));
}
