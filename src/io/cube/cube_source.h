/* Cubes as the readers describe them. A format is one file with its functions, one row of the table
 * in cube.c, and one row in the tests.
 *
 * Pixels come in `outer` groups of `inner` pixels: lines of samples or, if by_sample, columns of
 * the picture. Pixel j is (j / inner, j % inner) in both cases, and value (o, i, b) of a file has
 * the number
 *
 *     BIP  (o inner + i) bands + b
 *     BIL  (o bands + b) inner + i
 *     BSQ  (b outer + o) inner + i
 *
 * without gaps. So one copying loop serves all orders of all formats. */
#pragma once

#include "io/file/format.h"
#include <conehull/cube.h>

typedef struct chi_cube_source chi_cube_source;

/* Reads the raw values of groups [lo, hi), in the order of the cube as if it had hi - lo groups. */
typedef ch_status (*chi_cube_fetch)(ch_context *context, chi_cube_source *source, void *raw,
                                    int64_t lo, int64_t hi);

struct chi_cube_source {
    ch_cube cube; /* facts from the file; this source owns the memory of the caller's copy */
    chi_element element;
    int64_t outer, inner;
    char *path;     /* of the data file                                      */
    char *var;      /* name of the array, for formats that have several      */
    int64_t offset; /* bytes before the first value, if the file is mappable */
    int mappable;   /* whether the file holds the values unchanged           */
    chi_cube_fetch fetch;
    /* Loads all values at once as an owned column-major matrix without gaps, with the numbers in
     * the order of the cube. If NULL, fetch is used. */
    ch_status (*load)(ch_context *context, chi_cube_source *source, ch_matrix *values);
    int fd;       /* of mappable files, while values are read */
    void *handle; /* state of the format, for fetch           */
    /* Called before the first fetch; NULL if not needed. */
    ch_status (*begin)(ch_context *context, chi_cube_source *source);
    void (*end)(chi_cube_source *source); /* called after the last fetch; NULL if not needed */
    void *blocks[16];                     /* memory of the fields of cube                    */
    int block_count;
};

typedef struct chi_cube_format {
    const char *const *suffixes; /* its range of ch_cube_formats() */
    int suffix_count;
    const char *mark; /* first bytes of its files */
    int has_variables;
    /* Fills the source: shape, interleave, element, path, and other facts of the file. */
    ch_status (*open)(ch_context *context, chi_cube_source *source, const char *path,
                      const ch_cube_open_settings *settings);
} chi_cube_format;

/* Allocates `size` zero bytes that are freed with the source. Returns NULL, with CH_ERR_MEMORY in
 * the context, if that fails. */
void *chi_cube_keep(ch_context *context, chi_cube_source *source, size_t size);
/* Returns a copy of the text that is freed with the source. */
char *chi_cube_keep_text(ch_context *context, chi_cube_source *source, const char *text);

/* Sets lines and samples for this many pixels: as the settings request, else one line. Returns
 * CH_ERR_ARGUMENT if they request another number. */
ch_status chi_cube_shape(ch_context *context, chi_cube_source *source, const char *path,
                         int64_t pixels, const ch_cube_open_settings *settings);

/* Reads raw groups of a mappable file: chi_cube_source.fetch (cube_copy.c). */
ch_status chi_cube_fetch_file(ch_context *context, chi_cube_source *source, void *raw, int64_t lo,
                              int64_t hi);
/* Returns whether marks of no data become NaN: the part requests it, and the file has such a
 * mark. */
static inline int chi_cube_marks(const chi_cube_source *source, const ch_cube_part *part) {
    return part->no_data_as_nan && source->cube.has_no_data &&
           source->cube.no_data == source->cube.no_data;
}
/* Returns the type of values with marks as NaN. f32 holds all values of 16 bits. */
static inline ch_value_type chi_cube_marked_type(ch_value_type type) {
    return type == CH_F64 ? CH_F64 : CH_F32;
}
/* Replaces the mark of no data by NaN in values[0..count) of type f32 or f64. A header states the
 * mark in decimal digits, so it is compared in the precision of the values. */
void chi_cube_mark(void *values, ch_value_type type, int64_t count, double mark);
/* Copies X, column-major, group by group. The bands and pixels of part must be checked and
 * complete. */
ch_status chi_cube_copy(ch_context *context, ch_matrix *X, chi_cube_source *source,
                        const ch_cube_part *part);

/* ---- cube_arrays.c: chooses the array that is the cube, by customary names ---- */

typedef struct chi_cube_array {
    char name[128];
    int dims;         /* 2 or 3                                   */
    int64_t shape[3]; /* in MATLAB's order: lines, samples, bands */
    ch_value_type type;
} chi_cube_array;

typedef struct chi_cube_arrays {
    ch_context *context;
    const char *path;
    chi_cube_array *list;
    int64_t count, capacity;
    /* Reads values[0..count), the numbers of an array of the list. */
    ch_status (*numbers)(void *user, double *values, int64_t count, const char *name);
    void *user;
} chi_cube_arrays;

ch_status chi_cube_arrays_add(chi_cube_arrays *arrays, const char *name, int dims,
                              const int64_t shape[3], ch_value_type type);
/* Chooses the cube and sets its shape, order, wavelengths and type. *chosen is an entry of the
 * list. */
ch_status chi_cube_arrays_choose(chi_cube_arrays *arrays, chi_cube_source *source,
                                 const ch_cube_open_settings *settings,
                                 const chi_cube_array **chosen);
/* Returns how numbers of a value type are stored. */
chi_element chi_cube_element(ch_value_type type);

ch_status chi_cube_open_mat(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings);
ch_status chi_cube_open_hdf5(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
/* Without libtiff returns CH_ERR_UNSUPPORTED (cube_tiff_none.c). */
ch_status chi_cube_open_tiff(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
ch_status chi_cube_open_npy(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings);
ch_status chi_cube_open_envi(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
