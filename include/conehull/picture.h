/* Reading and writing pictures and folders of masks (library conehull_io). Pictures are gray or
 * RGB, with eight bits per value, row by row from the top left. */
#ifndef CONEHULL_PICTURE_H
#define CONEHULL_PICTURE_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** A picture: 8 bits per value, rows from the top, pixels of a row from the left. */
typedef struct ch_picture {
    int64_t width, height; /**< size of the picture in pixels */
    int channels;          /**< 1: gray; 3: R, G, B side by side */
    uint8_t *pixels;       /**< height x width x channels bytes, without padding */
} ch_picture;

/** Reads a picture: PNG (any kind; palettes are resolved, 16 bits are reduced to the upper 8, alpha
 *  is dropped), JPEG (gray or colour, if the build has TurboJPEG), BMP (8, 24 or 32 bits, not
 *  compressed), PBM, PGM or PPM (text or binary). Free it with ch_picture_free(). Returns CH_ERR_IO
 *  if the file is missing or not readable, CH_ERR_FORMAT if it is damaged or truncated (but a JPEG
 *  is used as far as it decodes, with a warning in the log), and CH_ERR_UNSUPPORTED for another
 *  format. */
CH_API ch_status ch_picture_read(ch_context *context, ch_picture *picture, const char *path);
/** Frees the pixels of a picture that ch_picture_read() made. */
CH_API void ch_picture_free(ch_context *context, ch_picture *picture);

/** Writes a picture as a PNG file, which appears under its name when it is complete. */
CH_API ch_status ch_picture_write(ch_context *context, const char *path, const ch_picture *picture);

/** Like ch_picture_write(), for pixels that are not square: aspect is width : height of a pixel and
 *  is stored in the pHYs chunk, which some viewers use. 0 : 0 and 1 : 1 write no such chunk. */
CH_API ch_status ch_picture_write_shaped(ch_context *context, const char *path,
                                         const ch_picture *picture, const int64_t aspect[2]);

/** Encodes a picture as PNG in memory. *bytes receives the contents of the file, and *count their
 *  number. Free them with ch_picture_bytes_free(). */
CH_API ch_status ch_picture_encode_png(ch_context *context, uint8_t **bytes, size_t *count,
                                       const ch_picture *picture);
/** Encodes a picture as JPEG in memory, with quality 1 (smallest file) to 100 (best picture).
 *  *bytes receives the contents of the file, and *count their number. Free them with
 *  ch_picture_bytes_free(). Returns CH_ERR_UNSUPPORTED in a build with neither libav nor
 *  TurboJPEG. */
CH_API ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                        const ch_picture *picture, int quality);
/** Frees the bytes of an encoded picture. NULL is allowed. */
CH_API void ch_picture_bytes_free(ch_context *context, uint8_t *bytes);

/** Known masks of some frames of a clip, all of one size. */
typedef struct ch_masks {
    size_t size;           /**< sizeof(ch_masks); the caller sets it */
    int64_t count;         /**< number of masks */
    int64_t width, height; /**< size of each mask, in pixels */
    /** For each mask, the index of its frame in the input of the clip, from 0; indices increase. */
    int64_t *frame;
    /** The masks, count x (width * height) bytes: 1 where the value in the file is at least 128,
     *  else 0. */
    uint8_t *foreground;
    /** Which pixels count in scores, count x (width * height) bytes: 1 if the pixel counts, else 0.
     *  NULL: all pixels count. */
    uint8_t *counted;
} ch_masks;

/** Reads the masks of a folder: files NNN.png or NNN.pgm, where NNN is the index of the frame in
 *  the input, from 0, with or without leading zeros. Other files are ignored; pictures whose names
 *  are not numbers are skipped with a warning in the log. Colour masks are converted to gray.
 *
 *  A folder in the layout of the CDnet benchmark can be given by its own name or by that of its
 *  groundtruth/: files gt000001.png, numbered like the pictures of input/, with gray codes (255 is
 *  foreground, 50 is shadow and counts as background, 85 and 170 are not counted). Pixels outside
 *  ROI.bmp are not counted, and masks of frames outside temporalROI.txt are skipped.
 *
 *  Free the masks with ch_masks_free(). Returns CH_ERR_IO if there is no such folder, CH_ERR_FORMAT
 *  if it has no mask, a damaged one, two for one frame or masks of different sizes, and
 *  CH_STOP_CANCELLED without masks if the progress callback (phase "masks") cancels. */
CH_API ch_status ch_masks_read(ch_context *context, ch_masks *masks, const char *folder);
/** Frees masks. NULL is allowed. */
CH_API void ch_masks_free(ch_context *context, ch_masks *masks);

CH_END_DECLS
#endif
