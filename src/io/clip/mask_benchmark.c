/* The layout of the CDnet benchmark (changedetection.net; Wang et al., CVPR workshops 2014):
 *
 *     input/in000001.jpg, ...         frames, counted from 1 or from 0
 *     groundtruth/gt000001.png, ...   masks with gray codes: 0 still, 50 shadow (background),
 *                                     85 outside the region, 170 unknown (neither counts),
 *                                     255 moving
 *     ROI.bmp                         pixels that count; may be missing
 *     temporalROI.txt                 first and last number of the frames that count; may be
 *                                     missing */
#include "io/clip/mask_layout.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OUTSIDE = 85, UNKNOWN = 170, MOVING = 255 };

static const char *const input_suffixes[] = {".jpg", ".jpeg", ".png", ".bmp", NULL};

/* Returns a path owned by the arena, or NULL without memory. */
static const char *path_in(chi_arena *arena, const char *folder, const char *name) {
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = chi_arena_alloc(arena, (int64_t)length, 1);
    if (path) snprintf(path, length, "%s/%s", folder, name);
    return path;
}

static int is_folder(const char *path) {
    struct stat about;
    return path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int is_file(const char *path) {
    struct stat about;
    return path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

ch_status chi_mask_layout_find(chi_arena *arena, chi_mask_layout *layout, const char *folder) {
    const char *inside = path_in(arena, folder, "groundtruth");
    *layout = (chi_mask_layout){
        .masks = folder, .around = path_in(arena, folder, ".."), .last = INT64_MAX};
    if (is_folder(inside)) {
        layout->masks = inside;
        layout->around = folder;
    }
    return chi_arena_status(arena, "the names of masks");
}

/* Returns the number of the first frame: that of the first picture in input/. If there is none,
 * masks that start at 0 are counted from 0, others from 1. */
static int64_t first_number(chi_arena *arena, const chi_mask_layout *layout, int64_t first_mask) {
    const char *input = path_in(arena, layout->around, "input");
    int64_t base = first_mask == 0 ? 0 : 1;
    chi_names names;
    if (!is_folder(input) ||
        chi_names_folder(arena->context, &names, input, input_suffixes) != CH_OK)
        return base;
    if (names.count > 0) {
        const char *at = strrchr(names.name[0], '/') + 1;
        while (*at && !isdigit((unsigned char)*at)) at++;
        base = *at ? strtoll(at, NULL, 10) : base;
    }
    chi_names_free(arena->context, &names);
    return base;
}

static ch_status read_stretch(chi_arena *arena, chi_mask_layout *layout) {
    const char *path = path_in(arena, layout->around, "temporalROI.txt");
    long long first = 0, last = 0;
    if (!is_file(path)) return CH_OK;
    FILE *file = fopen(path, "r");
    int found = file ? fscanf(file, "%lld %lld", &first, &last) : 0;
    if (file) fclose(file);
    if (found != 2 || first < 0 || last < first)
        return chi_fail(arena->context, CH_ERR_FORMAT,
                        "%s: the file must contain two numbers, those of the first and the last "
                        "frame to evaluate",
                        path);
    layout->first = first;
    layout->last = last;
    return CH_OK;
}

ch_status chi_mask_layout_read(chi_arena *arena, chi_mask_layout *layout, int64_t first_mask) {
    const char *region = path_in(arena, layout->around, "ROI.bmp");
    TRY(chi_arena_status(arena, "the names of masks"));
    layout->coded = 1;
    layout->base = first_number(arena, layout, first_mask);
    TRY(read_stretch(arena, layout));
    if (!is_file(region)) return CH_OK;
    return ch_picture_read(arena->context, &layout->region, region);
}

ch_status chi_mask_layout_check(const chi_mask_layout *layout, ch_context *context,
                                const ch_masks *masks) {
    const ch_picture *region = &layout->region;
    if (!region->pixels || (region->width == masks->width && region->height == masks->height))
        return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s/ROI.bmp: the picture is %lld x %lld, but the masks are %lld x %lld; they "
                    "must have the same size",
                    layout->around, (long long)region->width, (long long)region->height,
                    (long long)masks->width, (long long)masks->height);
}

void chi_mask_layout_decode(const chi_mask_layout *layout, uint8_t *foreground, uint8_t *counted,
                            const ch_picture *mask) {
    int64_t pixels = mask->width * mask->height;
    for (int64_t j = 0; j < pixels; j++) {
        uint8_t code = mask->pixels[j * mask->channels], inside = 255;
        if (layout->region.pixels) inside = layout->region.pixels[j * layout->region.channels];
        foreground[j] = code == MOVING;
        counted[j] = code != OUTSIDE && code != UNKNOWN && inside >= 128;
    }
}
