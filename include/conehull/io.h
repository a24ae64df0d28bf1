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

/** A list of texts, such as lines of a file. */
typedef struct ch_text_list {
    int64_t count;     /**< number of texts */
    const char **text; /**< the texts, each ended by a zero byte */
    char *bytes;       /**< internal: the memory that holds the texts */
} ch_text_list;
/** Makes an owned copy of texts[0 .. count); ch_text_list_free() frees it. */
CH_API ch_status ch_text_list_copy(ch_context *context, ch_text_list *lines,
                                   const char *const *texts, int64_t count);
/** Frees a list. NULL is allowed. */
CH_API void ch_text_list_free(ch_context *context, ch_text_list *lines);

/** Names of the rows and columns of a matrix, one line of UTF-8 each. A list of count 0 means that
 *  the file has no such names. */
typedef struct ch_matrix_names {
    size_t size;                /**< sizeof(ch_matrix_names); the caller sets it */
    ch_text_list rows, columns; /**< the name of each row and of each column */
} ch_matrix_names;
/** Frees the lists of names of rows and columns. NULL is allowed. */
CH_API void ch_matrix_names_free(ch_context *context, ch_matrix_names *names);

/** How ch_matrix_read() reads a file. Members that are 0 or NULL have no effect. */
typedef struct ch_matrix_read_settings {
    size_t size; /**< sizeof(ch_matrix_read_settings); the caller sets it */
    /** Name of the array to read from a .mat, .npz or .h5 file; NULL: the only array. */
    const char *var;
    int transpose; /**< 1 swaps rows and columns */
    /** 1: each process reads only its part of the columns; the comment of ch_matrix_read() has
     *  details. */
    int distributed;
    /** Folder for a temporary file that holds the values if they are too large for memory; the
     *  comment of ch_matrix_read() has details. NULL: no file is made. */
    const char *scratch;
    /** Receives the names of rows and columns, if the file has them; the comment of
     *  ch_matrix_read() lists the formats. NULL: names are not read. */
    ch_matrix_names *names;
} ch_matrix_read_settings;

/** Reads a matrix from the file `path`; settings may be NULL. Free X with ch_matrix_free(). Returns
 *  CH_ERR_IO if the file is missing, not readable or a directory; CH_ERR_FORMAT if it is truncated
 *  or malformed; CH_ERR_UNSUPPORTED for complex numbers, text or an unknown format; and
 *  CH_ERR_ARGUMENT if no array is called settings.var, or if there are several arrays and
 *  settings.var is NULL (the message lists them). If the call fails, the message names the file,
 *  the position and the value. If the progress callback cancels, the call returns CH_STOP_CANCELLED
 *  and an empty X.
 *
 *  settings.distributed: all processes make the call, and each gets its part of the columns;
 *  X->first is the index of the first column of the part. If one process fails, all fail. A .npy
 *  file is mapped, and a process touches only its own columns. From a .h5 file (dense, or sparse by
 *  column) a process reads only its own columns. A .mtx file is parsed by all processes, and each
 *  stores its own columns. Other formats, and .h5 and .mtx with transpose, are read as a whole by
 *  every process, which then drops the other columns.
 *
 *  settings.scratch has an effect if the context has a memory limit
 *  (ch_context_set_memory_limit()). If the values of a dense .h5 file, or of an ENVI file that
 *  cannot be mapped, would take more than a quarter of the limit over all processes, they are
 *  unpacked block by block into a file in that folder, which is then mapped. The file has no name
 *  and disappears with X or with the process. X is then column-major.
 *
 *  settings.names receives the header line and the row names of a text table, the names of cells
 *  and genes (obs and var) of an .h5ad file, barcodes and features of a .h5 file that 10x Genomics
 *  wrote, and the bands of an ENVI file or the spectra of a spectral library. With transpose, names
 *  of rows and columns are swapped too; with distributed, the names are those of the whole matrix.
 *  Names that only count the rows or columns from 0 or 1 are left out. If the call fails, the lists
 *  are unchanged. */
CH_API ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                                const ch_matrix_read_settings *settings);

/** Limits the memory of this process that the mapped file of X takes to about `bytes`. Pages that
 *  were read are released, and read again when they are needed. The operating system caches what
 *  fits into memory, so a file that fits is not read from the disk twice. The call has no effect on
 *  matrices that are not mapped. It works for one matrix of a context at a time. */
CH_API ch_status ch_matrix_limit(ch_context *context, ch_matrix *X, int64_t bytes);

/** Writes X to the file `path`, whose suffix decides on the format: .npy (type and order of X; a
 *  sparse X as dense, in Fortran order), .npz (a sparse X, as scipy.sparse.save_npz does), .mtx
 *  (coordinate or array), .csv or .tsv; the last three also with .gz. Numbers in text have as few
 *  digits as are needed to read back the same value. */
CH_API ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X);

/** What ch_h5ad_write() adds to an AnnData file. All pointers are required. The caller owns the
 *  arrays. */
typedef struct ch_h5ad_results {
    size_t size;     /**< sizeof(ch_h5ad_results); the caller sets it */
    const char *key; /**< KEY in the names of the new entries: obsm/X_KEY, varm/KEY and uns/KEY */
    int genes; /**< 0: the data points (columns of X) are cells; 1: the data points are genes */
    int64_t points;             /**< number of data points */
    int64_t features;           /**< number of rows of X */
    int64_t rank;               /**< number of anchors */
    const double *weights;      /**< H: rank x points, column-major */
    const double *components;   /**< W: features x rank, column-major */
    const int64_t *anchors;     /**< indices, from 0, of the `rank` data points that are anchors */
    const double *max_residual; /**< `rank` values of ch_anchors_result.max_residual */
    const char *loss, *method;  /**< names of loss and method, such as "l1" and "xray" */
    const char *status;         /**< name of the status of the run, such as "ok" */
    double objective;           /**< loss(X, W H) */
    double gap;                 /**< largest relative gap of a data point, as in ch_certificate */
    int64_t unproven; /**< number of data points whose gap is above the tolerance of the run */
} ch_h5ad_results;

