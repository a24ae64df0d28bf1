/* The loops of every kernel set besides the passes over a matrix (test_kernels.c) and those that
 * have tests of their own (losses, medians, live backgrounds, weighted Gram matrices): against the
 * formula, and bit against bit where sets promise that. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { MOST = 300, COLUMNS = 9 };

static ch_random source;

static void draw(double *x, int64_t count, double low, double high) {
    for (int64_t i = 0; i < count; i++) x[i] = low + (high - low) * ch_random_uniform(&source);
}

static void draw_f32(float *x, int64_t count, double low, double high) {
    for (int64_t i = 0; i < count; i++)
        x[i] = (float)(low + (high - low) * ch_random_uniform(&source));
}

static const chi_kernels *find(const char *name) {
    for (int s = 0; s < chi_kernel_set_count; s++)
        if (!strcmp(chi_kernel_sets[s].name, name) && ch_kernel_usable(s))
            return &chi_kernel_sets[s];
    return NULL;
}

static const chi_kernels *portable(void) {
    return &chi_kernel_sets[chi_kernel_set_count - 1];
}

/* ---- AVX-512 agrees with AVX2: in the bits of KL and of slopes, else up to rounding ---- */

/* The sums of `pull`. gcc fuses the same products in both widths, so that the bits agree; clang
 * does not, and the promise is of bits within a set. */
static void same_sums(const double *one, const double *other, int64_t count) {
#ifdef __clang__
    for (int k = 0; k < 2; k++)
        assert_true(fabs(one[k] - other[k]) <= 1e-15 * (double)(count + 1) * (1 + fabs(one[k])));
#else
    (void)count;
    assert_memory_equal(one, other, 2 * sizeof *one);
#endif
}

/* wide: `one` sums the losses in longer vectors, so that its sum is rounded in another order. */
static void same_loss(const chi_loss_loops *one, const chi_loss_loops *other, int64_t count,
                      int wide) {
    double x[MOST], y[MOST], a[MOST], out[2][3][MOST], pulls[2][2];
    draw(x, count, 0.01, 3);
    draw(y, count, 0.01, 3);
    draw(a, count, 0, 1);
    memset(out, 0, sizeof out);
    double first = one->value(x, y, count), second = other->value(x, y, count);
    if (wide)
        support_close(first, second, 1e-15 * (double)(count + 1) * (1 + first));
    else
        assert_memory_equal(&first, &second, sizeof first);
    one->slopes(out[0][0], out[0][1], out[0][2], x, y, count);
    other->slopes(out[1][0], out[1][1], out[1][2], x, y, count);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    one->pull(&pulls[0][0], &pulls[0][1], a, x, y, count);
    other->pull(&pulls[1][0], &pulls[1][1], a, x, y, count);
    same_sums(pulls[0], pulls[1], count);
}

static void close_gram(chi_weighted_gram *one, chi_weighted_gram *other, int64_t rows) {
    double A[COLUMNS][MOST], w[MOST], G[2][COLUMNS * COLUMNS];
    const double *a[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        draw(A[k], rows, 0, 1);
        a[k] = A[k];
    }
    draw(w, rows, -0.3, 1);
    for (int64_t count = 0; count <= COLUMNS; count++) {
        memset(G, 0, sizeof G);
        one(G[0], a, count, w, rows);
        other(G[1], a, count, w, rows);
        for (int e = 0; e < COLUMNS * COLUMNS; e++)
            support_close(G[0][e], G[1][e], 1e-15 * (double)(rows + 1));
    }
}

static void avx512_agrees_with_avx2(void **state) {
    (void)state;
    const chi_kernels *wide = find("avx512"), *narrow = find("avx2");
    if (!wide || !narrow) skip();
    support_seed(&source, "sets", 41);
    for (int64_t count = 0; count <= MOST; count += count < 40 ? 1 : 37) {
        for (int reverse = 0; reverse < 2; reverse++) {
            same_loss(&wide->kl[reverse], &narrow->kl[reverse], count, 0);
            same_loss(&wide->is[reverse], &narrow->is[reverse], count, 1);
        }
        close_gram(wide->gram, narrow->gram, count);
    }
}

/* ---- models of low rank: the formula, and the same bits in every set ---- */

enum { WIDEST = 5 * CHI_MODEL_PAD };

typedef struct fitted {
    double G[WIDEST * WIDEST], g[WIDEST], y[MOST], solved[WIDEST];
} fitted;

static const double RIDGE = 0.5;

