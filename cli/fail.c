/* A failed call of the library: its reason in words, its status as an exit code. */
#include "command.h"
#include "exit_codes.h"
#include "talk.h"

const char *cli_reason(const cli_session *session, ch_status status) {
    const char *words = ch_context_message(session->context);
    return words[0] ? words : ch_status_sentence(status);
}

int cli_fail(const cli_session *session, ch_status status, const char *file) {
    cli_complain("%s%s%s", file ? file : "", file ? ": " : "", cli_reason(session, status));
    return cli_exit_code(status);
}
