/* Separation of planted films, whose background is known to the bit: a still picture, or one under
 * a lamp that is switched, with boxes that cross it. Every pixel shows the background in more than
 * half of the frames of either light. */
#include "support.h"
#include <conehull/conehull.h>
#include <conehull/video.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 24, HEIGHT = 18, PIXELS = WIDTH * HEIGHT, FRAMES = 61, BOX = 6 };

typedef struct film {
    uint8_t *values, *background; /* frames x pixels, column-major                              */
    unsigned char *moving;
    ch_matrix X;
} film;

static int in_box(int64_t i, int64_t j, int64_t standing) {
    int64_t x = j % WIDTH, y = j / WIDTH, left = i * (WIDTH + BOX) / 20 % (WIDTH + BOX) - BOX;
    int64_t top = i / 20 * 5;
    if (i < standing) left = 3, top = 4; /* stands still in the first frames                    */
    return x >= left && x < left + BOX && y >= top && y < top + BOX;
}

/* lamp: the second picture is added in all but every third frame. brightness: of both, in halves.
 */
static film make_film(ch_random *random, int lamp, int64_t standing, int brightness) {
    film f = {malloc(FRAMES * PIXELS), malloc(FRAMES * PIXELS), calloc(FRAMES * PIXELS, 1), {0}};
    for (int64_t j = 0; j < PIXELS; j++) {
        int still = 2 * (10 + (int)ch_random_below(random, 40));
        int more = lamp ? 2 * (int)ch_random_below(random, 25) : 0;
        for (int64_t i = 0; i < FRAMES; i++) {
            int64_t at = i + j * FRAMES;
            int light = (still + (i % 3 != 1 ? more : 0)) / 2 * brightness;
            f.background[at] = (uint8_t)light;
            f.moving[at] = (unsigned char)in_box(i, j, standing);
            f.values[at] = (uint8_t)(f.moving[at] ? 250 - (i + j) % 3 : light);
        }
    }
    f.X = (ch_matrix){.rows = FRAMES,
                      .cols = PIXELS,
                      .layout = CH_COLUMN_MAJOR,
                      .type = CH_U8,
                      .values = f.values,
                      .stride = FRAMES};
    return f;
}

static void free_film(film *f) {
    free(f->values);
    free(f->background);
    free(f->moving);
}

static ch_separate_settings defaults(int64_t rank) {
    ch_separate_settings set;
    ch_separate_defaults(&set);
    set.rank = rank;
    return set;
}

static void separate(ch_context *context, ch_separation *parts, const ch_matrix *X,
                     const ch_separate_settings *set) {
    ch_status status = ch_separate(context, parts, X, set);
    support_check(status >= 0, "%s", ch_context_message(context));
}

/* Pixels whose background is not the planted one, rounded, in every frame. */
static int64_t wrong_pixels(ch_context *context, const ch_separation *parts, const film *f,
                            const unsigned char *ignore) {
    unsigned char *made = malloc(FRAMES * PIXELS);
    int64_t wrong = 0;
    assert_int_equal(ch_separation_background_bytes(context, made, parts, 0, FRAMES), CH_OK);
    for (int64_t j = 0; j < PIXELS; j++) {
        int differs = 0;
        for (int64_t i = 0; i < FRAMES; i++)
            differs |= made[i * PIXELS + j] != f->background[i + j * FRAMES];
        wrong += differs && !(ignore && ignore[j]);
    }
    free(made);
    return wrong;
}

/* Light that has two courses is found but for pixels at the edges of the cone: refits end where no
 * frame gains, and there the pixels at the edges are outvoted. */
static void check_pixels(ch_context *context, const ch_separation *parts, const film *f,
                         const unsigned char *ignore) {
    int64_t wrong = wrong_pixels(context, parts, f, ignore);
    int64_t most = parts->rank == 1 ? 0 : PIXELS / 20;
    support_check(wrong <= most, "%d of %d pixels are wrong", (int)wrong, PIXELS);
}

static void check_background(ch_context *context, const ch_separation *parts, const film *f) {
    check_pixels(context, parts, f, NULL);
}

