/* Finds the missing values and empty bands of a scene in one pass over its values, block by block.
 * Nearly all pixels are complete, and after the first pixel nearly all bands are known to be
 * non-zero; then a pixel costs one comparison per value. The counts of the threads are added at the
 * end. */
#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>

enum { BLOCK = 64 }; /* pixels processed at a time */

/* The counts of one thread. */
typedef struct seen {
    double *block;      /* bands x BLOCK, in the order of X */
    double *pixel;      /* bands, in row-major order        */
    int64_t *unknown;   /* per band                         */
    int64_t *idle;      /* bands that are zero so far       */
    int64_t idle_count; /* number of these bands            */
} seen;

typedef struct search {
    ch_context *context;
    const ch_matrix *X;
    const double *mark;
    int64_t *holes;
    seen *seen;
} search;

static int is_known(double value, const double *mark) {
    return value == value && !(mark && value == *mark);
}

static int64_t count_holes(const double *x, int64_t bands, const double *mark) {
    double other = mark ? *mark : x[0];
    int64_t nans = 0, marks = 0;
    for (int64_t i = 0; i < bands; i++) nans += x[i] != x[i];
    for (int64_t i = 0; mark && i < bands; i++) marks += x[i] == other;
    return nans + marks;
}

/* Returns the first band with an infinite value that is not a mark of missing data, or `bands` if
 * there is none. */
static int64_t first_infinite(const double *x, int64_t bands, const double *mark) {
    int64_t infinite = 0, i = 0;
    for (int64_t k = 0; k < bands; k++) infinite += fabs(x[k]) == INFINITY;
    while (i < bands && (infinite == 0 || fabs(x[i]) != INFINITY || !is_known(x[i], mark))) i++;
    return i;
}

static void look_at_pixel(const search *s, seen *own, const double *x, int64_t j) {
    int64_t bands = s->X->rows, left = 0, holes = count_holes(x, bands, s->mark);
    int64_t infinite = first_infinite(x, bands, s->mark);
    s->holes[j] = infinite < bands ? -1 - infinite : holes;
    for (int64_t k = 0; k < own->idle_count; k++) {
        int64_t i = own->idle[k];
        if (x[i] == 0 || !is_known(x[i], s->mark)) own->idle[left++] = i;
    }
    own->idle_count = left;
    for (int64_t i = 0; holes > 0 && holes < bands && i < bands; i++)
        own->unknown[i] += !is_known(x[i], s->mark);
}

static void look_at_block(void *user, int64_t block, int thread) {
    const search *s = user;
    seen *own = &s->seen[thread];
    int64_t bands = s->X->rows, low = block * BLOCK;
    int64_t high = low + BLOCK < s->X->cols ? low + BLOCK : s->X->cols, width = high - low;
    chi_prefetch_block(s->context, s->X, BLOCK, block);
    chi_block_gather(own->block, s->X, low, high);
    for (int64_t j = low; j < high; j++) {
        const double *x = own->block + (j - low) * bands;
        if (s->X->layout == CH_ROW_MAJOR) {
            for (int64_t i = 0; i < bands; i++) own->pixel[i] = own->block[i * width + j - low];
            x = own->pixel;
        }
        look_at_pixel(s, own, x, j);
    }
}

static ch_status prepare(chi_arena *arena, search *s, int threads) {
    int64_t bands = s->X->rows;
    s->seen = chi_arena_alloc_zero(arena, threads, sizeof *s->seen);
    for (int t = 0; s->seen && t < threads; t++) {
        seen *own = &s->seen[t];
        own->block = chi_arena_alloc(arena, bands, BLOCK * sizeof *own->block);
        own->pixel = chi_arena_doubles(arena, bands);
        own->unknown = chi_arena_alloc_zero(arena, bands, sizeof *own->unknown);
        own->idle = chi_arena_alloc(arena, bands, sizeof *own->idle);
        for (int64_t i = 0; own->idle && i < bands; i++) own->idle[own->idle_count++] = i;
    }
    return chi_arena_status(arena, "gaps of a scene");
}

/* A band is empty if no thread has seen a non-zero value in it. */
static void add_up(const search *s, int threads, int64_t *unknown, uint8_t *nonzero) {
    int64_t bands = s->X->rows;
    for (int64_t i = 0; i < bands; i++) {
        unknown[i] = 0;
        for (int t = 0; t < threads; t++) unknown[i] += s->seen[t].unknown[i];
        nonzero[i] = 0;
    }
    for (int t = 0; t < threads; t++) {
        const seen *own = &s->seen[t];
        for (int64_t i = 0, k = 0; i < bands; i++)
            if (k < own->idle_count && own->idle[k] == i)
                k++;
            else
                nonzero[i] = 1;
    }
}

ch_status ch_spectra_gaps(ch_context *context, int64_t *holes, int64_t *unknown, uint8_t *nonzero,
                          const ch_matrix *X, const double *mark) {
    if (!context || !holes || !unknown || !nonzero) return CH_ERR_ARGUMENT;
    TRY(chi_check_view(context, X));
    chi_arena arena = {.context = context};
    int threads = ch_context_threads(context);
    double stored = X->type == CH_F32 && mark ? (double)(float)*mark : mark ? *mark : 0;
    search s = {.context = context, .X = X, .mark = mark ? &stored : NULL, .holes = holes};
    ch_status status = prepare(&arena, &s, threads);
    chi_begin_phase(context, "check", 0);
    if (status == CH_OK && X->rows > 0) status = chi_pass(context, X, BLOCK, 1, look_at_block, &s);
    if (status == CH_OK) add_up(&s, threads, unknown, nonzero);
    chi_arena_free(&arena);
    return chi_outside_status(status);
}
