/* Exemplars: a few columns of a matrix that represent all others, and a measure of how well they do
 * so, as in Section 5.2 of the paper (Kumar and Sindhwani, arXiv 1312.7167). Simple use:
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
 * Methods receive the columns in a random order, which depends on the seed. The reason is that ties
 * are common among sparse columns under l1; in the given order, they would favour the columns that
 * come first.
 *
 * Experimental (library conehull_text): may change in any version. */
#ifndef CONEHULL_EXEMPLARS_H
#define CONEHULL_EXEMPLARS_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/* ---- weighting ---- */

/** How the values x of a matrix are weighted. idf(i), the inverse document frequency of row i (a
 *  term), is log((1 + n) / (1 + n_i)) + 1, where n is the number of columns (documents) and n_i the
 *  number of columns in which row i is not 0. */
typedef enum ch_value_weight {
    CH_VALUE_DEFAULT = -1,  /**< the function to which the weighting is passed chooses */
    CH_VALUE_RAW = 0,       /**< x, unchanged */
    CH_VALUE_LOG = 1,       /**< log(1 + x) */
    CH_VALUE_TFIDF = 2,     /**< x idf(i) */
    CH_VALUE_LOGTFIDF = 3,  /**< log(1 + x) idf(i) */
    CH_VALUE_LOGROOTIDF = 4 /**< log(1 + x) times the square root of idf(i) */
} ch_value_weight;
/** How each column of a matrix is scaled. Columns of zeros do not change. */
typedef enum ch_column_scale {
    CH_COLUMN_DEFAULT = -1, /**< the function to which the weighting is passed chooses */
    CH_COLUMN_AS_IS = 0,    /**< not scaled */
    CH_COLUMN_L1 = 1,       /**< divided by its sum, so that the sum becomes 1 */
    CH_COLUMN_L2 = 2        /**< divided by its Euclidean norm, so that the norm becomes 1 */
} ch_column_scale;

/** A weighting of a matrix: first the values are weighted, then the columns are scaled. */
typedef struct ch_weighting {
    /** How values are weighted; CH_VALUE_DEFAULT means CH_VALUE_RAW, except in
     *  ch_exemplars_find(). */
    ch_value_weight values;
    /** How columns are scaled. CH_COLUMN_DEFAULT means CH_COLUMN_L1 for a sparse matrix and
     *  CH_COLUMN_AS_IS for a dense matrix, except in ch_exemplars_find(); ch_exemplars_weighting()
     *  describes the defaults there. */
    ch_column_scale columns;
} ch_weighting;

/** Sets *weighting from a text: "raw", "log", "tfidf", "logtfidf" or "logrootidf" for the values,
 *  "l1" or "l2" for the columns, or a name for the values and a name for the columns joined by a
 *  plus sign, such as "tfidf+l2". If the text names no weighting of the values, the values stay
 *  raw; if it names no scaling, the columns are not scaled. "auto" sets CH_VALUE_DEFAULT and
 *  CH_COLUMN_DEFAULT. Returns CH_ERR_SETTING for any other text. */
CH_API ch_status ch_weighting_parse(ch_context *context, ch_weighting *weighting, const char *text);
/** Writes the name of a weighting, such as "tfidf+l2", to `buffer`, an array of the caller with at
 *  least 16 bytes, and returns buffer. For CH_VALUE_DEFAULT and CH_COLUMN_DEFAULT this is the name
 *  of the weighting that ch_weighting_apply() would use for X. */
CH_API const char *ch_weighting_name(char *buffer, const ch_weighting *weighting,
                                     const ch_matrix *X);

/** Makes *weighted a weighted copy of X; free it with ch_matrix_free(). The copy is of type f64; if
 *  nothing changes (raw values, columns not scaled), it has the type of X. The inverse document
 *  frequencies (idf) are computed from the columns of `seen`, which must have as many rows as X; if
 *  `seen` is NULL, they are computed from X. Columns of zeros stay in the copy. */
