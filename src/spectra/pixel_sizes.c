/* The size of each pixel, to which its loss is compared:
 *
 *     sum_i max(x_i, 0),    or with loss l2    sqrt( sum_i max(x_i, 0)^2 ).
 *
 * Negative values count as 0, as they do in the loss. Otherwise noise around 0 would cancel, and a
 * dark pixel would have a residual of many times its size. One pass over X, block by block. */
#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>

enum { BLOCK = 64 }; /* pixels processed at a time */

typedef struct sizing {
    ch_context *context;
    const ch_matrix *X;
    double *sizes;
    double *blocks; /* bands x BLOCK per thread */
    int squares;
} sizing;

static void size_block(void *user, int64_t block, int thread) {
    const sizing *s = user;
    int64_t bands = s->X->rows, low = block * BLOCK;
    int64_t high = low + BLOCK < s->X->cols ? low + BLOCK : s->X->cols, width = high - low;
    int by_row = s->X->layout == CH_ROW_MAJOR;
    double *values = s->blocks + thread * bands * BLOCK;
    chi_prefetch_block(s->context, s->X, BLOCK, block);
    chi_block_gather(values, s->X, low, high);
    for (int64_t j = 0; j < width; j++) {
        double sum = 0;
        for (int64_t i = 0; i < bands; i++) {
            double x = values[by_row ? i * width + j : i + j * bands];
            if (x > 0) sum += s->squares ? x * x : x; /* NaN is not */
        }
        s->sizes[low + j] = s->squares ? sqrt(sum) : sum;
    }
}

ch_status ch_spectra_sizes(ch_context *context, double *sizes, const ch_matrix *X, ch_loss loss) {
    if (!context || !sizes || !X) return CH_ERR_ARGUMENT;
    TRY(chi_check_view(context, X));
    chi_arena arena = {.context = context};
    sizing s = {.context = context, .X = X, .sizes = sizes, .squares = loss == CH_LOSS_L2};
    s.blocks =
        chi_arena_alloc(&arena, X->rows * ch_context_threads(context), BLOCK * sizeof *s.blocks);
    ch_status status = chi_arena_status(&arena, "sizes of pixels");
    if (status == CH_OK) status = chi_pass(context, X, BLOCK, 0, size_block, &s);
    chi_arena_free(&arena);
    return chi_outside_status(status);
}
