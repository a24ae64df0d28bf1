/* The median filter: y_j is the lower median of column j, or at each row the lower median of a
 * window of rows. The lower median is the smallest minimiser of sum_i |x_ij - h| over h, so it is
 * the paper's method at rank 1 with w = 1 (Section 5.3).
 *
 * Whole columns of bytes: the eight bits of the median are found from the top, each by counting the
 * values below a bound. 64 columns (or 64 rows of one column) are counted at once, in bytes,
 * without histogram or branch: about 8 * 3 / 32 operations per value with AVX2. Windows of bytes:
 * running histograms, O(1) per value (median_window.c). Other numbers: selection, O(1) per value on
 * average, or ranks, O(log rows) per value.
 *
 * Threads take blocks of columns. A block is copied so that its columns, or its lines of 64, are
 * contiguous: frames of a video are often a multiple of 4096 bytes apart, and then the entries of a
 * column would compete for a few cache lines. */
#include "base/arena.h"
#include "base/sized.h"
#include "baseline/median/median.h"
#include "linalg/linalg.h"
#include <conehull/decompose.h>
#include <string.h>

enum {
    BLOCK = 256, /* columns; a multiple of 64 */
    ROUND = 64   /* blocks between two calls of the progress callback */
};

typedef struct work {
    uint8_t *in, *out; /* rows (rounded up to whole lines) x BLOCK; out: results of windows */
    double *values;    /* rows x BLOCK                                                      */
    double *x, *y;     /* rows                                                              */
    chi_median_work ranks;
} work;

typedef struct filter {
    ch_context *context;
    const ch_matrix *X;
    void *Y;
    int64_t rows, cols, radius, first; /* first: the first block of this round */
    chi_count_below *count_below;
    void (*block)(struct filter *f, work *w, int64_t lo, int64_t hi);
    work *works; /* one per thread */
    chi_arena arena;
} filter;

static int64_t padded(int64_t rows) {
    return (rows + CHI_COUNTED_AT_ONCE - 1) / CHI_COUNTED_AT_ONCE * CHI_COUNTED_AT_ONCE;
}

/* Finds the bits of the medians of 64 lanes, or with `together` of all lanes as one column. */
static void find_bits(const filter *f, uint8_t *bits, const uint8_t *lines, int64_t count,
                      int together) {
    int64_t at = (f->rows - 1) / 2;
    memset(bits, 0, CHI_COUNTED_AT_ONCE);
    for (int bit = 128; bit > 0; bit /= 2) {
        uint8_t bound[CHI_COUNTED_AT_ONCE];
        uint32_t below[CHI_COUNTED_AT_ONCE] = {0};
        for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++) bound[l] = (uint8_t)(bits[l] | bit);
        f->count_below(below, lines, bound, count);
        if (together) {
            uint32_t sum = 0;
            for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++) sum += below[l];
            if (sum <= at) memcpy(bits, bound, CHI_COUNTED_AT_ONCE);
        } else {
            for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++)
                bits[l] = below[l] <= at ? bound[l] : bits[l];
        }
    }
}

/* Medians of whole columns of bytes, row-major: works on strips of 64 columns. */
static void bytes_by_rows(filter *f, work *w, int64_t lo, int64_t hi) {
    const uint8_t *x = f->X->values;
    int64_t strip = f->rows * CHI_COUNTED_AT_ONCE;
    for (int64_t i = 0; i < f->rows; i++)
        for (int64_t j = lo; j < hi; j += CHI_COUNTED_AT_ONCE)
            memcpy(w->in + (j - lo) / CHI_COUNTED_AT_ONCE * strip + i * CHI_COUNTED_AT_ONCE,
                   x + i * f->X->stride + j,
                   (size_t)(hi - j < CHI_COUNTED_AT_ONCE ? hi - j : CHI_COUNTED_AT_ONCE));
    for (int64_t j = lo; j < hi; j += CHI_COUNTED_AT_ONCE) {
        uint8_t bits[CHI_COUNTED_AT_ONCE];
        find_bits(f, bits, w->in + (j - lo) / CHI_COUNTED_AT_ONCE * strip, f->rows, 0);
        memcpy((uint8_t *)f->Y + j, bits,
               (size_t)(hi - j < CHI_COUNTED_AT_ONCE ? hi - j : CHI_COUNTED_AT_ONCE));
    }
}

/* The same, column-major: a column becomes lines of 64 rows; the last line is padded with the
 * largest value. */
static void bytes_by_columns(filter *f, work *w, int64_t lo, int64_t hi) {
    const uint8_t *x = f->X->values;
    memset(w->in, 255, (size_t)padded(f->rows));
    for (int64_t j = lo; j < hi; j++) {
        uint8_t bits[CHI_COUNTED_AT_ONCE];
        memcpy(w->in, x + j * f->X->stride, (size_t)f->rows);
        find_bits(f, bits, w->in, padded(f->rows) / CHI_COUNTED_AT_ONCE, 1);
        ((uint8_t *)f->Y)[j] = bits[0];
    }
}

/* to[i + j * to_stride] = from[i * stride + j], in squares that fit in the cache. */
static void turn(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t stride, int64_t rows,
                 int64_t cols) {
    enum { SQUARE = 32 };
    for (int64_t top = 0; top < rows; top += SQUARE)
        for (int64_t left = 0; left < cols; left += SQUARE) {
            int64_t bottom = top + SQUARE < rows ? top + SQUARE : rows;
            int64_t right = left + SQUARE < cols ? left + SQUARE : cols;
            for (int64_t j = left; j < right; j++)
                for (int64_t i = top; i < bottom; i++) to[i + j * to_stride] = from[i * stride + j];
        }
}

