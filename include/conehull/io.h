/* Reading and writing matrices (library conehull_io).
 *
 * The suffix of the file name decides the format. If the suffix is unknown, the first bytes of the
 * file decide:
 *
 *     .npy                    NumPy: a file of f8, f4, u2 or u1 in the byte order of the machine
 *                             is mapped, not copied
 *     .npz                    an archive with one array, or a sparse matrix that
 *                             scipy.sparse.save_npz wrote
 *     .mtx .mtx.gz            Matrix Market: coordinate becomes sparse (CSC), array becomes dense
 *     .mat                    MATLAB, versions 4 to 7.3, full or sparse
 *     .h5 .hdf5 .h5ad         a dense data set, or a group with data, indices, indptr and shape, as
 *                             SciPy, AnnData and 10x Genomics write sparse matrices
 *     .csv .tsv, also .gz     values separated by comma, semicolon, tab or white space. A header
 *                             line and row names are detected, skipped and logged (CH_LOG_INFO)
 *     .hdr, or its data file  ENVI (conehull/cube.h): one row per good band; one column per pixel
 *                             or, in a spectral library, per spectrum. BSQ and BIP files of f8, f4,
 *                             u2 and u1 are mapped; BIL files are copied
 *
 * In memory, floats stay f32 or f64, unsigned integers of 8 and 16 bits stay u8 and u16, sparse
 * integers become u8 or u16 if they fit, and all other types become f64. Reading does not check the
 * values; ch_matrix_check() detects NaN and negative values.
 *
 * A mapped file must not be truncated while its matrix is in use; otherwise the process ends by a
 * signal (SIGBUS) when it reads the lost part. Replacing the file by renaming another file is safe.
 * The functions that write files replace them in this way: they write a temporary file next to the
 * target and rename it when it is complete. */
#ifndef CONEHULL_IO_H
#define CONEHULL_IO_H

#include <conehull/checkpoint.h>
#include <conehull/matrix.h>

CH_BEGIN_DECLS

/** A list of texts, such as the lines of a file. ch_text_list_free() frees it. */
typedef struct ch_text_list {
    int64_t count;     /**< number of texts */
    const char **text; /**< `count` texts, each ending with a zero byte */
    char *bytes;       /**< internal: the memory that holds the texts */
} ch_text_list;
/** Makes *lines a list that owns copies of texts[0 .. count); ch_text_list_free() frees it. */
CH_API ch_status ch_text_list_copy(ch_context *context, ch_text_list *lines,
                                   const char *const *texts, int64_t count);
/** Frees a list. NULL is allowed. */
CH_API void ch_text_list_free(ch_context *context, ch_text_list *lines);

/** Names of the rows and columns of a matrix; each name is one line of UTF-8. A list of count 0
 *  means that the file has no such names. ch_matrix_names_free() frees the lists. */
typedef struct ch_matrix_names {
    size_t size;                /**< sizeof(ch_matrix_names); the caller sets it */
    ch_text_list rows, columns; /**< the names of all rows and of all columns */
} ch_matrix_names;
/** Frees the lists of names of rows and columns. NULL is allowed. */
CH_API void ch_matrix_names_free(ch_context *context, ch_matrix_names *names);

/** Settings of ch_matrix_read(). Set all members except size to 0 or NULL for plain reading; the
 *  caller sets size. */
typedef struct ch_matrix_read_settings {
    size_t size; /**< sizeof(ch_matrix_read_settings); the caller sets it */
    /** Name of the array to read from a .mat, .npz or .h5 file. NULL: the file must hold only one
     *  array. */
    const char *var;
    int transpose; /**< 1: rows and columns are swapped; 0: they are not */
    /** 1: with several processes (comm.h), each process gets only its part of the columns;
     *  ch_matrix_read() describes how. 0: each process gets all columns. */
    int distributed;
    /** Folder for a temporary file that holds the values if they are too large for memory;
     *  ch_matrix_read() describes when. NULL: no temporary file is made. */
    const char *scratch;
    /** Output: receives the names of rows and columns, if the file has them; ch_matrix_read() lists
     *  the formats. NULL: names are not read. */
    ch_matrix_names *names;
    /** Text tables: the column that holds the names of the rows and is not data. The text is the
     *  name of this column in the header line, or its number, counted from 1. NULL: the first
     *  column holds the names if its fields are words, and is data if they are numbers
     *  (docs/reference/files.md). */
    const char *index;
    /** Text tables: what happens to empty fields and to fields with a mark for an unknown value,
     *  such as NA, null or none (docs/reference/files.md lists the marks). 1: they are read as NaN.
     *  0: the file is refused. */
    int unknown_as_nan;
    /** Text tables: columns to leave out. The text lists their names in the header line or their
     *  numbers, counted from 1, separated by commas. NULL: no column is left out. */
    const char *drop;
    /** Text tables: 1 reads numbers with a decimal comma, as in 1139,66 or 1.139,66; a point then
     *  separates thousands. The fields are separated by semicolons, tabs or white space, or by
     *  commas if fields with a comma are quoted. 0: numbers have a decimal point. */
    int decimal_comma;
} ch_matrix_read_settings;

