/* Writes ENVI files: pictures with the geometry of a cube. */
#include "base/sized.h"
#include "io/cube/cube_source.h"
#include "io/cube/envi_file.h"
#include "linalg/view.h"
#include <math.h>
#include <string.h>

static char *header_name(ch_context *context, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - path) : strlen(path);
    char *name = chi_alloc(context, (int64_t)stem + 5, 1);
    if (!name) {
        chi_no_memory(context, "the name of a header", (int64_t)stem + 5, 1);
        return NULL;
    }
    memcpy(name, path, stem);
    memcpy(name + stem, ".hdr", 5);
    return name;
}

/* ---- the header ---- */

/* Writes the text; the characters in not_these, which would end or separate values, become
 * blanks. */
static ch_status put_plain(chi_sink *sink, const char *text, const char *not_these) {
    while (*text) {
        size_t plain = strcspn(text, not_these);
        TRY(chi_sink_text(sink, text, plain));
        text += plain;
        if (*text) TRY(chi_sink_print(sink, " "));
        if (*text) text++;
    }
    return CH_OK;
}

ch_status chi_envi_header_open(ch_context *context, chi_sink *sink, const char *path) {
    char *name = header_name(context, path);
    ch_status status = name ? chi_sink_open(context, sink, name) : CH_ERR_MEMORY;
    chi_free(context, name);
    return status;
}

ch_status chi_envi_put_text(chi_sink *sink, const char *key, const char *text) {
    if (!text) return CH_OK;
    TRY(chi_sink_print(sink, "%s = {", key));
    TRY(put_plain(sink, text, "{}\r\n"));
    return chi_sink_print(sink, "}\n");
}

ch_status chi_envi_put_names(chi_sink *sink, const char *key, const char *const *texts,
                             int64_t count) {
    if (!texts) return CH_OK;
    TRY(chi_sink_print(sink, "%s = {", key));
    for (int64_t k = 0; k < count; k++) {
        if (k > 0) TRY(chi_sink_print(sink, ",\n "));
        TRY(put_plain(sink, texts[k], ",{}\r\n"));
    }
    return chi_sink_print(sink, "}\n");
}

ch_status chi_envi_put_numbers(chi_sink *sink, const char *key, const double *numbers,
                               int64_t count) {
    if (!numbers) return CH_OK;
    TRY(chi_sink_print(sink, "%s = {", key));
    for (int64_t k = 0; k < count; k++) {
        if (k > 0) TRY(chi_sink_print(sink, k % 8 ? " " : "\n "));
        TRY(chi_sink_number(sink, numbers[k], k + 1 < count ? ',' : '}'));
    }
    return chi_sink_print(sink, "\n");
}

ch_status chi_envi_put_word(chi_sink *sink, const char *key, const char *text) {
    if (!text) return CH_OK;
    TRY(chi_sink_print(sink, "%s = ", key));
    TRY(chi_sink_text(sink, text, strcspn(text, "{}\r\n")));
    return chi_sink_print(sink, "\n");
}

ch_status chi_envi_put_scale(chi_sink *sink, double factor) {
    if (!(factor > 0)) return CH_OK;
    TRY(chi_sink_print(sink, "reflectance scale factor = "));
    return chi_sink_number(sink, factor, '\n');
}