/* The vectors are zero from entry `rank` on. */
static void fit_model(fitted *f, const chi_kernels *set, const chi_model_entries *in,
                      const double *v, int64_t rank) {
    double G[WIDEST * WIDEST] = {0};
    memset(f, 0, sizeof *f);
    set->model->products(G, in);
    set->model->multiples(f->g, in);
    for (int64_t s = 0; s < in->width; s++)
        for (int64_t t = s; t < in->width; t++) f->G[s * in->width + t] = G[s * in->width + t];
    set->model->evaluate(f->y, in, v);
    memcpy(f->solved, f->g, sizeof f->g);
    set->model->solve(G, f->solved, rank, in->width, RIDGE);
}

static double weight_of(const chi_model_entries *in, int64_t e) {
    return in->weight ? in->weight[e] : 1;
}

static const double *vector_of(const chi_model_entries *in, int64_t e) {
    return in->vector + (in->at ? in->at[e] : e) * in->width;
}

static void check_model(const fitted *f, const chi_model_entries *in, const double *v) {
    int64_t width = in->width;
    double bound = 1e-14 * (double)(in->count + width + 1);
    for (int64_t s = 0; s < width; s++) {
        double g = 0, back = RIDGE * f->solved[s];
        for (int64_t e = 0; e < in->count; e++)
            g += weight_of(in, e) * in->x[e] * vector_of(in, e)[s];
        support_close(f->g[s], g, bound);
        for (int64_t t = s; t < width; t++) {
            double G = 0;
            for (int64_t e = 0; e < in->count; e++)
                G += weight_of(in, e) * vector_of(in, e)[s] * vector_of(in, e)[t];
            support_close(f->G[s * width + t], G, bound);
        }
        for (int64_t t = 0; t < width; t++)
            back += f->G[s < t ? s * width + t : t * width + s] * f->solved[t];
        support_close(back, g, 10 * bound);
    }
    for (int64_t e = 0; e < in->count; e++) {
        double y = 0;
        for (int64_t s = 0; s < width; s++) y += vector_of(in, e)[s] * v[s];
        support_close(f->y[e], y, bound);
    }
}

static void models_are_the_same_in_every_set(void **state) {
    static double vector[MOST * WIDEST];
    double weight[MOST], x[MOST], v[WIDEST];
    int64_t at[MOST];
    static fitted first, other;
    (void)state;
    support_seed(&source, "models", 43);
    for (int64_t width = CHI_MODEL_PAD; width <= WIDEST; width += CHI_MODEL_PAD)
        for (int64_t count = 0; count <= MOST; count += count < 10 ? 1 : 97) {
            int64_t rank = width - count % CHI_MODEL_PAD;
            draw(vector, MOST * width, -1, 1);
            for (int64_t e = 0; e < MOST * width; e++)
                if (e % width >= rank) vector[e] = 0;
            draw(weight, count, 0, 1);
            draw(x, count, 0, 1);
            draw(v, width, -1, 1);
            for (int64_t e = 0; e < count; e++) at[e] = ch_random_below(&source, MOST);
            int form = (int)(count % 3); /* the first entries; all weigh 1; neither */
            chi_model_entries in = {vector, width, form == 0 ? NULL : at, form == 1 ? NULL : weight,
                                    x,      count};
            fit_model(&first, portable(), &in, v, rank);
            check_model(&first, &in, v);
            for (int s = 0; s < chi_kernel_set_count; s++) {
                if (!ch_kernel_usable(s)) continue;
                fit_model(&other, &chi_kernel_sets[s], &in, v, rank);
                assert_memory_equal(&first, &other, sizeof first);
            }
        }
}

/* ---- masks: the same bits in every set ---- */

typedef struct picture {
    float ratio[MOST], sums[CHI_MASK_SUMS][MOST], totals[CHI_MASK_SUMS][MOST], score[MOST];
    uint8_t mask[MOST], shade[MOST];
    float gain[MOST];
    float coloured[2][MOST]; /* two rows of ratios with colours of half their width             */
} picture;

enum { WIDTH = 53, HEIGHT = 5 }; /* of what is drawn */

typedef struct scene {
    uint8_t x[2][MOST], even[MOST];
    float b[2][MOST], calm[MOST], share[MOST];
} scene;