/** Reads a matrix X from the file `path`. settings may be NULL. Free X with ch_matrix_free().
 *  Returns CH_ERR_IO if the file is missing, not readable or a directory; CH_ERR_FORMAT if it is
 *  truncated or malformed; CH_ERR_UNSUPPORTED for complex numbers, text or an unknown format; and
 *  CH_ERR_ARGUMENT if no array is called settings.var, or if there are several arrays and
 *  settings.var is NULL (the message then lists the arrays). The message of a failed call names the
 *  file and, where possible, the position and the value. If the progress callback cancels, the call
 *  returns CH_STOP_CANCELLED and an empty X.
 *
 *  settings.distributed: all processes must make the call, and each gets its part of the columns
 *  (ch_comm_part()); X->first is the index of the first column of this part. If the call fails in
 *  one process, it fails in all. A .npy file is mapped, and a process reads only its own columns.
 *  From a .h5 file (dense, or sparse by column) a process reads only its own columns. A .mtx file
 *  is parsed by all processes, and each stores only its own columns. Files of other formats, and
 *  .h5 and .mtx files with transpose, are read as a whole by every process; each process then drops
 *  the columns of the other processes.
 *
 *  settings.scratch has no effect unless the context has a memory limit
 *  (ch_context_set_memory_limit()). The values of a dense .h5 file, or of an ENVI file that cannot
 *  be mapped, are copied block by block into a temporary file in the folder settings.scratch if all
 *  processes together would need more than a quarter of this limit for them. This file is then
 *  mapped, and X is column-major. The temporary file has no name and disappears when X is freed or
 *  the process ends.
 *
 *  settings.names receives names that depend on the format. A text table gives its header line and
 *  its row names. An .h5ad file gives the names of cells and genes (obs and var), and a .h5 file by
 *  10x Genomics gives barcodes and features. An ENVI file gives the names of the bands, or those of
 *  the spectra if it is a spectral library. With transpose, the names of rows and columns are
 *  swapped too. With distributed, every process gets the names of the whole matrix. Names that only
 *  count the rows or columns from 0 or 1 are left out. If the call fails, the lists are
 *  unchanged. */
CH_API ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                                const ch_matrix_read_settings *settings);

/** Limits the memory that the mapped file of X takes in this process to about `bytes` bytes. Pages
 *  that were read are released, and are read again when they are needed. A file that fits into
 *  memory is not read from disk twice, because the operating system caches it. The call has no
 *  effect on matrices that are not mapped. Only one matrix per context can be limited at a time. */
CH_API ch_status ch_matrix_limit(ch_context *context, ch_matrix *X, int64_t bytes);

/** Writes X to the file `path`, whose suffix decides the format: .npy (in the type and order of X;
 *  a sparse X becomes dense, in Fortran order), .npz (only a sparse X, as scipy.sparse.save_npz
 *  writes it), .mtx (coordinate if X is sparse, else array), .csv or .tsv; .mtx, .csv and .tsv may
 *  be followed by .gz. Numbers in text formats have as few digits as are needed to read back
 *  exactly the same value. */
CH_API ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X);

/** The results that ch_h5ad_write() adds to an AnnData file. No pointer may be NULL. The caller
 *  owns the arrays. */
typedef struct ch_h5ad_results {
    size_t size; /**< sizeof(ch_h5ad_results); the caller sets it */
    /** The text KEY in the names of the new entries obsm/X_KEY, varm/KEY and uns/KEY. */
    const char *key;
    int genes; /**< 0: the data points (columns of X) are cells; 1: the data points are genes */
    int64_t points;             /**< number of data points */
    int64_t features;           /**< number of rows of X */
    int64_t rank;               /**< number of anchors */
    const double *weights;      /**< H: rank x points, column-major */
    const double *components;   /**< W: features x rank, column-major */
    const int64_t *anchors;     /**< indices, from 0, of the `rank` data points that are anchors */
    const double *max_residual; /**< `rank` values of ch_anchors_result.max_residual */
    const char *loss, *method;  /**< names of the loss and of the method, such as "l1" and "xray" */
    const char *status;         /**< name of the status of the run, such as "done" */
    double objective;           /**< loss(X, W H) */
    double gap;                 /**< largest gap of a data point, as in ch_certificate */
    int64_t unproven; /**< number of data points whose gap is above the tolerance of the run */
} ch_h5ad_results;

/** Writes a copy of the AnnData file `from` with results added: weights and components to obsm and
 *  varm, the other results to uns. Existing entries of the same names are replaced. The copy
 *  appears under the name `path` when it is complete; `path` may be the same file as `from`.
 *  Returns CH_ERR_DATA if the numbers of cells and genes in the file differ from those in the
 *  results. */
CH_API ch_status ch_h5ad_write(ch_context *context, const char *path, const char *from,
                               const ch_h5ad_results *results);

