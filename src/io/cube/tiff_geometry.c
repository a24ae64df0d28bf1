/* GeoTIFF: tie point and pixel scale (or a matrix) become ENVI's map information, and the EPSG code
 * among the keys becomes its coordinate system. Reference: "OGC GeoTIFF Standard" 1.1, sections 7.1
 * (keys) and B.6 (tags). */
#include "io/cube/tiff_geometry.h"
#include "io/cube/map_system.h"
#include <stdio.h>
#include <string.h>

enum { PIXEL_SCALE = 33550, TIE_POINT = 33922, MATRIX = 34264, KEYS = 34735, GDAL_NO_DATA = 42113 };
enum { MODEL_TYPE = 1024, RASTER_TYPE = 1025, GEOGRAPHIC_CODE = 2048, PROJECTED_CODE = 3072 };
enum { PROJECTED = 1, GEOGRAPHIC = 2, POINT = 2 }; /* values of the first two keys */

/* The values of a tag that libtiff does not know by itself, or NULL: the file lacks it, or it has
 * values of another type. libtiff describes such a tag when it meets it; a program that uses other
 * libraries for GeoTIFF may have described it before. The description decides which arguments
 * TIFFGetField() has. */
static const void *tag_values(TIFF *file, uint32_t tag, TIFFDataType type, uint32_t *count) {
    const TIFFField *field = TIFFFindField(file, tag, TIFF_ANY);
    const void *values = NULL;
    uint16_t few = 0;
    int found = 0;
    *count = 0;
    if (!field || TIFFFieldDataType(field) != type) return NULL;
    if (!TIFFFieldPassCount(field)) { /* text that ends with 0 */
        found = type == TIFF_ASCII && TIFFGetField(file, tag, &values);
        if (found && values) *count = (uint32_t)strlen(values);
    } else if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
        found = TIFFGetField(file, tag, count, &values);
    } else {
        found = TIFFGetField(file, tag, &few, &values);
        *count = few;
    }
    return found && *count > 0 ? values : NULL;
}

/* GDAL's mark of missing values. */
static void take_no_data(ch_cube *cube, TIFF *file) {
    char text[64];
    uint32_t count;
    const char *mark = tag_values(file, GDAL_NO_DATA, TIFF_ASCII, &count);
    if (!mark || count >= sizeof text) return;
    memcpy(text, mark, count);
    text[count] = 0;
    cube->has_no_data = chi_number_parse(&cube->no_data, text) != NULL;
}

/* Returns the value of a key that the directory itself holds, or 0. The directory is a head of four
 * numbers, the last of which counts the entries, and entries of four: key, place of the value (0:
 * the entry itself), count, value. */
static int find_key(TIFF *file, uint16_t key) {
    uint32_t count;
    const uint16_t *list = tag_values(file, KEYS, TIFF_SHORT, &count);
    for (uint32_t k = 4; list && k + 3 < count && k / 4 <= list[3]; k += 4)
        if (list[k] == key && list[k + 1] == 0) return list[k + 3];
    return 0;
}

/* The place of one point of the picture on the map, and the size of a pixel. */
typedef struct place {
    double sample, line; /* from 0 at the upper left corner */
    double x, y, width, height;
} place;

/* Returns 0 if the file has no such place; *turned: because its pixels are rotated or sheared. */
static int find_place(place *at, int *turned, TIFF *file) {
    uint32_t scales, points, numbers;
    const double *scale = tag_values(file, PIXEL_SCALE, TIFF_DOUBLE, &scales);
    const double *point = tag_values(file, TIE_POINT, TIFF_DOUBLE, &points);
    const double *matrix = tag_values(file, MATRIX, TIFF_DOUBLE, &numbers);
    *turned = 0;
    if (scale && scales >= 2 && point && points >= 6) {
        *at = (place){point[0], point[1], point[3], point[4], scale[0], scale[1]};
    } else if (matrix && numbers >= 16) { /* x = m0 sample + m1 line + m3, y = m4 ... + m7 */
        *turned = matrix[1] != 0 || matrix[4] != 0;
        if (*turned) return 0;
        *at = (place){0, 0, matrix[3], matrix[7], matrix[0], -matrix[5]};
    } else {
        return 0;
    }
    if (find_key(file, RASTER_TYPE) == POINT) { /* integers are the centres of pixels */
        at->sample += 0.5;
        at->line += 0.5;
    }
    return 1;
}

/* Finds the coordinate system, else logs that it is lost. */
static int find_system(ch_context *context, chi_map_system *system, TIFF *file, const char *path) {
    int model = find_key(file, MODEL_TYPE);
    int code = model == PROJECTED    ? find_key(file, PROJECTED_CODE)
               : model == GEOGRAPHIC ? find_key(file, GEOGRAPHIC_CODE)
                                     : 0;
    char name[32] = "no EPSG code";
    if (code > 0 && code < 32767) snprintf(name, sizeof name, "EPSG:%d", code);
    if (chi_map_system_find(system, code)) return 1;
    if (model > 0)
        chi_log(context, CH_LOG_INFO,
                "%s: maps get the position and pixel size of this file, but not its coordinate "
                "system (%s)",
                path, name);
    return 0;
}

ch_status chi_tiff_geometry(ch_context *context, chi_cube_source *source, TIFF *file) {
    ch_cube *cube = &source->cube;
    chi_map_system system;
    char text[400];
    place at;
    int turned;
    take_no_data(cube, file);
    if (!find_place(&at, &turned, file)) {
        if (turned)
            chi_log(context, CH_LOG_INFO,
                    "%s: its pixels are rotated on the map; maps get no position", source->path);
        return CH_OK;
    }
    int known = find_system(context, &system, file, source->path);
    snprintf(text, sizeof text, "%s, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g%s%s",
             known ? system.name : "Arbitrary", at.sample + 1, at.line + 1, at.x, at.y, at.width,
             at.height, known ? ", " : "", known ? system.tail : "");
    cube->map_info = chi_cube_keep_text(context, source, text);
    if (known) cube->coordinate_system = chi_cube_keep_text(context, source, system.wkt);
    return cube->map_info && (!known || cube->coordinate_system) ? CH_OK : CH_ERR_MEMORY;
}
