/* Parses options and prints their help. */
#include "options/options.h"
#include "common/message.h"
#include "common/try.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HELP_COLUMN = 26 };

/* ---- the list ---- */

static void add_row(cli_options *options, const cli_option_row *row, void *place,
                    const ch_setting *setting) {
    assert(options->count < CLI_OPTIONS_MAX);
    cli_option *option = &options->rows[options->count++];
    *option = (cli_option){.row = *row, .place = place, .setting = setting};
    snprintf(option->flag, sizeof option->flag, "%s", setting ? setting->name : row->name);
    if (!setting) return;
    for (char *c = option->flag; *c; c++) /* settings are called select_only, flags --select-only */
        if (*c == '_') *c = '-';
    option->row.value = setting->kind == CH_SETTING_FLAG ? NULL : "";
    if (!row->help) option->row.help = setting->help;
}

cli_option *cli_options_find(const cli_options *options, const char *name) {
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].flag, name) == 0) return (cli_option *)&options->rows[i];
    return NULL;
}

/* Adds each of the settings that a row names, or all that are left. */
static void add_settings(cli_options *options, const cli_option_row *row, void *place) {
    const ch_settings_table *table = row->table();
    for (int i = 0; i < table->count && strcmp(row->name, "+") == 0; i++)
        if (!cli_options_find(options, table->rows[i].name))
            add_row(options, row, place, &table->rows[i]);
    for (const char *at = row->name; *at && *at != '+'; at += strspn(at, " ")) {
        char name[32];
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const ch_setting *setting = ch_settings_find(table, name);
        assert(setting);
        add_row(options, row, place, setting);
        at += length;
    }
}

void cli_options_add(cli_options *options, const cli_option_row *rows, void *arguments) {
    for (; rows->name; rows++) {
        void *place = (char *)arguments + rows->at;
        const ch_settings_table *table = rows->table ? rows->table() : NULL;
        if (table && *(size_t *)place == 0) ch_settings_defaults(table, place, table->size);
        if (table)
            add_settings(options, rows, place);
        else
            add_row(options, rows, place, NULL);
    }
}

const cli_option *cli_options_idle(const cli_options *options, int64_t kind, int64_t now) {
    for (const cli_option *at = options->rows; at < options->rows + options->count; at++)
        if (at->given && (at->row.cases & kind) && !(at->row.cases & now)) return at;
    return NULL;
}

int cli_options_refuse_idle(const cli_options *options, int64_t kind, int64_t now,
                            const char *format, ...) {
    const cli_option *idle = cli_options_idle(options, kind, now);
    char why[256];
    va_list arguments;
    if (!idle) return EXIT_DONE;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return cli_refuse("%s: --%s cannot be used %s; leave it out", options->command, idle->flag,
                      why);
}

/* ---- parsing ---- */

static cli_option *find_short(cli_options *options, char letter) {
    for (int i = 0; i < options->count; i++)
        if (options->rows[i].row.letter == letter) return &options->rows[i];
    return NULL;
}

static int unknown(cli_options *options, const char *word) {
    const char *known[CLI_OPTIONS_MAX], *name = word + strspn(word, "-");
    char typed[40], owners[120] = "";
    for (int i = 0; i < options->count; i++) known[i] = options->rows[i].flag;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(name, "="), name);
    if (word[1] == '-' && options->owners) options->owners(owners, sizeof owners, typed);
    int guesses = word[1] == '-' && !owners[0];
    const char *guess = guesses ? cli_closest(typed, known, options->count) : NULL;
    return cli_refuse("%s: unknown option %s;%s%s%s%s%s 'conehull %s --help-all' lists them all",
                      options->command, word, owners[0] ? " it belongs to " : "", owners,
                      guess ? " did you mean --" : "", guess ? guess : "",
                      guess       ? "?"
                      : owners[0] ? ";"
                                  : "",
                      options->command);
}

int cli_option_offers(const cli_option *option, const char *choice) {
    size_t length = strlen(choice);
    for (const char *at = option->row.hidden; at && *at; at += *at == '|') {
        size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, choice, length) == 0) return 0;
        at += word;
    }
    return 1;
}

/* Returns the choice that text is probably meant to be; words of one or two letters must agree up
 * to case. */
static const char *guess_choice(const cli_option *option, const char *text) {
    const char *known[16];
    int count = 0;
    for (int i = 0; option->setting->choices[i] && count < 16; i++) {
        const char *choice = option->setting->choices[i];
        if (!cli_option_offers(option, choice)) continue;
        if (strcasecmp(choice, text) == 0) return choice;
        known[count++] = choice;
    }
    return strlen(text) > 2 ? cli_closest(text, known, count) : NULL;
}

