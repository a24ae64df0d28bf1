/* The files of conehull reproduce: JSON, table and picture per figure, claims, page. */
#include "common/exit_codes.h"
#include "common/output_folder.h"
#include "reproduce/reproduce.h"
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

static void write_page(FILE *to, const json_t *object) {
    repro_page(to, json_object_get(object, "figures"), object);
}

/* figures and claims in one object, which the page is made of. */
int repro_write(const repro_run *run, json_t *figures, json_t *object) {
    static const char *const stale[] = {NULL};
    cli_folder folder;
    int code = cli_folder_open(&folder, run->session, run->folder);
    if (code != EXIT_DONE) return code;
    for (const repro_figure *figure = repro_figures; figure->name && code == EXIT_DONE; figure++) {
        const json_t *own = json_object_get(figures, figure->name);
        if (own) code = write_figure(&folder, figure, own);
    }
    if (code == EXIT_DONE) code = cli_folder_json(&folder, "claims.json", object);
    json_object_set(object, "figures", figures);
    if (code == EXIT_DONE) code = write_text(&folder, "report", "html", write_page, object);
    json_object_del(object, "figures");
    return cli_folder_close(&folder, code, stale);
}
