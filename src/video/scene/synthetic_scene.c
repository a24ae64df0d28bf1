/* A film with a known answer:
 *
 *     frame(t) = (daylight(t) A + lamp(t) B) . (1 - shadows(t)),   people in front,   noise
 *
 * A (the hall in daylight) and B (the light of the lamp) are pictures of the same hall, so the
 * background has rank 2. Each person consists of a few round shapes with edges that are smooth over
 * a pixel. The true mask is where people cover at least half of a pixel. O(width height people) per
 * frame, without memory. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include <conehull/random.h>
#include <conehull/scene.h>
#include <math.h>

enum { PEOPLE = 6 };
static const double pi = 3.14159265358979323846;
static const double horizon = 0.46; /* height of the line between wall and floor, from the top */

#define AT(field) offsetof(ch_scene_settings, field)
static const ch_setting rows[] = {
    {"frames", CH_SETTING_INT, AT(frames), 240, 8, 1e6, NULL, "N", "number of frames of the film"},
    {"width", CH_SETTING_INT, AT(width), 256, 16, 8192, NULL, "N",
     "width of the pictures in pixels"},
    {"height", CH_SETTING_INT, AT(height), 144, 16, 8192, NULL, "N",
     "height of the pictures in pixels"},
    {"noise", CH_SETTING_REAL, AT(noise), 3, 0, 100, NULL, "SD",
     "standard deviation of the camera's noise, in gray levels of 256"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 1e9, NULL, "N",
     "seed of the people's paths and of the noise; the same seed gives the same film"},
};
CHI_SETTINGS_TABLE(ch_scene_table, "scene", rows, ch_scene_settings)

typedef struct colour {
    double r, g, b;
} colour;

/* A person who crosses the hall. Lengths are in units of the picture's height, times in shares of
 * the film. */
typedef struct person {
    double depth; /* 0 far, 1 near                                                          */
    double enter, leave, rest_from, rest_for;
    int from_right;
    colour coat, legs;
} person;

/* The position of a person in one frame. */
typedef struct body {
    const person *who;
    double x, feet, size, swing;
} body;

typedef struct scene {
    const ch_scene_settings *set;
    double aspect, daylight, lamp; /* width / height; strength of both lights in this frame */
    person people[PEOPLE];
    body bodies[PEOPLE]; /* the farthest first */
    int count;
} scene;

/* ---- the hall ---- */

static colour gray(double value) {
    return (colour){value, value, value};
}

static int inside(double x, double y, double left, double top, double right, double bottom) {
    return x >= left && x < right && y >= top && y < bottom;
}

/* Returns the colour of the floor: boards that run towards the horizon, and a carpet. */
static colour floor_colour(double x, double y, double aspect) {
    double depth = 0.12 / (y - horizon + 0.03), across = (x - 0.5 * aspect) * depth;
    int board = (int)floor(across * 22 + 100), piece = (int)floor(depth * 6 + 0.37 * board);
    double tone = 0.50 + 0.035 * (board * 7 + piece * 13 % 5) / 8.0 - 0.05 * (board % 2);
    tone = fmin(fmax(tone, 0.40), 0.62);
    int carpet = fabs(across) < 0.16 && y < 0.97;
    if (carpet)
        return fabs(across) < 0.14 ? (colour){0.52, 0.20, 0.18} : (colour){0.62, 0.52, 0.30};
    return (colour){tone * 1.05, tone * 0.86, tone * 0.64};
}

static colour wall_colour(double x, double y, double aspect) {
    double u = x / aspect;
    if (inside(u, y, 0.80, 0.13, 0.92, horizon)) /* the door */
        return inside(u, y, 0.815, 0.16, 0.905, horizon) ? (colour){0.42, 0.27, 0.17}
                                                         : (colour){0.27, 0.19, 0.14};
    if (inside(u, y, 0.46, 0.12, 0.60, 0.30)) { /* a painting */
        if (!inside(u, y, 0.47, 0.14, 0.59, 0.28)) return (colour){0.72, 0.58, 0.26};
        return y < 0.21 + 0.03 * sin(40 * u) ? (colour){0.45, 0.62, 0.80}
                                             : (colour){0.30, 0.50, 0.26};
    }
    if (y > horizon - 0.022) return gray(0.30); /* the skirting board */
    double stripe = 0.02 * sin(2 * pi * u * 26);
    return (colour){0.66 + stripe, 0.66 + stripe, 0.58 + stripe};
}

/* Returns whether a pixel is part of the window, which shows the sky and has its own light. */
static int is_window(double x, double y, double aspect) {
    double u = x / aspect;
    int bar = fabs(u - 0.17) < 0.005 || fabs(y - 0.21) < 0.008;
    return inside(u, y, 0.07, 0.08, 0.27, 0.34) && !bar;
}

