/* Writes spectra as ENVI spectral libraries and as text. */
#include "base/sized.h"
#include "io/cube/envi_file.h"
#include "linalg/linalg.h"
#include <conehull/cube.h>

static ch_status take_spectra(ch_context *context, ch_spectra *own, const char *path,
                              const ch_spectra *spectra) {
    *own = (ch_spectra){.size = sizeof *own};
    if (!context) return CH_ERR_ARGUMENT;
    TRY(chi_sized_take(context, own, sizeof *own, spectra, "ch_spectra"));
    TRY(chi_check_name(context, path, "a file"));
    return chi_check_view(context, own->values);
}

/* ---- ENVI ---- */

static ch_status put_library(chi_sink *sink, const ch_spectra *spectra) {
    int64_t bands = spectra->values->rows, count = spectra->values->cols;
    TRY(chi_sink_print(sink, "ENVI\n"));
    TRY(chi_envi_put_shape(sink, "ENVI Spectral Library", count, bands, 1));
    if (spectra->wavelengths) TRY(chi_envi_put_word(sink, "wavelength units", spectra->unit));
    TRY(chi_envi_put_scale(sink, spectra->reflectance_scale));
    TRY(chi_envi_put_names(sink, "spectra names", spectra->names, count));
    return chi_envi_put_numbers(sink, "wavelength", spectra->wavelengths, bands);
}

static ch_status write_spectra(ch_context *context, const char *path, const ch_matrix *values) {
    ch_output_file *output;
    double *column = chi_take(context, path, "a spectrum", values->rows, sizeof *column);
    float *narrow = chi_take(context, path, "a spectrum", values->rows, sizeof *narrow);
    ch_status status =
        column && narrow ? ch_output_file_open(context, &output, path) : CH_ERR_MEMORY;
    int open = status == CH_OK;
    for (int64_t j = 0; j < values->cols && status == CH_OK; j++) {
        chi_column_gather(column, values, j);
        for (int64_t i = 0; i < values->rows; i++) narrow[i] = (float)column[i];
        status = ch_output_file_write(output, narrow, (size_t)values->rows * sizeof *narrow);
    }
    chi_free(context, column);
    chi_free(context, narrow);
    return open ? chi_output_close(output, status) : status;
}

ch_status ch_spectra_write_envi(ch_context *context, const char *path, const ch_spectra *spectra) {
    ch_spectra own;
    chi_sink sink;
    TRY(take_spectra(context, &own, path, spectra));
    if (chi_has_suffix(path, ".hdr"))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "%s: this is the name of an ENVI header; give the name of its data file (without .hdr)",
            path);
    TRY(chi_envi_header_open(context, &sink, path));
    ch_status status = put_library(&sink, &own);
    if (status == CH_OK) status = write_spectra(context, path, own.values);
    return chi_sink_close(&sink, status);
}

/* ---- text ---- */

/* Writes a name as a quoted field, because it may hold commas or look like a number. */
static ch_status put_field(chi_sink *sink, const char *name) {
    TRY(chi_sink_print(sink, ",\""));
    for (; *name; name++)
        TRY(chi_sink_print(sink, *name == '"' ? "\"\"" : "%c",
                           *name == '\n' || *name == '\r' ? ' ' : *name));
    return chi_sink_print(sink, "\"");
}

static ch_status put_text_table(chi_sink *sink, const ch_spectra *spectra) {
    const ch_matrix *X = spectra->values;
    TRY(chi_sink_print(sink, spectra->wavelengths ? "wavelength" : "band"));
    for (int64_t j = 0; j < X->cols; j++) {
        if (spectra->names)
            TRY(put_field(sink, spectra->names[j]));
        else
            TRY(chi_sink_print(sink, ",endmember %lld", (long long)j));
    }
    TRY(chi_sink_print(sink, "\n"));
    for (int64_t i = 0; i < X->rows; i++) {
        TRY(chi_sink_number(sink, spectra->wavelengths ? spectra->wavelengths[i] : (double)i,
                            X->cols ? ',' : '\n'));
        for (int64_t j = 0; j < X->cols; j++)
            TRY(chi_sink_number(sink, ch_matrix_at(X, i, j), j + 1 < X->cols ? ',' : '\n'));
    }
    return CH_OK;
}

ch_status ch_spectra_write_csv(ch_context *context, const char *path, const ch_spectra *spectra) {
    ch_spectra own;
    chi_sink sink;
    TRY(take_spectra(context, &own, path, spectra));
    TRY(chi_sink_open(context, &sink, path));
    return chi_sink_close(&sink, put_text_table(&sink, &own));
}
