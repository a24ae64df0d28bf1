/* Divergences relative to other software in Python.
 *
 * scikit-learn's NMF under Kullback-Leibler against anchors and weights of conehull: same rank,
 * same counts, same threads. The parts of scikit-learn are free, those of conehull are columns of
 * the data, so both objectives are reported with the times. If the anchors are given, both sides
 * solve one convex problem; the entry `divergence` lets scikit-learn run until its objective equals
 * that of conehull, on one thread, and compares Xray-IS with a NumPy version of the same algorithm,
 * and IS with KL on documents. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "harness/anchors_work.h"
#include "harness/documents.h"
#include "harness/python_peer.h"
#include <conehull/io.h>
#include <conehull/synthetic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char bench_peer_sklearn[], bench_peer_xray_is[]; /* generated at build time */

enum { RANK = 20 };

/* ---- passing data to Python ---- */

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
    if (!values) return cli_no_memory();
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

/* Starts a script with our data, floor and anchors. other->peer.pid is 0 if there is no Python. */
static int start_other(const bench_run *run, bench_python *other, const char *name,
                       const char *script, const bench_anchors *own) {
    char path[1000], rank[24], floor[40], anchors[BENCH_PYTHON_LINE];
    char *words[] = {path, rank, floor, anchors};
    int sparse = own->X->layout == CH_CSC;
    int code = bench_temporary(path, sizeof path, sparse ? ".npz" : ".npy");
    if (code != EXIT_DONE) return code;
    snprintf(rank, sizeof rank, "%d", RANK);
    snprintf(floor, sizeof floor, "%.17g", own->found.floor);
    bench_list_text(anchors, sizeof anchors, own->found.anchors, own->found.rank);
    code = sparse ? write_counts(run, path, own->X)
                  : bench_code(run, ch_matrix_write(own->context, path, own->X));
    if (code == EXIT_DONE) bench_python_start(other, name, run, script, words, 4);
    unlink(path); /* the script has already removed it if it is ready */
    return code == EXIT_DONE && cli_interrupted() ? EXIT_INTERRUPTED : code;
}

/* ---- one ratio ---- */

typedef struct rival {
    const char *record; /* name of the record; "" for a single one */
    const char *name, *script;
    const char *line;    /* line that is sent to the script; NULL: "reach OBJECTIVE" */
    const char *counted; /* meaning of the second number of the answer */
    int weights;         /* 1: the anchors are given, and only projections are measured */
    int once;            /* 1: only one turn, because it takes long */
    double at_least;
} rival;

static int take_turns(bench_run *run, const rival *against, bench_anchors *own, bench_python *other,
                      const char *data) {
    char what[BENCH_TEXT], line[40], keys[3][BENCH_TEXT];
    const char *key = strcmp(against->name, "NumPy") == 0 ? "numpy" : "sklearn";
    bench_series series[2];
    bench_run rare = *run;
    snprintf(what, sizeof what, "%s %.*s", against->name, (int)strcspn(other->about, " "),
             other->about);
    bench_work works[2] = {
        {what, bench_python_ask, other},
        {"conehull", against->weights ? bench_anchors_project : bench_anchors_find, own}};
    if (against->once) rare.turns = 1;
    snprintf(line, sizeof line, "reach %.17g\n", own->info.objective);
    other->line = against->line ? against->line : line;
    int code = bench_take_turns(&rare, series, works, 2);
    if (code != EXIT_DONE) return code;
    bench_record record = bench_ratio(run, &series[0], &series[1], 1);
    snprintf(record.name, sizeof record.name, "%s", against->record);
    snprintf(record.data, sizeof record.data, "%s", data);
    record.at_least = against->at_least;
    double objective = against->weights ? own->info.objective : own->found.objective;
    snprintf(keys[0], sizeof keys[0], "%s_%s", key, against->counted);
    snprintf(keys[1], sizeof keys[1], "%s_objective", key);
    snprintf(keys[2], sizeof keys[2], "%s_objective_over_ours", key);
    record.details =
        json_pack("{ss si so so so}", key, other->about, keys[0], (int)other->values[1], keys[1],
                  cli_json_real(other->values[0]), "objective", cli_json_real(objective), keys[2],
                  cli_json_real(other->values[0] / objective));
    return bench_add(run, &record);
}

