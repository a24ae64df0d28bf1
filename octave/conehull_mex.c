/* conehull for Octave and MATLAB: one function, whose first argument says what to do.
 *
 *     [result, status] = conehull_mex('anchors', X, settings)
 *     [H, info]        = conehull_mex('project', X, W, settings)
 *     [ok, why, gap]   = conehull_mex('verify', X, result, settings)
 *     [table, arrays]  = conehull_mex('settings')
 *
 * settings is a struct of texts, as the command's options have them, by the names of
 * ch_anchors_table(); `keep` (int64, from 0), `threads` and the arrays of setting_arrays.h besides.
 * Matrices are borrowed where they are dense; numbers of columns count from 0 here, the .m files
 * count from 1.
 *
 * An error leaves this function by a jump, so everything is released before. */
#include "result_fields.h"
#include "setting_arrays.h"
#include <conehull/version.h>
#include <mex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CONEHULL_OCTAVE
extern volatile sig_atomic_t octave_interrupt_state; /* liboctave: Ctrl-C was pressed */
#endif

static const result_field fields[] = {RESULT_FIELDS(RESULT_FIELD_ROW)};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct borrowed {
    ch_matrix view;
    int64_t *starts; /* of a sparse matrix, copies with our types */
    int32_t *rows;
} borrowed;

/* What a call holds until its end. */
typedef struct call {
    ch_context *context;
    borrowed X, arrays[SETTING_ARRAYS];
    ch_anchors_settings settings;
    ch_anchors_result result;
    int owns;  /* the result is the library's, not borrowed from the caller's struct */
    char *why; /* NULL, or the error */
} call;

static int hear(const ch_progress_event *event, void *user) {
    (void)event;
    (void)user;
#ifdef CONEHULL_OCTAVE
    return octave_interrupt_state > 0;
#else
    return 0;
#endif
}

static int fail(call *of, const char *text) {
    if (!of->why) of->why = strdup(text);
    return 0;
}

static int check(call *of, ch_status status) {
    return status >= 0 || fail(of, ch_context_message(of->context));
}

/* ---- in ---- */

static int take_sparse(call *of, borrowed *matrix, const mxArray *array) {
    size_t cols = mxGetN(array);
    const mwIndex *starts = mxGetJc(array), *rows = mxGetIr(array);
    matrix->starts = malloc((cols + 1) * sizeof *matrix->starts);
    matrix->rows = malloc(((size_t)starts[cols] + 1) * sizeof *matrix->rows);
    if (!matrix->starts || !matrix->rows) return fail(of, "out of memory");
    for (size_t j = 0; j <= cols; j++) matrix->starts[j] = (int64_t)starts[j];
    for (mwIndex k = 0; k < starts[cols]; k++) matrix->rows[k] = (int32_t)rows[k];
    matrix->view.layout = CH_CSC;
    matrix->view.column_start = matrix->starts;
    matrix->view.row_index = matrix->rows;
    return 1;
}

static int fail_matrix(call *of, const char *name, const char *what) {
    char why[128];
    snprintf(why, sizeof why, "%s must be %s", name, what);
    return fail(of, why);
}

static int take_matrix(call *of, borrowed *matrix, const char *name, const mxArray *array) {
    if (mxIsComplex(array) || mxGetNumberOfDimensions(array) > 2)
        return fail_matrix(of, name, "a real matrix; a data point is a column");
    if (mxIsSparse(array) && !take_sparse(of, matrix, array)) return 0;
    switch (mxGetClassID(array)) {
    case mxDOUBLE_CLASS:
        matrix->view.type = CH_F64;
        break;
    case mxSINGLE_CLASS:
        matrix->view.type = CH_F32;
        break;
    case mxUINT8_CLASS:
        matrix->view.type = CH_U8;
        break;
    case mxUINT16_CLASS:
        matrix->view.type = CH_U16;
        break;
    default:
        return fail_matrix(of, name, "double, single, uint8 or uint16");
    }
    matrix->view.rows = (int64_t)mxGetM(array);
    matrix->view.cols = (int64_t)mxGetN(array);
    matrix->view.values = mxGetData(array);
    ch_matrix given = matrix->view;
    return check(of, ch_matrix_borrow(of->context, &matrix->view, &given));
}

static int take_vector(call *of, const setting_array *array, const mxArray *given) {
    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given))
        return fail_matrix(of, array->name, "a full vector of doubles");
    setting_array_vector(&of->settings, array, mxGetPr(given),
                         (int64_t)mxGetNumberOfElements(given));
    return 1;
}

static int take_array(call *of, int k, const mxArray *given) {
    const setting_array *array = &setting_arrays[k];
    if (!array->is_matrix) return take_vector(of, array, given);
    setting_array_matrix(&of->settings, array, &of->arrays[k].view);
    return take_matrix(of, &of->arrays[k], array->name, given);
}

