/* The cone A = [a_1 ... a_k], which grows by one anchor at a time: its columns, rows, sums and Gram
 * matrix.
 *
 * A is stored twice in double precision: by columns for products, and by rows, so that the support
 * of a sparse data column is gathered in whole cache lines. The rows are padded with zeros to a
 * multiple of eight. A third copy in single precision is used for starting points, which need not
 * be exact. Appending an anchor costs O(rows * count), mainly for its row of the Gram matrix, or
 * O(rows + nonzeros * count) if the anchor is sparse. */
#include "project/cone.h"

#include <math.h>
#include <string.h>

enum { ROW_PAD = 8 }; /* doubles in a cache line; loops may read this far past the anchors */
/* Columns of at least this many rows are copied by several threads: a new column is mostly first
 * accesses to memory. */
enum { LONG = 1 << 13 };
enum { SPARSE = 4 }; /* anchors with fewer than rows / 4 non-zeros are multiplied by rows */

ch_status chi_cone_create(ch_context *context, chi_cone *cone, int64_t rows, int64_t capacity) {
    chi_arena *arena = &cone->arena;
    *cone =
        (chi_cone){.arena = {.context = context},
                   .rows = rows,
                   .capacity = capacity,
                   .At_stride = (capacity + ROW_PAD - 1) / ROW_PAD * ROW_PAD,
                   .narrow_stride = (rows + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD,
                   .kernels = chi_kernels_of(context)};
    cone->A = chi_arena_doubles(arena, rows * capacity);
    cone->At = chi_arena_alloc_zero(arena, rows * cone->At_stride, sizeof *cone->At);
    cone->narrow = chi_arena_alloc(arena, cone->narrow_stride * capacity, sizeof *cone->narrow);
    cone->narrow_unit = chi_arena_doubles(arena, capacity);
    cone->narrow_exact = chi_arena_alloc(arena, capacity, sizeof *cone->narrow_exact);
    cone->sums = chi_arena_alloc_zero(arena, cone->At_stride, sizeof *cone->sums);
    cone->first = chi_arena_alloc(arena, rows, sizeof *cone->first);
    cone->gram = chi_arena_alloc_zero(arena, capacity * capacity + ROW_PAD, sizeof *cone->gram);
    ch_status status = chi_arena_status(arena, "the anchors");
    for (int64_t i = 0; status == CH_OK && i < rows; i++) cone->first[i] = CHI_NO_ANCHOR;
    if (status < 0) chi_cone_destroy(cone);
    return status;
}

static int is_origin(const chi_cone *cone) {
    int64_t i = 0;
    while (i < cone->rows && cone->A[i] == 0) i++;
    return i == cone->rows - 1;
}

/* A new column and its largest entry; column is NULL instead of a sum below CHI_ANCHOR_LEAST. */
typedef struct entries {
    chi_cone *cone;
    int64_t k;
    const double *column;
    double largest;
} entries;

/* Sets the sum of column k. */
static entries survey_column(chi_cone *cone, int64_t k, const double *a) {
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < cone->rows; i++) {
        largest = a[i] > largest ? a[i] : largest;
        sum += a[i];
    }
    int counts = !(sum < CHI_ANCHOR_LEAST);
    cone->sums[k] = counts ? sum : 0;
    return (entries){cone, k, counts ? a : NULL, counts ? largest : 0};
}

/* Stores the column in A. */
static void set_entries(const entries *e) {
    chi_cone *cone = e->cone;
    double *to = cone->A + e->k * cone->rows;
    if (e->column)
        memcpy(to, e->column, (size_t)cone->rows * sizeof *to);
    else
        memset(to, 0, (size_t)cone->rows * sizeof *to);
    if (e->k == 0) cone->origin = is_origin(cone);
}

/* Stores the column in single precision. */
static void set_narrow(const entries *e) {
    chi_cone *cone = e->cone;
    int64_t m = cone->rows, rounded = 0;
    const double *a = e->column;
    float *narrow = cone->narrow + e->k * cone->narrow_stride;
    int exponent;
    frexp(e->largest, &exponent);
    double unit = ldexp(1, -exponent);
    if (a) {
#pragma omp simd reduction(+ : rounded)
        for (int64_t i = 0; i < m; i++) {
            narrow[i] = (float)(a[i] * unit);
            rounded += narrow[i] != a[i] * unit;
        }
    }
    cone->narrow_exact[e->k] = rounded == 0;
    for (int64_t i = a ? m : 0; i < cone->narrow_stride; i++) narrow[i] = 0;
    cone->narrow_unit[e->k] = unit;
}

/* Copies rows [lo, hi) of column k, given as a, to At, where these entries are zero before. */
static void set_rows(chi_cone *cone, int64_t k, const double *a, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++) {
        if (a[i] == 0) continue;
        cone->At[i * cone->At_stride + k] = a[i];
        if (cone->first[i] == CHI_NO_ANCHOR) cone->first[i] = (int32_t)k;
    }
}

/* The three copies of a column, which do not depend on each other. */
enum { COPIES = 3 };

