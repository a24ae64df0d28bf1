/* Where a clip does not look the same all the time, and which look is the empty one.
 *
 * Places: parts of the frame that differ from the background by 6 noises in at least two stretches
 * of time. For each, every state is tried as background; what stands in front of a wall adds its
 * outline, so the state with the least sum of |differences of neighbours| over the place and its
 * rim is the emptiest:
 *
 *     e(state) = sum over pairs i, j of neighbours |L_i - L_j|,   L = log(background + c) then
 *
 * It replaces the background if it has at least 15 % less of it than the background has now, lasts
 * for a fifth of the clip (something that stands there for less may hide the pattern of a wall just
 * as well), and came or went while the light stayed: the place was seen with this look and without
 * it in two states whose background differs by no more than two looks that count as the same. What
 * the background misses of a change of light is hardly more than that change, so such a pair cannot
 * come from it; a look that changes with the light alone tells how the background fits, not what
 * stood there. O(pixels x states). */
#include "app/ghost_states.h"
#include <math.h>
#include <string.h>

static const double DISTANCE = 6;  /* noises that make a place differ                        */
static const double SAME = 3;      /* noises within which two states are the same            */
static const double LESS = 0.85;   /* of the differences of neighbours that must be left      */
static const double LASTING = 0.2; /* share of the clip                                       */
static const double LEAST_AREA = 1.0 / CHI_GHOST_PLACES; /* of the frame */

