/* Finds cubes in HDF5 files.
 *
 * HyperSpy (.hspy): the cube is Experiments/NAME/data, next to groups axis-0, axis-1, ... with the
 * attributes navigate, scale, offset, units and size. The one axis with navigate = 0 holds the
 * bands, at offset + k scale, or at the values of a list `axis`.
 *
 * MATLAB 7.3: as in MATLAB's other files, with the dimensions in the opposite order.
 *
 * Others, such as NetCDF-4: the requested data set, else the only one of three dimensions, else the
 * only one of two (bands x pixels). */
#include "io/cube/cube_hdf5.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 8, OBJECTS_MAX = 20000, PATH_BYTES = 128 };

/* The data sets of a file, with their dimensions in the order of HDF5. */
typedef struct listing {
    ch_context *context;
    hid_t file;
    const char *path;
    int64_t bytes; /* of the file */
    chi_cube_arrays arrays;
    int matlab, objects, depth, elsewhere;
    size_t length;
    char name[PATH_BYTES];
    ch_status status;
} listing;

static void look_into(listing *all, hid_t group, size_t length);

/* Reverses the dimensions to MATLAB's order: the last dimension of HDF5 is the first. */
static void reverse(int64_t shape[3], int dims) {
    int64_t first = shape[0];
    shape[0] = shape[dims - 1];
    shape[dims - 1] = first;
}

static void add_set(listing *all, hid_t set) {
    chi_numbers n;
    chi_extent e = chi_hdf5_extent(set);
    if (e.dims < 1 || e.dims > 3 || !chi_hdf5_numbers(set, &n)) return;
    if (all->matlab) reverse(e.shape, e.dims);
    all->status = chi_cube_arrays_add(&all->arrays, all->name, e.dims, e.shape, n.type);
}

static herr_t look_at(hid_t group, const char *link, const H5L_info_t *info, void *user) {
    listing *all = user;
    size_t at = all->length, got = strlen(link);
    int elsewhere;
    (void)info;
    if (all->objects++ == OBJECTS_MAX) return 1;
    if (at) all->name[at++] = '/';
    if (at + got >= sizeof all->name) return 0;
    memcpy(all->name + at, link, got + 1);
    hid_t object = chi_hdf5_open(group, link, &elsewhere);
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) add_set(all, object);
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP && !all->matlab)
        look_into(all, object, at + got);
    all->elsewhere |= elsewhere;
    chi_hdf5_close(object);
    return all->objects > OBJECTS_MAX || all->status != CH_OK;
}

static void look_into(listing *all, hid_t group, size_t length) {
    size_t before = all->length;
    if (all->depth == DEPTH_MAX) return;
    all->depth++;
    all->length = length;
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at, all);
    all->length = before;
    all->depth--;
}

/* Reads values[0..count) of a small data set, whatever its dimensions. */
static ch_status read_numbers(void *user, double *values, int64_t count, const char *name) {
    const listing *all = user;
    int elsewhere;
    hsize_t from[3] = {0, 0, 0}, size[3];
    hid_t set = chi_hdf5_open(all->file, name, &elsewhere);
    chi_extent e = chi_hdf5_extent(set);
    ch_status status = CH_OK;
    for (int d = 0; d < 3; d++) size[d] = (hsize_t)e.shape[d];
    if (set < 0 || e.dims < 1 || e.dims > 3 || e.count != count)
        status = chi_fail(all->context, CH_ERR_FORMAT, "%s: the data set %s cannot be read",
                          all->path, name);
    if (status == CH_OK)
        status = chi_hdf5_check_storage(all->context, set, e.count, all->bytes, all->path);
    if (status == CH_OK)
        status =
            chi_hdf5_values(all->context, values, set, H5T_NATIVE_DOUBLE, from, size, all->path);
    chi_hdf5_close(set);
    return status;
}

/* ---- facts about the bands ---- */

static ch_status keep_unit(ch_context *context, chi_cube_source *source, hid_t object,
                           const char *attribute) {
    char text[64];
    chi_hdf5_text(text, object, attribute);
    if (!*text) return CH_OK;
    source->cube.unit = chi_cube_keep_text(context, source, text);
    return source->cube.unit ? CH_OK : CH_ERR_MEMORY;
}

/* Reads a list of wavelengths, one per band. */
static ch_status keep_wavelengths(listing *all, chi_cube_source *source, const char *name) {
    int elsewhere;
    int64_t bands = source->cube.bands;
    double *list = chi_cube_keep(all->context, source, (size_t)bands * sizeof *list);
    if (!list) return CH_ERR_MEMORY;
    source->cube.wavelengths = list;
    TRY(read_numbers(all, list, bands, name));
    hid_t set = chi_hdf5_open(all->file, name, &elsewhere);
    ch_status status = keep_unit(all->context, source, set, "units");
    chi_hdf5_close(set);
    return status;
}

/* ---- HyperSpy ---- */