/* `threads`, `keep` and arrays are none of the table's. */
static int take_setting(call *of, const char *name, const mxArray *value) {
    if (strcmp(name, "threads") == 0)
        return check(of, ch_context_set_threads(of->context, (int)mxGetScalar(value)));
    if (strcmp(name, "keep") == 0) {
        if (!mxIsInt64(value)) return fail(of, "keep must be int64");
        of->settings.keep = mxGetData(value);
        of->settings.keep_count = (int64_t)mxGetNumberOfElements(value);
        return 1;
    }
    int array = setting_array_find(name);
    if (array >= 0) return take_array(of, array, value);
    char *text = mxArrayToString(value), typed[64];
    if (!text) return fail(of, "settings must be texts");
    snprintf(typed, sizeof typed, "%s", name);
    /* Fields of a struct have no hyphens. */
    for (char *at = typed; !ch_settings_find(ch_anchors_table(), typed) && (at = strchr(at, '_'));)
        *at = '-';
    int ok =
        check(of, ch_settings_set(of->context, ch_anchors_table(), &of->settings, typed, text));
    mxFree(text);
    return ok;
}

static int take_settings(call *of, const mxArray *given) {
    ch_anchors_defaults(&of->settings);
    of->settings.keep_duals = 1;
    if (!mxIsStruct(given)) return fail(of, "settings must be a struct");
    for (int k = 0; k < mxGetNumberOfFields(given); k++) {
        const mxArray *value = mxGetFieldByNumber(given, 0, k);
        if (value && !take_setting(of, mxGetFieldNameByNumber(given, k), value)) return 0;
    }
    return 1;
}

static mxClassID class_of(field_kind kind) {
    return kind == FIELD_INT || kind == FIELD_INTS      ? mxINT64_CLASS
           : kind == FIELD_SHORTS || kind == FIELD_CODE ? mxINT32_CLASS
           : kind == FIELD_BYTES                        ? mxUINT8_CLASS
                                                        : mxDOUBLE_CLASS;
}

/* One field of the caller's struct, arrays borrowed. Their shapes are checked here, what they hold
 * by ch_verify(). */
static int take_field(call *of, const result_field *field, const mxArray *given) {
    char name[64];
    field_name(name, field);
    const mxArray *value = mxGetField(given, 0, name);
    char *to = (char *)&of->result + field->at;
    int array = field->kind >= FIELD_INTS;
    if (array && (!value || mxIsEmpty(value))) return 1;
    if (!value || mxGetClassID(value) != class_of(field->kind) || mxIsSparse(value) ||
        (int64_t)mxGetM(value) != field_length_of(&of->result, field->rows) ||
        (int64_t)mxGetN(value) != field_length_of(&of->result, field->cols)) {
        char why[128];
        snprintf(why, sizeof why, "this is no result of conehull_anchors: its field %s", name);
        return fail(of, why);
    }
    if (array)
        *(void **)to = mxGetData(value);
    else
        memcpy(to, mxGetData(value), field_size(field->kind));
    return 1;
}

static int take_result(call *of, const mxArray *given) {
    if (!mxIsStruct(given)) return fail(of, "the result must be a struct");
    for (int k = 0; k < FIELDS; k++)
        if (!take_field(of, &fields[k], given)) return 0;
    const mxArray *status = mxGetField(given, 0, "status_code");
    of->result.status = status ? (ch_status)mxGetScalar(status) : CH_OK;
    return 1;
}

/* ---- out ---- */

static mxArray *give_field(const ch_anchors_result *result, const result_field *field) {
    const char *from = (const char *)result + field->at;
    int array = field->kind >= FIELD_INTS;
    const void *values = array ? *(void *const *)from : from;
    if (!values) return mxCreateNumericMatrix(0, 0, class_of(field->kind), mxREAL);
    size_t rows = (size_t)field_length_of(result, field->rows);
    size_t cols = (size_t)field_length_of(result, field->cols);
    mxArray *made = mxCreateNumericMatrix(rows, cols, class_of(field->kind), mxREAL);
    size_t bytes = rows * cols * mxGetElementSize(made);
    if (bytes > 0) memcpy(mxGetData(made), values, bytes);
    return made;
}

static mxArray *give_result(const ch_anchors_result *result) {
    mxArray *made = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int k = 0; k < FIELDS; k++) {
        char name[64];
        field_name(name, &fields[k]);
        mxSetFieldByNumber(made, 0, mxAddField(made, name), give_field(result, &fields[k]));
    }
    mxSetFieldByNumber(made, 0, mxAddField(made, "status_code"),
                       mxCreateDoubleScalar(result->status));
    return made;
}

/* ---- what can be asked for ---- */

static int run_anchors(call *of, mxArray **out, const mxArray **in) {
    if (!take_matrix(of, &of->X, "X", in[1]) || !take_settings(of, in[2])) return 0;
    if (!check(of, ch_anchors(of->context, &of->result, &of->X.view, &of->settings))) return 0;
    of->owns = 1;
    out[0] = give_result(&of->result);
    out[1] = mxCreateString(ch_status_sentence(of->result.status));
    return 1;
}

