/* MATLAB files, versions 4, 5 and 7: full and sparse matrices of all real classes. Version 7.3 is
 * HDF5 (mat73.c).
 *
 * Version 5, 7: 128 bytes; then elements: type (4 bytes), length (4 bytes), contents, padded to 8
 * bytes; up to 4 bytes of contents may be in the tag itself. The contents of a variable are
 * elements again: flags, sizes, name, and values, which may be stored in a smaller type than that
 * of their class. A variable may be compressed: its elements are then in the decompressed data,
 * which must match a checksum. An uncompressed variable is a multiple of 8 bytes long, except the
 * last.
 *
 * Version 4: type "MOPT", rows, columns, imaginary part, length of the name (4 bytes each), name,
 * values. Sparse matrices are lists of row, column, value; their last entry holds the sizes.
 *
 * The reader parses the head of every variable and the whole of the requested one; other contents,
 * such as cells and structures, are ignored. Reference: MathWorks, "MAT-File Format". */
#include "io/file/format.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = 128, TAG = 8, OLD_HEADER = 20, HDF5_BEGIN = 512 };
enum {
    DIMS_MAX = 32,
    NAME_MAX_BYTES = 4096,
    HEAD_MAX = 5 * TAG + 8 + 4 * DIMS_MAX + NAME_MAX_BYTES
};
enum { UINT8 = 2, INT32 = 5, UINT32, DOUBLES = 9, MATRIX = 14, COMPRESSED }; /* types of elements */
enum { SPARSE = 5, DOUBLE, UINT64 = 15, OPAQUE_CLASS = 17 };                 /* classes           */

/* Numbers by the type of their element; size 0: no numbers have this type. */
static const chi_element stored_as[COMPRESSED + 1] = {
    [1] = {'i', 1, 0}, {'u', 1, 0}, {'i', 2, 0},       {'u', 2, 0},        {'i', 4, 0},
    {'u', 4, 0},       {'f', 4, 0}, [9] = {'f', 8, 0}, [12] = {'i', 8, 0}, {'u', 8, 0}};
/* The same of version 4, by the digit P. */
static const chi_element old_stored_as[] = {{'f', 8, 0}, {'f', 4, 0}, {'i', 4, 0},
                                            {'i', 2, 0}, {'u', 2, 0}, {'u', 1, 0}};
/* The storage type of a matrix, by its class. */
static const ch_value_type type_of_class[] = {
    [DOUBLE] = CH_F64, CH_F32, CH_F32, CH_U8, CH_F32, CH_U16, CH_F64, CH_F64, CH_F64, CH_F64};

/* Bytes that are still to be parsed. */
typedef struct cursor {
    const unsigned char *at;
    int64_t left;
    int swap;
} cursor;

typedef struct variable {
    int class_type, dims, complex, logical;
    int64_t shape[3], count;      /* the first three sizes; the product of all                  */
    char name[512];               /* its beginning; "": there is no variable                    */
    int64_t at, stored;           /* its place in the file (version 4: of its values), in bytes */
    int64_t unpacked;             /* decompressed size; 0: not compressed                       */
    void *block;                  /* for chi_free(): memory of the numbers, once loaded         */
    chi_raw starts, rows, values; /* the first two of sparse ones, not in version 4             */
} variable;

typedef struct reading {
    ch_context *context;
    const char *path;
    int fd, swap, old; /* old: version 4 */
    int64_t size;      /* of the file    */
    chi_pick pick;
    const char *chosen; /* NULL: variables are offered to pick */
    ch_matrix *X;       /* made from the first one of that name */
    int made;
    int arrays;         /* accept three dimensions: the last two become one */
    chi_mat_visit each; /* gets the arrays, instead of pick; or NULL        */
    void *user;
} reading;

static ch_status broken(const reading *r) {
    return chi_fail(r->context, CH_ERR_FORMAT,
                    "%s: the file is not a MATLAB file, or it is truncated", r->path);
}

static ch_status too_few(const reading *r) {
    return chi_fail(
        r->context, CH_ERR_FORMAT,
        "%s: a matrix in this file has fewer values than its sizes require; the file is damaged",
        r->path);
}

