/* A progress line on stderr: phase, bar, percent, time left. Only on a terminal. */
#pragma once

#include <conehull/context.h>

/* Draws from now on, unless quiet or stderr is not a terminal. */
void cli_progress_start(int quiet);

/* A ch_progress_fn: draws, and asks the call to stop once a signal has come. */
int cli_progress_event(const ch_progress_event *event, void *user);

/* Draws a line of the caller's own instead, at most ten times a second. */
void cli_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the line away; the next event draws it again. */
void cli_progress_clear(void);
