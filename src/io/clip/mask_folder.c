/* Masks of frames: a folder of pictures named by the index of their frame in the input. */
#include "base/sized.h"
#include "io/clip/mask_layout.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const mask_suffixes[] = {".png", ".pgm", ".pbm", ".ppm", ".pnm", NULL};

/* Returns the frame of a mask by its name: 349 for "dir/000349.png" or "dir/gt000349.png", as in
 * benchmarks; -1 if the name is not a number. */
static int64_t frame_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, "gt", 2) == 0) name += 2;
    char *end;
    errno = 0;
    long long frame = isdigit((unsigned char)*name) ? strtoll(name, &end, 10) : -1;
    if (frame < 0 || errno || *end != '.' || strchr(end + 1, '.')) return -1;
    return frame;
}

static int is_coded(const char *path) {
    return strncmp(strrchr(path, '/') + 1, "gt", 2) == 0 && frame_of(path) >= 0;
}

/* Returns whether the names are those of a benchmark: coded ones, and no other numbers. */
static int all_coded(const chi_names *names) {
    int64_t coded = 0, numbered = 0;
    for (int64_t i = 0; i < names->count; i++) {
        coded += is_coded(names->name[i]);
        numbered += frame_of(names->name[i]) >= 0;
    }
    return coded > 0 && coded == numbered;
}

/* Keeps the numbered files, in order, and logs the others. */
static void keep_numbered(ch_context *context, chi_names *names, const char *folder, int coded) {
    int64_t kept = 0, left_out = 0;
    for (int64_t i = 0; i < names->count; i++) {
        char *name = names->name[i];
        if (frame_of(name) >= 0 && is_coded(name) == coded) {
            names->name[kept++] = name;
            continue;
        }
        if (left_out++ == 0)
            chi_log(context, CH_LOG_WARNING,
                    "%s: this picture is ignored, because the name of a mask must be the number of "
                    "its frame, as in 000349.png",
                    name);
        chi_free(context, name);
    }
    if (left_out > 1)
        chi_log(context, CH_LOG_WARNING,
                "%s: %lld pictures of this folder were ignored because of their names", folder,
                (long long)left_out);
    names->count = kept;
}

static ch_status check_names(ch_context *context, const chi_names *names, const char *folder) {
    if (!names->count)
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: the folder contains no masks; a mask is a PNG or PGM file whose name is the "
            "number of its frame in the input, counted from 0, such as 000349.png",
            folder);
    for (int64_t i = 1; i < names->count; i++)
        if (frame_of(names->name[i]) == frame_of(names->name[i - 1]))
            return chi_fail(context, CH_ERR_FORMAT, "%s and %s are masks of the same frame",
                            names->name[i - 1], names->name[i]);
    return CH_OK;
}

/* Reserves memory for one more mask, at most `most`. It grows with the data read, because the first
 * picture may be large and the other files empty. */
static ch_status reserve_mask(ch_context *context, ch_masks *masks, int64_t *capacity, int64_t most,
                              const char *path, int coded) {
    if (masks->count < *capacity) return CH_OK;
    int64_t pixels = masks->width * masks->height, larger = *capacity ? 2 * *capacity : 1;
    if (larger > most) larger = most;
    TRY(chi_array_enlarge(context, &masks->foreground, masks->count, larger, (size_t)pixels, path,
                          "masks"));
    if (coded)
        TRY(chi_array_enlarge(context, &masks->counted, masks->count, larger, (size_t)pixels, path,
                              "masks"));
    *capacity = larger;
    return CH_OK;
}

/* Checks the size of a picture; the first one determines it. */
static ch_status check_size(ch_context *context, ch_masks *masks, const ch_picture *picture,
                            const char *path) {
    if (!masks->count) {
        masks->width = picture->width;
        masks->height = picture->height;
    }
    if (picture->width == masks->width && picture->height == masks->height) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: this mask is %lld x %lld, but the masks before it are %lld x %lld; all "
                    "masks must have the same size",
                    path, (long long)picture->width, (long long)picture->height,
                    (long long)masks->width, (long long)masks->height);
}

typedef struct reading {
    ch_context *context;
    ch_masks *masks;
    const chi_mask_layout *layout;
    int64_t capacity, most;
} reading;

