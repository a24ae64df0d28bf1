/* Status codes: how a call ended.
 *
 * Zero: the call succeeded. Negative: the call failed and its outputs are untouched;
 * ch_context_message() gives the reason in words. Positive: the call stopped early and its outputs
 * hold a usable answer. The numbers are part of the ABI: a number never gets a new meaning. */
#ifndef CONEHULL_STATUS_H
#define CONEHULL_STATUS_H

/* CH_API marks the functions that the shared libraries export; all other functions are hidden.
 * Headers put their declarations between CH_BEGIN_DECLS and CH_END_DECLS, so that C++ programs use
 * C linkage. */
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

/** The status that functions return: 0 for success, positive for an early stop with a usable
 *  answer, negative for a failure. ch_status_sentence() explains each value in one sentence. */
typedef enum ch_status {
    CH_OK = 0, /**< the call succeeded */

    CH_STOP_COMPLETE = 1,  /**< fewer anchors than requested explain every column */
    CH_STOP_ITER = 2,      /**< an iteration or pivot limit was reached */
    CH_STOP_TIME = 3,      /**< a time limit was reached */
    CH_STOP_CANCELLED = 4, /**< the progress callback asked to stop */
    /** Finished, but some results are not proven to the requested tolerance. */
    CH_STOP_INACCURATE = 5,

    CH_ERR_ARGUMENT = -1, /**< an argument is NULL, inconsistent or out of range */
    CH_ERR_SETTING = -2,  /**< a setting is out of its range */
    CH_ERR_DATA = -3,     /**< the data hold values that the call cannot use, such as NaN */
    CH_ERR_MEMORY = -4,   /**< an allocation failed, or would exceed the memory limit */
    CH_ERR_IO = -5,       /**< a file could not be opened, read or written */
    CH_ERR_FORMAT = -6,   /**< the contents of a file do not follow its format */
    /** The request is not available in this build, or not with these settings. */
    CH_ERR_UNSUPPORTED = -7,
    CH_ERR_INTERNAL = -8 /**< a bug in conehull */
} ch_status;

/** Returns the identifier of a status, such as "CH_ERR_DATA"; "CH_UNKNOWN" for any other number.
 *  The string is constant and never NULL. */
CH_API const char *ch_status_name(ch_status status);

/** Returns one English sentence that explains a status. The string is constant and never NULL. */
CH_API const char *ch_status_sentence(ch_status status);

CH_END_DECLS
#endif
