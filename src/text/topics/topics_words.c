/* Chooses the words to use and the candidates for anchors among them, and makes the weighted counts
 * of these words, by word and by document. O(stored entries). */
#include "linalg/matrix_store.h"
#include "text/topics/topics_internal.h"
#include <conehull/exemplars.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One column of the transposed matrix at a time. */
typedef struct column {
    int32_t *index;
    double *value;
} column;

/* Reasons why words cannot be anchor words, for the message that there are too few. */
typedef struct sieve {
    int64_t frequent, rare; /* excluded by max_df and min_df                             */
    int64_t least;          /* minimum number of documents containing an anchor word ... */
    const char *by;         /* ... and the setting that sets it; "" if none can lower it */
} sieve;

/* Fills row and df; returns the number of entries of the words used. */
static int64_t choose_words(chi_topic_words *words, sieve *out, const column *x,
                            const ch_matrix *by_term, const ch_topics_settings *settings) {
    double most = settings->max_df * (double)by_term->rows;
    int64_t entries = 0;
    for (int64_t i = 0; i < by_term->cols; i++) {
        int64_t df = chi_column_support(x->index, x->value, by_term, i);
        int rare = df < settings->min_df, frequent = !rare && (double)df > most;
        out->rare += rare && df > 0;
        out->frequent += frequent;
        if (rare || frequent) continue; /* min_df is at least 1 */
        words->row[words->words] = i;
        words->df[words->words++] = df;
        entries += df;
    }
    return entries;
}

static ch_status gather(ch_context *context, chi_topic_words *words, const column *x,
                        const ch_matrix *by_term, int64_t entries, int unit) {
    TRY(chi_matrix_create_csc(context, &words->by_word, by_term->rows, words->words, entries,
                              CH_F64, "counts"));
    const chi_store *held = words->by_word.owner;
    double *value = held->values;
    int64_t end = 0;
    for (int64_t w = 0; w < words->words; w++) {
        int64_t df = chi_column_support(x->index, x->value, by_term, words->row[w]);
        held->start[w] = end;
        for (int64_t k = 0; k < df; k++, end++) {
            held->index[end] = x->index[k];
            value[end] = x->value[k];
        }
    }
    held->start[words->words] = end;
    TRY(ch_matrix_transpose(context, &words->by_document, &words->by_word));
    if (unit) {
        chi_topics_unit_columns(&words->by_document);
        ch_matrix_free(context, &words->by_word);
        TRY(ch_matrix_transpose(context, &words->by_word, &words->by_document));
    }
    return chi_column_norms(context, words->mass, NULL, &words->by_word);
}

/* Fewer documents give no meaningful profile, however small the collection is. */
enum { LEAST_DOCUMENTS = 3 };

static int compare_falling(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a > b ? -1 : a < b;
}

static ch_status choose_candidates(chi_arena *arena, chi_topic_words *words, sieve *out,
                                   const ch_topics_settings *settings) {
    int64_t *df = chi_arena_alloc(arena, words->words, sizeof *df);
    TRY(chi_arena_status(arena, "document frequencies"));
    memcpy(df, words->df, (size_t)words->words * sizeof *df);
    qsort(df, (size_t)words->words, sizeof *df, compare_falling);
    int from_words = settings->start == CH_TOPICS_WORDS; /* otherwise all words are candidates */
    int64_t least = from_words ? (int64_t)ceil(settings->anchor_df * (double)words->documents) : 1;
    out->by = least > LEAST_DOCUMENTS ? " (anchor-df)" : "";
    if (from_words && least < LEAST_DOCUMENTS) least = LEAST_DOCUMENTS;
    if (from_words && words->words > settings->candidates && df[settings->candidates] + 1 > least) {
        least = df[settings->candidates] + 1; /* at most the requested number; ties are excluded
                                                 together */
        out->by = " (candidates)";
    }
    out->least = least;
    for (int64_t w = 0; w < words->words; w++) {
        int is_candidate = words->df[w] >= least;
        words->feature[w] = is_candidate ? (int32_t)words->candidates : -1;
        if (is_candidate) words->word[words->candidates++] = w;
    }
    return CH_OK;
}