static void decode(const reading *to, const ch_picture *picture) {
    int64_t pixels = picture->width * picture->height, at = to->masks->count * pixels;
    uint8_t *foreground = to->masks->foreground + at;
    const uint8_t *from = picture->pixels;
    if (to->layout->coded) {
        chi_mask_layout_decode(to->layout, foreground, to->masks->counted + at, picture);
        return;
    }
    for (int64_t j = 0; j < pixels; j++)
        foreground[j] = (picture->channels == 1 ? from[j] : chi_luma(from + 3 * j)) >= 128;
}

static ch_status add_mask(reading *to, const char *path) {
    ch_picture picture;
    ch_masks *masks = to->masks;
    int64_t number = frame_of(path);
    if (number < to->layout->first || number > to->layout->last || number < to->layout->base)
        return CH_OK;
    TRY_OK(ch_picture_read(to->context, &picture, path));
    ch_status status = check_size(to->context, masks, &picture, path);
    if (status == CH_OK) status = chi_mask_layout_check(to->layout, to->context, masks);
    if (status == CH_OK)
        status = reserve_mask(to->context, masks, &to->capacity, to->most, path, to->layout->coded);
    if (status == CH_OK) {
        decode(to, &picture);
        masks->frame[masks->count++] = number - to->layout->base;
    }
    ch_picture_free(to->context, &picture);
    return status;
}

static ch_status read_all(ch_context *context, ch_masks *masks, const chi_names *names,
                          const chi_mask_layout *layout) {
    reading to = {context, masks, layout, 0, names->count};
    masks->frame = chi_alloc(context, names->count, sizeof *masks->frame);
    if (!masks->frame) return chi_no_memory(context, "numbers of masks", names->count, 8);
    for (int64_t i = 0; i < names->count; i++) {
        if (chi_notify(context, "masks", i, names->count, -1, 0)) return CH_STOP_CANCELLED;
        TRY(add_mask(&to, names->name[i]));
    }
    if (masks->count > 0) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: temporalROI.txt says that frames %lld to %lld are evaluated, but the "
                    "folder has no mask of any of them",
                    layout->masks, (long long)layout->first, (long long)layout->last);
}

static int by_frame(const void *left, const void *right) {
    int64_t a = frame_of(*(char *const *)left), b = frame_of(*(char *const *)right);
    return (a > b) - (a < b);
}

static ch_status read_folder(chi_arena *arena, ch_masks *made, chi_mask_layout *layout) {
    ch_context *context = arena->context;
    chi_names names;
    TRY(chi_names_folder(context, &names, layout->masks, mask_suffixes));
    int coded = all_coded(&names);
    keep_numbered(context, &names, layout->masks, coded);
    if (names.count) qsort(names.name, (size_t)names.count, sizeof *names.name, by_frame);
    ch_status status = check_names(context, &names, layout->masks);
    if (status == CH_OK && coded)
        status = chi_mask_layout_read(arena, layout, frame_of(names.name[0]));
    if (status == CH_OK) status = read_all(context, made, &names, layout);
    chi_names_free(context, &names);
    return status;
}

ch_status ch_masks_read(ch_context *context, ch_masks *masks, const char *folder) {
    ch_masks made = {.size = sizeof made};
    chi_mask_layout layout;
    if (!context || !masks) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, folder, "a folder"));
    TRY(chi_sized_check(context, masks, "ch_masks"));
    chi_arena arena = {.context = context};
    ch_status status = chi_mask_layout_find(&arena, &layout, folder);
    if (status == CH_OK) status = read_folder(&arena, &made, &layout);
    ch_picture_free(context, &layout.region);
    chi_arena_free(&arena);
    if (status != CH_OK) ch_masks_free(context, &made);
    if (status == CH_OK || status == CH_STOP_CANCELLED) chi_result_give(masks, &made, sizeof made);
    return status;
}

void ch_masks_free(ch_context *context, ch_masks *masks) {
    if (!context || !masks) return;
    chi_free(context, masks->frame);
    chi_free(context, masks->foreground);
    chi_free(context, masks->counted);
    chi_result_clear(masks);
}