/* What comes before ':' must be one of the choices. */
static int refuse_choice(const cli_options *options, const cli_option *option, const char *text) {
    char typed[40], list[160] = "";
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, ":"), text);
    for (int i = 0; option->setting->choices[i]; i++) {
        const char *choice = option->setting->choices[i];
        size_t used = strlen(list);
        if (!cli_option_offers(option, choice)) continue;
        if (strcmp(choice, typed) == 0) return EXIT_DONE;
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", choice);
    }
    if (!cli_option_offers(option, typed))
        return cli_refuse("%s: --%s %s %s; this command accepts only: %s", options->command,
                          option->flag, typed, option->row.why, list);
    const char *guess = guess_choice(option, typed);
    return cli_refuse("%s: --%s must be one of %s; got '%s'%s%s%s", options->command, option->flag,
                      list, text, guess ? "; did you mean " : "", guess ? guess : "",
                      guess ? "?" : "");
}

static int store_setting(const cli_options *options, ch_context *context, const cli_option *option,
                         const char *value) {
    const char *name = option->setting->name;
    if (option->setting->kind == CH_SETTING_CHOICE) TRY(refuse_choice(options, option, value));
    ch_status status = ch_settings_set(context, option->row.table(), option->place, name, value);
    if (status >= 0) return EXIT_DONE;
    /* The message begins with "the setting 'name'", unless memory failed. */
    static const char start[] = "the setting '";
    const char *said = ch_context_message(context), *quoted = said + strlen(start);
    size_t length = strlen(name);
    int same = strncmp(said, start, strlen(start)) == 0 && strncmp(quoted, name, length) == 0 &&
               quoted[length] == '\'';
    return cli_error(cli_exit_code(status), "%s: --%s%s%s", options->command, option->flag,
                     same ? "" : ": ", same ? quoted + length + 1 : said);
}

static int store(cli_options *options, ch_context *context, cli_option *option, const char *text) {
    if (option->given && option->row.value)
        return cli_refuse("%s: --%s is given twice; leave one of them out", options->command,
                          option->flag);
    option->given = 1;
    if (option->setting) return store_setting(options, context, option, text ? text : "1");
    if (option->row.value)
        *(const char **)option->place = text;
    else
        *(int *)option->place = 1;
    return EXIT_DONE;
}

/* One option at words[*at]; *at moves to the last word used. */
static int take_option(cli_options *options, ch_context *context, int *at, int count,
                       char **words) {
    const char *command = options->command, *word = words[*at], *text = NULL;
    int is_long = word[1] == '-';
    cli_option *option;
    if (is_long) {
        char flag[40];
        size_t length = strcspn(word + 2, "=");
        snprintf(flag, sizeof flag, "%.*s", (int)length, word + 2);
        option = cli_options_find(options, flag);
        if (word[2 + length] == '=') text = word + 3 + length;
    } else {
        option = find_short(options, word[1]);
        if (word[2]) text = word + 2;
    }
    if (!option || (text && !option->row.value && !is_long)) return unknown(options, word);
    if (!is_long && text && text[0] == '=')
        return cli_refuse("%s: write -%c %s or --%s%s instead of %s", command, word[1], text + 1,
                          option->flag, text, word);
    if (text && !option->row.value)
        return cli_refuse("%s: --%s takes no value", command, option->flag);
    if (option->row.value && !text) {
        if (*at + 1 >= count)
            return cli_refuse("%s: %s needs a value; see 'conehull %s --help'", command, word,
                              command);
        text = words[++*at];
    }
    return store(options, context, option, text);
}

int cli_options_parse(cli_options *options, ch_context *context, int count, char **arguments) {
    const char *command = options->command;
    int names = 0, found = 0, only_operands = 0;
    while (options->operand_names[names]) names++;
    options->all = calloc((size_t)count + 1, sizeof *options->all);
    if (!options->all) return cli_no_memory();
    for (int at = 0; at < count; at++) {
        const char *word = arguments[at];
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = 1;
        else if (!only_operands && word[0] == '-' && word[1])
            TRY(take_option(options, context, &at, count, arguments));
        else if (found >= names && !options->many)
            return cli_refuse("%s: unexpected argument '%s'; see 'conehull %s --help'", command,
                              word, command);
        else {
            options->all[options->all_count++] = word;
            if (found < names) options->operands[found] = word;
            found++;
        }
    }
    if (found >= names - options->optional) return EXIT_DONE;
    return cli_refuse("%s: %s is missing; see 'conehull %s --help'", command,
                      options->operand_names[found], command);
}