static void set_copy(void *user, int64_t copy, int thread) {
    const entries *e = user;
    (void)thread;
    if (copy == 0) set_entries(e);
    if (copy == 1 && e->column) set_rows(e->cone, e->k, e->column, 0, e->cone->rows);
    if (copy == 2) set_narrow(e);
}

/* Computes the products of column k, which has few non-zeros, with itself and the columns before
 * it. */
static void multiply_sparse(const chi_cone *cone, int64_t k) {
    const double *a = cone->A + k * cone->rows;
    double *products = cone->gram + k * cone->capacity;
    memset(products, 0, (size_t)(k + 1) * sizeof *products);
    for (int64_t i = 0; i < cone->rows; i++) {
        if (a[i] == 0) continue;
        const double *row = cone->At + i * cone->At_stride;
        for (int64_t j = 0; j <= k; j++) products[j] += a[i] * row[j];
    }
}

/* The same for any column. */
static void set_products(const chi_cone *cone, int64_t k) {
    int64_t m = cone->rows, nonzeros = 0;
    const double *a = cone->A + k * m;
    for (int64_t i = 0; i < m; i++) nonzeros += a[i] != 0;
    if (nonzeros >= m / SPARSE)
        cone->kernels->dense->dot_columns(cone->gram + k * cone->capacity, a, cone->A, m, k + 1, m);
    else
        multiply_sparse(cone, k);
}

static void mirror_products(chi_cone *cone, int64_t k) {
    int64_t ld = cone->capacity;
    for (int64_t j = 0; j < k; j++) cone->gram[k + j * ld] = cone->gram[j + k * ld];
}

void chi_cone_append(chi_cone *cone, const double *a) {
    int64_t k = cone->count++;
    entries e = survey_column(cone, k, a);
    if (cone->rows >= LONG)
        chi_parallel(cone->arena.context, COPIES, set_copy, &e);
    else
        for (int64_t copy = 0; copy < COPIES; copy++) set_copy(&e, copy, 0);
    set_products(cone, k);
    mirror_products(cone, k);
}

void chi_cone_append_rows(chi_cone *cone, const double *a) {
    int64_t k = cone->count++;
    entries e = survey_column(cone, k, a);
    set_entries(&e);
    if (e.column) set_rows(cone, k, a, 0, cone->rows);
}

/* ---- some rows of another cone ------------------------------------------------------------- */

/* Copies rows of another cone to At, and adds them up. Returns 0 if an anchor that is not zero has
 * a sum below CHI_ANCHOR_LEAST. */
static int copy_rows(chi_cone *cone, const chi_cone *from, const int32_t *row, const double *ones) {
    int64_t stride = cone->At_stride, width = (cone->count + ROW_PAD - 1) / ROW_PAD * ROW_PAD;
    int large = 1;
    for (int64_t i = 0; i < cone->rows; i++) {
        const double *source = from->At + row[i] * stride;
        double *to = cone->At + i * stride;
        cone->first[i] = from->first[row[i]];
        for (int64_t k = 0; k < stride; k += ROW_PAD)
            memcpy(to + k, source + k, ROW_PAD * sizeof *to);
    }
    memset(cone->sums, 0, (size_t)width * sizeof *cone->sums);
    cone->kernels->dense->typed[CH_F64].row_dots(cone->sums, ones, cone->At, stride, width,
                                                 cone->rows);
    for (int64_t k = 0; k < cone->count; k++)
        large &= cone->sums[k] == 0 || cone->sums[k] >= CHI_ANCHOR_LEAST;
    return large;
}

/* Copies rows of a column of another cone to `to`, with zeros up to `padded`, and to cone->A. Sets
 * *nonzeros to their number. */
static entries copy_column(chi_cone *cone, const chi_cone *from, int64_t k, const int32_t *row,
                           double *to, int64_t padded, int64_t *nonzeros) {
    int64_t rows = cone->rows, count = 0;
    const double *source = from->A + k * from->rows;
    double most[ROW_PAD] = {0}, largest = 0; /* maxima of vectors */
    for (int64_t i = 0; i < rows; i++) to[i] = source[row[i]];
    for (int64_t i = rows; i < padded; i++) to[i] = 0;
    for (int64_t i = 0; i < rows; i++) count += to[i] != 0;
    for (int64_t i = 0; i < padded; i += ROW_PAD)
        for (int l = 0; l < ROW_PAD; l++) most[l] = to[i + l] > most[l] ? to[i + l] : most[l];
    for (int l = 0; l < ROW_PAD; l++) largest = most[l] > largest ? most[l] : largest;
    *nonzeros = count;
    return (entries){cone, k, cone->sums[k] > 0 ? to : NULL, largest};
}