/* The score of the middle row of `rows` rows. */
static void make(picture *p, const chi_mask_loops *loops, const scene *s, int64_t rows,
                 int64_t radius) {
    float *sums[CHI_MASK_SUMS], *totals[CHI_MASK_SUMS];
    memset(p, 0, sizeof *p);
    for (int k = 0; k < CHI_MASK_SUMS; k++) {
        sums[k] = p->sums[k] + radius;
        totals[k] = p->totals[k];
    }
    loops->ratio(p->ratio, s->x[0], s->b[0], WIDTH * HEIGHT, 0);
    loops->ratio(p->ratio, s->x[1], s->b[1], WIDTH * HEIGHT, 1);
    loops->add_rows(sums, &(chi_mask_rows){p->ratio, s->calm, WIDTH, rows}, 0.4f, WIDTH);
    for (int k = 0; k < CHI_MASK_SUMS; k++)
        loops->add_columns(totals[k], p->sums[k], WIDTH, radius);
    loops->score(p->score, totals, s->share, 3, 0.4f, 128, WIDTH);
    loops->cut(p->mask, p->score, 5, WIDTH);
    memcpy(p->coloured[0], p->ratio, WIDTH * sizeof(float));
    memcpy(p->coloured[1], p->ratio + WIDTH, WIDTH * sizeof(float));
    loops->add_colours((float *const[]){p->coloured[0], p->coloured[1]},
                       (const float *const[]){s->calm, s->share}, WIDTH / 2);
    loops->shade(p->shade, p->score, totals[CHI_MASK_SIZE], s->share, 5, 128, WIDTH);
    for (int64_t step = 1; step <= WIDTH; step += WIDTH - 1)
        loops->gains(p->gain + step, p->ratio + step, s->calm + step, s->even + step, step,
                     WIDTH * HEIGHT - 2 * step);
}

static void check_ratios(const picture *p, const scene *s) {
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        double first = log((s->x[0][i] + 10.0) / (fmax(s->b[0][i], 0) + 10));
        double second = log((s->x[1][i] + 10.0) / (fmax(s->b[1][i], 0) + 10));
        support_close(p->ratio[i], fabs(first) >= fabs(second) ? first : second, 1e-6);
    }
}

/* The farthest from 0 of brightness and the two colours, which have the detail of brightness. */
static void check_colours(const picture *p, const scene *s) {
    for (int i = 0; i < WIDTH / 2; i++) {
        const float *rows[] = {p->ratio + 2 * i, p->ratio + WIDTH + 2 * i};
        double mean = 0;
        for (int k = 0; k < 4; k++) mean += (double)rows[k / 2][k % 2] / 4;
        for (int k = 0; k < 4; k++) {
            double d = rows[k / 2][k % 2], best = d;
            double red = d + s->calm[i] - mean, blue = d + s->share[i] - mean;
            if (fabs(red) > fabs(best)) best = red;
            if (fabs(blue) > fabs(best)) best = blue;
            support_close(fabs((double)p->coloured[k / 2][2 * i + k % 2]), fabs(best), 1e-5);
        }
    }
}

/* Pairs of shadow-like pixels, beside and above. They count less in the shadow, where noise is
 * larger: by the square of the share of the light that the pixel between them has. */
static void check_gains(const picture *p, const scene *s) {
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        double sum = 0;
        for (int step = 1; step <= WIDTH; step += WIDTH - 1) {
            if (i < step || i + step >= WIDTH * HEIGHT) continue;
            double X = p->ratio[i + step] - p->ratio[i - step];
            double B = s->calm[i + step] - s->calm[i - step];
            double d = fmax(fmin(p->ratio[i] - s->calm[i], 0), -0.7);
            if (s->even[i - step] && s->even[i + step]) sum += (X * B - B * B / 2) * exp(2 * d);
        }
        support_close(p->gain[i], sum, 1e-4 * (1 + fabs(sum)));
    }
}

static void masks_have_the_same_bits_in_every_set(void **state) {
    (void)state;
    scene s;
    picture one, other;
    support_seed(&source, "masks", 42);
    for (int trial = 0; trial < 20; trial++) {
        int64_t rows = 1 + trial % HEIGHT, radius = trial % 3;
        for (int plane = 0; plane < 2; plane++) {
            draw_f32(s.b[plane], MOST, -5, 250);
            for (int i = 0; i < MOST; i++) s.x[plane][i] = (uint8_t)ch_random_below(&source, 256);
        }
        for (int i = 0; i < MOST; i++) s.even[i] = (uint8_t)ch_random_below(&source, 3);
        draw_f32(s.calm, MOST, 0.1, 1);
        draw_f32(s.share, MOST, 0.05, 1);
        make(&one, portable()->mask, &s, rows, radius);
        check_ratios(&one, &s);
        check_colours(&one, &s);
        check_gains(&one, &s);
        for (int set = 0; set < chi_kernel_set_count; set++) {
            if (!ch_kernel_usable(set)) continue;
            make(&other, chi_kernel_sets[set].mask, &s, rows, radius);
            assert_memory_equal(&one, &other, sizeof one);
        }
    }
}

