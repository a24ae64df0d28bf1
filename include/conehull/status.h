/* How a call ended.
 *
 * Zero: done. Negative: the call failed and its outputs are untouched; ch_context_message() gives
 * the reason in words. Positive: the call stopped early and its outputs hold a usable answer.
 * Values are part of the ABI and are never reused. */
#ifndef CONEHULL_STATUS_H
#define CONEHULL_STATUS_H

/* CH_API marks what the shared libraries export; everything else is hidden. Headers declare their
 * names between CH_BEGIN_DECLS and CH_END_DECLS, which give them the linkage of C in a C++ program.
 */
#if defined(__GNUC__)
#define CH_API __attribute__((visibility("default")))
#else
#define CH_API
#endif

#ifdef __cplusplus
#define CH_BEGIN_DECLS extern "C" {
#define CH_END_DECLS }
#else
#define CH_BEGIN_DECLS
#define CH_END_DECLS
#endif

CH_BEGIN_DECLS

typedef enum ch_status {
    CH_OK = 0,

    CH_STOP_COMPLETE = 1,   /**< every column was in the cone before rank anchors were found */
    CH_STOP_ITER = 2,       /**< an iteration or pivot limit was reached                     */
    CH_STOP_TIME = 3,       /**< a time limit was reached                                    */
    CH_STOP_CANCELLED = 4,  /**< the progress callback asked to stop                         */
    CH_STOP_INACCURATE = 5, /**< finished, but some results are not proven to the tolerance  */

    CH_ERR_ARGUMENT = -1,    /**< an argument is NULL, inconsistent or out of range           */
    CH_ERR_SETTING = -2,     /**< a setting is out of its range                               */
    CH_ERR_DATA = -3,        /**< the matrix holds values the method cannot use               */
    CH_ERR_MEMORY = -4,      /**< an allocation failed                                        */
    CH_ERR_IO = -5,          /**< the system refused to open, read or write a file            */
    CH_ERR_FORMAT = -6,      /**< a file's contents are not what its format promises          */
    CH_ERR_UNSUPPORTED = -7, /**< valid, but not available in this build or combination       */
    CH_ERR_INTERNAL = -8     /**< a bug in conehull                                           */
} ch_status;

/** Identifier of a status, e.g. "CH_ERR_DATA". Never NULL. */
CH_API const char *ch_status_name(ch_status status);

/** One sentence for people. Never NULL. */
CH_API const char *ch_status_sentence(ch_status status);

CH_END_DECLS
#endif
