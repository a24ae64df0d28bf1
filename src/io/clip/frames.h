/* What clips are made of: names of pictures, decoded frames, planes that collect them.
 *
 * The functions chi_video_* are those of video_av.c and its neighbours, or of video_still.c in a
 * build without libav; nothing else knows libav. */
#pragma once

#include "base/arena.h"
#include "io/file/format.h"
#include <conehull/clip.h>

/* Pictures beyond this many pixels are refused: products of their sizes stay far from overflow. */
enum { CHI_PIXELS_MAX = 1 << 28 };

/* ---- folder_names.c: the files of a folder ---- */

typedef struct chi_names {
    char **name; /* paths, in the natural order of their last parts: 2.png before 10.png      */
    int64_t count, capacity;
} chi_names;

/* Files of the folder whose suffix is in the list (NULL at the end). CH_ERR_IO without a folder. */
ch_status chi_names_folder(ch_context *context, chi_names *names, const char *folder,
                           const char *const *suffixes);
/* Files of a pattern such as "dir/img%05d.png". CH_ERR_IO when none fits. */
ch_status chi_names_pattern(ch_context *context, chi_names *names, const char *pattern);
int chi_is_pattern(const char *path);
void chi_names_free(ch_context *context, chi_names *names);

/* ---- a video or one picture (video_av.c) ---- */

typedef struct chi_video chi_video;

typedef struct chi_frame {
    int64_t width, height;
    int gray;       /* the source has no colour                                                 */
    int64_t number; /* in the file, from 0; -1: the one after the frame before                */
    int damaged;  /* something of it, or of what it is made from, did not decode                 */
    double time;  /* seconds by the file's own count; NAN when it does not say                */
    int64_t file; /* of a recording of several; by chi_input_seek(), as ...                    */
    const double *starts; /* ... the seconds at which files 0 to this one begin               */
    void *native; /* belongs to the video, until its next frame; NULL: there are no more      */
} chi_frame;

typedef struct chi_rectangle {
    int64_t x, y, width, height;
} chi_rectangle;

/* The part of pictures that is wanted, from "X,Y,W,H" (clip_settings.c). */
ch_status chi_part_parse(ch_context *context, int64_t *x, int64_t *y, int64_t *width,
                         int64_t *height, const char *text);

/* path "-" is standard input. With `silence` above 0 it is an address or a camera, and so many
 * seconds without a packet are its end. */
ch_status chi_video_open(ch_context *context, chi_video **video, const char *path, int64_t silence);
void chi_video_close(chi_video *video); /* NULL is fine */
/* An upper bound, nearly always exact, of the frames in the file, from a look at its packets that
 * ends at `enough`; -1 when the input can be read only once. */
ch_status chi_video_count(chi_video *video, int64_t *count, int64_t enough);
ch_status chi_video_next(chi_video *video, chi_frame *frame);
/* Frames before this number are not wanted: they may be passed over without decoding them, where
 * the file says enough about itself. *passed (or -1): all that it has come before it. A file that
 * can be read only once is decoded in full. */
ch_status chi_video_skip(chi_video *video, int64_t *passed, int64_t number);
/* *near: the number of the key frame nearest to that of a frame, if it is not farther away than
 * that; else the number itself. Key frames can be decoded without those before them. */
ch_status chi_video_near_key(chi_video *video, int64_t *near, int64_t number, int64_t farthest);
/* The stamp of its first frame in seconds where that is known without decoding it, else NAN; and of
 * its last. */
double chi_video_stamp(const chi_video *video, int last);
/* The part of the frame: luma (width x height) and, unless rgb is NULL, R G B side by side. */
ch_status chi_video_pixels(chi_video *video, uint8_t *luma, uint8_t *rgb, const chi_frame *frame,
                           const chi_rectangle *part);
/* The decoder's own planes where they are 8-bit YUV 4:2:0 of even sides; matrix and range as in
 * ch_video_format. */
typedef struct chi_yuv {
    int present, full_range, matrix;
} chi_yuv;
chi_yuv chi_frame_yuv(const chi_frame *frame);
/* Brightness of the whole picture, and red and blue of half its width and height, of such a frame:
 * all of full range. */
void chi_frame_halves(uint8_t *luma, uint8_t *red, uint8_t *blue, const chi_frame *frame);
/* Y, U and V one after the other, 3/2 width * height bytes. */
void chi_frame_copy_yuv(uint8_t *to, const chi_frame *frame);
/* Width and height of a pixel; {0, 0}: not said. */
void chi_frame_aspect(int64_t aspect[2], const chi_frame *frame);
int chi_video_seekable(const chi_video *video);
/* Width and height of its pictures, as the file's header has them. */
void chi_video_size(const chi_video *video, int64_t size[2]);
/* Fills rate, time_base, container, codec and pixel_format. */
void chi_video_describe(const chi_video *video, ch_clip *clip);
/* After `frames` frames: tells the log what did not decode, if anything. A file that was cut short
 * is CH_ERR_FORMAT, or with `partial` a line in the log. */
