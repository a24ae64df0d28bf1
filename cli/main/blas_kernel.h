/* The right OpenBLAS kernel for this processor. */
#ifndef CONEHULL_BLAS_KERNEL_H
#define CONEHULL_BLAS_KERNEL_H

/* OpenBLAS chooses its kernel while the program is loaded, and some versions take newer processors
 * for very old ones (2 to 5 times slower). If so, starts the program again with the choice in
 * OPENBLAS_CORETYPE; a value that the user has set stays. Call first in main(). */
void cli_choose_blas_kernel(char **words);

#endif
