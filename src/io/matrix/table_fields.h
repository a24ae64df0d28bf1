/* Fields of a line of a text table. */
#pragma once

#include "io/file/format.h"

/* Returns whether the name is that of a table with tabs. */
int chi_is_tsv(const char *path);
/* Returns the separator of the fields, ' ' for white space. It is decided by the first two lines;
 * second is NULL if there is none. */
char chi_separator_find(const char *path, const char *first, const char *second);
/* The same for numbers with decimal commas: a semicolon, a tab, white space, or a comma if fields
 * with a comma are quoted. Returns 0 if commas are all that separates. */
char chi_separator_beside_commas(const char *path, const char *first, const char *second);
/* Returns the separator that a line such as sep=; states, as Excel writes it; 0 if it is none. */
char chi_separator_stated(const char *line);
/* Counts separators outside quotes. */
int64_t chi_marks_count(const char *line, char separator);
/* Returns whether the line ends with a separator, so that its last field is empty. */
int chi_last_is_empty(const char *line, char separator);
/* Removes such a separator. Returns 0 if there is none. */
int chi_last_cut(char *line, char separator);
/* White space as separator: leaves one blank between fields, none around the line. */
void chi_blanks_squeeze(char *line);

/* Cuts the field at *at out of the line: removes blanks and quotes around it and ends it by a zero.
 * *at moves to the next field, or becomes NULL after the last. Returns NULL if a quote is not
 * closed properly. */
char *chi_field_next(char **at, char separator);

/* Returns whether the whole field is a number, which goes to *value. */
int chi_field_parse(double *value, const char *field);
/* The same for a number with a decimal comma, in which points may separate thousands: 1.139,66. */
int chi_field_parse_comma(double *value, const char *field);
/* Returns whether the field is a number with a decimal comma, 12,5 or 1.139,66. */
int chi_field_has_comma(const char *field);
/* Returns whether the field can only be a number, not a name. */
int chi_field_means_number(const char *field);
/* Returns whether the field is empty or one of the words that stand for an unknown value. */
CHI_SHARED int chi_field_is_unknown(const char *field);
