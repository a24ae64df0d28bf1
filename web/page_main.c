/* The program inside the page: the commands of conehull that need nothing but the data. The page
 * gives its words to main() as a shell would, so options, messages, JSON and result folders are
 * those of the command. */
#include "main/program.h"

static const cli_command *const commands[] = {&cli_cmd_anchors, NULL};

int main(int count, char **words) {
    static const cli_program program = {
        "conehull", "The anchor columns of a non-negative matrix, in a browser.\n", commands};
    return cli_program_run(&program, count, words);
}
