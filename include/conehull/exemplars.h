/* Exemplars: a few columns that represent all others, and a measure of how well they do so (paper,
 * Section 5.2). Simple use:
 *
 *     ch_exemplars_settings set;
 *     ch_exemplars_defaults(&set);
 *     set.method = ch_exemplars_method_find("central"); // the default
 *     ch_exemplars found = {.size = sizeof found};
 *     if (ch_exemplars_find(context, &found, &X, 50, &set) < 0) puts(ch_context_message(context));
 *     // found.columns[0 .. found.rank) are columns of X
 *     ch_exemplars_free(context, &found);
 *
 * If the columns have labels, ch_exemplars_accuracy() measures how useful the exemplars are: a
 * classifier is trained on exemplars of one half of the columns and tested on the other half.
 *
 * Methods receive the columns in a random order, which depends on the seed. Ties, which are common
 * among sparse columns under l1, are therefore broken at random and not by position in the file.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_EXEMPLARS_H
#define CONEHULL_EXEMPLARS_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/* ---- weighting ---- */

/** How the values x of a matrix are weighted. idf(i) is log((1 + n) / (1 + n_i)) + 1, where n is
 *  the number of columns (documents) and n_i the number of those in which row i (a term) is not
 *  0. */
typedef enum ch_value_weight {
    CH_VALUE_DEFAULT = -1,  /**< the function that takes the weighting chooses */
    CH_VALUE_RAW = 0,       /**< x, unchanged */
    CH_VALUE_LOG = 1,       /**< log(1 + x) */
    CH_VALUE_TFIDF = 2,     /**< x idf(i) */
    CH_VALUE_LOGTFIDF = 3,  /**< log(1 + x) idf(i) */
    CH_VALUE_LOGROOTIDF = 4 /**< log(1 + x) times the square root of idf(i) */
} ch_value_weight;
/** How each column of a matrix is scaled. A column of zeros stays as it is. */
typedef enum ch_column_scale {
    CH_COLUMN_DEFAULT = -1, /**< the function that takes the weighting chooses */
    CH_COLUMN_AS_IS = 0,    /**< not scaled */
    CH_COLUMN_L1 = 1,       /**< divided by its sum, so that the sum becomes 1 */
    CH_COLUMN_L2 = 2        /**< divided by its Euclidean norm, so that the norm becomes 1 */
} ch_column_scale;

/** A weighting of a matrix: values are weighted first, then columns are scaled. */
typedef struct ch_weighting {
    ch_value_weight values; /**< weights of values; CH_VALUE_DEFAULT usually means raw */
    /** Scale of columns. CH_COLUMN_DEFAULT usually means CH_COLUMN_L1 for sparse matrices and
     *  CH_COLUMN_AS_IS for dense ones. ch_exemplars_weighting() has other defaults. */
    ch_column_scale columns;
} ch_weighting;

/** Sets *weighting from text: "raw", "log", "tfidf", "logtfidf" or "logrootidf" for the values,
 *  "l1" or "l2" for the columns, or one of each joined by a plus sign, such as "tfidf+l2". A part
 *  that is not given means raw values or columns that are not scaled. "auto" sets both parts to
 *  their defaults. Returns CH_ERR_SETTING for any other text. */
CH_API ch_status ch_weighting_parse(ch_context *context, ch_weighting *weighting, const char *text);
/** Writes the name of a weighting, such as "tfidf+l2", to buffer, which has at least 16 bytes, and
 *  returns buffer. A default is replaced by what ch_weighting_apply() uses for X. */
CH_API const char *ch_weighting_name(char *buffer, const ch_weighting *weighting,
                                     const ch_matrix *X);

/** Makes an owned, weighted copy of X; free it with ch_matrix_free(). The copy is of type f64,
 *  unless nothing changes (raw values, columns not scaled): then it has the type of X. The columns
 *  that idf counts are those of `seen`, which must have as many rows as X; NULL means X itself.
 *  Columns of zeros are kept. */
CH_API ch_status ch_weighting_apply(ch_context *context, ch_matrix *weighted, const ch_matrix *X,
                                    const ch_matrix *seen, const ch_weighting *weighting);

/** Finds the rows with the `count` largest values of each column of X: rows[k + j * count] receives
 *  the row of the k-th largest value of column j, with k counted from 0. Of equal values the one in
 *  the lower row comes first. Where a column has fewer than `count` non-zero values, the remaining
 *  entries are -1. The caller owns rows, which has count * X->cols entries. */
