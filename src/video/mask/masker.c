/* Masks of a clip, frame by frame: score, threshold, clean-up. Threads share frames or, if there
 * are fewer frames than threads, the strips of each frame. Values do not depend on the thread that
 * computes them. */
#include "video/mask/masker.h"
#include "base/sized.h"
#include <string.h>

static void reserve_work(chi_arena *arena, chi_mask_work *w, chi_size size,
                         const ch_mask_settings *set) {
    int64_t pixels = chi_pixels(size);
    w->ratio = chi_arena_alloc(arena, pixels, sizeof *w->ratio);
    w->score = chi_arena_alloc(arena, pixels, sizeof *w->score);
    for (int s = 0; s < CHI_MASK_SUMS; s++) {
        w->sums[s] = chi_arena_alloc(arena, size.width + 2 * set->smooth, sizeof **w->sums);
        w->totals[s] = chi_arena_alloc(arena, size.width, sizeof **w->totals);
    }
    w->share = chi_arena_alloc(arena, size.width, sizeof *w->share);
    w->raw = chi_arena_alloc(arena, pixels, 1);
    w->mask = chi_arena_alloc(arena, pixels, 1);
    w->shade = chi_arena_alloc(arena, pixels, 1);
    int64_t radius = set->close > 1 ? set->close : 1;
    w->counts = chi_arena_alloc(arena, chi_mask_counts(size, radius), sizeof *w->counts);
    chi_parts_reserve(arena, &w->parts, size);
    chi_mask_patterns *patterns = &w->patterns;
    int64_t strip = (CHI_MASK_STRIP + 2 * (CHI_MASK_SHADE + 1)) * size.width;
    patterns->x = chi_arena_alloc(arena, strip, sizeof(float));
    patterns->b = chi_arena_alloc(arena, strip, sizeof(float));
    patterns->gain = chi_arena_alloc(arena, strip, sizeof(float));
    patterns->zero = chi_arena_alloc_zero(arena, size.width, sizeof(float));
    patterns->totals = chi_arena_alloc(arena, size.width, sizeof(float));
    patterns->sums = chi_arena_alloc(arena, size.width + 2 * CHI_MASK_SHADE, sizeof(float));
}

static ch_status reserve(ch_masker *m) {
    chi_arena *arena = &m->arena;
    chi_mask_memory *memory = &m->memory;
    int64_t pixels = chi_pixels(m->size);
    m->threads = ch_context_threads(m->context);
    memory->changes = chi_arena_alloc(arena, pixels, CHI_MASK_SAMPLES);
    memory->distances =
        chi_arena_alloc(arena, CHI_MASK_SAMPLES * CHI_NOISE_LEVELS, sizeof *memory->distances);
    memory->before = chi_arena_alloc(arena, pixels, sizeof *memory->before);
    memory->pixels = chi_arena_alloc(arena, chi_frame_values(&m->layout), 1);
    memory->steps = chi_arena_alloc_zero(arena, CHI_NOISE_LEVELS, sizeof *memory->steps);
    memory->counts =
        chi_arena_alloc_zero(arena, CHI_NOISE_LEVELS * m->threads, sizeof *memory->counts);
    m->noise = chi_arena_alloc(arena, pixels, sizeof *m->noise);
    m->calm = chi_arena_alloc(arena, pixels, sizeof *m->calm);
    m->ones = chi_arena_alloc(arena, m->size.width * (2 * m->set.smooth + 1), sizeof *m->ones);
    m->even = chi_arena_alloc(arena, m->size.height, 1);
    m->around = chi_arena_alloc(arena, m->size.width, sizeof *m->around);
    m->works = chi_arena_alloc_zero(arena, m->threads, sizeof *m->works);
    for (int t = 0; t < m->threads && m->works; t++)
        reserve_work(arena, &m->works[t], m->size, &m->set);
    chi_mask_tiles_reserve(m);
    chi_mask_pattern_reserve(m);
    chi_mask_shift_reserve(m);
    chi_mask_pattern_watch(m);
    chi_mask_shift_watch(m);
    return chi_arena_status(arena, "masks");
}

ch_status chi_size_check(ch_context *context, chi_size size) {
    if (size.width > 0 && size.height > 0 && size.width <= INT32_MAX / size.height - 1)
        return CH_OK;
    return chi_fail(context, CH_ERR_ARGUMENT, "a frame cannot be %lld x %lld pixels",
                    (long long)size.width, (long long)size.height);
}

