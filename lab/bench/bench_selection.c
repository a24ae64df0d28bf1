/* Choosing columns: RobustXray against SMRS, SPA, plain reads of the data and one median per
 * column, and the effect of a second thread. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/anchors_work.h"
#include "harness/documents.h"
#include "harness/film.h"
#include "harness/plain_read.h"
#include <conehull/synthetic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the ratios smrs_over_robust_xray and select_over_read ---- */

int bench_smrs(bench_run *run) {
    enum { RANK = 50 };
    bench_documents documents;
    bench_record record;
    int code = bench_documents_open(&documents, run, "bbc");
    bench_anchors smrs = bench_anchors_plan(run, &documents.X, RANK, CH_METHOD_SMRS);
    bench_anchors xray = bench_anchors_plan(run, &documents.X, RANK, CH_METHOD_XRAY);
    bench_work above = {"SMRS", bench_anchors_find, &smrs};
    bench_work below = {"RobustXray", bench_anchors_find, &xray};
    if (code == EXIT_DONE) code = bench_compare(run, &record, &above, &below, 1);
    if (code == EXIT_DONE) {
        snprintf(record.data, sizeof record.data, "%s", documents.data);
        record.details = json_pack("{si}", "exemplars", RANK);
        code = bench_add(run, &record);
    }
    bench_anchors_free(&smrs);
    bench_anchors_free(&xray);
    bench_documents_close(&documents, run);
    return code;
}

enum { DENSE_RANK = 20 };

static int make_dense(const bench_run *run, ch_matrix *X, int64_t cols) {
    ch_synthetic_settings make = {sizeof make, 2000, cols,   DENSE_RANK, CH_NOISE_SPARSE,
                                  0.1,         1,    CH_F32, 1};
    return bench_code(run, ch_synthetic_make(run->session->context, X, NULL, &make));
}

static void describe_dense(char *text, size_t size, const ch_matrix *X) {
    snprintf(text, size, "generated, %lld x %lld, f32, %d anchors, delta 0.1", (long long)X->rows,
             (long long)X->cols, DENSE_RANK);
}

int bench_select_over_read(bench_run *run) {
    ch_matrix X = {0};
    bench_record record;
    int code = make_dense(run, &X, run->quick ? 5000 : 50000);
    if (code != EXIT_DONE) return code;
    bench_block block = bench_block_of(&X, run->threads);
    bench_anchors xray = bench_anchors_plan(run, &X, DENSE_RANK, CH_METHOD_XRAY);
    bench_work above = {"RobustXray, selection", bench_anchors_find, &xray};
    bench_work below = {"a plain read", bench_plain_read, &block};
    code = bench_compare(run, &record, &above, &below, DENSE_RANK);
    if (code == EXIT_DONE) {
        double rate = 1e-9 * bench_block_bytes(&block) / record.below.wall.min;
        json_int_t solved = xray.found.projections;
        describe_dense(record.data, sizeof record.data, &X);
        record.details = json_pack("{sI sf so}", "projections", solved, "projected_share",
                                   (double)solved / (double)(DENSE_RANK * X.cols),
                                   "read_gb_per_second", cli_json_real(rate));
        code = bench_add(run, &record);
    }
    bench_anchors_free(&xray);
    ch_matrix_free(run->session->context, &X);
    return code;
}

/* ---- the entry `select`: required ratios of the cost of selection ---- */

/* Adds the ratio of the time to select anchors of Reuters to the time of SPA, on one thread. */
static int select_documents(bench_run *run) {
    bench_documents documents;
    int code = bench_documents_open(&documents, run, "reuters10");
    for (int64_t rank = 50; rank <= 150 && code == EXIT_DONE; rank += 100) {
        bench_anchors xray = bench_anchors_plan(run, &documents.X, rank, CH_METHOD_XRAY);
        bench_anchors spa = bench_anchors_plan(run, &documents.X, rank, CH_METHOD_SPA);
        bench_work above = {"RobustXray", bench_anchors_find, &xray};
        bench_work below = {"SPA", bench_anchors_find, &spa};
        bench_record record;
        xray.threads = spa.threads = 1;
        code = bench_compare(run, &record, &above, &below, 1);
        if (code == EXIT_DONE) {
            snprintf(record.name, sizeof record.name, "%lld documents over spa", (long long)rank);
            snprintf(record.data, sizeof record.data, "%s", documents.data);
            record.threads = 1;
            record.at_most = 5;
            record.details = json_pack("{sI}", "projections", (json_int_t)xray.found.projections);
            code = bench_add(run, &record);
        }
        bench_anchors_free(&xray);
        bench_anchors_free(&spa);
    }
    bench_documents_close(&documents, run);
    return code;
}

/* Adds the ratio of selecting 20 anchors of 2000 x 100,000 f32 to 20 plain reads on one thread; the
 * ratio of one thread to two; and that ratio for plain reads, which shows the limit by memory. */
