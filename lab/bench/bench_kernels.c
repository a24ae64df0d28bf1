/* The kernel sets of this build against each other, loop by loop: each loop on data that stay in
 * the cache, one thread, all sets of this processor in turn. A ratio above 1 means that the first
 * set takes longer. Where two sets have the same loop there is nothing to measure. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "kernels/kernels.h"
#include "project/cone.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS = 4,     /* maximum number of sets of a build */
    COLUMNS = 16, /* columns of ROWS numbers: 256 kB in double, half of a usual L2 cache */
    ROWS = 2000,
    WIDE = 320,              /* a row of pixels                       */
    FRAMES = 200,            /* number of values of a pixel over time */
    LONGEST = COLUMNS * ROWS /* length of the longest array           */
};

/* A projection of columns of s->y with one kernel set. */
typedef struct projector {
    chi_cone cone;
    void *work;
} projector;

/* The data of the loops, which overwrite only out, spare and the sums. */
typedef struct subject {
    double x[LONGEST], y[LONGEST], out[3][LONGEST];
    float f[LONGEST], g[LONGEST], h[LONGEST], spare[LONGEST];
    uint16_t words[LONGEST];
    uint8_t bytes[LONGEST], mask[LONGEST];
    int32_t index[LONGEST];
    double prepared[ROWS + CHI_PREPARED_EXTRA] __attribute__((aligned(64)));
    const double *column[COLUMNS];
    /* per set: 16 anchors with ROWS rows; 3 anchors with FRAMES rows */
    projector many[SETS], few[SETS];
    double sum;
} subject;

/* Returns NULL if memory is short. */
static subject *make_subject(void) {
    subject *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    ch_random random;
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    ch_random_seed(&random, 1);
    for (int i = 0; i < LONGEST; i++) {
        s->x[i] = 0.1 + ch_random_uniform(&random);
        s->y[i] = 0.1 + ch_random_uniform(&random);
        s->f[i] = (float)s->x[i];
        s->g[i] = (float)s->y[i];
        s->h[i] = (float)(200 * ch_random_uniform(&random));
        s->bytes[i] = (uint8_t)ch_random_below(&random, 256);
        s->mask[i] = ch_random_below(&random, 4) ? 0 : 255;
        s->words[i] = (uint16_t)ch_random_below(&random, 65536);
        s->index[i] = (int32_t)ch_random_below(&random, ROWS);
    }
    for (int j = 0; j < COLUMNS; j++) s->column[j] = s->x + j * ROWS;
    return s;
}

/* ---- passes over a matrix ---- */

static const void *dense_of(const chi_kernels *kernels) {
    return kernels->dense;
}

static void run_dot(subject *s, const chi_kernels *kernels) {
    for (int j = 0; j < COLUMNS; j++) s->sum += chi_dot(kernels, s->column[j], s->y, ROWS);
}

static void run_axpy(subject *s, const chi_kernels *kernels) {
    for (int j = 0; j < COLUMNS; j++) chi_axpy(kernels, s->out[0], 1e-9, s->column[j], ROWS);
}

/* Computes sum_i y_i X_ij chunk by chunk, for columns stored one after the other and for rows. */
static void score(subject *s, const chi_kernels *kernels, ch_value_type type, const void *values) {
    const chi_typed_loops *typed = &kernels->dense->typed[type];
    size_t size = ch_value_type_size(type);
    for (int64_t i = 0; i < ROWS; i += typed->chunk) {
        int64_t count = ROWS - i < typed->chunk ? ROWS - i : typed->chunk;
        if (typed->prepare) typed->prepare(s->prepared, s->y + i, count);
        typed->dots(s->out[0], typed->prepare ? s->prepared : s->y + i,
                    (const char *)values + (size_t)i * size, ROWS, COLUMNS, count);
    }
}

static void run_f64(subject *s, const chi_kernels *kernels) {
    score(s, kernels, CH_F64, s->x);
}

static void run_f32(subject *s, const chi_kernels *kernels) {
    score(s, kernels, CH_F32, s->f);
}

static void run_u8(subject *s, const chi_kernels *kernels) {
    score(s, kernels, CH_U8, s->bytes);
}

static void run_u16(subject *s, const chi_kernels *kernels) {
    score(s, kernels, CH_U16, s->words);
}

static void run_rows_f32(subject *s, const chi_kernels *kernels) {
    kernels->dense->typed[CH_F32].row_dots(s->out[0], s->y, s->f, ROWS, ROWS, COLUMNS);
}

