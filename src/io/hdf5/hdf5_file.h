/* Declarations shared by the readers of HDF5 and of MATLAB 7.3. */
#pragma once

#include "io/file/format.h"
#include <hdf5.h>

/* ---- hdf5_open.c: opens files and their objects, and refuses objects in other files ---- */

/* chi_hdf5_read_file() opens the file, which has `size` bytes, and calls `read`. If the file cannot
 * be opened, the message says that it is not `what`. */
typedef ch_status (*chi_hdf5_reader)(ch_context *context, ch_matrix *X, hid_t file,
                                     const char *path, int64_t size, chi_request *request);
ch_status chi_hdf5_read_file(ch_context *context, ch_matrix *X, const char *path, int64_t size,
                             chi_request *request, chi_hdf5_reader read, const char *what);

/* Opens a file for reading. If it cannot be opened, the error says that it is not `what` or is
 * truncated, or that the HDF5 library lacked memory. */
ch_status chi_hdf5_open_file(ch_context *context, hid_t *file, const char *path, const char *what);

/* Opens the object `name` under place; the caller closes it by chi_hdf5_close(). Returns a negative
 * number on failure, and sets *elsewhere if the object or its values are in another file. */
hid_t chi_hdf5_open(hid_t place, const char *name, int *elsewhere);
void chi_hdf5_close(hid_t id); /* closes an id of any kind; does nothing if id is negative */

/* Returns whether a link of that name exists; does not follow it. */
int chi_hdf5_has(hid_t place, const char *name);

/* Returns CH_ERR_UNSUPPORTED with the message that the values of `label` are in another file. */
ch_status chi_hdf5_refuse(ch_context *context, const char *label);

/* Returns CH_ERR_FORMAT unless a set of count values, of one to three dimensions, can be stored in
 * a file of so many bytes, and its chunks are valid as far as hdf5_chunks.c checks. */
ch_status chi_hdf5_check_storage(ch_context *context, hid_t set, int64_t count, int64_t file_bytes,
                                 const char *label);

/* ---- hdf5_chunks.c ---- */

/* Returns CH_ERR_FORMAT if one of the first chunks of a data set of one to three dimensions is not
 * valid or takes more than `most` bytes of the file, or if chunks have more than `most_unpacked`
 * bytes. */
ch_status chi_hdf5_check_chunks(ch_context *context, hid_t set, int64_t most, int64_t most_unpacked,
                                const char *label);

/* ---- hdf5_sets.c: data sets and attributes ---- */

typedef struct chi_extent {
    int dims;                /* 0 for a single value, -1 for something else */
    int64_t shape[3], count; /* size of the first three dimensions; number of values */
} chi_extent;

chi_extent chi_hdf5_extent_of_space(hid_t space);
chi_extent chi_hdf5_extent(hid_t set);

/* How the values of a data set are stored in memory. whole: they are integers; large: doubles may
 * not represent all of them exactly. chi_hdf5_numbers() returns 0 if the values are not real
 * numbers. */
typedef struct chi_numbers {
    ch_value_type type;
    int whole, large;
} chi_numbers;

int chi_hdf5_numbers(hid_t set, chi_numbers *n);

/* Reads a data set of one or two dimensions, by rows into memory or, if it is large, through a
 * scratch file. size is the size of the file in bytes. */
ch_status chi_hdf5_dense(ch_context *context, ch_matrix *X, hid_t set, int64_t size,
                         chi_request *wanted, const char *label);

/* A range of the last dimension of a data set. */
typedef struct chi_stretch {
    int64_t first, count;
} chi_stretch;

/* Reads a block of a data set: along each dimension d, the size[d] values from from[d] on. */
ch_status chi_hdf5_values(ch_context *context, void *values, hid_t set, hid_t type,
                          const hsize_t *from, const hsize_t *size, const char *label);
/* Returns the HDF5 type for a storage type. */
hid_t chi_hdf5_memory_type(ch_value_type type);

/* A group of lists that represent a sparse matrix. size is the size of the file in bytes. */
typedef struct chi_hdf5_group {
    ch_context *context;
    hid_t id;
    int64_t size;
    const char *label;
} chi_hdf5_group;

/* Reads a list, or the range `wanted` of it, as 64-bit integers or, if whole is 0, as doubles. The
 * caller frees *block by chi_free(), whatever the status. *count is the length of the whole
 * list. */
ch_status chi_hdf5_list(const chi_hdf5_group *group, void **block, int64_t *count, const char *name,
                        int whole, const chi_stretch *wanted, chi_narrowing *narrow);

/* Reads index and value of arrays from the lists `indices` and "data", all or the requested range;
 * checks indices against the limit. Call chi_compressed_free() in any case. */
ch_status chi_hdf5_entries(const chi_hdf5_group *group, chi_compressed *arrays,
                           chi_narrowing *narrow, const char *indices, const chi_stretch *wanted,
                           int64_t limit);

/* Reads a text attribute, of fixed or variable length; empty if there is none. */
void chi_hdf5_text(char text[64], hid_t object, const char *name);

/* ---- hdf5_blocks.c: data sets that go through a scratch file ---- */

/* Columns [first, first + cols) of a data set of two dimensions. */
typedef struct chi_hdf5_set {
    hid_t id;
    hid_t memory; /* HDF5 type of a value in memory */
    ch_value_type type;
    int64_t rows, all_cols, first, cols;
    const char *label;
} chi_hdf5_set;

/* Copies the data set to a scratch file and makes X a view of it. Returns CH_STOP_CANCELLED, with X
 * unchanged, if the progress callback asks to stop. */
ch_status chi_hdf5_unpack(ch_context *context, ch_matrix *X, const chi_hdf5_set *set,
                          const chi_scratch_place *place);

/* ---- hdf5_names.c ---- */

typedef struct chi_hdf5_named {
    hid_t object;     /* the matrix: a data set, or a group */
    const char *name; /* path of the object in the file     */
    /* columns -1: the number is not known, because other processes hold columns */
    int64_t rows, columns;
    int64_t size; /* size of the file in bytes */
    const char *label;
} chi_hdf5_named;

/* Reads names of rows and columns, if the file has them. */
ch_status chi_hdf5_names(ch_context *context, ch_matrix_names *names, hid_t file,
                         const chi_hdf5_named *matrix);