static void check_steps(const ch_separation *parts) {
    support_check(parts->unproven == 0 && parts->gap <= 1e-9, "gap %g, unproven %d", parts->gap,
                  (int)parts->unproven);
    for (int64_t k = 0; k < parts->refits; k++)
        support_check(parts->objective[k + 1] <= parts->objective[k] * (1 + 1e-9),
                      "refit %d raised |X - W H|_1 from %.17g to %.17g", (int)k,
                      parts->objective[k], parts->objective[k + 1]);
    for (int64_t k = 0; k < parts->rank; k++) {
        double sum = 0;
        for (int64_t i = 0; i < FRAMES; i++) sum += parts->W[i + k * FRAMES];
        support_close(sum / FRAMES, 1, 1e-9);
    }
}

static void test_still_picture(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "still picture", 1);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 0, 20, 2); /* a box stands there first: no ghost of it may stay */
    for (int refit = 0; refit <= 2; refit++) {
        ch_separate_settings set = defaults(1);
        ch_separation parts = {.size = sizeof parts};
        set.refit = refit;
        separate(context, &parts, &f.X, &set);
        assert_int_equal(parts.rank, 1);
        assert_int_equal(parts.refits, refit);
        check_steps(&parts);
        check_background(context, &parts, &f);
        ch_separation_free(context, &parts);
    }
    free_film(&f);
    support_finish(context, NULL);
}

static void test_lamp(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "lamp", 2);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 1, 0, 2);
    int64_t learns[] = {0, 100};
    for (int n = 0; n < 2; n++)
        for (int64_t rank = 0; rank <= 2; rank += 2) {
            ch_separate_settings set = defaults(rank);
            ch_separation parts = {.size = sizeof parts};
            set.learn = learns[n];
            set.refit = 2;
            separate(context, &parts, &f.X, &set);
            support_check(parts.rank == 2, "rank %d: %s", (int)parts.rank, parts.reason);
            support_check(parts.anchors[0] != parts.anchors[1], "one pixel twice");
            check_steps(&parts);
            check_background(context, &parts, &f);
            support_check(strlen(parts.reason) > 0, "no reason given");
            ch_separation_free(context, &parts);
        }
    free_film(&f);
    support_finish(context, NULL);
}

/* The residual is X - background in every layout, and the sum of its sizes the objective. */
static void test_residual(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "residual", 3);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 1, 5, 2);
    ch_matrix rows = support_reshape(context, &f.X, CH_ROW_MAJOR, CH_F32);
    ch_separate_settings set = defaults(2);
    ch_separation parts = {.size = sizeof parts}, turned = {.size = sizeof turned};
    float *residual = malloc(FRAMES * PIXELS * sizeof *residual);
    float *background = malloc(FRAMES * PIXELS * sizeof *background);
    separate(context, &parts, &f.X, &set);
    separate(context, &turned, &rows, &set);
    support_close(support_difference(parts.H, turned.H, 2 * PIXELS), 0, 1e-9);
    assert_int_equal(ch_separation_residual(context, residual, &turned, &rows, 0, FRAMES), CH_OK);
    assert_int_equal(ch_separation_background(context, background, &parts, 0, FRAMES), CH_OK);
    double sum = 0;
    for (int64_t i = 0; i < FRAMES; i++)
        for (int64_t j = 0; j < PIXELS; j++) {
            float r = residual[i * PIXELS + j], b = background[i * PIXELS + j];
            support_close(r + b, f.values[i + j * FRAMES], 1e-4);
            sum += fabsf(r);
        }
    support_close(sum, parts.objective[parts.refits], 1e-4 * sum);
    ch_separation_free(context, &turned);
    ch_separation_free(context, &parts);
    ch_matrix_free(context, &rows);
    free(background);
    free(residual);
    free_film(&f);
    support_finish(context, NULL);
}

