/* Data sets and attributes of an open HDF5 file (hdf5_sets.c). */
#ifndef CONEHULL_HDF5_SETS_H
#define CONEHULL_HDF5_SETS_H

#include "io/file/scratch_file.h"
#include "io/hdf5/hdf5_open.h"

typedef struct chi_extent {
    int dims; /* 0 for a single value, -1 for something else */
    int64_t shape[2], count;
} chi_extent;

chi_extent chi_hdf5_extent_of_space(hid_t space);
chi_extent chi_hdf5_extent(hid_t set);

/* Our storage type for a data set's values; 0 when they are not real numbers. whole says that they
 * are integers, large that doubles may not hold them. */
typedef struct chi_numbers {
    ch_value_type type;
    int whole, large;
} chi_numbers;

int chi_hdf5_numbers(hid_t set, chi_numbers *n);

/* A set of one or two dimensions, by row; size: of the file. */
ch_status chi_hdf5_dense(ch_context *context, ch_matrix *X, hid_t set, int64_t size,
                         chi_request *wanted, const char *label);

/* A stretch of the last dimension of a data set. */
typedef struct chi_stretch {
    int64_t first, count;
} chi_stretch;

/* The values of a set, `size` of them along each dimension from `from` on. */
ch_status chi_hdf5_values(ch_context *context, void *values, hid_t set, hid_t type,
                          const hsize_t from[2], const hsize_t size[2], const char *label);

/* A group of lists that make a sparse matrix; size: of the file. */
typedef struct chi_hdf5_group {
    ch_context *context;
    hid_t id;
    int64_t size;
    const char *label;
} chi_hdf5_group;

/* A list of 64-bit integers or, whole 0, of doubles, or a stretch of it; *block for chi_free(),
 * also of a list that cannot be read. count: of the whole. */
ch_status chi_hdf5_list(const chi_hdf5_group *group, void **block, int64_t *count, const char *name,
                        int whole, const chi_stretch *wanted, chi_narrowing *narrow);

/* index and value of arrays from the lists `indices` and "data", all of them or the stretch that is
 * wanted; indices are checked against the limit. For chi_compressed_free() whatever happens. */
ch_status chi_hdf5_entries(const chi_hdf5_group *group, chi_compressed *arrays,
                           chi_narrowing *narrow, const char *indices, const chi_stretch *wanted,
                           int64_t limit);

/* A text attribute, of fixed or variable length; empty when there is none. */
void chi_hdf5_text(char text[64], hid_t object, const char *name);

#endif
