/* The matrix of a cube: the mapped file itself if its order and type allow it, else a copy. */
#include "base/sized.h"
#include "io/cube/cube_source.h"
#include "linalg/linalg.h"
#include "linalg/view.h"

/* Returns CH_ERR_ARGUMENT unless the list increases and stays below `all`. *count is `all` if there
 * is no list. */
static ch_status check_list(ch_context *context, const char *what, const int64_t *list,
                            int64_t *count, int64_t all) {
    if (!list) {
        *count = all;
        return CH_OK;
    }
    if (*count < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the list of %s numbers to use from the cube is empty", what);
    for (int64_t k = 0; k < *count; k++) {
        if (list[k] < 0 || list[k] >= all)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s %lld is not in the cube; valid numbers are 0 to %lld", what,
                            (long long)list[k], (long long)all - 1);
        if (k > 0 && list[k] <= list[k - 1])
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "%s %lld follows %lld in the list of those to use; the list must be in "
                            "increasing order",
                            what, (long long)list[k], (long long)list[k - 1]);
    }
    return CH_OK;
}

/* Returns whether an increasing list has no gaps. */
static int is_stretch(const int64_t *list, int64_t count) {
    return !list || list[count - 1] - list[0] == count - 1;
}

/* Makes X a view of the mapped file, whose first value is at `first`. */
static void view_file(ch_matrix *X, chi_store *store, const char *first,
                      const chi_cube_source *source, const ch_cube_part *part) {
    const ch_cube *cube = &source->cube;
    int64_t pixels = cube->lines * cube->samples;
    int64_t band = part->bands ? part->bands[0] : 0, pixel = part->pixels ? part->pixels[0] : 0;
    int by_pixel = cube->interleave == CH_BIP;
    int64_t stride = by_pixel ? cube->bands : pixels;
    int64_t at = by_pixel ? pixel * stride + band : band * stride + pixel;
    chi_store_dense(X, store, first + at * source->element.size, part->band_count,
                    part->pixel_count, by_pixel ? CH_COLUMN_MAJOR : CH_ROW_MAJOR, cube->type);
    X->stride = stride;
}

/* Returns whether bands are stored one after another and are much larger than the memory they may
 * use. A pass over the pixels would then read pieces of 4 KB, one of every band, again and again.
 * Eight passes over 6.4 GB of BSQ were not done after twenty minutes; BIL with its copy took three
 * and a half on the same machine. */
static int is_scattered(ch_context *context, const chi_cube_source *source,
                        const ch_cube_part *part) {
    chi_scratch_place place = {part->scratch, 0};
    return source->cube.interleave == CH_BSQ &&
           chi_scratch_wanted(context, &place,
                              (double)part->band_count * (double)part->pixel_count *
                                  (double)source->element.size);
}

static int has_view(ch_context *context, const chi_cube_source *source, const ch_cube_part *part) {
    ch_value_type type;
    if (!source->mappable) return 0;
    if (!chi_element_direct(source->element, &type)) return 0;
    if (source->offset % source->element.size != 0) return 0; /* mappings begin at a page */
    if (chi_cube_marks(source, part)) return 0;
    if (source->cube.interleave == CH_BIL) return 0;
    if (is_scattered(context, source, part)) return 0;
    return is_stretch(part->bands, part->band_count) && is_stretch(part->pixels, part->pixel_count);
}

static ch_status map_cube(ch_context *context, ch_matrix *X, const chi_cube_source *source,
                          const ch_cube_part *part) {
    const unsigned char *bytes;
    int64_t size, needed;
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status = chi_load_source(context, store, &bytes, &size, source->path);
    needed = source->offset +
             source->outer * source->inner * source->cube.bands * (int64_t)source->element.size;
    if (status == CH_OK && size < needed)
        status = chi_fail(context, CH_ERR_FORMAT,
                          "%s: the file became shorter while it was being read", source->path);
    if (status == CH_OK)
        view_file(X, store, (const char *)bytes + source->offset, source, part);
    else
        chi_store_release(context, store);
    return status;
}

/* Replaces a loaded X by a copy in which marks of no data are NaN. */
static ch_status mark_copy(ch_context *context, ch_matrix *X, const chi_cube_source *source) {
    ch_value_type type = chi_cube_marked_type(X->type);
    ch_matrix copy = {0};
    void *values;
    double *column = chi_take(context, source->path, "a pixel", X->rows, sizeof *column);
    ch_status status = column ? chi_dense_create(context, &copy, &values, source->path, X->rows,
                                                 X->cols, CH_COLUMN_MAJOR, type)
                              : CH_ERR_MEMORY;
    for (int64_t j = 0; j < X->cols && status == CH_OK; j++) {
        double *wide = (double *)values + j * X->rows;
        float *narrow = (float *)values + j * X->rows;
        chi_column_gather(column, X, j);
        for (int64_t i = 0; i < X->rows; i++)
            if (type == CH_F64)
                wide[i] = column[i];
            else
                narrow[i] = (float)column[i];
    }
    if (status == CH_OK) chi_cube_mark(values, type, X->rows * X->cols, source->cube.no_data);
    chi_free(context, column);
    ch_matrix_free(context, X);
    *X = copy;
    return status;
}

/* Loads all values at once and views them as bands x pixels; a part of them is copied. */
static ch_status load_cube(ch_context *context, ch_matrix *X, chi_cube_source *source,
                           const ch_cube_part *part) {
    int64_t bands = source->cube.bands, pixels = source->outer * source->inner;
    int by_pixel = source->cube.interleave == CH_BIP;
    ch_matrix all = {0}, chosen;
    TRY_OK(source->load(context, source, &all));
    if (ch_matrix_stored(&all) != bands * pixels) {
        ch_matrix_free(context, &all);
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the file was changed by another program during the run", source->path);
    }
    all.layout = by_pixel ? CH_COLUMN_MAJOR : CH_ROW_MAJOR;
    all.stride = by_pixel ? bands : pixels;
    all.rows = bands;
    all.cols = pixels;
    *X = all;
    if (part->bands || part->pixels) {
        ch_status status = chi_matrix_copy_part(context, &chosen, &all, part->bands,
                                                part->band_count, part->pixels, part->pixel_count);
        ch_matrix_free(context, X);
        if (status != CH_OK) return status;
        *X = chosen;
    }
    return chi_cube_marks(source, part) ? mark_copy(context, X, source) : CH_OK;
}

ch_status ch_cube_matrix(ch_context *context, ch_matrix *X, const ch_cube *cube,
                         const ch_cube_part *part) {
    ch_cube_part own = {.size = sizeof own};
    ch_matrix made = {0};
    if (!context || !X) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(context, cube, "ch_cube"));
    if (!cube->owner)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the cube has not been opened, or it is already closed");
    if (part) TRY(chi_sized_take(context, &own, sizeof own, part, "ch_cube_part"));
    chi_cube_source *source = cube->owner;
    TRY(check_list(context, "band", own.bands, &own.band_count, source->cube.bands));
    TRY(check_list(context, "pixel", own.pixels, &own.pixel_count, source->outer * source->inner));
    ch_status status = source->load ? load_cube(context, &made, source, &own)
                       : has_view(context, source, &own)
                           ? map_cube(context, &made, source, &own)
                           : chi_cube_copy(context, &made, source, &own);
    if (status == CH_OK || status == CH_STOP_CANCELLED) *X = made;
    return status;
}
