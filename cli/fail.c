/* A failed call of the library: its reason in words, its status as an exit code. */
#include "command.h"
#include "exit_codes.h"
#include "talk.h"

int cli_fail(const cli_session *session, ch_status status, const char *file) {
    const char *reason = ch_context_message(session->context);
    if (!reason[0]) reason = ch_status_sentence(status);
    cli_complain("%s%s%s", file ? file : "", file ? ": " : "", reason);
    return cli_exit_code(status);
}
