/* Reading and writing pictures, and reading folders of masks (library conehull_io). A mask marks
 * the foreground pixels of a video frame. Pictures are gray or RGB, with eight bits per value, row
 * by row from the top left. */
#ifndef CONEHULL_PICTURE_H
#define CONEHULL_PICTURE_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** A picture: 8 bits per value, rows from the top, pixels of a row from the left. */
typedef struct ch_picture {
    int64_t width, height; /**< size of the picture in pixels */
    int channels;          /**< 1: gray; 3: three adjacent bytes per pixel, R, G, B */
    uint8_t *pixels;       /**< height x width x channels bytes, without padding */
} ch_picture;

/** Reads the picture in the file `path`: PNG (any kind; palettes are converted to RGB, 16-bit
 *  values are reduced to the upper 8 bits, alpha is dropped), JPEG (gray or colour, if the build
 *  has TurboJPEG), BMP (8, 24 or 32 bits, not compressed), PBM, PGM or PPM (text or binary). Free
 *  the picture with ch_picture_free(). Returns CH_ERR_IO if the file is missing or not readable,
 *  CH_ERR_FORMAT if it is damaged or truncated, and CH_ERR_UNSUPPORTED for any other format. A
 *  damaged JPEG is used as far as it decodes, with a warning in the log. */
CH_API ch_status ch_picture_read(ch_context *context, ch_picture *picture, const char *path);
/** Frees the pixels of a picture that ch_picture_read() made and sets its members to 0. NULL is
 *  allowed. */
CH_API void ch_picture_free(ch_context *context, ch_picture *picture);

/** Writes a picture to the PNG file `path`. The file appears under its name only when it is
 *  complete. */
CH_API ch_status ch_picture_write(ch_context *context, const char *path, const ch_picture *picture);

/** Writes a picture like ch_picture_write(), but with the shape of its pixels: aspect[0] :
 *  aspect[1] is width : height of a pixel. The PNG file stores it in its pHYs chunk, which some
 *  viewers use. 0 : 0 and 1 : 1 mean square pixels; the file then has no pHYs chunk. */
CH_API ch_status ch_picture_write_shaped(ch_context *context, const char *path,
                                         const ch_picture *picture, const int64_t aspect[2]);

/** Encodes a picture as PNG in memory. *bytes receives the address of the encoded bytes and *count
 *  their number. Free the bytes with ch_picture_bytes_free(). */
CH_API ch_status ch_picture_encode_png(ch_context *context, uint8_t **bytes, size_t *count,
                                       const ch_picture *picture);
/** Encodes a picture as JPEG in memory, with quality 1 (fewest bytes) to 100 (best picture). *bytes
 *  receives the address of the encoded bytes and *count their number. Free the bytes with
 *  ch_picture_bytes_free(). Returns CH_ERR_UNSUPPORTED in a build with neither libav nor
 *  TurboJPEG. */
CH_API ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                        const ch_picture *picture, int quality);
/** Frees the bytes of an encoded picture. NULL is allowed. */
CH_API void ch_picture_bytes_free(ch_context *context, uint8_t *bytes);

/** Known masks of some frames of a clip, with which computed masks are compared. All masks have the
 *  same size. ch_masks_free() frees the arrays. */
typedef struct ch_masks {
    size_t size;           /**< sizeof(ch_masks); the caller sets it */
    int64_t count;         /**< number of masks */
    int64_t width, height; /**< size of each mask, in pixels */
    /** For each mask, the number of its frame in the input file, counted from 0. Frames that the
     *  clip skipped are counted too. The numbers increase. */
    int64_t *frame;
    /** The masks one after the other, width * height bytes each, row by row: 1 (foreground) where
     *  the value in the file is at least 128, else 0. */
    uint8_t *foreground;
    /** Which pixels of each mask count in scores, in the same arrangement as `foreground`: 1 if the
     *  pixel counts, else 0. NULL: all pixels count. */
    uint8_t *counted;
} ch_masks;

/** Reads the masks in a folder: files NNN.png or NNN.pgm, where NNN is the number of the frame in
 *  the input file, counted from 0, with or without leading zeros. Other files are ignored; pictures
 *  whose names are not numbers are skipped with a warning in the log. Colour masks are converted to
 *  gray.
 *
 *  A folder in the layout of the CDnet benchmark can be given by its own name or by the name of its
 *  sub-folder groundtruth/. There the masks are files such as gt000001.png, numbered like the
 *  pictures in input/, with these gray values: 255 is foreground, 50 is shadow and counts as
 *  background, and pixels of 85 or 170 are not counted in scores. Pixels whose value in ROI.bmp is
 *  below 128 are not counted either, and masks of frames outside the range in temporalROI.txt are
 *  skipped.
 *
 *  The caller sets masks->size and later calls ch_masks_free(). Returns CH_ERR_IO if there is no
 *  such folder, CH_ERR_FORMAT if the folder has no mask, a damaged mask, two masks for one frame or
 *  masks of different sizes, and CH_STOP_CANCELLED without masks if the progress callback (phase
 *  "masks") cancels. */
CH_API ch_status ch_masks_read(ch_context *context, ch_masks *masks, const char *folder);
/** Frees the arrays of masks. NULL is allowed. */
CH_API void ch_masks_free(ch_context *context, ch_masks *masks);

CH_END_DECLS
#endif