static void run_rows_u8(subject *s, const chi_kernels *kernels) {
    const chi_typed_loops *typed = &kernels->dense->typed[CH_U8];
    typed->prepare(s->prepared, s->y, COLUMNS);
    typed->row_dots(s->out[0], s->prepared, s->bytes, ROWS, ROWS, COLUMNS);
}

static void run_moments(subject *s, const chi_kernels *kernels) {
    double sum = 0;
    kernels->dense->typed[CH_F32].moments(&sum, &s->sum, s->f, LONGEST);
    kernels->dense->typed[CH_U8].moments(&sum, &s->sum, s->bytes, LONGEST);
}

static void run_gather(subject *s, const chi_kernels *kernels) {
    s->sum += kernels->dense->typed[CH_F32].gather(s->y, s->index, s->f, LONGEST);
}

static void run_check(subject *s, const chi_kernels *kernels) {
    s->sum += (double)kernels->dense->typed[CH_F64].first_bad(s->x, LONGEST);
    s->sum += (double)kernels->dense->typed[CH_F32].first_bad(s->f, LONGEST);
}

/* ---- losses and their Newton steps ---- */

static const void *kl_of(const chi_kernels *kernels) {
    return kernels->kl;
}

static const void *is_of(const chi_kernels *kernels) {
    return kernels->is;
}

static void all_of(subject *s, const chi_loss_loops *loops) {
    double *slope = s->out[0], *newton = s->out[1], *scoring = s->out[2], pulls[2];
    s->sum += loops->value(s->x, s->y, ROWS);
    loops->slopes(slope, newton, scoring, s->x, s->y, ROWS);
    loops->pull(&pulls[0], &pulls[1], s->x, s->x, s->y, ROWS);
    s->sum += pulls[0];
}

static void run_kl(subject *s, const chi_kernels *kernels) {
    all_of(s, &kernels->kl[0]);
}

static void run_kl_reverse(subject *s, const chi_kernels *kernels) {
    all_of(s, &kernels->kl[1]);
}

static void run_is(subject *s, const chi_kernels *kernels) {
    all_of(s, &kernels->is[0]);
}

static void run_is_reverse(subject *s, const chi_kernels *kernels) {
    all_of(s, &kernels->is[1]);
}

static const void *gram_of(const chi_kernels *kernels) {
    return (const void *)(uintptr_t)kernels->gram;
}

static void run_gram(subject *s, const chi_kernels *kernels) {
    kernels->gram(s->out[0], s->column, COLUMNS, s->y, ROWS);
}

static const void *weights_of(const chi_kernels *kernels) {
    return (const void *)(uintptr_t)kernels->kl_weights;
}

/* Weights under KL of DOCUMENTS columns with TERMS rows, for COLUMNS anchors. */
static void run_kl_weights(subject *s, const chi_kernels *kernels) {
    enum { TERMS = 40, DOCUMENTS = 20 };
    double sums[COLUMNS] = {0}, unit[COLUMNS], *out = s->out[1];
    int32_t row[TERMS];
    chi_kl_column c = {.At = s->x,
                       .At_stride = COLUMNS,
                       .row = row,
                       .rows = TERMS,
                       .count = COLUMNS,
                       .blocks = COLUMNS / 8,
                       .stride = COLUMNS,
                       .sums = sums,
                       .unit = unit,
                       .floor = 1e-6,
                       .aim = 1e-13,
                       .enough = 1e-11};
    double **results[] = {&c.b, &c.gradient, &c.y, &c.here, &c.ratio, &c.before, &c.weight};
    for (int k = 0; k < 7; k++, out += TERMS + 8) *results[k] = out;
    c.A = s->out[0];
    c.free = s->out[2];
    for (int i = 0; i < TERMS; i++) {
        row[i] = i;
        for (int q = 0; q < COLUMNS; q++) sums[q] += s->x[i * COLUMNS + q];
    }
    for (int q = 0; q < COLUMNS; q++) unit[q] = 1 / sums[q];
    for (int n = 0; n < DOCUMENTS; n++) {
        c.x = s->y + n * TERMS;
        c.mass = 0;
        for (int i = 0; i < TERMS; i++) c.mass += c.x[i];
        s->sum += kernels->kl_weights(&c);
    }
}

/* ---- exact l1 projections ---- */

static const void *lad_of(const chi_kernels *kernels) {
    return kernels->lad;
}

static ch_status make_projector(ch_context *context, projector *p, const subject *s, int64_t rows,
                                int64_t anchors) {
    TRY(chi_cone_create(context, &p->cone, rows, anchors));
    for (int64_t j = 0; j < anchors; j++) chi_cone_append(&p->cone, s->column[j]);
    p->work = chi_nnlad_exact.create(&p->cone.arena, &p->cone, 1e-9);
    return chi_arena_status(&p->cone.arena, "a projection");
}

