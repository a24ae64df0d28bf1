/* scikit-learn's NMF under Kullback-Leibler against anchors and weights of conehull, same rank,
 * same counts, same threads. Its parts are free, ours are columns of the data: both objectives are
 * told beside the times. With the anchors given, both sides solve one convex problem. */
#include "bench/peer.h"
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/message.h"
#include <conehull/anchors.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char cli_peer_sklearn[]; /* made at build time from peer_sklearn.py */

enum { RANK = 20, LINE = 400 };

/* ---- our side ---- */

typedef struct fit {
    const ratio_run *run;
    const ch_matrix *X;
    ch_anchors_settings set;
    ch_anchors_result found; /* of the last run; weights alone: of the run before */
    double *H;
    double objective;
} fit;

static int find(void *user, ratio_time *time) {
    fit *f = user;
    ch_context *context = f->run->session->context;
    ch_anchors_result_free(context, &f->found);
    memset(&f->found, 0, sizeof f->found);
    ratio_time start = ratio_start();
    ch_status status = ch_anchors(context, &f->found, f->X, &f->set);
    *time = ratio_stop(start);
    f->objective = f->found.objective;
    return ratio_code(f->run, status);
}

static int weigh(void *user, ratio_time *time) {
    fit *f = user;
    ch_project_info info = {0};
    ratio_time start = ratio_start();
    ch_status status =
        ch_project(f->run->session->context, f->H, &info, f->X, f->found.W, f->found.rank, &f->set);
    *time = ratio_stop(start);
    f->objective = info.objective;
    return ratio_code(f->run, status);
}

/* ---- their side ---- */

typedef struct question {
    cli_peer peer;
    const char *line;
    char about[LINE]; /* version and BLAS */
    double objective;
    int rounds;
} question;

static int ask(void *user, ratio_time *time) {
    question *q = user;
    char answer[LINE];
    if (cli_peer_ask(&q->peer, answer, sizeof answer, q->line) != 0) {
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        cli_complain("bench: the Python that runs scikit-learn ended before its answer");
        return EXIT_EARLY;
    }
    if (sscanf(answer, "%lf %lf %lf %d", &time->wall, &time->processor, &q->objective,
               &q->rounds) == 4)
        return EXIT_DONE;
    cli_complain("bench: no answer of scikit-learn: '%s'", answer);
    return EXIT_EARLY;
}

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

static int write_counts(const ratio_run *run, const char *path, const ch_matrix *X) {
    int64_t count = ch_matrix_stored(X), shape[2] = {X->rows, X->cols};
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    if (!values) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    for (int64_t i = 0; i < count; i++) values[i] = value_at(X, i);
    ch_npz_array arrays[] = {
        {"values", 'f', 1, {count, 0}, values},
        {"rows", 'j', 1, {count, 0}, (void *)(uintptr_t)X->row_index},
        {"starts", 'i', 1, {X->cols + 1, 0}, (void *)(uintptr_t)X->column_start},
        {"shape", 'i', 1, {2, 0}, shape}};
    int code = ratio_code(run, ch_npz_write(run->session->context, path, arrays, 4));
    free(values);
    return code;
}

static void name_anchors(char *text, size_t size, const ch_anchors_result *found) {
    size_t used = 0;
    for (int64_t k = 0; k < found->rank; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", k ? "," : "",
                                 (long long)found->anchors[k]);
}

