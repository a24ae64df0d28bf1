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

/** Described, with defaults and bounds, by ch_stream_table(). */
typedef struct ch_stream_settings {
    size_t size;   /**< sizeof(ch_stream_settings); ch_stream_defaults() sets it */
    int64_t store; /**< largest number of columns kept; at least twice the rank. 0: all columns as
                        long as they fit into 2^27 numbers, with the answer of ch_anchors(); after
                        that 256                                                            */
    double tolerance; /**< columns within this distance of the cone, relative to |x|_1, are
                           dropped                                                          */
} ch_stream_settings;

CH_API const ch_settings_table *ch_stream_table(void);
static inline void ch_stream_defaults(ch_stream_settings *settings) {
    ch_settings_defaults(ch_stream_table(), settings, sizeof *settings);
}

typedef struct ch_stream ch_stream;

/** The state of a stream. */
typedef struct ch_stream_info {
    size_t size; /**< sizeof(ch_stream_info); the caller sets it */
    int64_t rows;
    int64_t seen;     /**< columns so far; the next column has this number                      */
    int64_t zeros;    /**< of these, columns without any entry above zero                       */
    int64_t kept;     /**< columns in the store now                                             */
    int64_t most;     /**< the most columns the store ever held                                 */
    int64_t reduced;  /**< number of times the store was reduced                                */
    int64_t thinned;  /**< columns dropped although outside the cone, because the store was full */
    double tolerance; /**< in use: the setting, or larger if the store was thinned              */
    double bound;     /**< every column seen is within this distance of the cone of those kept  */
} ch_stream_info;

/** Creates a stream. `anchors` are the settings of ch_stream_anchors(): methods xray and spa, any
 *  loss; rank 0 is chosen from the columns kept. keep, path, keep_duals and checkpoint are refused.
 *  Both settings are copied. Memory grows with the columns kept to about 2.5 * store * rows
 *  doubles; growing, reducing and selecting take more during their calls. One process only; the
 *  stream belongs to the context. */
CH_API ch_status ch_stream_create(ch_context *context, ch_stream **stream, int64_t rows,
                                  const ch_anchors_settings *anchors,
                                  const ch_stream_settings *settings);
/** Does nothing if stream is NULL. */
CH_API void ch_stream_destroy(ch_stream *stream);

/** Adds the next columns, in any layout and type; a chunk may be empty. The stream keeps no pointer
 *  to them. A chunk with invalid values is refused as a whole; the message names the column by its
 *  number in the stream. If memory runs out or the progress callback cancels (CH_STOP_CANCELLED),
 *  the columns before ch_stream_info.seen have been added, and the stream can continue from
 *  there. */
CH_API ch_status ch_stream_push(ch_stream *stream, const ch_matrix *chunk);

CH_API ch_status ch_stream_get_info(const ch_stream *stream, ch_stream_info *info);

/** Anchors of all columns seen: result.anchors are their numbers in the stream, result.W their
 *  values, result.cols the columns seen; H is NULL (ch_project() makes it for any columns),
 *  max_residual is over the columns kept. bound (or NULL): every column x seen has weights h >= 0
 *  with |x - W h|_1 <= bound * |x|_1. Returns CH_STOP_COMPLETE if there are fewer anchors than rank
 *  and CH_STOP_INACCURATE if the store was thinned. If cancelled, bound is infinite. The stream
 *  does not change. */
CH_API ch_status ch_stream_anchors(ch_stream *stream, ch_anchors_result *result, double *bound);

/** The columns kept, by increasing number: a view (f64, column-major) and their numbers, both valid
 *  until the next push. */
CH_API void ch_stream_kept(const ch_stream *stream, ch_matrix *view, const int64_t **numbers);

/** Adds the state to a checkpoint. A stream that was restored continues with the same bits as one
 *  that was never saved. restore takes the last state; the stream's settings and the accuracy of
 *  its projections (tol) are those it was saved with. The other settings of `anchors` may differ,
 *  for instance rank or loss. */
CH_API ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint);
CH_API ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                                   const ch_anchors_settings *anchors,
                                   const ch_checkpoint *checkpoint);

CH_END_DECLS
#endif
