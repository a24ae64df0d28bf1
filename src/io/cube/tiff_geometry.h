/* What GeoTIFF and GDAL add to a TIFF: position, coordinate system, mark of missing values. */
#pragma once

#include "io/cube/cube_source.h"
#include <tiffio.h>

/* Fills map information and the mark of missing values from the tags of the current page. Logs what
 * cannot be expressed in an ENVI header. */
ch_status chi_tiff_geometry(ch_context *context, chi_cube_source *source, TIFF *file);
