/* ENVI's header files: "ENVI" in the first line, then "key = value" or "key = {value, value}",
 * which may go over many lines. Reference: "ENVI Header Files" of the ENVI documentation. */
#pragma once

#include "io/file/format.h"

/* ---- envi_header.c: what a header says ---- */

typedef struct chi_envi_field {
    const char *key; /* lower case, one blank between words                                    */
    char *value;     /* without the braces and the blanks around it                            */
    int64_t line;    /* from 1                                                                 */
    int braced;
} chi_envi_field;

typedef struct chi_envi {
    ch_context *context;
    const char *path;
    char *text; /* of the file; keys and values are parts of it */
    chi_envi_field *fields;
    int64_t count, capacity;
} chi_envi;

enum { CHI_ENVI_HEADER_MAX = 1 << 24 }; /* bytes of a header: wavelengths of 100,000 bands */

/* Reads a header; for chi_envi_free() whatever happens. CH_ERR_FORMAT names the line. */
ch_status chi_envi_read(ch_context *context, chi_envi *envi, const char *path);
void chi_envi_free(chi_envi *envi);

/* NULL: there is none of that key. */
const chi_envi_field *chi_envi_find(const chi_envi *envi, const char *key);
/* A whole number between low and high; without one of that key `otherwise`, or CH_ERR_FORMAT when
 * that is below low. */
ch_status chi_envi_whole(const chi_envi *envi, int64_t *value, const char *key, int64_t low,
                         int64_t high, int64_t otherwise);
/* Exactly count numbers in values, of a field that is there; `of` what they are, for messages. */
ch_status chi_envi_numbers(const chi_envi *envi, double *values, const chi_envi_field *field,
                           int64_t count, const char *of);
/* Exactly count texts, pointers into one block that begins with them: texts[0..count). space: for
 * count pointers and strlen(field->value) + 1 characters. */
ch_status chi_envi_names(const chi_envi *envi, char **texts, const chi_envi_field *field,
                         int64_t count, const char *of);

/* CH_ERR_FORMAT "path: line N: what". */
ch_status chi_envi_fail(const chi_envi *envi, const chi_envi_field *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- envi_names.c: which files belong together ---- */

/* The header, for chi_free(), of a file that is one, or that has one beside it: "scene.img" has
 * "scene.img.hdr" or "scene.hdr". CH_ERR_IO when there is none. */
ch_status chi_envi_find_header(ch_context *context, char **header, const char *path);
/* The data of a header: of the files that lie beside it under a name of such data the first of this
 * length, else the first. */
ch_status chi_envi_find_data(ch_context *context, char **data, const char *header, int64_t bytes);

/* ---- envi_write.c ---- */

/* The header of the data at path, to be written: "scene.img" has "scene.hdr". */
ch_status chi_envi_header_open(ch_context *context, chi_sink *sink, const char *path);
/* "key = {text}", if there is a text; braces and line feeds in it become blanks. */
ch_status chi_envi_put_text(chi_sink *sink, const char *key, const char *text);
/* "key = {text, text}", if there are texts; commas in them become blanks too. */
ch_status chi_envi_put_names(chi_sink *sink, const char *key, const char *const *texts,
                             int64_t count);
/* "key = {number, number}", if there are numbers. */
ch_status chi_envi_put_numbers(chi_sink *sink, const char *key, const double *numbers,
                               int64_t count);
/* "key = text" in one line, if there is a text. */
ch_status chi_envi_put_word(chi_sink *sink, const char *key, const char *text);
/* Shape and type of f32 data in the machine's byte order. */
ch_status chi_envi_put_shape(chi_sink *sink, const char *file_type, int64_t lines, int64_t samples,
                             int64_t bands);
