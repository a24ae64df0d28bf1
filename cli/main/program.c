/* Finds a command, prints help, and does what all commands share. */
#include "main/program.h"
#include "common/input_guard.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "main/launch.h"
#include "options/options.h"
#include <conehull/version.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const cli_program *program; /* the running one */

/* Row i belongs to bit i of cli_command.common. */
static const ch_setting common_rows[] = {
    {"threads", CH_SETTING_INT, offsetof(cli_common, threads), 0, 0, 1024, NULL, "N",
     "number of threads; 0: one per core. The results are the same for any number"},
    {"quiet", CH_SETTING_FLAG, offsetof(cli_common, quiet), 0, 0, 1, NULL, NULL,
     "on stderr, print only errors: no progress, no warnings"},
    {"json", CH_SETTING_FLAG, offsetof(cli_common, json), 0, 0, 1, NULL, NULL,
     "print the result as one JSON object"},
    {"help", CH_SETTING_FLAG, offsetof(cli_common, help), 0, 0, 1, NULL, NULL,
     "show the most common options"},
    {"help-all", CH_SETTING_FLAG, offsetof(cli_common, help_all), 0, 0, 1, NULL, NULL,
     "show all options and explain the output"},
};
static const ch_settings_table *common_table(void) {
    static const ch_settings_table described = {"common", common_rows, 5, sizeof(cli_common)};
    return &described;
}

static const cli_option_row kernel_row[] = {
    {"Common options", "kernel", 0, "NAME", .at = offsetof(cli_common, kernel),
     "instruction set to use: auto (default) for the best one that this processor supports, or a "
     "name that 'conehull info --kernels' lists. Results of different sets differ by rounding"},
    {0}};

static const cli_command *find_command(const char *name) {
    for (const cli_command *const *at = program->commands; *at; at++)
        if (strcmp((*at)->name, name) == 0) return *at;
    return NULL;
}

static int unknown_command(const char *name) {
    enum { MOST = 32 };
    const char *known[MOST];
    int count = 0;
    for (; count < MOST && program->commands[count]; count++)
        known[count] = program->commands[count]->name;
    const char *guess = cli_closest(name, known, count);
    const char *kind = name[0] == '-' ? "option" : "command";
    return cli_refuse("unknown %s %s;%s%s%s '%s --help' lists the commands", kind, name,
                      guess ? " did you mean " : "", guess ? guess : "", guess ? "?" : "",
                      program->name);
}

static void print_overview(FILE *to) {
    const char *name = program->name;
    fprintf(to, "%s\nusage: %s COMMAND [arguments and options]\n\nCommands:\n", program->about,
            name);
    for (const cli_command *const *at = program->commands; *at; at++)
        fprintf(to, "  %-10s %s\n", (*at)->name, (*at)->summary);
    fprintf(to,
            "\n"
            "'%s COMMAND --help' explains a command and shows examples, --help-all has all\n"
            "of its options; '%s --version' prints the version. Columns are numbered from 0.\n"
            "\n",
            name, name);
    cli_exit_codes_print(to, ";\n       or 'conehull verify' found an error");
}

/* Prints the short help: the first paragraph, examples, and a line for each common option. */
static void print_short_help(const cli_command *command, const cli_options *options) {
    const char *about = command->intro ? command->intro : command->about;
    const char *end = about ? strstr(about, "\n\n") : NULL;
    printf("conehull %s - %s\n\n", command->name, command->summary);
    int at = printf("usage: conehull %s", command->name);
    cli_wrap(stdout, command->synopsis, at, at + 1);
    if (about) printf("\n%.*s", (int)(end ? (size_t)(end + 1 - about) : strlen(about)), about);
    printf("\nExamples:\n%s", command->examples);
    cli_options_short_help(options, command->basics);
    printf("\n'conehull %s --help-all' lists all options with their meaning.\n", command->name);
}

static void print_help(const cli_command *command, const cli_options *options) {
    printf("conehull %s - %s\n\n", command->name, command->summary);
    int at = printf("usage: conehull %s", command->name);
    cli_wrap(stdout, command->synopsis, at, at + 1);
    if (command->about) printf("\n%s", command->about);
    printf("\nExamples:\n%s", command->examples);
    cli_options_help(options);
    if (command->details) printf("\n%s", command->details);
    putchar('\n');
    cli_exit_codes_print(stdout, command->exit_one);
}

static void describe(cli_session *session, const cli_command *command) {
    cli_options *options = &session->options;
    options->command = command->name;
    options->operand_names[0] = command->operand;
    if (command->rows) cli_options_add(options, command->rows, session->arguments);
    if (command->describe) command->describe(options, session->arguments);
    cli_options_add(options, kernel_row, &session->common);
    for (int i = 0; i < common_table()->count; i++) {
        if ((command->common | CLI_HELP | CLI_HELP_ALL) & 1 << i)
            cli_options_add(
                options,
                (cli_option_row[]){{"Common options", common_rows[i].name, .table = common_table},
                                   {0}},
                &session->common);
    }
}

static int has_option(const cli_command *command, const char *name) {
    cli_session session = {.arguments = calloc(1, command->arguments_size + 1)};
    int described = session.arguments && !command->program;
    if (described) describe(&session, command);
    int has = described && cli_options_find(&session.options, name);
    free(session.arguments);
    return has;
}

static void name_owners(char *list, size_t size, const char *name) {
    int left = 0;
    for (const cli_command *const *at = program->commands; *at; at++) left += has_option(*at, name);
    list[0] = 0;
    for (const cli_command *const *at = program->commands; *at && left > 0; at++) {
        if (!has_option(*at, name)) continue;
        size_t used = strlen(list);
        const char *gap = used == 0 ? "" : left == 1 ? " and " : ", ";
        snprintf(list + used, size - used, "%s%s", gap, (*at)->name);
        left--;
    }
}

