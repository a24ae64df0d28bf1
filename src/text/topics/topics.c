/* Topics: chooses the words, finds anchors, p(w | z) and p(z | d), then makes the readable
 * lists. */
#include "base/sized.h"
#include "text/exemplars/content_order.h"
#include "text/topics/topics_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_AMONG = 10 }; /* top words */

/* ---- memory ---- */

/* Frees the arrays of a result and, if requested, allocates them, all zero. Returns whether all
 * exist then. */
static int renew_arrays(ch_context *context, ch_topics *topics, int allocate) {
    int64_t rank = topics->rank, listed = rank * topics->top;
    struct {
        void *at; /* address of the pointer */
        int64_t count;
    } all[] = {
        {&topics->anchors, rank},
        {&topics->share, rank},
        {&topics->topic_word, rank * topics->terms},
        {&topics->document_topic, rank * topics->documents},
        {&topics->top_word, listed},
        {&topics->relevant_word, listed},
        {&topics->umass, rank},
        {&topics->npmi, rank},
        {&topics->name, rank},
        {&topics->idf, topics->terms},
    };
    int held = 1;
    _Static_assert(sizeof(int64_t) == sizeof(double), "both kinds of arrays");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *block;
        memcpy(&block, all[i].at, sizeof block);
        chi_free(context, block);
        block = allocate ? chi_alloc_zero(context, all[i].count, sizeof(double)) : NULL;
        memcpy(all[i].at, &block, sizeof block);
        held &= block != NULL;
    }
    return held;
}

void ch_topics_free(ch_context *context, ch_topics *topics) {
    if (!topics) return;
    renew_arrays(context, topics, 0);
    chi_result_clear(topics);
}

static ch_status model_reserve(chi_topic_model *found, int64_t rank) {
    chi_arena *arena = &found->arena;
    int64_t words = found->words.words, documents = found->words.documents;
    found->anchors = chi_arena_alloc(arena, rank, sizeof *found->anchors);
    found->W = chi_arena_doubles(arena, rank * found->words.profile_rows);
    found->topic_word = chi_arena_doubles(arena, rank * words);
    found->document_topic = chi_arena_doubles(arena, rank * documents);
    found->score = chi_arena_doubles(arena, words > rank ? words : rank);
    found->order = chi_arena_alloc(arena, rank, sizeof *found->order);
    TRY(chi_arena_status(arena, "topics"));
    for (int64_t z = 0; z < rank; z++) found->anchors[z] = -1;
    return CH_OK;
}

static ch_status find_model(chi_topic_model *found, ch_topics *topics, const ch_matrix *X,
                            const ch_topics_settings *settings) {
    double start = chi_seconds();
    int from_words = settings->start == CH_TOPICS_WORDS;
    TRY(chi_topic_words_create(&found->arena, &found->words, X, settings));
    if (from_words) TRY(chi_profiles_create(&found->arena, &found->words, settings->profile));
    TRY(model_reserve(found, settings->rank));
    ch_status chosen = from_words ? chi_topics_anchors(found, settings)
                                  : chi_topics_from_documents(found, settings);
    if (chosen < 0 || chosen == CH_STOP_CANCELLED) return chosen;
    topics->seconds_anchors = chi_seconds() - start;
    start = chi_seconds();
    ch_status status = from_words ? chi_topics_recover(found, settings) : CH_OK;
    if (status == CH_OK && settings->objective == CH_TOPICS_KL)
        status = chi_topics_refit(found, topics, settings);
    else if (status == CH_OK)
        status = chi_topics_squares(found, topics, settings);
    topics->seconds_fit = chi_seconds() - start;
    return status == CH_OK ? chosen : status;
}

/* ---- what people read ---- */

/* order = topics by decreasing share, ties by the earlier anchor; also fills share. */
static void order_topics(ch_topics *topics, chi_topic_model *found) {
    int64_t rank = found->rank, n = found->words.documents;
    double total = 0;
    for (int64_t d = 0; d < n; d++)
        for (int64_t z = 0; z < rank; z++) topics->share[z] += found->document_topic[z + d * rank];
    for (int64_t z = 0; z < rank; z++) total += topics->share[z];
    for (int64_t z = 0; z < rank; z++) found->order[z] = z;
    for (int64_t z = 1; z < rank; z++) { /* insertion sort: few, and stable */
        int64_t topic = found->order[z], k = z;
        for (; k > 0 && topics->share[found->order[k - 1]] < topics->share[topic]; k--)
            found->order[k] = found->order[k - 1];
        found->order[k] = topic;
    }
    for (int64_t z = 0; z < rank; z++) found->score[z] = topics->share[found->order[z]];
    for (int64_t z = 0; z < rank; z++) topics->share[z] = total > 0 ? found->score[z] / total : 0;
}

