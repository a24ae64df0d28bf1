/* Frames for the page. A page stays under some 10 MB: so many frames, of such a width. */
#include "common/frame_planes.h"
#include "video/video_command.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 120, TRUTH_MAX = 40, WIDTH_MAX = 360, QUALITY = 80 };

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Evenly spread, and those with a known mask. */
static void choose_rows(video_film *film, const video_clip *video, int64_t spread) {
    int64_t frames = video->clip.frames, count = 0, kept = 0;
    if (spread > frames) spread = frames;
    for (int64_t i = 0; i < spread; i++)
        film->rows[count++] = spread > 1 ? i * (frames - 1) / (spread - 1) : 0;
    int64_t every = (video->truth.count + TRUTH_MAX - 1) / TRUTH_MAX;
    for (int64_t i = 0; i < video->truth.count; i += every)
        film->rows[count++] = video->truth_row[i];
    qsort(film->rows, (size_t)count, sizeof *film->rows, by_value);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || film->rows[kept - 1] != film->rows[i]) film->rows[kept++] = film->rows[i];
    film->film.count = kept;
}

int video_film_create(video_run *run) {
    video_film *film = &run->film;
    size_t pixels = (size_t)run->video.pixels;
    int methods = run->count;
    film->factor = (run->video.clip.width + WIDTH_MAX - 1) / WIDTH_MAX;
    film->rows = malloc((FRAMES_MAX + TRUTH_MAX) * sizeof *film->rows);
    film->bytes = malloc(3 * pixels);
    film->whole = malloc(3 * pixels);
    film->small = malloc(3 * pixels);
    if (!film->rows || !film->bytes || !film->whole || !film->small) return cli_no_memory();
    choose_rows(film, &run->video, FRAMES_MAX / (methods > 1 ? (methods + 1) / 2 + 1 : 1));
    film->blobs = calloc((size_t)(film->film.count * methods * REPORT_VIEWS), sizeof *film->blobs);
    if (!film->blobs) return cli_no_memory();
    film->film.rows = film->rows;
    film->film.blobs = film->blobs;
    film->film.methods = methods;
    return EXIT_DONE;
}

/* Means of factor x factor pixels; the last ones of a row or column that are no whole square go. */
static ch_picture reduce(const video_film *film, const ch_clip *clip, int channels) {
    int64_t factor = film->factor, width = clip->width;
    ch_picture small = {width / factor, clip->height / factor, channels, film->small};
    if (small.height == 0) small.height = 1; /* lower than the factor: one row, of fewer */
    for (int64_t y = 0; y < small.height; y++)
        for (int64_t x = 0; x < small.width; x++)
            for (int c = 0; c < channels; c++) {
                int64_t sum = 0, count = 0;
                for (int64_t v = y * factor; v < (y + 1) * factor; v++)
                    for (int64_t u = x * factor; u < (x + 1) * factor; u++) {
                        if (v >= clip->height) continue;
                        sum += film->whole[(v * width + u) * channels + c];
                        count++;
                    }
                assert(count > 0); /* the square begins inside */
                small.pixels[(y * small.width + x) * channels + c] =
                    (uint8_t)((sum + count / 2) / count);
            }
    return small;
}

/* Photographs as JPEG; masks, which are flat, as PNG. */
static ch_status encode(const video_run *run, int method, int view, int channels) {
    const video_film *film = &run->film;
    ch_context *context = run->session->context;
    ch_picture small = reduce(film, &run->video.clip, channels);
    report_blob *blob =
        &film->blobs[(film->next * film->film.methods + method) * REPORT_VIEWS + view];
    ch_status status =
        view == REPORT_MASK
            ? ch_picture_encode_png(context, &blob->bytes, &blob->length, &small)
            : ch_picture_encode_jpeg(context, &blob->bytes, &blob->length, &small, QUALITY);
    if (status == CH_OK) blob->type = view == REPORT_MASK ? "image/png" : "image/jpeg";
    return status;
}

/* Frame i of the block in all views; the original once, for all methods. */
static ch_status add_frame(video_run *run, int method, const video_block *block, int64_t i) {
    const video_clip *video = &run->video;
    video_film *film = &run->film;
    int64_t pixels = video->pixels;
    int planes = video->planes;
    const uint8_t *original[VIDEO_PLANES_MAX], *background[VIDEO_PLANES_MAX];
    ch_status status = CH_OK;
    for (int p = 0; p < planes; p++) {
        original[p] = block->pixels[p] + i * pixels;
        background[p] = film->bytes + p * pixels;
        video_background_bytes(film->bytes + p * pixels, block->background[p] + i * pixels, pixels);
    }
    if (method == 0) {
        cli_interleave(film->whole, original, planes, pixels);
        status = encode(run, method, REPORT_ORIGINAL, planes);
    }
    if (status == CH_OK) {
        cli_interleave(film->whole, background, planes, pixels);
        status = encode(run, method, REPORT_BACKGROUND, planes);
    }
    if (status == CH_OK) {
        memcpy(film->whole, block->masks + i * pixels, (size_t)pixels);
        status = encode(run, method, REPORT_MASK, 1);
    }
    if (status == CH_OK)
        status = ch_mask_overlay(run->session->context, film->whole, original, planes,
                                 block->masks + i * pixels, video->clip.width, video->clip.height,
                                 film->factor, cli_outline);
    return status == CH_OK ? encode(run, method, REPORT_OVERLAY, 3) : status;
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
    return cli_check(run->session, status, NULL);
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
    free(film->bytes);
    free(film->whole);
    free(film->small);
}