static int select_dense(bench_run *run) {
    enum { ONE, TWO, READ, READ_TWO, WORKS };
    ch_matrix X = {0};
    bench_series series[WORKS];
    int code = make_dense(run, &X, run->quick ? 5000 : 100000);
    if (code != EXIT_DONE) return code;
    bench_block read = bench_block_of(&X, 1), read_two = bench_block_of(&X, 2);
    bench_anchors one = bench_anchors_plan(run, &X, DENSE_RANK, CH_METHOD_XRAY), two = one;
    one.threads = 1;
    two.threads = 2;
    bench_work works[WORKS] = {{"selection, one thread", bench_anchors_find, &one},
                               {"selection, two threads", bench_anchors_find, &two},
                               {"a plain read, one thread", bench_plain_read, &read},
                               {"a plain read, two threads", bench_plain_read, &read_two}};
    const bench_pair pairs[] = {{"dense over reads", ONE, READ, 3, 0, DENSE_RANK},
                                {"dense, one thread over two", ONE, TWO, 0, 1.7, 1},
                                {"plain read, one thread over two", READ, READ_TWO, 0, 0, 1}};
    char data[BENCH_TEXT];
    describe_dense(data, sizeof data, &X);
    code = bench_take_turns(run, series, works, WORKS);
    if (code == EXIT_DONE) code = bench_add_pairs(run, series, pairs, 3, data);
    bench_anchors_free(&one);
    bench_anchors_free(&two);
    ch_matrix_free(run->session->context, &X);
    return code;
}

typedef struct medians {
    const ch_matrix *X; /* u8, column-major */
    uint8_t *median;
} medians;

/* Computes the lower median of every column by counting each value in two histograms, of 16 coarse
 * bins and of 256 bins. */
static int take_medians(void *user, bench_time *time) {
    medians *m = user;
    int64_t rows = m->X->rows, half = (rows - 1) / 2;
    (void)time;
    for (int64_t j = 0; j < m->X->cols; j++) {
        const uint8_t *values = (const uint8_t *)m->X->values + j * m->X->stride;
        int coarse[16] = {0}, fine[256] = {0};
        for (int64_t i = 0; i < rows; i++) {
            coarse[values[i] >> 4]++;
            fine[values[i]]++;
        }
        int64_t below = 0;
        int bin = 0, value;
        while (below + coarse[bin] <= half) below += coarse[bin++];
        for (value = 16 * bin; below + fine[value] <= half; value++) below += fine[value];
        m->median[j] = (uint8_t)value;
    }
    return EXIT_DONE;
}

/* Adds the ratios of computing H for 200 frames and 3 anchors, and of selecting the anchors, to one
 * exact median per pixel. */
static int compare_film(bench_run *run, const bench_film *film, medians *m) {
    enum { PROJECT, PROJECT_TWO, SELECT, MEDIANS, WORKS };
    bench_anchors one = bench_anchors_plan(run, &film->X, 3, CH_METHOD_XRAY), two = one;
    bench_anchors select = one;
    bench_series series[WORKS];
    bench_time ignored;
    one.threads = select.threads = 1;
    two.threads = 2;
    bench_work works[WORKS] = {{"projection, one thread", bench_anchors_project, &one},
                               {"projection, two threads", bench_anchors_project, &two},
                               {"selection of 3", bench_anchors_find, &select},
                               {"a median per pixel", take_medians, m}};
    const bench_pair pairs[] = {{"film, projection over medians", PROJECT, MEDIANS, 15, 0, 1},
                                {"film, one thread over two", PROJECT, PROJECT_TWO, 0, 1.7, 1},
                                {"film, selection over medians", SELECT, MEDIANS, 0, 0, 1}};
    int code = bench_anchors_find(&one, &ignored);
    if (code == EXIT_DONE) code = bench_anchors_find(&two, &ignored);
    if (code == EXIT_DONE) code = bench_take_turns(run, series, works, WORKS);
    if (code == EXIT_DONE) code = bench_add_pairs(run, series, pairs, 3, film->data);
    bench_anchors_free(&one);
    bench_anchors_free(&two);
    bench_anchors_free(&select);
    return code;
}

static int select_film(bench_run *run) {
    bench_film film;
    int code = bench_film_open(run, &film, &bench_window);
    medians m = {&film.X, malloc((size_t)film.X.cols + 1)};
    if (code == EXIT_DONE) code = m.median ? compare_film(run, &film, &m) : cli_no_memory();
    free(m.median);
    bench_film_close(run, &film);
    return code;
}

int bench_select(bench_run *run) {
    int code = select_documents(run);
    if (code == EXIT_DONE) code = select_film(run);
    return code == EXIT_DONE ? select_dense(run) : code;
}
