/* The files of conehull reproduce: JSON, table and picture per figure, claims, page. */
#include "common/output_folder.h"
#include "common/try.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <stdio.h>

typedef struct drawing {
    void (*write)(FILE *to, const json_t *object);
    const json_t *object;
} drawing;

static void draw(FILE *to, const void *user) {
    const drawing *own = user;
    own->write(to, own->object);
}

static int write_figure(cli_folder *folder, const repro_figure *figure, const json_t *object) {
    char name[64];
    drawing table = {figure->table, object}, picture = {figure->picture, object};
    snprintf(name, sizeof name, "%s.json", figure->name);
    TRY(cli_folder_json(folder, name, object));
    snprintf(name, sizeof name, "%s.csv", figure->name);
    TRY(cli_folder_write(folder, name, draw, &table));
    snprintf(name, sizeof name, "%s.svg", figure->name);
    return cli_folder_write(folder, name, draw, &picture);
}

static int write_files(cli_folder *folder, const repro_answer *answer, const json_t *claims) {
    for (const repro_figure *figure = repro_figures; figure->name; figure++) {
        const json_t *own = json_object_get(answer->figures, figure->name);
        if (own) TRY(write_figure(folder, figure, own));
    }
    TRY(cli_folder_json(folder, "claims.json", claims));
    return cli_folder_write(folder, "report.html", repro_page, answer);
}

int repro_write(const repro_run *run, const repro_answer *answer) {
    cli_folder folder;
    TRY(cli_folder_open(&folder, run->session, run->folder));
    json_t *claims = repro_claims_json(answer->judgements, answer->count);
    int code = cli_folder_close(&folder, write_files(&folder, answer, claims), NULL);
    json_decref(claims);
    return code;
}
