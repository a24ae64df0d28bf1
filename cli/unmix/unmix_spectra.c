/* Spectra of a file: reference spectra and known components. */
#include "unmix/unmix_command.h"
#include <ctype.h>
#include <math.h>

void unmix_names_free(char **names) {
    for (char **name = names; name && *name; name++) free(*name);
    free(names);
}

/* NULL without names, or without memory. */
static char **copy_names(const char *const *names, int64_t count) {
    char **copies = names ? calloc((size_t)count + 1, sizeof *copies) : NULL;
    for (int64_t k = 0; copies && k < count; k++) {
        copies[k] = strdup(names[k]);
        if (copies[k]) continue;
        unmix_names_free(copies);
        return NULL;
    }
    return copies;
}

static void free_spectra(unmix_spectra *spectra) {
    unmix_names_free(spectra->names);
    free(spectra->values);
    free(spectra->wavelengths);
}

/* A spectrum is a column or a row of X: one of them is as long as the list of wavelengths, if there
 * is one, or as the bands of the cube, all or those that take part. The wavelengths are dropped if
 * no side has their length. 0: X does not fit. */
static int take_spectra(unmix_spectra *spectra, const ch_matrix *X, const unmix_scene *scene) {
    const int64_t bands[] = {spectra->wavelengths ? spectra->bands : -1, scene->cube.bands,
                             scene->band_count};
    for (int k = 0; k < 3; k++) {
        if (!unmix_take_values(&spectra->values, &spectra->count, X, bands[k])) continue;
        spectra->bands = bands[k];
        if (k > 0) free(spectra->wavelengths);
        if (k > 0) spectra->wavelengths = NULL;
        return 1;
    }
    return 0;
}

static int refuse_shape(const char *file, const ch_matrix *X, const unmix_scene *scene) {
    return cli_refuse("%s: the matrix of spectra is %lld x %lld, but the cube has %lld bands; each "
                      "spectrum must be a column or a row of this length%s",
                      file, (long long)X->rows, (long long)X->cols, (long long)scene->cube.bands,
                      scene->cube.wavelengths
                          ? ". Spectra with wavelengths (an ENVI library, or a table whose first "
                            "column is called wavelength) may have other bands"
                          : "");
}

/* ---- ENVI ---- */

/* By its name: an ENVI file, which may name its spectra. */
static int is_envi(const char *file) {
    size_t length = strlen(file);
    return length > 4 && (strcasecmp(file + length - 4, ".sli") == 0 ||
                          strcasecmp(file + length - 4, ".hdr") == 0);
}

/* What the header says of the spectra. */
static int take_header(unmix_spectra *spectra, const ch_cube *library) {
    size_t bytes = (size_t)library->bands * sizeof(double);
    spectra->bands = library->bands;
    spectra->scale = library->reflectance_scale;
    if (library->unit) snprintf(spectra->unit, sizeof spectra->unit, "%s", library->unit);
    spectra->names = copy_names(library->spectra, library->lines * library->samples);
    if (!library->wavelengths) return EXIT_DONE;
    spectra->wavelengths = malloc(bytes);
    if (!spectra->wavelengths) return cli_no_memory();
    memcpy(spectra->wavelengths, library->wavelengths, bytes);
    return EXIT_DONE;
}

/* Values of bands that the library marks as bad are not known. */
static void drop_bad(unmix_spectra *spectra, const ch_cube *library) {
    for (int64_t e = 0; library->good && e < spectra->bands * spectra->count; e++)
        if (!library->good[e % spectra->bands]) spectra->values[e] = NAN;
}

/* Spectra of an ENVI library or a cube. */
static int read_library(unmix_spectra *spectra, const cli_session *session,
                        const unmix_scene *scene) {
    ch_cube library = {.size = sizeof library};
    ch_cube_part part = {.size = sizeof part, .no_data_as_nan = 1};
    ch_matrix X = {0};
    TRY(cli_check(session, ch_cube_open(session->context, &library, spectra->file, NULL)));
    int code = cli_check(session, ch_cube_matrix(session->context, &X, &library, &part));
    if (code == EXIT_DONE) code = take_header(spectra, &library);
    if (code == EXIT_DONE && !take_spectra(spectra, &X, scene))
        code = refuse_shape(spectra->file, &X, scene);
    if (code == EXIT_DONE && spectra->values && spectra->wavelengths) drop_bad(spectra, &library);
    ch_cube_close(session->context, &library);
    ch_matrix_free(session->context, &X);
    return code;
}

/* ---- tables ---- */

/* What a header calls the column that holds the position of each value instead of a spectrum. */
typedef enum position { NO_POSITION, NUMBERS, WAVELENGTHS } position;

/* endmembers.csv begins with such a column, and so do most tables of spectra. The unit may follow:
 * "wavelength_nm", "Wavelength (um)". */
