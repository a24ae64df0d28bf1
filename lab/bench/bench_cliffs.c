/* Inputs for which earlier versions took time that grew with the square of the columns, relative to
 * similar inputs without this problem: columns that are nearly multiples of a few others, relative
 * to columns in which each entry was changed; data with a large offset, relative to data without
 * it; and the growth of both with the number of columns. Three anchors are selected on one thread.
 * Also the automatic rank relative to a given rank. These runs take milliseconds, and other
 * programs can make them ten times longer, so the ratio of processor times counts. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include <conehull/conehull.h>
#include <conehull/random.h>
#include <conehull/synthetic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 30, WARM_ROWS = 60, AUTO_ROWS = 1000 };

typedef struct subject {
    bench_run *run;
    ch_matrix X;
    void *values;
    int64_t rank; /* 0: automatic */
} subject;

static int choose(void *user, bench_time *time) {
    subject *s = user;
    ch_context *context = s->run->session->context;
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    (void)time;
    ch_anchors_defaults(&set);
    set.rank = s->rank;
    set.select_only = 1;
    ch_status status = ch_anchors(context, &result, &s->X, &set);
    ch_anchors_result_free(context, &result);
    return bench_code(s->run, status < 0 ? status : CH_OK);
}

static int open_subject(bench_run *run, subject *s, int64_t rows, int64_t cols,
                        ch_value_type type) {
    *s = (subject){.run = run, .rank = 3};
    s->values = calloc((size_t)(rows * cols), ch_value_type_size(type));
    if (!s->values) return cli_no_memory();
    return bench_code(
        run, ch_matrix_borrow(
                 run->session->context, &s->X,
                 &(ch_matrix){.rows = rows, .cols = cols, .type = type, .values = s->values}));
}

/* Stores a value from [0, 1]; integer types use their whole range. */
static void put(const subject *s, int64_t at, double value) {
    switch (s->X.type) {
    case CH_F64:
        ((double *)s->values)[at] = value;
        return;
    case CH_F32:
        ((float *)s->values)[at] = (float)value;
        return;
    case CH_U16:
        ((uint16_t *)s->values)[at] = (uint16_t)rint(65535 * value);
        return;
    default:
        ((uint8_t *)s->values)[at] = (uint8_t)rint(255 * value);
    }
}

/* Draws columns on cols / copies rays; every entry is changed by up to the share `change`. */
static int draw_rays(const subject *s, int64_t copies, double change) {
    int64_t cols = s->X.cols, rays = cols / copies > 3 ? cols / copies : 3;
    double *ray = calloc((size_t)(ROWS * rays), sizeof *ray);
    ch_random random;
    if (!ray) return cli_no_memory();
    ch_random_seed(&random, 28);
    for (int64_t i = 0; i < ROWS * rays; i++) ray[i] = ch_random_uniform(&random);
    for (int64_t j = 0; j < cols; j++) {
        int64_t of = ch_random_below(&random, rays);
        double scale = 0.2 + 0.8 * ch_random_uniform(&random);
        for (int64_t i = 0; i < ROWS; i++)
            put(s, i + j * ROWS,
                scale * ray[i + of * ROWS] * (1 - change * ch_random_uniform(&random)));
    }
    free(ray);
    return EXIT_DONE;
}

static void draw_offset(const subject *s, double offset) {
    ch_random random;
    ch_random_seed(&random, 293);
    for (int64_t i = 0; i < WARM_ROWS * s->X.cols; i++)
        ((float *)s->values)[i] = (float)(offset + 0.05 * ch_random_uniform(&random));
}

/* Adds the ratio of `above` to `below` and closes both. */
static int compare(bench_run *run, subject *above, subject *below, const char *name,
                   const char *data, double at_most) {
    const bench_work works[] = {{"this input", choose, above}, {"the other", choose, below}};
    const bench_pair pair = {name, 0, 1, at_most, 0, 1};
    bench_series series[2];
    int code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) code = bench_add_pairs(run, series, &pair, 1, data);
    free(above->values);
    free(below->values);
    return code;
}

