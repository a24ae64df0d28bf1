/* Profiles of words.
 *
 * CH_PROFILE_WORDS: over the candidates v, how often w and v stand together in a document,
 *
 *     q_w(v) = sum_d  x_wd x_vd / P_d,      q_w(w) = sum_d  x_wd (x_wd - 1)+ / P_d,
 *     P_d    = (sum_w x_wd)^2 - sum_w x_wd min(x_wd, 1),
 *
 * for counts the chance to draw w, then v from document d without putting back: an unbiased
 * estimate of p(w, v) (Arora and others 2013, section 4.1, where n_d (n_d - 1) is our P_d).
 * CH_PROFILE_DOCUMENTS: over the documents, x_wd. Both are scaled to sum 1, so they are p(v | w)
 * and p(d | w). O(sum over w of the entries of its documents). */
#include "text/topics/topics_internal.h"
#include <math.h>
#include <string.h>

ch_status chi_profiles_create(chi_arena *arena, chi_profiles *profiles,
                              const chi_topic_words *words, int kind) {
    *profiles = (chi_profiles){.words = words, .rows = words->documents};
    if (kind == CH_PROFILE_DOCUMENTS) return CH_OK;
    const ch_matrix *X = &words->by_document;
    const double *value = X->values;
    profiles->rows = words->candidates;
    profiles->pairs = chi_arena_doubles(arena, X->cols);
    TRY(chi_arena_status(arena, "documents"));
    for (int64_t d = 0; d < X->cols; d++) {
        double sum = 0, same = 0;
        for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++) {
            sum += value[k];
            same += value[k] * fmin(value[k], 1);
        }
        double pairs = sum * sum - same;
        profiles->pairs[d] = pairs > 0 ? 1 / pairs : 0; /* a single word has no company */
    }
    return CH_OK;
}

static void add_document(double *q, const chi_profiles *profiles, int64_t d, double x) {
    const ch_matrix *X = &profiles->words->by_document;
    const double *value = X->values;
    double factor = x * profiles->pairs[d];
    for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++) {
        int32_t v = profiles->words->feature[X->row_index[k]];
        if (v >= 0) q[v] += factor * value[k];
    }
}

static void fill_words(double *q, const chi_profiles *profiles, int64_t w) {
    const ch_matrix *X = &profiles->words->by_word;
    const double *value = X->values;
    int32_t own = profiles->words->feature[w];
    double company = 0;
    for (int64_t k = X->column_start[w]; k < X->column_start[w + 1]; k++) {
        int64_t d = X->row_index[k];
        add_document(q, profiles, d, value[k]);
        company += value[k] * fmax(value[k] - 1, 0) * profiles->pairs[d];
    }
    if (own >= 0) q[own] = company;
}

static void fill_documents(double *q, const chi_profiles *profiles, int64_t w) {
    const ch_matrix *X = &profiles->words->by_word;
    const double *value = X->values;
    for (int64_t k = X->column_start[w]; k < X->column_start[w + 1]; k++)
        q[X->row_index[k]] = value[k];
}

typedef struct job {
    double *values;
    const chi_profiles *profiles;
    const int64_t *list;
    int64_t count;
} job;

enum { WORDS_PER_BLOCK = 16 };

static void fill_block(void *user, int64_t block, int thread) {
    const job *work = user;
    const chi_profiles *profiles = work->profiles;
    int64_t end =
        (block + 1) * WORDS_PER_BLOCK < work->count ? (block + 1) * WORDS_PER_BLOCK : work->count;
    (void)thread;
    for (int64_t k = block * WORDS_PER_BLOCK; k < end; k++) {
        double *q = work->values + k * profiles->rows, sum = 0;
        memset(q, 0, (size_t)profiles->rows * sizeof *q);
        if (profiles->pairs)
            fill_words(q, profiles, work->list[k]);
        else
            fill_documents(q, profiles, work->list[k]);
        for (int64_t i = 0; i < profiles->rows; i++) sum += q[i];
        for (int64_t i = 0; i < profiles->rows && sum > 0; i++) q[i] /= sum;
    }
}

void chi_profiles_fill(ch_context *context, double *values, const chi_profiles *profiles,
                       const int64_t *list, int64_t count) {
    job work = {values, profiles, list, count};
    chi_parallel(context, (count + WORDS_PER_BLOCK - 1) / WORDS_PER_BLOCK, fill_block, &work);
}