/* ---- what is certainly background: the bounds hold, and the same bits in every set ---- */

enum { SQUARES = 300 };

typedef struct probing {
    uint8_t x[4][2 * SQUARES], low[2 * SQUARES], high[2 * SQUARES], out[2 * SQUARES];
    float b[4][2 * SQUARES];
    int16_t base[4][2 * SQUARES], scale[4][2 * SQUARES], near[SQUARES], far[SQUARES];
} probing;

/* Pixels near a background that is also black, and brighter than any pixel. */
static void draw_probing(probing *p, double wide) {
    memset(p, 0, sizeof *p);
    for (int k = 0; k < 4; k++) {
        draw_f32(p->b[k], 2 * SQUARES, -5, 260);
        for (int i = 0; i < 2 * SQUARES; i++) {
            if (i % 71 == 0) p->b[k][i] = 700;
            double x = fmax(p->b[k][i], 0) * (1 + wide * (2 * ch_random_uniform(&source) - 1));
            p->x[k][i] = (uint8_t)fmin(fmax(x, 0), 255);
        }
    }
}

static void probe(probing *p, const chi_tile_loops *loops, const float *share, float slack) {
    chi_tile_rows rows[4];
    for (int k = 0; k < 4; k++) {
        loops->hold_shares(p->base[k], p->scale[k], p->b[k], 2 * SQUARES);
        rows[k] = (chi_tile_rows){p->x[k], p->base[k], p->scale[k]};
    }
    loops->squares(p->near, p->far, rows, SQUARES);
    loops->hold_bounds(p->low, p->high, p->b[0], share, slack, 2 * SQUARES, 64);
    for (int i = 0; i < 2 * SQUARES; i += 5) p->out[i] = 1; /* and stays so */
    loops->outside(p->out, p->x[0], p->low, p->high, 2 * SQUARES);
}

static double share_off(const probing *p, int k, int i) {
    double b = fmax(p->b[k][i], 0);
    return (p->x[k][i] - b) / (b + 10);
}

/* Within what src/kernels/tile_loops.c and mask_tiles.c say of their rounding. */
static void check_squares(const probing *p) {
    for (int i = 0; i < SQUARES; i++) {
        double e[4], red = share_off(p, 2, i), blue = share_off(p, 3, i), mean = 0, far = 0;
        double near = fmax(fabs(red), fabs(blue));
        for (int k = 0; k < 4; k++) {
            e[k] = share_off(p, k / 2, 2 * i + k % 2);
            mean += e[k] / 4;
            near = fmax(near, fabs(e[k]));
        }
        for (int k = 0; k < 4; k++)
            far = fmax(far, fmax(fabs(e[k] + red - mean), fabs(e[k] + blue - mean)));
        if (near >= 0.49) {
            assert_true(p->near[i] > 0.49 * CHI_TILE_UNIT - 1.6);
            continue;
        }
        support_close(p->near[i], CHI_TILE_UNIT * near, 1.6);
        support_close(p->far[i], CHI_TILE_UNIT * far, 6);
    }
}

/* What is inside is near every background that the slack allows; what is well inside of all is not
 * called outside. */
static void check_bounds(const probing *p, const float *share, float slack) {
    for (int i = 0; i < 2 * SQUARES; i++) {
        double light = fmax(p->b[0][i], 0) + 10, u = share[i / 64], x = p->x[0][i];
        int within = 1;
        for (int side = -1; side <= 1; side++) {
            double b = (1 + side * slack) * light - 10;
            within &= fabs(x - b) <= u * (b + 10);
            assert_true(p->out[i] || fabs(x - b) <= u * (b + 10));
        }
        assert_int_equal(p->out[i], i % 5 == 0 || x < p->low[i] || x > p->high[i]);
        if (i % 5 == 0) continue; /* was 1 before */
        double b = light - 10, less = (u - 2 * slack) * light - 0.01;
        assert_true(!(within && fabs(x - b) <= less) || !p->out[i]);
    }
}

