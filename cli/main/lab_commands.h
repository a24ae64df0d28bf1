/* What `conehull --help` says about the commands of conehull-lab, which says it too. */
#ifndef CONEHULL_LAB_COMMANDS_H
#define CONEHULL_LAB_COMMANDS_H

#define CLI_REPRODUCE_SUMMARY "the paper's experiments again, and which of its claims hold"
#define CLI_BENCH_SUMMARY "how fast it is here: ratios to other methods and to the memory"

#endif