static void copy_weights(ch_topics *topics, const chi_topic_model *found) {
    int64_t rank = found->rank, n = topics->documents;
    for (int64_t z = 0; z < rank; z++) {
        int64_t from = found->order[z];
        topics->anchors[z] = found->anchors[from] < 0
                                 ? -1
                                 : found->words.row[found->words.word[found->anchors[from]]];
        for (int64_t w = 0; w < found->words.words; w++)
            topics->topic_word[z + found->words.row[w] * rank] = found->topic_word[from + w * rank];
    }
    for (int64_t d = 0; d < n; d++) {
        const double *weights = found->document_topic + d * rank;
        double sum = 0;
        for (int64_t z = 0; z < rank; z++) sum += weights[z];
        topics->empty += sum == 0;
        for (int64_t z = 0; z < rank && sum > 0; z++)
            topics->document_topic[d + z * n] = weights[found->order[z]] / sum;
    }
}

typedef struct ranked {
    double score;
    int64_t word;
} ranked;

static int by_score(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
}

static void list_words(int64_t *list, int64_t top, ranked *scored, int64_t count,
                       const int64_t *row) {
    qsort(scored, (size_t)count, sizeof *scored, by_score);
    for (int64_t k = 0; k < top; k++) list[k] = row[scored[k].word];
}

static ch_status list_all(ch_context *context, ch_topics *topics, const chi_topic_model *found,
                          double relevance) {
    const chi_topic_words *words = &found->words;
    int64_t count = words->words, rank = found->rank;
    ranked *scored = chi_alloc(context, count, sizeof *scored);
    if (!scored) return chi_no_memory(context, "lists of words", count, sizeof *scored);
    double total = 0;
    for (int64_t w = 0; w < count; w++) total += words->mass[w];
    for (int64_t z = 0; z < rank; z++) {
        const double *weight = found->topic_word + found->order[z];
        for (int64_t w = 0; w < count; w++) scored[w] = (ranked){weight[w * rank], w};
        list_words(topics->top_word + z * topics->top, topics->top, scored, count, words->row);
        for (int64_t w = 0; w < count; w++) {
            double p = weight[w * rank]; /* log p - (1 - relevance) log p(w) */
            double score =
                p > 0 ? log(p) - (1 - relevance) * log(words->mass[w] / total) : -INFINITY;
            scored[w] = (ranked){score, w};
        }
        list_words(topics->relevant_word + z * topics->top, topics->top, scored, count, words->row);
    }
    chi_free(context, scored);
    return CH_OK;
}

/* Names a topic by the most relevant of its top words: frequent here, and more frequent than
 * elsewhere. */
static void name_topics(ch_topics *topics) {
    for (int64_t z = 0; z < topics->rank; z++) {
        const int64_t *top = topics->top_word + z * topics->top;
        const int64_t *relevant = topics->relevant_word + z * topics->top;
        topics->name[z] = top[0];
        for (int64_t k = topics->top; k-- > 0;)
            for (int64_t l = 0; l < topics->top && l < NAME_AMONG; l++)
                if (relevant[k] == top[l]) topics->name[z] = relevant[k];
        if (topics->anchors[z] < 0) topics->anchors[z] = topics->name[z];
    }
}

int64_t ch_topics_listed(const ch_topics *topics, int64_t topic) {
    int64_t count = 0;
    while (
        count < topics->top &&
        topics->topic_word[topic + topics->top_word[count + topic * topics->top] * topics->rank] >
            0)
        count++;
    return count;
}

/* Words that a topic never uses fill its list; they are not measured. */
static ch_status measure_coherence(ch_context *context, ch_topics *topics, const ch_matrix *X) {
    if (topics->top >= 2)
        TRY(ch_topics_coherence(context, topics->umass, topics->npmi, X, topics->top_word,
                                topics->top, topics->rank));
    for (int64_t z = 0; z < topics->rank; z++) {
        int64_t listed = ch_topics_listed(topics, z);
        if (listed < 2)
            topics->umass[z] = topics->npmi[z] = NAN;
        else if (listed < topics->top)
            TRY(ch_topics_coherence(context, topics->umass + z, topics->npmi + z, X,
                                    topics->top_word + z * topics->top, listed, 1));
    }
    return CH_OK;
}

