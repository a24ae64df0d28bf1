/* Refuses files of MATLAB 7.3, which are HDF5 files, in a build without the HDF5 library. */
#include "io/file/format.h"

ch_status chi_mat73_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request,
                         int64_t size) {
    (void)size;
    return chi_hdf5_read(context, X, path, request);
}
