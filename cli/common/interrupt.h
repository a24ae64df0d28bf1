/* Ctrl-C: the first asks the running call to stop at its next progress event; the second ends the
 * program immediately. SIGTERM and SIGHUP are treated like Ctrl-C. */
#pragma once

void cli_interrupt_watch(void);

/* Turns off the message on the terminal that confirms the first signal: for --quiet, or if another
 * process of the same run prints. (The message exists because the next event may be far away.) */
void cli_interrupt_mute(void);

/* Returns whether a signal was received that ends the work. */
int cli_interrupted(void);

/* From now on the first signal ends only the input: cli_interrupted() stays 0, and the data read so
 * far are processed to the end. The second signal still ends the program immediately. */
void cli_interrupt_ends_input(void);
/* Returns whether a signal was received. */
int cli_input_interrupted(void);

/* A second signal removes the folder `temporary` and the files in it, then the folder `created`
 * if it is empty. Either may be NULL; both must stay valid until the next call. */
void cli_interrupt_removes(const char *temporary, const char *created);
