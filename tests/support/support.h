/* What the tests share: a context that counts its memory and can be made to fail, seeds that are
 * said on failure, comparisons that say both sides. Includes cmocka with all it needs. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <conehull/context.h>
#include <conehull/matrix.h>
#include <conehull/random.h>

/* Memory hooks over malloc. The fail_at-th request (from 1; 0: none) and, with fail_on, all later
 * ones get NULL. New blocks are filled with 0xA5, so that reading what nobody wrote shows. */
typedef struct support_memory {
    int64_t requests, live, bytes, peak;
    int64_t fail_at;
    int fail_on;
    int64_t failed;
} support_memory;

/* A context on these hooks (cleared by this call), or on malloc for memory NULL. threads 0: all. */
ch_context *support_context(support_memory *memory, int threads);
/* Destroys the context and fails the test if blocks are still held. */
void support_finish(ch_context *context, const support_memory *memory);

/* Seeds the generator, for a test named name, and remembers what support_check() will say. The
 * variable CONEHULL_SEED, when set, replaces the seed. Returns the seed in use. */
uint64_t support_seed(ch_random *random, const char *name, uint64_t seed);

/* Fails the test unless ok, saying the seed and the text. */
void support_check_at(int ok, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define support_check(ok, ...) support_check_at((ok) != 0, __FILE__, __LINE__, __VA_ARGS__)

/* |a - b| <= tol, both sides said. */
#define support_close(a, b, tol) support_close_at((a), (b), (tol), __FILE__, __LINE__, #a)
void support_close_at(double a, double b, double tol, const char *file, int line, const char *what);

/* The largest |a_i - b_i|; NaN on either side counts as infinite. */
double support_difference(const double *a, const double *b, int64_t count);

/* The message of the context holds this text. */
#define support_message(context, text) support_message_at((context), (text), __FILE__, __LINE__)
void support_message_at(const ch_context *context, const char *text, const char *file, int line);

/* The same numbers in another shape; values are converted by C's rules. Free with
 * ch_matrix_free(). stride is one more than needed, with NaN or 255 in between. */
ch_matrix support_reshape(ch_context *context, const ch_matrix *X, ch_matrix_layout layout,
                          ch_value_type type);
/* A view of f64 values, column by column. */
ch_matrix support_dense(ch_context *context, const double *values, int64_t rows, int64_t cols);
/* Data of the generator, columns shuffled, with sparse noise for level > 0. anchors: rank of them,
 * or NULL. Free with ch_matrix_free(). */
ch_matrix support_planted(ch_context *context, int64_t *anchors, int64_t rows, int64_t cols,
                          int64_t rank, double level, int64_t seed);
/* values[place] = value, as that type. */
void support_store(void *values, int64_t place, ch_value_type type, double value);
