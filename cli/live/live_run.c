/* A run of conehull live: frames in, pictures out, until the source ends, breaks or Ctrl-C. */
#include "common/interrupt.h"
#include "common/mask_report.h"
#include "common/progress.h"
#include "live/live_command.h"

static int check(const live_run *run, ch_status status) {
    return cli_check(run->session, status);
}

static int64_t pixels_of(const live_run *run) {
    return run->info.width * run->info.height;
}

/* ---- one result ---- */

static cli_moment moment_of(const live_run *run, const ch_live_result *result,
                            const uint8_t *const *planes, const struct live_place *at) {
    cli_moment now = {.halves = run->info.halves,
                      .mask = result->mask,
                      .score = result->score,
                      .index = at->index,
                      .time = at->time};
    for (int p = 0; p < run->info.planes; p++) {
        now.planes[p] = planes[p];
        now.background[p] = result->background[p];
    }
    return now;
}

static int hand_out(live_run *run, const ch_live_result *result, const cli_moment *now) {
    const uint8_t *mask = now->mask;
    ch_activity activity = {0};
    int code = EXIT_DONE;
    double start = cli_seconds();
    if (mask)
        code =
            check(run, ch_mask_activity(run->session->context, &activity, run->output.boxes.list,
                                        run->output.boxes.most, mask, run->watched,
                                        &(ch_frame_shape){run->info.width, run->info.height, 1}));
    run->active += activity.foreground > 0;
    if (code != EXIT_DONE) return code;
    if (mask) TRY(cli_events_add(&run->events, &activity, now->index, now->time));
    if (run->given->truth && mask && live_truth_has(&run->truth, now->index))
        code = live_truth_add(run->session, &run->truth, result, run->watched, pixels_of(run));
    if (code == EXIT_DONE) code = live_output_add(&run->output, &activity, now);
    run->write += cli_seconds() - start;
    return code;
}

/* Scores cost a pass; only known masks and soft.mkv need them. Backgrounds are for some files, for
 * the page and for whoever looks. */
static int flags_of(live_run *run, int64_t index) {
    int wanted = run->given->choice.views[CLI_VIEW_SOFT] ||
                 (run->given->truth && live_truth_has(&run->truth, index));
    if (wanted) return CH_LIVE_SCORES;
    return live_output_wants_background(&run->output) ? 0 : CH_LIVE_MASK_ALONE;
}

static int replay(live_run *run) {
    for (int64_t i = 0; i < run->given->live.warm_up; i++) {
        ch_live_result result = {.size = sizeof result};
        const uint8_t *planes[CH_LIVE_PLANES_MAX];
        const struct live_place *at = &run->warm_up[i];
        TRY(check(run, ch_live_replay(run->live, &result, planes, i, flags_of(run, at->index))));
        cli_moment now = moment_of(run, &result, planes, at);
        TRY(hand_out(run, &result, &now));
    }
    return run->given->freeze ? check(run, ch_live_freeze(run->live, 1)) : EXIT_DONE;
}

static void show_progress(const live_run *run, const ch_live_result *result) {
    double spent = run->latency.count > 0 ? run->latency.sum / (double)run->latency.count : 0;
    cli_progress_line("frame %lld: %.1f frames/s, latency %.1f ms, %s, rank %lld",
                      (long long)result->frame, (double)run->frames / (cli_seconds() - run->start),
                      1e3 * spent, ch_live_state_name(result->state), (long long)result->rank);
}

/* For the page, if somebody looks. */
static int warnings_now(const live_run *run) {
    ch_live_info info = {.size = sizeof info};
    if (!live_page_wants(run->output.page) || ch_live_get_info(run->live, &info) < 0) return 0;
    return info.warnings;
}

static int take_frame(live_run *run, const ch_feed_frame *frame) {
    ch_live_result result = {.size = sizeof result};
    int flags = (frame->damaged ? CH_LIVE_DAMAGED : 0) | flags_of(run, frame->index);
    int warming = run->frames < run->given->live.warm_up;
    double start = cli_seconds();
    ch_status status = ch_live_process(run->live, &result, frame->planes, flags);
    double spent = cli_seconds() - start;
    TRY(check(run, status));
    cli_moment now =
        moment_of(run, &result, frame->planes, &(struct live_place){frame->time, frame->index});
    now.yuv = frame->yuv;
    TRY(live_output_show(&run->output, &now, &result, warnings_now(run)));
    if (warming) {
        run->learn += spent;
        run->warm_up[run->frames++] = (struct live_place){frame->time, frame->index};
        run->truth.next = 0;
        return result.learned_anew ? replay(run) : EXIT_DONE;
    }
    run->process += spent;
    live_latency_add(&run->latency, spent);
    run->frames++;
    show_progress(run, &result);
    return hand_out(run, &result, &now);
}

/* ---- the whole ---- */

static int announce(live_run *run) {
    const live_arguments *given = run->given;
    TRY(check(run,
              ch_live_bytes(run->session->context, &run->held, &run->learning,
                            &(ch_frame_shape){run->info.width, run->info.height, run->info.planes},
                            &given->live)));
    if (!run->session->common.quiet)
        cli_complain("%s: the input has pictures of %lld x %lld%s, %.3g per second; a run of any "
                     "length uses %.0f MB of memory, and %.0f MB more while it learns a "
                     "background; the first %lld frames are the warm-up",
                     run->session->options.operands[0], (long long)run->info.width,
                     (long long)run->info.height, run->info.planes == 1 ? " gray" : " in colour",
                     run->info.rate, 1e-6 * (double)run->held, 1e-6 * (double)run->learning,
                     (long long)given->live.warm_up);
    return EXIT_DONE;
}

