/* Facts that one pass over a matrix computes: whether the methods can use it, the number of
 * non-zero values, norms of the columns, a hash. A caller gets all the facts it requests in the
 * same pass. */
#pragma once

#include "base/arena.h"
#include <conehull/matrix.h>

/* Requested facts. */
enum chi_survey_want {
    CHI_SURVEY_CHECK = 1,        /* refuse everything that ch_matrix_check() refuses        */
    CHI_SURVEY_SIGNED = 2,       /* like CHI_SURVEY_CHECK, but negative values are accepted */
    CHI_SURVEY_COUNT = 4,        /* nonzeros                                                */
    CHI_SURVEY_SUMS = 8,         /* sums                                                    */
    CHI_SURVEY_SQUARES = 16,     /* squares                                                 */
    CHI_SURVEY_TOTALS = 32,      /* totals                                                  */
    CHI_SURVEY_SHARES = 64,      /* above                                                   */
    CHI_SURVEY_HASH = 128,       /* hash                                                    */
    CHI_SURVEY_CANCELLABLE = 256 /* the pass may end with CHI_CANCELLED                     */
};

/* Results for the columns of this process; facts that were not requested are 0 or NULL. */
typedef struct chi_survey {
    chi_arena arena;
    int64_t nonzeros;
    /* per column, only for a lifted or weighted matrix: the sum before lifting and weighting; -1:
     * the column must not be selected */
    double *bright;
    double *sums, *squares; /* per column, over its values: same bits as chi_column_norms() */
    double *totals;         /* per column, over its non-zeros in order: same bits as
                               chi_column_load() in every layout; row-major takes another pass */
    int64_t above;          /* the lowest column with a value above 1; cols: none */
    /* hash of the columns as stored, without padding; the hashes of the parts of several processes
     * add up to the hash of the whole matrix */
    uint64_t hash;
} chi_survey;

/* Computes the wanted facts (chi_survey_want) about X. Call chi_survey_free() whatever the status.
 * The message of a refusal names the first bad value, by column, then by row. */
CHI_SHARED ch_status chi_survey_make(ch_context *context, chi_survey *survey, const ch_matrix *X,
                                     int wanted);
void chi_survey_free(chi_survey *survey);

/* Returns CH_ERR_DATA and names the first value above 1, if there is one. */
ch_status chi_survey_check_shares(ch_context *context, const chi_survey *survey,
                                  const ch_matrix *X);