/** Returns the suffixes of the matrix files that this build can read, without the dot, such as
 *  "npy". NULL follows the last suffix. The list is constant. */
CH_API const char *const *ch_matrix_formats(void);

/** An output file that appears under its name only when it is complete. Open it and write to it;
 *  then commit it, or discard it to leave no file behind. If the name is a symbolic link, the file
 *  that it refers to is replaced. Devices and pipes are written directly. */
typedef struct ch_output_file ch_output_file;
/** Opens a temporary file in the folder of `path`. Finish with ch_output_file_commit() or
 *  ch_output_file_discard(), which free `output`. */
CH_API ch_status ch_output_file_open(ch_context *context, ch_output_file **output,
                                     const char *path);
/** Appends `count` bytes to an output file. */
CH_API ch_status ch_output_file_write(ch_output_file *output, const void *bytes, size_t count);
/** Flushes an output file to disk, closes it and renames it to its final name. Frees `output`, even
 *  if the call fails. */
CH_API ch_status ch_output_file_commit(ch_output_file *output);
/** Closes and removes the temporary file of an output and frees `output`. NULL is allowed. */
CH_API void ch_output_file_discard(ch_output_file *output);

/** A checkpoint file: a file with the records of a run (conehull/checkpoint.h), from which the run
 *  can be resumed. The file is valid even if the process is killed at any moment: records are only
 *  appended, each with a checksum, and an incomplete last record is removed when the run is
 *  resumed. If the machine crashes, at most the last ten seconds of work are lost.
 *
 *      ch_checkpoint_file *file;
 *      if (ch_checkpoint_file_open(context, &file, "run.checkpoint", 1) < 0) return;
 *      settings.checkpoint = ch_checkpoint_file_interface(file);
 *      // ch_anchors(), and the result stored safely
 *      ch_checkpoint_file_close(file, 1);
 *
 *  With several processes only process 0 opens the file, because only one process can have it open.
 *  The other processes pass a ch_checkpoint of their own; the library uses only its members `name`
 *  and `seconds`:
 *
 *      ch_checkpoint elsewhere = {.size = sizeof elsewhere, .name = "run.checkpoint"};
 *      settings.checkpoint = process > 0 ? &elsewhere : ch_checkpoint_file_interface(file); */
typedef struct ch_checkpoint_file ch_checkpoint_file;
/** Opens the checkpoint file `path`, or creates it. With resume = 1 the run continues from the
 *  records in the file. With resume = 0 the call fails with CH_ERR_ARGUMENT if the file holds
 *  records, so that no work is lost by mistake. Returns CH_ERR_FORMAT if the file is not a
 *  checkpoint and CH_ERR_ARGUMENT if another run has it open. If the call fails, the file is not
 *  changed. ch_checkpoint_file_close() frees *file. */
CH_API ch_status ch_checkpoint_file_open(ch_context *context, ch_checkpoint_file **file,
                                         const char *path, int resume);
/** Returns the ch_checkpoint to which ch_anchors_settings.checkpoint must point. It belongs to
 *  `file` and is valid until the file is closed. */
CH_API const ch_checkpoint *ch_checkpoint_file_interface(const ch_checkpoint_file *file);
/** Returns the number of records in a checkpoint file, including those added since it was
 *  opened. */
CH_API int64_t ch_checkpoint_file_records(const ch_checkpoint_file *file);
/** Closes a checkpoint file and frees `file`. The file is removed from the disk if `finished` is
 *  non-zero, or if it holds no record of progress. NULL is allowed. */
CH_API ch_status ch_checkpoint_file_close(ch_checkpoint_file *file, int finished);

/** One named array of an .npz archive. */
typedef struct ch_npz_array {
    const char *name; /**< name of the array, without ".npy" */
    /** Type of the values: 'f' double, 'g' float, 'i' int64_t, 'j' int32_t, 'h' uint16_t, 'b'
     *  uint8_t, 's' texts of three bytes each without a final zero. */
    char kind;
    int dims;         /**< number of dimensions: 0 (a single value), 1 or 2 */
    int64_t shape[2]; /**< length of each dimension; only the first `dims` entries are used */
    void *data;       /**< the values; an array of two dimensions is column-major */
} ch_npz_array;
/** Writes arrays[0 .. count) to the .npz file `path`, as numpy.savez does. The same arrays always
 *  give a file with the same bytes. The name of an array may have at most 251 bytes. */
CH_API ch_status ch_npz_write(ch_context *context, const char *path, const ch_npz_array *arrays,
                              int count);
/** Reads all arrays of an .npz file that conehull wrote. *arrays receives a list of *count arrays;
 *  ch_npz_free() frees it. */
CH_API ch_status ch_npz_read(ch_context *context, ch_npz_array **arrays, int *count,
                             const char *path);
/** Frees the list of `count` arrays that ch_npz_read() returned. arrays may be NULL. */
CH_API void ch_npz_free(ch_context *context, ch_npz_array *arrays, int count);

CH_END_DECLS
#endif
