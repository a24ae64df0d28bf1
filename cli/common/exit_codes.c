/* Statuses of the library as exit codes and as names in JSON. */
#include "common/exit_codes.h"
#include <stddef.h>

static const struct row {
    ch_status status;
    int code;
    const char *name;
} rows[] = {
    {CH_OK, EXIT_DONE, "done"},
    {CH_STOP_COMPLETE, EXIT_DONE, "complete"},
    {CH_STOP_ITER, EXIT_EARLY, "iterations"},
    {CH_STOP_TIME, EXIT_EARLY, "time"},
    {CH_STOP_CANCELLED, EXIT_INTERRUPTED, "cancelled"},
    {CH_STOP_INACCURATE, EXIT_EARLY, "inaccurate"},
    {CH_ERR_ARGUMENT, EXIT_USAGE, "failed"},
    {CH_ERR_SETTING, EXIT_USAGE, "failed"},
    {CH_ERR_DATA, EXIT_USAGE, "failed"},
    {CH_ERR_MEMORY, EXIT_MEMORY, "failed"},
    {CH_ERR_IO, EXIT_FILES, "failed"},
    {CH_ERR_FORMAT, EXIT_USAGE, "failed"},
    {CH_ERR_UNSUPPORTED, EXIT_USAGE, "failed"},
};

static const struct row *find(ch_status status) {
    static const struct row unknown = {.code = EXIT_EARLY, .name = "failed"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status) return &rows[i];
    return &unknown;
}

int cli_exit_code(ch_status status) {
    return find(status)->code;
}

const char *cli_status_name(ch_status status) {
    return find(status)->name;
}

static const char early[] =
    "  1    the result is usable, but the status is \"iterations\" or \"time\" (a limit\n"
    "       was reached) or \"inaccurate\" (less accurate than requested)";

void cli_exit_codes_print(FILE *to, const char *one) {
    fprintf(to,
            "Exit codes:\n"
            "  0    done\n"
            "%s%s\n"
            "  2    wrong use, or bad data (truncated files included)\n"
            "  3    a file cannot be read or written\n"
            "  4    not enough memory\n"
            "  130  interrupted (Ctrl-C); no unfinished file is left behind\n",
            one && *one != ';' ? "  1    " : early, one ? one : "");
}
