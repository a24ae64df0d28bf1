/* The matrix of a folder that `conehull unmix` wrote: the part of the cube that took part. */
#pragma once

#include "common/matrix_input.h"

/* Is this folder one of unmix? */
int cli_folder_is_of_cube(const char *folder);

/* Reads that part of the cube `file`: the bands of unmix.json, the pixels of pixels.txt, where it
 * is there. Complains itself and returns the exit code. */
int cli_cube_part_read(cli_input *input, const cli_session *session, const char *file,
                       const char *folder);
