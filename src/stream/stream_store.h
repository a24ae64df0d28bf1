/* A stream of columns: the columns that are stored, S, as a cone, and a bound for the columns that
 * were dropped.
 *
 *     every column x seen:  |x - S b|_1 <= bound * |x|_1  for some b >= 0                     (1)
 *
 * The state depends on the columns so far and their order, never on how they were divided into
 * chunks. */
#pragma once

#include "project/columns/projector.h"
#include <conehull/stream.h>

/* Memory that grows with the stored columns; empty until the first push. */
typedef struct chi_stream_workspace {
    chi_arena arena;
    chi_cone cone;    /* S, in order of arrival                                  */
    int64_t *numbers; /* numbers of the columns of S in the stream               */
    double *column;   /* rows                                                    */
    double *far;      /* for columns measured ahead: residuals relative to |x|_1 */
    double *size;     /* for columns measured ahead: |x|_1                       */
} chi_stream_workspace;

/* Waiting columns: all non-zero columns so far, as long as they fit in memory
 * (stream_waiting.c). */
typedef struct chi_waiting {
    double *values; /* rows x space */
    int64_t *numbers;
    int64_t count, space;
} chi_waiting;

struct ch_stream {
    ch_context *context;
    ch_anchors_settings anchors; /* settings of the run that computes the answer */
    /* settings of projections onto S and of its reduction: l1, exact */
    ch_anchors_settings filter;
    ch_stream_settings settings;
    ch_stream_info info;
    double total;   /* sum of all entries seen, for the floor of divergences          */
    int64_t limit;  /* S is reduced when it holds this many columns                   */
    int64_t values; /* capacity for waiting columns: CHI_STREAM_VALUES, less in tests */
    chi_waiting waiting;
    chi_stream_workspace work;
    chi_projector projector; /* projects onto work.cone */
};

enum {
    CHI_STREAM_LEAST = 4,        /* minimum of ch_stream_settings.store, unless it is 0           */
    CHI_STREAM_STORE = 256,      /* default maximum of stored columns when columns no longer wait */
    CHI_STREAM_VALUES = 1 << 27, /* capacity for waiting columns, in numbers: 1 GiB               */
    CHI_STREAM_AHEAD = 256,      /* maximum number of columns measured ahead                      */
    CHI_STREAM_GROWTH = 16       /* columns by which a reduced store may always grow              */
};

/* chi_stream_waits() returns whether new columns are added to the waiting columns.
 * chi_waiting_reserve() allocates memory for so many waiting columns. chi_waiting_take() copies
 * columns of a chunk from column *at on and sets *at to the first that does not fit
 * (stream_waiting.c). */
int chi_stream_waits(const ch_stream *stream);
ch_status chi_waiting_reserve(ch_stream *stream, int64_t columns);
ch_status chi_waiting_take(ch_stream *stream, const ch_matrix *chunk, const double *sums,
                           int64_t *at);
void chi_waiting_free(ch_context *context, chi_waiting *waiting);

/* Returns the maximum number of stored columns when columns no longer wait. */
static inline int64_t chi_stream_most(const ch_stream_settings *settings) {
    return settings->store ? settings->store : CHI_STREAM_STORE;
}

/* Returns the number of columns at which S is reduced next, if it has `kept` columns after a
 * reduction; for a new store, kept is CHI_STREAM_GROWTH / 2. */
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

/* Computes far and size as chi_stream_measure() does, for the columns of S and the cone of the
 * listed columns of S (stream_reduce.c). */
ch_status chi_stream_compare(ch_stream *stream, double *far, double *size, const int64_t *list,
                             int64_t count);

/* Drops columns from S (stream_reduce.c); a full store shrinks to at most half. If columns are
 * waiting, they are reduced and become the store. If it fails or is cancelled, the stream is
 * unchanged. */
ch_status chi_stream_reduce(ch_stream *stream);

/* Makes *view a view of S as a matrix. */
void chi_stream_view(const ch_stream *stream, ch_matrix *view);
static inline const int64_t *chi_stream_numbers(const ch_stream *stream) {
    return chi_stream_waits(stream) ? stream->waiting.numbers : stream->work.numbers;
}
