/* conehull info: facts about this build and this machine. */
#include "main/launch.h"
#include <conehull/clip.h>
#include <conehull/cube.h>
#include <conehull/io.h>
#include <conehull/matrix.h>
#include <conehull/version.h>

typedef struct arguments {
    int kernels;
} arguments;

static const cli_option_row rows[] = {
    {"Options", "kernels", 0, NULL, .at = offsetof(arguments, kernels),
     "list the instruction sets that this build supports, best first, and the set in use"},
    {0}};

static json_t *formats_json(const char *const *formats) {
    json_t *list = json_array();
    for (const char *const *format = formats; *format; format++)
        list = cli_json_append(list, json_string(*format));
    return list;
}

static json_t *kernels_json(void) {
    json_t *list = json_array();
    for (int i = 0; ch_kernel_name(i); i++)
        list = cli_json_append(
            list, cli_json_pack("name:s usable:b", ch_kernel_name(i), ch_kernel_usable(i)));
    return list;
}

static int print_kernels(const char *in_use) {
    for (int i = 0; ch_kernel_name(i); i++)
        printf("%-9s %s\n", ch_kernel_name(i),
               !strcmp(ch_kernel_name(i), in_use) ? "in use"
               : ch_kernel_usable(i)              ? "usable"
                                                  : "not on this processor");
    return EXIT_DONE;
}

static int run_info(cli_session *session) {
    const arguments *given = session->arguments;
    int threads = ch_context_threads(session->context);
    const char *video = ch_video_library(), *mpi = cli_launch_library();
    const char *kernel = ch_context_kernel(session->context);
    if (session->common.json)
        return cli_json_print(cli_json_pack(
            "version:s kernel:s kernels:o blas:s threads:d formats:o cubes:o video:s mpi:b",
            ch_version(), kernel, kernels_json(), ch_blas_name(), threads,
            formats_json(ch_matrix_formats()), formats_json(ch_cube_formats()), video,
            mpi != NULL));
    if (given->kernels) return print_kernels(kernel);
    printf("conehull  %s\n", ch_version());
    printf("kernel    %s\n", kernel);
    printf("BLAS      %s\n", ch_blas_name());
    printf("threads   %d\n", threads);
    printf("formats  ");
    for (const char *const *format = ch_matrix_formats(); *format; format++) printf(" %s", *format);
    printf("\ncubes    ");
    for (const char *const *format = ch_cube_formats(); *format; format++) printf(" %s", *format);
    printf("\nvideo     %s\n", video ? video : "no");
    printf("MPI       %s\n", mpi ? mpi : "no");
    return EXIT_DONE;
}

const cli_command cli_cmd_info = {
    .name = "info",
    .summary = "show version, kernels, BLAS, threads, formats and video",
    .synopsis = "[--kernels] [--json]",
    .about = "Prints the version and what speed depends on: instruction set, BLAS, threads,\n"
             "and the supported file formats. Please add this output to bug reports and to\n"
             "measured times.\n",
    .examples = "  conehull info\n"
                "  conehull info --kernels\n"
                "  conehull info --json\n",
    .common = CLI_JSON,
    .ranks = 1,
    .arguments_size = sizeof(arguments),
    .rows = rows,
    .run = run_info,
};
