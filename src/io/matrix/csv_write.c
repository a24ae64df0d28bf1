/* Writes tables of numbers as text: one line per row, separated by commas or (.tsv) tabs; csv.c
 * reads them back to the same bits. */
#include "io/file/format.h"
#include "linalg/view.h"

static ch_status write_dense(chi_sink *sink, const ch_matrix *X, char separator) {
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t j = 0; j < X->cols; j++)
            TRY(chi_sink_number(sink, ch_matrix_at(X, i, j), j + 1 < X->cols ? separator : '\n'));
    return CH_OK;
}

/* Column i of the transpose is row i of the table. */
static ch_status write_sparse(chi_sink *sink, const ch_matrix *transpose, char separator) {
    for (int64_t i = 0; i < transpose->cols; i++) {
        int64_t k = transpose->column_start[i], last = transpose->column_start[i + 1];
        for (int64_t j = 0; j < transpose->rows; j++) {
            int stored = k < last && transpose->row_index[k] == j;
            TRY(chi_sink_number(sink, stored ? chi_number_at(transpose, k) : 0,
                                j + 1 < transpose->rows ? separator : '\n'));
            k += stored;
        }
    }
    return CH_OK;
}

ch_status chi_csv_write(ch_context *context, const char *path, const ch_matrix *X) {
    chi_sink sink;
    ch_matrix transpose = {0};
    char separator = chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz") ? '\t' : ',';
    if (X->layout == CH_CSC) TRY(ch_matrix_transpose(context, &transpose, X));
    ch_status status = chi_sink_open(context, &sink, path);
    if (status == CH_OK) {
        status = X->layout == CH_CSC ? write_sparse(&sink, &transpose, separator)
                                     : write_dense(&sink, X, separator);
        status = chi_sink_close(&sink, status);
    }
    ch_matrix_free(context, &transpose);
    return status;
}