/* Returns a number or truth value, or `otherwise` if there is none. */
static double attribute_number(hid_t object, const char *name, double otherwise) {
    double number = otherwise;
    int8_t truth = 0;
    if (H5Aexists(object, name) <= 0) return otherwise;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    if (space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1) {
        H5T_class_t kind = H5Tget_class(type);
        if (kind == H5T_ENUM && H5Tget_size(type) == 1) {
            if (H5Aread(attribute, type, &truth) >= 0) number = truth != 0;
        } else if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
            if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) < 0) number = otherwise;
        }
    }
    chi_hdf5_close(type);
    chi_hdf5_close(space);
    chi_hdf5_close(attribute);
    return number;
}

/* Writes the group that holds the data set of this name, with a slash; "" for the root. */
static void folder_of(char folder[PATH_BYTES + 16], const char *name) {
    const char *slash = strrchr(name, '/');
    snprintf(folder, PATH_BYTES + 16, "%.*s", slash ? (int)(slash - name) + 1 : 0, name);
}

/* Returns the dimension that holds the bands: the only one whose group axis-N, in the folder of the
 * array, has navigate = 0. -1 if there are no such groups or not exactly one says so. */
static int signal_axis(const listing *all, const chi_cube_array *array) {
    char folder[PATH_BYTES + 16], name[PATH_BYTES + 32];
    int elsewhere, signal = -1, count = 0;
    folder_of(folder, array->name);
    for (int d = 0; d < array->dims; d++) {
        snprintf(name, sizeof name, "%saxis-%d", folder, d);
        hid_t axis = chi_hdf5_open(all->file, name, &elsewhere);
        double navigate = axis >= 0 ? attribute_number(axis, "navigate", -1) : -1;
        chi_hdf5_close(axis);
        if (navigate == -1) return -1;
        if (navigate == 0) signal = d;
        count += navigate == 0;
    }
    return count == 1 ? signal : -1;
}

static ch_status keep_axis(listing *all, chi_cube_source *source, const chi_cube_array *array,
                           int signal) {
    char folder[PATH_BYTES + 16], name[PATH_BYTES + 40];
    int elsewhere;
    folder_of(folder, array->name);
    snprintf(name, sizeof name, "%saxis-%d/axis", folder, signal);
    hid_t uneven = chi_hdf5_open(all->file, name, &elsewhere);
    chi_hdf5_close(uneven);
    if (uneven >= 0) TRY(keep_wavelengths(all, source, name));
    name[strlen(name) - strlen("/axis")] = '\0';
    hid_t axis = chi_hdf5_open(all->file, name, &elsewhere);
    double scale = attribute_number(axis, "scale", 1), offset = attribute_number(axis, "offset", 0);
    ch_status status = keep_unit(all->context, source, axis, "units");
    chi_hdf5_close(axis);
    if (status != CH_OK || source->cube.wavelengths) return status;
    double *list = chi_cube_keep(all->context, source, (size_t)source->cube.bands * sizeof *list);
    if (!list) return CH_ERR_MEMORY;
    for (int64_t b = 0; b < source->cube.bands; b++) list[b] = offset + scale * (double)b;
    source->cube.wavelengths = list;
    return CH_OK;
}

/* ---- others ---- */

static int is_wavelengths(const chi_cube_array *array) {
    const char *slash = strrchr(array->name, '/'), *base = slash ? slash + 1 : array->name;
    return array->dims == 1 && (strcasestr(base, "wavelength") || !strcasecmp(base, "wl") ||
                                !strcasecmp(base, "lambda"));
}

/* Returns the list of wavelengths that has the length of a dimension, trying the last dimension
 * first; NULL if none. */
static const chi_cube_array *find_waves(const listing *all, const chi_cube_array *array,
                                        int *axis) {
    for (int d = array->dims - 1; d >= 0; d--)
        for (int64_t k = 0; k < all->arrays.count; k++)
            if (is_wavelengths(&all->arrays.list[k]) &&
                all->arrays.list[k].shape[0] == array->shape[d]) {
                *axis = d;
                return &all->arrays.list[k];
            }
    return NULL;
}

static const chi_cube_array *only_one(const listing *all, int dims, int64_t *found) {
    const chi_cube_array *only = NULL;
    for (int64_t k = 0; k < all->arrays.count; k++)
        if (all->arrays.list[k].dims == dims && (*found)++ == 0) only = &all->arrays.list[k];
    return *found == 1 ? only : NULL;
}

static ch_status choose(const listing *all, const chi_cube_array **chosen, const char *var) {
    char list[300] = "";
    size_t length = 0;
    int64_t three = 0, two = 0;
    if (var && *var == '/') var++;
    *chosen = NULL;
    for (int64_t k = 0; k < all->arrays.count && var; k++)
        if (all->arrays.list[k].dims > 1 && !strcmp(all->arrays.list[k].name, var))
            *chosen = &all->arrays.list[k];
    if (!var) *chosen = only_one(all, 3, &three);
    if (!var && three == 0) *chosen = only_one(all, 2, &two);
    if (*chosen) return CH_OK;
    for (int64_t k = 0; k < all->arrays.count && length < sizeof list - PATH_BYTES - 8; k++)
        if (all->arrays.list[k].dims > 1)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? ", " : "", all->arrays.list[k].name);
    if (!length && all->elsewhere) return chi_hdf5_refuse(all->context, all->path);
    if (!length)
        return chi_fail(
            all->context, CH_ERR_FORMAT,
            "%s: the file contains no data set of real numbers with two or three dimensions",
            all->path);
    if (var)
        return chi_fail(all->context, CH_ERR_ARGUMENT,
                        "%s: the file contains no data set with two or three dimensions named "
                        "\"%s\"; its data sets are: %s",
                        all->path, var, list);
    return chi_fail(all->context, CH_ERR_ARGUMENT,
                    "%s: the file contains several data sets; select the cube with --var NAME, "
                    "where NAME is one of: %s",
                    all->path, list);
}

