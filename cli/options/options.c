/* Parser and help of the option lists. */
#include "options/options.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include "options/suggest.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HELP_COLUMN = 26 };

static cli_option *add(cli_options *options, const char *group, const char *name, char letter,
                       const char *value, const char *help) {
    assert(options->count < CLI_OPTIONS_MAX);
    cli_option *row = &options->rows[options->count++];
    memset(row, 0, sizeof *row);
    row->group = group;
    row->name = name;
    row->letter = letter;
    row->value = value;
    row->help = help;
    return row;
}

void cli_options_add_text(cli_options *options, const char *group, const char *name, char letter,
                          const char *value, const char *help, const char **text) {
    add(options, group, name, letter, value, help)->text = text;
}

void cli_options_add_flag(cli_options *options, const char *group, const char *name, char letter,
                          const char *help, int *flag) {
    add(options, group, name, letter, NULL, help)->flag = flag;
}

void cli_options_add_setting(cli_options *options, const char *group, const char *name,
                             const ch_settings_table *table, void *settings) {
    const ch_setting *setting = ch_settings_find(table, name);
    assert(setting);
    int flag = setting->kind == CH_SETTING_FLAG;
    cli_option *row = add(options, group, setting->name, 0, flag ? NULL : "", setting->help);
    row->settings = settings;
    row->table = table;
    row->setting = setting;
}

void cli_options_hide_choices(cli_options *options, const char *name, const char *choices,
                              const char *why) {
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].name, name) == 0) {
            options->rows[i].hidden = choices;
            options->rows[i].why = why;
        }
}

void cli_options_explain(cli_options *options, const char *name, const char *help) {
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].name, name) == 0) options->rows[i].help = help;
}

static int offers(const cli_option *row, const char *choice) {
    size_t length = strlen(choice);
    for (const char *at = row->hidden; at && *at; at += *at == '|') {
        size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, choice, length) == 0) return 0;
        at += word;
    }
    return 1;
}

/* Settings are called select_only, flags --select-only. */
static void flag_name(char *name, size_t size, const cli_option *row) {
    snprintf(name, size, "%s", row->name);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
}

static cli_option *find_long(cli_options *options, const char *name, size_t length) {
    for (int i = 0; i < options->count; i++) {
        char flag[32];
        flag_name(flag, sizeof flag, &options->rows[i]);
        if (strlen(flag) == length && strncmp(flag, name, length) == 0) return &options->rows[i];
    }
    return NULL;
}

int cli_options_have(const cli_options *options, const char *name) {
    return find_long((cli_options *)options, name, strlen(name)) != NULL; /* only looks */
}

static cli_option *find_short(cli_options *options, char letter) {
    for (int i = 0; i < options->count; i++)
        if (options->rows[i].letter == letter) return &options->rows[i];
    return NULL;
}

const cli_option *cli_options_find(const cli_options *options, const char *name) {
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].name, name) == 0) return &options->rows[i];
    assert(!"an option that the command has");
    return NULL;
}

static int unknown(cli_options *options, const char *word) {
    char names[CLI_OPTIONS_MAX][32];
    const char *known[CLI_OPTIONS_MAX];
    char typed[40];
    for (int i = 0; i < options->count; i++) {
        flag_name(names[i], sizeof names[i], &options->rows[i]);
        known[i] = names[i];
    }
    const char *name = word + strspn(word, "-");
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(name, "="), name);
    char owners[120] = "";
    if (word[1] == '-' && options->owners) options->owners(owners, sizeof owners, typed);
    int guesses = word[1] == '-' && !owners[0];
    const char *guess = guesses ? cli_closest(typed, known, options->count) : NULL;
    cli_complain("%s: unknown option %s;%s%s%s%s%s 'conehull %s --help' lists them all",
                 options->command, word, owners[0] ? " it belongs to " : "", owners,
                 guess ? " did you mean --" : "", guess ? guess : "",
                 guess       ? "?"
                 : owners[0] ? ";"
                             : "",
                 options->command);
    return EXIT_USAGE;
}

/* The choice that text means but for a slip; words of one or two letters but for their case. */
static const char *guess_choice(const cli_option *row, const char *text) {
    const char *known[16];
    int count = 0;
    for (int i = 0; row->setting->choices[i] && count < 16; i++) {
        const char *choice = row->setting->choices[i];
        if (!offers(row, choice)) continue;
        if (strcasecmp(choice, text) == 0) return choice;
        known[count++] = choice;
    }
    return strlen(text) > 2 ? cli_closest(text, known, count) : NULL;
}

/* What comes before ':' must be one of the choices. */
static int refuse_choice(const cli_options *options, const cli_option *row, const char *flag,
                         const char *text) {
    char typed[40], list[160] = "";
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, ":"), text);
    for (int i = 0; row->setting->choices[i]; i++) {
        const char *choice = row->setting->choices[i];
        size_t used = strlen(list);
        if (!offers(row, choice)) continue;
        if (strcmp(choice, typed) == 0) return EXIT_DONE;
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", choice);
    }
    if (!offers(row, typed)) {
        cli_complain("%s: --%s %s %s; here it is one of %s", options->command, flag, typed,
                     row->why, list);
        return EXIT_USAGE;
    }
    const char *guess = guess_choice(row, typed);
    cli_complain("%s: --%s must be one of %s; got '%s'%s%s%s", options->command, flag, list, text,
                 guess ? "; did you mean " : "", guess ? guess : "", guess ? "?" : "");
    return EXIT_USAGE;
}

