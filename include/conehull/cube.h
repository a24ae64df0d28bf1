/* Cubes: pictures with a spectrum in every pixel (library conehull_io).
 *
 * Experimental: what this header declares may change in any version.
 *
 * What is read:
 *
 *     .hdr, or its data file    ENVI: BSQ, BIL or BIP, every real type, either byte order. The data
 *                               lie beside the header: same name without .hdr, or with .img .dat
 *                               .bsq .bil .bip .raw .sli (lower or upper case)
 *     .npy                      lines x samples x bands in either order; a matrix is bands x pixels
 *     .mat                      the same, in MATLAB's order of pixels: the array named Y, V, X, M,
 *                               cube, data, img, image or hsi, else the only one; of a matrix the
 *                               shape is in nRow and nCol (lines, rows, H; cols, ncols, W)
 *     .hspy .h5 .hdf5 .nc       HyperSpy's layout with its axes; else the only data set of three
 *                               dimensions. The axis of the bands is the one as long as
 *                               a list called wavelength, else the last
 *     .tif .tiff                samples of a page, or pages of one sample each, as bands; strips or
 *                               tiles; where the build has libtiff
 *
 * A cube has lines (rows of the picture, from the top) of samples (its columns, from the left),
 * each with `bands` values. Its matrix X has a row per band and a column per pixel:
 *
 *     ch_cube cube = {.size = sizeof cube};
 *     ch_matrix X;
 *     if (ch_cube_open(context, &cube, "scene.hdr", NULL) < 0) return;
 *     if (ch_cube_matrix(context, &X, &cube, NULL) == CH_OK) {
 *         // ch_anchors() on X; column j is the pixel that ch_cube_pixel() names
 *         ch_matrix_free(context, &X);
 *     }
 *     ch_cube_close(context, &cube);
 *
 * X is the mapped file itself where the order of the file allows it: BIP is a column-major matrix,
 * BSQ a row-major one, both in the storage types f64, f32, u8 and u16 and the byte order of the
 * machine. A .mat is read into memory. BIL, HDF5, TIFF and the other types are copied once, block
 * by block, column after column: into memory or, above a quarter of the context's limit, into a
 * scratch file without a name; above that BSQ is copied too, since passes over the pixels would
 * read it in pieces of 4 KB. */
#ifndef CONEHULL_CUBE_H
#define CONEHULL_CUBE_H

#include <conehull/matrix.h>

CH_BEGIN_DECLS

/** The order of the values in a file of a cube. The dimension that is named last varies fastest. */
typedef enum ch_interleave {
    CH_BSQ = 0, /**< bands, lines, samples: one picture per band */
    CH_BIL = 1, /**< lines, bands, samples */
    CH_BIP = 2  /**< lines, samples, bands: one spectrum per pixel */
} ch_interleave;

/** The description of a cube, as its file states it. All pointers belong to the cube and are valid
 *  until ch_cube_close(). A pointer is NULL if the file lacks that information. */
typedef struct ch_cube {
    size_t size;              /**< sizeof(ch_cube); the caller sets it */
    void *owner;              /**< internal */
    int64_t lines;            /**< height of the picture in pixels */
    int64_t samples;          /**< width of the picture in pixels */
    int64_t bands;            /**< number of values per pixel */
    ch_interleave interleave; /**< order of the values in the file */
    /** Which pixel column j of X holds. 0: line j / samples, sample j % samples. 1 (MATLAB's
     *  order): line j % lines, sample j / lines. */
    int by_sample;
    /** Type of the values in the file, in the notation of NumPy, such as "<i2" or ">f4". */
    char stored[8];
    ch_value_type type; /**< type of the values of X, which holds every value of the file exactly */
    int has_no_data;    /**< 1: the file states a value that marks missing values; 0: it does not */
    double no_data;     /**< the value that marks missing values in the file, if has_no_data is 1 */
    const double *wavelengths; /**< centre wavelength of each band, in the unit `unit` */
    const double *widths;      /**< full width at half maximum of each band, in the unit `unit` */
    /** Name of the unit of wavelengths and widths in the file, such as "Nanometers". */
    const char *unit;
    const char *const *names; /**< name of each band */
    const uint8_t *good; /**< 1 for each good band, 0 for each bad band (bbl in an ENVI header) */
    const char *description;       /**< description of the cube, free text */
    const char *map_info;          /**< ENVI's "map info", without the braces */
    const char *projection;        /**< ENVI's "projection info", without the braces */
    const char *coordinate_system; /**< ENVI's "coordinate system string" (WKT), without braces */
    /** Name of each spectrum (pixel), if the file is a spectral library. */
    const char *const *spectra;
} ch_cube;

/** How ch_cube_open() interprets a file that does not describe itself fully. Members that are 0 or
 *  NULL have no effect. */