/** Writes a copy of the AnnData file `from` with results added: weights and components in obsm and
 *  varm, the rest in uns. Entries of the same names are replaced. The copy appears under `path`
 *  when it is complete; `path` may be `from`. Returns CH_ERR_DATA if the numbers of cells or genes
 *  in the file differ from those of the results. */
CH_API ch_status ch_h5ad_write(ch_context *context, const char *path, const char *from,
                               const ch_h5ad_results *results);

/** Returns the suffixes that this build can read, without the dot; NULL follows the last. */
CH_API const char *const *ch_matrix_formats(void);

/** An output file that appears under its name only when it is complete: open it, write, then commit
 *  it, or discard it to leave nothing behind. Symbolic links are followed; devices and pipes are
 *  written directly. */
typedef struct ch_output_file ch_output_file;
/** Opens a temporary file in the folder of `path`. Finish with ch_output_file_commit() or
 *  ch_output_file_discard(), which free `output`. */
CH_API ch_status ch_output_file_open(ch_context *context, ch_output_file **output,
                                     const char *path);
/** Appends `count` bytes to an output file. */
CH_API ch_status ch_output_file_write(ch_output_file *output, const void *bytes, size_t count);
/** Writes an output file to disk, closes it and renames it to its final name. Frees `output`, also
 *  if the call fails. */
CH_API ch_status ch_output_file_commit(ch_output_file *output);
/** Closes and removes the temporary file of an output and frees `output`. NULL is allowed. */
CH_API void ch_output_file_discard(ch_output_file *output);

/** A file with the records of a run (conehull/checkpoint.h). It is valid even if the process is
 *  killed at any moment: records are only appended, each with a checksum, and an incomplete last
 *  record is cut off when the run is resumed. If the machine crashes, at most the last ten seconds
 *  of work are lost.
 *
 *      ch_checkpoint_file *file;
 *      if (ch_checkpoint_file_open(context, &file, "run.checkpoint", 1) < 0) return;
 *      settings.checkpoint = ch_checkpoint_file_interface(file);
 *      // ch_anchors(), and the result stored safely
 *      ch_checkpoint_file_close(file, 1);
 *
 *  With several processes only process 0 opens the file; for the others it would be in use. The
 *  others pass a table of which only name and seconds are used, and close NULL:
 *
 *      ch_checkpoint elsewhere = {.size = sizeof elsewhere, .name = "run.checkpoint"};
 *      settings.checkpoint = process > 0 ? &elsewhere : ch_checkpoint_file_interface(file); */
typedef struct ch_checkpoint_file ch_checkpoint_file;
/** Opens or creates a checkpoint file. With resume = 1 the run continues from the records in the
 *  file. With resume = 0 a file that holds records is refused (CH_ERR_ARGUMENT), so that work is
 *  not lost by mistake. Returns CH_ERR_FORMAT if the file is not a checkpoint and CH_ERR_ARGUMENT
 *  if another run has it open; the file is not changed then. ch_checkpoint_file_close() frees
 *  *file. */
CH_API ch_status ch_checkpoint_file_open(ch_context *context, ch_checkpoint_file **file,
                                         const char *path, int resume);
/** Returns the table for ch_anchors_settings.checkpoint. It is valid until the file is closed. */
CH_API const ch_checkpoint *ch_checkpoint_file_interface(const ch_checkpoint_file *file);
/** Returns the number of records in the file. */
CH_API int64_t ch_checkpoint_file_records(const ch_checkpoint_file *file);
/** Closes a checkpoint file and frees `file`. The file is removed if `finished` is non-zero or if
 *  it holds no progress of the run. NULL is allowed. */
CH_API ch_status ch_checkpoint_file_close(ch_checkpoint_file *file, int finished);

/** One named array of an .npz archive. */
typedef struct ch_npz_array {
    const char *name; /**< name of the array, without ".npy" */
    /** Type of the values: 'f' double, 'g' float, 'i' int64_t, 'j' int32_t, 'h' uint16_t,
     *  'b' uint8_t; 's' is a text of three bytes without a final zero. */
    char kind;
    int dims;         /**< number of dimensions: 0 (a single value), 1 or 2 */
    int64_t shape[2]; /**< length of each dimension; only the first `dims` entries are used */
    void *data;       /**< the values; an array of two dimensions is column-major */
} ch_npz_array;
/** Writes `count` arrays to an .npz file, as numpy.savez does. The same arrays give the same bytes.
 *  A name may have at most 251 bytes. */
CH_API ch_status ch_npz_write(ch_context *context, const char *path, const ch_npz_array *arrays,
                              int count);
/** Reads all arrays of an .npz file that conehull wrote. ch_npz_free() frees *arrays. */
CH_API ch_status ch_npz_read(ch_context *context, ch_npz_array **arrays, int *count,
                             const char *path);
/** Frees the arrays of ch_npz_read(). */
CH_API void ch_npz_free(ch_context *context, ch_npz_array *arrays, int count);

CH_END_DECLS
#endif
