/* A progress line on stderr: phase, bar, percent, time left. Only on a terminal. */
#pragma once

#include <conehull/context.h>

/* Enables drawing, unless quiet or stderr is not a terminal. */
void cli_progress_start(int quiet);

/* A ch_progress_fn: draws, and asks the call to stop after a signal was received. */
int cli_progress_event(const ch_progress_event *event, void *user);

/* Draws the caller's own line instead, at most ten times a second. */
void cli_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes the line; the next event draws it again. */
void cli_progress_clear(void);
