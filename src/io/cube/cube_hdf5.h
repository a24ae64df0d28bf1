/* Cubes in HDF5: the choice of the data set and the meaning of its axes. */
#pragma once

#include "io/cube/cube_source.h"
#include "io/hdf5/hdf5_file.h"

/* The meaning of an axis of a data set. CHI_PIXELS combines both axes of the picture. */
typedef enum chi_axis { CHI_LINES, CHI_SAMPLES, CHI_BANDS, CHI_PIXELS } chi_axis;

/* The data set that fetch reads: chi_cube_source.handle. */
typedef struct chi_cube_set {
    int dims;
    chi_axis axes[3]; /* meaning of its dimensions, the slowest first */
    int64_t sizes[3];
    ch_value_type type;
    int64_t file_bytes;
    hid_t file, set; /* open while values are read, else -1 */
    H5E_auto2_t print;
    void *print_user;
} chi_cube_set;

/* chi_cube_enter() opens the file with HDF5's own messages off; chi_cube_leave() turns them on
 * again. */
ch_status chi_cube_enter(ch_context *context, chi_cube_set *set, const char *path);
void chi_cube_leave(chi_cube_set *set);

/* Finds the data set of an open file. Fills set, source->var and the facts about the cube
 * (hdf5_layout.c). */
ch_status chi_cube_find_set(ch_context *context, chi_cube_source *source, chi_cube_set *set,
                            const char *path, const ch_cube_open_settings *settings);
