/* The result of conehull live as JSON. Keys that also exist in conehull video have the same
 * meaning. */
#include "common/mask_report.h"
#include "live/live_command.h"
#include <conehull/version.h>
#include <math.h>

static json_t *truth_json(const live_run *run) {
    if (!run->given->truth) return json_null();
    return cli_json_pack("folder:s found:i used:i", run->given->truth, run->truth.found,
                         run->truth.used);
}

/* Returns the scores, or null if there are no known masks. */
static json_t *score_json(const live_truth *truth) {
    const ch_pixel_counts *counts = &truth->counts;
    if (truth->used == 0)
        return cli_json_merge(cli_json_pack("auc:n best_f:n f_measure:n precision:n recall:n"),
                              cli_benchmark_json(NULL));
    json_t *scores =
        cli_json_pack("auc:r best_f:r f_measure:r precision:r recall:r", truth->roc.auc,
                      truth->roc.best_f, ch_pixel_counts_f_measure(counts),
                      ch_pixel_counts_precision(counts), ch_pixel_counts_recall(counts));
    return cli_json_merge(scores, cli_benchmark_json(counts));
}

static json_t *model_json(const ch_live_info *info, int64_t width) {
    json_t *anchors = json_array();
    for (int64_t k = 0; k < info->rank && info->anchors[k] >= 0; k++)
        anchors = cli_json_append(anchors, json_pack("[II]", (json_int_t)(info->anchors[k] % width),
                                                     (json_int_t)(info->anchors[k] / width)));
    return cli_json_pack(
        "rank:i rank_reason:s anchors:o ghosts_reason:s noise:r threshold:r threshold_reason:s "
        "lessons:i absorbed_pixels:i switches:i adaptations:i switch_frame:i adapted_frame:i "
        "gap:r unproven:i skipped:i implausible:i warnings:o",
        info->rank, info->rank_reason, anchors, info->ghosts_reason, info->noise, info->threshold,
        info->mask_reason, info->lessons, info->absorbed, info->switches, info->adaptations,
        info->switch_frame, info->adapted_frame, info->worst_gap, info->unproven, info->skipped,
        info->implausible, cli_mask_warnings_json(info->warnings));
}

json_t *live_json(const live_run *run) {
    const live_arguments *given = run->given;
    const ch_feed_info *info = &run->info;
    const live_latency *latency = &run->latency;
    char *command = cli_command_line(run->session);
    int64_t pixels = info->width * info->height;
    double spent = run->process, after = (double)latency->count;
    json_t *settings = cli_settings_json(ch_live_table(), &given->live);
    if (settings) json_object_set_new(settings, "freeze", json_boolean(given->freeze));
    json_t *made = cli_json_pack(
        "method:s frames:i pixels:i input:{file:s container:s codec:s width:i height:i "
        "source_width:i source_height:i roi:[iiii] rate:r colour:b aspect:[ii] rotation:d} truth:o "
        "warm_up:i dropped:i "
        "damaged:i active_frames:i frames_per_second:r megapixels_per_second:r latency_ms:{p50:r "
        "p95:r p99:r max:r mean:r} "
        "seconds:{read:r warm_up:r process:r write:r total:r} memory:{held:i learning:i} "
        "settings:{feed:T live:o mask:T} command:s version:s threads:d status:s",
        "live", run->frames, pixels, run->session->options.operands[0], info->container,
        info->codec, info->width, info->height, info->source_width, info->source_height,
        info->roi_x, info->roi_y, info->roi_width, info->roi_height, info->rate, info->planes == 3,
        info->aspect[0], info->aspect[1], info->rotation, truth_json(run), given->live.warm_up,
        info->dropped, info->damaged, run->active, spent > 0 ? after / spent : NAN,
        spent > 0 ? 1e-6 * after * (double)pixels / spent : NAN,
        1e3 * live_latency_at(latency, 0.5), 1e3 * live_latency_at(latency, 0.95),
        1e3 * live_latency_at(latency, 0.99), after > 0 ? 1e3 * latency->most : NAN,
        after > 0 ? 1e3 * latency->sum / after : NAN, run->read, run->learn, run->process,
        run->write, run->total, run->held, run->learning, ch_feed_table(), &given->feed, settings,
        ch_mask_table(), &given->mask, command, ch_version(),
        ch_context_threads(run->session->context), run->status);
    free(command);
    made = cli_json_merge(made, cli_recording_json(&run->recording));
    made = cli_json_merge(made, cli_json_pack("partial:b", strcmp(run->status, "done") != 0));
    cli_json_merge(
        json_object_get(made, "input"),
        cli_json_pack("aspect:[ii] rotation:d", info->aspect[0], info->aspect[1], info->rotation));
    made = cli_json_merge(made, model_json(&run->model, info->width));
    int plays = given->choice.views[CLI_VIEW_OVERLAY] && !given->choice.lossless && !given->pipe;
    made = cli_json_merge(made, plays ? cli_json_pack("overlay:s", "overlay.mp4")
                                      : cli_json_pack("overlay:n"));
    made = cli_json_merge(made, cli_events_json(&run->events));
    return cli_json_merge(made, score_json(&run->truth));
}
