/* ENVI cubes: a text header next to the raw values. A spectral library is a file of one band with
 * one spectrum per line; it becomes a cube of one line with one pixel per spectrum. */
#include "io/cube/cube_source.h"
#include "io/cube/envi_file.h"
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ENVI's "data type"; 6 and 9 are complex. */
static const chi_element types[] = {
    [1] = {'u', 1, 0},  [2] = {'i', 2, 0},  [3] = {'i', 4, 0},
    [4] = {'f', 4, 0},  [5] = {'f', 8, 0},  [12] = {'u', 2, 0},
    [13] = {'u', 4, 0}, [14] = {'i', 8, 0}, [15] = {'u', 8, 0},
};
enum { TYPES = sizeof types / sizeof *types };

static ch_status take_type(const chi_envi *envi, chi_element *element) {
    int64_t code, order;
    TRY(chi_envi_whole(envi, &code, "data type", 1, 1000, 0));
    TRY(chi_envi_whole(envi, &order, "byte order", 0, 1, 0));
    if (code == 6 || code == 9)
        return chi_fail(envi->context, CH_ERR_UNSUPPORTED,
                        "%s: the data are complex numbers (data type %lld), which are not "
                        "supported; save their real part or their modulus",
                        envi->path, (long long)code);
    if (code >= TYPES || !types[code].size)
        return chi_envi_fail(envi, chi_envi_find(envi, "data type"),
                             "data type %lld is not supported; the supported data types are 1, "
                             "2, 3, 4, 5, 12, 13, 14 and 15",
                             (long long)code);
    *element = types[code];
    element->swap = order != (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
    return CH_OK;
}

static ch_status take_interleave(const chi_envi *envi, ch_cube *cube) {
    static const char *const words[] = {[CH_BSQ] = "bsq", [CH_BIL] = "bil", [CH_BIP] = "bip"};
    const chi_envi_field *field = chi_envi_find(envi, "interleave");
    if (!field && cube->bands == 1) return CH_OK;
    if (!field)
        return chi_fail(envi->context, CH_ERR_FORMAT,
                        "%s: the header has no line \"interleave = ...\"; add it with the value "
                        "bsq, bil or bip",
                        envi->path);
    for (int k = CH_BSQ; k <= CH_BIP; k++)
        if (strcasecmp(field->value, words[k]) == 0) {
            cube->interleave = (ch_interleave)k;
            return CH_OK;
        }
    return chi_envi_fail(envi, field,
                         "the value of \"interleave\" is \"%.40s\", but it must be bsq, bil or bip",
                         field->value);
}

/* Refuses fields of the header that change which bytes are values. */
static ch_status refuse_layouts(const chi_envi *envi) {
    static const char *const frames[] = {"major frame offsets", "minor frame offsets"};
    int64_t packed;
    TRY(chi_envi_whole(envi, &packed, "file compression", 0, 1, 0));
    if (packed)
        return chi_fail(envi->context, CH_ERR_UNSUPPORTED,
                        "%s: the data are compressed, which is not supported; unpack them with "
                        "gzip and set \"file compression = 0\"",
                        envi->path);
    for (int k = 0; k < 2; k++) {
        double around[2];
        const chi_envi_field *field = chi_envi_find(envi, frames[k]);
        if (!field) continue;
        TRY(chi_envi_numbers(envi, around, field, 2, "one for each end of a frame"));
        if (around[0] != 0 || around[1] != 0)
            return chi_fail(envi->context, CH_ERR_UNSUPPORTED,
                            "%s: line %lld: values of \"%s\" other than 0 are not supported",
                            envi->path, (long long)field->line, frames[k]);
    }
    return CH_OK;
}

static int is_library(const chi_envi *envi) {
    const chi_envi_field *field = chi_envi_find(envi, "file type");
    return field && strcasecmp(field->value, "ENVI Spectral Library") == 0;
}

static ch_status take_shape(const chi_envi *envi, chi_cube_source *source) {
    ch_cube *cube = &source->cube;
    const int64_t most = INT64_C(1) << 53;
    TRY(chi_envi_whole(envi, &cube->samples, "samples", 1, most, 0));
    TRY(chi_envi_whole(envi, &cube->lines, "lines", 1, most, 0));
    TRY(chi_envi_whole(envi, &cube->bands, "bands", 1, most, 1));
    TRY(chi_envi_whole(envi, &source->offset, "header offset", 0, most, 0));
    TRY(take_interleave(envi, cube));
    TRY(take_type(envi, &source->element));
    TRY(refuse_layouts(envi));
    if (!is_library(envi)) return CH_OK;
    if (cube->bands != 1)
        return chi_envi_fail(envi, chi_envi_find(envi, "bands"),
                             "a spectral library must have one band, but this one has %lld",
                             (long long)cube->bands);
    cube->bands = cube->samples;
    cube->samples = cube->lines;
    cube->lines = 1;
    cube->interleave = CH_BIP;
    return CH_OK;
}

/* *bytes is the size of the header's offset and all values. */
static ch_status count_bytes(const chi_envi *envi, const chi_cube_source *source, int64_t *bytes) {
    const ch_cube *cube = &source->cube;
    if (!__builtin_mul_overflow(cube->lines, cube->samples, bytes) &&
        !__builtin_mul_overflow(*bytes, cube->bands, bytes) &&
        !__builtin_mul_overflow(*bytes, (int64_t)source->element.size, bytes) &&
        !__builtin_add_overflow(*bytes, source->offset, bytes))
        return CH_OK;
    return chi_fail(envi->context, CH_ERR_FORMAT,
                    "%s: the header states %lld lines x %lld samples x %lld bands, which is "
                    "impossibly large; it is damaged",
                    envi->path, (long long)cube->lines, (long long)cube->samples,
                    (long long)cube->bands);
}

static ch_status check_length(const chi_envi *envi, const chi_cube_source *source, int64_t bytes) {
    const ch_cube *cube = &source->cube;
    int fd;
    int64_t size;
    TRY(chi_open_file(envi->context, &fd, &size, source->path));
    close(fd);
    if (size < bytes)
        return chi_fail(envi->context, CH_ERR_FORMAT,
                        "%s: the header states %lld lines x %lld samples x %lld bands of %d bytes "
                        "each, %lld bytes in total, but the file has %lld bytes; it is truncated, "
                        "or the header belongs to another file",
                        source->path, (long long)cube->lines, (long long)cube->samples,
                        (long long)cube->bands, source->element.size, (long long)bytes,
                        (long long)size);
    if (size > bytes)
        chi_log(envi->context, CH_LOG_WARNING,
                "%s: the file has %lld bytes more than its header states; these bytes are ignored",
                source->path, (long long)(size - bytes));
    return CH_OK;
}

/* ---- other fields of the header ---- */

static ch_status keep_text(const chi_envi *envi, chi_cube_source *source, const char **text,
                           const char *key) {
    const chi_envi_field *field = chi_envi_find(envi, key);
    if (!field) return CH_OK;
    *text = chi_cube_keep_text(envi->context, source, field->value);
    return *text ? CH_OK : CH_ERR_MEMORY;
}

static ch_status keep_numbers(const chi_envi *envi, chi_cube_source *source, const double **numbers,
                              const char *key) {
    const chi_envi_field *field = chi_envi_find(envi, key);
    int64_t count = source->cube.bands;
    if (!field) return CH_OK;
    /* An entry takes at least two characters, so the length of the header limits the allocation. */
    if (count > (int64_t)strlen(field->value) + 1)
        return chi_envi_fail(
            envi, field,
            "the list \"%s\" is too short; it must have %lld entries (one for each band)", key,
            (long long)count);
    double *block = chi_cube_keep(envi->context, source, (size_t)count * sizeof *block);
    if (!block) return CH_ERR_MEMORY;
    *numbers = block;
    return chi_envi_numbers(envi, block, field, count, "one for each band");
}

static ch_status keep_names(const chi_envi *envi, chi_cube_source *source,
                            const char *const **names, const char *key, int64_t count,
                            const char *of) {
    const chi_envi_field *field = chi_envi_find(envi, key);
    if (!field) return CH_OK;
    size_t characters = strlen(field->value) + 1;
    if (count > (int64_t)characters)
        return chi_envi_fail(envi, field,
                             "the list \"%s\" is too short; it must have %lld entries (%s)", key,
                             (long long)count, of);
    char **block = chi_cube_keep(envi->context, source, (size_t)count * sizeof *block + characters);
    if (!block) return CH_ERR_MEMORY;
    *names = (const char *const *)block;
    return chi_envi_names(envi, block, field, count, of);
}

static ch_status keep_good(const chi_envi *envi, chi_cube_source *source) {
    const double *flags = NULL;
    int64_t count = source->cube.bands;
    TRY(keep_numbers(envi, source, &flags, "bbl"));
    if (!flags) return CH_OK;
    uint8_t *good = chi_cube_keep(envi->context, source, (size_t)count);
    if (!good) return CH_ERR_MEMORY;
    for (int64_t b = 0; b < count; b++) good[b] = flags[b] != 0;
    source->cube.good = good;
    return CH_OK;
}

static ch_status keep_no_data(const chi_envi *envi, ch_cube *cube) {
    const chi_envi_field *field = chi_envi_find(envi, "data ignore value");
    if (!field) return CH_OK;
    cube->has_no_data = 1;
    return chi_envi_numbers(envi, &cube->no_data, field, 1, "a single value");
}

/* A factor that is no positive number is ignored, as if the header had none. */
static void keep_scale(const chi_envi *envi, ch_cube *cube) {
    const chi_envi_field *field = chi_envi_find(envi, "reflectance scale factor");
    double factor = 0;
    const char *end = field ? chi_number_parse(&factor, field->value) : NULL;
    if (!field) return;
    if (!end || *end || !(factor > 0) || !isfinite(factor)) {
        chi_log(envi->context, CH_LOG_WARNING,
                "%s: line %lld: the reflectance scale factor \"%.40s\" is not a positive number "
                "and is ignored",
                envi->path, (long long)field->line, field->value);
        return;
    }
    cube->reflectance_scale = factor;
    if (factor != 1)
        chi_log(envi->context, CH_LOG_INFO,
                "%s: by its reflectance scale factor, reflectance is value / %.10g", envi->path,
                factor);
}

static ch_status keep_rest(const chi_envi *envi, chi_cube_source *source) {
    static const char *const unused[] = {"data gain values", "data offset values"};
    ch_cube *cube = &source->cube;
    int library = is_library(envi);
    TRY(keep_numbers(envi, source, &cube->wavelengths, "wavelength"));
    TRY(keep_numbers(envi, source, &cube->widths, "fwhm"));
    TRY(keep_text(envi, source, &cube->unit, "wavelength units"));
    TRY(keep_good(envi, source));
    TRY(keep_no_data(envi, cube));
    keep_scale(envi, cube);
    if (!library)
        TRY(keep_names(envi, source, &cube->names, "band names", cube->bands, "one for each band"));
    if (library)
        TRY(keep_names(envi, source, &cube->spectra, "spectra names", cube->samples,
                       "one for each spectrum"));
    TRY(keep_text(envi, source, &cube->description, "description"));
    TRY(keep_text(envi, source, &cube->map_info, "map info"));
    TRY(keep_text(envi, source, &cube->projection, "projection info"));
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        if (chi_envi_find(envi, unused[k]))
            chi_log(
                envi->context, CH_LOG_INFO,
                "%s: values are used as they are stored; the header field \"%s\" is not applied",
                envi->path, unused[k]);
    return keep_text(envi, source, &cube->coordinate_system, "coordinate system string");
}

static ch_status take_data(const chi_envi *envi, chi_cube_source *source, const char *path) {
    int64_t bytes;
    char *name;
    TRY(count_bytes(envi, source, &bytes));
    if (chi_has_suffix(path, ".hdr")) {
        TRY(chi_envi_find_data(envi->context, &name, path, bytes));
        source->path = chi_cube_keep_text(envi->context, source, name);
        chi_free(envi->context, name);
    } else {
        source->path = chi_cube_keep_text(envi->context, source, path);
    }
    return source->path ? check_length(envi, source, bytes) : CH_ERR_MEMORY;
}

ch_status chi_cube_open_envi(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings) {
    char *header;
    chi_envi envi;
    (void)settings;
    TRY(chi_envi_find_header(context, &header, path));
    source->mappable = 1;
    ch_status status = chi_envi_read(context, &envi, header);
    if (status == CH_OK) status = take_shape(&envi, source);
    if (status == CH_OK) status = take_data(&envi, source, path);
    if (status == CH_OK) status = keep_rest(&envi, source);
    chi_envi_free(&envi);
    chi_free(context, header);
    return status;
}
