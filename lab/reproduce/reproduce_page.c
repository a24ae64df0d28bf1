/* report.html of conehull reproduce: the verdicts, the figures, and how to run them again. */
#include "report_page.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <stdlib.h>

static void write_summary(FILE *to, const repro_answer *answer) {
    static const char *const words[] = {"hold", "differ", "fail", "not run"};
    int counts[4] = {0};
    for (int i = 0; i < answer->count; i++) counts[answer->judgements[i].verdict]++;
    report_numbers_begin(to);
    for (int i = 0; i < 4; i++) report_number(to, words[i], "%d", counts[i]);
    report_numbers_end(to);
}

static void write_claims(FILE *to, const repro_answer *answer) {
    report_section_begin(to, "claims", "Claims of the paper");
    report_table table =
        report_table_begin(to, "Claim by claim", "claim|measured here|verdict|figure");
    for (int i = 0; i < answer->count; i++) {
        const repro_judgement *j = &answer->judgements[i];
        report_cell(&table, "%s", j->claim->claim);
        report_cell(&table, "%s", j->measured);
        report_cell(&table, "%s", repro_verdict_name(j->verdict));
        report_cell(&table, "%s", j->claim->figure);
    }
    report_table_end(&table);
    report_section_end(to);
    report_section_begin(to, "rules", "Rules of the verdicts");
    report_text(to, "Verdicts are computed from the numbers of the run by these rules; what "
                    "neither holds nor differs fails.");
    table = report_table_begin(to, NULL, "claim|rule");
    for (int i = 0; i < answer->count; i++) {
        report_cell(&table, "%s", answer->judgements[i].claim->id);
        report_cell(&table, "%s", answer->judgements[i].claim->rule);
    }
    report_table_end(&table);
    report_section_end(to);
}

/* Writes the settings in the JSON of a figure as text: "rank 20, runs 3". */
static void write_settings(FILE *to, const json_t *object) {
    char *text = json_dumps(json_object_get(object, "settings"), JSON_COMPACT);
    report_text(to, "Settings: `%s`", text ? text : "");
    free(text);
}

static void write_figure(FILE *to, const repro_figure *figure, const json_t *object) {
    const json_t *machine = json_object_get(object, "machine");
    report_section_begin(to, figure->name, figure->title);
    report_figure_begin(to, figure->caption);
    figure->picture(to, object);
    report_figure_end(to);
    report_text(to,
                "%s run, seed %.0f: %.0f units, %.1f s in all. conehull %s, commit %s, on %s, %.0f "
                "threads, kernel %s, %s. Numbers: `%s.csv`, `%s.json`.",
                json_is_true(json_object_get(object, "quick")) ? "Quick" : "Full",
                repro_real(object, "seed"), repro_real(object, "units"),
                repro_real(object, "seconds"), repro_text(machine, "version"),
                repro_text(machine, "commit"), repro_text(machine, "processor"),
                repro_real(machine, "threads"), repro_text(machine, "kernel"),
                repro_text(machine, "blas"), figure->name, figure->name);
    write_settings(to, object);
    report_command(to, repro_text(object, "command"));
    report_section_end(to);
}

void repro_page(FILE *to, const void *user) {
    const repro_answer *answer = user;
    report_page_begin(
        to, &(report_head){.title = "Reproducing the paper",
                           .lead = "The experiments of Kumar and Sindhwani, Near-separable "
                                   "non-negative matrix factorization with l1 and Bregman loss "
                                   "functions (arXiv 1312.7167), and the results here."});
    write_summary(to, answer);
    write_claims(to, answer);
    for (const repro_figure *figure = repro_figures; figure->name; figure++) {
        const json_t *own = json_object_get(answer->figures, figure->name);
        if (own) write_figure(to, figure, own);
    }
    report_page_end(to, NULL);
}