ch_status chi_video_report(const chi_video *video, int64_t frames, int partial);

/* ---- frame_input.c: frames by their position, from videos or from lists of pictures ---- */

typedef struct chi_input chi_input;

/* The files of a recording, one after the other. */
typedef struct chi_files {
    const char *const *path;
    int64_t count;
} chi_files;

/* path, then more[0 .. count), checked; the list is for chi_free(). */
ch_status chi_files_list(ch_context *context, chi_files *files, const char *path,
                         const char *const *more, int64_t count);

/* silence: as of chi_video_open(). partial: a file that was cut short and is not the last goes on
 * with the next. The names must stay valid. Of several files the sizes are compared beforehand. */
ch_status chi_input_open(ch_context *context, chi_input **input, const chi_files *files,
                         int64_t silence, int partial);
void chi_input_close(chi_input *input);
ch_status chi_input_count(chi_input *input, int64_t *count, int64_t enough);
/* The frame at position `wanted`, never falling; frame->native is NULL past the end. Time counts
 * from the first frame and rises. CH_STOP_CANCELLED when the progress callback says so; `total` is
 * for its bar. */
ch_status chi_input_seek(chi_input *input, chi_frame *frame, int64_t wanted, int64_t total);
/* Of what chi_input_seek() found: a picture that cannot be used fails by its own name. */
/* The same for frames of an input of one file. */
ch_status chi_input_near_key(chi_input *input, int64_t *near, int64_t number, int64_t farthest);
chi_video *chi_input_video(const chi_input *input);
void chi_input_describe(const chi_input *input, ch_clip *clip);
ch_status chi_input_report(const chi_input *input, int partial);
/* The file of the current frame, for messages. */
const char *chi_input_name(const chi_input *input);

/* ---- clip_planes.c: pictures in, series of pixels out ---- */

enum { CHI_PLANES_HALVES = 3 };
typedef struct chi_planes {
    ch_context *context;
    const char *path;
    int64_t pixels;   /* of a picture                                                         */
    int count;        /* 1: luma; 4: luma, R, G, B; 3: luma, R and B of a quarter of them     */
    int64_t capacity; /* frames that fit                                                      */
    int64_t filled;   /* frames in the matrices ...                                           */
    int64_t waiting;  /* ... and those in the block still                                     */
    int64_t block_frames, pitch; /* shape of the block: rows of pictures                      */
    uint8_t *block[4];
    ch_matrix plane[4]; /* pixels columns of stride capacity                                  */
    uint8_t *values[4];
    int64_t *index;
    double *time;
} chi_planes;

/* Total bytes of planes of this shape. */
double chi_planes_bytes(int64_t pixels, int count, int64_t capacity);
/* For chi_planes_free() whatever happens. */
ch_status chi_planes_create(ch_context *context, chi_planes *planes, const char *path,
                            int64_t pixels, int count, int64_t capacity);
void chi_planes_free(chi_planes *planes);
/* One more frame, whose values are at block[plane] + waiting * pitch. There must be room. */
void chi_planes_push(chi_planes *planes, int64_t index, double time);
ch_status chi_planes_grow(chi_planes *planes, int64_t capacity);
/* Hands everything to the clip. */
void chi_planes_finish(chi_planes *planes, ch_clip *clip);

/* ---- clip_memory.c: is there room for a clip? ---- */

typedef struct chi_clip_memory {
    const char *path;
    const ch_clip_settings *set;
    const ch_clip *clip; /* sizes and colour, as planned                                      */
    int64_t frames;      /* to be kept                                                        */
    int open_end;        /* the number is a guess: the input may go on                        */
    int64_t held;        /* bytes that are needed beside it, while growing                    */
} chi_clip_memory;

/* CH_ERR_MEMORY when the clip is beyond the limit, with what would fit. */
ch_status chi_clip_memory_check(ch_context *context, const chi_clip_memory *room);
void chi_clip_memory_announce(ch_context *context, const chi_clip_memory *room);

/* ---- shuffle_bytes.c ---- */

