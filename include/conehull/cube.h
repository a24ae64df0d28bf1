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

/** The order of the values in the file, fastest last. */
typedef enum ch_interleave {
    CH_BSQ = 0, /**< bands, lines, samples: a picture per band                                  */
    CH_BIL = 1, /**< lines, bands, samples                                                      */
    CH_BIP = 2  /**< lines, samples, bands: a spectrum per pixel                                */
} ch_interleave;

/** The description of a cube in its file. All pointers belong to the cube and are valid until
 *  ch_cube_close(); NULL means that the file does not say. */
typedef struct ch_cube {
    size_t size; /**< sizeof(ch_cube); the caller sets it */
    void *owner; /**< internal                                                                  */
    int64_t lines, samples, bands;
    ch_interleave interleave;
    int by_sample;      /**< column j of X is line j % lines, sample j / lines (MATLAB's order);
                             0: line j / samples, sample j % samples                                 */
    char stored[8];     /**< type of the values in the file, as NumPy spells it: "<i2", ">f4"   */
    ch_value_type type; /**< type of X, which holds all values exactly                          */
    int has_no_data;
    double no_data;            /**< the number that marks a missing value                        */
    const double *wavelengths; /**< bands                                                        */
    const double *widths;      /**< bands: full width at half maximum, in the same unit          */
    const char *unit;          /**< of the wavelengths, as the file spells it: "Nanometers"      */
    const char *const *names;  /**< bands                                                        */
    const uint8_t *good;       /**< bands: 1, or 0 for a bad one (ENVI: bbl)                     */
    const char *description;
    const char *map_info;          /**< ENVI's "map info", without the braces                    */
    const char *projection;        /**< "projection info", without the braces                    */
    const char *coordinate_system; /**< "coordinate system string": WKT, without the braces      */
    const char *const *spectra;    /**< of a spectral library: a name per pixel                  */
} ch_cube;

typedef struct ch_cube_open_settings {
    size_t size;            /**< sizeof(ch_cube_open_settings); the caller sets it               */
    const char *var;        /**< name of the array to read; NULL: the only one of three dimensions
                                 or, if there is none, of two */
    int64_t lines, samples; /**< shape of the picture where the file has none (a matrix bands x
                                 pixels), their product being the number of pixels; 0, 0: what the
                                 file says, else one line                                        */
    int transpose;          /**< a matrix is pixels x bands, where the file does not say so      */
    int bands_first;        /**< an array of three dimensions is bands x lines x samples, where the
                                 file does not say so                                            */
} ch_cube_open_settings;

/** Reads the description of a cube, not its values; settings may be NULL. CH_ERR_IO: header or
 *  data missing or not permitted; CH_ERR_FORMAT: malformed, or data of another length than the
 *  header says; CH_ERR_UNSUPPORTED: complex numbers, an unknown format. */
CH_API ch_status ch_cube_open(ch_context *context, ch_cube *cube, const char *path,
                              const ch_cube_open_settings *settings);
/** Does nothing if cube is NULL, closed or was never opened (all zero except its size). */
CH_API void ch_cube_close(ch_context *context, ch_cube *cube);

/** The part of a cube to read. */
typedef struct ch_cube_part {
    size_t size;          /**< sizeof(ch_cube_part); the caller sets it                         */
    const int64_t *bands; /**< the rows of X, rising; NULL: all bands, the bad ones too         */
    int64_t band_count;
    const int64_t *pixels; /**< the columns of X, rising; NULL: all pixels                       */
    int64_t pixel_count;
    const char *scratch; /**< folder for a scratch file; NULL: none is made                    */
    int no_data_as_nan;  /**< values that the file marks as no data become NaN in X, which is then a
                              copy of type f32 or f64                                          */
} ch_cube_part;

/** The matrix of the cube, bands x pixels; part may be NULL. It owns its mapping or its values and
 *  may outlive the cube; free it with ch_matrix_free(), limit it with ch_matrix_limit(). A copy is
 *  made if the order of the file, or gaps between the chosen pixels or bands, require it; the log
 *  (CH_LOG_INFO) reports large copies. If the progress callback cancels, returns CH_STOP_CANCELLED
 *  and an empty X. Values are not checked here: ch_matrix_check() does that. */
CH_API ch_status ch_cube_matrix(ch_context *context, ch_matrix *X, const ch_cube *cube,
                                const ch_cube_part *part);

/** Line and sample of pixel j, or -1 and -1 if there is no such pixel. Either may be NULL. */
CH_API void ch_cube_pixel(const ch_cube *cube, int64_t j, int64_t *line, int64_t *sample);

/** The suffixes that this build reads as cubes, without the dot; NULL at the end. */
CH_API const char *const *ch_cube_formats(void);

/** Writes pictures in the cube's geometry as an ENVI file: the data at path ("maps.img") and the
 *  header beside it ("maps.hdr"), maps->rows pictures of lines x samples, f32, BSQ. maps is dense,
 *  with a row per picture and a column per pixel of the cube, or per pixel of part->pixels; the
 *  other pixels become NaN, which the header names as its data ignore value. names has one name per
 *  picture. With names NULL and as many pictures as the cube has bands, the pictures get names,
 *  wavelengths and bad-band list of the bands. Map information and description of the cube are
 *  carried over. Only the pixels of part are used; it may be NULL. */
CH_API ch_status ch_cube_write_maps(ch_context *context, const char *path, const ch_cube *cube,
                                    const ch_matrix *maps, const char *const *names,
                                    const ch_cube_part *part);

/** Spectra with their names and wavelengths: a column per spectrum, a row per band. */
typedef struct ch_spectra {
    size_t size;               /**< sizeof(ch_spectra); the caller sets it */
    const ch_matrix *values;   /**< bands x spectra                                              */
    const char *const *names;  /**< one per spectrum, or NULL                                    */
    const double *wavelengths; /**< one per band, or NULL                                        */
    const char *unit;          /**< of the wavelengths, or NULL                                  */
} ch_spectra;

/** Writes an ENVI spectral library: path (usually "name.sli") and the header beside it
 *  ("name.hdr"), f32. */
CH_API ch_status ch_spectra_write_envi(ch_context *context, const char *path,
                                       const ch_spectra *spectra);
/** Writes text: a header line "wavelength,name,name", then a line per band; without wavelengths the
 *  first column is "band", from 0. */
CH_API ch_status ch_spectra_write_csv(ch_context *context, const char *path,
                                      const ch_spectra *spectra);

CH_END_DECLS
#endif