static int measure_copies(bench_run *run, ch_value_type type, const char *name, int64_t cols,
                          int64_t copies) {
    char data[BENCH_TEXT];
    subject same, apart;
    int code = open_subject(run, &same, ROWS, cols, type);
    int other = open_subject(run, &apart, ROWS, cols, type);
    snprintf(data, sizeof data, "%d x %lld %s, %lld columns on a ray", ROWS, (long long)cols, name,
             (long long)copies);
    if (code == EXIT_DONE) code = other;
    if (code == EXIT_DONE) code = draw_rays(&same, copies, 0);
    if (code == EXIT_DONE) code = draw_rays(&apart, copies, 0.1);
    if (code == EXIT_DONE)
        return compare(run, &same, &apart, "nearly equal columns over distinct ones", data, 3);
    free(same.values);
    free(apart.values);
    return code;
}

static int measure_offset(bench_run *run, int64_t cols) {
    char data[BENCH_TEXT];
    subject warm, plain;
    int code = open_subject(run, &warm, WARM_ROWS, cols, CH_F32);
    int other = open_subject(run, &plain, WARM_ROWS, cols, CH_F32);
    snprintf(data, sizeof data, "%d x %lld f32, 293 + 0.05 u", WARM_ROWS, (long long)cols);
    if (code == EXIT_DONE) code = other;
    if (code == EXIT_DONE) {
        draw_offset(&warm, 293);
        draw_offset(&plain, 0);
        return compare(run, &warm, &plain, "an offset over none", data, 2);
    }
    free(warm.values);
    free(plain.values);
    return code;
}

/* Adds the ratio of the time for `cols` columns to the time for a tenth of them; linear growth
 * gives 10. */
static int measure_growth(bench_run *run, int64_t cols, int offset) {
    char data[BENCH_TEXT];
    subject many, few;
    int64_t rows = offset ? WARM_ROWS : ROWS;
    int code = open_subject(run, &many, rows, cols, CH_F32);
    int other = open_subject(run, &few, rows, cols / 10, CH_F32);
    snprintf(data, sizeof data, "%lld x %lld f32, %s", (long long)rows, (long long)cols,
             offset ? "293 + 0.05 u" : "12 rays");
    if (code == EXIT_DONE) code = other;
    if (code == EXIT_DONE && offset) {
        draw_offset(&many, 293);
        draw_offset(&few, 293);
    } else if (code == EXIT_DONE) {
        code = draw_rays(&many, cols / 12, 0);
        if (code == EXIT_DONE) code = draw_rays(&few, cols / 120, 0);
    }
    if (code == EXIT_DONE)
        return compare(run, &many, &few, "ten times the columns, of which 10 are fair", data, 12);
    free(many.values);
    free(few.values);
    return code;
}

static int measure_automatic(bench_run *run, int64_t cols) {
    char data[BENCH_TEXT];
    ch_synthetic_settings made = {sizeof made, AUTO_ROWS, cols,   20, CH_NOISE_SPARSE,
                                  0.1,         1,         CH_F32, 1};
    ch_context *context = run->session->context;
    subject any = {.run = run}, given = {.run = run, .rank = 20};
    int code = bench_code(run, ch_synthetic_make(context, &any.X, NULL, &made));
    if (code != EXIT_DONE) return code;
    given.X = any.X;
    snprintf(data, sizeof data, "%d x %lld f32, 20 anchors planted", AUTO_ROWS, (long long)cols);
    code = compare(run, &any, &given, "-r auto over -r 20", data, 60);
    ch_matrix_free(context, &any.X);
    return code;
}

int bench_cliffs(bench_run *run) {
    static const struct {
        ch_value_type type;
        const char *name;
    } types[] = {{CH_F64, "f64"}, {CH_F32, "f32"}, {CH_U16, "u16"}, {CH_U8, "u8"}};
    int64_t cols = run->quick ? 10000 : 100000;
    int code = EXIT_DONE, threads = run->threads;
    run->threads = 1;
    code = bench_code(run, ch_context_set_threads(run->session->context, 1));
    for (int t = 0; t < 4; t++)
        for (int64_t copies = 10; copies <= cols && code == EXIT_DONE; copies *= 10)
            code = measure_copies(run, types[t].type, types[t].name, cols, copies);
    if (code == EXIT_DONE) code = measure_offset(run, cols);
    for (int offset = 0; offset < 2; offset++)
        if (code == EXIT_DONE) code = measure_growth(run, 10 * cols, offset);
    if (code == EXIT_DONE) code = measure_automatic(run, run->quick ? 5000 : 50000);
    run->threads = threads;
    return code;
}