static void window_by_rows(filter *f, work *w, int64_t lo, int64_t hi) {
    const uint8_t *x = f->X->values;
    turn(w->in, f->rows, x + lo, f->X->stride, f->rows, hi - lo);
    for (int64_t j = 0; j < hi - lo; j++)
        chi_median_window_bytes(w->out + j * f->rows, w->in + j * f->rows, f->rows, f->radius);
    turn((uint8_t *)f->Y + lo, f->cols, w->out, f->rows, hi - lo, f->rows);
}

static void window_by_columns(filter *f, work *w, int64_t lo, int64_t hi) {
    const uint8_t *x = f->X->values;
    (void)w;
    for (int64_t j = lo; j < hi; j++)
        chi_median_window_bytes((uint8_t *)f->Y + j * f->rows, x + j * f->X->stride, f->rows,
                                f->radius);
}

#define STORE(T) ((T *)values)[at] = (T)value;

static void store(void *values, ch_value_type type, int64_t at, double value) {
    CHI_BY_TYPE(type, STORE)
}

/* Medians of numbers of any type, by selection or ranks. */
static void numbers(filter *f, work *w, int64_t lo, int64_t hi) {
    int by_rows = f->X->layout == CH_ROW_MAJOR;
    int64_t step = by_rows ? hi - lo : 1, column = by_rows ? 1 : f->rows;
    chi_block_gather(w->values, f->X, lo, hi);
    for (int64_t j = lo; j < hi; j++) {
        const double *x = w->values + (j - lo) * column;
        for (int64_t i = 0; i < f->rows; i++) w->x[i] = x[i * step];
        if (f->radius == 0) {
            store(f->Y, f->X->type, j, chi_select_value(w->x, f->rows, (f->rows - 1) / 2));
            continue;
        }
        chi_median_window(&w->ranks, w->y, w->x, f->rows, f->radius);
        for (int64_t i = 0; i < f->rows; i++)
            store(f->Y, f->X->type, by_rows ? i * f->cols + j : i + j * f->rows, w->y[i]);
    }
}

static void run_block(void *user, int64_t block, int thread) {
    filter *f = user;
    int64_t lo = (f->first + block) * BLOCK, hi = lo + BLOCK < f->cols ? lo + BLOCK : f->cols;
    f->block(f, &f->works[thread], lo, hi);
}

static void select_block(filter *f) {
    int bytes = f->X->type == CH_U8 && f->X->layout != CH_CSC;
    int by_rows = f->X->layout == CH_ROW_MAJOR;
    if (!bytes)
        f->block = numbers;
    else if (f->radius == 0)
        f->block = by_rows ? bytes_by_rows : bytes_by_columns;
    else
        f->block = by_rows ? window_by_rows : window_by_columns;
}

static ch_status reserve(filter *f) {
    chi_arena *arena = &f->arena;
    int threads = ch_context_threads(f->context), wide = f->block == numbers;
    int64_t bytes = wide ? 0 : padded(f->rows), rows = wide ? padded(f->rows) : 0;
    int64_t out = f->block == window_by_rows ? bytes : 0;
    f->works = chi_arena_alloc(arena, threads, sizeof *f->works);
    for (int t = 0; t < threads && f->works; t++)
        f->works[t] =
            (work){.in = chi_arena_alloc_zero(arena, bytes, BLOCK),
                   .out = chi_arena_alloc(arena, out, BLOCK),
                   .values = chi_arena_alloc(arena, rows, BLOCK * sizeof(double)),
                   .x = chi_arena_doubles(arena, rows),
                   .y = chi_arena_doubles(arena, rows),
                   .ranks = {.order = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                             .spare = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                             .rank = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                             .occupied = chi_arena_alloc(arena, rows / 64, sizeof(uint64_t))}};
    return chi_arena_status(arena, "the median filter");
}

static ch_status run(filter *f) {
    int64_t blocks = (f->cols + BLOCK - 1) / BLOCK;
    for (; f->first < blocks; f->first += ROUND) {
        int64_t left = blocks - f->first;
        int last = left <= ROUND;
        chi_parallel(f->context, last ? left : ROUND, run_block, f);
        int64_t done = last ? f->cols : (f->first + ROUND) * BLOCK;
        if (chi_notify(f->context, "median", done, f->cols, -1, 0) && !last)
            return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

ch_status ch_median_filter(ch_context *context, ch_matrix *Y, const ch_matrix *X,
                           const ch_median_settings *settings) {
    TRY(chi_check_view(context, X));
    ch_median_settings set;
    TRY(chi_settings_take(context, &set, ch_median_table(), settings));
    TRY(chi_matrix_check_signed(context, X));
    filter f = {.context = context,
                .arena.context = context,
                .X = X,
                .rows = X->rows,
                .cols = X->cols,
                .radius = set.radius,
                .count_below = chi_kernels_of(context)->count_below};
    ch_matrix_layout layout = f.radius ? X->layout : CH_COLUMN_MAJOR;
    int64_t made = f.radius ? f.rows : 1;
    if (layout == CH_CSC) layout = CH_COLUMN_MAJOR;
    select_block(&f);
    f.Y = chi_alloc(context, made, (size_t)f.cols * ch_value_type_size(X->type));
    ch_status status =
        f.Y ? reserve(&f)
            : chi_no_memory(context, "medians", made * f.cols, ch_value_type_size(X->type));
    if (status == CH_OK) status = run(&f);
    chi_arena_free(&f.arena);
    if (status != CH_OK) chi_free(context, f.Y);
    if (status < 0) return status;
    *Y = status == CH_OK ? chi_matrix_owned(f.Y, made, f.cols, layout, X->type) : (ch_matrix){0};
    return status;
}
