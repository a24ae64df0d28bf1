/* The units of a figure, one after another, and what the figure is made with. */
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/progress.h"
#include "lab.h"
#include "reproduce/reproduce.h"
#include <stdlib.h>

enum { KEY = 256 };

/* The bar counts what is still to be done, so that the time left is right after a resume. */
static int compute_missing(const repro_figure *figure, const repro_run *run, repro_store *store,
                           const int *missing, int count) {
    void *state = NULL;
    int code = figure->open && count ? figure->open(&state, figure, run) : EXIT_DONE;
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        char key[KEY];
        json_t *value = NULL;
        ch_progress_event event = {sizeof event, figure->experiment, i, count, -1, 0};
        cli_progress_event(&event, NULL);
        figure->key(key, sizeof key, figure, run, missing[i]);
        code = figure->compute(&value, state, figure, run, missing[i]);
        if (code == EXIT_DONE && cli_interrupted()) code = EXIT_INTERRUPTED;
        if (code == EXIT_DONE) code = repro_store_add(store, key, value);
        json_decref(value);
    }
    cli_progress_clear();
    if (figure->close) figure->close(state, run);
    return code;
}

static json_t *stored(const repro_figure *figure, const repro_run *run, const repro_store *store,
                      int unit) {
    char key[KEY];
    figure->key(key, sizeof key, figure, run, unit);
    return json_object_get(store->units, key);
}

static json_t *settle(const repro_figure *figure, const repro_run *run, const repro_store *store,
                      int count) {
    json_t **values = malloc((size_t)(count + 1) * sizeof *values);
    double seconds = 0;
    if (!values) return NULL;
    for (int i = 0; i < count; i++) {
        values[i] = stored(figure, run, store, i);
        seconds += json_number_value(json_object_get(values[i], "seconds"));
    }
    lab_machine machine = lab_find_machine(run->session->context);
    json_t *object = json_pack("{ss ss ss sb sI so si sf}", "figure", figure->name, "experiment",
                               figure->experiment, "title", figure->title, "quick", run->quick,
                               "seed", (json_int_t)run->seed, "machine", lab_machine_json(&machine),
                               "units", count, "seconds", seconds);
    json_t *rest = figure->settle(figure, run, values);
    if (!rest || json_object_update(object, rest) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(rest);
    free(values);
    return object;
}

int repro_figure_run(json_t **object, const repro_figure *figure, const repro_run *run,
                     repro_store *store) {
    int count = figure->count(figure, run), left = 0;
    int *missing = malloc((size_t)(count + 1) * sizeof *missing);
    if (!missing) return cli_no_memory();
    for (int i = 0; i < count; i++)
        if (!stored(figure, run, store, i)) missing[left++] = i;
    if (!run->session->common.quiet && left < count)
        cli_complain("%s: %d of %d parts were already finished by an earlier run", figure->name,
                     count - left, count);
    double start = cli_seconds();
    int code = compute_missing(figure, run, store, missing, left);
    free(missing);
    if (code != EXIT_DONE) return code;
    if (!run->session->common.quiet)
        cli_complain("%s: %d units, %.1f s", figure->name, left, cli_seconds() - start);
    *object = settle(figure, run, store, count);
    return *object ? EXIT_DONE : cli_no_memory();
}
