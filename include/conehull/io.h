/* Reading and writing matrices (library conehull_io).
 *
 * The suffix of the name decides on the format, or else the first bytes of the file:
 *
 *     .npy                    f8 f4 u2 u1 in the machine's byte order are mapped, not copied
 *     .npz                    one array, or what scipy.sparse.save_npz writes
 *     .mtx .mtx.gz            coordinate: CSC; array: dense
 *     .mat                    versions 4 to 7.3, full or sparse
 *     .h5 .hdf5 .h5ad         a data set, or a group data/indices/indptr/shape (as SciPy,
 *                             AnnData and 10x write it)
 *     .csv .tsv, also .gz     separated by comma, semicolon, tab or white space; a header line
 *                             and row names are no data, and the log (CH_LOG_INFO) says so
 *     .hdr, or its data file  ENVI (conehull/cube.h): a row per good band, a column per pixel; a
 *                             spectral library has a column per spectrum. BSQ and BIP of f8, f4, u2
 *                             and u1 are mapped, BIL is copied once
 *
 * Numbers are stored in the smallest type that holds them exactly: floats stay f32 or f64, bytes
 * and 16-bit integers stay u8 and u16, sparse integers become u8 or u16 if they fit; all others
 * become f64. Values are not checked here: ch_matrix_check() refuses NaN and negative ones.
 *
 * A mapped file must keep its length while its matrix is in use: if it is truncated, the process
 * ends by a signal when the lost part is read. Replacing the file by rename is safe. The writers
 * here do that: they write to a temporary name beside the target and rename it when it is
 * complete. */
#ifndef CONEHULL_IO_H
#define CONEHULL_IO_H

#include <conehull/checkpoint.h>
#include <conehull/matrix.h>

CH_BEGIN_DECLS

/** Lines of text, each ended by a zero byte. */
typedef struct ch_text_list {
    int64_t count;
    const char **text;
    char *bytes; /**< storage of the lines */
} ch_text_list;
/** An owned copy of texts[0..count). */
CH_API ch_status ch_text_list_copy(ch_context *context, ch_text_list *lines,
                                   const char *const *texts, int64_t count);
CH_API void ch_text_list_free(ch_context *context, ch_text_list *lines);

/** Names of rows and columns, one line of UTF-8 each; count 0: the file has none. */
typedef struct ch_matrix_names {
    size_t size; /**< sizeof(ch_matrix_names); the caller sets it */
    ch_text_list rows, columns;
} ch_matrix_names;
CH_API void ch_matrix_names_free(ch_context *context, ch_matrix_names *names);

typedef struct ch_matrix_read_settings {
    size_t size;     /**< sizeof(ch_matrix_read_settings); the caller sets it */
    const char *var; /**< name of an array in a .mat, .npz or .h5 file; NULL: the only one   */
    int transpose;   /**< swap rows and columns                                              */
    int distributed; /**< distribute over the context's processes (conehull/comm.h); see below    */
    const char *scratch;    /**< folder for scratch files; NULL: none are made. See below        */
    ch_matrix_names *names; /**< receives the names, or NULL; see below                       */
} ch_matrix_read_settings;

/** Reads a matrix; settings may be NULL. Free it with ch_matrix_free(). A failure's message names
 *  file, place and value. CH_ERR_IO: missing, not permitted, a directory; CH_ERR_FORMAT: truncated
 *  or malformed; CH_ERR_UNSUPPORTED: complex numbers, text, an unknown format; CH_ERR_ARGUMENT: no
 *  array is called var, or there are several and var is NULL (the message lists them). If the
 *  progress callback cancels, returns CH_STOP_CANCELLED and an empty X. */
/* distributed makes the call collective: every process gets its part of the columns, whose first
 * has the number X->first. If one process fails, all fail. A .npy is mapped, and a process touches
 * only its own columns; of a .h5 (dense, or sparse by column) it reads only them; a .mtx is parsed
 * by all processes, and each keeps its own columns. Other formats, and .h5 and .mtx with transpose,
 * are read as a whole by every process, which then keeps its part. */
/* scratch applies to a context with a memory limit (ch_context_set_memory_limit()). A dense .h5, or
 * an ENVI file that cannot be mapped, is unpacked block by block into a file in that folder and
 * mapped, if its values would take more than a quarter of the limit over all processes. The file
 * has no name and disappears with X, or with the process. X is then column-major. */
/* names receives the header and the row names of a text table, the names of cells and genes (obs
 * and var) of an .h5ad, barcodes and features of a .h5 that 10x Genomics wrote, and the bands of an
 * ENVI file or the spectra of a spectral library. transpose swaps them with X; with distributed
 * they are those of the whole matrix. A list that only counts, from 0 or 1, is left out. On failure
 * nothing is changed. */
CH_API ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                                const ch_matrix_read_settings *settings);

/** Keeps the memory of this process at about `bytes` or less while X, a mapped file, is in use:
 *  pages that were read are released, and read again when they are needed. Matrices in memory are
 *  not affected. The system caches what fits into memory, so a file that fits is not read from the
 *  disk twice. Works for one matrix of a context at a time. */
CH_API ch_status ch_matrix_limit(ch_context *context, ch_matrix *X, int64_t bytes);

