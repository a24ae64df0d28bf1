/* Matrices that another library parses, read in a child process. */
#pragma once

#include "common/command.h"
#include <conehull/cube.h>
#include <conehull/io.h>

/* ch_matrix_read() in a child (sandbox.h) for a file that HDF5 would parse: .h5, .hdf5, .h5ad, .mat
 * of MATLAB 7.3. *apart is 0 if it is no such file, or if several processes read it together; then
 * nothing was done. memory is the limit of --memory, 0 without one; with a limit the child only
 * tests the file, and *apart stays 0: the caller reads again, into a scratch file of its own.
 * Prints errors and returns the exit code. */
int cli_matrix_read_apart(const cli_session *session, ch_matrix *X, int *apart, const char *file,
                          const ch_matrix_read_settings *settings, int64_t memory);

/* Reads a cube that HDF5 or libtiff would parse in a child and discards it: a file on which they
 * crash, loop or use all memory ends only the child. The caller then reads it itself. Does nothing
 * for other files. */
int cli_cube_try_apart(const cli_session *session, const char *file,
                       const ch_cube_open_settings *cube, const char *scratch, int64_t memory);