static void test_threads_same_bits(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "threads", 4);
    film f = make_film(&random, 1, 9, 2);
    for (int64_t k = 0; k < FRAMES * PIXELS; k++) /* noise, so that nothing is exact */
        f.values[k] = (uint8_t)(f.values[k] / 2 + ch_random_below(&random, 9));
    const char *methods[] = {"robust-xray", "xray-l2"};
    for (int m = 0; m < 2; m++) {
        double *W = NULL, *H = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            ch_context *context = support_context(NULL, threads);
            ch_separate_settings set = defaults(3);
            ch_separation parts = {.size = sizeof parts};
            ch_settings_set(context, ch_separate_table(), &set, "method", methods[m]);
            separate(context, &parts, &f.X, &set);
            if (threads == 1) {
                W = malloc(FRAMES * 3 * sizeof *W);
                H = malloc(PIXELS * 3 * sizeof *H);
                memcpy(W, parts.W, FRAMES * 3 * sizeof *W);
                memcpy(H, parts.H, PIXELS * 3 * sizeof *H);
            }
            support_check(memcmp(W, parts.W, FRAMES * 3 * sizeof *W) == 0 &&
                              memcmp(H, parts.H, PIXELS * 3 * sizeof *H) == 0,
                          "%s: %d threads give other bits", methods[m], threads);
            ch_separation_free(context, &parts);
            support_finish(context, NULL);
        }
        free(W);
        free(H);
    }
    free_film(&f);
}

/* Ignored pixels and busy frames may hold anything: what is learned elsewhere stays the same. */
static void test_left_out(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "left out", 5);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 1, 0, 2);
    unsigned char ignore[PIXELS] = {0};
    int64_t busy[] = {2, 4, 5, 10};
    for (int64_t j = 0; j < PIXELS; j++) ignore[j] = j % WIDTH < 8;
    for (int64_t j = 0; j < PIXELS; j++)
        for (int64_t i = 0; i < FRAMES; i++) {
            int known = i == 2 || i == 4 || i == 5 || i == 10;
            /* a blink of its own where nobody looks; a crowd in the busy frames */
            if (ignore[j] && i % 2) f.values[i + j * FRAMES] = (uint8_t)(100 + i);
            if (known && j % WIDTH > 20) f.values[i + j * FRAMES] = 222;
        }
    ch_separate_settings set = defaults(2);
    ch_separation parts = {.size = sizeof parts};
    set.ignore = ignore;
    set.busy = busy;
    set.busy_count = 4;
    separate(context, &parts, &f.X, &set);
    check_pixels(context, &parts, &f, ignore);
    for (int64_t k = 0; k < 2; k++)
        support_check(!ignore[parts.anchors[k]], "an ignored pixel is an anchor");
    ch_separation_free(context, &parts);
    free_film(&f);
    support_finish(context, NULL);
}

/* A plane of the same film in other units, and the model applied to the film at half the light. */
static void test_planes_and_models(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "planes", 6);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 1, 0, 2);
    ch_separate_settings set = defaults(2);
    ch_separation parts = {.size = sizeof parts}, plane = {.size = sizeof plane},
                  applied = {.size = sizeof applied};
    set.refit = 2;
    separate(context, &parts, &f.X, &set);
    ch_random again;
    support_seed(&again, "planes", 6);
    film dim = make_film(&again, 1, 0, 1);
    assert_int_equal(ch_separate_plane(context, &plane, &dim.X, &parts, &set), CH_OK);
    check_background(context, &plane, &dim);
    assert_int_equal(ch_separate_apply(context, &applied, &dim.X, parts.H, 2, &set), CH_OK);
    check_background(context, &applied, &dim);
    assert_memory_equal(applied.H, parts.H, 2 * PIXELS * sizeof(double));
    ch_separation_free(context, &applied);
    ch_separation_free(context, &plane);
    ch_separation_free(context, &parts);
    free_film(&dim);
    free_film(&f);
    support_finish(context, NULL);
}

/* Where frames are left out, H is fitted in stripes of pixels: it has the bits of a plane that does
 * not have those frames, whatever the layout. */
