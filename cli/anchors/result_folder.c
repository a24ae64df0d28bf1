/* Result folders: written from a ch_anchors_result, and read back into one. */
#include "anchors/result_folder.h"
#include "anchors/named_files.h"
#include "anchors/rank_chart.h"
#include "anchors/result_json.h"
#include "anchors/trust_options.h"
#include "common/input_guard.h"
#include "common/output_folder.h"
#include "common/try.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>

/* ---- certificate.npz ---- */

typedef enum length { NONE, ROWS, STEPS, STARTS, DUALS, LENGTHS } length;

/* Its arrays: how long they are, and which field of the result they are. One without length is a
 * number, and the field itself; of the others the field is a pointer. */
static const struct array {
    const char *name;
    char kind;
    int dims;
    length shape[2];
    size_t field;
} arrays[] = {
    {"step_exterior", 'i', 1, {STEPS, NONE}, offsetof(ch_anchors_result, step_exterior)},
    {"step_anchor", 'i', 1, {STEPS, NONE}, offsetof(ch_anchors_result, step_anchor)},
    {"step_dual", 'f', 2, {ROWS, STEPS}, offsetof(ch_anchors_result, step_dual)},
    {"p_seed", 'i', 0, {NONE, NONE}, offsetof(ch_anchors_result, p_seed)},
    {"dual_start", 'i', 1, {STARTS, NONE}, offsetof(ch_anchors_result, dual_start)},
    {"dual_row", 'j', 1, {DUALS, NONE}, offsetof(ch_anchors_result, dual_row)},
    {"dual_value", 'f', 1, {DUALS, NONE}, offsetof(ch_anchors_result, dual_value)},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static int write_certificate(cli_folder *folder, const ch_anchors_result *result) {
    const int64_t *start = result->dual_start;
    const int64_t lengths[LENGTHS] = {[ROWS] = result->dual_rows,
                                      [STEPS] = result->steps,
                                      [STARTS] = start ? result->cols + 1 : 0,
                                      [DUALS] = start ? start[result->cols] : 0};
    ch_npz_array list[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        const struct array *row = &arrays[i];
        char *field = (char *)result + row->field; /* only read */
        list[i] = (ch_npz_array){row->name,
                                 row->kind,
                                 row->dims,
                                 {lengths[row->shape[0]], lengths[row->shape[1]]},
                                 row->dims ? *(void **)field : field};
    }
    return cli_folder_arrays(folder, "certificate.npz", list, ARRAYS);
}

/* ---- writing ---- */

static void write_anchors(FILE *to, const void *user) {
    const ch_anchors_result *result = user;
    for (int64_t k = 0; k < result->rank; k++) fprintf(to, "%lld\n", (long long)result->anchors[k]);
}

/* Which entries of W were completed, as a matrix of the shape of W. */
static int write_completed(cli_folder *folder, const ch_anchors_result *result) {
    int64_t count = result->rows * result->rank;
    double *marks = malloc((size_t)(count + 1) * sizeof *marks);
    if (!marks) return cli_no_memory();
    for (int64_t e = 0; e < count; e++) marks[e] = result->completed_entries[e];
    int code = cli_folder_matrix(folder, "W_completed.npy", marks, result->rows, result->rank);
    free(marks);
    return code;
}

static int write_refined(cli_folder *folder, const ch_anchors_result *result) {
    if (!result->refined_W) return EXIT_DONE;
    TRY(cli_folder_matrix(folder, "W_refined.npy", result->refined_W, result->rows, result->rank));
    return cli_folder_matrix(folder, "H_refined.npy", result->refined_H, result->rank,
                             result->cols);
}

int cli_result_files(cli_folder *folder, const cli_result_parts *parts, double *seconds) {
    const ch_anchors_result *result = parts->result;
    const ch_anchors_settings *settings = parts->settings;
    TRY(cli_folder_write(folder, "anchors.txt", write_anchors, result));
    if (parts->names) TRY(cli_named_files(folder, result, parts->names));
    TRY(cli_folder_matrix(folder, "W.npy", result->W, result->rows, result->rank));
    if (result->H) TRY(cli_folder_matrix(folder, "H.npy", result->H, result->rank, result->cols));
    TRY(write_refined(folder, result));
    if (result->completed_entries) TRY(write_completed(folder, result));
    if (settings->row_weights)
        TRY(cli_folder_matrix(folder, "row_weights.npy", settings->row_weights,
                              settings->row_weight_count, 1));
    TRY(write_certificate(folder, result));
    if (parts->page) TRY(cli_folder_write(folder, "anchors.html", parts->page, parts->page_user));
    *seconds = cli_seconds() - folder->opened;
    cli_json_set_seconds(parts->json, "write", *seconds);
    return cli_folder_json(folder, "result.json", parts->json);
}

int cli_result_write(const cli_session *session, const char *path, const cli_result_parts *parts,
                     double *seconds) {
    static const char *const stale[] = {"H.npy",         "H.npz",           "W_refined.npy",
                                        "H_refined.npy", "W_completed.npy", "row_weights.npy",
                                        "anchors.html",  "unmix.json",      "rank.svg",
                                        "pixels.txt",    CLI_NAMED_FILES,   NULL};
    const ch_anchors_result *result = parts->result;
    const cli_weights *weights = parts->weights;
    cli_folder folder;
    *seconds = 0;
    if (!path) {
        cli_json_set_seconds(parts->json, "write", 0);
        return EXIT_DONE;
    }
    int code = cli_folder_open(&folder, session, path);
    folder.keeps = result->status == CH_STOP_CANCELLED;
    if (code == EXIT_DONE && weights && cli_weights_are_whole(weights, result))
        code = cli_weights_write(&folder, weights);
    if (code == EXIT_DONE && cli_result_shows_rank(result, parts->settings))
        code = cli_rank_chart(&folder, result);
    if (code == EXIT_DONE) code = cli_result_files(&folder, parts, seconds);
    return cli_folder_close(&folder, code, stale);
}

/* ---- reading ---- */

/* The first contradiction is the one that is reported. */
static void contradict(cli_stored *stored, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void contradict(cli_stored *stored, const char *format, ...) {
    va_list arguments;
    if (stored->why[0]) return;
    va_start(arguments, format);
    vsnprintf(stored->why, sizeof stored->why, format, arguments);
    va_end(arguments);
}

/* A number, or a list of `count` of them; null stands for one that was not measured. Whatever else
 * is there becomes NaN too, and compare_json() finds that it is not what is stored. */
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
        return cli_error(EXIT_FILES, "%s: is not a folder; %s comes first, then %s",
                         options->operands[1], options->operand_names[0],
                         options->operand_names[1]);
    return cli_error(EXIT_FILES, "%s: %s; is this a folder that 'conehull anchors -o' wrote?", file,
                     strerror(errno));
}

/* A file that could be opened and then not read: no verdict about what it holds. */
static int broke_off(const char *file) {
    return cli_error(EXIT_FILES, "%s: cannot read: %s", file, strerror(errno));
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
    if (!json_is_object(settings))
        return cli_refuse("%s: holds no \"settings\"; is it a result of 'conehull anchors'?", file);
    if (!json_object_get(stored->json, "anchors"))
        return cli_refuse("%s: was written by 'project'; %s needs a folder of 'anchors -o'",
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
            code = cli_refuse("%s: line %lld is not a column number", file,
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
    if (!same) contradict(stored, "anchors.txt and result.json list different anchors");
}

/* A number for every anchor, of those that the run has. */
static int read_lists(cli_stored *stored) {
    ch_anchors_result *result = &stored->result;
    const json_t *residuals = json_object_get(stored->json, "max_residual");
    if (!json_is_array(residuals) || (int64_t)json_array_size(residuals) != result->rank)
        contradict(stored, "result.json holds %lld residuals for %lld anchors",
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
        contradict(stored, "W.npy has %lld columns, anchors.txt %lld lines",
                   (long long)stored->W.M.cols, (long long)result->rank);
    return EXIT_DONE;
}

/* Shapes as those of W and H. */
static int read_refined_W(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *W = &stored->refined_W.M;
    TRY(read_dense(&stored->result.refined_W, &stored->refined_W, session, file));
    if (W->rows != stored->result.rows || W->cols != stored->result.rank)
        contradict(stored, "W_refined.npy has not the shape of W.npy");
    return EXIT_DONE;
}

static int read_refined_H(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *H = &stored->refined_H.M;
    TRY(read_dense(&stored->result.refined_H, &stored->refined_H, session, file));
    if (H->rows != stored->result.rank || H->cols != stored->result.cols)
        contradict(stored, "H_refined.npy has not the shape of H.npy");
    return EXIT_DONE;
}

static int read_completed(cli_stored *stored, const cli_session *session, const char *file) {
    const ch_matrix *M = &stored->completed.M;
    ch_anchors_result *result = &stored->result;
    double *marks;
    TRY(read_dense(&marks, &stored->completed, session, file));
    if (M->rows != result->rows || M->cols != result->rank) {
        contradict(stored, "W_completed.npy has not the shape of W.npy");
        return EXIT_DONE;
    }
    int64_t count = M->rows * M->cols;
    result->completed_entries = stored->completed_entries = malloc((size_t)count + 1);
    if (!stored->completed_entries) return cli_no_memory();
    for (int64_t e = 0; e < count; e++) {
        if (marks[e] != 0 && marks[e] != 1)
            contradict(stored, "W_completed.npy holds other numbers than 0 and 1");
        stored->completed_entries[e] = marks[e] != 0;
    }
    return EXIT_DONE;
}

static int read_row_weights(cli_stored *stored, const cli_session *session, const char *file) {
    TRY(cli_vector_read(&stored->row_weights, &stored->row_weight_count, session, file));
    if (stored->row_weight_count != stored->result.rows)
        contradict(stored, "row_weights.npy holds %lld numbers, W.npy has %lld rows",
                   (long long)stored->row_weight_count, (long long)stored->result.rows);
    return EXIT_DONE;
}

/* Does result.json say that the run had weights of this kind? */
static int has_weights(const cli_stored *stored, const char *kind) {
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
        contradict(stored, "H.npy has %lld rows, anchors.txt %lld lines", (long long)H->rows,
                   (long long)result->rank);
    if (H->cols != result->cols)
        contradict(stored, "H.npy has %lld columns, result.json says %lld", (long long)H->cols,
                   (long long)result->cols);
    return EXIT_DONE;
}

static const ch_npz_array *find_array(const cli_stored *stored, const char *name) {
    for (int i = 0; i < stored->array_count; i++)
        if (strcmp(stored->arrays[i].name, name) == 0) return &stored->arrays[i];
    return NULL;
}

static int64_t array_length(const cli_stored *stored, const char *name) {
    const ch_npz_array *array = find_array(stored, name);
    return array ? array->shape[0] : 0;
}

/* Puts the array into its field if it has the kind and the shape; a contradiction otherwise. */
static void take_array(cli_stored *stored, const struct array *row, const int64_t *lengths) {
    const ch_npz_array *array = find_array(stored, row->name);
    char *field = (char *)&stored->result + row->field;
    if (!array)
        contradict(stored, "certificate.npz: %s is missing", row->name);
    else if (array->kind != row->kind || array->dims != row->dims ||
             (row->dims > 0 && array->shape[0] != lengths[row->shape[0]]) ||
             (row->dims > 1 && array->shape[1] != lengths[row->shape[1]]))
        contradict(stored, "certificate.npz: %s has the wrong type or shape", row->name);
    else if (row->dims == 0)
        memcpy(field, array->data, sizeof(int64_t));
    else
        *(void **)field = array->data;
}

/* Offsets from 0, never falling, up to the number of stored duals; rows that exist. */
static void check_duals(cli_stored *stored, int64_t duals) {
    const ch_anchors_result *result = &stored->result;
    const int64_t *start = result->dual_start;
    int good = start[0] == 0 && start[result->cols] == duals;
    for (int64_t j = 0; good && j < result->cols; j++) good = start[j] <= start[j + 1];
    for (int64_t e = 0; good && e < duals; e++)
        good = result->dual_row[e] >= 0 && result->dual_row[e] < result->dual_rows;
    if (!good) contradict(stored, "certificate.npz: dual_start or dual_row is out of range");
}

static int read_certificate(cli_stored *stored, const cli_session *session, const char *file) {
    ch_anchors_result *result = &stored->result;
    TRY(cli_check(session,
                  ch_npz_read(session->context, &stored->arrays, &stored->array_count, file)));
    result->dual_rows = result->rows + (stored->settings.hull != CH_HULL_CONE);
    const int64_t lengths[LENGTHS] = {[ROWS] = result->dual_rows,
                                      [STEPS] = array_length(stored, "step_anchor"),
                                      [STARTS] = result->cols + 1,
                                      [DUALS] = array_length(stored, "dual_row")};
    int duals = array_length(stored, "dual_start") > 0; /* losses other than l1 have none */
    result->steps = lengths[STEPS];
    for (int i = 0; i < ARRAYS; i++)
        if (duals || strncmp(arrays[i].name, "dual_", 5) != 0)
            take_array(stored, &arrays[i], lengths);
    if (result->steps == 0) { /* a method without steps leaves nothing to check */
        result->step_exterior = result->step_anchor = NULL;
        result->step_dual = NULL;
        if (stored->settings.method == CH_METHOD_XRAY)
            contradict(stored, "certificate.npz holds no steps, which method xray needs");
    }
    if (duals && !stored->why[0]) check_duals(stored, lengths[DUALS]);
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
    if (has_weights(stored, "rows"))
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
    return read_part(stored, session, path, "certificate.npz", read_certificate);
}

/* Keys whose values tell of one run or of one file, and follow from nothing that is stored. */
static int is_of_the_run(const char *key) {
    static const char *const keys[] = {
        "projections", "pivots", "passes", "seconds", "file", "note", "var", "transpose", "type",
        "version", "threads", "kernel", "ranks", "library", "component_names", "names",
        "names_from",
        /* compared by themselves: compare_names(), compare_compact() */
        "anchor_names", "largest_rows", "largest_row_names", "h"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) return 1;
    return 0;
}

/* Settings that are not there are at their defaults: an earlier version may not have had them. */
static const char *different_setting(json_t *claimed, json_t *expected) {
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value) {
        const json_t *other = json_object_get(claimed, key);
        if (other && !json_equal(other, value)) return key;
    }
    json_object_foreach(claimed, key, value) if (!json_object_get(expected, key)) return key;
    return NULL;
}

/* Names that a file gave to the run are unknown here, unless it is given here too: whether `side`
 * ("columns", "rows") has such names, and nobody can check them. */
static int names_are_unknown(const cli_stored *stored, const cli_names *names, const char *side) {
    const json_t *from = json_object_get(stored->json, "names_from");
    const char *source = json_string_value(json_object_get(from, side));
    int given = strcmp(side, "rows") == 0 ? names->rows_file != NULL : names->file != NULL;
    return source && strcmp(source, "input") != 0 && !given;
}

/* Names stand beside numbers and prove nothing; those that can be known must be right all the same.
 * A folder of an earlier version has none. */
static void compare_names(cli_stored *stored, const cli_input *input, json_t *expected) {
    static const struct {
        const char *key, *side;
    } keys[] = {{"anchor_names", "columns"}, {"largest_row_names", "rows"}};
    const json_t *claimed = stored->json, *rows = json_object_get(claimed, "largest_rows");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *said = json_object_get(claimed, keys[k].key);
        if (!said) continue;
        if (names_are_unknown(stored, &input->names, keys[k].side))
            stored->names_unchecked = 1;
        else if (!json_equal(said, json_object_get(expected, keys[k].key)))
            contradict(stored, "result.json: \"%s\" are not the names of the input", keys[k].key);
    }
    json_t *largest = rows ? cli_largest_rows_json(&stored->result) : NULL;
    if (rows && !json_equal(rows, largest))
        contradict(stored, "result.json: \"largest_rows\" are not those of W");
    json_decref(largest);
}

/* Is result.json what a run of the stored settings that found the stored result would write, but
 * for what is of that one run? */
static void compare_json(cli_stored *stored, const cli_session *session, const cli_input *input) {
    const char *key;
    json_t *value, *claimed = stored->json;
    json_t *expected = cli_result_json(session, input, &stored->settings, &stored->result);
    compare_names(stored, input, expected);
    json_object_foreach(expected, key, value) {
        json_t *other = json_object_get(claimed, key);
        if (strcmp(key, "settings") == 0) {
            const char *setting = different_setting(other, value);
            if (setting) contradict(stored, "result.json: the setting \"%s\" is unusable", setting);
        } else if (!other && strcmp(key, "faint") == 0 && stored->result.faint == 0) {
            continue; /* of a version that had no faint columns */
        } else if (!other && strcmp(key, "rank_clear") == 0) {
            continue; /* of a version that did not judge */
        } else if (!is_of_the_run(key) && (!other || !json_equal(other, value))) {
            contradict(stored, "result.json: \"%s\" contradicts the rest, or is missing", key);
        }
    }
    json_object_foreach(claimed, key,
                        value) if (!json_object_get(expected, key) && !is_of_the_run(key))
        contradict(stored, "result.json: \"%s\" belongs to no run of these settings", key);
    json_decref(expected);
}

/* Weights are given to the recheck as the data are; a folder can only say that there were some. */
static void compare_weights(cli_stored *stored) {
    static const struct {
        const char *kind, *option;
    } kinds[] = {{"rows", "--row-weights"},
                 {"columns", "--column-weights"},
                 {"mask", "--mask"},
                 {"entries", "--weights"}};
    const ch_anchors_settings *set = &stored->settings;
    const int given[] = {set->row_weights != NULL, set->column_weights != NULL,
                         set->observed != NULL, set->weights != NULL};
    for (int k = 0; k < 4; k++)
        if (given[k] != has_weights(stored, kinds[k].kind))
            contradict(stored,
                       given[k] ? "the result was found without %s"
                                : "the result was found with %s: give it here too",
                       kinds[k].option);
    for (int64_t i = 0; set->row_weights && stored->row_weights && i < stored->result.rows; i++)
        if (set->row_weights[i] != stored->row_weights[i])
            contradict(stored, "row_weights.npy holds other numbers than --row-weights");
}

/* Another kernel set rounds in another way, by which a tie could be decided: that of the run is
 * used, where this machine has it and no other was asked for. */
static void use_kernel_of_run(const cli_session *session, const cli_stored *stored) {
    const char *kernel = json_string_value(json_object_get(stored->json, "kernel"));
    if (kernel && !session->common.kernel) ch_context_set_kernel(session->context, kernel);
}

/* Both null, or both numbers that differ by rounding alone: the projection of another kernel set
 * may differ in its last bits. */
static int are_near(const json_t *left, const json_t *right) {
    double a = json_number_value(left), b = json_number_value(right);
    if (!json_is_number(left) || !json_is_number(right)) return json_equal(left, right);
    return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

/* What result.json says of an H that was stored in parts: file, type, nonzeros, and what rounding
 * has moved and adds to the gap. H is that of the run, before it was rounded. */
static int compare_compact(cli_stored *stored) {
    const json_t *claimed = json_object_get(stored->json, "h");
    const char *key;
    json_t *h, *value;
    if (!claimed) return EXIT_DONE;
    TRY(cli_weights_again(&h, stored->single, stored->sparse, &stored->result, &stored->settings));
    if (json_object_size(claimed) != json_object_size(h))
        contradict(stored, "result.json: \"h\" is not what a run of these settings says of H");
    json_object_foreach(h, key, value) if (!are_near(json_object_get(claimed, key), value))
        contradict(stored, "result.json: \"%s\" of \"h\" is not that of H", key);
    json_decref(h);
    return EXIT_DONE;
}

/* An H of single precision proves nothing as it is: it must be that of a new projection, rounded,
 * which is then proven in its place. */
static int restore_rounded(cli_stored *stored, const cli_session *session, const cli_input *input) {
    ch_anchors_result *result = &stored->result;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_settings set = stored->settings;
    int64_t count = result->rank * result->cols;
    double *H = malloc(((size_t)count + 1) * sizeof *H);
    if (!H) return cli_no_memory();
    if (result->floor > 0) set.floor = result->floor;
    ch_status status =
        ch_project(session->context, H, &info, &input->X, result->W, result->rank, &set);
    for (int64_t e = 0; status >= 0 && e < count; e++)
        if (!(fabs(H[e] - result->H[e]) <= 0x1p-23 * fabs(H[e]) + 0x1p-149))
            contradict(stored,
                       "H at row %lld, column %lld is not the rounded weight of a "
                       "projection",
                       (long long)(e % result->rank), (long long)(e / result->rank));
    free(stored->H.copy);
    result->H = stored->H.copy = H;
    return cli_input_check(session, status, input);
}

int cli_stored_verify(ch_verification *found, cli_stored *stored, const cli_session *session,
                      const cli_input *input) {
    const ch_anchors_result *result = &stored->result;
    const ch_matrix *X = &input->X;
    *found = (ch_verification){.size = sizeof *found,
                               .gap = NAN,
                               .dual_infeasibility = NAN,
                               .stationarity = NAN,
                               .objective = NAN};
    if (X->rows != result->rows || X->cols != result->cols)
        contradict(stored,
                   "the input is %lld x %lld, the result was found in a matrix of %lld x %lld%s",
                   (long long)X->rows, (long long)X->cols, (long long)result->rows,
                   (long long)result->cols,
                   X->rows == result->cols && X->cols == result->rows
                       ? " (is --transpose missing, or too much?)"
                       : "");
    if (!stored->why[0]) compare_weights(stored);
    if (!stored->why[0]) compare_json(stored, session, input);
    snprintf(found->why, sizeof found->why, "%s", stored->why);
    if (stored->why[0]) return EXIT_DONE;
    use_kernel_of_run(session, stored);
    if (stored->single) TRY(restore_rounded(stored, session, input));
    if (!stored->why[0]) TRY(compare_compact(stored));
    snprintf(found->why, sizeof found->why, "%s", stored->why);
    if (stored->why[0]) return EXIT_DONE;
    return cli_input_check(session,
                           ch_verify(session->context, found, X, result, &stored->settings), input);
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
