/* Declarations shared by the readers and writers. A format is one file with its functions, one row
 * of the table in format_table.c, and one row in the tests.
 *
 * Readers trust nothing: sizes are checked before they are multiplied, and no file gets memory out
 * of proportion to its own size. Messages read "path: what is wrong, where; what to do". */
#pragma once

#include "linalg/matrix_store.h"
#include <conehull/io.h>

/* Where to put matrices that are larger than memory. */
typedef struct chi_scratch_place {
    const char *folder; /* NULL: no scratch files                              */
    int by_row;         /* row after row, for a matrix that will be transposed */
} chi_scratch_place;

/* What is requested from a file, and facts about the result. */
typedef struct chi_request {
    const char *var; /* ch_matrix_read_settings.var                                             */
    int part; /* in: only the columns of this process are needed; out: whether X holds only these.
                 All processes give the same value */
    chi_scratch_place place;
    ch_matrix_names *names; /* NULL, or receives the names of rows and columns                   */
    const char *index;      /* ch_matrix_read_settings.index                                     */
    const char *drop;       /* ch_matrix_read_settings.drop                                      */
    int unknown_as_nan;     /* ch_matrix_read_settings.unknown_as_nan                            */
    int decimal_comma;      /* ch_matrix_read_settings.decimal_comma                             */
} chi_request;