static ch_status make_projectors(ch_context *context, subject *s, int set) {
    TRY(ch_context_set_kernel(context, chi_kernel_sets[set].name));
    TRY(make_projector(context, &s->many[set], s, ROWS, COLUMNS));
    return make_projector(context, &s->few[set], s, FRAMES, 3);
}

static void project(subject *s, projector *p, int64_t columns) {
    double b[COLUMNS], value[ROWS];
    int32_t index[ROWS];
    int64_t rows = p->cone.rows;
    for (int64_t n = 0; n < columns; n++) {
        ch_matrix X = {.rows = rows, .cols = 1, .values = s->y + n * rows, .stride = rows};
        chi_column x;
        chi_fit fit;
        chi_column_load(p->cone.kernels, &x, index, value, &X, 0);
        chi_nnlad_exact.solve(p->work, &fit, b, NULL, &x, 0);
        s->sum += fit.objective;
    }
}

static void run_lad(subject *s, const chi_kernels *kernels) {
    project(s, &s->many[kernels - chi_kernel_sets], 2);
}

static void run_lad_few(subject *s, const chi_kernels *kernels) {
    project(s, &s->few[kernels - chi_kernel_sets], 20);
}

/* ---- medians, decompositions, video ---- */

static const void *count_of(const chi_kernels *kernels) {
    return (const void *)(uintptr_t)kernels->count_below;
}

static void run_count(subject *s, const chi_kernels *kernels) {
    uint32_t count[CHI_COUNTED_AT_ONCE] = {0};
    kernels->count_below(count, s->bytes, s->mask, LONGEST / CHI_COUNTED_AT_ONCE);
    s->sum += count[0];
}

static const void *shrink_of(const chi_kernels *kernels) {
    return kernels->shrink;
}

static void run_shrink(subject *s, const chi_kernels *kernels) {
    chi_shrink_sums sums = {0, 0, 0};
    for (int j = 0; j + 2 < COLUMNS; j++) {
        kernels->shrink->aim(s->out[0], s->x, s->y, 0.3, 1.5, ROWS);
        kernels->shrink->step(s->out[0], s->out[1], &sums, s->x, s->y, 0.3, 0.5, 0.2, 1.5, ROWS);
    }
    s->sum += sums.abs;
}

static const void *share_of(const chi_kernels *kernels) {
    return (const void *)(uintptr_t)kernels->residual_share;
}

static void run_share(subject *s, const chi_kernels *kernels) {
    for (int i = 0; i + FRAMES <= LONGEST; i += FRAMES)
        s->sum += (double)kernels->residual_share(s->f + i, s->g, FRAMES, 1e-3f);
}

static const void *mask_of(const chi_kernels *kernels) {
    return kernels->mask;
}

static void run_mask(subject *s, const chi_kernels *kernels) {
    float *sums[CHI_MASK_SUMS], *totals[CHI_MASK_SUMS], *ratio = s->spare;
    for (int k = 0; k < CHI_MASK_SUMS; k++) {
        sums[k] = (float *)s->out[k] + 1;
        totals[k] = (float *)s->out[k] + ROWS;
    }
    kernels->mask->ratio(ratio, s->bytes, s->h, LONGEST, 0);
    for (int row = 0; (row + 3) * WIDE <= LONGEST; row++) {
        chi_mask_rows rows = {ratio + row * WIDE, s->f + row * WIDE, WIDE, 3};
        kernels->mask->add_rows(sums, &rows, 1, WIDE);
        for (int k = 0; k < CHI_MASK_SUMS; k++)
            kernels->mask->add_columns(totals[k], sums[k] - 1, WIDE, 1);
        kernels->mask->score(totals[0], totals, s->g, 2, 0.4f, 128, WIDE);
        kernels->mask->cut((uint8_t *)s->prepared, totals[0], 5, WIDE);
    }
}

static const void *live_of(const chi_kernels *kernels) {
    return kernels->live;
}

static void run_live(subject *s, const chi_kernels *kernels) {
    static const float w[] = {100, 50}, along[] = {0.008f, 0.004f};
    enum { PIXELS = LONGEST / 2 };
    float *made = (float *)s->out[0], *b = (float *)s->out[1];
    chi_live_stretch part = {s->f, PIXELS, 2, PIXELS, w};
    chi_live_step step = {made, s->bytes, s->mask, along, 0.3f, 4, s->spare};
    kernels->live->render(b, &part);
    kernels->live->follow(b, &part, &step);
}

/* ---- the table ---- */

