/* Finds the parts of a frame that may have foreground. Elsewhere neither scores nor logarithms are
 * computed.
 *
 * The score of a pixel is at most the mean of |d| / f over the square around it
 * (src/kernels/mask_loops.c). If |d| < t f in the whole square, the score is below the threshold t.
 * So the tiles of the frame are tested first. Tiles with a pixel beyond this bound, and their
 * neighbours, are then scored as usual. The mask at a pixel beyond this bound depends only on
 * pixels within twice the radii of the score and of mask_shadow.c, which is less than a tile. So
 * masks have the same bits as without tiles.
 *
 * No background is needed either. A frame is compared in integers with a reference, the background
 * b of an earlier frame (src/kernels/tile_loops.c). The code that computes the background provides
 * a bound of |b' - b| / (b + c), where b' is the background of the current frame. As long as the
 * bound is at most SLACK t, the reference of a strip is valid. With r = -log(1 - SLACK t):
 *
 *     planes of full size:  |x - b'| <= u (b' + c) for all such b', u = 1 - exp(-t f), gives
 *                           -t f <= d = log((x + c) / (b' + c)) <= log(2 - exp(-t f)) <= t f
 *     half planes:          let e = (x - b) / (b + c), |e| <= A < 1. log(1 + e) is below e by at
 *                           most a = -log(1 - A) - A, so |d| <= -log(1 - A) + r for brightness,
 *                           and with a colour
 *                           |d + (colour - mean)| <= |e + (e_colour - mean of e)| + 2 a + 3 r
 *
 * A pixel costs 3 to 5 bytes of memory traffic and a few operations on 8 or 16 bits, instead of 4
 * bytes for every factor and a logarithm. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

/* Factor of a bound; allows for far more than the rounding of floats. */
static const double SAFE = 0.999;
static const double SLACK = 0.04; /* share of the threshold: the light of most clips moves less */
static const double LEAST_SHARE = 0.002; /* smaller shares prove nothing */

void chi_mask_tiles_reserve(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    tiles->across = (m->size.width + CHI_MASK_TILE - 1) / CHI_MASK_TILE;
    tiles->down = (m->size.height + CHI_MASK_STRIP - 1) / CHI_MASK_STRIP;
    int64_t count = tiles->across * tiles->down;
    tiles->most = chi_arena_alloc(&m->arena, count, sizeof *tiles->most);
    tiles->share = chi_arena_alloc(&m->arena, count, sizeof *tiles->share);
    tiles->near = chi_arena_alloc(&m->arena, count, sizeof *tiles->near);
    tiles->far = chi_arena_alloc(&m->arena, count, sizeof *tiles->far);
    tiles->held = chi_arena_alloc_zero(&m->arena, tiles->down, 1);
    tiles->doubt = chi_arena_alloc(&m->arena, count, 1);
    tiles->hot = chi_arena_alloc(&m->arena, count, 1);
    tiles->active = chi_arena_alloc(&m->arena, count, 1);
    tiles->touched = chi_arena_alloc(&m->arena, count, 1);
}

ch_status chi_masker_reserve_reference(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    chi_arena *arena = &m->arena;
    int64_t values = chi_frame_values(&m->layout), width = m->size.width;
    if (m->layout.halves) {
        tiles->base = chi_arena_alloc(arena, values, sizeof *tiles->base);
        tiles->scale = chi_arena_alloc(arena, values, sizeof *tiles->scale);
    } else {
        tiles->low = chi_arena_alloc(arena, values, 1);
        tiles->high = chi_arena_alloc(arena, values, 1);
    }
    for (int t = 0; t < m->threads; t++) {
        chi_mask_work *w = &m->works[t];
        w->probe = chi_arena_alloc(arena, width, sizeof *w->probe);
        w->near = chi_arena_alloc(arena, width, sizeof *w->near);
        w->far = chi_arena_alloc(arena, width, sizeof *w->far);
        w->out = chi_arena_alloc(arena, width, 1);
        w->row = chi_arena_alloc(arena, 3 * width, 1);
    }
    return chi_arena_status(arena, "masks");
}

