/* Advice on a loss, as text and as JSON. */
#include "anchors/advice_output.h"
#include "common/json.h"
#include <stdio.h>
#include <string.h>

enum { OPTIONS = 200 };

/* Turns settings, such as "loss=l1 faint=0.1", into options: "--loss l1 --faint 0.1". */
static void write_options(char *options, const char *settings) {
    size_t used = 0;
    int begins = 1;
    for (const char *at = settings; *at && used + 4 < OPTIONS; at++) {
        if (begins) used += (size_t)sprintf(options + used, "--");
        options[used++] = (char)(*at == '=' ? ' ' : *at);
        begins = *at == ' ';
    }
    options[used] = 0;
}

void cli_advice_print(const ch_loss_advice *advice) {
    char options[OPTIONS];
    printf("\nadvice, from the residuals of %lld data points (this run did not use it):\n",
           (long long)advice->columns);
    for (const char *at = advice->because; *at;) {
        size_t length = strcspn(at, "\n");
        printf("  - %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    write_options(options, advice->settings);
    if (options[0]) printf("  so try: %s\n", options);
}

json_t *cli_advice_json(const ch_loss_advice *advice) {
    char options[OPTIONS];
    json_t *reasons = json_array();
    for (const char *at = advice->because; reasons && *at;) {
        size_t length = strcspn(at, "\n");
        reasons = cli_json_append(reasons, json_stringn(at, length));
        at += length + (at[length] == '\n');
    }
    write_options(options, advice->settings);
    return cli_json_pack(
        "options:s because:o evidence:{columns:i entries:i zeros:r above:r growth:r "
        "tail:r dark:r cut:r deep:r whole:b}",
        options[0] ? options : NULL, reasons, advice->columns, advice->entries, advice->zeros,
        advice->above, advice->growth, advice->tail, advice->dark, advice->cut, advice->deep,
        advice->whole);
}
