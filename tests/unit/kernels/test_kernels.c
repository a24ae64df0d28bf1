/* The passes of every kernel set against sums in long double: all lengths 0..70 and a few long
 * ones, pointers at odd offsets, guards around what may be written. Among them is dense_loops.c for
 * eight lanes with the portable steps (tests/CMakeLists.txt), so that the AVX-512 loops are tested,
 * but for the steps, where the processor has no AVX-512.
 *
 * Bounds: eps x length x sum of magnitudes, plus for bytes what fixed point adds. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { LONGEST = 2048, COLUMNS = 7, GUARD = 3 };

static ch_random source;

static const int64_t lengths[] = {127, 128, 129, 511, 512, 1000, 1024, 2047, 2048};
enum { SHORT = 71, LENGTHS = SHORT + sizeof lengths / sizeof *lengths };

static int64_t length_of(int k) {
    return k < SHORT ? k : lengths[k - SHORT];
}

extern const chi_dense_loops chi_dense_loops_eight;

/* A set of passes and what messages call it. */
typedef struct passes {
    const char *name;
    const chi_dense_loops *dense;
} passes;

static void for_tables(void (*body)(const passes *table)) {
    support_seed(&source, "kernels", 20231);
    for (int s = 0; s < chi_kernel_set_count; s++) {
        if (ch_kernel_usable(s))
            body(&(passes){chi_kernel_sets[s].name, chi_kernel_sets[s].dense});
        else
            print_message("skipped: %s, not on this processor\n", chi_kernel_sets[s].name);
    }
    body(&(passes){"eight lanes", &chi_dense_loops_eight});
}

static double draw_value(ch_value_type type) {
    double u = ch_random_uniform(&source);
    if (ch_random_below(&source, 4) == 0) return 0;
    if (type == CH_U8) return floor(u * 256);
    if (type == CH_U16) return floor(u * 65536);
    return type == CH_F32 ? (double)(float)(u * 3) : u * 3;
}

static double value(const void *x, ch_value_type type, int64_t i) {
    switch (type) {
    case CH_F64:
        return ((const double *)x)[i];
    case CH_F32:
        return (double)((const float *)x)[i];
    case CH_U8:
        return ((const uint8_t *)x)[i];
    case CH_U16:
        return ((const uint16_t *)x)[i];
    }
    return 0;
}

static void put(void *x, ch_value_type type, int64_t i, double v) {
    switch (type) {
    case CH_F64:
        ((double *)x)[i] = v;
        break;
    case CH_F32:
        ((float *)x)[i] = (float)v;
        break;
    case CH_U8:
        ((uint8_t *)x)[i] = (uint8_t)v;
        break;
    case CH_U16:
        ((uint16_t *)x)[i] = (uint16_t)v;
        break;
    }
}

/* count values of this type, at an address that is aligned to the type and no more. */
static void *draw(ch_value_type type, int64_t count, void **block) {
    size_t size = ch_value_type_size(type);
    *block = test_malloc(((size_t)count + 1) * size + 64);
    char *x = (char *)*block + size * (size_t)(1 + ch_random_below(&source, 3) * (type != CH_F64));
    for (int64_t i = 0; i < count; i++) put(x, type, i, draw_value(type));
    return x;
}

static void draw_vector(double *d, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        d[i] = ch_random_normal(&source) * (ch_random_below(&source, 5) ? 1 : 1e-4);
}

/* d'x for the values at x, x + step, ...; bound: what a kernel may be off. */
static long double exact_dot(long double *bound, const double *d, const void *x, ch_value_type type,
                             int64_t step, int64_t count) {
    long double sum = 0, size = 0, largest = 0, plain = 0;
    for (int64_t i = 0; i < count; i++) {
        long double v = value(x, type, i * step);
        sum += d[i] * v;
        size += fabsl(d[i] * v);
        plain += v;
        largest = fabsl((long double)d[i]) > largest ? fabsl((long double)d[i]) : largest;
    }
    *bound = 0x1p-53L * (long double)(count + 2) * size;
    if (type == CH_U8) *bound += 0x1p-59L * largest * plain;
    return sum;
}

static const double *prepared(double *room, const chi_typed_loops *typed, const double *d,
                              int64_t count) {
    if (!typed->prepare) return d;
    typed->prepare(room, d, count);
    return room;
}

static double room[LONGEST + CHI_PREPARED_EXTRA] __attribute__((aligned(64)));
static double vector[LONGEST + 1];

