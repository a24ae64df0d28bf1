/* Topics of a collection of documents.
 *
 *     p(word w in document d)  =  sum_z  p(z | d) p(w | z)
 *
 * By default (CH_TOPICS_DOCUMENTS, CH_TOPICS_SQUARES) topics start from documents that represent
 * all documents; facility location (conehull/exemplars.h) chooses them. Then non-negative least
 * squares on the weighted counts log(1 + count) idf improves both factors, where idf is the inverse
 * document frequency of the word. No random numbers are used: the same documents in any order give
 * topics with the same bits.
 *
 * With CH_TOPICS_WORDS topics start from anchor words, which are words that belong to a single
 * topic. The profile of a word describes with which words, or in which documents, it occurs.
 * Profiles of words that belong to several topics are mixtures of the profiles of anchor words.
 * Therefore anchor words are found as anchor columns (S. Arora, R. Ge, Y. Halpern and others, "A
 * practical algorithm for topic modeling with provable guarantees", ICML 2013). The anchor words
 * determine p(w | z) and then p(z | d); `refit` rounds of fitting improve both. With CH_TOPICS_KL
 * each step is an exact KL projection. Simple use, where X is terms x documents:
 *
 *     ch_topics_settings set;
 *     ch_topics_defaults(&set);
 *     set.rank = 20;
 *     ch_topics topics = {.size = sizeof topics};
 *     if (ch_topics_find(context, &topics, &X, &set) < 0) puts(ch_context_message(context));
 *     // terms[topics.anchors[0]], terms[topics.top_word[0]]
 *     ch_topics_free(context, &topics);
 *
 * Results have the same bits for any number of threads.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_TOPICS_H
#define CONEHULL_TOPICS_H

#include <conehull/exemplars.h>

CH_BEGIN_DECLS

/** CH_TOPICS_WORDS: the profile of a word, which is the vector by which anchor words are found. */
typedef enum ch_topics_profile {
    /** How often the word occurs in the same document as each candidate for an anchor word. */
    CH_PROFILE_WORDS = 0,
    CH_PROFILE_DOCUMENTS = 1 /**< how often the word occurs in each document: its row of X */
} ch_topics_profile;

/** What the topics start from, before they are fitted to all documents. */
typedef enum ch_topics_start {
    CH_TOPICS_DOCUMENTS = 0, /**< exemplars: documents that represent all documents */
    CH_TOPICS_WORDS = 1      /**< anchor words: words that belong to a single topic */
} ch_topics_start;
/** What the rounds of fitting minimise. */
typedef enum ch_topics_objective {
    CH_TOPICS_SQUARES = 0, /**< squared differences of documents scaled to length 1 */
    CH_TOPICS_KL = 1       /**< Kullback-Leibler divergence */
} ch_topics_objective;

/** Settings of ch_topics_find(). ch_topics_defaults() fills them; ch_topics_table() lists their
 *  bounds. In the comments, w is a word, z a topic and d a document. */
typedef struct ch_topics_settings {
    size_t size;              /**< sizeof(ch_topics_settings); ch_topics_defaults() sets it */
    int64_t rank;             /**< number of topics */
    ch_anchors_method method; /**< CH_TOPICS_WORDS: the method that chooses anchor words */
    /** CH_TOPICS_WORDS: loss by which anchor words are chosen and the first p(w | z) is fitted:
     *  CH_LOSS_L1, CH_LOSS_L2 or CH_LOSS_KL. */
    ch_loss loss;
    /** CH_TOPICS_WORDS: which profile of the words is used to find anchor words. */
    ch_topics_profile profile;
    /** How counts are weighted: CH_VALUE_RAW, CH_VALUE_LOG, CH_VALUE_TFIDF or CH_VALUE_LOGTFIDF. */
    ch_value_weight weight;
    ch_topics_start start;         /**< whether topics start from documents or from anchor words */
    ch_topics_objective objective; /**< what the rounds of fitting minimise */
    /** Minimum document frequency: words that occur in fewer documents are not used. */
    int64_t min_df;
    /** Maximum document frequency, as a share of all documents, 0 to 1: words that occur in a
     *  larger share of the documents are not used. */
    double max_df;
    /** CH_TOPICS_WORDS: an anchor word must occur in at least this share of the documents, 0 to 1,
     *  and in at least 3 documents. */
    double anchor_df;
    /** CH_TOPICS_WORDS: maximum number of words from which anchor words are chosen; these
     *  candidates are the words that occur in the most documents. */
    int64_t candidates;
    /** Maximum number of rounds of fitting; a round fits p(w | z) and then p(z | d). */
    int64_t refit;
    /** A number s that decides when the rounds of fitting end. CH_TOPICS_KL: fitting ends when a
     *  round lowers the divergence by less than s times the divergence. CH_TOPICS_SQUARES: fitting
     *  ends when a round increases the explained sum of squares by less than s / 10 times the
     *  explained sum of squares. */
    double settled;
    int64_t top; /**< number of words listed per topic */
    /** The number s, 0 to 1, in the relevance of a word w for a topic z, which is s log p(w | z) +
     *  (1 - s) log(p(w | z) / p(w)). ch_topics.relevant_word is sorted by relevance. */
    double relevance;
    int64_t seed; /**< seed of all random numbers; the same seed gives the same result */
} ch_topics_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_topics_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_topics_defaults(ch_topics_settings *settings) {
    ch_settings_defaults(ch_topics_table(), settings, sizeof *settings);
}