/* Adds "12 in <what>" to a list, unless there is none. */
static void add_cause(char *list, size_t room, int64_t count, const char *what) {
    size_t used = strlen(list);
    if (count > 0)
        snprintf(list + used, room - used, "%s%lld in %s",
                 used ? ", " : ". Words were left out: ", (long long)count, what);
}

static ch_status check_enough(ch_context *context, const chi_topic_words *words, const sieve *out,
                              const ch_topics_settings *settings) {
    char causes[320] = "", what[96], left[48] = "no word";
    int from_words = settings->start == CH_TOPICS_WORDS;
    int changeable = out->frequent || out->rare || (out->by[0] && words->words > words->candidates);
    if (words->candidates >= settings->rank) return CH_OK;
    snprintf(what, sizeof what, "more than %.15g of the documents (max-df)", settings->max_df);
    add_cause(causes, sizeof causes, out->frequent, what);
    snprintf(what, sizeof what, "fewer than %lld (min-df)", (long long)settings->min_df);
    add_cause(causes, sizeof causes, out->rare, what);
    snprintf(what, sizeof what, "fewer than the %lld that an anchor word needs%s",
             (long long)out->least, out->by);
    add_cause(causes, sizeof causes, words->words - words->candidates, what);
    if (words->candidates > 0)
        snprintf(left, sizeof left, "only %lld word%s", (long long)words->candidates,
                 words->candidates == 1 ? "" : "s");
    return chi_fail(context, CH_ERR_DATA,
                    "%lld topic%s at least as many %swords, but %s in the %lld documents %s%s. Ask "
                    "for fewer topics%s",
                    (long long)settings->rank, settings->rank == 1 ? " needs" : "s need",
                    from_words ? "anchor " : "", left, (long long)words->documents,
                    from_words              ? "can be an anchor word"
                    : words->candidates > 1 ? "are left"
                                            : "is left",
                    causes, changeable ? ", or change these limits" : "");
}

static ch_status collect(chi_arena *arena, chi_topic_words *words, const ch_matrix *by_term,
                         const ch_topics_settings *settings) {
    int64_t terms = by_term->cols;
    sieve out = {0};
    words->row = chi_arena_alloc(arena, terms, sizeof *words->row);
    words->df = chi_arena_alloc(arena, terms, sizeof *words->df);
    words->mass = chi_arena_doubles(arena, terms);
    words->feature = chi_arena_alloc(arena, terms, sizeof *words->feature);
    words->word = chi_arena_alloc(arena, terms, sizeof *words->word);
    column x = {chi_arena_alloc(arena, by_term->rows, sizeof *x.index),
                chi_arena_doubles(arena, by_term->rows)};
    TRY(chi_arena_status(arena, "a list of words"));
    int64_t entries = choose_words(words, &out, &x, by_term, settings);
    TRY(choose_candidates(arena, words, &out, settings));
    TRY(check_enough(arena->context, words, &out, settings));
    return gather(arena->context, words, &x, by_term, entries,
                  settings->objective == CH_TOPICS_SQUARES);
}

ch_status chi_topic_words_create(chi_arena *arena, chi_topic_words *words, const ch_matrix *X,
                                 const ch_topics_settings *settings) {
    ch_context *context = arena->context;
    ch_weighting weighting = {settings->weight, CH_COLUMN_AS_IS};
    ch_matrix weighted, by_term; /* documents x terms */
    *words = (chi_topic_words){.documents = X->cols};
    TRY(ch_weighting_apply(context, &weighted, X, NULL, &weighting));
    ch_status status = ch_matrix_transpose(context, &by_term, &weighted);
    if (status == CH_OK) {
        status = collect(arena, words, &by_term, settings);
        if (X->layout == CH_CSC) ch_matrix_free(context, &by_term); /* else a view of the other */
    }
    ch_matrix_free(context, &weighted);
    return status;
}