static position position_of(const char *name, char unit[32]) {
    static const struct {
        const char *word;
        position kind;
    } words[] = {{"wavelength", WAVELENGTHS}, {"lambda", WAVELENGTHS}, {"wl", WAVELENGTHS},
                 {"nm", WAVELENGTHS},         {"um", WAVELENGTHS},     {"wavenumber", NUMBERS},
                 {"band", NUMBERS},           {"channel", NUMBERS}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t length = strlen(words[k].word);
        if (strncasecmp(name, words[k].word, length) != 0) continue;
        /* "wavelengths", not "umber" or "bandstone" */
        const char *rest = name + length + (name[length] == 's' || name[length] == 'S');
        if (isalnum((unsigned char)*rest)) continue;
        while (*rest && (isspace((unsigned char)*rest) || ispunct((unsigned char)*rest))) rest++;
        if (!*rest && length == 2 && words[k].word[1] == 'm') rest = words[k].word;
        snprintf(unit, 32, "%.*s", (int)strcspn(rest, ")] ,;"), rest);
        return words[k].kind;
    }
    return NO_POSITION;
}

/* The first of the columns is the position: it becomes the wavelengths, or is left out. */
static int take_columns(unmix_spectra *spectra, const cli_input *input, position kind) {
    int64_t bands = input->X.rows, count = input->X.cols - 1;
    spectra->bands = bands;
    if (!unmix_take_values(&spectra->values, &spectra->count, &input->X, bands)) return 0;
    if (kind == WAVELENGTHS) spectra->wavelengths = malloc((size_t)bands * sizeof(double));
    if (!spectra->values || (kind == WAVELENGTHS && !spectra->wavelengths)) {
        free(spectra->values);
        spectra->values = NULL; /* reported by the caller */
        return 1;
    }
    spectra->count = count;
    if (kind == WAVELENGTHS)
        memcpy(spectra->wavelengths, spectra->values, (size_t)bands * sizeof(double));
    memmove(spectra->values, spectra->values + bands, (size_t)(bands * count) * sizeof(double));
    return 1;
}

/* Spectra of the only array of a matrix file. The header of a table names them, if each is a
 * column. */
static int read_table(unmix_spectra *spectra, const cli_session *session,
                      const unmix_scene *scene) {
    cli_input input = {0};
    int code = cli_input_read(&input, session, spectra->file);
    const ch_text_list *head = &input.names.of.columns;
    char unit[32] = "";
    position kind = code == EXIT_DONE && head->count == input.X.cols && head->count > 1
                        ? position_of(head->text[0], unit)
                        : NO_POSITION;
    if (kind == WAVELENGTHS) snprintf(spectra->unit, sizeof spectra->unit, "%s", unit);
    if (code == EXIT_DONE && !(kind == NO_POSITION ? take_spectra(spectra, &input.X, scene)
                                                   : take_columns(spectra, &input, kind)))
        code = refuse_shape(spectra->file, &input.X, scene);
    int64_t from = kind != NO_POSITION;
    if (code == EXIT_DONE && spectra->count == input.X.cols - from && head->count == input.X.cols)
        spectra->names = copy_names((const char *const *)head->text + from, spectra->count);
    cli_input_free(&input, session);
    return code;
}

/* ---- arrays with names ---- */

/* Wavelengths of a file with several arrays. */
static int find_wavelengths(unmix_spectra *spectra, const cli_session *session) {
    static const char *const names[] = {"wavelength", "wavelengths", "wl", "lambda", "waves", NULL};
    for (const char *const *name = names; *name && !spectra->wavelengths; name++) {
        ch_matrix X;
        int found;
        int64_t one;
        TRY(unmix_try_array(&X, &found, session, spectra->file, *name));
        if (!found) continue;
        spectra->bands = X.rows > X.cols ? X.rows : X.cols;
        int failed = (X.rows == 1 || X.cols == 1) &&
                     unmix_take_values(&spectra->wavelengths, &one, &X, spectra->bands) &&
                     !spectra->wavelengths;
        ch_matrix_free(session->context, &X);
        if (failed) return cli_no_memory();
    }
    return EXIT_DONE;
}

/* The first array with a name of spectra that fits. */
static int find_spectra(unmix_spectra *spectra, const cli_session *session,
                        const unmix_scene *scene) {
    TRY(find_wavelengths(spectra, session));
    for (const char *const *name = unmix_spectra_names; *name && !spectra->values; name++) {
        ch_matrix X;
        int found;
        TRY(unmix_try_array(&X, &found, session, spectra->file, *name));
        if (!found) continue;
        int fits = take_spectra(spectra, &X, scene);
        ch_matrix_free(session->context, &X);
        if (fits && !spectra->values) return cli_no_memory();
    }
    return EXIT_DONE;
}

static int read_file(unmix_spectra *spectra, const cli_session *session, const unmix_scene *scene) {
    if (is_envi(spectra->file) || !cli_is_matrix_name(spectra->file)) {
        TRY(read_library(spectra, session, scene));
    } else {
        TRY(find_spectra(spectra, session, scene));
        if (spectra->values) return EXIT_DONE;
        free(spectra->wavelengths);
        spectra->wavelengths = NULL;
        TRY(read_table(spectra, session, scene));
    }
    return spectra->values ? EXIT_DONE : cli_no_memory();
}

int unmix_spectra_read(double **values, int64_t *count, char ***names, const cli_session *session,
                       const char *file, const unmix_scene *scene) {
    unmix_spectra spectra = {.file = file};
    int code = read_file(&spectra, session, scene);
    if (code == EXIT_DONE) code = unmix_spectra_fit(values, &spectra, session, scene);
    *count = spectra.count;
    if (code == EXIT_DONE && names) {
        *names = spectra.names;
        spectra.names = NULL;
    }
    free_spectra(&spectra);
    return code;
}