static colour hall(const scene *now, double x, double y) {
    double aspect = now->aspect;
    colour own = y >= horizon ? floor_colour(x, y, aspect) : wall_colour(x, y, aspect);
    double to_window = hypot(x - 0.17 * aspect, y - 0.25) / aspect;
    double to_lamp = hypot(x - 0.66 * aspect, y - 0.02) / aspect;
    double day = now->daylight * (0.42 + 0.50 / (1 + 9 * to_window * to_window));
    double lamp = now->lamp * 0.62 / (1 + 7 * to_lamp * to_lamp);
    if (is_window(x, y, aspect)) {
        double sky = now->daylight * (0.80 - 0.5 * y);
        return (colour){0.92 * sky, 0.97 * sky, 1.05 * sky};
    }
    return (colour){own.r * (day * 0.96 + lamp * 1.08), own.g * (day + lamp),
                    own.b * (day * 1.06 + lamp * 0.84)};
}

/* ---- the people ---- */

static double between(ch_random *random, double low, double high) {
    return low + (high - low) * ch_random_uniform(random);
}

static void draw_people(scene *now) {
    static const colour coats[PEOPLE] = {{0.16, 0.20, 0.24}, {0.20, 0.42, 0.66},
                                         {0.80, 0.78, 0.72}, {0.58, 0.40, 0.74},
                                         {0.24, 0.50, 0.42}, {0.85, 0.66, 0.25}};
    ch_random random;
    ch_random_seed(&random, (uint64_t)now->set->seed);
    int first = (int)ch_random_below(&random, PEOPLE);
    for (int i = 0; i < PEOPLE; i++) {
        person *who = &now->people[i];
        who->depth = (i * 2 + 1) % PEOPLE / (double)PEOPLE + between(&random, 0, 0.14);
        who->enter = (i - 0.4) / PEOPLE + between(&random, -0.04, 0.04);
        who->leave = who->enter + between(&random, 0.26, 0.36);
        who->from_right = ch_random_uniform(&random) < 0.5;
        who->rest_from = 2;
        who->coat = coats[(i + first) % PEOPLE];
        who->legs = gray(between(&random, 0.10, 0.32));
    }
    now->people[0].enter = -0.12; /* visible from the first frame on */
    now->people[0].leave = 0.20;
    now->people[2].rest_from = 0.45; /* stands still for a while */
    now->people[2].rest_for = 0.15;
    now->people[2].leave += 0.15;
}

/* Returns the share of the way that a person has walked at that time; outside 0..1 the person is
 * not visible. */
static double way(const person *who, double time) {
    double pause = who->rest_from < 1 ? who->rest_for : 0;
    double stop = who->enter + who->rest_from * (who->leave - who->enter - pause);
    if (time > stop) time = fmax(stop, time - pause);
    return (time - who->enter) / (who->leave - who->enter - pause);
}

static void place_people(scene *now, double time) {
    now->count = 0;
    for (int i = 0; i < PEOPLE; i++) {
        const person *who = &now->people[i];
        double at = way(who, time);
        if (at < 0 || at > 1) continue;
        double stride = at * (now->aspect + 0.6 * who->depth) * 9 / (0.26 + 0.30 * who->depth);
        body seen = {.who = who,
                     .feet = horizon + 0.10 + 0.40 * who->depth,
                     .size = 0.26 + 0.30 * who->depth,
                     .swing = sin(stride)};
        double margin = 0.3 * seen.size;
        double along = -margin + at * (now->aspect + 2 * margin);
        seen.x = who->from_right ? now->aspect - along : along;
        int k = now->count++;
        for (; k > 0 && now->bodies[k - 1].feet > seen.feet; k--)
            now->bodies[k] = now->bodies[k - 1];
        now->bodies[k] = seen;
    }
}

/* Returns the signed distance to an ellipse, accurate near its edge; negative inside. */
static double ellipse(double x, double y, double half_x, double half_y) {
    double u = x / half_x, v = y / half_y, r = sqrt(u * u + v * v);
    double slope = hypot(u / half_x, v / half_y);
    return r > 0 && slope > 0 ? (r - 1) * r / slope : -fmin(half_x, half_y);
}

/* Returns the signed distance to a line with round ends and the given half width. */
static double limb(double x, double y, double x0, double y0, double x1, double y1, double half) {
    double dx = x1 - x0, dy = y1 - y0, t = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy);
    t = fmin(fmax(t, 0), 1);
    return hypot(x - x0 - t * dx, y - y0 - t * dy) - half;
}

