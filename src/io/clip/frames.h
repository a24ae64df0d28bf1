/* The parts of clips: names of pictures, decoded frames, and the planes that collect them.
 *
 * The functions chi_video_* are defined in src/io/av: in video_av.c and the files that include
 * video_av.h or, in a build without libav, in video_still.c. Nothing else depends on libav. */
#pragma once

#include "base/arena.h"
#include "io/file/format.h"
#include <conehull/clip.h>

/* Larger pictures are refused, so that products of sizes stay far from overflow. */
enum { CHI_PIXELS_MAX = 1 << 28 };

/* ---- folder_names.c: the files of a folder ---- */

typedef struct chi_names {
    char **name; /* paths in natural order of their last parts: 2.png before 10.png */
    int64_t count, capacity;
} chi_names;

/* Lists the files of the folder whose suffix is in the NULL-terminated list. Returns CH_ERR_IO if
 * there is no such folder. */
ch_status chi_names_folder(ch_context *context, chi_names *names, const char *folder,
                           const char *const *suffixes);
/* Lists the files of a pattern such as "dir/img%05d.png". Returns CH_ERR_IO if there are none. */
ch_status chi_names_pattern(ch_context *context, chi_names *names, const char *pattern);
int chi_is_pattern(const char *path);
void chi_names_free(ch_context *context, chi_names *names);

/* ---- a video or one picture (video_av.c) ---- */

typedef struct chi_video chi_video;

typedef struct chi_frame {
    int64_t width, height;
    int gray;       /* the source has no colour                                        */
    int64_t number; /* number in the file, from 0; -1 if it follows the previous frame */
    /* whether this frame, or a frame that it depends on, did not decode completely */
    int damaged;
    double time;          /* time stamp of the file in seconds, or NAN                    */
    int64_t file;         /* set by chi_input_seek(): index of the file of a recording    */
    const double *starts; /* times, in seconds, at which files 0 .. file begin            */
    void *native;         /* owned by the video until its next frame; NULL after the last */
} chi_frame;

typedef struct chi_rectangle {
    int64_t x, y, width, height;
} chi_rectangle;

/* Parses the part of pictures to use, "X,Y,W,H" (clip_settings.c). */
ch_status chi_part_parse(ch_context *context, int64_t *x, int64_t *y, int64_t *width,
                         int64_t *height, const char *text);

/* Opens a video; path "-" is standard input. If `silence` is above 0, path is an address or a
 * camera, which ends after this many seconds without a packet. */
ch_status chi_video_open(ch_context *context, chi_video **video, const char *path, int64_t silence);
void chi_video_close(chi_video *video); /* NULL is allowed */
/* Counts the frames of the file by its packets, up to `enough`: an upper bound that is nearly
 * always exact. *count is -1 if the input can be read only once. */
ch_status chi_video_count(chi_video *video, int64_t *count, int64_t enough);
ch_status chi_video_next(chi_video *video, chi_frame *frame);
/* Declares that frames before this number are not needed. They are skipped without decoding if the
 * file has the necessary data. *passed is the number of frames of the file if all of them come
 * before `number`, else -1. A file that can be read only once is decoded in full. */
ch_status chi_video_skip(chi_video *video, int64_t *passed, int64_t number);
/* *near is the number of the key frame nearest to a frame, if it is at most `farthest` frames away,
 * else the number itself. Key frames can be decoded without earlier frames. */
ch_status chi_video_near_key(chi_video *video, int64_t *near, int64_t number, int64_t farthest);
/* Returns the stamp of the first (or if `last`, the last) frame in seconds if it is known without
 * decoding, else NAN. */
double chi_video_stamp(const chi_video *video, int last);
/* Copies a part of the frame: luma (width x height) and, unless rgb is NULL, the adjacent R, G and
 * B of each pixel. */
ch_status chi_video_pixels(chi_video *video, uint8_t *luma, uint8_t *rgb, const chi_frame *frame,
                           const chi_rectangle *part);
/* Whether the decoder's planes are 8-bit YUV 4:2:0 with even sides; matrix and range as in
 * ch_video_format. */
typedef struct chi_yuv {
    int present, full_range, matrix;
} chi_yuv;
chi_yuv chi_frame_yuv(const chi_frame *frame);
/* Computes the brightness of the whole picture, and red and blue at half its width and height, from
 * a frame whose planes are 8-bit YUV 4:2:0 (chi_frame_yuv()). All values have full range. */