ch_status ch_masker_create(ch_context *context, ch_masker **masker, const ch_frame_shape *shape,
                           const ch_mask_settings *settings) {
    chi_size size = {shape->width, shape->height};
    ch_mask_settings set;
    TRY(chi_settings_take(context, &set, ch_mask_table(), settings));
    TRY(chi_size_check(context, size));
    if (shape->planes < 1 || shape->planes > CHI_MASK_PLANES)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame must have from 1 to %d planes, got %d",
                        CHI_MASK_PLANES, shape->planes);
    chi_layout layout = {size.width, size.height, shape->planes, set.halves};
    if (!chi_halves_fit(&layout))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "frames with colour at half the resolution must have 3 planes and an even "
                        "width and height");
    ch_masker *m = chi_alloc_zero(context, 1, sizeof *m);
    if (!m) return chi_no_memory(context, "masks", 1, sizeof *m);
    m->context = m->arena.context = context;
    m->loops = chi_kernels_of(context)->mask;
    m->tile_loops = chi_kernels_of(context)->tile;
    m->live_loops = chi_kernels_of(context)->live;
    m->set = set;
    m->size = size;
    m->layout = layout;
    m->planes = shape->planes;
    m->memory.spacing = 1;
    ch_status status = reserve(m);
    if (status == CH_OK) chi_mask_tiles_touch(m);
    for (int64_t x = 0; x < size.width && status == CH_OK; x++)
        m->around[x] = (float)chi_count_around(x, set.smooth, size.width);
    if (status == CH_OK)
        *masker = m;
    else
        ch_masker_destroy(m);
    return status;
}

void ch_masker_destroy(ch_masker *m) {
    if (!m) return;
    chi_arena_free(&m->arena);
    chi_free(m->context, m->region);
    chi_free(m->context, m);
}

ch_status ch_masker_set_region(ch_masker *m, const uint8_t *region) {
    int64_t pixels = chi_pixels(m->size);
    uint8_t *copy = region ? chi_alloc(m->context, pixels, 1) : NULL;
    if (region && !copy) return chi_no_memory(m->context, "a region", pixels, 1);
    if (region) memcpy(copy, region, (size_t)pixels);
    chi_free(m->context, m->region);
    m->region = copy;
    chi_mask_pattern_watch(m);
    chi_mask_shift_watch(m);
    return CH_OK;
}

static void clear_unwatched(const ch_masker *m, uint8_t *mask, int64_t from, int64_t to) {
    for (int64_t i = from; m->region && i < to; i++)
        if (!m->region[i]) mask[i] = 0;
}

/* Returns the rows of a mask that may have foreground, and one empty row on each side if the frame
 * has one. There, small parts and holes are the same as in the whole mask. */
static chi_rows rows_to_clean(const ch_masker *m) {
    chi_rows whole = {0, m->size.height};
    if (!chi_mask_by_tiles(m) || !chi_mask_tiles_hold_closed(m)) return whole;
    chi_rows rows = chi_mask_tiles_rows(m);
    return rows.low < rows.high ? chi_rows_around(rows, 1, m->size.height) : rows;
}

static void drop_and_fill(const ch_masker *m, chi_mask_work *w, uint8_t *mask) {
    double thousandth = 1e-3 * (double)chi_pixels(m->size);
    chi_rows rows = rows_to_clean(m);
    chi_size size = {m->size.width, rows.high - rows.low};
    uint8_t *part = mask + rows.low * m->size.width;
    chi_mask_drop_small(part, &w->parts, size, (int64_t)(m->set.least * thousandth));
    chi_mask_fill_holes(part, &w->parts, size, (int64_t)(m->set.holes * thousandth));
    /* Removes what closing and filling added there. */
    clear_unwatched(m, mask, 0, chi_pixels(m->size));
}

static int one_threshold(const ch_masker *m) {
    return m->set.low >= 1;
}

enum { STRIP = CHI_MASK_STRIP };

typedef struct frame_job {
    ch_masker *m;
    int64_t frame;
    /* Has ratio, score and raw of the frame; a strip uses the other arrays of its thread. */
    chi_mask_work *w;
} frame_job;

static chi_rows strip_rows(const ch_masker *m, int64_t strip) {
    int64_t end = (strip + 1) * STRIP;
    return (chi_rows){strip * STRIP, end < m->size.height ? end : m->size.height};
}

