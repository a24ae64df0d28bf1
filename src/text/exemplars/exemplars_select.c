/* All selectors behind one call. The xray methods, SPA, SMRS and Hottopixx are those of
 * ch_anchors(). Facility location, the columns nearest to the means of groups that grow from it,
 * and k-means compare columns with each other. Random columns are the baseline that the others must
 * beat. */
#include "base/arena.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include "text/exemplars/candidate_columns.h"
#include "text/exemplars/choose_groups.h"
#include "text/exemplars/exemplars_internal.h"
#include "text/exemplars/facility.h"
#include "text/exemplars/kmeans_columns.h"
#include <math.h>
#include <string.h>

ch_random chi_numbered_random(int64_t seed, int64_t number) {
    ch_random random, child;
    ch_random_seed(&random, (uint64_t)seed);
    do child = ch_random_split(&random);
    while (number-- > 0);
    return child;
}

ch_status chi_check_exemplars(ch_context *context, const ch_matrix *X, int64_t rank, int64_t most,
                              const char *where) {
    TRY(ch_matrix_check(context, X));
    if (rank < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "the number of exemplars (rank) must be at least 1, got %lld",
                        (long long)rank);
    if (rank <= most) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING,
                    "the number of exemplars (rank) is %lld, but %s has only %lld columns",
                    (long long)rank, where, (long long)most);
}

static ch_status choose_at_random(ch_context *context, chi_exemplar_columns *choice,
                                  const ch_matrix *X, int64_t rank, ch_random *random) {
    chi_arena arena = {.context = context};
    int64_t *order = chi_arena_alloc(&arena, X->cols, sizeof *order);
    double *sum = chi_arena_doubles(&arena, X->cols);
    ch_status status = chi_arena_status(&arena, "random columns");
    if (status == CH_OK) status = chi_column_norms(context, sum, NULL, X);
    if (status == CH_OK) {
        ch_random_shuffle(random, order, X->cols);
        for (int64_t k = 0; k < X->cols && choice->found < rank; k++)
            if (sum[order[k]] > 0) choice->columns[choice->found++] = order[k];
        if (choice->found < rank) status = CH_STOP_COMPLETE;
    }
    chi_arena_free(&arena);
    return status;
}

static void take_result(chi_exemplar_columns *choice, const chi_facility_result *result) {
    choice->found = result->found;
    choice->value = result->value;
    choice->optimum = result->optimum;
    choice->gains = result->gains;
    choice->sample = result->sample;
}

static int stopped(ch_status status) {
    return status < 0 || status == CH_STOP_CANCELLED;
}

static ch_status locate_facilities(ch_context *context, chi_exemplar_columns *choice,
                                   const ch_matrix *X, int64_t rank,
                                   const ch_exemplars_settings *settings) {
    chi_arena arena = {.context = context};
    int64_t sample = settings->sample ? settings->sample : CHI_FACILITY_SAMPLE;
    chi_facility_result result = {.columns = choice->columns};
    result.may_be = chi_candidate_columns(&arena, X, settings->longest, rank, sample);
    ch_status status = chi_arena_status(&arena, "facility location"), rated;
    if (status == CH_OK)
        status = chi_facility(context, &result, X, rank, settings->similarity, sample);
    if (!stopped(status) && result.sampled) {
        rated = chi_facility_rate(context, &result, X, rank, settings->similarity);
        if (rated != CH_OK) status = rated;
    }
    take_result(choice, &result);
    chi_arena_free(&arena);
    return status;
}

/* start->columns: the starts of the groups. */
static ch_status start_groups(ch_context *context, const chi_exemplar_columns *choice,
                              chi_facility_result *start, const ch_matrix *X, int64_t count,
                              const ch_exemplars_settings *settings) {
    int64_t sample = settings->sample ? settings->sample : CHI_START_SAMPLE;
    if (!choice->start) return chi_facility(context, start, X, count, settings->similarity, sample);
    start->found = count < choice->start_count ? count : choice->start_count;
    memcpy(start->columns, choice->start, (size_t)start->found * sizeof *choice->start);
    return start->found < count ? CH_STOP_COMPLETE : CH_OK;
}

