/* Anchors of columns that arrive in chunks, in bounded memory.
 *
 *     ch_stream *stream;
 *     ch_stream_create(context, &stream, rows, &anchors, &settings);
 *     while (next_chunk(&chunk)) ch_stream_push(stream, &chunk);
 *     ch_stream_anchors(stream, &result, &bound);
 *     // result.anchors[0 .. result.rank), counted from the first column of the stream
 *     ch_anchors_result_free(context, &result);
 *     ch_stream_destroy(stream);
 *
 * An arriving column x is kept when it lies outside the cone of the columns kept so far,
 *
 *     min_{b >= 0} |x - S b|_1  >  tolerance * |x|_1,
 *
 * and dropped otherwise, since combinations of kept columns explain it. When the store S is full,
 * it is reduced to the columns whose cone contains the others. The anchors are those that
 * ch_anchors() finds in S. docs/streaming.md proves what this guarantees in comparison with
 * ch_anchors() on all columns at once, and what it does not. In short, for any chunks and any order
 * of the columns:
 *
 *  - every column seen that is farther than tolerance from the cone of all other columns is in S;
 *  - every column seen lies within `bound` of the cone of the anchors, relative to its l1 norm;
 *  - on exactly separable data the anchors are those of ch_anchors(), as a set;
 *  - the same columns give the same bits for any chunks and any number of threads.
 *
 * The first and the third hold as long as the store was large enough (ch_stream_info.thinned is
 * 0). */
#ifndef CONEHULL_STREAM_H
#define CONEHULL_STREAM_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/** Settings of a stream. ch_stream_defaults() fills them; ch_stream_table() lists their bounds. */
typedef struct ch_stream_settings {
    size_t size; /**< sizeof(ch_stream_settings); ch_stream_defaults() sets it */
    /** Maximum number of columns in the store, at least twice the rank. 0: all columns are kept as
     *  long as they fit into 2^27 numbers, and the answer is that of ch_anchors(); after that the
     *  store holds 256 columns. */
    int64_t store;
    /** A column x is dropped if its l1 distance from the cone of the columns in the store is at
     *  most tolerance * |x|_1. */
    double tolerance;
} ch_stream_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_stream_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_stream_defaults(ch_stream_settings *settings) {
    ch_settings_defaults(ch_stream_table(), settings, sizeof *settings);
}

/** A stream of columns; opaque, made by ch_stream_create() or ch_stream_restore(). */
typedef struct ch_stream ch_stream;

/** The state of a stream. */
typedef struct ch_stream_info {
    size_t size;     /**< sizeof(ch_stream_info); the caller sets it */
    int64_t rows;    /**< number of entries of every column */
    int64_t seen;    /**< number of columns pushed so far, which is the index of the next column */
    int64_t zeros;   /**< number of columns seen that have no entry above 0 */
    int64_t kept;    /**< number of columns in the store now */
    int64_t most;    /**< maximum number of columns that the store has held so far */
    int64_t reduced; /**< number of times that a full store was reduced */
    /** Number of columns that were dropped although they were outside the cone of the columns kept,
     *  because the store was full. */
    int64_t thinned;
    /** The tolerance in use: that of ch_stream_settings, or a larger one after columns outside the
     *  cone were dropped. */
    double tolerance;
    /** Every column x that was pushed lies within l1 distance bound * |x|_1 of the cone of the
     *  columns in the store. */
    double bound;
} ch_stream_info;

/** Creates a stream of columns with `rows` entries. `anchors` are the settings by which
 *  ch_stream_anchors() will choose anchors: method xray or spa, any loss; with rank 0 the rank is
 *  chosen from the columns kept. Its members keep, path, keep_duals and checkpoint must not be set.
 *  Both settings are copied. Memory grows to about 2.5 * store * rows doubles, and is larger while
 *  the store grows, is reduced or is searched for anchors. Works in one process only. The context
 *  must outlive the stream. */
CH_API ch_status ch_stream_create(ch_context *context, ch_stream **stream, int64_t rows,
                                  const ch_anchors_settings *anchors,
                                  const ch_stream_settings *settings);
/** Frees a stream. NULL is allowed. */
CH_API void ch_stream_destroy(ch_stream *stream);

/** Adds the next columns, in any layout and type; a chunk may be empty. The stream copies what it
 *  keeps. A chunk with invalid values is refused as a whole (CH_ERR_DATA); the message names the
 *  column by its index in the stream, from 0. If memory runs out (CH_ERR_MEMORY) or the progress
 *  callback cancels (CH_STOP_CANCELLED), some columns may have been added: ch_stream_info.seen is
 *  the index of the first column that was not added, and the stream can continue from there. */
CH_API ch_status ch_stream_push(ch_stream *stream, const ch_matrix *chunk);

/** Reports the state of a stream. The caller sets info->size. */
CH_API ch_status ch_stream_get_info(const ch_stream *stream, ch_stream_info *info);

/** Finds anchors of all columns seen; the stream does not change. In the result, anchors are
 *  indices of columns in the stream, from 0, W holds the values of these columns, cols is the
 *  number of columns seen, and max_residual refers to the columns kept. H is NULL: ch_project()
 *  computes weights of any columns. *bound (bound may be NULL) is set so that every column x seen
 *  has weights h >= 0 with |x - W h|_1 <= bound * |x|_1; it is infinite if the call is cancelled.
 *  Returns CH_STOP_COMPLETE if there are fewer anchors than rank and CH_STOP_INACCURATE if the
 *  store was thinned. */
CH_API ch_status ch_stream_anchors(ch_stream *stream, ch_anchors_result *result, double *bound);

/** Gives access to the columns that the stream has kept. *view becomes a matrix (f64, column-major)
 *  of these columns, and (*numbers)[k] is the position in the stream, counted from 0, of column k
 *  of *view. Positions increase with k. Both are valid until the next ch_stream_push(). */
CH_API void ch_stream_kept(const ch_stream *stream, ch_matrix *view, const int64_t **numbers);

/** Adds the state of a stream to a checkpoint (checkpoint.h), from which ch_stream_restore() makes
 *  the stream again. */
CH_API ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint);
/** Creates a stream from the last state in a checkpoint. It continues with the same bits as the
 *  stream that was saved, and has its ch_stream_settings and its `tol`. Other members of `anchors`,
 *  such as rank or loss, may differ from those at the time of saving. */
CH_API ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                                   const ch_anchors_settings *anchors,
                                   const ch_checkpoint *checkpoint);

CH_END_DECLS
#endif
