/* Linear support vector machines by LIBLINEAR (R.-E. Fan et al., JMLR 9, 2008), one against the
 * rest:
 *
 *     min_w  1/2 |w|^2 + C sum_i max(0, 1 - y_i w'x_i)^2
 *
 * by its trust region Newton method, which draws no random numbers. The other two kinds use rand();
 * they get a separate generator state, and that of the process is restored afterwards, so that they
 * are reproducible too. LIBLINEAR allocates with malloc() and cannot report failure. */
#include "base/arena.h"
#include "linalg/linalg.h"
#include "text/exemplars/exemplars_internal.h"
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
    double eps; /* tighter than LIBLINEAR's usual 0.01 and 0.1: time does not matter here */
} kinds[] = {
    [CH_SVM_SQUARED] = {L2R_L2LOSS_SVC, 0, 1e-3},
    [CH_SVM_HINGE] = {L2R_L1LOSS_SVC_DUAL, 1, 1e-2},
    [CH_SVM_CRAMMER] = {MCSVM_CS, 1, 1e-2},
};

/* Converts the columns of X for LIBLINEAR: entries (row + 1, value), an index of -1 at the end. The
 * arena owns them, also when it fails. */
static ch_status make_nodes(chi_arena *arena, struct feature_node ***columns, const ch_matrix *X) {
    int32_t *index = chi_arena_alloc(arena, X->rows, sizeof *index);
    double *value = chi_arena_doubles(arena, X->rows);
    struct feature_node *next = chi_arena_alloc(arena, ch_matrix_stored(X) + X->cols, sizeof *next);
    struct feature_node **start = chi_arena_alloc(arena, X->cols, sizeof *start);
    TRY(chi_arena_status(arena, "the classifier's data"));
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t count = chi_column_support(index, value, X, j);
        start[j] = next;
        for (int64_t k = 0; k < count; k++) *next++ = (struct feature_node){index[k] + 1, value[k]};
        *next++ = (struct feature_node){-1, 0};
    }
    *columns = start;
    return CH_OK;
}

static void say_nothing(const char *text) {
    (void)text;
}

/* Calls train() with a fixed state of rand(), which is restored afterwards. */
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

static ch_status train_model(ch_context *context, struct model **model,
                             const chi_labelled *training, const ch_exemplars_settings *settings) {
    const struct kind *kind = &kinds[settings->svm];
    int64_t count = training->X->cols;
    chi_arena arena = {.context = context};
    struct feature_node **columns;
    double *y = chi_arena_doubles(&arena, count);
    ch_status status = make_nodes(&arena, &columns, training->X);
    if (status == CH_OK) {
        for (int64_t j = 0; j < count; j++) y[j] = training->labels[j];
        struct problem problem = {(int)count, (int)training->X->rows, y, columns, -1};
        struct parameter set = {.solver_type = kind->solver, .eps = kind->eps, .C = settings->cost};
        *model = train_alone(&problem, &set, kind->draws);
    }
    chi_arena_free(&arena);
    return status;
}

ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings) {
    struct model *model = NULL;
    struct feature_node **columns;
    chi_arena arena = {.context = context};
    int64_t right = 0, count = other->X->cols;
    if (training->X->cols > INT_MAX || training->X->rows > INT_MAX - 2)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the data have too many rows or columns for LIBLINEAR, which supports at "
                        "most 2^31 - 1");
    if (!one_class(training)) TRY(train_model(context, &model, training, settings));
    ch_status status = make_nodes(&arena, &columns, other->X);
    for (int64_t j = 0; j < count && status == CH_OK; j++) {
        int said = model ? (int)predict(model, columns[j]) : training->labels[0];
        right += said == other->labels[j];
    }
    if (status == CH_OK) *accuracy = (double)right / (double)count;
    chi_arena_free(&arena);
    if (model) free_and_destroy_model(&model);
    return status;
}