int chi_mask_tiles_apply(const ch_masker *m) {
    int64_t reach = 2 * m->set.smooth + CHI_MASK_SHADE + 1;
    return !m->scores && m->masks && m->set.low >= 1 && m->set.median == 0 &&
           reach <= CHI_MASK_STRIP && reach <= CHI_MASK_TILE;
}

/* Foreground is at most the score's radius away from a pixel that is off, and closing adds its own
 * radius. */
int chi_mask_tiles_hold_closed(const ch_masker *m) {
    return m->set.smooth + m->set.close <= CHI_MASK_STRIP;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the pixels of a tile. */
static chi_mask_window tile_window(const ch_masker *m, int64_t tile) {
    int64_t x = tile % m->tiles.across * CHI_MASK_TILE;
    int64_t y = tile / m->tiles.across * CHI_MASK_STRIP;
    return (chi_mask_window){x,
                             smaller(x + CHI_MASK_TILE, m->size.width),
                             {y, smaller(y + CHI_MASK_STRIP, m->size.height)}};
}

/* Returns the bound of shares of all planes together that a bound A of single ones leaves. */
static double far_bound(double A, double most, double r) {
    return most + 2 * (log1p(-A) + A) - 3 * r;
}

/* Returns the A at which both bounds are equal. With a smaller one, noise of single planes would
 * exceed its bound more often; with a larger one, noise of all planes together would. */
static double even_bound(double most, double r) {
    enum { STEPS = 16 }; /* to less than an integer unit */
    double low = 0, high = 0.45;
    for (int k = 0; k < STEPS; k++) {
        double A = (low + high) / 2;
        *(far_bound(A, most, r) > A ? &low : &high) = A;
    }
    return low;
}

/* Sets the limits of shares in integer units, for a threshold of log ratios. The error by rounding
 * is subtracted: 1.6 units for one share, 6 for three shares and a mean. */
static void settle_halves(const ch_masker *m, int64_t tile, double most) {
    double r = -log1p(-m->tiles.slack), A = even_bound(most, r);
    double near = fmin(A, 1 - exp(r - most)), far = far_bound(A, most, r);
    m->tiles.near[tile] = (int16_t)fmax(CHI_TILE_UNIT * near - 1.6, 0);
    m->tiles.far[tile] = (int16_t)fmin(fmax(CHI_TILE_UNIT * far - 6, 0), INT16_MAX);
}

/* The bounds of a tile are those of its pixel with the least noise. */
void chi_mask_tiles_settle(ch_masker *m) {
    m->tiles.slack = (float)fmin(SLACK * m->threshold / CHI_MASK_UNIT, 0.1);
    memset(m->tiles.held, 0, (size_t)m->tiles.down);
    for (int64_t tile = 0; tile < m->tiles.across * m->tiles.down; tile++) {
        chi_mask_window v = tile_window(m, tile);
        float calm = 0;
        for (int64_t y = v.rows.low; y < v.rows.high; y++)
            for (int64_t i = y * m->size.width + v.left; i < y * m->size.width + v.right; i++)
                calm = m->calm[i] > calm ? m->calm[i] : calm;
        double most = m->threshold / CHI_MASK_UNIT / calm;
        m->tiles.most[tile] = (float)(SAFE * most);
        double share = SAFE * (1 - exp(-most));
        m->tiles.share[tile] = (float)(share > LEAST_SHARE ? share : -1);
        settle_halves(m, tile, SAFE * most);
    }
}

/* Returns the rows of a plane that belong to a strip, without the end. */
static chi_rows rows_of_plane(const ch_masker *m, int plane, int64_t strip) {
    int64_t by = chi_plane_is_half(&m->layout, plane) ? 2 : 1;
    return (chi_rows){strip * CHI_MASK_STRIP / by,
                      smaller((strip + 1) * CHI_MASK_STRIP, m->size.height) / by};
}

/* Returns the number of values of a frame before row y of a plane. */
static int64_t place_of(const ch_masker *m, int plane, int64_t y) {
    return chi_plane_offset(&m->layout, plane) + y * chi_plane_width(&m->layout, plane);
}

/* Makes the current background the reference of a strip. */
static void hold_strip(ch_masker *m, int64_t strip, float *row) {
    chi_mask_tiles *tiles = &m->tiles;
    const chi_mask_making *making = m->making;
    const float *share = tiles->share + strip * tiles->across;
    int first = 1;
    for (int p = 0; p < m->planes; p++) {
        chi_rows rows = rows_of_plane(m, p, strip);
        int64_t width = chi_plane_width(&m->layout, p);
        for (int64_t y = rows.low; y < rows.high; y++, first = 0) {
            int64_t at = place_of(m, p, y);
            making->make(making->user, row, p, y * width, width);
            if (m->layout.halves)
                m->tile_loops->hold_shares(tiles->base + at, tiles->scale + at, row, width);
            else
                m->tile_loops->hold_bounds(tiles->low + at, tiles->high + at, row, share,
                                           tiles->slack, width, CHI_MASK_TILE);
            making->hold(making->user, strip, first, p, y * width, width, row);
        }
    }
    tiles->held[strip] = 1;
}

static const uint8_t *pixels_of(const ch_masker *m, int plane, int64_t y) {
    return m->in[plane].pixels + y * chi_plane_width(&m->layout, plane);
}

/* Gets the values of a row in planes of full size. */
static void take_row(const ch_masker *m, const uint8_t **x, uint8_t *row, int64_t y) {
    const chi_mask_making *making = m->making;
    int64_t width = m->size.width;
    uint8_t *const to[] = {row, row + width, row + 2 * width};
    if (making->unpack) making->unpack(making->user, to, y * width, width);
    for (int p = 0; p < m->planes; p++) x[p] = making->unpack ? to[p] : pixels_of(m, p, y);
}

static void probe_planes(const ch_masker *m, uint8_t *doubt, const chi_mask_work *w,
                         int64_t strip) {
    const chi_mask_tiles *tiles = &m->tiles;
    const uint8_t *x[CHI_MASK_PLANES];
    chi_rows rows = rows_of_plane(m, 0, strip);
    int64_t width = m->size.width;
    uint8_t *out = w->out;
    memset(out, 0, (size_t)width);
    for (int64_t y = rows.low; y < rows.high; y++) {
        take_row(m, x, w->row, y);
        for (int p = 0; p < m->planes; p++) {
            int64_t at = place_of(m, p, y);
            m->tile_loops->outside(out, x[p], tiles->low + at, tiles->high + at, width);
        }
    }
    for (int64_t t = 0; t < tiles->across; t++) {
        int64_t from = t * CHI_MASK_TILE, count = smaller(CHI_MASK_TILE, width - from);
        doubt[t] = memchr(out + from, 1, (size_t)count) != NULL;
    }
}

static chi_tile_rows tile_rows(const ch_masker *m, int plane, int64_t y) {
    int64_t at = place_of(m, plane, y);
    return (chi_tile_rows){pixels_of(m, plane, y), m->tiles.base + at, m->tiles.scale + at};
}

static int above(const int16_t *values, int64_t count, int16_t limit) {
    int any = 0;
    for (int64_t i = 0; i < count; i++) any |= values[i] > limit;
    return any;
}

static void probe_halves(const ch_masker *m, uint8_t *doubt, const chi_mask_work *w,
                         int64_t strip) {
    enum { SQUARES = CHI_MASK_TILE / 2 };
    const chi_mask_tiles *tiles = &m->tiles;
    chi_rows rows = rows_of_plane(m, 1, strip);
    int64_t width = m->size.width / 2, tile = strip * tiles->across;
    memset(w->near, 0, (size_t)width * sizeof *w->near);
    memset(w->far, 0, (size_t)width * sizeof *w->far);
    for (int64_t y = rows.low; y < rows.high; y++) {
        chi_tile_rows four[] = {tile_rows(m, 0, 2 * y), tile_rows(m, 0, 2 * y + 1),
                                tile_rows(m, 1, y), tile_rows(m, 2, y)};
        m->tile_loops->squares(w->near, w->far, four, width);
    }
    for (int64_t t = 0; t < tiles->across; t++, tile++) {
        int64_t from = t * SQUARES, count = smaller(SQUARES, width - from);
        doubt[t] = (uint8_t)(above(w->near + from, count, tiles->near[tile]) |
                             above(w->far + from, count, tiles->far[tile]));
    }
}

void chi_mask_tiles_probe(ch_masker *m, int64_t strip, int thread) {
    chi_mask_tiles *tiles = &m->tiles;
    const chi_mask_work *w = &m->works[thread];
    uint8_t *doubt = tiles->doubt + strip * tiles->across;
    if (!tiles->held[strip] || m->making->moved(m->making->user, strip) > tiles->slack)
        hold_strip(m, strip, w->probe);
    if (m->layout.halves)
        probe_halves(m, doubt, w, strip);
    else
        probe_planes(m, doubt, w, strip);
}

void chi_mask_tiles_decide(ch_masker *m, const float *ratio, int64_t strip) {
    const chi_mask_tiles *tiles = &m->tiles;
    int64_t width = m->size.width;
    for (int64_t tile = strip * tiles->across; tile < (strip + 1) * tiles->across; tile++) {
        chi_mask_window v = tile_window(m, tile);
        tiles->hot[tile] = 0;
        for (int64_t y = v.rows.low; y < v.rows.high && tiles->doubt[tile]; y++)
            tiles->hot[tile] |= (uint8_t)m->tile_loops->beyond(ratio + y * width + v.left,
                                                               tiles->most[tile], v.right - v.left);
    }
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

static int chosen(const chi_mask_tiles *tiles, int64_t tile, chi_tile_choice choice) {
    if (choice == CHI_TILE_DOUBT) return tiles->doubt[tile];
    return tiles->active[tile] && !(choice == CHI_TILE_BESIDE && tiles->doubt[tile]);
}

int chi_mask_tiles_next(const ch_masker *m, chi_mask_window *v, int64_t strip,
                        chi_tile_choice choice) {
    int64_t across = m->tiles.across, tile = strip * across;
    int64_t from = v->right / CHI_MASK_TILE + (v->right % CHI_MASK_TILE != 0), to;
    while (from < across && !chosen(&m->tiles, tile + from, choice)) from++;
    for (to = from; to < across && chosen(&m->tiles, tile + to, choice);) to++;
    v->left = from * CHI_MASK_TILE;
    v->right = smaller(to * CHI_MASK_TILE, m->size.width);
    v->rows =
        (chi_rows){strip * CHI_MASK_STRIP, smaller((strip + 1) * CHI_MASK_STRIP, m->size.height)};
    return from < across;
}

/* Clears what an earlier frame left in a tile without foreground. With `ratios`, also clears the
 * ratios, which may belong to this frame. */
static void clear_tile(const ch_masker *m, chi_mask_work *w, int64_t tile, int ratios) {
    chi_mask_window v = tile_window(m, tile);
    size_t count = (size_t)(v.right - v.left);
    for (int64_t y = v.rows.low; y < v.rows.high; y++) {
        int64_t at = y * m->size.width + v.left;
        if (ratios) memset(w->ratio + at, 0, count * sizeof *w->ratio);
        memset(w->raw + at, 0, count);
        memset(w->shade + at, 0, count);
    }
}

void chi_mask_tiles_clear(ch_masker *m, chi_mask_work *w, int64_t strip) {
    chi_mask_tiles *tiles = &m->tiles;
    for (int64_t tile = strip * tiles->across; tile < (strip + 1) * tiles->across; tile++) {
        int written = tiles->active[tile] || tiles->doubt[tile];
        if (!tiles->active[tile] && tiles->touched[tile]) clear_tile(m, w, tile, !written);
        tiles->touched[tile] = (uint8_t)written;
    }
}

void chi_mask_tiles_touch(ch_masker *m) {
    memset(m->tiles.touched, 1, (size_t)(m->tiles.across * m->tiles.down));
}
