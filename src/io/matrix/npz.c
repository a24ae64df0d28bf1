/* Reads a matrix from an .npz archive: one of its arrays, or the sparse matrix that
 * scipy.sparse.save_npz stores in several:
 *
 *     format "csc" or "csr": shape, data, indices, indptr
 *     format "coo":          shape, data, row, col */
#include "io/file/format.h"
#include <string.h>

enum { FORMAT, SHAPE, DATA, INDICES, INDPTR, ROW, COL, PARTS };
static const char *const part_names[PARTS] = {"format", "shape", "data", "indices",
                                              "indptr", "row",   "col"};

typedef struct part {
    chi_npy npy;
    void *raw; /* npy.count numbers */
} part;

typedef struct reading {
    ch_context *context;
    const char *path;
    ch_matrix *X;
    int64_t size; /* of the file */
    const char *chosen;
    chi_pick pick;
    int present[PARTS];
    part parts[PARTS];
} reading;

static int part_of(const char *name) {
    int p = 0;
    while (p < PARTS && strcmp(name, part_names[p])) p++;
    return p;
}

static ch_status note_member(void *user, chi_zip *zip, const char *name, const chi_npy *npy) {
    reading *r = user;
    int p = part_of(name);
    r->size = zip->size;
    if (p < PARTS) r->present[p] = 1;
    chi_pick_name(&r->pick, name);
    if (chi_element_known(npy->element) && npy->dims >= 1 && npy->dims <= 2)
        chi_pick_offer(&r->pick, name, npy->shape[0], npy->shape[1]);
    return CH_OK;
}

static ch_status load_dense(void *user, chi_zip *zip, const char *name, const chi_npy *npy) {
    reading *r = user;
    void *raw;
    if (strcmp(name, r->chosen)) return CH_OK;
    TRY(chi_npy_check_real(r->context, npy, zip->label));
    TRY(chi_plausible(r->context, zip->label, npy->count, (size_t)npy->element.size, r->size,
                      CHI_DEFLATE_PACKING));
    TRY(chi_plausible_shape(r->context, zip->label, npy->shape[0], npy->shape[1], r->size));
    TRY(chi_zip_load(zip, &raw));
    ch_matrix made;
    chi_raw stored = {raw, npy->count, npy->element};
    ch_status status = chi_dense_from_raw(r->context, &made, zip->label, &stored, npy->shape,
                                          chi_npy_layout(npy), chi_element_type(npy->element));
    if (status == CH_OK) {
        if (r->X->owner) ch_matrix_free(r->context, r->X); /* two members of one name */
        *r->X = made;
    }
    chi_free(r->context, raw);
    return status;
}

static ch_status load_part(void *user, chi_zip *zip, const char *name, const chi_npy *npy) {
    reading *r = user;
    int p = part_of(name);
    if (p == PARTS || r->parts[p].raw) return CH_OK;
    int fits = p == FORMAT
                   ? npy->count == 1 && (npy->element.kind == 'S' || npy->element.kind == 'U')
               : p == DATA ? npy->dims == 1 && chi_element_known(npy->element)
                           : npy->dims == 1 && chi_element_known(npy->element) &&
                                 (npy->element.kind == 'i' || npy->element.kind == 'u');
    if (!fits)
        return chi_fail(r->context, CH_ERR_FORMAT,
                        "%s: an array of type '%s' with %d dimensions cannot be part of a sparse "
                        "matrix of real numbers; save the matrix in the format csc, csr or coo",
                        zip->label, npy->descr, npy->dims);
    r->parts[p].npy = *npy;
    return chi_zip_load(zip, &r->parts[p].raw);
}

/* ASCII of one fixed-size string: bytes, or 4 bytes a character in either order. */
static void read_name(char name[8], const part *p) {
    int wide = p->npy.element.kind == 'U', length = p->npy.element.size / (wide ? 4 : 1);
    const char *raw = p->raw;
    int first = wide && p->npy.descr[0] == '>' ? 3 : 0;
    memset(name, 0, 8);
    for (int i = 0; i < length && i < 7; i++) name[i] = raw[wide ? 4 * i + first : i];
}

static chi_raw stored(const reading *r, int p) {
    return (chi_raw){r->parts[p].raw, r->parts[p].npy.count, r->parts[p].npy.element};
}

