/* --checkpoint FILE and --resume. A message at the start says what was found, and one at the end
 * how to resume. */
#include "options/checkpoint_option.h"

#define AT(field) .at = offsetof(cli_checkpoint, field)
const cli_option_row cli_checkpoint_rows[] = {
    {"Common options", "checkpoint", 0, "FILE", AT(path),
     "save progress in FILE, so that a run that is interrupted or killed can be resumed with "
     "--resume. The file is removed when the run finishes",
     .written = 1},
    {"Common options", "resume", 0, NULL, AT(resume),
     "continue the run that is saved in --checkpoint FILE, with the same input and options. The "
     "result has the same bits as that of a run without interruption. If FILE does not exist, the "
     "run starts from the beginning"},
    {0}};

int cli_checkpoint_open(const cli_session *session, cli_checkpoint *checkpoint) {
    const char *command = session->options.command;
    checkpoint->file = NULL;
    checkpoint->found = 0;
    if (!checkpoint->path && !checkpoint->resume) return EXIT_DONE;
    if (!checkpoint->path)
        return cli_refuse("%s: --resume cannot be used without --checkpoint FILE, which names the "
                          "file to resume from",
                          command);
    checkpoint->elsewhere.size = sizeof checkpoint->elsewhere;
    checkpoint->elsewhere.name = checkpoint->path;
    ch_status status = CH_OK;
    int refused = 0;
    if (cli_is_first(session)) /* the first process writes for all; the others get an unused
                                  table */
        status = ch_checkpoint_file_open(session->context, &checkpoint->file, checkpoint->path, 1);
    if (checkpoint->file) checkpoint->found = ch_checkpoint_file_records(checkpoint->file);
    /* The file holds a run, but --resume was not given. The message names the option, so the file
     * is always opened for resuming. */
    if (!checkpoint->resume && checkpoint->found > 0) {
        ch_checkpoint_file_close(checkpoint->file, 0);
        checkpoint->file = NULL;
        refused = 1;
    }
    status = ch_comm_agree(session->context, refused ? CH_ERR_ARGUMENT : status);
    if (refused)
        return cli_refuse("%s: the checkpoint %s belongs to a run that was not finished; resume "
                          "that run (--resume), or remove the file",
                          command, checkpoint->path);
    if (status < 0) return cli_fail(session, status, command);
    if (checkpoint->file && checkpoint->resume && !session->common.quiet)
        cli_complain(checkpoint->found > 0 ? "%s: the run is resumed from the checkpoint %s"
                                           : "%s: there is no run to resume in the checkpoint %s, "
                                             "so the run starts from the beginning",
                     command, checkpoint->path);
    return EXIT_DONE;
}

const ch_checkpoint *cli_checkpoint_table(const cli_checkpoint *checkpoint) {
    if (checkpoint->file) return ch_checkpoint_file_interface(checkpoint->file);
    return checkpoint->path ? &checkpoint->elsewhere : NULL;
}

void cli_checkpoint_close(const cli_session *session, cli_checkpoint *checkpoint, int finished,
                          int code) {
    if (!checkpoint->file) return;
    int64_t records = ch_checkpoint_file_records(checkpoint->file);
    int more = records > checkpoint->found || code == EXIT_INTERRUPTED;
    int useful = !finished && records > 1 && more, keep = finished && checkpoint->keep;
    ch_status status = ch_checkpoint_file_close(checkpoint->file, finished && !keep);
    checkpoint->file = NULL;
    if (status < 0)
        cli_fail(session, status, session->options.command);
    else if (keep)
        cli_complain("the checkpoint %s is kept; the same command with --resume and without "
                     "--select-only computes H",
                     checkpoint->path);
    else if (useful)
        cli_complain(
            "the progress is saved in %s; the same command with --resume continues from there",
            checkpoint->path);
}
