/* Frames for the page. A page stays under some 10 MB: so many frames, of such a width. */
#include "options/option_values.h"
#include "video/video_command.h"
#include <assert.h>

enum { FRAMES_MAX = 120, TRUTH_MAX = 40, WIDTH_MAX = 360, QUALITY = 80 };

/* Evenly spread, and those with a known mask. */
static void choose_rows(video_film *film, const video_clip *video, int64_t spread) {
    int64_t frames = video->clip.frames, count = 0;
    if (spread > frames) spread = frames;
    for (int64_t i = 0; i < spread; i++)
        film->rows[count++] = spread > 1 ? i * (frames - 1) / (spread - 1) : 0;
    int64_t every = (video->truth.count + TRUTH_MAX - 1) / TRUTH_MAX;
    for (int64_t i = 0; i < video->truth.count; i += every)
        film->rows[count++] = video->truth_row[i];
    film->film.count = cli_sort_unique(film->rows, count);
}

int video_film_create(video_run *run) {
    video_film *film = &run->film;
    size_t pixels = (size_t)run->video.pixels;
    int methods = run->count;
    film->factor = (run->video.clip.width + WIDTH_MAX - 1) / WIDTH_MAX;
    film->rows = malloc((FRAMES_MAX + TRUTH_MAX) * sizeof *film->rows);
    film->whole = malloc(6 * pixels);
    film->small = malloc(3 * pixels);
    if (!film->rows || !film->whole || !film->small) return cli_no_memory();
    choose_rows(film, &run->video, FRAMES_MAX / (methods > 1 ? (methods + 1) / 2 + 1 : 1));
    film->blobs = calloc((size_t)(film->film.count * methods * REPORT_VIEWS), sizeof *film->blobs);
    if (!film->blobs) return cli_no_memory();
    film->film.rows = film->rows;
    film->film.blobs = film->blobs;
    film->film.methods = methods;
    return EXIT_DONE;
}

/* Means of factor x factor pixels; the last ones of a row or column that are no whole square go. */
static ch_picture reduce(const video_film *film, const ch_picture *whole) {
    int64_t factor = film->factor, width = whole->width;
    int channels = whole->channels;
    ch_picture small = {width / factor, whole->height / factor, channels, film->small};
    if (small.height == 0) small.height = 1; /* lower than the factor: one row, of fewer */
    for (int64_t y = 0; y < small.height; y++)
        for (int64_t x = 0; x < small.width; x++)
            for (int c = 0; c < channels; c++) {
                int64_t sum = 0, count = 0;
                for (int64_t v = y * factor; v < (y + 1) * factor; v++)
                    for (int64_t u = x * factor; u < (x + 1) * factor; u++) {
                        if (v >= whole->height) continue;
                        sum += whole->pixels[(v * width + u) * channels + c];
                        count++;
                    }
                assert(count > 0); /* the square begins inside */
                small.pixels[(y * small.width + x) * channels + c] =
                    (uint8_t)((sum + count / 2) / count);
            }
    return small;
}

/* Frame i of the block in all views, the original once for all methods. Photographs are JPEG;
 * masks, which are flat, PNG. */
static ch_status add_frame(video_run *run, int method, const video_block *block, int64_t i) {
    const video_film *film = &run->film;
    ch_context *context = run->session->context;
    report_blob *blobs = &film->blobs[(film->next * film->film.methods + method) * REPORT_VIEWS];
    for (int view = method ? REPORT_BACKGROUND : REPORT_ORIGINAL; view < REPORT_VIEWS; view++) {
        report_blob *blob = &blobs[view];
        ch_picture picture;
        ch_status status = video_frame(run, &picture, film->whole, block, i, view, film->factor);
        if (status != CH_OK) return status;
        picture = reduce(film, &picture);
        status =
            view == REPORT_MASK
                ? ch_picture_encode_png(context, &blob->bytes, &blob->length, &picture)
                : ch_picture_encode_jpeg(context, &blob->bytes, &blob->length, &picture, QUALITY);
        if (status != CH_OK) return status;
        blob->type = view == REPORT_MASK ? "image/png" : "image/jpeg";
    }
    return CH_OK;
}

int video_film_add(video_run *run, video_result *result, const video_block *block) {
    video_film *film = &run->film;
    double start = cli_seconds();
    ch_status status = CH_OK;
    if (block->first == 0) film->next = 0; /* the first block of a method */
    for (; status == CH_OK && film->next < film->film.count &&
           film->rows[film->next] < block->first + block->count;
         film->next++)
        status = add_frame(run, result->number, block, film->rows[film->next] - block->first);
    result->report += cli_seconds() - start;
    return cli_check(run->session, status);
}

void video_film_start(video_film *film, const ch_activity *activity) {
    for (int64_t i = 0; i < film->film.count; i++)
        if (activity[film->rows[i]].foreground > activity[film->rows[film->film.start]].foreground)
            film->film.start = i;
}

void video_film_free(video_run *run) {
    video_film *film = &run->film;
    int64_t blobs = film->blobs ? film->film.count * film->film.methods * REPORT_VIEWS : 0;
    for (int64_t i = 0; i < blobs; i++)
        ch_picture_bytes_free(run->session->context, film->blobs[i].bytes);
    free(film->blobs);
    free(film->rows);
    free(film->whole);
    free(film->small);
}