static int compare(bench_run *run, const rival *against, const ch_matrix *X, int loss,
                   const char *data) {
    bench_anchors own = bench_anchors_plan(run, X, RANK, CH_METHOD_XRAY);
    bench_python other = {.name = NULL};
    bench_time ignored;
    own.set.loss = loss;
    own.set.select_only = 0;
    int code = bench_anchors_find(&own, &ignored);
    own.set.floor = own.found.floor;
    if (code == EXIT_DONE && against->weights) code = bench_anchors_project(&own, &ignored);
    if (code == EXIT_DONE) code = start_other(run, &other, against->name, against->script, &own);
    if (code == EXIT_DONE && other.peer.pid) {
        code = take_turns(run, against, &own, &other, data);
    } else if (code == EXIT_DONE) {
        bench_record record = bench_absent(against->record, other.about);
        snprintf(record.data, sizeof record.data, "%s", data);
        code = bench_add(run, &record);
    }
    bench_python_stop(&other);
    bench_anchors_free(&own);
    return code;
}

static int compare_documents(bench_run *run, const rival *against) {
    bench_documents documents;
    int code = bench_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE) code = compare(run, against, &documents.X, CH_LOSS_KL, documents.data);
    bench_documents_close(&documents, run);
    return code;
}

int bench_sklearn(bench_run *run) {
    static const rival fit = {"", "scikit-learn", bench_peer_sklearn, "fit\n", "rounds", 0, 0, 0};
    return compare_documents(run, &fit);
}

int bench_sklearn_weights(bench_run *run) {
    static const rival weights = {
        "", "scikit-learn", bench_peer_sklearn, "weights\n", "rounds", 1, 0, 0};
    return compare_documents(run, &weights);
}

/* ---- the entry `divergence` ---- */

static int compare_is(bench_run *run) {
    static const rival numpy = {"Xray-IS and H, NumPy over conehull",
                                "NumPy",
                                bench_peer_xray_is,
                                "is\n",
                                "same_anchors",
                                0,
                                1,
                                50};
    ch_synthetic_settings make = {sizeof make, 200, 210,    RANK, CH_NOISE_EXPONENTIAL,
                                  1,           1,   CH_F64, 1};
    ch_matrix X = {0};
    int code = bench_code(run, ch_synthetic_make(run->session->context, &X, NULL, &make));
    if (code == EXIT_DONE)
        code = compare(run, &numpy, &X, CH_LOSS_IS, "generated, 200 x 210, 20 anchors, lambda 1");
    ch_matrix_free(run->session->context, &X);
    return code;
}

/* Adds the ratio of the times of projections of documents onto the same anchors: under IS, where
 * every zero has its own cost, to KL, where all zeros together are one linear cost. */
static int compare_is_with_kl(bench_run *run) {
    bench_documents documents;
    bench_time ignored;
    bench_record record;
    int code = bench_documents_open(&documents, run, "bbc");
    bench_anchors kl = bench_anchors_plan(run, &documents.X, 10, CH_METHOD_XRAY), is;
    kl.set.loss = CH_LOSS_KL;
    is = kl;
    if (code == EXIT_DONE) code = bench_anchors_find(&kl, &ignored);
    if (code == EXIT_DONE) code = bench_anchors_find(&is, &ignored);
    kl.set.floor = is.set.floor = kl.found.floor;
    is.set.loss = CH_LOSS_IS; /* from now on: both have the same anchors */
    bench_work above = {"IS", bench_anchors_project, &is};
    bench_work below = {"KL", bench_anchors_project, &kl};
    if (code == EXIT_DONE) code = bench_compare(run, &record, &above, &below, 1);
    if (code == EXIT_DONE) {
        snprintf(record.name, sizeof record.name, "projections of documents, IS over KL");
        snprintf(record.data, sizeof record.data, "%.100s, 10 anchors", documents.data);
        code = bench_add(run, &record);
    }
    bench_anchors_free(&kl);
    bench_anchors_free(&is);
    bench_documents_close(&documents, run);
    return code;
}

int bench_divergence(bench_run *run) {
    static const rival reach = {"KL projections, scikit-learn to our objective over conehull",
                                "scikit-learn",
                                bench_peer_sklearn,
                                NULL,
                                "rounds",
                                1,
                                1,
                                20};
    int threads = run->threads;
    run->threads = 1;
    int code = compare_documents(run, &reach);
    if (code == EXIT_DONE) code = compare_is(run);
    if (code == EXIT_DONE) code = compare_is_with_kl(run);
    run->threads = threads;
    return code;
}
