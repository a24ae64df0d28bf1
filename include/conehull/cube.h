/* Cubes: pictures with a spectrum in every pixel, as hyperspectral cameras record them (library
 * conehull_io).
 *
 * Experimental: what this header declares may change in any version.
 *
 * These files are read:
 *
 *     .hdr, or its data file    ENVI: order BSQ, BIL or BIP, every real type, either byte order.
 *                               The data file lies next to the header and has the same name without
 *                               .hdr, or with the suffix .img .dat .bsq .bil .bip .raw or .sli, in
 *                               lower or upper case
 *     .npy                      an array lines x samples x bands in C or Fortran order, or a matrix
 *                               bands x pixels
 *     .mat                      an array as in .npy, with pixels in MATLAB's order: the array named
 *                               Y, V, X, M, cube, data, img, image or hsi, else the only array. If
 *                               it is a matrix, the variables nRow (or lines, rows, H) and nCol (or
 *                               cols, ncols, W) hold height and width of the picture
 *     .hspy .h5 .hdf5 .nc       HyperSpy's layout with its axes, else the only data set of three
 *                               dimensions. If the file has a list of wavelengths, the dimension of
 *                               the same length holds the bands, else the last dimension
 *     .tif .tiff                the bands are the samples of one page, or several pages of one
 *                               sample each; strips or tiles; only if the build has libtiff
 *
 * A cube consists of lines (rows of the picture, from the top); a line consists of samples (pixels,
 * from the left); a pixel has `bands` values. The matrix X of a cube has one row per band and one
 * column per pixel:
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
 * X is a mapping of the file itself where the order of its values allows it: a BIP file is a
 * column-major matrix and a BSQ file a row-major matrix, if the type is f64, f32, u8 or u16 in the
 * byte order of the machine. A .mat file is read into memory. BIL, HDF5, TIFF and other types are
 * copied once, block by block, into a column-major matrix in memory. If ch_cube_part.scratch names
 * a folder and the context has a memory limit, a copy that needs more than a quarter of this limit
 * is made in a temporary file in the folder. Under the same condition a BSQ file is copied instead
 * of mapped, because passes over the pixels of a mapping would read it in pieces of 4 KB. */
#ifndef CONEHULL_CUBE_H
#define CONEHULL_CUBE_H

#include <conehull/matrix.h>

CH_BEGIN_DECLS

/** The order of the values in the file of a cube. Dimensions are listed from the slowest to the
 *  fastest varying one. */
typedef enum ch_interleave {
    CH_BSQ = 0, /**< band sequential: bands, lines, samples (one picture per band) */
    CH_BIL = 1, /**< band interleaved by line: lines, bands, samples */
    CH_BIP = 2  /**< band interleaved by pixel: lines, samples, bands (one spectrum per pixel) */
} ch_interleave;

/** The description of a cube, as its file states it; ch_cube_open() fills it. All pointers belong
 *  to the cube and are valid until ch_cube_close(). A pointer is NULL if the file does not state
 *  this information. */
typedef struct ch_cube {
    size_t size;              /**< sizeof(ch_cube); the caller sets it */
    void *owner;              /**< internal */
    int64_t lines;            /**< height of the picture in pixels */
    int64_t samples;          /**< width of the picture in pixels */
    int64_t bands;            /**< number of values per pixel */
    ch_interleave interleave; /**< order of the values in the file */
    /** The order of the pixels in X. 0: column j of X is the pixel in line j / samples, sample j %
     *  samples. 1 (MATLAB's order): column j is the pixel in line j % lines, sample j / lines. */
    int by_sample;
    /** Type of the values in the file, in the notation of NumPy, such as "<i2" or ">f4". */
    char stored[8];
    /** Type of the values of X; this type holds every value of the file exactly. */
    ch_value_type type;
    /** 1: the file states a number that marks missing values (no_data); 0: it does not. */
    int has_no_data;
    double no_data; /**< the number that marks missing values in the file, if has_no_data is 1 */
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
    /** Name of each spectrum, if the file is a spectral library, in which each pixel is a
     *  spectrum. */
    const char *const *spectra;
    /** ENVI's "reflectance scale factor": reflectance is value / reflectance_scale. The values of X
     *  are not divided. 0: the file states none. */
    double reflectance_scale;
} ch_cube;

/** Settings of ch_cube_open() for files that do not state everything about the cube. Set members
 *  that are not needed to 0 or NULL. */
typedef struct ch_cube_open_settings {
    size_t size; /**< sizeof(ch_cube_open_settings); the caller sets it */
    /** Name of the array to read from a file with several arrays. NULL: the only array of three
     *  dimensions or, if there is none, the only array of two dimensions. */
    const char *var;
    /** Height and width of the picture in pixels, for a file that holds a matrix bands x pixels and
     *  does not state the size of the picture. lines * samples must be the number of pixels. Both
     *  0: the size that the file states, or if it states none, a picture of one line. */
    int64_t lines, samples;
    /** How a matrix in the file is read, unless the file states its order. 0: bands x pixels. 1:
     *  pixels x bands. */
    int transpose;
    /** How an array of three dimensions in the file is read, unless the file states its order. 0:
     *  lines x samples x bands. 1: bands x lines x samples. */
    int bands_first;
    /** 1: the member no_data marks missing values, and the mark that the file states has no effect.
     *  0: the mark of the file is used. */
    int has_no_data;
    double no_data; /**< value that marks missing values, if has_no_data is 1 */
} ch_cube_open_settings;