typedef struct bench_loop {
    const char *name;
    void (*run)(subject *s, const chi_kernels *kernels);
    /* returns the loop of a set; sets with the same loop are not compared */
    const void *(*of)(const chi_kernels *kernels);
} bench_loop;

static const bench_loop loops[] = {{"dot", run_dot, dense_of},
                                   {"axpy", run_axpy, dense_of},
                                   {"score f64", run_f64, dense_of},
                                   {"score f32", run_f32, dense_of},
                                   {"score u8", run_u8, dense_of},
                                   {"score u16", run_u16, dense_of},
                                   {"score f32, rows", run_rows_f32, dense_of},
                                   {"score u8, rows", run_rows_u8, dense_of},
                                   {"norms", run_moments, dense_of},
                                   {"sparse score", run_gather, dense_of},
                                   {"check", run_check, dense_of},
                                   {"kl", run_kl, kl_of},
                                   {"kl reversed", run_kl_reverse, kl_of},
                                   {"is", run_is, is_of},
                                   {"is reversed", run_is_reverse, is_of},
                                   {"weights under kl", run_kl_weights, weights_of},
                                   {"weighted Gram", run_gram, gram_of},
                                   {"exact l1, 16 anchors", run_lad, lad_of},
                                   {"exact l1, 3 anchors", run_lad_few, lad_of},
                                   {"count below", run_count, count_of},
                                   {"shrink", run_shrink, shrink_of},
                                   {"residual share", run_share, share_of},
                                   {"mask score", run_mask, mask_of},
                                   {"live background", run_live, live_of}};
enum { LOOPS = sizeof loops / sizeof *loops };

typedef struct work {
    subject *s;
    const bench_loop *loop;
    const chi_kernels *kernels;
    double seconds; /* duration of the measurement */
} work;

/* Measures the shortest of many runs of microseconds each: other programs make some of the runs
 * longer, but not the shortest. */
static int run_work(void *user, bench_time *time) {
    const work *w = user;
    bench_time least = {INFINITY, INFINITY}, begin = bench_now();
    do {
        bench_time start = bench_now();
        w->loop->run(w->s, w->kernels);
        bench_time taken = bench_since(start);
        if (taken.wall < least.wall) least = (bench_time){taken.wall, taken.wall};
    } while (bench_since(begin).wall < w->seconds);
    *time = least;
    return EXIT_DONE;
}

static int measure(bench_run *run, subject *s, const bench_loop *loop,
                   const chi_kernels *const *sets, int count) {
    work works[SETS];
    bench_work sides[SETS] = {{NULL, NULL, NULL}};
    bench_series series[SETS];
    for (int k = 0; k < count; k++) {
        works[k] = (work){s, loop, sets[k], run->quick ? 0.001 : 0.03};
        sides[k] = (bench_work){sets[k]->name, run_work, &works[k]};
    }
    int code = bench_take_turns(run, series, sides, count);
    for (int below = 0; below < count; below++)
        for (int above = below + 1; above < count && code == EXIT_DONE; above++) {
            char name[BENCH_TEXT];
            snprintf(name, sizeof name, "%s: %s over %s", loop->name, sets[above]->name,
                     sets[below]->name);
            bench_record record = bench_ratio(run, &series[above], &series[below], 1);
            if (loop->of(sets[above]) == loop->of(sets[below]))
                record = bench_absent(name, "both have the same loop");
            snprintf(record.name, sizeof record.name, "%s", name);
            snprintf(record.data, sizeof record.data, "generated, in the cache, one thread");
            code = bench_add(run, &record);
        }
    return code;
}

int bench_kernels(bench_run *run) {
    const chi_kernels *sets[SETS];
    int count = 0, threads = run->threads;
    ch_context *context;
    if (ch_context_create(&context, NULL) < 0) return cli_no_memory();
    subject *s = make_subject();
    int code = s ? EXIT_DONE : cli_no_memory();
    for (int k = 0; k < chi_kernel_set_count && code == EXIT_DONE; k++) {
        if (!ch_kernel_usable(k)) continue;
        sets[count++] = &chi_kernel_sets[k];
        if (make_projectors(context, s, k) < 0) code = cli_no_memory();
    }
    run->threads = 1;
    for (int l = 0; l < LOOPS && code == EXIT_DONE; l++)
        code = measure(run, s, &loops[l], sets, count);
    run->threads = threads;
    for (int k = 0; k < SETS && s; k++) {
        chi_cone_destroy(&s->many[k].cone);
        chi_cone_destroy(&s->few[k].cone);
    }
    free(s);
    ch_context_destroy(context);
    return code;
}
