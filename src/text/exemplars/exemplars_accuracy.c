/* Measures the value of exemplars (paper, Section 5.2): the columns are split evenly at random;
 * exemplars come from the training half alone; a linear SVM is trained on them and their labels;
 * the figure is its accuracy on the other half. This is repeated over splits.
 *
 * Document frequencies are also those of the training half. Where a method's result for k is the
 * start of its result for r, one selection at the largest rank serves all smaller ones. */
#include "base/arena.h"
#include "base/sized.h"
#include "text/exemplars/choose_groups.h"
#include "text/exemplars/exemplars_internal.h"
#include <math.h>
#include <string.h>

typedef struct measuring {
    ch_context *context;
    chi_arena arena;
    ch_exemplars_settings own;
    const ch_exemplars_settings *set; /* a copy */
    const ch_matrix *X;
    const int32_t *labels;
    const int64_t *ranks;
    int count;      /* number of ranks; 0: the whole training half, one figure */
    int64_t *order; /* the current split: training columns, then the others    */
    int64_t half;
    int32_t *split_labels; /* in that order                       */
    ch_matrix weighted;    /* training columns, for the selection */
    ch_matrix train_features, test_features;
    chi_exemplar_columns choice;
    int64_t *start; /* start_count: facility location, from which the method central starts */
    int64_t start_count;
    int32_t *chosen_labels;
    ch_exemplars_scores *to;
} measuring;

void ch_exemplars_draw_split(int64_t *order, int64_t cols, int64_t seed, int64_t split) {
    ch_random random = chi_numbered_random(seed, split + 1);
    ch_random_shuffle(&random, order, cols);
}

/* The three matrices of a split. */
static ch_status prepare(measuring *m) {
    ch_matrix train = {0}, test = {0};
    const ch_exemplars_settings *set = m->set;
    ch_weighting weight = ch_exemplars_weighting(set, m->X);
    ch_status status = ch_matrix_copy(m->context, &train, m->X, m->order, m->half);
    if (status == CH_OK)
        status = ch_matrix_copy(m->context, &test, m->X, m->order + m->half, m->X->cols - m->half);
    if (status == CH_OK)
        status = ch_weighting_apply(m->context, &m->weighted, &train, &train, &weight);
    if (status == CH_OK)
        status = ch_weighting_apply(m->context, &m->train_features, &train, &train, &set->features);
    if (status == CH_OK)
        status = ch_weighting_apply(m->context, &m->test_features, &test, &train, &set->features);
    ch_matrix_free(m->context, &train);
    ch_matrix_free(m->context, &test);
    return status;
}

static void forget(measuring *m) {
    ch_matrix_free(m->context, &m->weighted);
    ch_matrix_free(m->context, &m->train_features);
    ch_matrix_free(m->context, &m->test_features);
}

/* Tests the first `count` chosen columns as training data; list NULL: all columns. */
static ch_status try_on_others(measuring *m, double *accuracy, const int64_t *list, int64_t count) {
    chi_labelled other = {&m->test_features, m->split_labels + m->half};
    chi_labelled training = {&m->train_features, m->split_labels};
    ch_matrix chosen = {0};
    double start = chi_seconds();
    if (list) {
        TRY(ch_matrix_copy(m->context, &chosen, &m->train_features, list, count));
        for (int64_t k = 0; k < count; k++) m->chosen_labels[k] = m->split_labels[list[k]];
        training = (chi_labelled){&chosen, m->chosen_labels};
    }
    ch_status status = chi_classify(m->context, accuracy, &training, &other, m->set);
    ch_matrix_free(m->context, &chosen);
    m->to->seconds_train += chi_seconds() - start;
    return status;
}

static ch_status choose(measuring *m, int64_t rank, ch_random random) {
    ch_status status =
        chi_select_exemplars(m->context, &m->choice, &m->weighted, rank, &random, m->set);
    m->to->seconds_select += m->choice.seconds;
    if (status >= 0 && status != CH_STOP_CANCELLED && m->choice.found == 0)
        return chi_fail(m->context, CH_ERR_DATA,
                        "no exemplar was found in the training half of a split: its columns are "
                        "empty or were excluded; ask for fewer splits, or add data");
    if (m->to->status == CH_OK && status > 0) m->to->status = status;
    return status;
}

/* For the method central: the greedy choice of k columns is the start of that of r, so one serves
 * all ranks. */
static ch_status find_start(measuring *m, ch_random random) {
    ch_exemplars_settings greedy = *m->set;
    chi_exemplar_columns found = {.columns = m->start};
    m->choice.start = NULL;
    if (ch_exemplars_method_at(m->set->method)->method != CH_EXEMPLARS_CENTRAL) return CH_OK;
    greedy.method = ch_exemplars_method_find("facility");
    ch_status status =
        chi_select_exemplars(m->context, &found, &m->weighted, m->start_count, &random, &greedy);
    m->to->seconds_select += found.seconds;
    if (found.found > 0) m->choice.start = m->start;
    m->choice.start_count = found.found;
    return status == CH_STOP_COMPLETE ? CH_OK : status;
}