/* The bound of facility location holds for any columns, if it has examined all of them. */
static ch_status rate_central(ch_context *context, chi_exemplar_columns *choice,
                              chi_facility_result *start, const ch_matrix *X, int64_t rank,
                              const ch_exemplars_settings *settings) {
    double optimum = start->sampled ? INFINITY : start->optimum;
    start->columns = choice->columns;
    start->found = choice->found;
    ch_status status = chi_facility_rate(context, start, X, rank, settings->similarity);
    start->optimum = fmin(start->optimum, optimum);
    take_result(choice, start);
    return status;
}

static ch_status choose_central(ch_context *context, chi_exemplar_columns *choice,
                                const ch_matrix *X, int64_t rank,
                                const ch_exemplars_settings *settings) {
    int64_t count = chi_groups_to_form(rank, X->cols);
    chi_arena arena = {.context = context};
    chi_facility_result start = {.columns = chi_arena_alloc(&arena, count, sizeof(int64_t)),
                                 .bounded = rank};
    int64_t sample = settings->sample ? settings->sample : CHI_START_SAMPLE;
    start.may_be = chi_candidate_columns(&arena, X, settings->longest, count, sample);
    ch_status status = chi_arena_status(&arena, "central columns");
    if (status == CH_OK) status = start_groups(context, choice, &start, X, count, settings);
    if (!stopped(status) && start.found > 0) {
        choice->found = start.found < rank ? start.found : rank;
        status = chi_central_columns(context, choice->columns, choice->found, start.columns,
                                     start.found, start.may_be, X);
        if (status == CH_OK && !choice->start)
            status = rate_central(context, choice, &start, X, rank, settings);
    }
    if (status == CH_OK && choice->found < rank) status = CH_STOP_COMPLETE;
    chi_arena_free(&arena);
    return status;
}

static ch_status choose_anchors(ch_context *context, chi_exemplar_columns *choice,
                                const ch_matrix *weighted, int64_t rank, ch_random *random,
                                const ch_exemplars_settings *settings) {
    const ch_exemplars_method *method = ch_exemplars_method_at(settings->method);
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    TRY(chi_settings_take(context, &set, ch_anchors_table(), settings->select));
    set.method = method->method;
    set.loss = method->loss;
    set.rank = rank;
    set.seed = (int64_t)(ch_random_bits(random) >> 1);
    set.select_only = 1;
    set.path = set.keep_duals = 0;
    ch_status status = ch_anchors(context, &result, weighted, &set);
    if (status < 0) return status;
    if (result.rank > 0) /* else cancelled before any was found */
        memcpy(choice->columns, result.anchors, (size_t)result.rank * sizeof *choice->columns);
    choice->found = result.rank;
    ch_anchors_result_free(context, &result);
    return status;
}

ch_status chi_select_exemplars(ch_context *context, chi_exemplar_columns *choice,
                               const ch_matrix *weighted, int64_t rank, ch_random *random,
                               const ch_exemplars_settings *settings) {
    double start = chi_seconds();
    ch_status status;
    *choice = (chi_exemplar_columns){.columns = choice->columns,
                                     .value = NAN,
                                     .optimum = NAN,
                                     .start = choice->start,
                                     .start_count = choice->start_count};
    switch (ch_exemplars_method_at(settings->method)->method) {
    case CH_EXEMPLARS_RANDOM:
        status = choose_at_random(context, choice, weighted, rank, random);
        break;
    case CH_EXEMPLARS_FACILITY:
        status = locate_facilities(context, choice, weighted, rank, settings);
        break;
    case CH_EXEMPLARS_CENTRAL:
        status = choose_central(context, choice, weighted, rank, settings);
        break;
    case CH_EXEMPLARS_KMEANS:
        status =
            chi_kmeans_columns(context, choice->columns, &choice->found, weighted, rank, random);
        break;
    default:
        status = choose_anchors(context, choice, weighted, rank, random, settings);
    }
    choice->seconds = chi_seconds() - start;
    return status;
}
