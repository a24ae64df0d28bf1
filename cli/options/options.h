/* Options of a command: one list feeds the parser, the checks and the help.
 *
 * Rows come from a settings table of the library (name, range, default and help are its own) or
 * are texts and flags of the command line alone. `--name value`, `--name=value`, `-n value` and
 * `-nvalue` are understood, options and operands may be mixed, `--` ends the options. */
#ifndef CONEHULL_OPTIONS_H
#define CONEHULL_OPTIONS_H

#include <conehull/settings.h>

enum { CLI_OPTIONS_MAX = 48, CLI_OPERANDS_MAX = 4 };

typedef struct cli_option {
    const char *group; /* heading in the help                                              */
    const char *name;  /* "select-only"                                                    */
    char letter;       /* 'r' for -r, or 0                                                 */
    const char *value; /* what help calls the value; NULL: a flag                          */
    const char *help;
    const char **text; /* where a text goes ...                                            */
    int *flag;         /* ... or a flag ...                                                */
    void *settings;    /* ... or which settings the row belongs to                         */
    const ch_settings_table *table;
    const ch_setting *setting;
    const char *hidden; /* choices of the setting that are none here, as "a|b", or NULL ...  */
    const char *why;    /* ... and why they are none                                        */
    int given;          /* it was on the command line                                       */
} cli_option;

typedef struct cli_options {
    const char *command;
    cli_option rows[CLI_OPTIONS_MAX];
    int count;
    const char *last_group; /* heading that comes after all others in the help, or NULL      */
    const char *operand_names[CLI_OPERANDS_MAX + 1]; /* NULL at the end; all are required  */
    int optional; /* ... but the last so many of them, which stay NULL                     */
    const char *operands[CLI_OPERANDS_MAX]; /* filled by cli_options_parse()      */
    /* The commands that have an option --name, as "video and live", or ""; NULL: nobody knows. */
    void (*owners)(char *list, size_t size, const char *name);
} cli_options;

void cli_options_add_text(cli_options *options, const char *group, const char *name, char letter,
                          const char *value, const char *help, const char **text);
void cli_options_add_flag(cli_options *options, const char *group, const char *name, char letter,
                          const char *help, int *flag);
/* One row of a settings table, by its name there; '_' becomes '-'. */
void cli_options_add_setting(cli_options *options, const char *group, const char *setting,
                             const ch_settings_table *table, void *settings);

/* The option --name neither offers nor takes these choices, "a" or "a|b"; why: "is ...". */
void cli_options_hide_choices(cli_options *options, const char *name, const char *choices,
                              const char *why);
/* Help of the option --name in place of the table's. */
void cli_options_explain(cli_options *options, const char *name, const char *help);

/* Whether --name, as it is typed, is one of these. */
int cli_options_have(const cli_options *options, const char *name);

/* Stores everything. On wrong use complains and returns EXIT_USAGE; EXIT_DONE otherwise. */
int cli_options_parse(cli_options *options, ch_context *context, int count, char **words);

/* The row of that name; it must exist. */
const cli_option *cli_options_find(const cli_options *options, const char *name);

/* Rows under their headings, with defaults, on stdout. */
void cli_options_help(const cli_options *options);

#endif
