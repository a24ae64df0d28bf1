/* Functions shared by all commands: failed library calls as messages and exit codes, the command
 * line as typed, the clock. */
#include "common/command.h"
#include "common/progress.h"
#include <stdarg.h>
#include <time.h>

int cli_fail(const cli_session *session, ch_status status, const char *file) {
    const char *reason = ch_context_message(session->context);
    if (!reason[0])
        reason = ch_status_sentence(status);
    else if (status == CH_ERR_IO)
        file = NULL; /* the message names the file itself, for example a checkpoint */
    return cli_error(cli_exit_code(status), "%s%s%s", file ? file : "", file ? ": " : "", reason);
}

int cli_check_file(const cli_session *session, ch_status status, const char *file) {
    cli_progress_clear(); /* the call is over, and its result may be printed */
    if (status < 0) return cli_fail(session, status, file);
    return status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_DONE;
}

int cli_wrong_use(const cli_session *session, const char *format, ...) {
    const char *command = session->options.command;
    char mistake[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(mistake, sizeof mistake, format, arguments);
    va_end(arguments);
    return cli_refuse("%s: %s; see 'conehull %s --help'", command, mistake, command);
}

int cli_is_first(const cli_session *session) {
    const ch_comm *comm = ch_context_comm(session->context);
    return !comm || comm->process == 0;
}

/* Writes an argument in single quotes if needed; a quote itself is written as '\''. */
static void put_argument(FILE *to, const char *argument) {
    static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "-_=+./,:@%^";
    if (argument[0] && strspn(argument, harmless) == strlen(argument)) {
        fprintf(to, " %s", argument);
        return;
    }
    fputs(" '", to);
    for (; *argument; argument++)
        if (*argument == '\'')
            fputs("'\\''", to);
        else
            fputc(*argument, to);
    fputc('\'', to);
}

char *cli_command_line(const cli_session *session) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    fprintf(to, "conehull %s", session->options.command);
    for (int i = 0; i < session->argc; i++) put_argument(to, session->argv[i]);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_hear_log(ch_log_level level, const char *message, void *user) {
    const cli_session *session = user;
    if (level == CH_LOG_INFO && session->note) snprintf(session->note, CLI_NOTE, "%s", message);
    if (session->common.quiet || level > CH_LOG_INFO) return;
    cli_complain("%s%s", level == CH_LOG_WARNING ? "warning: " : "", message);
}
