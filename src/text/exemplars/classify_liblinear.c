/* Linear support vector machines by LIBLINEAR (R.-E. Fan et al., JMLR 9, 2008), one against the
 * rest:
 *
 *     min_w  1/2 |w|^2 + C sum_i max(0, 1 - y_i w'x_i)^2
 *
 * by its trust region Newton method, which draws no random numbers. The other two kinds use rand();
 * they get a generator state of their own, and the process's is put back, so that they repeat too.
 * LIBLINEAR allocates with malloc() and cannot say that it failed. */
#include "linalg/linalg.h"
#include "text/exemplars/classify.h"

#include <limits.h>
#include <linear.h>
#include <pthread.h>
#include <stdlib.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *ch_classifier_name(void) {
    return "LIBLINEAR " TEXT(LIBLINEAR_VERSION);
}

static const struct kind {
    int solver;
    int draws;
    double eps; /* tighter than LIBLINEAR's usual 0.01 and 0.1: seconds do not matter here */
} kinds[] = {
    [CH_SVM_SQUARED] = {L2R_L2LOSS_SVC, 0, 1e-3},
    [CH_SVM_HINGE] = {L2R_L1LOSS_SVC_DUAL, 1, 1e-2},
    [CH_SVM_CRAMMER] = {MCSVM_CS, 1, 1e-2},
};

/* Columns as LIBLINEAR wants them: entries (row + 1, value), an index of -1 at the end. */
typedef struct nodes {
    struct feature_node *node;
    struct feature_node **start; /* per column */
} nodes;

static void free_nodes(ch_context *context, nodes *made) {
    chi_free(context, made->node);
    chi_free(context, made->start);
}

static void fill_nodes(nodes *made, int32_t *index, double *value, const ch_matrix *X) {
    struct feature_node *next = made->node;
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t count = chi_column_support(index, value, X, j);
        made->start[j] = next;
        for (int64_t k = 0; k < count; k++) *next++ = (struct feature_node){index[k] + 1, value[k]};
        *next++ = (struct feature_node){-1, 0};
    }
}

static ch_status make_nodes(ch_context *context, nodes *made, const ch_matrix *X) {
    int64_t room = ch_matrix_stored(X) + X->cols;
    int32_t *index = chi_alloc(context, X->rows, sizeof *index);
    double *value = chi_alloc(context, X->rows, sizeof *value);
    ch_status status = CH_OK;
    made->node = chi_alloc(context, room, sizeof *made->node);
    made->start = chi_alloc(context, X->cols, sizeof *made->start);
    if (index && value && made->node && made->start)
        fill_nodes(made, index, value, X);
    else
        status = chi_no_memory(context, "the classifier's data", room, sizeof *made->node);
    chi_free(context, value);
    chi_free(context, index);
    return status;
}

static void say_nothing(const char *text) {
    (void)text;
}

/* train(), with rand() in a state that depends on nothing, and put back afterwards. */
static struct model *train_alone(const struct problem *problem, const struct parameter *set,
                                 int draws) {
    static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    char state[128], *before = NULL;
    pthread_mutex_lock(&alone);
    set_print_string_function(say_nothing);
    if (draws) before = initstate(1, state, sizeof state);
    struct model *model = train(problem, set);
    if (before) setstate(before);
    pthread_mutex_unlock(&alone);
    return model;
}

static int one_class(const chi_labelled *data) {
    for (int64_t j = 1; j < data->X->cols; j++)
        if (data->labels[j] != data->labels[0]) return 0;
    return 1;
}

static double share_right(const struct model *model, const nodes *made, const chi_labelled *data,
                          int32_t only) {
    int64_t right = 0;
    for (int64_t j = 0; j < data->X->cols; j++) {
        int said = model ? (int)predict(model, made->start[j]) : only;
        right += said == data->labels[j];
    }
    return (double)right / (double)data->X->cols;
}

static ch_status train_model(ch_context *context, struct model **model,
                             const chi_labelled *training, const ch_exemplars_settings *settings) {
    const struct kind *kind = &kinds[settings->svm];
    int64_t count = training->X->cols;
    nodes made = {0};
    double *y = chi_alloc(context, count, sizeof *y);
    ch_status status = y ? make_nodes(context, &made, training->X)
                         : chi_no_memory(context, "labels", count, sizeof *y);
    if (status == CH_OK) {
        for (int64_t j = 0; j < count; j++) y[j] = training->labels[j];
        struct problem problem = {(int)count, (int)training->X->rows, y, made.start, -1};
        struct parameter set = {.solver_type = kind->solver, .eps = kind->eps, .C = settings->cost};
        *model = train_alone(&problem, &set, kind->draws);
    }
    free_nodes(context, &made);
    chi_free(context, y);
    return status;
}

ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings) {
    struct model *model = NULL;
    nodes made = {0};
    if (training->X->cols > INT_MAX || training->X->rows > INT_MAX - 2)
        return chi_fail(context, CH_ERR_UNSUPPORTED, "LIBLINEAR counts in 32 bits");
    if (!one_class(training)) TRY(train_model(context, &model, training, settings));
    ch_status status = make_nodes(context, &made, other->X);
    if (status == CH_OK) *accuracy = share_right(model, &made, other, training->labels[0]);
    free_nodes(context, &made);
    if (model) free_and_destroy_model(&model);
    return status;
}