CH_API ch_status ch_matrix_top_rows(ch_context *context, int64_t *rows, int64_t count,
                                    const ch_matrix *X);

/* ---- choosing ---- */

/** The similarity of two columns x and y, from 0 to 1. The methods facility and central use it. */
typedef enum ch_similarity {
    CH_SIMILARITY_COSINE = 0,    /**< the cosine of their angle, <x, y> / (|x|_2 |y|_2) */
    CH_SIMILARITY_ROOT = 1,      /**< square root of the cosine: weak similarities count more */
    CH_SIMILARITY_HELLINGER = 2, /**< sum of sqrt(x_i y_i), where x and y are scaled to sum 1 */
    CH_SIMILARITY_L1 = 3         /**< 1 - |x - y|_1 / 2, where x and y are scaled to sum 1 */
} ch_similarity;

/** Values of ch_exemplars_method.method for the methods that ch_anchors() does not have. */
enum {
    CH_EXEMPLARS_RANDOM = -1, /**< non-zero columns drawn at random */
    /** Facility location: a greedy choice that maximises the sum, over all columns, of the
     *  similarity to the most similar exemplar. */
    CH_EXEMPLARS_FACILITY = -2,
    CH_EXEMPLARS_KMEANS = -3, /**< the column nearest to the mean of each k-means cluster */
    /** Facility location, then k-means that starts from the columns found. The exemplar of a
     *  cluster is a column near its mean whose most similar columns are in the cluster too. */
    CH_EXEMPLARS_CENTRAL = -4
};

/** A method that chooses exemplars. ch_exemplars_method_at() returns a constant one. */
typedef struct ch_exemplars_method {
    const char *name;  /**< name of the method, such as "robust-xray" */
    const char *title; /**< description of the method in a few words */
    int method;        /**< a ch_anchors_method, or CH_EXEMPLARS_RANDOM, ... if negative */
    int loss;          /**< the ch_loss, for a method of ch_anchors() */
    /** 1 if the first k of r exemplars are always the answer for rank k, else 0. For xray this
     *  holds only with ch_anchors_settings.first = CH_FIRST_PAPER, because otherwise the first
     *  anchor is chosen again for every rank. */
    int prefix;
} ch_exemplars_method;

/** Returns the method with index `method`, from 0; NULL if there is no such index. */
CH_API const ch_exemplars_method *ch_exemplars_method_at(int method);
/** Returns 1 if each exemplar of the method with index `method` represents, by itself, the columns
 *  most similar to it (central, facility, kmeans). Returns 0 if exemplars explain columns
 *  jointly. */
CH_API int ch_exemplars_stand_alone(int method);
/** Returns the index of the method called `name`, for ch_exemplars_settings.method; -1 if there is
 *  no such method. */
CH_API int ch_exemplars_method_find(const char *name);

/** The linear support vector machine that ch_exemplars_accuracy() trains. */
typedef enum ch_svm_kind {
    CH_SVM_SQUARED = 0, /**< one class against the rest, squared hinge loss; no random numbers */
    CH_SVM_HINGE = 1,   /**< one class against the rest, hinge loss */
    CH_SVM_CRAMMER = 2  /**< all classes in one problem (Crammer and Singer) */
} ch_svm_kind;

/** Settings of exemplars. ch_exemplars_defaults() fills them; ch_exemplars_table() lists the bounds
 *  of all except weight, features and select. */
typedef struct ch_exemplars_settings {
    size_t size; /**< sizeof(ch_exemplars_settings); ch_exemplars_defaults() sets it */
    int method;  /**< index of the method, as ch_exemplars_method_find() returns it */
    /** ch_exemplars_accuracy(): number of random splits into a training and a test half. */
    int64_t splits;
    int64_t seed;             /**< seed of all random choices */
    ch_svm_kind svm;          /**< ch_exemplars_accuracy(): the classifier */
    ch_similarity similarity; /**< methods facility and central: how two columns are compared */
    /** ch_exemplars_accuracy(): parameter C of the classifier, the weight of training errors. */
    double cost;
    /** Methods facility and central: maximum number of columns, drawn at random, among which
     *  facility location chooses. The time of facility location grows with the square of this
     *  number. 0: 30,000 for facility and 10,000 for central. */
    int64_t sample;
    ch_weighting weight; /**< weighting of the columns among which exemplars are chosen */
    /** ch_exemplars_accuracy(): weighting of the columns that the classifier receives. */
    ch_weighting features;
    /** Further settings for the methods of ch_anchors(). Its members method, loss, rank, seed,
     *  select_only, path and keep_duals are ignored. The caller owns it; NULL: defaults. */
    const ch_anchors_settings *select;
} ch_exemplars_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_exemplars_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_exemplars_defaults(ch_exemplars_settings *settings) {
    ch_settings_defaults(ch_exemplars_table(), settings, sizeof *settings);
    settings->weight.values = CH_VALUE_DEFAULT;
    settings->weight.columns = CH_COLUMN_DEFAULT;
    settings->features.columns = CH_COLUMN_L2;
}

