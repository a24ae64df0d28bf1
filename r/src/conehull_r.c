/* .Call functions of the R package: matrices are borrowed, settings are named texts, and a result
 * goes out and comes back in as a list of its fields (result_fields.h).
 *
 * Whole numbers of a result may exceed 2^53 (p_seed), so fields of kind INT and INTS travel as
 * doubles with the bits of an int64_t; bits_to_numbers() makes numbers of them. An error leaves by
 * a jump, so everything is released before Rf_error(). */
#include "result_fields.h"
#include "setting_arrays.h"
#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>
#include <stdlib.h>
#include <string.h>

static const result_field fields[] = {RESULT_FIELDS(RESULT_FIELD_ROW)};
enum { FIELDS = sizeof fields / sizeof *fields };

typedef struct borrowed {
    ch_matrix view;
    int64_t *starts; /* of a sparse matrix: offsets with our type */
} borrowed;

/* What a call holds until its end. */
typedef struct call {
    ch_context *context;
    borrowed X, arrays[SETTING_ARRAYS];
    int64_t *keep;
    ch_anchors_settings settings;
    ch_anchors_result result;
    int owns; /* the result is the library's, not borrowed from R */
    char why[1024];
} call;

/* ---- Ctrl-C ---- */

static void check_interrupt(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

static int hear(const ch_progress_event *event, void *user) {
    (void)event;
    (void)user;
    return !R_ToplevelExec(check_interrupt, NULL);
}

/* ---- begin and end ---- */

static int fail(call *of, const char *text) {
    if (!of->why[0]) snprintf(of->why, sizeof of->why, "%s", text);
    return 0;
}

static int check(call *of, ch_status status) {
    return status >= 0 || fail(of, ch_context_message(of->context));
}

static void begin(call *of) {
    *of = (call){.result.size = sizeof of->result};
    if (ch_context_create(&of->context, NULL) != CH_OK) Rf_error("out of memory");
    ch_context_set_progress(of->context, hear, NULL);
}

static void finish(call *of, int done, int protected_count) {
    if (done && of->result.status == CH_STOP_CANCELLED) done = fail(of, "interrupted");
    if (of->owns) ch_anchors_result_free(of->context, &of->result);
    ch_context_destroy(of->context);
    free(of->X.starts);
    for (int k = 0; k < SETTING_ARRAYS; k++) free(of->arrays[k].starts);
    free(of->keep);
    UNPROTECT(protected_count);
    if (!done) Rf_error("%s", of->why);
}

/* ---- in ---- */

static SEXP element(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t k = 0; k < Rf_xlength(list); k++)
        if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return VECTOR_ELT(list, k);
    return R_NilValue;
}

/* A dgCMatrix: values and row numbers as they are; offsets become int64_t. */
static int take_sparse(call *of, borrowed *matrix, SEXP X) {
    SEXP starts = R_do_slot(X, Rf_install("p")), dim = R_do_slot(X, Rf_install("Dim"));
    R_xlen_t count = Rf_xlength(starts);
    matrix->starts = malloc((size_t)count * sizeof *matrix->starts);
    if (!matrix->starts) return fail(of, "out of memory");
    for (R_xlen_t j = 0; j < count; j++) matrix->starts[j] = INTEGER(starts)[j];
    matrix->view = (ch_matrix){.rows = INTEGER(dim)[0],
                               .cols = INTEGER(dim)[1],
                               .layout = CH_CSC,
                               .values = REAL(R_do_slot(X, Rf_install("x"))),
                               .column_start = matrix->starts,
                               .row_index = INTEGER(R_do_slot(X, Rf_install("i")))};
    return 1;
}

static int take_matrix(call *of, borrowed *matrix, SEXP X) {
    if (Rf_inherits(X, "dgCMatrix")) {
        if (!take_sparse(of, matrix, X)) return 0;
    } else {
        if (!Rf_isReal(X) || !Rf_isMatrix(X)) return fail(of, "X must be a matrix of doubles");
        matrix->view = (ch_matrix){.rows = Rf_nrows(X), .cols = Rf_ncols(X), .values = REAL(X)};
    }
    ch_matrix given = matrix->view;
    return check(of, ch_matrix_borrow(of->context, &matrix->view, &given));
}

