/* The files of conehull reproduce: JSON, table and picture per figure, claims, page. */
#include "common/exit_codes.h"
#include "common/output_folder.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <stdlib.h>

typedef void (*writer)(FILE *to, const json_t *object);

static int write_text(cli_folder *folder, const char *figure, const char *suffix, writer write,
                      const json_t *object) {
    char *text = NULL, *name = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to || asprintf(&name, "%s.%s", figure, suffix) < 0) {
        if (to) fclose(to);
        free(text);
        return EXIT_MEMORY;
    }
    write(to, object);
    int code = fclose(to) == 0 ? cli_folder_text(folder, name, text, length) : EXIT_MEMORY;
    free(text);
    free(name);
    return code;
}

static int write_figure(cli_folder *folder, const repro_figure *figure, const json_t *object) {
    char name[64];
    snprintf(name, sizeof name, "%s.json", figure->name);
    int code = cli_folder_json(folder, name, object);
    if (code == EXIT_DONE) code = write_text(folder, figure->name, "csv", figure->table, object);
    if (code == EXIT_DONE) code = write_text(folder, figure->name, "svg", figure->picture, object);
    return code;
}

static int write_page(cli_folder *folder, const repro_answer *answer) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return EXIT_MEMORY;
    repro_page(to, answer);
    int code = fclose(to) == 0 ? cli_folder_text(folder, "report.html", text, length) : EXIT_MEMORY;
    free(text);
    return code;
}

int repro_write(const repro_run *run, const repro_answer *answer) {
    cli_folder folder;
    int code = cli_folder_open(&folder, run->session, run->folder);
    if (code != EXIT_DONE) return code;
    for (const repro_figure *figure = repro_figures; figure->name && code == EXIT_DONE; figure++) {
        const json_t *own = json_object_get(answer->figures, figure->name);
        if (own) code = write_figure(&folder, figure, own);
    }
    json_t *claims = repro_claims_json(answer->judgements, answer->count);
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "claims.json", claims);
    if (code == EXIT_DONE) code = write_page(&folder, answer);
    json_decref(claims);
    return cli_folder_close(&folder, code, NULL);
}