static ch_status measure_ranks(measuring *m, double *accuracy, ch_random random) {
    const ch_exemplars_method *way = ch_exemplars_method_at(m->set->method);
    const ch_anchors_settings *select = m->set->select;
    int reselects = way->method == CH_METHOD_XRAY && !(select && select->first == CH_FIRST_PAPER);
    int prefix = way->prefix && !reselects; /* else the first anchor is chosen again for each k */
    ch_status status = find_start(m, random);
    if (status != CH_OK) return status;
    for (int k = 0; k < m->count; k++) {
        if (k == 0 || !prefix) {
            status = choose(m, prefix ? m->ranks[m->count - 1] : m->ranks[k], random);
            if (status < 0 || status == CH_STOP_CANCELLED) return status;
        }
        int64_t take = m->ranks[k] < m->choice.found ? m->ranks[k] : m->choice.found;
        TRY(try_on_others(m, accuracy + k, m->choice.columns, take));
    }
    if (m->choice.found < m->to->found) m->to->found = m->choice.found;
    return CH_OK;
}

/* Shuffles the columns for the split; the method continues with the same generator. */
static ch_random deal(measuring *m, int64_t split) {
    ch_random random = chi_numbered_random(m->set->seed, split + 1);
    ch_random_shuffle(&random, m->order, m->X->cols); /* as ch_exemplars_draw_split() */
    for (int64_t j = 0; j < m->X->cols; j++) m->split_labels[j] = m->labels[m->order[j]];
    return random;
}

static ch_status measure_split(measuring *m, double *accuracy, int64_t split) {
    ch_random random = deal(m, split);
    ch_status status = prepare(m);
    if (status == CH_OK)
        status =
            m->count ? measure_ranks(m, accuracy, random) : try_on_others(m, accuracy, NULL, 0);
    forget(m);
    return status;
}

static void summarise(ch_exemplars_scores *to) {
    for (int k = 0; k < to->count; k++) {
        double sum = 0, squares = 0;
        for (int64_t s = 0; s < to->splits; s++) sum += to->each[s * to->count + k];
        to->mean[k] = sum / (double)to->splits;
        for (int64_t s = 0; s < to->splits; s++)
            squares += pow(to->each[s * to->count + k] - to->mean[k], 2);
        to->sd[k] = to->splits > 1 ? sqrt(squares / (double)(to->splits - 1)) : NAN;
    }
}

static ch_status allocate(measuring *m, int64_t most) {
    int64_t cols = m->X->cols;
    ch_exemplars_scores *to = m->to;
    m->order = chi_arena_alloc(&m->arena, cols, sizeof *m->order);
    m->split_labels = chi_arena_alloc(&m->arena, cols, sizeof *m->split_labels);
    m->chosen_labels = chi_arena_alloc(&m->arena, most, sizeof *m->chosen_labels);
    m->choice.columns = chi_arena_alloc(&m->arena, most, sizeof *m->choice.columns);
    m->start_count = most;
    for (int k = 0; k < m->count; k++) {
        int64_t groups = chi_groups_to_form(m->ranks[k], m->half);
        if (groups > m->start_count) m->start_count = groups;
    }
    m->start = chi_arena_alloc(&m->arena, m->start_count, sizeof *m->start);
    to->mean = chi_alloc(m->context, to->count, sizeof *to->mean);
    to->sd = chi_alloc(m->context, to->count, sizeof *to->sd);
    to->each = chi_alloc(m->context, to->splits * to->count, sizeof *to->each);
    if (to->mean && to->sd && to->each) return chi_arena_status(&m->arena, "accuracies");
    return chi_no_memory(m->context, "accuracies", to->splits * to->count, sizeof(double));
}

static ch_status check(ch_context *context, const ch_matrix *X, const int32_t *labels,
                       const int64_t *ranks, int count) {
    int64_t other = 1;
    for (int k = 1; k < count; k++)
        if (ranks[k] <= ranks[k - 1])
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "the numbers of exemplars must increase, but %lld follows %lld",
                            (long long)ranks[k], (long long)ranks[k - 1]);
    TRY(chi_check_exemplars(context, X, count ? ranks[0] : 1, X->cols / 2, "the training half"));
    TRY(chi_check_exemplars(context, X, count ? ranks[count - 1] : 1, X->cols / 2,
                            "the training half"));
    while (other < X->cols && labels[other] == labels[0]) other++;
    if (other < X->cols) return CH_OK;
    return chi_fail(context, CH_ERR_DATA,
                    "all %lld labels are the same, so there is nothing to classify",
                    (long long)X->cols);
}

