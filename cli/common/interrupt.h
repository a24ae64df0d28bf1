/* Ctrl-C: the first one asks the running call to stop at its next progress event; the second one
 * ends the program at once. SIGTERM and SIGHUP count as Ctrl-C. */
#pragma once

void cli_interrupt_watch(void);

/* A message on a terminal confirms the first signal, since what runs may be far from its next
 * event; not from now on: --quiet, or another process of the same run prints. */
void cli_interrupt_mute(void);

/* Whether a signal has come that ends the work. */
int cli_interrupted(void);

/* From now on the first signal ends the input alone: cli_interrupted() stays 0, and what was read
 * is worked on to the end. The second signal ends the program at once, as ever. */
void cli_interrupt_ends_input(void);
/* Whether a signal has come. */
int cli_input_interrupted(void);

/* A second signal removes the folder `temporary` and the files in it, then the folder `created`
 * if it is empty. Either may be NULL; both must stay valid until the next call. */
void cli_interrupt_removes(const char *temporary, const char *created);