static ch_status present(ch_context *context, ch_topics *topics, chi_topic_model *found,
                         const ch_matrix *X, const ch_topics_settings *settings) {
    topics->terms = X->rows;
    topics->documents = X->cols;
    topics->rank = found->rank;
    topics->words = found->words.words;
    topics->candidates = found->words.candidates;
    topics->top = settings->top < found->words.words ? settings->top : found->words.words;
    if (!renew_arrays(context, topics, 1))
        return chi_no_memory(context, "topics", topics->rank * (topics->terms + topics->documents),
                             sizeof(double));
    order_topics(topics, found);
    copy_weights(topics, found);
    TRY(list_all(context, topics, found, settings->relevance));
    name_topics(topics);
    topics->objective = settings->objective;
    topics->weight = settings->weight;
    for (int64_t w = 0; w < found->words.words; w++)
        topics->idf[found->words.row[w]] =
            chi_topics_idf(settings->weight, X->cols, found->words.df[w]);
    return measure_coherence(context, topics, X);
}

/* ---- the order of the documents: one of their own, by their content ---- */

/* Moves documents without words to the end of the order; returns how many have words. Topics are
 * found from those alone, so that an empty document changes nothing: neither idf and shares of
 * documents nor which documents a run starts from. If all are empty, all stay, for the message. */
static ch_status put_empty_last(chi_arena *arena, int64_t *order, int64_t *used,
                                const ch_matrix *X) {
    int32_t *index = chi_arena_alloc(arena, X->rows, sizeof *index);
    double *value = chi_arena_doubles(arena, X->rows);
    int64_t *last = chi_arena_alloc(arena, X->cols, sizeof *last), empty = 0;
    TRY(chi_arena_status(arena, "an order of the documents"));
    *used = 0;
    for (int64_t k = 0; k < X->cols; k++)
        if (chi_column_support(index, value, X, order[k]) > 0)
            order[(*used)++] = order[k];
        else
            last[empty++] = order[k];
    for (int64_t k = 0; k < empty; k++) order[*used + k] = last[k];
    if (*used == 0) *used = X->cols;
    return CH_OK;
}

/* Restores the order and the number of the documents of X. */
static ch_status put_back(ch_context *context, ch_topics *topics, const int64_t *order,
                          int64_t documents) {
    int64_t n = topics->documents, count = documents * topics->rank;
    double *all = chi_alloc_zero(context, count, sizeof *all);
    if (!all) return chi_no_memory(context, "topics of the documents", count, sizeof *all);
    for (int64_t z = 0; z < topics->rank; z++)
        for (int64_t d = 0; d < n; d++)
            all[order[d] + z * documents] = topics->document_topic[d + z * n];
    chi_free(context, topics->document_topic);
    topics->document_topic = all;
    topics->documents = documents;
    topics->empty += documents - n;
    return CH_OK;
}

static ch_status find_ordered(ch_context *context, ch_topics *made, const ch_matrix *X,
                              const ch_topics_settings *set) {
    chi_topic_model found = {.arena = {.context = context}};
    ch_status status = find_model(&found, made, X, set);
    if (status >= 0 && status != CH_STOP_CANCELLED) {
        made->status = status;
        ch_status presented = present(context, made, &found, X, set);
        if (presented != CH_OK) status = presented;
    }
    ch_matrix_free(context, &found.words.by_word);
    ch_matrix_free(context, &found.words.by_document);
    chi_arena_free(&found.arena);
    return status;
}

ch_status ch_topics_find(ch_context *context, ch_topics *topics, const ch_matrix *X,
                         const ch_topics_settings *settings) {
    TRY(chi_check_view(context, X));
    if (!context) return CH_ERR_ARGUMENT;
    if (!topics || !X || !settings)
        return chi_fail(context, CH_ERR_ARGUMENT, "topics, X and settings must not be NULL");
    ch_topics_settings set;
    TRY(chi_sized_check(context, topics, "ch_topics"));
    TRY(chi_settings_take(context, &set, ch_topics_table(), settings));
    TRY(ch_matrix_check(context, X));
    chi_arena arena = {.context = context};
    ch_topics made = {.size = sizeof made};
    ch_matrix ordered = {0};
    int64_t *order = chi_arena_alloc(&arena, X->cols, sizeof *order);
    int64_t used = 0;
    ch_status status = chi_content_order(&arena, order, X);
    if (status == CH_OK) status = put_empty_last(&arena, order, &used, X);
    if (status == CH_OK) status = ch_matrix_copy(context, &ordered, X, order, used);
    if (status == CH_OK) status = find_ordered(context, &made, &ordered, &set);
    if (status >= 0 && status != CH_STOP_CANCELLED) {
        ch_status back = put_back(context, &made, order, X->cols);
        if (back != CH_OK) status = back;
    }
    if (status >= 0 && status != CH_STOP_CANCELLED)
        chi_result_give(topics, &made, sizeof made);
    else
        ch_topics_free(context, &made);
    if (status == CH_STOP_CANCELLED) chi_result_clear(topics);
    ch_matrix_free(context, &ordered);
    chi_arena_free(&arena);
    return status;
}
