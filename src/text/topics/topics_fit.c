/* From profiles to topics.
 *
 *     anchors   columns of the candidates' profiles, by any method of ch_anchors()
 *     recover   h_w = argmin loss(q_w, Q_A h), h >= 0, which is p(z | w);  p(w | z) ~ h_zw mass_w
 *     refit     p(z | d), then p(w | z), each by KL projections of all columns on the other
 *
 * The first two are Arora and others 2013, algorithms 4 and 3. A round of the third minimises the
 * divergence exactly over one factor, then over the other: what many multiplicative updates of NMF
 * approach, from a start that is already good. */
#include "text/topics/topics_internal.h"
#include <conehull/anchors.h>
#include <math.h>
#include <string.h>

static ch_anchors_settings projection(int loss, double tol) {
    ch_anchors_settings set;
    memset(&set, 0, sizeof set);
    ch_anchors_defaults(&set);
    set.loss = loss;
    set.tol = tol;
    return set;
}

/* ---- anchors ---- */

static ch_status select_anchors(ch_context *context, int64_t *anchors, double *W, int64_t *rank,
                                const double *Q, const chi_profiles *profiles,
                                const ch_topics_settings *settings) {
    ch_matrix view;
    ch_anchors_result found = {.size = sizeof found};
    ch_anchors_settings set = projection(settings->loss, 1e-9);
    set.method = settings->method;
    set.rank = settings->rank;
    set.seed = settings->seed;
    set.select_only = 1;
    int64_t rows = profiles->rows;
    TRY(ch_matrix_borrow(
        context, &view,
        &(ch_matrix){.rows = rows, .cols = profiles->words->candidates, .values = Q}));
    ch_status status = ch_anchors(context, &found, &view, &set);
    if (status < 0) return status;
    *rank = found.rank;
    for (int64_t z = 0; z < found.rank; z++) {
        anchors[z] = found.anchors[z];
        memcpy(W + z * rows, Q + anchors[z] * rows, (size_t)rows * sizeof *W);
    }
    ch_anchors_result_free(context, &found);
    return status;
}

ch_status chi_topics_anchors(ch_context *context, int64_t *anchors, double *W, int64_t *rank,
                             const chi_profiles *profiles, const ch_topics_settings *settings) {
    const chi_topic_words *words = profiles->words;
    int64_t count = profiles->rows * words->candidates;
    double *Q = chi_alloc(context, count, sizeof *Q);
    if (!Q) return chi_no_memory(context, "profiles of the candidates", count, sizeof *Q);
    chi_profiles_fill(context, Q, profiles, words->word, words->candidates);
    ch_status status = select_anchors(context, anchors, W, rank, Q, profiles, settings);
    chi_free(context, Q);
    return status;
}

/* ---- the first p(w | z) ---- */

/* Each topic to sum 1; a topic without any words gets all of them alike. */
static void scale_topics(double *topic_word, double *sums, int64_t rank, int64_t words) {
    for (int64_t z = 0; z < rank; z++) sums[z] = 0;
    for (int64_t w = 0; w < words; w++)
        for (int64_t z = 0; z < rank; z++) sums[z] += topic_word[z + w * rank];
    for (int64_t w = 0; w < words; w++)
        for (int64_t z = 0; z < rank; z++)
            topic_word[z + w * rank] =
                sums[z] > 0 ? topic_word[z + w * rank] / sums[z] : 1.0 / (double)words;
}

enum { BLOCK_WORDS = 512 }; /* profiles held at a time */

static ch_status recover_block(ch_context *context, double *H, double *Q, const int64_t *list,
                               int64_t count, const double *W, int64_t rank,
                               const chi_profiles *profiles, const ch_anchors_settings *set) {
    ch_matrix view;
    int64_t rows = profiles->rows;
    chi_profiles_fill(context, Q, profiles, list, count);
    TRY(ch_matrix_borrow(context, &view, &(ch_matrix){.rows = rows, .cols = count, .values = Q}));
    ch_status status = ch_project(context, H, NULL, &view, W, rank, set);
    return status == CH_STOP_INACCURATE ? CH_OK : status; /* a start for the refits, no more */
}

