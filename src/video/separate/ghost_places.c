/* Where a clip does not look the same all the time, and which look is the empty one.
 *
 * Places: parts of the frame that differ from the background by 6 noises in at least two stretches
 * of time. For each, every state is tried as background. What stands in front of a wall has an
 * outline: inside it is another thing than outside. An empty wall goes on. So four points at equal
 * distances, i', i inside and o, o' outside, on each line across the outline of what a state
 * changes say how much of an outline a look has there,
 *
 *     e = 2 |L_i - L_o| - |L_i - L_i'| - |L_o - L_o'|,   L = log(background + c) then,
 *
 * summed over lines: twice the differences between both sides less those within each, the energy
 * distance of Szekely and Rizzo between what is inside and what is outside. It is 0 on the average
 * wherever the pattern goes on, be it plain, fine or steep, and positive for anything else: a plain
 * thing before a pattern is as much of an outline as a pattern before a plain wall, which the sum
 * of all differences of neighbours would tell from each other the wrong way round.
 *
 * A state replaces the background if it leaves at most half of that outline, by more than 3
 * standard errors of what the lines lose (so there are at least 9), lasts for a fifth of the clip
 * (something that stands there for less may hide the pattern of a wall just as well), and came or
 * went while the light stayed: the place was seen with this look and without it in two states whose
 * background differs by no more than two looks that count as the same. What the background misses
 * of a change of light is hardly more than that change, so such a pair cannot come from it; a look
 * that changes with the light alone tells how the background fits, not what stood there. O(pixels x
 * states). */
#include "kernels/quick_log.h"
#include "video/separate/ghost_states.h"
#include <math.h>
#include <string.h>

/* Points of a line across an outline: pixels from one to the next, and how deep the first lies in
 * what differs. Means over 3 x 3 pixels differ one pixel farther out than pixels do, so the outline
 * is in the middle between the inner two. */
enum { APART = 3, DEPTH = 2 };
static const double DISTANCE = 6;  /* noises that make a place differ                        */
static const double SAME = 3;      /* noises within which two states are the same            */
static const double LEFT = 0.5;    /* of an outline, in an emptier look                      */
static const double ERRORS = 3;    /* standard errors by which a look is emptier              */
static const double LASTING = 0.2; /* share of the clip                                       */
static const double LEAST_AREA = 1.0 / CHI_GHOST_PLACES; /* of the frame */

float chi_ghost_value(const chi_ghost_states *states, uint32_t set, int64_t i) {
    double values[CHI_GHOST_STATES];
    int64_t count = 0, pixels = chi_pixels(states->size);
    for (int64_t s = 0; s < states->count; s++)
        if (set >> s & 1) values[count++] = states->ratio[s * pixels + i];
    return count ? (float)chi_select_value(values, count, (count - 1) / 2) : 0;
}

/* log(background + DARK) of a pixel, from log(background + 1). */
static double seen(double ground) {
    return log(exp(ground) + CHI_DARK - 1);
}

/* The mean over the 3 x 3 pixels around, those in the frame. */
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

/* Where states differ from the background: how far each pixel is, then the means around it. */
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

/* Numbers the parts that are large enough, from 1, in support, and finds the boxes around them. */
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

/* Whether most states of a set differ from the background at a pixel. */
static int changed(const place *here, uint32_t set, int64_t i) {
    return 2 * members(here->all->changes[i] & set) > members(set);
}

static int in_frame(chi_size size, int64_t x, int64_t y) {
    return x >= 0 && x < size.width && y >= 0 && y < size.height;
}

/* A step from one pixel to a neighbour. */
typedef struct way {
    int64_t x, y, dx, dy;
} way;

/* Four points at equal distances on a line across the outline of what the states of a set change at
 * the place, two inside and two outside; it leaves by that step. Zero: there is no such line. */
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

/* e of a line whose inner points look as the states of the set do (0: as they do now). */
static double step_on(const int64_t points[4], const chi_ghost_states *states, uint32_t set) {
    double at[4];
    for (int k = 0; k < 4; k++) {
        double ground = states->ground[points[k]];
        at[k] = seen(k < 2 ? ground + (double)chi_ghost_value(states, set, points[k]) : ground);
    }
    return 2 * fabs(at[1] - at[2]) - fabs(at[0] - at[1]) - fabs(at[2] - at[3]);
}

/* e now and then, summed over lines, and the squares of what a line loses. */
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

/* How far two states are apart at a pixel. */
static double apart(const chi_ghost_states *states, measure in, int64_t s, int64_t t, int64_t i) {
    int64_t pixels = chi_pixels(states->size);
    if (in == LOOK) return fabsf(states->ratio[s * pixels + i] - states->ratio[t * pixels + i]);
    return (float)fabs(chi_ghost_light(states, s, i) - chi_ghost_light(states, t, i));
}

/* The median distance of two states over the pixels of the place that some state of a set changes;
 * set 0: over all of them. */
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

/* The states that look like one of them, over what that one changes. */
static uint32_t states_like(const place *here, int64_t best) {
    double most = SAME * here->states->noise;
    uint32_t set = 0;
    for (int64_t s = 0; s < here->states->count; s++)
        if (median_apart(here, LOOK, s, best, UINT32_C(1) << best) <= most) set |= UINT32_C(1) << s;
    return set;
}

/* Whether the light is the same in two states: over the frame, and over the place itself, which may
 * have a lamp of its own. */
static int same_light(const place *here, int64_t s, int64_t t) {
    double most = SAME * here->states->noise;
    if (fabs(here->states->light[s] - here->states->light[t]) > most) return 0;
    return median_apart(here, LIGHT, s, t, 0) <= most;
}

/* Whether the place was seen with and without the look of a set in one light. If not, the other
 * look may be all that the background misses of a change of the light. */
static int seen_in_one_light(const place *here, uint32_t set) {
    for (int64_t s = 0; s < here->states->count; s++)
        for (int64_t t = 0; t < here->states->count; t++)
            if (set >> s & 1 && !(set >> t & 1) && same_light(here, s, t)) return 1;
    return 0;
}

/* The states that show the place empty; 0: none does. */
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
