/* The cone A = [a_1 ... a_k] grown one anchor at a time: columns, rows, sums and Gram matrix.
 *
 * A is kept twice, by columns for products and by rows for gathering the support of a sparse data
 * column with whole cache lines; the rows are padded with zeros to a multiple of eight. A third
 * copy in single precision is for starts, which need not be exact. Appending costs O(rows * count),
 * of which the Gram row is the larger part; for a sparse anchor O(rows + nonzeros * count). */
#include "project/cone.h"

#include <math.h>
#include <string.h>

enum { ROW_PAD = 8 }; /* doubles in a cache line; so far may be read past the anchors */
enum { SPARSE = 4 };  /* anchors with fewer than rows / 4 non-zeros go by their rows */

ch_status chi_cone_create(ch_context *context, chi_cone *cone, int64_t rows, int64_t capacity) {
    int64_t stride = (capacity + ROW_PAD - 1) / ROW_PAD * ROW_PAD;
    *cone = (chi_cone){.rows = rows, .capacity = capacity, .At_stride = stride};
    cone->narrow_stride = (rows + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
    cone->A = chi_alloc(context, rows * capacity, sizeof(double));
    cone->At = chi_alloc_zero(context, rows * stride, sizeof(double));
    cone->narrow = chi_alloc(context, cone->narrow_stride * capacity, sizeof(float));
    cone->narrow_unit = chi_alloc(context, capacity, sizeof(double));
    cone->sums = chi_alloc(context, capacity, sizeof(double));
    cone->first = chi_alloc(context, rows, sizeof *cone->first);
    cone->gram = chi_alloc_zero(context, capacity * capacity + ROW_PAD, sizeof(double));
    if (cone->A && cone->At && cone->narrow && cone->narrow_unit && cone->sums && cone->first &&
        cone->gram) {
        for (int64_t i = 0; i < rows; i++) cone->first[i] = CHI_NO_ANCHOR;
        return CH_OK;
    }
    chi_cone_destroy(context, cone);
    return chi_no_memory(context, "the anchors", 2 * rows * capacity, sizeof(double));
}

/* Row storage and Gram row from the non-zero rows alone; the other rows of At hold zero already. */
static void append_sparse(chi_cone *cone, double *products, const double *a) {
    int64_t k = cone->count;
    memset(products, 0, (size_t)(k + 1) * sizeof *products);
    for (int64_t i = 0; i < cone->rows; i++) {
        if (a[i] == 0) continue;
        double *row = cone->At + i * cone->At_stride;
        row[k] = a[i];
        for (int64_t j = 0; j <= k; j++) products[j] += a[i] * row[j];
    }
}

static void append_dense(chi_cone *cone, double *products, const double *a) {
    int64_t m = cone->rows, k = cone->count;
    for (int64_t i = 0; i < m; i++) cone->At[i * cone->At_stride + k] = a[i];
    for (int64_t j = 0; j <= k; j++) products[j] = chi_dot(cone->A + j * m, a, m);
}

static void append_narrow(chi_cone *cone, const double *a) {
    int64_t k = cone->count;
    float *narrow = cone->narrow + k * cone->narrow_stride;
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < cone->rows; i++) largest = fmax(largest, a[i]);
    frexp(largest, &exponent);
    double unit = ldexp(1, exponent < -1000 ? 1000 : -exponent); /* finite for any column */
    for (int64_t i = 0; i < cone->rows; i++) narrow[i] = (float)(a[i] * unit);
    for (int64_t i = cone->rows; i < cone->narrow_stride; i++) narrow[i] = 0;
    cone->narrow_unit[k] = unit;
}

void chi_cone_append(chi_cone *cone, const double *a) {
    int64_t m = cone->rows, k = cone->count, ld = cone->capacity, nonzeros = 0;
    double *products = cone->gram + k * ld, sum = 0;
    memcpy(cone->A + k * m, a, (size_t)m * sizeof *a);
    for (int64_t i = 0; i < m; i++) {
        nonzeros += a[i] != 0;
        sum += a[i];
        if (a[i] != 0 && cone->first[i] == CHI_NO_ANCHOR) cone->first[i] = (int32_t)k;
    }
    cone->sums[k] = sum;
    append_narrow(cone, a);
    if (nonzeros < m / SPARSE)
        append_sparse(cone, products, a);
    else
        append_dense(cone, products, a);
    for (int64_t j = 0; j < k; j++) cone->gram[k + j * ld] = products[j];
    cone->count = k + 1;
}

/* The first anchor that row i is not zero in. */
static int32_t first_in_row(const chi_cone *cone, int64_t i) {
    const double *row = cone->At + i * cone->At_stride;
    for (int64_t j = 0; j < cone->count; j++)
        if (row[j] != 0) return (int32_t)j;
    return CHI_NO_ANCHOR;
}

void chi_cone_remove(chi_cone *cone, int64_t k) {
    int64_t m = cone->rows, after = cone->count - 1 - k, ld = cone->capacity;
    size_t tail = (size_t)after * sizeof(double);
    memmove(cone->A + k * m, cone->A + (k + 1) * m, (size_t)m * tail);
    for (int64_t i = 0; i < m; i++) {
        double *row = cone->At + i * cone->At_stride;
        memmove(row + k, row + k + 1, tail);
        row[cone->count - 1] = 0; /* the padding stays zero */
    }
    memmove(cone->narrow + k * cone->narrow_stride, cone->narrow + (k + 1) * cone->narrow_stride,
            (size_t)(after * cone->narrow_stride) * sizeof *cone->narrow);
    memmove(cone->narrow_unit + k, cone->narrow_unit + k + 1, tail);
    memmove(cone->sums + k, cone->sums + k + 1, tail);
    memmove(cone->gram + k * ld, cone->gram + (k + 1) * ld, (size_t)ld * tail);
    for (int64_t j = 0; j + 1 < cone->count; j++)
        memmove(cone->gram + j * ld + k, cone->gram + j * ld + k + 1, tail);
    cone->count--;
    for (int64_t i = 0; i < m; i++) cone->first[i] = first_in_row(cone, i);
}

void chi_cone_destroy(ch_context *context, chi_cone *cone) {
    chi_free(context, cone->A);
    chi_free(context, cone->At);
    chi_free(context, cone->narrow);
    chi_free(context, cone->narrow_unit);
    chi_free(context, cone->sums);
    chi_free(context, cone->first);
    chi_free(context, cone->gram);
    *cone = (chi_cone){0};
}
