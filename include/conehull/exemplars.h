/* Exemplars: a few columns that represent all others, and how well they do (paper, Section 5.2).
 *
 *     ch_exemplars_settings set;
 *     ch_exemplars_defaults(&set);
 *     set.method = ch_exemplars_method_find("central"); // the default
 *     ch_exemplars found = {.size = sizeof found};
 *     if (ch_exemplars_find(context, &found, &X, 50, &set) < 0) puts(ch_context_message(context));
 *     // found.columns[0 .. found.rank): columns of X
 *     ch_exemplars_free(context, &found);
 *
 * With labels, ch_exemplars_accuracy() measures the value of the exemplars: exemplars of one half
 * of the columns train a classifier, which is tested on the other half.
 *
 * The selector sees the columns in random order (by the seed), so that ties, which are common among
 * sparse columns under l1, are broken at random and not by the position in the file.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_EXEMPLARS_H
#define CONEHULL_EXEMPLARS_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/* ---- weighting ---- */

typedef enum ch_value_weight {
    CH_VALUE_DEFAULT = -1,
    CH_VALUE_RAW = 0,   /**< unchanged                                                          */
    CH_VALUE_LOG = 1,   /**< log(1 + x)                                                         */
    CH_VALUE_TFIDF = 2, /**< x (log((1 + columns) / (1 + columns with that row)) + 1)          */
    CH_VALUE_LOGTFIDF = 3, /**< TFIDF with log(1 + x) instead of x                              */
    CH_VALUE_LOGROOTIDF =
        4 /**< log(1 + x) (log((1 + columns) / (1 + columns with that row)) + 1)^(1/2) */
} ch_value_weight;
typedef enum ch_column_scale {
    CH_COLUMN_DEFAULT = -1,
    CH_COLUMN_AS_IS = 0,
    CH_COLUMN_L1 = 1, /**< sum 1                                                               */
    CH_COLUMN_L2 = 2  /**< length 1                                                            */
} ch_column_scale;

/** Values are weighted first, then columns are scaled. */
typedef struct ch_weighting {
    ch_value_weight values; /**< CH_VALUE_DEFAULT: raw */
    ch_column_scale
        columns; /**< CH_COLUMN_DEFAULT: l1 for sparse matrices, as they are for dense ones */
} ch_weighting;

/** Parses "auto", "raw", "log", "tfidf", "logtfidf", "logrootidf", "l1", "l2", or one of each kind
 *  joined by a plus: "tfidf+l2". */
CH_API ch_status ch_weighting_parse(ch_context *context, ch_weighting *weighting, const char *text);
/** Writes the text of a weighting to buffer (at least 16 bytes); defaults are resolved for X. */
CH_API const char *ch_weighting_name(char *buffer, const ch_weighting *weighting,
                                     const ch_matrix *X);

/** Makes an owned, weighted copy of X in doubles (raw: in the type of X). Document frequencies are
 *  counted in `seen`, which has the rows of X; NULL means X itself. Zero columns remain. */
CH_API ch_status ch_weighting_apply(ch_context *context, ch_matrix *weighted, const ch_matrix *X,
                                    const ch_matrix *seen, const ch_weighting *weighting);

/** rows[k + j * count]: the row of the k-th largest value of column j (ties: lower row first), -1
 *  where the column has fewer values. */
CH_API ch_status ch_matrix_top_rows(ch_context *context, int64_t *rows, int64_t count,
                                    const ch_matrix *X);

/* ---- choosing ---- */

/** The similarity of two columns, from 0 to 1 (facility location, central). */
typedef enum ch_similarity {
    CH_SIMILARITY_COSINE = 0,    /**< <x, y> / (|x| |y|)                                       */
    CH_SIMILARITY_ROOT = 1,      /**< its square root, which gives weak similarities more weight */
    CH_SIMILARITY_HELLINGER = 2, /**< sum of (x_i y_i)^(1/2), columns scaled to sum 1          */
    CH_SIMILARITY_L1 = 3         /**< 1 - |x - y|_1 / 2, columns scaled to sum 1               */
} ch_similarity;

/** Methods that are not methods of ch_anchors(), in ch_exemplars_method.method. */
enum {
    CH_EXEMPLARS_RANDOM = -1,
    CH_EXEMPLARS_FACILITY = -2, /**< facility location: every column is similar to an exemplar */
    CH_EXEMPLARS_KMEANS = -3,   /**< the column nearest to the mean of each k-means cluster    */
    CH_EXEMPLARS_CENTRAL = -4   /**< k-means groups that start from the columns of facility
                                     location; the exemplar of a group is a typical column near
                                     its mean */
};

/** A method to choose columns. */
typedef struct ch_exemplars_method {
    const char *name;  /**< "robust-xray"                                                      */
    const char *title; /**< what it does, in a few words                                       */
    int method, loss;  /**< as in ch_anchors_settings; method < 0: one of those above          */
    int prefix;        /**< the first k of r are the answer for k; of xray with first = paper alone:
                            else its first anchor is chosen once more for every r           */
} ch_exemplars_method;

/** The method of a number, counted from 0, or NULL. */
CH_API const ch_exemplars_method *ch_exemplars_method_at(int method);
/** Returns non-zero if each exemplar of the method represents the columns most similar to it
 *  (central, facility, kmeans). The exemplars of other methods explain columns jointly. */
