/* Passes over a matrix and sums over vectors (chi_dense_loops). They use the vector types of the
 * compiler, so the source is the same for every width, and any width can be tested on any
 * processor.
 *
 * A sum is accumulated in lanes, and in dot products in two independent vectors of lanes, which
 * hides the latency of the multiply-add. The remainder at the end is padded with zeros and goes
 * through the same steps. So the order of summation depends on the count alone. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

INLINE vec load_f64(const double *x) {
    return vec_load(x);
}

/* Prefetches the cache line at x + bytes, which need not be inside the matrix. The rows of a strip
 * are too short for the processor to predict that the next rows will be needed. */
INLINE void fetch(const void *x, int64_t bytes) {
    __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)bytes));
}

enum { LINE = 64 }; /* bytes of a cache line */

/* Loops for a storage type T. part_ loads fewer than LANES values and fills the vector with 0. */
#define TYPED(T, name)                                                                \
    INLINE vec part_##name(const T *x, int64_t count) {                               \
        T padded[LANES] = {0};                                                        \
        memcpy(padded, x, (size_t)count * sizeof(T));                                 \
        return load_##name(padded);                                                   \
    }                                                                                 \
    static double gather_##name(const double *d, const int32_t *index, const void *x, \
                                int64_t count) {                                      \
        const T *v = x;                                                               \
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                        \
        int64_t e = 0;                                                                \
        for (; e + 4 <= count; e += 4) {                                              \
            s0 += d[index[e]] * (double)v[e];                                         \
            s1 += d[index[e + 1]] * (double)v[e + 1];                                 \
            s2 += d[index[e + 2]] * (double)v[e + 2];                                 \
            s3 += d[index[e + 3]] * (double)v[e + 3];                                 \
        }                                                                             \
        for (; e < count; e++) s0 += d[index[e]] * (double)v[e];                      \
        return (s0 + s1) + (s2 + s3);                                                 \
    }                                                                                 \
    static int64_t nonzeros_##name(const void *x, int64_t count) {                    \
        const T *v = x;                                                               \
        int64_t found = 0;                                                            \
        for (int64_t i = 0; i < count; i++) found += v[i] != 0;                       \
        return found;                                                                 \
    }

/* Sums within columns, in double, for all types but u8. */
#define COLUMNS(T, name)                                                                       \
    INLINE void dot4_##name(double *sums, const double *d, const T *a, const T *b, const T *c, \
                            const T *e, int64_t count) {                                       \
        vec s[4][2] = {0};                                                                     \
        int64_t i = 0;                                                                         \
        for (; i + 2 * LANES <= count; i += 2 * LANES) {                                       \
            vec low = load_f64(d + i), high = load_f64(d + i + LANES);                         \
            s[0][0] += low * load_##name(a + i), s[0][1] += high * load_##name(a + i + LANES); \
            s[1][0] += low * load_##name(b + i), s[1][1] += high * load_##name(b + i + LANES); \
            s[2][0] += low * load_##name(c + i), s[2][1] += high * load_##name(c + i + LANES); \
            s[3][0] += low * load_##name(e + i), s[3][1] += high * load_##name(e + i + LANES); \
        }                                                                                      \
        for (int chain = 0; i < count; i += LANES, chain++) {                                  \
            int64_t left = count - i < LANES ? count - i : LANES;                              \
            vec low = part_f64(d + i, left);                                                   \
            s[0][chain] += low * part_##name(a + i, left);                                     \
            s[1][chain] += low * part_##name(b + i, left);                                     \
            s[2][chain] += low * part_##name(c + i, left);                                     \
            s[3][chain] += low * part_##name(e + i, left);                                     \
        }                                                                                      \
        for (int k = 0; k < 4; k++) sums[k] = vec_fold(s[k][0] + s[k][1]);                     \
    }                                                                                          \
    /* Four columns at a time; missing ones repeat the last, and their sums are not used. */   \
    static void dots_##name(double *sums, const double *d, const void *x, int64_t stride,      \
                            int64_t columns, int64_t count) {                                  \
        const T *v = x;                                                                        \
        for (int64_t j = 0; j < columns; j += 4) {                                             \
            int64_t last = columns - 1 - j;                                                    \
            const T *a = v + j * stride, *b = last > 0 ? a + stride : a;                       \
            const T *c = last > 1 ? b + stride : b, *e = last > 2 ? c + stride : c;            \
            double four[4];                                                                    \
            dot4_##name(four, d, a, b, c, e, count);                                           \
            for (int64_t k = 0; k < 4 && k <= last; k++) sums[j + k] += four[k];               \
        }                                                                                      \
    }                                                                                          \
    static void moments_##name(double *sum, double *square, const void *x, int64_t count) {    \
        const T *v = x;                                                                        \
        vec s[4] = {0}, q[4] = {0};                                                            \
        int64_t i = 0;                                                                         \
        for (; i + 4 * LANES <= count; i += 4 * LANES)                                         \
            for (int k = 0; k < 4; k++) {                                                      \
                vec y = load_##name(v + i + k * LANES);                                        \
                s[k] += y;                                                                     \
                q[k] += y * y;                                                                 \
            }                                                                                  \
        for (; i < count; i += LANES) {                                                        \
            vec y = part_##name(v + i, count - i < LANES ? count - i : LANES);                 \
            s[0] += y;                                                                         \
            q[0] += y * y;                                                                     \
        }                                                                                      \
        *sum += vec_fold((s[0] + s[1]) + (s[2] + s[3]));                                       \
        *square += vec_fold((q[0] + q[1]) + (q[2] + q[3]));                                    \
    }

