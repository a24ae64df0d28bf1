/* Writes files with names and numbers (named_files.h). */
#include "result/named_files.h"
#include "common/try.h"
#include <math.h>

typedef struct table {
    const ch_anchors_result *result;
    const cli_input *input;
    const json_t *anchor_names;
    const double *H;
    int64_t rank;
} table;

static void write_anchors(FILE *to, const void *user) {
    const table *of = user;
    const ch_anchors_result *result = of->result;
    const double *values = result->weights ? result->weights : result->max_residual;
    fprintf(to, "anchor,%s,name,%s\n", cli_input_point(of->input),
            result->weights ? "weight" : "max_residual");
    for (int64_t k = 0; k < result->rank; k++) {
        const char *name = json_string_value(json_array_get(of->anchor_names, (size_t)k));
        fprintf(to, "%lld,%lld,", (long long)k + 1, (long long)result->anchors[k]);
        if (name) cli_put_field(to, name);
        fputc(',', to);
        if (!isnan(values[k])) fprintf(to, "%.10g", values[k]);
        fputc('\n', to);
    }
}

static void write_weights(FILE *to, const void *user) {
    const table *of = user;
    const ch_text_list *columns = &of->input->names.of.columns;
    fprintf(to, "%s,name", cli_input_point(of->input));
    for (int64_t k = 0; k < of->rank; k++) {
        const char *name = json_string_value(json_array_get(of->anchor_names, (size_t)k));
        fputc(',', to);
        if (name)
            cli_put_field(to, name);
        else
            fprintf(to, "anchor %lld", (long long)k + 1);
    }
    fputc('\n', to);
    for (int64_t j = 0; j < columns->count; j++) {
        fprintf(to, "%lld,", (long long)j);
        cli_put_field(to, columns->text[j]);
        for (int64_t k = 0; k < of->rank; k++) fprintf(to, ",%.10g", of->H[k + j * of->rank]);
        fputc('\n', to);
    }
}

int cli_named_weights(cli_folder *folder, const double *H, int64_t rank, const cli_input *input,
                      const json_t *anchor_names) {
    const ch_text_list *columns = &input->names.of.columns;
    const table of = {NULL, input, anchor_names, H, rank};
    if (!columns->count) return EXIT_DONE;
    if (H && columns->count <= CLI_WEIGHTS_CSV / (rank ? rank : 1))
        TRY(cli_folder_write(folder, "weights.csv", write_weights, &of));
    return cli_folder_write(folder, "column_names.txt", cli_write_lines, columns);
}

json_t *cli_anchor_names(const json_t *run) {
    const json_t *known = json_object_get(run, "component_names");
    json_t *names = json_object_get(run, "anchor_names");
    if (!known) return json_incref(names);
    json_t *all = json_array();
    for (size_t k = 0; k < json_array_size(known); k++) {
        json_t *name = json_array_get(known, k);
        if (!json_is_string(name)) name = json_array_get(names, k);
        json_array_append_new(all, name ? json_incref(name) : json_null());
    }
    return all;
}

int cli_named_files(cli_folder *folder, const ch_anchors_result *result, const cli_input *input,
                    const json_t *run) {
    const ch_text_list *columns = &input->names.of.columns, *rows = &input->names.of.rows;
    json_t *names = cli_anchor_names(run);
    const table of = {.result = result, .input = input, .anchor_names = names};
    int code = EXIT_DONE;
    if (columns->count) code = cli_folder_write(folder, "anchors.csv", write_anchors, &of);
    if (code == EXIT_DONE && rows->count)
        code = cli_folder_write(folder, "row_names.txt", cli_write_lines, rows);
    if (code == EXIT_DONE) code = cli_named_weights(folder, result->H, result->rank, input, names);
    json_decref(names);
    return code;
}