/** Opens the cube in the file `path` and reads its description, not its values. The caller sets
 *  cube->size; ch_cube_close() frees the description. settings may be NULL. Returns CH_ERR_IO if
 *  header or data are missing or not readable, CH_ERR_FORMAT if the header is malformed or the data
 *  have another length than the header states, and CH_ERR_UNSUPPORTED for complex numbers or an
 *  unknown format. */
CH_API ch_status ch_cube_open(ch_context *context, ch_cube *cube, const char *path,
                              const ch_cube_open_settings *settings);
/** Frees the description of a cube. The cube may be NULL, closed already, or never opened (all
 *  members 0 except its size). */
CH_API void ch_cube_close(ch_context *context, ch_cube *cube);

/** The part of a cube that ch_cube_matrix() reads. Set members that are not needed to 0 or NULL. */
typedef struct ch_cube_part {
    size_t size; /**< sizeof(ch_cube_part); the caller sets it */
    /** Indices of the bands that become rows of X, from 0 and increasing. NULL: all bands,
     *  including bad ones. */
    const int64_t *bands;
    int64_t band_count; /**< number of entries of `bands` */
    /** Indices of the pixels that become columns of X, from 0 and increasing. NULL: all pixels. */
    const int64_t *pixels;
    int64_t pixel_count; /**< number of entries of `pixels` */
    /** Folder for a temporary file that holds X if a copy would take more than a quarter of the
     *  memory limit of the context. NULL: no temporary file is made; an X that cannot be a mapping
     *  of the file is copied into memory. */
    const char *scratch;
    /** 1: values that the file marks as missing (ch_cube.no_data) become NaN in X; X is then a copy
     *  of type f32 or f64. 0: these values are not changed. */
    int no_data_as_nan;
} ch_cube_part;

/** Makes the matrix X of a cube, bands x pixels. part selects bands and pixels; NULL means the
 *  whole cube. X may outlive the cube; free X with ch_matrix_free(). X is a mapping of the file if
 *  possible. Values are copied if the order of the file requires it, or if the selected pixels or
 *  bands are not consecutive. Large copies are logged (CH_LOG_INFO). Values are not checked;
 *  ch_matrix_check() does that. If the progress callback cancels, the call returns
 *  CH_STOP_CANCELLED and an empty X. */
CH_API ch_status ch_cube_matrix(ch_context *context, ch_matrix *X, const ch_cube *cube,
                                const ch_cube_part *part);

/** Sets *line and *sample, both from 0, to the position in the picture of the pixel that is column
 *  j of X; both become -1 if there is no such pixel. Either pointer may be NULL. */
CH_API void ch_cube_pixel(const ch_cube *cube, int64_t j, int64_t *line, int64_t *sample);

/** Returns the suffixes of the files that this build reads as cubes, without the dot, such as
 *  "hdr". NULL follows the last suffix. The list is constant. */
CH_API const char *const *ch_cube_formats(void);

/** Writes pictures that have the width and height of a cube, such as maps of abundances, as an ENVI
 *  file of type f32 and order BSQ. `path` is the name of the data file, such as "maps.img"; the
 *  header "maps.hdr" is written next to it. maps is a dense matrix with one row per picture and one
 *  column per pixel of the cube. If part is not NULL, maps has one column per pixel of
 *  part->pixels; the other pixels are written as NaN, which the header declares as "data ignore
 *  value". names has one name per picture. If names is NULL and there are as many pictures as
 *  bands, the pictures get the names, wavelengths and bad-band list of the bands. Map information
 *  and description are copied from the cube. */
CH_API ch_status ch_cube_write_maps(ch_context *context, const char *path, const ch_cube *cube,
                                    const ch_matrix *maps, const char *const *names,
                                    const ch_cube_part *part);

/** Spectra with their names and wavelengths, for writing. The caller owns everything. */
typedef struct ch_spectra {
    size_t size;               /**< sizeof(ch_spectra); the caller sets it */
    const ch_matrix *values;   /**< the spectra: one row per band, one column per spectrum */
    const char *const *names;  /**< name of each spectrum; NULL: no names */
    const double *wavelengths; /**< wavelength of each band; NULL: not known */
    const char *unit;          /**< name of the unit of the wavelengths; NULL: not known */
    /** Reflectance is value / reflectance_scale; 0: not known. Only ENVI files state it. */
    double reflectance_scale;
} ch_spectra;

/** Writes spectra as an ENVI spectral library of type f32. `path` is the name of the data file,
 *  usually with the suffix .sli; the header, with the suffix .hdr, is written next to it. */
CH_API ch_status ch_spectra_write_envi(ch_context *context, const char *path,
                                       const ch_spectra *spectra);
/** Writes spectra as CSV text: a header line such as "wavelength,soil,water", then one line per
 *  band. Without wavelengths the first column is called "band" and counts the bands from 0. */
CH_API ch_status ch_spectra_write_csv(ch_context *context, const char *path,
                                      const ch_spectra *spectra);

CH_END_DECLS
#endif