/** The topics of a collection of documents, sorted by their share, largest first. In the comments,
 *  w is a word, z a topic and d a document; words are given as row indices of X, from 0.
 *  ch_topics_free() frees the arrays. */
typedef struct ch_topics {
    size_t size; /**< sizeof(ch_topics); the caller sets it */
    /** Status that ch_topics_find() returned: CH_OK, or CH_STOP_COMPLETE if fewer topics than
     *  requested explain all documents. */
    ch_status status;
    int64_t terms;     /**< number of rows of X */
    int64_t documents; /**< number of columns of X */
    int64_t rank;      /**< number of topics found */
    /** Number of terms that were used; ch_topics_settings.min_df and max_df exclude the remaining
     *  terms. */
    int64_t words;
    /** CH_TOPICS_WORDS: number of terms that were candidates for anchor words. */
    int64_t candidates;
    int64_t empty; /**< number of documents that contain none of the terms used */
    /** The anchor word of each topic, as a row index of X. CH_TOPICS_DOCUMENTS has no anchor words;
     *  its entries are those of `name`. */
    int64_t *anchors;
    /** A word that can serve as the name of each topic, as a row index of X: the word with the
     *  largest relevance among the words of the topic in top_word. */
    int64_t *name;
    double *share; /**< share of each topic in the words of all documents; the shares sum to 1 */
    double *topic_word; /**< p(w | z): rank x terms, column-major; each topic (row) sums to 1 */
    /** p(z | d): documents x rank, column-major. Each document (row) sums to 1; documents without
     *  any of the terms used sum to 0. */
    double *document_topic;
    int64_t top; /**< number of words listed per topic */
    /** The words with the largest p(w | z) of each topic, in decreasing order, as row indices of X:
     *  top x rank, column-major. */
    int64_t *top_word;
    /** The words with the largest relevance (ch_topics_settings.relevance) for each topic, in
     *  decreasing order, as row indices of X: top x rank, column-major. */
    int64_t *relevant_word;
    /** Two measures of how coherent the words of each topic in top_word are
     *  (ch_topics_coherence()): `rank` numbers each. */
    double *umass, *npmi;
    int64_t refits; /**< number of rounds of fitting done */
    /** Value of the objective after the last round of fitting: with CH_TOPICS_KL the
     *  Kullback-Leibler divergence of the weighted counts, with CH_TOPICS_SQUARES the sum of
     *  squared differences. */
    double divergence;
    /** Copy of ch_topics_settings.objective, which ch_topics_project() needs. */
    ch_topics_objective objective;
    /** Copy of ch_topics_settings.weight, which ch_topics_project() needs. */
    ch_value_weight weight;
    /** For each term (row of X), the factor by which its weighted counts are multiplied; 0: the
     *  term is not used. */
    double *idf;
    double seconds_anchors; /**< wall-clock seconds until the rounds of fitting begin */
    double seconds_fit;     /**< wall-clock seconds of the rounds of fitting */
} ch_topics;

/** Finds the topics of X, a matrix of counts, terms x documents. The caller sets topics->size and
 *  later calls ch_topics_free(). Returns CH_STOP_COMPLETE if fewer topics than requested explain
 *  all documents, CH_ERR_DATA if X is not usable (the message says why), and CH_STOP_CANCELLED with
 *  empty topics if the progress callback cancels. */
CH_API ch_status ch_topics_find(ch_context *context, ch_topics *topics, const ch_matrix *X,
                                const ch_topics_settings *settings);
/** Frees the arrays of topics. NULL is allowed. */
CH_API void ch_topics_free(ch_context *context, ch_topics *topics);

/** Computes the shares p(z | d) of known topics z in the documents d of X, a matrix of counts with
 *  the same terms (rows) as the matrix given to ch_topics_find(). document_topic receives X->cols x
 *  topics->rank numbers, column-major, and belongs to the caller. For the documents from which the
 *  topics were found, the result equals topics->document_topic. */
CH_API ch_status ch_topics_project(ch_context *context, double *document_topic, const ch_matrix *X,
                                   const ch_topics *topics);

/** Returns the number of words w in ch_topics.top_word of the topic with index `topic`, from 0, for
 *  which p(w | topic) > 0. Coherence is computed from these words only; the remaining entries of
 *  the list have no meaning. */
CH_API int64_t ch_topics_listed(const ch_topics *topics, int64_t topic);

/** Computes how coherent lists of words are in the documents of X. words is count x lists,
 *  column-major: each column is a list of row indices of X, best word first. umass and npmi receive
 *  one number per list: the mean of the formula below over all pairs of words at positions i > j of
 *  the list. Of the n documents, D(i) contain word i, and D(i, j) contain both words:
 *
 *      umass   log (D(i, j) + 1) / D(j)                                    (Mimno 2011)
 *      npmi    log (D(i, j) n / (D(i) D(j))) / log (n / D(i, j)),  -1 when D(i, j) = 0 */
CH_API ch_status ch_topics_coherence(ch_context *context, double *umass, double *npmi,
                                     const ch_matrix *X, const int64_t *words, int64_t count,
                                     int64_t lists);

CH_END_DECLS
#endif