ch_status chi_topics_recover(ch_context *context, double *topic_word, const double *W, int64_t rank,
                             const chi_profiles *profiles, const ch_topics_settings *settings) {
    const chi_topic_words *words = profiles->words;
    ch_anchors_settings set = projection(settings->loss, 1e-6);
    double *Q = chi_alloc(context, profiles->rows * BLOCK_WORDS, sizeof *Q);
    double *sums = chi_alloc(context, rank, sizeof *sums);
    ch_status status =
        Q && sums ? CH_OK
                  : chi_no_memory(context, "profiles", profiles->rows * BLOCK_WORDS, sizeof *Q);
    for (int64_t w = 0; w < words->words && status == CH_OK; w += BLOCK_WORDS) {
        int64_t list[BLOCK_WORDS], count = words->words - w;
        if (count > BLOCK_WORDS) count = BLOCK_WORDS;
        for (int64_t k = 0; k < count; k++) list[k] = w + k;
        status =
            recover_block(context, topic_word + w * rank, Q, list, count, W, rank, profiles, &set);
        if (chi_notify(context, "words", w + count, words->words, -1, 0))
            status = CH_STOP_CANCELLED;
    }
    if (status == CH_OK) {
        for (int64_t w = 0; w < words->words; w++)
            for (int64_t z = 0; z < rank; z++) topic_word[z + w * rank] *= words->mass[w];
        scale_topics(topic_word, sums, rank, words->words);
    }
    chi_free(context, Q);
    chi_free(context, sums);
    return status;
}

/* ---- refits ---- */

static void turn(double *to, const double *from, int64_t rows, int64_t cols) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) to[j + i * cols] = from[i + j * rows];
}

/* H = argmin KL(X, factor' H). */
static ch_status fit(ch_context *context, double *H, double *divergence, const ch_matrix *X,
                     const double *factor, double *turned, int64_t rank,
                     const ch_anchors_settings *set) {
    ch_project_info info = {.size = sizeof info};
    turn(turned, factor, rank, X->rows);
    ch_status status = ch_project(context, H, &info, X, turned, rank, set);
    if (status >= 0 && status != CH_STOP_CANCELLED) *divergence = info.objective;
    return status == CH_STOP_INACCURATE ? CH_OK : status;
}

/* Words, then documents. */
static ch_status refit_round(ch_context *context, double *topic_word, double *document_topic,
                             double *divergence, double *work, int64_t rank,
                             const chi_topic_words *words, const ch_anchors_settings *set) {
    double *sums = work, *turned = work + rank;
    ch_status status =
        fit(context, topic_word, divergence, &words->by_word, document_topic, turned, rank, set);
    if (status != CH_OK) return status;
    scale_topics(topic_word, sums, rank, words->words);
    return fit(context, document_topic, divergence, &words->by_document, topic_word, turned, rank,
               set);
}

ch_status chi_topics_refit(ch_context *context, double *topic_word, double *document_topic,
                           double *divergence, int64_t *rounds, int64_t rank,
                           const chi_topic_words *words, const ch_topics_settings *settings) {
    ch_anchors_settings set = projection(CH_LOSS_KL, 1e-6);
    int64_t longest = words->words > words->documents ? words->words : words->documents;
    double *work = chi_alloc(context, (longest + 1) * rank, sizeof *work);
    if (!work) return chi_no_memory(context, "topics", (longest + 1) * rank, sizeof *work);
    ch_status status =
        fit(context, document_topic, divergence, &words->by_document, topic_word, work, rank, &set);
    int settled = 0;
    *rounds = 0;
    while (status == CH_OK && !settled && *rounds < settings->refit) {
        double before = *divergence;
        status =
            refit_round(context, topic_word, document_topic, divergence, work, rank, words, &set);
        ++*rounds;
        settled = !(before - *divergence >= settings->settled * before);
        if (chi_notify(context, "refit", *rounds, settings->refit, -1, *divergence))
            status = CH_STOP_CANCELLED;
    }
    chi_free(context, work);
    return status;
}
