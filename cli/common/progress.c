/* The progress line. It is drawn at most ten times a second, so that its cost is negligible. */
#include "common/progress.h"
#include "common/command.h"
#include "common/interrupt.h"
#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 30, TEXT = 48 /* length of the text next to the bar */ };

static struct {
    int enabled, visible;
    char phase[16];
    double phase_start, last_draw;
    int64_t done; /* progress of the phase at the last event           */
    double ends;  /* estimated end time; 0 if there is no estimate yet */
} line;

/* Shorter phases are not drawn, because lines that come and go at once flicker. */
static const double LEAST_SECONDS = 0.2;

static int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

void cli_progress_start(int quiet) {
    const char *term = getenv("TERM");
    int dumb = term && strcmp(term, "dumb") == 0;
    line.enabled = !quiet && !dumb && isatty(STDERR_FILENO);
}

void cli_progress_clear(void) {
    if (line.visible) fputs("\r\033[K", stderr);
    line.visible = 0;
}

/* Updates the estimated end, but only if progress was made; in between, the time left decreases. */
static void tell_end(const ch_progress_event *event, double time) {
    if (event->done == line.done) return;
    double elapsed = time - line.phase_start, part = (double)event->done / (double)event->total;
    line.done = event->done;
    line.ends = elapsed > 1 && part > 0 ? time + elapsed * (1 - part) / part : 0;
}

static void draw_known(const ch_progress_event *event, double time) {
    double part = (double)event->done / (double)event->total;
    int bar = terminal_width() - TEXT;
    bar = bar > BAR ? BAR : bar < 0 ? 0 : bar;
    int full = (int)(part * bar);
    fprintf(stderr, "\r\033[K%-8s ", line.phase);
    if (bar) fputc('[', stderr);
    for (int i = 0; i < bar; i++) fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "%s%3d%%  %lld of %lld", bar ? "] " : "", (int)(100 * part),
            (long long)event->done, (long long)event->total);
    if (line.ends > time) {
        double left = ceil(line.ends - time);
        fprintf(stderr, "  %d:%02d left", (int)(left / 60), (int)fmod(left, 60));
    }
}

void cli_progress_line(const char *format, ...) {
    double time = cli_seconds();
    if (!line.enabled || time - line.last_draw < 0.1) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
    line.last_draw = time;
    line.visible = 1;
}

int cli_progress_event(const ch_progress_event *event, void *user) {
    (void)user;
    double time = cli_seconds();
    if (line.enabled && strcmp(line.phase, event->phase) != 0) {
        snprintf(line.phase, sizeof line.phase, "%s", event->phase);
        line.phase_start = time;
        line.done = 0;
        line.ends = 0;
    }
    if (line.enabled && event->total > 0) tell_end(event, time);
    if (line.enabled && event->total > 0 && event->done >= event->total) {
        cli_progress_clear(); /* results may follow */
        fflush(stderr);
    } else if (line.enabled && time - line.last_draw >= 0.1 &&
               time - line.phase_start >= LEAST_SECONDS) {
        if (event->total > 0)
            draw_known(event, time);
        else
            fprintf(stderr, "\r\033[K%-8s %lld", line.phase, (long long)event->done);
        fflush(stderr);
        line.last_draw = time;
        line.visible = 1;
    }
    return cli_interrupted();
}
