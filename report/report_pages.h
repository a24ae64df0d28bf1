/* The pages of the commands. */
#pragma once

#include "report_page.h"
#include "report_read.h"

/* ---- conehull anchors ---- */

/* Data of the page of conehull anchors that are not in the JSON. They are for every step-th column,
 * `shown` columns in all, beginning with column 0. The share of an anchor in a column is the part
 * of W h that it contributes, from 0 to 1. */
enum { REPORT_LARGEST = 5, REPORT_WORST = 10 };
typedef struct report_weights {
    int64_t rank, rows, shown, step; /* shown 0: columns were not projected */
    const double *W;                 /* rows x rank                         */
    const char *const *row_names;    /* one per row, or NULL                */
    const char *const *names;        /* one per column, or NULL             */
    /* the columns are rows of the file, and texts call them rows */
    int transposed;
    int asked_to_transpose;      /* --transpose was given                                      */
    report_blob picture;         /* picture of all shares, one line per anchor                 */
    report_blob shares;          /* bytes, rank per column: 255 is 1                           */
    const double *residual;      /* shown: |x - W h|_1 / |x|_1                                 */
    double unexplained;          /* sum of |x - W h|_1 / sum of |x|_1 over the shown columns   */
    const int64_t *largest;      /* REPORT_LARGEST x rank: rows of the largest values, then -1 */
    int64_t worst[REPORT_WORST]; /* indices, among the shown columns, of the largest residuals */
    int worst_count;
    const char *folder; /* folder of the results */
} report_weights;

/* Writes the page. result is the object of result.json; command is the command line that made
 * it. */
void report_anchors_write(FILE *to, const json_t *result, const report_weights *weights,
                          const char *command);

/* ---- conehull topics: result is the object of its JSON ---- */

void report_topics(FILE *to, const json_t *result);

/* ---- conehull exemplars ---- */

/* Writes the page. result is the object of result.json (docs/exemplars.md). pictures[0 .. count)
 * are pictures of the first exemplars of the first method, in their order. */
void report_exemplars_write(FILE *to, const json_t *result, const report_blob *pictures,
                            size_t count);

/* Writes the chart of accuracy against the number of exemplars, one line per method. */
void report_exemplars_chart(FILE *to, const json_t *result);

/* ---- conehull video: a player, and everything in scores.json ---- */

enum report_view {
    REPORT_ORIGINAL = 0,
    REPORT_BACKGROUND = 1,
    REPORT_MASK = 2,
    REPORT_OVERLAY = 3,
    REPORT_VIEWS = 4
};

/* Some frames of the clip, reduced. */
typedef struct report_film {
    int64_t count;
    const int64_t *rows; /* count: positions of the frames in "index" and "time" of the scores */
    int methods;
    const report_blob *blobs; /* see report_film_blob(); the original with the first method only */
    int64_t start;            /* the frame that is shown first */
} report_film;

/* Returns the picture of frame i of the film. */
const report_blob *report_film_blob(const report_film *film, int64_t i, int method, int view);

/* Writes the page. scores is the object of scores.json (docs/video.md). */
void report_video_write(FILE *to, const json_t *scores, const report_film *film);

/* Writes the page of conehull live. film->rows are positions in the thinned index and time. */
void report_live_write(FILE *to, const json_t *scores, const report_film *film);

/* Each function writes a chart in its own section, or nothing if the scores have no data for it. */
/* report_video_events() writes the table of events and returns 0 if there are none.
 * report_video_marks() writes "events":[..] for the script (report_events.c). */
int report_video_events(FILE *to, const json_t *scores);
void report_video_marks(FILE *to, const json_t *scores);
void report_video_activity(FILE *to, const json_t *scores);
void report_video_anchors(FILE *to, const json_t *scores, const report_film *film);
void report_video_rank(FILE *to, const json_t *scores);
void report_video_roc(FILE *to, const json_t *scores);

/* ---- conehull unmix: maps, and the spectrum of the pixel under the pointer ---- */

/* Data of the page of conehull unmix that are not in the JSON. x and endmembers (bands x count) are
 * for the chart. The script gets every step-th line and sample, `height` and `width` of them, and
 * shown_bands of the bands. */
typedef struct report_scene {
    report_blob colour, residual, gap;
    const report_blob *abundances; /* count                                                      */
    int64_t count, bands;
    const double *x, *endmembers;
    const double *smooth;       /* like endmembers: averages over their neighbours, or NULL       */
    const char *label;          /* of the x axis: "wavelength, nm"                                */
    const char *colour_caption; /* which bands are red, green and blue                            */
    double residual_high, tol;  /* what the brightest colour of either map stands for             */
    int64_t step, width, height, shown_bands;
    const double *shown_x, *shown_endmembers;
    report_blob values;  /* bytes, shown_bands per place: 254 is scale, 255 is not known          */
    report_blob scale;   /* float, little endian, per place; negative: no data                    */
    report_blob weights; /* bytes, count per place: 255 is `most`                                 */
    double most;
} report_scene;

/* Writes the page. result is the object of unmix.json. */
void report_unmix_write(FILE *to, const json_t *result, const report_scene *scene);