/* Opens the source, and makes all that its pictures need. */
static int begin(live_run *run) {
    live_arguments *given = run->given;
    const cli_session *session = run->session;
    int64_t watched;
    given->feed.more = session->options.all + 1;
    given->feed.more_count = session->options.all_count - 1;
    run->recording.files = session->options.all;
    run->recording.count = session->options.all_count;
    if (given->event.cut) TRY(cli_cut_check(session, run->recording.files, run->recording.count));
    given->feed.yuv = 1;
    given->feed.halves = CLI_HALVES_PIXELS;
    TRY(check(run, ch_feed_open(session->context, &run->feed, session->options.operands[0],
                                &given->feed)));
    ch_feed_get_info(run->feed, &run->info);
    ch_clip shape = live_shape(&run->info);
    given->live.late = run->info.newest;
    TRY(live_options_absorb(given, run->info.rate));
    if (given->truth) TRY(live_truth_read(session, &run->truth, given->truth, &run->info));
    TRY(cli_region_read(session, &run->watched, &watched, &given->region, &shape));
    given->live.halves = run->info.halves;
    given->live.watch = run->watched; /* ch_live_create() copies it */
    TRY(announce(run));
    TRY(cli_events_begin(&run->events, session, &given->event,
                         run->info.rate / (double)given->feed.step));
    run->warm_up = malloc((size_t)given->live.warm_up * sizeof *run->warm_up);
    if (!run->warm_up) return cli_no_memory();
    TRY(check(run,
              ch_live_create(session->context, &run->live,
                             &(ch_frame_shape){run->info.width, run->info.height, run->info.planes},
                             &given->live)));
    return live_output_open(&run->output, session, given, &run->info);
}

/* Frames until there are no more; why there are no more. */
static int go_on(live_run *run) {
    for (;;) {
        ch_feed_frame frame = {.size = sizeof frame};
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        double start = cli_seconds();
        ch_status status = ch_feed_next(run->feed, &frame);
        run->read += cli_seconds() - start;
        int code = check(run, status);
        if (code == EXIT_USAGE) return EXIT_EARLY; /* another size: what came before is good */
        TRY(code);
        if (!frame.planes[0]) return EXIT_DONE;
        TRY(cli_recording_note(&run->recording, frame.file, frame.file_start));
        TRY(take_frame(run, &frame));
    }
}

static int check_warm_up(const live_run *run, int code) {
    if (run->frames >= run->given->live.warm_up || code != EXIT_DONE) return code;
    return cli_error(EXIT_EARLY,
                     "%s: the input ended after %lld frames, during the warm-up of %lld frames; "
                     "give a shorter --warm-up, or use 'conehull video'",
                     run->session->options.operands[0], (long long)run->frames,
                     (long long)run->given->live.warm_up);
}

/* Files and figures of what was seen. */
static int finish(live_run *run, int code) {
    int seen = run->output.written > 0;
    run->status = code == EXIT_DONE ? "done" : code == EXIT_INTERRUPTED ? "interrupted" : "stopped";
    if (seen && run->given->truth && run->truth.used > 0) {
        int scored = check(run, ch_scorer_finish(run->truth.scorer, &run->truth.roc));
        if (scored != EXIT_DONE && code == EXIT_DONE) code = scored;
    }
    if (run->feed) ch_feed_get_info(run->feed, &run->info);
    if (run->live) ch_live_get_info(run->live, &run->model);
    int listed = cli_events_end(&run->events);
    if (listed != EXIT_DONE && code == EXIT_DONE) code = listed;
    if (seen && run->given->event.cut && run->output.open) {
        int cut = cli_cut_events(&run->events, &run->output.folder, &run->recording);
        if (cut != EXIT_DONE && code == EXIT_DONE) code = cut;
    }
    run->total = cli_seconds() - run->start;
    run->scores = seen ? live_json(run) : NULL;
    if (seen && !run->session->common.quiet) cli_mask_warnings_print(run->model.warnings);
    if (code == EXIT_INTERRUPTED)
        cli_complain(seen ? "the run was interrupted; the results so far are kept"
                          : "the run was interrupted; nothing was written");
    return live_output_close(&run->output, code, run->live, run->scores, &run->events);
}

int live_run_all(live_run *run, const cli_session *session, live_arguments *given) {
    *run = (live_run){.session = session,
                      .given = given,
                      .info.size = sizeof run->info,
                      .model.size = sizeof run->model,
                      .start = cli_seconds()};
    int code = begin(run);
    if (code == EXIT_DONE) code = check_warm_up(run, go_on(run));
    cli_progress_clear();
    return finish(run, code);
}

void live_run_free(live_run *run) {
    ch_live_destroy(run->live);
    live_truth_free(run->session, &run->truth);
    ch_feed_close(run->feed);
    free(run->watched);
    free(run->warm_up);
    cli_events_free(&run->events);
    cli_recording_free(&run->recording);
    json_decref(run->scores);
}
