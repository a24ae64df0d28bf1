/* Unknown entries of X, from a model of low rank that is fitted to the known ones
 * (low_rank_model.h; model_rank.c chooses the rank). An unknown entry becomes u_i'v_j, and where
 * weights differ
 *
 *     x^_ij = o x_ij + (1 - o) u_i'v_j,     o = w_ij / max w
 *
 * is what the selection sees: the data that the next step of expectation-maximisation for the
 * weighted model would use (Srebro and Jaakkola, Weighted low-rank approximations, ICML 2003).
 *
 * U is fitted to a sample of the columns, beginning with the U that the choice of the rank found;
 * all columns then get their v_j.
 *
 * Cost: O(rows rank^2) for every column of the sample and of X that is not complete, times the
 * share of known or of unknown entries, whichever is smaller. */
#include "anchors/data/completion.h"
#include "anchors/data/low_rank_model.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 32, /* columns per number of v_j: enough that U does not follow their noise */
    LEAST = 128, /* ... but at least this many                                           */
    ROUNDS = 60,
    PASSES = 2 /* weight updates for a column whose U is fixed */
};
static const double ENOUGH =
    3e-3; /* a round that gains less, relative to the squares, is the last */
static const double EXACT = 1e-20; /* squares, relative to the data: nothing left to gain */

typedef struct work {
    chi_model model;
    double *top; /* per row: the largest known entry */
} work;

static ch_status find_components(chi_model *m) {
    double data = 0, last = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double squares;
        m->plain = round == 0 || m->even;
        TRY(chi_model_fit_columns(m, &squares));
        if (round == 0) data = squares;
        if (round > 0 && (squares <= EXACT * data || squares >= (1 - ENOUGH) * last)) break;
        if (round > 0 || m->even) last = squares;
        if (m->plain && !m->even) continue;
        TRY(chi_model_fit_rows(m));
    }
    return CH_OK;
}

/* Loads column j where plain least squares with equal weights are enough. */
static void load_dense(const chi_incomplete *given, chi_model_space *s, int64_t j) {
    int64_t rows = given->rows, missing = 0, count = 0;
    const unsigned char *known = given->mark + j * rows;
    s->dense = given->X + j * rows;
    for (int64_t i = 0; i < rows; i++) {
        s->gone[missing] = i;
        missing += !known[i];
    }
    for (int64_t i = 0; 2 * missing > rows && i < rows; i++) { /* then the others are needed */
        s->at[count] = i;
        count += known[i];
    }
    s->missing = missing;
    s->count = rows - missing;
}

/* Moves entries of lower weight towards the model. */
static void shrink_column(const work *w, chi_model_space *s, const double *v, int64_t j) {
    const chi_incomplete *given = w->model.given;
    chi_model_entries all = {
        .vector = w->model.U.vector, .width = w->model.width, .count = given->rows};
    w->model.loops->evaluate(s->model, &all, v);
    for (int64_t i = 0; i < given->rows; i++) {
        int64_t at = i + j * given->rows;
        double share = given->weight[at] / given->most;
        double y = chi_model_estimate(given, s->model[i], w->top[i]);
        if (share < 1) given->shrunk[at] = share * given->X[at] + (1 - share) * y;
    }
}

static int is_complete(const chi_incomplete *given, const chi_model_space *s, int64_t j) {
    int64_t rows = given->rows, less = s->missing;
    for (int64_t i = 0; given->shrunk && i < rows; i++)
        less += given->weight[i + j * rows] < given->most;
    return less == 0;
}

static void complete_column(void *user, int64_t j, int thread) {
    const work *w = user;
    const chi_incomplete *given = w->model.given;
    chi_model_space *s = &w->model.space[thread];
    double *v = s->v, *x = given->X + j * given->rows;
    chi_model pass = w->model;
    if (pass.even && pass.alike)
        load_dense(given, s, j);
    else
        chi_model_load_column(&pass, s, j);
    if (is_complete(given, s, j)) return;
    memset(v, 0, (size_t)pass.width * sizeof *v);
    for (int k = 0; k < (pass.even ? 1 : PASSES); k++) {
        pass.plain = k == 0;
        chi_model_fit_vector(&pass, s, v, &pass.U);
    }
    chi_model_entries gone = {
        .vector = pass.U.vector, .width = pass.width, .at = s->gone, .count = s->missing};
    pass.loops->evaluate(s->model, &gone, v);
    for (int64_t e = 0; e < s->missing; e++)
        x[s->gone[e]] = chi_model_estimate(given, s->model[e], w->top[s->gone[e]]);
    if (given->shrunk) shrink_column(w, s, v, j);
}

/* Computes the mean of the known entries and the largest of each row; unknown entries are zero. */
static double look(double *top, const chi_incomplete *given) {
    double sum = 0;
    memset(top, 0, (size_t)given->rows * sizeof *top);
    for (int64_t j = 0; j < given->cols; j++) {
        const double *x = given->X + j * given->rows;
        double part[4] = {0}; /* a fixed order for every processor */
        int64_t i = 0;
        for (; i + 4 <= given->rows; i += 4)
            for (int k = 0; k < 4; k++) part[k] += x[i + k];
        for (; i < given->rows; i++) part[0] += x[i];
        sum += (part[0] + part[1]) + (part[2] + part[3]);
#pragma omp simd
        for (int64_t k = 0; k < given->rows; k++) top[k] = top[k] > x[k] ? top[k] : x[k];
    }
    return given->known > 0 ? sum / (double)given->known : 0;
}

/* Returns how many columns U is fitted to. */
static int64_t sample_size(const chi_incomplete *given) {
    int64_t wanted = SAMPLE * given->rank, count = wanted > LEAST ? wanted : LEAST;
    return count < given->cols ? count : given->cols;
}

static ch_status estimate(ch_context *context, work *w, const chi_incomplete *given, double scale) {
    chi_model *m = &w->model;
    TRY(chi_model_create(context, m, given, given->rank, sample_size(given), scale, 0));
    chi_model_start(m, given->start, given->rank);
    TRY(find_components(m));
    m->plain = 1;
    chi_model_prepare(m, &m->U);
    return chi_parallel_until(context, given->cols, complete_column, w);
}

ch_status chi_complete(ch_context *context, const chi_incomplete *given) {
    work w = {.top = chi_alloc(context, given->rows, sizeof(double))};
    if (!w.top)
        return chi_no_memory(context, "the completion of missing entries", given->rows,
                             sizeof(double));
    double scale = look(w.top, given);
    ch_status status = scale > 0 ? estimate(context, &w, given, scale) : CH_OK;
    chi_model_free(&w.model);
    chi_free(context, w.top);
    return status;
}