typedef struct ch_cube_open_settings {
    size_t size; /**< sizeof(ch_cube_open_settings); the caller sets it */
    /** Name of the array to read. NULL: the only array with three dimensions or, if there is none,
     *  the only one with two. */
    const char *var;
    /** Height and width of the picture in pixels, for a file that holds a matrix bands x pixels and
     *  does not state them. Their product must be the number of pixels. Both 0: what the file
     *  states, or else a picture of one line. */
    int64_t lines, samples;
    /** 1: a matrix is pixels x bands, unless the file states otherwise; 0: bands x pixels. */
    int transpose;
    /** 1: an array of three dimensions is bands x lines x samples, unless the file states
     *  otherwise. 0: it is lines x samples x bands. */
    int bands_first;
} ch_cube_open_settings;

/** Reads the description of a cube, not its values; settings may be NULL. The caller sets
 *  cube->size; ch_cube_close() frees it. Returns CH_ERR_IO if header or data are missing or not
 *  readable, CH_ERR_FORMAT if the header is malformed or the data have another length than it
 *  states, and CH_ERR_UNSUPPORTED for complex numbers or an unknown format. */
CH_API ch_status ch_cube_open(ch_context *context, ch_cube *cube, const char *path,
                              const ch_cube_open_settings *settings);
/** Frees the description of a cube. The cube may be NULL, closed already, or never opened (all
 *  members 0 except its size). */
CH_API void ch_cube_close(ch_context *context, ch_cube *cube);

/** The part of a cube to read. */
typedef struct ch_cube_part {
    size_t size; /**< sizeof(ch_cube_part); the caller sets it */
    /** Indices of the bands that become rows of X, from 0 and increasing. NULL: all bands,
     *  including bad ones. */
    const int64_t *bands;
    int64_t band_count; /**< length of bands */
    /** Indices of the pixels that become columns of X, from 0 and increasing. NULL: all pixels. */
    const int64_t *pixels;
    int64_t pixel_count; /**< length of pixels */
    /** Folder for a temporary file if X is too large for memory; NULL: no file is made. */
    const char *scratch;
    /** 1: values that the file marks as "no data" become NaN in X, which is then a copy of type f32
     *  or f64. */
    int no_data_as_nan;
} ch_cube_part;

/** Makes the matrix X of a cube, bands x pixels; part may be NULL. X owns its mapping or its values
 *  and may outlive the cube; free it with ch_matrix_free(), limit its memory with
 *  ch_matrix_limit(). Values are copied if the order of the file, or gaps between the chosen pixels
 *  or bands, require it; large copies are logged (CH_LOG_INFO). If the progress callback cancels,
 *  the call returns CH_STOP_CANCELLED and an empty X. Values are not checked
 *  (ch_matrix_check()). */
CH_API ch_status ch_cube_matrix(ch_context *context, ch_matrix *X, const ch_cube *cube,
                                const ch_cube_part *part);

/** Computes the line and the sample of pixel j (column j of X), or -1 and -1 if there is no such
 *  pixel. Either pointer may be NULL. */
CH_API void ch_cube_pixel(const ch_cube *cube, int64_t j, int64_t *line, int64_t *sample);

/** Returns the suffixes that this build reads as cubes, without the dot; NULL follows the last. */
CH_API const char *const *ch_cube_formats(void);

/** Writes pictures that have the shape of a cube as an ENVI file: the data at `path` ("maps.img")
 *  and the header beside it ("maps.hdr"), f32, BSQ. maps is dense, with a row per picture and a
 *  column per pixel of the cube. With part, which may be NULL, it has a column per pixel of
 *  part->pixels; the other pixels become NaN, which the header declares as its data ignore value.
 *  names has one name per picture. With names NULL and as many pictures as the cube has bands, the
 *  pictures get names, wavelengths and bad-band list of the bands. Map information and description
 *  are copied from the cube. */
CH_API ch_status ch_cube_write_maps(ch_context *context, const char *path, const ch_cube *cube,
                                    const ch_matrix *maps, const char *const *names,
                                    const ch_cube_part *part);

/** Spectra with their names and wavelengths: a column per spectrum, a row per band. */
typedef struct ch_spectra {
    size_t size;               /**< sizeof(ch_spectra); the caller sets it */
    const ch_matrix *values;   /**< the spectra, one per column: bands x spectra */
    const char *const *names;  /**< name of each spectrum; NULL: no names */
    const double *wavelengths; /**< wavelength of each band; NULL: not known */
    const char *unit;          /**< name of the unit of the wavelengths; NULL: not known */
} ch_spectra;

/** Writes spectra as an ENVI spectral library of type f32. `path` is the name of the data file,
 *  usually "name.sli"; the header "name.hdr" is written beside it. */
CH_API ch_status ch_spectra_write_envi(ch_context *context, const char *path,
                                       const ch_spectra *spectra);
/** Writes spectra as text: a header line "wavelength,name,name", then one line per band. Without
 *  wavelengths the first column is "band" and counts from 0. */
CH_API ch_status ch_spectra_write_csv(ch_context *context, const char *path,
                                      const ch_spectra *spectra);

CH_END_DECLS
#endif