/* Sums over rows, four rows at a time, in double, for all types but u8. Missing rows repeat the
 * last one with weight 0. */
#define ROWS(T, name)                                                                              \
    INLINE void row_dot4_##name(double *sums, const double *d, const T *a, const T *b, const T *c, \
                                const T *e, int64_t ahead, int64_t columns) {                      \
        vec da = vec_all(d[0]), db = vec_all(d[1]), dc = vec_all(d[2]), de = vec_all(d[3]);        \
        int64_t j = 0;                                                                             \
        for (; j + LANES <= columns; j += LANES) {                                                 \
            if (j * (int64_t)sizeof(T) % LINE == 0)                                                \
                for (int r = 0; r < 4; r++) fetch(a + j, (4 + r) * ahead);                         \
            vec s = load_f64(sums + j);                                                            \
            s += da * load_##name(a + j);                                                          \
            s += db * load_##name(b + j);                                                          \
            s += dc * load_##name(c + j);                                                          \
            s += de * load_##name(e + j);                                                          \
            vec_store(sums + j, s);                                                                \
        }                                                                                          \
        if (j == columns) return;                                                                  \
        vec s = part_f64(sums + j, columns - j);                                                   \
        s += da * part_##name(a + j, columns - j);                                                 \
        s += db * part_##name(b + j, columns - j);                                                 \
        s += dc * part_##name(c + j, columns - j);                                                 \
        s += de * part_##name(e + j, columns - j);                                                 \
        memcpy(sums + j, &s, (size_t)(columns - j) * sizeof(double));                              \
    }                                                                                              \
    static void row_dots_##name(double *sums, const double *d, const void *x, int64_t stride,      \
                                int64_t columns, int64_t count) {                                  \
        for (int64_t i = 0; i < count; i += 4) {                                                   \
            int64_t last = count - 1 - i;                                                          \
            const T *a = (const T *)x + i * stride, *b = last > 0 ? a + stride : a;                \
            const T *c = last > 1 ? b + stride : b, *e = last > 2 ? c + stride : c;                \
            double four[4] = {0};                                                                  \
            memcpy(four, d + i, (size_t)(last < 3 ? last + 1 : 4) * sizeof(double));               \
            row_dot4_##name(sums, four, a, b, c, e, stride *(int64_t)sizeof(T), columns);          \
        }                                                                                          \
    }                                                                                              \
    /* b may be NULL if there is only one row. */                                                  \
    INLINE void row_moment2_##name(double *sums, double *squares, const T *a, const T *b,          \
                                   int64_t ahead, int64_t columns) {                               \
        int64_t j = 0;                                                                             \
        for (; j + LANES <= columns; j += LANES) {                                                 \
            if (j * (int64_t)sizeof(T) % LINE == 0)                                                \
                fetch(a + j, 2 * ahead), fetch(a + j, 3 * ahead);                                  \
            vec x = load_##name(a + j), y = b ? load_##name(b + j) : (vec){0};                     \
            vec_store(sums + j, load_f64(sums + j) + x + y);                                       \
            vec_store(squares + j, load_f64(squares + j) + x * x + y * y);                         \
        }                                                                                          \
        if (j == columns) return;                                                                  \
        int64_t left = columns - j;                                                                \
        vec x = part_##name(a + j, left), y = b ? part_##name(b + j, left) : (vec){0};             \
        vec s = part_f64(sums + j, left) + x + y;                                                  \
        vec q = part_f64(squares + j, left) + x * x + y * y;                                       \
        memcpy(sums + j, &s, (size_t)left * sizeof(double));                                       \
        memcpy(squares + j, &q, (size_t)left * sizeof(double));                                    \
    }                                                                                              \
    static void row_moments_##name(double *sums, double *squares, const void *x, int64_t stride,   \
                                   int64_t columns, int64_t count) {                               \
        for (int64_t i = 0; i < count; i += 2) {                                                   \
            const T *a = (const T *)x + i * stride;                                                \
            int64_t ahead = stride * (int64_t)sizeof(T);                                           \
            if (i + 1 < count)                                                                     \
                row_moment2_##name(sums, squares, a, a + stride, ahead, columns);                  \
            else                                                                                   \
                row_moment2_##name(sums, squares, a, NULL, ahead, columns);                        \
        }                                                                                          \
    }