/* Checks, and allocates for `most` exemplars; free the arena in any case. */
static ch_status begin(measuring *m, ch_exemplars_scores *made, int64_t most,
                       const ch_exemplars_settings *given) {
    TRY(chi_settings_take(m->context, &m->own, ch_exemplars_table(), given));
    m->set = &m->own;
    m->arena.context = m->context;
    if (made->splits == 0) made->splits = m->own.splits;
    TRY(check(m->context, m->X, m->labels, m->ranks, m->count));
    made->count = m->count ? m->count : 1;
    made->found = most;
    m->half = m->X->cols / 2;
    m->to = made;
    return allocate(m, most);
}

ch_status ch_exemplars_accuracy(ch_context *context, ch_exemplars_scores *accuracy,
                                const ch_exemplars_data *data, const int64_t *ranks, int count,
                                const ch_exemplars_settings *settings) {
    ch_exemplars_scores made = {.size = sizeof made};
    measuring m = {.context = context, .X = data->X, .labels = data->labels, .ranks = ranks};
    m.count = count;
    TRY(chi_sized_check(context, accuracy, "ch_exemplars_scores"));
    ch_status status = begin(&m, &made, count ? ranks[count - 1] : 1, settings);
    for (int64_t s = 0; s < made.splits && status == CH_OK; s++) {
        status = measure_split(&m, made.each + s * made.count, s);
        if (status == CH_OK && chi_notify(context, "splits", s + 1, made.splits, -1, 0))
            status = CH_STOP_CANCELLED;
    }
    if (status == CH_OK) summarise(&made);
    chi_arena_free(&m.arena);
    if (status != CH_OK) ch_exemplars_scores_free(context, &made);
    if (status >= 0) chi_result_give(accuracy, &made, sizeof made);
    return status == CH_OK ? made.status : status;
}

/* ---- one split in detail ---- */

ch_status ch_exemplars_try_split(ch_context *context, ch_exemplars_trial *trial,
                                 const ch_exemplars_data *data, int64_t split, const int64_t *ranks,
                                 int count, const ch_exemplars_settings *settings) {
    ch_exemplars_trial done = {0};
    ch_exemplars_scores made = {.size = sizeof made, .splits = 1};
    measuring m = {.context = context, .X = data->X, .labels = data->labels, .ranks = ranks};
    m.count = count;
    if (count < 1)
        return chi_fail(context, CH_ERR_ARGUMENT, "the list of ranks of the trial is empty");
    TRY(chi_sized_take(context, &done, sizeof done, trial, "ch_exemplars_trial"));
    ch_status status = begin(&m, &made, ranks[count - 1], settings);
    if (status == CH_OK) status = measure_split(&m, made.each, split);
    if (status == CH_OK) {
        done.found = m.choice.found;
        done.seconds_select = made.seconds_select;
        done.seconds_train = made.seconds_train;
        done.status = made.status;
        memcpy(done.accuracy, made.each, (size_t)count * sizeof *done.accuracy);
        for (int64_t k = 0; k < done.found; k++) done.columns[k] = m.order[m.choice.columns[k]];
        chi_result_give(trial, &done, sizeof done);
    }
    chi_arena_free(&m.arena);
    ch_exemplars_scores_free(context, &made);
    return status;
}

/* Finds the positions of the columns in the training half; refuses a column of the other half. */
static ch_status find_places(measuring *m, const int64_t *columns, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        int64_t place = 0;
        while (place < m->half && m->order[place] != columns[k]) place++;
        if (place == m->half)
            return chi_fail(m->context, CH_ERR_ARGUMENT,
                            "column %lld is not in the training half of this split",
                            (long long)columns[k]);
        m->choice.columns[k] = place;
    }
    return CH_OK;
}

ch_status ch_exemplars_try_columns(ch_context *context, double *accuracy,
                                   const ch_exemplars_data *data, int64_t split,
                                   const int64_t *columns, int64_t count,
                                   const ch_exemplars_settings *settings) {
    ch_exemplars_scores made = {.size = sizeof made, .splits = 1};
    measuring m = {.context = context, .X = data->X, .labels = data->labels, .ranks = &count};
    m.count = columns ? 1 : 0;
    ch_status status = begin(&m, &made, columns ? count : 1, settings);
    if (status == CH_OK) {
        deal(&m, split);
        if (columns) status = find_places(&m, columns, count);
    }
    if (status == CH_OK) status = prepare(&m);
    if (status == CH_OK)
        status = try_on_others(&m, accuracy, columns ? m.choice.columns : NULL, count);
    forget(&m);
    chi_arena_free(&m.arena);
    ch_exemplars_scores_free(context, &made);
    return status;
}

void ch_exemplars_scores_free(ch_context *context, ch_exemplars_scores *accuracy) {
    chi_free(context, accuracy->mean);
    chi_free(context, accuracy->sd);
    chi_free(context, accuracy->each);
    chi_result_clear(accuracy);
}
