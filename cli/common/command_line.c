/* The command as it was typed. */
#include "common/command_line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Single quotes, a quote itself as '\''. */
static void put_word(FILE *to, const char *word) {
    static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "-_=+./,:@%^";
    fputc(' ', to);
    if (word[0] && strspn(word, harmless) == strlen(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputc('\'', to);
}

char *cli_command_line(const cli_session *session) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    fprintf(to, "conehull %s", session->options.command);
    for (int i = 0; i < session->word_count; i++) put_word(to, session->words[i]);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}
