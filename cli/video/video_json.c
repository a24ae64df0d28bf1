/* Results of conehull video as JSON. If jansson returns NULL, the enclosing object becomes NULL
 * too; so memory is checked once, where the object is used. */
#include "common/mask_report.h"
#include "video/video_command.h"
#include <conehull/version.h>
#include <math.h>

enum { ROC_POINTS = 400, CURVE_POINTS = 600, CURVES = 8 };

/* ---- the run ---- */

static json_t *truth_json(const video_clip *video, const char *folder) {
    if (!folder) return json_null();
    return cli_json_pack("folder:s found:i used:i frames:I", folder, video->truth_found,
                         video->truth.count, video->truth.frame, video->truth.count);
}

static json_t *run_json(const video_run *run) {
    const cli_session *session = run->session;
    const video_arguments *given = run->given;
    const video_clip *video = &run->video;
    const ch_clip *clip = &video->clip;
    char *command = cli_command_line(session);
    json_t *made = cli_json_pack(
        "frames:i pixels:i input:{file:s container:s codec:s pixel_format:s width:i height:i "
        "source_width:i source_height:i roi:[iiii] rate:r colour:b first:i last:i "
        "aspect:[ii] rotation:d} truth:o "
        "ignore:s watch:s watched:i busy:I learned_from:i index:I time:R "
        "settings:{clip:T background:T mask:T} command:s version:s threads:d kernel:s",
        video->frames, video->pixels, session->options.operands[0], clip->container, clip->codec,
        clip->pixel_format, clip->width, clip->height, clip->source_width, clip->source_height,
        clip->roi_x, clip->roi_y, clip->roi_width, clip->roi_height, clip->rate, clip->colour,
        video->index[0], video->index[video->frames - 1], clip->aspect[0], clip->aspect[1],
        clip->rotation, truth_json(video, given->truth), given->region.ignore, given->region.watch,
        video->watched_count, video->busy, given->busy ? video->busy_count : 0, clip->frames,
        video->index, video->frames, video->time, video->frames, ch_clip_table(), &given->clip,
        ch_separate_table(), &given->separate, ch_mask_table(), &given->mask, command, ch_version(),
        ch_context_threads(session->context), ch_context_kernel(session->context));
    free(command);
    made = cli_json_merge(made, cli_recording_json(&run->recording));
    made = cli_json_merge(made, cli_json_pack("partial:b", run->partial));
    cli_json_merge(
        json_object_get(made, "input"),
        cli_json_pack("aspect:[ii] rotation:d", clip->aspect[0], clip->aspect[1], clip->rotation));
    /* The method belongs to each result, not to the settings of the run. */
    json_object_del(json_object_get(json_object_get(made, "settings"), "background"), "method");
    return made;
}

/* ---- a result ---- */

static json_t *anchors_json(const ch_separation *parts, int64_t width) {
    json_t *list = json_array();
    for (int64_t k = 0; parts->anchors && k < parts->rank; k++)
        list = cli_json_append(list,
                               cli_json_pack("pixel:i x:i y:i", parts->anchors[k],
                                             parts->anchors[k] % width, parts->anchors[k] / width));
    return list;
}

/* Returns the values of the anchor pixels over time, evenly thinned. */
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
    return cli_json_pack("frame:o values:o", frame, values);
}

static json_t *activity_json(const video_result *result, int64_t frames) {
    json_t *share = json_array(), *objects = json_array();
    for (int64_t i = 0; i < frames; i++) {
        share = cli_json_append(share, cli_json_real(result->activity[i].share));
        objects = cli_json_append(objects, json_integer(result->activity[i].objects));
    }
    return cli_json_pack("share:o objects:o", share, objects);
}

