/* Chooses the array of a file that is the cube, if the file holds several and no standard applies.
 * The data sets of the field (Samson, Jasper Ridge, Urban, Moffett, Cuprite) name a bands x pixels
 * matrix Y or V and the size of its picture nRow and nCol, next to reference spectra and
 * abundances. Scenes are stored as one lines x samples x bands array. Pixels are in MATLAB's order,
 * column by column of the picture. */
#include "io/cube/cube_source.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ARRAYS_MAX = 1000 };

/* In order of preference. */
static const char *const cubes[] = {"Y", "V", "X", "M", "cube", "data", "img", "image", "hsi"};
static const char *const shapes[][2] = {{"nRow", "nCol"}, {"nrows", "ncols"},   {"lines", "cols"},
                                        {"rows", "cols"}, {"lines", "samples"}, {"height", "width"},
                                        {"H", "W"}};
static const char *const waves[] = {"wavelength", "wavelengths", "wl", "lambda", "waves"};
#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

chi_element chi_cube_element(ch_value_type type) {
    char kind = type == CH_F64 || type == CH_F32 ? 'f' : 'u';
    return (chi_element){kind, (int)ch_value_type_size(type), 0};
}

ch_status chi_cube_arrays_add(chi_cube_arrays *arrays, const char *name, int dims,
                              const int64_t shape[3], ch_value_type type) {
    if (arrays->count == ARRAYS_MAX || strlen(name) >= sizeof arrays->list->name) return CH_OK;
    if (arrays->count == arrays->capacity)
        TRY(chi_array_double(arrays->context, &arrays->list, &arrays->capacity, arrays->count,
                             sizeof *arrays->list, arrays->path, "a list of arrays"));
    chi_cube_array *added = &arrays->list[arrays->count++];
    *added = (chi_cube_array){.dims = dims, .shape = {shape[0], shape[1], shape[2]}, .type = type};
    snprintf(added->name, sizeof added->name, "%s", name);
    return CH_OK;
}

/* Finds an array by name; if there is none, the first whose name differs only in case. */
static const chi_cube_array *find(const chi_cube_arrays *arrays, const char *name) {
    const chi_cube_array *like = NULL;
    for (int64_t k = 0; k < arrays->count; k++) {
        if (strcmp(arrays->list[k].name, name) == 0) return &arrays->list[k];
        if (!like && strcasecmp(arrays->list[k].name, name) == 0) like = &arrays->list[k];
    }
    return like;
}

/* Returns whether the array has more than one number in at least two dimensions. */
static int can_be_cube(const chi_cube_array *array) {
    int long_ones = 0;
    for (int d = 0; d < 3; d++) long_ones += array->shape[d] > 1;
    return long_ones >= 2;
}

/* ---- choosing an array ---- */

/* Writes for example "MATRIX (204 x 96)". */
static size_t describe(char *text, size_t size, const chi_cube_array *array) {
    char third[24] = "";
    if (array->dims > 2) snprintf(third, sizeof third, " x %lld", (long long)array->shape[2]);
    return (size_t)snprintf(text, size, "%.60s (%lld x %lld%s)", array->name,
                            (long long)array->shape[0], (long long)array->shape[1], third);
}

static ch_status refuse(const chi_cube_arrays *arrays, const char *asked) {
    char list[400] = "";
    size_t length = 0;
    for (int64_t k = 0; k < arrays->count && length < sizeof list - 160; k++)
        if (can_be_cube(&arrays->list[k])) {
            length += (size_t)snprintf(list + length, sizeof list - length, length ? ", " : "");
            length += describe(list + length, sizeof list - length, &arrays->list[k]);
        }
    if (asked)
        return chi_fail(arrays->context, CH_ERR_ARGUMENT,
                        "%s: the file contains no array with two or three dimensions named \"%s\"; "
                        "its arrays are: %s",
                        arrays->path, asked, length ? list : "none");
    if (!length)
        return chi_fail(
            arrays->context, CH_ERR_FORMAT,
            "%s: the file contains no array of real numbers with two or three dimensions",
            arrays->path);
    return chi_fail(arrays->context, CH_ERR_ARGUMENT,
                    "%s: the file contains several arrays; select the cube with --var NAME, where "
                    "NAME is one of: %s",
                    arrays->path, list);
}

/* Returns the only array with this number of dimensions; NULL if there is none, or several. */
static const chi_cube_array *only_one(const chi_cube_arrays *arrays, int dims) {
    const chi_cube_array *only = NULL;
    for (int64_t k = 0; k < arrays->count; k++) {
        const chi_cube_array *array = &arrays->list[k];
        if (array->dims != dims || !can_be_cube(array)) continue;
        if (only) return NULL;
        only = array;
    }
    return only;
}

static const chi_cube_array *choose(const chi_cube_arrays *arrays) {
    for (int k = 0; k < COUNT(cubes); k++) {
        const chi_cube_array *array = find(arrays, cubes[k]);
        if (array && can_be_cube(array)) return array;
    }
    const chi_cube_array *only = only_one(arrays, 3);
    return only ? only : only_one(arrays, 2);
}

/* ---- its shape ---- */

