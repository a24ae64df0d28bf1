/* Exact l1 projections of blocks of columns, with a few anchors: each proven answer has the same
 * bits as that of the column alone, for every instruction set, type of data, unit and loss; most
 * columns of a film are proven in their block; and the projection of all columns gives every column
 * the weights and exceptions that it has alone. */
#include "project/columns/project_all.h"
#include "project/lad/lad_lanes.h"
#include "support_files.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 37, ANCHORS_MOST = CHI_LANE_ANCHORS }; /* two blocks and a part of one */

enum family { FILM, STILL, PARALLEL, FEW_LEVELS, TWINS, HOLES, FLOATS, HUGE_UNIT, FAMILIES };

typedef struct trial {
    ch_context *context;
    chi_cone cone;
    ch_matrix X;
    void *values;
    void *work;
    double H[COLUMNS * ANCHORS_MOST];
    chi_fit fits[COLUMNS];
    int32_t *row, *block_row[COLUMNS]; /* exceptions */
    double *value, *block_value[COLUMNS];
    int64_t exceptions[COLUMNS];
} trial;

/* Entry i of anchor j. */
static double draw_anchor(ch_random *random, enum family family, int64_t i, int64_t j) {
    double light = 60 + 40 * sin(0.05 * (double)i * (double)(j + 1) + (double)j);
    if (family == FEW_LEVELS) return j == 0 ? 1 : (double)(i / 5 % 2);
    if (family == PARALLEL) light = 100 + 0.01 * light;
    if (family == TWINS) light = j < 2 ? 50 + (double)(i % 7) : light;
    return family == STILL ? light : light + ch_random_uniform(random);
}

static double draw_entry(const trial *t, ch_random *random, enum family family, const double *h,
                         int64_t i) {
    double x = (family == STILL ? 0.4 : 3) * ch_random_normal(random);
    for (int64_t j = 0; j < t->cone.count; j++) x += h[j] * t->cone.A[i + j * t->cone.rows];
    if (i % 97 < 9) x += 60; /* an object passes */
    if (family == FLOATS) return fmax(x, 0.01);
    if (family == HUGE_UNIT) return fmax(x, 0.01) * 1e200;
    if (family == FEW_LEVELS) x = 2 * h[0] + h[1] * t->cone.A[i + t->cone.rows] + (double)(i % 3);
    if (family == HOLES && ch_random_below(random, 300) == 0) return 0;
    return fmin(fmax(rint(x), 1), 255);
}

static void draw(trial *t, ch_random *random, enum family family, int64_t rows, int64_t k,
                 int type) {
    double *a = malloc((size_t)rows * sizeof *a);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < rows; i++) a[i] = draw_anchor(random, family, i, j);
        chi_cone_append(&t->cone, a);
    }
    free(a);
    t->values = malloc((size_t)(rows * COLUMNS) * sizeof(double));
    for (int64_t n = 0; n < COLUMNS; n++) {
        double h[ANCHORS_MOST];
        for (int64_t j = 0; j < k; j++)
            h[j] = ch_random_below(random, 4) ? ch_random_uniform(random) / (double)k : 0;
        h[0] += 0.2;
        for (int64_t i = 0; i < rows; i++) {
            double x = draw_entry(t, random, family, h, i);
            if (type == CH_U8)
                ((uint8_t *)t->values)[i + n * rows] = (uint8_t)x;
            else if (type == CH_F32)
                ((float *)t->values)[i + n * rows] = (float)x;
            else
                ((double *)t->values)[i + n * rows] = x;
        }
    }
    ch_matrix view = {.rows = rows, .cols = COLUMNS, .type = type, .values = t->values};
    assert_int_equal(ch_matrix_borrow(t->context, &t->X, &view), CH_OK);
}

static void keep_exceptions(void *user, int64_t j) {
    trial *t = user;
    t->exceptions[j] = chi_nnlad_exact.exceptions(t->work, t->block_row[j], t->block_value[j]);
}

static void solve_blocks(trial *t) {
    int64_t size = chi_nnlad_exact.block_columns(&t->cone);
    assert_int_equal(size, CHI_LANE_COLUMNS);
    for (int64_t low = 0; low < COLUMNS; low += size) {
        chi_column_block block = {.X = &t->X,
                                  .lo = low,
                                  .hi = low + size < COLUMNS ? low + size : COLUMNS,
                                  .fits = t->fits + low,
                                  .H = t->H + low * t->cone.count,
                                  .done = keep_exceptions,
                                  .user = t};
        chi_nnlad_exact.solve_block(t->work, &block);
    }
}

