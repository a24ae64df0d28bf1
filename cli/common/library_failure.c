/* A failed call of the library: its reason in words, its status as an exit code. */
#include "common/command.h"
#include "common/exit_codes.h"
#include "common/message.h"

int cli_fail_about(const cli_session *session, ch_status status, const char *file,
                   const char *turned) {
    const char *reason = ch_context_message(session->context);
    if (!reason[0])
        reason = ch_status_sentence(status);
    else if (status == CH_ERR_IO)
        file = NULL; /* it names the file it is about: a checkpoint, say */
    if (file)
        cli_complain("%s%s: %s", file, turned, reason);
    else
        cli_complain("%s", reason);
    return cli_exit_code(status);
}

int cli_fail(const cli_session *session, ch_status status, const char *file) {
    return cli_fail_about(session, status, file, "");
}
