/* Pages in the house style: one self-contained HTML file per page, without network.
 *
 *     report_page_begin(to, &(report_head){.title = "Topics", .lead = "What the words say."});
 *     report_section_begin(to, "words", "Anchor words");
 *     report_text(to, "Ten topics, each with an anchor word.");
 *     report_figure_bars(to, &bars);                        (report_chart.h)
 *     report_section_end(to);
 *     report_page_end(to, NULL);
 *
 * Everything written here is escaped; nothing is freed or kept. Streams remember their errors, so
 * they are checked once, at fclose(). README.md beside this file has a whole example. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct report_head {
    const char *title;
    const char *lead;  /* one or two sentences under the title, or NULL              */
    const char *style; /* CSS besides the house style: an asset, or NULL             */
} report_head;

/* Up to and including the title. */
void report_page_begin(FILE *to, const report_head *head);

/* Version line, the scripts script[0..] (assets; NULL at the end; script itself may be NULL), end.
 */
void report_page_end(FILE *to, const char *const *script);

/* A part of the page with a heading and an address #id. */
void report_section_begin(FILE *to, const char *id, const char *title);
void report_section_end(FILE *to);

/* A paragraph; what stands between backquotes becomes code. */
void report_text(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The few numbers a reader came for, large, side by side: one call each between the two. */
void report_numbers_begin(FILE *to);
void report_number(FILE *to, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_numbers_end(FILE *to);

/* A table, filled cell by cell, row after row. Heads stand between '|'; those that begin with '#'
 * (not shown) are of numbers: "topic|#share". The caption may be NULL. */
typedef struct report_table {
    FILE *to;
    unsigned numbers; /* bit i: column i is one of numbers */
    int columns, at;
} report_table;
report_table report_table_begin(FILE *to, const char *caption, const char *heads);
void report_cell(report_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A file beside the page; "" is an empty cell. */
void report_cell_link(report_table *table, const char *file);
/* The name of a file below the folder, as a link to it; folder "": the name alone. `more`, NULL or
 * plain text, follows. */
void report_cell_file(report_table *table, const char *folder, const char *name, const char *more);
/* NaN as a dash. */
void report_cell_real(report_table *table, int decimals, double value);
void report_table_end(report_table *table);

/* Around a chart or a picture; the caption may be NULL. */
void report_figure_begin(FILE *to, const char *caption);
void report_figure_end(FILE *to);

/* A picture as a file in memory. */
typedef struct report_blob {
    const char *type; /* "image/jpeg"; NULL: no picture */
    uint8_t *bytes;
    size_t length;
} report_blob;

/* An <img> whose bytes are in the page. */
void report_picture(FILE *to, const report_blob *blob, const char *alt);

/* The colour of a share from 0 to 1 in maps. */
void report_heat_colour(uint8_t rgb[3], double share);

/* A command line, set as such; wraps and can be copied. */
void report_command(FILE *to, const char *command);

/* Text with &, <, > and quotes made harmless, for SVG and HTML. */
void report_escape(FILE *to, const char *text);
/* HTML or SVG in which every % stands for the next text, escaped. */
void report_markup(FILE *to, const char *markup, ...);

/* "data:<type>;base64,..."; nothing without picture. */
void report_data_address(FILE *to, const report_blob *blob);

/* Style sheets, scripts and whole pages, compiled in by embed.cmake: file name.js of this folder is
 * report_name_js. */
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