/* The first Python that has what it takes; peer.pid stays 0 and about says why not otherwise. */
static void start_python(question *q, const ratio_run *run, char *path,
                         const ch_anchors_result *found) {
    static char *const pythons[] = {"/usr/bin/python3", "python3"};
    char rank[24], floor[40], anchors[LINE], answer[LINE];
    snprintf(rank, sizeof rank, "%d", RANK);
    snprintf(floor, sizeof floor, "%.17g", found->floor);
    name_anchors(anchors, sizeof anchors, found);
    snprintf(q->about, sizeof q->about, "no python3 here starts");
    for (int i = 0; i < 2 && !cli_interrupted(); i++) {
        char *words[] = {pythons[i], "-c", (char *)(uintptr_t)cli_peer_sklearn, path, rank, floor,
                         anchors,    NULL};
        if (cli_peer_start(&q->peer, words, run->threads) != 0) continue;
        if (cli_peer_ask(&q->peer, answer, sizeof answer, NULL) == 0) {
            int ready = strncmp(answer, "ready ", 6) == 0;
            snprintf(q->about, sizeof q->about, "%s%s", ready ? "" : pythons[i],
                     ready ? answer + 6 : answer + strcspn(answer, " "));
            if (ready) return;
        }
        cli_peer_stop(&q->peer);
    }
}

/* ---- the ratio ---- */

static int take_turns(json_t **object, const ratio_row *row, const ratio_run *run, fit *own,
                      question *other, int weights) {
    char what[LINE + 20];
    snprintf(what, sizeof what, "scikit-learn %.*s", (int)strcspn(other->about, " "), other->about);
    ratio_work above = {what, ask, other}, below = {"conehull", weights ? weigh : find, own};
    int code = ratio_take_turns(object, row, run, &above, &below, 1);
    if (code == EXIT_DONE)
        json_object_set_new(*object, "details",
                            json_pack("{ss si so so so}", "sklearn", other->about, "sklearn_rounds",
                                      other->rounds, "sklearn_objective",
                                      cli_json_real(other->objective), "objective",
                                      cli_json_real(own->objective), "sklearn_objective_over_ours",
                                      cli_json_real(other->objective / own->objective)));
    return code;
}

static int compare(json_t **object, const ratio_row *row, const ratio_run *run, fit *own,
                   int weights) {
    const char *folder = getenv("TMPDIR");
    char path[1000];
    ratio_time ignored;
    int code = find(own, &ignored);
    if (code != EXIT_DONE) return code;
    own->set.floor = own->found.floor;
    snprintf(path, sizeof path, "%s/conehull-bench-XXXXXX.npz", folder ? folder : "/tmp");
    int file = mkstemps(path, 4);
    if (file < 0) {
        cli_complain("%s: cannot write there; set TMPDIR to a folder for temporary files", path);
        return EXIT_FILES;
    }
    close(file);
    question other = {.line = weights ? "weights\n" : "fit\n"};
    code = write_counts(run, path, own->X);
    if (code == EXIT_DONE) start_python(&other, run, path, &own->found);
    unlink(path); /* a Python that is ready has removed it */
    if (code == EXIT_DONE && cli_interrupted()) code = EXIT_INTERRUPTED;
    if (code == EXIT_DONE && other.peer.pid)
        code = take_turns(object, row, run, own, &other, weights);
    else if (code == EXIT_DONE)
        *object = ratio_not_present(other.about);
    cli_peer_stop(&other.peer);
    return code;
}

static int measure(json_t **object, const ratio_row *row, const ratio_run *run, int weights) {
    ratio_documents documents;
    fit own = {.run = run, .X = &documents.X};
    int code = ratio_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE) {
        own.H = malloc((size_t)(RANK * documents.X.cols) * sizeof *own.H);
        ch_settings_defaults(&ch_anchors_table, &own.set);
        own.set.rank = RANK;
        own.set.loss = CH_LOSS_KL;
        code = own.H ? compare(object, row, run, &own, weights) : EXIT_MEMORY;
    }
    if (code == EXIT_DONE) ratio_describe(*object, documents.data, NULL);
    ch_anchors_result_free(run->session->context, &own.found);
    free(own.H);
    ratio_documents_close(&documents, run);
    return code;
}

int ratio_sklearn(json_t **object, const ratio_row *row, const ratio_run *run) {
    return measure(object, row, run, 0);
}

int ratio_sklearn_weights(json_t **object, const ratio_row *row, const ratio_run *run) {
    return measure(object, row, run, 1);
}
