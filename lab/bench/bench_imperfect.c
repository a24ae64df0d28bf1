/* The cost of options for imperfect data (docs/howto/imperfect-data.md): hulls, missing entries and
 * row weights relative to the plain cone, on the same planted data. One call, on one thread, does
 * the selection and computes the weights of all columns. A ratio compares whole calls, so that
 * copies and completions count, by processor times, so that other programs do not matter. Row
 * weights are compared with data whose rows were multiplied beforehand, which is the same problem
 * without the option.
 *
 * Columns are mixtures of `rank` columns that are in the data, with 2 % noise; in even light for
 * the convex hull, with shade for all else. The losses whose projection is iterative take fewer
 * columns. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/anchors_work.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 150, FAST = 4000, SLOW = 500, QUICK = 300, MOST_RANK = 20 };
static const double GONE = 0.3; /* share of missing entries */

static const struct {
    const char *name, *words;
    int64_t cols;
    double degree; /* l(c x, c y) = c^degree l(x, y); 0: rows have no weights */
} losses[] = {{"l1", "loss=l1", FAST, 1},
              {"quantile 0.3", "loss=quantile quantile=0.3", FAST, 1},
              {"l2", "loss=l2", FAST, 2},
              {"kl", "loss=kl", SLOW, 1},
              {"kl reversed", "loss=kl reverse=1", SLOW, 1},
              {"beta 1.5", "loss=beta beta=1.5", SLOW, 1.5},
              {"is", "loss=is", SLOW, 0}};
enum { LOSSES = sizeof losses / sizeof *losses };

