/* Cubes in HDF5, read in groups of pixels. */
#include "io/cube/cube_hdf5.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ch_status chi_cube_enter(ch_context *context, chi_cube_set *set, const char *path) {
    H5Eget_auto2(H5E_DEFAULT, &set->print, &set->print_user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    set->set = -1;
    ch_status status = chi_hdf5_open_file(context, &set->file, path, "an HDF5 file");
    if (status != CH_OK) H5Eset_auto2(H5E_DEFAULT, set->print, set->print_user);
    return status;
}

void chi_cube_leave(chi_cube_set *set) {
    chi_hdf5_close(set->set);
    chi_hdf5_close(set->file);
    set->set = set->file = -1;
    H5Eset_auto2(H5E_DEFAULT, set->print, set->print_user);
}

static int same_sizes(const chi_cube_set *set) {
    chi_extent e = chi_hdf5_extent(set->set);
    int same = e.dims == set->dims;
    for (int d = 0; d < 3 && same; d++) same = e.shape[d] == set->sizes[d];
    return same;
}

static ch_status begin(ch_context *context, chi_cube_source *source) {
    chi_cube_set *set = source->handle;
    chi_numbers n;
    int elsewhere;
    TRY(chi_cube_enter(context, set, source->path));
    set->set = chi_hdf5_open(set->file, source->var, &elsewhere);
    ch_status status = CH_OK;
    if (set->set < 0 || !same_sizes(set) || !chi_hdf5_numbers(set->set, &n) || n.type != set->type)
        status =
            chi_fail(context, CH_ERR_FORMAT,
                     "%s: the file was changed by another program during the run", source->path);
    if (status == CH_OK)
        status =
            chi_hdf5_check_storage(context, set->set, set->sizes[0] * set->sizes[1] * set->sizes[2],
                                   set->file_bytes, source->path);
    if (status != CH_OK) chi_cube_leave(set);
    return status;
}

static void end(chi_cube_source *source) {
    chi_cube_leave(source->handle);
}

/* Groups are lines, or samples if the cube is by sample, or ranges of pixels. */
static ch_status fetch(ch_context *context, chi_cube_source *source, void *raw, int64_t lo,
                       int64_t hi) {
    const chi_cube_set *set = source->handle;
    chi_axis outer = source->cube.by_sample ? CHI_SAMPLES : CHI_LINES;
    hsize_t from[3] = {0, 0, 0}, size[3];
    for (int d = 0; d < 3; d++) {
        int64_t unit = set->axes[d] == CHI_PIXELS ? source->inner : 1;
        int chosen = d < set->dims && (set->axes[d] == outer || set->axes[d] == CHI_PIXELS);
        size[d] = (hsize_t)(chosen ? (hi - lo) * unit : set->sizes[d]);
        if (chosen) from[d] = (hsize_t)(lo * unit);
    }
    return chi_hdf5_values(context, raw, set->set, chi_hdf5_memory_type(set->type), from, size,
                           source->path);
}

/* NetCDF before version 4 is another format under the same name. */
static ch_status refuse_classic(ch_context *context, int fd, int64_t size, const char *path) {
    char head[4] = "";
    if (size >= 4) TRY(chi_get(context, path, fd, head, 4, 0));
    if (memcmp(head, "CDF", 3) != 0) return CH_OK;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: the file is NetCDF of version 3, which is not supported; convert it to "
                    "version 4, for example with 'nccopy -k nc4'",
                    path);
}

ch_status chi_cube_open_hdf5(ch_context *context, chi_cube_source *source, const char *path,
                             const ch_cube_open_settings *settings) {
    int fd;
    chi_cube_set *set = chi_cube_keep(context, source, sizeof *set);
    source->path = chi_cube_keep_text(context, source, path);
    if (!set || !source->path) return CH_ERR_MEMORY;
    TRY(chi_open_file(context, &fd, &set->file_bytes, path));
    ch_status status = refuse_classic(context, fd, set->file_bytes, path);
    close(fd);
    if (status != CH_OK) return status;
    TRY(chi_cube_enter(context, set, path));
    status = chi_cube_find_set(context, source, set, path, settings);
    chi_cube_leave(set);
    source->handle = set;
    source->begin = begin;
    source->end = end;
    source->fetch = fetch;
    return status;
}