static ch_status load(const reading *r, void *bytes, int64_t count, int64_t at) {
    if (count > r->size - at) return broken(r);
    return chi_get(r->context, r->path, r->fd, bytes, count, at);
}

static const unsigned char *take(cursor *c, int64_t count) {
    const unsigned char *taken = c->at;
    if (count > c->left) return NULL;
    c->at += count;
    c->left -= count;
    return taken;
}

static int take_words(cursor *c, uint32_t *words, int count) {
    const unsigned char *bytes = take(c, 4 * (int64_t)count);
    if (!bytes) return 0;
    memcpy(words, bytes, 4 * (size_t)count);
    for (int w = 0; w < count && c->swap; w++) words[w] = __builtin_bswap32(words[w]);
    return 1;
}

static ch_status load_words(const reading *r, uint32_t *words, int count, int64_t at) {
    unsigned char bytes[OLD_HEADER];
    cursor c = {bytes, 4 * (int64_t)count, r->swap};
    TRY(load(r, bytes, c.left, at));
    take_words(&c, words, count);
    return CH_OK;
}

/* ---- version 5: what a variable holds ---- */

/* Takes the next element: its type and contents. */
static int take_element(cursor *c, uint32_t *type, cursor *contents) {
    uint32_t words[2];
    if (!take_words(c, words, 2)) return 0;
    int64_t size = words[0] >> 16, filled = ((int64_t)words[1] + 7) / 8 * 8;
    *type = words[0] & 0xffff;
    *contents = (cursor){size ? c->at - 4 : c->at, size ? size : words[1], c->swap};
    if (size) return size <= 4;
    if (filled > c->left) filled = c->left; /* the last one needs no padding */
    return take(c, filled) && contents->left <= filled;
}

/* MATLAB labels logical values, one byte each, as doubles: `truths` is their number, else -1. */
static int take_numbers(cursor *c, chi_raw *numbers, int64_t truths) {
    uint32_t type;
    cursor contents;
    if (!take_element(c, &type, &contents) || type > COMPRESSED || !stored_as[type].size) return 0;
    if (truths >= 0 && type == DOUBLES && contents.left != 8 * truths) type = UINT8;
    chi_element element = stored_as[type];
    element.swap = c->swap && element.size > 1;
    *numbers = (chi_raw){contents.at, contents.left / element.size, element};
    return contents.left % element.size == 0;
}

/* Takes numbers of type INT32 or UINT32. */
static int take_indices(cursor *c, chi_raw *numbers) {
    return take_numbers(c, numbers, -1) && numbers->element.kind != 'f' &&
           numbers->element.size == 4;
}

static int take_sizes(cursor *c, variable *v) {
    uint32_t type, sizes[DIMS_MAX];
    cursor contents;
    v->count = 1;
    if (!take_element(c, &type, &contents) || type != INT32 || contents.left < 8 ||
        contents.left > 4 * DIMS_MAX || contents.left % 4)
        return 0;
    v->dims = (int)(contents.left / 4);
    take_words(&contents, sizes, v->dims);
    for (int d = 0; d < v->dims; d++)
        if (sizes[d] > INT32_MAX || __builtin_mul_overflow(v->count, sizes[d], &v->count)) return 0;
    v->shape[0] = sizes[0];
    v->shape[1] = sizes[1];
    v->shape[2] = v->dims > 2 ? sizes[2] : 1;
    return 1;
}

/* Takes flags, sizes and name. */
static int take_head(cursor *c, variable *v) {
    uint32_t type, flags[2];
    cursor contents;
    if (!take_element(c, &type, &contents) || type != UINT32 || contents.left != 8) return 0;
    take_words(&contents, flags, 2);
    v->class_type = flags[0] & 255;
    v->logical = flags[0] >> 9 & 1;
    v->complex = flags[0] >> 11 & 1;
    if (v->class_type != OPAQUE_CLASS && !take_sizes(c, v)) return 0;
    if (!take_element(c, &type, &contents) || contents.left > NAME_MAX_BYTES) return 0;
    snprintf(v->name, sizeof v->name, "%.*s", (int)contents.left, (const char *)contents.at);
    return 1;
}

