/* Cubes in HDF5, in a build without HDF5: refused. */
#include "io/cube/cube_source.h"

ch_status chi_cube_open_hdf5(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings) {
    (void)source, (void)settings;
    return chi_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: this build of conehull cannot read HDF5 files; save the cube as .npy or ENVI", path);
}
