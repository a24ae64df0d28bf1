/* Options of a command: one list feeds the parser, the checks and the help.
 *
 * Rows come from a settings table of the library (name, range, default and help are its own) or
 * are texts and flags of the command line alone. `--name value`, `--name=value`, `-n value` and
 * `-nvalue` are understood, options and operands may be mixed, `--` ends the options. */
#pragma once

#include <conehull/settings.h>

enum { CLI_OPTIONS_MAX = 64, CLI_OPERANDS_MAX = 4 };

/* A settings table as the library hands it out: ch_anchors_table()-> */
typedef const ch_settings_table *(*cli_settings_table)(void);

/* What a command says of its options, in a list that ends with a row without name:
 *
 *     #define AT(field) .at = offsetof(arguments, field)
 *     {"Options", "output", 'o', "DIR", AT(folder), "folder for the files"},      (const char *)
 *     {"Options", "soft", 0, NULL, AT(soft), "write soft.mkv too"},                (int)
 *     {"Options", "refit tol", AT(settings), .table = ch_separate_table, .cases = XRAY},
 */
typedef struct cli_option_row {
    const char *group;        /* heading in the help                                              */
    const char *name;         /* "select-only"; of settings one or several, with blanks between, or
                                 "+": all of the table that have no option yet                    */
    char letter;              /* 'r' for -r, or 0                                                 */
    const char *value;        /* what help calls the value; NULL: a flag                          */
    size_t at;                /* where in the arguments the text, the flag or the settings are    */
    const char *help;         /* of a setting: in place of the table's, or NULL                   */
    cli_settings_table table; /* of settings, else NULL                                    */
    int64_t cases;            /* bits of the command's own: when it means something; 0: always   */
    const char *hidden;       /* choices of the setting that are none here, "a|b", or NULL ...   */
    const char *why;          /* ... and why they are none: "is ..."                             */
    const char
        *words;  /* of a value: the words that it may be, or be a list of, "a|b"; for shells */
    int written; /* the value names a file that the run writes                      */
} cli_option_row;

/* Cases that several commands know: what the input is. */
#define CLI_FROM_MATRIX ((int64_t)1 << 40)
#define CLI_FROM_TEXT ((int64_t)1 << 41)
#define CLI_FROM_FRAMES ((int64_t)1 << 42)
#define CLI_FROM_ANY (CLI_FROM_MATRIX | CLI_FROM_TEXT | CLI_FROM_FRAMES)

typedef struct cli_option {
    cli_option_row row;
    char flag[32]; /* its name as it is typed, without "--"     */
    void *place;   /* row.at of the arguments                   */
    const ch_setting *setting;
    int given; /* it was on the command line                */
} cli_option;

typedef struct cli_options {
    const char *command;
    cli_option rows[CLI_OPTIONS_MAX];
    int count;
    const char *last_group; /* heading that comes after all others in the help, or NULL      */
    const char *operand_names[CLI_OPERANDS_MAX + 1]; /* NULL at the end; all are required  */
    int optional; /* ... but the last so many of them, which stay NULL                     */
    const char *operands[CLI_OPERANDS_MAX]; /* filled by cli_options_parse()      */
    int many;         /* the last operand may come several times; all of them are ...             */
    const char **all; /* ... here, operands[0] being all[0]; for free()                    */
    int all_count;
    /* The commands that have an option --name, as "video and live", or ""; NULL: nobody knows. */
    void (*owners)(char *list, size_t size, const char *name);
} cli_options;

/* Settings that are still zero get their defaults. */
void cli_options_add(cli_options *options, const cli_option_row *rows, void *arguments);
/* The option --name, as it is typed; NULL: there is none. */
cli_option *cli_options_find(const cli_options *options, const char *name);

/* Stores everything. On wrong use complains and returns EXIT_USAGE; EXIT_DONE otherwise. */
int cli_options_parse(cli_options *options, ch_context *context, int count, char **arguments);

/* An option that would change nothing is a misunderstanding, not a detail. The first option that
 * was given and whose cases are among `kind`, but not among `now`; NULL: there is none. */
const cli_option *cli_options_idle(const cli_options *options, int64_t kind, int64_t now);
/* Refuses it: "--name means nothing ...", where the rest is "with --method spa", say. */
int cli_options_refuse_idle(const cli_options *options, int64_t kind, int64_t now,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Rows under their headings, with defaults, on stdout. */
void cli_options_help(const cli_options *options);
/* An option that most runs need, in words for a newcomer; name and value are those of its row. */
typedef struct cli_basic {
    const char *name, *words;
} cli_basic;
/* The rows of basics[], which ends with a row without name; basics NULL: all that are not for
 * experts, nor common to all commands, by the first thing that their help says. */
void cli_options_short_help(const cli_options *options, const cli_basic *basics);

/* Whether a choice of its setting is one here, and not hidden. */
int cli_option_offers(const cli_option *option, const char *choice);
/* For shells, on stdout (complete.c): what may follow the option as it is typed, "--write" or "-r".
 * First "words", "list" (of them, with commas between), "file" or "folder", then the words, a line
 * each; nothing where nothing follows it. */
void cli_options_complete(const cli_options *options, const char *typed);

/* "Did you mean" (suggest.c): the nearest of known[0..count), or NULL when none is near enough to
 * be worth a guess. */
const char *cli_closest(const char *typed, const char *const *known, int count);