/* ---- meaning of dimensions ---- */

/* Assigns the axes of a set of three dimensions: bands, and of the others lines before samples. */
static void name_axes(chi_cube_set *set, int bands) {
    chi_axis next = CHI_LINES;
    for (int d = 0; d < 3; d++) {
        set->axes[d] = d == bands ? CHI_BANDS : next;
        if (d != bands) next = CHI_SAMPLES;
    }
}

static ch_status take_roles(listing *all, chi_cube_source *source, chi_cube_set *set,
                            const ch_cube_open_settings *settings, int bands) {
    ch_cube *cube = &source->cube;
    if (set->dims == 3) {
        static const ch_interleave orders[] = {CH_BSQ, CH_BIL, CH_BIP};
        name_axes(set, bands);
        cube->interleave = orders[bands];
        cube->lines = set->sizes[bands == 0];
        cube->samples = set->sizes[bands == 2 ? 1 : 2];
        cube->bands = set->sizes[bands];
        return CH_OK;
    }
    set->axes[bands] = CHI_BANDS;
    set->axes[!bands] = CHI_PIXELS;
    cube->interleave = bands ? CH_BIP : CH_BSQ;
    cube->bands = set->sizes[bands];
    return chi_cube_shape(all->context, source, all->path, set->sizes[!bands], settings);
}

static ch_status find_plain(listing *all, chi_cube_source *source, chi_cube_set *set,
                            const ch_cube_open_settings *settings, const chi_cube_array **chosen) {
    TRY(choose(all, chosen, settings->var));
    const chi_cube_array *array = *chosen, *waves = NULL;
    int signal = signal_axis(all, array);
    int bands = array->dims == 3 ? (settings->bands_first ? 0 : 2) : settings->transpose != 0;
    if (signal >= 0)
        bands = signal;
    else
        waves = find_waves(all, array, &bands);
    set->dims = array->dims;
    for (int d = 0; d < 3; d++) set->sizes[d] = array->shape[d];
    TRY(take_roles(all, source, set, settings, bands));
    if (signal >= 0) return keep_axis(all, source, array, signal);
    return waves ? keep_wavelengths(all, source, waves->name) : CH_OK;
}

/* Finds the cube of a MATLAB file. The dimensions of HDF5 are bands, samples, lines (or samples,
 * lines, bands), or pixels and bands, or bands and pixels. */
static ch_status find_matlab(listing *all, chi_cube_source *source, chi_cube_set *set,
                             const ch_cube_open_settings *settings, const chi_cube_array **chosen) {
    TRY(chi_cube_arrays_choose(&all->arrays, source, settings, chosen));
    int64_t shape[3] = {(*chosen)->shape[0], (*chosen)->shape[1], (*chosen)->shape[2]};
    set->dims = (*chosen)->dims;
    reverse(shape, set->dims);
    for (int d = 0; d < 3; d++) set->sizes[d] = shape[d];
    int bands = source->cube.interleave == CH_BIP;
    if (set->dims == 3) {
        static const chi_axis axes[][3] = {{CHI_BANDS, CHI_SAMPLES, CHI_LINES},
                                           {CHI_SAMPLES, CHI_LINES, CHI_BANDS}};
        memcpy(set->axes, axes[bands], sizeof set->axes);
    } else {
        set->axes[bands] = CHI_BANDS;
        set->axes[!bands] = CHI_PIXELS;
    }
    return CH_OK;
}

ch_status chi_cube_find_set(ch_context *context, chi_cube_source *source, chi_cube_set *set,
                            const char *path, const ch_cube_open_settings *settings) {
    listing all = {.context = context, .file = set->file, .path = path, .bytes = set->file_bytes};
    const chi_cube_array *chosen = NULL;
    all.arrays = (chi_cube_arrays){.context = context, .path = path, .numbers = read_numbers};
    all.arrays.user = &all;
    all.matlab = chi_has_suffix(path, ".mat");
    look_into(&all, set->file, 0);
    ch_status status = all.status;
    if (status == CH_OK)
        status = all.matlab ? find_matlab(&all, source, set, settings, &chosen)
                            : find_plain(&all, source, set, settings, &chosen);
    if (status == CH_OK) {
        set->type = chosen->type;
        source->element = chi_cube_element(chosen->type);
        source->var = chi_cube_keep_text(context, source, chosen->name);
        if (!source->var) status = CH_ERR_MEMORY;
    }
    chi_free(context, all.arrays.list);
    return status;
}
