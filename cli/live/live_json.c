/* What conehull live says at the end: as JSON, with the names of conehull video where they mean
 * the same, and in words. */
#include "anchors/result_json.h"
#include "common/command_line.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "live/live_command.h"
#include <conehull/matrix.h>
#include <conehull/version.h>
#include <math.h>
#include <stdlib.h>

static json_t *input_json(const live_whole *run) {
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

static json_t *seconds_json(const live_whole *run) {
    return json_pack("{so so so so so}", "read", cli_json_real(run->read), "warm_up",
                     cli_json_real(run->learn), "process", cli_json_real(run->process), "write",
                     cli_json_real(run->write), "total", cli_json_real(cli_seconds() - run->start));
}

static json_t *truth_json(const live_whole *run) {
    if (!run->given->truth) return json_null();
    return json_pack("{ss sI sI}", "folder", run->given->truth, "found",
                     (json_int_t)run->truth.found, "used", (json_int_t)run->truth.used);
}

/* As far as there are known masks. */
static json_t *score_json(const live_whole *run) {
    const live_truth *truth = &run->truth;
    int known = truth->used > 0;
    const ch_pixel_counts *counts = &truth->counts;
    return json_pack("{so so so so so}", "auc", cli_json_real(known ? truth->roc.auc : NAN),
                     "best_f", cli_json_real(known ? truth->roc.best_f : NAN), "f_measure",
                     cli_json_real(known ? ch_pixel_counts_f_measure(counts) : NAN), "precision",
                     cli_json_real(known ? ch_pixel_counts_precision(counts) : NAN), "recall",
                     cli_json_real(known ? ch_pixel_counts_recall(counts) : NAN));
}

static json_t *model_json(const ch_live_info *info, int64_t width) {
    json_t *anchors = json_array();
    for (int64_t k = 0; k < info->rank && info->anchors[k] >= 0; k++)
        json_array_append_new(anchors, json_pack("[II]", (json_int_t)(info->anchors[k] % width),
                                                 (json_int_t)(info->anchors[k] / width)));
    return json_pack(
        "{sI ss so ss so so ss sI sI sI sI sI sI so sI sI sI}", "rank", (json_int_t)info->rank,
        "rank_reason", info->rank_reason, "anchors", anchors, "ghosts_reason", info->ghosts_reason,
        "noise", cli_json_real(info->mask.noise), "threshold", cli_json_real(info->mask.threshold),
        "threshold_reason", info->mask.reason, "lessons", (json_int_t)info->lessons,
        "absorbed_pixels", (json_int_t)info->absorbed, "switches", (json_int_t)info->switches,
        "adaptations", (json_int_t)info->adaptations, "switch_frame",
        (json_int_t)info->switch_frame, "adapted_frame", (json_int_t)info->adapted_frame, "gap",
        cli_json_real(info->worst_gap), "unproven", (json_int_t)info->unproven, "skipped",
        (json_int_t)info->skipped, "implausible", (json_int_t)info->implausible);
}

static json_t *live_settings_json(const live_whole *run) {
    json_t *settings = cli_settings_json(&ch_live_table, &run->given->live);
    if (settings) json_object_set_new(settings, "freeze", json_boolean(run->given->freeze));
    return settings;
}

json_t *live_json(const live_whole *run) {
    ch_live_info info;
    ch_live_get_info(run->live, &info);
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
        cli_settings_json(&ch_feed_table, &run->given->feed), "live", live_settings_json(run),
        "mask", cli_settings_json(&ch_mask_table, &run->given->live.mask), "command", command,
        "version", ch_version(), "threads", ch_context_threads(run->session->context), "status",
        run->status);
    free(command);
    json_t *model = model_json(&info, run->info.width), *score = score_json(run);
    if (!made || json_object_update(made, model) != 0 || json_object_update(made, score) != 0) {
        json_decref(made);
        made = NULL;
    }
    json_decref(model);
    json_decref(score);
    return made;
}

/* ---- words ---- */

static double number(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *words(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void print_speed(FILE *to, const json_t *scores) {
    const json_t *latency = json_object_get(scores, "latency_ms");
    double total = number(json_object_get(scores, "seconds"), "total");
    fprintf(to,
            "  %.1f frames a second processed, %.1f with warm-up, reading and writing\n"
            "  latency %.2f ms (p50), %.2f (p95), %.2f (p99), %.2f at most\n",
            number(scores, "frames_per_second"), number(scores, "frames") / total,
            number(latency, "p50"), number(latency, "p95"), number(latency, "p99"),
            number(latency, "max"));
}

static void print_results(FILE *to, const json_t *scores) {
    fprintf(to, "%.0f frames, %s; background of rank %.0f\n", number(scores, "frames"),
            words(scores, "status"), number(scores, "rank"));
    fprintf(to, "  ");
    cli_wrap(to, words(scores, "rank_reason"), 2, 4);
    fprintf(to, "  ");
    cli_wrap(to, words(scores, "threshold_reason"), 2, 4);
    if (number(scores, "switches") > 0)
        fprintf(to,
                "  light switched %.0f times, %.0f new backgrounds; last switch at frame %.0f, "
                "new background at %.0f\n",
                number(scores, "switches"), number(scores, "adaptations"),
                number(scores, "switch_frame"), number(scores, "adapted_frame"));
    double active = number(scores, "active_frames"), absorbed = number(scores, "absorbed_pixels");
    fprintf(to, "  something moves in %.0f frame%s; %.0f pixel%s absorbed\n", active,
            active == 1 ? "" : "s", absorbed, absorbed == 1 ? "" : "s");
    if (number(scores, "dropped") + number(scores, "damaged") > 0)
        fprintf(to, "  %.0f frames dropped, %.0f damaged\n", number(scores, "dropped"),
                number(scores, "damaged"));
    if (number(scores, "implausible") > 0)
        fprintf(to, "  %.0f frames were nothing like those around them, and not learned from\n",
                number(scores, "implausible"));
    if (!isnan(number(json_object_get(scores, "latency_ms"), "p50")))
        print_speed(to, scores);
    else
        fprintf(to, "  all of it was the warm-up\n");
    if (!isnan(number(scores, "auc")))
        fprintf(to, "  against %.0f masks: AUC %.4f; F %.3f (precision %.3f, recall %.3f)\n",
                number(json_object_get(scores, "truth"), "used"), number(scores, "auc"),
                number(scores, "f_measure"), number(scores, "precision"), number(scores, "recall"));
}

void live_print(const json_t *scores, const live_arguments *given) {
    FILE *to = given->pipe ? stderr : stdout;
    print_results(to, scores);
    for (int k = 0; k < LIVE_KINDS; k++)
        if (given->output && given->writes[k])
            fprintf(to, "  %s/%s.mkv\n", cli_plain(given->output), live_kind_names[k]);
}