/* Finds the first value that is negative, NaN or infinite: NaN fails the first comparison, infinity
 * the second. Eight vectors are tested together; values are tested one by one only in the first
 * group that has a bad one, and at the end. */
#define FIRST_BAD(T, name, largest)                                       \
    static int64_t first_bad_##name(const void *x, int64_t count) {       \
        const T *v = x;                                                   \
        int64_t i = 0;                                                    \
        for (; i + 8 * LANES <= count; i += 8 * LANES) {                  \
            vec_i64 good = ~(vec_i64){0};                                 \
            for (int k = 0; k < 8; k++) {                                 \
                vec y = load_##name(v + i + k * LANES);                   \
                good &= (y >= 0.0) & (y <= (double)largest);              \
            }                                                             \
            int64_t worst = -1;                                           \
            for (int lane = 0; lane < LANES; lane++) worst &= good[lane]; \
            if (!worst) break;                                            \
        }                                                                 \
        while (i < count && v[i] >= 0 && v[i] <= largest) i++;            \
        return i;                                                         \
    }

TYPED(double, f64)
TYPED(float, f32)
TYPED(uint8_t, u8)
TYPED(uint16_t, u16)
COLUMNS(double, f64)
COLUMNS(float, f32)
COLUMNS(uint16_t, u16)
ROWS(double, f64)
ROWS(float, f32)
ROWS(uint16_t, u16)
FIRST_BAD(double, f64, __DBL_MAX__)
FIRST_BAD(float, f32, __FLT_MAX__)

/* Bytes arrive faster than they can be converted to double. So d is written in fixed point, as four
 * digits in base 2^15 that are stored in 16-bit numbers,
 *
 *     d_i = 2^(e-14) (q_i0 + q_i1 / 2^15 + q_i2 / 2^30 + q_i3 / 2^45),  |d_i| < 2^e,  |q| <= 2^14,
 *
 * and the products with bytes are summed exactly, as integers. The only error is that of the last
 * digit, at most 2^-59 max|d| per unit of x. This is less than the rounding error of sums in
 * double, unless x is large only where d is some 10^5 times smaller than elsewhere. */
enum {
    WORDS = 4 * LANES,  /* 16-bit numbers in a register                                     */
    DIGITS = 4,         /* digits per number                                                */
    BYTE_CHUNK = 2048,  /* a sum of two products is below 2^23; 128 of them stay below 2^30 */
    SQUARE_CHUNK = 8192 /* a sum of two squares is below 2^17; 512 of them stay below 2^26  */
};

/* A vector in digits: digits[WORDS * (DIGITS * (i / WORDS) + k) + i % WORDS] = q_ik, padded with 0.
 * back[0] * back[1] = 2^(e-59) is the unit of the last digit, in two factors because it may be
 * subnormal; back[0] is NaN if d has a NaN or an infinity. */
