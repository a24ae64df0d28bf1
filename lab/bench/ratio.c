/* Turns, and what becomes of their times. */
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include "common/progress.h"
#include "harness/timing.h"
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ratio_time ratio_start(void) {
    return (ratio_time){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

ratio_time ratio_stop(ratio_time start) {
    ratio_time now = ratio_start();
    return (ratio_time){now.wall - start.wall, now.processor - start.processor};
}

int ratio_code(const ratio_run *run, ch_status status) {
    if (status < 0) return cli_fail(run->session, status, NULL);
    return status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_DONE;
}

static json_t *summary_json(bench_time time) {
    return json_pack("{so so so}", "min", cli_json_real(time.min), "median",
                     cli_json_real(time.median), "max", cli_json_real(time.max));
}

/* What one work took; the series is sorted on the way. */
static json_t *work_json(const ratio_work *work, double *wall, double *processor, int turns) {
    json_t *object = summary_json(bench_summary(wall, turns));
    json_object_set_new(object, "what", json_string(work->what));
    json_object_set_new(object, "processor", cli_json_real(bench_summary(processor, turns).min));
    return object;
}

int ratio_take_turns(json_t **object, const ratio_row *row, const ratio_run *run,
                     const ratio_work *above, const ratio_work *below, double units) {
    const ratio_work *const works[2] = {above, below};
    double wall[2][RATIO_TURNS_MOST], processor[2][RATIO_TURNS_MOST], quotient[RATIO_TURNS_MOST];
    for (int turn = 0; turn < run->turns; turn++) {
        ch_progress_event event = {row->name, turn, run->turns, -1, 0};
        cli_progress_event(&event, NULL);
        for (int k = 0; k < 2; k++) {
            ratio_time time = {0, 0};
            int code = works[k]->run(works[k]->user, &time);
            if (code == EXIT_DONE && cli_interrupted()) code = EXIT_INTERRUPTED;
            if (code != EXIT_DONE) return code;
            wall[k][turn] = time.wall;
            processor[k][turn] = time.processor;
        }
        quotient[turn] = wall[0][turn] / (units * wall[1][turn]);
    }
    json_t *sides[2]; /* sorted from here on: the least comes first */
    for (int k = 0; k < 2; k++) sides[k] = work_json(works[k], wall[k], processor[k], run->turns);
    *object = json_pack(
        "{so so so si si sf so so}", "ratio", cli_json_real(wall[0][0] / (units * wall[1][0])),
        "processor_ratio", cli_json_real(processor[0][0] / (units * processor[1][0])), "noise",
        summary_json(bench_summary(quotient, run->turns)), "turns", run->turns, "threads",
        run->threads, "units", units, "above", sides[0], "below", sides[1]);
    if (*object) return EXIT_DONE;
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

json_t *ratio_not_present(const char *why) {
    return json_pack("{sn ss ss}", "ratio", "status", "not present", "why", why);
}

void ratio_describe(json_t *object, const char *data, json_t *details) {
    json_object_set_new(object, "data", json_string(data));
    if (details) json_object_set_new(object, "details", details);
}
