/* Topics of a collection of documents.
 *
 *     p(word w in document d)  =  sum_z  p(z | d) p(w | z)
 *
 * By default (start documents, objective squares) topics start from documents that represent the
 * others (facility location, conehull/exemplars.h), and non-negative least squares on log(1 +
 * count) idf refines both factors. No random numbers are used: the same documents in any order give
 * the same topics, to the bit.
 *
 * With start words, topics start from anchor words: words of a single topic. A word's *profile*
 * describes what it occurs with. Profiles of words with several topics are mixtures of the profiles
 * of anchor words, so anchors are found as anchor columns (S. Arora, R. Ge, Y. Halpern and others,
 * "A practical algorithm for topic modeling with provable guarantees", ICML 2013). They determine
 * p(w | z), then p(z | d), which `refit` rounds improve; with objective kl each step is an exact KL
 * projection. Simple use, X terms x documents:
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

/** With CH_TOPICS_WORDS: the profile of a word, by which anchor words are found. */
typedef enum ch_topics_profile {
    /** How often the word occurs in one document with each candidate for an anchor word. */
    CH_PROFILE_WORDS = 0,
    CH_PROFILE_DOCUMENTS = 1 /**< how often the word occurs in each document: its row of X */
} ch_topics_profile;

/** What topics are started from, before they are fitted to all documents. */
typedef enum ch_topics_start {
    CH_TOPICS_DOCUMENTS = 0, /**< from exemplars: documents that represent the others */
    CH_TOPICS_WORDS = 1      /**< from anchor words: words of a single topic */
} ch_topics_start;
/** What the rounds of fitting minimise. */
typedef enum ch_topics_objective {
    CH_TOPICS_SQUARES = 0, /**< squared differences of documents scaled to length 1 */
    CH_TOPICS_KL = 1       /**< Kullback-Leibler divergence */
} ch_topics_objective;

/** Settings of topics. ch_topics_defaults() fills them; ch_topics_table() lists their bounds. */
typedef struct ch_topics_settings {
    size_t size;              /**< sizeof(ch_topics_settings); ch_topics_defaults() sets it */
    int64_t rank;             /**< number of topics */
    ch_anchors_method method; /**< CH_TOPICS_WORDS: the method that chooses anchor words */
    /** CH_TOPICS_WORDS: loss by which anchor words are chosen and the first p(w | z) is fitted: l1,
     *  l2 or kl. */
    ch_loss loss;
    /** CH_TOPICS_WORDS: the profile of a word, by which anchor words are found. */
    ch_topics_profile profile;
    ch_value_weight weight;        /**< weighting of the counts: raw, log, tfidf or logtfidf */
    ch_topics_start start;         /**< whether topics start from documents or from words */
    ch_topics_objective objective; /**< what the rounds of fitting minimise */
    /** Minimum number of documents that contain a word; rarer words are not used. */
    int64_t min_df;
    /** Maximum share of the documents, 0 to 1, that contain a word; more frequent words are not
     *  used. */
    double max_df;
    /** CH_TOPICS_WORDS: minimum share of the documents, 0 to 1, that contain an anchor word; an
     *  anchor word must also be in at least 3 documents. */
    double anchor_df;
    /** CH_TOPICS_WORDS: maximum number of candidates for anchor words; the words that occur in the
     *  most documents are candidates. */
    int64_t candidates;
    /** Maximum number of rounds of fitting; a round fits p(w | z) and then p(z | d). */
    int64_t refit;
    /** The rounds of fitting end when a round lowers the divergence by less than this share of its
     *  value. With CH_TOPICS_SQUARES they end when a round increases the explained squares by less
     *  than a tenth of this share. */
    double settled;
    int64_t top; /**< number of words listed per topic */
    /** Weight s, 0 to 1, in the relevance of a word w for a topic z, s log p(w | z) + (1 - s)
     *  log(p(w | z) / p(w)). ch_topics.relevant_word is sorted by relevance. */
    double relevance;
    int64_t seed; /**< seed of all random choices */
} ch_topics_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_topics_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_topics_defaults(ch_topics_settings *settings) {
    ch_settings_defaults(ch_topics_table(), settings, sizeof *settings);
}

/** The topics of a collection of documents, sorted by share, largest first. ch_topics_free() frees
 *  the arrays. */