static chi_mask_window strip_window(const ch_masker *m, int64_t strip) {
    return (chi_mask_window){0, m->size.width, strip_rows(m, strip)};
}

/* Splits a part of a packed frame into planes. */
static void unpack_window(const ch_masker *m, const chi_mask_window *v) {
    const chi_mask_making *making = m->making;
    for (int64_t y = v->rows.low; y < v->rows.high && making->packed; y++) {
        int64_t from = y * m->size.width + v->left;
        uint8_t *const to[] = {making->apart[0] + from, making->apart[1] + from,
                               making->apart[2] + from};
        m->live_loops->split(to, making->packed + 3 * from, v->right - v->left);
    }
}

/* Makes the background of a part of the frame. */
static void make_window(const ch_masker *m, const chi_mask_window *v) {
    for (int p = 0; p < m->planes; p++) {
        int64_t by = chi_plane_is_half(&m->layout, p) ? 2 : 1, width = m->size.width / by;
        for (int64_t y = v->rows.low / by; y < v->rows.high / by; y++) {
            int64_t from = y * width + v->left / by;
            m->making->make(m->making->user, m->making->planes[p] + from, p, from,
                            (v->right - v->left) / by);
        }
    }
}

static void ratio_strip(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    const ch_masker *m = job->m;
    chi_mask_window v = strip_window(m, strip);
    if (m->making) {
        unpack_window(m, &v);
        make_window(m, &v);
    }
    chi_mask_ratio(m, &m->works[thread], job->w->ratio, job->frame, &v);
}

void chi_mask_ratio_frame(ch_masker *m, float *ratio, int64_t frame) {
    chi_mask_work given = {.ratio = ratio};
    frame_job job = {m, frame, &given};
    chi_parallel(m->context, (m->size.height + STRIP - 1) / STRIP, ratio_strip, &job);
}

/* Scores that are not requested are not stored; one row is reused. */
static void score_window(const frame_job *job, chi_mask_work *w, const chi_mask_window *v) {
    const ch_masker *m = job->m;
    int64_t width = m->size.width;
    int keeps = m->scores || !one_threshold(m);
    for (int64_t y = v->rows.low; y < v->rows.high; y++) {
        float *row = keeps ? job->w->score + y * width : w->score;
        int64_t at = y * width + v->left;
        chi_mask_score(m, w, row, job->w->ratio, y, v);
        if (!m->masks) continue;
        if (m->set.shadow < 1) chi_mask_shade(m, w, job->w->shade + y * width, row, v);
        if (one_threshold(m)) chi_mask_cut(m, job->w->raw + at, row + v->left, v->right - v->left);
    }
}

static void score_strip(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    chi_mask_window v = strip_window(job->m, strip);
    score_window(job, &job->m->works[thread], &v);
}

/* ---- the same for the tiles that may have foreground (mask_tiles.c) ---- */

static void ratio_parts(const frame_job *job, int64_t strip, int thread, chi_tile_choice choice) {
    const ch_masker *m = job->m;
    for (chi_mask_window v = {0}; chi_mask_tiles_next(m, &v, strip, choice);)
        chi_mask_ratio(m, &m->works[thread], job->w->ratio, job->frame, &v);
}

static void probe_tiles(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    if (job->m->making->whole) {
        chi_mask_window v = strip_window(job->m, strip);
        make_window(job->m, &v);
    }
    chi_mask_tiles_probe(job->m, strip, thread);
    ratio_parts(job, strip, thread, CHI_TILE_DOUBT);
    chi_mask_tiles_decide(job->m, job->w->ratio, strip);
}

static void ratio_tiles(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    chi_mask_tiles_clear(job->m, job->w, strip);
    ratio_parts(job, strip, thread, CHI_TILE_BESIDE);
}

static void score_tiles(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    for (chi_mask_window v = {0}; chi_mask_tiles_next(job->m, &v, strip, CHI_TILE_ACTIVE);)
        score_window(job, &job->m->works[thread], &v);
}

/* Finds the next part of a strip that may have foreground, like chi_mask_tiles_next(). Without
 * tiles, this is the whole strip. */
static int next_part(const ch_masker *m, chi_mask_window *v, int64_t strip, int tiles) {
    if (tiles) return chi_mask_tiles_next(m, v, strip, CHI_TILE_ACTIVE);
    int first = v->right == 0;
    *v = strip_window(m, strip);
    return first;
}

