/* Writes pages in one style. A page is a self-contained HTML file that needs no network.
 *
 *     report_page_begin(to, &(report_head){.title = "Topics", .lead = "What the words say."});
 *     report_section_begin(to, "words", "Anchor words");
 *     report_text(to, "Ten topics, each with an anchor word.");
 *     report_figure_bars(to, &bars);                        (report_chart.h)
 *     report_section_end(to);
 *     report_page_end(to, NULL);
 *
 * All text is escaped. No function frees or stores its arguments. A stream remembers its errors, so
 * the caller checks them once, at fclose(). README.md in this folder has a complete example. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct report_head {
    const char *title;
    const char *lead;  /* one or two sentences under the title, or NULL */
    const char *style; /* additional CSS: an asset, or NULL             */
} report_head;

/* Writes the start of the page, up to and including title and lead. */
void report_page_begin(FILE *to, const report_head *head);

/* Writes the version, the scripts and the end of the page. script is a list of assets that ends
 * with NULL; script itself may be NULL. */
void report_page_end(FILE *to, const char *const *script);

/* A section of the page with a heading and the address #id. */
void report_section_begin(FILE *to, const char *id, const char *title);
void report_section_end(FILE *to);

/* Writes a paragraph; text between backquotes becomes code. */
void report_text(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows the main numbers of a page, large and in one row: call report_number() once per number
 * between report_numbers_begin() and report_numbers_end(). */
void report_numbers_begin(FILE *to);
void report_number(FILE *to, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_numbers_end(FILE *to);

/* A table, filled cell by cell, row after row. The heads of its columns are separated by '|'. A
 * head that begins with '#', which is not shown, belongs to a column of numbers: "topic|#share".
 * The caption may be NULL. */
typedef struct report_table {
    FILE *to;
    unsigned numbers; /* bit i: column i holds numbers */
    int columns, at;
} report_table;
report_table report_table_begin(FILE *to, const char *caption, const char *heads);
void report_cell(report_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Fills a cell with a link to a file in the folder of the page; "" gives an empty cell. */
void report_cell_link(report_table *table, const char *file);
/* Fills a cell with the name of a file as a link to folder/name; with folder "" the name is no
 * link. The plain text `more` follows, unless it is NULL. */
void report_cell_file(report_table *table, const char *folder, const char *name, const char *more);
/* Fills a cell with a number; NaN is shown as a dash. */
void report_cell_real(report_table *table, int decimals, double value);
void report_table_end(report_table *table);

/* Begins a figure, which contains a chart or a picture. The caption may be NULL. */
void report_figure_begin(FILE *to, const char *caption);
void report_figure_end(FILE *to);

/* A picture as a file in memory. */
typedef struct report_blob {
    const char *type; /* "image/jpeg"; NULL: no picture */
    uint8_t *bytes;
    size_t length;
} report_blob;

/* Writes an <img> element that contains the bytes of the picture. */
void report_picture(FILE *to, const report_blob *blob, const char *alt);

/* Sets rgb to the colour that represents a share from 0 to 1 in maps. */
void report_heat_colour(uint8_t rgb[3], double share);

/* Writes a command line that wraps and can be copied. */
void report_command(FILE *to, const char *command);

/* Writes text for SVG and HTML, with &, <, > and quotes escaped. */
void report_escape(FILE *to, const char *text);
/* Writes HTML or SVG; every % is replaced by the next argument, a text, which is escaped. */
void report_markup(FILE *to, const char *markup, ...);

/* Writes "data:<type>;base64,..."; writes nothing if there is no picture. */
void report_data_address(FILE *to, const report_blob *blob);

/* Style sheets, scripts and whole pages, compiled in by embed.cmake: the file name.js of this
 * folder becomes report_name_js. */
extern const char report_anchors_css[];
extern const char report_anchors_js[];
extern const char report_exemplars_css[];
extern const char report_house_css[];
extern const char report_live_html[];
extern const char report_topics_css[];
extern const char report_unmix_css[];
extern const char report_unmix_js[];
extern const char report_video_css[];
extern const char report_video_js[];