float chi_ghost_median(float *values, int64_t count) {
    int64_t low = 0, high = count - 1, wanted = (count - 1) / 2;
    while (low < high) { /* Hoare's selection */
        float pivot = values[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            float swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            break;
    }
    return values[wanted];
}

float chi_ghost_value(const chi_ghost_states *states, uint32_t set, int64_t i) {
    float values[CHI_GHOST_STATES];
    int64_t count = 0, pixels = chi_pixels(states->size);
    for (int64_t s = 0; s < states->count; s++)
        if (set >> s & 1) values[count++] = states->ratio[s * pixels + i];
    return count ? chi_ghost_median(values, count) : 0;
}

/* log(background + DARK) of a pixel, from log(background + 1). */
static double seen(double ground) {
    return log(exp(ground) + CHI_GHOST_DARK - 1);
}

/* The mean over the 3 x 3 pixels around, those in the frame. */
static double around(const float *values, chi_size size, int64_t x, int64_t y) {
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

/* spare counts in how many states a pixel differs from the background. */
static void count_changes(chi_ghost_places *places, const chi_ghost_states *states, int64_t s) {
    chi_size size = states->size;
    const float *ratio = states->ratio + s * chi_pixels(size), *ground = states->ground;
    for (int64_t i = 0; i < chi_pixels(size); i++)
        places->values[i] =
            (float)fabs(seen((double)ground[i] + (double)ratio[i]) - seen(ground[i]));
    for (int64_t y = 0, i = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++, i++)
            places->spare[i] += around(places->values, size, x, y) >= DISTANCE * states->noise;
}

static void mark_changing(chi_ghost_places *places, const chi_ghost_states *states) {
    int64_t pixels = chi_pixels(states->size);
    memset(places->spare, 0, (size_t)pixels);
    for (int64_t s = 0; s < states->count; s++) count_changes(places, states, s);
    for (int64_t i = 0; i < pixels; i++) places->spare[i] = places->spare[i] >= 2;
    chi_mask_vote(places->mask, places->spare, places->counts, states->size, 1, CHI_VOTE_MOST);
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
            uint32_t number = places->support[places->parts.labels[i]];
            if (!number) continue;
            chi_ghost_box *box = &places->box[number - 1];
            if (x < box->left) box->left = x;
            if (x > box->right) box->right = x;
            if (y < box->top) box->top = y;
            if (y > box->bottom) box->bottom = y;
        }
}

/* Marks the pixels of a part and of its rim in spare, within the box, which grows by the rim. */
static void mark_rim(chi_ghost_places *places, chi_size size, int32_t label, chi_ghost_box *box) {
    chi_ghost_box part = *box;
    box->left -= box->left > 0;
    box->top -= box->top > 0;
    box->right += box->right + 1 < size.width;
    box->bottom += box->bottom + 1 < size.height;
    for (int64_t y = box->top; y <= box->bottom; y++)
        memset(places->spare + y * size.width + box->left, 0, (size_t)(box->right - box->left + 1));
    for (int64_t y = part.top; y <= part.bottom; y++)
        for (int64_t x = part.left; x <= part.right; x++) {
            if (places->parts.labels[y * size.width + x] != label) continue;
            for (int64_t v = y ? y - 1 : 0; v <= y + 1 && v < size.height; v++)
                for (int64_t u = x ? x - 1 : 0; u <= x + 1 && u < size.width; u++)
                    places->spare[v * size.width + u] = 1;
        }
}

/* Log of the background at a pixel if the part looked as the states of the set do (0: as it is
 * now). */
static double looks(const chi_ghost_places *places, const chi_ghost_states *states, uint32_t set,
                    int32_t label, int64_t i) {
    double ground = states->ground[i];
    if (places->parts.labels[i] == label) ground += chi_ghost_value(states, set, i);
    return seen(ground);
}

static double edges(const chi_ghost_places *places, const chi_ghost_states *states, uint32_t set,
                    int32_t label, const chi_ghost_box *box) {
    double sum = 0;
    int64_t width = states->size.width;
    for (int64_t y = box->top; y <= box->bottom; y++)
        for (int64_t x = box->left; x <= box->right; x++) {
            int64_t i = y * width + x;
            if (!places->spare[i]) continue;
            double here = looks(places, states, set, label, i);
            if (x < box->right && places->spare[i + 1])
                sum += fabs(here - looks(places, states, set, label, i + 1));
            if (y < box->bottom && places->spare[i + width])
                sum += fabs(here - looks(places, states, set, label, i + width));
        }
    return sum;
}

/* The states that look like one of them, over a part. */
static uint32_t states_like(chi_ghost_places *places, const chi_ghost_states *states, int64_t best,
                            int32_t label, const chi_ghost_box *box) {
    int64_t pixels = chi_pixels(states->size), width = states->size.width;
    const float *model = states->ratio + best * pixels;
    uint32_t set = 0;
    for (int64_t s = 0; s < states->count; s++) {
        const float *ratio = states->ratio + s * pixels;
        int64_t count = 0;
        for (int64_t y = box->top; y <= box->bottom; y++)
            for (int64_t i = y * width + box->left; i <= y * width + box->right; i++)
                if (places->parts.labels[i] == label)
                    places->values[count++] = fabsf(ratio[i] - model[i]);
        if (chi_ghost_median(places->values, count) <= SAME * states->noise)
            set |= UINT32_C(1) << s;
    }
    return set;
}

static int members(uint32_t set) {
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

/* Whether the light is the same in two states: over the frame, and over the place itself, which may
 * have a lamp of its own. */
static int same_light(chi_ghost_places *places, const chi_ghost_states *states, int64_t s,
                      int64_t t, int32_t label, const chi_ghost_box *box) {
    double most = SAME * states->noise;
    int64_t count = 0, width = states->size.width;
    if (fabs(states->light[s] - states->light[t]) > most) return 0;
    for (int64_t y = box->top; y <= box->bottom; y++)
        for (int64_t i = y * width + box->left; i <= y * width + box->right; i++)
            if (places->parts.labels[i] == label)
                places->values[count++] =
                    (float)fabs(chi_ghost_light(states, s, i) - chi_ghost_light(states, t, i));
    return chi_ghost_median(places->values, count) <= most;
}

/* Whether the place was seen with and without the look of a set in one light. If not, the other
 * look may be all that the background misses of a change of the light. */
static int told_from_light(chi_ghost_places *places, const chi_ghost_states *states, uint32_t set,
                           int32_t label, const chi_ghost_box *box) {
    for (int64_t s = 0; s < states->count; s++)
        for (int64_t t = 0; t < states->count; t++)
            if (set >> s & 1 && !(set >> t & 1) && same_light(places, states, s, t, label, box))
                return 1;
    return 0;
}

static uint32_t judge(chi_ghost_places *places, const chi_ghost_states *states, int32_t label,
                      chi_ghost_box box) {
    mark_rim(places, states->size, label, &box);
    double now = edges(places, states, 0, label, &box), least = INFINITY;
    int64_t best = 0;
    for (int64_t s = 0; s < states->count; s++) {
        double here = edges(places, states, UINT32_C(1) << s, label, &box);
        if (here >= least) continue;
        least = here;
        best = s;
    }
    uint32_t set = states_like(places, states, best, label, &box);
    if (members(set) < LASTING * (double)states->count) return 0;
    if (edges(places, states, set, label, &box) >= LESS * now) return 0;
    return told_from_light(places, states, set, label, &box) ? set : 0;
}

ch_status chi_ghost_find(ch_context *context, chi_ghost_places *places,
                         const chi_ghost_states *states) {
    mark_changing(places, states);
    chi_parts_find(&places->parts, places->mask, states->size, 1, CHI_CORNERS);
    find_boxes(places, states->size);
    for (int32_t label = 1; label <= places->parts.count; label++) {
        uint32_t number = places->support[label];
        if (!number) continue;
        places->support[label] = judge(places, states, label, places->box[number - 1]);
        if (chi_notify(context, "ghosts", number, places->looked_at, -1, 0))
            return CH_STOP_CANCELLED;
    }
    return CH_OK;
}