/* Returns the signed distance to the nearest part of a body; *part is its colour. */
static double body_distance(const body *seen, double x, double y, colour *part) {
    double s = seen->size, u = (x - seen->x) / s, v = (y - seen->feet) / s,
           step = 0.13 * seen->swing;
    double coat = ellipse(u, v + 0.62, 0.15, 0.26), head = ellipse(u, v + 0.93, 0.075, 0.085);
    double legs = fmin(limb(u, v, 0.03, -0.42, step, -0.02, 0.055),
                       limb(u, v, -0.03, -0.42, -step, -0.02, 0.055));
    double arms = limb(u, v, 0.0, -0.75, -1.1 * step, -0.45, 0.04);
    double nearest = fmin(fmin(coat, arms), fmin(head, legs));
    *part = nearest == legs   ? seen->who->legs
            : nearest == head ? (colour){0.78, 0.58, 0.46}
                              : seen->who->coat;
    return nearest * s;
}

/* Returns the shadow at a point: a soft ellipse at the feet, stretched away from the lamp or,
 * without the lamp, from the window. */
static double shadow(const scene *now, const body *seen, double x, double y) {
    double source = (now->lamp > 0.5 ? 0.66 : 0.17) * now->aspect;
    double lean = fmin(fmax((seen->x - source) / now->aspect, -0.5), 0.5);
    double half_x = seen->size * (0.24 + 0.3 * fabs(lean)), half_y = seen->size * 0.065;
    double u = (x - seen->x - lean * seen->size * 0.55) / half_x, v = (y - seen->feet) / half_y;
    double r = u * u + v * v;
    return r < 1 ? 0.42 * (1 - r) * (1 - r * 0.4) : 0;
}

/* ---- a frame ---- */

static void light(scene *now, double time) {
    static const double switched_off = 0.38, switched_on = 0.70;
    now->daylight = 1 + 0.05 * sin(2 * pi * (1.4 * time + 0.1));
    now->lamp = time < switched_off || time >= switched_on ? 1 : 0;
}

/* Returns the colour of a pixel in 0..1; *covered is the share of the pixel that people cover. */
static colour look(const scene *now, double x, double y, double pixel, double *covered) {
    colour seen = hall(now, x, y);
    double left = 1;
    for (int i = 0; y > horizon && i < now->count; i++)
        left *= 1 - shadow(now, &now->bodies[i], x, y);
    seen = (colour){seen.r * left, seen.g * left, seen.b * left};
    *covered = 0;
    for (int i = 0; i < now->count; i++) {
        const body *who = &now->bodies[i];
        if (fabs(x - who->x) > 0.4 * who->size || y > who->feet + 0.1 * who->size) continue;
        colour part;
        double share = 0.5 - body_distance(who, x, y, &part) / pixel;
        share = fmin(fmax(share, 0), 1);
        if (share == 0) continue;
        double bright = now->daylight * 0.66 + now->lamp * 0.40;
        seen.r += share * (part.r * bright - seen.r);
        seen.g += share * (part.g * bright - seen.g);
        seen.b += share * (part.b * bright - seen.b);
        *covered = share + (1 - share) * *covered;
    }
    return seen;
}

static uint8_t level(double value, double noise, ch_random *random) {
    double scaled = 255 * value + (noise > 0 ? noise * ch_random_normal(random) : 0);
    return (uint8_t)(fmin(fmax(scaled, 0), 255) + 0.5);
}

ch_status ch_scene_make(ch_context *context, uint8_t *rgb, uint8_t *truth, int64_t frame,
                        const ch_scene_settings *given) {
    ch_scene_settings own, *settings = &own;
    TRY(chi_settings_take(context, &own, ch_scene_table(), given));
    if (frame < 0 || frame >= settings->frames)
        return chi_fail(context, CH_ERR_ARGUMENT, "frame must be between 0 and %lld, got %lld",
                        (long long)settings->frames - 1, (long long)frame);
    double pixel = 1.0 / (double)settings->height;
    double time = (double)frame / (double)settings->frames;
    scene now = {.set = settings, .aspect = (double)settings->width * pixel};
    ch_random random;
    ch_random_seed(&random, (uint64_t)settings->seed * 1000003u + 7u);
    ch_random_seed(&random, ch_random_bits(&random) + (uint64_t)frame);
    light(&now, time);
    draw_people(&now);
    place_people(&now, time);
    for (int64_t i = 0; i < settings->height * settings->width; i++) {
        int64_t line = i / settings->width;
        double x = ((double)(i - line * settings->width) + 0.5) * pixel;
        double y = ((double)line + 0.5) * pixel, covered;
        colour seen = look(&now, x, y, pixel, &covered);
        if (truth) truth[i] = covered >= 0.5;
        if (!rgb) continue;
        rgb[3 * i] = level(seen.r, settings->noise, &random);
        rgb[3 * i + 1] = level(seen.g, settings->noise, &random);
        rgb[3 * i + 2] = level(seen.b, settings->noise, &random);
    }
    return CH_OK;
}
