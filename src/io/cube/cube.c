/* The table of formats of cubes, and what all formats share. */
#include "base/sized.h"
#include "io/cube/cube_source.h"
#include "io/cube/envi_file.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The one list of names; every format owns a range of it. */
static const char *const names[] = {"hdr",  "sli", "bsq", "bil",  "bip",  "img",
                                    "dat",  "raw", "npy", "mat",  "hspy", "h5",
                                    "hdf5", "nc",  "tif", "tiff", NULL};

static const chi_cube_format formats[] = {
    {names, 8, "ENVI", 0, chi_cube_open_envi},
    {names + 8, 1, "\x93NUMPY", 0, chi_cube_open_npy},
    {names + 9, 1, "MATLAB ", 1, chi_cube_open_mat},
    {names + 10, 4, "\x89HDF\r\n\x1a\n", 1, chi_cube_open_hdf5},
    {names + 14, 2, "II*", 0, chi_cube_open_tiff},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *const *ch_cube_formats(void) {
    return names;
}

void *chi_cube_keep(ch_context *context, chi_cube_source *source, size_t size) {
    void *block = NULL;
    if (source->block_count < (int)(sizeof source->blocks / sizeof *source->blocks))
        block = chi_alloc_zero(context, (int64_t)size, 1);
    if (block)
        source->blocks[source->block_count++] = block;
    else
        chi_no_memory(context, "what is known of a cube", (int64_t)size, 1);
    return block;
}

char *chi_cube_keep_text(ch_context *context, chi_cube_source *source, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = chi_cube_keep(context, source, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

ch_status chi_cube_shape(ch_context *context, chi_cube_source *source, const char *path,
                         int64_t pixels, const ch_cube_open_settings *settings) {
    ch_cube *cube = &source->cube;
    int64_t lines = settings->lines, samples = settings->samples, asked;
    if (lines == 0 && samples == 0) {
        cube->lines = 1;
        cube->samples = pixels;
        return CH_OK;
    }
    if (lines < 0 || samples < 0 || __builtin_mul_overflow(lines, samples, &asked) ||
        asked != pixels)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: the file contains %lld pixels, which is not the product of the given "
                        "%lld lines and %lld samples per line",
                        path, (long long)pixels, (long long)lines, (long long)samples);
    cube->lines = lines;
    cube->samples = samples;
    return CH_OK;
}

static const chi_cube_format *format_by_name(const char *path) {
    size_t length = strlen(path);
    for (int f = 0; f < FORMATS; f++)
        for (int s = 0; s < formats[f].suffix_count; s++) {
            size_t tail = strlen(formats[f].suffixes[s]);
            if (length > tail && path[length - tail - 1] == '.' &&
                chi_has_suffix(path, formats[f].suffixes[s]))
                return &formats[f];
        }
    return NULL;
}

static ch_status format_by_content(ch_context *context, const chi_cube_format **format,
                                   const char *path) {
    char head[16] = "";
    int fd;
    int64_t size;
    TRY(chi_open_file(context, &fd, &size, path));
    int64_t got = size < (int64_t)sizeof head ? size : (int64_t)sizeof head;
    ch_status status = chi_get(context, path, fd, head, got, 0);
    close(fd);
    *format = NULL;
    for (int f = 0; f < FORMATS && status == CH_OK; f++) {
        int64_t length = (int64_t)strlen(formats[f].mark);
        if (got >= length && !memcmp(head, formats[f].mark, (size_t)length)) *format = &formats[f];
    }
    return status;
}

static ch_status unknown(ch_context *context, const char *path) {
    char list[160];
    size_t length = 0;
    for (const char *const *name = names; *name; name++)
        length += (size_t)snprintf(list + length, sizeof list - length, " .%s", *name);
    return chi_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: the file is not a spectral cube in a known format; the known formats are:%s", path,
        list);
}

/* Checks that sizes can be multiplied, and sets the value type of the matrix. */
static ch_status complete(ch_context *context, chi_cube_source *source, const char *path) {
    ch_cube *cube = &source->cube;
    int64_t pixels, values;
    int mine = source->element.swap ? __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
                                    : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (cube->lines < 1 || cube->samples < 1 || cube->bands < 1)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the cube has %lld lines, %lld samples per line and %lld bands, so it "
                        "contains no values",
                        path, (long long)cube->lines, (long long)cube->samples,
                        (long long)cube->bands);
    if (__builtin_mul_overflow(cube->lines, cube->samples, &pixels) ||
        __builtin_mul_overflow(pixels, cube->bands, &values) || values > INT64_MAX / 8 ||
        cube->bands > INT32_MAX)
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: the cube has %lld lines x %lld samples x %lld bands, which is too large", path,
            (long long)cube->lines, (long long)cube->samples, (long long)cube->bands);
    if (source->element.size == 1) source->element.swap = 0;
    if (cube->lines == 1) cube->by_sample = 0; /* the same order in larger groups */
    if (cube->samples == 1) cube->by_sample = 1;
    source->outer = cube->by_sample ? cube->samples : cube->lines;
    source->inner = cube->by_sample ? cube->lines : cube->samples;
    if (!source->load) cube->type = chi_element_type(source->element);
    snprintf(cube->stored, sizeof cube->stored, "%c%c%d",
             source->element.size == 1 ? '|'
             : mine                    ? '<'
                                       : '>',
             source->element.kind, source->element.size);
    if (!source->fetch) source->fetch = chi_cube_fetch_file;
    return CH_OK;
}