/* ---- help ---- */

/* Returns " xray|spa" for choices, else the row's name of the value; the caller frees it. NULL
 * without memory. */
static char *value_name(const cli_option *option) {
    const ch_setting *setting = option->setting;
    char *value = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&value, &length);
    if (!to) return NULL;
    if (!setting || setting->kind != CH_SETTING_CHOICE) {
        if (option->row.value) fprintf(to, " %s", setting ? setting->value : option->row.value);
    } else {
        int count = 0;
        for (int i = 0; setting->choices[i]; i++)
            if (cli_option_offers(option, setting->choices[i]))
                fprintf(to, "%c%s", count++ ? '|' : ' ', setting->choices[i]);
    }
    return fclose(to) == 0 ? value : NULL;
}

static void default_text(char *text, size_t size, const ch_setting *setting) {
    text[0] = 0;
    if (!setting || setting->kind == CH_SETTING_FLAG) return;
    if (setting->kind == CH_SETTING_CHOICE)
        snprintf(text, size, " (default %s)", setting->choices[(int)setting->initial]);
    else
        snprintf(text, size, " (default %g)", setting->initial);
}

/* Prints the option's names and its help, which begins at column indent. */
static void print_entry(const cli_option *option, const char *value, const char *help, int indent) {
    int at = option->row.letter ? printf("  -%c, --%s%s", option->row.letter, option->flag, value)
                                : printf("  --%s%s", option->flag, value);
    if (at >= indent) {
        putchar('\n');
        at = 0;
    }
    cli_wrap(stdout, help, at, indent);
}

static void print_option(const cli_option *option) {
    char initial[48], *value = value_name(option), *help = NULL;
    default_text(initial, sizeof initial, option->setting);
    int length = asprintf(&help, "%s%s", option->row.help, initial);
    print_entry(option, value ? value : "", length >= 0 ? help : option->row.help, HELP_COLUMN);
    if (length >= 0) free(help);
    free(value);
}

static void print_group(const cli_options *options, const char *group) {
    printf("\n%s:\n", group);
    for (int i = 0; i < options->count; i++)
        if (strcmp(options->rows[i].row.group, group) == 0) print_option(&options->rows[i]);
}

void cli_options_help(const cli_options *options) {
    const char *last = options->last_group;
    for (int i = 0; i < options->count; i++) {
        const char *group = options->rows[i].row.group;
        int seen = last && strcmp(last, group) == 0;
        for (int j = 0; j < i; j++) seen |= strcmp(options->rows[j].row.group, group) == 0;
        if (!seen) print_group(options, group);
    }
    if (last) print_group(options, last);
}

/* ---- help on a screen ---- */

enum { SHORT_COLUMN = 30 };

/* Shortens a long list of choices: " xray|spa|..." */
static void shorten_value(char *value, size_t most) {
    if (strlen(value) <= most) return;
    size_t at = most - 3;
    while (at > 0 && value[at] != '|') at--;
    if (at > 0) snprintf(value + at, strlen(value) - at, "|..");
}

static void print_short(const cli_option *option, const char *words, size_t length) {
    char *value = value_name(option), *text = strndup(words, length);
    int flag = (int)strlen(option->flag) + (option->row.letter ? 8 : 4);
    if (value)
        shorten_value(value, SHORT_COLUMN - 2 > flag ? (size_t)(SHORT_COLUMN - 2 - flag) : 0);
    print_entry(option, value ? value : "", text ? text : words, SHORT_COLUMN);
    free(text);
    free(value);
}

/* Prints the first clause of the option's help. */
static void print_first_clause(const cli_option *option) {
    const char *help = option->row.help;
    size_t length = 0;
    while (help[length] && help[length] != ';' && strncmp(help + length, ". ", 2) != 0 &&
           strncmp(help + length, " (", 2) != 0)
        length++;
    print_short(option, help, length);
}

void cli_options_short_help(const cli_options *options, const cli_basic *basics) {
    printf("\nOptions:\n");
    for (; basics && basics->name; basics++) {
        const cli_option *option = cli_options_find(options, basics->name);
        assert(option);
        print_short(option, basics->words, strlen(basics->words));
    }
    for (int i = 0; i < options->count && !basics; i++) {
        const char *group = options->rows[i].row.group;
        if (!strstr(group, "Expert") && strcmp(group, "Common options") != 0)
            print_first_clause(&options->rows[i]);
    }
    const cli_option *json = cli_options_find(options, "json");
    if (json) print_first_clause(json);
}
