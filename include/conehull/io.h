/* Reading and writing matrices (library conehull_io).
 *
 * The name decides on the format, else the first bytes of the file:
 *
 *     .npy                    f8 f4 u2 u1 in the machine's byte order are mapped, not copied
 *     .npz                    one array, or what scipy.sparse.save_npz writes
 *     .mtx .mtx.gz            coordinate: CSC; array: dense
 *     .mat                    versions 4 to 7.3, full or sparse
 *     .h5 .hdf5 .h5ad         a data set, or a group data/indices/indptr/shape (as SciPy,
 *                             AnnData and 10x write it)
 *     .csv .tsv, also .gz     separated by comma, semicolon, tab or white space; a header line
 *                             and row names are skipped, and the log (CH_LOG_INFO) says so
 *     .hdr, or its data file  ENVI (conehull/cube.h): a row per good band, a column per pixel; a
 *                             spectral library has a column per spectrum. BSQ and BIP of f8, f4, u2
 *                             and u1 are mapped, BIL is copied once
 *
 * Numbers keep or get the smallest storage that holds them exactly: floats stay f32 or f64, bytes
 * and 16-bit integers stay so, sparse integers become u8 or u16 when they fit; the rest is f64.
 * Values are not judged here: ch_matrix_check() refuses NaN and negative ones.
 *
 * A mapped file must keep its length while its matrix is in use: cutting it short ends the process
 * when the lost part is read. Replacing it by rename is safe, and is what the writers here do:
 * whatever is written goes to a temporary name beside the target and is renamed when complete. */
#ifndef CONEHULL_IO_H
#define CONEHULL_IO_H

#include <conehull/checkpoint.h>
#include <conehull/matrix.h>

CH_BEGIN_DECLS

typedef struct ch_matrix_read_settings {
    size_t size;     /**< sizeof(ch_matrix_read_settings); the caller sets it */
    const char *var; /**< array of a .mat, .npz or .h5 file; NULL: the only matrix in it     */
    int transpose;   /**< swap rows and columns                                              */
    int distributed; /**< over the processes of the context (conehull/comm.h); see below         */
    const char *scratch; /**< folder for scratch files; NULL: none are made. See below        */
} ch_matrix_read_settings;

/** Reads a matrix; settings may be NULL. Free it with ch_matrix_free(). A failure's message names
 *  file, place and value. CH_ERR_IO: missing, not permitted, a directory; CH_ERR_FORMAT: truncated
 * or malformed; CH_ERR_UNSUPPORTED: complex numbers, text, an unknown format; CH_ERR_ARGUMENT: var
 *  names nothing, or several matrices and no var (the message lists them). When the progress
 * callback cancels, CH_STOP_CANCELLED and an empty X: there is no use in half a matrix. */
/* distributed: collective; every process gets its part of the columns, X->first being the number of
 * its first one, and a failure of one is that of all. A .npy is mapped, and a process touches its
 * own columns only; of .h5 (dense, or sparse by column) only they are read, and of .mtx only they
 * are kept, the text being parsed by all. Other formats, and .h5 and .mtx with transpose, are read
 * whole by every process, which then keeps its part. */
/* scratch: of a context with a limit (ch_context_set_memory_limit()) a dense .h5, or an
 * ENVI file that cannot be mapped, whose values would take more than a quarter of it, all processes
 * together, is unpacked into a file there, block by block, and mapped. The file has no name and
 * goes with X, or with the process. Columns then lie one after the other. */
CH_API ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                                const ch_matrix_read_settings *settings);

/** Keeps the memory that this process occupies at about `bytes`, or less, while X is in use, if X
 * is a mapped file: pages that were read are let go, and read again when they are needed. Of other
 *  matrices nothing can be let go. The system keeps what it has memory for, so a file that fits in
 *  the machine is not read from the disk twice. One matrix of a context at a time. */
CH_API ch_status ch_matrix_limit(ch_context *context, ch_matrix *X, int64_t bytes);

