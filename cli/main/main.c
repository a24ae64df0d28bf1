/* conehull COMMAND ...: the table of its commands. */
#include "main/program.h"

static const cli_command reproduce = {
    .name = "reproduce", .summary = CLI_REPRODUCE_SUMMARY, .program = "conehull-lab"};
static const cli_command bench = {
    .name = "bench", .summary = CLI_BENCH_SUMMARY, .program = "conehull-lab"};

static const cli_command *const commands[] = {
    &cli_cmd_anchors, &cli_cmd_verify,    &cli_cmd_project, &cli_cmd_stream, &cli_cmd_video,
    &cli_cmd_live,    &cli_cmd_exemplars, &cli_cmd_topics,  &cli_cmd_text,   &cli_cmd_unmix,
    &cli_cmd_demo,    &reproduce,         &bench,           &cli_cmd_info,   NULL};

int main(int count, char **words) {
    static const cli_program program = {
        "conehull",
        "conehull finds the anchor columns of a non-negative matrix: the few columns\n"
        "whose non-negative combinations explain all the others.\n",
        commands};
    return cli_program_run(&program, count, words);
}
