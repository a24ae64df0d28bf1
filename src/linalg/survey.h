/* What one pass over a matrix tells of it: whether the methods can use it, how many values are not
 * zero, norms of the columns, a hash. Whatever a call wants of these, it gets in the same pass. */
#pragma once

#include "base/arena.h"
#include <conehull/matrix.h>

/* What is wanted. */
enum chi_survey_want {
    CHI_SURVEY_CHECK = 1,        /* refuse what ch_matrix_check() refuses                      */
    CHI_SURVEY_SIGNED = 2,       /* ... but for negative values                                */
    CHI_SURVEY_COUNT = 4,        /* nonzeros                                                   */
    CHI_SURVEY_SUMS = 8,         /* sums                                                       */
    CHI_SURVEY_SQUARES = 16,     /* squares                                                    */
    CHI_SURVEY_TOTALS = 32,      /* totals                                                     */
    CHI_SURVEY_SHARES = 64,      /* above                                                      */
    CHI_SURVEY_HASH = 128,       /* hash                                                       */
    CHI_SURVEY_CANCELLABLE = 256 /* the pass may end with CHI_CANCELLED                       */
};

/* Of the columns of this process; what is not wanted is 0 or NULL. */
typedef struct chi_survey {
    chi_arena arena;
    int64_t nonzeros;
    double *bright; /* per column, of a lifted or weighted matrix alone: the sum without that,
                       -1: the column may not be chosen                               */
    double *sums, *squares; /* per column: of its values, the bits of chi_column_norms()      */
    double *totals;         /* per column: of its non-zeros in order, the bits of chi_column_load():
                               the same for every layout; row-major, that takes another pass  */
    int64_t above;          /* the lowest column that holds a value above 1; cols: none does  */
    uint64_t hash; /* of the columns as they are stored, padding between them left out; those
                      of the parts of several processes add up to that of the whole  */
} chi_survey;

/* chi_survey_free() whatever the status. A refusal names the first offender by column, then by
 * row. */
CHI_SHARED ch_status chi_survey_make(ch_context *context, chi_survey *survey, const ch_matrix *X,
                                     int wanted);
void chi_survey_free(chi_survey *survey);

/* CH_ERR_DATA with the first value above 1, if there is one. */
ch_status chi_survey_check_shares(ch_context *context, const chi_survey *survey,
                                  const ch_matrix *X);
