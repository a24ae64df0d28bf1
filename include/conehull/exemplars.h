/* Exemplars: a few columns that stand for all, and how well they do (paper, Section 5.2).
 *
 *     ch_exemplars_settings set;
 *     ch_exemplars_defaults(&set);
 *     set.method = ch_exemplars_method_find("central"); // the default
 *     ch_exemplars found = {.size = sizeof found};
 *     if (ch_exemplars_find(context, &found, &X, 50, &set) < 0) puts(ch_context_message(context));
 *     // found.columns[0 .. found.rank): columns of X
 *     ch_exemplars_free(context, &found);
 *
 * With labels, ch_exemplars_accuracy() measures what the exemplars are worth: chosen from one half
 * of the columns, they train a classifier, which is then tried on the other half.
 *
 * Columns come to the selector in random order (by the seed), so columns that tie, as sparse ones
 * of equal weight do under l1, are taken at random and not by their place in the file.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_EXEMPLARS_H
#define CONEHULL_EXEMPLARS_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/* ---- weighting ---- */

typedef enum ch_value_weight {
    CH_VALUE_DEFAULT = -1,
    CH_VALUE_RAW = 0,   /**< as they are                                                        */
    CH_VALUE_LOG = 1,   /**< log(1 + x)                                                         */
    CH_VALUE_TFIDF = 2, /**< x (log((1 + columns) / (1 + columns with that row)) + 1)          */
    CH_VALUE_LOGTFIDF = 3, /**< log(1 + x) in the place of x                                    */
    CH_VALUE_LOGROOTIDF =
        4 /**< log(1 + x) (log((1 + columns) / (1 + columns with that row)) + 1)^(1/2) */
} ch_value_weight;
typedef enum ch_column_scale {
    CH_COLUMN_DEFAULT = -1,
    CH_COLUMN_AS_IS = 0,
    CH_COLUMN_L1 = 1, /**< sum 1                                                               */
    CH_COLUMN_L2 = 2  /**< length 1                                                            */
} ch_column_scale;

/** First the values, then the columns. */
typedef struct ch_weighting {
    ch_value_weight values; /**< CH_VALUE_DEFAULT: raw */
    ch_column_scale
        columns; /**< CH_COLUMN_DEFAULT: l1 for sparse matrices, as they are for dense ones */
} ch_weighting;

/** "auto", "raw", "log", "tfidf", "logtfidf", "l1", "l2", or one of each kind with a plus:
 * "tfidf+l2". */
CH_API ch_status ch_weighting_parse(ch_context *context, ch_weighting *weighting, const char *text);
/** The same text for a weighting; defaults are settled by X. In buffer, of at least 16 bytes. */
CH_API const char *ch_weighting_name(char *buffer, const ch_weighting *weighting,
                                     const ch_matrix *X);

/** An owned copy of X, weighted, as doubles (raw: in X's own type). Document frequencies are
 *  counted in `seen`, of as many rows; NULL: in X. Columns of zeros stay. */
CH_API ch_status ch_weighting_apply(ch_context *context, ch_matrix *weighted, const ch_matrix *X,
                                    const ch_matrix *seen, const ch_weighting *weighting);

/** rows[k + j * count]: the row of the k-th largest value of column j (ties: lower row first), -1
 *  where the column has fewer values. */
CH_API ch_status ch_matrix_top_rows(ch_context *context, int64_t *rows, int64_t count,
                                    const ch_matrix *X);

/* ---- choosing ---- */

/** How like two columns are, from 0 to 1 (facility location, central). */
typedef enum ch_similarity {
    CH_SIMILARITY_COSINE = 0,    /**< <x, y> / (|x| |y|)                                       */
    CH_SIMILARITY_ROOT = 1,      /**< its square root: many a little alike count for more      */
    CH_SIMILARITY_HELLINGER = 2, /**< sum of (x_i y_i)^(1/2), columns scaled to sum 1          */
    CH_SIMILARITY_L1 = 3         /**< 1 - |x - y|_1 / 2, columns scaled to sum 1               */
} ch_similarity;

