/* scikit-learn's NMF under Kullback-Leibler against anchors and weights of conehull, same rank,
 * same counts, same threads. Its parts are free, ours are columns of the data: both objectives are
 * reported beside the times. With the anchors given, both sides solve one convex problem. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "harness/documents.h"
#include "harness/python_peer.h"
#include <conehull/anchors.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char bench_peer_sklearn[]; /* made at build time from peer_sklearn.py */

enum { RANK = 20 };

/* ---- our side ---- */

typedef struct fit {
    const bench_run *run;
    const ch_matrix *X;
    ch_anchors_settings set;
    ch_anchors_result found; /* of the last run; weights alone: of the run before */
    double *H;
    double objective;
} fit;

static int find(void *user, bench_time *time) {
    fit *f = user;
    ch_context *context = f->run->session->context;
    ch_anchors_result_free(context, &f->found);
    memset(&f->found, 0, sizeof f->found);
    bench_time start = bench_now();
    ch_status status = ch_anchors(context, &f->found, f->X, &f->set);
    *time = bench_since(start);
    f->objective = f->found.objective;
    return bench_code(f->run, status);
}

static int weigh(void *user, bench_time *time) {
    fit *f = user;
    ch_project_info info = {0};
    bench_time start = bench_now();
    ch_status status =
        ch_project(f->run->session->context, f->H, &info, f->X, f->found.W, f->found.rank, &f->set);
    *time = bench_since(start);
    f->objective = info.objective;
    return bench_code(f->run, status);
}

/* ---- their side ---- */

static double value_at(const ch_matrix *X, int64_t i) {
    switch (X->type) {
    case CH_F32:
        return ((const float *)X->values)[i];
    case CH_U8:
        return ((const uint8_t *)X->values)[i];
    case CH_U16:
        return ((const uint16_t *)X->values)[i];
    default:
        return ((const double *)X->values)[i];
    }
}

static int write_counts(const bench_run *run, const char *path, const ch_matrix *X) {
    int64_t count = ch_matrix_stored(X), shape[2] = {X->rows, X->cols};
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    if (!values) return bench_no_memory();
    for (int64_t i = 0; i < count; i++) values[i] = value_at(X, i);
    ch_npz_array arrays[] = {
        {"values", 'f', 1, {count, 0}, values},
        {"rows", 'j', 1, {count, 0}, (void *)(uintptr_t)X->row_index},
        {"starts", 'i', 1, {X->cols + 1, 0}, (void *)(uintptr_t)X->column_start},
        {"shape", 'i', 1, {2, 0}, shape}};
    int code = bench_code(run, ch_npz_write(run->session->context, path, arrays, 4));
    free(values);
    return code;
}

/* ---- the ratio ---- */

static int take_turns(bench_run *run, fit *own, bench_python *other, const char *data,
                      int weights) {
    char what[BENCH_TEXT];
    snprintf(what, sizeof what, "scikit-learn %.*s", (int)strcspn(other->about, " "), other->about);
    bench_work works[2] = {{what, bench_python_ask, other},
                           {"conehull", weights ? weigh : find, own}};
    bench_series series[2];
    int code = bench_take_turns(run, series, works, 2);
    if (code != EXIT_DONE) return code;
    bench_record record = bench_ratio(run, &series[0], &series[1], 1);
    snprintf(record.data, sizeof record.data, "%s", data);
    double objective = other->values[0];
    record.details = json_pack(
        "{ss si so so so}", "sklearn", other->about, "sklearn_rounds", (int)other->values[1],
        "sklearn_objective", cli_json_real(objective), "objective", cli_json_real(own->objective),
        "sklearn_objective_over_ours", cli_json_real(objective / own->objective));
    return bench_add(run, &record);
}

static int add_absent(bench_run *run, const char *why, const char *data) {
    bench_record record = bench_absent("", why);
    snprintf(record.data, sizeof record.data, "%s", data);
    return bench_add(run, &record);
}

static int compare(bench_run *run, fit *own, const char *data, int weights) {
    char path[1000], rank[24], floor[40], anchors[BENCH_PYTHON_LINE];
    char *words[] = {path, rank, floor, anchors};
    bench_python other = {.peer = {0}};
    bench_time ignored;
    int code = find(own, &ignored);
    if (code == EXIT_DONE) code = bench_temporary(path, sizeof path, ".npz");
    if (code != EXIT_DONE) return code;
    own->set.floor = own->found.floor;
    snprintf(rank, sizeof rank, "%d", RANK);
    snprintf(floor, sizeof floor, "%.17g", own->found.floor);
    bench_list_text(anchors, sizeof anchors, own->found.anchors, own->found.rank);
    code = write_counts(run, path, own->X);
    if (code == EXIT_DONE)
        bench_python_start(&other, "scikit-learn", run, bench_peer_sklearn, words, 4);
    unlink(path); /* a Python that is ready has removed it */
    if (code == EXIT_DONE && cli_interrupted()) code = EXIT_INTERRUPTED;
    other.line = weights ? "weights\n" : "fit\n";
    if (code == EXIT_DONE)
        code = other.peer.pid ? take_turns(run, own, &other, data, weights)
                              : add_absent(run, other.about, data);
    bench_python_stop(&other);
    return code;
}

static int measure(bench_run *run, int weights) {
    bench_documents documents;
    fit own = {.run = run, .X = &documents.X};
    int code = bench_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE) {
        own.H = malloc((size_t)(RANK * documents.X.cols) * sizeof *own.H);
        ch_settings_defaults(&ch_anchors_table, &own.set);
        own.set.rank = RANK;
        own.set.loss = CH_LOSS_KL;
        code = own.H ? compare(run, &own, documents.data, weights) : bench_no_memory();
    }
    ch_anchors_result_free(run->session->context, &own.found);
    free(own.H);
    bench_documents_close(&documents, run);
    return code;
}

int bench_sklearn(bench_run *run) {
    return measure(run, 0);
}

int bench_sklearn_weights(bench_run *run) {
    return measure(run, 1);
}