/* to[c * to_stride + r] = from[r * from_stride + c] for r < rows, c < cols. */
void chi_transpose_bytes(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                         int64_t rows, int64_t cols);
/* R[j], G[j], B[j] = rgb[3 j], rgb[3 j + 1], rgb[3 j + 2] for j < count. */
void chi_split_rgb(uint8_t *R, uint8_t *G, uint8_t *B, const uint8_t *rgb, int64_t count);

/* ---- area_scale.c ---- */

/* Reduces pictures by averaging areas, exactly: each value is the mean of what it covers, rounded.
 * width <= from_width <= CHI_AREA_WIDTH_MAX, height <= from_height. */
enum { CHI_AREA_WIDTH_MAX = UINT32_MAX / 255 };
typedef struct chi_area {
    int64_t from_width, from_height, width, height;
    int channels;
    uint64_t *total; /* one row of sums                                                       */
    uint32_t *across;
} chi_area;
ch_status chi_area_create(chi_arena *arena, chi_area *area, int64_t from_width, int64_t from_height,
                          int64_t width, int64_t height, int channels);
void chi_area_reduce(chi_area *area, uint8_t *to, const uint8_t *from);
/* Height of a picture reduced to width, in proportion. */
int64_t chi_area_height(int64_t from_width, int64_t from_height, int64_t width);

/* ---- picture_cut.c: the part of every picture that is wanted, reduced ---- */

typedef struct chi_cut {
    ch_context *context;
    const char *path;
    int64_t source_width, source_height; /* of the pictures                                   */
    chi_rectangle part;                  /* of them                                           */
    int64_t width, height;               /* that it is reduced to, if it is                   */
    int reduces, colour;
    uint8_t *luma, *rgb, *small; /* the part as it comes; its colours reduced                 */
    chi_area area[2];            /* luma, RGB                                                 */
    chi_arena arena;             /* their rows                                                */
} chi_cut;

/* For pictures like `frame`; `wanted` of 0 x 0: the whole picture; width 0: no scaling. */
ch_status chi_cut_plan(ch_context *context, chi_cut *cut, const char *path, const chi_frame *frame,
                       const chi_rectangle *wanted, int64_t width, int gray);
ch_status chi_cut_reserve(chi_cut *cut);
/* Also of one that is all zero, or of which reserving failed. */
void chi_cut_free(chi_cut *cut);
/* CH_ERR_FORMAT for a picture of another size than the first. */
ch_status chi_cut_check(const chi_cut *cut, const chi_input *input, const chi_frame *frame,
                        int64_t position);
/* Luma, and R, G and B; either may be NULL. CH_ERR_FORMAT for a picture of another size. */
ch_status chi_cut_pixels(chi_cut *cut, uint8_t *luma, uint8_t *const rgb[3], chi_input *input,
                         const chi_frame *frame, int64_t position);

/* ---- pictures ---- */

/* CH_ERR_FORMAT for sizes that no picture has. */
ch_status chi_picture_check(ch_context *context, const char *path, int64_t width, int64_t height);
ch_status chi_picture_create(ch_context *context, ch_picture *picture, const char *path,
                             int64_t width, int64_t height, int channels);

/* CH_ERR_ARGUMENT for a picture that cannot be written. */
ch_status chi_picture_given(ch_context *context, const ch_picture *picture);

/* A file on its way to a picture. */
typedef struct chi_picture_bytes {
    ch_context *context;
    const char *path;
    const unsigned char *bytes;
    int64_t count, place;
} chi_picture_bytes;
/* By what the bytes begin with; the picture is as below. */
ch_status chi_picture_decode(ch_picture *picture, chi_picture_bytes *from);
/* Whether they are of a format that is known, or a JPEG's. There must be one. */
int chi_picture_known(const chi_picture_bytes *from);
int chi_is_jpeg(const chi_picture_bytes *from);
/* The picture, empty before, is for ch_picture_free() whatever happens. */
ch_status chi_png_read(ch_picture *picture, chi_picture_bytes *from);
/* The chunk pHYs of pixels of this shape; 0: there is nothing to say. */
enum { CHI_PNG_SHAPE = 4 + 4 + 9 + 4 };
int chi_png_shape(uint8_t chunk[CHI_PNG_SHAPE], const int64_t aspect[2]);
/* The bytes are a JPEG's. luma: its brightness alone, as the file has it. */
ch_status chi_jpeg_read(ch_picture *picture, const chi_picture_bytes *from, int luma);
ch_status chi_bmp_read(ch_picture *picture, chi_picture_bytes *from);
ch_status chi_pnm_read(ch_picture *picture, chi_picture_bytes *from);

/* 0.299 R + 0.587 G + 0.114 B, rounded; R = G = B stays what it is. */
static inline uint8_t chi_luma(const uint8_t *rgb) {
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}