typedef struct fixed_point {
    double back[8];
    int16_t digits[];
} fixed_point;

/* Returns the bits of the largest |d_i|. Magnitudes have the same order as their bits. */
static uint64_t largest_magnitude(const double *d, int64_t count) {
    vec_i64 best = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        vec_i64 bits = (vec_i64)part_f64(d + i, count - i < LANES ? count - i : LANES) & INT64_MAX;
        vec_i64 above = bits > best;
        best = (bits & above) | (best & ~above);
    }
    int64_t largest = 0;
    for (int lane = 0; lane < LANES; lane++) largest = best[lane] > largest ? best[lane] : largest;
    return (uint64_t)largest;
}

static void prepare_u8(double *prepared, const double *d, int64_t count) {
    fixed_point *fixed = (fixed_point *)prepared;
    uint64_t bits = largest_magnitude(d, count);
    double largest;
    int e = 0;
    memcpy(&largest, &bits, sizeof largest);
    int finite = largest <= __DBL_MAX__;
    frexp(finite ? largest : 0, &e);
    fixed->back[0] = finite ? ldexp(1, (e - 59) / 2) : NAN;
    fixed->back[1] = ldexp(1, e - 59 - (e - 59) / 2);
    double factor = finite ? ldexp(1, (14 - e) / 2) : 0;
    double rest = ldexp(1, 14 - e - (14 - e) / 2);
    for (int64_t i = 0; i < count || i % WORDS; i += LANES) {
        int16_t *to = fixed->digits + i / WORDS * WORDS * DIGITS + i % WORDS;
        int64_t left = i > count ? 0 : count - i < LANES ? count - i : LANES;
        vec v = part_f64(d + (left ? i : 0), left) * factor * rest;
        for (int k = 0; k < DIGITS; k++) {
            vec q = (v + 0x1.8p52) - 0x1.8p52; /* rounds to the nearest integers */
            half_i16 digit = __builtin_convertvector(to_i32(q), half_i16);
            memcpy(to + k * WORDS, &digit, sizeof digit);
            v = (v - q) * 0x1p15;
        }
    }
}

INLINE vec_i16 load_vec_i16(const int16_t *x) {
    vec_i16 w;
    memcpy(&w, x, sizeof w);
    return w;
}

/* Adds the two halves of c, in double. */
INLINE vec fold(vec_i32 c) {
    half_i32 half[2];
    memcpy(half, &c, sizeof c);
    return from_i32(half[0]) + from_i32(half[1]);
}

/* Joins the sums of the four digits. Only the last addition rounds: folded sums are below 2^32. */
INLINE double join_digits(const vec_i32 *s) {
    double high = vec_fold(fold(s[0]) * 0x1p15 + fold(s[1]));
    double low = vec_fold(fold(s[2]) * 0x1p15 + fold(s[3]));
    return high * 0x1p30 + low;
}

INLINE void add_products(vec_i32 *s, vec_i32 *t, const int16_t *digits, vec_i16 x, vec_i16 y) {
    for (int k = 0; k < DIGITS; k++) {
        vec_i16 q = load_vec_i16(digits + k * WORDS);
        s[k] += multiply_pairs(x, q);
        t[k] += multiply_pairs(y, q);
    }
}

/* Dot products in units of the last digit. Two columns share the loads of the digits. */
INLINE void dot2_u8(double *two, const int16_t *digits, const uint8_t *a, const uint8_t *b,
                    int64_t ahead, int64_t count) {
    vec_i32 s[DIGITS] = {0}, t[DIGITS] = {0};
    int64_t i = 0;
    for (; i + WORDS <= count; i += WORDS) {
        if (i % LINE == 0) fetch(a + i, ahead), fetch(b + i, ahead);
        add_products(s, t, digits + i * DIGITS, load_bytes(a + i), load_bytes(b + i));
    }
    if (i < count) {
        uint8_t x[WORDS] = {0}, y[WORDS] = {0};
        memcpy(x, a + i, (size_t)(count - i));
        memcpy(y, b + i, (size_t)(count - i));
        add_products(s, t, digits + i * DIGITS, load_bytes(x), load_bytes(y));
    }
    two[0] = join_digits(s);
    two[1] = join_digits(t);
}