static void test_stripes(void **state) {
    (void)state;
    enum { KEPT = 20, ALL = 2 * KEPT, MANY = 15000 }; /* three stripes */
    static double all[ALL * MANY], turned[ALL * MANY], kept[KEPT * MANY];
    double W[2 * ALL], seen[2 * KEPT];
    int64_t busy[KEPT];
    ch_random random;
    support_seed(&random, "stripes", 12);
    for (int64_t i = 0; i < ALL; i++) {
        W[i] = 1 + ch_random_uniform(&random);
        W[i + ALL] = ch_random_uniform(&random);
        if (i % 2) busy[i / 2] = i;
        if (i % 2 == 0)
            for (int64_t k = 0; k < 2; k++) seen[i / 2 + k * KEPT] = W[i + k * ALL];
    }
    for (int64_t j = 0; j < MANY; j++)
        for (int64_t i = 0; i < ALL; i++) {
            double x = i % 2 ? 1000 * ch_random_uniform(&random)
                             : W[i] * (double)(j % 17) + W[i + ALL] * (double)(j % 5);
            all[i + j * ALL] = turned[j + i * MANY] = x + ch_random_uniform(&random);
            if (i % 2 == 0) kept[i / 2 + j * KEPT] = all[i + j * ALL];
        }
    ch_matrix few = {.rows = KEPT, .cols = MANY, .values = kept, .stride = KEPT};
    ch_matrix views[] = {{.rows = ALL, .cols = MANY, .values = all, .stride = ALL},
                         {.rows = ALL, .cols = MANY, .values = turned, .stride = MANY}};
    views[1].layout = CH_ROW_MAJOR;
    ch_separation luma = {.size = sizeof luma, .frames = KEPT, .rank = 2, .W = seen};
    ch_separation whole = {.size = sizeof whole};
    ch_context *context = support_context(NULL, 2);
    ch_separate_settings set = defaults(2);
    assert_int_equal(ch_separate_plane(context, &whole, &few, &luma, &set), CH_OK);
    luma.frames = ALL;
    luma.W = W;
    set.busy = busy;
    set.busy_count = KEPT;
    for (int v = 0; v < 2; v++) {
        ch_separation parts = {.size = sizeof parts};
        assert_int_equal(ch_separate_plane(context, &parts, &views[v], &luma, &set), CH_OK);
        assert_memory_equal(parts.H, whole.H, 2 * MANY * sizeof(double));
        assert_true(parts.gap == whole.gap);
        ch_separation_free(context, &parts);
    }
    ch_separation_free(context, &whole);
    support_finish(context, NULL);
}

/* All methods find a still picture. */
static void test_methods(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "methods", 7);
    ch_context *context = support_context(NULL, 2);
    film f = make_film(&random, 0, 0, 2);
    const char *methods[] = {"xray-l2", "rpca", "robust-nmf", "robust-lowrank", "median"};
    for (int m = 0; m < 5; m++)
        for (int64_t radius = 0; radius <= (m == 4 ? 25 : 0); radius += 25) {
            ch_separate_settings set = defaults(1);
            ch_separation parts = {.size = sizeof parts};
            ch_settings_set(context, ch_separate_table(), &set, "method", methods[m]);
            set.radius = radius;
            set.refit = 2;
            set.lambda = 0.5;
            separate(context, &parts, &f.X, &set);
            unsigned char frame[PIXELS];
            int64_t wrong = 0;
            for (int64_t i = 0; i < FRAMES; i++) {
                assert_int_equal(ch_separation_background_bytes(context, frame, &parts, i, 1),
                                 CH_OK);
                for (int64_t j = 0; j < PIXELS; j++)
                    wrong += abs(frame[j] - f.background[i + j * FRAMES]) > 4;
            }
            support_check(wrong <= FRAMES * PIXELS / 200, "%s: %d of %d values are wrong",
                          methods[m], (int)wrong, FRAMES * PIXELS);
            support_check(strlen(parts.reason) > 0, "%s gives no reason", methods[m]);
            ch_separation_free(context, &parts);
        }
    free_film(&f);
    support_finish(context, NULL);
}

typedef struct counter {
    int64_t events, stop_at;
    ch_progress_event last;
} counter;

/* Told because time has passed, not because something is done: the beginning of a phase, or the
 * last event once more, without its column. */
