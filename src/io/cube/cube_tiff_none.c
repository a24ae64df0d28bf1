/* Cubes in TIFF, in a build without libtiff: refused. */
#include "io/cube/cube_source.h"

ch_status chi_cube_open_tiff(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings) {
    (void)source, (void)settings;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: this build of conehull cannot read TIFF files; build it with libtiff-dev, "
                    "or convert the file (gdal_translate -of ENVI)",
                    path);
}