/* The arrays of setting_arrays.h that are not NULL, as as_arrays() has made them. */
static int take_arrays(call *of, SEXP settings) {
    for (int k = 0; k < SETTING_ARRAYS; k++) {
        const setting_array *array = &setting_arrays[k];
        SEXP given = element(settings, array->name);
        if (Rf_isNull(given)) continue;
        if (!array->is_matrix) {
            setting_array_vector(&of->settings, array, REAL(given), Rf_xlength(given));
            continue;
        }
        if (!take_matrix(of, &of->arrays[k], given)) return 0;
        setting_array_matrix(&of->settings, array, &of->arrays[k].view);
    }
    return 1;
}

/* settings: list(texts = named character vector, keep = numbers from 0, threads = a number), and
 * the arrays of take_arrays(). */
static int take_settings(call *of, SEXP settings) {
    SEXP texts = element(settings, "texts"), keep = element(settings, "keep");
    SEXP names = Rf_getAttrib(texts, R_NamesSymbol);
    ch_anchors_defaults(&of->settings);
    of->settings.keep_duals = 1;
    if (!check(of, ch_context_set_threads(of->context, Rf_asInteger(element(settings, "threads")))))
        return 0;
    for (R_xlen_t k = 0; k < Rf_xlength(texts); k++)
        if (!check(of, ch_settings_set(of->context, ch_anchors_table(), &of->settings,
                                       CHAR(STRING_ELT(names, k)), CHAR(STRING_ELT(texts, k)))))
            return 0;
    R_xlen_t count = Rf_xlength(keep);
    of->keep = malloc(((size_t)count + 1) * sizeof *of->keep);
    if (!of->keep) return fail(of, "out of memory");
    for (R_xlen_t k = 0; k < count; k++) of->keep[k] = (int64_t)REAL(keep)[k];
    of->settings.keep = of->keep;
    of->settings.keep_count = count;
    return take_arrays(of, settings);
}

static SEXPTYPE type_of(field_kind kind) {
    return kind == FIELD_SHORTS || kind == FIELD_CODE ? INTSXP
           : kind == FIELD_BYTES                      ? RAWSXP
                                                      : REALSXP;
}

static void *data_of(SEXP vector) {
    return TYPEOF(vector) == INTSXP   ? (void *)INTEGER(vector)
           : TYPEOF(vector) == RAWSXP ? (void *)RAW(vector)
                                      : (void *)REAL(vector);
}

/* Arrays are borrowed. Their lengths are checked here, what they hold by ch_verify(). */
static int take_field(call *of, const result_field *field, SEXP list) {
    char name[64];
    field_name(name, field);
    SEXP value = element(list, name);
    char *to = (char *)&of->result + field->at;
    int array = field->kind >= FIELD_INTS;
    if (array && Rf_isNull(value)) return 1;
    if (TYPEOF(value) != type_of(field->kind) ||
        Rf_xlength(value) !=
            field_length_of(&of->result, field->rows) * field_length_of(&of->result, field->cols)) {
        snprintf(of->why, sizeof of->why, "this is no result of anchors(): its field %s", name);
        return 0;
    }
    if (array)
        *(void **)to = data_of(value);
    else
        memcpy(to, data_of(value), field_size(field->kind));
    return 1;
}

static int take_result(call *of, SEXP list, SEXP status) {
    for (int k = 0; k < FIELDS; k++)
        if (!take_field(of, &fields[k], list)) return 0;
    of->result.status = (ch_status)Rf_asInteger(status);
    return 1;
}

/* ---- out ---- */

static SEXP give_field(const ch_anchors_result *result, const result_field *field) {
    const char *from = (const char *)result + field->at;
    const void *values = field->kind >= FIELD_INTS ? *(void *const *)from : from;
    if (!values) return R_NilValue;
    int64_t rows = field_length_of(result, field->rows),
            cols = field_length_of(result, field->cols);
    SEXP made = field->cols == ONE ? Rf_allocVector(type_of(field->kind), (R_xlen_t)rows)
                                   : Rf_allocMatrix(type_of(field->kind), (int)rows, (int)cols);
    size_t bytes = (size_t)(rows * cols) * field_size(field->kind);
    if (bytes > 0) memcpy(data_of(made), values, bytes);
    return made;
}