static int is_reminder(const ch_progress_event *event, const ch_progress_event *last) {
    if (event->column >= 0) return 0;
    if (event->done == 0) return 1;
    return last->phase && strcmp(event->phase, last->phase) == 0 && event->done == last->done &&
           event->total == last->total && event->value == last->value;
}

/* Reminders are not counted: the number of events is the same on machines of any speed. */
static int count_event(const ch_progress_event *event, void *user) {
    counter *c = user;
    if (is_reminder(event, &c->last)) return 0;
    c->last = *event;
    return ++c->events == c->stop_at;
}

/* Four copies of a film beside each other: pixels for three samples. */
static film make_copies(ch_random *random) {
    enum { COPIES = 4 };
    film f = make_film(random, 1, 0, 2);
    f.values = realloc(f.values, COPIES * FRAMES * PIXELS);
    assert_non_null(f.values);
    for (int k = 1; k < COPIES; k++)
        memcpy(f.values + k * FRAMES * PIXELS, f.values, FRAMES * PIXELS);
    f.X.values = f.values;
    f.X.cols = COPIES * PIXELS;
    return f;
}

/* Cancelled at any event (every step-th): that status, no background, nothing held. Returns the
 * number of events. */
static int64_t cancel_everywhere(const ch_matrix *X, const ch_separate_settings *set, int64_t step,
                                 const char *reason) {
    int64_t total = 1000000;
    for (int64_t stop_at = 0; stop_at <= total; stop_at += stop_at ? step : 1) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        counter c = {.stop_at = stop_at};
        ch_separation parts = {.size = sizeof parts};
        ch_context_set_progress(context, count_event, &c);
        ch_status status = ch_separate(context, &parts, X, set);
        if (stop_at == 0) {
            support_check(status >= 0, "%s", ch_context_message(context));
            support_check(strstr(parts.reason, reason) != NULL, "%s", parts.reason);
            total = c.events;
        } else {
            support_check(status == CH_STOP_CANCELLED, "event %d of %d: %s", (int)stop_at,
                          (int)total, ch_status_name(status));
            assert_int_equal(parts.rank, 0);
            assert_null(parts.W);
            float frame[PIXELS];
            assert_int_equal(ch_separation_background(context, frame, &parts, 0, 1),
                             CH_ERR_ARGUMENT);
        }
        ch_separation_free(context, &parts);
        support_finish(context, &memory);
    }
    return total;
}

/* With a given rank; and with the automatic one, which is that of several samples. */
static void test_cancel(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "cancel", 8);
    film f = make_film(&random, 1, 0, 2), copies = make_copies(&random);
    ch_separate_settings set = defaults(2), automatic = defaults(0);
    int64_t busy[] = {1, 3};
    set.busy = busy;
    set.busy_count = 2;
    int64_t total = cancel_everywhere(&f.X, &set, 1, "");
    support_check(total > 5, "only %d events", (int)total);
    cancel_everywhere(&copies.X, &automatic, 13, "of 3 samples");
    free_film(&f);
    free_film(&copies);
}

static void test_refusals(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "refusals", 9);
    ch_context *context = support_context(NULL, 1);
    film f = make_film(&random, 0, 0, 2);
    ch_separation parts = {.size = sizeof parts};
    unsigned char all[PIXELS];
    int64_t wrong[] = {FRAMES}, every[FRAMES];
    memset(all, 1, sizeof all);
    for (int64_t i = 0; i < FRAMES; i++) every[i] = i;
    ch_separate_settings set = defaults(-1);
    assert_int_equal(ch_separate(context, &parts, &f.X, &set), CH_ERR_SETTING);
    support_message(context, "rank");
    set = defaults(1);
    set.lambda = NAN;
    assert_int_equal(ch_separate(context, &parts, &f.X, &set), CH_ERR_SETTING);
    support_message(context, "lambda");
    set = defaults(1);
    set.busy = wrong;
    set.busy_count = 1;
    assert_int_equal(ch_separate(context, &parts, &f.X, &set), CH_ERR_SETTING);
    support_message(context, "frame 61");
    set.busy = every;
    set.busy_count = FRAMES;
    assert_int_equal(ch_separate(context, &parts, &f.X, &set), CH_ERR_SETTING);
    support_message(context, "none is left");
    set = defaults(1);
    set.ignore = all;
    assert_int_equal(ch_separate(context, &parts, &f.X, &set), CH_ERR_SETTING);
    support_message(context, "ignored");
    set = defaults(1);
    ch_matrix empty = f.X;
    empty.rows = 0;
    assert_int_equal(ch_separate(context, &parts, &empty, &set), CH_ERR_DATA);
    assert_int_equal(ch_separate(context, &parts, NULL, &set), CH_ERR_ARGUMENT);
    double H[PIXELS] = {-1};
    assert_int_equal(ch_separate_apply(context, &parts, &f.X, H, 1, &set), CH_ERR_DATA);
    separate(context, &parts, &f.X, &set);
    float frame[PIXELS];
    assert_int_equal(ch_separation_background(context, frame, &parts, FRAMES, 1), CH_ERR_ARGUMENT);
    ch_separation_free(context, &parts);
    free_film(&f);
    support_finish(context, NULL);
}

