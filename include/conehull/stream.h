/* Columns that arrive in chunks: anchors kept up to date, in bounded memory.
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
 * and let go otherwise: combinations explain it. When the store S is full it is reduced to the
 * columns whose cone holds the others. Anchors are those that ch_anchors() finds among S. What
 * that guarantees against ch_anchors() on all columns at once, and what it does not, with proofs:
 * docs/streaming.md. In short, whatever the chunks and the order of columns:
 *
 *  - every column seen that is farther than tolerance from the cone of all others is in S;
 *  - every column seen lies within `bound` of the cone of the anchors, relative to its l1 norm;
 *  - on exactly separable data the anchors are those of ch_anchors(), as a set;
 *  - the same columns give the same bits, however they were cut into chunks, on any threads;
 *
 * the first and the third as long as the store sufficed (ch_stream_info.thinned is 0). */
#ifndef CONEHULL_STREAM_H
#define CONEHULL_STREAM_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/** Described, with defaults and bounds, by ch_stream_table(). */
typedef struct ch_stream_settings {
    size_t size;   /**< sizeof(ch_stream_settings); ch_stream_defaults() sets it */
    int64_t store; /**< columns kept at most; at least twice the rank. 0: every column while they
                        fit into 2^27 numbers, and the answer is that of ch_anchors(); then 256 */
    double
        tolerance; /**< a column this near the cone of those kept, relative to |x|_1, is let go */
} ch_stream_settings;

CH_API const ch_settings_table *ch_stream_table(void);
static inline void ch_stream_defaults(ch_stream_settings *settings) {
    ch_settings_defaults(ch_stream_table(), settings, sizeof *settings);
}

typedef struct ch_stream ch_stream;

/** Where a stream stands. */
typedef struct ch_stream_info {
    size_t size; /**< sizeof(ch_stream_info); the caller sets it */
    int64_t rows;
    int64_t seen;     /**< columns so far: the next one is number `seen`                        */
    int64_t zeros;    /**< of these, columns without any entry above zero                       */
    int64_t kept;     /**< columns in the store now                                             */
    int64_t most;     /**< and when it held most                                                */
    int64_t reduced;  /**< times the store was reduced                                          */
    int64_t thinned;  /**< columns that had to go though they were outside: the store was full  */
    double tolerance; /**< in force: as set, or what a thinned store can still tell apart       */
    double bound;     /**< every column seen is this near the cone of those kept, at most       */
} ch_stream_info;

/** anchors: what ch_stream_anchors() runs with; methods xray and spa, any loss; rank 0: chosen from
 *  the columns kept. Its keep, path, keep_duals and checkpoint are refused. Both settings are
 *  copied. Memory grows with the columns kept, from the first push on: in the end about
 *  2.5 * store * rows doubles, and what growing, reducing and selecting take for the time of the
 *  call. One process; the stream belongs to the context. */
CH_API ch_status ch_stream_create(ch_context *context, ch_stream **stream, int64_t rows,
                                  const ch_anchors_settings *anchors,
                                  const ch_stream_settings *settings);
/** NULL is fine. */
CH_API void ch_stream_destroy(ch_stream *stream);

/** The next columns: any layout and type, any number, none included; nothing refers to them
 *  afterwards. A chunk with values that cannot be used is refused as a whole, naming the column by
 *  its number in the stream. When memory fails or the progress callback says stop
 *  (CH_STOP_CANCELLED), columns up to ch_stream_info.seen have been taken, and the stream goes on
 *  from there as if nothing had happened. */
CH_API ch_status ch_stream_push(ch_stream *stream, const ch_matrix *chunk);

CH_API ch_status ch_stream_get_info(const ch_stream *stream, ch_stream_info *info);

/** Anchors of all columns seen: result.anchors are their numbers in the stream, result.W their
 *  values, result.cols the columns seen; H is NULL (ch_project() makes it for any columns),
 *  max_residual is over the columns kept. bound (or NULL): every column x seen has weights h >= 0
 *  with |x - W h|_1 <= bound * |x|_1. Fewer anchors than rank: CH_STOP_COMPLETE. When the store
 *  was thinned, CH_STOP_INACCURATE. Cancelled, bound is infinite. Changes nothing in the stream. */
CH_API ch_status ch_stream_anchors(ch_stream *stream, ch_anchors_result *result, double *bound);

/** The columns kept, by rising number: a view (f64, column-major) and their numbers, good until
 *  the next push. */
CH_API void ch_stream_kept(const ch_stream *stream, ch_matrix *view, const int64_t **numbers);

/** Adds the state to a checkpoint; what is pushed after ch_stream_restore() gives
 *  the same bits as if the stream had never been saved. restore takes the last state; the stream's
 *  settings and the accuracy of its projections (tol) are those it was saved with, the other
 *  settings of `anchors` may differ: another rank or loss. */
CH_API ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint);
CH_API ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                                   const ch_anchors_settings *anchors,
                                   const ch_checkpoint *checkpoint);

CH_END_DECLS
#endif
