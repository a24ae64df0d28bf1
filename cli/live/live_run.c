/* A run of conehull live: frames in, pictures out, until the source ends, breaks or Ctrl-C. */
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/progress.h"
#include "live/live_command.h"
#include "options/region_option.h"
#include <stdlib.h>

static int ended(const live_whole *run, ch_status status) {
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    return status < 0 ? cli_fail(run->session, status, NULL) : EXIT_DONE;
}

static int64_t pixels_of(const live_whole *run) {
    return run->info.width * run->info.height;
}

/* ---- one result ---- */

static int hand_out(live_whole *run, const ch_live_result *result, const uint8_t *const *planes,
                    int64_t index, double time) {
    int code = EXIT_DONE;
    double start = cli_seconds();
    int64_t pixels = pixels_of(run);
    int moves = 0;
    for (int64_t i = 0; i < pixels && result->mask && !moves; i++) moves = result->mask[i] != 0;
    run->active += moves;
    if (run->given->truth && result->mask && live_truth_has(&run->truth, index))
        code = live_truth_add(run->session, &run->truth, result, run->watched, pixels);
    if (code == EXIT_DONE) code = live_output_add(&run->output, run->live, result, planes, time);
    run->write += cli_seconds() - start;
    return code;
}

/* Scores cost a pass; only known masks need them. */
static int flags_of(live_whole *run, int64_t index) {
    return run->given->truth && live_truth_has(&run->truth, index) ? CH_LIVE_SCORES : 0;
}

static int replay(live_whole *run) {
    int code = EXIT_DONE;
    for (int64_t i = 0; i < run->given->live.warm_up && code == EXIT_DONE; i++) {
        ch_live_result result;
        const uint8_t *planes[CH_LIVE_PLANES_MAX];
        ch_status status =
            ch_live_replay(run->live, &result, planes, i, flags_of(run, run->indices[i]));
        code = ended(run, status);
        if (code == EXIT_DONE)
            code = hand_out(run, &result, planes, run->indices[i], run->times[i]);
    }
    if (code == EXIT_DONE && run->given->freeze) code = ended(run, ch_live_freeze(run->live, 1));
    return code;
}

static void show_progress(const live_whole *run, const ch_live_result *result) {
    double spent = run->latency.count > 0 ? run->latency.sum / (double)run->latency.count : 0;
    cli_progress_line("frame %lld  %.1f frames/s  latency %.1f ms  %s, rank %lld",
                      (long long)result->frame, (double)run->frames / (cli_seconds() - run->start),
                      1e3 * spent, ch_live_state_name(result->state), (long long)result->rank);
}

static int take_frame(live_whole *run, const ch_feed_frame *frame) {
    ch_live_result result;
    int flags = (frame->damaged ? CH_LIVE_DAMAGED : 0) | flags_of(run, frame->index);
    int warming = run->frames < run->given->live.warm_up;
    double start = cli_seconds();
    ch_status status = ch_live_process(run->live, &result, frame->planes, flags);
    double spent = cli_seconds() - start;
    int code = ended(run, status);
    if (code == EXIT_DONE) code = live_output_show(&run->output, run->live, &result, frame->planes);
    if (code != EXIT_DONE) return code;
    if (warming) {
        run->learn += spent;
        run->indices[run->frames] = frame->index;
        run->times[run->frames++] = frame->time;
        run->truth.next = 0;
        return result.learned_anew ? replay(run) : EXIT_DONE;
    }
    run->process += spent;
    live_latency_add(&run->latency, spent);
    run->frames++;
    show_progress(run, &result);
    return hand_out(run, &result, frame->planes, frame->index, frame->time);
}

/* ---- the whole ---- */

static int announce(live_whole *run) {
    const live_arguments *given = run->given;
    ch_status status =
        ch_live_bytes(run->session->context, &run->held, &run->learning, run->info.width,
                      run->info.height, run->info.planes, &given->live);
    if (status < 0) return cli_fail(run->session, status, NULL);
    if (!run->session->common.quiet)
        cli_complain("%s: %lld x %lld%s at %.3g frames a second; takes %.0f MB, and %.0f MB more "
                     "while it learns, however long it runs; the first %lld frames are the warm-up",
                     run->session->options.operands[0], (long long)run->info.width,
                     (long long)run->info.height, run->info.planes == 1 ? " gray" : " in colour",
                     run->info.rate, 1e-6 * (double)run->held, 1e-6 * (double)run->learning,
                     (long long)given->live.warm_up);
    return EXIT_DONE;
}

