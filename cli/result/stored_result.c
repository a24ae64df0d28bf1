/* Reads the folder of a result back. */
#include "result/stored_result.h"
#include "common/input_guard.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "result/certificate_file.h"
#include "result/trust_options.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

void cli_contradict(cli_stored *stored, const char *format, ...) {
    va_list arguments;
    if (stored->why[0]) return;
    va_start(arguments, format);
    vsnprintf(stored->why, sizeof stored->why, format, arguments);
    va_end(arguments);
}

/* A number, or a list of `count` of them; null stands for one that was not measured. Whatever else
 * is there becomes NaN too, and cli_stored_verify() finds that it is not what is stored. */
static double real_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t integer_of(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static int read_reals(double **list, const json_t *object, const char *key, int64_t count) {
    const json_t *array = json_object_get(object, key);
    if (!array) return EXIT_DONE;
    *list = malloc(((size_t)count + 1) * sizeof **list);
    if (!*list) return cli_no_memory();
    for (int64_t k = 0; k < count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);
        (*list)[k] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return EXIT_DONE;
}

static ch_certificate certificate_of(const json_t *object) {
    const json_t *certificate = json_object_get(object, "certificate");
    const char *proof = json_string_value(json_object_get(certificate, "proof"));
    return (ch_certificate){.gap = proof && strcmp(proof, "gap") == 0 ? real_of(certificate, "gap")
                                                                      : NAN,
                            .dual_infeasibility = real_of(certificate, "dual_infeasibility"),
                            .stationarity = real_of(certificate, "stationarity")};
}

/* The numbers that the run reported, besides lists. */
static void read_report(cli_stored *stored) {
    const json_t *json = stored->json, *selection = json_object_get(json, "selection");
    const json_t *refined = json_object_get(json, "refined");
    const json_t *paper = json_object_get(json, "dual_paper");
    const char *status = json_string_value(json_object_get(json, "status"));
    ch_anchors_result *result = &stored->result;
    result->objective = real_of(json, "objective");
    result->floor = real_of(json, "floor");
    result->nonzeros = integer_of(json, "nnz");
    result->unproven = integer_of(json, "unproven");
    result->faint = integer_of(json, "faint");
    const json_t *clipped = json_object_get(json, "clipped");
    result->clipped = integer_of(clipped, "count");
    result->library = integer_of(json_object_get(json, "library"), "columns");
    const json_t *measured = json_object_get(json, "measured");
    result->measured = measured != NULL;
    result->zero_weights = integer_of(measured, "zero_weights");
    result->empty_anchors = integer_of(measured, "empty_anchors");
    result->unexplained = real_of(measured, "unexplained");
    result->lonely_anchors = integer_of(measured, "lonely_anchors");
    result->lonely_column = integer_of(measured, "lonely_column");
    result->mean_shared = real_of(measured, "mean_shared");
    result->warnings = (int)integer_of(measured, "warnings");
    result->clipped_mass = clipped ? real_of(clipped, "mass") : 0;
    const json_t *missing = json_object_get(json, "missing");
    result->unknown = integer_of(missing, "entries");
    result->incomplete = integer_of(missing, "incomplete");
    result->completed = integer_of(missing, "completed");
    result->certificate = certificate_of(json);
    result->refined_objective = real_of(refined, "objective");
    result->refined_rounds = (int64_t)json_array_size(json_object_get(refined, "path")) / 2;
    result->refined_unproven = integer_of(refined, "unproven");
    result->refined_certificate = certificate_of(refined);
    for (int code = CH_OK; code <= CH_STOP_INACCURATE; code++)
        if (status && strcmp(status, cli_status_name((ch_status)code)) == 0)
            result->status = (ch_status)code;
    result->select_objective = real_of(selection, "objective");
    result->select_gap = real_of(selection, "gap");
    result->iterations = integer_of(selection, "iterations");
    result->duals_checked = integer_of(paper, "checked");
    result->duals_valid = integer_of(paper, "valid");
}

static int read_keep(cli_stored *stored) {
    const json_t *array = json_object_get(stored->json, "keep");
    size_t count = json_array_size(array);
    stored->keep = malloc((count + 1) * sizeof *stored->keep);
    if (!stored->keep) return cli_no_memory();
    for (size_t i = 0; i < count; i++)
        stored->keep[i] = json_integer_value(json_array_get(array, i));
    stored->settings.keep = stored->keep;
    stored->settings.keep_count = (int64_t)count;
    return EXIT_DONE;
}

static int no_result(const cli_session *session, const char *file) {
    const cli_options *options = &session->options;
    if (errno == ENOTDIR)
        return cli_error(
            EXIT_FILES,
            "%s: this is not a folder; give %s as the first argument and %s as the second",
            options->operands[1], options->operand_names[0], options->operand_names[1]);
    char *topics = cli_path_join(options->operands[1], "topics.json");
    int is_topics = topics && access(topics, F_OK) == 0;
    free(topics);
    if (is_topics)
        return cli_refuse(
            "%s: 'conehull topics' wrote this folder, but '%s' needs a folder that 'conehull "
            "anchors -o' wrote. Topics have no proof to recheck; 'conehull project NEW %s -o "
            "OUT' computes the topics of new documents",
            options->operands[1], options->command, options->operands[1]);
    return cli_error(EXIT_FILES, "%s: %s; is this a folder that 'conehull anchors -o' wrote?", file,
                     strerror(errno));
}

/* A file that could be opened and then not read: no verdict about what it holds. */
static int broke_off(const char *file) {
    return cli_error(EXIT_FILES, "%s: the file cannot be read: %s", file, strerror(errno));
}

static int load_json(cli_stored *stored, const cli_session *session, const char *file) {
    json_error_t error;
    TRY(cli_refuse_special(file));
    FILE *stream = fopen(file, "r");
    if (!stream) return no_result(session, file);
    stored->json = json_loadf(stream, 0, &error);
    int broken = ferror(stream) ? broke_off(file) : EXIT_DONE;
    fclose(stream);
    if (broken != EXIT_DONE || stored->json) return broken;
    return cli_refuse("%s: line %d, column %d: %s", file, error.line, error.column, error.text);
}

static int read_json(cli_stored *stored, const cli_session *session, const char *file) {
    TRY(load_json(stored, session, file));
    const json_t *settings = json_object_get(stored->json, "settings");
    const char *folder = session->options.operands[1];
    if (json_object_get(stored->json, "exemplars"))
        return cli_refuse("%s: 'conehull exemplars' wrote this folder, but '%s' needs a folder "
                          "that 'conehull anchors -o' wrote. members.csv says which exemplar "
                          "stands for each data point; 'conehull anchors INPUT --keep LIST' "
                          "computes weights on exemplars, which '%s' can use",
                          folder, session->options.command, session->options.command);
    if (!json_is_object(settings))
        return cli_refuse(
            "%s: the key \"settings\" is missing; was this file written by 'conehull anchors'?",
            file);
    if (!json_object_get(stored->json, "anchors"))
        return cli_refuse("%s: this result was written by 'conehull project', but %s needs a "
                          "folder that 'conehull anchors -o' wrote",
                          session->options.operands[1], session->options.command);
    ch_anchors_defaults(&stored->settings);
    TRY(cli_check_file(
        session,
        cli_settings_from_json(session->context, ch_anchors_table(), &stored->settings, settings),
        file));
    TRY(read_keep(stored));
    const json_t *shape = json_object_get(stored->json, "shape");
    stored->result.cols = json_integer_value(json_array_get(shape, 1));
    read_report(stored);
    return EXIT_DONE;
}

/* One whole number per line, nothing else. */
static int read_numbers(cli_stored *stored, FILE *stream, const char *file) {
    ch_anchors_result *result = &stored->result;
    char *line = NULL;
    size_t size = 0, capacity = 0;
    int code = EXIT_DONE;
    while (code == EXIT_DONE && getline(&line, &size, stream) >= 0) {
        char *end;
        errno = 0;
        long long column = strtoll(line, &end, 10);
        if (end == line || (*end && strcmp(end, "\n") != 0) || errno || column < 0) {
            code = cli_refuse("%s: line %lld is not the number of a column", file,
                              (long long)result->rank + 1);
        } else if ((size_t)result->rank == capacity) {
            capacity = 2 * capacity + 16;
            int64_t *larger = realloc(result->anchors, capacity * sizeof *larger);
            if (!larger) code = cli_no_memory();
            if (larger) result->anchors = larger;
        }
        if (code == EXIT_DONE) result->anchors[result->rank++] = column;
    }
    free(line);
    return code == EXIT_DONE && ferror(stream) ? broke_off(file) : code;
}

static void compare_anchors(cli_stored *stored) {
    const json_t *array = json_object_get(stored->json, "anchors");
    int64_t rank = stored->result.rank;
    int same = (int64_t)json_array_size(array) == rank;
    for (int64_t k = 0; same && k < rank; k++)
        same = json_integer_value(json_array_get(array, (size_t)k)) == stored->result.anchors[k];
    if (!same) cli_contradict(stored, "anchors.txt and result.json list different anchors");
}

/* A number for every anchor, of those that the run has. */
static int read_lists(cli_stored *stored) {
    ch_anchors_result *result = &stored->result;
    const json_t *residuals = json_object_get(stored->json, "max_residual");
    if (!json_is_array(residuals) || (int64_t)json_array_size(residuals) != result->rank)
        cli_contradict(stored, "result.json lists %lld residuals, but there are %lld anchors",
                       (long long)json_array_size(residuals), (long long)result->rank);
    TRY(read_reals(&result->max_residual, stored->json, "max_residual", result->rank));
    TRY(read_reals(&result->objective_path, stored->json, "objective_path", result->rank));
    const json_t *refined = json_object_get(stored->json, "refined");
    TRY(read_reals(&result->refined_path, refined, "path", 2 * result->refined_rounds));
    TRY(read_reals(&result->refined_angle, refined, "angle", result->rank));
    return read_reals(&result->weights, json_object_get(stored->json, "selection"), "weights",
                      result->rank);
}

static int read_anchors(cli_stored *stored, const cli_session *session, const char *file) {
    (void)session;
    TRY(cli_refuse_special(file));
    FILE *stream = fopen(file, "r");
    if (!stream) return cli_error(EXIT_FILES, "%s: %s", file, strerror(errno));
    int code = read_numbers(stored, stream, file);
    fclose(stream);
    if (code != EXIT_DONE) return code;
    compare_anchors(stored);
    return read_lists(stored);
}

/* Doubles by column: those of the file, or a copy when somebody saved it in another way. */
static int read_dense(double **values, cli_stored_matrix *stored, const cli_session *session,
                      const char *file) {
    ch_matrix *M = &stored->M;
    TRY(cli_check(session, ch_matrix_read(session->context, M, file, NULL)));
    *values = (double *)M->values; /* read only, like the whole result */
    if (M->layout == CH_COLUMN_MAJOR && M->type == CH_F64 && M->stride == M->rows) return EXIT_DONE;
    double *copy = malloc(((size_t)M->rows * (size_t)M->cols + 1) * sizeof(double));
    for (int64_t j = 0; copy && j < M->cols; j++)
        for (int64_t i = 0; i < M->rows; i++) copy[i + j * M->rows] = ch_matrix_at(M, i, j);
    *values = stored->copy = copy;
    return copy ? EXIT_DONE : cli_no_memory();
}

static int read_W(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    TRY(read_dense(&result->W, &stored->W, session, file));
    result->rows = stored->W.M.rows;
    if (stored->W.M.cols != result->rank)
        cli_contradict(stored, "W.npy has %lld columns, but anchors.txt has %lld lines",
                       (long long)stored->W.M.cols, (long long)result->rank);
    return EXIT_DONE;
}

/* Shapes as those of W and H. */
static int read_refined_W(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *W = &stored->refined_W.M;
    TRY(read_dense(&stored->result.refined_W, &stored->refined_W, session, file));
    if (W->rows != stored->result.rows || W->cols != stored->result.rank)
        cli_contradict(stored, "W_refined.npy does not have the same shape as W.npy");
    return EXIT_DONE;
}

static int read_refined_H(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *H = &stored->refined_H.M;
    TRY(read_dense(&stored->result.refined_H, &stored->refined_H, session, file));
    if (H->rows != stored->result.rank || H->cols != stored->result.cols)
        cli_contradict(stored, "H_refined.npy does not have the same shape as H.npy");
    return EXIT_DONE;
}

static int read_completed(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *M = &stored->completed.M;
    ch_anchors_result *result = &stored->result;
    double *marks;
    TRY(read_dense(&marks, &stored->completed, session, file));
    if (M->rows != result->rows || M->cols != result->rank) {
        cli_contradict(stored, "W_completed.npy does not have the same shape as W.npy");
        return EXIT_DONE;
    }
    int64_t count = M->rows * M->cols;
    result->completed_entries = stored->completed_entries = malloc((size_t)count + 1);
    if (!stored->completed_entries) return cli_no_memory();
    for (int64_t e = 0; e < count; e++) {
        if (marks[e] != 0 && marks[e] != 1)
            cli_contradict(stored, "W_completed.npy contains numbers other than 0 and 1");
        stored->completed_entries[e] = marks[e] != 0;
    }
    return EXIT_DONE;
}

static int read_row_weights(cli_stored *stored, const cli_session *session, const char *file) {
    TRY(cli_vector_read(&stored->row_weights, &stored->row_weight_count, session, file));
    if (stored->row_weight_count != stored->result.rows)
        cli_contradict(stored, "row_weights.npy has %lld numbers, but W.npy has %lld rows",
                       (long long)stored->row_weight_count, (long long)stored->result.rows);
    return EXIT_DONE;
}

int cli_stored_has_weights(const cli_stored *stored, const char *kind) {
    const json_t *list = json_object_get(stored->json, "weights");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *text = json_string_value(json_array_get(list, k));
        if (text && strcmp(text, kind) == 0) return 1;
    }
    return 0;
}