/* One column of a matrix (rows along: step 1) or one across rows (step stride). */
static void check_sums(const passes *table, ch_value_type type, int64_t count, int along) {
    const chi_typed_loops *typed = &table->dense->typed[type];
    int64_t columns = 1 + ch_random_below(&source, COLUMNS);
    if (!along && count == 128) columns = 1100; /* wider than any strip */
    if (count > typed->chunk && along) return;
    int64_t stride = (along ? count : columns) + 2, runs = along ? columns : count;
    double *d = vector + 1, *sums = test_malloc((size_t)(columns + GUARD) * sizeof *sums);
    void *block, *x = draw(type, stride * runs + 1, &block);
    draw_vector(d, count);
    for (int64_t j = 0; j < columns + GUARD; j++) sums[j] = 0.25;
    (along ? typed->dots : typed->row_dots)(sums, prepared(room, typed, d, count), x, stride,
                                            columns, count);
    for (int64_t j = 0; j < columns; j++) {
        long double bound;
        const void *first =
            (char *)x + (along ? j * stride : j) * (int64_t)ch_value_type_size(type);
        long double sum = 0.25L + exact_dot(&bound, d, first, type, along ? 1 : stride, count);
        bound += 0x1p-53L * (fabsl(sum) + 0.25L);
        support_check(fabsl(sums[j] - sum) <= bound,
                      "%s %s %s: length %lld, column %lld of %lld: %.17g, not %.17Lg +- %.3Lg",
                      table->name, ch_value_type_name(type), along ? "dots" : "row_dots",
                      (long long)count, (long long)j, (long long)columns, sums[j], sum, bound);
    }
    for (int64_t j = columns; j < columns + GUARD; j++) assert_true(sums[j] == 0.25);
    test_free(sums);
    test_free(block);
}

static void all_sums(const passes *table) {
    for (int type = CH_F64; type <= CH_U16; type++)
        for (int k = 0; k < LENGTHS; k++) {
            check_sums(table, type, length_of(k), 1);
            check_sums(table, type, length_of(k), 0);
        }
}

/* The bits of a column's sum do not depend on the columns beside it. */
static void neighbours(const passes *table) {
    for (int type = CH_F64; type <= CH_U16; type++) {
        const chi_typed_loops *typed = &table->dense->typed[type];
        int64_t count = 501, columns = 43;
        void *block, *x = draw(type, count * columns, &block);
        size_t size = ch_value_type_size(type);
        double together[43], alone;
        draw_vector(vector, count);
        const double *d = prepared(room, typed, vector, count);
        memset(together, 0, sizeof together);
        typed->dots(together, d, x, count, columns, count);
        for (int64_t j = 0; j < columns; j++) {
            alone = 0;
            typed->dots(&alone, d, (char *)x + (size_t)(j * count) * size, count, 1, count);
            support_check(alone == together[j], "%s %s: dots, column %lld", table->name,
                          ch_value_type_name(type), (long long)j);
        }
        memset(together, 0, sizeof together);
        typed->row_dots(together, d, x, columns, columns, count);
        for (int64_t j = 0; j < columns; j++) {
            alone = 0;
            typed->row_dots(&alone, d, (char *)x + (size_t)j * size, columns, 1, count);
            support_check(alone == together[j], "%s %s: row_dots, column %lld", table->name,
                          ch_value_type_name(type), (long long)j);
        }
        test_free(block);
    }
}

/* Largest bytes, largest digits, longest chunk: nothing overflows. */
static void extremes(const passes *table) {
    const chi_typed_loops *typed = &table->dense->typed[CH_U8];
    static const double sizes[] = {1, 0x1.fffffffffffffp0, 0x1p-1060, 0x1.8p1000, -0x1.fp-30, 0};
    int64_t count = typed->chunk;
    uint8_t *x = test_malloc((size_t)count);
    memset(x, 255, (size_t)count);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double sum = 0, across = 0, truth = sizes[k] * 255 * (double)count;
        for (int64_t i = 0; i < count; i++) vector[i] = sizes[k];
        const double *d = prepared(room, typed, vector, count);
        typed->dots(&sum, d, x, count, 1, count);
        typed->row_dots(&across, d, x, 1, 1, count);
        if (typed->prepare) assert_true(sum == across); /* exact sums in both */
        support_close(sum, truth, 1e-12 * fabs(truth));
        support_close(across, truth, 1e-12 * fabs(truth));
    }
    vector[count / 2] = NAN;
    double sum = 0;
    typed->dots(&sum, prepared(room, typed, vector, count), x, count, 1, count);
    assert_true(isnan(sum));
    vector[count / 2] = INFINITY;
    sum = 0;
    typed->row_dots(&sum, prepared(room, typed, vector, count), x, 1, 1, count);
    assert_false(isfinite(sum));
    test_free(x);
}

