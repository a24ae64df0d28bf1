/* ENVI header files: "ENVI" in the first line, then "key = value" or "key = {value, value}", which
 * may span many lines. Reference: "ENVI Header Files" of the ENVI documentation. */
#pragma once

#include "io/file/format.h"

/* ---- envi_header.c: parses a header ---- */

typedef struct chi_envi_field {
    const char *key; /* lower case, one blank between words                                    */
    char *value;     /* without the braces and the blanks around it                            */
    int64_t line;    /* from 1                                                                 */
    int braced;
} chi_envi_field;

typedef struct chi_envi {
    ch_context *context;
    const char *path;
    char *text; /* text of the file; keys and values are parts of it */
    chi_envi_field *fields;
    int64_t count, capacity;
} chi_envi;

/* Maximum bytes of a header: wavelengths of 100,000 bands. */
enum { CHI_ENVI_HEADER_MAX = 1 << 24 };

/* Reads a header. Call chi_envi_free() also after a failure. CH_ERR_FORMAT names the line. */
ch_status chi_envi_read(ch_context *context, chi_envi *envi, const char *path);
void chi_envi_free(chi_envi *envi);

/* Returns NULL if there is no such key. */
const chi_envi_field *chi_envi_find(const chi_envi *envi, const char *key);
/* Reads an integer between low and high. If the key is missing, returns `otherwise`, or
 * CH_ERR_FORMAT if `otherwise` is below low. */
ch_status chi_envi_whole(const chi_envi *envi, int64_t *value, const char *key, int64_t low,
                         int64_t high, int64_t otherwise);
/* Reads exactly count numbers of an existing field into values; `of` names them in messages. */
ch_status chi_envi_numbers(const chi_envi *envi, double *values, const chi_envi_field *field,
                           int64_t count, const char *of);
/* Reads exactly count texts. texts[0..count) are followed by the characters in the same block,
 * which must have space for count pointers and strlen(field->value) + 1 characters. */
ch_status chi_envi_names(const chi_envi *envi, char **texts, const chi_envi_field *field,
                         int64_t count, const char *of);

/* Returns CH_ERR_FORMAT with the message "path: line N: what". */
ch_status chi_envi_fail(const chi_envi *envi, const chi_envi_field *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- envi_names.c: finds the header of data and the data of a header ---- */

/* Finds the header, for chi_free(): the file itself, or one next to it. "scene.img" has
 * "scene.img.hdr" or "scene.hdr". Returns CH_ERR_IO if there is none. */
ch_status chi_envi_find_header(ch_context *context, char **header, const char *path);
/* Finds the data of a header: among the files next to it with a suitable name the first of this
 * length, else the first. */
ch_status chi_envi_find_data(ch_context *context, char **data, const char *header, int64_t bytes);

/* ---- envi_write.c ---- */

/* Creates the header of the data at path: "scene.img" has "scene.hdr". */
ch_status chi_envi_header_open(ch_context *context, chi_sink *sink, const char *path);
/* Writes "key = {text}" if there is a text; braces and line feeds in it become blanks. */
ch_status chi_envi_put_text(chi_sink *sink, const char *key, const char *text);
/* Writes "key = {text, text}" if there are texts; commas in them also become blanks. */
ch_status chi_envi_put_names(chi_sink *sink, const char *key, const char *const *texts,
                             int64_t count);
/* Writes "key = {number, number}" if there are numbers. */
ch_status chi_envi_put_numbers(chi_sink *sink, const char *key, const double *numbers,
                               int64_t count);
/* Writes "key = text" in one line if there is a text. */
ch_status chi_envi_put_word(chi_sink *sink, const char *key, const char *text);
/* Writes "reflectance scale factor = number" if the factor is positive. */
ch_status chi_envi_put_scale(chi_sink *sink, double factor);
/* Writes shape and type of f32 data in the machine's byte order. */
ch_status chi_envi_put_shape(chi_sink *sink, const char *file_type, int64_t lines, int64_t samples,
                             int64_t bands);