/* Finds the numbers of a matrix. An imaginary part may follow the real one. */
static ch_status find_numbers(const reading *r, variable *v, cursor c) {
    variable same = {0}; /* the head is known already */
    int sparse = v->class_type == SPARSE;
    int64_t expected = sparse ? v->shape[1] + 1 : v->count;
    if (!take_head(&c, &same) ||
        (sparse && (!take_indices(&c, &v->rows) || !take_indices(&c, &v->starts))) ||
        (expected > 0 && !take_numbers(&c, &v->values, sparse && v->logical ? v->rows.count : -1)))
        return broken(r);
    return (sparse ? v->starts.count : v->values.count) == expected ? CH_OK : too_few(r);
}

/* ---- version 5: how a variable is stored ---- */

/* Decompresses to[0..*count) and sets *count to the number of bytes; finish: the stream must end
 * then. */
static ch_status unpack(const reading *r, void *to, int64_t *count, cursor packed, int finish) {
    unsigned char more[1 << 12];
    z_stream z = {.next_in = (unsigned char *)packed.at, .avail_in = (uInt)packed.left};
    if (inflateInit(&z) != Z_OK) return chi_no_memory(r->context, "a decompressor", 1, 1 << 16);
    z.next_out = to;
    z.avail_out = (uInt)*count;
    int code = inflate(&z, Z_NO_FLUSH);
    *count -= z.avail_out;
    while (finish && code == Z_OK && z.avail_out == 0) { /* padding of the variable */
        z.next_out = more;
        z.avail_out = sizeof more;
        code = inflate(&z, Z_NO_FLUSH);
    }
    inflateEnd(&z);
    if (code == Z_DATA_ERROR)
        return chi_fail(r->context, CH_ERR_FORMAT,
                        "%s: the compressed values are damaged, because their checksum is wrong",
                        r->path);
    return finish && code != Z_STREAM_END ? broken(r) : CH_OK;
}

/* Loads the head of the variable in the element at *at, which moves to the next. */
static ch_status load_head(const reading *r, variable *v, int64_t *at) {
    unsigned char stored[HEAD_MAX + HEAD_MAX / 8], begin[HEAD_MAX]; /* deflate adds less to it */
    uint32_t tag[2];
    TRY(load_words(r, tag, 2, *at));
    v->at = *at + TAG;
    v->stored = tag[1];
    *at = v->at + v->stored;
    int odd = tag[0] != COMPRESSED && tag[1] % 8 && *at != r->size;
    if (odd || *at > r->size) return broken(r);
    if (tag[0] != COMPRESSED && tag[0] != MATRIX) return CH_OK;
    cursor c = {stored, tag[1] < sizeof stored ? tag[1] : sizeof stored, r->swap};
    TRY(load(r, stored, c.left, v->at));
    if (tag[0] == COMPRESSED) {
        int64_t count = sizeof begin;
        TRY(unpack(r, begin, &count, c, 0));
        c = (cursor){begin, count, r->swap};
        if (!take_words(&c, tag, 2) || tag[0] != MATRIX || tag[1] > UINT32_MAX - TAG)
            return broken(r);
        v->unpacked = TAG + (int64_t)tag[1];
    }
    return take_head(&c, v) ? CH_OK : broken(r);
}

/* Loads the numbers. A file cannot hold more than deflate packs into it. */
static ch_status load_packed(const reading *r, variable *v, cursor packed) {
    int64_t count = v->unpacked;
    TRY(chi_plausible(r->context, r->path, count, 1, packed.left, CHI_DEFLATE_PACKING));
    v->block = chi_take(r->context, r->path, "a variable", count, 1);
    if (!v->block) return CH_ERR_MEMORY;
    TRY(unpack(r, v->block, &count, packed, 1));
    if (count < v->unpacked) return broken(r);
    return find_numbers(r, v, (cursor){(unsigned char *)v->block + TAG, count - TAG, r->swap});
}

