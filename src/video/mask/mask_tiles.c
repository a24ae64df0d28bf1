/* Finds the parts of a frame that may have foreground. Elsewhere neither scores nor logarithms are
 * computed.
 *
 * The score of a pixel is at most the mean of |d| / f over the square around it
 * (src/kernels/mask_loops.c). If |d| < t f in the whole square, the score is below the threshold t.
 * So the tiles of the frame are tested first. Tiles with a pixel beyond this bound, and the tiles
 * around them, are then scored as usual. The mask depends only on pixels within a few pixels of one
 * beyond this bound: twice the radius of the score, plus the radius of mask_shadow.c, plus 1. All
 * tiles at this distance are scored, so masks have the same bits as without tiles. Small tiles are
 * faster, because fewer pixels are scored around an object, until calls for short rows cost more.
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

enum { LINE = 64 };                                  /* bytes of a line of the cache */
enum { ROWS = CHI_MASK_STRIP / CHI_MASK_TILE_ROWS }; /* rows of tiles in a strip */
_Static_assert(CHI_MASK_STRIP % CHI_MASK_TILE_ROWS == 0 && ROWS <= 2,
               "the chosen tiles of a column of a strip are adjacent");

void chi_mask_tiles_reserve(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    tiles->across = (m->size.width + CHI_MASK_TILE - 1) / CHI_MASK_TILE;
    tiles->strips = (m->size.height + CHI_MASK_STRIP - 1) / CHI_MASK_STRIP;
    tiles->stride = (tiles->across + LINE - 1) / LINE * LINE;
    int64_t columns = tiles->stride * tiles->strips, count = ROWS * tiles->across * tiles->strips;
    tiles->most = chi_arena_alloc(&m->arena, count, sizeof *tiles->most);
    tiles->share = chi_arena_alloc(&m->arena, count, sizeof *tiles->share);
    tiles->near = chi_arena_alloc(&m->arena, count, sizeof *tiles->near);
    tiles->far = chi_arena_alloc(&m->arena, count, sizeof *tiles->far);
    tiles->held = chi_arena_alloc_zero(&m->arena, tiles->strips, sizeof *tiles->held);
    tiles->doubt = chi_arena_alloc(&m->arena, columns, 1);
    tiles->hot = chi_arena_alloc(&m->arena, columns, 1);
    tiles->active = chi_arena_alloc(&m->arena, columns, 1);
    tiles->touched = chi_arena_alloc(&m->arena, columns, 1);
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
        w->out = chi_arena_alloc(arena, 3 * width, 1);
        w->low = chi_arena_alloc(arena, 3 * width, 1);
        w->high = chi_arena_alloc(arena, 3 * width, 1);
        w->split = chi_arena_alloc(arena, 3 * width, 1);
        w->made = chi_arena_alloc(arena, CHI_MASK_PLANES * width, sizeof *w->made);
    }
    return chi_arena_status(arena, "masks");
}

/* Tiles up to this many columns and rows of tiles from a hot one are active. */
static int64_t tiles_around(const ch_masker *m, int64_t tile) {
    int64_t reach = 2 * m->set.smooth + CHI_MASK_SHADE + 1;
    return (reach + tile - 1) / tile;
}

/* Foreground is at most the score's radius away from a pixel that is off, and closing adds its own
 * radius. */
