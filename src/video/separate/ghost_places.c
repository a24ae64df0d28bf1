/* Finds the places where a clip does not look the same all the time, and decides which look is the
 * empty one.
 *
 * A place is a part of the frame that differs from the background by 6 noises in at least two
 * states (periods of the clip). For each place, every state is tried as background. An object in
 * front of a wall has an outline: the inside differs from the outside. An empty wall continues
 * across that line. So the outline is measured on lines that cross the border of the region that a
 * state changes. Each line has four points at equal distances, i' and i inside, o and o' outside:
 *
 *     e = 2 |L_i - L_o| - |L_i - L_i'| - |L_o - L_o'|,   L = log(background + c) with that state,
 *
 * summed over lines. This is twice the differences between both sides minus those within each side:
 * the energy distance of Szekely and Rizzo between inside and outside. Its mean is 0 wherever the
 * pattern continues, be it plain, fine or steep, and positive otherwise. A plain object in front of
 * a pattern has as much of an outline as a pattern in front of a plain wall; a sum of all
 * differences of neighbours would judge one of the two wrongly.
 *
 * A state replaces the background if all of the following hold:
 *
 *   - It leaves at most half of the outline, by more than 3 standard errors of the loss per line
 *     (which requires at least 9 lines).
 *   - It lasts for a fifth of the clip, because an object that stays for less may also hide the
 *     pattern of a wall.
 *   - It came or went while the light stayed the same: the place was seen with this look and
 *     without it in two states whose backgrounds differ by no more than two equal looks. The error
 *     of the background under a change of light is hardly larger than that change, so it cannot
 *     explain such a pair. A look that changes only with the light shows how well the background
 *     fits, not an object.
 *
 * Cost: O(pixels x states). */
#include "kernels/quick_log.h"
#include "video/separate/ghost_states.h"
#include <math.h>
#include <string.h>

/* The points of a line across an outline: the distance between them in pixels, and the depth of the
 * first inside the changed region. Means over 3 x 3 pixels extend the region by one pixel, so the
 * outline is midway between the inner two points. */
enum { APART = 3, DEPTH = 2 };
static const double DISTANCE = 6;  /* distance, in noises, from which a place differs */
static const double SAME = 3;      /* noises within which two states are the same     */
static const double LEFT = 0.5;    /* share of the outline left in an emptier look    */
static const double ERRORS = 3;    /* standard errors by which a look must be emptier */
static const double LASTING = 0.2; /* minimum share of the clip                       */
static const double LEAST_AREA = 1.0 / CHI_GHOST_PLACES; /* minimum share of the frame */

float chi_ghost_value(const chi_ghost_states *states, uint32_t set, int64_t i) {
    double values[CHI_GHOST_STATES];
    int64_t count = 0, pixels = chi_pixels(states->size);
    for (int64_t s = 0; s < states->count; s++)
        if (set >> s & 1) values[count++] = states->ratio[s * pixels + i];
    return count ? (float)chi_select_value(values, count, (count - 1) / 2) : 0;
}

/* Returns log(background + CHI_DARK) of a pixel, from log(background + 1). */
static double seen(double ground) {
    return log(exp(ground) + CHI_DARK - 1);
}

/* Returns the mean over the 3 x 3 pixels around that are in the frame. */
static double around(const double *values, chi_size size, int64_t x, int64_t y) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t v = y - 1; v <= y + 1; v++)
        for (int64_t u = x - 1; u <= x + 1; u++) {
            if (v < 0 || v >= size.height || u < 0 || u >= size.width) continue;
            sum += values[v * size.width + u];
            count++;
        }
    return sum / (double)count;
}

/* Finds where states differ from the background: the distance of each pixel, then the means around
 * it. */
typedef struct noting {
    chi_ghost_places *places;
    const chi_ghost_states *states;
    int64_t s;
} noting;

static void measure_row(void *user, int64_t y, int thread) {
    const noting *n = user;
    int64_t width = n->states->size.width, from = y * width, pixels = chi_pixels(n->states->size);
    const float *ratio = n->states->ratio + n->s * pixels, *ground = n->states->ground;
    const float dark = (float)CHI_DARK - 1;
    (void)thread;
    for (int64_t i = from; i < from + width; i++) {
        float now = expf(ground[i]), then = now * expf(ratio[i]);
        n->places->values[i] = fabsf(chi_quick_log((then + dark) / (now + dark)));
    }
}