/* Returns 1 for the short help, 2 for all of it. */
static int asks_for_help(int count, char **words) {
    int asks = 0;
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help-all") == 0)
            return 2;
        else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            asks = 1;
    return asks;
}

/* For cli/completion: prints what may follow `option` of a command; without one, the suffixes of
 * its files. */
static int print_completions(const cli_command *command, const char *option) {
    cli_session session = {.arguments = calloc(1, command->arguments_size + 1)};
    if (!session.arguments) return cli_no_memory();
    if (!command->program) describe(&session, command);
    if (option)
        cli_options_complete(&session.options, option);
    else
        for (const char *const *at = command->files ? command->files() : NULL; at && *at; at++)
            puts(*at);
    free(session.arguments);
    return EXIT_DONE;
}

/* Without --threads, processes on one machine share its cores. */
static ch_status prepare_context(const cli_session *session) {
    ch_context *context = session->context;
    int threads = (int)session->common.threads, share = cli_launch_threads();
    ch_status status = ch_context_set_kernel(context, session->common.kernel);
    if (status == CH_OK) status = ch_context_set_threads(context, threads);
    if (status == CH_OK && threads == 0 && share > 0 && share < ch_context_threads(context))
        status = ch_context_set_threads(context, share);
    return status == CH_OK ? ch_context_set_comm(context, cli_launch_comm()) : status;
}

static int refuse_ranks(const cli_command *command) {
    return cli_refuse(
        "the command %s does not support several processes; only 'anchors' and 'project' do",
        command->name);
}

static int run_parsed(cli_session *session, const cli_command *command) {
    ch_context *context = session->context;
    ch_status status = prepare_context(session);
    if (status < 0) return cli_fail(session, status, NULL);
    if (cli_launch_comm() && !command->ranks) return refuse_ranks(command);
    ch_context_set_log(context, cli_hear_log, session);
    ch_context_set_progress(context, cli_progress_event, NULL);
    int silent = cli_launch_comm() && cli_launch_comm()->process > 0;
    cli_progress_start(session->common.quiet || silent);
    if (session->common.quiet || silent) cli_interrupt_mute();
    int code = cli_inputs_guard(&session->options, command->writes);
    if (code == EXIT_DONE) code = command->run(session);
    cli_progress_clear();
    return code;
}

static int run_command(const cli_command *command, int count, char **words) {
    static char note[CLI_NOTE];
    cli_session session = {.common.size = sizeof session.common,
                           .note = note,
                           .argc = count,
                           .argv = words,
                           .arguments = calloc(1, command->arguments_size + 1)};
    if (!session.arguments || ch_context_create(&session.context, NULL) < 0) {
        free(session.arguments);
        return cli_no_memory();
    }
    int code = EXIT_DONE, helps = asks_for_help(count, words);
    describe(&session, command);
    session.options.owners = name_owners;
    if (helps)
        (helps == 2 ? print_help : print_short_help)(command, &session.options);
    else
        code = cli_options_parse(&session.options, session.context, count, words);
    if (code == EXIT_DONE && !helps) code = run_parsed(&session, command);
    ch_context_destroy(session.context);
    free(session.options.all);
    free(session.arguments);
    return code;
}

/* Returns the command of `NAME command ...` or `NAME help command`, or NULL. */
static const cli_command *named_command(int count, char **words) {
    if (count < 2) return NULL;
    return find_command(words[count > 2 && strcmp(words[1], "help") == 0 ? 2 : 1]);
}

static int dispatch(int count, char **words) {
    if (count < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *word = words[1];
    if (strcmp(word, "--version") == 0) {
        printf("%s %s\n", program->name, ch_version());
        return EXIT_DONE;
    }
    int help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && count == 2)) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    const cli_command *command = named_command(count, words);
    if (strcmp(word, "--complete") == 0 && count > 2 && (command = find_command(words[2])))
        return print_completions(command, count > 3 ? words[3] : NULL);
    if (!command) return unknown_command(help ? words[2] : word);
    char *ask[] = {"--help"};
    return help ? run_command(command, 1, ask) : run_command(command, count - 2, words + 2);
}

/* If standard streams are closed, the first opened files would get their numbers. This opens them
 * with the wrong direction instead, so that their use fails with "Bad file descriptor". */
static void occupy_standard_streams(void) {
    for (int stream = 0; stream < 3; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            if (open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) < 0) abort();
}

/* Results contain file names and the command, and JSON must be UTF-8. */
static int check_words(int count, char **words) {
    for (int i = 1; i < count; i++) {
        json_t *text = json_string(words[i]);
        if (!text)
            return cli_refuse("argument %d is not valid UTF-8, so it cannot be stored in results; "
                              "rename the file, or use a link to it",
                              i);
        json_decref(text);
    }
    return EXIT_DONE;
}

static int run_here(int count, char **words) {
    cli_interrupt_watch();
    int code = check_words(count, words);
    if (code == EXIT_DONE) code = dispatch(count, words);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code <= EXIT_EARLY)
        code = cli_error(EXIT_FILES, "the results cannot be written to standard output: %s",
                         errno ? strerror(errno) : "the write failed");
    return code;
}

int cli_program_run(const cli_program *running, int count, char **words) {
    program = running;
    occupy_standard_streams();
    cli_blas_start(words);
    int code = cli_launch_begin(&count, &words);
    if (code != EXIT_DONE) return code;
    const cli_command *command = named_command(count, words);
    if (!command || !command->program)
        code = run_here(count, words);
    else if (cli_launch_comm())
        code = refuse_ranks(command);
    else /* it watches for signals itself */
        code = cli_hand_over(command->program, command->name, words);
    return cli_launch_end(code);
}
