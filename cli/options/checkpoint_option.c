/* --checkpoint FILE and --resume: opening with a word on what was found, closing with one on how to
 * go on. */
#include "options/checkpoint_option.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <conehull/comm.h>
#include <stdio.h>

void cli_checkpoint_options(cli_options *options, const char *group, cli_checkpoint *checkpoint) {
    cli_options_add_text(
        options, group, "checkpoint", 0, "FILE",
        "keep what is done in FILE, after every anchor and every block of a fit, so "
        "that a run which is stopped or killed need not begin again; a finished "
        "run removes it",
        &checkpoint->path);
    cli_options_add_flag(options, group, "resume", 0,
                         "go on from --checkpoint FILE, with the same input and options, and end "
                         "with the same bits; without such a file the run begins at the beginning",
                         &checkpoint->resume);
}

/* Rank 0 keeps the file for all; a table that is never asked stands for it elsewhere. */
static int keeps_file(const cli_session *session) {
    const ch_comm *comm = ch_context_comm(session->context);
    return !comm || comm->rank == 0;
}

/* A run in the file that nobody asked to go on with. It is the command that says by which option
 * that is done, so the file is opened to go on in any case. */
static int refuses_run(cli_checkpoint *checkpoint) {
    if (checkpoint->resume || checkpoint->found == 0) return 0;
    ch_checkpoint_close(checkpoint->file, 0);
    checkpoint->file = NULL;
    return 1;
}

int cli_checkpoint_open(const cli_session *session, cli_checkpoint *checkpoint) {
    const char *command = session->options.command;
    checkpoint->file = NULL;
    if (!checkpoint->path && !checkpoint->resume) return EXIT_DONE;
    if (!checkpoint->path) {
        cli_complain("%s: --resume needs --checkpoint FILE, the file to go on from", command);
        return EXIT_USAGE;
    }
    checkpoint->elsewhere.name = checkpoint->path;
    ch_status status = CH_OK;
    int refused = 0;
    if (keeps_file(session))
        status = ch_checkpoint_open(session->context, &checkpoint->file, checkpoint->path, 1);
    if (checkpoint->file) {
        checkpoint->found = ch_checkpoint_records(checkpoint->file);
        refused = refuses_run(checkpoint);
    }
    status = ch_comm_agree(session->context, refused ? CH_ERR_ARGUMENT : status);
    if (refused) {
        cli_complain("%s: %s holds a run that was not finished: resume it (--resume), or remove "
                     "the file",
                     command, checkpoint->path);
        return EXIT_USAGE;
    }
    if (status < 0) return cli_fail(session, status, command);
    if (!checkpoint->file) return EXIT_DONE;
    if (checkpoint->resume && !session->common.quiet)
        cli_complain(checkpoint->found > 0
                         ? "%s: going on from %s, if it is of the same input and options"
                         : "%s: no run to go on with in %s; it begins at the beginning",
                     command, checkpoint->path);
    return EXIT_DONE;
}

const ch_checkpoint *cli_checkpoint_table(const cli_checkpoint *checkpoint) {
    if (checkpoint->file) return ch_checkpoint_table(checkpoint->file);
    return checkpoint->path ? &checkpoint->elsewhere : NULL;
}

void cli_checkpoint_close(const cli_session *session, cli_checkpoint *checkpoint, int finished,
                          int code) {
    if (!checkpoint->file) return;
    int64_t records = ch_checkpoint_records(checkpoint->file);
    int more = records > checkpoint->found || code == EXIT_INTERRUPTED;
    int kept = !finished && records > 1 && more;
    ch_status status = ch_checkpoint_close(checkpoint->file, finished);
    checkpoint->file = NULL;
    if (status < 0)
        cli_fail(session, status, session->options.command);
    else if (kept)
        cli_complain("what was done is in %s: the same command with --resume goes on from there",
                     checkpoint->path);
}
