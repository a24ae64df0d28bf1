/* Cubes as the readers describe them. A format is one file with its functions, one row of the table
 * in cube.c, one row in the tests.
 *
 * Pixels come in `outer` groups of `inner`: lines of samples or, by_sample, columns of the picture
 * of lines. Pixel j is (j / inner, j % inner) in either case, and value (o, i, b) of a file is
 * number
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

/* Raw values of groups [lo, hi), in the order of the cube as if it had hi - lo groups. */
typedef ch_status (*chi_cube_fetch)(ch_context *context, chi_cube_source *source, void *raw,
                                    int64_t lo, int64_t hi);

struct chi_cube_source {
    ch_cube cube; /* what the file says; the owner of the caller's copy is this source */
    chi_element element;
    int64_t outer, inner;
    char *path;     /* of the data                                                              */
    char *var;      /* the array in the file, of formats that have several                      */
    int64_t offset; /* bytes before the first value, of files that hold them as they are        */
    int mappable;   /* it is such a file                                                        */
    chi_cube_fetch fetch;
    /* Or all values at once, an owned column-major matrix without gaps whose numbers are those of
     * the cube in its order; NULL: fetch is used. */
    ch_status (*load)(ch_context *context, chi_cube_source *source, ch_matrix *values);
    int fd;       /* of mappable files, while they are fetched from */
    void *handle; /* of the format, for fetch */
    ch_status (*begin)(ch_context *context, chi_cube_source *source); /* before the first fetch */
    void (*end)(chi_cube_source *source); /* behind the last; NULL both: there is nothing to do */
    void *blocks[16];                     /* what the fields of cube point to */
    int block_count;
};

typedef struct chi_cube_format {
    const char *const *suffixes; /* its part of ch_cube_formats() */
    int suffix_count;
    const char *mark; /* what its files begin with */
    int has_variables;
    /* Fills the source: shape, interleave, element, path, and what else the file says. */
    ch_status (*open)(ch_context *context, chi_cube_source *source, const char *path,
                      const ch_cube_open_settings *settings);
} chi_cube_format;

/* Memory that goes with the source: size bytes, cleared; NULL with CH_ERR_MEMORY in the context. */
void *chi_cube_keep(ch_context *context, chi_cube_source *source, size_t size);
/* A copy of the text that goes with the source. */
char *chi_cube_keep_text(ch_context *context, chi_cube_source *source, const char *text);

/* Lines and samples of so many pixels: as the settings ask for, else one line. CH_ERR_ARGUMENT when
 * they ask for another number. */
ch_status chi_cube_shape(ch_context *context, chi_cube_source *source, const char *path,
                         int64_t pixels, const ch_cube_open_settings *settings);

/* Raw groups of a mappable file: chi_cube_source.fetch (cube_copy.c). */
ch_status chi_cube_fetch_file(ch_context *context, chi_cube_source *source, void *raw, int64_t lo,
                              int64_t hi);
/* Does the part ask for NaN where the file has its mark of no data, and is there such a mark? */
static inline int chi_cube_marks(const chi_cube_source *source, const ch_cube_part *part) {
    return part->no_data_as_nan && source->cube.has_no_data &&
           source->cube.no_data == source->cube.no_data;
}
/* X, column-major, copied group by group; bands and pixels of part are checked, and filled. */
ch_status chi_cube_copy(ch_context *context, ch_matrix *X, chi_cube_source *source,
                        const ch_cube_part *part);

/* ---- cube_arrays.c: which array of a file is the cube, by the names that people use ---- */

typedef struct chi_cube_array {
    char name[128];
    int dims;         /* 2 or 3 */
    int64_t shape[3]; /* as MATLAB has it: lines, samples, bands */
    ch_value_type type;
} chi_cube_array;

typedef struct chi_cube_arrays {
    ch_context *context;
    const char *path;
    chi_cube_array *list;
    int64_t count, capacity;
    /* values[0..count) = the numbers of an array of the list. */
    ch_status (*numbers)(void *user, double *values, int64_t count, const char *name);
    void *user;
} chi_cube_arrays;

ch_status chi_cube_arrays_add(chi_cube_arrays *arrays, const char *name, int dims,
                              const int64_t shape[3], ch_value_type type);
/* The cube: its shape, order, wavelengths and type; *chosen is an entry of the list. */
ch_status chi_cube_arrays_choose(chi_cube_arrays *arrays, chi_cube_source *source,
                                 const ch_cube_open_settings *settings,
                                 const chi_cube_array **chosen);
/* How the numbers of a type of ours are stored. */
chi_element chi_cube_element(ch_value_type type);

ch_status chi_cube_open_mat(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings);
ch_status chi_cube_open_hdf5(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
/* Without libtiff: CH_ERR_UNSUPPORTED (cube_tiff_none.c). */
ch_status chi_cube_open_tiff(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
ch_status chi_cube_open_npy(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings);
ch_status chi_cube_open_envi(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings);
