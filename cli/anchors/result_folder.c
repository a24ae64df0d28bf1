/* Result folders: written from a ch_anchors_result, and read back into one. */
#include "anchors/result_folder.h"
#include "anchors/result_json.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "common/output_folder.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static int write_anchors(cli_folder *folder, const ch_anchors_result *result) {
    char *text = NULL;
    size_t length = 0;
    FILE *lines = open_memstream(&text, &length);
    for (int64_t k = 0; lines && k < result->rank; k++)
        fprintf(lines, "%lld\n", (long long)result->anchors[k]);
    int failed = !lines || fclose(lines) != 0;
    int code = EXIT_MEMORY;
    if (failed)
        cli_complain("out of memory");
    else
        code = cli_folder_text(folder, "anchors.txt", text, length);
    free(text);
    return code;
}

static int write_certificate(cli_folder *folder, const ch_anchors_result *result) {
    int64_t p_seed = (int64_t)result->p_seed;
    int64_t duals = result->dual_start ? result->dual_start[result->cols] : 0;
    int64_t starts = result->dual_start ? result->cols + 1 : 0;
    const ch_npz_array arrays[] = {
        {"step_exterior", 'i', 1, {result->steps, 0}, result->step_exterior},
        {"step_anchor", 'i', 1, {result->steps, 0}, result->step_anchor},
        {"step_dual", 'f', 2, {result->rows, result->steps}, result->step_dual},
        {"p_seed", 'i', 0, {0, 0}, &p_seed},
        {"dual_start", 'i', 1, {starts, 0}, result->dual_start},
        {"dual_row", 'j', 1, {duals, 0}, result->dual_row},
        {"dual_value", 'f', 1, {duals, 0}, result->dual_value},
    };
    return cli_folder_arrays(folder, "certificate.npz", arrays, sizeof arrays / sizeof *arrays);
}

int cli_result_write(const cli_session *session, const char *path, const ch_anchors_result *result,
                     json_t *json) {
    static const char *const no_stale[] = {NULL}, *const stale_H[] = {"H.npy", NULL};
    cli_folder folder;
    double start = cli_seconds();
    int code = cli_folder_open(&folder, session, path);
    if (code == EXIT_DONE) code = write_anchors(&folder, result);
    if (code == EXIT_DONE)
        code = cli_folder_matrix(&folder, "W.npy", result->W, result->rows, result->rank);
    if (code == EXIT_DONE && result->H)
        code = cli_folder_matrix(&folder, "H.npy", result->H, result->rank, result->cols);
    if (code == EXIT_DONE) code = write_certificate(&folder, result);
    if (code == EXIT_DONE) {
        json_object_set_new(json_object_get(json, "seconds"), "write",
                            cli_json_real(cli_seconds() - start));
        code = cli_folder_json(&folder, "result.json", json);
    }
    return cli_folder_close(&folder, code, result->H ? no_stale : stale_H);
}

/* ---- reading ---- */

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

