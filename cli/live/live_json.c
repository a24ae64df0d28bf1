/* What conehull live says at the end as JSON, with the names of conehull video where they mean the
 * same. */
#include "live/live_command.h"
#include <conehull/version.h>
#include <math.h>
#include <stdlib.h>

static json_t *input_json(const live_run *run) {
    const ch_feed_info *info = &run->info;
    return json_pack(
        "{ss ss ss sI sI sI sI s[IIII] so sb}", "file", run->session->options.operands[0],
        "container", info->container, "codec", info->codec, "width", (json_int_t)info->width,
        "height", (json_int_t)info->height, "source_width", (json_int_t)info->source_width,
        "source_height", (json_int_t)info->source_height, "roi", (json_int_t)info->roi_x,
        (json_int_t)info->roi_y, (json_int_t)info->roi_width, (json_int_t)info->roi_height, "rate",
        cli_json_real(info->rate), "colour", info->planes == 3);
}

static json_t *latency_json(const live_latency *latency) {
    return json_pack(
        "{so so so so so}", "p50", cli_json_real(1e3 * live_latency_at(latency, 0.5)), "p95",
        cli_json_real(1e3 * live_latency_at(latency, 0.95)), "p99",
        cli_json_real(1e3 * live_latency_at(latency, 0.99)), "max",
        cli_json_real(latency->count ? 1e3 * latency->most : NAN), "mean",
        cli_json_real(latency->count ? 1e3 * latency->sum / (double)latency->count : NAN));
}

static json_t *seconds_json(const live_run *run) {
    return json_pack("{so so so so so}", "read", cli_json_real(run->read), "warm_up",
                     cli_json_real(run->learn), "process", cli_json_real(run->process), "write",
                     cli_json_real(run->write), "total", cli_json_real(run->total));
}

static json_t *truth_json(const live_run *run) {
    if (!run->given->truth) return json_null();
    return json_pack("{ss sI sI}", "folder", run->given->truth, "found",
                     (json_int_t)run->truth.found, "used", (json_int_t)run->truth.used);
}

/* Null without known masks. */
static json_t *score_json(const live_truth *truth) {
    const ch_pixel_counts *counts = &truth->counts;
    if (truth->used == 0)
        return json_pack("{sn sn sn sn sn}", "auc", "best_f", "f_measure", "precision", "recall");
    return json_pack("{so so so so so}", "auc", cli_json_real(truth->roc.auc), "best_f",
                     cli_json_real(truth->roc.best_f), "f_measure",
                     cli_json_real(ch_pixel_counts_f_measure(counts)), "precision",
                     cli_json_real(ch_pixel_counts_precision(counts)), "recall",
                     cli_json_real(ch_pixel_counts_recall(counts)));
}

static json_t *model_json(const ch_live_info *info, int64_t width) {
    json_t *anchors = json_array();
    for (int64_t k = 0; k < info->rank && info->anchors[k] >= 0; k++)
        anchors = cli_json_append(anchors, json_pack("[II]", (json_int_t)(info->anchors[k] % width),
                                                     (json_int_t)(info->anchors[k] / width)));
    return json_pack(
        "{sI ss so ss so so ss sI sI sI sI sI sI so sI sI sI}", "rank", (json_int_t)info->rank,
        "rank_reason", info->rank_reason, "anchors", anchors, "ghosts_reason", info->ghosts_reason,
        "noise", cli_json_real(info->noise), "threshold", cli_json_real(info->threshold),
        "threshold_reason", info->mask_reason, "lessons", (json_int_t)info->lessons,
        "absorbed_pixels", (json_int_t)info->absorbed, "switches", (json_int_t)info->switches,
        "adaptations", (json_int_t)info->adaptations, "switch_frame",
        (json_int_t)info->switch_frame, "adapted_frame", (json_int_t)info->adapted_frame, "gap",
        cli_json_real(info->worst_gap), "unproven", (json_int_t)info->unproven, "skipped",
        (json_int_t)info->skipped, "implausible", (json_int_t)info->implausible);
}

static json_t *live_settings_json(const live_run *run) {
    json_t *settings = cli_settings_json(ch_live_table(), &run->given->live);
    if (settings) json_object_set_new(settings, "freeze", json_boolean(run->given->freeze));
    return settings;
}

json_t *live_json(const live_run *run) {
    char *command = cli_command_line(run->session);
    double spent = run->process, after = (double)run->latency.count;
    json_t *made = json_pack(
        "{ss sI sI so so sI sI sI sI so so so so s{sI sI} s{so so so} ss? ss si ss}", "method",
        "live", "frames", (json_int_t)run->frames, "pixels",
        (json_int_t)(run->info.width * run->info.height), "input", input_json(run), "truth",
        truth_json(run), "warm_up", (json_int_t)run->given->live.warm_up, "dropped",
        (json_int_t)run->info.dropped, "damaged", (json_int_t)run->info.damaged, "active_frames",
        (json_int_t)run->active, "frames_per_second",
        cli_json_real(spent > 0 ? after / spent : NAN), "megapixels_per_second",
        cli_json_real(
            spent > 0 ? 1e-6 * after * (double)(run->info.width * run->info.height) / spent : NAN),
        "latency_ms", latency_json(&run->latency), "seconds", seconds_json(run), "memory", "held",
        (json_int_t)run->held, "learning", (json_int_t)run->learning, "settings", "feed",
        cli_settings_json(ch_feed_table(), &run->given->feed), "live", live_settings_json(run),
        "mask", cli_settings_json(ch_mask_table(), &run->given->mask), "command", command,
        "version", ch_version(), "threads", ch_context_threads(run->session->context), "status",
        run->status);
    free(command);
    made = cli_json_merge(made, model_json(&run->model, run->info.width));
    return cli_json_merge(made, score_json(&run->truth));
}