static void discard(ch_context *context, chi_cube_source *source) {
    for (int k = 0; k < source->block_count; k++) chi_free(context, source->blocks[k]);
    chi_free(context, source);
}

static ch_status open_here(ch_context *context, chi_cube_source **made, const char *path,
                           const ch_cube_open_settings *settings) {
    const chi_cube_format *format = format_by_name(path);
    if (!format) TRY(format_by_content(context, &format, path));
    if (!format && chi_envi_has_header(context, path)) format = &formats[0];
    if (!format) return unknown(context, path);
    if (settings->var && !format->has_variables)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: a .%s file contains only one cube, so the variable \"%s\" cannot be "
                        "selected; remove --var",
                        path, format->suffixes[0], settings->var);
    chi_cube_source *source = chi_alloc_zero(context, 1, sizeof *source);
    if (!source) return chi_no_memory(context, "a cube", 1, sizeof *source);
    ch_status status = format->open(context, source, path, settings);
    if (status == CH_OK) status = complete(context, source, path);
    if (settings->has_no_data) {
        source->cube.has_no_data = 1;
        source->cube.no_data = settings->no_data;
    }
    if (status == CH_OK)
        *made = source;
    else
        discard(context, source);
    return status;
}

ch_status ch_cube_open(ch_context *context, ch_cube *cube, const char *path,
                       const ch_cube_open_settings *settings) {
    ch_cube_open_settings set = {.size = sizeof set};
    chi_cube_source *source = NULL;
    if (!context) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(context, cube, "ch_cube"));
    TRY(chi_check_name(context, path, "a cube"));
    if (settings) TRY(chi_sized_take(context, &set, sizeof set, settings, "ch_cube_open_settings"));
    TRY_OK(open_here(context, &source, path, &set));
    source->cube.owner = source;
    chi_result_give(cube, &source->cube, sizeof source->cube);
    return CH_OK;
}

void ch_cube_close(ch_context *context, ch_cube *cube) {
    if (!context || !cube || cube->size < offsetof(ch_cube, owner) + sizeof cube->owner) return;
    if (cube->owner) discard(context, cube->owner);
    chi_result_clear(cube);
}

void ch_cube_pixel(const ch_cube *cube, int64_t j, int64_t *line, int64_t *sample) {
    int64_t at[2] = {-1, -1};
    if (cube && j >= 0 && cube->lines > 0 && j / cube->lines < cube->samples) {
        int64_t inner = cube->by_sample ? cube->lines : cube->samples;
        at[0] = cube->by_sample ? j % inner : j / inner;
        at[1] = cube->by_sample ? j / inner : j % inner;
    }
    if (line) *line = at[0];
    if (sample) *sample = at[1];
}