/* Compares the columns that a block proved with the same columns alone. Returns their number. */
static int64_t compare(trial *t) {
    int64_t rows = t->X.rows, k = t->cone.count, proven = 0;
    int32_t *index = malloc((size_t)rows * sizeof *index);
    double *value = malloc((size_t)rows * sizeof *value), b[ANCHORS_MOST];
    for (int64_t j = 0; j < COLUMNS; j++) {
        const chi_fit *fit = &t->fits[j];
        chi_column x;
        chi_fit alone = {0};
        if (!fit->proven) continue;
        proven++;
        chi_column_load(t->cone.kernels, &x, index, value, &t->X, j);
        chi_nnlad_exact.solve(t->work, &alone, b, NULL, &x, 0);
        assert_memory_equal(b, t->H + j * k, (size_t)k * sizeof *b);
        assert_true(alone.proven && alone.objective == fit->objective && alone.gap == fit->gap &&
                    alone.infeasibility == fit->infeasibility);
        int64_t count = chi_nnlad_exact.exceptions(t->work, t->row, t->value);
        assert_int_equal(count, t->exceptions[j]);
        assert_memory_equal(t->row, t->block_row[j], (size_t)count * sizeof *t->row);
        assert_memory_equal(t->value, t->block_value[j], (size_t)count * sizeof *t->value);
    }
    free(index);
    free(value);
    return proven;
}

static void reserve(trial *t, int64_t rows) {
    t->row = malloc((size_t)rows * sizeof *t->row);
    t->value = malloc((size_t)rows * sizeof *t->value);
    for (int n = 0; n < COLUMNS; n++) {
        t->block_row[n] = malloc((size_t)rows * sizeof *t->row);
        t->block_value[n] = malloc((size_t)rows * sizeof *t->value);
    }
}

static void release(trial *t) {
    for (int n = 0; n < COLUMNS; n++) {
        free(t->block_row[n]);
        free(t->block_value[n]);
    }
    free(t->row);
    free(t->value);
    free(t->values);
    chi_cone_destroy(&t->cone);
    ch_context_destroy(t->context);
}

/* Returns how many columns were proven in their block. */
static int64_t try_once(const char *kernel, ch_random *random, enum family family, int64_t rows,
                        int64_t k, double skew) {
    trial t;
    memset(&t, 0, sizeof t);
    t.context = support_context(NULL, 1);
    assert_int_equal(ch_context_set_kernel(t.context, kernel), CH_OK);
    assert_int_equal(chi_cone_create(t.context, &t.cone, rows, k), CH_OK);
    t.cone.skew = skew;
    reserve(&t, rows);
    t.work = chi_nnlad_exact.create(&t.cone.arena, &t.cone, 1e-9);
    assert_non_null(t.work);
    draw(&t, random, family, rows, k,
         family == FLOATS      ? CH_F32
         : family == HUGE_UNIT ? CH_F64
                               : CH_U8);
    solve_blocks(&t);
    int64_t proven = compare(&t);
    release(&t);
    return proven;
}

static void blocks_have_the_bits_of_columns(void **state) {
    (void)state;
    static const int64_t all_rows[] = {32, 33, 64, 128, 201, 512, 1100};
    uint64_t seed = 28;
    for (int set = 0; ch_kernel_name(set); set++) {
        int64_t proven[FAMILIES] = {0}, count = 0;
        if (!ch_kernel_usable(set)) continue;
        for (size_t r = 0; r < sizeof all_rows / sizeof *all_rows &&
                           all_rows[r] <= chi_kernel_sets[set].lanes->rows_most;
             r++)
            for (int64_t k = 2; k <= ANCHORS_MOST; k++, count += COLUMNS)
                for (enum family f = 0; f < FAMILIES; f++) {
                    ch_random random;
                    ch_random_seed(&random, seed + 100 * (uint64_t)k + (uint64_t)f);
                    proven[f] += try_once(ch_kernel_name(set), &random, f, all_rows[r], k,
                                          r == 3 && k == 3 ? 0.4 : 0);
                }
        for (enum family f = 0; f < FAMILIES; f++)
            print_message("%s, family %d: %ld of %ld columns proven in their block\n",
                          ch_kernel_name(set), (int)f, (long)proven[f], (long)count);
        support_check(proven[FILM] >= count * 8 / 10, "film: %ld of %ld", (long)proven[FILM],
                      (long)count);
        support_check(proven[FLOATS] >= count * 8 / 10, "floats: %ld of %ld", (long)proven[FLOATS],
                      (long)count);
        support_check(proven[HUGE_UNIT] >= count * 8 / 10, "huge unit: %ld of %ld",
                      (long)proven[HUGE_UNIT], (long)count);
    }
}

