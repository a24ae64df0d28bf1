/* Objects of an HDF5 file, and of no other (hdf5_open.c). */
#ifndef CONEHULL_HDF5_OPEN_H
#define CONEHULL_HDF5_OPEN_H

#include "io/file/format.h"
#include <hdf5.h>

/* What is called `name` under place, for chi_hdf5_close(); negative when it cannot be opened.
 * *elsewhere, when that is because it lies, or its values lie, in another file. */
hid_t chi_hdf5_open(hid_t place, const char *name, int *elsewhere);
void chi_hdf5_close(hid_t id); /* any kind; negative is fine */

/* Whether a link of that name is there; what it leads to is not looked at. */
int chi_hdf5_has(hid_t place, const char *name);

/* The answer to *elsewhere. */
ch_status chi_hdf5_refuse(ch_context *context, const char *label);

/* CH_ERR_FORMAT unless a set of count values, of one or two dimensions, can be stored in a file of
 * so many bytes and its chunks are what they should be, as far as hdf5_chunks.c looks. */
ch_status chi_hdf5_check_storage(ch_context *context, hid_t set, int64_t count, int64_t file_bytes,
                                 const char *label);

#endif
