/* conehull info: what this program is and what it found on this machine. */
#include "common/command.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "main/launch.h"
#include <conehull/clip.h>
#include <conehull/io.h>
#include <conehull/matrix.h>
#include <conehull/version.h>
#include <stdio.h>

static json_t *formats_json(void) {
    json_t *list = json_array();
    for (const char *const *format = ch_matrix_formats(); *format; format++)
        json_array_append_new(list, json_string(*format));
    return list;
}

static int run_info(cli_session *session) {
    int threads = ch_context_threads(session->context);
    const char *video = ch_video_library(), *mpi = cli_launch_library();
    if (session->common.json)
        return cli_json_print(json_pack("{ss ss ss si so ss? sb}", "version", ch_version(),
                                        "kernel", ch_kernel_name(), "blas", ch_blas_name(),
                                        "threads", threads, "formats", formats_json(), "video",
                                        video, "mpi", mpi != NULL));
    printf("conehull  %s\n", ch_version());
    printf("kernel    %s\n", ch_kernel_name());
    printf("BLAS      %s\n", ch_blas_name());
    printf("threads   %d\n", threads);
    printf("formats  ");
    for (const char *const *format = ch_matrix_formats(); *format; format++) printf(" %s", *format);
    printf("\nvideo     %s\n", video ? video : "no");
    printf("MPI       %s\n", mpi ? mpi : "no");
    return EXIT_DONE;
}

const cli_command cli_cmd_info = {
    .name = "info",
    .summary = "version, processor kernels, BLAS, threads, formats, video",
    .synopsis = "[--json]",
    .about = "Prints what speed depends on. Please add it to reports of bugs and timings.\n",
    .examples = "  conehull info\n"
                "  conehull info --json\n",
    .common = CLI_JSON,
    .ranks = 1,
    .run = run_info,
};