/* One frame, one pixel, a black film: no film is too small. */
static void test_small_films(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    uint8_t values[12] = {7, 7, 7, 9, 9, 9, 0, 0, 0, 0, 0, 0};
    int64_t shapes[][2] = {{1, 1}, {1, 6}, {6, 1}, {3, 2}, {3, 4}};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        for (int black = 0; black < 2; black++) {
            ch_matrix X;
            ch_separation parts = {.size = sizeof parts};
            int64_t rows = shapes[n][0], cols = shapes[n][1];
            const uint8_t *from = black ? values + 6 : values;
            if (black && rows * cols > 6) continue;
            assert_int_equal(
                ch_matrix_borrow(
                    context, &X,
                    &(ch_matrix){.rows = rows, .cols = cols, .type = CH_U8, .values = from}),
                CH_OK);
            ch_separate_settings set = defaults(0);
            separate(context, &parts, &X, &set);
            support_close(parts.objective[parts.refits], 0, rows == 6 && !black ? 6.1 : 1e-9);
            ch_separation_free(context, &parts);
        }
    support_finish(context, NULL);
}

/* A rank is met however many pixels it takes, and where it cannot be the reason is the true one. */
static void test_many_anchors(void **state) {
    (void)state;
    enum { ROWS = 70, COLS = 68, RANK = 66 };
    ch_random random;
    support_seed(&random, "many anchors", 11);
    ch_context *context = support_context(NULL, 2);
    unsigned char values[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        values[i] = (unsigned char)(100 + ch_random_below(&random, 60));
    ch_matrix X;
    assert_int_equal(
        ch_matrix_borrow(context, &X,
                         &(ch_matrix){.rows = ROWS, .cols = COLS, .type = CH_U8, .values = values}),
        CH_OK);
    ch_separate_settings set = defaults(RANK);
    ch_separation parts = {.size = sizeof parts};
    separate(context, &parts, &X, &set);
    support_check(parts.rank == RANK, "rank %d: %s", (int)parts.rank, parts.reason);
    ch_separation_free(context, &parts);
    X.cols = 5;
    set.rank = 5;
    memset(values, 100, sizeof values); /* one anchor explains them all */
    assert_int_equal(ch_separate(context, &parts, &X, &set), CH_STOP_COMPLETE);
    support_check(parts.rank <= 4 && strstr(parts.reason, "anchors or are explained"),
                  "rank %d: %s", (int)parts.rank, parts.reason);
    ch_separation_free(context, &parts);
    set.rank = 6;
    assert_int_equal(ch_separate(context, &parts, &X, &set), CH_ERR_SETTING);
    support_message(context, "the rank is 6, but the video has only 5 pixels");
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still_picture), cmocka_unit_test(test_lamp),
        cmocka_unit_test(test_residual),      cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_left_out),      cmocka_unit_test(test_planes_and_models),
        cmocka_unit_test(test_methods),       cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_small_films),
        cmocka_unit_test(test_many_anchors),  cmocka_unit_test(test_stripes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
