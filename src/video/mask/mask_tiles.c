/* Where a frame may have foreground: elsewhere neither scores nor logarithms are needed.
 *
 * The score of a pixel is at most the mean of |d| / f over the square around it
 * (src/kernels/mask_loops.c). Where |d| < t f all over the square it is below the threshold t, and
 * with u = 1 - exp(-t f)
 *
 *     |x - b| <= u (b + c)   gives   -t f <= d = log((x + c) / (b + c)) <= log(2 - exp(-t f)) <= t
 * f
 *
 * without a logarithm. So tiles of the frame are looked at first, the background being made a row
 * at a time where it is not wanted otherwise; those with a pixel farther off, and the tiles around
 * them, are then scored as always. What a mask needs of a frame lies within twice the radius of the
 * score and mask_shadow.c's of a pixel that is off, which is less than a tile: masks are the same
 * to the bit. Of frames that are mostly background this takes a third of the time. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const double SAFE = 0.999; /* of a bound: far more than what floats round */

void chi_mask_tiles_reserve(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    tiles->across = (m->size.width + CHI_MASK_TILE - 1) / CHI_MASK_TILE;
    tiles->down = (m->size.height + CHI_MASK_STRIP - 1) / CHI_MASK_STRIP;
    int64_t count = tiles->across * tiles->down;
    tiles->most = chi_arena_alloc(&m->arena, count, sizeof *tiles->most);
    tiles->share = chi_arena_alloc(&m->arena, count, sizeof *tiles->share);
    tiles->hot = chi_arena_alloc(&m->arena, count, 1);
    tiles->active = chi_arena_alloc(&m->arena, count, 1);
    tiles->touched = chi_arena_alloc(&m->arena, count, 1);
    for (int t = 0; t < m->threads && m->works; t++) {
        float **row = &m->works[t].probe;
        *row = chi_arena_alloc(&m->arena, CHI_MASK_PROBE_ROWS * m->size.width, sizeof **row);
    }
}

