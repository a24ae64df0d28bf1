/* Areas averaged: the mean by definition, and the widest line whose sum still fits. */
#include "io/clip/frames.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static int naive(const uint8_t *from, int64_t W, int64_t H, int64_t w, int64_t h, int64_t x,
                 int64_t y) {
    double sum = 0;
    for (int64_t i = 0; i < W * w; i++)
        for (int64_t k = 0; k < H * h; k++)
            if (i / W == x && k / H == y) sum += from[k / h * W + i / w];
    return (int)(sum / (double)(W * H) + 0.5);
}

static void means_are_exact(void **state) {
    static const int64_t sizes[][4] = {{7, 5, 3, 2}, {8, 8, 8, 8}, {9, 4, 1, 1}, {10, 6, 4, 3}};
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_arena arena = {.context = context};
    ch_random random;
    ch_random_seed(&random, 11);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t W = sizes[s][0], H = sizes[s][1], w = sizes[s][2], h = sizes[s][3];
        uint8_t from[80], to[64];
        chi_area area;
        for (int64_t j = 0; j < W * H; j++) from[j] = (uint8_t)(256 * ch_random_uniform(&random));
        assert_int_equal(chi_area_create(&arena, &area, W, H, w, h, 1), CH_OK);
        chi_area_reduce(&area, to, from);
        chi_arena_free(&arena);
        for (int64_t j = 0; j < w * h; j++)
            support_check(to[j] == naive(from, W, H, w, h, j % w, j / w),
                          "%lld x %lld to %lld x %lld, pixel %lld: %d", (long long)W, (long long)H,
                          (long long)w, (long long)h, (long long)j, to[j]);
    }
    support_finish(context, &memory);
}

/* The sum of a white line is 255 W: here the last number of 32 bits. */
static void the_widest_line(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_arena arena = {.context = context};
    chi_area area;
    int64_t width = CHI_AREA_WIDTH_MAX;
    uint8_t *white = malloc((size_t)width), mean[2];
    assert_non_null(white);
    memset(white, 255, (size_t)width);
    for (int64_t w = 1; w <= 2; w++) {
        assert_int_equal(chi_area_create(&arena, &area, width, 1, w, 1, 1), CH_OK);
        chi_area_reduce(&area, mean, white);
        chi_arena_free(&arena);
        assert_int_equal(mean[0], 255);
        assert_int_equal(mean[w - 1], 255);
    }
    free(white);
    assert_int_equal(chi_area_create(&arena, &area, width + 1, 1, 1, 1, 1), CH_ERR_UNSUPPORTED);
    support_message(context, "16843010 pixels wide");
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(means_are_exact),
                                       cmocka_unit_test(the_widest_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
