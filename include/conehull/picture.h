/* Pictures: PNG, JPEG, PGM and PPM files, PNG and JPEG in memory, and folders of masks (library
 * conehull_io). Eight bits a value, gray or RGB, row by row from the top left. */
#ifndef CONEHULL_PICTURE_H
#define CONEHULL_PICTURE_H

#include <conehull/context.h>

CH_BEGIN_DECLS

typedef struct ch_picture {
    int64_t width, height;
    int channels;    /**< 1: gray, 3: R G B side by side                                     */
    uint8_t *pixels; /**< height x width x channels, no padding                              */
} ch_picture;

/** Reads a PNG (any kind; palettes are resolved, 16 bits are reduced to the upper 8, alpha is
 *  dropped), JPEG (gray or colour, where the build has TurboJPEG), BMP (8, 24 or 32 bits, not
 *  compressed), PBM, PGM or PPM (text or binary). Free it with ch_picture_free(). CH_ERR_IO:
 *  missing or not permitted; CH_ERR_FORMAT: damaged or truncated (a JPEG is used as far as it
 *  decodes, with a warning in the log); CH_ERR_UNSUPPORTED: another format. */
CH_API ch_status ch_picture_read(ch_context *context, ch_picture *picture, const char *path);
/** For pictures made by this library only. */
CH_API void ch_picture_free(ch_context *context, ch_picture *picture);

/** Writes a PNG; it appears under its name when it is complete. */
CH_API ch_status ch_picture_write(ch_context *context, const char *path, const ch_picture *picture);

/** The same with the shape of the pixels, width : height, in the pHYs chunk, which some viewers
 *  respect. 0 : 0 and 1 : 1 write no such chunk. */
CH_API ch_status ch_picture_write_shaped(ch_context *context, const char *path,
                                         const ch_picture *picture, const int64_t aspect[2]);

/** The bytes of a PNG file; free them with ch_picture_bytes_free(). */
CH_API ch_status ch_picture_encode_png(ch_context *context, uint8_t **bytes, size_t *count,
                                       const ch_picture *picture);
/** The bytes of a JPEG file, quality 1 (small) to 100. CH_ERR_UNSUPPORTED in a build with
 *  neither libav nor TurboJPEG. */
CH_API ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                        const ch_picture *picture, int quality);
CH_API void ch_picture_bytes_free(ch_context *context, uint8_t *bytes);

/** Masks of a clip's frames, all of one size. */
typedef struct ch_masks {
    size_t size; /**< sizeof(ch_masks); the caller sets it */
    int64_t count, width, height;
    int64_t *frame;      /**< count: index of the frame in the input, increasing             */
    uint8_t *foreground; /**< count x (width * height): 1 where the file's value is >= 128   */
    uint8_t *counted;    /**< the same size: 1 where a pixel counts; NULL: everywhere        */
} ch_masks;

/** Reads the masks of a folder: files NNN.png or NNN.pgm, NNN being the index of the frame in the
 *  input, from 0, leading zeros allowed. Other files are ignored; pictures whose names are not
 *  numbers are skipped with a warning in the log. Colour masks are converted to luma.
 *  A folder in the layout of the CDnet benchmark can be given by its own name or that of its
 *  groundtruth/: gt000001.png, numbered as the pictures of input/ are, with gray codes (255 is
 *  foreground, 50 is shadow and counts as background, 85 and 170 are not counted). Pixels outside
 *  ROI.bmp are not counted, and masks of frames outside temporalROI.txt are skipped.
 *  If the progress callback (phase "masks") cancels, returns CH_STOP_CANCELLED and no masks.
 *  CH_ERR_IO: no such folder; CH_ERR_FORMAT: no mask in it, a damaged one, two for one frame, two
 *  sizes. */
CH_API ch_status ch_masks_read(ch_context *context, ch_masks *masks, const char *folder);
CH_API void ch_masks_free(ch_context *context, ch_masks *masks);

CH_END_DECLS
#endif
