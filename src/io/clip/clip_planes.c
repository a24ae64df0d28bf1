/* Converts pictures to time series of pixels. A block of frames is collected picture by picture,
 * then transposed into matrices of frames x pixels whose columns are contiguous. So the memory is
 * that of the matrices and one block, whatever the length of the clip. */
#include "io/clip/frames.h"
#include <string.h>
#include <sys/mman.h>

/* A block takes about 16 MB. More frames at once would not be faster; fewer than 16 waste the tiles
 * of the transposition. */
enum { BLOCK_BYTES = 1 << 24, BLOCK_LEAST = 16, BLOCK_MOST = 64, LINE = 64 };

static int64_t frames_of_block(int64_t pixels, int64_t capacity) {
    int64_t frames = BLOCK_BYTES / pixels / BLOCK_LEAST * BLOCK_LEAST;
    if (frames < BLOCK_LEAST) frames = BLOCK_LEAST;
    if (frames > BLOCK_MOST) frames = BLOCK_MOST;
    return frames < capacity ? frames : capacity;
}

/* Returns an odd number of cache lines, so that the same pixel of many frames spreads over the
 * cache. */
static int64_t pitch_of_block(int64_t pixels) {
    return ((pixels + LINE - 1) / LINE | 1) * LINE;
}

double chi_planes_bytes(int64_t pixels, int count, int64_t capacity) {
    double block = (double)pitch_of_block(pixels) * (double)frames_of_block(pixels, capacity);
    double whole = count == CHI_PLANES_HALVES ? 1.5 : count;
    return whole * ((double)pixels * (double)capacity + block) + 16.0 * (double)capacity;
}

/* Returns the number of pixels of plane p. */
static int64_t pixels_of(const chi_planes *planes, int64_t p) {
    return planes->count == CHI_PLANES_HALVES && p > 0 ? planes->pixels / 4 : planes->pixels;
}

static ch_status enlarge_lists(chi_planes *planes, int64_t capacity) {
    TRY(chi_array_enlarge(planes->context, &planes->index, planes->filled, capacity,
                          sizeof *planes->index, planes->path, "frame numbers"));
    return chi_array_enlarge(planes->context, &planes->time, planes->filled, capacity,
                             sizeof *planes->time, planes->path, "time stamps");
}

/* Requests large pages, if the system has them. The planes are accessed page after page, a few
 * bytes at a time, by the transposition and by every later pass. This is only advice. */
static void advise_large_pages(void *values, int64_t bytes) {
    enum { PAGE = 4096 };
    uintptr_t first = ((uintptr_t)values + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)values + (uintptr_t)bytes) / PAGE * PAGE;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
}

static ch_status create_plane(chi_planes *planes, int p) {
    void *values;
    TRY(chi_dense_create(planes->context, &planes->plane[p], &values, planes->path,
                         planes->capacity, pixels_of(planes, p), CH_COLUMN_MAJOR, CH_U8));
    advise_large_pages(values, planes->capacity * pixels_of(planes, p));
    planes->values[p] = values;
    planes->block[p] = chi_take(planes->context, planes->path, "a block of frames",
                                planes->pitch * planes->block_frames, 1);
    return planes->block[p] ? CH_OK : CH_ERR_MEMORY;
}

ch_status chi_planes_create(ch_context *context, chi_planes *planes, const char *path,
                            int64_t pixels, int count, int64_t capacity) {
    *planes = (chi_planes){.context = context,
                           .path = path,
                           .pixels = pixels,
                           .count = count,
                           .capacity = capacity,
                           .block_frames = frames_of_block(pixels, capacity),
                           .pitch = pitch_of_block(pixels)};
    TRY(enlarge_lists(planes, capacity));
    for (int p = 0; p < count; p++) TRY(create_plane(planes, p));
    return CH_OK;
}

void chi_planes_free(chi_planes *planes) {
    for (int p = 0; p < planes->count; p++) {
        ch_matrix_free(planes->context, &planes->plane[p]);
        chi_free(planes->context, planes->block[p]);
        planes->block[p] = NULL;
    }
    chi_free(planes->context, planes->index);
    chi_free(planes->context, planes->time);
    planes->index = NULL;
    planes->time = NULL;
    planes->count = 0;
}

/* Pixels that a thread transposes at a time. */
enum { STRIP = 4096 };

static void transpose_strip(void *user, int64_t strip, int thread) {
    const chi_planes *planes = user;
    int64_t strips = (planes->pixels + STRIP - 1) / STRIP;
    int64_t first = strip % strips * STRIP, p = strip / strips;
    int64_t left = pixels_of(planes, p) - first, count = left < STRIP ? left : STRIP;
    (void)thread;
    if (count <= 0) return;
    chi_transpose_bytes(planes->values[p] + first * planes->capacity + planes->filled,
                        planes->capacity, planes->block[p] + first, planes->pitch, planes->waiting,
                        count);
}

static void empty_block(chi_planes *planes) {
    int64_t strips = (planes->pixels + STRIP - 1) / STRIP;
    if (!planes->waiting) return;
    chi_parallel(planes->context, strips * planes->count, transpose_strip, planes);
    planes->filled += planes->waiting;
    planes->waiting = 0;
}

void chi_planes_push(chi_planes *planes, int64_t index, double time) {
    int64_t frame = planes->filled + planes->waiting++;
    planes->index[frame] = index;
    planes->time[frame] = time;
    if (planes->waiting == planes->block_frames) empty_block(planes);
}

static ch_status grow_plane(chi_planes *planes, int p, int64_t capacity) {
    ch_matrix larger;
    void *values;
    TRY(chi_dense_create(planes->context, &larger, &values, planes->path, capacity,
                         pixels_of(planes, p), CH_COLUMN_MAJOR, CH_U8));
    for (int64_t j = 0; j < pixels_of(planes, p); j++)
        memcpy((uint8_t *)values + j * capacity, planes->values[p] + j * planes->plane[p].stride,
               (size_t)planes->filled);
    ch_matrix_free(planes->context, &planes->plane[p]);
    planes->plane[p] = larger;
    planes->values[p] = values;
    return CH_OK;
}

/* After a failure some planes have the new stride and others the old one, so they can only be
 * freed. */
ch_status chi_planes_grow(chi_planes *planes, int64_t capacity) {
    empty_block(planes);
    for (int p = 0; p < planes->count; p++) TRY(grow_plane(planes, p, capacity));
    planes->capacity = capacity;
    return enlarge_lists(planes, capacity);
}

void chi_planes_finish(chi_planes *planes, ch_clip *clip) {
    empty_block(planes);
    for (int p = 0; p < planes->count; p++) {
        planes->plane[p].rows = planes->filled;
        *(p ? &clip->channel[p - 1] : &clip->luma) = planes->plane[p];
        planes->plane[p] = (ch_matrix){.owner = NULL};
    }
    clip->frames = planes->filled;
    clip->colour = planes->count > 1;
    clip->halves = planes->count == CHI_PLANES_HALVES;
    clip->index = planes->index;
    clip->time = planes->time;
    planes->index = NULL;
    planes->time = NULL;
}