static void tiles_are_told_by_bounds_that_hold(void **state) {
    (void)state;
    static probing one, other;
    float share[2 * SQUARES / 64 + 1];
    support_seed(&source, "tiles", 44);
    for (int trial = 0; trial < 30; trial++) {
        float slack = 0.002f * (float)(trial % 8);
        for (size_t t = 0; t < sizeof share / sizeof *share; t++)
            share[t] = 0.02f + 0.3f * (float)ch_random_uniform(&source);
        draw_probing(&one, trial % 3 ? 0.3 : 1.5);
        other = one;
        probe(&one, portable()->tile, share, slack);
        check_squares(&one);
        check_bounds(&one, share, slack);
        for (int set = 0; set < chi_kernel_set_count; set++) {
            if (!ch_kernel_usable(set)) continue;
            probing again = other;
            probe(&again, chi_kernel_sets[set].tile, share, slack);
            assert_memory_equal(&one, &again, sizeof one);
        }
    }
}

/* ---- decompositions, and the choice of anchors of a film ---- */

static double clamp(double value, double limit) {
    return fmin(fmax(value, -limit), limit);
}

static void check_shrink(const chi_shrink_loops *loops, int64_t count) {
    double x[MOST] = {0}, l[MOST], t[MOST] = {0}, moved[MOST], m[MOST], bound = 1e-15;
    chi_shrink_sums sums = {1, 2, 3}, truth = sums;
    draw(x, count, -1, 1);
    draw(l, count, -1, 1);
    draw(t, count, -1, 1);
    memcpy(moved, t, sizeof moved);
    loops->aim(m, x, t, 0.3, 1.5, count);
    for (int64_t i = 0; i < count; i++)
        support_close(m[i], x[i] - t[i] + 1.5 * clamp(t[i], 0.3), bound);
    loops->step(m, moved, &sums, x, l, 0.3, 0.5, 0.2, 1.6, count);
    for (int64_t i = 0; i < count; i++) {
        double old = clamp(t[i], 0.3), next = x[i] - l[i] + 0.5 * old, c = clamp(next, 0.2);
        double primal = c - 0.5 * old, change = (next - c) - (t[i] - old);
        support_close(moved[i], next, bound);
        support_close(m[i], x[i] - next + 1.6 * c, 2 * bound);
        truth.square += primal * primal;
        truth.abs += fabs(x[i] - l[i]);
        truth.move += change * change;
    }
    support_close(sums.square, truth.square, bound * (double)(count + 4) * truth.square);
    support_close(sums.abs, truth.abs, bound * (double)(count + 4) * truth.abs);
    support_close(sums.move, truth.move, bound * (double)(count + 4) * truth.move);
}

static void steps_of_decompositions_match(void **state) {
    (void)state;
    support_seed(&source, "shrink", 43);
    for (int set = 0; set < chi_kernel_set_count; set++)
        for (int64_t count = 0; count <= MOST && ch_kernel_usable(set); count++)
            check_shrink(chi_kernel_sets[set].shrink, count);
}

/* |r - t v|_1 at the t of three reweighted least squares, in double. */
static double share_of(const float *r, const float *v, int64_t count, double small) {
    double t = 0, sum = 0;
    for (int round = 0; round <= 3; round++) {
        double top = 0, bottom = 0;
        for (int64_t i = 0; i < count; i++) {
            double weight = round ? 1 / fmax(fabs(r[i] - t * v[i]), small) : 1;
            top += weight * v[i] * r[i];
            bottom += weight * v[i] * v[i];
        }
        if (bottom > 0) t = top / bottom;
    }
    for (int64_t i = 0; i < count; i++) sum += fabs(r[i] - t * v[i]);
    return sum;
}

static void residual_shares_match(void **state) {
    (void)state;
    float r[MOST], v[MOST];
    support_seed(&source, "residual share", 44);
    for (int64_t count = 0; count <= MOST; count += count < 40 ? 1 : 13) {
        draw_f32(v, count, 0.2, 1);
        for (int64_t i = 0; i < count; i++)
            r[i] = 0.7f * v[i] + (float)(0.1 * ch_random_normal(&source));
        double truth = share_of(r, v, count, 1e-3);
        for (int set = 0; set < chi_kernel_set_count; set++)
            if (ch_kernel_usable(set))
                support_close(chi_kernel_sets[set].residual_share(r, v, count, 1e-3f), truth,
                              1e-4 * (truth + 1e-3));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx512_agrees_with_avx2),
        cmocka_unit_test(models_are_the_same_in_every_set),
        cmocka_unit_test(masks_have_the_same_bits_in_every_set),
        cmocka_unit_test(tiles_are_told_by_bounds_that_hold),
        cmocka_unit_test(steps_of_decompositions_match),
        cmocka_unit_test(residual_shares_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