int chi_mask_tiles_apply(const ch_masker *m) {
    int64_t reach = 2 * m->set.smooth + CHI_MASK_SHADE + 1;
    return !m->scores && m->masks && m->set.low >= 1 && m->set.median == 0 &&
           reach <= CHI_MASK_STRIP && reach <= CHI_MASK_TILE;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The pixels of a tile. */
static chi_mask_window tile_window(const ch_masker *m, int64_t tile) {
    int64_t x = tile % m->tiles.across * CHI_MASK_TILE;
    int64_t y = tile / m->tiles.across * CHI_MASK_STRIP;
    return (chi_mask_window){x,
                             smaller(x + CHI_MASK_TILE, m->size.width),
                             {y, smaller(y + CHI_MASK_STRIP, m->size.height)}};
}

/* The bounds of a tile are those of its calmest pixel. */
void chi_mask_tiles_settle(ch_masker *m) {
    for (int64_t tile = 0; tile < m->tiles.across * m->tiles.down; tile++) {
        chi_mask_window v = tile_window(m, tile);
        float calm = 0;
        for (int64_t y = v.rows.low; y < v.rows.high; y++)
            for (int64_t i = y * m->size.width + v.left; i < y * m->size.width + v.right; i++)
                calm = m->calm[i] > calm ? m->calm[i] : calm;
        double most = m->threshold / CHI_MASK_UNIT / calm;
        m->tiles.most[tile] = (float)(SAFE * most);
        m->tiles.share[tile] = (float)(SAFE * (1 - exp(-most)));
    }
}

/* A row of a plane: its background, where it is to be kept or else in `spare`. */
static const float *make_row(const ch_masker *m, float *spare, int plane, int64_t y) {
    int64_t width = chi_plane_width(&m->layout, plane);
    float *to = m->making->whole ? m->making->planes[plane] + y * width : spare;
    m->making->make(m->making->user, to, plane, y * width, width);
    return to;
}

static const uint8_t *pixels_of(const ch_masker *m, int plane, int64_t y) {
    return m->in[plane].pixels + y * chi_plane_width(&m->layout, plane);
}

static void probe_row(const ch_masker *m, uint8_t *hot, const float *share, float *spare,
                      int64_t y) {
    for (int p = 0; p < m->planes; p++)
        m->loops->mark_apart(hot, pixels_of(m, p, y), make_row(m, spare, p, y), share,
                             m->size.width, CHI_MASK_TILE);
}

/* Two rows with colours at half the resolution, which have the detail of brightness: by their
 * logarithms. */
static void probe_pair(const ch_masker *m, uint8_t *hot, const float *most, float *spare,
                       int64_t y) {
    int64_t width = m->size.width;
    float *d[] = {spare, spare + width};
    const uint8_t *x[] = {pixels_of(m, 0, y), pixels_of(m, 0, y + 1), pixels_of(m, 1, y / 2),
                          pixels_of(m, 2, y / 2)};
    const float *b[] = {make_row(m, spare + 2 * width, 0, y),
                        make_row(m, spare + 3 * width, 0, y + 1),
                        make_row(m, spare + 4 * width, 1, y / 2),
                        make_row(m, spare + 4 * width + width / 2, 2, y / 2)};
    chi_mask_ratio_pair(m, d, x, b, width / 2);
    for (int row = 0; row < 2; row++) m->loops->mark(hot, d[row], most, width, CHI_MASK_TILE);
}

void chi_mask_tiles_probe(ch_masker *m, int64_t strip, int thread) {
    chi_mask_tiles *tiles = &m->tiles;
    uint8_t *hot = tiles->hot + strip * tiles->across;
    const float *most = tiles->most + strip * tiles->across;
    const float *share = tiles->share + strip * tiles->across;
    int64_t end = smaller((strip + 1) * CHI_MASK_STRIP, m->size.height);
    float *spare = m->works[thread].probe;
    memset(hot, 0, (size_t)tiles->across);
    for (int64_t y = strip * CHI_MASK_STRIP; y < end; y += m->layout.halves ? 2 : 1)
        if (m->layout.halves)
            probe_pair(m, hot, most, spare, y);
        else
            probe_row(m, hot, share, spare, y);
}

void chi_mask_tiles_spread(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    memset(tiles->active, 0, (size_t)(tiles->across * tiles->down));
    for (int64_t y = 0; y < tiles->down; y++)
        for (int64_t x = 0; x < tiles->across; x++) {
            if (!tiles->hot[y * tiles->across + x]) continue;
            for (int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < tiles->down; v++)
                for (int64_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < tiles->across; u++)
                    tiles->active[v * tiles->across + u] = 1;
        }
}

int chi_mask_tiles_next(const ch_masker *m, chi_mask_window *v, int64_t strip) {
    const uint8_t *active = m->tiles.active + strip * m->tiles.across;
    int64_t from = v->right / CHI_MASK_TILE + (v->right % CHI_MASK_TILE != 0), to;
    while (from < m->tiles.across && !active[from]) from++;
    for (to = from; to < m->tiles.across && active[to];) to++;
    v->left = from * CHI_MASK_TILE;
    v->right = smaller(to * CHI_MASK_TILE, m->size.width);
    v->rows =
        (chi_rows){strip * CHI_MASK_STRIP, smaller((strip + 1) * CHI_MASK_STRIP, m->size.height)};
    return from < m->tiles.across;
}

/* What an earlier frame has left of a tile that nothing is in now. */
static void clear_tile(const ch_masker *m, chi_mask_work *w, int64_t tile) {
    chi_mask_window v = tile_window(m, tile);
    size_t count = (size_t)(v.right - v.left);
    for (int64_t y = v.rows.low; y < v.rows.high; y++) {
        int64_t at = y * m->size.width + v.left;
        memset(w->ratio + at, 0, count * sizeof *w->ratio);
        memset(w->raw + at, 0, count);
        memset(w->shade + at, 0, count);
    }
}

void chi_mask_tiles_clear(ch_masker *m, chi_mask_work *w, int64_t strip) {
    chi_mask_tiles *tiles = &m->tiles;
    for (int64_t tile = strip * tiles->across; tile < (strip + 1) * tiles->across; tile++) {
        if (!tiles->active[tile] && tiles->touched[tile]) clear_tile(m, w, tile);
        tiles->touched[tile] = tiles->active[tile];
    }
}

void chi_mask_tiles_touch(ch_masker *m) {
    memset(m->tiles.touched, 1, (size_t)(m->tiles.across * m->tiles.down));
}