static void check_moments(const passes *table, ch_value_type type, int64_t count) {
    const chi_typed_loops *typed = &table->dense->typed[type];
    void *block, *x = draw(type, count * COLUMNS, &block);
    double sum = 1, square = 2, sums[COLUMNS + 1] = {0}, squares[COLUMNS + 1] = {0};
    long double s = 1, q = 2;
    for (int64_t i = 0; i < count; i++) {
        s += value(x, type, i);
        q += (long double)value(x, type, i) * value(x, type, i);
    }
    typed->moments(&sum, &square, x, count);
    support_close(sum, (double)s, 0x1p-53 * (double)(count + 2) * (double)s);
    support_close(square, (double)q, 0x1p-53 * (double)(count + 2) * (double)q);
    typed->row_moments(sums, squares, x, COLUMNS, COLUMNS, count);
    assert_true(sums[COLUMNS] == 0 && squares[COLUMNS] == 0);
    for (int64_t j = 0; j < COLUMNS; j++) {
        s = q = 0;
        for (int64_t i = 0; i < count; i++) {
            s += value(x, type, i * COLUMNS + j);
            q += (long double)value(x, type, i * COLUMNS + j) * value(x, type, i * COLUMNS + j);
        }
        support_close(sums[j], (double)s, 0x1p-53 * (double)(count + 2) * (double)s);
        support_close(squares[j], (double)q, 0x1p-53 * (double)(count + 2) * (double)q);
    }
    test_free(block);
}

static void check_rest(const passes *table, ch_value_type type, int64_t count) {
    const chi_typed_loops *typed = &table->dense->typed[type];
    void *block, *x = draw(type, count, &block);
    int32_t *index = test_malloc((size_t)(count + 1) * sizeof *index);
    double *d = vector + 1, near[LONGEST];
    int64_t nonzeros = 0;
    draw_vector(d, LONGEST);
    for (int64_t e = 0; e < count; e++) {
        index[e] = (int32_t)ch_random_below(&source, LONGEST);
        near[e] = d[index[e]];
        nonzeros += value(x, type, e) != 0;
    }
    long double bound, sum = exact_dot(&bound, near, x, type, 1, count);
    support_check(fabsl(typed->gather(d, index, x, count) - sum) <= bound, "%s %s: gather of %lld",
                  table->name, ch_value_type_name(type), (long long)count);
    assert_int_equal(typed->nonzeros(x, count), nonzeros);
    assert_int_equal(typed->first_bad(x, count), count);
    for (int k = 0; count > 0 && type <= CH_F32 && k < 8; k++) {
        static const double wrong[] = {NAN, -NAN, INFINITY, -INFINITY, -1, -0x1p-149};
        int64_t place = ch_random_below(&source, count);
        double kept = value(x, type, place), last = value(x, type, count - 1);
        put(x, type, count - 1, -2);
        put(x, type, place, wrong[ch_random_below(&source, 6)]);
        assert_int_equal(typed->first_bad(x, count), place);
        put(x, type, count - 1, last);
        put(x, type, place, kept);
    }
    if (count > 0 && type <= CH_F32) {
        put(x, type, 0, -0.0);
        put(x, type, count - 1, type == CH_F64 ? __DBL_MAX__ : (double)__FLT_MAX__);
        assert_int_equal(typed->first_bad(x, count), count);
    }
    test_free(index);
    test_free(block);
}

static void moments_and_rest(const passes *table) {
    for (int type = CH_F64; type <= CH_U16; type++)
        for (int k = 0; k < LENGTHS; k++) {
            check_moments(table, type, length_of(k));
            check_rest(table, type, length_of(k));
        }
}

/* Sums of squares of bytes beyond 32 bits. */
static void long_column(const passes *table) {
    int64_t count = 300001;
    uint8_t *x = test_malloc((size_t)count);
    double sum = 0, square = 0;
    memset(x, 255, (size_t)count);
    table->dense->typed[CH_U8].moments(&sum, &square, x, count);
    assert_true(sum == 255.0 * (double)count && square == 65025.0 * (double)count);
    test_free(x);
}

