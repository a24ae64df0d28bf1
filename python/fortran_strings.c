/* The one function of the Fortran run-time that the few LAPACK routines we use need: OpenBLAS's
 * archive is linked into the Python package's library, and libgfortran is not to come with it.
 *
 *     destination = left // right,  cut or filled with blanks to its length (Fortran
 * 2018, 10.2.1.3) */
#include <stddef.h>

void _gfortran_concat_string(size_t length, char *destination, size_t left_length, const char *left,
                             size_t right_length, const char *right);

void _gfortran_concat_string(size_t length, char *destination, size_t left_length, const char *left,
                             size_t right_length, const char *right) {
    for (size_t i = 0; i < length; i++) {
        int in_left = i < left_length, in_right = !in_left && i - left_length < right_length;
        destination[i] = in_left ? left[i] : in_right ? right[i - left_length] : ' ';
    }
}
