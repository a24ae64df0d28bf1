/* The steps from counts to topics. Until the end, topics are columns or rows 0..rank-1 in the order
 * of their anchors. Words are numbered 0..words-1 among those used. */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/topics.h>

/* ---- topics_words.c: which words take part, and the counts as they are used ---- */

typedef struct chi_topic_words {
    int64_t documents, words, candidates;
    int64_t *row;          /* words: the row of X                           */
    int64_t *df;           /* words: documents containing it                */
    double *mass;          /* words: sum of its (weighted) counts           */
    int32_t *feature;      /* words: its number among the candidates, or -1 */
    int64_t *word;         /* candidates: its number among the words        */
    ch_matrix by_word;     /* documents x words, CSC f64, weighted          */
    ch_matrix by_document; /* words x documents, the same                   */
    int64_t profile_rows;  /* length of a profile                           */
    double *pairs;         /* documents: 1 / weight of the pairs of words in it; NULL: profiles over
                      documents */
} chi_topic_words;

/* The arena owns the lists, also when it fails; ch_matrix_free() frees the two matrices. */
ch_status chi_topic_words_create(chi_arena *arena, chi_topic_words *words, const ch_matrix *X,
                                 const ch_topics_settings *settings);

/* ---- topics_profile.c: what a word is seen with, as columns that sum to 1 ---- */

/* Fills profile_rows and pairs. */
ch_status chi_profiles_create(chi_arena *arena, chi_topic_words *words, int kind);
/* values (profile_rows x count, column-major) = profiles of words list[0..count). */
void chi_profiles_fill(ch_context *context, double *values, const chi_topic_words *words,
                       const int64_t *list, int64_t count);

/* ---- topics_fit.c: the steps, and what they leave behind ---- */

typedef struct chi_topic_model {
    chi_arena arena;
    chi_topic_words words;
    int64_t rank;
    int64_t *anchors;       /* candidates                         */
    double *W;              /* profiles of the anchors            */
    double *topic_word;     /* rank x words, each topic sums to 1 */
    double *document_topic; /* rank x documents, in counts        */
    double *score;          /* words                              */
    int64_t *order;         /* rank: topics, largest first        */
} chi_topic_model;

/* Fills rank, anchors and W. */
ch_status chi_topics_anchors(chi_topic_model *model, const ch_topics_settings *settings);
/* Computes topic_word from the profiles. */
ch_status chi_topics_recover(chi_topic_model *model, const ch_topics_settings *settings);
/* Scales each topic to sum 1; sums: workspace of rank numbers. */
void chi_topics_scale(chi_topic_model *model, double *sums);
/* Computes document_topic for topic_word, then runs rounds of both; writes divergence and rounds to
 * topics. */
ch_status chi_topics_refit(chi_topic_model *model, ch_topics *topics,
                           const ch_topics_settings *settings);

/* ---- topics_squares.c: the same by least squares, and a start from documents ---- */

/* Computes rank and topic_word from documents that represent the others; does not fill anchors.
 * Returns CH_STOP_COMPLETE if fewer topics are enough. */
ch_status chi_topics_from_documents(chi_topic_model *model, const ch_topics_settings *settings);
/* Like chi_topics_refit(), minimising |X - W H|^2. */
ch_status chi_topics_squares(chi_topic_model *model, ch_topics *topics,
                             const ch_topics_settings *settings);
/* H (rank x X->cols) = argmin |X - F' H|, H >= 0, F rank x X->rows; X CSC in f64. */
ch_status chi_topics_fit_squares(ch_context *context, double *H, double *error, const ch_matrix *X,
                                 const double *F, int64_t rank);

/* Scales the columns of a CSC matrix in f64, owned by us, to length 1. */
void chi_topics_unit_columns(ch_matrix *X);

/* ---- topics_project.c ---- */

/* Returns the factor of the weighting for counts of a word that df documents contain. */
double chi_topics_idf(ch_value_weight weight, int64_t documents, int64_t df);