ch_status chi_envi_put_shape(chi_sink *sink, const char *file_type, int64_t lines, int64_t samples,
                             int64_t bands) {
    return chi_sink_print(sink,
                          "samples = %lld\nlines = %lld\nbands = %lld\nheader offset = 0\n"
                          "file type = %s\ndata type = 4\ninterleave = bsq\nbyte order = %d\n",
                          (long long)samples, (long long)lines, (long long)bands, file_type,
                          __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
}

/* The pictures of a cube and their description. */
typedef struct pictures {
    ch_context *context;
    const ch_cube *cube;
    const ch_matrix *maps;
    const char *const *names;
    const int64_t *pixels; /* pixels of the columns, or NULL                          */
    int64_t *column;       /* column of each pixel, or -1; NULL if columns are pixels */
} pictures;

/* Writes band names, and the bands of the cube if the pictures are these. */
static ch_status put_bands(chi_sink *sink, const pictures *p) {
    const ch_cube *cube = p->cube;
    int64_t bands = p->maps->rows;
    if (p->names || bands != cube->bands)
        return chi_envi_put_names(sink, "band names", p->names, bands);
    TRY(chi_envi_put_names(sink, "band names", cube->names, bands));
    TRY(chi_envi_put_scale(sink, cube->reflectance_scale));
    if (cube->wavelengths) TRY(chi_envi_put_word(sink, "wavelength units", cube->unit));
    TRY(chi_envi_put_numbers(sink, "wavelength", cube->wavelengths, bands));
    TRY(chi_envi_put_numbers(sink, "fwhm", cube->widths, bands));
    if (!cube->good) return CH_OK;
    TRY(chi_sink_print(sink, "bbl = {"));
    for (int64_t b = 0; b < bands; b++)
        TRY(chi_sink_print(sink, "%d%s", cube->good[b], b + 1 < bands ? ", " : "}\n"));
    return CH_OK;
}

static ch_status put_header(chi_sink *sink, const pictures *p) {
    const ch_cube *cube = p->cube;
    TRY(chi_sink_print(sink, "ENVI\n"));
    TRY(chi_envi_put_text(sink, "description", cube->description));
    TRY(chi_envi_put_shape(sink, "ENVI Standard", cube->lines, cube->samples, p->maps->rows));
    if (p->column) TRY(chi_sink_print(sink, "data ignore value = nan\n"));
    TRY(chi_envi_put_text(sink, "map info", cube->map_info));
    TRY(chi_envi_put_text(sink, "projection info", cube->projection));
    TRY(chi_envi_put_text(sink, "coordinate system string", cube->coordinate_system));
    return put_bands(sink, p);
}

/* ---- the values ---- */

static void take_line(float *values, const pictures *p, int64_t map, int64_t line) {
    const ch_cube *cube = p->cube;
    const ch_matrix *X = p->maps;
    int64_t first = cube->by_sample ? line : line * cube->samples;
    int64_t step = cube->by_sample ? cube->lines : 1;
    for (int64_t s = 0; s < cube->samples; s++) {
        int64_t pixel = first + s * step, j = p->column ? p->column[pixel] : pixel;
        int64_t at = X->layout == CH_COLUMN_MAJOR ? map + j * X->stride : map * X->stride + j;
        values[s] = j < 0 ? NAN : (float)chi_number_at(X, at);
    }
}

static ch_status write_values(const pictures *p, const char *path) {
    ch_output_file *output;
    float *line = chi_take(p->context, path, "a line", p->cube->samples, sizeof *line);
    ch_status status = line ? ch_output_file_open(p->context, &output, path) : CH_ERR_MEMORY;
    if (status < 0) {
        chi_free(p->context, line);
        return status;
    }
    for (int64_t map = 0; map < p->maps->rows; map++)
        for (int64_t k = 0; k < p->cube->lines && status == CH_OK; k++) {
            take_line(line, p, map, k);
            status = ch_output_file_write(output, line, (size_t)p->cube->samples * sizeof *line);
        }
    chi_free(p->context, line);
    return chi_output_close(output, status);
}

/* Sets column[pixel] from the list of pixels of the columns. */
static ch_status place_columns(pictures *p, int64_t all, const char *path) {
    p->column = chi_take(p->context, path, "places of pixels", all, sizeof *p->column);
    if (!p->column) return CH_ERR_MEMORY;
    for (int64_t k = 0; k < all; k++) p->column[k] = -1;
    for (int64_t j = 0; j < p->maps->cols; j++) {
        if (p->pixels[j] < 0 || p->pixels[j] >= all)
            return chi_fail(
                p->context, CH_ERR_ARGUMENT,
                "pixel %lld of the list of pixels does not exist; valid numbers are 0 to %lld",
                (long long)p->pixels[j], (long long)all - 1);
        p->column[p->pixels[j]] = j;
    }
    return CH_OK;
}

static ch_status check_maps(ch_context *context, const ch_cube *cube, const ch_matrix *maps,
                            const ch_cube_part *part) {
    int64_t all;
    TRY(chi_check_view(context, maps));
    if (cube->lines < 1 || cube->samples < 1 ||
        __builtin_mul_overflow(cube->lines, cube->samples, &all))
        return chi_fail(context, CH_ERR_ARGUMENT, "the cube has no lines or no samples");
    if (maps->layout == CH_CSC)
        return chi_fail(context, CH_ERR_ARGUMENT, "the matrix of maps must be dense, not sparse");
    if (maps->cols == (part->pixels ? part->pixel_count : all)) return CH_OK;
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "the matrix of maps has %lld columns, but %lld pixels of the cube are used; "
                    "both numbers must be equal",
                    (long long)maps->cols, (long long)(part->pixels ? part->pixel_count : all));
}

/* The header is completed last. If it cannot be written, neither file appears. */
static ch_status write_pair(const pictures *p, const char *path) {
    chi_sink sink;
    TRY(chi_envi_header_open(p->context, &sink, path));
    ch_status status = put_header(&sink, p);
    if (status == CH_OK) status = write_values(p, path);
    return chi_sink_close(&sink, status);
}

ch_status ch_cube_write_maps(ch_context *context, const char *path, const ch_cube *cube,
                             const ch_matrix *maps, const char *const *names,
                             const ch_cube_part *part) {
    ch_cube_part own = {.size = sizeof own};
    ch_cube of = {.size = sizeof of};
    if (!context) return CH_ERR_ARGUMENT;
    TRY(chi_sized_take(context, &of, sizeof of, cube, "ch_cube"));
    TRY(chi_check_name(context, path, "a file"));
    if (chi_has_suffix(path, ".hdr"))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "%s: this is the name of an ENVI header; give the name of its data file (without .hdr)",
            path);
    if (part) TRY(chi_sized_take(context, &own, sizeof own, part, "ch_cube_part"));
    TRY(check_maps(context, &of, maps, &own));
    pictures p = {context, &of, maps, names, own.pixels, NULL};
    ch_status status = CH_OK;
    if (own.pixels) status = place_columns(&p, of.lines * of.samples, path);
    if (status == CH_OK) status = write_pair(&p, path);
    chi_free(context, p.column);
    return status;
}
