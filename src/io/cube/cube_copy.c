/* Copies cubes whose order or type no view supports. Groups of pixels are read, converted and
 * transposed, and written column after column to memory or to a scratch file. One pass over the
 * file. */
#include "io/cube/cube_source.h"
#include "linalg/linalg.h"
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { WORTH_A_WORD = 64 << 20 }; /* copies of this many bytes are logged */
/* Bytes read at a time: enough for the disk, small compared with any limit. */
enum { BLOCK = 32 << 20 };

typedef struct copying {
    ch_context *context;
    chi_cube_source *source;
    const ch_cube_part *part;
    unsigned char *raw; /* groups [lo, hi) as stored in the file */
    /* One group per thread in the type of X: band after band, or for BIP pixel after pixel. */
    char *typed;
    char *columns; /* the converted columns */
    int64_t lo, hi;
    int64_t first;      /* number of the first column of group lo */
    ch_value_type type; /* type of X                              */
    int rounded;        /* only ever set, so threads may share it */
} copying;

ch_status chi_cube_fetch_file(ch_context *context, chi_cube_source *source, void *raw, int64_t lo,
                              int64_t hi) {
    int64_t size = source->element.size, bands = source->cube.bands;
    int64_t group = source->inner * size, count = (hi - lo) * group;
    if (source->cube.interleave != CH_BSQ)
        return chi_get(context, source->path, source->fd, raw, count * bands,
                       source->offset + lo * group * bands);
    for (int64_t b = 0; b < bands; b++)
        TRY(chi_get(context, source->path, source->fd, (char *)raw + b * count, count,
                    source->offset + (b * source->outer + lo) * group));
    return CH_OK;
}

/* Announces that groups [lo, hi) are read next, so that the system reads them while earlier ones
 * are transposed. A refusal only costs time. */
static void announce_groups(const chi_cube_source *source, int64_t lo, int64_t hi) {
    int64_t group = source->inner * source->element.size, bands = source->cube.bands;
    int64_t parts = source->cube.interleave == CH_BSQ ? bands : 1;
    int64_t length = (hi - lo) * group * (bands / parts);
    for (int64_t b = 0; source->mappable && lo < hi && b < parts; b++)
        posix_fadvise(source->fd,
                      source->offset + (parts == 1 ? lo * bands : b * source->outer + lo) * group,
                      length, POSIX_FADV_WILLNEED);
}

/* ---- one group ---- */

/* Finds the listed pixels of a group, [*from, *to) of the list; all pixels if there is no list. */
static void pixels_of(const copying *c, int64_t group, int64_t *from, int64_t *to) {
    int64_t bound[2] = {group * c->source->inner, (group + 1) * c->source->inner};
    int64_t found[2] = {bound[0], bound[1]};
    for (int side = 0; side < 2 && c->part->pixels; side++) {
        int64_t low = 0, high = c->part->pixel_count;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (c->part->pixels[middle] < bound[side])
                low = middle + 1;
            else
                high = middle;
        }
        found[side] = low;
    }
    *from = found[0];
    *to = found[1];
}

/* Converts a group to the type of X, in the order of the file. */
static void convert_group(copying *c, char *typed, int64_t group) {
    const chi_cube_source *source = c->source;
    int64_t bands = source->cube.bands, inner = source->inner, size = source->element.size;
    int64_t value = (int64_t)ch_value_type_size(c->type), at = group - c->lo;
    int rounded = 0;
    if (source->cube.interleave != CH_BSQ)
        rounded = chi_element_convert(typed, c->type, c->raw + at * bands * inner * size,
                                      bands * inner, source->element);
    else
        for (int64_t b = 0; b < bands; b++)
            rounded |= chi_element_convert(typed + b * inner * value, c->type,
                                           c->raw + (b * (c->hi - c->lo) + at) * inner * size,
                                           inner, source->element);
    if (rounded) __atomic_store_n(&c->rounded, 1, __ATOMIC_RELAXED);
}