void chi_frame_halves(uint8_t *luma, uint8_t *red, uint8_t *blue, const chi_frame *frame);
/* Copies Y, U and V one after another: 3/2 width * height bytes. */
void chi_frame_copy_yuv(uint8_t *to, const chi_frame *frame);
/* Gets the width and height of a pixel; {0, 0} if not stated. */
void chi_frame_aspect(int64_t aspect[2], const chi_frame *frame);
int chi_video_seekable(const chi_video *video);
/* Gets the width and height of the pictures from the header. */
void chi_video_size(const chi_video *video, int64_t size[2]);
/* Fills rate, time_base, container, codec and pixel_format. */
void chi_video_describe(const chi_video *video, ch_clip *clip);
/* Returns the number of frames according to the header; 0 if the header does not state it. */
int64_t chi_video_promised(const chi_video *video);
/* Logs, after `frames` frames, what did not decode. Returns CH_ERR_FORMAT for a file that was cut
 * short or, if `partial`, logs it. */
ch_status chi_video_report(const chi_video *video, int64_t frames, int partial);

/* ---- frame_input.c: frames by their position, from videos or from lists of pictures ---- */

typedef struct chi_input chi_input;

/* The files of a recording, in order. */
typedef struct chi_files {
    const char *const *path;
    int64_t count;
} chi_files;

/* Checks and lists path, then more[0 .. count). The caller frees the list by chi_free(). */
ch_status chi_files_list(ch_context *context, chi_files *files, const char *path,
                         const char *const *more, int64_t count);

/* Opens an input. silence is as in chi_video_open(). If `partial`, a file that was cut short is
 * continued by the next. The names must stay valid. The sizes of several files are compared
 * first. */
ch_status chi_input_open(ch_context *context, chi_input **input, const chi_files *files,
                         int64_t silence, int partial);
void chi_input_close(chi_input *input);
ch_status chi_input_count(chi_input *input, int64_t *count, int64_t enough);
/* Finds the frame at position `wanted`, which must not decrease. frame->native is NULL after the
 * end. Times are relative to the first frame and increase. Returns CH_STOP_CANCELLED if the
 * progress callback asks to stop; `total` is passed to it. */
ch_status chi_input_seek(chi_input *input, chi_frame *frame, int64_t wanted, int64_t total);
/* Calls chi_video_near_key() for an input of one file. */
ch_status chi_input_near_key(chi_input *input, int64_t *near, int64_t number, int64_t farthest);
chi_video *chi_input_video(const chi_input *input);
void chi_input_describe(const chi_input *input, ch_clip *clip);
/* As chi_video_promised(); 0 also for an input of several files. */
int64_t chi_input_promised(const chi_input *input);
ch_status chi_input_report(const chi_input *input, int partial);
/* Returns the name of the current frame's file, for messages. */
const char *chi_input_name(const chi_input *input);

/* ---- clip_planes.c: pictures to time series of pixels ---- */

enum { CHI_PLANES_HALVES = 3 };
typedef struct chi_planes {
    ch_context *context;
    const char *path;
    int64_t pixels; /* number of pixels of a picture */
    /* 1: luma; 4: luma, R, G, B; 3: luma, and R and B at a quarter of the pixels. */
    int count;
    int64_t capacity;            /* maximum number of frames */
    int64_t filled;              /* number of frames in the matrices */
    int64_t waiting;             /* number of frames still in the block */
    int64_t block_frames, pitch; /* shape of the block: one picture per row */
    uint8_t *block[4];
    ch_matrix plane[4]; /* pixels columns of stride capacity */
    uint8_t *values[4];
    int64_t *index;
    double *time;
} chi_planes;

/* Returns the total size of planes of this shape in bytes. */
double chi_planes_bytes(int64_t pixels, int count, int64_t capacity);
/* Call chi_planes_free() also after a failure. */
ch_status chi_planes_create(ch_context *context, chi_planes *planes, const char *path,
                            int64_t pixels, int count, int64_t capacity);
void chi_planes_free(chi_planes *planes);
/* Adds a frame, whose values are at block[plane] + waiting * pitch. filled + waiting must be less
 * than capacity. */
void chi_planes_push(chi_planes *planes, int64_t index, double time);
ch_status chi_planes_grow(chi_planes *planes, int64_t capacity);
/* Moves the matrices, frame numbers and times to the clip. */
void chi_planes_finish(chi_planes *planes, ch_clip *clip);

/* ---- clip_memory.c: checks the memory of a clip ---- */

typedef struct chi_clip_memory {
    const char *path;
    const ch_clip_settings *set;
    const ch_clip *clip; /* planned sizes and colour                                     */
    int64_t frames;      /* number of frames to be stored                                */
    int open_end;        /* whether the number is a guess, because the length is unknown */
    int64_t held;        /* bytes needed in addition while growing                       */
} chi_clip_memory;

/* Returns CH_ERR_MEMORY, with a message that says what would fit, if the clip exceeds the limit. */
ch_status chi_clip_memory_check(ch_context *context, const chi_clip_memory *room);
void chi_clip_memory_announce(ch_context *context, const chi_clip_memory *room);

/* ---- shuffle_bytes.c ---- */

