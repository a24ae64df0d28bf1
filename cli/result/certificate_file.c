/* certificate.npz: the steps of the selection, and the duals that are not signs of residuals. */
#include "result/certificate_file.h"
#include "common/output_folder.h"
#include "common/try.h"

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

int cli_certificate_write(cli_folder *folder, const ch_anchors_result *result) {
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
        cli_contradict(stored, "certificate.npz: the array %s is missing", row->name);
    else if (array->kind != row->kind || array->dims != row->dims ||
             (row->dims > 0 && array->shape[0] != lengths[row->shape[0]]) ||
             (row->dims > 1 && array->shape[1] != lengths[row->shape[1]]))
        cli_contradict(stored, "certificate.npz: the array %s has the wrong type or shape",
                       row->name);
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
    if (!good)
        cli_contradict(
            stored,
            "certificate.npz: the array dual_start or dual_row has values that are out of range");
}

int cli_certificate_read(cli_stored *stored, const cli_session *session, const char *file) {
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
            cli_contradict(stored, "certificate.npz: the steps of the selection are missing, which "
                                   "a result of the method xray must have");
    }
    if (duals && !stored->why[0]) check_duals(stored, lengths[DUALS]);
    return EXIT_DONE;
}