/* Copies the chosen values to `to` (band_count x (to - from), column-major), in tiles, so that
 * cache lines of both sides are fully used. */
#define TURN(T)                                                                                    \
    const T *values = (const T *)typed;                                                            \
    T *out = (T *)column;                                                                          \
    for (int64_t i0 = from; i0 < to; i0 += TILE)                                                   \
        for (int64_t b0 = 0; b0 < count; b0 += TILE)                                               \
            for (int64_t i = i0; i < to && i < i0 + TILE; i++)                                     \
                for (int64_t b = b0; b < count && b < b0 + TILE; b++) {                            \
                    int64_t pixel = (pixels ? pixels[i] : i) - start, band = bands ? bands[b] : b; \
                    out[(i - from) * count + b] = values[pixel * by_pixel + band * by_band];       \
                }

static void turn_group(const copying *c, char *column, const char *typed, int64_t group) {
    enum { TILE = 32 };
    const ch_cube *cube = &c->source->cube;
    const int64_t *bands = c->part->bands, *pixels = c->part->pixels;
    int64_t count = c->part->band_count, start = group * c->source->inner, from, to;
    int64_t by_pixel = cube->interleave == CH_BIP ? cube->bands : 1;
    int64_t by_band = cube->interleave == CH_BIP ? 1 : c->source->inner;
    pixels_of(c, group, &from, &to);
    CHI_BY_TYPE(c->type, TURN)
}

void chi_cube_mark(void *values, ch_value_type type, int64_t count, double mark) {
    double *wide = values;
    float narrow_mark = (float)mark, *narrow = values;
    for (int64_t k = 0; type == CH_F64 && k < count; k++)
        if (wide[k] == mark) wide[k] = NAN;
    for (int64_t k = 0; type == CH_F32 && k < count; k++)
        if (narrow[k] == narrow_mark) narrow[k] = NAN;
}

static void take_group(void *user, int64_t k, int thread) {
    copying *c = user;
    const chi_cube_source *source = c->source;
    int64_t size = (int64_t)ch_value_type_size(c->type), group = c->lo + k, from, to;
    char *typed = c->typed + (size_t)thread * (size_t)(source->inner * source->cube.bands * size);
    pixels_of(c, group, &from, &to);
    if (from == to) return;
    convert_group(c, typed, group);
    char *columns = c->columns + (from - c->first) * c->part->band_count * size;
    turn_group(c, columns, typed, group);
    if (chi_cube_marks(source, c->part))
        chi_cube_mark(columns, c->type, (to - from) * c->part->band_count, source->cube.no_data);
}

/* ---- all of them ---- */

static int64_t groups_at_once(const chi_cube_source *source) {
    int64_t group = source->inner * source->cube.bands * source->element.size;
    int64_t groups = BLOCK / group + 1;
    return groups < source->outer ? groups : source->outer;
}

/* Copies all groups. X exists already in memory (fd < 0), or will be mapped from the scratch
 * file. */
static ch_status copy_groups(copying *c, char *values, int fd) {
    const chi_cube_source *source = c->source;
    int64_t step = groups_at_once(source), end;
    int64_t column = c->part->band_count * (int64_t)ch_value_type_size(c->type);
    for (c->lo = 0; c->lo < source->outer; c->lo = c->hi) {
        c->hi = c->lo + step < source->outer ? c->lo + step : source->outer;
        pixels_of(c, c->lo, &c->first, &end);
        int64_t last;
        pixels_of(c, c->hi - 1, &end, &last);
        if (chi_notify(c->context, "read", c->lo, source->outer, -1, 0)) return CH_STOP_CANCELLED;
        if (c->first == last) continue;
        if (fd < 0) c->columns = values + c->first * column;
        TRY_OK(source->fetch(c->context, c->source, c->raw, c->lo, c->hi));
        announce_groups(source, c->hi, c->hi + step < source->outer ? c->hi + step : source->outer);
        chi_parallel(c->context, c->hi - c->lo, take_group, c);
        if (fd >= 0)
            TRY(chi_scratch_write(c->context, fd, c->columns, (size_t)((last - c->first) * column),
                                  c->first * column, c->part->scratch));
    }
    return CH_OK;
}