/* to[c * to_stride + r] = from[r * from_stride + c] for r < rows, c < cols. */
void chi_transpose_bytes(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                         int64_t rows, int64_t cols);
/* R[j], G[j], B[j] = rgb[3 j], rgb[3 j + 1], rgb[3 j + 2] for j < count. */
void chi_split_rgb(uint8_t *R, uint8_t *G, uint8_t *B, const uint8_t *rgb, int64_t count);

/* ---- area_scale.c ---- */

/* Reduces pictures by exact area averaging: each value is the rounded mean of the area it covers.
 * width <= from_width <= CHI_AREA_WIDTH_MAX, height <= from_height. */
enum { CHI_AREA_WIDTH_MAX = UINT32_MAX / 255 };
typedef struct chi_area {
    int64_t from_width, from_height, width, height;
    int channels;
    uint64_t *total; /* one row of sums */
    uint32_t *across;
} chi_area;
ch_status chi_area_create(chi_arena *arena, chi_area *area, int64_t from_width, int64_t from_height,
                          int64_t width, int64_t height, int channels);
void chi_area_reduce(chi_area *area, uint8_t *to, const uint8_t *from);
/* Returns the height of a picture scaled to width, in proportion. */
int64_t chi_area_height(int64_t from_width, int64_t from_height, int64_t width);

/* ---- picture_cut.c: the requested part of every picture, scaled ---- */

typedef struct chi_cut {
    ch_context *context;
    const char *path;
    int64_t source_width, source_height; /* size of the pictures           */
    chi_rectangle part;                  /* the part that is used          */
    int64_t width, height;               /* size of the part after scaling */
    int reduces, colour;
    uint8_t *luma, *rgb, *small; /* luma and colours of the part as read; its scaled colours */
    chi_area area[2];            /* luma, RGB                                                */
    chi_arena arena;             /* owns the rows of `area`                                  */
} chi_cut;

/* Computes the sizes for pictures like `frame`. `wanted` of 0 x 0 means the whole picture, width 0
 * no scaling. */
ch_status chi_cut_plan(ch_context *context, chi_cut *cut, const char *path, const chi_frame *frame,
                       const chi_rectangle *wanted, int64_t width, int gray);
ch_status chi_cut_reserve(chi_cut *cut);
/* Frees the arrays. *cut may be all zero, and chi_cut_reserve() may have failed. */
void chi_cut_free(chi_cut *cut);
/* Returns CH_ERR_FORMAT if the picture has another size than the first. */
ch_status chi_cut_check(const chi_cut *cut, const chi_input *input, const chi_frame *frame,
                        int64_t position);
/* Gets luma, and R, G and B; either may be NULL. Returns CH_ERR_FORMAT for a picture of another
 * size. */
ch_status chi_cut_pixels(chi_cut *cut, uint8_t *luma, uint8_t *const rgb[3], chi_input *input,
                         const chi_frame *frame, int64_t position);

/* ---- pictures ---- */

/* Returns CH_ERR_FORMAT for sizes that no picture has. */
ch_status chi_picture_check(ch_context *context, const char *path, int64_t width, int64_t height);
ch_status chi_picture_create(ch_context *context, ch_picture *picture, const char *path,
                             int64_t width, int64_t height, int channels);

/* Returns CH_ERR_ARGUMENT for a picture that cannot be written. */
ch_status chi_picture_given(ch_context *context, const ch_picture *picture);

/* The bytes of a picture file during decoding. */
typedef struct chi_picture_bytes {
    ch_context *context;
    const char *path;
    const unsigned char *bytes;
    int64_t count, place;
} chi_picture_bytes;
/* Decodes a picture; its first bytes decide on the format. The caller frees the picture by
 * ch_picture_free(), whatever the status. */
ch_status chi_picture_decode(ch_picture *picture, chi_picture_bytes *from);
/* Returns whether the bytes, of which there is at least one, begin like a picture of a known
 * format. */
int chi_picture_known(const chi_picture_bytes *from);
int chi_is_jpeg(const chi_picture_bytes *from);
/* Each function reads one format into *picture, which must be empty. The caller frees the picture
 * by ch_picture_free(), whatever the status. */
ch_status chi_png_read(ch_picture *picture, chi_picture_bytes *from);
/* Writes the chunk pHYs for pixels of this shape. Returns 0 if none is needed. */
enum { CHI_PNG_SHAPE = 4 + 4 + 9 + 4 };
int chi_png_shape(uint8_t chunk[CHI_PNG_SHAPE], const int64_t aspect[2]);
/* Reads a JPEG. If `luma`, only its brightness as stored in the file. */
ch_status chi_jpeg_read(ch_picture *picture, const chi_picture_bytes *from, int luma);
ch_status chi_bmp_read(ch_picture *picture, chi_picture_bytes *from);
ch_status chi_pnm_read(ch_picture *picture, chi_picture_bytes *from);

/* Returns 0.299 R + 0.587 G + 0.114 B, rounded; R = G = B is unchanged. */
static inline uint8_t chi_luma(const uint8_t *rgb) {
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
}