CH_API int ch_exemplars_stand_alone(int method);
/** The number of the method of that name, or -1. */
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
    int64_t sample;           /**< columns that facility location looks at; 0: 30,000, and 10,000
                                   to start the groups of central                               */
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
    int64_t *stand_in;   /**< cols: the exemplar of each column, as an index into columns: the one
                              with the largest share of its non-negative least squares fit or, if
                              exemplars stand alone, the largest cosine; -1: none                */
    int64_t *stands_for; /**< rank: number of columns that each exemplar represents            */
    double explained;    /**< 1 - |X - W H|_F^2 / |X|_F^2 of the weighted X, H that fit, or of one
                            exemplar per column */
    double seconds_select, seconds_project;
    double value;   /**< facility location: sum over the columns of the similarity to the most
                         similar exemplar; NaN for other methods                                 */
    double optimum; /**< upper bound of value over all choices of rank columns; else NaN       */
    int64_t gains;  /**< number of gains computed; 0 for other methods                         */
} ch_exemplars;

/** Finds rank exemplars. CH_STOP_COMPLETE means that fewer are enough and were returned. If
 *  cancelled (CH_STOP_CANCELLED), found is empty. */
CH_API ch_status ch_exemplars_find(ch_context *context, ch_exemplars *found, const ch_matrix *X,
                                   int64_t rank, const ch_exemplars_settings *settings);
CH_API void ch_exemplars_free(ch_context *context, ch_exemplars *found);

/** Resolves settings->weight for settings->method and X. The default for sparse X is logrootidf+l2
 *  for central, facility and kmeans, which compare columns, and l1 for the methods that look for
 *  extreme columns; for dense X it is raw. */
CH_API ch_weighting ch_exemplars_weighting(const ch_exemplars_settings *settings,
                                           const ch_matrix *X);

/* ---- accuracy ---- */

/** Sets order[0 .. cols) to the columns in the random order of split number `split`, the same for
 *  every method; the first cols / 2 are for training. */
CH_API void ch_exemplars_draw_split(int64_t *order, int64_t cols, int64_t seed, int64_t split);

/** Columns and their X->cols labels, numbers from 0. */
typedef struct ch_exemplars_data {
    const ch_matrix *X;
    const int32_t *labels;
} ch_exemplars_data;

/** Arrays belong to it. */
typedef struct ch_exemplars_scores {
    size_t size;    /**< sizeof(ch_exemplars_scores); the caller sets it */
    int64_t splits; /**< done                                                                  */
    int count;      /**< ranks                                                                 */
    double *mean;   /**< count: mean share of the test half that was classified correctly      */
    double *sd;     /**< count: standard deviation over the splits; NaN for one split          */
    double *each;   /**< splits x count, split after split                                     */
    int64_t found;  /**< exemplars found for the largest rank, least over the splits           */
    double seconds_select, seconds_train; /**< sums over the splits                            */
    ch_status status; /**< CH_OK, or how the first selection that was not that ended           */
} ch_exemplars_scores;

/** Measures the accuracy of exemplars. For each split and each of ranks[0 .. count), increasing:
 *  chooses exemplars from the training half, trains a linear classifier on them and tests it on the
 *  other half. With count 0 the classifier is trained on the whole half; the result has one column.
 *  Returns CH_ERR_UNSUPPORTED if this build has no classifier, and CH_STOP_CANCELLED with an empty
 *  accuracy if cancelled; otherwise accuracy->status. The classifier LIBLINEAR, here and in the
 *  calls below, allocates by malloc() instead of the context's hooks and does not check the result:
 *  if memory runs out there, the process ends by a signal. */
CH_API ch_status ch_exemplars_accuracy(ch_context *context, ch_exemplars_scores *accuracy,
                                       const ch_exemplars_data *data, const int64_t *ranks,
                                       int count, const ch_exemplars_settings *settings);
CH_API void ch_exemplars_scores_free(ch_context *context, ch_exemplars_scores *accuracy);

/** One split of ch_exemplars_accuracy(), with its exemplars. */
typedef struct ch_exemplars_trial {
    size_t size;      /**< sizeof(ch_exemplars_trial); the caller sets it                     */
    double *accuracy; /**< count, the caller's: as ch_exemplars_scores.each                   */
    int64_t *columns; /**< ranks[count - 1], the caller's: the exemplars of the last rank,
                           columns of X in the order chosen                                   */
    int64_t found;    /**< how many they are                                                  */
    double seconds_select, seconds_train; /**< of all ranks                                    */
    ch_status status; /**< CH_OK, or how the first selection that was not that ended           */
} ch_exemplars_trial;

/** Runs split number `split` of ch_exemplars_accuracy(). If cancelled, returns CH_STOP_CANCELLED
 *  and leaves trial untouched. */
CH_API ch_status ch_exemplars_try_split(ch_context *context, ch_exemplars_trial *trial,
                                        const ch_exemplars_data *data, int64_t split,
                                        const int64_t *ranks, int count,
                                        const ch_exemplars_settings *settings);
/** Accuracy on the test half of a split after training on columns[0 .. count) of its training half,
 *  chosen by any means; NULL means the whole training half. */
CH_API ch_status ch_exemplars_try_columns(ch_context *context, double *accuracy,
                                          const ch_exemplars_data *data, int64_t split,
                                          const int64_t *columns, int64_t count,
                                          const ch_exemplars_settings *settings);

/** Name and version of the classifier, e.g. "LIBLINEAR 230", or NULL if this build has none. */
CH_API const char *ch_classifier_name(void);

CH_END_DECLS
#endif