/* --ignore, --watch; ch_live_create() copies it. */
static int take_region(live_whole *run) {
    live_arguments *given = run->given;
    const char *text = given->ignore ? given->ignore : given->watch;
    ch_clip shape = live_shape(&run->info);
    int64_t count;
    if (!text) return EXIT_DONE;
    given->live.watch = run->watched = malloc((size_t)pixels_of(run));
    if (run->watched)
        return cli_region_read(run->session, "live", run->watched, &count, &shape, text,
                               given->ignore != NULL);
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

static int begin(live_whole *run) {
    live_arguments *given = run->given;
    const cli_session *session = run->session;
    int code = ended(run, ch_feed_open(session->context, &run->feed, session->options.operands[0],
                                       &given->feed));
    if (code != EXIT_DONE) return code;
    ch_feed_get_info(run->feed, &run->info);
    given->live.late = run->info.newest;
    code = live_options_absorb(given, run->info.rate);
    if (code == EXIT_DONE && given->truth)
        code = live_truth_read(session, &run->truth, given->truth, &run->info);
    if (code == EXIT_DONE) code = take_region(run);
    if (code == EXIT_DONE) code = announce(run);
    if (code != EXIT_DONE) return code;
    run->times = malloc((size_t)given->live.warm_up * sizeof *run->times);
    run->indices = malloc((size_t)given->live.warm_up * sizeof *run->indices);
    if (!run->times || !run->indices) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    code = ended(run, ch_live_create(session->context, &run->live, run->info.width,
                                     run->info.height, run->info.planes, &given->live));
    return code == EXIT_DONE ? live_output_open(&run->output, session, given, &run->info) : code;
}

/* Frames until there are no more; why there are no more. */
static int go_on(live_whole *run) {
    int code = EXIT_DONE;
    while (code == EXIT_DONE) {
        ch_feed_frame frame;
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        double start = cli_seconds();
        ch_status status = ch_feed_next(run->feed, &frame);
        run->read += cli_seconds() - start;
        code = ended(run, status);
        if (code == EXIT_USAGE) code = EXIT_EARLY; /* another size: what came before is good */
        if (code == EXIT_DONE && !frame.planes[0]) break;
        if (code == EXIT_DONE) code = take_frame(run, &frame);
    }
    return code;
}

static int check_warm_up(const live_whole *run, int code) {
    if (run->frames >= run->given->live.warm_up || code != EXIT_DONE) return code;
    cli_complain("%s: ended after %lld frames, in the warm-up of %lld; give a shorter --warm-up, "
                 "or use 'conehull video'",
                 run->session->options.operands[0], (long long)run->frames,
                 (long long)run->given->live.warm_up);
    return EXIT_EARLY;
}

/* Files and figures of what was seen. */
static int finish(live_whole *run, int code, json_t **scores) {
    int seen = run->output.written > 0;
    run->status = code == EXIT_DONE ? "done" : code == EXIT_INTERRUPTED ? "interrupted" : "stopped";
    if (seen && run->given->truth && run->truth.used > 0) {
        int scored = ended(run, ch_scorer_finish(run->truth.scorer, &run->truth.roc));
        if (scored != EXIT_DONE && code == EXIT_DONE) code = scored;
    }
    if (run->feed) ch_feed_get_info(run->feed, &run->info);
    *scores = seen ? live_json(run) : NULL;
    if (code == EXIT_INTERRUPTED)
        cli_complain(seen ? "interrupted; what was seen is kept"
                          : "interrupted; nothing was written");
    return live_output_close(&run->output, code, run->live, *scores);
}

int live_run(const cli_session *session, live_arguments *given, json_t **scores) {
    live_whole run = {.session = session, .given = given, .start = cli_seconds()};
    int code = begin(&run);
    if (code == EXIT_DONE) code = check_warm_up(&run, go_on(&run));
    cli_progress_clear();
    code = finish(&run, code, scores);
    ch_live_destroy(run.live);
    live_truth_free(session, &run.truth);
    ch_feed_close(run.feed);
    free(run.watched);
    free(run.times);
    free(run.indices);
    return code;
}
