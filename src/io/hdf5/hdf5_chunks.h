/* Chunks of a data set that are shorter or longer than they should be (hdf5_chunks.c). */
#ifndef CONEHULL_HDF5_CHUNKS_H
#define CONEHULL_HDF5_CHUNKS_H

#include "io/hdf5/hdf5_open.h"

/* CH_ERR_FORMAT when one of the first chunks of a data set of one or two dimensions is, or takes
 * more than `most` bytes of the file, or when chunks have more than `most_unpacked` bytes. */
ch_status chi_hdf5_check_chunks(ch_context *context, hid_t set, int64_t most, int64_t most_unpacked,
                                const char *label);

#endif