static int store(cli_options *options, ch_context *context, cli_option *row, const char *text) {
    char flag[32];
    flag_name(flag, sizeof flag, row);
    if (row->given && row->value) {
        cli_complain("%s: --%s is given twice", options->command, flag);
        return EXIT_USAGE;
    }
    row->given = 1;
    if (row->text) *row->text = text;
    if (row->flag) *row->flag = 1;
    if (!row->setting) return EXIT_DONE;
    const char *value = row->value && text ? text : "1"; /* of an option without value: yes */
    if (row->setting->kind == CH_SETTING_CHOICE &&
        refuse_choice(options, row, flag, value) != EXIT_DONE)
        return EXIT_USAGE;
    ch_status status =
        ch_settings_set(context, row->table, row->settings, row->setting->name, value);
    if (status < 0) { /* the message begins with the setting's name, unless memory failed */
        const char *said = ch_context_message(context);
        size_t own = strlen(row->setting->name);
        int same = strncmp(said, row->setting->name, own) == 0;
        cli_complain("%s: --%s%s%s", options->command, flag, same ? "" : ": ",
                     same ? said + own : said);
    }
    return status < 0 ? cli_exit_code(status) : EXIT_DONE;
}

/* One option at words[*at]; *at moves to the last word used. */
static int take_option(cli_options *options, ch_context *context, int *at, int count,
                       char **words) {
    const char *word = words[*at], *text = NULL;
    cli_option *row;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        row = find_long(options, word + 2, length);
        if (word[2 + length] == '=') text = word + 3 + length;
    } else {
        row = find_short(options, word[1]);
        if (word[2]) text = word + 2;
    }
    if (!row || (text && !row->value && word[1] != '-')) return unknown(options, word);
    if (word[1] != '-' && text && text[0] == '=') {
        cli_complain("%s: write -%c %s or --%s%s instead of %s", options->command, word[1],
                     text + 1, row->name, text, word);
        return EXIT_USAGE;
    }
    if (text && !row->value) {
        char flag[32];
        flag_name(flag, sizeof flag, row);
        cli_complain("%s: --%s takes no value", options->command, flag);
        return EXIT_USAGE;
    }
    if (row->value && !text) {
        if (*at + 1 >= count) {
            cli_complain("%s: %s needs a value; see 'conehull %s --help'", options->command, word,
                         options->command);
            return EXIT_USAGE;
        }
        text = words[++*at];
    }
    return store(options, context, row, text);
}

static int count_names(const cli_options *options) {
    int names = 0;
    while (options->operand_names[names]) names++;
    return names;
}

int cli_options_parse(cli_options *options, ch_context *context, int count, char **words) {
    int names = count_names(options), found = 0, only_operands = 0;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = 1;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            int code = take_option(options, context, &at, count, words);
            if (code != EXIT_DONE) return code;
        } else if (found == names) {
            cli_complain("%s: unexpected argument '%s'; see 'conehull %s --help'", options->command,
                         word, options->command);
            return EXIT_USAGE;
        } else {
            options->operands[found++] = word;
        }
    }
    if (found >= names - options->optional) return EXIT_DONE;
    cli_complain("%s: %s is missing; see 'conehull %s --help'", options->command,
                 options->operand_names[found], options->command);
    return EXIT_USAGE;
}

/* "xray|spa" for choices, the table's word for numbers. */
static void value_name(char *value, size_t size, const cli_option *row) {
    const ch_setting *setting = row->setting;
    value[0] = 0;
    if (!row->value) return;
    if (!setting || setting->kind != CH_SETTING_CHOICE) {
        snprintf(value, size, " %s", setting ? setting->value : row->value);
        return;
    }
    for (int i = 0; setting->choices[i]; i++) {
        if (!offers(row, setting->choices[i])) continue;
        size_t used = strlen(value);
        snprintf(value + used, size - used, "%c%s", i ? '|' : ' ', setting->choices[i]);
    }
}

static void default_text(char *text, size_t size, const ch_setting *setting) {
    text[0] = 0;
    if (!setting || setting->kind == CH_SETTING_FLAG) return;
    if (setting->kind == CH_SETTING_CHOICE)
        snprintf(text, size, " (default %s)", setting->choices[(int)setting->initial]);
    else
        snprintf(text, size, " (default %g)", setting->initial);
}

static void print_row(const cli_option *row) {
    char flag[32], value[80], initial[48], help[512];
    flag_name(flag, sizeof flag, row);
    value_name(value, sizeof value, row);
    default_text(initial, sizeof initial, row->setting);
    snprintf(help, sizeof help, "%s%s", row->help, initial);
    int at = row->letter ? printf("  -%c, --%s%s", row->letter, flag, value)
                         : printf("  --%s%s", flag, value);
    if (at >= HELP_COLUMN) {
        putchar('\n');
        at = 0;
    }
    cli_wrap(stdout, help, at, HELP_COLUMN);
}

static void print_group(const cli_options *options, const char *group) {
    printf("\n%s:\n", group);
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].group, group) == 0) print_row(&options->rows[i]);
}

void cli_options_help(const cli_options *options) {
    const char *last = options->last_group;
    for (int i = 0; i < options->count; i++) {
        const char *group = options->rows[i].group;
        int seen = last && strcmp(last, group) == 0;
        for (int j = 0; j < i; j++) seen |= strcmp(options->rows[j].group, group) == 0;
        if (!seen) print_group(options, group);
    }
    if (last) print_group(options, last);
}