CH_API ch_status ch_weighting_apply(ch_context *context, ch_matrix *weighted, const ch_matrix *X,
                                    const ch_matrix *seen, const ch_weighting *weighting);

/** Finds the rows with the `count` largest values of each column of X: rows[k + j * count] receives
 *  the index of the row with the k-th largest value of column j; k, j and the row count from 0. Of
 *  equal values, the value with the lower row index comes first. If a column has fewer than `count`
 *  non-zero values, its remaining entries are -1. `rows` is an array of the caller with count *
 *  X->cols entries. */
CH_API ch_status ch_matrix_top_rows(ch_context *context, int64_t *rows, int64_t count,
                                    const ch_matrix *X);

/* ---- choosing ---- */

/** How the similarity of two columns x and y, 0 to 1, is measured in the methods facility and
 *  central. */
typedef enum ch_similarity {
    CH_SIMILARITY_COSINE = 0, /**< cosine of the angle of x and y, <x, y> / (|x|_2 |y|_2) */
    CH_SIMILARITY_ROOT = 1, /**< square root of the cosine, so that weak similarities count more */
    CH_SIMILARITY_HELLINGER = 2, /**< sum of sqrt(x_i y_i), where x and y are scaled to sum 1 */
    CH_SIMILARITY_L1 = 3         /**< 1 - |x - y|_1 / 2, where x and y are scaled to sum 1 */
} ch_similarity;

/** Values of ch_exemplars_method.method for methods that are not a ch_anchors_method. */
enum {
    CH_EXEMPLARS_RANDOM = -1, /**< random columns among those that are not zero */
    /** Facility location: a greedy choice that increases the sum, over all columns, of the
     *  similarity to the most similar exemplar as much as possible in each step. */
    CH_EXEMPLARS_FACILITY = -2,
    CH_EXEMPLARS_KMEANS = -3, /**< the column nearest to the mean of each k-means cluster */
    /** Facility location, followed by k-means that starts from the columns found. Each cluster has
     *  one exemplar: a column that is near the mean of the cluster and for which the most similar
     *  columns belong to the same cluster. */
    CH_EXEMPLARS_CENTRAL = -4
};

/** The description of a method that chooses exemplars. ch_exemplars_method_at() returns it; it is
 *  constant. */
typedef struct ch_exemplars_method {
    const char *name;  /**< name of the method, such as "robust-xray" */
    const char *title; /**< description of the method in a few words */
    /** A ch_anchors_method or, if negative, CH_EXEMPLARS_RANDOM, CH_EXEMPLARS_FACILITY, ... */
    int method;
    int loss; /**< a ch_loss; it has a meaning only if `method` is a ch_anchors_method */
    /** 1 if the first k exemplars are also the answer for k exemplars, for every k; else 0. For the
     *  xray methods, the value 1 assumes ch_anchors_settings.first = CH_FIRST_PAPER; with the
     *  default CH_FIRST_RESELECT, the first anchor is chosen again for every rank. */
    int prefix;
} ch_exemplars_method;

/** Returns the description of the method with index `method`, from 0; NULL if there is no such
 *  index. It is constant. */
CH_API const ch_exemplars_method *ch_exemplars_method_at(int method);
/** Returns 1 if the exemplars of the method with index `method`, from 0, stand alone: each exemplar
 *  represents the columns most similar to it by itself (central, facility, kmeans). Returns 0 for
 *  methods whose exemplars explain columns jointly, as non-negative combinations. */
CH_API int ch_exemplars_stand_alone(int method);
/** Returns the index, from 0, of the method called `name`, such as "central", for
 *  ch_exemplars_settings.method; -1 if there is no such method. */
CH_API int ch_exemplars_method_find(const char *name);

/** The linear support vector machine that ch_exemplars_accuracy() trains. */
typedef enum ch_svm_kind {
    /** One class against the rest, squared hinge loss; does not use random numbers. */
    CH_SVM_SQUARED = 0,
    CH_SVM_HINGE = 1,  /**< one class against the rest, hinge loss */
    CH_SVM_CRAMMER = 2 /**< all classes in one problem (Crammer and Singer) */
} ch_svm_kind;