/** Exemplars of the columns of X. The struct owns its arrays; ch_exemplars_free() frees them. */
typedef struct ch_exemplars {
    size_t size;      /**< sizeof(ch_exemplars); the caller sets it */
    ch_status status; /**< what ch_exemplars_find() returned: CH_OK or a positive status */
    int64_t cols;     /**< number of columns of X */
    int64_t rank;     /**< number of exemplars found, which may be less than requested */
    int64_t *columns; /**< the exemplars: `rank` column indices of X, in the order chosen */
    /** For each of the `cols` columns, the exemplar that represents it, as an index into `columns`;
     *  -1: none, for instance for a column of zeros. If exemplars stand alone
     *  (ch_exemplars_stand_alone()), it is the exemplar with the largest cosine similarity;
     *  otherwise the one with the largest part in the non-negative least squares fit of the
     *  column. */
    int64_t *stand_in;
    int64_t *stands_for; /**< number of columns that each of the `rank` exemplars represents */
    /** Share of the weighted X that the exemplars explain: 1 - |X - W H|_F^2 / |X|_F^2. Columns of
     *  H are non-negative least squares fits; if exemplars stand alone, each column is fitted by
     *  a multiple of its one representative. */
    double explained;
    double seconds_select;  /**< wall-clock seconds of choosing the exemplars */
    double seconds_project; /**< wall-clock seconds of finding stand_in and explained */
    /** facility, central: sum over all columns of the similarity to the most similar exemplar.
     *  Other methods: NaN. */
    double value;
    /** facility, central: upper bound of `value` over all choices of `rank` columns. Other methods:
     *  NaN. */
    double optimum;
    /** facility, central: number of candidates' gains that were computed. A gain is the increase of
     *  `value` by one more exemplar. Other methods: 0. */
    int64_t gains;
} ch_exemplars;

/** Finds `rank` exemplars of X, which must have no negative values. The caller sets found->size and
 *  later calls ch_exemplars_free(). Returns CH_STOP_COMPLETE if fewer exemplars are enough (these
 *  are returned), CH_ERR_SETTING if rank is below 1 or above the number of columns, and
 *  CH_STOP_CANCELLED with an empty result if the progress callback cancels. */
CH_API ch_status ch_exemplars_find(ch_context *context, ch_exemplars *found, const ch_matrix *X,
                                   int64_t rank, const ch_exemplars_settings *settings);
/** Frees the arrays of a result and sets its members to 0, except size. `found` must not be
 *  NULL. */
CH_API void ch_exemplars_free(ch_context *context, ch_exemplars *found);

/** Returns settings->weight with its defaults replaced by what ch_exemplars_find() uses for X. For
 *  a sparse X they are logrootidf and l2 if exemplars stand alone (central, facility, kmeans), and
 *  raw and l1 for the other methods. For a dense X they are raw values and columns that are not
 *  scaled. */
CH_API ch_weighting ch_exemplars_weighting(const ch_exemplars_settings *settings,
                                           const ch_matrix *X);

/* ---- accuracy ---- */

/** Sets order[0 .. cols) to the column indices in the random order of the split with index `split`,
 *  from 0. The first cols / 2 columns are the training half, the others the test half. The order
 *  depends only on cols, seed and split. */
CH_API void ch_exemplars_draw_split(int64_t *order, int64_t cols, int64_t seed, int64_t split);

/** Columns with labels. The caller owns both. */
typedef struct ch_exemplars_data {
    const ch_matrix *X;    /**< the columns */
    const int32_t *labels; /**< class index of each column of X, from 0 */
} ch_exemplars_data;