static json_t *runs_json(const video_result *result) {
    json_t *list = json_array();
    for (int64_t i = 0; i < result->run_count; i++) {
        const ch_activity_run *run = &result->runs[i];
        list = cli_json_append(list, cli_json_pack("first:i last:i peak:i share:r", run->first,
                                                   run->last, run->peak, run->share));
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
    return cli_json_pack("threshold:o true_positive_rate:o false_positive_rate:o", threshold, found,
                         alarms);
}

/* Returns the scores, or null if there are no known masks. */
static json_t *scores_json(const video_result *result) {
    const ch_pixel_counts *counts = &result->counts;
    if (!result->scored)
        return cli_json_merge(
            cli_json_pack("auc:n f_measure:n best_f:n best_threshold:n precision:n recall:n"),
            cli_benchmark_json(NULL));
    json_t *scores = cli_json_pack(
        "auc:r f_measure:r best_f:r best_threshold:r precision:r recall:r", result->auc,
        ch_pixel_counts_f_measure(counts), result->best_f, result->roc.best_threshold,
        ch_pixel_counts_precision(counts), ch_pixel_counts_recall(counts));
    return cli_json_merge(scores, cli_benchmark_json(counts));
}

json_t *video_json_result(const video_run *run, const video_result *result) {
    const video_clip *video = &run->video;
    const ch_separation *parts = &result->parts[0];
    int64_t residuals = parts->max_residual ? parts->rank : 0;
    int64_t measured = residuals; /* the last residuals may not have been computed */
    while (measured > 0 && isnan(parts->max_residual[measured - 1])) measured--;
    int64_t objectives = parts->objective ? parts->refits + 1 : 0;
    json_t *object = cli_json_pack(
        "method:s frames:i pixels:i rank:i threshold:r noise:r rank_reason:s "
        "threshold_reason:s ghosts:i ghosts_reason:s anchors:o max_residual:R objective:R "
        "refits:i gap:r unproven:i status:s active_frames:i runs:o seconds:{read:r separate:r "
        "score:r write:r report:r total:r} roc:o activity:o "
        "curves:o path:{sample:i residual:R}",
        video_method_name(result->method), video->frames, video->pixels, parts->rank,
        result->mask.threshold, result->mask.noise, parts->reason, result->mask.reason,
        result->ghosts.removed, result->ghosts.reason, anchors_json(parts, video->clip.width),
        parts->max_residual, residuals, parts->objective, objectives, parts->refits, result->gap,
        result->unproven, cli_status_name(result->status), result->active, runs_json(result),
        video->seconds, result->separate, result->score, result->write, result->report, 0.0,
        roc_json(&result->roc), activity_json(result, video->frames),
        curves_json(parts, &video->clip), parts->sampled, parts->max_residual, measured);
    object =
        cli_json_merge(object, cli_json_pack("camera_noise:r warnings:o", result->mask.camera_noise,
                                             cli_mask_warnings_json(result->mask.warnings)));
    object = cli_json_merge(object, cli_events_json(&result->events));
    char name[CLI_FILM_NAME];
    const cli_film_choice *choice = &run->given->choice;
    int plays = choice->views[CLI_VIEW_OVERLAY] && !choice->lossless;
    object = cli_json_merge(
        object,
        plays ? cli_json_pack(
                    "overlay:s",
                    cli_film_suffixed(name, "overlay.mp4",
                                      result->number ? video_method_name(result->method) : NULL))
              : cli_json_pack("overlay:n"));
    return cli_json_merge(object, scores_json(result));
}

/* ---- the whole object ---- */

json_t *video_json(const video_run *run) {
    if (run->count == 1)
        return cli_json_merge(run_json(run), json_incref(json_array_get(run->list, 0)));
    return cli_json_merge(run_json(run), cli_json_pack("results:o", json_incref(run->list)));
}

static void set_seconds(json_t *result, double report, double total) {
    json_t *seconds = json_object_get(result, "seconds");
    if (report >= 0) json_object_set_new(seconds, "report", cli_json_real(report));
    json_object_set_new(seconds, "total", cli_json_real(total));
}

/* With several methods, each has its own part of the time for the report; the rest is counted for
 * all of them. */
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
    json_object_set_new(scores, "seconds", cli_json_pack("report:r total:r", report, total));
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
