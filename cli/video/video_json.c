/* Results of conehull video as JSON. A NULL from jansson makes what encloses it NULL too; memory is
 * checked once, where the object is used. */
#include "video/video_command.h"
#include <conehull/version.h>
#include <math.h>
#include <stdlib.h>

enum { ROC_POINTS = 400, CURVE_POINTS = 600, CURVES = 8 };

/* ---- the run ---- */

static json_t *input_json(const ch_clip *clip, const char *file) {
    return json_pack(
        "{ss ss ss ss sI sI sI sI s[IIII] so sb sI sI}", "file", file, "container", clip->container,
        "codec", clip->codec, "pixel_format", clip->pixel_format, "width", (json_int_t)clip->width,
        "height", (json_int_t)clip->height, "source_width", (json_int_t)clip->source_width,
        "source_height", (json_int_t)clip->source_height, "roi", (json_int_t)clip->roi_x,
        (json_int_t)clip->roi_y, (json_int_t)clip->roi_width, (json_int_t)clip->roi_height, "rate",
        cli_json_real(clip->rate), "colour", clip->colour, "first", (json_int_t)clip->index[0],
        "last", (json_int_t)clip->index[clip->frames - 1]);
}

static json_t *truth_json(const video_clip *video, const char *folder) {
    if (!folder) return json_null();
    return json_pack("{ss sI sI so}", "folder", folder, "found", (json_int_t)video->truth_found,
                     "used", (json_int_t)video->truth.count, "frames",
                     cli_json_integers(video->truth.frame, video->truth.count));
}

static json_t *run_json(const video_run *run) {
    const cli_session *session = run->session;
    const video_arguments *given = run->given;
    const video_clip *video = &run->video;
    const ch_clip *clip = &video->clip;
    char *command = cli_command_line(session);
    json_t *made = json_pack(
        "{sI sI so so ss? ss? sI so so so s{so so so} ss? ss si ss}", "frames",
        (json_int_t)clip->frames, "pixels", (json_int_t)video->pixels, "input",
        input_json(clip, session->options.operands[0]), "truth", truth_json(video, given->truth),
        "ignore", given->region.ignore, "watch", given->region.watch, "watched",
        (json_int_t)video->watched_count, "busy", cli_json_integers(video->busy, video->busy_count),
        "index", cli_json_integers(clip->index, clip->frames), "time",
        cli_json_reals(clip->time, clip->frames), "settings", "clip",
        cli_settings_json(ch_clip_table(), &given->clip), "background",
        cli_settings_json(ch_separate_table(), &given->separate), "mask",
        cli_settings_json(ch_mask_table(), &given->mask), "command", command, "version",
        ch_version(), "threads", ch_context_threads(session->context), "kernel",
        ch_context_kernel(session->context));
    free(command);
    /* Chosen per result, not a setting of the run. */
    json_object_del(json_object_get(json_object_get(made, "settings"), "background"), "method");
    return made;
}

/* ---- a result ---- */

static json_t *anchors_json(const ch_separation *parts, int64_t width) {
    json_t *list = json_array();
    for (int64_t k = 0; parts->anchors && k < parts->rank; k++)
        list = cli_json_append(list, json_pack("{sI sI sI}", "pixel", (json_int_t)parts->anchors[k],
                                               "x", (json_int_t)(parts->anchors[k] % width), "y",
                                               (json_int_t)(parts->anchors[k] / width)));
    return list;
}

/* The anchor pixels over time, thinned evenly. */
static json_t *curves_json(const ch_separation *parts, const ch_clip *clip) {
    int64_t step = (clip->frames + CURVE_POINTS - 1) / CURVE_POINTS;
    json_t *frame = json_array(), *values = json_array();
    for (int64_t i = 0; i < clip->frames; i += step)
        frame = cli_json_append(frame, json_integer(clip->index[i]));
    for (int64_t k = 0; parts->anchors && k < parts->rank && k < CURVES; k++) {
        json_t *curve = json_array();
        for (int64_t i = 0; i < clip->frames; i += step)
            curve = cli_json_append(
                curve, json_integer((json_int_t)ch_matrix_at(&clip->luma, i, parts->anchors[k])));
        values = cli_json_append(values, curve);
    }
    return json_pack("{so so}", "frame", frame, "values", values);
}

static json_t *activity_json(const video_result *result, int64_t frames) {
    json_t *share = json_array(), *objects = json_array();
    for (int64_t i = 0; i < frames; i++) {
        share = cli_json_append(share, cli_json_real(result->activity[i].share));
        objects = cli_json_append(objects, json_integer(result->activity[i].objects));
    }
    return json_pack("{so so}", "share", share, "objects", objects);
}

static json_t *runs_json(const video_result *result) {
    json_t *list = json_array();
    for (int64_t i = 0; i < result->run_count; i++) {
        const ch_activity_run *run = &result->runs[i];
        list = cli_json_append(list,
                               json_pack("{sI sI sI so}", "first", (json_int_t)run->first, "last",
                                         (json_int_t)run->last, "peak", (json_int_t)run->peak,
                                         "share", cli_json_real(run->share)));
    }
    return list;
}