enum { EVEN, EVEN_CONVEX, CONE, CONVEX0, MISSING, SCALED, WEIGHTED, WORKS };
static const bench_pair pairs[] = {
    {"convex over cone", EVEN_CONVEX, EVEN, 1.3, 0, 1},
    {"convex0 over cone", CONVEX0, CONE, 1.3, 0, 1},
    {"missing entries over none", MISSING, CONE, 2, 0, 1},
    {"weights of rows over scaled rows", WEIGHTED, SCALED, 1.1, 0, 1}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

typedef struct planted {
    int64_t cols, rank;
    double *X, *even, *gaps; /* ROWS x cols; gaps: NaN where an entry is gone */
    double *scaled;          /* X, its rows multiplied                        */
    double weights[ROWS];
} planted;

/* Draws column j twice: in even light, and with shade. */
static void draw_column(ch_random *random, planted *p, const double *anchors, int64_t j) {
    double h[MOST_RANK], alpha[MOST_RANK];
    for (int64_t k = 0; k < p->rank; k++) alpha[k] = 0.5;
    ch_random_dirichlet(random, h, alpha, p->rank);
    for (int64_t k = 0; j < p->rank && k < p->rank; k++) h[k] = k == j;
    double light = j < p->rank ? 1 : 0.3 + 0.7 * ch_random_uniform(random);
    for (int64_t i = 0; i < ROWS; i++) {
        double y = 0;
        for (int64_t k = 0; k < p->rank; k++) y += anchors[i + k * ROWS] * h[k];
        p->even[i + j * ROWS] = fabs(y * (1 + 0.02 * ch_random_normal(random)));
        p->X[i + j * ROWS] = light * p->even[i + j * ROWS];
    }
}

static int plant(planted *p, double degree) {
    ch_random random;
    double anchors[ROWS * MOST_RANK];
    int64_t count = ROWS * p->cols;
    ch_random_seed(&random, 25);
    p->X = malloc((size_t)(4 * count) * sizeof *p->X);
    if (!p->X) return cli_no_memory();
    p->even = p->X + count;
    p->gaps = p->even + count;
    p->scaled = p->gaps + count;
    for (int64_t e = 0; e < ROWS * p->rank; e++) anchors[e] = ch_random_gamma(&random, 1);
    for (int64_t j = 0; j < p->cols; j++) draw_column(&random, p, anchors, j);
    for (int64_t e = 0; e < count; e++)
        p->gaps[e] = ch_random_uniform(&random) < GONE ? NAN : p->X[e];
    for (int64_t i = 0; i < ROWS; i++) p->weights[i] = 0.5 + ch_random_uniform(&random);
    for (int64_t e = 0; degree > 0 && e < count; e++)
        p->scaled[e] = pow(p->weights[e % ROWS], 1 / degree) * p->X[e];
    return EXIT_DONE;
}

static int view(const bench_run *run, ch_matrix *X, const double *values, int64_t cols) {
    ch_matrix given = {.rows = ROWS, .cols = cols, .values = values};
    return bench_code(run, ch_matrix_borrow(run->session->context, X, &given));
}

/* X: in even light, with shade, with gaps, with scaled rows. */
static int plan(bench_run *run, bench_anchors *works, const planted *p, int loss,
                const ch_matrix *X) {
    for (int w = 0; w < WORKS; w++) {
        const ch_matrix *view = w <= EVEN_CONVEX ? X : w == MISSING ? X + 2 : X + 1;
        if (w == SCALED) view = X + 3;
        works[w] = bench_anchors_plan(run, view, p->rank, CH_METHOD_XRAY);
        works[w].set.select_only = 0;
        works[w].threads = 1;
        int code = bench_code(run, ch_settings_set_words(works[w].context, ch_anchors_table(),
                                                         &works[w].set, losses[loss].words));
        if (code != EXIT_DONE) return code;
    }
    works[EVEN_CONVEX].set.hull = CH_HULL_CONVEX;
    works[CONVEX0].set.hull = CH_HULL_CONVEX0;
    works[MISSING].set.missing = CH_MISSING_NAN;
    if (losses[loss].degree == 0) return EXIT_DONE;
    works[WEIGHTED].set.row_weights = p->weights;
    works[WEIGHTED].set.row_weight_count = ROWS;
    return EXIT_DONE;
}

static int add_record(bench_run *run, const bench_series *series, const bench_anchors *anchors,
                      int loss, const bench_pair *pair) {
    bench_record record = bench_ratio(run, &series[pair->above], &series[pair->below], pair->units);
    const ch_anchors_result *found = &anchors[pair->above].found;
    snprintf(record.name, sizeof record.name, "%s, r = %d, %s", losses[loss].name,
             (int)anchors[pair->above].set.rank, pair->name);
    snprintf(record.data, sizeof record.data, "generated, %d x %lld, f64", ROWS,
             (long long)found->cols);
    record.threads = 1;
    record.at_most = pair->at_most;
    record.details =
        json_pack("{so so sI}", "objective", cli_json_real(found->objective), "gap",
                  cli_json_real(found->certificate.gap), "unproven", (json_int_t)found->unproven);
    return bench_add(run, &record);
}

static int compare(bench_run *run, bench_anchors *anchors, int loss) {
    static const char *const what[WORKS] = {"cone, even light",   "convex hull",
                                            "cone, shade",        "convex hull with the origin",
                                            "cone, 30 % missing", "cone, scaled rows",
                                            "cone, row weights"};
    bench_work works[WORKS];
    bench_series series[WORKS];
    int count = losses[loss].degree > 0 ? WORKS : SCALED, code;
    for (int w = 0; w < count; w++)
        works[w] = (bench_work){what[w], bench_anchors_find, &anchors[w]};
    code = bench_take_turns(run, series, works, count);
    for (int k = 0; k < PAIRS && code == EXIT_DONE; k++)
        if (pairs[k].above < count) code = add_record(run, series, anchors, loss, &pairs[k]);
    return code;
}

static int measure(bench_run *run, int loss, int64_t rank) {
    planted p = {.cols = run->quick ? QUICK : losses[loss].cols, .rank = rank};
    bench_anchors works[WORKS] = {0};
    ch_matrix X[4];
    int code = plant(&p, losses[loss].degree);
    if (code == EXIT_DONE) code = view(run, &X[0], p.even, p.cols);
    if (code == EXIT_DONE) code = view(run, &X[1], p.X, p.cols);
    if (code == EXIT_DONE) code = view(run, &X[2], p.gaps, p.cols);
    if (code == EXIT_DONE) code = view(run, &X[3], p.scaled, p.cols);
    if (code == EXIT_DONE) code = plan(run, works, &p, loss, X);
    if (code == EXIT_DONE) code = compare(run, works, loss);
    for (int w = 0; w < WORKS; w++)
        if (works[w].context) bench_anchors_free(&works[w]);
    free(p.X);
    return code;
}

int bench_imperfect(bench_run *run) {
    int code = EXIT_DONE;
    run->by_processor = 1;
    for (int loss = 0; loss < LOSSES; loss++)
        for (int64_t rank = 5; rank <= MOST_RANK && code == EXIT_DONE; rank *= 4)
            code = measure(run, loss, rank);
    run->by_processor = 0;
    return code;
}
