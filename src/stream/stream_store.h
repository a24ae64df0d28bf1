/* A stream of columns: its store S, as a cone, and what is known of the dropped columns.
 *
 *     every column x seen:  |x - S b|_1 <= bound * |x|_1  for some b >= 0                     (1)
 *
 * Everything is a function of the columns so far in their order, never of the chunks. */
#pragma once

#include "project/columns/projector.h"
#include <conehull/stream.h>

/* Memory that grows with the stored columns; empty until the first push. */
typedef struct chi_stream_workspace {
    chi_arena arena;
    chi_cone cone;    /* S, in order of arrival                                  */
    int64_t *numbers; /* numbers of its columns in the stream                    */
    double *column;   /* rows                                                    */
    double *far;      /* for columns measured ahead: residuals relative to |x|_1 */
    double *size;     /* the same: |x|_1                                         */
} chi_stream_workspace;

/* All non-zero columns, as long as they fit (stream_waiting.c). */
typedef struct chi_waiting {
    double *values; /* rows x space */
    int64_t *numbers;
    int64_t count, space;
} chi_waiting;

struct ch_stream {
    ch_context *context;
    ch_anchors_settings anchors; /* for the answer                                    */
    ch_anchors_settings filter;  /* l1, exact: for projections on S and its reduction */
    ch_stream_settings settings;
    ch_stream_info info;
    double total;   /* sum of all entries seen, for the floor of divergences          */
    int64_t limit;  /* S is reduced when it holds this many columns                   */
    int64_t values; /* capacity for waiting columns: CHI_STREAM_VALUES, less in tests */
    chi_waiting waiting;
    chi_stream_workspace work;
    chi_projector projector; /* on work.cone, for projector.threads threads                    */
};

enum {
    CHI_STREAM_LEAST = 4,        /* columns of a store                              */
    CHI_STREAM_STORE = 256,      /* columns of a store, once not all columns fit    */
    CHI_STREAM_VALUES = 1 << 27, /* capacity for waiting columns, in numbers: 1 GiB */
    CHI_STREAM_AHEAD = 256,      /* maximum number of columns measured ahead         */
    CHI_STREAM_GROWTH = 16       /* columns by which a reduced store may always grow */
};

/* chi_stream_waits() returns whether columns wait; reserve allocates for so many; take copies
 * columns of a chunk from *at on and sets *at to the first that does not fit (stream_waiting.c). */
int chi_stream_waits(const ch_stream *stream);
ch_status chi_waiting_reserve(ch_stream *stream, int64_t columns);
ch_status chi_waiting_take(ch_stream *stream, const ch_matrix *chunk, const double *sums,
                           int64_t *at);
void chi_waiting_free(ch_context *context, chi_waiting *waiting);

/* Maximum number of stored columns once columns no longer wait. */
static inline int64_t chi_stream_most(const ch_stream_settings *settings) {
    return settings->store ? settings->store : CHI_STREAM_STORE;
}

/* Returns the limit of a store with `kept` columns after a reduction; for a new store, kept is
 * CHI_STREAM_GROWTH / 2. */
int64_t chi_stream_limit(const ch_stream_settings *settings, int64_t kept);

/* Reserves memory for so many columns in all, and workspaces for the current number of threads. If
 * it fails, the stored columns are intact, and the next call tries again (stream_workspace.c). */
ch_status chi_stream_reserve(ch_stream *stream, int64_t columns);
void chi_stream_release(ch_stream *stream);

/* For columns [lo, hi) of the projector's X, with A its cone: far[j - lo] = min_{b >= 0} |x_j - A
 * b|_1 / |x_j|_1 (0 for a zero column), size[j - lo] = |x_j|_1. */
void chi_stream_measure(ch_context *context, double *far, double *size,
                        const chi_projector *projector, int64_t lo, int64_t hi);

/* Returns the bound after a change from S to A with |s - A h|_1 <= worst * |s|_1 for every s in S;
 * (1) then holds for A. Proof: |S b|_1 = sum_s b_s |s|_1 <= (1 + bound) |x|_1 because nothing is
 * negative, and b = 0 is never farther than 1. */
double chi_stream_widen(double bound, double worst);

/* Computes far and size as above for the columns of S and the cone of the listed ones
 * (stream_reduce.c). */
ch_status chi_stream_compare(ch_stream *stream, double *far, double *size, const int64_t *list,
                             int64_t count);

/* Reduces S, a full store at most to half (stream_reduce.c); waiting columns become the store. If
 * it fails or is cancelled, nothing has changed. */
ch_status chi_stream_reduce(ch_stream *stream);

/* A view of S as a matrix. */
void chi_stream_view(const ch_stream *stream, ch_matrix *view);
static inline const int64_t *chi_stream_numbers(const ch_stream *stream) {
    return chi_stream_waits(stream) ? stream->waiting.numbers : stream->work.numbers;
}
