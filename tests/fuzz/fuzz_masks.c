/* Pictures: PNG and PNM files of any contents, as one picture and as a folder of masks of frames.
 * Checksums of PNG chunks are mended, so that the contents are reached. Whatever the files hold,
 * reading ends with a status and a message, takes memory in proportion and gives all of it back. */
#include "fuzz.h"
#include <conehull/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

fuzz_target fuzz_picture, fuzz_masks;

/* Every chunk of a PNG: length, kind, contents, checksum of kind and contents. */
static void mend(uint8_t *bytes, size_t count) {
    if (count < 8 || memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) return;
    for (size_t at = 8; at + 12 <= count;) {
        size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                        (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length > count - at - 12) return;
        uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4);
        for (int b = 0; b < 4; b++)
            bytes[at + 8 + length + (size_t)b] = (uint8_t)(sum >> (24 - 8 * b));
        at += 12 + length;
    }
}

static void write_mended(const char *path, const uint8_t *bytes, size_t count, int mended) {
    uint8_t *copy = malloc(count + 1);
    fuzz_require(copy, "no memory");
    if (count) memcpy(copy, bytes, count);
    if (mended) mend(copy, count);
    fuzz_write(path, copy, count);
    free(copy);
}

int fuzz_picture(const uint8_t *bytes, size_t count) {
    fuzz_run run;
    ch_picture picture = {.width = -7};
    if (count < 1) return 0;
    const char *path = fuzz_path(bytes[0] & 2 ? ".pgm" : ".png");
    write_mended(path, bytes + 1, count - 1, !(bytes[0] & 1));
    fuzz_begin(&run, count);
    ch_status status = ch_picture_read(run.context, &picture, path);
    fuzz_require(status <= 0, "stopped although nobody asked it to");
    if (status == CH_OK) {
        unsigned sum = 0;
        fuzz_require(picture.channels == 1 || picture.channels == 3, "%d channels",
                     picture.channels);
        for (int64_t p = 0; p < picture.width * picture.height * picture.channels; p++)
            sum += picture.pixels[p];
        fuzz_require(sum < 4294967295u, "%u", sum);
        ch_picture_free(run.context, &picture);
    } else {
        fuzz_require(picture.width == -7, "the output was changed");
    }
    fuzz_end(&run, status);
    unlink(path);
    return 0;
}

static ch_status read_masks(ch_context *context, const char *folder) {
    ch_masks masks = {.size = sizeof masks};
    ch_status status = ch_masks_read(context, &masks, folder);
    fuzz_require(status <= 0, "stopped although nobody asked it to");
    if (status < 0) return status;
    for (int64_t j = 0; j < masks.count * masks.width * masks.height; j++)
        fuzz_require(masks.foreground[j] <= 1, "a mask of %d", masks.foreground[j]);
    for (int64_t k = 1; k < masks.count; k++)
        fuzz_require(masks.frame[k] > masks.frame[k - 1], "frames do not rise");
    ch_masks_free(context, &masks);
    return status;
}

/* The first byte says where the rest is cut in two: the masks of two frames; 255: one alone. */
int fuzz_masks(const uint8_t *bytes, size_t count) {
    fuzz_run run;
    char folder[128], path[2][160];
    if (count < 1) return 0;
    size_t first = (count - 1) * bytes[0] / 255;
    snprintf(folder, sizeof folder, "%s", fuzz_path("-masks"));
    mkdir(folder, 0777);
    for (int k = 0; k < 2; k++) {
        snprintf(path[k], sizeof path[k], "%s/%d.%s", folder, k, bytes[0] & 1 ? "png" : "pgm");
        write_mended(path[k], k ? bytes + 1 + first : bytes + 1, k ? count - 1 - first : first, 1);
    }
    if (bytes[0] == 255) unlink(path[1]);
    fuzz_begin(&run, count);
    fuzz_end(&run, read_masks(run.context, folder));
    for (int k = 0; k < 2; k++) unlink(path[k]);
    rmdir(folder);
    return 0;
}
