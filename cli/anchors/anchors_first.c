/* Anchors first. They are chosen long before the last column is projected: where that takes more
 * than a few seconds, the anchors are printed with the time left, estimated from the columns that
 * are done. */
#include "anchors/anchors_command.h"
#include "common/progress.h"
#include <math.h>

static const double MEASURED = 0.3; /* seconds of projecting that the estimate needs        */
static const double WORTH = 4;      /* seconds left that somebody would rather not wait for */

static void print_numbers(const ch_anchors_result *found, const cli_names *names) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    for (int64_t k = 0; k < found->rank && to; k++) {
        const char *name = cli_column_name(names, found->anchors[k]);
        fprintf(to, "%s%lld", k ? " " : "", (long long)found->anchors[k]);
        if (name) fprintf(to, " (%s)", cli_plain(name));
    }
    if (to && fclose(to) == 0) cli_complain("anchors: %s", text);
    free(text);
}

/* "40 s", "25 min", "3 h 20 min" */
static void time_text(char *text, size_t size, double seconds) {
    int minutes = (int)ceil(seconds / 60);
    if (seconds < 100)
        snprintf(text, size, "%.0f s", ceil(seconds));
    else if (minutes < 100)
        snprintf(text, size, "%d min", minutes);
    else
        snprintf(text, size, "%d h %02d min", minutes / 60, minutes % 60);
}

static void say(anchors_arguments *given, double left) {
    anchors_early *early = &given->early;
    char time[40];
    cli_progress_clear();
    early->said = 1;
    if (!early->session->common.json) {
        anchors_print_table(given, early->found);
        fflush(stdout); /* whoever reads them wants them now */
    }
    if (early->session->common.quiet) return;
    if (early->session->common.json) print_numbers(early->found, &given->input.names);
    time_text(time, sizeof time, left);
    cli_complain(
        "the weights of %lld %s are computed now, which takes about %s; --select-only skips this",
        (long long)given->input.cols, given->input.transpose ? "rows" : "columns", time);
}

/* With --path a table has values that the projections of all ranks give, one after the other. */
static int watch(const ch_progress_event *event, void *user) {
    anchors_arguments *given = user;
    anchors_early *early = &given->early;
    if (early->found && !early->said && !given->settings.path &&
        strcmp(event->phase, "project") == 0 && event->done > 0) {
        double took = cli_seconds() - early->began;
        double left = took * (double)(event->total - event->done) / (double)event->done;
        if (took >= MEASURED && left >= WORTH && cli_is_first(early->session)) say(given, left);
    }
    return cli_progress_event(event, NULL);
}

static void selected(void *user, const ch_anchors_result *found) {
    anchors_arguments *given = user;
    given->early.found = found;
    given->early.began = cli_seconds();
    cli_weights_measure(&given->weights, found, &given->settings);
}

void anchors_early_watch(anchors_arguments *given, const cli_session *session) {
    given->early = (anchors_early){.session = session};
    if (given->settings.select_only) return;
    given->settings.selected = selected;
    given->settings.selected_user = given;
    ch_context_set_progress(session->context, watch, given);
}

void anchors_early_end(anchors_arguments *given) {
    if (!given->settings.selected) return;
    given->settings.selected = NULL;
    ch_context_set_progress(given->early.session->context, cli_progress_event, NULL);
}
