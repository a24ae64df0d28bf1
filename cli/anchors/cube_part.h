/* Reads the matrix of a result folder of `conehull unmix`, which is a part of a cube. */
#pragma once

#include "common/matrix_input.h"

/* Returns whether `conehull unmix` wrote this folder. */
int cli_folder_is_of_cube(const char *folder);

/* Reads the part of the cube `file` that unmix used: the bands listed in unmix.json and, if the
 * folder has pixels.txt, the pixels listed there. Prints errors and returns the exit code. */
int cli_cube_part_read(cli_input *input, const cli_session *session, const char *file,
                       const char *folder);