/** Ways to choose that are none of ch_anchors(), in ch_exemplars_method.method. */
enum {
    CH_EXEMPLARS_RANDOM = -1,
    CH_EXEMPLARS_FACILITY = -2, /**< facility location: every column is like one of them       */
    CH_EXEMPLARS_KMEANS = -3,   /**< of each cluster of k-means the column nearest to its mean */
    CH_EXEMPLARS_CENTRAL = -4   /**< groups grow from the columns of facility location; of each
                                     the column nearest to its mean                            */
};

/** A way to choose columns. */
typedef struct ch_exemplars_method {
    const char *name;  /**< "robust-xray"                                                      */
    const char *title; /**< what it does, in a few words                                       */
    int method, loss;  /**< as in ch_anchors_settings; method < 0: one of those above          */
    int prefix;        /**< the first k of r are the answer for k; of xray with first = paper alone:
                            else its first anchor is chosen once more for every r           */
} ch_exemplars_method;

/** The methods are numbered from 0; NULL: there is none of that number. */
CH_API const ch_exemplars_method *ch_exemplars_method_at(int method);
/** Whether its exemplars stand alone, each for the columns that are most like it: central, facility
 * and kmeans. Those of other methods explain columns together. */
CH_API int ch_exemplars_stand_alone(int method);
/** The number of the method of that name, -1: none. */
CH_API int ch_exemplars_method_find(const char *name);

typedef enum ch_svm_kind {
    CH_SVM_SQUARED = 0, /**< one against the rest, squared hinge loss (no random numbers)      */
    CH_SVM_HINGE = 1,   /**< one against the rest, hinge loss                                  */
    CH_SVM_CRAMMER = 2  /**< all classes at once (Crammer and Singer)                          */
} ch_svm_kind;

/** Described, but for weighting and select, by ch_exemplars_table(). */
typedef struct ch_exemplars_settings {
    size_t size;    /**< sizeof(ch_exemplars_settings); ch_exemplars_defaults() sets it */
    int method;     /**< as in ch_exemplars_method_at()                                         */
    int64_t splits; /**< halves drawn                                                          */
    int64_t seed;
    ch_svm_kind svm;
    ch_similarity similarity; /**< of facility location                                           */
    double cost;              /**< C of the classifier                                            */
    ch_weighting weight;      /**< of the columns to choose from                                  */
    ch_weighting features;    /**< of what the classifier sees                                    */
    const ch_anchors_settings *select; /**< how to choose, NULL: defaults; method, loss, rank, seed
                                            and select_only are not looked at */
} ch_exemplars_settings;

CH_API const ch_settings_table *ch_exemplars_table(void);
static inline void ch_exemplars_defaults(ch_exemplars_settings *settings) {
    ch_settings_defaults(ch_exemplars_table(), settings, sizeof *settings);
    settings->weight.values = CH_VALUE_DEFAULT;
    settings->weight.columns = CH_COLUMN_DEFAULT;
    settings->features.columns = CH_COLUMN_L2;
}

/** Arrays belong to it. */
typedef struct ch_exemplars {
    size_t size;      /**< sizeof(ch_exemplars); the caller sets it */
    ch_status status; /**< CH_OK or a positive status                                          */
    int64_t cols, rank;
    int64_t *columns;    /**< rank columns of X, in the order chosen                             */
    int64_t *stand_in;   /**< cols: the exemplar, by its place in columns, with the largest share of
                              the column's non-negative least squares fit, or, where exemplars stand
                              alone, with the largest cosine; -1: none                           */
    int64_t *stands_for; /**< rank: columns that it is the stand-in of                         */
    double explained;    /**< 1 - |X - W H|_F^2 / |X|_F^2 of the weighted X, H that fit, or of one
                            exemplar per column */
    double seconds_select, seconds_project;
    double value;   /**< facility location: the sum over the columns of the similarity with the
                         exemplar that is most like it; NaN for other methods                    */
    double optimum; /**< no rank columns have a larger value; NaN for other methods            */
    int64_t gains;  /**< computed on the way; 0 for other methods                              */
} ch_exemplars;

/** rank exemplars of all columns. CH_STOP_COMPLETE: fewer are enough, so there are fewer. Cancelled
 *  (CH_STOP_CANCELLED): found is empty. */
CH_API ch_status ch_exemplars_find(ch_context *context, ch_exemplars *found, const ch_matrix *X,
                                   int64_t rank, const ch_exemplars_settings *settings);