int chi_mask_tiles_hold_closed(const ch_masker *m) {
    int64_t across = CHI_MASK_TILE * tiles_around(m, CHI_MASK_TILE);
    int64_t down = CHI_MASK_TILE_ROWS * tiles_around(m, CHI_MASK_TILE_ROWS);
    return m->set.smooth + m->set.close <= (across < down ? across : down);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the pixels of a tile. Below the frame it has none. */
static chi_mask_window tile_window(const ch_masker *m, int64_t x, int64_t y) {
    int64_t left = x * CHI_MASK_TILE, top = smaller(y * CHI_MASK_TILE_ROWS, m->size.height);
    return (chi_mask_window){left,
                             smaller(left + CHI_MASK_TILE, m->size.width),
                             {top, smaller(top + CHI_MASK_TILE_ROWS, m->size.height)}};
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
    memset(m->tiles.held, 0, (size_t)m->tiles.strips * sizeof *m->tiles.held);
    for (int64_t tile = 0; tile < m->tiles.across * m->tiles.strips * ROWS; tile++) {
        chi_mask_window v = tile_window(m, tile % m->tiles.across, tile / m->tiles.across);
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

/* Returns the rows of a plane that belong to rows [low, high) of the frame, without the end. */
static chi_rows rows_of_plane(const ch_masker *m, int plane, int64_t low, int64_t high) {
    int64_t by = chi_plane_is_half(&m->layout, plane) ? 2 : 1, height = m->size.height;
    return (chi_rows){smaller(low, height) / by, smaller(high, height) / by};
}

/* Returns the rows of a plane in a row of tiles. */
static chi_rows rows_of_tiles(const ch_masker *m, int plane, int64_t y) {
    return rows_of_plane(m, plane, y * CHI_MASK_TILE_ROWS, (y + 1) * CHI_MASK_TILE_ROWS);
}

/* Returns the number of values of a frame before row y of a plane. */
static int64_t place_of(const ch_masker *m, int plane, int64_t y) {
    return chi_plane_offset(&m->layout, plane) + y * chi_plane_width(&m->layout, plane);
}

/* Makes row y of the current background the reference. The bounds of a packed frame are packed
 * too. */
static void hold_row(ch_masker *m, const chi_mask_work *w, int plane, int64_t y) {
    chi_mask_tiles *tiles = &m->tiles;
    int64_t width = chi_plane_width(&m->layout, plane), at = place_of(m, plane, y);
    const float *share = tiles->share + y / CHI_MASK_TILE_ROWS * tiles->across;
    int packed = m->making->packed != NULL;
    uint8_t *low = packed ? w->low + plane * width : tiles->low + at;
    uint8_t *high = packed ? w->high + plane * width : tiles->high + at;
    if (m->layout.halves)
        m->tile_loops->hold_shares(tiles->base + at, tiles->scale + at, w->probe, width);
    else
        m->tile_loops->hold_bounds(low, high, w->probe, share, tiles->slack, width, CHI_MASK_TILE);
}

/* Puts the bounds of row y in three planes side by side. */
static void pack_row(ch_masker *m, const chi_mask_work *w, int64_t y) {
    int64_t width = m->size.width, at = 3 * y * width;
    const uint8_t *low[] = {w->low, w->low + width, w->low + 2 * width};
    const uint8_t *high[] = {w->high, w->high + width, w->high + 2 * width};
    m->live_loops->join(m->tiles.low + at, low, width);
    m->live_loops->join(m->tiles.high + at, high, width);
}

/* Makes the current background the reference of a strip. */
static void hold_strip(ch_masker *m, int64_t strip, const chi_mask_work *w) {
    const chi_mask_making *making = m->making;
    int64_t top = strip * CHI_MASK_STRIP;
    int first = 1;
    for (int64_t row = 0; row < CHI_MASK_STRIP; row++)
        for (int p = 0; p < m->planes; p++) {
            chi_rows rows = rows_of_plane(m, p, top, top + CHI_MASK_STRIP);
            int64_t width = chi_plane_width(&m->layout, p), y = rows.low + row;
            if (y >= rows.high) continue;
            making->make(making->user, w->probe, p, y * width, width);
            hold_row(m, w, p, y);
            making->hold(making->user, strip, first, p, y * width, width, w->probe);
            first = 0;
            if (making->packed && p == 2) pack_row(m, w, y);
        }
    m->tiles.held[strip] = making->packed ? CHI_HELD_PACKED : CHI_HELD_PLANES;
}

static const uint8_t *pixels_of(const ch_masker *m, int plane, int64_t y) {
    return m->in[plane].pixels + y * chi_plane_width(&m->layout, plane);
}

/* Sets doubt for a row of tiles with planes of full size. A packed frame is one plane with three
 * values per pixel. */
static void probe_values(const ch_masker *m, uint8_t *doubt, const chi_mask_work *w, int64_t y,
                         uint8_t bit) {
    const chi_mask_tiles *tiles = &m->tiles;
    const uint8_t *packed = m->making->packed, *found;
    chi_rows rows = rows_of_tiles(m, 0, y);
    int planes = packed ? 1 : m->planes;
    int64_t by = packed ? 3 : 1, width = by * m->size.width, tile = by * CHI_MASK_TILE;
    uint8_t *out = w->out;
    memset(out, 0, (size_t)width);
    for (int64_t row = rows.low; row < rows.high; row++)
        for (int p = 0; p < planes; p++) {
            int64_t at = packed ? row * width : place_of(m, p, row);
            const uint8_t *x = packed ? packed + at : pixels_of(m, p, row);
            m->tile_loops->outside(out, x, tiles->low + at, tiles->high + at, width);
        }
    for (int64_t x = 0; x < width && (found = memchr(out + x, 1, (size_t)(width - x)));) {
        int64_t t = (found - out) / tile;
        doubt[t] |= bit;
        x = (t + 1) * tile;
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

/* Does the same with colour at half the resolution. */
static void probe_halves(const ch_masker *m, uint8_t *doubt, const chi_mask_work *w, int64_t y,
                         uint8_t bit) {
    enum { SQUARES = CHI_MASK_TILE / 2 };
    const chi_mask_tiles *tiles = &m->tiles;
    chi_rows rows = rows_of_tiles(m, 1, y);
    int64_t width = m->size.width / 2, tile = y * tiles->across;
    memset(w->near, 0, (size_t)width * sizeof *w->near);
    memset(w->far, 0, (size_t)width * sizeof *w->far);
    for (int64_t row = rows.low; row < rows.high; row++) {
        chi_tile_rows four[] = {tile_rows(m, 0, 2 * row), tile_rows(m, 0, 2 * row + 1),
                                tile_rows(m, 1, row), tile_rows(m, 2, row)};
        m->tile_loops->squares(w->near, w->far, four, width);
    }
    for (int64_t t = 0; t < tiles->across; t++, tile++) {
        int64_t from = t * SQUARES, count = smaller(SQUARES, width - from);
        if (above(w->near + from, count, tiles->near[tile]) |
            above(w->far + from, count, tiles->far[tile]))
            doubt[t] |= bit;
    }
}

void chi_mask_tiles_probe(ch_masker *m, int64_t strip, int thread) {
    chi_mask_tiles *tiles = &m->tiles;
    const chi_mask_work *w = &m->works[thread];
    const chi_mask_making *making = m->making;
    uint8_t *doubt = tiles->doubt + strip * tiles->stride;
    chi_tile_held wanted = making->packed ? CHI_HELD_PACKED : CHI_HELD_PLANES;
    if (tiles->held[strip] != wanted || making->moved(making->user, strip) > tiles->slack)
        hold_strip(m, strip, w);
    memset(doubt, 0, (size_t)tiles->across);
    for (int row = 0; row < ROWS; row++)
        (m->layout.halves ? probe_halves : probe_values)(m, doubt, w, strip * ROWS + row,
                                                         (uint8_t)(1 << row));
}

/* Returns whether a tile has a pixel beyond its bound. */
static int is_hot(const ch_masker *m, const float *ratio, int64_t x, int64_t y) {
    chi_mask_window v = tile_window(m, x, y);
    float most = m->tiles.most[y * m->tiles.across + x];
    int hot = 0;
    for (int64_t row = v.rows.low; row < v.rows.high; row++)
        hot |= m->tile_loops->beyond(ratio + row * m->size.width + v.left, most, v.right - v.left);
    return hot;
}

void chi_mask_tiles_decide(ch_masker *m, const float *ratio, int64_t strip) {
    const chi_mask_tiles *tiles = &m->tiles;
    const uint8_t *doubt = tiles->doubt + strip * tiles->stride;
    uint8_t *hot = tiles->hot + strip * tiles->stride;
    for (int64_t x = 0; x < tiles->across; x++) {
        hot[x] = doubt[x];
        for (int row = 0; row < ROWS && hot[x]; row++)
            if (doubt[x] >> row & 1 && !is_hot(m, ratio, x, strip * ROWS + row))
                hot[x] &= (uint8_t) ~(1 << row);
    }
}

/* Marks the tiles around tile (x, y) as active. */
static void activate(ch_masker *m, int64_t x, int64_t y) {
    chi_mask_tiles *tiles = &m->tiles;
    int64_t columns = tiles_around(m, CHI_MASK_TILE), rows = tiles_around(m, CHI_MASK_TILE_ROWS);
    chi_rows wide = chi_rows_around((chi_rows){x, x + 1}, columns, tiles->across);
    chi_rows high = chi_rows_around((chi_rows){y, y + 1}, rows, tiles->strips * ROWS);
    for (int64_t v = high.low; v < high.high; v++)
        for (int64_t u = wide.low; u < wide.high; u++)
            tiles->active[v / ROWS * tiles->stride + u] |= (uint8_t)(1 << v % ROWS);
}

void chi_mask_tiles_spread(ch_masker *m) {
    chi_mask_tiles *tiles = &m->tiles;
    memset(tiles->active, 0, (size_t)(tiles->stride * tiles->strips));
    for (int64_t strip = 0; strip < tiles->strips; strip++)
        for (int64_t x = 0; x < tiles->across; x++)
            for (int row = 0, bits = tiles->hot[strip * tiles->stride + x]; bits; row++, bits /= 2)
                if (bits & 1) activate(m, x, strip * ROWS + row);
}

chi_rows chi_mask_tiles_rows(const ch_masker *m) {
    const chi_mask_tiles *tiles = &m->tiles;
    int64_t columns = tiles->stride * tiles->strips, first = 0, last = columns - 1;
    while (first < columns && !tiles->active[first]) first++;
    while (last > first && !tiles->active[last]) last--;
    if (first == columns) return (chi_rows){0, 0};
    return rows_of_plane(m, 0, first / tiles->stride * CHI_MASK_STRIP,
                         (last / tiles->stride + 1) * CHI_MASK_STRIP);
}

static int chosen(const chi_mask_tiles *tiles, int64_t column, chi_tile_choice choice) {
    int active = tiles->active[column], doubt = tiles->doubt[column];
    return choice == CHI_TILE_DOUBT ? doubt : choice == CHI_TILE_ACTIVE ? active : active & ~doubt;
}

/* Returns the rows of the chosen tiles of a column of a strip. */
static chi_rows rows_of_bits(const ch_masker *m, int64_t strip, int bits) {
    int64_t y = strip * ROWS, low = 0, high = 0;
    while (!(bits >> low & 1)) low++;
    while (bits >> high) high++;
    return rows_of_plane(m, 0, (y + low) * CHI_MASK_TILE_ROWS, (y + high) * CHI_MASK_TILE_ROWS);
}

int chi_mask_tiles_next(const ch_masker *m, chi_mask_window *v, int64_t strip,
                        chi_tile_choice choice) {
    int64_t across = m->tiles.across, first = strip * m->tiles.stride;
    int64_t from = (v->right + CHI_MASK_TILE - 1) / CHI_MASK_TILE, to;
    while (from < across && !chosen(&m->tiles, first + from, choice)) from++;
    if (from >= across) return 0;
    int bits = chosen(&m->tiles, first + from, choice);
    for (to = from; to < across && chosen(&m->tiles, first + to, choice) == bits;) to++;
    v->left = from * CHI_MASK_TILE;
    v->right = smaller(to * CHI_MASK_TILE, m->size.width);
    v->rows = rows_of_bits(m, strip, bits);
    return 1;
}

/* Clears what an earlier frame left in a tile without foreground. With `ratios`, also clears the
 * ratios, which may belong to this frame. */
static void clear_tile(const ch_masker *m, chi_mask_work *w, int64_t x, int64_t y, int ratios) {
    chi_mask_window v = tile_window(m, x, y);
    size_t count = (size_t)(v.right - v.left);
    for (int64_t row = v.rows.low; row < v.rows.high; row++) {
        int64_t at = row * m->size.width + v.left;
        if (ratios) memset(w->ratio + at, 0, count * sizeof *w->ratio);
        memset(w->raw + at, 0, count);
        memset(w->shade + at, 0, count);
    }
}

void chi_mask_tiles_clear(ch_masker *m, chi_mask_work *w, int64_t strip) {
    chi_mask_tiles *tiles = &m->tiles;
    for (int64_t x = 0; x < tiles->across; x++) {
        int64_t column = strip * tiles->stride + x;
        int written = tiles->active[column] | tiles->doubt[column];
        int left = tiles->touched[column] & ~tiles->active[column];
        for (int row = 0; left >> row; row++)
            if (left >> row & 1) clear_tile(m, w, x, strip * ROWS + row, !(written >> row & 1));
        tiles->touched[column] = (uint8_t)written;
    }
}

void chi_mask_tiles_touch(ch_masker *m) {
    memset(m->tiles.touched, (1 << ROWS) - 1, (size_t)(m->tiles.stride * m->tiles.strips));
}
