/* Detects a camera that moves: the frames that are learned from are compared with one of them, at
 * first the first. Tiles of TILE x TILE pixels are spread over the picture. With
 * l = log(pixel + c), the error of a tile at the shift (u, v) is
 *
 *     E(u, v) = sum (l(x + u, y + v) - l_held(x, y) - mean)^2
 *
 * over every second row of the tile. The mean is that of the differences, so that a change of light
 * cancels. A tile says that the camera
 *
 *     stands still      if E(0, 0) is at most half of E at the four shifts by one pixel
 *     moved by (u, v)   if E(u, v) is at most half of E(0, 0), and of E with l = 0
 *
 * and the first counts alone if both hold. A shift by more than 0.59 pixels is nearer to one pixel
 * than to zero by this measure: (1 - s)^2 <= s^2 / 2. Tiles that are plain or noisy say nothing,
 * and objects move tiles in different ways. The camera moved if one shift is said by at least a
 * sixteenth of the watched tiles and by more than half of those that say anything. If hardly any
 * tile says anything, the picture is a different one, and the frame becomes the one that others are
 * compared with. The camera moves, or was moved, if it moved in a quarter of the frames.
 *
 * Cost: five sums over a tile, for at most TILES tiles and CHI_MASK_SAMPLES frames of a clip.
 * Unless more than half of the tiles stand still, 81 more sums for each of the others. */
#include "video/mask/masker.h"
#include <math.h>

enum { TILE = 16, ACROSS = 16, DOWN = 12, TILES = ACROSS * DOWN };
enum { LEAST = 4 }; /* the least number of tiles by which anything is decided */
enum { REACH = 4, SHIFTS = 2 * REACH + 1 }; /* the largest shift that is tried; shifts per axis */
enum { ROW_STEP = 2, VALUES = TILE * TILE / ROW_STEP };
/* Integer logarithms: a log ratio of 1 has this many levels, so that VALUES squares fit 32 bits. */
static const double LEVELS = 500;
static const double BETTER = 0.5, FEWEST = 1.0 / 16, AGREE = 0.5, OFTEN = 0.25;

typedef struct tile_place {
    int64_t x, y;
} tile_place;

static int64_t tiles_along(int64_t length, int64_t most) {
    int64_t fit = (length - 2 * REACH) / TILE;
    return fit < 0 ? 0 : fit < most ? fit : most;
}

static int64_t tiles_of(const ch_masker *m) {
    return tiles_along(m->size.width, ACROSS) * tiles_along(m->size.height, DOWN);
}

/* Returns the upper left pixel of a tile in the middle of its part of the picture. */
static tile_place place_of(const ch_masker *m, int64_t tile) {
    int64_t across = tiles_along(m->size.width, ACROSS), down = tiles_along(m->size.height, DOWN);
    int64_t width = m->size.width - 2 * REACH, height = m->size.height - 2 * REACH;
    tile_place at = {tile % across * width / across, tile / across * height / down};
    at.x += REACH + (width / across - TILE) / 2;
    at.y += REACH + (height / down - TILE) / 2;
    return at;
}

static int is_watched(const ch_masker *m, tile_place at) {
    for (int64_t k = 0; k < TILE * TILE && m->region; k++)
        if (!m->region[(at.y + k / TILE) * m->size.width + at.x + k % TILE]) return 0;
    return 1;
}

void chi_mask_shift_watch(ch_masker *m) {
    m->shift.watched = 0;
    for (int64_t t = 0; t < tiles_of(m); t++) m->shift.watched += is_watched(m, place_of(m, t));
}

void chi_mask_shift_reserve(ch_masker *m) {
    chi_mask_shift *shift = &m->shift;
    shift->held = chi_arena_alloc(&m->arena, tiles_of(m) * VALUES, sizeof *shift->held);
    for (int v = 0; v < 256; v++) shift->logs[v] = (int16_t)lround(LEVELS * log(v + CHI_DARK));
}