int chi_cone_take_rows(chi_cone *cone, const chi_cone *from, const int32_t *row, int64_t rows,
                       double *workspace, const double *ones) {
    int64_t padded = chi_cone_padded(rows);
    cone->rows = rows;
    cone->count = from->count;
    cone->narrow_stride = (rows + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
    if (!copy_rows(cone, from, row, ones)) return 0;
    for (int64_t k = 0; k < cone->count; k++) {
        int64_t nonzeros;
        double *column = workspace + k * padded;
        entries e = copy_column(cone, from, k, row, column, padded, &nonzeros);
        set_entries(&e);
        set_narrow(&e);
        if (nonzeros >= rows / SPARSE) /* zeros at the end do not change a sum */
            cone->kernels->dense->dot_columns(cone->gram + k * cone->capacity, column, workspace,
                                              padded, k + 1, padded);
        else
            multiply_sparse(cone, k);
        mirror_products(cone, k);
    }
    return 1;
}

/* ---- products of all columns at once ------------------------------------------------------- */

void chi_cone_multiply(chi_cone *cone, double *products, const double *ones) {
    const double *column[CHI_MULTIPLIED] = {NULL};
    int64_t count = cone->count, ld = cone->capacity;
    if (count > CHI_MULTIPLIED) {
        for (int64_t k = 0; k < count; k++) set_products(cone, k);
    } else {
        for (int64_t k = 0; k < count; k++) column[k] = cone->A + k * cone->rows;
        cone->kernels->gram(products, column, count, ones, cone->rows);
        for (int64_t k = 0; k < count; k++)
            memcpy(cone->gram + k * ld, products + k * count, (size_t)(k + 1) * sizeof *products);
    }
    for (int64_t k = 0; k < count; k++) mirror_products(cone, k);
}

/* ---- many anchors at once ------------------------------------------------------------------ */

enum {
    ROW_BLOCK = 64, /* rows of At that stay in the cache while all columns are copied */
    FEW = 1 << 15   /* with up to this many entries one thread is faster than several */
};

typedef struct fill {
    chi_cone *cone;
    const double *W;
    int rows_only; /* without single precision and products */
} fill;

static void fill_column(void *user, int64_t k, int thread) {
    const fill *f = user;
    (void)thread;
    entries e = survey_column(f->cone, k, f->W + k * f->cone->rows);
    set_entries(&e);
    if (!f->rows_only) set_narrow(&e);
}

static void fill_rows(void *user, int64_t block, int thread) {
    chi_cone *cone = ((const fill *)user)->cone;
    int64_t low = block * ROW_BLOCK;
    int64_t high = low + ROW_BLOCK < cone->rows ? low + ROW_BLOCK : cone->rows;
    (void)thread;
    for (int64_t k = 0; k < cone->count; k++)
        set_rows(cone, k, cone->A + k * cone->rows, low, high);
}

/* Starts with the last column, which has the most products. */
static void fill_products(void *user, int64_t block, int thread) {
    const chi_cone *cone = ((const fill *)user)->cone;
    (void)thread;
    set_products(cone, cone->count - 1 - block);
}

static void fill_copies(ch_context *context, fill *f, int64_t count) {
    f->cone->count = count;
    chi_parallel(context, count, fill_column, f);
    chi_parallel(context, (f->cone->rows + ROW_BLOCK - 1) / ROW_BLOCK, fill_rows, f);
}

void chi_cone_fill(ch_context *context, chi_cone *cone, const double *W, int64_t count) {
    fill f = {cone, W, 0};
    if (cone->rows * count <= FEW) {
        for (int64_t k = 0; k < count; k++) chi_cone_append(cone, W + k * cone->rows);
        return;
    }
    fill_copies(context, &f, count);
    chi_parallel(context, count, fill_products, &f);
    for (int64_t k = 0; k < count; k++) mirror_products(cone, k);
}

void chi_cone_fill_rows(ch_context *context, chi_cone *cone, const double *W, int64_t count) {
    fill f = {cone, W, 1};
    fill_copies(context, &f, count);
}

/* Returns the first anchor that is not zero in row i, or CHI_NO_ANCHOR. */
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
        row[cone->count - 1] = 0; /* the padding must be zero */
    }
    memmove(cone->narrow + k * cone->narrow_stride, cone->narrow + (k + 1) * cone->narrow_stride,
            (size_t)(after * cone->narrow_stride) * sizeof *cone->narrow);
    memmove(cone->narrow_unit + k, cone->narrow_unit + k + 1, tail);
    memmove(cone->narrow_exact + k, cone->narrow_exact + k + 1, tail);
    memmove(cone->sums + k, cone->sums + k + 1, tail);
    memmove(cone->gram + k * ld, cone->gram + (k + 1) * ld, (size_t)ld * tail);
    for (int64_t j = 0; j + 1 < cone->count; j++)
        memmove(cone->gram + j * ld + k, cone->gram + j * ld + k + 1, tail);
    cone->count--;
    cone->shrunk++;
    if (k == 0) cone->origin = cone->count > 0 && is_origin(cone);
    for (int64_t i = 0; i < m; i++) cone->first[i] = first_in_row(cone, i);
}

void chi_cone_destroy(chi_cone *cone) {
    chi_arena_free(&cone->arena);
    *cone = (chi_cone){0};
}
