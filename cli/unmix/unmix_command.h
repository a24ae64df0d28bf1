/* conehull unmix: what was asked for, what was read, what was found, and what is made of it. */
#pragma once

#include "common/matrix_input.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "report_pages.h"
#include <conehull/cube.h>
#include <conehull/spectra.h>

typedef struct unmix_arguments {
    ch_unmix_settings settings;
    const char *rank, *folder;
    /* The cube. */
    const char *var, *index, *drop, *decimal, *shape, *bands, *wavelengths, *pixels, *memory,
        *nodata;
    const char *truth, *endmembers; /* references       */
    const char *library;            /* known components */
    int library_only, transpose, bands_first, intervals, complete_pixels;
    const char *stability; /* halves */
    int64_t halves;
} unmix_arguments;

/* unmix_input.c: the part of a cube that takes part. */
typedef struct unmix_scene {
    const char *file;
    int shaped;      /* --shape gave lines and samples */
    int bands_first; /* --bands-first was given        */
    int table;       /* a matrix, not a cube           */
    int turned;      /* ... with a row per pixel       */
    ch_cube cube;
    ch_matrix X;                /* bands x pixels                                            */
    int64_t *bands, band_count; /* the cube's band of every row                              */
    int64_t *pixels;            /* the cube's pixel of every column; NULL: all of them       */
    int64_t masked, empty;      /* pixels that --pixels left out, and those without data     */
    int64_t dropped;            /* pixels that --complete-pixels left out                    */
    int64_t bad;                /* bands that the file calls bad, left out                   */
    int64_t dead;               /* bands without values, or of zeros alone, left out         */
    int marks;                  /* the file's marks of no data are NaN in X                  */
    int64_t unknown;            /* single values that are not known: NaN in X                */
    int64_t incomplete;         /* pixels that lack such values                              */
    double *wavelengths;        /* per row, or NULL                                          */
    int64_t memory;             /* bytes to stay below; 0: no limit                          */
    double seconds;
} unmix_scene;

/* Complains itself and returns the exit code, as everything here. */
int unmix_read(unmix_scene *scene, const cli_session *session, const unmix_arguments *given);
void unmix_scene_free(unmix_scene *scene, const cli_session *session);
/* Where column j of X is in the picture; -1, -1 for a column of a library, j >= X.cols. */
void unmix_place(const unmix_scene *scene, int64_t j, int64_t *line, int64_t *sample);
/* The column of X at every place of the picture, line after line, -1 where there is none; to be
 * freed. NULL without memory. */
int64_t *unmix_columns(const unmix_scene *scene);

/* unmix_scan.c: leaves pixels without data out of scene->pixels and, unless --bands is given, bands
 * that hold nothing out of scene->bands; then, with --complete-pixels, pixels with unknown values:
 * *changed, X has to be read again. Else counts what is not known. Of a table, where nothing is
 * left out, it only counts. */
int unmix_scan(unmix_scene *scene, const cli_session *session, const unmix_arguments *given,
               int *changed);

/* unmix_bands.c: --bands 1-50,60- and --wavelengths 400-900nm. list (cube->bands entries) gets the
 * chosen ones, rising; *bad: how many were left out because the file calls them bad. */
int unmix_take_bands(const cli_session *session, const ch_cube *cube, const unmix_arguments *given,
                     int64_t *list, int64_t *count, int64_t *bad);

/* unmix_truth.c: reference spectra (bands of the cube x count) and abundances (count x pixels of
 * the cube), either NULL. */
typedef struct unmix_truth {
    int64_t count;
    double *endmembers, *abundances;
    const char *from; /* what was read, for people */
} unmix_truth;
int unmix_truth_read(unmix_truth *truth, const cli_session *session, const unmix_arguments *given,
                     const unmix_scene *scene);
void unmix_truth_free(unmix_truth *truth);

/* Array `var` of a file; *found 0, without a message, if there is none. */
int unmix_try_array(ch_matrix *X, int *found, const cli_session *session, const char *file,
                    const char *var);
/* values (height x width) = X or its transpose, whichever has `height` rows. Returns 0 if neither
 * has; *values is NULL without memory. */
int unmix_take_values(double **values, int64_t *width, const ch_matrix *X, int64_t height);
/* Names of arrays of spectra in sets of the field; NULL follows the last. */
extern const char *const unmix_spectra_names[];

