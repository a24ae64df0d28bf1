/* Options of a command. The parser, the checks and the help all use one list of options.
 *
 * Rows come from a settings table of the library (name, range, default and help are its own) or
 * are texts and flags of the command line alone. `--name value`, `--name=value`, `-n value` and
 * `-nvalue` are understood, options and operands may be mixed, `--` ends the options. */
#pragma once

#include <conehull/settings.h>

enum { CLI_OPTIONS_MAX = 80, CLI_OPERANDS_MAX = 4 };

/* A function that returns a settings table of the library, such as ch_anchors_table(). */
typedef const ch_settings_table *(*cli_settings_table)(void);

/* One option of a command. A command has a list of options that ends with a row without name:
 *
 *     #define AT(field) .at = offsetof(arguments, field)
 *     {"Options", "output", 'o', "DIR", AT(folder), "folder for the files"},      (const char *)
 *     {"Options", "soft", 0, NULL, AT(soft), "write soft.mkv too"},                (int)
 *     {"Options", "refit tol", AT(settings), .table = ch_separate_table, .cases = XRAY}, */
typedef struct cli_option_row {
    const char *group;        /* heading in the help */
    const char *name;         /* "select-only"; for settings one or several, separated by blanks, or
                                 "+": all of the table that have no option yet */
    char letter;              /* 'r' for -r, or 0                                              */
    const char *value;        /* name of the value in the help; NULL: the option is a flag     */
    size_t at;                /* offset in the arguments of the text, the flag or the settings */
    const char *help;         /* for a setting: replaces the table's help, or NULL             */
    cli_settings_table table; /* table of the settings; NULL: not a setting                    */
    /* bits, defined by the command, of the cases in which the option has an effect; 0: always */
    int64_t cases;
    /* choices of the setting that are not available in this command, "a|b"; or NULL */
    const char *hidden;
    const char *why;   /* the reason why they are not available: "is ..."                       */
    const char *words; /* for a value: possible words, or elements of a list, "a|b"; for shells */
    int written;       /* the value names a file that the run writes                            */
} cli_option_row;

/* Cases that several commands share: the kind of input. */
#define CLI_FROM_MATRIX ((int64_t)1 << 40)
#define CLI_FROM_TEXT ((int64_t)1 << 41)
#define CLI_FROM_FRAMES ((int64_t)1 << 42)
#define CLI_FROM_ANY (CLI_FROM_MATRIX | CLI_FROM_TEXT | CLI_FROM_FRAMES)

typedef struct cli_option {
    cli_option_row row;
    char flag[32]; /* name of the option on the command line, without "--" */
    void *place;   /* address of the value: row.at bytes from the start of the arguments */
    const ch_setting *setting;
    int given; /* 1: the option was given on the command line */
} cli_option;

typedef struct cli_options {
    const char *command;
    cli_option rows[CLI_OPTIONS_MAX];
    int count;
    const char *last_group; /* heading that comes after all others in the help, or NULL */
    /* names of the operands, ended by NULL; all are required, except the last `optional` */
    const char *operand_names[CLI_OPERANDS_MAX + 1];
    int optional; /* number of optional operands; they are the last ones and may be NULL */
    const char *operands[CLI_OPERANDS_MAX]; /* filled by cli_options_parse()       */
    int many;                               /* 1: the last operand may be repeated */
    const char **all; /* all operands; operands[0] is all[0]. The caller frees the list by free() */
    int all_count;
    /* Writes the commands that have an option --name, as "video and live", or ""; NULL: unknown. */
    void (*owners)(char *list, size_t size, const char *name);
} cli_options;

/* Adds rows to the options. Settings that are still zero get their defaults. */
void cli_options_add(cli_options *options, const cli_option_row *rows, void *arguments);
/* Returns the option --name, or NULL. */
cli_option *cli_options_find(const cli_options *options, const char *name);

/* Stores all values. Prints an error and returns EXIT_USAGE on wrong use; EXIT_DONE otherwise. */
int cli_options_parse(cli_options *options, ch_context *context, int count, char **arguments);

/* An option without effect is an error of the user. Returns the first option that was given and
 * whose cases are among `kind`, but not among `now`; NULL if there is none. */
const cli_option *cli_options_idle(const cli_options *options, int64_t kind, int64_t now);
/* Refuses the option that cli_options_idle() finds, if any: prints "--name cannot be used ...",
 * where the formatted text follows, for example "with --method spa". Returns the exit code. */
int cli_options_refuse_idle(const cli_options *options, int64_t kind, int64_t now,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Prints rows under their headings, with defaults, on stdout. */
void cli_options_help(const cli_options *options);
/* A common option, described for newcomers in the short help. */
typedef struct cli_basic {
    const char *name, *words;
} cli_basic;
/* Prints the rows of basics[], which ends with a row without name. If basics is NULL, prints all
 * options except those for experts and those common to all commands, with the first clause of their
 * help. */
void cli_options_short_help(const cli_options *options, const cli_basic *basics);

/* Returns whether a choice of the setting is available in this command (cli_option_row.hidden). */
int cli_option_offers(const cli_option *option, const char *choice);
/* For shells, on stdout (complete.c): prints what may follow the option as typed, "--write" or
 * "-r". First "words", "list" (comma-separated words), "file" or "folder", then the words, one per
 * line; nothing if no value follows. */
void cli_options_complete(const cli_options *options, const char *typed);

/* "Did you mean" (suggest.c): returns the nearest of known[0..count), or NULL if none is near
 * enough. */
const char *cli_closest(const char *typed, const char *const *known, int count);