static ch_status unequal(reading *r, int p, int64_t expected) {
    return chi_fail(r->context, CH_ERR_FORMAT,
                    "%s: the array %s of the sparse matrix has %lld numbers, but it must have %lld",
                    r->path, part_names[p], (long long)r->parts[p].npy.count, (long long)expected);
}

static ch_status build_compressed(reading *r, const int64_t shape[2], int by_row) {
    chi_raw arrays[3] = {stored(r, INDPTR), stored(r, INDICES), stored(r, DATA)};
    int64_t count = arrays[2].count, major = shape[!by_row];
    if (arrays[1].count != count) return unequal(r, INDICES, count);
    if (arrays[0].count != major + 1) return unequal(r, INDPTR, major + 1);
    return chi_csc_from_raw(r->context, r->X, r->path, arrays, shape, by_row, "index");
}

static ch_status build_entries(reading *r, const int64_t shape[2]) {
    chi_raw rows = stored(r, ROW), cols = stored(r, COL), values = stored(r, DATA);
    chi_entries entries = {.count = values.count, .capacity = values.count};
    int64_t *wide = NULL;
    if (rows.count != values.count) return unequal(r, ROW, values.count);
    if (cols.count != values.count) return unequal(r, COL, values.count);
    ch_status status = chi_raw_indices(r->context, r->path, &wide, &rows);
    if (status == CH_OK)
        status = chi_index_narrow(r->context, r->path, "index", &entries.row, wide, rows.count,
                                  shape[0]);
    chi_free(r->context, wide);
    if (status == CH_OK) status = chi_raw_indices(r->context, r->path, &entries.col, &cols);
    if (status == CH_OK)
        status = chi_index_check(r->context, r->path, "column", entries.col, cols.count, shape[1]);
    if (status == CH_OK) status = chi_raw_values(r->context, r->path, &entries.value, &values);
    if (status == CH_OK)
        return chi_csc_from_entries(r->context, r->X, r->path, &entries, shape[0], shape[1],
                                    chi_element_narrowing(values.element));
    chi_entries_free(r->context, &entries);
    return status;
}

static ch_status build_sparse(reading *r) {
    char format[8];
    int64_t shape[2];
    if (r->parts[SHAPE].npy.count != 2) return unequal(r, SHAPE, 2);
    chi_element_indices(shape, r->parts[SHAPE].raw, 2, r->parts[SHAPE].npy.element);
    read_name(format, &r->parts[FORMAT]);
    TRY(chi_sparse_check_size(r->context, r->path, shape[0], shape[1]));
    TRY(chi_plausible_shape(r->context, r->path, shape[0], shape[1], r->size));
    int pointers = r->present[INDICES] && r->present[INDPTR],
        pairs = r->present[ROW] && r->present[COL];
    if (!strcmp(format, "csc") && pointers) return build_compressed(r, shape, 0);
    if (!strcmp(format, "csr") && pointers) {
        TRY(chi_sparse_check_size(r->context, r->path, shape[1], shape[0]));
        return build_compressed(r, shape, 1);
    }
    if (!strcmp(format, "coo") && pairs) return build_entries(r, shape);
    return chi_fail(r->context, CH_ERR_UNSUPPORTED,
                    "%s: the sparse format \"%s\" is not supported, or some of its arrays are "
                    "missing; save the matrix in the format csc, csr or coo",
                    r->path, format);
}

static ch_status read_chosen(reading *r) {
    ch_status status = chi_zip_walk(r->context, r->path, note_member, r);
    if (status != CH_OK) return status;
    if (!r->pick.var && r->present[FORMAT] && r->present[SHAPE] && r->present[DATA]) {
        status = chi_zip_walk(r->context, r->path, load_part, r);
        return status == CH_OK ? build_sparse(r) : status;
    }
    TRY(chi_pick_decide(r->context, &r->pick, &r->chosen, r->path));
    return chi_zip_walk(r->context, r->path, load_dense, r);
}

ch_status chi_npz_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    reading *r = chi_alloc_zero(context, 1, sizeof *r);
    if (!r) return chi_no_memory(context, "a reader", 1, sizeof *r);
    *r = (reading){.context = context, .path = path, .X = X, .pick = {.var = request->var}};
    ch_status status = read_chosen(r);
    for (int p = 0; p < PARTS; p++) chi_free(context, r->parts[p].raw);
    chi_free(context, r);
    if (status != CH_OK) ch_matrix_free(context, X);
    return status;
}
