/* Reading and writing matrices (library conehull_io).
 *
 * The format is told by the name: .npy .npz .mtx .mtx.gz .mat .h5 .csv .tsv. Large .npy files are
 * mapped, not copied. Whatever is written goes to a temporary name beside the target and is
 * renamed when it is complete. */
#ifndef CONEHULL_IO_H
#define CONEHULL_IO_H

#include <conehull/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_read_settings {
    const char *var; /**< variable of a .mat, .npz or .h5 file; NULL: the only matrix in it  */
    int transpose;   /**< swap rows and columns                                              */
} ch_read_settings;

/** Reads a matrix. settings may be NULL. The message of a failure names file, place and value. */
CH_API ch_status ch_read_matrix(ch_context *context, ch_matrix *X, const char *path,
                                const ch_read_settings *settings);

/** Writes by name: .npy (Fortran order, own type), .mtx, .mtx.gz, .csv, .tsv. */
CH_API ch_status ch_write_matrix(ch_context *context, const char *path, const ch_matrix *X);

/** Formats that this build reads, one name per entry, NULL at the end. */
CH_API const char *const *ch_read_formats(void);

/** A file that appears under its name only when it is complete: open, write, commit; or discard,
 *  which leaves nothing behind. */
typedef struct ch_output ch_output;
CH_API ch_status ch_output_open(ch_context *context, ch_output **output, const char *path);
CH_API ch_status ch_output_write(ch_output *output, const void *bytes, size_t count);
/** Closes, syncs and renames. Frees the output whatever happens. */
CH_API ch_status ch_output_commit(ch_output *output);
/** NULL is fine. */
CH_API void ch_output_discard(ch_output *output);

/** One named array of an .npz archive. */
typedef struct ch_array {
    const char *name;
    char kind; /**< 'f' double, 'i' int64_t, 'j' int32_t                               */
    int dims;  /**< 0, 1 or 2; 2 is column-major                                       */
    int64_t shape[2];
    void *data;
} ch_array;
CH_API ch_status ch_write_npz(ch_context *context, const char *path, const ch_array *arrays,
                              int count);
/** Reads every array of an .npz that conehull wrote; *arrays is freed by ch_arrays_free(). */
CH_API ch_status ch_read_npz(ch_context *context, ch_array **arrays, int *count, const char *path);
CH_API void ch_arrays_free(ch_context *context, ch_array *arrays, int count);

#ifdef __cplusplus
}
#endif
#endif
