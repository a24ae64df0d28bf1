/* Named arrays in an .npz archive, as numpy.savez writes and numpy.load reads them. Members are
 * stored, not compressed, without time stamps: the same arrays give the same bytes. */
#include "io/file/format.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct kind {
    char letter; /* ch_npz_array.kind */
    chi_element element;
    const char *descr;
} kind;

static const kind kinds[] = {
    {'f', {'f', 8, 0}, "<f8"}, {'i', {'i', 8, 0}, "<i8"}, {'j', {'i', 4, 0}, "<i4"},
    {'g', {'f', 4, 0}, "<f4"}, {'h', {'u', 2, 0}, "<u2"}, {'b', {'u', 1, 0}, "|u1"},
    {'s', {'S', 3, 0}, "|S3"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, NAME_MAX_BYTES = CHI_ZIP_NAME_MAX - sizeof ".npy" };

static const kind *kind_by_letter(char letter) {
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].letter == letter) return &kinds[k];
    return NULL;
}

static const kind *kind_by_element(chi_element element) {
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].element.kind == element.kind && kinds[k].element.size == element.size &&
            !element.swap)
            return &kinds[k];
    return NULL;
}

static int64_t count_of(const ch_npz_array *array) {
    int64_t count = 1;
    for (int d = 0; d < array->dims; d++) count *= array->shape[d];
    return count;
}

static ch_status check_array(ch_context *context, const ch_npz_array *array) {
    int64_t bytes = 8;
    const char *name = array->name && *array->name ? array->name : "?";
    if (strlen(name) > NAME_MAX_BYTES)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the array \"%.40s...\" cannot be written: its name has %zu bytes, and at "
                        "most %d are allowed",
                        name, strlen(name), NAME_MAX_BYTES);
    int fine = *name != '?' && kind_by_letter(array->kind) && array->dims >= 0 && array->dims <= 2;
    for (int d = 0; fine && d < array->dims; d++)
        fine = array->shape[d] >= 0 && !__builtin_mul_overflow(bytes, array->shape[d], &bytes);
    if (fine && (array->data || bytes == 0)) return CH_OK;
    return chi_fail(
        context, CH_ERR_ARGUMENT,
        "the array \"%s\" cannot be written: it needs a name, one of the kinds f, g, i, "
        "j, h, b and s, 0 to 2 dimensions, and data",
        name);
}

/* Describes the member of array i: its name, the header of .npy, and the values. */
static void describe_member(void *user, int i, chi_zip_member *member) {
    const ch_npz_array *array = (const ch_npz_array *)user + i;
    const kind *of = kind_by_letter(array->kind);
    assert(of); /* ensured by check_array() */
    snprintf(member->name, sizeof member->name, "%s.npy", array->name);
    member->head_bytes =
        chi_npy_format(member->head, of->descr, array->dims == 2, array->dims, array->shape);
    member->body = array->data;
    member->body_bytes = count_of(array) * of->element.size;
}

ch_status ch_npz_write(ch_context *context, const char *path, const ch_npz_array *arrays,
                       int count) {
    ch_output_file *output;
    if (!context || count < 0 || (!arrays && count)) return CH_ERR_ARGUMENT;
    for (int a = 0; a < count; a++) TRY(check_array(context, &arrays[a]));
    TRY(ch_output_file_open(context, &output, path));
    return chi_output_close(
        output, chi_zip_write(context, output, path, count, describe_member, (void *)arrays));
}

ch_status chi_npz_write(ch_context *context, const char *path, const ch_matrix *X) {
    static const char letters[] = {[CH_F64] = 'f', [CH_F32] = 'g', [CH_U8] = 'b', [CH_U16] = 'h'};
    if (X->layout != CH_CSC)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "%s: an .npz file can contain a sparse matrix only; write a dense matrix as .npy",
            path);
    int64_t shape[] = {X->rows, X->cols}, count = X->column_start[X->cols];
    char csc[] = "csc";
    const ch_npz_array arrays[] = {
        {"indices", 'j', 1, {count, 0}, (void *)X->row_index}, /* all are only read */
        {"indptr", 'i', 1, {X->cols + 1, 0}, (void *)X->column_start},
        {"format", 's', 0, {0, 0}, csc},
        {"shape", 'i', 1, {2, 0}, shape},
        {"data", letters[X->type], 1, {count, 0}, (void *)X->values}};
    return ch_npz_write(context, path, arrays, sizeof arrays / sizeof *arrays);
}

typedef struct loading {
    ch_context *context;
    const char *path;
    ch_npz_array *arrays;
    int count;
    int64_t capacity;
} loading;

static ch_status reserve(loading *l) {
    return chi_array_double(l->context, &l->arrays, &l->capacity, l->count, sizeof *l->arrays,
                            l->path, "arrays");
}

/* Row-major to column-major, elements of 4 or 8 bytes. */
static void turn(char *to, const char *from, int64_t rows, int64_t cols, size_t size) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            memcpy(to + (size_t)(i + j * rows) * size, from + (size_t)(i * cols + j) * size, size);
}

static ch_status load_values(loading *l, chi_zip *zip, const chi_npy *npy, void **data) {
    TRY(chi_zip_load(zip, data));
    if (npy->dims < 2 || npy->fortran) return CH_OK;
    size_t size = (size_t)npy->element.size;
    char *turned = chi_take(l->context, zip->label, "values", npy->count, size);
    if (turned) turn(turned, *data, npy->shape[0], npy->shape[1], size);
    chi_free(l->context, *data);
    *data = turned;
    return turned ? CH_OK : CH_ERR_MEMORY;
}

static ch_status load_array(void *user, chi_zip *zip, const char *name, const chi_npy *npy) {
    loading *l = user;
    const kind *of = kind_by_element(npy->element);
    if (!of || npy->dims > 2)
        return chi_fail(l->context, CH_ERR_UNSUPPORTED,
                        "%s: an array of type '%s' with %d dimensions is not supported here; "
                        "conehull did not write this file",
                        zip->label, npy->descr, npy->dims);
    if (l->count == l->capacity) TRY(reserve(l));
    ch_npz_array *array = &l->arrays[l->count++]; /* ch_npz_free() frees it from now on */
    *array = (ch_npz_array){.name = chi_text_copy(l->context, name),
                            .kind = of->letter,
                            .dims = npy->dims,
                            .shape = {npy->shape[0], npy->shape[1]}};
    return array->name ? load_values(l, zip, npy, &array->data) : CH_ERR_MEMORY;
}

ch_status ch_npz_read(ch_context *context, ch_npz_array **arrays, int *count, const char *path) {
    if (!context || !arrays || !count) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a file"));
    loading l = {.context = context, .path = path};
    ch_status status = reserve(&l);
    if (status == CH_OK) status = chi_zip_walk(context, path, load_array, &l);
    if (status != CH_OK) {
        ch_npz_free(context, l.arrays, l.count);
        if (status > 0) *arrays = NULL, *count = 0;
        return status;
    }
    *arrays = l.arrays;
    *count = l.count;
    return CH_OK;
}

void ch_npz_free(ch_context *context, ch_npz_array *arrays, int count) {
    if (!arrays) return;
    for (int a = 0; a < count; a++) {
        chi_free(context, (void *)arrays[a].name);
        chi_free(context, arrays[a].data);
    }
    chi_free(context, arrays);
}
