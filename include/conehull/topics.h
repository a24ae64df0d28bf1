/* Topics of a collection of documents.
 *
 *     p(word w in document d)  =  sum_z  p(z | d) p(w | z)
 *
 * By default (start documents, objective squares) topics start from documents that represent the
 * others (facility location, conehull/exemplars.h), and non-negative least squares on log(1 +
 * count) idf refines both factors. No random numbers: the same documents in any order give the same
 * topics, to the bit.
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
 * The same bits for any number of threads.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_TOPICS_H
#define CONEHULL_TOPICS_H

#include <conehull/exemplars.h>

CH_BEGIN_DECLS

typedef enum ch_topics_profile {
    CH_PROFILE_WORDS = 0,    /**< the words it occurs together with: co-occurrence, few zeros    */
    CH_PROFILE_DOCUMENTS = 1 /**< the documents that contain it: its row of X                    */
} ch_topics_profile;

typedef enum ch_topics_start {
    CH_TOPICS_DOCUMENTS = 0, /**< exemplars of the documents */
    CH_TOPICS_WORDS = 1      /**< anchor words               */
} ch_topics_start;
typedef enum ch_topics_objective {
    CH_TOPICS_SQUARES = 0, /**< least squares of documents scaled to length 1 */
    CH_TOPICS_KL = 1       /**< Kullback-Leibler divergence                   */
} ch_topics_objective;

/** Described, with defaults and bounds, by ch_topics_table(). */
typedef struct ch_topics_settings {
    size_t size;  /**< sizeof(ch_topics_settings); ch_topics_defaults() sets it */
    int64_t rank; /**< number of topics                                                    */
    ch_anchors_method method; /**< chooses the anchor words */
    ch_loss loss;             /**< of that choice and of the first p(w | z): l1, l2 or kl */
    ch_topics_profile profile;
    ch_value_weight weight; /**< raw, log, tfidf, logtfidf */
    ch_topics_start start;
    ch_topics_objective objective;
    int64_t min_df;     /**< minimum number of documents containing a word ...                   */
    double max_df;      /**< ... and maximum share of documents                                  */
    double anchor_df;   /**< minimum share of documents containing an anchor word                */
    int64_t candidates; /**< maximum number of candidates for anchor words: those in most
                             documents                                                           */
    int64_t refit;      /**< maximum number of further rounds of p(w | z), p(z | d)              */
    double settled;     /**< rounds end when one lowers the divergence by less than this share   */
    int64_t top;        /**< number of words listed per topic                                    */
    double relevance;   /**< the second list is by l log p(w | z) + (1 - l) log p(w | z) / p(w)  */
    int64_t seed;
} ch_topics_settings;

CH_API const ch_settings_table *ch_topics_table(void);
static inline void ch_topics_defaults(ch_topics_settings *settings) {
    ch_settings_defaults(ch_topics_table(), settings, sizeof *settings);
}

/** Topics, ordered by share, largest first. */
typedef struct ch_topics {
    size_t size;      /**< sizeof(ch_topics); the caller sets it */
    ch_status status; /**< CH_OK, or CH_STOP_COMPLETE: fewer topics explain everything           */
    int64_t terms, documents;
    int64_t rank;
    int64_t words;          /**< number of terms used                                          */
    int64_t candidates;     /**< of these, candidates for anchor words                         */
    int64_t empty;          /**< documents without any of these words                          */
    int64_t *anchors;       /**< rank: row of X; start documents: as name                      */
    int64_t *name;          /**< rank: row of X: the word of the largest relevance among top_word */
    double *share;          /**< rank: of all words in all documents; they sum to 1            */
    double *topic_word;     /**< rank x terms, column-major: p(w | z); each topic sums to 1    */
    double *document_topic; /**< documents x rank, column-major: p(z | d); a document sums to 1,
                                 an empty one to 0                                             */
    int64_t top;            /**< words listed per topic                                        */
    int64_t *top_word;      /**< top x rank, column-major: rows of X by falling p(w | z)       */
    int64_t *relevant_word; /**< top x rank, column-major: by falling relevance                */
    double *umass, *npmi;   /**< rank: coherence of the words in top_word                      */
    int64_t refits;         /**< rounds made                                                     */
    double divergence;      /**< KL of the counts (weighted) from the model, or squares        */
    ch_topics_objective objective; /**< objective, weight and idf are used by ch_topics_project() */
    ch_value_weight weight;
    double *idf; /**< terms: factor of a word's counts; 0: the word is not used                 */
    double seconds_anchors, seconds_fit;
} ch_topics;

/** X: counts, terms x documents. CH_ERR_DATA names what is wrong with it. CH_STOP_CANCELLED leaves
 *  empty topics. */
CH_API ch_status ch_topics_find(ch_context *context, ch_topics *topics, const ch_matrix *X,
                                const ch_topics_settings *settings);
CH_API void ch_topics_free(ch_context *context, ch_topics *topics);

/** Computes document_topic (X->cols x topics->rank, column-major), p(z | d) of other documents
 *  given by counts of the same terms. For the documents that the topics were found from, the result
 *  equals topics->document_topic. */
CH_API ch_status ch_topics_project(ch_context *context, double *document_topic, const ch_matrix *X,
                                   const ch_topics *topics);

/** The number of words in top_word with p(w | z) > 0. The coherence is that of these words; the
 *  others only fill the list. */
CH_API int64_t ch_topics_listed(const ch_topics *topics, int64_t topic);

/** Coherence of a list of words (rows of X), best word first, over the documents of X: means over
 *  all pairs i > j, D the number of documents that hold the words,
 *
 *      umass   log (D(i, j) + 1) / D(j)                                    (Mimno 2011)
 *      npmi    log (D(i, j) n / (D(i) D(j))) / log (n / D(i, j)),  -1 when D(i, j) = 0
 *
 *  For several lists of `count` words each: words is count x lists, column-major. */
CH_API ch_status ch_topics_coherence(ch_context *context, double *umass, double *npmi,
                                     const ch_matrix *X, const int64_t *words, int64_t count,
                                     int64_t lists);

CH_END_DECLS
#endif
