#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block is preceded by its size, in 64 bytes so that the alignment stays malloc's. */
enum { HEAD = 64 };

static void *counting_alloc(size_t bytes, void *user) {
    support_memory *memory = user;
    int64_t request = __atomic_add_fetch(&memory->requests, 1, __ATOMIC_SEQ_CST);
    if (memory->fail_at &&
        (request == memory->fail_at || (memory->fail_on && request > memory->fail_at))) {
        __atomic_add_fetch(&memory->failed, 1, __ATOMIC_SEQ_CST);
        return NULL;
    }
    if (bytes > SIZE_MAX - HEAD) return NULL;
    char *block = malloc(bytes + HEAD);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + HEAD, 0xA5, bytes < 1 << 20 ? bytes : 1 << 20); /* large ones stay untouched */
    __atomic_add_fetch(&memory->live, 1, __ATOMIC_SEQ_CST);
    int64_t held = __atomic_add_fetch(&memory->bytes, (int64_t)bytes, __ATOMIC_SEQ_CST);
    int64_t peak = __atomic_load_n(&memory->peak, __ATOMIC_SEQ_CST);
    while (held > peak && !__atomic_compare_exchange_n(&memory->peak, &peak, held, 0,
                                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
    return block + HEAD;
}

static void counting_release(void *block, void *user) {
    support_memory *memory = user;
    if (!block) return;
    size_t bytes;
    char *start = (char *)block - HEAD;
    memcpy(&bytes, start, sizeof bytes);
    __atomic_sub_fetch(&memory->live, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&memory->bytes, (int64_t)bytes, __ATOMIC_SEQ_CST);
    free(start);
}

ch_context *support_context(support_memory *memory, int threads) {
    ch_context *context = NULL;
    ch_memory_hooks hooks = {counting_alloc, counting_release, memory};
    if (memory) memset(memory, 0, sizeof *memory);
    assert_int_equal(ch_context_create(&context, memory ? &hooks : NULL), CH_OK);
    assert_int_equal(ch_context_set_threads(context, threads), CH_OK);
    return context;
}

void support_finish(ch_context *context, const support_memory *memory) {
    ch_context_destroy(context);
    if (memory)
        support_check(memory->live == 0, "%lld blocks (%lld bytes) were never released",
                      (long long)memory->live, (long long)memory->bytes);
}

static char seed_line[160] = "no seed";

uint64_t support_seed(ch_random *random, const char *name, uint64_t seed) {
    const char *wanted = getenv("CONEHULL_SEED");
    if (wanted && *wanted) seed = strtoull(wanted, NULL, 0);
    snprintf(seed_line, sizeof seed_line, "%s, CONEHULL_SEED=%llu", name, (unsigned long long)seed);
    if (random) ch_random_seed(random, seed);
    return seed;
}

void support_check_at(int ok, const char *file, int line, const char *format, ...) {
    if (ok) return;
    va_list arguments;
    va_start(arguments, format);
    char text[600];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s (%s)\n", text, seed_line);
    _fail(file, line);
}

void support_close_at(double a, double b, double tol, const char *file, int line,
                      const char *what) {
    support_check_at(fabs(a - b) <= tol, file, line, "%s is %.17g, not %.17g +- %.3g", what, a, b,
                     tol);
}

double support_difference(const double *a, const double *b, int64_t count) {
    double worst = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double difference = fabs(a[i] - b[i]);
        if (!(difference <= worst)) worst = isnan(difference) ? INFINITY : difference;
    }
    return worst;
}

void support_message_at(const ch_context *context, const char *text, const char *file, int line) {
    support_check_at(strstr(ch_context_message(context), text) != NULL, file, line,
                     "the message is \"%s\", without \"%s\"", ch_context_message(context), text);
}
