/* Ctrl-C: the first one asks the running call to stop at its next progress event; the second one
 * ends the program at once. SIGTERM and SIGHUP count as Ctrl-C. */
#ifndef CONEHULL_CLI_INTERRUPT_H
#define CONEHULL_CLI_INTERRUPT_H

void cli_interrupt_watch(void);

/* Whether a signal has come. */
int cli_interrupted(void);

/* While files are being written a second signal waits too, so that the writer can take its
 * temporary files away; writing is cut into small pieces, so it does not wait long. */
void cli_interrupt_hold(int writing);

#endif
