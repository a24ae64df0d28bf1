/* Matrices that another library parses, read in a child process. */
#pragma once

#include "common/command.h"
#include <conehull/cube.h>
#include <conehull/io.h>

/* ch_matrix_read() in a child (sandbox.h) for a file that HDF5 would parse: .h5, .hdf5, .h5ad, .mat
 * of MATLAB 7.3. *apart 0: it is no such file, or several processes read it together, and nothing
 * was done. memory: the limit of --memory, 0 without one; with a limit the child only tries, and
 * *apart stays 0: the caller reads again, into a scratch file of its own. Returns the exit code,
 * and complains itself. */
int cli_matrix_read_apart(const cli_session *session, ch_matrix *X, int *apart, const char *file,
                          const ch_matrix_read_settings *settings, int64_t memory);

/* A cube that HDF5 or libtiff would parse, read whole in a child and forgotten: a file on which
 * they crash, loop or take all memory ends the child alone. The caller then reads it itself.
 * Nothing happens with other files. */
int cli_cube_try_apart(const cli_session *session, const char *file,
                       const ch_cube_open_settings *cube, const char *scratch, int64_t memory);
