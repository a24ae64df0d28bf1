/* The steps from counts to topics. Until the end, topics are columns or rows 0..rank-1 in the order
 * of their anchors. Words are numbered 0..words-1 among those used. */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/topics.h>

/* ---- topics_words.c: the words that are used, and their weighted counts ---- */

typedef struct chi_topic_words {
    int64_t documents, words, candidates;
    int64_t *row;          /* words: row of the word in X                           */
    int64_t *df;           /* words: number of documents containing the word        */
    double *mass;          /* words: sum of the weighted counts of the word         */
    int32_t *feature;      /* words: number of the word among the candidates, or -1 */
    int64_t *word;         /* candidates: number of the candidate among the words   */
    ch_matrix by_word;     /* documents x words, CSC f64, weighted                  */
    ch_matrix by_document; /* words x documents, CSC f64, weighted                  */
    int64_t profile_rows;  /* length of a profile                                   */
    /* documents: 1 / weight of the pairs of words in a document; NULL: profiles are over documents,
     * not over words */
    double *pairs;
} chi_topic_words;

/* Chooses the words and computes the lists and matrices of *words. The arena owns the lists,
 * whatever the status; the caller frees the two matrices by ch_matrix_free(). */
ch_status chi_topic_words_create(chi_arena *arena, chi_topic_words *words, const ch_matrix *X,
                                 const ch_topics_settings *settings);

/* ---- topics_profile.c: the profile of a word shows with which words, or in which documents, it
 * occurs; it is a column that sums to 1 ---- */

/* Sets words->profile_rows and words->pairs. */
ch_status chi_profiles_create(chi_arena *arena, chi_topic_words *words, int kind);
/* values (profile_rows x count, column-major) = profiles of words list[0..count). */
void chi_profiles_fill(ch_context *context, double *values, const chi_topic_words *words,
                       const int64_t *list, int64_t count);

/* ---- topics_fit.c: the steps, and their results ---- */

typedef struct chi_topic_model {
    chi_arena arena;
    chi_topic_words words;
    int64_t rank;
    int64_t *anchors;       /* rank: the anchors, as numbers among the candidates */
    double *W;              /* profiles of the anchors                            */
    double *topic_word;     /* rank x words, each topic sums to 1                 */
    double *document_topic; /* rank x documents, in counts                        */
    double *score;          /* workspace: the larger of words and rank            */
    int64_t *order;         /* rank: topics, largest first                        */
} chi_topic_model;

/* Selects the anchors: sets rank, anchors and W of the model. */
ch_status chi_topics_anchors(chi_topic_model *model, const ch_topics_settings *settings);
/* Computes topic_word from the profiles. */
ch_status chi_topics_recover(chi_topic_model *model, const ch_topics_settings *settings);
/* Scales each topic to sum 1; sums: workspace of rank numbers. */
void chi_topics_scale(chi_topic_model *model, double *sums);
/* Computes document_topic for topic_word, then improves topic_word and document_topic in turn. Sets
 * topics->divergence and topics->rounds. */
ch_status chi_topics_refit(chi_topic_model *model, ch_topics *topics,
                           const ch_topics_settings *settings);

/* ---- topics_squares.c: topics by least squares, and a start from documents ---- */

/* Computes rank and topic_word from documents that represent the others; does not fill anchors.
 * Returns CH_STOP_COMPLETE if fewer than the requested number of topics are enough. */
ch_status chi_topics_from_documents(chi_topic_model *model, const ch_topics_settings *settings);
/* Computes document_topic for topic_word, then improves both in turn, minimising |X - W H|^2. */
ch_status chi_topics_squares(chi_topic_model *model, ch_topics *topics,
                             const ch_topics_settings *settings);
/* H (rank x X->cols) = argmin |X - F'H| over H >= 0, where F is rank x X->rows. X is CSC in f64. */
ch_status chi_topics_fit_squares(ch_context *context, double *H, double *error, const ch_matrix *X,
                                 const double *F, int64_t rank);

/* Scales the columns of X to l2 norm 1. X is CSC in f64 and owns its values. */
void chi_topics_unit_columns(ch_matrix *X);

/* ---- topics_project.c ---- */

/* Returns the factor by which the weighting multiplies the counts of a word that df of the
 * documents contain. */
double chi_topics_idf(ch_value_weight weight, int64_t documents, int64_t df);