static void note_row(void *user, int64_t y, int thread) {
    const noting *n = user;
    chi_size size = n->states->size;
    (void)thread;
    for (int64_t x = 0; x < size.width; x++) {
        uint32_t differs = around(n->places->values, size, x, y) >= DISTANCE * n->states->noise;
        n->places->changes[y * size.width + x] |= differs << n->s;
    }
}

static void note_changes(ch_context *context, chi_ghost_places *places,
                         const chi_ghost_states *states, int64_t s) {
    noting n = {places, states, s};
    chi_parallel(context, states->size.height, measure_row, &n);
    chi_parallel(context, states->size.height, note_row, &n);
}

static int members(uint32_t set) {
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

/* Numbers the parts that are large enough, from 1, in support, and finds their boxes. */
static void find_boxes(chi_ghost_places *places, chi_size size) {
    uint32_t count = 0;
    places->support[0] = 0;
    for (int64_t label = 1; label <= places->parts.count; label++) {
        int large = places->parts.area[label] >= LEAST_AREA * (double)chi_pixels(size);
        places->support[label] = large ? ++count : 0;
        if (large) places->box[count - 1] = (chi_ghost_box){size.width, size.height, 0, 0};
    }
    places->looked_at = count;
    for (int64_t y = 0, i = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++, i++) {
            uint32_t number = places->support[places->labels[i]];
            if (!number) continue;
            chi_ghost_box *box = &places->box[number - 1];
            if (x < box->left) box->left = x;
            if (x > box->right) box->right = x;
            if (y < box->top) box->top = y;
            if (y > box->bottom) box->bottom = y;
        }
}

/* ---- one place ----------------------------------------------------------------------------- */

typedef struct place {
    chi_ghost_places *all;
    const chi_ghost_states *states;
    int32_t label;
    chi_ghost_box box;
} place;

/* Returns whether most states of a set differ from the background at a pixel. */
static int changed(const place *here, uint32_t set, int64_t i) {
    return 2 * members(here->all->changes[i] & set) > members(set);
}

static int in_frame(chi_size size, int64_t x, int64_t y) {
    return x >= 0 && x < size.width && y >= 0 && y < size.height;
}

/* A pixel and a step from it to a neighbour. */
typedef struct way {
    int64_t x, y, dx, dy;
} way;

/* Finds four points at equal distances on a line across the outline of the region that the states
 * of a set change at the place, two inside and two outside. The line leaves the region by the step
 * `out`. Returns 0 if there is no such line. */
static int line_across(int64_t points[4], const place *here, uint32_t set, way out) {
    chi_size size = here->states->size;
    for (int64_t k = 0; k < 4; k++) {
        int64_t reach = (k - 1) * APART - DEPTH, u = out.x + reach * out.dx;
        int64_t v = out.y + reach * out.dy;
        if (!in_frame(size, u, v)) return 0;
        points[k] = v * size.width + u;
        int inside = changed(here, set, points[k]);
        if (inside != (k < 2) || (inside && here->all->labels[points[k]] != here->label)) return 0;
    }
    return 1;
}

/* Returns e of a line whose inner points look as in the states of the set, or as now if set is
 * 0. */
static double step_on(const int64_t points[4], const chi_ghost_states *states, uint32_t set) {
    double at[4];
    for (int k = 0; k < 4; k++) {
        double ground = states->ground[points[k]];
        at[k] = seen(k < 2 ? ground + (double)chi_ghost_value(states, set, points[k]) : ground);
    }
    return 2 * fabs(at[1] - at[2]) - fabs(at[0] - at[1]) - fabs(at[2] - at[3]);
}

/* Sums over lines: e now, e with the state, and the squares of the loss of each line. */
typedef struct outline {
    double now, then, squares;
} outline;

/* Adds the lines that leave the outline at a pixel. */
static void add_lines(outline *sums, const place *here, uint32_t set, int64_t x, int64_t y) {
    static const int64_t ways[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    chi_size size = here->states->size;
    for (int k = 0; k < 4; k++) {
        int64_t points[4], u = x + ways[k][0], v = y + ways[k][1];
        if (!in_frame(size, u, v) || changed(here, set, v * size.width + u)) continue;
        if (!line_across(points, here, set, (way){x, y, ways[k][0], ways[k][1]})) continue;
        double now = step_on(points, here->states, 0), then = step_on(points, here->states, set);
        sums->now += now;
        sums->then += then;
        sums->squares += (now - then) * (now - then);
    }
}

static outline outline_of(const place *here, uint32_t set) {
    const chi_ghost_box *box = &here->box;
    outline sums = {0};
    for (int64_t y = box->top; y <= box->bottom; y++)
        for (int64_t x = box->left; x <= box->right; x++)
            if (changed(here, set, y * here->states->size.width + x))
                add_lines(&sums, here, set, x, y);
    return sums;
}

static int emptier(outline o) {
    return o.then <= LEFT * o.now && o.now - o.then >= ERRORS * sqrt(o.squares) && o.now > 0;
}

typedef enum measure { LOOK, LIGHT } measure;

/* Returns the distance of two states at a pixel. */
static double apart(const chi_ghost_states *states, measure in, int64_t s, int64_t t, int64_t i) {
    int64_t pixels = chi_pixels(states->size);
    if (in == LOOK) return fabsf(states->ratio[s * pixels + i] - states->ratio[t * pixels + i]);
    return (float)fabs(chi_ghost_light(states, s, i) - chi_ghost_light(states, t, i));
}

/* Returns the median distance of two states over the pixels of the place that some state of a set
 * changes, or over all its pixels if set is 0. */
static double median_apart(const place *here, measure in, int64_t s, int64_t t, uint32_t set) {
    const chi_ghost_box *box = &here->box;
    int64_t count = 0, width = here->states->size.width;
    double *values = here->all->values;
    for (int64_t y = box->top; y <= box->bottom; y++)
        for (int64_t i = y * width + box->left; i <= y * width + box->right; i++)
            if (here->all->labels[i] == here->label && (!set || here->all->changes[i] & set))
                values[count++] = apart(here->states, in, s, t, i);
    return chi_select_value(values, count, (count - 1) / 2);
}

/* Returns the states that look like state `best` over the pixels that it changes. */
static uint32_t states_like(const place *here, int64_t best) {
    double most = SAME * here->states->noise;
    uint32_t set = 0;
    for (int64_t s = 0; s < here->states->count; s++)
        if (median_apart(here, LOOK, s, best, UINT32_C(1) << best) <= most) set |= UINT32_C(1) << s;
    return set;
}

/* Returns whether the light is the same in two states: over the frame, and over the place itself,
 * which may have its own lamp. */
static int same_light(const place *here, int64_t s, int64_t t) {
    double most = SAME * here->states->noise;
    if (fabs(here->states->light[s] - here->states->light[t]) > most) return 0;
    return median_apart(here, LIGHT, s, t, 0) <= most;
}

/* Returns whether the place was seen with and without the look of a set in one light. If not, the
 * other look may be the error of the background under a change of light. */
static int seen_in_one_light(const place *here, uint32_t set) {
    for (int64_t s = 0; s < here->states->count; s++)
        for (int64_t t = 0; t < here->states->count; t++)
            if (set >> s & 1 && !(set >> t & 1) && same_light(here, s, t)) return 1;
    return 0;
}

/* Returns the states that show the place empty, or 0 if none does. */
static uint32_t judge(const place *here) {
    double most = 0;
    int64_t best = 0;
    for (int64_t s = 0; s < here->states->count; s++) {
        outline lines = outline_of(here, UINT32_C(1) << s);
        if (!emptier(lines) || lines.now - lines.then <= most) continue;
        most = lines.now - lines.then;
        best = s;
    }
    if (most <= 0) return 0;
    uint32_t set = states_like(here, best);
    if (members(set) < LASTING * (double)here->states->count) return 0;
    if (!emptier(outline_of(here, set))) return 0;
    return seen_in_one_light(here, set) ? set : 0;
}

ch_status chi_ghost_find(ch_context *context, chi_ghost_places *places,
                         const chi_ghost_states *states) {
    int64_t pixels = chi_pixels(states->size);
    memset(places->changes, 0, (size_t)pixels * sizeof *places->changes);
    for (int64_t s = 0; s < states->count; s++) note_changes(context, places, states, s);
    for (int64_t i = 0; i < pixels; i++) places->spare[i] = members(places->changes[i]) >= 2;
    chi_mask_vote(places->mask, places->spare, places->counts, states->size, 1, CHI_VOTE_MOST);
    chi_parts_find(&places->parts, places->mask, states->size, 1, CHI_CORNERS);
    chi_parts_label(&places->parts, places->labels, states->size);
    find_boxes(places, states->size);
    for (int32_t label = 1; label <= places->parts.count; label++) {
        uint32_t number = places->support[label];
        if (!number) continue;
        place here = {places, states, label, places->box[number - 1]};
        places->support[label] = judge(&here);
        if (chi_notify(context, "ghosts", number, places->looked_at, -1, 0))
            return CH_STOP_CANCELLED;
    }
    return CH_OK;
}