/* unmix_spectra.c: spectra as a file holds them. */
typedef struct unmix_spectra {
    const char *file;
    int64_t bands, count;
    double *values;      /* bands x count; NaN where the file has no value     */
    double *wavelengths; /* per band, or NULL                                  */
    char unit[32];       /* of the wavelengths; "": not stated                 */
    double scale;        /* reflectance is value / scale; 0: not stated        */
    char **names;        /* count and a NULL, or NULL                          */
} unmix_spectra;
/* Reads the spectra of a file at the bands of the cube: *values is bands of the cube x count, with
 * 0 at bands that take no part. A spectrum is a column or a row: of an array of one of the names
 * above, of the only array, of a table with a header, or of an ENVI library. The names of the
 * spectra in a header or a library go to *names unless names is NULL; the list ends with NULL and
 * is freed with unmix_names_free(). */
int unmix_spectra_read(double **values, int64_t *count, char ***names, const cli_session *session,
                       const char *file, const unmix_scene *scene);
void unmix_names_free(char **names);

/* unmix_resample.c: *values as above from spectra of a file. Where the wavelengths differ, spectra
 * are interpolated linearly, which a note says. */
int unmix_spectra_fit(double **values, const unmix_spectra *spectra, const cli_session *session,
                      const unmix_scene *scene);

/* unmix_bands.c: nanometres per unit; 0: not known. */
double unmix_unit_size(const char *unit);

/* unmix_library.c: --library, at the bands that take part. */
typedef struct unmix_library {
    int64_t count; /* 0: none was given */
    double *values;
    char **names; /* count, or NULL */
    ch_matrix L;
} unmix_library;
int unmix_library_read(unmix_library *library, const cli_session *session,
                       const unmix_arguments *given, const unmix_scene *scene);
void unmix_library_free(unmix_library *library);

/* What a run found. */
typedef struct unmix_found {
    ch_anchors_settings settings;
    ch_anchors_result result;
    char **names;       /* of the endmembers: \"endmember 1\", or the library's */
    ch_unmix_rank rank; /* of -r auto; rank 0: a number was given                  */
    double *loss, *gap; /* per pixel                                              */
    double *sizes;      /* per pixel: what the loss is compared with              */
    double *smooth;     /* bands x rank: averages, or NULL                        */
    int64_t *members;   /* settings.smooth x rank: the columns in them            */
    ch_spectra_score score, smooth_score; /* match NULL: there is no reference                 */
    ch_spectra_score bright_score; /* of abundances of endmembers as bright as their references */
    int scored_without_shade; /* the reference's abundances sum to 1, so ours were scaled to that */
    double *low, *high;       /* like H: how far abundances can move; or NULL */
    double *stability;        /* rank: share of halves in which it is found again; or NULL */
    double seconds_rank, seconds_prove;
} unmix_found;

/* unmix_run.c */
int unmix_find(unmix_found *found, const cli_session *session, const unmix_arguments *given,
               const unmix_scene *scene, const unmix_library *library);
/* Compares what was found with a reference, if there is one. */
int unmix_score(unmix_found *found, const cli_session *session, const unmix_scene *scene,
                const unmix_truth *truth);
/* What of pixel j is not explained, as a share of it: |x - W h| / |x| in the norm of the loss. */
double unmix_residual(const unmix_found *found, int64_t j);
void unmix_found_free(unmix_found *found, const cli_session *session);
/* The matrix as result.json describes it. */
cli_input unmix_as_input(const unmix_scene *scene, const unmix_arguments *given);

/* unmix_json.c: what --json prints and unmix.json holds. NULL without memory. */
json_t *unmix_json(const cli_session *session, const unmix_arguments *given,
                   const unmix_scene *scene, const unmix_found *found);

/* unmix_print.c */
void unmix_print(const unmix_arguments *given, const unmix_scene *scene, const unmix_found *found,
                 double write);

/* unmix_pictures.c */
typedef struct unmix_pictures {
    int64_t step;             /* every step-th pixel of the scene is in them                     */
    ch_picture colour;        /* three bands as red, green and blue                              */
    int64_t colour_bands[3];  /* rows of X                                                       */
    ch_picture *abundances;   /* rank                                                            */
    ch_picture residual, gap; /* share of the spectrum that is not explained; gap on a log scale */
    double residual_high;     /* the value of the last colour                                    */
    int64_t count;            /* of abundances                                                   */
} unmix_pictures;
/* No side longer than `most` pixels. */
int unmix_pictures_make(unmix_pictures *pictures, const cli_session *session,
                        const unmix_scene *scene, const unmix_found *found, int64_t most);
void unmix_pictures_free(unmix_pictures *pictures);

/* unmix_page.c: report.html */
int unmix_write_page(cli_folder *folder, const unmix_scene *scene, const unmix_found *found,
                     const json_t *json);

/* unmix_files.c: the folder; *seconds: what that took. */
int unmix_write(const cli_session *session, const unmix_arguments *given, const unmix_scene *scene,
                const unmix_found *found, json_t *json, double *seconds);
extern const char *const unmix_writes[];