/* Anchors, rows and hulls for which columns are projected one by one. */
static void other_problems_have_no_blocks(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    const chi_kernels *kernels = chi_kernels_of(context);
    const int64_t most = kernels->lanes->rows_most;
    const struct {
        int64_t rows, anchors;
        int hull, together;
    } cases[] = {{100, 1, 0, 0},  {100, 2, 0, 1},
                 {100, 2, 1, 0},  {100, CHI_LANE_ANCHORS, 0, 1},
                 {most, 2, 0, 1}, {100, CHI_LANE_ANCHORS + 1, 0, 0},
                 {31, 2, 0, 0},   {most + 1, 2, 0, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        chi_cone cone = {.rows = cases[c].rows,
                         .count = cases[c].anchors,
                         .hull = cases[c].hull,
                         .kernels = kernels};
        int64_t expected = cases[c].together ? CHI_LANE_COLUMNS : 0;
        assert_int_equal(chi_nnlad_exact.block_columns(&cone), expected);
    }
    ch_context_destroy(context);
}

/* Columns whose means are not normal numbers cannot be scaled, and none is proposed for them. */
static void tiny_columns_are_not_proposed(void **state) {
    enum { ROWS = 100 };
    (void)state;
    for (int set = 0; ch_kernel_name(set); set++) {
        trial t;
        ch_random random;
        if (!ch_kernel_usable(set)) continue;
        memset(&t, 0, sizeof t);
        ch_random_seed(&random, 2);
        t.context = support_context(NULL, 1);
        assert_int_equal(ch_context_set_kernel(t.context, ch_kernel_name(set)), CH_OK);
        assert_int_equal(chi_cone_create(t.context, &t.cone, ROWS, 3), CH_OK);
        reserve(&t, ROWS);
        chi_lad *work = chi_nnlad_exact.create(&t.cone.arena, &t.cone, 1e-9);
        t.work = work;
        assert_non_null(work);
        draw(&t, &random, FILM, ROWS, 3, CH_F64);
        chi_column_block first = {.X = &t.X, .hi = CHI_LANE_COLUMNS, .fits = t.fits, .H = t.H};
        chi_nnlad_exact.solve_block(work, &first);
        int proposed = 0;
        for (int l = 0; l < CHI_LANE_COLUMNS; l++) proposed += work->lanes->found[l];
        assert_true(proposed > 0);
        for (int64_t e = 0; e < ROWS * COLUMNS; e++) ((double *)t.values)[e] *= 1e-312;
        chi_nnlad_exact.solve_block(work, &first);
        for (int l = 0; l < CHI_LANE_COLUMNS; l++) assert_int_equal(work->lanes->found[l], 0);
        release(&t);
    }
}

/* Compares H, if there is one, and the exceptions with those of every column alone. */
static void compare_all(trial *t, const chi_projector *projector, const chi_projected *all,
                        const double *H) {
    int64_t k = t->cone.count;
    for (int64_t j = 0; j < COLUMNS; j++) {
        double b[ANCHORS_MOST];
        chi_fit fit;
        chi_project_column(projector, 0, &fit, b, NULL, j);
        if (H) assert_memory_equal(b, H + j * k, (size_t)k * sizeof *b);
        if (!all->dual_start) continue;
        int64_t count = chi_project_exceptions(projector, 0, t->row, t->value);
        int64_t at = all->dual_start[j];
        assert_int_equal(count, all->dual_start[j + 1] - at);
        assert_memory_equal(t->row, all->dual_row + at, (size_t)count * sizeof *t->row);
        assert_memory_equal(t->value, all->dual_value + at, (size_t)count * sizeof *t->value);
    }
}

static void project_all(int threads, int64_t k, int duals, int weights) {
    enum { ROWS = 128 };
    trial t;
    chi_projector projector;
    chi_projected all;
    ch_anchors_settings set;
    ch_random random;
    memset(&t, 0, sizeof t);
    ch_random_seed(&random, 410 + (uint64_t)k);
    t.context = support_context(NULL, threads);
    assert_int_equal(chi_cone_create(t.context, &t.cone, ROWS, ANCHORS_MOST), CH_OK);
    reserve(&t, ROWS);
    draw(&t, &random, HOLES, ROWS, k, CH_U8);
    int64_t holes = 0;
    for (int64_t j = 0; j < COLUMNS; j++)
        holes += memchr((const uint8_t *)t.values + j * ROWS, 0, ROWS) != NULL;
    assert_true(holes > 0 && holes < COLUMNS);
    ch_anchors_defaults(&set);
    set.loss = CH_LOSS_L1;
    set.projection = CH_PROJECTION_EXACT;
    assert_int_equal(chi_projector_create(t.context, &projector, &t.cone, &t.X, &set), CH_OK);
    assert_int_equal(chi_projects_together(&projector), CHI_LANE_COLUMNS);
    double *H = weights ? t.H : NULL;
    assert_int_equal(chi_project_all(t.context, &all, H, &projector, duals, NULL, NULL), CH_OK);
    assert_int_equal(all.unproven, 0);
    assert_int_equal(all.dual_start != NULL, duals);
    compare_all(&t, &projector, &all, H);
    chi_free(t.context, all.dual_start);
    chi_free(t.context, all.dual_row);
    chi_free(t.context, all.dual_value);
    chi_projector_destroy(&projector);
    release(&t);
}

static void all_columns_are_as_alone(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2)
        for (int64_t k = 2; k <= ANCHORS_MOST; k++)
            for (int ask = 1; ask < 4; ask++) project_all(threads, k, ask & 1, ask >> 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_bits_of_columns),
        cmocka_unit_test(other_problems_have_no_blocks),
        cmocka_unit_test(tiny_columns_are_not_proposed),
        cmocka_unit_test(all_columns_are_as_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
