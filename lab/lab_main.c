/* conehull-lab COMMAND ...: the program that `conehull reproduce` and `conehull bench` start. */
#include "common/interrupt.h"
#include "lab.h"
#include "main/program.h"

int lab_only_signals(const ch_progress_event *event, void *user) {
    (void)event, (void)user;
    return cli_interrupted();
}

static const cli_command *const commands[] = {&lab_cmd_reproduce, &lab_cmd_bench, NULL};

int main(int count, char **words) {
    static const cli_program program = {
        "conehull-lab",
        "conehull-lab is the laboratory of conehull: the experiments of the paper, and\n"
        "how fast conehull is. 'conehull reproduce' and 'conehull bench' start it.\n",
        commands};
    return cli_program_run(&program, count, words);
}