static void dots_u8(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                    int64_t count) {
    const fixed_point *fixed = (const fixed_point *)d;
    for (int64_t j = 0; j < columns; j += 2) {
        const uint8_t *a = (const uint8_t *)x + j * stride;
        double two[2];
        dot2_u8(two, fixed->digits, a, j + 1 < columns ? a + stride : a, 2 * stride, count);
        sums[j] += two[0] * fixed->back[0] * fixed->back[1];
        if (j + 1 < columns) sums[j + 1] += two[1] * fixed->back[0] * fixed->back[1];
    }
}

/* Exact, because all sums are integers below 2^53. */
static void moments_u8(double *sum, double *square, const void *x, int64_t count) {
    const uint8_t *v = x;
    const vec_i16 ones = 1 - (vec_i16){0};
    for (int64_t start = 0; start < count; start += SQUARE_CHUNK) {
        int64_t end = count - start < SQUARE_CHUNK ? count : start + SQUARE_CHUNK, i = start;
        vec_i32 s = {0}, q = {0};
        for (; i + WORDS <= end; i += WORDS) {
            vec_i16 w = load_bytes(v + i);
            s += multiply_pairs(w, ones);
            q += multiply_pairs(w, w);
        }
        if (i < end) {
            uint8_t padded[WORDS] = {0};
            memcpy(padded, v + i, (size_t)(end - i));
            s += multiply_pairs(load_bytes(padded), ones);
            q += multiply_pairs(load_bytes(padded), load_bytes(padded));
        }
        *sum += vec_fold(fold(s));
        *square += vec_fold(fold(q));
    }
}

/* Sums over rows of bytes. Rows are taken in pairs, TALL at a time, over a strip of columns whose
 * integer sums stay in the cache: acc[DIGITS * (j / PAIRS) + k] holds digit k of PAIRS columns. The
 * sums are the same integers as in dot2_u8(), so row-major and column-major X give the same
 * bits. */
enum {
    PAIRS = 2 * LANES,
    STRIP = 1024,
    TALL = 8,
    DRAIN = 512 /* rows that int32 can sum: 256 pairs of products, 256 * 2 * 255 * 2^14 < 2^31 */
};

/* Loads pairs of bytes of rows i and i + 1. A missing row repeats another; its digits are 0. */
INLINE vec_i16 byte_pairs(const uint8_t *x, int64_t stride, int64_t rows, int64_t i) {
    const uint8_t *a = x + (i < rows ? i : rows - 1) * stride;
    return load_byte_pairs(a, i + 1 < rows ? a + stride : a);
}

/* pair[r][k] = the digits k of rows first + 2 r and first + 2 r + 1, repeated in all lanes. */
static void spread_digits(vec_i16 (*pair)[DIGITS], const int16_t *digits, int64_t first) {
    for (int r = 0; r < TALL / 2; r++)
        for (int k = 0; k < DIGITS; k++) {
            int64_t i = first + 2 * r;
            const int16_t *from = digits + i / WORDS * WORDS * DIGITS + k * WORDS + i % WORDS;
            vec_i32 both; /* two adjacent 16-bit digits */
            int32_t two;
            memcpy(&two, from, sizeof two);
            both = two - (vec_i32){0};
            pair[r][k] = (vec_i16)both;
        }
}

INLINE void add_tall(vec_i32 *acc, vec_i16 (*pair)[DIGITS], const uint8_t *x, int64_t stride,
                     int64_t rows) {
    vec_i32 s[DIGITS];
    memcpy(s, acc, sizeof s);
    for (int r = 0; r < TALL / 2; r++) {
        vec_i16 w = byte_pairs(x, stride, rows, 2 * r);
        for (int k = 0; k < DIGITS; k++) s[k] += multiply_pairs(w, pair[r][k]);
    }
    memcpy(acc, s, sizeof s);
}

