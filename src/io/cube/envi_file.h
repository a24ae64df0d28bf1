/* ENVI's header files: "ENVI" in the first line, then "key = value" or "key = {value, value}",
 * which may go over many lines. Reference: "ENVI Header Files" of the ENVI documentation. */
#pragma once

#include "io/file/format.h"

/* ---- envi_write.c ---- */

/* The header of the data at path: "scene.img" has "scene.hdr"; for chi_free(). NULL with
 * CH_ERR_MEMORY in the context. */
char *chi_envi_header_name(ch_context *context, const char *path);
/* "key = {text}", if there is a text; braces and line feeds in it become blanks. */
ch_status chi_envi_put_text(chi_sink *sink, const char *key, const char *text);
/* "key = {text, text}", if there are texts; commas in them become blanks too. */
ch_status chi_envi_put_names(chi_sink *sink, const char *key, const char *const *texts,
                             int64_t count);
/* Shape and type of f32 data in the machine's byte order. */
ch_status chi_envi_put_shape(chi_sink *sink, const char *file_type, int64_t lines, int64_t samples,
                             int64_t bands);
