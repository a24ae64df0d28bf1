/* Lists the possible values of an option, for the completion of shells (cli/completion). */
#include "options/options.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Prints words between bars, one per line; words in capitals mean a number or a file. */
static void print_words(const char *words) {
    while (words && *words) {
        size_t length = strcspn(words, "|");
        int plain = length > 0;
        for (size_t i = 0; i < length; i++)
            plain &= !isupper((unsigned char)words[i]) && words[i] != '.' && words[i] != ',';
        if (plain) printf("%.*s\n", (int)length, words);
        words += length + (words[length] == '|');
    }
}

static const cli_option *find_typed(const cli_options *options, const char *typed) {
    if (strncmp(typed, "--", 2) == 0) return cli_options_find(options, typed + 2);
    for (int i = 0; i < options->count && typed[0] == '-'; i++)
        if (options->rows[i].row.letter && options->rows[i].row.letter == typed[1])
            return &options->rows[i];
    return NULL;
}

void cli_options_complete(const cli_options *options, const char *typed) {
    const cli_option *option = find_typed(options, typed);
    const char *value = option ? option->row.value : NULL;
    if (!option || (!value && !option->setting)) return; /* nothing follows, or it is unknown */
    if (option->setting && option->setting->kind == CH_SETTING_FLAG) return;
    if (option->setting && option->setting->kind == CH_SETTING_CHOICE) {
        puts("words");
        for (const char *const *choice = option->setting->choices; *choice; choice++)
            if (cli_option_offers(option, *choice)) puts(*choice);
        return;
    }
    int list = value && strstr(value, ",..") != NULL;
    puts(list                             ? "list"
         : value && strstr(value, "FILE") ? "file"
         : value && strstr(value, "DIR")  ? "folder"
                                          : "words");
    print_words(option->row.words ? option->row.words : value);
}
