/* conehull info: what this program is and what it found on this machine. */
#include "command.h"
#include "exit_codes.h"
#include "json.h"
#include <conehull/version.h>
#include <stdio.h>

static int run_info(cli_session *session) {
    int threads = ch_context_threads(session->context);
    if (session->common.json)
        return cli_json_print(
            json_pack("{ss si sb}", "version", ch_version(), "threads", threads, "mpi", 0));
    printf("conehull  %s\n", ch_version());
    printf("threads   %d\n", threads);
    printf("MPI       no\n");
    return EXIT_DONE;
}

const cli_command cli_cmd_info = {
    .name = "info",
    .summary = "version, processor kernels and threads",
    .synopsis = "[--json]",
    .about = "Prints what speed depends on. Please add it to reports of bugs and timings.\n",
    .examples = "  conehull info\n"
                "  conehull info --json\n",
    .common = CLI_JSON,
    .run = run_info,
};
