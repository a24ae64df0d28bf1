/* Topics by least squares on weighted counts, each document of length 1:
 *
 *     min_{W, H >= 0}  | X - W H |_F^2,
 *     X: words x documents,  W: words x topics,  H: topics x documents
 *
 * by block coordinate descent over the rows of H and the columns of W in turn (HALS: A. Cichocki
 * and A.-H. Phan, IEICE 2009), like the NMF of scikit-learn. Every document and every word is a
 * separate problem with the same Gram matrix, so blocks of them run in parallel; sums over blocks
 * are added in order. O(entries x rank + (words + documents) rank^2) per round.
 *
 * The start is made of documents: `rank` exemplars by facility location
 * (text/exemplars/facility.h), each with the sum of the documents most similar to it. So every
 * topic starts at real documents of the collection, and no random numbers are drawn. */
#include "text/exemplars/facility.h"
#include "text/topics/topics_internal.h"
#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

/* h_j for all columns of X, for a factor F: min_h |x_j - F' h|. */
typedef struct half {
    const ch_matrix *X;
    const double *F; /* rank x rows */
    double *H;       /* rank x cols */
    int64_t rank;
    int sweeps;       /* maximum number, over the entries of one h */
    double tol;       /* ends after a sweep that changes no entry by more than this share of the
                     largest */
    double *gram;     /* rank x rank     */
    double *products; /* rank per thread */
    double *error;    /* per block       */
} half;

static void fill_gram(double *gram, const double *F, int64_t rank, int64_t rows) {
    memset(gram, 0, (size_t)(rank * rank) * sizeof *gram);
    for (int64_t i = 0; i < rows; i++) {
        const double *f = F + i * rank;
        for (int64_t y = 0; y < rank; y++) {
            if (f[y] == 0) continue;
            for (int64_t z = 0; z < rank; z++) gram[z + y * rank] += f[y] * f[z];
        }
    }
}

static double sweep(const half *of, double *h, const double *a) {
    double change = 0, largest = 0;
    for (int64_t z = 0; z < of->rank; z++) {
        const double *g = of->gram + z * of->rank;
        double slope = a[z], before = h[z];
        if (!(g[z] > 0)) continue;
        for (int64_t y = 0; y < of->rank; y++) slope -= g[y] * h[y];
        h[z] = fmax(before + slope / g[z], 0);
        change = fmax(change, fabs(h[z] - before));
        largest = fmax(largest, h[z]);
    }
    return largest > 0 ? change / largest : 0;
}

static void solve_block(void *user, int64_t block, int thread) {
    const half *of = user;
    const ch_matrix *X = of->X;
    const double *value = X->values;
    int64_t rank = of->rank, high = (block + 1) * BLOCK < X->cols ? (block + 1) * BLOCK : X->cols;
    double *a = of->products + thread * rank, error = 0;
    for (int64_t j = block * BLOCK; j < high; j++) {
        double *h = of->H + j * rank;
        memset(a, 0, (size_t)rank * sizeof *a);
        for (int64_t k = X->column_start[j]; k < X->column_start[j + 1]; k++) {
            const double *f = of->F + X->row_index[k] * rank;
            for (int64_t z = 0; z < rank; z++) a[z] += value[k] * f[z];
            error += value[k] * value[k];
        }
        for (int s = 0; s < of->sweeps; s++)
            if (sweep(of, h, a) <= of->tol) break;
        for (int64_t z = 0; z < rank; z++) {
            double fit = 0;
            for (int64_t y = 0; y < rank; y++) fit += of->gram[y + z * rank] * h[y];
            error += h[z] * (fit - 2 * a[z]);
        }
    }
    of->error[block] = error;
}

/* Returns |X - F' H|^2. */
static double solve(ch_context *context, half *of) {
    int64_t blocks = (of->X->cols + BLOCK - 1) / BLOCK;
    double error = 0;
    fill_gram(of->gram, of->F, of->rank, of->X->rows);
    chi_parallel(context, blocks, solve_block, of);
    for (int64_t b = 0; b < blocks; b++) error += of->error[b];
    return error;
}

static ch_status reserve(chi_arena *arena, half *of, int64_t rank, int64_t cols) {
    of->rank = rank;
    of->gram = chi_arena_doubles(arena, rank * rank);
    of->products = chi_arena_doubles(arena, rank * ch_context_threads(arena->context));
    of->error = chi_arena_doubles(arena, (cols + BLOCK - 1) / BLOCK);
    return chi_arena_status(arena, "topics");
}