CH_API void ch_exemplars_free(ch_context *context, ch_exemplars *found);

/** What settings->weight means for settings->method and X: where it is the default, logrootidf+l2
 * of sparse columns for central, facility and kmeans, which compare columns, and l1 for the methods
 * that look for extreme ones; raw for dense ones. */
CH_API ch_weighting ch_exemplars_weighting(const ch_exemplars_settings *settings,
                                           const ch_matrix *X);

/* ---- what they are worth ---- */

/** order[0 .. cols): the columns in the random order of split number `split`; the first cols / 2
 *  are for training. The same for every method. */
CH_API void ch_exemplars_draw_split(int64_t *order, int64_t cols, int64_t seed, int64_t split);

/** Columns and what they are: labels are X->cols numbers from 0. */
typedef struct ch_exemplars_data {
    const ch_matrix *X;
    const int32_t *labels;
} ch_exemplars_data;

/** Arrays belong to it. */
typedef struct ch_exemplars_scores {
    size_t size;    /**< sizeof(ch_exemplars_scores); the caller sets it */
    int64_t splits; /**< done                                                                  */
    int count;      /**< ranks                                                                 */
    double *mean;   /**< count: share of the other half that was classified right              */
    double *sd;     /**< count: standard deviation over the splits; NaN for one split          */
    double *each;   /**< splits x count, split after split                                     */
    int64_t found;  /**< exemplars of the largest rank, the fewest over the splits             */
    double seconds_select, seconds_train; /**< sums over the splits                            */
    ch_status status; /**< CH_OK, or how the first selection that was not that ended           */
} ch_exemplars_scores;

/** For each split and each of ranks[0 .. count), rising: exemplars from the training half alone, a
 *  linear classifier trained on them, its accuracy on the other half. count 0: no exemplars,
 * trained on the whole half; one column of results. CH_ERR_UNSUPPORTED: this build has no
 * classifier. Cancelled: CH_STOP_CANCELLED, and accuracy is empty. Otherwise accuracy->status is
 * returned, and the figures are those of what the selections have found. The classifier, LIBLINEAR,
 * here and in the calls below, takes memory of its own by malloc(), past the hooks of the context,
 * and cannot say that there is none: the process then ends by a signal. */
CH_API ch_status ch_exemplars_accuracy(ch_context *context, ch_exemplars_scores *accuracy,
                                       const ch_exemplars_data *data, const int64_t *ranks,
                                       int count, const ch_exemplars_settings *settings);
CH_API void ch_exemplars_scores_free(ch_context *context, ch_exemplars_scores *accuracy);

/** One split of ch_exemplars_accuracy(), with what was chosen. */
typedef struct ch_exemplars_trial {
    size_t size;      /**< sizeof(ch_exemplars_trial); the caller sets it                     */
    double *accuracy; /**< count, the caller's: as ch_exemplars_scores.each                   */
    int64_t *columns; /**< ranks[count - 1], the caller's: the exemplars of the last rank,
                           columns of X in the order chosen                                   */
    int64_t found;    /**< how many they are                                                  */
    double seconds_select, seconds_train; /**< of all ranks                                    */
    ch_status status; /**< CH_OK, or how the first selection that was not that ended           */
} ch_exemplars_trial;

/** What split number `split` of ch_exemplars_accuracy() gives. Cancelled: CH_STOP_CANCELLED, and
 *  nothing is filled. */
CH_API ch_status ch_exemplars_try_split(ch_context *context, ch_exemplars_trial *trial,
                                        const ch_exemplars_data *data, int64_t split,
                                        const int64_t *ranks, int count,
                                        const ch_exemplars_settings *settings);
/** Accuracy on the other half of a split after training on columns[0 .. count) of its training
 *  half, however they were chosen; NULL: on all of that half. */
CH_API ch_status ch_exemplars_try_columns(ch_context *context, double *accuracy,
                                          const ch_exemplars_data *data, int64_t split,
                                          const int64_t *columns, int64_t count,
                                          const ch_exemplars_settings *settings);

/** "LIBLINEAR 230", as its header numbers itself, or NULL when this build has no classifier. */
CH_API const char *ch_classifier_name(void);

CH_END_DECLS
#endif