void cli_stored_use_row_weights(cli_stored *stored) {
    stored->settings.row_weights = stored->row_weights;
    stored->settings.row_weight_count = stored->row_weights ? stored->row_weight_count : 0;
}

static int read_H(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    const ch_matrix *H = &stored->H.M;
    TRY(read_dense(&result->H, &stored->H, session, file));
    if (H->rows != result->rank)
        cli_contradict(stored, "H.npy has %lld rows, but anchors.txt has %lld lines",
                       (long long)H->rows, (long long)result->rank);
    if (H->cols != result->cols)
        cli_contradict(stored, "H.npy has %lld columns, but result.json states %lld",
                       (long long)H->cols, (long long)result->cols);
    return EXIT_DONE;
}

static int
read_part(cli_stored *stored, const cli_session *session, const char *path, const char *name,
          int (*read)(cli_stored *stored, const cli_session *session, const char *file)) {
    char *file = cli_path_join(path, name);
    if (!file) return cli_no_memory();
    int code = read(stored, session, file);
    free(file);
    return code;
}

int cli_stored_read(cli_stored *stored, const cli_session *session, const char *path,
                    int only_cone) {
    memset(stored, 0, sizeof *stored);
    stored->result.size = sizeof stored->result;
    TRY(cli_refuse_stdin(path));
    TRY(read_part(stored, session, path, "result.json", read_json));
    TRY(read_part(stored, session, path, "anchors.txt", read_anchors));
    TRY(read_part(stored, session, path, "W.npy", read_W));
    if (cli_stored_has_weights(stored, "rows"))
        TRY(read_part(stored, session, path, "row_weights.npy", read_row_weights));
    if (only_cone) {
        if (stored->result.floor > 0) /* the one that was found from the data, where one was */
            stored->settings.floor = stored->result.floor;
        return EXIT_DONE;
    }
    const json_t *h = json_object_get(stored->json, "h");
    const char *file = json_string_value(json_object_get(h, "file"));
    const char *type = json_string_value(json_object_get(h, "type"));
    stored->single = type && strcmp(type, "f32") == 0;
    stored->sparse = file && strcmp(file, "H.npz") == 0;
    if (!stored->settings.select_only)
        TRY(read_part(stored, session, path, stored->sparse ? "H.npz" : "H.npy", read_H));
    if (stored->settings.refine > 0) {
        TRY(read_part(stored, session, path, "W_refined.npy", read_refined_W));
        TRY(read_part(stored, session, path, "H_refined.npy", read_refined_H));
    }
    if (stored->result.unknown > 0)
        TRY(read_part(stored, session, path, "W_completed.npy", read_completed));
    if (stored->why[0]) return EXIT_DONE;
    return read_part(stored, session, path, "certificate.npz", cli_certificate_read);
}

void cli_stored_free(cli_stored *stored, const cli_session *session) {
    ch_npz_free(session->context, stored->arrays, stored->array_count);
    json_decref(stored->json);
    free(stored->result.anchors);
    free(stored->result.max_residual);
    free(stored->result.refined_path);
    free(stored->result.refined_angle);
    free(stored->result.objective_path);
    free(stored->result.weights);
    free(stored->keep);
    free(stored->completed_entries);
    free(stored->row_weights);
    cli_stored_matrix *matrices[] = {&stored->W, &stored->H, &stored->refined_W, &stored->refined_H,
                                     &stored->completed};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        free(matrices[k]->copy);
        ch_matrix_free(session->context, &matrices[k]->M);
    }
}