/* Computes the scores and thresholded masks of a frame. */
static void score_frame(const frame_job *job) {
    ch_masker *m = job->m;
    int64_t strips = m->tiles.strips;
    if (chi_mask_by_tiles(m)) {
        chi_parallel(m->context, strips, probe_tiles, (void *)job);
        chi_mask_tiles_spread(m);
        chi_parallel(m->context, strips, ratio_tiles, (void *)job);
        chi_parallel(m->context, strips, score_tiles, (void *)job);
    } else {
        chi_parallel(m->context, strips, ratio_strip, (void *)job);
        chi_parallel(m->context, strips, score_strip, (void *)job);
    }
}

static void prove_strip(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    const ch_masker *m = job->m;
    for (chi_mask_window v = {0}; next_part(m, &v, strip, chi_mask_by_tiles(m));)
        chi_mask_prove_shadows(m, job->w, &m->works[thread], job->frame, &v);
}

static void close_strip(void *user, int64_t strip, int thread) {
    const frame_job *job = user;
    const ch_masker *m = job->m;
    const chi_mask_work *w = &m->works[thread];
    chi_rows rows = strip_rows(m, strip);
    int64_t width = m->size.width;
    uint8_t *mask = m->masks + job->frame * chi_pixels(m->size);
    int tiles = chi_mask_by_tiles(m) && chi_mask_tiles_hold_closed(m);
    if (tiles) memset(mask + rows.low * width, 0, (size_t)((rows.high - rows.low) * width));
    for (chi_mask_window v = {0}; next_part(m, &v, strip, tiles);)
        chi_mask_close_part(mask, job->w->raw, w->mask, w->counts, m->size, m->set.close, v.rows,
                            (chi_rows){v.left, v.right});
}

/* Makes the mask of a frame by strips of rows. Threads share the strips unless each thread has its
 * own frame. */
static void apply_frame(void *user, int64_t frame, int thread) {
    ch_masker *m = user;
    chi_mask_work *w = &m->works[thread];
    frame_job job = {m, frame, w};
    int64_t strips = m->tiles.strips, pixels = chi_pixels(m->size);
    score_frame(&job);
    if (m->scores && m->set.score == CH_MASK_SCORE_RESIDUAL)
        chi_mask_residual(m, m->scores + frame * pixels, frame);
    else if (m->scores)
        memcpy(m->scores + frame * pixels, w->score, (size_t)pixels * sizeof(float));
    if (!m->masks) return;
    uint8_t *mask = m->masks + frame * pixels;
    if (!one_threshold(m)) {
        double low = m->set.low * m->threshold;
        chi_mask_threshold(w->raw, &w->parts, w->score, m->size, low, m->threshold);
    }
    if (m->set.shadow < 1) chi_parallel(m->context, strips, prove_strip, &job);
    clear_unwatched(m, w->raw, 0, pixels);
    if (m->set.median > 0) {
        chi_mask_vote(w->mask, w->raw, w->counts, m->size, m->set.median, CHI_VOTE_MOST);
        memcpy(w->raw, w->mask, (size_t)pixels);
    }
    if (m->set.close > 0)
        chi_parallel(m->context, strips, close_strip, &job);
    else
        memcpy(mask, w->raw, (size_t)pixels);
    drop_and_fill(m, w, mask);
}

ch_status ch_masker_apply(ch_masker *m, uint8_t *masks, float *scores, const ch_mask_plane *planes,
                          int64_t count) {
    if (!(m->threshold > 0))
        return chi_fail(
            m->context, CH_ERR_ARGUMENT,
            "masks can be computed only after the threshold was set with ch_masker_settle()");
    m->in = planes;
    m->masks = masks;
    m->scores = scores;
    if (!chi_mask_by_tiles(m)) chi_mask_tiles_touch(m);
    if (count < m->threads)
        for (int64_t frame = 0; frame < count; frame++) apply_frame(m, frame, 0);
    else
        chi_parallel(m->context, count, apply_frame, m);
    return CH_OK;
}

ch_status chi_masker_apply_making(ch_masker *m, uint8_t *mask, float *score,
                                  const ch_mask_plane *planes, const chi_mask_making *making) {
    m->making = making;
    ch_status status = ch_masker_apply(m, mask, score, planes, 1);
    m->making = NULL;
    return status;
}