typedef struct chi_format {
    const char *const *suffixes; /* its part of ch_matrix_formats()                            */
    int suffix_count;
    const char *mark;  /* first bytes of its files; NULL: any */
    int has_variables; /* request.var is used                 */
    int reads_parts;   /* request.part is used                */
    int is_table;      /* request.index, .drop and .decimal_comma are used */
    ch_status (*read)(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
    ch_status (*write)(ch_context *context, const char *path, const ch_matrix *X); /* or NULL */
} chi_format;

CHI_SHARED int chi_has_suffix(const char *path, const char *suffix); /* ignores ASCII case */

/* Like strcmp(), but numbers in names compare by value, and a slash comes first. Returns 0 only for
 * equal names. (file_names.c) */
CHI_SHARED int chi_natural_order(const char *left, const char *right);

/* ---- matrix_memory.c: memory of what was read ---- */

double chi_machine_bytes(void);

/* Returns count * size bytes for data of the file at path, or NULL with CH_ERR_MEMORY in the
 * context. A request beyond the machine's memory fails at once, before the system would kill the
 * process. */
CHI_SHARED void *chi_take(ch_context *context, const char *path, const char *what, int64_t count,
                          size_t size);

/* Moves an array, whose pointer is at `array`, to a block of `larger` elements of `size` bytes from
 * chi_take(), with its first `used` elements. If memory is short, the array is not changed. */
ch_status chi_array_enlarge(ch_context *context, void *array, int64_t used, int64_t larger,
                            size_t size, const char *path, const char *what);
/* The same with twice its *capacity, or CHI_FIRST_CAPACITY if it has none. */
CHI_SHARED ch_status chi_array_double(ch_context *context, void *array, int64_t *capacity,
                                      int64_t used, size_t size, const char *path,
                                      const char *what);
enum { CHI_FIRST_CAPACITY = 1 << 10 };

/* Returns a copy of the text, for chi_free(), or NULL with CH_ERR_MEMORY in the context. */
char *chi_text_copy(ch_context *context, const char *text);

/* Creates an owned dense matrix without values; they are written through *values. */
ch_status chi_dense_create(ch_context *context, ch_matrix *X, void **values, const char *path,
                           int64_t rows, int64_t cols, ch_matrix_layout layout, ch_value_type type);

/* Returns CH_ERR_FORMAT if count values of size bytes cannot come from a file of file_bytes
 * (negative: unknown) in which one byte encodes at most `packing` bytes. */
ch_status chi_plausible(ch_context *context, const char *path, int64_t count, size_t size,
                        int64_t file_bytes, int64_t packing);
enum { CHI_DEFLATE_PACKING = 1032 }; /* deflate: 258 bytes from 2 bits */

/* Returns CH_ERR_UNSUPPORTED for a dimension out of proportion to a file of file_bytes (negative:
 * unknown): above CHI_EMPTY_FREE + CHI_EMPTY_PER_BYTE * file_bytes. Empty rows and columns cost
 * nothing in a file, but a selection needs about 60 bytes per column and some vectors per row.
 * Every reader of a format in which a dimension can exceed the bytes of the file calls this before
 * it allocates. */
ch_status chi_plausible_shape(ch_context *context, const char *path, int64_t rows, int64_t cols,
                              int64_t file_bytes);
enum { CHI_EMPTY_FREE = 1 << 22, CHI_EMPTY_PER_BYTE = 64 };

/* ---- input_file.c: files as bytes ---- */

/* Opens for reading. Returns CH_ERR_IO for directories and whatever the system refuses. size is -1
 * for pipes and devices, for which open() and read() never wait: call chi_wait_readable() before
 * every read of them; a read may still fail with EAGAIN. */
ch_status chi_open_source(ch_context *context, int *fd, int64_t *size, const char *path);

/* Waits until a pipe or a device has bytes or has ended, also for a pipe that is not open for
 * writing yet. Calls the progress callback meanwhile, which may cancel: CH_STOP_CANCELLED. */
ch_status chi_wait_readable(ch_context *context, int fd, int64_t done);

/* chi_open_source() for formats that need random access: refuses pipes and devices. */
ch_status chi_open_file(ch_context *context, int *fd, int64_t *size, const char *path);

/* Returns CH_ERR_ARGUMENT "the name of `what` is missing" for an empty path or NULL. */
ch_status chi_check_name(ch_context *context, const char *path, const char *what);

/* The store owns the mapping from now on. */
void chi_store_map(chi_store *store, void *map, size_t bytes);

/* Loads the whole contents: mapped for regular files, read into memory for others. The store owns
 * them. */
ch_status chi_load_source(ch_context *context, chi_store *store, const unsigned char **bytes,
                          int64_t *size, const char *path);

/* Reads `count` bytes from offset `at` on. Returns CH_ERR_IO, or CH_ERR_FORMAT if the file has
 * become shorter. */
ch_status chi_get(ch_context *context, const char *path, int fd, void *bytes, int64_t count,
                  int64_t at);

/* Writes from offset `at` on, or at the current position (at < 0), in as many calls as needed.
 * Returns the number of bytes written; if it is below count, errno has the reason. */
size_t chi_put(int fd, const void *bytes, size_t count, int64_t at);

/* Returns CH_ERR_IO "path: verb: strerror". */
CHI_SHARED ch_status chi_fail_system(ch_context *context, const char *path, const char *verb);

/* ---- output_file.c: what ch_output_file can do besides ---- */

/* Completes the output, or discards it if status is a failure. Returns the first failure. */
ch_status chi_output_close(ch_output_file *output, ch_status status);
/* For formats that rewrite their beginning. */
int chi_output_seekable(const ch_output_file *output);
ch_status chi_output_seek(ch_output_file *output, int64_t position);
const char *chi_output_path(const ch_output_file *output);
/* Returns a name under which everything written can be read, or NULL. */
const char *chi_output_temporary(ch_output_file *output);

/* ---- gzip_reader.c: files as bytes, compressed by gzip or not ---- */

typedef struct chi_gz chi_gz;

/* size is as in chi_open_source(). */
CHI_SHARED ch_status chi_gz_open(ch_context *context, chi_gz **file, int64_t *size,
                                 const char *path);
/* NULL is allowed. */
CHI_SHARED void chi_gz_close(chi_gz *file);
/* Returns the number of bytes read, below count only at the end, 0 after it; -1 on failure, for
 * which chi_gz_fail() gives the message. */
CHI_SHARED int chi_gz_read(chi_gz *file, void *bytes, int64_t count);
/* `number` lines or bytes (the unit) were read before. Returns CH_STOP_CANCELLED if the progress
 * callback ended the wait for a pipe. */
CHI_SHARED ch_status chi_gz_fail(const chi_gz *file, const char *path, const char *unit,
                                 int64_t number);
/* Bytes of the file used so far. */
CHI_SHARED int64_t chi_gz_offset(const chi_gz *file);
/* Returns whether it is gzip; known after the first read. */
int chi_gz_packed(const chi_gz *file);

/* ---- name_list.c: lists of texts that grow ---- */

typedef struct chi_list {
    ch_context *context;
    const char *path;
    char *bytes; /* texts one after the other, each ended by a zero */
    int64_t used, capacity, count;
} chi_list;

CHI_SHARED ch_status chi_list_add(chi_list *list, const char *text, int64_t length);
/* Converts the list for the caller: one line of UTF-8 each. Empties the list. */
CHI_SHARED ch_status chi_list_give(ch_text_list *lines, chi_list *list);
CHI_SHARED void chi_list_free(chi_list *list);
/* Creates a list of `count` texts, still to be filled, in `bytes` bytes. */
CHI_SHARED ch_status chi_text_list_create(ch_context *context, ch_text_list *lines, int64_t count,
                                          int64_t bytes);
/* The same for names. Names that are just 0 1 2 ... or 1 2 3 ... carry no information and are
 * dropped. */
ch_status chi_list_give_names(ch_text_list *names, chi_list *list);

/* ---- unpack_ahead.c: the same by a thread of its own, ahead of the caller ---- */

typedef struct chi_ahead chi_ahead;

/* For files, not pipes. Until chi_ahead_stop() the thread owns the reader; chi_gz_fail() may be
 * called once a read has failed. Returns NULL, without a message, if there is no memory or no
 * thread; then the caller reads itself. */
chi_ahead *chi_ahead_start(ch_context *context, chi_gz *file);
/* NULL is allowed. */
void chi_ahead_stop(chi_ahead *ahead);
/* Like chi_gz_read(), and like chi_gz_offset() up to the current block. */
int chi_ahead_read(chi_ahead *ahead, void *bytes, int64_t count);
int64_t chi_ahead_offset(const chi_ahead *ahead);

/* ---- text_reader.c: files as lines, compressed by gzip or not ---- */

typedef struct chi_text {
    ch_context *context;
    const char *path;
    chi_gz *file;
    chi_ahead *ahead; /* NULL: the caller reads the file itself                           */
    char *buffer;
    int64_t capacity, begin, end;
    int64_t number;       /* of the last line, from 1                           */
    int64_t size;         /* of the file in bytes, -1 if unknown                */
    int64_t passed;       /* bytes of uncompressed text so far                  */
    int64_t notified;     /* file offset last reported to the progress callback */
    int finished, packed; /* nothing more to read; gzip                         */
    int utf16;            /* the file is UTF-16, which becomes UTF-8            */
    int big_endian;       /* its byte order                                     */
    int held;             /* its bytes that wait for the rest of a character    */
    char holds[4];
} chi_text;

/* ---- utf16_text.c ---- */

/* Returns whether text in UTF-16 begins with the byte order mark of big-endian: 1, of
 * little-endian: 0; -1: it begins with none of them. */
int chi_utf16_big(const char *bytes, int64_t count);
/* Converts to UTF-8 and returns the length, at most 3/2 of *count, plus 3 if `last`. *count becomes
 * the number of bytes that were used: all if `last`, else without the beginning of a character. May
 * work in place if `from` ends where the space ends, which is 3/2 of *count + 3. */
int64_t chi_utf16_convert(char *to, const char *from, int64_t *count, int big, int last);

/* On failure nothing stays open. */
CHI_SHARED ch_status chi_text_open(ch_context *context, chi_text *text, const char *path);
CHI_SHARED void chi_text_close(chi_text *text);

/* Returns the next line without its end (LF or CR LF), followed by a zero byte; *line is NULL after
 * the last. It is valid until the next call. Returns CH_STOP_CANCELLED if the progress callback
 * asks to stop. */
CHI_SHARED ch_status chi_text_line(chi_text *text, char **line, char **end);

/* ---- line_pieces.c: lines on all threads ---- */

/* How plain lines are parsed; user belongs to the caller. Lines are numbered from 0 in each
 * call. */
typedef struct chi_line_kind {
    /* Reserves memory for so many more lines; sets *plain = 0 if there cannot be as many. */
    ch_status (*reserve)(void *user, int64_t lines, int *plain);
    /* Parses a line that ends with a line feed, not with a zero, on any thread. Returns the
     * position after it, or NULL if it is not plain. */
    const char *(*parse)(void *user, const char *line, int64_t number);
} chi_line_kind;

/* Parses the complete lines in the buffer, if there are many. *taken of them were parsed, and the
 * next line is the one after them; -1 if some are not plain, and nothing was taken. */
ch_status chi_text_parse(chi_text *text, int64_t *taken, const chi_line_kind *kind, void *user);

/* Fails with CH_ERR_FORMAT and the message
 *     path: line N: what: "from"
 * with at most 40 characters of `from`. If it is empty, the message ends after `what`. */
ch_status chi_text_fail(const chi_text *text, const char *what, const char *from);

/* ---- text_writer.c: text written through ch_output_file, compressed when the name ends in .gz
 * ---- */

typedef struct chi_sink {
    ch_context *context;
    ch_output_file *output;
    void *deflater; /* z_stream, NULL for plain text                                          */
    char *buffer;
    size_t filled;
} chi_sink;

/* On failure nothing stays open. */
ch_status chi_sink_open(ch_context *context, chi_sink *sink, const char *path);
/* Writes text[0..count). */
ch_status chi_sink_text(chi_sink *sink, const char *text, size_t count);
/* Writes at most 255 characters; a longer text is an error. Use chi_sink_text() for text of a file
 * or of the caller. */
ch_status chi_sink_print(chi_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes the number like chi_number_format(), and a character after it. */
ch_status chi_sink_number(chi_sink *sink, double value, char after);
/* Ends the file: complete when status is CH_OK, else removed. Returns the first failure. */
ch_status chi_sink_close(chi_sink *sink, ch_status status);

/* ---- number_text.c: numbers and their text, whatever the locale ---- */

/* Reads a decimal number, "inf" or "nan" at text (zero-terminated), correctly rounded. Returns the
 * position after it, or NULL if there is no number. */
const char *chi_number_parse(double *value, const char *text);

/* Writes the shortest text that reads back as the same double; returns its length. */
enum { CHI_NUMBER_MAX = 32 };
int chi_number_format(char text[CHI_NUMBER_MAX], double value);

/* ---- convert_elements.c: arrays of real numbers as other programs store them ---- */

typedef struct chi_element {
    char kind; /* 'b' truth value, 'i' signed, 'u' unsigned, 'f' float */
    int size;  /* bytes                                                */
    int swap;  /* the other byte order                                 */
} chi_element;

int chi_element_known(chi_element element);

/* Returns the smallest storage type that holds every such number (64-bit integers: f64). */
ch_value_type chi_element_type(chi_element element);

/* Orders the storage types: each holds all values of the ones before it. */
static inline int chi_type_width(ch_value_type type) {
    static const int widths[] = {[CH_U8] = 0, [CH_U16] = 1, [CH_F32] = 2, [CH_F64] = 3};
    return widths[type];
}

/* Returns whether the bytes already have the form of storage type `type`, so that no conversion is
 * needed. */
int chi_element_direct(chi_element element, ch_value_type *type);

/* values[k] = value, which the storage type holds. */
static inline void chi_value_put(void *values, ch_value_type type, int64_t k, double value) {
    if (type == CH_F64) ((double *)values)[k] = value;
    if (type == CH_F32) ((float *)values)[k] = (float)value;
    if (type == CH_U8) ((uint8_t *)values)[k] = (uint8_t)value;
    if (type == CH_U16) ((uint16_t *)values)[k] = (uint16_t)value;
}

/* Converts raw elements at any alignment to values[0..count) of storage type `type`. Returns 1 if a
 * 64-bit integer beyond 2^53 may have been rounded. */
int chi_element_convert(void *values, ch_value_type type, const void *raw, int64_t count,
                        chi_element element);

/* Converts raw integers to int64_t. Unsigned values from 2^63 on become INT64_MAX. Not for 'f'. */
void chi_element_indices(int64_t *indices, const void *raw, int64_t count, chi_element element);

/* Numbers as stored in a file. */
typedef struct chi_raw {
    const void *bytes;
    int64_t count;
    chi_element element;
} chi_raw;

/* Creates an owned dense matrix of shape[0] x shape[1] = raw->count such numbers, in storage type
 * `type`. */
ch_status chi_dense_from_raw(ch_context *context, ch_matrix *X, const char *path,
                             const chi_raw *raw, const int64_t shape[2], ch_matrix_layout layout,
                             ch_value_type type);

/* ---- npy_header.c, npy.c ---- */

typedef struct chi_npy {
    char descr[24];
    chi_element element; /* kind may also be 'S' bytes, 'U' text, or another letter: not numbers */
    int fortran;
    int dims;
    int64_t shape[3]; /* 1 for missing dimensions; of the first three when there are more */
    int64_t count;    /* values, all dimensions                                           */
    int64_t offset;   /* bytes before the first value                                     */
} chi_npy;

enum { CHI_NPY_HEAD_MAX = 1 << 16 };

/* Parses the header in bytes[0..available) of a file or member called label. */
ch_status chi_npy_parse(ch_context *context, chi_npy *npy, const char *label,
                        const unsigned char *bytes, int64_t available);

/* Refuses anything but real numbers. */
ch_status chi_npy_check_numbers(ch_context *context, const chi_npy *npy, const char *label);
/* Refuses anything but a vector or matrix of real numbers. */
ch_status chi_npy_check_real(ch_context *context, const chi_npy *npy, const char *label);

/* 1-d arrays are one column in either order. */
static inline ch_matrix_layout chi_npy_layout(const chi_npy *npy) {
    return npy->fortran || npy->dims == 1 ? CH_COLUMN_MAJOR : CH_ROW_MAJOR;
}

/* Returns CH_ERR_FORMAT unless the file has the bytes that its header states (npy.c). */
ch_status chi_npy_check_length(ch_context *context, const chi_npy *npy, const char *path,
                               int64_t size);

/* Writes a version 1 header; returns its length, a multiple of 64. */
enum { CHI_NPY_WRITE_MAX = 256 };
int chi_npy_format(char head[CHI_NPY_WRITE_MAX], const char *descr, int fortran, int dims,
                   const int64_t *shape);

/* ---- sparse_build.c: CSC from what files hold ---- */

typedef struct chi_entries {
    int64_t count, capacity;
    int32_t *row;
    int64_t *col;
    double *value;
} chi_entries;

ch_status chi_entries_create(ch_context *context, chi_entries *entries, const char *path,
                             int64_t capacity);
/* Makes space for half as many entries again, up to most, which is above the present number. The
 * entries are kept in any case. */
ch_status chi_entries_grow(ch_context *context, chi_entries *entries, const char *path,
                           int64_t most);
void chi_entries_free(ch_context *context, chi_entries *entries);

/* How values may be stored: unchanged, or smaller if no value changes. */
typedef enum chi_narrowing { CHI_KEEP_F64, CHI_TRY_F32, CHI_TRY_UNSIGNED } chi_narrowing;
chi_narrowing chi_element_narrowing(chi_element element);

/* Checks that a CSC matrix can have so many rows and columns. */
ch_status chi_sparse_check_size(ch_context *context, const char *path, int64_t rows, int64_t cols);

/* Makes X from entries in any order; duplicates are summed. Empties entries in any case. */
ch_status chi_csc_from_entries(ch_context *context, ch_matrix *X, const char *path,
                               chi_entries *entries, int64_t rows, int64_t cols,
                               chi_narrowing narrowing);

/* The arrays of a compressed matrix, each from chi_alloc. */
typedef struct chi_compressed {
    int64_t *start; /* major + 1 */
    int32_t *index; /* count     */
    double *value;  /* count     */
    int64_t count;
} chi_compressed;
CHI_SHARED void chi_compressed_free(ch_context *context, chi_compressed *arrays);

/* Makes X (rows x cols) from arrays compressed by column, or by row. Checks offsets and indices,
 * sorts lines, sums duplicates. Empties arrays in any case. */
CHI_SHARED ch_status chi_csc_from_compressed(ch_context *context, ch_matrix *X, const char *path,
                                             chi_compressed *arrays, int64_t rows, int64_t cols,
                                             int by_row, chi_narrowing narrowing);

/* The same from arrays as stored: offsets, indices, values. The first two are integers; `what`
 * names the indices in the message that one is out of bounds. */
ch_status chi_csc_from_raw(ch_context *context, ch_matrix *X, const char *path,
                           const chi_raw arrays[3], const int64_t shape[2], int by_row,
                           const char *what);

/* Converts the values of a matrix made here to another type that holds them. */
ch_status chi_csc_retype(ch_context *context, ch_matrix *X, const char *path, ch_value_type type);

/* Returns CH_ERR_FORMAT "`what` 7 of entry 1 is outside 0..2" for an index above limit - 1, or
 * negative. */
ch_status chi_index_check(ch_context *context, const char *path, const char *what,
                          const int64_t *wide, int64_t count, int64_t limit);
/* Makes *index, for chi_free(), from 64-bit indices, which are checked. */
ch_status chi_index_narrow(ch_context *context, const char *path, const char *what, int32_t **index,
                           const int64_t *wide, int64_t count, int64_t limit);
/* Makes *indices, for chi_free(), from raw integers. */
ch_status chi_raw_indices(ch_context *context, const char *path, int64_t **indices,
                          const chi_raw *raw);
/* Makes *values, for chi_free(), from raw numbers. */
ch_status chi_raw_values(ch_context *context, const char *path, double **values,
                         const chi_raw *raw);

/* ---- select_variable.c: which of a file's arrays is meant ---- */

/* Chooses among arrays that are offered one by one. Without a requested name, the only array of the
 * highest kind that occurs is taken: matrices before vectors before single numbers. */
typedef struct chi_pick {
    const char *var; /* the requested name, or NULL               */
    int found;       /* an array of that name exists, of any type */
    int64_t count[3];
    char chosen[3][512];
    char list[3][240];
} chi_pick;

void chi_pick_name(chi_pick *pick, const char *name); /* records that the name exists */
void chi_pick_offer(chi_pick *pick, const char *name, int64_t rows, int64_t cols);
/* *chosen lives as long as pick. CH_ERR_ARGUMENT lists the available names. */
ch_status chi_pick_decide(ch_context *context, const chi_pick *pick, const char **chosen,
                          const char *path);

/* ---- zip_members.c: the arrays in an .npz ---- */

typedef struct chi_zip {
    ch_context *context;
    const char *path;
    int64_t size; /* of the file */
    struct archive *archive;
    chi_npy npy;
    int64_t held;    /* bytes of the member in head */
    int64_t loaded;  /* bytes of all members so far */
    char label[600]; /* "path: member"              */
    unsigned char head[CHI_NPY_HEAD_MAX];
} chi_zip;

/* Calls visit for every member that ends in .npy, with the name without it; a status other than
 * CH_OK ends the loop. */
typedef ch_status (*chi_zip_visit)(void *user, chi_zip *zip, const char *name, const chi_npy *npy);
ch_status chi_zip_walk(ch_context *context, const char *path, chi_zip_visit visit, void *user);

/* For visit: loads the member's values as stored, npy->count of them, for chi_free(). */
ch_status chi_zip_load(chi_zip *zip, void **raw);

/* A member to be written: head, then body. */
enum { CHI_ZIP_NAME_MAX = 256 };
typedef struct chi_zip_member {
    char name[CHI_ZIP_NAME_MAX];
    char head[CHI_NPY_WRITE_MAX];
    int64_t head_bytes, body_bytes;
    const void *body;
} chi_zip_member;

/* Writes `count` members, which describe() fills one after the other. They are stored, not
 * compressed, and without time stamps, so that the same members give the same bytes. Uses
 * libarchive (zip_write.c) or nothing (zip_write_plain.c). */
ch_status chi_zip_write(ch_context *context, ch_output_file *output, const char *path, int count,
                        void (*describe)(void *user, int i, chi_zip_member *member), void *user);

/* ---- scratch_file.c: files in place of memory ---- */

/* Returns whether so many bytes should go to a scratch file, by the memory limit of the context. */
int chi_scratch_wanted(const ch_context *context, const chi_scratch_place *place, double bytes);
/* Opens a file without a name; close() it at any time. */
ch_status chi_scratch_open(ch_context *context, int *fd, const char *folder);
ch_status chi_scratch_write(ch_context *context, int fd, const void *bytes, size_t count,
                            int64_t at, const char *folder);
/* Maps the file as the values of X, which owns the mapping. */
ch_status chi_scratch_map(ch_context *context, ch_matrix *X, int fd, int64_t rows, int64_t cols,
                          ch_matrix_layout layout, ch_value_type type, const char *folder);

/* ---- mat.c: arrays of more than two dimensions, for src/io/cube ---- */

typedef struct chi_mat_array {
    const char *name;
    int dims;         /* 2 or 3 */
    int64_t shape[3]; /* 1 for a missing one */
    ch_value_type type;
} chi_mat_array;

/* Calls visit for every full array of real numbers of two or three dimensions; a status other than
 * CH_OK ends the loop. *hdf5 is set if the file has version 7.3; then nothing was visited. */
typedef ch_status (*chi_mat_visit)(void *user, const chi_mat_array *array);
ch_status chi_mat_arrays(ch_context *context, const char *path, int *hdf5, chi_mat_visit visit,
                         void *user);
/* Reads such an array, not of version 7.3: shape[0] rows, column-major. */
ch_status chi_mat_array_read(ch_context *context, ch_matrix *X, const char *path, const char *name);

/* ---- mat73.c ---- */

ch_status chi_mat73_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request,
                         int64_t size);

/* ---- the formats ---- */

/* Collective: reads the part of this process into X (read_distributed.c). */
ch_status chi_read_distributed(ch_context *context, ch_matrix *X, const char *path,
                               const ch_matrix_read_settings *settings);
/* Reads in one process (format_table.c). *part is set if the format allows it and X is the part of
 * this process; otherwise X is the whole matrix. */
ch_status chi_read_here(ch_context *context, ch_matrix *X, int *part, const char *path,
                        const ch_matrix_read_settings *settings);
/* X is zero before and is not used on failure. */
ch_status chi_npy_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_npz_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_mtx_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_mat_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_hdf5_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_csv_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request);
ch_status chi_envi_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                               chi_request *request);
/* Returns whether an ENVI header exists next to a file of any name. */
int chi_envi_has_header(ch_context *context, const char *path);
ch_status chi_npy_write(ch_context *context, const char *path, const ch_matrix *X);
ch_status chi_npz_write(ch_context *context, const char *path, const ch_matrix *X);
ch_status chi_mtx_write(ch_context *context, const char *path, const ch_matrix *X);
ch_status chi_csv_write(ch_context *context, const char *path, const ch_matrix *X);
