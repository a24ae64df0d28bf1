/* Replaces the libav reader in builds without video: a file is a single picture that
 * ch_picture_read() can read, so that folders and patterns of pictures are clips. Anything else is
 * refused with a message that names the missing library. */
#include "io/clip/frames.h"
#include <math.h>
#include <string.h>

struct chi_video {
    ch_context *context;
    const char *path;
    ch_picture picture;
    ch_picture luma; /* luma of the file; pixels is NULL if it must be computed from the picture */
    int ended;
};

static ch_status refuse_video(const chi_video *video) {
    return chi_fail(video->context, CH_ERR_UNSUPPORTED,
                    "%s: the file is not a PNG, JPEG, BMP, PBM, PGM or PPM picture, and this build "
                    "of conehull cannot read video; build it with libav (Debian: libavformat-dev, "
                    "libswscale-dev) and CONEHULL_VIDEO=ON",
                    video->path);
}

static ch_status load(chi_video *video) {
    chi_picture_bytes from = {.context = video->context, .path = video->path};
    chi_store *store = chi_store_create(video->context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status =
        chi_load_source(video->context, store, &from.bytes, &from.count, video->path);
    if (status == CH_OK && from.count && !chi_picture_known(&from))
        status = refuse_video(video);
    else if (status == CH_OK)
        status = chi_picture_decode(&video->picture, &from);
    if (status == CH_OK && video->picture.channels == 3 && chi_is_jpeg(&from))
        status = chi_jpeg_read(&video->luma, &from, 1);
    chi_store_release(video->context, store);
    return status;
}

ch_status chi_video_open(ch_context *context, chi_video **video, const char *path,
                         int64_t silence) {
    chi_video *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "reading a picture", 1, sizeof *made);
    *made = (chi_video){.context = context, .path = path};
    ch_status status = silence ? refuse_video(made) : load(made);
    if (status == CH_OK)
        *video = made;
    else
        chi_video_close(made);
    return status;
}

void chi_video_close(chi_video *video) {
    if (!video) return;
    ch_picture_free(video->context, &video->picture);
    ch_picture_free(video->context, &video->luma);
    chi_free(video->context, video);
}

ch_status chi_video_count(chi_video *video, int64_t *count, int64_t enough) {
    (void)video, (void)enough;
    *count = 1;
    return CH_OK;
}

int64_t chi_video_promised(const chi_video *video) {
    (void)video;
    return 1;
}

ch_status chi_video_near_key(chi_video *video, int64_t *near, int64_t number, int64_t farthest) {
    (void)video, (void)farthest;
    *near = number;
    return CH_OK;
}

ch_status chi_video_skip(chi_video *video, int64_t *passed, int64_t number) {
    (void)video, (void)number;
    *passed = -1;
    return CH_OK;
}

double chi_video_stamp(const chi_video *video, int last) {
    (void)video, (void)last;
    return NAN;
}

ch_status chi_video_next(chi_video *video, chi_frame *frame) {
    frame->native = NULL;
    if (video->ended) return CH_OK;
    video->ended = 1;
    *frame = (chi_frame){.width = video->picture.width,
                         .height = video->picture.height,
                         .gray = video->picture.channels == 1,
                         .number = -1,
                         .time = NAN,
                         .native = &video->picture};
    return CH_OK;
}

/* Copies a part of a picture row by row. */
static void copy_part(uint8_t *to, const ch_picture *from, const chi_rectangle *part) {
    int64_t bytes = part->width * from->channels;
    for (int64_t y = 0; y < part->height; y++)
        memcpy(to + y * bytes,
               from->pixels + ((part->y + y) * from->width + part->x) * from->channels,
               (size_t)bytes);
}

ch_status chi_video_pixels(chi_video *video, uint8_t *luma, uint8_t *rgb, const chi_frame *frame,
                           const chi_rectangle *part) {
    const ch_picture *picture = frame->native;
    if (rgb) copy_part(rgb, picture, part);
    if (picture->channels == 1 || video->luma.pixels) {
        copy_part(luma, picture->channels == 1 ? picture : &video->luma, part);
        return CH_OK;
    }
    for (int64_t y = 0; y < part->height; y++)
        for (int64_t x = 0; x < part->width; x++)
            *luma++ =
                chi_luma(picture->pixels + 3 * ((part->y + y) * picture->width + part->x + x));
    return CH_OK;
}

chi_yuv chi_frame_yuv(const chi_frame *frame) {
    (void)frame;
    return (chi_yuv){0};
}

/* Never called: frames here have no such planes. */
void chi_frame_halves(uint8_t *luma, uint8_t *red, uint8_t *blue, const chi_frame *frame) {
    (void)luma, (void)red, (void)blue, (void)frame;
}

void chi_frame_copy_yuv(uint8_t *to, const chi_frame *frame) {
    (void)to, (void)frame;
}

void chi_frame_aspect(int64_t aspect[2], const chi_frame *frame) {
    (void)frame;
    aspect[0] = aspect[1] = 0;
}

void chi_video_size(const chi_video *video, int64_t size[2]) {
    size[0] = video->picture.width;
    size[1] = video->picture.height;
}

int chi_video_seekable(const chi_video *video) {
    return strcmp(video->path, "-") != 0;
}

void chi_video_describe(const chi_video *video, ch_clip *clip) {
    clip->rate = 25;
    clip->time_base[0] = 1;
    clip->time_base[1] = 25;
    strcpy(clip->container, "picture");
    strcpy(clip->codec, "picture");
    strcpy(clip->pixel_format, video->picture.channels == 1 ? "gray" : "rgb24");
}

ch_status chi_video_report(const chi_video *video, int64_t frames, int partial) {
    (void)video, (void)frames, (void)partial;
    return CH_OK;
}
