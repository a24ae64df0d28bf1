/* Data sets that go through a scratch file (hdf5_blocks.c). */
#ifndef CONEHULL_HDF5_BLOCKS_H
#define CONEHULL_HDF5_BLOCKS_H

#include "io/file/format.h"
#include <hdf5.h>

/* Columns [first, first + cols) of a data set of two dimensions. */
typedef struct chi_hdf5_set {
    hid_t id;
    hid_t memory; /* type of a value here */
    ch_value_type type;
    int64_t rows, all_cols, first, cols;
    const char *label;
} chi_hdf5_set;

/* CH_STOP_CANCELLED: the progress callback says so, and X is untouched. */
ch_status chi_hdf5_unpack(ch_context *context, ch_matrix *X, const chi_hdf5_set *set,
                          const chi_scratch_place *place);

#endif
