/* Reading the matrix of a command. */
#include "input.h"
#include "exit_codes.h"
#include "talk.h"
#include <conehull/comm.h>
#include <conehull/io.h>
#include <string.h>
#include <time.h>

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_input_options(cli_options *options, cli_input *input) {
    cli_options_add_flag(options, "Input", "transpose", 0,
                         "a data point is a row of the file, not a column; anchors are then row "
                         "numbers of the file",
                         &input->transpose);
    cli_options_add_text(options, "Input", "var", 0, "NAME",
                         "which matrix of a .mat, .npz or .h5 file that holds several",
                         &input->var);
}

int cli_input_read(cli_input *input, const cli_session *session, const char *file) {
    ch_read_settings settings = {input->var, input->transpose, 1};
    double start = cli_seconds();
    input->file = file;
    if (strcmp(file, "-") == 0) {
        cli_complain("-: standard input is not read; give the name of a file");
        return EXIT_USAGE;
    }
    ch_status status = ch_read_matrix(session->context, &input->X, file, &settings);
    if (status < 0) return cli_fail(session, status, NULL);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    input->cols = input->X.cols;
    input->nonzeros = ch_matrix_nonzeros(session->context, &input->X);
    status = ch_comm_count(session->context, &input->cols);
    if (status == CH_OK) status = ch_comm_count(session->context, &input->nonzeros);
    if (status < 0) return cli_fail(session, status, NULL);
    input->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

int cli_is_matrix_name(const char *path) {
    size_t length = strlen(path);
    for (const char *const *format = ch_read_formats(); *format; format++) {
        size_t suffix = strlen(*format);
        if (length > suffix + 1 && path[length - suffix - 1] == '.' &&
            strcmp(path + length - suffix, *format) == 0)
            return 1;
    }
    return 0;
}