static json_t *roc_json(const ch_roc *roc) {
    ch_roc_point points[ROC_POINTS];
    if (roc->count == 0) return json_null();
    int64_t count = ch_roc_thin(roc, points, ROC_POINTS);
    json_t *threshold = json_array(), *found = json_array(), *alarms = json_array();
    double positives = (double)roc->positives, negatives = (double)roc->negatives;
    for (int64_t i = 0; i < count; i++) {
        threshold = cli_json_append(threshold, cli_json_real(points[i].threshold));
        found = cli_json_append(found, cli_json_real((double)points[i].true_positives / positives));
        alarms =
            cli_json_append(alarms, cli_json_real((double)points[i].false_positives / negatives));
    }
    return json_pack("{so so so}", "threshold", threshold, "true_positive_rate", found,
                     "false_positive_rate", alarms);
}

/* The largest residual with 1, 2, .. anchors, as far as it was measured. */
static json_t *path_json(const ch_separation *parts) {
    int64_t count = parts->max_residual ? parts->rank : 0;
    while (count > 0 && isnan(parts->max_residual[count - 1])) count--;
    return json_pack("{sI so}", "sample", (json_int_t)parts->sampled, "residual",
                     cli_json_reals(parts->max_residual, count));
}

/* Null without known masks. */
static json_t *scores_json(const video_result *result) {
    const ch_pixel_counts *counts = &result->counts;
    if (!result->scored)
        return json_pack("{sn sn sn sn sn sn}", "auc", "f_measure", "best_f", "best_threshold",
                         "precision", "recall");
    return json_pack("{so so so so so so}", "auc", cli_json_real(result->auc), "f_measure",
                     cli_json_real(ch_pixel_counts_f_measure(counts)), "best_f",
                     cli_json_real(result->best_f), "best_threshold",
                     cli_json_real(result->roc.best_threshold), "precision",
                     cli_json_real(ch_pixel_counts_precision(counts)), "recall",
                     cli_json_real(ch_pixel_counts_recall(counts)));
}

static json_t *seconds_json(const video_result *result, double read) {
    return json_pack("{so so so so so so}", "read", cli_json_real(read), "separate",
                     cli_json_real(result->separate), "score", cli_json_real(result->score),
                     "write", cli_json_real(result->write), "report", cli_json_real(result->report),
                     "total", json_real(0));
}

json_t *video_json_result(const video_run *run, const video_result *result) {
    const video_clip *video = &run->video;
    const ch_separation *parts = &result->parts[0];
    int64_t residuals = parts->max_residual ? parts->rank : 0;
    int64_t objectives = parts->objective ? parts->refits + 1 : 0;
    json_t *object = json_pack(
        "{ss sI sI sI so so ss ss sI ss so so so sI so sI ss sI so so so so so so}", "method",
        video_method_name(result->method), "frames", (json_int_t)video->clip.frames, "pixels",
        (json_int_t)video->pixels, "rank", (json_int_t)parts->rank, "threshold",
        cli_json_real(result->mask.threshold), "noise", cli_json_real(result->mask.noise),
        "rank_reason", parts->reason, "threshold_reason", result->mask.reason, "ghosts",
        (json_int_t)result->ghosts.removed, "ghosts_reason", result->ghosts.reason, "anchors",
        anchors_json(parts, video->clip.width), "max_residual",
        cli_json_reals(parts->max_residual, residuals), "objective",
        cli_json_reals(parts->objective, objectives), "refits", (json_int_t)parts->refits, "gap",
        cli_json_real(result->gap), "unproven", (json_int_t)result->unproven, "status",
        cli_status_name(result->status), "active_frames", (json_int_t)result->active, "runs",
        runs_json(result), "seconds", seconds_json(result, video->seconds), "roc",
        roc_json(&result->roc), "activity", activity_json(result, video->clip.frames), "curves",
        curves_json(parts, &video->clip), "path", path_json(parts));
    return cli_json_merge(object, scores_json(result));
}

/* ---- together ---- */

json_t *video_json(const video_run *run) {
    if (run->count == 1)
        return cli_json_merge(run_json(run), json_incref(json_array_get(run->list, 0)));
    return cli_json_merge(run_json(run), json_pack("{sO}", "results", run->list));
}

static void set_seconds(json_t *result, double report, double total) {
    json_t *seconds = json_object_get(result, "seconds");
    if (report >= 0) json_object_set_new(seconds, "report", cli_json_real(report));
    json_object_set_new(seconds, "total", cli_json_real(total));
}

/* Of several methods, each has its own share of the report; the rest belongs to all of them. */
void video_json_seconds(json_t *scores, double report, double total) {
    json_t *results = json_object_get(scores, "results"), *result;
    size_t i;
    if (!results) {
        const json_t *seconds = json_object_get(scores, "seconds");
        set_seconds(scores, report + json_number_value(json_object_get(seconds, "report")), total);
        return;
    }
    json_array_foreach(results, i, result) {
        const json_t *seconds = json_object_get(result, "seconds");
        double own = 0;
        static const char *const parts[] = {"read", "separate", "score", "write", "report"};
        for (int k = 0; k < 5; k++) own += json_number_value(json_object_get(seconds, parts[k]));
        set_seconds(result, -1, own);
    }
    json_object_set_new(
        scores, "seconds",
        json_pack("{so so}", "report", cli_json_real(report), "total", cli_json_real(total)));
}

static void shorten(json_t *object) {
    static const char *const arrays[] = {"index", "time", "roc", "activity", "curves"};
    for (int i = 0; i < 5; i++) json_object_del(object, arrays[i]);
}

json_t *video_json_short(const json_t *scores) {
    json_t *copy = json_deep_copy(scores), *result;
    size_t i;
    if (!copy) return NULL;
    shorten(copy);
    json_array_foreach(json_object_get(copy, "results"), i, result) shorten(result);
    return copy;
}
