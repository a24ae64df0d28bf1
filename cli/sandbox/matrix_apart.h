/* Reads matrices in a child process if another library parses them. */
#pragma once

#include "common/command.h"
#include <conehull/cube.h>
#include <conehull/io.h>

/* Calls ch_matrix_read() in a child (sandbox.h) if HDF5 would parse the file: .h5, .hdf5, .h5ad,
 * and .mat of MATLAB 7.3. *apart is 1 if X was read. *apart is 0 for other files, and if several
 * processes read the file together; then the function does nothing. memory is the limit of
 * --memory, or 0. With a limit, the child only tests the file, and *apart is 0: the caller then
 * reads the file itself, into a scratch file. Prints errors and returns the exit code. */
int cli_matrix_read_apart(const cli_session *session, ch_matrix *X, int *apart, const char *file,
                          const ch_matrix_read_settings *settings, int64_t memory);

/* Reads a cube that HDF5 or libtiff would parse in a child and discards it: a file on which they
 * crash, loop or use all memory ends only the child. The caller then reads it itself. Does nothing
 * for other files. */
int cli_cube_try_apart(const cli_session *session, const char *file,
                       const ch_cube_open_settings *cube, const char *scratch, int64_t memory);