/* Adds acc to the exact sums of the two upper and the two lower digits, and clears it. */
static void drain_strip(double *high, double *low, vec_i32 *acc, int64_t columns) {
    for (int64_t j = 0; j < columns; j += LANES) {
        half_i32 s[DIGITS];
        for (int k = 0; k < DIGITS; k++)
            memcpy(&s[k], (const char *)(acc + j / PAIRS * DIGITS + k) + j % PAIRS * 4, sizeof *s);
        vec_store(high + j, load_f64(high + j) + from_i32(s[0]) * 0x1p15 + from_i32(s[1]));
        vec_store(low + j, load_f64(low + j) + from_i32(s[2]) * 0x1p15 + from_i32(s[3]));
    }
    memset(acc, 0, (size_t)((columns + PAIRS - 1) / PAIRS * DIGITS) * sizeof *acc);
}

static void add_strip(vec_i32 *acc, const int16_t *digits, const uint8_t *x, int64_t stride,
                      int64_t columns, int64_t first, int64_t rows) {
    vec_i16 pair[TALL / 2][DIGITS];
    const uint8_t *top = x + first * stride;
    int64_t j = 0;
    spread_digits(pair, digits, first);
    if (rows == TALL) /* a separate loop, in which the compiler knows that no row is missing */
        for (; j + PAIRS <= columns; j += PAIRS) {
            if (j % LINE == 0)
                for (int r = 0; r < TALL; r++) fetch(top + j, (TALL + r) * stride);
            add_tall(acc + j / PAIRS * DIGITS, pair, top + j, stride, TALL);
        }
    for (; j + PAIRS <= columns; j += PAIRS)
        add_tall(acc + j / PAIRS * DIGITS, pair, top + j, stride, rows);
    if (j < columns) {
        uint8_t padded[TALL][PAIRS] = {{0}};
        for (int64_t r = 0; r < rows; r++)
            memcpy(padded[r], top + j + r * stride, (size_t)(columns - j));
        add_tall(acc + j / PAIRS * DIGITS, pair, padded[0], PAIRS, TALL);
    }
}

static void row_dot_strip(double *sums, const fixed_point *fixed, const uint8_t *x, int64_t stride,
                          int64_t columns, int64_t count) {
    vec_i32 acc[STRIP / PAIRS * DIGITS];
    double high[STRIP], low[STRIP];
    memset(acc, 0, sizeof acc);
    memset(high, 0, sizeof high);
    memset(low, 0, sizeof low);
    for (int64_t i = 0; i < count; i += TALL) {
        add_strip(acc, fixed->digits, x, stride, columns, i, count - i < TALL ? count - i : TALL);
        if (i % DRAIN == DRAIN - TALL) drain_strip(high, low, acc, columns);
    }
    drain_strip(high, low, acc, columns);
    for (int64_t j = 0; j < columns; j++)
        sums[j] += (high[j] * 0x1p30 + low[j]) * fixed->back[0] * fixed->back[1];
}

static void row_dots_u8(double *sums, const double *d, const void *x, int64_t stride,
                        int64_t columns, int64_t count) {
    for (int64_t j = 0; j < columns; j += STRIP)
        row_dot_strip(sums + j, (const fixed_point *)d, (const uint8_t *)x + j, stride,
                      columns - j < STRIP ? columns - j : STRIP, count);
}

static void row_moments_u8(double *sums, double *squares, const void *x, int64_t stride,
                           int64_t columns, int64_t count) {
    const vec_i16 ones = 1 - (vec_i16){0};
    const uint8_t *v = x;
    for (int64_t j = 0; j < columns; j += PAIRS) {
        int64_t left = columns - j < PAIRS ? columns - j : PAIRS;
        vec_i32 s = {0}, q = {0};
        for (int64_t r = 0; r < count && j % LINE == 0; r++) fetch(v + j, (count + r) * stride);
        for (int64_t i = 0; i < count; i += 2) {
            uint8_t two[2][PAIRS] = {{0}};
            vec_i16 w;
            if (left == PAIRS && i + 1 < count) {
                w = load_byte_pairs(v + i * stride + j, v + (i + 1) * stride + j);
            } else {
                memcpy(two[0], v + i * stride + j, (size_t)left);
                if (i + 1 < count) memcpy(two[1], v + (i + 1) * stride + j, (size_t)left);
                w = load_byte_pairs(two[0], two[1]);
            }
            s += multiply_pairs(w, ones);
            q += multiply_pairs(w, w);
        }
        for (int64_t k = 0; k < left; k++) {
            sums[j + k] += (double)s[k];
            squares[j + k] += (double)q[k];
        }
    }
}

