/* From profiles to topics.
 *
 *     anchors   columns of the candidates' profiles, by any method of ch_anchors()
 *     recover   h_w = argmin loss(q_w, Q_A h), h >= 0, which is p(z | w);  p(w | z) ~ h_zw mass_w
 *     refit     p(z | d), then p(w | z), each by KL projections of all columns on the other
 *
 * `anchors` and `recover` are algorithms 4 and 3 of Arora and others 2013. A round of `refit`
 * minimises the divergence exactly over one factor, then over the other. Many multiplicative
 * updates of NMF approach the same result; here the start is already good. */
#include "text/topics/topics_internal.h"
#include <conehull/anchors.h>
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

ch_status chi_topics_anchors(chi_topic_model *model, const ch_topics_settings *settings) {
    const chi_topic_words *words = &model->words;
    chi_arena arena = {.context = model->arena.context};
    int64_t rows = words->profile_rows;
    ch_matrix view;
    ch_anchors_result found = {.size = sizeof found};
    ch_anchors_settings set = projection(settings->loss, 1e-9);
    set.method = settings->method;
    set.rank = settings->rank;
    set.seed = settings->seed;
    set.select_only = 1;
    double *Q = chi_arena_doubles(&arena, rows * words->candidates);
    TRY(chi_arena_status(&arena, "profiles of the candidates"));
    chi_profiles_fill(arena.context, Q, words, words->word, words->candidates);
    ch_status status = ch_matrix_borrow(
        arena.context, &view, &(ch_matrix){.rows = rows, .cols = words->candidates, .values = Q});
    if (status == CH_OK) status = ch_anchors(arena.context, &found, &view, &set);
    model->rank = found.rank;
    for (int64_t z = 0; z < found.rank; z++) {
        model->anchors[z] = found.anchors[z];
        memcpy(model->W + z * rows, Q + found.anchors[z] * rows, (size_t)rows * sizeof *Q);
    }
    ch_anchors_result_free(arena.context, &found);
    chi_arena_free(&arena);
    return status;
}

/* ---- the first p(w | z) ---- */

/* A topic without words gets equal probabilities for all. */
void chi_topics_scale(chi_topic_model *model, double *sums) {
    int64_t rank = model->rank, words = model->words.words;
    double *topic_word = model->topic_word;
    for (int64_t z = 0; z < rank; z++) sums[z] = 0;
    for (int64_t w = 0; w < words; w++)
        for (int64_t z = 0; z < rank; z++) sums[z] += topic_word[z + w * rank];
    for (int64_t w = 0; w < words; w++)
        for (int64_t z = 0; z < rank; z++)
            topic_word[z + w * rank] =
                sums[z] > 0 ? topic_word[z + w * rank] / sums[z] : 1.0 / (double)words;
}

enum { BLOCK_WORDS = 512 }; /* profiles stored at a time */

/* Recovers words list[0..count). */
static ch_status recover_block(chi_topic_model *model, double *Q, const int64_t *list,
                               int64_t count, const ch_anchors_settings *set) {
    ch_context *context = model->arena.context;
    ch_matrix view;
    chi_profiles_fill(context, Q, &model->words, list, count);
    TRY(ch_matrix_borrow(
        context, &view,
        &(ch_matrix){.rows = model->words.profile_rows, .cols = count, .values = Q}));
    ch_status status = ch_project(context, model->topic_word + list[0] * model->rank, NULL, &view,
                                  model->W, model->rank, set);
    return status == CH_STOP_INACCURATE ? CH_OK : status; /* accurate enough as a start for the
                                                             refits */
}

ch_status chi_topics_recover(chi_topic_model *model, const ch_topics_settings *settings) {
    const chi_topic_words *words = &model->words;
    ch_anchors_settings set = projection(settings->loss, 1e-6);
    chi_arena arena = {.context = model->arena.context};
    double *Q = chi_arena_doubles(&arena, words->profile_rows * BLOCK_WORDS);
    double *sums = chi_arena_doubles(&arena, model->rank);
    ch_status status = chi_arena_status(&arena, "profiles");
    for (int64_t w = 0; w < words->words && status == CH_OK; w += BLOCK_WORDS) {
        int64_t list[BLOCK_WORDS], count = words->words - w;
        if (count > BLOCK_WORDS) count = BLOCK_WORDS;
        for (int64_t k = 0; k < count; k++) list[k] = w + k;
        status = recover_block(model, Q, list, count, &set);
        if (chi_notify(arena.context, "words", w + count, words->words, -1, 0))
            status = CH_STOP_CANCELLED;
    }
    if (status == CH_OK) {
        for (int64_t w = 0; w < words->words; w++)
            for (int64_t z = 0; z < model->rank; z++)
                model->topic_word[z + w * model->rank] *= words->mass[w];
        chi_topics_scale(model, sums);
    }
    chi_arena_free(&arena);
    return status;
}

/* ---- refits ---- */

typedef struct refitting {
    ch_context *context;
    ch_anchors_settings set;
    int64_t rank;
    double *turned, *sums;
    double divergence;
} refitting;

/* H = argmin KL(X, factor' H). */
static ch_status fit(refitting *r, double *H, const ch_matrix *X, const double *factor) {
    ch_project_info info = {.size = sizeof info};
    for (int64_t j = 0; j < X->rows; j++)
        for (int64_t z = 0; z < r->rank; z++) r->turned[j + z * X->rows] = factor[z + j * r->rank];
    ch_status status = ch_project(r->context, H, &info, X, r->turned, r->rank, &r->set);
    if (status >= 0 && status != CH_STOP_CANCELLED) r->divergence = info.objective;
    return status == CH_STOP_INACCURATE ? CH_OK : status;
}

ch_status chi_topics_refit(chi_topic_model *model, ch_topics *topics,
                           const ch_topics_settings *settings) {
    const chi_topic_words *words = &model->words;
    chi_arena arena = {.context = model->arena.context};
    int64_t longest = words->words > words->documents ? words->words : words->documents;
    refitting r = {.context = arena.context, .set = projection(CH_LOSS_KL, 1e-6)};
    r.rank = model->rank;
    r.turned = chi_arena_doubles(&arena, longest * r.rank);
    r.sums = chi_arena_doubles(&arena, r.rank);
    ch_status status = chi_arena_status(&arena, "topics");
    if (status == CH_OK)
        status = fit(&r, model->document_topic, &words->by_document, model->topic_word);
    int settled = 0;
    while (status == CH_OK && !settled && topics->refits < settings->refit) {
        double before = r.divergence;
        status = fit(&r, model->topic_word, &words->by_word, model->document_topic);
        if (status == CH_OK) {
            chi_topics_scale(model, r.sums);
            status = fit(&r, model->document_topic, &words->by_document, model->topic_word);
        }
        topics->refits++;
        settled = !(before - r.divergence >= settings->settled * before);
        if (chi_notify(arena.context, "fit", topics->refits, settings->refit, -1, r.divergence))
            status = CH_STOP_CANCELLED;
    }
    topics->divergence = r.divergence;
    chi_arena_free(&arena);
    return status;
}
