/* A stream of columns: its store S, kept as a cone, and what is known of the columns let go.
 *
 *     every column x seen:  |x - S b|_1 <= bound * |x|_1  for some b >= 0                     (1)
 *
 * Everything is a function of the columns so far in their order, never of the chunks. */
#pragma once

#include "project/columns/projector.h"
#include <conehull/stream.h>

/* What grows with the columns kept; nothing at all until the first push. */
typedef struct chi_stream_workspace {
    chi_arena arena;
    chi_cone cone;    /* S, in order of arrival                                                */
    int64_t *numbers; /* of its columns                                                        */
    double *column;   /* rows                                                                  */
    double *far;      /* of what is measured ahead: residuals relative to |x|_1       */
    double *size;     /* the same: |x|_1                                                       */
} chi_stream_workspace;

/* All columns that are not zero, as long as they fit (stream_waiting.c). */
typedef struct chi_waiting {
    double *values; /* rows x space */
    int64_t *numbers;
    int64_t count, space;
} chi_waiting;

struct ch_stream {
    ch_context *context;
    ch_anchors_settings anchors; /* of the answer                                              */
    ch_anchors_settings filter;  /* l1, exact: of the projections on S, and of its reduction   */
    ch_stream_settings settings;
    ch_stream_info info;
    double total;   /* sum of all entries seen, for the floor of divergences                    */
    int64_t limit;  /* S is reduced when it holds so many                                       */
    int64_t values; /* numbers that columns may wait in: CHI_STREAM_VALUES, fewer in tests     */
    chi_waiting waiting;
    chi_stream_workspace work;
    chi_projector projector; /* on work.cone, for projector.threads threads                    */
};

enum {
    CHI_STREAM_LEAST = 4,        /* columns of a store                                 */
    CHI_STREAM_STORE = 256,      /* columns of a store, once columns no longer fit */
    CHI_STREAM_VALUES = 1 << 27, /* numbers that columns may be kept in before: 1 GiB */
    CHI_STREAM_AHEAD = 256, /* columns measured ahead, at most                                 */
    CHI_STREAM_GROWTH = 16  /* columns that a reduced store may grow by in any case            */
};

/* Whether columns wait; memory for so many of them; columns of a chunk from *at on, *at then being
 * the first that does not fit (stream_waiting.c). */
int chi_stream_waits(const ch_stream *stream);
ch_status chi_waiting_reserve(ch_stream *stream, int64_t columns);
ch_status chi_waiting_take(ch_stream *stream, const ch_matrix *chunk, const double *sums,
                           int64_t *at);
void chi_waiting_free(ch_context *context, chi_waiting *waiting);

/* Columns kept at most, where columns no longer wait. */
static inline int64_t chi_stream_most(const ch_stream_settings *settings) {
    return settings->store ? settings->store : CHI_STREAM_STORE;
}

/* The limit of a store that holds so many columns after a reduction; of a new one, that for
 * CHI_STREAM_GROWTH / 2. */
int64_t chi_stream_limit(const ch_stream_settings *settings, int64_t kept);

/* Memory for so many columns in all, and work areas for the threads there are now. When memory
 * fails the columns kept are still there, and the next call goes on (stream_workspace.c). */
ch_status chi_stream_reserve(ch_stream *stream, int64_t columns);
void chi_stream_release(ch_stream *stream);

/* far[j - lo] = min_{b >= 0} |x_j - A b|_1 / |x_j|_1 (0 for a zero column), size[j - lo] = |x_j|_1
 * for columns [lo, hi) of the projector's X, A being its cone. */
void chi_stream_measure(ch_context *context, double *far, double *size,
                        const chi_projector *projector, int64_t lo, int64_t hi);

/* After a change from S to A with |s - A h|_1 <= worst * |s|_1 for every s in S, (1) holds for A
 * with the result: |S b|_1 = sum_s b_s |s|_1 <= (1 + bound) |x|_1 as nothing is negative, and
 * b = 0 is never farther than 1. */
double chi_stream_widen(double bound, double worst);

/* far and size as above, of the columns of S from the cone of those in the list (stream_reduce.c).
 */
ch_status chi_stream_compare(ch_stream *stream, double *far, double *size, const int64_t *list,
                             int64_t count);

/* Fewer columns in S, of a full store at most half (stream_reduce.c); those that waited become the
 * store. Nothing has changed when it fails or was cancelled. */
ch_status chi_stream_reduce(ch_stream *stream);

/* S as a matrix. */
void chi_stream_view(const ch_stream *stream, ch_matrix *view);
static inline const int64_t *chi_stream_numbers(const ch_stream *stream) {
    return chi_stream_waits(stream) ? stream->waiting.numbers : stream->work.numbers;
}