static void vectors(const passes *table) {
    for (int k = 0; k < LENGTHS; k++) {
        int64_t count = length_of(k), offset = 1 + k % 2;
        double *x = vector, y[LONGEST + 4], z[LONGEST + 4];
        draw_vector(x, LONGEST + 1);
        draw_vector(y, LONGEST + 4);
        x = vector + (count < LONGEST);
        long double sum = 0, size = 0, magnitudes = 0;
        for (int64_t i = 0; i < count; i++) {
            sum += (long double)x[i] * y[i + offset];
            size += fabsl((long double)x[i] * y[i + offset]);
            magnitudes += fabsl((long double)x[i]);
        }
        long double eps = 0x1p-53L * (long double)(count + 2);
        assert_true(fabsl(table->dense->dot(x, y + offset, count) - sum) <= eps * size);
        assert_true(fabsl(table->dense->sum_abs(x, count) - magnitudes) <= eps * magnitudes);
        memcpy(z, y, sizeof z);
        table->dense->axpy(z + offset, -0.75, x, count);
        for (int64_t i = 0; i < LONGEST + 4; i++) {
            int64_t e = i - offset;
            double truth = e >= 0 && e < count ? y[i] - 0.75 * x[e] : y[i];
            assert_true(e >= 0 && e < count
                            ? fabs(z[i] - truth) <= 0x1p-51 * (fabs(y[i]) + fabs(x[e]))
                            : z[i] == truth);
        }
    }
}

/* Products of several columns have the bits of dot(), and zeros at the end do not matter. */
static void several_products(const passes *table) {
    enum { COUNT = 9, STRIDE = LONGEST + 128 };
    static double A[COUNT * STRIDE], x[STRIDE];
    for (int k = 0; k < LENGTHS; k++) {
        int64_t count = length_of(k), padded = (count + 127) / 128 * 128;
        memset(A, 0, sizeof A);
        memset(x, 0, sizeof x);
        for (int j = 0; j < COUNT; j++) draw_vector(A + j * STRIDE, count);
        draw_vector(x, count);
        for (int64_t columns = 0; columns <= COUNT; columns++) {
            double products[COUNT + 1], same[COUNT + 1];
            for (int j = 0; j <= COUNT; j++) products[j] = same[j] = -1;
            table->dense->dot_columns(products, x, A, STRIDE, columns, count);
            table->dense->dot_columns(same, x, A, STRIDE, columns, padded);
            for (int j = 0; j < columns; j++)
                assert_true(products[j] == table->dense->dot(x, A + j * STRIDE, count));
            assert_memory_equal(products, same, sizeof same);
            assert_true(products[columns] == -1);
        }
    }
}

static void sums_match(void **state) {
    (void)state;
    for_tables(all_sums);
}

static void products_of_columns_are_products(void **state) {
    (void)state;
    for_tables(several_products);
}

static void neighbours_do_not_matter(void **state) {
    (void)state;
    for_tables(neighbours);
}

static void extremes_do_not_overflow(void **state) {
    (void)state;
    for_tables(extremes);
}

static void the_rest_matches(void **state) {
    (void)state;
    for_tables(moments_and_rest);
    for_tables(long_column);
    for_tables(vectors);
}

static void a_context_computes_with_the_set_it_was_given(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1), *other = support_context(NULL, 1);
    assert_int_equal(ch_context_set_kernel(context, NULL), CH_OK);
    assert_int_equal(ch_context_set_kernel(other, NULL), CH_OK);
    const char *best = ch_context_kernel(context);
    for (int s = 0; ch_kernel_name(s); s++) {
        ch_status status = ch_context_set_kernel(context, ch_kernel_name(s));
        assert_int_equal(status, ch_kernel_usable(s) ? CH_OK : CH_ERR_UNSUPPORTED);
        if (status < 0) continue;
        assert_string_equal(ch_context_kernel(context), ch_kernel_name(s));
        assert_ptr_equal(chi_kernels_of(context), &chi_kernel_sets[s]);
        assert_string_equal(ch_context_kernel(other), best);
    }
    assert_string_equal(ch_context_kernel(context), "portable"); /* the last of the list */
    assert_int_equal(ch_context_set_kernel(context, "abacus"), CH_ERR_ARGUMENT);
    support_message(context, "portable");
    assert_string_equal(ch_context_kernel(context), "portable");
    assert_int_equal(ch_context_set_kernel(context, "auto"), CH_OK);
    assert_string_equal(ch_context_kernel(context), best);
    assert_null(ch_kernel_name(-1));
    assert_false(ch_kernel_usable(chi_kernel_set_count));
    support_finish(other, NULL);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match),
        cmocka_unit_test(products_of_columns_are_products),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(extremes_do_not_overflow),
        cmocka_unit_test(the_rest_matches),
        cmocka_unit_test(a_context_computes_with_the_set_it_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