static SEXP give_result(const ch_anchors_result *result) {
    SEXP list = PROTECT(Rf_allocVector(VECSXP, FIELDS));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, FIELDS));
    for (int k = 0; k < FIELDS; k++) {
        char name[64];
        field_name(name, &fields[k]);
        SET_STRING_ELT(names, k, Rf_mkChar(name));
        SET_VECTOR_ELT(list, k, give_field(result, &fields[k]));
    }
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

/* ---- calls ---- */

static SEXP pair(SEXP first, SEXP second) { /* both are protected by the caller */
    SEXP both = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(both, 0, first);
    SET_VECTOR_ELT(both, 1, second);
    UNPROTECT(1);
    return both;
}

/* list(fields, list(code, sentence)) */
static SEXP call_anchors(SEXP X, SEXP settings) {
    call of;
    begin(&of);
    SEXP answer = R_NilValue;
    int done = take_matrix(&of, &of.X, X) && take_settings(&of, settings) &&
               check(&of, ch_anchors(of.context, &of.result, &of.X.view, &of.settings));
    int count = 0;
    if (done) {
        of.owns = 1;
        SEXP made = PROTECT(give_result(&of.result));
        SEXP code = PROTECT(Rf_ScalarInteger(of.result.status));
        SEXP sentence = PROTECT(Rf_mkString(ch_status_sentence(of.result.status)));
        SEXP status = PROTECT(pair(code, sentence));
        answer = PROTECT(pair(made, status));
        count = 5;
    }
    finish(&of, done, count);
    return answer;
}

/* list(H, c(objective, gap, unproven)) */
static SEXP call_project(SEXP X, SEXP W, SEXP settings) {
    call of;
    begin(&of);
    ch_project_info info = {.size = sizeof info};
    SEXP H = PROTECT(Rf_allocMatrix(
        REALSXP, Rf_ncols(W),
        Rf_inherits(X, "dgCMatrix") ? INTEGER(R_do_slot(X, Rf_install("Dim")))[1] : Rf_ncols(X)));
    int done = take_matrix(&of, &of.X, X) && take_settings(&of, settings);
    if (done && of.X.view.rows != Rf_nrows(W))
        done = fail(&of, "X and W have different numbers of rows");
    if (done) {
        of.result.status = ch_project(of.context, REAL(H), &info, &of.X.view, REAL(W),
                                      (int64_t)Rf_ncols(W), &of.settings);
        done = check(&of, of.result.status);
    }
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, 3));
    REAL(numbers)[0] = info.objective;
    REAL(numbers)[1] = info.certificate.gap;
    REAL(numbers)[2] = (double)info.unproven;
    SEXP answer = PROTECT(pair(H, numbers));
    finish(&of, done, 3);
    return answer;
}

/* list(ok, why) */
static SEXP call_verify(SEXP X, SEXP record, SEXP status, SEXP settings) {
    call of;
    begin(&of);
    ch_verification found = {.size = sizeof found};
    int done = take_matrix(&of, &of.X, X) && take_result(&of, record, status) &&
               take_settings(&of, settings);
    if (done) {
        ch_status ended = ch_verify(of.context, &found, &of.X.view, &of.result, &of.settings);
        done = check(&of, ended) && (ended != CH_STOP_CANCELLED || fail(&of, "interrupted"));
    }
    of.result.status = CH_OK; /* that of the result, which says nothing of this call */
    SEXP ok = PROTECT(Rf_ScalarLogical(found.ok));
    SEXP why = PROTECT(Rf_mkString(found.why));
    SEXP answer = PROTECT(pair(ok, why));
    finish(&of, done, 3);
    return answer;
}

static SEXP bits_to_numbers(SEXP bits) {
    R_xlen_t count = Rf_xlength(bits);
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, count));
    for (R_xlen_t k = 0; k < count; k++) {
        int64_t whole;
        memcpy(&whole, REAL(bits) + k, sizeof whole);
        REAL(numbers)[k] = (double)whole;
    }
    UNPROTECT(1);
    return numbers;
}

void R_init_conehull(DllInfo *info);
void R_init_conehull(DllInfo *info) {
    static const R_CallMethodDef calls[] = {{"call_anchors", (DL_FUNC)&call_anchors, 2},
                                            {"call_project", (DL_FUNC)&call_project, 3},
                                            {"call_verify", (DL_FUNC)&call_verify, 4},
                                            {"bits_to_numbers", (DL_FUNC)&bits_to_numbers, 1},
                                            {NULL, NULL, 0}};
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}