/** Settings of ch_exemplars_find() and ch_exemplars_accuracy(). ch_exemplars_defaults() fills them;
 *  ch_exemplars_table() lists the bounds of all except weight, features and select. */
typedef struct ch_exemplars_settings {
    size_t size; /**< sizeof(ch_exemplars_settings); ch_exemplars_defaults() sets it */
    int method;  /**< index of the method, as ch_exemplars_method_find() returns it */
    /** ch_exemplars_accuracy(): number of random splits of the columns into a training half and a
     *  test half. */
    int64_t splits;
    int64_t seed;    /**< seed of all random numbers; the same seed gives the same result */
    ch_svm_kind svm; /**< ch_exemplars_accuracy(): the support vector machine that is trained */
    ch_similarity similarity; /**< methods facility and central: how similarity is measured */
    /** ch_exemplars_accuracy(): parameter C of the support vector machine, the weight of training
     *  errors. */
    double cost;
    /** Method facility: exemplars are chosen from at most this number of columns; if X has more,
     *  from a random sample of this size. Method central: the same holds for the columns from which
     *  its groups start; the exemplars are then chosen from all columns. The time grows with the
     *  square of this number. The default 0 means 30,000 for facility and 10,000 for central. */
    int64_t sample;
    /** Methods facility and central, sparse X: a column is too long if it has more than `longest`
     *  times as many non-zero values as the median column. A column that is too long is never an
     *  exemplar, because it is similar to all other columns by its size alone. Two rules limit
     *  this: at most the longest twentieth of the columns is excluded, and no column is excluded if
     *  fewer than `rank` columns would remain. 0: no column is too long. */
    double longest;
    ch_weighting weight; /**< how X is weighted before exemplars are chosen */
    /** ch_exemplars_accuracy(): how X is weighted before it is passed to the classifier. */
    ch_weighting features;
    /** Further settings for methods that are a ch_anchors_method. The members method, loss, rank,
     *  seed, select_only, path and keep_duals are ignored. The caller owns the struct. NULL: the
     *  defaults of ch_anchors_settings. */
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

/** The exemplars of X that ch_exemplars_find() chose. The struct owns its arrays;
 *  ch_exemplars_free() frees them. Exemplars stand alone if each represents columns by itself
 *  (ch_exemplars_stand_alone()). */
typedef struct ch_exemplars {
    size_t size;      /**< sizeof(ch_exemplars); the caller sets it */
    ch_status status; /**< status that ch_exemplars_find() returned: CH_OK or a positive status */
    int64_t cols;     /**< number of columns of X */
    int64_t rank;     /**< number of exemplars found, which may be less than requested */
    int64_t *columns; /**< the exemplars: `rank` column indices of X, from 0, in the order chosen */
    /** For each of the `cols` columns, the exemplar that represents it, as an index, from 0, into
     *  `columns`; -1: no exemplar represents it, for instance because the column is zero. If
     *  exemplars stand alone, this is the exemplar with the largest cosine similarity; otherwise it
     *  is the exemplar with the largest part in the non-negative least squares fit of the
     *  column. */
    int64_t *stand_in;
    /** For each of the `rank` exemplars, the number of columns that it represents. */
    int64_t *stands_for;
    /** Share of the weighted X that the exemplars W explain, 0 to 1: 1 - |X - W H|_F^2 / |X|_F^2.
     *  The columns of H are non-negative least squares fits; if exemplars stand alone, each column
     *  is fitted by a multiple of the exemplar that represents it. */
    double explained;
    double seconds_select;  /**< wall-clock seconds for choosing the exemplars */
    double seconds_project; /**< wall-clock seconds for computing `stand_in` and `explained` */
    /** Methods facility and central: the value that facility location reached, which is the sum,
     *  over all columns, of the similarity to the most similar exemplar. Other methods: NaN. */
    double value;
    /** Methods facility and central: a proven upper bound of `value` for any choice of `rank`
     *  columns that may be exemplars (ch_exemplars_settings.longest). Other methods: NaN. */
    double optimum;
    /** Methods facility and central: number of gains that were computed, as a measure of the work.
     *  A gain is the increase of `value` by one more exemplar. Other methods: 0. */
    int64_t gains;
    /** facility, central: number of columns among which facility location chose. It is less than
     *  `cols` if only a sample was used. Other methods: 0. */
    int64_t sample;
} ch_exemplars;

/** Finds `rank` exemplars of X, which must have no negative values. The caller sets found->size and
 *  later calls ch_exemplars_free(). Returns CH_STOP_COMPLETE if fewer than `rank` exemplars
 *  represent X completely and *found holds only these, CH_ERR_SETTING if rank is below 1 or above
 *  the number of columns, and CH_STOP_CANCELLED with an empty result if the progress callback
 *  cancels. */
CH_API ch_status ch_exemplars_find(ch_context *context, ch_exemplars *found, const ch_matrix *X,
                                   int64_t rank, const ch_exemplars_settings *settings);
/** Frees the arrays of a result and sets its members to 0, except size. `found` must not be
 *  NULL. */
CH_API void ch_exemplars_free(ch_context *context, ch_exemplars *found);

/** Returns the weighting that ch_exemplars_find() uses for X: settings->weight with
 *  CH_VALUE_DEFAULT and CH_COLUMN_DEFAULT replaced. For a sparse X they become CH_VALUE_LOGROOTIDF
 *  and CH_COLUMN_L2 for the methods central, facility and kmeans, and CH_VALUE_RAW and CH_COLUMN_L1
 *  for the other methods. For a dense X they become CH_VALUE_RAW and CH_COLUMN_AS_IS. */
CH_API ch_weighting ch_exemplars_weighting(const ch_exemplars_settings *settings,
                                           const ch_matrix *X);

/* ---- accuracy ---- */

/** Computes the split with index `split`, from 0, of `cols` columns into a training half and a test
 *  half: order[0 .. cols) receives all column indices, from 0, in a random order. The first cols /
 *  2 entries are the training half, the remaining entries the test half. The order depends only on
 *  cols, seed and split. The caller owns the array. */
CH_API void ch_exemplars_draw_split(int64_t *order, int64_t cols, int64_t seed, int64_t split);

/** Columns with known classes. The caller owns both members. */
typedef struct ch_exemplars_data {
    const ch_matrix *X;    /**< the columns */
    const int32_t *labels; /**< class of each column of X: an index from 0 */
} ch_exemplars_data;

/** The result of ch_exemplars_accuracy(). An accuracy is the share, 0 to 1, of the columns of a
 *  test half that were classified correctly. The struct owns its arrays; ch_exemplars_scores_free()
 *  frees them. */
typedef struct ch_exemplars_scores {
    size_t size;    /**< sizeof(ch_exemplars_scores); the caller sets it */
    int64_t splits; /**< number of random splits */
    int count; /**< number of ranks; 1 if the classifiers were trained on whole training halves */
    double *mean; /**< `count` numbers: mean accuracy for each rank over all splits */
    /** `count` numbers: standard deviation of the accuracy for each rank over all splits; NaN if
     *  there is only one split. */
    double *sd;
    /** splits x count numbers: each[s * count + k] is the accuracy for ranks[k] in split s, with k
     *  and s from 0. If the classifiers were trained on whole training halves, count is 1, and
     *  each[s] is the accuracy in split s. */
    double *each;
    /** Number of exemplars that were found for the largest rank: the minimum over all splits. */
    int64_t found;
    double seconds_select; /**< wall-clock seconds for choosing exemplars, summed over all splits */
    /** Wall-clock seconds for training and testing, summed over all splits. */
    double seconds_train;
    /** CH_OK if exemplars were chosen with status CH_OK in all cases; otherwise the first other
     *  status with which a choice of exemplars ended. */
    ch_status status;
} ch_exemplars_scores;

/** Measures how useful exemplars are as training data. For each of the settings->splits random
 *  splits and each number of exemplars in ranks[0 .. count), which must increase, the function
 *  chooses exemplars in the training half, trains a linear classifier on them and tests it on the
 *  test half. With count 0 the classifier is trained on the whole training half instead. The caller
 *  sets accuracy->size and later calls ch_exemplars_scores_free(). Returns accuracy->status;
 *  CH_ERR_UNSUPPORTED if this build has no classifier; CH_ERR_DATA if all labels are the same;
 *  CH_STOP_CANCELLED with an empty result if the progress callback cancels. The classifier
 *  LIBLINEAR allocates with malloc() instead of the hooks of the context and does not check the
 *  result: if memory runs out, the process ends by a signal. ch_exemplars_try_split() and
 *  ch_exemplars_try_columns() have the same limitation. */
CH_API ch_status ch_exemplars_accuracy(ch_context *context, ch_exemplars_scores *accuracy,
                                       const ch_exemplars_data *data, const int64_t *ranks,
                                       int count, const ch_exemplars_settings *settings);
/** Frees the arrays of a result of ch_exemplars_accuracy(). `accuracy` must not be NULL. */
CH_API void ch_exemplars_scores_free(ch_context *context, ch_exemplars_scores *accuracy);

/** The result of ch_exemplars_try_split() for one split. The caller provides both arrays. */
typedef struct ch_exemplars_trial {
    size_t size;      /**< sizeof(ch_exemplars_trial); the caller sets it */
    double *accuracy; /**< array of `count` entries: receives the accuracy, 0 to 1, for each rank */
    /** Array of ranks[count - 1] entries: receives the exemplars of the largest rank, as column
     *  indices of X, from 0, in the order chosen. */
    int64_t *columns;
    int64_t found;         /**< number of entries of `columns` that were written */
    double seconds_select; /**< wall-clock seconds for choosing exemplars for all ranks */
    double seconds_train;  /**< wall-clock seconds for training and testing for all ranks */
    /** CH_OK if exemplars were chosen with status CH_OK in all cases; otherwise the first other
     *  status with which a choice of exemplars ended. */
    ch_status status;
} ch_exemplars_trial;

/** Does for a single split what ch_exemplars_accuracy() does for all splits: for each number of
 *  exemplars in ranks[0 .. count), it chooses exemplars, trains the classifier and tests it.
 *  `split` is the index of the split, from 0. The ranks must increase, and count must be at least
 *  1. The caller sets the members size, accuracy and columns of *trial. Returns CH_STOP_CANCELLED
 *  and leaves *trial untouched if the progress callback cancels. */
CH_API ch_status ch_exemplars_try_split(ch_context *context, ch_exemplars_trial *trial,
                                        const ch_exemplars_data *data, int64_t split,
                                        const int64_t *ranks, int count,
                                        const ch_exemplars_settings *settings);
/** Trains the classifier on given columns of one split and tests it: columns[0 .. count) are
 *  indices, from 0, of columns in the training half of the split with index `split`, from 0.
 *  *accuracy receives the share, 0 to 1, of the test half that the classifier classifies correctly.
 *  columns NULL means the whole training half. Returns CH_ERR_ARGUMENT if a column is not in the
 *  training half. */
CH_API ch_status ch_exemplars_try_columns(ch_context *context, double *accuracy,
                                          const ch_exemplars_data *data, int64_t split,
                                          const int64_t *columns, int64_t count,
                                          const ch_exemplars_settings *settings);

/** Returns name and version of the library that trains the classifier, such as "LIBLINEAR 230";
 *  NULL if this build has no classifier. */
CH_API const char *ch_classifier_name(void);

CH_END_DECLS
#endif
