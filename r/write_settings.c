/* write_settings FOLDER: R/settings.R and man/anchors.Rd of the R package, from the table of
 * settings that the library has and the table of arrays that all bindings have: their names,
 * defaults, choices and sentences. */
#include "setting_arrays.h"
#include <stdio.h>
#include <string.h>

static const char *r_name(const ch_setting *row) {
    static char name[64];
    snprintf(name, sizeof name, "%s", row->name);
    for (char *at = name; *at; at++)
        if (*at == '-') *at = '_';
    return name;
}

static const char *r_flag(double value) {
    return value != 0 ? "TRUE" : "FALSE";
}

static void put_default(FILE *to, const ch_setting *row) {
    if (row->kind == CH_SETTING_CHOICE)
        fprintf(to, "\"%s\"", row->choices[(int)row->initial]);
    else if (row->kind == CH_SETTING_FLAG)
        fputs(r_flag(row->initial), to);
    else
        fprintf(to, "%.17g", row->initial);
}

/* rank is an argument without default, and stands first. */
static int is_rank(const ch_setting *row) {
    return strcmp(row->name, "rank") == 0;
}

static void put_arguments(FILE *to, const ch_settings_table *table) {
    fputs("X, rank", to);
    for (int k = 0; k < table->count; k++) {
        if (is_rank(&table->rows[k])) continue;
        fprintf(to, ",\n    %s = ", r_name(&table->rows[k]));
        put_default(to, &table->rows[k]);
    }
    fputs(",\n    keep = NULL", to);
    for (int k = 0; k < SETTING_ARRAYS; k++)
        fprintf(to, ",\n    %s = NULL", setting_arrays[k].name);
    fputs(",\n    threads = 0", to);
}

static void put_arrays(FILE *to) {
    fputs("array_settings <- list(", to);
    for (int k = 0; k < SETTING_ARRAYS; k++)
        fprintf(to, "%s\n  %s = list(is_matrix = %s, of_columns = %s)", k ? "," : "",
                setting_arrays[k].name, r_flag(setting_arrays[k].is_matrix),
                r_flag(setting_arrays[k].of_columns));
    fputs(")\n", to);
}

static void write_code(FILE *to, const ch_settings_table *table) {
    fputs("# Made by write_settings from the library's table of settings.\n\n", to);
    put_arrays(to);
    fputs("\nanchors <- function(", to);
    put_arguments(to, table);
    fputs(") {\n  values <- list(rank = rank", to);
    for (int k = 0; k < table->count; k++)
        if (!is_rank(&table->rows[k]))
            fprintf(to, ",\n    \"%s\" = %s", table->rows[k].name, r_name(&table->rows[k]));
    fputs(")\n  arrays <- list(", to);
    for (int k = 0; k < SETTING_ARRAYS; k++)
        fprintf(to, "%s%s = %s", k ? ", " : "", setting_arrays[k].name, setting_arrays[k].name);
    fputs(")\n  run_anchors(X, as_settings(values, keep, threads, as_arrays(arrays)))\n}\n", to);
}

/* Characters that mean something in Rd. */
static void put_text(FILE *to, const char *text) {
    for (; *text; text++) {
        if (strchr("%\\{}", *text)) fputc('\\', to);
        fputc(*text, to);
    }
}

static void put_item(FILE *to, const ch_setting *row) {
    fprintf(to, "  \\item{%s}{", r_name(row));
    put_text(to, row->help);
    if (row->kind == CH_SETTING_CHOICE) {
        fputs(". One of ", to);
        for (int c = 0; row->choices[c]; c++)
            fprintf(to, "%s\\code{\"%s\"}", c ? ", " : "", row->choices[c]);
    }
    fputs(".}\n", to);
}

static void write_page(FILE *to, const ch_settings_table *table) {
    fputs(
        "% Made by write_settings from the library's table of settings.\n"
        "\\name{anchors}\n\\alias{anchors}\n\\alias{print.conehull}\n\\alias{summary.conehull}\n"
        "\\alias{fitted.conehull}\n\\alias{plot.conehull}\n"
        "\\title{Anchor columns of a non-negative matrix}\n"
        "\\description{Finds the columns of \\code{X} whose non-negative combinations explain all "
        "other columns, and the weights of these combinations.}\n\\usage{\nanchors(",
        to);
    put_arguments(to, table);
    fputs(")\n}\n\\arguments{\n  \\item{X}{a numeric matrix, or a sparse matrix of the package "
          "Matrix; a data point is a column. Matrices of doubles and of class dgCMatrix are not "
          "copied.}\n"
          "  \\item{rank}{number of anchors; with 0 the method chooses the number.}\n",
          to);
    for (int k = 0; k < table->count; k++)
        if (!is_rank(&table->rows[k])) put_item(to, &table->rows[k]);
    fputs("  \\item{keep}{columns that become the first anchors, counted from 1.}\n", to);
    for (int k = 0; k < SETTING_ARRAYS; k++)
        fprintf(to, "  \\item{%s}{%s.}\n", setting_arrays[k].name, setting_arrays[k].help);
    fputs(
        "  \\item{threads}{number of threads; 0: one per core.}\n}\n"
        "\\value{An object of class \\code{conehull}: a list with \\code{anchors} (columns of X), "
        "\\code{W} (these columns), \\code{H} (weights: X is close to W H), \\code{objective}, "
        "\\code{max_residual} (after each anchor), \\code{gap} (how far the worst column is from a "
        "proven bound), \\code{unproven}, \\code{status}, \\code{settings} and \\code{record}, "
        "which \\code{\\link{verify}} needs. There are methods of \\code{print}, \\code{summary}, "
        "\\code{fitted}, \\code{plot} and \\code{\\link{predict.conehull}}.}\n"
        "\\seealso{\\code{\\link{verify}}, \\code{\\link{project}}}\n"
        "\\examples{\nset.seed(1)\nW <- matrix(runif(50 * 5), 50)\n"
        "X <- cbind(W, W \\%*\\% matrix(rexp(5 * 100), 5))\nfound <- anchors(X, 5)\nfound\n"
        "verify(found, X)\nplot(found)\n}\n",
        to);
}

static int write_file(const char *folder, const char *name,
                      void (*write)(FILE *, const ch_settings_table *)) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    if (!to) return perror(path), 0;
    write(to, ch_anchors_table());
    return fclose(to) == 0;
}

int main(int count, char **arguments) {
    if (count != 2) return fputs("usage: write_settings FOLDER\n", stderr), 2;
    return !(write_file(arguments[1], "R/settings.R", write_code) &&
             write_file(arguments[1], "man/anchors.Rd", write_page));
}
