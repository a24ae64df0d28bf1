/* The BLAS that the library runs with: its name, its kernel, and its memory under a limit. */
#include "linalg/linalg.h"
#include "support_fixture.h"
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void blas_is_named(void **state) {
    (void)state;
    assert_true(strlen(ch_blas_name()) > 0);
    const char *wanted = ch_blas_core_wanted();
    if (wanted) assert_true(!strcmp(wanted, "SkylakeX") || !strcmp(wanted, "Haswell"));
}

/* ---- a limit of address space ---- */

static struct rlimit unlimited;

/* From now on this process gets 64 MB more and nothing else: half a buffer of OpenBLAS. */
static void tighten(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lld", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &unlimited), 0);
    struct rlimit tight = {(rlim_t)(pages * sysconf(_SC_PAGESIZE) + (64 << 20)),
                           unlimited.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
}

static void loosen(void) {
    assert_int_equal(setrlimit(RLIMIT_AS, &unlimited), 0);
}

/* Every entry of the product is 64. */
static double multiply(void) {
    static double product[64 * 64], ones[64 * 64];
    for (int i = 0; i < 64 * 64; i++) ones[i] = 1;
    alarm(20); /* OpenBLAS that finds no memory tries for ever */
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 64, 64, 64, 1, ones, 64, ones, 64, 0,
                product, 64);
    alarm(0);
    return product[63];
}

/* The reservation is refused where there is no space; after one that was granted, calls of BLAS and
 * later reservations need no more. First of the tests: buffers stay for the whole process. */
static void blas_has_its_buffers_or_is_refused(void **state) {
    (void)state;
    if (getenv("CONEHULL_TEST_EMULATED")) skip(); /* qemu accepts RLIMIT_AS and does not apply it */
    char message[300];
    ch_context_set_threads(context, 2);
    tighten();
    ch_status refused = chi_blas_reserve(context);
    snprintf(message, sizeof message, "%s", ch_context_message(context));
    loosen();
    if (strstr(ch_blas_name(), "OpenBLAS")) {
        assert_int_equal(refused, CH_ERR_MEMORY);
        assert_non_null(strstr(message, "for each of 2 threads"));
        assert_non_null(strstr(message, "ulimit -v"));
    }
    assert_int_equal(chi_blas_reserve(context), CH_OK);
    tighten();
    ch_status again = chi_blas_reserve(context);
    double entry = multiply();
    loosen();
    assert_int_equal(again, CH_OK);
    assert_true(entry == 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blas_has_its_buffers_or_is_refused),
        cmocka_unit_test(blas_is_named),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