/** Writes in the format of the suffix: .npy (type and order of X; a sparse X as dense, in Fortran
 *  order), .npz (a sparse X, as scipy.sparse.save_npz does), .mtx (coordinate or array), .csv,
 *  .tsv; the last three also with .gz. Numbers in text are the shortest that read back as the same
 *  value. */
CH_API ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X);

/** What ch_h5ad_write() adds to an AnnData file. All pointers are required. */
typedef struct ch_h5ad_results {
    size_t size;     /**< sizeof(ch_h5ad_results); the caller sets it */
    const char *key; /**< name of the entries: obsm/X_KEY, varm/KEY, uns/KEY                   */
    int genes;       /**< 0: data points are cells; 1: data points are genes                   */
    int64_t points, features, rank;
    const double *weights;      /**< H: rank x points, column-major                            */
    const double *components;   /**< W: features x rank, column-major                          */
    const int64_t *anchors;     /**< rank data points                                          */
    const double *max_residual; /**< rank values                                               */
    const char *loss, *method, *status;
    double objective, gap;
    int64_t unproven;
} ch_h5ad_results;

/** Writes a copy of the AnnData file `from` with the results in it: weights and components in obsm
 *  and varm, the rest in uns. Entries of the same names are replaced. The copy appears under `path`
 *  when it is complete; `path` may be `from`. CH_ERR_DATA: the file has other numbers of cells or
 *  genes than the results. */
CH_API ch_status ch_h5ad_write(ch_context *context, const char *path, const char *from,
                               const ch_h5ad_results *results);

/** The suffixes that this build reads, without the dot; NULL at the end. */
CH_API const char *const *ch_matrix_formats(void);

/** A file that appears under its name only when it is complete: open, write, then commit, or
 *  discard to leave nothing behind. Links are followed; devices and pipes are written directly. */
typedef struct ch_output_file ch_output_file;
CH_API ch_status ch_output_file_open(ch_context *context, ch_output_file **output,
                                     const char *path);
CH_API ch_status ch_output_file_write(ch_output_file *output, const void *bytes, size_t count);
/** Syncs, closes and renames the file. Frees the output in any case. */
CH_API ch_status ch_output_file_commit(ch_output_file *output);
/** Does nothing if output is NULL. */
CH_API void ch_output_file_discard(ch_output_file *output);

/** A file with the records of a run (conehull/checkpoint.h), which is valid after a kill at any
 *  moment: records are only appended, each with a checksum, and an incomplete last record is cut
 *  off when the run is resumed. A machine that crashes loses at most the last ten seconds of work.
 *
 *      ch_checkpoint_file *file;
 *      if (ch_checkpoint_file_open(context, &file, "run.checkpoint", 1) < 0) return;
 *      settings.checkpoint = ch_checkpoint_file_interface(file);
 *      // ch_anchors(), and the result stored safely
 *      ch_checkpoint_file_close(file, 1);
 *
 *  With several processes only process 0 opens the file; for the others it would be in use. They
 *  pass a table of which only name and seconds are used, and close NULL:
 *
 *      ch_checkpoint elsewhere = {.size = sizeof elsewhere, .name = "run.checkpoint"};
 *      settings.checkpoint = process > 0 ? &elsewhere : ch_checkpoint_file_interface(file);
 *
 *  With resume 0 a file that holds records is refused (CH_ERR_ARGUMENT), so that work is not lost
 *  by mistake; with 1 the run continues from its records. A file that is not a checkpoint is
 *  refused and left unchanged (CH_ERR_FORMAT), and so is one that another run has open
 *  (CH_ERR_ARGUMENT). */
typedef struct ch_checkpoint_file ch_checkpoint_file;
CH_API ch_status ch_checkpoint_file_open(ch_context *context, ch_checkpoint_file **file,
                                         const char *path, int resume);
/** Valid until the file is closed. */
CH_API const ch_checkpoint *ch_checkpoint_file_interface(const ch_checkpoint_file *file);
/** The number of records in the file. */
CH_API int64_t ch_checkpoint_file_records(const ch_checkpoint_file *file);
/** Closes the file. It is removed if `finished` is non-zero or if it holds no progress. Does
 *  nothing if file is NULL. */
CH_API ch_status ch_checkpoint_file_close(ch_checkpoint_file *file, int finished);

/** One named array of an .npz archive. */
typedef struct ch_npz_array {
    const char *name;
    char kind; /**< 'f' double, 'g' float, 'i' int64_t, 'j' int32_t, 'h' uint16_t, 'b' uint8_t,
                    's' a text of three bytes, without a final 0 */
    int dims;  /**< 0, 1 or 2; 2 is column-major                                       */
    int64_t shape[2];
    void *data;
} ch_npz_array;
/** Writes arrays as numpy.savez does. The same arrays give the same bytes. Names have at most 251
 *  bytes. */
CH_API ch_status ch_npz_write(ch_context *context, const char *path, const ch_npz_array *arrays,
                              int count);
/** Reads all arrays of an .npz file that conehull wrote. Free *arrays with ch_npz_free(). */
CH_API ch_status ch_npz_read(ch_context *context, ch_npz_array **arrays, int *count,
                             const char *path);
CH_API void ch_npz_free(ch_context *context, ch_npz_array *arrays, int count);

CH_END_DECLS
#endif