static int64_t first_bad_none(const void *x, int64_t count) {
    (void)x;
    return count;
}

static double dot(const double *x, const double *y, int64_t count) {
    vec s[4] = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        for (int k = 0; k < 4; k++)
            s[k] += load_f64(x + i + k * LANES) * load_f64(y + i + k * LANES);
    for (int k = 0; i < count; i += LANES, k++) {
        int64_t left = count - i < LANES ? count - i : LANES;
        s[k] += part_f64(x + i, left) * part_f64(y + i, left);
    }
    return vec_fold((s[0] + s[1]) + (s[2] + s[3]));
}

/* Columns that are multiplied at once: their sums fit into the registers. */
enum { AT_ONCE = CHI_REGISTERS < 32 ? 2 : 4 };

/* The loops over k have constant bounds, so that the sums stay in registers. */
INLINE void dot_some(double *products, const double *x, const double *const *column,
                     int64_t count) {
    vec s[AT_ONCE][4] = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        for (int k = 0; k < 4; k++) {
            vec right = load_f64(x + i + k * LANES);
            for (int c = 0; c < AT_ONCE; c++)
                s[c][k] += load_f64(column[c] + i + k * LANES) * right;
        }
    for (int k = 0; k < 4; k++, i += LANES) {
        int64_t left = count - i < LANES ? count - i : LANES;
        if (left <= 0) break;
        vec right = part_f64(x + i, left);
        for (int c = 0; c < AT_ONCE; c++) s[c][k] += part_f64(column[c] + i, left) * right;
    }
    for (int c = 0; c < AT_ONCE; c++)
        products[c] = vec_total((s[c][0] + s[c][1]) + (s[c][2] + s[c][3]));
}

/* Missing columns repeat the last one, and their products are not stored. */
static void dot_columns(double *products, const double *x, const double *A, int64_t stride,
                        int64_t columns, int64_t count) {
    for (int64_t j = 0; j < columns; j += AT_ONCE) {
        const double *column[AT_ONCE];
        double some[AT_ONCE];
        for (int c = 0; c < AT_ONCE; c++)
            column[c] = A + (j + c < columns ? j + c : columns - 1) * stride;
        dot_some(some, x, column, count);
        for (int c = 0; c < AT_ONCE && j + c < columns; c++) products[j + c] = some[c];
    }
}

INLINE vec absolute(vec v) {
    return (vec)((vec_i64)v & INT64_MAX);
}

static double sum_abs(const double *x, int64_t count) {
    vec s[4] = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        for (int k = 0; k < 4; k++) s[k] += absolute(load_f64(x + i + k * LANES));
    for (int k = 0; i < count; i += LANES, k++)
        s[k] += absolute(part_f64(x + i, count - i < LANES ? count - i : LANES));
    return vec_fold((s[0] + s[1]) + (s[2] + s[3]));
}

static void axpy(double *y, double a, const double *x, int64_t count) {
    vec factor = vec_all(a);
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        vec_store(y + i, load_f64(y + i) + factor * load_f64(x + i));
    if (i == count) return;
    vec last = part_f64(y + i, count - i) + factor * part_f64(x + i, count - i);
    memcpy(y + i, &last, (size_t)(count - i) * sizeof *y);
}

#define ROW(name, bad, prepare, chunk, group)                                               \
    {                                                                                       \
        dots_##name, prepare, chunk, group, row_dots_##name, gather_##name, moments_##name, \
            row_moments_##name, first_bad_##bad, nonzeros_##name                            \
    }

extern const chi_dense_loops IN_SET(chi_dense_loops);
const chi_dense_loops IN_SET(chi_dense_loops) = {
    .dot = dot,
    .dot_columns = dot_columns,
    .sum_abs = sum_abs,
    .axpy = axpy,
    .typed = {ROW(f64, f64, NULL, 512, 4), ROW(f32, f32, NULL, 1024, 4),
              ROW(u8, none, prepare_u8, BYTE_CHUNK, 64), ROW(u16, none, NULL, 1024, 4)},
};
