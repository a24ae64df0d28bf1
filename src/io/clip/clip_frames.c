/* Whole pictures from matrices of frames x pixels, and pictures scaled to a clip's size. */
#include "base/sized.h"
#include "io/clip/frames.h"
#include "linalg/linalg.h"
#include <string.h>

typedef struct frames_job {
    const ch_matrix *X;
    void *pixels;
    int64_t lo, hi;
} frames_job;

enum { STRIP = 4096 }; /* pixels that a thread copies at a time */

static void gather_strip(void *user, int64_t strip, int thread) {
    const frames_job *job = user;
    const ch_matrix *X = job->X;
    int64_t first = strip * STRIP, left = X->cols - first, count = left < STRIP ? left : STRIP;
    const uint16_t *wide = X->values;
    (void)thread;
    if (X->type == CH_U16)
        for (int64_t j = first; j < first + count; j++)
            for (int64_t f = job->lo; f < job->hi; f++)
                ((uint16_t *)job->pixels)[(f - job->lo) * X->cols + j] = wide[f + j * X->stride];
    else
        chi_transpose_bytes((uint8_t *)job->pixels + first, X->cols,
                            (const uint8_t *)X->values + job->lo + first * X->stride, X->stride,
                            count, job->hi - job->lo);
}

ch_status ch_clip_frames(ch_context *context, void *pixels, const ch_matrix *X, int64_t lo,
                         int64_t hi) {
    TRY(chi_check_view(context, X));
    if (!context || !pixels || !X) return CH_ERR_ARGUMENT;
    if (X->layout == CH_CSC || (X->type != CH_U8 && X->type != CH_U16))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "frames can be taken only from a dense matrix of type u8 or u16");
    if (lo < 0 || hi < lo || hi > X->rows)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "frames %lld to %lld do not exist; the clip has %lld frames", (long long)lo,
                        (long long)hi, (long long)X->rows);
    frames_job job = {X, pixels, lo, hi};
    size_t size = ch_value_type_size(X->type);
    if (X->layout == CH_COLUMN_MAJOR)
        chi_parallel(context, (X->cols + STRIP - 1) / STRIP, gather_strip, &job);
    else
        for (int64_t f = lo; f < hi; f++)
            memcpy((char *)pixels + (size_t)((f - lo) * X->cols) * size,
                   (const char *)X->values + (size_t)(f * X->stride) * size,
                   (size_t)X->cols * size);
    return CH_OK;
}

/* Copies the clip's part of a picture of the input's size. */
static void cut(uint8_t *to, const uint8_t *from, int channels, const ch_clip *clip) {
    for (int64_t y = 0; y < clip->roi_height; y++)
        memcpy(to + y * clip->roi_width * channels,
               from + ((clip->roi_y + y) * clip->source_width + clip->roi_x) * channels,
               (size_t)(clip->roi_width * channels));
}

/* The arena must be freed in any case. */
typedef struct fitting {
    chi_arena arena;
    chi_area area;
    uint8_t *part;
} fitting;

static ch_status fitting_create(fitting *fit, int channels, const ch_clip *clip) {
    fit->part = chi_arena_alloc(&fit->arena, clip->roi_width * clip->roi_height * channels, 1);
    TRY(chi_arena_status(&fit->arena, "a part of a picture"));
    return chi_area_create(&fit->arena, &fit->area, clip->roi_width, clip->roi_height, clip->width,
                           clip->height, channels);
}

static ch_status check_sizes(ch_context *context, const char *what, int64_t width, int64_t height,
                             const ch_clip *clip) {
    if (width == clip->source_width && height == clip->source_height) return CH_OK;
    if (width == clip->width && height == clip->height) return CH_OK;
    return chi_fail(context, CH_ERR_DATA,
                    "%s %lld x %lld pixels, but the pictures of the clip are %lld x %lld pixels",
                    what, (long long)width, (long long)height, (long long)clip->source_width,
                    (long long)clip->source_height);
}

static int fits_already(int64_t width, int64_t height, const ch_clip *clip) {
    int whole = clip->roi_width == clip->source_width && clip->roi_height == clip->source_height;
    int of_source = width == clip->source_width && height == clip->source_height;
    return width == clip->width && height == clip->height && (whole || !of_source);
}

ch_status ch_clip_fit_picture(ch_context *context, ch_picture *picture, const ch_clip *clip) {
    ch_picture made;
    if (!context || !picture) return CH_ERR_ARGUMENT;
    fitting fit = {.arena = {.context = context}};
    TRY(chi_sized_check(context, clip, "ch_clip"));
    TRY(check_sizes(context, "the picture is", picture->width, picture->height, clip));
    if (fits_already(picture->width, picture->height, clip)) return CH_OK;
    TRY(chi_picture_create(context, &made, "a picture", clip->width, clip->height,
                           picture->channels));
    ch_status status = fitting_create(&fit, picture->channels, clip);
    if (status == CH_OK) {
        cut(fit.part, picture->pixels, picture->channels, clip);
        chi_area_reduce(&fit.area, made.pixels, fit.part);
    }
    ch_picture_free(context, status == CH_OK ? picture : &made);
    if (status == CH_OK) *picture = made;
    chi_arena_free(&fit.arena);
    return status;
}

/* Cuts and scales a mask of zeros and ones; a result of at least `least` out of 255 becomes one. */
static void fit_mask(fitting *fit, uint8_t *to, const uint8_t *from, const ch_clip *clip,
                     int least) {
    cut(fit->part, from, 1, clip);
    for (int64_t j = 0; j < clip->roi_width * clip->roi_height; j++) fit->part[j] *= 255;
    chi_area_reduce(&fit->area, to, fit->part);
    for (int64_t j = 0; j < clip->width * clip->height; j++) to[j] = to[j] >= least;
}

ch_status ch_clip_fit_masks(ch_context *context, ch_masks *masks, const ch_clip *clip) {
    if (!context) return CH_ERR_ARGUMENT;
    fitting fit = {.arena = {.context = context}};
    TRY(chi_sized_check(context, masks, "ch_masks"));
    TRY(chi_sized_check(context, clip, "ch_clip"));
    TRY(check_sizes(context, "the masks are", masks->width, masks->height, clip));
    if (fits_already(masks->width, masks->height, clip)) return CH_OK;
    int64_t from = masks->width * masks->height, to = clip->width * clip->height;
    ch_status status = fitting_create(&fit, 1, clip);
    for (int64_t k = 0; status == CH_OK && k < masks->count;
         k++) { /* in place: masks only become smaller */
        fit_mask(&fit, masks->foreground + k * to, masks->foreground + k * from, clip, 128);
        if (masks->counted) /* all source pixels of a pixel must count */
            fit_mask(&fit, masks->counted + k * to, masks->counted + k * from, clip, 255);
    }
    chi_arena_free(&fit.arena);
    if (status != CH_OK) return status;
    masks->width = clip->width;
    masks->height = clip->height;
    return CH_OK;
}