/** Accuracies of ch_exemplars_accuracy(): shares of the columns of a test half that were classified
 *  correctly, 0 to 1. The struct owns its arrays; ch_exemplars_scores_free() frees them. */
typedef struct ch_exemplars_scores {
    size_t size;    /**< sizeof(ch_exemplars_scores); the caller sets it */
    int64_t splits; /**< number of random splits */
    int count;      /**< number of ranks; 1 if classifiers were trained on whole halves */
    double *mean;   /**< `count` numbers: mean accuracy of each rank over all splits */
    double *sd;     /**< `count` numbers: standard deviation over all splits; NaN for one split */
    /** Accuracy for ranks[k] in split s: each[s * count + k]; k and s count from 0. If classifiers
     *  were trained on whole halves, k is 0. */
    double *each;
    int64_t found; /**< smallest number, over all splits, of exemplars found for the largest rank */
    double seconds_select; /**< wall-clock seconds of choosing exemplars, sum over all splits */
    double seconds_train;  /**< wall-clock seconds of training and testing, sum over all splits */
    /** CH_OK if every selection ended with CH_OK, otherwise the status of the first one that did
     *  not. */
    ch_status status;
} ch_exemplars_scores;

/** Measures how useful exemplars are as training data. For each split (settings->splits) and each
 *  of ranks[0 .. count), which increase: chooses exemplars in the training half, trains a linear
 *  classifier on them and tests it on the other half. With count 0 the classifier is trained on
 *  the whole training half instead. The caller sets accuracy->size and later calls
 *  ch_exemplars_scores_free(). Returns accuracy->status; CH_ERR_UNSUPPORTED if this build has no
 *  classifier; CH_ERR_DATA if all labels are the same; CH_STOP_CANCELLED with an empty result if
 *  the progress callback cancels. The classifier LIBLINEAR allocates by malloc() instead of the
 *  context's hooks and does not check the result: if memory runs out there, the process ends by a
 *  signal. This also holds for the two functions below. */
CH_API ch_status ch_exemplars_accuracy(ch_context *context, ch_exemplars_scores *accuracy,
                                       const ch_exemplars_data *data, const int64_t *ranks,
                                       int count, const ch_exemplars_settings *settings);
/** Frees the arrays of the accuracies. `accuracy` must not be NULL. */
CH_API void ch_exemplars_scores_free(ch_context *context, ch_exemplars_scores *accuracy);

/** The outcome of one split, with its exemplars. The caller provides both arrays. */
typedef struct ch_exemplars_trial {
    size_t size;      /**< sizeof(ch_exemplars_trial); the caller sets it */
    double *accuracy; /**< array for one accuracy (0 to 1) per rank */
    /** Array of ranks[count - 1] entries: receives the exemplars of the last rank, as column
     *  indices of X in the order chosen. */
    int64_t *columns;
    int64_t found;         /**< number of entries of `columns` that were written */
    double seconds_select; /**< wall-clock seconds of choosing exemplars for all ranks */
    double seconds_train;  /**< wall-clock seconds of training and testing for all ranks */
    /** CH_OK if every selection ended with CH_OK, otherwise the status of the first one that did
     *  not. */
    ch_status status;
} ch_exemplars_trial;

/** Runs the split with index `split`, from 0, of ch_exemplars_accuracy() for `count` >= 1 ranks
 *  that increase. The caller sets trial->size, accuracy and columns. Returns CH_STOP_CANCELLED and
 *  leaves trial untouched if the progress callback cancels. */
CH_API ch_status ch_exemplars_try_split(ch_context *context, ch_exemplars_trial *trial,
                                        const ch_exemplars_data *data, int64_t split,
                                        const int64_t *ranks, int count,
                                        const ch_exemplars_settings *settings);
/** Trains the classifier on columns[0 .. count), chosen by any means from the training half of the
 *  split with index `split`, and sets *accuracy to the share of the test half that it classifies
 *  correctly. columns NULL means the whole training half. Returns CH_ERR_ARGUMENT if a column is
 *  not in the training half. */
CH_API ch_status ch_exemplars_try_columns(ch_context *context, double *accuracy,
                                          const ch_exemplars_data *data, int64_t split,
                                          const int64_t *columns, int64_t count,
                                          const ch_exemplars_settings *settings);

/** Returns name and version of the classifier, such as "LIBLINEAR 230"; NULL if this build has
 *  none. */
CH_API const char *ch_classifier_name(void);

CH_END_DECLS
#endif
