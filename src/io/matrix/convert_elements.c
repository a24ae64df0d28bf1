/* Converts real numbers as other programs store them to our storage types.
 *
 *     bool u1 -> u8     u2 -> u16     i1 i2 f2 f4 -> f32     i4 u4 i8 u8 f8 -> f64
 *
 * All conversions are exact, except for 64-bit integers beyond 2^53. */
#include "io/file/format.h"
#include <math.h>
#include <string.h>

static uint64_t load_bits(const unsigned char *raw, chi_element element) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    if (element.size == 1) return raw[0];
    if (element.size == 2) {
        memcpy(&two, raw, 2);
        return element.swap ? __builtin_bswap16(two) : two;
    }
    if (element.size == 4) {
        memcpy(&four, raw, 4);
        return element.swap ? __builtin_bswap32(four) : four;
    }
    memcpy(&eight, raw, 8);
    return element.swap ? __builtin_bswap64(eight) : eight;
}

static int64_t sign_extend(uint64_t bits, int size) {
    int unused = 64 - 8 * size;
    return (int64_t)(bits << unused) >> unused;
}

static double half_value(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double size = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits >> 15 & 1 ? -size : size;
}

static double float_value(uint64_t bits, int size) {
    if (size == 2) return half_value(bits);
    if (size == 4) {
        uint32_t four = (uint32_t)bits;
        float value;
        memcpy(&value, &four, 4);
        return value;
    }
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline double element_value(const unsigned char *raw, chi_element element) {
    uint64_t bits = load_bits(raw, element);
    if (element.kind == 'f') return float_value(bits, element.size);
    if (element.kind == 'i') return (double)sign_extend(bits, element.size);
    return element.kind == 'u' ? (double)bits : bits != 0;
}

int chi_element_known(chi_element element) {
    int size = element.size, several = size == 2 || size == 4 || size == 8;
    if (element.kind == 'b') return size == 1;
    if (element.kind == 'f') return several;
    return (element.kind == 'i' || element.kind == 'u') && (several || size == 1);
}

ch_value_type chi_element_type(chi_element element) {
    int size = element.size;
    if (element.kind == 'f') return size <= 4 ? CH_F32 : CH_F64;
    if (element.kind == 'i') return size <= 2 ? CH_F32 : CH_F64;
    return size == 1 ? CH_U8 : size == 2 ? CH_U16 : CH_F64;
}

int chi_element_direct(chi_element element, ch_value_type *type) {
    *type = chi_element_type(element);
    if (element.swap) return 0;
    if (element.kind == 'f') return element.size >= 4;
    return element.kind == 'u' && element.size <= 2;
}

int chi_element_convert(void *values, ch_value_type type, const void *raw, int64_t count,
                        chi_element element) {
    const unsigned char *from = raw;
    ch_value_type direct;
    int rounded = 0, large = element.size == 8 && element.kind != 'f';
    if (chi_element_direct(element, &direct) && direct == type) {
        if (count) memcpy(values, raw, (size_t)count * ch_value_type_size(type));
        return 0;
    }
    for (int64_t i = 0; i < count; i++, from += element.size) {
        double value = element_value(from, element);
        rounded |= large && fabs(value) >= 0x1p53; /* bits may have been lost */
        chi_value_put(values, type, i, value);
    }
    return rounded;
}

ch_status chi_dense_from_raw(ch_context *context, ch_matrix *X, const char *path,
                             const chi_raw *raw, const int64_t shape[2], ch_matrix_layout layout,
                             ch_value_type type) {
    void *values;
    TRY(chi_dense_create(context, X, &values, path, shape[0], shape[1], layout, type));
    if (chi_element_convert(values, type, raw->bytes, raw->count, raw->element))
        chi_log(context, CH_LOG_WARNING,
                "%s: integers beyond 2^53 were rounded to the nearest floating-point number", path);
    return CH_OK;
}

void chi_element_indices(int64_t *indices, const void *raw, int64_t count, chi_element element) {
    const unsigned char *from = raw;
    for (int64_t i = 0; i < count; i++, from += element.size) {
        uint64_t bits = load_bits(from, element);
        indices[i] = element.kind == 'i'          ? sign_extend(bits, element.size)
                     : bits > (uint64_t)INT64_MAX ? INT64_MAX
                                                  : (int64_t)bits;
    }
}
