/* The inner loops over contiguous numbers, as a table that is chosen once by what the processor
 * can do. kernels_portable.c is the reference that every other table is tested against.
 *
 * Promises of every table, on which "the same bits whatever the path" rests: what comes out for
 * one column depends on that column and d alone, not on its neighbours, its alignment or the
 * number of columns. Pointers need the alignment of their type only; count may be 0. */
#ifndef CONEHULL_KERNELS_H
#define CONEHULL_KERNELS_H

#include <conehull/matrix.h>

enum { CHI_PREPARED_EXTRA = 64 };

/* Loops over values of one storage type; x is const T *, widened to double in registers. */
typedef struct chi_typed_kernels {
    /* sums[j] += sum_i d[i] x[i + j * stride] for j < columns, i < count <= chunk. d is what
     * prepare() made of the vector, or the vector itself where prepare is NULL. */
    void (*dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                 int64_t count);
    /* prepared has room for CHI_PREPARED_EXTRA + count doubles and is aligned to 64 bytes. */
    void (*prepare)(double *prepared, const double *d, int64_t count);
    int64_t chunk; /* rows per call; sums of longer columns are added chunk by chunk         */
    int64_t group; /* columns whose chunk should stay in the cache while vectors take turns  */
    /* The same for rows of columns: sums[j] += sum_i d[i] x[i * stride + j] for j < columns,
     * i < count. Between calls for one column count is a multiple of 4, or of chunk where there is
     * a prepare(). */
    void (*row_dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                     int64_t count);
    /* sum_e d[index[e]] x[e] */
    double (*gather)(const double *d, const int32_t *index, const void *x, int64_t count);
    /* *sum += sum_i x[i], *square += sum_i x[i]^2 */
    void (*moments)(double *sum, double *square, const void *x, int64_t count);
    /* sums[j] += sum_i x[i * stride + j], squares alike, i < count, j < columns */
    void (*row_moments)(double *sums, double *squares, const void *x, int64_t stride,
                        int64_t columns, int64_t count);
    /* y[i] = x[i] */
    void (*widen)(double *y, const void *x, int64_t count);
    /* The first i with x[i] NaN, infinite or negative, or count */
    int64_t (*first_bad)(const void *x, int64_t count);
    int64_t (*nonzeros)(const void *x, int64_t count);
} chi_typed_kernels;

typedef struct chi_kernels {
    const char *name;
    int (*usable)(void); /* on this processor */
    double (*dot)(const double *x, const double *y, int64_t count);
    double (*sum_abs)(const double *x, int64_t count);
    void (*axpy)(double *y, double a, const double *x, int64_t count);
    chi_typed_kernels typed[4]; /* by ch_value_type */
} chi_kernels;

/* All tables of this build, best first, closed by NULL; the last one is portable. */
extern const chi_kernels *const chi_kernel_tables[];

/* The table in use: the first usable one, unless chi_kernels_use() said otherwise. */
const chi_kernels *chi_kernels_get(void);

/* For tests: takes the table of this name (NULL: the first usable one again). 0 when it is
 * unknown or not usable here. Not while other threads compute. */
int chi_kernels_use(const char *name);

/* Dense vectors of doubles, by the kernel chosen at run time. */
double chi_dot(const double *x, const double *y, int64_t count);
double chi_sum_abs(const double *x, int64_t count);
void chi_axpy(double *y, double a, const double *x, int64_t count); /* y += a x */

/* 1: any processor, 2: AVX2 and FMA, 3: AVX-512 (F, BW, DQ, VL). */
int chi_processor_level(void);

#endif