typedef struct ch_topics {
    size_t size; /**< sizeof(ch_topics); the caller sets it */
    /** CH_OK, or CH_STOP_COMPLETE: fewer topics than requested explain everything. */
    ch_status status;
    int64_t terms;      /**< number of rows of X */
    int64_t documents;  /**< number of columns of X */
    int64_t rank;       /**< number of topics found */
    int64_t words;      /**< number of terms that were used, which min_df and max_df determine */
    int64_t candidates; /**< number of terms that were candidates for anchor words */
    int64_t empty;      /**< number of documents without any of the terms used */
    /** The anchor word of each topic, as a row of X. With CH_TOPICS_DOCUMENTS, which has no anchor
     *  words, the same as `name`. */
    int64_t *anchors;
    /** A word that can serve as the name of each topic, as a row of X: the most relevant one of its
     *  top words. */
    int64_t *name;
    double *share; /**< share of each topic in all words of all documents; the shares sum to 1 */
    double *topic_word; /**< p(w | z): rank x terms, column-major; each topic (row) sums to 1 */
    /** p(z | d): documents x rank, column-major. Each document (row) sums to 1, an empty one to
     *  0. */
    double *document_topic;
    int64_t top; /**< number of words listed per topic */
    /** The words with the largest p(w | z) of each topic, in decreasing order, as rows of X: top x
     *  rank, column-major. */
    int64_t *top_word;
    /** The words with the largest relevance (ch_topics_settings.relevance) of each topic, in
     *  decreasing order, as rows of X: top x rank, column-major. */
    int64_t *relevant_word;
    /** Two measures of the coherence of each topic's top words; see ch_topics_coherence(). */
    double *umass, *npmi;
    int64_t refits; /**< number of rounds of fitting done */
    /** Value of the objective after the last round: the Kullback-Leibler divergence of the weighted
     *  counts, or with CH_TOPICS_SQUARES the sum of squares. */
    double divergence;
    /** Objective of the fit (ch_topics_settings.objective); ch_topics_project() uses it. */
    ch_topics_objective objective;
    /** Weighting of the counts (ch_topics_settings.weight); ch_topics_project() uses it. */
    ch_value_weight weight;
    /** Factor by which the counts of each term are multiplied; 0: the term is not used. */
    double *idf;
    double seconds_anchors; /**< wall-clock seconds until the rounds of fitting begin */
    double seconds_fit;     /**< wall-clock seconds of the rounds of fitting */
} ch_topics;

/** Finds the topics of X, counts of terms x documents. The caller sets topics->size. Returns
 *  CH_ERR_DATA if X is not usable (the message says why), and CH_STOP_CANCELLED with empty topics
 *  if the progress callback cancels. */
CH_API ch_status ch_topics_find(ch_context *context, ch_topics *topics, const ch_matrix *X,
                                const ch_topics_settings *settings);
/** Frees the arrays of topics. NULL is allowed. */
CH_API void ch_topics_free(ch_context *context, ch_topics *topics);

/** Computes the topics p(z | d) of the documents in X, which holds counts of the same terms as the
 *  X of ch_topics_find(). document_topic (X->cols x topics->rank, column-major) belongs to the
 *  caller. For the documents from which the topics were found, the result equals
 *  topics->document_topic. */
CH_API ch_status ch_topics_project(ch_context *context, double *document_topic, const ch_matrix *X,
                                   const ch_topics *topics);

/** Returns the number of words w in the list top_word of a topic z that have p(w | z) > 0.
 *  Coherence is computed from these words only; the remaining entries just fill the list. */
CH_API int64_t ch_topics_listed(const ch_topics *topics, int64_t topic);

/** Computes the coherence of lists of words over the documents of X. words is count x lists,
 *  column-major: rows of X, best word first. umass and npmi receive one number per list, the mean
 *  over all pairs of words i > j. With n documents, D(i) of which contain word i and D(i, j) both:
 *
 *      umass   log (D(i, j) + 1) / D(j)                                    (Mimno 2011)
 *      npmi    log (D(i, j) n / (D(i) D(j))) / log (n / D(i, j)),  -1 when D(i, j) = 0 */
CH_API ch_status ch_topics_coherence(ch_context *context, double *umass, double *npmi,
                                     const ch_matrix *X, const int64_t *words, int64_t count,
                                     int64_t lists);

CH_END_DECLS
#endif
