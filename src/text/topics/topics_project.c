/* Topics of other documents: their counts are weighted like those from which the topics were found
 * (with the original document frequencies), scaled in the same way, and fitted by the topics'
 * words. Words that were not used are ignored. */
#include "base/sized.h"
#include "linalg/matrix_store.h"
#include "text/topics/topics_internal.h"
#include <conehull/anchors.h>
#include <math.h>
#include <string.h>

double chi_topics_idf(ch_value_weight weight, int64_t documents, int64_t df) {
    if (weight != CH_VALUE_TFIDF && weight != CH_VALUE_LOGTFIDF) return 1;
    return log((1.0 + (double)documents) / (1.0 + (double)df)) + 1;
}

void chi_topics_unit_columns(ch_matrix *X) {
    const chi_store *held = X->owner;
    double *value = held->values;
    for (int64_t j = 0; j < X->cols; j++) {
        double square = 0;
        for (int64_t k = held->start[j]; k < held->start[j + 1]; k++) square += value[k] * value[k];
        for (int64_t k = held->start[j]; k < held->start[j + 1] && square > 0; k++)
            value[k] /= sqrt(square);
    }
}

/* X weighted, CSC in f64, without words that were not used. */
static ch_status weigh(chi_arena *arena, ch_matrix *weighted, const ch_matrix *X,
                       const ch_topics *topics) {
    ch_context *context = arena->context;
    int32_t *index = chi_arena_alloc(arena, X->rows, sizeof *index);
    double *value = chi_arena_doubles(arena, X->rows);
    TRY(chi_arena_status(arena, "a document"));
    TRY(chi_matrix_create_csc(context, weighted, X->rows, X->cols, ch_matrix_stored(X), CH_F64,
                              "weighted documents"));
    const chi_store *held = weighted->owner;
    double *to = held->values;
    int64_t end = 0;
    int logarithm = topics->weight == CH_VALUE_LOG || topics->weight == CH_VALUE_LOGTFIDF;
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t count = chi_column_support(index, value, X, j);
        held->start[j] = end;
        for (int64_t k = 0; k < count; k++) {
            double idf = topics->idf[index[k]];
            if (idf == 0) continue;
            held->index[end] = index[k];
            to[end++] = (logarithm ? log1p(value[k]) : value[k]) * idf;
        }
    }
    held->start[X->cols] = end;
    if (topics->objective == CH_TOPICS_SQUARES) chi_topics_unit_columns(weighted);
    return CH_OK;
}

static ch_status fit_kl(chi_arena *arena, double *H, const ch_matrix *X, const ch_topics *topics) {
    int64_t rank = topics->rank, rows = X->rows;
    ch_anchors_settings set;
    memset(&set, 0, sizeof set);
    ch_anchors_defaults(&set);
    set.loss = CH_LOSS_KL;
    set.tol = 1e-6;
    double *W = chi_arena_doubles(arena, rank * rows);
    TRY(chi_arena_status(arena, "topics"));
    for (int64_t w = 0; w < rows; w++)
        for (int64_t z = 0; z < rank; z++) W[w + z * rows] = topics->topic_word[z + w * rank];
    ch_status status = ch_project(arena->context, H, NULL, X, W, rank, &set);
    return status == CH_STOP_INACCURATE ? CH_OK : status;
}

static void give(double *document_topic, const double *H, int64_t rank, int64_t documents) {
    for (int64_t d = 0; d < documents; d++) {
        double sum = 0;
        for (int64_t z = 0; z < rank; z++) sum += H[z + d * rank];
        for (int64_t z = 0; z < rank; z++)
            document_topic[d + z * documents] = sum > 0 ? H[z + d * rank] / sum : 0;
    }
}

ch_status ch_topics_project(ch_context *context, double *document_topic, const ch_matrix *X,
                            const ch_topics *topics) {
    TRY(chi_check_view(context, X));
    if (!document_topic || !topics || !topics->topic_word || !topics->idf)
        return chi_fail(context, CH_ERR_ARGUMENT, "document_topic and topics must not be NULL");
    TRY(chi_sized_check(context, topics, "ch_topics"));
    TRY(ch_matrix_check(context, X));
    if (X->rows != topics->terms)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the documents have %lld terms, but the topics have %lld; both must have "
                        "the same terms",
                        (long long)X->rows, (long long)topics->terms);
    chi_arena arena = {.context = context};
    ch_matrix weighted = {0};
    double error, *H = chi_arena_doubles(&arena, topics->rank * X->cols);
    ch_status status = chi_arena_status(&arena, "topics of documents");
    if (status == CH_OK) status = weigh(&arena, &weighted, X, topics);
    if (status == CH_OK && topics->objective == CH_TOPICS_SQUARES)
        status =
            chi_topics_fit_squares(context, H, &error, &weighted, topics->topic_word, topics->rank);
    else if (status == CH_OK)
        status = fit_kl(&arena, H, &weighted, topics);
    if (status == CH_OK) give(document_topic, H, topics->rank, X->cols);
    ch_matrix_free(context, &weighted);
    chi_arena_free(&arena);
    return status;
}