static ch_status take_workspace(copying *c, int through_file) {
    const chi_cube_source *source = c->source;
    int64_t group = source->inner * source->cube.bands, groups = groups_at_once(source);
    size_t size = ch_value_type_size(c->type);
    const char *path = source->path;
    c->raw = chi_take(c->context, path, "a block of the cube", group * groups,
                      (size_t)source->element.size);
    if (c->raw)
        c->typed = chi_take(c->context, path, "lines of the cube",
                            group * ch_context_threads(c->context), size);
    if (c->typed && through_file)
        c->columns = chi_take(c->context, path, "a block of the cube", group * groups, size);
    return c->typed && (!through_file || c->columns) ? CH_OK : CH_ERR_MEMORY;
}

static ch_status copy_to_file(copying *c, ch_matrix *X) {
    const char *folder = c->part->scratch;
    int fd;
    TRY(chi_scratch_open(c->context, &fd, folder));
    ch_status status = take_workspace(c, 1);
    if (status == CH_OK) status = copy_groups(c, NULL, fd);
    if (status == CH_OK)
        status = chi_scratch_map(c->context, X, fd, c->part->band_count, c->part->pixel_count,
                                 CH_COLUMN_MAJOR, c->type, folder);
    chi_free(c->context, c->columns);
    close(fd);
    return status;
}

static ch_status copy_to_memory(copying *c, ch_matrix *X) {
    void *values;
    TRY(chi_dense_create(c->context, X, &values, c->source->path, c->part->band_count,
                         c->part->pixel_count, CH_COLUMN_MAJOR, c->type));
    ch_status status = take_workspace(c, 0);
    if (status == CH_OK) status = copy_groups(c, values, -1);
    if (status != CH_OK) ch_matrix_free(c->context, X);
    return status;
}

/* Returns the reason for the copy, for the log. */
static const char *reason(const chi_cube_source *source, const ch_cube_part *part) {
    ch_value_type type;
    if (!source->mappable) return "the format cannot be mapped into memory";
    if (!chi_element_direct(source->element, &type))
        return "the values must be converted to another type";
    if (chi_cube_marks(source, part)) return "the values that mark missing data become NaN";
    if (source->cube.interleave != CH_BIP)
        return "the values must be reordered, so that those of a pixel lie together";
    return "only a part of the file is used, or its values are not aligned in memory";
}

ch_status chi_cube_copy(ch_context *context, ch_matrix *X, chi_cube_source *source,
                        const ch_cube_part *part) {
    copying c = {.context = context, .source = source, .part = part, .type = source->cube.type};
    if (chi_cube_marks(source, part)) c.type = chi_cube_marked_type(c.type);
    double bytes =
        (double)part->band_count * (double)part->pixel_count * (double)ch_value_type_size(c.type);
    chi_scratch_place place = {part->scratch, 0};
    int through_file = chi_scratch_wanted(context, &place, bytes);
    int64_t size;
    if (source->mappable) TRY(chi_open_file(context, &source->fd, &size, source->path));
    if (source->begin) TRY(source->begin(context, source));
    if (through_file || bytes >= WORTH_A_WORD)
        chi_log(context, CH_LOG_INFO, "%s: the cube is copied into %s once (%.3g MB), because %s",
                source->path, through_file ? "a scratch file" : "memory", bytes / 1e6,
                reason(source, part));
    ch_status status = through_file ? copy_to_file(&c, X) : copy_to_memory(&c, X);
    chi_free(context, c.raw);
    chi_free(context, c.typed);
    if (source->mappable) close(source->fd);
    if (source->end) source->end(source);
    if (c.rounded)
        chi_log(context, CH_LOG_WARNING,
                "%s: integers beyond 2^53 were rounded to the nearest floating-point number",
                source->path);
    return status;
}
