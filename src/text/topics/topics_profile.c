/* Profiles of words.
 *
 * CH_PROFILE_WORDS: the profile of a word w states, for every candidate v, how often w and v occur
 * together in a document,
 *
 *     q_w(v) = sum_d  x_wd x_vd / P_d,      q_w(w) = sum_d  x_wd (x_wd - 1)+ / P_d,
 *     P_d    = (sum_w x_wd)^2 - sum_w x_wd min(x_wd, 1),
 *
 * for counts the probability of drawing w, then v from document d without replacement: an unbiased
 * estimate of p(w, v) (Arora and others 2013, section 4.1, where n_d (n_d - 1) is our P_d).
 * CH_PROFILE_DOCUMENTS: the profile of w is x_wd over the documents d. Profiles are scaled to sum
 * 1, so they are p(v | w) or p(d | w). Cost: O(sum over w of the entries of its documents). */
#include "text/topics/topics_internal.h"
#include <math.h>
#include <string.h>

ch_status chi_profiles_create(chi_arena *arena, chi_topic_words *words, int kind) {
    const ch_matrix *X = &words->by_document;
    const double *value = X->values;
    words->profile_rows = kind == CH_PROFILE_DOCUMENTS ? words->documents : words->candidates;
    if (kind == CH_PROFILE_DOCUMENTS) return CH_OK;
    words->pairs = chi_arena_doubles(arena, X->cols);
    TRY(chi_arena_status(arena, "documents"));
    for (int64_t d = 0; d < X->cols; d++) {
        double sum = 0, same = 0;
        for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++) {
            sum += value[k];
            same += value[k] * fmin(value[k], 1);
        }
        double pairs = sum * sum - same;
        words->pairs[d] = pairs > 0 ? 1 / pairs : 0; /* a single word has no pairs */
    }
    return CH_OK;
}

static void add_document(double *q, const chi_topic_words *words, int64_t d, double x) {
    const ch_matrix *X = &words->by_document;
    const double *value = X->values;
    double factor = x * words->pairs[d];
    for (int64_t k = X->column_start[d]; k < X->column_start[d + 1]; k++) {
        int32_t v = words->feature[X->row_index[k]];
        if (v >= 0) q[v] += factor * value[k];
    }
}

/* q is zero on entry; its sum is not scaled to 1 yet. */
static void fill(double *q, const chi_topic_words *words, int64_t w) {
    const ch_matrix *X = &words->by_word;
    const double *value = X->values;
    double company = 0;
    for (int64_t k = X->column_start[w]; k < X->column_start[w + 1]; k++) {
        int64_t d = X->row_index[k];
        if (!words->pairs) {
            q[d] = value[k];
            continue;
        }
        add_document(q, words, d, value[k]);
        company += value[k] * fmax(value[k] - 1, 0) * words->pairs[d];
    }
    if (words->pairs && words->feature[w] >= 0) q[words->feature[w]] = company;
}

typedef struct job {
    double *values;
    const chi_topic_words *words;
    const int64_t *list;
} job;

static void fill_one(void *user, int64_t k, int thread) {
    const job *work = user;
    int64_t rows = work->words->profile_rows;
    double *q = work->values + k * rows, sum = 0;
    (void)thread;
    memset(q, 0, (size_t)rows * sizeof *q);
    fill(q, work->words, work->list[k]);
    for (int64_t i = 0; i < rows; i++) sum += q[i];
    for (int64_t i = 0; i < rows && sum > 0; i++) q[i] /= sum;
}

void chi_profiles_fill(ch_context *context, double *values, const chi_topic_words *words,
                       const int64_t *list, int64_t count) {
    job work = {values, words, list};
    chi_parallel(context, count, fill_one, &work);
}