/* Copies the logarithms of a tile and REACH pixels around it. */
enum { WIDE = TILE + 2 * REACH };
static void take_tile(const ch_masker *m, int16_t *to, const uint8_t *pixels, tile_place at) {
    for (int64_t y = 0; y < WIDE; y++) {
        const uint8_t *from = pixels + (at.y - REACH + y) * m->size.width + at.x - REACH;
        for (int64_t x = 0; x < WIDE; x++) to[y * WIDE + x] = m->shift.logs[from[x]];
    }
}

/* Returns E(u, v) of a tile, with `now` from take_tile(). */
static double error_at(const int16_t *now, const int16_t *held, int u, int v) {
    int32_t sum = 0, squares = 0;
    now += (REACH + v) * WIDE + REACH + u;
    for (int y = 0; y < TILE / ROW_STEP; y++)
        for (int x = 0; x < TILE; x++) {
            int32_t d = now[y * ROW_STEP * WIDE + x] - held[y * TILE + x];
            sum += d;
            squares += d * d;
        }
    return squares - (double)sum * sum / VALUES;
}

static int stands_still(const int16_t *now, const int16_t *held, double here) {
    return here <= BETTER * error_at(now, held, 1, 0) &&
           here <= BETTER * error_at(now, held, -1, 0) &&
           here <= BETTER * error_at(now, held, 0, 1) &&
           here <= BETTER * error_at(now, held, 0, -1);
}

/* Adds the shifts that a tile says to votes[]. Returns whether there are any. */
static int vote(int *votes, const int16_t *now, const int16_t *held, double here) {
    static const int16_t plain[WIDE * WIDE];
    double most = BETTER * fmin(here, error_at(plain, held, 0, 0));
    int any = 0;
    for (int k = 0; k < SHIFTS * SHIFTS; k++) {
        int says = error_at(now, held, k % SHIFTS - REACH, k / SHIFTS - REACH) < most;
        votes[k] += says;
        any |= says;
    }
    return any;
}

static void hold(ch_masker *m, const uint8_t *pixels) {
    int16_t now[WIDE * WIDE];
    for (int64_t t = 0; t < tiles_of(m); t++) {
        take_tile(m, now, pixels, place_of(m, t));
        for (int64_t k = 0; k < VALUES; k++)
            m->shift.held[t * VALUES + k] =
                now[(REACH + k / TILE * ROW_STEP) * WIDE + REACH + k % TILE];
    }
}

/* Returns whether the camera has moved between the held frame and this one, which is held instead
 * if it shows something else. */
static int has_moved(ch_masker *m, const uint8_t *pixels) {
    int votes[SHIFTS * SHIFTS] = {0}, most = 0;
    int16_t now[WIDE * WIDE];
    uint8_t stood[TILES] = {0}; /* each tile counts once */
    int64_t watched = m->shift.watched, still = 0, say = 0;
    double fewest = fmax(FEWEST * (double)watched, LEAST);
    for (int pass = 0; pass < 2 && 2 * still <= watched; pass++)
        for (int64_t t = 0; t < tiles_of(m); t++) {
            tile_place at = place_of(m, t);
            const int16_t *held = m->shift.held + t * VALUES;
            if (stood[t] || !is_watched(m, at)) continue;
            take_tile(m, now, pixels, at);
            double here = error_at(now, held, 0, 0);
            if (pass == 0)
                still += stood[t] = (uint8_t)stands_still(now, held, here);
            else
                say += vote(votes, now, held, here);
        }
    for (int k = 0; k < SHIFTS * SHIFTS; k++) most = votes[k] > most ? votes[k] : most;
    if ((double)(still + say) < fewest) hold(m, pixels);
    return most >= fewest && most > AGREE * (double)(still + say);
}

void chi_mask_shift_learn(ch_masker *m, int64_t frame) {
    const ch_mask_plane *in = &m->in[chi_plane_bright(&m->layout)];
    const uint8_t *pixels = in->pixels + frame * in->stride;
    if (tiles_of(m) == 0) return;
    if (m->memory.frames == 0)
        hold(m, pixels);
    else /* later frames are farther apart */
        m->shift.moved += m->memory.spacing * has_moved(m, pixels);
}

int chi_mask_shift_moves(const ch_masker *m) {
    return m->shift.moved > 0 && (double)m->shift.moved >= OFTEN * (double)m->memory.frames;
}
