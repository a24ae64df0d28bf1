/* Finds anchors of columns that arrive in chunks, in bounded memory.
 *
 *     ch_stream *stream;
 *     ch_stream_create(context, &stream, rows, &anchors, &settings);
 *     while (next_chunk(&chunk)) ch_stream_push(stream, &chunk);
 *     ch_stream_anchors(stream, &result, &bound);
 *     // result.anchors[0 .. result.rank), counted from the first column of the stream
 *     ch_anchors_result_free(context, &result);
 *     ch_stream_destroy(stream);
 *
 * The stream has a store S of columns. An arriving column x is added to the store if it lies
 * outside the cone of the columns in the store,
 *
 *     min_{b >= 0} |x - S b|_1  >  tolerance * |x|_1,
 *
 * and dropped otherwise, because combinations of columns in the store explain it. When the store is
 * full, it is reduced to the columns whose cone contains the other columns of the store. The
 * anchors of the stream are those that ch_anchors() finds in the store. docs/streaming.md compares
 * these anchors with those of ch_anchors() on all columns at once, states what is not guaranteed,
 * and proves the guarantees. In short, these statements hold for any order of the columns and any
 * division into chunks:
 *
 *  - S contains every column x seen so far whose l1 distance from the cone of all other columns is
 *    larger than tolerance * |x|_1;
 *  - the l1 distance of every column x seen so far from the cone of the anchors is at most
 *    bound * |x|_1;
 *  - on exactly separable data the anchors are the same columns as those of ch_anchors(), but their
 *    order may differ;
 *  - the same columns in the same order give the same bits, whatever the chunks and the number of
 *    threads.
 *
 * The first and the third statement hold only as long as the store was large enough
 * (ch_stream_info.thinned is 0). */
#ifndef CONEHULL_STREAM_H
#define CONEHULL_STREAM_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/** Settings of a stream. ch_stream_defaults() fills them; ch_stream_table() lists their bounds. */
typedef struct ch_stream_settings {
    size_t size; /**< sizeof(ch_stream_settings); ch_stream_defaults() sets it */
    /** Maximum number of columns in the store, at least twice the rank. The default 0 means that
     *  the store holds all columns as long as they have at most 2^27 values in all; the anchors are
     *  then exactly those of ch_anchors(). When there are more values, the store holds at most 256
     *  columns, with which the rank can be at most 128. */
    int64_t store;
    /** A number from 1e-11 to 0.9: an arriving column x is dropped if its l1 distance from the cone
     *  of the columns in the store is at most tolerance * |x|_1. */
    double tolerance;
} ch_stream_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_stream_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_stream_defaults(ch_stream_settings *settings) {
    ch_settings_defaults(ch_stream_table(), settings, sizeof *settings);
}

/** A stream of columns; opaque, made by ch_stream_create() or ch_stream_restore(). */
typedef struct ch_stream ch_stream;

/** The state of a stream. */
typedef struct ch_stream_info {
    size_t size;   /**< sizeof(ch_stream_info); the caller sets it */
    int64_t rows;  /**< number of rows, which is the length of every column */
    int64_t seen;  /**< number of columns pushed so far; the next column gets this index, from 0 */
    int64_t zeros; /**< number of columns pushed so far that are zero */
    int64_t kept;  /**< number of columns that are in the store now */
    int64_t most;  /**< maximum number of columns that the store has held so far */
    int64_t reduced; /**< number of times that the store was full and was reduced */
    /** Number of columns that were dropped although they were outside the cone of the columns in
     *  the store, because the store was full. */
    int64_t thinned;
    /** The tolerance in use: ch_stream_settings.tolerance, or a larger value if columns outside the
     *  cone were dropped because the store was full. */
    double tolerance;
    /** A number from 0 to 1: every column x that was pushed so far lies within the l1 distance
     *  bound * |x|_1 of the cone of the columns in the store. */
    double bound;
} ch_stream_info;

/** Creates a stream of columns with `rows` entries each; ch_stream_destroy() frees it. `anchors`
 *  holds the settings by which ch_stream_anchors() will choose anchors: method xray or spa, any
 *  loss; with rank 0 the number of anchors is chosen from the columns in the store. The members
 *  keep, path, keep_duals and checkpoint of `anchors` must not be set. Both settings structs are
 *  copied. The stream takes up to about 2.5 * store * rows doubles of memory, and more for a short
 *  time while the store grows, is reduced or is searched for anchors. Streams work in one process
 *  only. The context must outlive the stream. */
CH_API ch_status ch_stream_create(ch_context *context, ch_stream **stream, int64_t rows,
                                  const ch_anchors_settings *anchors,
                                  const ch_stream_settings *settings);
/** Frees a stream. NULL is allowed. */
CH_API void ch_stream_destroy(ch_stream *stream);

/** Pushes the next columns to the stream. The chunk may have any layout and type and any number of
 *  columns; the stream copies the columns that it stores. A chunk with invalid values is refused as
 *  a whole (CH_ERR_DATA); the message names the column by its index in the stream, from 0. If
 *  memory runs out (CH_ERR_MEMORY) or the progress callback cancels (CH_STOP_CANCELLED), the stream
 *  may contain only the first columns of the chunk: ch_stream_info.seen is the index of the first
 *  column that it does not contain, and the caller can push the columns from this index on
 *  again. */
CH_API ch_status ch_stream_push(ch_stream *stream, const ch_matrix *chunk);

/** Reports the state of a stream. The caller sets info->size. */
CH_API ch_status ch_stream_get_info(const ch_stream *stream, ch_stream_info *info);

/** Finds anchors of all columns pushed so far; the stream does not change. The caller sets
 *  result->size and later calls ch_anchors_result_free(). In the result, anchors are indices of
 *  columns in the stream, from 0, W holds the values of these columns, cols is the number of
 *  columns pushed, and max_residual refers to the columns in the store. H is NULL; ch_project() can
 *  compute the weights of any columns. *bound receives a number such that every column x pushed has
 *  weights h >= 0 with |x - W h|_1 <= *bound * |x|_1, or infinity if the call is cancelled; bound
 *  may be NULL. Returns CH_STOP_COMPLETE if fewer anchors than requested were found and
 *  CH_STOP_INACCURATE if ch_stream_info.thinned is positive. */
CH_API ch_status ch_stream_anchors(ch_stream *stream, ch_anchors_result *result, double *bound);

/** Gives access to the columns in the store. *view becomes a matrix (f64, column-major) of these
 *  columns, and *numbers an array: column k of *view has the index (*numbers)[k], from 0, in the
 *  stream. Indices increase with k. Both belong to the stream and are valid until the next
 *  ch_stream_push(). */
CH_API void ch_stream_kept(const ch_stream *stream, ch_matrix *view, const int64_t **numbers);

/** Adds the state of a stream to a checkpoint (checkpoint.h). ch_stream_restore() can later create
 *  the stream again from this state. */
CH_API ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint);
/** Creates a stream from the last state that a checkpoint holds; ch_stream_destroy() frees it. The
 *  new stream continues with the same bits as the saved stream would. It uses the
 *  ch_stream_settings and the anchors.tol of the saved stream; the member tol of `anchors` is
 *  ignored. Other members of `anchors`, such as rank or loss, may differ from those of the saved
 *  stream. */
CH_API ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                                   const ch_anchors_settings *anchors,
                                   const ch_checkpoint *checkpoint);

CH_END_DECLS
#endif