static ch_status read_number(const chi_cube_arrays *arrays, const char *name, int64_t *number) {
    const chi_cube_array *array = find(arrays, name);
    double value = 0;
    *number = 0;
    if (!array || can_be_cube(array) || array->shape[0] * array->shape[1] != 1) return CH_OK;
    TRY(arrays->numbers(arrays->user, &value, 1, array->name));
    if (value >= 1 && value < 0x1p31) *number = (int64_t)value;
    return CH_OK;
}

/* Finds lines and samples whose product is one side of the matrix: from numbers in the file, else
 * from an array of three dimensions (reference abundances). Zeros if the file does not state
 * them. */
static ch_status find_shape(const chi_cube_arrays *arrays, const chi_cube_array *matrix,
                            int64_t shape[2]) {
    for (int k = 0; k < COUNT(shapes); k++) {
        TRY(read_number(arrays, shapes[k][0], &shape[0]));
        TRY(read_number(arrays, shapes[k][1], &shape[1]));
        int64_t pixels = shape[0] * shape[1];
        if (pixels > 0 && (pixels == matrix->shape[0] || pixels == matrix->shape[1])) return CH_OK;
    }
    for (int64_t k = 0; k < arrays->count; k++) {
        const chi_cube_array *other = &arrays->list[k];
        shape[0] = other->shape[0];
        shape[1] = other->shape[1];
        int64_t pixels;
        if (other->dims == 3 && !__builtin_mul_overflow(shape[0], shape[1], &pixels) &&
            (pixels == matrix->shape[0] || pixels == matrix->shape[1]))
            return CH_OK;
    }
    shape[0] = shape[1] = 0;
    return CH_OK;
}

/* Uses a matrix as bands x pixels, unless the shape or the caller says that the rows are the
 * pixels. */
static ch_status take_matrix(const chi_cube_arrays *arrays, chi_cube_source *source,
                             const chi_cube_array *matrix, const ch_cube_open_settings *settings) {
    int64_t shape[2] = {settings->lines, settings->samples};
    ch_cube_open_settings wanted = *settings;
    if (shape[0] == 0 && shape[1] == 0) TRY(find_shape(arrays, matrix, shape));
    int64_t pixels = 0;
    if (__builtin_mul_overflow(shape[0], shape[1], &pixels)) pixels = -1;
    int by_row = settings->transpose ||
                 (pixels > 0 && pixels == matrix->shape[0] && pixels != matrix->shape[1]);
    wanted.lines = shape[0];
    wanted.samples = shape[1];
    if (settings->transpose && settings->lines == 0 && pixels != matrix->shape[0])
        wanted.lines = wanted.samples = 0;
    source->cube.bands = matrix->shape[by_row];
    source->cube.interleave = by_row ? CH_BSQ : CH_BIP;
    return chi_cube_shape(arrays->context, source, arrays->path, matrix->shape[!by_row], &wanted);
}

/* Returns a list of this many wavelengths, or NULL. */
static const chi_cube_array *find_waves(const chi_cube_arrays *arrays, int64_t bands) {
    for (int k = 0; k < COUNT(waves); k++) {
        const chi_cube_array *array = find(arrays, waves[k]);
        if (array && !can_be_cube(array) && array->shape[0] * array->shape[1] == bands)
            return array;
    }
    return NULL;
}

static ch_status take_wavelengths(const chi_cube_arrays *arrays, chi_cube_source *source) {
    int64_t bands = source->cube.bands;
    const chi_cube_array *array = find_waves(arrays, bands);
    if (!array) return CH_OK;
    double *list = chi_cube_keep(arrays->context, source, (size_t)bands * sizeof *list);
    if (!list) return CH_ERR_MEMORY;
    source->cube.wavelengths = list;
    return arrays->numbers(arrays->user, list, bands, array->name);
}

/* Uses an array as lines x samples x bands, unless wavelengths or the caller say that the bands
 * come first. */
static void take_cube(const chi_cube_arrays *arrays, chi_cube_source *source,
                      const chi_cube_array *array, const ch_cube_open_settings *settings) {
    int first = settings->bands_first ||
                (find_waves(arrays, array->shape[0]) && !find_waves(arrays, array->shape[2]));
    source->cube.lines = array->shape[first];
    source->cube.samples = array->shape[first + 1];
    source->cube.bands = array->shape[first ? 0 : 2];
    source->cube.interleave = first ? CH_BIP : CH_BSQ;
}

ch_status chi_cube_arrays_choose(chi_cube_arrays *arrays, chi_cube_source *source,
                                 const ch_cube_open_settings *settings,
                                 const chi_cube_array **chosen) {
    const chi_cube_array *array = settings->var ? find(arrays, settings->var) : choose(arrays);
    if (!array || !can_be_cube(array)) return refuse(arrays, settings->var);
    *chosen = array;
    source->cube.by_sample = 1;
    source->cube.type = array->type;
    source->element = chi_cube_element(array->type);
    if (array->dims == 3)
        take_cube(arrays, source, array, settings);
    else
        TRY(take_matrix(arrays, source, array, settings));
    return take_wavelengths(arrays, source);
}