static ch_status load_numbers(const reading *r, variable *v) {
    void *stored = chi_take(r->context, r->path, "a variable", v->stored, 1);
    cursor c = {stored, v->stored, r->swap};
    ch_status status = stored ? load(r, stored, v->stored, v->at) : CH_ERR_MEMORY;
    if (!v->unpacked) v->block = stored;
    if (r->old) v->values.bytes = stored;
    if (status == CH_OK && !r->old)
        status = v->unpacked ? load_packed(r, v, c) : find_numbers(r, v, c);
    if (v->unpacked) chi_free(r->context, stored);
    return status;
}

/* ---- version 4 ---- */

/* Loads the sizes of a sparse matrix: the last of its rows, and the last of its columns. */
static ch_status load_old_sizes(const reading *r, variable *v) {
    unsigned char raw[8];
    int64_t entries = v->shape[0], size = v->values.element.size;
    for (int d = 0; d < 2; d++) {
        double number;
        TRY(load(r, raw, size, v->at + ((d + 1) * entries - 1) * size));
        chi_element_convert(&number, CH_F64, raw, 1, v->values.element);
        if (!(number >= 0 && number <= INT32_MAX)) return broken(r);
        v->shape[d] = (int64_t)number;
    }
    return CH_OK;
}

/* The same of version 4. */
static ch_status load_old_head(const reading *r, variable *v, int64_t *at) {
    char name[NAME_MAX_BYTES];
    uint32_t head[5];
    TRY(load_words(r, head, 5, *at));
    uint32_t kind = head[0] % 10, digit = head[0] / 10 % 10, machine = head[0] / 100;
    if (digit >= sizeof old_stored_as / sizeof *old_stored_as || head[4] > sizeof name)
        return broken(r);
    TRY(load(r, name, head[4], *at + OLD_HEADER));
    snprintf(v->name, sizeof v->name, "%.*s", (int)head[4], name);
    v->dims = 2;
    v->shape[0] = head[1];
    v->shape[1] = head[2];
    v->shape[2] = 1;
    v->complex = head[3] != 0;
    v->values.element = old_stored_as[digit];
    v->values.element.swap = r->swap && v->values.element.size > 1;
    v->at = *at + OLD_HEADER + head[4];
    if (__builtin_mul_overflow(v->shape[0], v->shape[1], &v->count) ||
        __builtin_mul_overflow(v->count, v->values.element.size, &v->stored) ||
        v->stored > (r->size - v->at) / (1 + v->complex))
        return broken(r);
    v->values.count = v->count;
    *at = v->at + v->stored * (1 + v->complex);
    if (machine > 10 || machine % 10) return CH_OK; /* numbers of a VAX or a Cray: skipped */
    if (kind == 0) v->class_type = DOUBLE;
    if (kind != 2 || head[1] < 1 || head[2] < 3) return CH_OK; /* text, if not full */
    v->class_type = SPARSE;
    v->complex |= head[2] > 3;
    return load_old_sizes(r, v);
}

/* ---- matrices ---- */

static int is_matrix(const variable *v) {
    return v->dims == 2 && !v->complex && v->class_type >= SPARSE && v->class_type <= UINT64;
}

/* Full, of two or three dimensions. */
static int is_array(const variable *v) {
    return (v->dims == 2 || v->dims == 3) && !v->complex && v->class_type >= DOUBLE &&
           v->class_type <= UINT64;
}

static ch_status check_variable(const reading *r, const variable *v) {
    if (v->complex)
        return chi_fail(r->context, CH_ERR_UNSUPPORTED,
                        "%s: the variable \"%s\" contains complex numbers, which are not "
                        "supported; save its real part or its modulus",
                        r->path, v->name);
    if (!is_matrix(v) && !(r->arrays && is_array(v)))
        return chi_fail(r->context, CH_ERR_UNSUPPORTED,
                        "%s: the variable \"%s\" is not a matrix of real numbers (MATLAB class %d, "
                        "%d dimensions)",
                        r->path, v->name, v->class_type, v->dims);
    if (v->class_type == SPARSE)
        TRY(chi_sparse_check_size(r->context, r->path, v->shape[0], v->shape[1]));
    else if (v->count > (v->unpacked ? v->unpacked : v->stored))
        return too_few(r);
    return chi_plausible_shape(r->context, r->path, v->shape[0], v->shape[1], r->size);
}