ch_status chi_topics_fit_squares(ch_context *context, double *H, double *error, const ch_matrix *X,
                                 const double *F, int64_t rank) {
    chi_arena arena = {.context = context};
    half of = {.X = X, .F = F, .H = H, .sweeps = 1000, .tol = 1e-9};
    ch_status status = reserve(&arena, &of, rank, X->cols);
    if (status == CH_OK) {
        memset(H, 0, (size_t)(rank * X->cols) * sizeof *H);
        *error = solve(context, &of);
    }
    chi_arena_free(&arena);
    return status;
}

/* ---- the start ---- */

/* Sums the documents that are most similar to each exemplar, which topic_word holds. */
static void sum_clusters(chi_topic_model *model, double *sums, double *a) {
    const ch_matrix *X = &model->words.by_document;
    const double *value = X->values;
    int64_t rank = model->rank;
    memset(sums, 0, (size_t)(rank * X->rows) * sizeof *sums);
    for (int64_t d = 0; d < X->cols; d++) {
        int64_t best = 0;
        memset(a, 0, (size_t)rank * sizeof *a);
        for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++)
            for (int64_t z = 0; z < rank; z++)
                a[z] += value[k] * model->topic_word[z + X->row_index[k] * rank];
        for (int64_t z = 1; z < rank; z++)
            if (a[z] > a[best]) best = z;
        for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++)
            sums[best + X->row_index[k] * rank] += value[k];
    }
    memcpy(model->topic_word, sums, (size_t)(rank * X->rows) * sizeof *sums);
}

ch_status chi_topics_from_documents(chi_topic_model *model, const ch_topics_settings *settings) {
    const ch_matrix *X = &model->words.by_document;
    chi_arena arena = {.context = model->arena.context};
    chi_facility_result found = {0};
    double *sums = chi_arena_doubles(&arena, settings->rank * X->rows);
    double *a = chi_arena_doubles(&arena, settings->rank);
    found.columns = chi_arena_alloc(&arena, settings->rank, sizeof *found.columns);
    ch_status status = chi_arena_status(&arena, "topics");
    if (status == CH_OK)
        status = chi_facility(arena.context, &found, X, settings->rank, CH_SIMILARITY_ROOT,
                              CHI_START_SAMPLE);
    if (status >= 0 && status != CH_STOP_CANCELLED) {
        const double *value = X->values;
        model->rank = found.found;
        memset(model->topic_word, 0, (size_t)(model->rank * X->rows) * sizeof(double));
        for (int64_t z = 0; z < model->rank; z++) {
            int64_t d = found.columns[z];
            for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++)
                model->topic_word[z + X->row_index[k] * model->rank] = value[k];
        }
        sum_clusters(model, sums, a);
    }
    chi_arena_free(&arena);
    return status;
}

/* ---- rounds ---- */

ch_status chi_topics_squares(chi_topic_model *model, ch_topics *topics,
                             const ch_topics_settings *settings) {
    chi_topic_words *words = &model->words;
    chi_arena arena = {.context = model->arena.context};
    int64_t rank = model->rank,
            longest = words->words > words->documents ? words->words : words->documents;
    half one = {.sweeps = 2};
    ch_status status = reserve(&arena, &one, rank, longest);
    double total = 0, explained = 0;
    const double *value = words->by_document.values;
    for (int64_t k = 0; k < words->by_document.column_start[words->documents]; k++)
        total += value[k] * value[k];
    memset(model->document_topic, 0, (size_t)(rank * words->documents) * sizeof(double));
    for (int settled = 0; status == CH_OK && !settled;) {
        double before = explained;
        one.X = &words->by_document;
        one.F = model->topic_word;
        one.H = model->document_topic;
        explained = total - solve(arena.context, &one);
        settled = topics->refits >= settings->refit ||
                  explained - before < 0.1 * settings->settled * explained;
        if (settled) break;
        one.X = &words->by_word;
        one.F = model->document_topic;
        one.H = model->topic_word;
        solve(arena.context, &one);
        topics->refits++;
        if (chi_notify(arena.context, "fit", topics->refits, settings->refit, -1,
                       total - explained))
            status = CH_STOP_CANCELLED;
    }
    if (status == CH_OK) {
        chi_topics_scale(model, one.gram);
        status = chi_topics_fit_squares(arena.context, model->document_topic, &topics->divergence,
                                        &words->by_document, model->topic_word, rank);
    }
    chi_arena_free(&arena);
    return status;
}
