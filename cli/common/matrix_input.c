/* Reading the matrix of a command. */
#include "common/matrix_input.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <conehull/comm.h>
#include <conehull/io.h>
#include <stdlib.h>
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

void cli_input_memory(cli_options *options, const char *group, cli_input *input) {
    cli_options_add_text(
        options, group, "memory", 0, "LIMIT",
        "memory to stay below, from 512M on, as in 1.5G; a .npy larger than that is "
        "read again and again from its file, a dense .h5 from a scratch file in "
        "$TMPDIR (else /var/tmp). Without it: what there is",
        &input->memory);
}

/* 800M, 1.5G, 100000000: bytes, or 0. */
static int64_t parse_bytes(const char *text) {
    static const char units[] = "KMGT";
    if (*text < '0' || *text > '9') return 0;
    char *end;
    double value = strtod(text, &end);
    if (!(value > 0)) return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (int k = 0; unit && k <= unit - units; k++) value *= 1024;
    if (*end && (!unit || end[1])) return 0;
    return value < 0x1p62 ? (int64_t)value : 0;
}

/* What the process holds besides: the program, its libraries, the threads' stacks. */
enum { LEAST_MEMORY = 512 << 20, PROGRAM = 48 << 20 };

/* *bytes: the limit, 0 without one. */
static int take_memory(const cli_session *session, const cli_input *input, int64_t *bytes) {
    *bytes = input->memory ? parse_bytes(input->memory) : 0;
    if (!input->memory) return EXIT_DONE;
    if (*bytes < LEAST_MEMORY) {
        cli_complain("%s: --memory must be a size from %dM on, as in 800M or 1.5G; got '%s'",
                     session->options.command, LEAST_MEMORY >> 20, input->memory);
        return EXIT_USAGE;
    }
    ch_context_set_memory_limit(session->context, *bytes - PROGRAM);
    return EXIT_DONE;
}

/* Where large files may go: not /tmp, which is memory on many systems. */
static const char *scratch_folder(void) {
    const char *asked = getenv("TMPDIR");
    return asked && *asked ? asked : "/var/tmp";
}

int cli_refuse_stdin(const char *path) {
    if (strcmp(path, "-") != 0) return EXIT_DONE;
    cli_complain("-: standard input is not read; give the name of a file");
    return EXIT_USAGE;
}

int cli_input_read(cli_input *input, const cli_session *session, const char *file) {
    ch_matrix_read_settings settings = {input->var, input->transpose, 1, NULL};
    double start = cli_seconds();
    input->file = file;
    if (cli_refuse_stdin(file) != EXIT_DONE) return EXIT_USAGE;
    int64_t memory;
    int code = take_memory(session, input, &memory);
    if (code != EXIT_DONE) return code;
    if (memory > 0) settings.scratch = scratch_folder();
    ch_status status = ch_matrix_read(session->context, &input->X, file, &settings);
    if (status == CH_OK) {
        status = ch_matrix_limit(session->context, &input->X, memory);
        if (status < 0) ch_matrix_free(session->context, &input->X);
    }
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

const char *cli_input_turned(const cli_input *input) {
    return input->transpose ? ", transposed" : "";
}

int cli_input_fail(const cli_session *session, ch_status status, const cli_input *input) {
    return cli_fail_about(session, status, input->file, cli_input_turned(input));
}

int cli_is_matrix_name(const char *path) {
    size_t length = strlen(path);
    for (const char *const *format = ch_matrix_formats(); *format; format++) {
        size_t suffix = strlen(*format);
        if (length > suffix + 1 && path[length - suffix - 1] == '.' &&
            strcmp(path + length - suffix, *format) == 0)
            return 1;
    }
    return 0;
}