/** Writes by name: .npy (own type and order; sparse ones in Fortran order, zeros written out), .npz
 *  (sparse ones, as scipy.sparse.save_npz does), .mtx (coordinate or array), .csv, .tsv; the texts
 * also with .gz. Numbers in texts are the shortest that read back the same. */
CH_API ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X);

/** Suffixes, without the dot, of what this build reads, NULL at the end. */
CH_API const char *const *ch_matrix_formats(void);

/** A file that appears under its name only when it is complete: open, write, commit; or discard,
 *  which leaves nothing behind. Links are followed; devices and pipes are written directly. */
typedef struct ch_output_file ch_output_file;
CH_API ch_status ch_output_file_open(ch_context *context, ch_output_file **output,
                                     const char *path);
CH_API ch_status ch_output_file_write(ch_output_file *output, const void *bytes, size_t count);
/** Closes, syncs and renames. Frees the output whatever happens. */
CH_API ch_status ch_output_file_commit(ch_output_file *output);
/** NULL is fine. */
CH_API void ch_output_file_discard(ch_output_file *output);

/** The records of a run in a file (conehull/checkpoint.h), which is valid after a kill at any
 *  moment: records are only added, each with a checksum, and what is left of one that was being
 *  written is cut off when the run goes on. A machine that stops loses at most what was computed
 *  in the last ten seconds.
 *
 *      ch_checkpoint_file *file;
 *      if (ch_checkpoint_file_open(context, &file, "run.checkpoint", 1) < 0) return;
 *      settings.checkpoint = ch_checkpoint_file_interface(file);
 *      // ch_anchors(), and the result stored safely
 *      ch_checkpoint_file_close(file, 1);
 *
 *  Over several processes process 0 alone opens it, for all: another would find it in use. The
 * others give a table of which name and seconds alone are looked at, and close NULL:
 *
 *      ch_checkpoint elsewhere = {.size = sizeof elsewhere, .name = "run.checkpoint"};
 *      settings.checkpoint = process > 0 ? &elsewhere : ch_checkpoint_file_interface(file);
 *
 *  resume 0: a file that holds records is refused (CH_ERR_ARGUMENT), so that no work is lost by a
 *  forgotten word; 1: they are there to be taken. A file that is no checkpoint is refused and left
 *  alone (CH_ERR_FORMAT), one that another run has open too (CH_ERR_ARGUMENT). */
typedef struct ch_checkpoint_file ch_checkpoint_file;
CH_API ch_status ch_checkpoint_file_open(ch_context *context, ch_checkpoint_file **file,
                                         const char *path, int resume);
/** Good until the file is closed. */
CH_API const ch_checkpoint *ch_checkpoint_file_interface(const ch_checkpoint_file *file);
/** How many records it holds. */
CH_API int64_t ch_checkpoint_file_records(const ch_checkpoint_file *file);
/** finished: removes the file, there is nothing to resume any more; so does the end of a run that
 *  got nowhere. NULL is fine. */
CH_API ch_status ch_checkpoint_file_close(ch_checkpoint_file *file, int finished);

/** One named array of an .npz archive. */
typedef struct ch_npz_array {
    const char *name;
    char kind; /**< 'f' double, 'g' float, 'i' int64_t, 'j' int32_t, 'h' uint16_t, 'b' uint8_t,
                    's' three letters                                                 */
    int dims;  /**< 0, 1 or 2; 2 is column-major                                       */
    int64_t shape[2];
    void *data;
} ch_npz_array;
/** Writes arrays as numpy.savez does: the same arrays give the same bytes. Names of up to 251
 * bytes. */
CH_API ch_status ch_npz_write(ch_context *context, const char *path, const ch_npz_array *arrays,
                              int count);
/** Reads every array of an .npz that conehull wrote; *arrays is freed by ch_npz_free(). */
CH_API ch_status ch_npz_read(ch_context *context, ch_npz_array **arrays, int *count,
                             const char *path);
CH_API void ch_npz_free(ch_context *context, ch_npz_array *arrays, int count);

CH_END_DECLS
#endif