static int run_project(call *of, mxArray **out, const mxArray **in) {
    ch_project_info info = {.size = sizeof info};
    if (!take_matrix(of, &of->X, "X", in[1]) || !take_settings(of, in[3])) return 0;
    const mxArray *W = in[2];
    if (!mxIsDouble(W) || mxIsComplex(W) || mxIsSparse(W) || (int64_t)mxGetM(W) != of->X.view.rows)
        return fail(of, "W must be a full double matrix with as many rows as X");
    out[0] = mxCreateDoubleMatrix(mxGetN(W), (size_t)of->X.view.cols, mxREAL);
    ch_status status = ch_project(of->context, mxGetPr(out[0]), &info, &of->X.view, mxGetPr(W),
                                  (int64_t)mxGetN(W), &of->settings);
    if (!check(of, status)) return 0;
    static const char *names[] = {"objective", "unproven", "gap", "status_code"};
    out[1] = mxCreateStructMatrix(1, 1, 4, names);
    const double values[] = {info.objective, (double)info.unproven, info.certificate.gap, status};
    for (int k = 0; k < 4; k++) mxSetFieldByNumber(out[1], 0, k, mxCreateDoubleScalar(values[k]));
    return 1;
}

static int run_verify(call *of, mxArray **out, const mxArray **in) {
    ch_verification found = {.size = sizeof found};
    if (!take_matrix(of, &of->X, "X", in[1]) || !take_result(of, in[2]) ||
        !take_settings(of, in[3]))
        return 0;
    ch_status status = ch_verify(of->context, &found, &of->X.view, &of->result, &of->settings);
    if (!check(of, status)) return 0;
    if (status == CH_STOP_CANCELLED) return fail(of, "interrupted");
    out[0] = mxCreateLogicalScalar(found.ok != 0);
    out[1] = mxCreateString(found.why);
    out[2] = mxCreateDoubleScalar(found.gap);
    return 1;
}

/* The table: names and one sentence each. The arrays: names, and whether they belong to the columns
 * of one X. For messages and checks in .m files. */
static int run_settings(call *of, mxArray **out, const mxArray **in) {
    const ch_settings_table *table = ch_anchors_table();
    (void)of;
    (void)in;
    out[0] = mxCreateCellMatrix((size_t)table->count, 2);
    for (int k = 0; k < table->count; k++) {
        mxSetCell(out[0], (size_t)k, mxCreateString(table->rows[k].name));
        mxSetCell(out[0], (size_t)(k + table->count), mxCreateString(table->rows[k].help));
    }
    out[1] = mxCreateCellMatrix(SETTING_ARRAYS, 2);
    for (size_t k = 0; k < SETTING_ARRAYS; k++) {
        mxSetCell(out[1], k, mxCreateString(setting_arrays[k].name));
        mxSetCell(out[1], k + SETTING_ARRAYS,
                  mxCreateLogicalScalar(setting_arrays[k].of_columns != 0));
    }
    return 1;
}

static const struct command {
    const char *name;
    int inputs, outputs;
    int (*run)(call *of, mxArray **out, const mxArray **in);
} commands[] = {{"anchors", 3, 2, run_anchors},
                {"project", 4, 2, run_project},
                {"verify", 4, 3, run_verify},
                {"settings", 1, 2, run_settings}};

static void release(borrowed *matrix) {
    free(matrix->starts);
    free(matrix->rows);
}

static void finish(call *of) {
    if (of->owns) ch_anchors_result_free(of->context, &of->result);
    ch_context_destroy(of->context);
    release(&of->X);
    for (int k = 0; k < SETTING_ARRAYS; k++) release(&of->arrays[k]);
}

static const struct command *find_command(const mxArray *name) {
    char *text = name && mxIsChar(name) ? mxArrayToString(name) : NULL;
    const struct command *found = NULL;
    for (size_t k = 0; text && k < sizeof commands / sizeof *commands; k++)
        if (strcmp(text, commands[k].name) == 0) found = &commands[k];
    mxFree(text);
    return found;
}

void mexFunction(int out_count, mxArray *out[], int in_count, const mxArray *in[]) {
    call of = {.result.size = sizeof of.result};
    mxArray *made[3] = {NULL};
    const struct command *command = in_count ? find_command(in[0]) : NULL;
    if (!command || in_count != command->inputs)
        mexErrMsgIdAndTxt("conehull:usage", "conehull_mex: use conehull_anchors, conehull_project, "
                                            "conehull_verify or conehull_unmix");
    if (ch_context_create(&of.context, NULL) != CH_OK)
        mexErrMsgIdAndTxt("conehull:memory", "conehull: out of memory");
    ch_context_set_progress(of.context, hear, NULL);
    int done = command->run(&of, made, in);
    int stopped = of.result.status == CH_STOP_CANCELLED;
    finish(&of);
    if (!done || stopped) {
        char why[1024];
        snprintf(why, sizeof why, "conehull: %s", of.why ? of.why : "interrupted");
        free(of.why);
        mexErrMsgIdAndTxt("conehull:error", "%s", why);
    }
    for (int k = 0; k < command->outputs && (k == 0 || k < out_count); k++) out[k] = made[k];
}