/* Numbers that need no conversion are used in place. */
static ch_status build_full(const reading *r, variable *v) {
    const chi_raw *raw = &v->values;
    ch_value_type type = type_of_class[v->class_type], direct;
    if (v->count > 0 && chi_type_width(chi_element_type(raw->element)) > chi_type_width(type))
        type = chi_element_type(raw->element);
    if (v->count == 0 || !chi_element_direct(raw->element, &direct) || direct != type ||
        (uintptr_t)raw->bytes % (size_t)raw->element.size)
        return chi_dense_from_raw(r->context, r->X, r->path, raw, v->shape, CH_COLUMN_MAJOR, type);
    chi_store *store = chi_store_create(r->context);
    if (!store) return CH_ERR_MEMORY;
    store->values = v->block;
    v->block = NULL;
    chi_store_dense(r->X, store, raw->bytes, v->shape[0], v->shape[1], CH_COLUMN_MAJOR, type);
    return CH_OK;
}

/* There may be more rows and values than entries, because MATLAB reserves space. */
static ch_status build_sparse(const reading *r, const variable *v) {
    chi_raw arrays[3] = {v->starts, v->rows, v->values};
    int64_t count, last = (v->starts.count - 1) * v->starts.element.size;
    chi_element_indices(&count, (const char *)v->starts.bytes + last, 1, v->starts.element);
    if (count < 0 || v->rows.count < count || v->values.count < count)
        return chi_fail(r->context, CH_ERR_FORMAT,
                        "%s: the sparse matrix \"%s\" states %lld entries, but it has %lld row "
                        "indices and %lld values; the file is damaged",
                        r->path, v->name, (long long)count, (long long)v->rows.count,
                        (long long)v->values.count);
    arrays[1].count = arrays[2].count = count;
    return chi_csc_from_raw(r->context, r->X, r->path, arrays, v->shape, 0, "row");
}

/* Version 4: rows, then columns, then values, each with one more entry for the sizes. */
static ch_status build_old_sparse(const reading *r, const variable *v) {
    int64_t stored = v->count / 3, count = stored - 1, k = 0;
    double *number;
    chi_entries entries;
    TRY(chi_raw_values(r->context, r->path, &number, &v->values));
    ch_status status = chi_entries_create(r->context, &entries, r->path, count);
    for (; k < count && status == CH_OK; k++) {
        double row = number[k], col = number[stored + k];
        if (!(row >= 1 && row <= (double)v->shape[0] && col >= 1 && col <= (double)v->shape[1]))
            break;
        entries.row[k] = (int32_t)row - 1;
        entries.col[k] = (int64_t)col - 1;
        entries.value[k] = number[2 * stored + k];
    }
    entries.count = count;
    if (status == CH_OK && k < count) {
        status = chi_fail(
            r->context, CH_ERR_FORMAT,
            "%s: entry %lld of the sparse matrix \"%s\" is outside its %lld rows and %lld columns",
            r->path, (long long)k, v->name, (long long)v->shape[0], (long long)v->shape[1]);
        chi_entries_free(r->context, &entries);
    }
    chi_free(r->context, number);
    if (status != CH_OK) return status;
    return chi_csc_from_entries(r->context, r->X, r->path, &entries, v->shape[0], v->shape[1],
                                chi_element_narrowing(v->values.element));
}

/* ---- the file ---- */

/* Offers the variable, or makes the matrix if it is the chosen one. */
static ch_status visit(reading *r, variable *v) {
    if (r->each && is_array(v) && v->name[0]) {
        chi_mat_array array = {v->name,
                               v->dims,
                               {v->shape[0], v->shape[1], v->shape[2]},
                               type_of_class[v->class_type]};
        return r->each(r->user, &array);
    }
    if (!r->chosen && v->name[0]) {
        chi_pick_name(&r->pick, v->name);
        if (is_matrix(v)) chi_pick_offer(&r->pick, v->name, v->shape[0], v->shape[1]);
    }
    if (!r->chosen || strcmp(r->chosen, v->name)) return CH_OK;
    TRY(check_variable(r, v));
    if (v->dims == 3) v->shape[1] *= v->shape[2]; /* count, their product with the first, fits */
    ch_status status = load_numbers(r, v);
    if (status == CH_OK)
        status = v->class_type != SPARSE ? build_full(r, v)
                 : r->old                ? build_old_sparse(r, v)
                                         : build_sparse(r, v);
    chi_free(r->context, v->block);
    r->made = status == CH_OK;
    return status;
}

