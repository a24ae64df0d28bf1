/* Describes the machine and the build of a run. */
#include "lab.h"
#include <conehull/matrix.h>
#include <conehull/version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const char lab_commit[]; /* generated at build time */

static void find_processor(char *name, size_t size) {
    char line[256];
    FILE *from = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (from && fgets(line, sizeof line, from)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, size, "%s", strchr(line, ':') + 2);
        break;
    }
    if (from) fclose(from);
}

lab_machine lab_find_machine(const ch_context *context) {
    lab_machine machine = {.version = ch_version(),
                           .commit = lab_commit,
                           .kernel = ch_context_kernel(context),
                           .blas = ch_blas_name(),
                           .cores = (int)sysconf(_SC_NPROCESSORS_ONLN),
                           .threads = ch_context_threads(context)};
    find_processor(machine.processor, sizeof machine.processor);
    return machine;
}

json_t *lab_machine_json(const lab_machine *machine) {
    return json_pack("{ss ss ss si si ss ss}", "version", machine->version, "commit",
                     machine->commit, "processor", machine->processor, "cores", machine->cores,
                     "threads", machine->threads, "kernel", machine->kernel, "blas", machine->blas);
}
