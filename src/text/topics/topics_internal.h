/* The steps from counts to topics. Topics are columns or rows 0..rank-1 in the order of their
 * anchors until the end, words are numbered 0..words-1 among those that take part. */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"
#include <conehull/topics.h>

/* ---- topics_words.c: which words take part, and the counts as they are used ---- */

typedef struct chi_topic_words {
    int64_t documents, words, candidates;
    int64_t *row;          /* words: the row of X                                             */
    int64_t *df;           /* words: documents that hold it                                   */
    double *mass;          /* words: sum of its (weighted) counts                             */
    int32_t *feature;      /* words: its number among the candidates, or -1                   */
    int64_t *word;         /* candidates: its number among the words                          */
    ch_matrix by_word;     /* documents x words, CSC f64, weighted                            */
    ch_matrix by_document; /* words x documents, the same                                 */
} chi_topic_words;

/* Lists are in the arena, also where it fails; the two matrices are freed by ch_matrix_free(). */
ch_status chi_topic_words_create(chi_arena *arena, chi_topic_words *words, const ch_matrix *X,
                                 const ch_topics_settings *settings);

/* ---- topics_profile.c: what a word is seen with, as columns that sum to 1 ---- */

typedef struct chi_profiles {
    const chi_topic_words *words;
    int64_t rows;  /* of a profile                                                     */
    double *pairs; /* documents: 1 / weight of the pairs of words in it                */
} chi_profiles;

ch_status chi_profiles_create(chi_arena *arena, chi_profiles *profiles,
                              const chi_topic_words *words, int kind);
/* values (rows x count, column-major) = profiles of words list[0..count). */
void chi_profiles_fill(ch_context *context, double *values, const chi_profiles *profiles,
                       const int64_t *list, int64_t count);

/* ---- topics_fit.c ---- */

/* anchors[0..*rank): candidates; W: their profiles (rows x rank). */
ch_status chi_topics_anchors(ch_context *context, int64_t *anchors, double *W, int64_t *rank,
                             const chi_profiles *profiles, const ch_topics_settings *settings);
/* topic_word (rank x words) from the profiles; each topic sums to 1. */
ch_status chi_topics_recover(ch_context *context, double *topic_word, const double *W, int64_t rank,
                             const chi_profiles *profiles, const ch_topics_settings *settings);
/* document_topic (rank x documents, in counts) for topic_word, and rounds of both. */
ch_status chi_topics_refit(ch_context *context, double *topic_word, double *document_topic,
                           double *divergence, int64_t *rounds, int64_t rank,
                           const chi_topic_words *words, const ch_topics_settings *settings);