static ch_status visit_all(reading *r) {
    int64_t at = r->old ? 0 : HEADER;
    while (at < r->size && !r->made) {
        variable v = {0};
        TRY(r->old ? load_old_head(r, &v, &at) : load_head(r, &v, &at));
        TRY(visit(r, &v));
    }
    return CH_OK;
}

/* *hdf5 is set if the file has version 7.3. */
static ch_status recognise(reading *r, int *hdf5) {
    unsigned char head[HEADER], begin[8];
    uint32_t type; /* at most 4052 in version 4; far larger in the other byte order */
    int64_t count = r->size < HEADER ? r->size : HEADER;
    *hdf5 = 0;
    if (count < OLD_HEADER) return broken(r);
    TRY(load(r, head, count, 0));
    if (count == HEADER && (!memcmp(head + 126, "IM", 2) || !memcmp(head + 126, "MI", 2))) {
        int little = head[126] == 'I', version = head[124 + little] << 8 | head[125 - little];
        r->swap = little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
        if (version == 0x100) return CH_OK;
        if (version != 0x200) return broken(r);
        TRY(load(r, begin, sizeof begin, HDF5_BEGIN));
        *hdf5 = !memcmp(begin, "\x89HDF\r\n\x1a\n", sizeof begin);
        return *hdf5 ? CH_OK : broken(r);
    }
    memcpy(&type, head, 4);
    r->old = 1;
    r->swap = type > 9999;
    return head[0] == 0 || head[3] == 0 ? CH_OK : broken(r);
}

ch_status chi_mat_arrays(ch_context *context, const char *path, int *hdf5, chi_mat_visit each,
                         void *user) {
    reading r = {.context = context, .path = path, .each = each, .user = user};
    *hdf5 = 0;
    TRY(chi_open_file(context, &r.fd, &r.size, path));
    ch_status status = recognise(&r, hdf5);
    if (status == CH_OK && !*hdf5) status = visit_all(&r);
    close(r.fd);
    return status;
}

ch_status chi_mat_array_read(ch_context *context, ch_matrix *X, const char *path,
                             const char *name) {
    int hdf5;
    reading r = {.context = context, .path = path, .chosen = name, .X = X, .arrays = 1};
    TRY(chi_open_file(context, &r.fd, &r.size, path));
    ch_status status = recognise(&r, &hdf5);
    if (status == CH_OK) status = hdf5 ? broken(&r) : visit_all(&r);
    close(r.fd);
    if (status == CH_OK && !r.made)
        status = chi_fail(context, CH_ERR_ARGUMENT,
                          "%s: the file contains no variable named \"%s\"", path, name);
    return status;
}

ch_status chi_mat_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    int hdf5 = 0;
    reading r = {.context = context, .path = path, .pick = {.var = request->var}, .X = X};
    TRY(chi_open_file(context, &r.fd, &r.size, path));
    ch_status status = recognise(&r, &hdf5);
    if (status == CH_OK && !hdf5) status = visit_all(&r);
    if (status == CH_OK && !hdf5) status = chi_pick_decide(context, &r.pick, &r.chosen, path);
    int others = r.pick.count[0] + r.pick.count[1] + r.pick.count[2] > 1;
    if (status == CH_OK && !hdf5 && !request->var && others)
        chi_log(context, CH_LOG_INFO,
                "%s: the variable %s is read, because it is the only matrix in the file", path,
                r.chosen);
    if (status == CH_OK && !hdf5) status = visit_all(&r);
    close(r.fd);
    return hdf5 ? chi_mat73_read(context, X, path, request, r.size) : status;
}