/* The first contradiction is the one that is told. */
static void contradict(cli_stored *stored, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void contradict(cli_stored *stored, const char *format, ...) {
    va_list arguments;
    if (stored->why[0]) return;
    va_start(arguments, format);
    vsnprintf(stored->why, sizeof stored->why, format, arguments);
    va_end(arguments);
}

static int read_integers(int64_t **list, int64_t *count, const json_t *array) {
    *count = (int64_t)json_array_size(array);
    *list = malloc(((size_t)*count + 1) * sizeof **list);
    if (!*list) return no_memory();
    for (int64_t i = 0; i < *count; i++)
        (*list)[i] = json_integer_value(json_array_get(array, (size_t)i));
    return EXIT_DONE;
}

static int no_result(const cli_session *session, const char *file) {
    const cli_options *options = &session->options;
    if (errno == ENOTDIR)
        cli_complain("%s: is not a folder; %s comes first, then %s", options->operands[1],
                     options->operand_names[0], options->operand_names[1]);
    else
        cli_complain("%s: %s; is this a folder that 'conehull anchors -o' wrote?", file,
                     strerror(errno));
    return EXIT_FILES;
}

/* A file that could be opened and then not read: no verdict about what it holds. */
static int broke_off(const char *file) {
    cli_complain("%s: cannot read: %s", file, strerror(errno));
    return EXIT_FILES;
}

static int read_json(cli_stored *stored, const cli_session *session, const char *file) {
    json_error_t error;
    FILE *stream = fopen(file, "r");
    if (!stream) return no_result(session, file);
    stored->json = json_loadf(stream, 0, &error);
    int broken = ferror(stream) ? broke_off(file) : EXIT_DONE;
    fclose(stream);
    if (broken != EXIT_DONE) return broken;
    if (!stored->json) {
        cli_complain("%s: line %d, column %d: %s", file, error.line, error.column, error.text);
        return EXIT_USAGE;
    }
    const json_t *settings = json_object_get(stored->json, "settings");
    const json_t *objective = json_object_get(stored->json, "objective");
    if (!json_is_object(settings)) {
        cli_complain("%s: holds no \"settings\"; is it a result of 'conehull anchors'?", file);
        return EXIT_USAGE;
    }
    if (!json_object_get(stored->json, "anchors")) {
        cli_complain("%s: was written by 'project'; %s needs a folder of 'anchors -o'",
                     session->options.operands[1], session->options.command);
        return EXIT_USAGE;
    }
    ch_status status =
        cli_settings_from_json(session->context, &ch_anchors_table, &stored->settings, settings);
    if (status < 0) return cli_fail(session, status, file);
    int code = read_integers(&stored->keep, &stored->settings.keep_count,
                             json_object_get(stored->json, "keep"));
    stored->settings.keep = stored->keep;
    const json_t *floor = json_object_get(stored->json, "floor");
    if (json_number_value(floor) > 0) /* the one that was found from the data, where one was */
        stored->settings.floor = stored->result.floor = json_number_value(floor);
    const json_t *shape = json_object_get(stored->json, "shape");
    stored->result.cols = json_integer_value(json_array_get(shape, 1));
    stored->result.objective = json_is_number(objective) ? json_number_value(objective) : NAN;
    return code;
}

static void compare_anchors(cli_stored *stored) {
    const json_t *array = json_object_get(stored->json, "anchors");
    int64_t rank = stored->result.rank;
    int same = (int64_t)json_array_size(array) == rank;
    for (int64_t k = 0; same && k < rank; k++)
        same = json_integer_value(json_array_get(array, (size_t)k)) == stored->anchors[k];
    if (!same) contradict(stored, "anchors.txt and result.json list different anchors");
}

static int read_max_residual(cli_stored *stored) {
    const json_t *array = json_object_get(stored->json, "max_residual");
    int64_t rank = stored->result.rank;
    if ((int64_t)json_array_size(array) != rank)
        contradict(stored, "result.json holds %lld residuals for %lld anchors",
                   (long long)json_array_size(array), (long long)rank);
    stored->max_residual = malloc(((size_t)rank + 1) * sizeof(double));
    if (!stored->max_residual) return no_memory();
    for (int64_t k = 0; k < rank; k++) {
        const json_t *value = json_array_get(array, (size_t)k);
        stored->max_residual[k] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    stored->result.max_residual = stored->max_residual;
    return EXIT_DONE;
}

/* One whole number per line, nothing else. */
static int read_anchors(cli_stored *stored, const char *file) {
    FILE *stream = fopen(file, "r");
    char *line = NULL;
    size_t capacity = 0, room = 0;
    int64_t rank = 0;
    int code = EXIT_DONE;
    if (!stream) {
        cli_complain("%s: %s", file, strerror(errno));
        return EXIT_FILES;
    }
    while (code == EXIT_DONE && getline(&line, &capacity, stream) >= 0) {
        char *end;
        errno = 0;
        long long column = strtoll(line, &end, 10);
        if (end == line || (*end && strcmp(end, "\n") != 0) || errno || column < 0) {
            cli_complain("%s: line %lld is not a column number", file, (long long)rank + 1);
            code = EXIT_USAGE;
        } else if ((size_t)rank == room) {
            room = 2 * room + 16;
            int64_t *larger = realloc(stored->anchors, room * sizeof *larger);
            if (larger)
                stored->anchors = larger;
            else
                code = no_memory();
        }
        if (code == EXIT_DONE) stored->anchors[rank++] = column;
    }
    if (code == EXIT_DONE && ferror(stream)) code = broke_off(file);
    free(line);
    fclose(stream);
    stored->result.anchors = stored->anchors;
    stored->result.rank = rank;
    return code;
}

/* Doubles by column: those of the file, or a copy when somebody saved it in another way. */
static int read_dense(double **values, ch_matrix *M, double **copy, const cli_session *session,
                      const char *file) {
    ch_status status = ch_matrix_read(session->context, M, file, NULL);
    if (status < 0) return cli_fail(session, status, NULL);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    *values = (double *)M->values; /* read only, like the whole result */
    if (M->layout == CH_COLUMN_MAJOR && M->type == CH_F64 && M->stride == M->rows) return EXIT_DONE;
    *copy = malloc(((size_t)M->rows * (size_t)M->cols + 1) * sizeof(double));
    for (int64_t j = 0; *copy && j < M->cols; j++)
        for (int64_t i = 0; i < M->rows; i++) (*copy)[i + j * M->rows] = ch_matrix_at(M, i, j);
    *values = *copy;
    return *copy ? EXIT_DONE : no_memory();
}

static int read_W(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    int code = read_dense(&result->W, &stored->W, &stored->W_copy, session, file);
    if (code == EXIT_DONE && stored->W.cols != result->rank)
        contradict(stored, "W.npy has %lld columns, anchors.txt %lld lines",
                   (long long)stored->W.cols, (long long)result->rank);
    result->rows = stored->W.rows;
    return code;
}

static int read_H(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    int code = read_dense(&result->H, &stored->H, &stored->H_copy, session, file);
    if (code == EXIT_DONE && stored->H.rows != result->rank)
        contradict(stored, "H.npy has %lld rows, anchors.txt %lld lines", (long long)stored->H.rows,
                   (long long)result->rank);
    if (code == EXIT_DONE && stored->H.cols != result->cols)
        contradict(stored, "H.npy has %lld columns, result.json says %lld",
                   (long long)stored->H.cols, (long long)result->cols);
    return code;
}

/* The array of that name if it has the kind and the shape; a contradiction otherwise. */
static void *find_array(cli_stored *stored, const char *name, char kind, int dims, int64_t first,
                        int64_t second) {
    for (int i = 0; i < stored->array_count; i++) {
        const ch_npz_array *array = &stored->arrays[i];
        if (strcmp(array->name, name) != 0) continue;
        if (array->kind == kind && array->dims == dims && (dims < 1 || array->shape[0] == first) &&
            (dims < 2 || array->shape[1] == second))
            return array->data;
        contradict(stored, "certificate.npz: %s has the wrong type or shape", name);
        return NULL;
    }
    contradict(stored, "certificate.npz: %s is missing", name);
    return NULL;
}

static int64_t array_length(const cli_stored *stored, const char *name) {
    for (int i = 0; i < stored->array_count; i++)
        if (strcmp(stored->arrays[i].name, name) == 0) return stored->arrays[i].shape[0];
    return 0;
}

/* Offsets from 0, never falling, up to the number of stored duals; rows that exist. */
static void check_duals(cli_stored *stored, int64_t duals) {
    const ch_anchors_result *result = &stored->result;
    const int64_t *start = result->dual_start;
    int good = start[0] == 0 && start[result->cols] == duals;
    for (int64_t j = 0; good && j < result->cols; j++) good = start[j] <= start[j + 1];
    for (int64_t e = 0; good && e < duals; e++)
        good = result->dual_row[e] >= 0 && result->dual_row[e] < result->rows;
    if (!good) contradict(stored, "certificate.npz: dual_start or dual_row is out of range");
}

static int read_certificate(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    ch_status status = ch_npz_read(session->context, &stored->arrays, &stored->array_count, file);
    if (status < 0) return cli_fail(session, status, NULL);
    if (status == CH_STOP_CANCELLED) return EXIT_INTERRUPTED;
    int64_t steps = array_length(stored, "step_anchor");
    int64_t duals = array_length(stored, "dual_row");
    result->steps = steps;
    result->step_exterior = find_array(stored, "step_exterior", 'i', 1, steps, 0);
    result->step_anchor = find_array(stored, "step_anchor", 'i', 1, steps, 0);
    result->step_dual = find_array(stored, "step_dual", 'f', 2, result->rows, steps);
    if (steps == 0) { /* a method without steps leaves nothing to check */
        result->step_exterior = result->step_anchor = NULL;
        result->step_dual = NULL;
        if (stored->settings.method == CH_METHOD_XRAY)
            contradict(stored, "certificate.npz holds no steps, which method xray needs");
    }
    const int64_t *p_seed = find_array(stored, "p_seed", 'i', 0, 0, 0);
    if (p_seed) result->p_seed = (uint64_t)*p_seed;
    if (array_length(stored, "dual_start") > 0) {
        result->dual_start = find_array(stored, "dual_start", 'i', 1, result->cols + 1, 0);
        result->dual_row = find_array(stored, "dual_row", 'j', 1, duals, 0);
        result->dual_value = find_array(stored, "dual_value", 'f', 1, duals, 0);
        if (!stored->why[0]) check_duals(stored, duals);
    }
    return EXIT_DONE;
}

typedef int (*reader)(cli_stored *stored, const cli_session *session, const char *file);

static int read_part(cli_stored *stored, const cli_session *session, const char *path,
                     const char *name, reader read) {
    char *file = cli_path_join(path, name);
    if (!file) return no_memory();
    int code = read(stored, session, file);
    free(file);
    return code;
}

static int read_anchor_lines(cli_stored *stored, const cli_session *session, const char *file) {
    (void)session;
    int code = read_anchors(stored, file);
    if (code != EXIT_DONE) return code;
    compare_anchors(stored);
    return read_max_residual(stored);
}

int cli_stored_read(cli_stored *stored, const cli_session *session, const char *path,
                    int only_cone) {
    memset(stored, 0, sizeof *stored);
    int code = cli_refuse_stdin(path);
    if (code == EXIT_DONE) code = read_part(stored, session, path, "result.json", read_json);
    if (code == EXIT_DONE)
        code = read_part(stored, session, path, "anchors.txt", read_anchor_lines);
    if (code == EXIT_DONE) code = read_part(stored, session, path, "W.npy", read_W);
    if (code != EXIT_DONE || only_cone) return code;
    if (!stored->settings.select_only) code = read_part(stored, session, path, "H.npy", read_H);
    if (code == EXIT_DONE && !stored->why[0])
        code = read_part(stored, session, path, "certificate.npz", read_certificate);
    return code;
}

void cli_stored_free(cli_stored *stored, const cli_session *session) {
    ch_npz_free(session->context, stored->arrays, stored->array_count);
    json_decref(stored->json);
    free(stored->anchors);
    free(stored->keep);
    free(stored->max_residual);
    free(stored->W_copy);
    free(stored->H_copy);
    ch_matrix_free(session->context, &stored->W);
    ch_matrix_free(session->context, &stored->H);
}
